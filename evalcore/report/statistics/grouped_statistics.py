"""Statistics of many small groups of cases at once: those that `statistics.binary` has of each, as arrays."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.areas.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.inference.interval_columns import (
    Intervals,
    average_precision_intervals,
    f1_intervals,
    kappa_intervals,
    proportion_intervals,
    roc_area_intervals,
)
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import GroupLayout, blocks_of_groups, rows_of_groups, sorted_by_group
from evalcore.kernels.runs import Runs, correct_bits, runs_of_groups
from evalcore.kernels.sorting import KeyReader
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import counts_from_margins
from evalcore.measures.losses import ProbabilityLosses, grouped_probability_losses
from evalcore.measures.roc_variances import roc_area_variances_of_runs
from evalcore.report.catalogue import statistic
from evalcore.report.costs import Costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Statistic
from evalcore.report.statistics.binary import binary_statistics, decision_measures
from evalcore.report.statistics.intervals import decision_fractions
from evalcore.report.statistics.rankings import Rankings, ranking_columns
from evalcore.state.cases import ScoredCases
from evalcore.typing import AnyArray, IntArray, KeyArray
from evalcore.validation.arrays import Cases


class StatisticColumns(NamedTuple):
    """Statistics of g groups, shape (g,) each, and the intervals of some of them, by name."""

    values: dict[str, AnyArray]
    intervals: dict[str, Intervals]


class DecisionCounts(NamedTuple):
    """Counts of decisions in g groups, shape (g,) each."""

    tp: IntArray
    fn: IntArray
    fp: IntArray
    tn: IntArray


class Asked(NamedTuple):
    """What is asked of each group."""

    threshold: float | None = None
    level: float | None = None
    costs: Costs | None = None
    measures: Measures = ALL_MEASURES
    area_method: str = DEFAULT_AREA_METHOD


def statistics_of_groups(cases: Cases, layout: GroupLayout, asked: Asked) -> list[list[Statistic]]:
    """Return the statistics of each group, in the order of the layout, as `binary_statistics` does of its cases alone.

    O(n log largest group), in blocks of groups; groups larger than a block are taken one by one.
    """
    threshold, level, costs, measures, area_method = asked
    small, large = blocks_of_groups(layout.starts)
    records: list[list[Statistic]] = [[]] * layout.groups.size
    for group in large:
        rows = rows_of_groups(layout, slice(group, group + 1))
        own = ScoredCases.of(cases.correct[rows], cases.scores[rows])
        records[group] = binary_statistics(
            own, threshold, level, costs=costs, measures=measures, area_method=area_method
        )
    if not small:
        return records
    keys, code = sorted_by_group(layout, cases.scores, cases.correct)

    def columns_of(block: slice) -> StatisticColumns:
        starts = layout.starts[block.start : block.stop + 1]
        return _columns(keys[starts[0] : starts[-1]], np.diff(starts), code, asked)

    found = records_of_columns(map_parts(columns_of, small, keys.size), level)
    for block in small:
        records[block] = islice(found, block.stop - block.start)
    return records


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
        counts = _decisions(runs, keys, code, asked.threshold)
        values |= {"threshold": np.full(sizes.size, asked.threshold), **counts._asdict()}
        values |= {name: np.asarray(column) for name, column in decision_measures(*counts).items()}
        intervals |= {} if asked.level is None else decision_interval_columns(counts, asked.level)
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


def _decisions(runs: Runs, keys: KeyArray, code: KeyReader, threshold: float) -> DecisionCounts:
    """Return the counts of decisions at a threshold as arrays, (g,) each.  O(n)."""
    starts = runs.sizes.cumsum() - runs.sizes
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        predicted = code.unpack(keys) >= code.score_dtype.type(threshold)
    correct = correct_bits(keys).view(np.bool_)
    tp, responses = (np.add.reduceat(mask, starts, dtype=np.int64) for mask in (predicted & correct, predicted))
    counts: tuple[Any, ...] = counts_from_margins(tp, runs.totals[0], responses, runs.sizes)
    return DecisionCounts(*counts)


def decision_interval_columns(counts: DecisionCounts, level: float) -> dict[str, Intervals]:
    """Return the intervals of what is reported of decisions, as `decision_intervals` of each group.  O(g)."""
    tp, fn, fp, _ = counts
    return {
        **{name: proportion_intervals(*parts, level) for name, parts in decision_fractions(*counts).items()},
        "f1": f1_intervals(tp, fn, fp, level),
        "kappa": kappa_intervals(np.stack(counts, axis=-1).reshape(-1, 2, 2), level),
    }


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
