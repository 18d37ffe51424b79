"""Reports on classes in words, and the group that does worst, of scores too: only where chance cannot explain it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.model import CountRecords, Section, Statistic
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import (
    FEWEST,
    Sentence,
    count,
    group_text,
    interval_text,
    listed,
    number,
    percent,
    rows_text,
    shown_names,
    shown_value,
    times,
)
from evalcore.inference import Interval, proportion_interval
from evalcore.inference.intervals import bonferroni_level, interval_at, proportion_intervals
from evalcore.report.tables import WEIGHT, class_sections, item_of, most_confused


class MeasuredGroup(NamedTuple):
    """A group with enough cases, and its measure."""

    shown: str
    """As it stands in sentences."""
    value: float
    text: str
    """The value as it is shown."""
    within: str
    """The interval of the group alone as it is shown; empty if it is not defined."""
    upper: float
    """The upper bound at a level that is adjusted for the number of groups; infinite where none is defined."""


class GroupMeasure(NamedTuple):
    """What is measured of groups, and of all cases."""

    title: str
    model: str
    """As it stands in sentences."""
    total: float
    total_text: str
    few: str
    """What groups that are left out have few of."""
    testable: bool = True
    """Whether the report could have intervals."""


def worst_group_sentences(
    groups: Sequence[MeasuredGroup], measure: GroupMeasure, level: float | None, left_out: int
) -> Iterator[Sentence]:
    """Yield which group is below all cases, by intervals that are adjusted for picking the worst.  O(groups).

    groups: not all of one value; level: of the intervals, without which nothing is claimed beyond these cases;
    left_out: number of groups with too few cases.
    """
    number, total = f"{count(len(groups))} groups", measure.total_text
    adjusted = f"adjustment for picking the worst of {count(len(groups))}"
    if level is None:
        shows = f"; {option('ci', '0.95')} shows whether that could be chance" if measure.testable else ""
        yield Sentence(
            f"The lowest {measure.title} of {number} is {_lowest(groups)}, against {total} for all cases{shows}"
        )
    elif below := [group for group in groups if group.upper < measure.total]:
        worst = _of_lowest_value(below)
        certain = worst[0].value == min(group.value for group in groups)
        among = f"Of {number}" if certain else "Of the groups that are certainly worse than all cases"
        yield Sentence(
            f"{among}, {measure.model} does worst on {listed([group.shown for group in worst])}: {measure.title} "
            f"{worst[0].text}{f' ({worst[0].within})' if worst[0].within and len(worst) == 1 else ''}",
            [f"against {total} for all cases", f"a difference that remains after {adjusted}"],
        )
        if not certain:
            yield Sentence(
                f"The lowest {measure.title} of all {number} is {_lowest(groups)}, on too few cases to be sure that it"
                " is lower than that of all cases"
            )
    else:
        yield Sentence(
            f"None of {number} was found to have a lower {measure.title} than all cases ({total}) after {adjusted}; "
            f"the lowest is {_lowest(groups)}"
        )
    if left_out:
        noun = "group" if left_out == 1 else "groups"
        yield Sentence(f"That leaves out {count(left_out)} {noun} with fewer than {FEWEST} {measure.few}")


def _of_lowest_value(groups: Sequence[MeasuredGroup]) -> list[MeasuredGroup]:
    lowest = min(group.value for group in groups)
    return [group for group in groups if group.value == lowest]


def _lowest(groups: Sequence[MeasuredGroup]) -> str:
    """Name the lowest value, and the groups that have it."""
    found = _of_lowest_value(groups)
    return f"{found[0].text}, of {listed([group.shown for group in found])}"


def class_sentences(sections: Sequence[Section], question: Question) -> Iterator[Sentence]:
    """Yield a report on classes in words, the answer first.  O(k² + groups); less for the answer alone."""
    found = class_sections(sections)
    if found is not None:
        overall: Sequence[Statistic] = found.overall.records[""]
        measured = found.classes.columns.only(["cases", "f1"]).in_turn()
        more = chain(_most_frequent_error(found.matrix), _worst_class(dict(measured)))
    elif sections and sections[0].whole and question.by:
        *groups, (_, overall) = sections[0].columns.in_turn()
        more = chain(_worst_group(dict(groups), overall, question))
    else:
        return
    items = {item.name: item for item in overall}
    yield _answer(items, question)
    yield from chain(_chance(items), more)
    if _within(items["accuracy"].interval):
        yield independent("Intervals", question)


def _answer(items: Mapping[str, Statistic], question: Question) -> Sentence:
    accuracy, cases = items["accuracy"], int(items["cases"].value)
    several = rows_text(cases, items[WEIGHT].value if WEIGHT in items else None)
    subject = _subject(question)
    subject = subject if question.predicted else f"{subject[0].upper()}{subject[1:]}"
    if accuracy.value == 1:
        claim = f"{subject} is right for {'the only case' if cases == 1 else f'all {several}'}"
    else:
        claim = f"{subject} is right for {percent(accuracy.value)} of {several}{_within(accuracy.interval)}"
    measures = (("Cohen's kappa", items["kappa"]), ("macro F1", items["macro_f1"]))
    defined = [f"{title} {number(item.value)}" for title, item in measures if not math.isnan(item.value)]
    classes, label = int(items["classes"].value), shown_names([question.label])[question.label]
    return Sentence(claim, [f"{count(classes)} {'class' if classes == 1 else 'classes'} in column {label}", *defined])


def _subject(question: Question) -> str:
    """Return what is right or wrong, as it stands inside a sentence."""
    if not question.predicted:
        return "the class with the highest score"
    return shown_names(question.predicted)[question.predicted[0]]


def _chance(items: Mapping[str, Statistic]) -> Iterator[Sentence]:
    """Yield that as many cases could be right by chance, where the interval of kappa holds 0."""
    interval = items["kappa"].interval
    if interval and interval.low <= 0 <= interval.high:
        within = interval_text(interval.level, number(interval.low), number(interval.high))
        yield Sentence(f"Such agreement could be chance: kappa could be 0 ({within})")


def _within(interval: Interval | None) -> str:
    if interval is None or math.isnan(interval.low):
        return ""
    return f" ({interval_text(interval.level, percent(interval.low), percent(interval.high))})"


def _most_frequent_error(matrix: CountRecords) -> Iterator[Sentence]:
    """Yield which class is most often mistaken for which other."""
    errors = most_confused(matrix, 2)
    if not errors:
        return
    label, other, cases, _ = errors[0]
    alone = len(errors) == 1 or cases > errors[1].cases
    which = "The most frequent error is" if alone else "One of the most frequent errors is"
    error = f"{shown_value(label)} mistaken for {shown_value(other)}"
    if matrix.weighted:
        part = percent(cases / float(matrix.counts.sum()))
        yield Sentence(f"By weight, {which[0].lower()}{which[1:]} {error}, with {part} of the weight of all cases")
    else:
        yield Sentence(f"{which} {error}, {times(cases)}")


def _worst_class(records: Mapping[str, Sequence[Statistic]]) -> Iterator[Sentence]:
    """Yield the class with the lowest F1 among those with enough cases, if there are three or more."""
    large = {name: item_of(items, "f1").value for name, items in _large(records).items()}
    if len(large) < 3 or any(map(math.isnan, large.values())):
        return
    lowest = min(large.values())
    worst = [shown_value(name) for name, value in large.items() if value == lowest]
    if len(worst) < len(large):
        verb, f1 = "has" if len(worst) == 1 else "have", number(lowest)
        yield Sentence(f"Of the classes with at least {FEWEST} cases, {listed(worst)} {verb} the lowest F1: {f1}")


def _worst_group(
    groups: Mapping[str, Sequence[Statistic]], overall: Sequence[Statistic], question: Question
) -> Iterator[Sentence]:
    """Yield the group with the lowest accuracy among those with enough cases."""
    large = _large(groups)
    found = [_measured(group_text(name, question.by), items, len(large), question) for name, items in large.items()]
    if len({group.value for group in found}) < 2:
        return
    total = item_of(overall, "accuracy").value
    measure = GroupMeasure("accuracy", _subject(question), total, percent(total), "cases")
    yield from worst_group_sentences(found, measure, question.level, len(groups) - len(large))


def _measured(shown: str, items: Sequence[Statistic], groups: int, question: Question) -> MeasuredGroup:
    accuracy = item_of(items, "accuracy")
    value, interval = accuracy.value, accuracy.interval
    if interval is None:
        return MeasuredGroup(shown, value, percent(value), "", math.inf)
    within = interval_text(interval.level, percent(interval.low), percent(interval.high))
    if question.cluster is None:
        bound = _adjusted_bound(items, interval.level, groups)
    else:
        bound = interval_at(interval, bonferroni_level(interval.level, groups)).high
    return MeasuredGroup(shown, value, percent(value), within, bound)


def _adjusted_bound(items: Sequence[Statistic], level: float, groups: int) -> float:
    """Return the upper bound of the accuracy of a group at a level that is adjusted for so many groups.  O(1)."""
    values, adjusted = {item.name: item.value for item in items}, bonferroni_level(level, groups)
    if WEIGHT not in values:
        cases = int(values["cases"])
        right = min(round(values["accuracy"] * cases) + 1, cases)  # Wilson's bounds hold too seldom at high levels
        return proportion_interval(right, cases, level=adjusted).high
    effective = np.array([values["effective_cases"]])
    found = proportion_intervals(np.minimum(values["accuracy"] * effective + 1, effective), effective, adjusted)
    return float(found.high[0])


def _large(records: Mapping[str, Sequence[Statistic]]) -> dict[str, Sequence[Statistic]]:
    """Return the records of enough cases."""
    return {name: items for name, items in records.items() if item_of(items, "cases").value >= FEWEST}


def independent(what: str, question: Question) -> Sentence:
    """Return what intervals, and perhaps tests, assume.  O(1)."""
    if question.cluster is None:
        return Sentence(f"{what} treat cases as independent")
    column = shown_names([question.cluster])[question.cluster]
    return Sentence(f"{what} treat the clusters of {column} as drawn at random, not the cases")
