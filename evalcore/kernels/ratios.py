"""The one division."""

import numpy as np
import numpy.typing as npt

from evalcore.typing import Ratio


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Ratio:
    """Divide elementwise in float64, silently: 0/0 is NaN, x/0 is infinite, what is too small is rounded.

    O(n) for arrays of shape (n,).

    >>> ratio(np.array([1, 0]), np.array([2, 0]))
    array([0.5, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        quotient: Ratio = np.divide(numerator, denominator, dtype=np.float64)
    return quotient
