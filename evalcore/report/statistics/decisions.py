"""Decisions at further thresholds, beside those of the first: a section for each, in groups of rows too."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouping import groups_of_rows
from evalcore.kernels.tables import BinaryCounts, binary_codes, binary_counts
from evalcore.kernels.thresholds import ThresholdPoints, are_at_or_above, counted_points, given_number
from evalcore.measures.thresholds import threshold_reaching
from evalcore.report.asked_thresholds import AskedThreshold, Target, section_name
from evalcore.report.catalogue import statistics
from evalcore.report.model import Section, Statistic, Whole
from evalcore.report.statistics.binary import decision_measures, decision_statistics
from evalcore.report.statistics.grouped_statistics import (
    DecisionCounts,
    StatisticColumns,
    decision_interval_columns,
    records_of_columns,
)
from evalcore.report.statistics.groups import TOTAL, GroupedRows
from evalcore.report.statistics.intervals import decision_intervals
from evalcore.state.cases import ScoredCases
from evalcore.typing import BoolArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_cases

NO_DECISIONS = dict.fromkeys(decision_statistics(BinaryCounts(0, 0, 0, 0)), np.nan)
"""The statistics where there is no threshold."""


class _Rows(NamedTuple):
    """The rows of some cases, and their groups."""

    positive: BoolArray
    """Shape (n,)."""
    groups: IntArray | None
    """The index of the group of each row, (n,); None where there are no groups."""
    number_of_groups: int
    """Number of groups."""


def decision_sections(
    positive: BoolArray,
    scores: Mapping[str, Any],
    thresholds: Sequence[AskedThreshold],
    level: float | None = None,
    groups: GroupedRows | None = None,
) -> list[Section]:
    """Return a section for each threshold, or with groups one for each threshold and column of scores.

    positive, scores: (n,) each; level: of intervals.  A target's threshold is that of each model in all rows, which is
    then applied to groups.  O(n) for each threshold and column; O(n log n) for each column if there are targets.
    """
    if not thresholds:
        return []
    rows = _Rows(
        positive, None if groups is None else groups_of_rows(groups.layout), groups.layout.groups.size if groups else 0
    )
    found: dict[AskedThreshold, dict[str, list[list[Statistic]]]] = {threshold: {} for threshold in thresholds}
    for name, column in scores.items():
        cases = ScoredCases.of(*as_cases(positive, column))
        for threshold, value in values_of_thresholds(partial(_points, cases), thresholds):
            found[threshold][name] = list(_records(rows, cases.scores, value, level))
    if groups is None:
        return [section_of(threshold, {name: total for name, (total,) in models.items()}) for threshold, models in
                found.items()]  # fmt: skip
    made = []
    for threshold, models in found.items():
        for name, (*each, total) in models.items():
            records = {group: each[index] for group, index in groups.names.items()}
            made.append(section_of_groups(threshold, name, records | {TOTAL: total}))
    return made


def section_of(threshold: AskedThreshold, records: Mapping[str, list[Statistic]]) -> Section:
    """Return the section of the decisions of each model at a threshold.  O(1)."""
    return Section(section_name(threshold), title_of(threshold), "score", records, across=True)


def section_of_groups(threshold: AskedThreshold, model: str, records: Mapping[str, list[Statistic]]) -> Section:
    """Return the section of the decisions of a model at a threshold in each group, and in all rows.  O(1)."""
    title, whole = f"{model} {title_of(threshold)}", Whole(section_name(threshold), "score")
    if isinstance(threshold, Target):  # the same threshold in all groups
        value = next(iter(records.values()))[0].value
        title = f"{title}, {'none' if np.isnan(value) else given_number(value)}"
    return Section(model, title, "group", records, whole=whole)


def title_of(threshold: AskedThreshold) -> str:
    """Return what stands above the table of decisions at a threshold.  O(1).

    >>> title_of(0.25), title_of(Target("precision", 0.9))
    ('at threshold 0.25', 'at the threshold for precision=0.9')
    """
    return f"at {'the ' if isinstance(threshold, Target) else ''}{section_name(threshold)}"


def decision_record(threshold: float, counts: BinaryCounts, level: float | None = None) -> list[Statistic]:
    """Return the statistics of decisions at a threshold; all are NaN where it is.  O(1)."""
    if np.isnan(threshold):
        return statistics({"threshold": np.nan, **NO_DECISIONS})
    intervals = {} if level is None else decision_intervals(counts, level)
    return statistics({"threshold": threshold, **decision_statistics(counts)}, intervals)


def values_of_thresholds(
    points: Callable[[], ThresholdPoints], thresholds: Sequence[AskedThreshold]
) -> Iterator[tuple[AskedThreshold, float]]:
    """Yield each threshold with its value for a model, NaN where no threshold reaches a target; points: of the model.

    O(p) for each target, beside what the points cost, which are asked for targets alone.
    """
    points_once = cache(points)
    for threshold in thresholds:
        if isinstance(threshold, Target):
            tp, fp, distinct = points_once()
            yield threshold, threshold_reaching(*threshold, tp, fp, distinct)
        else:
            yield threshold, threshold


def _points(cases: ScoredCases) -> ThresholdPoints:
    return counted_points(cases.ordering)


def _records(rows: _Rows, scores: ScoreArray, threshold: float, level: float | None) -> Iterator[list[Statistic]]:
    """Yield the statistics of decisions in each group and then in all rows.  O(n)."""
    predicted = are_at_or_above(scores, threshold)
    if rows.groups is not None:
        codes = 4 * rows.groups + binary_codes(rows.positive, predicted)
        counts = np.bincount(codes, minlength=4 * rows.number_of_groups).reshape(-1, 4)
        yield from _of_groups(counts, threshold, level)
    yield decision_record(threshold, binary_counts(rows.positive, predicted), level)


def _of_groups(counts: IntArray, threshold: float, level: float | None) -> list[list[Statistic]]:
    """Return the statistics of decisions in groups from their counts, (g, 4).  O(g)."""
    large = (counts.sum(axis=1) > BLOCK) | np.isnan(threshold)  # intervals of arrays are of small counts
    records = [decision_record(threshold, BinaryCounts(*row), level) for row in counts[large].tolist()]
    tp, fn, fp, tn = counts[~large].T
    small = DecisionCounts(tp, fn, fp, tn)
    values = {"threshold": np.full(tp.size, threshold), **small._asdict()}
    values |= {name: np.asarray(column) for name, column in decision_measures(*small).items()}
    intervals = {} if level is None else decision_interval_columns(small, level)
    others = records_of_columns([StatisticColumns(values, intervals)], level)
    each = iter(records)
    return [next(each) if is_large else next(others) for is_large in large.tolist()]
