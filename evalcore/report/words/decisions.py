"""The sentences on decisions: what the best model finds at thresholds, and what wrong decisions cost."""

import math
from collections.abc import Iterator, Mapping

from evalcore.evaluation.model import Statistic
from evalcore.evaluation.thresholds import Target, expected_cost, section_name
from evalcore.evaluation.wording import Sentence, count, listed, number, percent
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import given_number
from evalcore.report.model_records import decisions_of
from evalcore.report.thresholds import LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.report.words.scored_models import ScoredModel, ScoredModels

_MANY_ALARMS = 20
"""Fewer are counted: 100% of two alarms would promise too much."""


_ROUNDING = 1e-12
"""Sums of weights differ by it with their order."""


def decision_sentences(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what the best model finds at the first threshold that was given.  O(1)."""
    if "threshold" in facts.best.items:
        yield _at_given(facts, facts.best.items)


def further_decision_sentences(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what the best model finds at each other threshold.  O(sections + n)."""
    for threshold in facts.question.more_thresholds:
        items = decisions_of(facts.answer.sections, facts.best.name, section_name(threshold))
        if "threshold" in items:
            yield _of_target(facts, threshold, items) if isinstance(threshold, Target) else _at_given(facts, items)
    if facts.question.targets:
        yield Sentence("Thresholds that reach a target were chosen on these same cases")


def _at_given(facts: ScoredModels, items: Mapping[str, Statistic]) -> Sentence:
    return _found(f"At threshold {given_number(items['threshold'].value)},", facts.best.shown, items)


def unreached(target: Target, model: str) -> str:
    """Say that no threshold of a model reaches a target.  O(1).

    >>> unreached(Target("precision", 0.9), "boosting")
    'No threshold of boosting has a precision of at least 0.9'
    """
    return f"No threshold of {model} has a {target.goal}"


def _of_target(facts: ScoredModels, target: Target, items: Mapping[str, Statistic]) -> Sentence:
    model, threshold = facts.best.shown, items["threshold"].value
    reached, which = f"a {target.goal}", "highest" if target.measure == "recall" else "lowest"
    if math.isnan(threshold):
        return Sentence(unreached(target, model))
    if math.isinf(threshold) and not items["tp"].value + items["fp"].value:
        return Sentence(f"{model} has {reached} only if it flags no case")
    at = threshold_text(threshold, facts.answer.scores.get(facts.best.name))
    return _found(f"At threshold {at}, the {which} with {reached},", model, items)


def _found(at: str, model: str, items: Mapping[str, Statistic]) -> Sentence:
    """Say what a model finds at a threshold."""
    tp, fn, fp, tn = (items[name].value for name in ("tp", "fn", "fp", "tn"))
    if not tp + fp:
        return Sentence(f"{at} {model} predicts no case positive")
    if not fn + tn:
        return Sentence(f"{at} {model} predicts every case positive")
    if not tp:
        number = f"{count(fp)} " if isinstance(fp, int) else ""  # the weight of alarms is not their number
        alarms = "its one alarm is" if fp == 1 and number else f"all its {number}alarms are"
        return Sentence(f"{at} {model} finds no positive; {alarms} wrong")
    found, right = (percent(items[name].value, 0) for name in ("recall", "precision"))
    if isinstance(tp, int) and tp + fp < _MANY_ALARMS:
        alarms = "its one alarm is" if tp + fp == 1 else f"{tp} of its {tp + fp} alarms {'is' if tp == 1 else 'are'}"
    else:
        alarms = f"{right} of its alarms are"
    return Sentence(f"{at} {model} finds {found} of the positives; {alarms} right")


def cost_sentences(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield the cheapest threshold of the cheapest model, or else what the best one costs at a given one.  O(n)."""
    if facts.question.costs is not None and STATISTIC_OF[LOWEST_COST] in facts.best.items:
        yield from _lowest(facts)
    elif "expected_cost" in facts.best.items:
        yield Sentence(
            f"At this threshold the average cost per case is {number(facts.best.items['expected_cost'].value)}"
        )


def _lowest(facts: ScoredModels) -> Iterator[Sentence]:
    model = min(facts.models, key=_least)
    least, (every, none) = _least(model), _of_all_alike(facts)
    flat = any(math.isclose(least, cost, rel_tol=_ROUNDING) for cost in (every, none))
    alike = {"if every case is flagged": every, "if no case is flagged": none}
    other = (max if flat else min)(alike, key=alike.__getitem__)  # where it is cheapest is said already, if flat
    others = {**_given_cost(model, f"for {model.shown} " if flat else ""), other: alike[other]}
    if flat:
        which = f"it is cheapest to flag {'no case' if none <= every else 'every case'}"
    else:
        what = f"{model.shown} is cheapest" if len(facts.models) == 1 else f"the cheapest model is {model.shown},"
        at = model.items[STATISTIC_OF[LOWEST_COST]].value
        which = f"{what} at threshold {threshold_text(at, facts.answer.scores.get(model.name))}"
    cost, *texts = map(number, [least, *others.values()])
    if cost in texts:  # with more digits it looks like no other
        cost, *texts = (f"{each:.6g}" for each in [least, *others.values()])
    against = listed([f"{text} {where}" for text, where in zip(texts, others, strict=True)])
    assert facts.question.costs
    false_positive, false_negative = map(given_number, facts.question.costs)
    costs = f"If a false positive costs {false_positive} and a false negative {false_negative}"
    yield Sentence(f"{costs}, {which}: {cost} a case, against {against}")
    if not flat:
        yield Sentence("This threshold was chosen on these same cases")


def _least(model: ScoredModel) -> float:
    return model.items["minimum_expected_cost"].value


def _of_all_alike(facts: ScoredModels) -> tuple[float, float]:
    """Return what a case costs if every case is predicted positive, and if none is."""
    costs, positives, negatives = facts.question.costs, *facts.amounts
    assert costs
    return (
        expected_cost(BinaryCounts(positives, 0, negatives, 0), costs),
        expected_cost(BinaryCounts(0, positives, 0, negatives), costs),
    )


def _given_cost(model: ScoredModel, whose: str) -> dict[str, float]:
    """Return what the decisions at the given threshold cost, by where that is; nothing if none is given."""
    if "expected_cost" not in model.items:
        return {}
    return {f"{whose}at {given_number(model.items['threshold'].value)}": model.items["expected_cost"].value}
