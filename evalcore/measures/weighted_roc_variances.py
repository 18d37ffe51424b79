"""ROC areas of weighted cases and their variances: DeLong's, of placements by weight.

θ is the weight of the pairs of a correct and an incorrect case that are in order, as a fraction of all pairs.  The
variance is that of its influence values, Σ (w_i / W)² (V_i - θ)² m / (m - 1) for each class of m cases and the weight
W, where V_i is the fraction of the other class, by weight, that the case stands on the right side of.  Equal weights
give DeLong's variance.  Sources: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or
more correlated receiver operating characteristic curves: a nonparametric approach, Biometrics 44 (1988) 837-845; for
weights D. A. Binder, On the variances of asymptotically normal estimators from complex surveys, International
Statistical Review 51 (1983) 279-292.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.pairs import pair_counts_of_points
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums, are_whole
from evalcore.kernels.weighted_placements import lost_fractions
from evalcore.measures.curves import roc_area
from evalcore.typing import AnyArray, BoolArray, FloatArray

_EXACT_PAIRS = 2.0**53


class AreaAndVariance(NamedTuple):
    """A ROC area and its variance."""

    area: float
    """In 0 .. 1; NaN without weight in a class."""
    variance: float
    """At least 0; NaN where a class has fewer than two cases."""


def roc_area_and_variance(correct: WeightSums, incorrect: WeightSums) -> AreaAndVariance:
    """Return the area of a ranking, exact for whole weights of fewer than 2**53 pairs, and its variance.  O(p).

    correct, incorrect: sums over the cases of each class at each distinct score, (p,), best first.

    >>> two = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0, 1.0])  # as frequencies or as weights of 1
    >>> roc_area_and_variance(*(WeightSums(side, side, side) for side in two))
    AreaAndVariance(area=0.75, variance=0.125)
    """
    positive, negative = (float(np.sum(side.sums)) for side in (correct, incorrect))
    if not (positive > 0 and negative > 0):
        return AreaAndVariance(np.nan, np.nan)
    losses = lost_fractions(correct.sums, incorrect.sums)
    lost = _mean(losses.correct, correct.sums)
    won = lost > 1 / 2
    if won:  # small fractions keep more digits
        losses = type(losses)(*(each[::-1] for each in lost_fractions(correct.sums[::-1], incorrect.sums[::-1])))
        lost = _mean(losses.correct, correct.sums)
    sides = zip(losses, (correct, incorrect), strict=True)
    variance = sum(_variance(fractions, side) for fractions, side in sides)
    exact = _exact_area(correct.sums, incorrect.sums) if positive * negative < _EXACT_PAIRS else None
    return AreaAndVariance((lost if won else 1 - lost) if exact is None else exact, variance)


def weighted_roc_areas(losses: Sequence[FloatArray], correct: BoolArray, weights: AnyArray) -> FloatArray:
    """Return the areas of k rankings of the same cases, (k,); losses: k of (n,), of `losses_of_cases`.  O(k n)."""
    own = weights[correct].astype(np.float64)
    return np.array([1 - _mean(each[correct], own) for each in losses])


def weighted_roc_covariance(
    losses: Sequence[FloatArray],
    correct: BoolArray,
    weights: AnyArray,
    contrasts: npt.ArrayLike | None = None,
    *,
    frequencies: bool = False,
) -> FloatArray:
    """Return the covariances of the areas of k rankings of the same cases, or of r weighted sums of them.

    losses: k of (n,), of `losses_of_cases`; correct, weights: (n,), weights above 0; contrasts: (r, k).  Returns (k, k)
    or (r, r); NaN where a class has fewer than two cases.  O(k n + k² n), with contrasts O(r k n).
    """
    sums = np.eye(len(losses)) if contrasts is None else np.asarray(contrasts, np.float64)
    total = np.zeros((len(sums), len(sums)))
    for side in (correct, ~correct):
        own = weights[side].astype(np.float64)
        combined = sum_of_rows(sums, [each[side] for each in losses])
        deviations = combined - np.array([[_mean(row, own)] for row in combined])
        factors = own if frequencies else np.square(own)
        size = float(np.sum(own)) if frequencies else float(own.size)
        products = np.einsum("in,jn->ij", deviations * factors, deviations)
        total += np.asarray(ratio(products, np.sum(own) ** 2)) * _bessel(size)
    return total


def sum_of_rows(factors: FloatArray, rows: Sequence[FloatArray]) -> FloatArray:
    """Add up k rows, (n,) each, times factors, (r, k): (r, n).  O(r k n)."""
    return np.array([sum(factor * row for factor, row in zip(each, rows, strict=True)) for each in factors])


def _variance(fractions: FloatArray, side: WeightSums) -> float:
    mean, weight = _mean(fractions, side.sums), np.sum(side.sums)

    def scattered(block: slice) -> float:
        return float(np.sum(np.square(fractions[block] - mean) * side.squares[block]))

    # divided by the weight twice: its square may leave float64
    scatter = float(ratio(ratio(sum(map_blocks(scattered, fractions.size)), weight), weight))
    return scatter * _bessel(float(np.sum(side.cases)))


def _mean(fractions: FloatArray, weights: FloatArray) -> float:
    sums = map_blocks(lambda block: float(np.sum(fractions[block] * weights[block])), fractions.size)
    return float(ratio(sum(sums), np.sum(weights)))


def _bessel(cases: float) -> float:
    """Return the factor that makes the mean square deviation of so many cases unbiased."""
    return cases / (cases - 1) if cases > 1 else np.nan


def _exact_area(correct: FloatArray, incorrect: FloatArray) -> float | None:
    """Return the area of whole weights, rounded once; None for others."""
    if not (are_whole(correct) and are_whole(incorrect)):
        return None
    fp = np.cumsum(incorrect)
    pairs = pair_counts_of_points(np.cumsum(correct), fp)
    return roc_area(pairs, pairs.correct, int(fp[-1]))
