"""Statistics of many small groups of cases at once, with and without weights: those that `binary` has, as arrays."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.interval_columns import (
    Intervals,
    average_precision_intervals,
    average_precision_intervals_of_weights,
    f1_intervals,
    kappa_intervals,
    proportion_intervals,
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
    sorted_by_group,
    whole_groups,
)
from evalcore.kernels.runs import Runs, correct_bits, runs_of_groups
from evalcore.kernels.sorting import KeyReader
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts, binary_codes, counts_from_margins
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums, weight_sums
from evalcore.measures.effective_cases import kish_number
from evalcore.measures.losses import ProbabilityLosses, grouped_probability_losses
from evalcore.measures.roc_variances import roc_area_variances_of_runs, weighted_roc_variances
from evalcore.report.catalogue import statistic
from evalcore.report.model import Section, Statistic, Whole
from evalcore.report.ranked_columns import ranked_cases
from evalcore.report.statistics.binary import Asked, binary_statistics, decision_measures
from evalcore.report.statistics.groups import TOTAL, GroupedRows
from evalcore.report.statistics.intervals import decision_fractions, weighted_decision_intervals
from evalcore.report.statistics.rankings import Rankings, ranking_columns
from evalcore.report.weighting import RowWeights
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray
from evalcore.validation.arrays import Cases, as_cases

_LARGEST = 1 << 31
"""Products of two whole numbers below this fit int64."""


class StatisticColumns(NamedTuple):
    """Statistics of g groups, shape (g,) each, and the intervals of some of them, by name."""

    values: dict[str, AnyArray]
    intervals: dict[str, Intervals]


def grouped_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    groups: GroupedRows,
    whole: Section,
    asked: Asked,
    *,
    weights: RowWeights | None = None,
) -> list[Section]:
    """Return a section for each score column, with a record for each group of rows and, last, one for all rows.

    positive, scores: (n,) each; whole: the statistics of all rows, as of `binary_report`; weights: of the rows.
    O(n log n) for each column.
    """
    sections = []
    for name, column in scores.items():
        found = statistics_of_groups(as_cases(positive, column), groups.layout, asked, weights)
        records = {group: found[index] for group, index in groups.names.items()} | {TOTAL: whole.records[name]}
        sections.append(Section(name, name, "group", records, whole=Whole(whole.name, whole.record)))
    return sections


def statistics_of_groups(
    cases: Cases, layout: GroupLayout, asked: Asked, weights: RowWeights | None = None
) -> list[list[Statistic]]:
    """Return the statistics of each group, in the order of the layout, as `binary_statistics` does of its cases alone.

    O(n log largest group), in blocks of groups; groups larger than a block, by rows or by whole weights, are taken one
    by one.
    """
    found: list[list[Statistic]] = [[]] * layout.groups.size
    small, large = blocks_of_groups(layout.starts)
    if weights is None:
        for group in large:
            found[group] = _of_one(cases, layout, group, asked, None)
        records = _counted_groups(cases, layout, small, asked)
        for block in small:
            found[block] = islice(records, block.stop - block.start)
        return found
    multiples = weights.in_whole_units()
    whole, totals = whole_groups(multiples.values, layout)
    is_large = (np.diff(layout.starts) > blocks.BLOCK) | (whole & (totals >= _LARGEST))
    for group in np.flatnonzero(is_large).tolist():
        found[group] = _of_one(cases, layout, group, asked, weights)
    for chosen, are_whole in ((whole & ~is_large, True), (~whole & ~is_large, False)):
        if chosen.any():
            part = layout if chosen.all() else part_of_layout(layout, chosen)
            records = _weighted_groups(cases, multiples, part, asked, are_whole)
            for group in np.flatnonzero(chosen).tolist():
                found[group] = next(records)
    return found


def _of_one(cases: Cases, layout: GroupLayout, group: int, asked: Asked, weights: RowWeights | None) -> list[Statistic]:
    """Return the statistics of a large group.  O(n log n)."""
    rows = rows_of_groups(layout, slice(group, group + 1))
    own = ranked_cases(cases.correct[rows], cases.scores[rows], None if weights is None else weights.values[rows])
    if weights is None:
        return binary_statistics(own, asked)
    effective = float(_effective_cases(weights, rows, np.zeros(own.size, np.int64), 1)[0])
    weighting = weights.weighting._replace(target_prevalence=None)  # which is that of all rows
    return binary_statistics(own, asked, weighting, effective)


def _counted_groups(cases: Cases, layout: GroupLayout, small: list[slice], asked: Asked) -> Iterator[list[Statistic]]:
    """Yield the statistics of groups that fit a block, in the order of the layout.  O(n log largest group)."""
    if not small:
        return iter(())
    keys, code = sorted_by_group(layout, cases.scores, cases.correct)

    def columns_of(block: slice) -> StatisticColumns:
        starts = layout.starts[block.start : block.stop + 1]
        return _columns(keys[starts[0] : starts[-1]], np.diff(starts), code, asked)

    return records_of_columns(map_parts(columns_of, small, keys.size), asked.level)


def _columns(keys: KeyArray, sizes: IntArray, code: KeyReader, asked: Asked) -> StatisticColumns:
    """Return the statistics of some groups, (g,), whose keys, (n,), stand one group after the other.  O(n)."""
    runs = runs_of_groups(keys, sizes)

    def losses() -> ProbabilityLosses:
        return grouped_probability_losses(code.unpack(keys), correct_bits(keys).view(np.bool_), sizes)

    ranked = Rankings(lambda: runs, lambda last: code.unpack(keys[last]), losses, sizes)
    values: dict[str, AnyArray] = {
        "cases": sizes,
        "positives": runs.totals[0],
        "prevalence": np.asarray(ratio(runs.totals[0], sizes)),
        **ranking_columns(ranked, asked.costs, asked.measures),
    }
    intervals = {} if asked.level is None else _ranking_intervals(runs, values, asked.level, asked.area_method)
    if asked.threshold is not None:
        decided = counted_decisions(_decisions(runs, keys, code, asked.threshold), asked.threshold, asked.level)
        values, intervals = values | decided.values, intervals | decided.intervals
    return StatisticColumns(values, intervals)


def _ranking_intervals(
    runs: Runs, values: Mapping[str, AnyArray], level: float, area_method: str
) -> dict[str, Intervals]:
    positives, negatives = runs.totals
    found = {"prevalence": proportion_intervals(positives, runs.sizes, level)}
    if (areas := values.get("roc_area")) is not None:
        smaller = np.minimum(positives, negatives)
        found["roc_area"] = roc_area_intervals(areas, roc_area_variances_of_runs(runs), smaller, level, area_method)
    if (means := values.get("average_precision")) is not None:
        found["average_precision"] = average_precision_intervals(means, positives, level)
    return found


def _decisions(runs: Runs, keys: KeyArray, code: KeyReader, threshold: float) -> IntArray:
    """Return tp, fn, fp and tn at a threshold, (4, g).  O(n)."""
    starts = runs.sizes.cumsum() - runs.sizes
    predicted = are_at_or_above(code.unpack(keys), threshold)
    correct = correct_bits(keys).view(np.bool_)
    tp, responses = (np.add.reduceat(mask, starts, dtype=np.int64) for mask in (predicted & correct, predicted))
    return np.array(counts_from_margins(tp, runs.totals[0], responses, runs.sizes))


def counted_decisions(counts: IntArray, threshold: float, level: float | None) -> StatisticColumns:
    """Return the statistics of decisions at a threshold, as `decision_record` of each group; counts: (4, g).  O(g)."""
    tp, fn, fp, _ = counts
    values = {"threshold": np.full(tp.size, threshold), **dict(zip(BinaryCounts._fields, counts, strict=True))}
    values |= {name: np.asarray(column) for name, column in decision_measures(*counts).items()}
    if level is None:
        return StatisticColumns(values, {})
    intervals = {
        **{name: proportion_intervals(*parts, level) for name, parts in decision_fractions(*counts).items()},
        "f1": f1_intervals(tp, fn, fp, level),
        "kappa": kappa_intervals(counts.T.reshape(-1, 2, 2), level),
    }
    return StatisticColumns(values, intervals)


def _weighted_groups(
    cases: Cases, weights: RowWeights, layout: GroupLayout, asked: Asked, whole: bool
) -> Iterator[list[Statistic]]:
    """Yield the same of groups of cases with weights; whole: whether all weights are whole numbers."""
    frequencies, of_rows = weights.weighting.of_frequencies, weights.weighting.column is not None

    def columns_of(block: slice) -> StatisticColumns:
        rows, sizes = rows_of_groups(layout, block), np.diff(layout.starts[block.start : block.stop + 1])
        groups = np.arange(sizes.size).repeat(sizes)
        own, divisors = scaled_by_group(weights.values[rows].astype(np.float64), groups, sizes.size)
        divisors *= weights.unit
        scores, correct = cases.scores[rows], cases.correct[rows]
        found = grouped_weights(scores, correct, own, sizes, frequencies=frequencies)
        runs = found.runs.in_counts if whole else found.runs

        def losses() -> ProbabilityLosses:
            return grouped_probability_losses(scores, correct, sizes, own)

        ranked = Rankings(lambda: runs, lambda last: scores[found.order[last]], losses, runs.sizes, frequencies)
        values: dict[str, AnyArray] = {"cases": runs.sizes, "positives": runs.totals[0]}
        if not frequencies:
            values = {"cases": sizes, "positives": found.correct.of_groups.cases.astype(np.int64)}
            if of_rows:
                effective = _effective_cases(weights, rows, groups, sizes.size)
                values |= {"weight": runs.sizes * divisors, "effective_cases": effective}
        values["prevalence"] = np.asarray(ratio(runs.totals[0], runs.sizes))
        values |= ranking_columns(ranked, asked.costs, asked.measures)
        intervals = {} if asked.level is None else _intervals_of_weights(found, values, asked.level, asked.area_method)
        if asked.threshold is not None:
            codes = 4 * groups + binary_codes(correct, are_at_or_above(scores, asked.threshold))
            cells = decision_cells(codes, own, sizes.size, frequencies=frequencies)
            decided = weighted_decisions(
                cells, divisors, asked.threshold, asked.level, whole=whole, frequencies=frequencies
            )
            values, intervals = values | decided.values, intervals | decided.intervals
        return StatisticColumns(values, intervals)

    small, _ = blocks_of_groups(layout.starts)
    return records_of_columns(map_parts(columns_of, small, cases.scores.size), asked.level)


def _intervals_of_weights(
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


def decision_cells(codes: IntArray, weights: FloatArray, count: int, *, frequencies: bool) -> WeightSums:
    """Return the sums over the cases of tp, fn, fp and tn in each group, (4, count).  O(n + count).

    codes: (n,), four times the group in 0 .. count - 1, and `binary_codes`.
    """
    sums = weight_sums(codes, weights, 4 * count, frequencies=frequencies)
    return WeightSums(*(column.reshape(-1, 4).T for column in sums))


def weighted_decisions(
    cells: WeightSums,
    divisors: FloatArray,
    threshold: float,
    level: float | None,
    *,
    whole: bool,
    frequencies: bool,
) -> StatisticColumns:
    """Return the statistics of decisions at a threshold, as `decision_record` of each group.  O(g).

    cells: of tp, fn, fp and tn, (4, g); divisors: what the weights of each group were divided by, (g,); whole: whether
    all weights are whole numbers.
    """
    amounts = cells.sums.astype(np.int64) if whole else cells.sums
    shown = amounts if frequencies else cells.sums * divisors
    measures = {name: np.asarray(column) for name, column in decision_measures(*amounts).items()}
    if not frequencies:  # a common factor of weights changes nothing
        every = WeightSums(*(column.sum(axis=0) for column in cells))
        measures["chi_squared"] = kish_number(every) * measures["phi_squared"]
    columns = dict(zip(BinaryCounts._fields, shown, strict=True))
    values = {"threshold": np.full(divisors.size, threshold), **columns, **measures}
    return StatisticColumns(values, {} if level is None else weighted_decision_intervals(cells, level))


def _effective_cases(weights: RowWeights, rows: slice | IntArray, groups: IntArray, count: int) -> FloatArray:
    """Return the effective number of cases of each group, (count,), of the weights as given.

    rows, groups: (r,), groups in 0 .. count - 1.  O(r).
    """
    if weights.given is None:
        return np.bincount(groups, minlength=count).astype(np.float64)
    own, _ = scaled_by_group(weights.given[rows].astype(np.float64), groups, count)
    return kish_number(weight_sums(groups, own, count))


def records_of_columns(parts: Sequence[StatisticColumns], level: float | None) -> Iterator[list[Statistic]]:
    """Yield the statistics of each group, in the order of the columns.  O(statistics)."""
    return map(list, zip(*(_column(name, parts, level) for name in parts[0].values), strict=True))


def _column(name: str, parts: Sequence[StatisticColumns], level: float | None) -> Iterator[Statistic]:
    numbers = chain.from_iterable(part.values[name].tolist() for part in parts)
    values = (np.nan if math.isnan(number) else number for number in numbers)  # mappings take one NaN for equal
    intervals: Iterable[Interval | None] = repeat(None)
    if level is not None and name in parts[0].intervals:
        intervals = chain.from_iterable(part.intervals[name].each(level) for part in parts)
    return map(Statistic, repeat(name), repeat(statistic(name, 0).title), values, intervals)
