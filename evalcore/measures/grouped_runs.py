"""Measures of many rankings at once, from their runs of equal scores: the numbers of `curves` and `ranks`, of each.

Groups have at most `evalcore.kernels.blocks.BLOCK` cases, so that sums of products of their counts are exact in
float64.  Each measure has shape (g,) float64 and costs O(t + g) for t runs and g groups.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.grouped_runs import GroupedRuns
from evalcore.kernels.ratios import ratio
from evalcore.kernels.reproducible_sums import sums_of_runs
from evalcore.kernels.runs import run_starts
from evalcore.measures import binary, ranks, roc_variances
from evalcore.measures.thresholds import expected_costs
from evalcore.typing import BoolArray, FloatArray, IntArray


class BestRuns(NamedTuple):
    """Where a measure is best in each group, at the highest score among equals."""

    values: FloatArray
    """The measure there, shape (g,)."""
    predicted_positive: IntArray
    """Cases at or above that score, shape (g,); 0 in groups without a correct case."""


def roc_areas(runs: GroupedRuns) -> FloatArray:
    """Return the chance that a correct case is ranked above an incorrect one, as `curves.roc_area`."""
    pairs = 2 * runs.positives * (runs.sizes - runs.positives)
    return np.asarray(ratio(pairs - runs.add_up(runs.correct * _twice_above(runs)), pairs))


def roc_area_variances(runs: GroupedRuns) -> FloatArray:
    """Return DeLong's variance of each area, as `roc_variances.roc_covariance`; NaN with fewer than two of a class."""
    positives, negatives = runs.positives, runs.sizes - runs.positives
    above, correct, before = _twice_above(runs), runs.correct, runs.tp_before
    beside = runs.size - correct
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
    precisions = np.asarray(binary.precision(runs.tp, runs.fp))
    counts = np.bincount(runs.group, minlength=runs.sizes.size)
    return np.asarray(ratio(sums_of_runs(runs.correct * precisions, counts, runs.positives), runs.positives))


def maximum_f_measures(runs: GroupedRuns) -> BestRuns:
    """Return the largest F1 of the operating points, and where it is reached, as `curves.maximum_f_measure`."""
    heights = np.asarray(binary.f_measure_of_counts(runs.tp, runs.positives[runs.group] - runs.tp, runs.fp))
    values = runs.largest(heights)
    return BestRuns(values, _first_reached(runs, heights == values[runs.group]))


def minimum_expected_costs(runs: GroupedRuns, costs: FloatArray) -> BestRuns:
    """Return the least expected cost, and where it is reached, as `curves.minimum_expected_cost`."""
    positives, sizes = runs.positives, runs.sizes
    own_positives, own_sizes, none = positives[runs.group], sizes[runs.group], np.zeros_like(sizes)
    counts = (runs.tp, own_positives - runs.tp, runs.fp, own_sizes - own_positives - runs.fp)
    each = expected_costs(counts, costs, own_sizes)
    of_none = expected_costs((none, positives, none, sizes - positives), costs, sizes)
    values = of_none.copy()
    np.minimum.at(values, runs.group, each)
    return BestRuns(values, _first_reached(runs, (each == values[runs.group]) & (each < of_none[runs.group])))


def _first_reached(runs: GroupedRuns, reached: BoolArray) -> IntArray:
    """Return the cases at or above the first of the marked runs, (t,), of each group, (g,); 0 of none.  O(t + g)."""
    marked = np.flatnonzero(reached)
    first = marked[run_starts(runs.group[marked])]
    predicted_positive = np.zeros(runs.sizes.size, np.int64)
    predicted_positive[runs.group[first]] = (runs.before + runs.size)[first]
    return predicted_positive


def break_even_points(runs: GroupedRuns) -> FloatArray:
    """Return the interpolated precision where recall reaches it, as `curves.break_even_point`."""
    reached = runs.before + runs.size >= runs.positives[runs.group]
    return runs.largest(np.where(reached, np.asarray(binary.precision(runs.tp, runs.fp)), 0.0))


def precisions_at(runs: GroupedRuns, depths: IntArray) -> FloatArray:
    """Return the expected fraction of correct cases among so many best of each group, as `ranks.precision_at`.

    depths: (..., g), from 1 on.  Returns the same shape; NaN where there are fewer cases, or the depth is 0.
    """
    hits, size = _hits_times_size(runs, depths)
    defined = (depths > 0) & (depths <= runs.sizes)
    return np.where(defined, ratio(hits, size * depths), np.nan)


def recalls_at(runs: GroupedRuns, depths: IntArray) -> FloatArray:
    """Return the expected fraction of the correct cases among so many best of each group, as `ranks.recall_at`.

    depths: (..., g), from 1 on; those beyond a group's cases are all of them.  Returns the same shape; NaN where there
    is no correct case.
    """
    hits, size = _hits_times_size(runs, np.minimum(depths, runs.sizes))
    return np.asarray(ratio(hits, size * runs.positives))


def _hits_times_size(runs: GroupedRuns, depths: IntArray) -> tuple[IntArray, IntArray]:
    """Return the expected number of correct cases among the best, times the size of the tie group, and that size."""
    run = runs.last_above(depths)
    size, correct, before, tp_before = (
        np.append(counts, last)[run]
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


def _twice_above(runs: GroupedRuns) -> IntArray:
    """Return twice the incorrect cases above each run and once those of the run, (t,)."""
    twice: IntArray = 2 * (runs.before - runs.tp_before) + runs.size - runs.correct
    return twice
