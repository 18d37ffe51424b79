"""ROC AUCs and their variances, from the placements of the cases.

DeLong's structural components are (1 - d / n) / 2 for a correct case with the placement d among n incorrect ones, and
(1 + d / m) / 2 for an incorrect case among m correct ones.  Without weights every number is the quotient of two whole
numbers, rounded once.

With weights, θ is the weight of the pairs of a correct and an incorrect case that are in order, as a fraction of all
pairs.  The variance is that of its influence values, Σ (w_i / W)² (V_i - θ)² m / (m - 1) for each class of m cases and
the weight W, where V_i is the fraction of the other class, by weight, that the case stands on the right side of.  Equal
weights give DeLong's variance.  Sources: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under
two or more correlated receiver operating characteristic curves: a nonparametric approach, Biometrics 44 (1988) 837-845;
for weights D. A. Binder, On the variances of asymptotically normal estimators from complex surveys, International
Statistical Review 51 (1983) 279-292.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.grouping import GroupedWeights
from evalcore.kernels.placements import ClassMoments, PlacementMoments, WholeNumbers
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import RankedPart, WeightSums, WeightWalk
from evalcore.measures.curves import fraction_of_pairs, roc_aucs
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray


def roc_auc_of_sum(correct: int, incorrect: int, total: int) -> float:
    """Return the area of a ranking, from the sum of the placements of the correct ones.  O(1)."""
    # placements add up to the pairs lost less those won; a tied pair counts as half of each
    return fraction_of_pairs(correct * incorrect - total, 2 * correct, incorrect)


def roc_covariance(moments: PlacementMoments, contrasts: npt.ArrayLike) -> FloatArray:
    """Return the covariances of r weighted sums of the areas of k rankings.

    contrasts: (r, k) whole numbers, the weights.  Returns (r, r) float64; NaN where one of the classes has fewer than
    two cases.  O(r k²).  Source: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or
    more correlated receiver operating characteristic curves: a nonparametric approach, Biometrics 44 (1988) 837-845.

    >>> from evalcore.kernels.placements import moments_of, placements
    >>> from evalcore.kernels.sorting import indexed_order
    >>> scores = [np.array([0.9, 0.4, 0.5, 0.1]), np.array([0.9, 0.8, 0.5, 0.1])]
    >>> correct = np.array([True, True, False, False])
    >>> moments = moments_of([placements(indexed_order(each, correct)) for each in scores])
    >>> roc_covariance(moments, np.eye(2))
    array([[0.125, 0.   ],
           [0.   , 0.   ]])
    >>> roc_covariance(moments, [[1, -1]])
    array([[0.125]])
    """
    weights = np.array(contrasts, np.int64).astype(object)
    return _over_pairs(weights @ _numerators(moments) @ weights.T, moments)


def variances_of_contrasts(moments: PlacementMoments, contrasts: npt.ArrayLike) -> FloatArray:
    """Return the diagonal of `roc_covariance`, (r,), for which products of joined rankings are enough.  O(r k²)."""
    weights = np.array(contrasts, np.int64).astype(object)
    return _over_pairs((weights @ _numerators(moments) * weights).sum(axis=1), moments)


def _numerators(moments: PlacementMoments) -> WholeNumbers:
    correct, incorrect = moments
    return np.asarray((incorrect.size - 1) * _scatter(correct) + (correct.size - 1) * _scatter(incorrect))


def _over_pairs(numerators: WholeNumbers, moments: PlacementMoments) -> FloatArray:
    denominator = _denominator(moments.correct.size, moments.incorrect.size)
    if denominator == 0:
        return np.full(numerators.shape, np.nan)
    return np.asarray((numerators / denominator).astype(np.float64))


_FEW_PAIRS = 1 << 17
"""Of so few, variances of areas are quotients of whole numbers below 2**53, which floats hold."""


def roc_auc_variances(correct: AnyArray, incorrect: AnyArray, *moments: AnyArray) -> FloatArray:
    """Return the variance of the area of each of g rankings of different cases, as `roc_covariance`.

    correct, incorrect: (g,) sizes of the classes; moments: (g,) sums of the placements of correct cases, of their
    squares, and of those of incorrect ones; all of them whole numbers.  With the differences of the placements in two
    rankings, the variances are those of the differences of areas.  Returns (g,).  O(g).
    """
    several, few = (correct > 1) & (incorrect > 1), correct * incorrect < _FEW_PAIRS
    every = [each if each.dtype == object else each.astype(np.int64) for each in (correct, incorrect, *moments)]
    variances = np.full(correct.size, np.nan)
    # Python's integers otherwise: products of sums of squares take more than 64 bits
    for dtype, chosen in ((np.int64, several & few), (object, several & ~few)):
        if chosen.any():
            m, n, total, own, other = (column[chosen].astype(dtype) for column in every)
            numerators = (n - 1) * (m * own - total**2) + (m - 1) * (n * other - total**2)
            variances[chosen] = numerators / _denominator(m, n)
    return variances


def _denominator(correct: Any, incorrect: Any) -> Any:
    """Return the denominator of variances of areas, for numbers of cases of both classes or arrays of them."""
    return 4 * correct**2 * incorrect**2 * (correct - 1) * (incorrect - 1)


def _scatter(moments: ClassMoments) -> WholeNumbers:
    """Add up the products of the deviations of placements from their means; times the size of the class."""
    return np.asarray(moments.size * moments.products - np.multiply.outer(moments.sums, moments.sums))


_HALF = 0.5
_ROUNDED = 2.0**-49
"""Times the mean: values may differ from it by rounding alone."""


class AreaAndVariance(NamedTuple):
    """A ROC AUC and its variance."""

    area: float
    """In 0 .. 1; NaN without weight in a class."""
    variance: float
    """At least 0; NaN where a class has fewer than two cases."""
    classes: WeightSums
    """Sums over the correct and over the incorrect cases, (2,)."""


def roc_auc_and_variance(ranking: WeightWalk, area: float | None = None, *, frequencies: bool) -> AreaAndVariance:
    """Return the area of a ranking and its variance; whole weights give the exact area.  O(n), in blocks of memory.

    area: if it is known.

    >>> from evalcore.kernels.weights import SortedWeights, walk_of_weights
    >>> cases = SortedWeights(np.arange(4), np.ones(4, np.bool_), np.array([1.0, -1.0, 1.0, -1.0]))
    >>> roc_auc_and_variance(walk_of_weights(cases), frequencies=False)[:2]
    (0.75, 0.125)
    """
    area = float(roc_aucs(ranking)[0]) if area is None else area
    # of what is lost and what is won the one with more digits
    lost, mean, sums = area > _HALF, min(area, 1 - area), ranking.sums.sum(axis=0)

    def of_part(part: RankedPart) -> list[tuple[np.float64, np.float64]]:
        runs, tied = part.runs, np.flatnonzero(part.runs.negatives)
        own, others, between = (runs.positives, runs.negatives, part.between) if frequencies else part.squares()
        if lost:
            faced, below = runs.fp - runs.negatives / 2, np.append(runs.positives, part.below[0])
            facing = below[::-1].cumsum()[::-1]
        else:
            faced, facing = np.asarray(runs.fp_after) + runs.negatives / 2, np.append(part.above[0], runs.tp)
        facing = np.append(facing, (facing[:-1] + facing[1:])[tied] / 2)
        sides = zip((faced, facing), sums[::-1], (own, np.append(between, others[tied])), strict=True)
        scatters = ((np.square(ratio(values, other) - mean) * squares, squares) for values, other, squares in sides)
        return [(np.sum(scatter), np.sum(squares)) for scatter, squares in scatters]

    scatters, squares = np.sum(ranking.map_parts(of_part), axis=0).T
    scatters *= scatters > squares * (mean * _ROUNDED) ** 2  # without order all values are the mean, but for rounding
    correct = int(np.count_nonzero(ranking.cases.weights > 0))
    numbers = sums if frequencies else np.array([correct, ranking.cases.ends.size - correct], np.float64)
    variances = ratio(ratio(scatters, sums), sums) * np.array([*map(_bessel, numbers.tolist())])
    variance = np.nan if np.isnan(area) else float(np.sum(variances))
    return AreaAndVariance(area, variance, WeightSums(sums, squares, numbers))


def weighted_roc_covariance(
    losses: Sequence[FloatArray], correct: BoolArray, weights: AnyArray, contrasts: npt.ArrayLike, *, frequencies: bool
) -> FloatArray:
    """Return the covariances of r weighted sums of the areas of k rankings of the same cases.

    losses: k of (n,), of `losses_of_cases`; correct, weights: (n,), weights above 0; contrasts: (r, k).  Returns (k, k)
    or (r, r); NaN where a class has fewer than two cases.  O(k n + k² n), with contrasts O(r k n).
    """
    sums, width = np.asarray(contrasts, np.float64), 1 + len(losses)

    def scatter_of(side: bool) -> FloatArray:
        first = int(np.argmax(correct == side))  # the mean of equal values is one of them
        base = sum_of_rows(sums, [each[first : first + 1] for each in losses])

        def of_block(block: slice) -> list[Any]:
            rows = np.flatnonzero(correct[block] == side)
            own = weights[block][rows].astype(np.float64)
            values = sum_of_rows(sums, [each[block][rows] for each in losses]) - base
            means = (values * own).sum(axis=1) / (own.sum() or 1.0)
            values -= means[:, np.newaxis]
            squares = own if frequencies else np.square(own)
            scaled = values * squares
            products = np.einsum("in,jn->ij", scaled, values)
            return [own.size, own.sum(), squares.sum(), means, scaled.sum(axis=1), products]

        # about the mean of each block first, so that cases are read once
        every = zip(*map_blocks(of_block, correct.size, width), strict=True)
        sizes, own, squares, means, firsts, products = map(np.array, every)
        weight = own.sum()
        means -= np.asarray(ratio(np.einsum("b,bi->i", own, means), weight))
        moved = np.einsum("bi,bj->ij", means, firsts + squares[:, np.newaxis] * means / 2)
        scatter = products.sum(axis=0) + moved + moved.T
        return np.asarray(ratio(scatter, weight**2)) * _bessel(float(weight if frequencies else sizes.sum()))

    return scatter_of(True) + scatter_of(False)


def sum_of_rows(factors: AnyArray, rows: Sequence[AnyArray]) -> AnyArray:
    """Add up k rows, (n,) each, times factors, (r, k): (r, n).  O(r k n)."""
    found = np.zeros((len(factors), rows[0].size), np.result_type(factors, *rows))
    for sums, each in zip(found, factors, strict=True):
        for factor, row in zip(each, rows, strict=True):
            if factor:  # mostly 1 or -1, which take no product
                np.add(sums, row if factor == 1 else factor * row, out=sums)
    return found


def _bessel(cases: float) -> float:
    """Return the factor that makes the mean square deviation unbiased."""
    return cases / (cases - 1) if cases > 1 else np.nan


def grouped_lost_fractions(found: GroupedWeights) -> tuple[FloatArray, FloatArray]:
    """Return the weight of incorrect cases above, and of correct ones below, each score of its group, (p,) each.

    As fractions of all of the class; ties count half; NaN where a class is empty.  O(p).

    >>> from evalcore.kernels.grouping import grouped_weights
    >>> scores, correct = np.array([0.9, 0.5, 0.9, 0.5]), np.array([True, False, False, True])
    >>> grouped_lost_fractions(grouped_weights(scores, correct, np.ones(4), np.array([2, 2])))
    (array([0. , 0.5, 0.5, 1. ]), array([0.5, 0. , 1. , 0.5]))
    """
    runs = found.scores
    of_class, of_others = map(runs.of_runs, runs.totals)
    lost, missed = runs.fp - runs.negatives / 2, of_class - (runs.tp - runs.positives / 2)
    return np.asarray(ratio(lost, of_others)), np.asarray(ratio(missed, of_class))


def variances_of_placements(placed: IntArray, correct: BoolArray, first: IntArray) -> FloatArray:
    """Return the variances of areas, or of their differences, from placements or their differences, (g,).  O(n).

    placed, correct: (n,), at most a block, group after group; first: where each starts, (g,).  As `roc_covariance`.
    """
    own = placed * correct
    columns = correct, own, own * placed, placed * placed
    positives, sums, squares, every = (np.add.reduceat(column, first, dtype=np.int64) for column in columns)
    negatives = np.diff(first, append=correct.size) - positives
    return roc_auc_variances(positives, negatives, sums, squares, every - squares)


def variances_of_losses(
    lost: FloatArray, correct: BoolArray, weights: FloatArray, first: IntArray, *, frequencies: bool = False
) -> FloatArray:
    """Return the same of weighted cases, from what they lose or its differences, (n,); weights: (n,).  O(n)."""
    variances = np.zeros(first.size)
    for side in (correct, ~correct):
        own = weights * side
        rest = (own, own) if frequencies else (own * own, side * 1.0)
        variances += variances_of_means(lost, WeightSums(own, *rest), first)
    return variances


def weighted_roc_variances(found: GroupedWeights) -> FloatArray:
    """Return the variance of the area of each group, (g,); NaN with fewer than two cases of a class.  O(p)."""
    lost, missed = grouped_lost_fractions(found)
    sides = zip((lost, missed), (found.at_scores.at(side) for side in (0, 1)), strict=True)
    return np.asarray(sum(variances_of_means(values, weights, found.scores.starts[:-1]) for values, weights in sides))


def variances_of_means(values: FloatArray, weights: WeightSums, first: IntArray) -> FloatArray:
    """Return the variances of weighted means of values, (p,), from each first index, (g,), to the next.

    weights: sums over the cases of each value, (p,).  Returns (g,); NaN with fewer than two cases.  O(p).
    """
    sizes, base = np.diff(first, append=values.size), values[first]  # the mean of equal values is one of them
    deviations = (values - base.repeat(sizes)) * weights.sums
    sums, cases, weighted = (np.add.reduceat(each, first) for each in (weights.sums, weights.cases, deviations))
    means = (base + np.asarray(ratio(weighted, sums))).repeat(sizes)
    scatter = np.add.reduceat(weights.squares * np.square(values - means), first)
    return np.where(cases > 1, np.asarray(ratio(ratio(ratio(scatter, sums), sums) * cases, cases - 1)), np.nan)
