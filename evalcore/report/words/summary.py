"""A report in words: sentences that rules make from its numbers, and that claim no more than the numbers carry."""

import math
from collections.abc import Iterator, Sequence

from evalcore.evaluation.model import Answer, Statistic
from evalcore.evaluation.options import text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import FEWEST, Sentence, count, enough, group_text, interval_text, listed, number
from evalcore.inference import Interval
from evalcore.inference.intervals import bonferroni_level, interval_at
from evalcore.report.tables import item_of
from evalcore.report.thresholds import BEST_F1, STATISTIC_OF, operating_point, threshold_text
from evalcore.report.words import classes
from evalcore.report.words.classes import GroupMeasure, MeasuredGroup
from evalcore.report.words.decisions import cost_sentences, decision_sentences, further_decision_sentences
from evalcore.report.words.scored_models import AreaTest, ScoredModel, ScoredModels, positive_text, scored_models

_CHANCE = 0.5
"""The ROC AUC of scores that say nothing of the label."""
_NO_CHANCE = "was not found to rank better or worse than chance"


def sentences(answer: Answer, question: Question) -> Iterator[Sentence]:
    """Yield a report in words, the answer first.  O(statistics); less for the answer alone."""
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


def headline(answer: Answer, question: Question) -> str:
    """Return the answer of a report in one sentence; empty where there is none, or measures are named.  O(models)."""
    if question.measures.names:
        return ""
    first = next(sentences(answer, question), None)
    return f"{first.claim}." if first else ""


def _one_class(facts: ScoredModels) -> Sentence:
    what = positive_text(facts.question)
    if facts.cases == 1:
        which = "positive" if facts.positives else "not positive"
        return Sentence(f"No ROC AUC is defined, because the only case is {which} ({what})")
    if facts.positives:
        return Sentence(f"No ROC AUC is defined, because all {count(facts.cases)} cases are positive ({what})")
    return Sentence(f"No ROC AUC is defined, because none of the {count(facts.cases)} cases is positive ({what})")


def _answer(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield the sentence that a page begins with."""
    rival = _tested_rival(facts)
    if len(facts.models) == 1:
        yield Sentence(_of_one(facts), (facts.of_cases,))
    elif rival and len(facts.models) == 2:
        yield _of_pair(facts.best, rival, facts.tests[rival.name], facts.of_cases)
    elif rival:
        yield Sentence(_of_many(facts), (facts.of_cases,))
        yield _of_pair(facts.best, rival, facts.tests[rival.name])
    elif _alike(facts) and len(facts.models) == 2:
        yield Sentence(f"{_all_alike(facts)}: ROC AUC {facts.best.area_text}", (facts.of_cases,))
    elif _certain(facts):
        yield Sentence(_of_values(facts), (facts.of_cases,))
    else:
        areas = listed([f"{model.shown} {model.area_text}" for model in facts.models])
        yield Sentence(f"It is not certain which model has the largest ROC AUC: {areas}", (facts.of_cases,))


def _of_one(facts: ScoredModels) -> str:
    model, interval = facts.best, facts.best.interval
    if _is_tied(model, facts.answer):
        return f"{model.shown} gives every case the same score, so it ranks nothing"
    if model.bounds[0] == 1:
        return f"{model.shown} ranks every positive above every negative: ROC AUC {model.area_text}"
    if interval is None:
        return f"{model.shown} has a ROC AUC of {model.area_text}"
    within = interval_text(interval.level, number(interval.low), number(interval.high))
    if not facts.enough:
        return f"{model.shown} has a ROC AUC of {number(model.area)} ({within})"
    return f"{model.shown} {_against_chance(interval)}: ROC AUC {number(model.area)} ({within})"


def _against_chance(interval: Interval) -> str:
    if interval.low > _CHANCE:
        return "ranks better than chance"
    return "ranks worse than chance" if interval.high < _CHANCE else _NO_CHANCE


def _of_pair(best: ScoredModel, rival: ScoredModel, test: AreaTest, *more: str) -> Sentence:
    areas = f"ROC AUC {best.area_text} against {rival.area_text}"
    if best.area == rival.area:
        claim = f"{best.shown} and {rival.shown} have the same ROC AUC, {best.area_text}"
    elif test.apart:
        claim = f"{best.shown} ranks better than {rival.shown}: {areas}"
    else:
        claim = f"No significant difference was found between {best.shown} and {rival.shown}: {areas}"
    return Sentence(claim, (test.difference, *more))


def _of_many(facts: ScoredModels) -> str:
    """Name the models with the largest area of three or more."""
    largest = [model.shown for model in facts.models if model.area == facts.best.area]
    verb, many = "has" if len(largest) == 1 else "share", count(len(facts.models))
    return f"{listed(largest)} {verb} the largest ROC AUC of {many} models, {facts.best.area_text}"


def _alike(facts: ScoredModels) -> list[str]:
    """Return the models that order positives and negatives as the best does, such as transforms of its scores."""
    return [model.shown for model in facts.models[1:] if model.name in facts.tests and facts.tests[model.name].alike]


def _all_alike(facts: ScoredModels) -> str:
    return f"{listed([facts.best.shown, *_alike(facts)])} rank every positive against every negative alike"


def _of_values(facts: ScoredModels) -> str:
    """Compare areas of these cases, without a claim on others."""
    best, *others = facts.models
    if best.area == others[0].area:
        alike = listed([model.shown for model in facts.models if model.area == best.area])
        rest = [f"{model.area_text} for {model.shown}" for model in others if model.area < best.area]
        return f"{alike} have the same ROC AUC, {best.area_text}" + (f", against {listed(rest)}" if rest else "")
    against = listed([f"{model.area_text} for {model.shown}" for model in others])
    which = "larger ROC AUC" if len(others) == 1 else f"largest ROC AUC of {count(len(facts.models))} models"
    return f"{best.shown} has the {which}: {best.area_text} against {against}"


def _tested_rival(facts: ScoredModels) -> ScoredModel | None:
    """Return the model with the next area that a test compares with the best one."""
    tested = (model for model in facts.models[1:] if model.name in facts.tests)
    return next((model for model in tested if facts.tests[model.name].apart is not None), None)


def _certain(facts: ScoredModels) -> bool:
    """Whether bounds leave no doubt which area is the largest."""
    low, high = facts.best.bounds
    return all(model.bounds[1] < low or model.bounds == (low, low) == (low, high) for model in facts.models[1:])


def _others(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what tests say of the best model and all but its nearest rival."""
    rival = _tested_rival(facts)
    if _alike(facts) and len(facts.models) > 2:
        yield Sentence(_all_alike(facts))
    if rival is None:
        return
    rest = [model for model in facts.models[1:] if model.name != rival.name]
    rest = [model for model in rest if model.shown not in _alike(facts)]
    verdicts = {model.name: test.apart for model in rest if (test := facts.tests.get(model.name))}

    def those(verdict: bool | None) -> list[str]:
        return [model.with_area for model in rest if model.name in verdicts and verdicts[model.name] is verdict]

    best = facts.best.shown
    if beaten := those(True):
        also = "also " if facts.tests[rival.name].apart else ""
        yield Sentence(f"{best} {also}ranks better than {listed(beaten)}")
    if unsure := those(False):
        them = f"{'any of ' * (len(unsure) > 1)}{listed(unsure)}"
        yield Sentence(f"No significant difference was found between {best} and {them}")
    if undefined := those(None):
        yield Sentence(f"No test of {best} against {listed(undefined)} is defined")
    if left := [model.with_area for model in rest if model.name not in verdicts]:
        verb, how = "was" if len(left) == 1 else "were", text_option("compare", "best")
        yield Sentence(f"{listed(left)} {verb} not compared with {best}; {how} tests {best} against all others")


def _chance(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield which models rank no better than chance."""
    known = [(model, model.interval) for model in facts.models if facts.enough]
    worse = [model.with_area for model, interval in known if interval and interval.high < _CHANCE]
    if len(facts.models) == 1 and worse:
        yield Sentence("Perhaps high scores mean the negative label")
    elif worse:
        verb = "ranks" if len(worse) == 1 else "rank"
        yield Sentence(f"{listed(worse)} {verb} worse than chance: perhaps high scores mean the negative label")
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
    yield Sentence(
        f"The largest F1 of {facts.best.shown} is {number(items['maximum_f1'].value)}, at threshold {at}, which was "
        "chosen on these same cases"
    )


def _worst_group(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield the group with the lowest area among those with enough cases."""
    groups = next((each for each in facts.answer.sections if each.whole and each.name == facts.best.name), None)
    if groups is None or not groups.records:
        return
    read = groups.columns.only(["cases", "positives", "roc_auc"]).in_turn()
    records = list(read)[:-1]  # without the total
    named = [(name, items) for name, items in records if _is_large(items)]
    models = [ScoredModel(name, name, {item.name: item for item in items}) for name, items in named]
    large = sorted(models, key=lambda group: group.area)
    if not large:
        yield Sentence(
            f"No group has at least {FEWEST} positives and {FEWEST} negatives, so none is named as the worst"
        )
    worst = [group for group in large if group.area == large[0].area]
    others = [group.bounds[0] for group in large[len(worst) :]]
    alike = len(worst) == 1 or all(group.bounds[0] == group.bounds[1] for group in worst)
    if not others or not alike or worst[0].bounds[1] > min(others):
        return
    level, certified = facts.question.level, worst[0].items["roc_auc"].interval is not None
    measure = GroupMeasure(
        "ROC AUC", facts.best.shown, facts.best.area, facts.best.area_text, "positives or negatives",
        testable=not certified,
    )  # fmt: skip
    found = [_measured(group, facts.question, len(large)) for group in large]
    yield from classes.worst_group_sentences(found, measure, level, len(records) - len(large))


def _measured(group: ScoredModel, question: Question, groups: int) -> MeasuredGroup:
    interval = group.interval
    shown = group_text(group.name, question.by)
    if interval is None:
        return MeasuredGroup(shown, group.area, group.area_text, "", math.inf)
    within = interval_text(interval.level, number(interval.low), number(interval.high))
    adjusted = interval_at(interval, bonferroni_level(interval.level, groups))
    return MeasuredGroup(shown, group.area, group.area_text, within, adjusted.high)


def _is_large(group: Sequence[Statistic]) -> bool:
    cases, positives, area = (item_of(group, name).value for name in ("cases", "positives", "roc_auc"))
    return not math.isnan(area) and enough(int(positives), int(cases - positives))


def _few_cases(facts: ScoredModels) -> Iterator[Sentence]:
    if not facts.enough:
        which = "positive" if 2 * facts.positives <= facts.cases else "negative"
        yield Sentence(f"Fewer than {FEWEST} cases are {which}: too few to tell how models rank other cases")


def _adjusted(facts: ScoredModels) -> Iterator[Sentence]:
    if facts.tests and facts.answer.adjusted > 1:
        yield Sentence(f"P-values are adjusted for {count(facts.answer.adjusted)} comparisons by Holm's method")


def _independent(facts: ScoredModels) -> Iterator[Sentence]:
    """Yield what the intervals assume, or what kind of bounds they are."""
    if any(model.bounds[0] < model.bounds[1] for model in facts.models):
        yield Sentence("The exact areas are certain to lie within these bounds")
    if any(model.interval for model in facts.models):
        what = "Intervals and tests" if facts.tests else "Intervals"
        yield classes.independent(what, facts.question)


_RULES = (
    _answer,
    _others,
    _chance,
    _tied,
    decision_sentences,
    cost_sentences,
    further_decision_sentences,
    _best_f1,
    _worst_group,
    _few_cases,
    _adjusted,
    _independent,
)
"""Each yields no sentence where it has nothing to say."""
