"""Reports on classes and on values in words, and the group that does worst where chance cannot explain it."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from evalcore.document.shown import ShownGroups, by_titles
from evalcore.document.tables import WEIGHT, class_sections, item_of
from evalcore.document.words import scored_models as texts
from evalcore.evaluation.model import VALUES, ColumnRecords, Section, Statistic
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import FEWEST, Sentence, count, group_text, listed, number, percent, shown_names
from evalcore.inference.intervals import interval_at, proportion_intervals
from evalcore.typing import BoolArray

_MOST_MEANS = 3
"""Columns whose means one sentence has."""


class _Group(NamedTuple):
    """A group with enough cases, and its measure."""

    shown: str
    """As it stands in sentences."""
    item: Statistic
    exact: tuple[float, float]
    """Bounds between which the measure of these cases lies, negative where less is better."""
    best: float
    """The better bound at a level that is adjusted for the number of groups, so too; infinite where none is defined."""


_READ = "cases", "positives", WEIGHT, "effective_cases"
"""What is read of a group beside its measure, where it has it."""
_WORSE = {1: ("lower", "lowest"), -1: ("higher", "highest")}


def worst_group_sentences(groups: Section, question: Question, measure: str, model: str) -> Iterator[Sentence]:
    """Yield which group is worse than all cases, by intervals that are adjusted for picking the worst.  O(groups).

    measure: "roc_auc", "accuracy" or "mean"; model: as it stands in sentences, or the column of the values.  Without
    intervals nothing is claimed beyond these cases, nor where all groups with enough cases have one value, or bounds
    leave the worst uncertain.
    """
    columns, sign = groups.columns.only([*_READ, measure]), -1 if groups.lower_is_better else 1
    *records, (_, every) = columns.in_turn()
    large = dict(compress(records, have_enough_cases(columns, measure)))
    of_scores, of_values = measure == "roc_auc", measure == "mean"
    title = "ROC AUC" if of_scores else f"{question.repeats or 'mean'} of {model}" if of_values else measure
    few, (worse, worst) = "positives or negatives" if of_scores else "cases", _WORSE[sign]
    text: Callable[[float], str] = percent if measure == "accuracy" else number
    if of_scores and not large:
        least = f"at least {FEWEST} positives and {FEWEST} negatives"
        yield Sentence(f"No group has {least}, so none is named as the worst")
    by, measured = by_titles(question), list[_Group]()
    for name, items in large.items():
        item, bounds = item_of(items, measure), _bounds(items, measure, len(large), question)
        low, high = sorted(sign * each for each in texts.exact_bounds(item))
        measured.append(_Group(group_text(name, by), item, (low, high), max(sign * each for each in bounds)))
    lowest = _of_worst_value(measured, sign)
    others = [group.exact[0] for group in measured if group not in lowest]
    alike = len(lowest) == 1 or all(low == high for low, high in (group.exact for group in lowest))
    if not others or not alike or lowest[0].exact[1] > min(others):
        return
    total = item_of(every, measure)
    among, against = f"{count(len(large))} groups", f"{texts.value_text(total, text)} for all cases"
    named = f"{texts.value_text(lowest[0].item, text)}, of {listed([group.shown for group in lowest])}"
    adjusted = f"adjustment for picking the worst of {count(len(large))}"
    if question.level is None:
        shows = "" if lowest[0].item.interval else f"; {option('ci', '0.95')} shows whether that could be chance"
        yield Sentence(f"The {worst} {title} of {among} is {named}, against {against}{shows}")
    elif below := [group for group in measured if group.best < sign * total.value]:
        of_worst = _of_worst_value(below, sign)
        certain = of_worst[0].item.value == lowest[0].item.value
        which = among if certain else "the groups that are clearly worse than all cases"
        first = of_worst[0].item
        value = f"{texts.value_text(first, text)}{texts.within(first, text) if len(of_worst) == 1 else ''}"
        does, of = (f"the {title} is worst for", "") if of_values else (f"{model} does worst on", f"{title} ")
        claim = f"Of {which}, {does} {listed([group.shown for group in of_worst])}: {of}{value}"
        yield Sentence(claim, [f"against {against}", f"{worse} even after {adjusted}"])
        if not certain:
            few_cases = f"but on too few cases to be sure that it is {worse} than the {title} of all cases"
            yield Sentence(f"The {worst} {title} of all {among} is {named}, {few_cases}")
    else:
        than_all = f"a {worse} {title} than all cases ({texts.value_text(total, text)})"
        yield Sentence(f"None of {among} was found to have {than_all} after {adjusted}; the {worst} is {named}")
    if left_out := len(records) - len(large):
        noun = "group" if left_out == 1 else "groups"
        yield Sentence(f"Not counted: {count(left_out)} {noun} with fewer than {FEWEST} {few}")


def have_enough_cases(groups: ColumnRecords, measure: str) -> BoolArray:
    """Return which groups have a value, and enough cases for tests, (r,).  O(r)."""
    fewest = groups.column("cases")
    if "positives" in groups.statistics:
        positives = groups.column("positives")
        fewest = np.minimum(positives, fewest - positives)
    return np.asarray((fewest >= FEWEST) & ~np.isnan(groups.column(measure)))


def without_small(groups: int, *, of_classes: bool) -> str:
    """Return the end of a title that says how many groups are too small to be among the worst; empty for none.  O(1).

    of_classes: whether positives and negatives are counted, each by themselves.

    >>> without_small(1, of_classes=True), without_small(0, of_classes=False)
    (' (left out: 1 with fewer than 30 positives or negatives)', '')
    """
    few = "positives or negatives" if of_classes else "cases"
    return f" (left out: {count(groups)} with fewer than {FEWEST} {few})" if groups else ""


def groups_apart(groups: ShownGroups, question: Question) -> frozenset[str]:
    """Return the groups that differ from all cases, or from the rest if they are compared with it, after adjustment.

    Of the first model; those with enough cases, by intervals at a level that is adjusted for their number, or by
    adjusted p-values.  O(groups).
    """
    if question.level is None:
        return frozenset()
    if groups.rests:
        tested = groups.records(groups.rests[0], "p_value_holm")
        return frozenset(name for name, (p,) in tested.items() if p.value < 1 - question.level)
    columns = groups.models[0].columns.only([*_READ, groups.measure])
    *records, (_, every) = columns.in_turn()
    large = dict(compress(records, have_enough_cases(columns, groups.measure)))
    shown, total = large.keys() & {*groups.names}, item_of(every, groups.measure).value  # adjusted for all groups
    bounds = {name: _bounds(large[name], groups.measure, len(large), question) for name in shown}
    return frozenset(name for name, (low, high) in bounds.items() if not low <= total <= high)


def _of_worst_value(groups: Sequence[_Group], sign: int) -> list[_Group]:
    worst = min((sign * group.item.value for group in groups), default=math.nan)
    return [group for group in groups if sign * group.item.value == worst]


def _bounds(items: Sequence[Statistic], measure: str, groups: int, question: Question) -> tuple[float, float]:
    """Return the bounds of a group at a level that is adjusted for the number of groups; infinite without.  O(1)."""
    interval = texts.confidence_interval(item_of(items, measure))
    if interval is None:
        return -math.inf, math.inf
    adjusted = 1 - (1 - interval.level) / groups  # Bonferroni's
    if measure != "accuracy" or question.cluster is not None:
        found = interval_at(interval, adjusted)
        return found.low, found.high
    values = {item.name: item.value for item in items}
    trials = np.array([values.get("effective_cases", values["cases"])] * 2, np.float64)
    # Wilson's bounds hold too seldom at high levels
    right = np.clip(values["accuracy"] * trials + np.array([-1, 1]), 0, trials)
    outer = proportion_intervals(right, trials, adjusted)
    return float(outer.low[0]), float(outer.high[1])


def class_sentences(sections: Sequence[Section], question: Question) -> Iterator[Sentence]:
    """Yield a report on classes in words, the answer first.  O(groups); less for the answer alone."""
    found = class_sections(sections)
    if found is None and not (sections and sections[0].whole and question.by):
        return
    overall = sections[0].last if found is None else found.overall.records[""]
    items = {item.name: item for item in overall}
    yield _answer(items, question)
    yield from _chance(items)
    if found is None:
        yield from worst_group_sentences(sections[0], question, "accuracy", subject(question))
    if texts.confidence_interval(items["accuracy"]):
        yield independent("Intervals", question)


def _answer(items: Mapping[str, Statistic], question: Question) -> Sentence:
    accuracy, cases = items["accuracy"], int(items["cases"].value)
    several = texts.cases_text(items)
    who = subject(question)
    who = who if question.predicted else f"{who[0].upper()}{who[1:]}"
    if accuracy.value == 1:
        claim = f"{who} is right for {'the only case' if cases == 1 else f'all {several}'}"
    else:
        claim = f"{who} is right for {percent(accuracy.value)} of {several}{texts.within(accuracy, percent)}"
    measures = (("Cohen's kappa", items["kappa"]), ("macro F1", items["macro_f1"]))
    defined = [f"{title} {number(item.value)}" for title, item in measures if not math.isnan(item.value)]
    classes, label = int(items["classes"].value), texts.column_text(question.label)
    return Sentence(claim, [f"{count(classes)} {'class' if classes == 1 else 'classes'} in column {label}", *defined])


def subject(question: Question) -> str:
    """Return what is right or wrong, as it stands inside a sentence.  O(1)."""
    if not question.predicted:
        return "the class with the highest score"
    return texts.column_text(question.predicted[0])


def _chance(items: Mapping[str, Statistic]) -> Iterator[Sentence]:
    """Yield that as many cases could be right by chance, where the interval of kappa holds 0."""
    interval = items["kappa"].interval
    if interval and interval.low <= 0 <= interval.high:
        yield Sentence(f"This agreement could be due to chance: kappa may be 0{texts.within(items['kappa'])}")


def independent(what: str, question: Question) -> Sentence:
    """Return what intervals, and perhaps tests, assume.  O(1)."""
    if question.cluster is None:
        return Sentence(f"{what} assume that cases are independent; use {option('cluster', 'COL')} if they are not")
    column = texts.column_text(question.cluster)
    return Sentence(f"{what} treat the clusters of {column}, not the cases, as independent")


def outcome_sentences(sections: Sequence[Section], question: Question) -> Iterator[Sentence]:
    """Yield a report on values in words, the means first.  O(groups)."""
    names, first = shown_names(question.values), sections[0]
    groups = [each for each in sections if each.whole and each.whole.name == VALUES]
    records = {each.name: each.last for each in groups} or dict(first.records)
    means = {name: item_of(items, "mean") for name, items in records.items()}
    parts = [
        f"of {names[name]}{' is' * (not place)} {number(item.value)}{texts.within(item)}"
        for place, (name, item) in enumerate(means.items())
    ]
    more = [f"{len(parts) - _MOST_MEANS:,} more are in the table"] if parts[_MOST_MEANS:] else []
    cases = {texts.cases_text({item.name: item for item in items}): None for items in records.values()}
    yield Sentence(
        f"The {question.repeats or 'mean'} {', '.join(parts[:_MOST_MEANS])}",
        [*more, *(f"on {each}" for each in cases if len(cases) == 1)],
    )
    for section in groups:
        yield from worst_group_sentences(section, question, "mean", names[section.name])
    if any(map(texts.confidence_interval, means.values())):
        yield independent("Intervals", question)
