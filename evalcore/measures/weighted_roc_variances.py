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
from evalcore.kernels.loss_moments import LossMoments, loss_moments
from evalcore.kernels.ratios import ratio
from evalcore.kernels.sorted_weights import PartedRuns, SortedWeights, parted_runs
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures.curves import roc_areas
from evalcore.typing import AnyArray, BoolArray, FloatArray

_MOSTLY_LOST = 0.1
"""Below this area what is won is added up by itself: small fractions keep more digits."""


class AreaAndVariance(NamedTuple):
    """A ROC area and its variance."""

    area: float
    """In 0 .. 1; NaN without weight in a class."""
    variance: float
    """At least 0; NaN where a class has fewer than two cases."""
    classes: WeightSums
    """Sums over the correct and over the incorrect cases, (2,)."""


def roc_area_and_variance(
    cases: SortedWeights, sums: PartedRuns, *, frequencies: bool = False, whole: bool = False
) -> AreaAndVariance:
    """Return the area of a ranking and its variance.  O(n).

    sums: `parted_runs` of the cases; whole: whether weights are, so that the area is exact.

    >>> cases = SortedWeights(np.arange(4), np.ones(4, np.bool_), np.array([1.0, -1.0, 1.0, -1.0]))
    >>> roc_area_and_variance(cases, parted_runs(cases))[:2]
    (0.75, 0.125)
    """
    moments = loss_moments(cases, sums, frequencies=frequencies)
    classes = WeightSums(*(np.array(column) for column in list(zip(*moments, strict=True))[:3]))
    if not classes.sums.all():
        return AreaAndVariance(np.nan, np.nan, classes)
    if moments[0].lost > (1 - _MOSTLY_LOST) * moments[1].weight:
        upside_down = cases.reversed()
        moments = loss_moments(upside_down, parted_runs(upside_down), frequencies=frequencies)
    variance = sum(_variance(*each) for each in (moments, moments[::-1]))
    area = roc_areas(sums.runs.in_counts if whole else sums.runs)[0]
    return AreaAndVariance(float(area), variance, classes)


def weighted_roc_areas(
    losses: Sequence[FloatArray], correct: BoolArray, weights: AnyArray, rankings: Sequence[SortedWeights] = ()
) -> FloatArray:
    """Return the areas of k rankings of the same cases, (k,); losses: k of (n,), of `losses_of_cases`.  O(k n).

    rankings: those of the losses.
    """
    own = weights[correct].astype(np.float64)
    # a mean of ones, rounded, may be above one
    areas = np.array([np.maximum(1 - _mean(each[correct], own), 0.0) for each in losses])
    for index, ranking in enumerate(rankings):
        if areas[index] < _MOSTLY_LOST:
            areas[index] = roc_areas(parted_runs(ranking).runs)[0]
    return areas


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
    width = 1 + len(losses)

    def scatter_of(side: bool) -> FloatArray:
        def cases_of(block: slice) -> tuple[FloatArray, FloatArray]:
            rows = np.flatnonzero(correct[block] == side)
            own = weights[block][rows].astype(np.float64)
            return own, sum_of_rows(sums, [each[block][rows] for each in losses])

        def means_of(block: slice) -> FloatArray:
            own, combined = cases_of(block)
            return np.array([own.size, own.sum(), *(combined * own).sum(axis=1)])

        size, weight, *means = np.sum(map_blocks(means_of, correct.size, width), axis=0)
        centre = np.asarray(ratio(means, weight))[:, np.newaxis]

        def products_of(block: slice) -> FloatArray:
            own, combined = cases_of(block)
            deviations = combined - centre
            products: FloatArray = np.einsum(
                "in,jn->ij", deviations * (own if frequencies else np.square(own)), deviations
            )
            return products

        products = np.sum(map_blocks(products_of, correct.size, width), axis=0)
        return np.asarray(ratio(products, weight**2)) * _bessel(float(weight if frequencies else size))

    return scatter_of(True) + scatter_of(False)


def sum_of_rows(factors: FloatArray, rows: Sequence[FloatArray]) -> FloatArray:
    """Add up k rows, (n,) each, times factors, (r, k): (r, n).  O(r k n)."""
    return np.array([sum(factor * row for factor, row in zip(each, rows, strict=True)) for each in factors])


def _variance(own: LossMoments, other: LossMoments) -> float:
    # divided by one weight after the other: their product may leave float64
    return own.scatter / own.weight / own.weight / other.weight / other.weight * _bessel(own.cases)


def _mean(fractions: FloatArray, weights: FloatArray) -> float:
    sums = map_blocks(lambda block: float(np.sum(fractions[block] * weights[block])), fractions.size)
    return float(ratio(sum(sums), np.sum(weights)))


def _bessel(cases: float) -> float:
    """Return the factor that makes the mean square deviation of so many cases unbiased."""
    return cases / (cases - 1) if cases > 1 else np.nan
