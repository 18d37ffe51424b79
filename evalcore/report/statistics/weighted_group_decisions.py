"""Decisions at further thresholds in groups of weighted rows: the weighted twin of `decisions` with groups."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from evalcore.kernels.grouping import GroupLayout, groups_of_rows, scaled_by_group, whole_groups
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums
from evalcore.report.asked_thresholds import AskedThreshold
from evalcore.report.catalogue import statistics
from evalcore.report.model import Section, Statistic
from evalcore.report.statistics.decisions import NO_DECISIONS, section_of_groups, values_of_thresholds
from evalcore.report.statistics.grouped_statistics import records_of_columns
from evalcore.report.statistics.groups import TOTAL, GroupedRows
from evalcore.report.statistics.weighted_binary import ranking_of, weighted_decision_record
from evalcore.report.statistics.weighted_groups import DecidedGroups, decision_cells, decision_columns
from evalcore.report.weighting import RowWeights
from evalcore.state.cases import WeightedRanking
from evalcore.typing import BoolArray


def weighted_group_decisions(
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    thresholds: Sequence[AskedThreshold],
    groups: GroupedRows,
    *,
    level: float | None = None,
) -> list[Section]:
    """Return a section for each threshold and column of scores, as `decision_sections` does with groups.

    positive, scores: (n,) each.  O(n) for each threshold and column; O(n log n) for each column if there are targets.
    """
    if not thresholds:
        return []
    by_threshold: dict[AskedThreshold, list[Section]] = {threshold: [] for threshold in thresholds}
    for name, column in scores.items():
        ranking = ranking_of(positive, column, weights.values, name)
        for threshold, value in values_of_thresholds(partial(getattr, ranking, "points"), thresholds):
            found = _records(ranking, weights, groups.layout, value, level)
            total = weighted_decision_record(ranking, value, level, weights.weighting)
            records = {group: found[index] for group, index in groups.names.items()}
            records[TOTAL] = total
            by_threshold[threshold].append(section_of_groups(threshold, name, records))
    return list(chain.from_iterable(by_threshold.values()))


def _records(
    ranking: WeightedRanking, weights: RowWeights, layout: GroupLayout, threshold: float, level: float | None
) -> list[list[Statistic]]:
    """Return the statistics of decisions in each group, in the order of the layout.  O(n)."""
    count, frequencies = layout.groups.size, weights.weighting.of_frequencies
    if np.isnan(threshold):
        return [statistics({"threshold": np.nan, **NO_DECISIONS})] * count
    groups, multiples = groups_of_rows(layout), weights.in_whole_units()
    own, divisors = scaled_by_group(multiples.values.astype(np.float64), groups, count)
    codes = 4 * groups + binary_codes(ranking.correct, are_at_or_above(ranking.scores, threshold))
    cells = decision_cells(codes, own, count, frequencies=frequencies)
    records: list[list[Statistic]] = [[]] * count
    whole = whole_groups(multiples.values, layout).whole
    for chosen, are_whole in ((whole, True), (~whole, False)):
        indices = np.flatnonzero(chosen)
        own_cells = WeightSums(*(column[:, indices] for column in cells))
        part = DecidedGroups(own_cells, divisors[indices] * multiples.unit, are_whole, frequencies)
        found = records_of_columns([decision_columns(part, threshold, level)], level)
        for index in indices.tolist():
            records[index] = next(found)
    return records
