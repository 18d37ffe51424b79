"""The sentences on what wrong decisions cost: the cheapest model and threshold, and what other decisions cost."""

import math
from collections.abc import Iterator, Sequence

from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import given_number
from evalcore.report.costs import expected_cost
from evalcore.report.formats import number
from evalcore.report.threshold_choice import LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.report.wording import Sentence, listed
from evalcore.report.words.scored_models import ScoredModel, ScoredModels

_ROUNDING = 1e-12
"""Sums of weights differ by it with their order."""


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
    others = {**_at_given(model, f"for {model.shown} " if flat else ""), other: alike[other]}
    if flat:
        which = f"it is cheapest to flag {'no case' if none <= every else 'every case'}"
    else:
        what = f"{model.shown} is cheapest" if len(facts.models) == 1 else f"the cheapest model is {model.shown},"
        at = model.items[STATISTIC_OF[LOWEST_COST]].value
        which = f"{what} at threshold {threshold_text(at, facts.answer.scores.get(model.name))}"
    cost, *texts = _distinct([least, *others.values()])
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


def _at_given(model: ScoredModel, whose: str) -> dict[str, float]:
    """Return what the decisions at the given threshold cost, by where that is; nothing if none is given."""
    if "expected_cost" not in model.items:
        return {}
    return {f"{whose}at {given_number(model.items['threshold'].value)}": model.items["expected_cost"].value}


def _distinct(costs: Sequence[float]) -> list[str]:
    """Return costs as text, with more digits where the first would look like another."""
    texts = list(map(number, costs))
    return [f"{cost:.6g}" for cost in costs] if texts[0] in texts[1:] else texts
