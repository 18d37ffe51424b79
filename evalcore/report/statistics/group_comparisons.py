"""Comparisons of score columns within each group of rows, ``evalcore report --by --ci``."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.inference.areas.group_comparisons import paired_area_variances, weighted_paired_area_variances
from evalcore.inference.areas.roc_area_bounds import compare_areas, difference_method
from evalcore.report.catalogue import statistic
from evalcore.report.model import COMPARISONS, HOLM_OF_GROUPS, Section, Statistic, Whole
from evalcore.report.statistics.clustered_intervals import ClusteredRows
from evalcore.report.statistics.groups import GroupedRows
from evalcore.report.statistics.intervals import (
    ComparableColumns,
    ComparedPairs,
    adjusted_p_values,
    compared_pairs,
    comparison_statistics,
    comparisons,
    without_warnings,
)
from evalcore.report.weighting import RowWeights
from evalcore.typing import BoolArray, FloatArray, ScoreArray
from evalcore.validation.arrays import as_scores


class ComparedGroups(NamedTuple):
    """A report on groups with the differences of models."""

    sections: list[Section]
    """One for each column, then one for each pair, with a record for each group and, last, one for all rows."""
    notes: list[str]
    """How many comparisons the p-values of groups are adjusted for."""
    adjusted: int
    """Number of comparisons that the p-values of all rows are adjusted for."""


@without_warnings()
def compare_groups(
    positive: BoolArray,
    columns: Mapping[str, ScoreArray],
    groups: GroupedRows,
    sections: Sequence[Section],
    *,
    weights: RowWeights | None = None,
    placed: ComparableColumns,
    compare: str,
    level: float,
    area_method: str,
    clustered: ClusteredRows | None = None,
) -> ComparedGroups:
    """Compare the ROC areas of pairs of score columns in each group, and in all rows, on the same cases.

    positive, columns: (n,) each; sections: of `grouped_report`, one for each column, without the intervals of the ROC
    areas of all rows; weights: of the rows; placed: what comparisons need of all rows; compare: as for
    `compared_pairs`; area_method: the interval of areas, which decides that of differences.  P-values of
    groups are adjusted for all groups and pairs, those of all rows for the pairs alone.
    O(k n log n) for k columns.
    """
    *_, total = sections[0].records
    totals = Section("", "", "score", {section.name: section.records[total] for section in sections})
    chosen = compared_pairs(totals, compare)
    totals, of_all_rows = comparisons(totals, placed, chosen, level)
    made = [section._replace(records={**section.records, total: totals.records[section.name]}) for section in sections]
    areas = [_areas(section, groups) for section in sections]
    scores = [as_scores(column, name) for name, column in columns.items()]
    if weights is None:
        variances = paired_area_variances(positive, scores, groups.layout, chosen.pairs)
    else:
        frequencies = weights.weighting.of_frequencies
        variances = weighted_paired_area_variances(
            positive, scores, weights.values, groups.layout, chosen.pairs, frequencies=frequencies
        )
    found = [
        compare_areas(variances.areas(number, pair, areas), level, difference_method(area_method))
        for number, pair in enumerate(chosen.pairs)
    ]
    if clustered is not None:
        for models, of_pair in zip(chosen.pairs, found, strict=True):
            clustered.compared_in_groups(models, groups, of_pair)
    p_values = np.array([[comparison.p_value for comparison in of_pair] for of_pair in found])
    defined = ~np.isnan(p_values)
    unseen = (chosen.family - len(chosen.pairs)) * int(np.count_nonzero(defined.any(axis=0)))
    adjusted = adjusted_p_values(p_values.ravel(), unseen).reshape(p_values.shape)
    for (pair, items), of_pair, corrected in zip(of_all_rows.records.items(), found, adjusted, strict=True):
        each = list(map(comparison_statistics, of_pair, corrected.tolist()))
        records = {group: each[index] for group, index in groups.names.items()} | {total: _with_adjusted(items)}
        title = f"ROC areas compared: {pair}, on the same cases"
        made.append(Section(pair, title, "group", records, whole=Whole(COMPARISONS, "pair")))
    notes = _notes(int(np.count_nonzero(defined)) + unseen, chosen)
    return ComparedGroups(made, notes, chosen.adjusted(of_all_rows))


def _areas(section: Section, groups: GroupedRows) -> FloatArray:
    """Return the ROC area of each group, (m,) in the order of the layout.  O(m)."""
    column = [item.name for item in next(iter(section.records.values()))].index("roc_area")
    areas = np.full(groups.layout.groups.size, np.nan)  # groups without a name are not compared
    for name, index in groups.names.items():
        areas[index] = section.records[name][column].value
    return areas


def _with_adjusted(items: list[Statistic]) -> list[Statistic]:
    """Return the statistics of a comparison with the adjusted p-value, which a single one lacks.  O(1)."""
    *_, last = items
    return items if last.name == "p_value_holm" else [*items, statistic("p_value_holm", last.value)]


def _notes(count: int, chosen: ComparedPairs) -> list[str]:
    """Say how many p-values of groups are adjusted for.  O(1)."""
    if count < 2:
        return []
    pairs = " and pair" if chosen.family > 1 else ""
    why = ", because any model could have been the best" if chosen.family > len(chosen.pairs) else ""
    return [
        f"{HOLM_OF_GROUPS} are adjusted by Holm's method for {count:,} comparisons, one for each group{pairs}{why}; "
        "intervals are for each group alone"
    ]
