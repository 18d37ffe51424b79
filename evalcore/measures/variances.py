"""Variances of measures over samples of the same size, by the delta method on the multinomial of a table's cells.

Each is Σ p (g - Σ p g)² / n, where p are the fractions of the cells and g the derivatives of the measure by them.
Source of the method: Y. M. M. Bishop, S. E. Fienberg and P. W. Holland, Discrete Multivariate Analysis (1975), 14.6.
"""

import numpy as np

from evalcore.kernels.ratios import exact_integers, ratio
from evalcore.measures import binary
from evalcore.typing import Count, IntArray, Ratio


def f1_variance(tp: Count, fn: Count, fp: Count) -> Ratio:
    """Return the variance of F1, F (1 - F) (2 - F) / (2 tp + fn + fp), at least 0; NaN where nothing is positive.

    The mean of the derivatives is 0, for F1 stays the same where all cells grow alike, and true negatives do not
    matter.  O(1).  Source of the method for F measures: K. Takahashi, K. Yamamoto, A. Kuchiba and T. Koyama,
    Confidence interval for micro-averaged F1 and macro-averaged F1 scores, Applied Intelligence 52 (2022) 4961-4972.
    """
    f1, twice = binary.f_measure_of_counts(tp, fn, fp), np.multiply(2.0, tp) + fn + fp
    return ratio(f1 * (2 - f1) * ratio(fn + fp, twice), twice)


def kappa_variance(counts: IntArray) -> Ratio:
    """Return the variance of Cohen's kappa, at least 0; NaN where kappa is.

    counts: (k, k) int64, a row for each reference, or (..., k, k) of many tables.  O(k²) for each.  Source: J. L.
    Fleiss, J. Cohen and B. S. Everitt, Large sample standard errors of kappa and weighted kappa, Psychological Bulletin
    72 (1969) 323-327, here as the variance that it is instead of a difference of squares, from whole numbers.  Exactly
    0 where it is 0.
    """
    tables = (-2, -1)
    largest = int(np.max(counts.sum(axis=tables), initial=0))
    (exact,) = exact_integers(counts, most=4 * largest**3)
    reference, response, total = (exact.sum(axis=axes, keepdims=True) for axes in (-1, -2, tables))
    right = exact.diagonal(0, *tables).sum(axis=-1, keepdims=True)[..., np.newaxis]
    by_chance = response @ reference
    beyond_chance, wrong = total**2 - by_chance, total - right
    # the derivatives, except for a factor that all have, less their mean: whole numbers
    mean = beyond_chance * right - 2 * wrong * by_chance
    deviations = -total * wrong * (response.swapaxes(*tables) + reference.swapaxes(*tables)) - mean
    diagonal = np.arange(counts.shape[-1])
    deviations[..., diagonal, diagonal] += (total * beyond_chance)[..., 0]
    scaled = ratio(deviations, np.square(beyond_chance.astype(np.float64)))
    variances: Ratio = np.sum(counts * np.square(scaled), axis=tables)
    return variances
