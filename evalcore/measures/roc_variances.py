"""ROC areas and their variances, from the placements of the cases.

DeLong's structural components are (1 - d / n) / 2 for a correct case with the placement d among n incorrect ones, and
(1 + d / m) / 2 for an incorrect case among m correct ones.  Every number here is the quotient of two whole numbers,
rounded once.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.kernels.pairs import PairCounts
from evalcore.kernels.placements import ClassMoments, PlacementMoments, WholeNumbers
from evalcore.kernels.runs import Runs
from evalcore.measures.curves import roc_area
from evalcore.typing import AnyArray, FloatArray


def roc_areas(moments: PlacementMoments) -> FloatArray:
    """Return the area under the ROC curve of each of k rankings, (k,) in 0 .. 1, as `curves.roc_area`.  O(k)."""
    positives, negatives = moments.correct.size, moments.incorrect.size
    return np.array([roc_area_of_sum(positives, negatives, total) for total in moments.correct.sums])


def roc_area_of_sum(correct: int, incorrect: int, total: int) -> float:
    """Return the area of a ranking of so many cases, from the sum of the placements of the correct ones.  O(1)."""
    # placements add up to the pairs lost less those won; a tied pair counts as half of each
    twice_lost = correct * incorrect + total
    return roc_area(PairCounts(correct, (twice_lost + 1) // 2, twice_lost % 2), correct, incorrect)


def roc_covariance(moments: PlacementMoments, contrasts: npt.ArrayLike | None = None) -> FloatArray:
    """Return the covariances of the areas of k rankings, or of r weighted sums of them.

    contrasts: (r, k) whole numbers, the weights; without them, each area by itself.  Returns (k, k) or (r, r) float64;
    NaN where one of the classes has fewer than two cases.  O(k²), with contrasts O(r k²).  Source: E. R. DeLong, D. M.
    DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated receiver operating characteristic
    curves: a nonparametric approach, Biometrics 44 (1988) 837-845.

    >>> from evalcore.kernels.placements import joint_placement_moments
    >>> scores = [np.array([0.9, 0.4, 0.5, 0.1]), np.array([0.9, 0.8, 0.5, 0.1])]
    >>> moments = joint_placement_moments(scores, np.array([True, True, False, False]))
    >>> roc_covariance(moments)
    array([[0.125, 0.   ],
           [0.   , 0.   ]])
    >>> roc_covariance(moments, [[1, -1]])
    array([[0.125]])
    """
    correct, incorrect = moments
    m, n = correct.size, incorrect.size
    weights = np.array(np.eye(correct.sums.size, dtype=np.int64) if contrasts is None else contrasts, dtype=object)
    denominator = _denominator(m, n)
    if denominator == 0:
        return np.full((len(weights), len(weights)), np.nan)
    numerators = (n - 1) * _scatter(correct) + (m - 1) * _scatter(incorrect)
    covariances: FloatArray = (weights @ numerators @ weights.T / denominator).astype(np.float64)
    return covariances


def roc_area_variances(
    correct: AnyArray, incorrect: AnyArray, sums: AnyArray, squares: AnyArray, incorrect_squares: AnyArray
) -> FloatArray:
    """Return the variance of the area of each of g rankings of different cases, as `roc_covariance`.

    correct, incorrect: (g,) sizes of the classes; sums, squares: (g,) sums of the placements of correct cases, and of
    their squares; incorrect_squares: of those of incorrect ones; all of them whole numbers.  With the differences of
    the placements in two rankings, the variances are those of the differences of areas.  Returns (g,).  O(g).
    """
    defined = (correct > 1) & (incorrect > 1)
    # Python's integers: products of sums of squares take more than 64 bits
    m, n, total, own, other = (
        column[defined] if column.dtype == object else column[defined].astype(np.int64).astype(object)
        for column in (correct, incorrect, sums, squares, incorrect_squares)
    )
    numerators = (n - 1) * (m * own - total**2) + (m - 1) * (n * other - total**2)
    variances = np.full(correct.size, np.nan)
    variances[defined] = numerators / _denominator(m, n)
    return variances


def roc_area_variances_of_runs(runs: Runs) -> FloatArray:
    """Return DeLong's variance of each area, (g,), as `roc_covariance`; NaN with fewer than two of a class.  O(r).

    Of counts alone, and of groups of at most `evalcore.kernels.blocks.BLOCK` cases.
    """
    (positives, negatives), own, beside = runs.totals, runs.positives, runs.negatives
    above, before = 2 * runs.fp - beside, runs.tp - own
    # The square of twice the correct cases above an incorrect one is a sum of increments, one for each run above it;
    # an incorrect case of the run itself takes part of the increment of that run.
    below = runs.of_runs(negatives) - (above + beside) // 2
    increments = 4 * own * (2 * before + own) * below + own * (4 * before + own) * beside
    sums = runs.add_up(own * above)
    other_sums = 2 * positives * negatives - sums  # of the incorrect cases: each pair counts twice
    squares = runs.add_up(own * above**2) - 2 * negatives * sums + positives * negatives**2
    other_squares = runs.add_up(increments) - 2 * positives * other_sums + negatives * positives**2
    return roc_area_variances(positives, negatives, sums - positives * negatives, squares, other_squares)


def _denominator(correct: Any, incorrect: Any) -> Any:
    """Return the denominator of variances of areas, for numbers of cases of both classes or arrays of them."""
    return 4 * correct**2 * incorrect**2 * (correct - 1) * (incorrect - 1)


def _scatter(moments: ClassMoments) -> WholeNumbers:
    """Add up the products of the deviations of placements from their means; times the size of the class."""
    scatter: WholeNumbers = moments.size * moments.products - np.multiply.outer(moments.sums, moments.sums)
    return scatter


def welch_freedom(variances: tuple[float, float], sizes: tuple[float, float]) -> float:
    """Return the degrees of freedom of a difference of two independent estimates, above 0; seldom a whole number.

    variances: of the estimates, not both 0; sizes: of the samples, at least 1 case each.  O(1).  Source: B. L. Welch,
    The generalization of 'Student's' problem when several different population variances are involved, Biometrika 34
    (1947) 28-35; of areas, with all cases of a sample counted, as the R package pROC has it.
    """
    # of weights of which one dominates, effective cases are rounded to 1
    terms = (variance**2 / max(size - 1, 1e-9) for variance, size in zip(variances, sizes, strict=True))
    return sum(variances) ** 2 / sum(terms)
