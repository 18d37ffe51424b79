"""Several tests at once: p-values adjusted so that the chance of any false finding is that of a single test."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.typing import FloatArray
from evalcore.validation.arrays import as_column, as_scores


def holm(p_values: ArrayLike) -> FloatArray:
    """Return p-values adjusted for the number of tests by Holm's step-down method.

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
    O(k log k).  Source: S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6 (1979) 65-70.

    Examples
    --------
    >>> holm([0.25, 0.0625, 0.125])
    array([0.25  , 0.1875, 0.25  ])
    """
    values = as_column(p_values, "p_values")
    if values.dtype.kind not in "iuf":
        values = as_scores(p_values, "p_values")
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        index = int(wrong.argmax())
        raise EvaluationError(f"p_values[{index}] is {values[index]}; a p-value is in 0 .. 1")
    values = values.astype(np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(values.size, 0, -1)  # the smallest is one of k, the next one of k - 1
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def bonferroni_level(level: float, tests: int) -> float:
    """Return the level at which so many intervals all hold their true values at a level together.  O(1).

    >>> bonferroni_level(0.75, 4)
    0.9375
    """
    return 1 - (1 - level) / tests
