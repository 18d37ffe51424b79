"""Statistics of many small groups of cases at once: those that `statistics.binary` has of each, as arrays."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.grouped_intervals import (
    Intervals,
    average_precision_intervals,
    f1_intervals,
    kappa_intervals,
    proportion_intervals,
    roc_area_intervals,
)
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouped_keys import GroupLayout, blocks_of_groups, sorted_by_group
from evalcore.kernels.grouped_runs import GroupedRuns, grouped_runs
from evalcore.kernels.operating_points import correct_bits
from evalcore.kernels.ordering import KeyReader
from evalcore.kernels.ratios import ratio
from evalcore.kernels.tables import counts_from_margins
from evalcore.measures import grouped_runs as of_groups
from evalcore.measures.probability_losses import grouped_probability_losses
from evalcore.report.catalogue import DEPTH, statistic
from evalcore.report.costs import Costs
from evalcore.report.measure_choice import ALL_MEASURES, PRECISION_AT, RECALL_AT, Measures
from evalcore.report.model import Statistic
from evalcore.report.statistics.binary import LOSSES, binary_statistics, decision_measures
from evalcore.report.statistics.intervals import decision_fractions
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import AnyArray, FloatArray, IntArray, KeyArray
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


class _Options(NamedTuple):
    """What is asked of each group, beside the statistics of its ranking."""

    threshold: float | None
    level: float | None
    costs: Costs | None
    measures: Measures


def statistics_of_groups(
    cases: Cases,
    layout: GroupLayout,
    threshold: float | None = None,
    level: float | None = None,
    *,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
) -> list[list[Statistic]]:
    """Return the statistics of each group, in the order of the layout, as `binary_statistics` does of its cases alone.

    O(n log largest group), in blocks of groups; groups larger than a block are taken one by one.
    """
    small, large = blocks_of_groups(layout.starts)
    records: list[list[Statistic]] = [[]] * layout.groups.size
    for group in large:
        part = slice(*layout.starts[group : group + 2].tolist())
        rows = part if layout.order is None else layout.order[part]
        own = ScoredCases.of(cases.correct[rows], cases.scores[rows])
        records[group] = binary_statistics(own, threshold, level, costs=costs, measures=measures)
    if not small:
        return records
    keys, code = sorted_by_group(layout, cases.scores, cases.correct)
    asked = _Options(threshold, level, costs, measures)

    def columns_of(block: slice) -> StatisticColumns:
        starts = layout.starts[block.start : block.stop + 1]
        return _columns(keys[starts[0] : starts[-1]], np.diff(starts), code, asked)

    found = records_of_columns(map_parts(columns_of, small, keys.size), level)
    for block in small:
        records[block] = islice(found, block.stop - block.start)
    return records


def _columns(keys: KeyArray, sizes: IntArray, code: KeyReader, asked: _Options) -> StatisticColumns:
    """Return the statistics of some groups, (g,), whose keys, (n,), stand one group after the other.  O(n)."""
    runs = grouped_runs(keys, sizes)
    values = _ranking_statistics(runs, keys, code, asked)
    intervals = {} if asked.level is None else _ranking_intervals(runs, values, asked.level)
    if asked.threshold is not None:
        counts = _decisions(runs, keys, code, asked.threshold)
        values |= {"threshold": np.full(sizes.size, asked.threshold), **counts._asdict()}
        values |= {name: np.asarray(column) for name, column in decision_measures(*counts).items()}
        intervals |= {} if asked.level is None else decision_interval_columns(counts, asked.level)
    return StatisticColumns(values, intervals)


def _ranking_statistics(runs: GroupedRuns, keys: KeyArray, code: KeyReader, asked: _Options) -> dict[str, AnyArray]:
    sizes, positives, wants = runs.sizes, runs.positives, asked.measures.wants
    families: dict[tuple[str, ...], Callable[[], Mapping[str, AnyArray]]] = {
        ("roc_area",): lambda: {"roc_area": of_groups.roc_areas(runs)},
        ("average_precision",): lambda: {"average_precision": of_groups.average_precisions(runs)},
        ("maximum_f1",): lambda: _maximum_f1s(runs, keys, code),
        ("minimum_expected_cost",): lambda: _minimum_costs(runs, keys, code, asked.costs),
        ("break_even_point",): lambda: {"break_even_point": of_groups.break_even_points(runs)},
        ("r_precision",): lambda: {"r_precision": of_groups.precisions_at(runs, positives)},
        (PRECISION_AT, RECALL_AT): lambda: _at_depths(runs, asked.measures),
        ("reciprocal_rank",): lambda: {"reciprocal_rank": of_groups.reciprocal_ranks(runs)},
        LOSSES: lambda: _losses(runs, keys, code),
    }
    found: dict[str, AnyArray] = {
        "cases": sizes,
        "positives": positives,
        "prevalence": np.asarray(ratio(positives, sizes)),
    }
    for names, family in families.items():
        if wants(*names):
            found |= family()
    return found


def _at_depths(runs: GroupedRuns, asked: Measures) -> dict[str, AnyArray]:
    found = {}
    for family, measure in ((PRECISION_AT, of_groups.precisions_at), (RECALL_AT, of_groups.recalls_at)):
        for depth in asked.depths_of(family):
            found[family.replace(DEPTH, str(depth))] = measure(runs, np.full(runs.sizes.size, depth))
    return found


def _maximum_f1s(runs: GroupedRuns, keys: KeyArray, code: KeyReader) -> dict[str, AnyArray]:
    best = of_groups.maximum_f_measures(runs)
    return {
        "maximum_f1": best.values,
        "maximum_f1_score": _scores_of(runs, keys, code, best.runs, np.nan),
    }


def _losses(runs: GroupedRuns, keys: KeyArray, code: KeyReader) -> dict[str, AnyArray]:
    losses = grouped_probability_losses(code.unpack(keys), correct_bits(keys).view(np.bool_), runs.sizes)
    return {name: np.asarray(column) for name, column in losses.statistics(runs.sizes).items()}


def _minimum_costs(runs: GroupedRuns, keys: KeyArray, code: KeyReader, costs: Costs | None) -> dict[str, AnyArray]:
    if costs is None:
        return {}
    best = of_groups.minimum_expected_costs(runs, costs.of_counts)
    scores = _scores_of(runs, keys, code, best.runs, np.inf)
    return {"minimum_expected_cost": best.values, "minimum_expected_cost_score": scores}


def _scores_of(runs: GroupedRuns, keys: KeyArray, code: KeyReader, chosen: IntArray, otherwise: float) -> FloatArray:
    """Return the scores of runs, (g,), one of each group; -1 for none.  O(g)."""
    scores = np.full(chosen.size, otherwise)
    found = chosen >= 0
    scores[found] = code.unpack(keys[runs.last[chosen[found]]])
    return scores


def _ranking_intervals(runs: GroupedRuns, values: Mapping[str, AnyArray], level: float) -> dict[str, Intervals]:
    positives = runs.positives
    found = {"prevalence": proportion_intervals(positives, runs.sizes, level)}
    if (areas := values.get("roc_area")) is not None:
        found["roc_area"] = roc_area_intervals(areas, of_groups.roc_area_variances(runs), level)
    if (means := values.get("average_precision")) is not None:
        found["average_precision"] = average_precision_intervals(means, positives, level)
    return found


def _decisions(runs: GroupedRuns, keys: KeyArray, code: KeyReader, threshold: float) -> DecisionCounts:
    """Return the counts of decisions at a threshold as arrays, (g,) each.  O(n)."""
    starts = runs.sizes.cumsum() - runs.sizes
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        predicted = code.unpack(keys) >= code.score_dtype.type(threshold)
    correct = correct_bits(keys).view(np.bool_)
    tp, responses = (np.add.reduceat(mask, starts, dtype=np.int64) for mask in (predicted & correct, predicted))
    counts: tuple[Any, ...] = counts_from_margins(tp, runs.positives, responses, runs.sizes)
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
