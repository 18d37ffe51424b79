"""The one division, and exact integers for differences of products."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.typing import FloatArray, Ratio

_LARGEST = np.iinfo(np.int64).max
_ROUNDING = 1e-9
"""Of a number of cases: 1 - 0.95 is slightly more than 0.05."""


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Ratio:
    """Divide elementwise in float64, silently: 0/0 is NaN, x/0 is infinite, what is too small is rounded.

    The quotient of two Python integers is exact, rounded once, also in arrays.  O(n) for arrays of shape (n,).
    """
    if type(numerator) is int and type(denominator) is int and denominator:
        return numerator / denominator
    if type(numerator) is float and type(denominator) is float and denominator:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        # "unsafe" for arrays of Python's integers
        quotient: Ratio = np.divide(numerator, denominator, dtype=np.float64, casting="unsafe")
    if _holds_objects(numerator) and _holds_objects(denominator):  # float64 would have rounded both before it divides
        exact, defined = np.array(quotient), np.asarray(np.not_equal(denominator, 0))
        np.divide(numerator, denominator, out=exact, where=defined, casting="unsafe")
        return exact[()]
    return quotient


def as_written(rate: float) -> Fraction:
    """Return a rate as the decimal that it is written as, which float64 holds to half a digit only.

    >>> as_written(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(rate)))


def whole_counts(counts: FloatArray) -> FloatArray:
    """Round numbers of cases, (g,), that are whole but for rounding.  O(g)."""
    nearest = np.rint(counts)
    return np.where(np.abs(counts - nearest) <= _ROUNDING * np.maximum(nearest, 1), nearest, counts)


def _holds_objects(values: npt.ArrayLike) -> bool:
    return isinstance(values, np.ndarray) and values.dtype == np.object_


def exact_integers(*counts: Any, most: int | None = None) -> list[Any]:
    """Return counts as numbers whose sums and products are exact: Python's integers, one by one or in arrays.

    counts: numbers or arrays; most: the largest number that will be computed from them, if that is known: up to
    2**63 - 1 arrays stay int64, which is fast.  Weights, which are floats, stay what they are.  O(n) for arrays (n,).
    """
    kept = most is not None and most <= _LARGEST
    return [count if kept or not _is_fixed(count) else count.astype(object) for count in counts]


def _is_fixed(count: Any) -> bool:
    """Whether these are NumPy integers, which wrap around."""
    return isinstance(count, np.ndarray | np.generic) and count.dtype.kind in "iu"
