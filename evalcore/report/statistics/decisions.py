"""Decisions at further thresholds, beside those of the first: a section for each, in groups of rows too."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouping import GroupLayout, groups_of_rows, scaled_by_group, whole_groups
from evalcore.kernels.tables import BinaryCounts, binary_codes
from evalcore.kernels.thresholds import ThresholdPoints, are_at_or_above, counted_points, given_number
from evalcore.measures.thresholds import threshold_reaching
from evalcore.report.asked_thresholds import AskedThreshold, Target, section_name
from evalcore.report.model import Section, Statistic, Whole
from evalcore.report.ranked_columns import RankedCases, ranked_cases
from evalcore.report.statistics.binary import (
    NO_DECISIONS,
    decision_record,
    decision_statistics_at,
    sums_of_counts,
)
from evalcore.report.statistics.grouped_statistics import (
    counted_decisions,
    decision_cells,
    records_of_columns,
    weighted_decisions,
)
from evalcore.report.statistics.groups import TOTAL, GroupedRows
from evalcore.report.weighting import COUNTED, RowWeights
from evalcore.state.cases import WeightedRanking
from evalcore.typing import BoolArray, IntArray
from evalcore.validation.arrays import as_cases


def decision_sections(
    positive: BoolArray,
    scores: Mapping[str, Any],
    thresholds: Sequence[AskedThreshold],
    level: float | None = None,
    groups: GroupedRows | None = None,
    *,
    weights: RowWeights | None = None,
) -> list[Section]:
    """Return a section for each threshold, or with groups one for each threshold and column of scores.

    positive, scores: (n,) each; level: of intervals.  A target's threshold is that of each model in all rows, which is
    then applied to groups.  O(n) for each threshold and column; O(n log n) for each column if there are targets.
    """
    if not thresholds:
        return []
    values, weighting = (None, COUNTED) if weights is None else (weights.values, weights.weighting)
    of_rows = None if groups is None else groups_of_rows(groups.layout)
    found: dict[AskedThreshold, dict[str, list[Statistic]]] = {threshold: {} for threshold in thresholds}
    in_groups: dict[AskedThreshold, list[Section]] = {threshold: [] for threshold in thresholds}
    for name, column in scores.items():
        cases = ranked_cases(*as_cases(positive, column, ("label", f"column {name!r}")), values)
        for threshold, value in _values_of_thresholds(cases, thresholds):
            total = found[threshold][name] = decision_statistics_at(cases, value, level, weighting)
            if groups is not None and of_rows is not None:
                each = _of_groups(cases, of_rows, groups.layout, weights, threshold=value, level=level)
                records = {group: each[index] for group, index in groups.names.items()} | {TOTAL: total}
                in_groups[threshold].append(section_of_groups(threshold, name, records))
    if groups is None:
        return [section_of(threshold, models) for threshold, models in found.items()]
    return [section for sections in in_groups.values() for section in sections]


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


def _values_of_thresholds(
    cases: RankedCases, thresholds: Sequence[AskedThreshold]
) -> Iterator[tuple[AskedThreshold, float]]:
    """Yield each threshold with its value for a model, NaN where no threshold reaches a target.

    O(p) for each target, and O(n log n) once if there is any.
    """

    @cache
    def points() -> ThresholdPoints:
        return cases.points if isinstance(cases, WeightedRanking) else counted_points(cases.ordering)

    for threshold in thresholds:
        if isinstance(threshold, Target):
            tp, fp, distinct = points()
            yield threshold, threshold_reaching(*threshold, tp, fp, distinct)
        else:
            yield threshold, threshold


def _of_groups(
    cases: RankedCases,
    of_rows: IntArray,
    layout: GroupLayout,
    weights: RowWeights | None,
    *,
    threshold: float,
    level: float | None,
) -> list[list[Statistic]]:
    """Return the statistics of decisions in each group, in the order of the layout; of_rows: their groups.  O(n)."""
    count = layout.groups.size
    if np.isnan(threshold):
        return [[*NO_DECISIONS] for _ in range(count)]
    codes = 4 * of_rows + binary_codes(cases.correct, are_at_or_above(cases.scores, threshold))
    if weights is None:
        return _of_counts(np.bincount(codes, minlength=4 * count).reshape(-1, 4), threshold, level)
    frequencies, multiples = weights.weighting.of_frequencies, weights.in_whole_units()
    own, divisors = scaled_by_group(multiples.values.astype(np.float64), of_rows, count)
    cells = decision_cells(codes, own, count, frequencies=frequencies)
    records: list[list[Statistic]] = [[]] * count
    whole = whole_groups(multiples.values, layout).whole
    for chosen, are_whole in ((whole, True), (~whole, False)):
        indices = np.flatnonzero(chosen)
        own_cells, units = cells.at((slice(None), indices)), divisors[indices] * multiples.unit
        part = weighted_decisions(own_cells, units, threshold, level, whole=are_whole, frequencies=frequencies)
        found = records_of_columns([part], level)
        for index in indices.tolist():
            records[index] = next(found)
    return records


def _of_counts(counts: IntArray, threshold: float, level: float | None) -> list[list[Statistic]]:
    """Return the statistics of decisions in groups from their counts, (g, 4).  O(g)."""
    large = counts.sum(axis=1) > BLOCK  # intervals of arrays are of small counts
    few = iter(
        [decision_record(threshold, sums_of_counts(BinaryCounts(*row)), level) for row in counts[large].tolist()]
    )
    others = records_of_columns([counted_decisions(counts[~large].T, threshold, level)], level)
    return [next(few) if is_large else next(others) for is_large in large.tolist()]
