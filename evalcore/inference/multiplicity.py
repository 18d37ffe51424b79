"""Several tests at once: p-values adjusted for the chance of any false finding, or for the fraction of false ones."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.typing import FloatArray, IntArray
from evalcore.validation.arrays import as_column, as_scores


def holm(p_values: ArrayLike) -> FloatArray:
    r"""Return p-values adjusted for the number of tests by Holm's step-down method.

    If you reject hypotheses with adjusted p-values of at most alpha, the probability of any false rejection is at most
    alpha, however the tests depend on each other.

    Parameters
    ----------
    p_values : array-like of shape (k,)
        In 0 .. 1, in any order; for example the ``p_value`` of some comparisons.

    Returns
    -------
    ndarray of shape (k,), float64
        In the same order, each at least the p-value it adjusts and at most 1.

    Raises
    ------
    EvaluationError
        If a p-value is NaN or outside 0 .. 1, or the array is not one-dimensional.
    EvaluationTypeError
        If the array does not hold numbers.

    Notes
    -----
    $$\max_{j \leq i} \min(1, (k - j + 1) p_{(j)})$$

    $p_{(j)}$ is the $j$-th smallest of $k$ p-values.  Use it for few tests, any false rejection of which matters; for
    many take `benjamini_hochberg`.

    O(k log k).  Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> holm([0.25, 0.0625, 0.125])
    array([0.25  , 0.1875, 0.25  ])
    """
    values, order = _checked(p_values)
    stepped = values[order] * np.arange(values.size, 0, -1)  # the smallest is one of k, the next one of k - 1
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> FloatArray:
    r"""Return p-values adjusted for the number of tests by the step-up method of Benjamini and Hochberg.

    If you reject hypotheses with adjusted p-values of at most alpha, the false rejections are at most the fraction
    alpha of all rejections, on average.  Use it where many groups are searched and some false findings do no harm;
    `holm` bounds the probability of any.

    Parameters
    ----------
    p_values : array-like of shape (k,)
        In 0 .. 1, in any order; for example the ``p_value`` of some comparisons.

    Returns
    -------
    ndarray of shape (k,), float64
        In the same order, each at least the p-value it adjusts and at most that of `holm`.  In 0 .. 1.

    Raises
    ------
    EvaluationError
        If a p-value is NaN or outside 0 .. 1, or the array is not one-dimensional.
    EvaluationTypeError
        If the array does not hold numbers.

    Notes
    -----
    $$\min_{j \geq i} \frac{k}{j} p_{(j)}$$

    At most 1; $p_{(j)}$ is the $j$-th smallest of $k$ p-values.  Use it to look through many tests; where any false
    rejection matters take `holm`.

    O(k log k).  The tests must be independent, or depend on each other positively.  Source: Y. Benjamini and Y.
    Hochberg, Controlling the false discovery rate: a practical and powerful approach to multiple testing, Journal of
    the Royal Statistical Society B 57 (1995) 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.25, 0.0625, 0.125])
    array([0.25  , 0.1875, 0.1875])
    """
    values, order = _checked(p_values)
    stepped = values[order] * (values.size / np.arange(1, values.size + 1))  # of k tests, j have so small a p-value
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum.accumulate(stepped[::-1])[::-1]
    return adjusted


def _checked(p_values: ArrayLike) -> tuple[FloatArray, IntArray]:
    """Return p-values, (k,), as float64, and their order; raise EvaluationError for an invalid p-value.  O(k log k)."""
    values = as_column(p_values, "p_values")
    if values.dtype.kind not in "iuf":
        values = as_scores(p_values, "p_values")
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        index = int(wrong.argmax())
        raise EvaluationError(f"p_values[{index}] is {values[index]}; a p-value is in 0 .. 1")
    return values.astype(np.float64), np.argsort(values, kind="stable")


def bonferroni_level(level: float, tests: int) -> float:
    """Return the level at which so many intervals all hold their true values at a level together.  O(1).

    >>> bonferroni_level(0.75, 4)
    0.9375
    """
    return 1 - (1 - level) / tests
