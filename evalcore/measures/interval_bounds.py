"""Bounds of measures over several thresholds, for cases whose scores are known to lie in intervals."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.rounded_sums import running_sums
from evalcore.kernels.score_bins import ScoreIntervals
from evalcore.measures import binary
from evalcore.typing import AnyArray, FloatArray, IntArray


class AveragePrecisionBounds(NamedTuple):
    """The least and the largest average precision there may be, except for rounding."""

    low: float
    high: float


def average_precision_bounds(intervals: ScoreIntervals, positives: float) -> AveragePrecisionBounds:
    """Bound the mean, over the positives, of the precision at their scores; NaN without positives.

    intervals: (k,); positives: all of them, the misses too.  O(k log k).  At least: the j-th positive of an interval
    has those above the interval and j of its own at or above it, and no negatives but those that may be.  At most: no
    positive has more than the largest precision that there may be at a threshold within its interval.

    >>> low, high, counts = np.array([0.25, 0.5]), np.array([0.25, 0.75]), np.array([1, 2])
    >>> average_precision_bounds(ScoreIntervals(low, high, counts, counts), 3)
    AveragePrecisionBounds(low=0.4414755567319206, high=0.8333333333333334)
    """
    if not positives:
        return AveragePrecisionBounds(np.nan, np.nan)
    held = intervals.at(intervals.positives > 0)
    above = _at_least(intervals.low, intervals.positives, held.high)
    negatives = _at_least(intervals.high, intervals.negatives, held.low)
    most = _largest_precisions(held, intervals)
    if intervals.whole:
        bounds = (np.sum(sums) for sums in (_least_precision_sums(held, above, negatives), held.positives * most))
        return AveragePrecisionBounds(*(float(ratio(bound, positives)) for bound in bounds))
    # products of weights might leave float64
    parts = np.asarray(ratio(held.positives, positives))
    least = _least_precisions(held, above, negatives)
    return AveragePrecisionBounds(float(np.sum(parts * least)), float(np.sum(parts * most)))


def _least_precision_sums(held: ScoreIntervals, above: AnyArray, negatives: AnyArray) -> FloatArray:
    """Bound the sum over the positives of each interval, at whose scores so many negatives may stand at most."""
    together = held.positives * np.asarray(binary.precision(above, negatives))  # of points: their own are above
    # Σ (T + j) / (T + j + F) for j = 1 .. a, as a sum of 1 / x is below the integral from half before to half behind
    one_by_one: FloatArray = held.positives - negatives * np.log1p(held.positives / (above + negatives + 0.5))
    return np.where(held.low == held.high, together, one_by_one)


def _least_precisions(held: ScoreIntervals, above: AnyArray, negatives: AnyArray) -> FloatArray:
    """As `_least_precision_sums`, of weights, and divided by those of the positives of each interval."""
    # ∫ (T + x) / (T + x + F) dx / a for x = 0 .. a, for what a weight adds is least where the sum is before it
    with np.errstate(over="ignore"):  # of a weight that dwarfs all before it
        growth = np.asarray(ratio(held.positives, above + negatives))
    slowed = np.where(growth > 0, np.asarray(ratio(np.log1p(growth), growth)), 1.0)
    one_by_one = 1 - np.asarray(binary.precision(negatives, above)) * np.nan_to_num(slowed)
    none_may_be = negatives == 0
    return np.where(held.low == held.high, binary.precision(above, negatives), np.where(none_may_be, 1.0, one_by_one))


def _largest_precisions(held: ScoreIntervals, intervals: ScoreIntervals) -> FloatArray:
    best = intervals.best
    precisions = np.asarray(binary.precision(best.tp, best.fp))
    falling = -best.scores
    first, last = (falling.searchsorted(-ends, side="right") - 1 for ends in (held.high, held.low))
    # between two scores of the best arrangement a threshold predicts positive what the higher one does
    return _range_maxima(precisions, first, last)


def _at_least(scores: FloatArray, counts: AnyArray, thresholds: FloatArray) -> AnyArray:
    """Add up what stands at or above each threshold."""
    order = scores.argsort(kind="stable")
    above = np.concatenate([np.zeros(1, counts.dtype), running_sums(counts[order[::-1]])])
    found: AnyArray = above[scores.size - scores[order].searchsorted(thresholds)]
    return found


def _range_maxima(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Return the largest of the values from each first index to each last one.

    Each range is covered by two ranges whose length is a power of two.  Source: M. A. Bender and M. Farach-Colton, The
    LCA problem revisited, LATIN 2000.
    """
    found = np.empty(first.size)
    powers = np.frexp(last - first + 1)[1] - 1
    width = 1
    for power in range(int(powers.max(initial=-1)) + 1):
        chosen = powers == power
        found[chosen] = np.maximum(values[first[chosen]], values[last[chosen] - width + 1])
        values = np.maximum(values[:-width], values[width:])
        width *= 2
    return found
