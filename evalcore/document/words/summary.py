"""A report in words: sentences that rules make from its numbers, and that claim no more than the numbers carry."""

import math
from collections.abc import Iterator, Mapping

from evalcore.document.shown import decisions_of, model_records
from evalcore.document.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, operating_point, threshold_text
from evalcore.document.words import classes
from evalcore.document.words import scored_models as texts
from evalcore.document.words.scored_models import ScoredModel, ScoredModels, scored_models
from evalcore.evaluation.catalogue import ENTRIES, entry_of
from evalcore.evaluation.measure_choice import OF_DECISIONS
from evalcore.evaluation.model import Answer, Statistic
from evalcore.evaluation.options import text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import Target, expected_cost, section_name
from evalcore.evaluation.wording import FEWEST, Sentence, count, listed, number, percent, shown_names
from evalcore.inference import Interval
from evalcore.kernels.thresholds import given_number

_POSSESSIVE = "'s "
"""What titles hold that begin with a name, such as Cohen's kappa."""
_CHANCE = 0.5
"""The ROC AUC of scores that say nothing of the label."""
_NO_CHANCE = "was not found to rank better or worse than chance"
_MANY_ALARMS = 20
"""Fewer are counted: 100% of two alarms would promise too much."""
_ROUNDING = 1e-12
"""Sums of weights differ by it with their order."""


def sentences(answer: Answer, question: Question) -> Iterator[Sentence]:
    """Yield a report in words, the answer first: by the first measure that was named, if some were.

    O(statistics); less for the answer alone.
    """
    if question.values:
        yield from classes.outcome_sentences(answer.sections, question)
        return
    asked = next((name for name in question.measures.names if model_records(answer.sections, name)), "roc_auc")
    if question.measures.names and asked != "roc_auc":
        yield from _by_measure(model_records(answer.sections, asked), asked, question)
    if question.measures.names and not {asked, *question.measures.names} & {"roc_auc"} and answer.complete:
        return  # without the statistics that further sentences read
    if not question.scores:
        yield from classes.class_sentences(answer.sections, question)
        return
    facts = scored_models(answer, question)
    if math.isnan(facts.best.area):
        yield _one_class(facts)
        return
    for rule in _RULES:
        yield from rule(facts)


def summary(answer: Answer, question: Question) -> str:
    """Return a report in words, as one text.  O(statistics)."""
    return " ".join(map(str, sentences(answer, question)))


def _by_measure(records: Mapping[str, Mapping[str, Statistic]], name: str, question: Question) -> Iterator[Sentence]:
    """Yield which model has the best value of a measure, without a claim on other cases."""
    shown = shown_names(records) if all(records) else {"": classes.subject(question)}
    items = {shown[model]: each[name] for model, each in records.items() if not math.isnan(each[name].value)}
    if not items:
        return
    entry = ENTRIES.get(name) or entry_of(name)
    title = (entry.full_title or entry.title).strip() if entry else name
    given = next(iter(records.values())).get("threshold") if name in OF_DECISIONS else None
    at = f" at threshold {given_number(given.value)}" if given else ""
    lower = entry is not None and entry.lower_is_better
    if len(items) > 1 and entry and math.isfinite(entry.target):  # neither the largest nor the lowest is the best
        listing = listed([f"{texts.value_text(item)} for {model}" for model, item in items.items()])
        yield Sentence(f"{title[0].upper()}{title[1:]}{at}: {listing}")
    elif len(items) > 1:
        yield Sentence(_of_values(items, f"{title}{at}", lower=lower))
    else:
        ((best, item),) = items.items()
        begin = "" if _POSSESSIVE in title else "The "
        yield Sentence(f"{begin}{title} of {best}{at} is {texts.value_text(item)}{texts.within(item)}")


def _of_values(items: Mapping[str, Statistic], title: str, *, lower: bool = False) -> str:
    """Compare values of these cases, without a claim on others; lower: whether the lowest is the best.

    items: by the names of models as they stand in sentences.
    """
    models = sorted(items, key=lambda each: items[each].value, reverse=not lower)  # equal ones as they were named
    best, *others = models
    said = {model: texts.value_text(item) for model, item in items.items()}
    (low, high), bounds = texts.exact_bounds(items[best]), [texts.exact_bounds(items[other]) for other in others]
    beaten = (least > high if lower else most < low for least, most in bounds)
    if not all(apart or ends == (low, low) == (low, high) for apart, ends in zip(beaten, bounds, strict=True)):
        which = f"{'lowest' if lower else 'largest'} {title}"
        return f"It is not certain which model has the {which}: {listed([f'{each} {said[each]}' for each in models])}"
    if items[best].value == items[others[0]].value:
        alike = [model for model in models if items[model].value == items[best].value]
        rest = [f"{said[model]} for {model}" for model in models[len(alike) :]]
        return f"{listed(alike)} have the same {title}, {said[best]}" + (f", against {listed(rest)}" if rest else "")
    against = listed([f"{said[other]} for {other}" for other in others])
    one, most = ("lower", "lowest") if lower else ("larger", "largest")
    which = f"{one} {title}" if len(others) == 1 else f"{most} {title} of {count(len(models))} models"
    return f"{best} has the {which}: {said[best]} against {against}"


def _one_class(facts: ScoredModels) -> Sentence:
    if facts.cases == 1:
        why = f"the only case is {'positive' if facts.positives else 'not positive'}"
    elif facts.positives:
        why = f"all {count(facts.cases)} cases are positive"
    else:
        why = f"none of the {count(facts.cases)} cases is positive"
    return Sentence(f"The ROC AUC is undefined, because {why} ({texts.positive_text(facts.question)})")


def _answer(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield the sentence that a page begins with."""
    rival = _tested_rival(facts)
    if len(facts.models) == 1:
        yield Sentence(_of_one(facts), (facts.of_cases,))
    elif rival and len(facts.models) == 2:
        yield _of_pair(facts, rival, facts.of_cases)
    elif rival:
        largest = [model.shown for model in facts.models if model.area == facts.best.area]
        have = "has" if len(largest) == 1 else "share"
        of_all = f"the largest ROC AUC of {count(len(facts.models))} models, {facts.best.area_text}"
        yield Sentence(f"{listed(largest)} {have} {of_all}", (facts.of_cases,))
        yield _of_pair(facts, rival)
    elif _alike(facts) and len(facts.models) == 2:
        yield Sentence(f"{_all_alike(facts)}: ROC AUC {facts.best.area_text}", (facts.of_cases,))
    else:
        areas = {model.shown: model.items["roc_auc"] for model in facts.models}
        yield Sentence(_of_values(areas, "ROC AUC"), (facts.of_cases,))


def _of_one(facts: ScoredModels) -> str:
    model, interval = facts.best, facts.best.interval
    if _is_tied(model, facts.answer):
        return f"{model.shown} gives every case the same score, so it cannot rank them: ROC AUC {model.area_text}"
    if model.bounds[0] == 1:
        return f"{model.shown} ranks every positive above every negative: ROC AUC {model.area_text}"
    area = f"{model.area_text}{texts.within(model.items['roc_auc'])}"
    if interval is None or not facts.enough:
        return f"{model.shown} has a ROC AUC of {area}"
    return f"{model.shown} {_against_chance(interval)}: ROC AUC {area}"


def _against_chance(interval: Interval) -> str:
    if interval.low > _CHANCE:
        return "ranks better than chance"
    return "ranks worse than chance" if interval.high < _CHANCE else _NO_CHANCE


def _of_pair(facts: ScoredModels, rival: ScoredModel, *more: str) -> Sentence:
    best, test = facts.best, rival.test
    assert test
    areas = f"ROC AUC {best.area_text} against {rival.area_text}"
    if best.area == rival.area:
        claim = f"{best.shown} and {rival.shown} have the same ROC AUC, {best.area_text}"
    elif test.apart:
        claim = f"{best.shown} ranks better than {rival.shown}: {areas}"
    else:
        claim = f"No significant difference was found between {best.shown} and {rival.shown}: {areas}"
    return Sentence(claim, (test.difference, *more))


def _alike(facts: ScoredModels) -> list[str]:
    """Return the models that order positives and negatives as the best does, such as transforms of its scores."""
    return [model.shown for model in facts.models if model.test and model.test.alike]


def _all_alike(facts: ScoredModels) -> str:
    return f"{listed([facts.best.shown, *_alike(facts)])} order positives and negatives identically"


def _tested_rival(facts: ScoredModels) -> ScoredModel | None:
    """Return the model with the next area that a test compares with the best one."""
    return next((model for model in facts.models if model.test and model.test.apart is not None), None)


def _others(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what tests say of the best model and all but its nearest rival."""
    rival = _tested_rival(facts)
    if _alike(facts) and len(facts.models) > 2:
        yield Sentence(_all_alike(facts))
    if rival is None:
        return
    rest = [model for model in facts.models[1:] if model is not rival and not (model.test and model.test.alike)]

    def those(verdict: bool | None) -> list[str]:
        return [model.with_area for model in rest if model.test and model.test.apart is verdict]

    best = facts.best.shown
    if beaten := those(True):
        also = "also " if rival.test and rival.test.apart else ""
        yield Sentence(f"{best} {also}ranks better than {listed(beaten)}")
    if unsure := those(False):
        them = f"{'any of ' * (len(unsure) > 1)}{listed(unsure)}"
        yield Sentence(f"No significant difference was found between {best} and {them}")
    if undefined := those(None):
        yield Sentence(f"No test of {best} against {listed(undefined)} is possible")
    if left := [model.with_area for model in rest if not model.test]:
        verb, how = "was" if len(left) == 1 else "were", text_option("compare", "best")
        yield Sentence(f"{listed(left)} {verb} not compared with {best}; {how} tests {best} against all others")


def _chance(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield which models rank no better than chance."""
    known = [(model, model.interval) for model in facts.models if facts.enough]
    worse = [model.with_area for model, interval in known if interval and interval.high < _CHANCE]
    if len(facts.models) == 1 and worse:
        yield Sentence("Perhaps high scores stand for the negative label")
    elif worse:
        verb = "ranks" if len(worse) == 1 else "rank"
        yield Sentence(f"{listed(worse)} {verb} worse than chance; perhaps high scores stand for the negative label")
    unsure = [model.with_area for model, interval in known if interval and interval.low <= _CHANCE <= interval.high]
    if len(facts.models) > 1 and unsure:
        yield Sentence(f"{listed(unsure)} {_NO_CHANCE if len(unsure) == 1 else _NO_CHANCE.replace('was', 'were')}")


def _tied(facts: ScoredModels) -> Iterator[Sentence]:
    tied = [model.shown for model in facts.models if _is_tied(model, facts.answer)]
    if tied and len(facts.models) > 1:
        give = "gives" if len(tied) == 1 else "give"
        yield Sentence(f"{listed(tied)} {give} every case the same score")


def _is_tied(model: ScoredModel, answer: Answer) -> bool:
    """Whether all scores are equal; they are looked at only where the area allows it."""
    column = answer.scores.get(model.name) if model.area == _CHANCE else None
    return column is not None and bool(column.min() == column.max())


def _best_f1(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield where the best model has its largest F1, if it ranks better than chance and that is its operating point."""
    items, interval = facts.best.items, facts.best.interval
    threshold = items.get(STATISTIC_OF[BEST_F1])
    if threshold is None or operating_point(items) != BEST_F1 or not math.isfinite(threshold.value):
        return
    if not facts.enough or (interval.low if interval else facts.best.area) <= _CHANCE:
        return
    at = threshold_text(threshold.value, facts.answer.scores.get(facts.best.name))
    what = f"The largest F1 of {facts.best.shown} is {number(items['maximum_f1'].value)}"
    yield Sentence(f"{what}, at threshold {at}, chosen on these same cases, so expect a lower F1 on new ones")


def _worst_group(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield the group with the lowest area among those with enough cases."""
    groups = next((each for each in facts.answer.sections if each.whole and each.name == facts.best.name), None)
    if groups is not None and groups.records:
        yield from classes.worst_group_sentences(groups, facts.question, "roc_auc", facts.best.shown)


def _decisions(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what the best model finds at the first threshold that was given, what it costs, and then at others.

    Of two models, what both find at thresholds that were given.
    """
    models = facts.models if len(facts.models) == 2 else facts.models[:1]
    yield from (_at_given(model, model.items) for model in models if "threshold" in model.items)
    yield from _costs(facts)
    for threshold in facts.question.more_thresholds:
        for model in models[:1] if isinstance(threshold, Target) else models:
            items = decisions_of(facts.answer.sections, model.name, section_name(threshold))
            if "threshold" in items:
                yield _of_target(facts, threshold, items) if isinstance(threshold, Target) else _at_given(model, items)
    if facts.question.targets:
        yield Sentence("Thresholds that reach a target were chosen on these same cases, so new cases may miss it")


def _at_given(model: ScoredModel, items: Mapping[str, Statistic]) -> Sentence:
    return _found(f"At threshold {given_number(items['threshold'].value)},", model.shown, items)


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
    tp, fp = items["tp"].value, items["fp"].value
    if not tp + fp:
        return Sentence(f"{at} {model} predicts no case positive")
    found, right = (percent(items[name].value, 0) for name in ("recall", "precision"))
    few = isinstance(tp, int) and tp + fp < _MANY_ALARMS  # the weight of alarms is not their number
    alarms = f"correct alarms: {tp} of {tp + fp}" if few else f"{right} of its alarms are right"
    return Sentence(f"{at} {model} finds {found} of the positives; {alarms}")


def _costs(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield the cheapest threshold of the cheapest model, or else what the best one costs at a given one.  O(n)."""
    costs = facts.question.costs
    if costs is None or STATISTIC_OF[LOWEST_COST] not in facts.best.items:
        if given := facts.best.items.get("expected_cost"):
            yield Sentence(f"At this threshold the average cost per case is {number(given.value)}")
        return
    model = min(facts.models, key=lambda each: each.items["minimum_expected_cost"].value)
    least, prevalence = model.items["minimum_expected_cost"].value, facts.best.items["prevalence"].value
    counts = facts.positives, facts.cases - facts.positives
    positives, negatives = (prevalence, 1 - prevalence) if facts.question.weighting.asked else counts
    every = expected_cost((positives, 0, negatives, 0), costs)
    none = expected_cost((0, positives, 0, negatives), costs)
    flat = any(math.isclose(least, cost, rel_tol=_ROUNDING) for cost in (every, none))
    alike = {"if every case is flagged": every, "if no case is flagged": none}
    other = (max if flat else min)(alike, key=alike.__getitem__)  # where it is cheapest is said already, if flat
    others = {other: alike[other]}
    if given := model.items.get("expected_cost"):
        place = f"{f'for {model.shown} ' if flat else ''}at {given_number(model.items['threshold'].value)}"
        others = {place: given.value, **others}
    if flat:
        which = f"it is cheapest to flag {'no case' if none <= every else 'every case'}"
    else:
        what = f"{model.shown} is cheapest" if len(facts.models) == 1 else f"the cheapest model is {model.shown},"
        at = model.items[STATISTIC_OF[LOWEST_COST]].value
        which = f"{what} at threshold {threshold_text(at, facts.answer.scores.get(model.name))}"
    cost, *written = map(number, [least, *others.values()])
    if cost in written:  # with more digits it looks like no other
        cost, *written = (f"{each:.6g}" for each in [least, *others.values()])
    against = listed([f"{text} {where}" for text, where in zip(written, others, strict=True)])
    false_positive, false_negative = map(given_number, costs)
    wrong = f"If a false positive costs {false_positive} and a false negative {false_negative}"
    yield Sentence(f"{wrong}, {which}: {cost} per case, against {against}")
    if not flat:
        yield Sentence("The cheapest threshold was chosen on these same cases, so expect a higher cost on new ones")


def _caveats(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what a reader must know: few cases, adjusted p-values, what intervals assume, kinds of bounds."""
    if not facts.enough:
        which = "positive" if 2 * facts.positives <= facts.cases else "negative"
        models = "the model" if len(facts.models) == 1 else "models"
        yield Sentence(f"Fewer than {FEWEST} cases are {which}: too few to predict how {models} will rank new cases")
    if facts.tested and facts.answer.adjusted > 1:
        yield Sentence(f"P-values are adjusted for {count(facts.answer.adjusted)} comparisons by Holm's method")
    if any(model.bounds[0] < model.bounds[1] for model in facts.models):
        yield Sentence("The bounds are certain to contain the exact ROC AUCs")
    if any(model.interval for model in facts.models):
        yield classes.independent("Intervals and tests" if facts.tested else "Intervals", facts.question)


_RULES = (_answer, _others, _chance, _tied, _decisions, _best_f1, _worst_group, _caveats)
"""Each yields no sentence where it has nothing to say."""
