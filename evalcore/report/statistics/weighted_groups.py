"""Statistics of many small groups of weighted cases at once: those that `weighted_binary` has of each, as arrays."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.inference.interval_columns import (
    Intervals,
    average_precision_intervals_of_weights,
    decision_intervals_of_weights,
    f1_intervals_of_weights,
    kappa_intervals_of_weights,
    proportion_intervals_of_weights,
    roc_area_intervals,
)
from evalcore.kernels import blocks
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import (
    GroupedWeights,
    GroupLayout,
    blocks_of_groups,
    grouped_weights,
    part_of_layout,
    rows_of_groups,
    scaled_by_group,
    whole_groups,
)
from evalcore.kernels.runs import Runs
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.measures.effective_cases import kish_number
from evalcore.measures.losses import ProbabilityLosses, grouped_probability_losses
from evalcore.measures.roc_variances import weighted_roc_variances
from evalcore.report.model import Statistic
from evalcore.report.statistics.binary import decision_measures
from evalcore.report.statistics.grouped_statistics import Asked, StatisticColumns, records_of_columns
from evalcore.report.statistics.intervals import decision_fractions
from evalcore.report.statistics.rankings import Rankings, ranking_columns
from evalcore.report.statistics.weighted_binary import weighted_statistics
from evalcore.report.weighting import RowWeights, Weighting
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import Cases

_LARGEST = 1 << 31
"""Products of two whole numbers below this fit int64."""
_CELLS = "tp", "fn", "fp", "tn"


class _Block(NamedTuple):
    """The cases of some groups, one group after the other, with weights of a common size in each group."""

    scores: ScoreArray
    """Shape (n,)."""
    correct: BoolArray
    """Shape (n,)."""
    weights: FloatArray
    """Shape (n,)."""
    sizes: IntArray
    """Rows of each group, shape (g,)."""
    divisors: FloatArray
    """What the weights of each group were divided by, shape (g,)."""
    effective: FloatArray
    """Effective number of cases of each group, shape (g,)."""
    whole: bool
    """Whether all weights are whole numbers."""


class DecidedGroups(NamedTuple):
    """Decisions in g groups of weighted cases."""

    cells: WeightSums
    """Sums over the cases of tp, fn, fp and tn, shape (4, g)."""
    divisors: FloatArray
    """What the weights of each group were divided by, shape (g,)."""
    whole: bool
    """Whether all weights are whole numbers."""
    frequencies: bool


def statistics_of_weighted_groups(
    cases: Cases, weights: RowWeights, layout: GroupLayout, asked: Asked
) -> list[list[Statistic]]:
    """Return the statistics of each group, in the order of the layout, as `weighted_statistics` does of it alone.

    O(n log largest group), in blocks of groups; groups larger than a block, by rows or by whole weights, are taken one
    by one.
    """
    threshold, level, costs, measures, area_method = asked
    records: list[list[Statistic]] = [[]] * layout.groups.size
    multiples = weights.in_whole_units()
    whole, totals = whole_groups(multiples.values, layout)
    large = (np.diff(layout.starts) > blocks.BLOCK) | (whole & (totals >= _LARGEST))
    for group in np.flatnonzero(large).tolist():
        rows = rows_of_groups(layout, slice(group, group + 1))
        own = WeightedRanking(cases.scores[rows], cases.correct[rows], weights.values[rows])
        weighting = _of_one_group(weights.weighting)
        effective = float(effective_cases_of_groups(weights, rows, np.zeros(own.size, np.int64), 1)[0])
        records[group] = weighted_statistics(
            own, threshold, level, weighting=weighting, effective=effective, costs=costs, measures=measures,
            area_method=area_method,
        )  # fmt: skip
    for chosen, are_whole in ((whole & ~large, True), (~whole & ~large, False)):
        if chosen.any():
            part = layout if chosen.all() else part_of_layout(layout, chosen)
            found = _small_groups(cases, multiples, part, asked, are_whole)
            for group in np.flatnonzero(chosen).tolist():
                records[group] = next(found)
    return records


def _small_groups(
    cases: Cases, weights: RowWeights, layout: GroupLayout, asked: Asked, whole: bool
) -> Iterator[list[Statistic]]:
    """Yield the statistics of groups that fit a block, in the order of the layout.  O(n log largest group)."""

    def columns_of(block: slice) -> StatisticColumns:
        rows, sizes = rows_of_groups(layout, block), np.diff(layout.starts[block.start : block.stop + 1])
        groups = np.arange(sizes.size).repeat(sizes)
        own, divisors = scaled_by_group(weights.values[rows].astype(np.float64), groups, sizes.size)
        effective = effective_cases_of_groups(weights, rows, groups, sizes.size)
        divisors *= weights.unit
        part = _Block(cases.scores[rows], cases.correct[rows], own, sizes, divisors, effective, whole)
        return _columns(part, _of_one_group(weights.weighting), asked)

    small, _ = blocks_of_groups(layout.starts)
    return records_of_columns(map_parts(columns_of, small, cases.scores.size), asked.level)


def _columns(block: _Block, weighting: Weighting, asked: Asked) -> StatisticColumns:
    """Return the statistics of some groups, (g,).  O(n log n)."""
    frequencies = weighting.of_frequencies
    found = grouped_weights(block.scores, block.correct, block.weights, block.sizes, frequencies=frequencies)
    runs = found.runs.in_counts if block.whole else found.runs

    def losses() -> ProbabilityLosses:
        return grouped_probability_losses(block.scores, block.correct, block.sizes, block.weights)

    ranked = Rankings(lambda: runs, lambda last: block.scores[found.order[last]], losses, runs.sizes, frequencies)
    values = _of_cases(found, runs, block, weighting) | ranking_columns(ranked, asked.costs, asked.measures)
    intervals = {} if asked.level is None else _ranking_intervals(found, values, asked.level, asked.area_method)
    if asked.threshold is not None:
        decided = decision_columns(_decisions(block, asked.threshold, frequencies), asked.threshold, asked.level)
        values, intervals = values | decided.values, intervals | decided.intervals
    return StatisticColumns(values, intervals)


def _of_cases(found: GroupedWeights, runs: Runs, block: _Block, weighting: Weighting) -> dict[str, AnyArray]:
    prevalence = {"prevalence": np.asarray(ratio(runs.totals[0], runs.sizes))}
    if weighting.of_frequencies:
        return {"cases": runs.sizes, "positives": runs.totals[0], **prevalence}
    values: dict[str, AnyArray] = {
        "cases": block.sizes,
        "positives": found.correct.of_groups.cases.astype(np.int64),
    }
    if weighting.column is not None:
        values |= {"weight": runs.sizes * block.divisors, "effective_cases": block.effective}
    return values | prevalence


def _ranking_intervals(
    found: GroupedWeights, values: dict[str, AnyArray], level: float, area_method: str
) -> dict[str, Intervals]:
    positives, negatives = found.correct.of_groups, found.incorrect.of_groups
    intervals = {"prevalence": proportion_intervals_of_weights(positives, positives.plus(negatives), level)}
    if (areas := values.get("roc_area")) is not None:
        smaller = np.minimum(kish_number(positives), kish_number(negatives))
        intervals["roc_area"] = roc_area_intervals(areas, weighted_roc_variances(found), smaller, level, area_method)
    if (means := values.get("average_precision")) is not None:
        intervals["average_precision"] = average_precision_intervals_of_weights(means, positives, negatives, level)
    return intervals


def _decisions(block: _Block, threshold: float, frequencies: bool) -> DecidedGroups:
    """Return the decisions at a threshold.  O(n)."""
    groups = np.arange(block.sizes.size).repeat(block.sizes)
    codes = 4 * groups + binary_codes(block.correct, are_at_or_above(block.scores, threshold))
    cells = decision_cells(codes, block.weights, block.sizes.size, frequencies=frequencies)
    return DecidedGroups(cells, block.divisors, block.whole, frequencies)


def decision_cells(codes: IntArray, weights: FloatArray, count: int, *, frequencies: bool) -> WeightSums:
    """Return the sums over the cases of tp, fn, fp and tn in each group, (4, count).  O(n + count).

    codes: (n,), four times the group in 0 .. count - 1, and `binary_codes`.
    """
    sums = weight_sums(codes, weights, 4 * count, frequencies=frequencies)
    return WeightSums(*(column.reshape(-1, 4).T for column in sums))


def decision_columns(decided: DecidedGroups, threshold: float, level: float | None) -> StatisticColumns:
    """Return the statistics of decisions at a threshold, as `weighted_decisions` of each group.  O(g)."""
    cells, sums = decided.cells, decided.cells.sums
    amounts = sums.astype(np.int64) if decided.whole else sums
    shown = amounts if decided.frequencies else sums * decided.divisors
    measures = {name: np.asarray(column) for name, column in decision_measures(*amounts).items()}
    if not decided.frequencies:  # a common factor of weights changes nothing
        every = WeightSums(*(column.sum(axis=0) for column in cells))
        measures["chi_squared"] = kish_number(every) * measures["phi_squared"]
    columns = dict(zip(_CELLS, shown, strict=True))
    values = {"threshold": np.full(decided.divisors.size, threshold), **columns, **measures}
    return StatisticColumns(values, {} if level is None else _decision_intervals(cells, level))


def _decision_intervals(cells: WeightSums, level: float) -> dict[str, Intervals]:
    tp, fn, fp = (cells.at(index) for index in range(3))
    return {
        **{
            name: decision_intervals_of_weights(cells, successes, trials, level)
            for name, (successes, trials) in decision_fractions(*np.eye(4)).items()
        },
        "f1": f1_intervals_of_weights(tp, fn, fp, level),
        "kappa": kappa_intervals_of_weights(WeightSums(*(column.T.reshape(-1, 2, 2) for column in cells)), level),
    }


def effective_cases_of_groups(weights: RowWeights, rows: slice | IntArray, groups: IntArray, count: int) -> FloatArray:
    """Return the effective number of cases of each group, (count,), of the weights as given.

    rows, groups: (r,), groups in 0 .. count - 1.  O(r).
    """
    if weights.given is None:
        return np.bincount(groups, minlength=count).astype(np.float64)
    own, _ = scaled_by_group(weights.given[rows].astype(np.float64), groups, count)
    return kish_number(weight_sums(groups, own, count))


def _of_one_group(weighting: Weighting) -> Weighting:
    """Return how the rows of a group are weighted, whose prevalence is not that of all rows.  O(1)."""
    return weighting._replace(target_prevalence=None)
