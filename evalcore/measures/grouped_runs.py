"""Measures of many rankings at once, from their runs of equal scores: the numbers of `curves` and `ranks`, of each.

Groups have fewer than 2**31 cases, so that products of two of their counts fit int64.  Weights of cases, in float64,
are taken for numbers of cases.  Each measure has shape (g,) float64 and costs O(t + g) for t runs and g groups.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.grouped_runs import GroupedRuns
from evalcore.kernels.ratios import exact_integers, ratio
from evalcore.kernels.reproducible_sums import sums_of_runs
from evalcore.kernels.runs import run_starts
from evalcore.kernels.weight_sums import rounding_of
from evalcore.measures import binary, ranks, roc_variances
from evalcore.measures.thresholds import expected_costs
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray

_EXACT_PRODUCTS = 1 << 26
"""Numbers of cases whose products are whole numbers of float64."""


class BestRuns(NamedTuple):
    """Where a measure is best in each group, at the highest score among equals."""

    values: FloatArray
    """The measure there, shape (g,)."""
    runs: IntArray
    """The run of that score, shape (g,); -1 where there is none."""


def roc_areas(runs: GroupedRuns) -> FloatArray:
    """Return the chance that a correct case is ranked above an incorrect one, as `curves.roc_area`."""
    lost = runs.add_up(runs.correct * _twice_above(runs))
    if runs.fp_after is None:
        pairs = 2 * runs.positives * runs.negatives
        return _fractions(runs, pairs - lost, pairs)
    won = runs.add_up(runs.correct * (2 * runs.fp_after + runs.incorrect))
    return _fractions(runs, won, won + lost)


def roc_area_variances(runs: GroupedRuns) -> FloatArray:
    """Return DeLong's variance of each area, as `roc_variances.roc_covariance`; NaN with fewer than two of a class.

    Of counts alone, and of groups of at most `evalcore.kernels.blocks.BLOCK` cases.
    """
    positives, negatives = runs.positives, runs.negatives
    above, correct, before, beside = _twice_above(runs), runs.correct, runs.tp_before, runs.incorrect
    # The square of twice the correct cases above an incorrect one is a sum of increments, one for each run above it;
    # an incorrect case of the run itself takes part of the increment of that run.
    below = negatives[runs.group] - (above + beside) // 2
    increments = 4 * correct * (2 * before + correct) * below + correct * (4 * before + correct) * beside
    sums = runs.add_up(correct * above)
    other_sums = 2 * positives * negatives - sums  # of the incorrect cases: each pair counts twice
    lost = sums - positives * negatives
    squares = runs.add_up(correct * above**2) - 2 * negatives * sums + positives * negatives**2
    other_squares = runs.add_up(increments) - 2 * positives * other_sums + negatives * positives**2
    return roc_variances.roc_area_variances(positives, negatives, lost, squares, other_squares)


def average_precisions(runs: GroupedRuns) -> FloatArray:
    """Return the area under the precision-recall steps, as `curves.average_precision`, to the last bit."""
    terms = runs.correct * np.asarray(binary.precision(runs.tp, runs.fp))
    if not runs.are_counts:
        return np.asarray(ratio(runs.add_up(terms), runs.add_up(runs.correct)))  # exactly 1 of a perfect ranking
    counts = np.bincount(runs.group, minlength=runs.positives.size)
    return np.asarray(ratio(sums_of_runs(terms, counts, runs.positives), runs.positives))


def maximum_f_measures(runs: GroupedRuns) -> BestRuns:
    """Return the largest F1 of the operating points, and where it is reached, as `curves.maximum_f_measure`."""
    missed = np.maximum(runs.positives[runs.group] - runs.tp, 0)  # sums of weights are rounded
    heights = np.asarray(binary.f_measure_of_counts(runs.tp, missed, runs.fp))
    values = runs.largest(heights)
    return BestRuns(values, _first_reached(runs, heights >= values[runs.group] * (1 - rounding_of(runs.tp_before))))


def minimum_expected_costs(runs: GroupedRuns, costs: FloatArray) -> BestRuns:
    """Return the least expected cost, and where it is reached, as `curves.minimum_expected_cost`."""
    positives, negatives, sizes = runs.positives, runs.negatives, runs.sizes
    none = np.zeros_like(sizes)
    counts = (runs.tp, positives[runs.group] - runs.tp, runs.fp, negatives[runs.group] - runs.fp)
    each = expected_costs(counts, costs, sizes[runs.group])
    of_none = expected_costs((none, positives, none, negatives), costs, sizes)
    values, rounding = of_none.copy(), rounding_of(runs.tp_before) * float(np.abs(costs).max())
    np.minimum.at(values, runs.group, each)
    least, otherwise = values[runs.group] + rounding, of_none[runs.group] - rounding
    return BestRuns(values, _first_reached(runs, (each <= least) & (each < otherwise)))


def _first_reached(runs: GroupedRuns, reached: BoolArray) -> IntArray:
    """Return the first of the marked runs, (t,), of each group, (g,); -1 for none.  O(t + g)."""
    marked = np.flatnonzero(reached)
    first = marked[run_starts(runs.group[marked])]
    found = np.full(runs.positives.size, -1)
    found[runs.group[first]] = first
    return found


def break_even_points(runs: GroupedRuns) -> FloatArray:
    """Return the interpolated precision where recall reaches it, as `curves.break_even_point`."""
    reached = runs.before + runs.size >= runs.positives[runs.group] * (1 - rounding_of(runs.tp_before))
    return runs.largest(np.where(reached, np.asarray(binary.precision(runs.tp, runs.fp)), 0.0))


def precisions_at(runs: GroupedRuns, depths: AnyArray) -> FloatArray:
    """Return the expected fraction of correct cases among so many best of each group, as `ranks.precision_at`.

    depths: (..., g), from 1 on.  Returns the same shape; NaN where there are fewer cases, or the depth is 0.
    """
    hits, size = _hits_times_size(runs, depths)
    defined = (depths > 0) & (depths <= runs.sizes)
    return np.where(defined, _fractions(runs, hits, size * depths), np.nan)


def recalls_at(runs: GroupedRuns, depths: AnyArray) -> FloatArray:
    """Return the expected fraction of the correct cases among so many best of each group, as `ranks.recall_at`.

    depths: (..., g), from 1 on; those beyond a group's cases are all of them.  Returns the same shape; NaN where there
    is no correct case.
    """
    hits, size = _hits_times_size(runs, np.minimum(depths, runs.sizes))
    return _fractions(runs, hits, size * runs.positives)


def _hits_times_size(runs: GroupedRuns, depths: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the expected number of correct cases among the best, times the size of the tie group, and that size."""
    run = runs.last_above(depths)
    size, correct, before, tp_before = (
        np.append(counts, np.array([last], counts.dtype))[run]
        for counts, last in ((runs.size, 1), (runs.correct, 0), (runs.before, 0), (runs.tp_before, 0))
    )
    return tp_before * size + np.minimum(depths - before, size) * correct, size


def reciprocal_ranks(runs: GroupedRuns) -> FloatArray:
    """Return the expected reciprocal rank of the first correct case, as `ranks.reciprocal_rank`; 0 without one."""
    first = np.flatnonzero(runs.tp_before == 0)
    found = np.zeros(runs.sizes.size)
    before, size, correct = (column[first].astype(np.float64) for column in (runs.before, runs.size, runs.correct))
    found[runs.group[first]] = ranks.reciprocal_ranks(before, size, correct)
    return found


def _twice_above(runs: GroupedRuns) -> AnyArray:
    """Return twice the incorrect cases above each run and once those of the run, (t,)."""
    twice: AnyArray = 2 * runs.fp_before + runs.incorrect
    return twice


def _fractions(runs: GroupedRuns, numerators: AnyArray, denominators: AnyArray) -> FloatArray:
    """Divide numbers of pairs of cases, rounded once, in 0 .. 1; 0 / 0 is NaN."""
    if runs.sizes.max(initial=0) > _EXACT_PRODUCTS:
        numerators, denominators = exact_integers(numerators, denominators)
    return np.clip(ratio(numerators, denominators), 0.0, 1.0)  # sums of weights may be rounded beyond
