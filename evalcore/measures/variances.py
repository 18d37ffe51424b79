"""Variances of measures over samples of the same size, by the delta method on the multinomial of a table's cells.

Each is Σ p (g - Σ p g)² / n, where p are the fractions of the cells and g the derivatives of the measure by them.  Of
weighted cases it is Σ w² g², for derivatives by the sums of the weights, whose weighted mean is 0.
Source of the method: Y. M. M. Bishop, S. E. Fienberg and P. W. Holland, Discrete Multivariate Analysis (1975), 14.6.
"""

import numpy as np

from evalcore.kernels.ratios import exact_integers, ratio
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures import binary
from evalcore.measures.agreement import disagreement
from evalcore.typing import AnyArray, Count, FloatArray, Ratio

_CELLS = -2, -1
"""Axes of a table."""


def f1_variance(tp: Count, fn: Count, fp: Count) -> Ratio:
    """Return the variance of F1, F (1 - F) (2 - F) / (2 tp + fn + fp), at least 0; NaN where nothing is positive.

    The mean of the derivatives is 0, for F1 stays the same where all cells grow alike, and true negatives do not
    matter.  O(1).  Source of the method for F measures: K. Takahashi, K. Yamamoto, A. Kuchiba and T. Koyama,
    Confidence interval for micro-averaged F1 and macro-averaged F1 scores, Applied Intelligence 52 (2022) 4961-4972.
    """
    f1, twice = binary.f_measure_of_counts(tp, fn, fp), np.multiply(2.0, tp) + fn + fp
    return ratio(f1 * (2 - f1) * ratio(fn + fp, twice), twice)


def weighted_f1_variance(tp: WeightSums, fn: WeightSums, fp: WeightSums) -> Ratio:
    """Return the variance of F1 of weighted cases, Σ w² g² for the derivatives g; that of `f1_variance` for equal ones.

    At least 0; NaN where nothing is positive.  O(1).
    """
    wrong = fn.sums + fp.sums
    twice = 2 * tp.sums + wrong
    found, missed = ratio(2 * wrong, twice), ratio(2 * tp.sums, twice)  # 2 (1 - F) and F
    return ratio(ratio(np.square(found) * tp.squares + np.square(missed) * (fn.squares + fp.squares), twice), twice)


def kappa_variance(counts: AnyArray, squares: AnyArray | None = None, apart: AnyArray | None = None) -> Ratio:
    """Return the variance of Cohen's kappa, at least 0; NaN where kappa is.

    counts: (k, k) int64, a row for each reference, or (..., k, k) of many tables; or float64 sums of weights, with the
    sums of their squares; apart: as of `kappa_derivatives`.  O(k²) for each.  Source: J. L. Fleiss, J. Cohen and B. S.
    Everitt, Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72 (1969) 323-327, here as
    the variance that it is instead of a difference of squares, from whole numbers.  Exactly 0 where it is 0.
    """
    variances: Ratio = np.sum(
        (counts if squares is None else squares) * np.square(kappa_derivatives(counts, apart)), axis=_CELLS
    )
    return variances


def kappa_derivatives(counts: AnyArray, apart: AnyArray | None = None) -> FloatArray:
    """Return how much kappa changes with each cell of tables, (..., k, k), as `kappa_variance` takes them.

    apart: (k, k), how much two classes disagree, 0 on the diagonal; by default 1 for any other.  O(k²).
    """
    apart = disagreement(counts.shape[-1], 0) if apart is None else apart
    cells = counts.astype(np.float64) if apart.dtype.kind == "f" else counts
    if cells.dtype.kind != "f":
        total = int(np.max(counts.sum(axis=_CELLS), initial=0))
        cells, apart = exact_integers(cells, apart, most=4 * int(apart.max(initial=0)) ** 2 * total**3)
    reference, response, total = (cells.sum(axis=axes, keepdims=True) for axes in (-1, -2, _CELLS))
    # added, not subtracted: sums of weights are rounded
    wrong = (cells * apart).sum(axis=_CELLS, keepdims=True)
    from_response, from_reference = apart @ response.swapaxes(*_CELLS), reference.swapaxes(*_CELLS) @ apart
    by_chance = from_reference @ response.swapaxes(*_CELLS)
    # the derivatives, except for a factor that all have: whole numbers of counts
    deviations = total * wrong * (from_response + from_reference) - by_chance * (wrong + total * apart)
    return np.asarray(ratio(deviations, np.square(by_chance.astype(np.float64))))


def ratio_derivatives(numerators: AnyArray, denominators: AnyArray, tables: FloatArray) -> FloatArray:
    """Return how much a quotient of sums over cells changes with each; factors: (2, 2); tables: (..., 2, 2).  O(1)."""
    above, below = ((each * tables).sum(axis=_CELLS, keepdims=True) for each in (numerators, denominators))
    return np.asarray(ratio(numerators - ratio(above, below) * denominators, below))


def variance_of_known_prevalence(derivatives: FloatArray, tables: WeightSums) -> FloatArray:
    """Return variances of measures of weights whose prevalence is given, so that only decisions within classes vary.

    derivatives, tables: (..., 2, 2), a row for each reference.  Returns (...).  O(1).  Source: D. Holt and T. M. F.
    Smith, Post stratification, Journal of the Royal Statistical Society A 142 (1979) 33-46.
    """
    others = ratio(tables.sums[..., ::-1], tables.sums.sum(axis=-1, keepdims=True))
    deviations = (derivatives - derivatives[..., ::-1]) * others  # from the mean of the class, and 0 of a single cell
    variances: FloatArray = np.sum(tables.squares * np.square(deviations), axis=_CELLS)
    return variances
