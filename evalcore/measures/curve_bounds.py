"""Bounds of ROC and precision-recall curves at given rates, from the counts at every threshold.

A curve at a rate is unsure twice: the threshold that gives the rate is, and so is the other rate at this threshold.
The distances of the bounds are the roots of the sums of both squared distances, as G. Y. Zou and A. Donner,
Construction of confidence limits about effect measures, Statistics in Medicine 27 (2008) 1693-1702, combine them.

fp, tp: (p,) float64, incorrect and correct cases at or above each threshold, from 0 to all of them, both above 0;
z: standard deviations that the bounds reach, above 0.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.kernels.ratios import ratio, whole_counts
from evalcore.measures import binary
from evalcore.typing import FloatArray, Ratio


class CurveBounds(NamedTuple):
    """A curve at some rates, and its bounds."""

    height: FloatArray
    """Shape (g,), in 0 .. 1."""
    low: FloatArray
    high: FloatArray


def roc_bounds(fp: FloatArray, tp: FloatArray, rates: FloatArray, z: float) -> CurveBounds:
    """Return the true positive rate at false positive rates, (g,) in 0 .. 1, between straight lines.  O(p + g log p).

    >>> roc_bounds(np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 2.0, 2.0, 2.0]), np.array([0.5]), 1.0).low.round(3)
    array([0.618])
    """
    positives = tp[-1]
    at = whole_counts(rates * fp[-1])

    def found_at(counts: FloatArray) -> FloatArray:
        return np.interp(counts, fp, tp)

    found, moved = found_at(at), _moved(at, (fp[-1], positives), found_at, z)
    height = found / positives
    low, high = _combined(height, _trial_bounds(found, positives, z), (moved[0] / positives, moved[1] / positives))
    return CurveBounds(height, np.where(rates == 1, 1.0, low), high)  # every curve ends in the corner


def precision_bounds(fp: FloatArray, tp: FloatArray, recalls: FloatArray, z: float) -> CurveBounds:
    """Return the precision of the highest threshold that reaches each recall, (g,) in 0 .. 1.  O(p + g log p).

    The cases are a sample: their prevalence is an estimate.  The bounds are those of fp / (fp + positives), which
    has two independent parts and gives the precision.

    >>> precision_bounds(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.5]), 1.0).height
    array([1.])
    """
    positives = tp[-1]
    at = whole_counts(recalls * positives)

    def found_at(counts: FloatArray) -> FloatArray:
        found: FloatArray = fp[np.searchsorted(tp, counts)]
        return found

    least_found = np.maximum(at, tp[tp > 0][0])
    wrong, (below, above) = found_at(least_found), _moved(at, (positives, fp[-1]), found_at, z)
    odds, *moved = (np.asarray(ratio(each, each + positives)) for each in (wrong, below, above))
    own = _trial_bounds(wrong, wrong + positives, z)
    # at the last positive, the precision may be the prevalence, which is unsure too
    prevalence = _trial_bounds(fp[-1:], fp[-1:] + positives, z)
    own = own[0], np.where(positives - at < 1, prevalence[1], own[1])
    low, high = _combined(odds, own, (moved[0], moved[1]))
    height = np.asarray(binary.precision(tp[np.searchsorted(tp, least_found)], wrong))
    least, largest = (_precision(recalls, each) for each in (high, low))
    return CurveBounds(height, np.minimum(least, height), np.maximum(largest, height))


def _precision(recalls: FloatArray, wrong: FloatArray) -> FloatArray:
    """Return the precision at recalls, (g,), where fp / (fp + positives) is `wrong`; 1 without false positives."""
    found = recalls * (1 - wrong)
    return np.where(wrong > 0, np.asarray(ratio(found, found + wrong)), 1.0)


def _moved(
    at: FloatArray, totals: tuple[float, float], found_at: Callable[[FloatArray], FloatArray], z: float
) -> tuple[FloatArray, FloatArray]:
    """Return how few and how many cases of the other class the true thresholds may have at or above them, (g,) each.

    at: expected cases of the class whose rate is given; totals: of this class and of the other; found_at: cases of the
    other class where there are so many of this one.
    """
    total, others = totals
    fewest, most = _count_bounds(at, total, z)
    # beyond the last case of either side the curve goes on to the corner within the width of one more
    below = found_at(np.maximum(fewest, 0)) * np.clip(1 + fewest, 0, 1)
    above = found_at(np.minimum(most, total))
    above = above + (others - above) * np.clip(most - total, 0, 1)
    return np.where(at < 1, 0.0, below), np.where(total - at < 1, others, above)


def _combined(
    height: FloatArray, own: tuple[FloatArray, FloatArray], moved: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Add the squared distances to bounds at the threshold and to the heights of thresholds that may be the one."""
    low = height - np.hypot(height - own[0], height - moved[0])
    high = height + np.hypot(own[1] - height, moved[1] - height)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _trial_bounds(successes: FloatArray, trials: Ratio, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of proportions, (g,), of Agresti and Coull, which hold those of Wilson.

    Wilson's miss a probability next to 0 as soon as one trial succeeds, and of all rates of a curve some are.  Source:
    A. Agresti and B. A. Coull, Approximate is better than "exact" for interval estimation of binomial proportions, The
    American Statistician 52 (1998) 119-126.
    """
    number = trials + z * z
    centre = (successes + z * z / 2) / number
    reach = z * np.sqrt(centre * (1 - centre) / number)
    estimate = successes / trials
    # rounded bounds must hold the estimate
    return np.minimum(centre - reach, estimate).clip(min=0.0), np.maximum(centre + reach, estimate).clip(max=1.0)


def _count_bounds(expected: FloatArray, trials: float, z: float) -> tuple[FloatArray, FloatArray]:
    """Return how few and how many of so many trials may succeed, (g,) each, where so many are expected.

    Towards the middle a binomial distribution has the longer tail: Cornish and Fisher's term for it is added there.
    """
    reach = z * np.sqrt(expected * (1 - expected / trials))
    skewness = z * z / 6 * (1 - 2 * expected / trials)
    return expected - reach + np.minimum(skewness, 0), expected + reach + np.maximum(skewness, 0)
