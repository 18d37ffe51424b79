"""Numbers that are known to lie between two others."""

import math
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.text_tables import html_table

_SLACK = 2.0**-44
"""More than all roundings of a fraction in 0 .. 1 together: each is 2**-53, and 2**-46 for sums of counts to 2**62."""


class Certified(float):
    """A measure, and the bounds between which its exact value certainly lies.

    As a number it is the middle between the bounds, and the exact value where they are equal: so it compares, is equal
    and is hashed.  NaN where the measure is not defined.

    Parameters
    ----------
    low, high : float
        The bounds, in order, both NaN or none.

    Raises
    ------
    EvaluationError
        If low is above high, or one of them alone is NaN.

    Examples
    --------
    >>> area = Certified(0.75, 0.751)
    >>> area, area > 0.7
    (0.7505 [0.75, 0.751], True)
    >>> Certified(0.75, 0.75)
    0.75
    """

    __slots__ = ("high", "low")
    low: float
    """No exact value is below it."""
    high: float
    """No exact value is above it."""

    def __new__(cls, low: float, high: float) -> "Certified":
        """Take the middle, and the bounds as plain numbers."""
        if not (low <= high or (math.isnan(low) and math.isnan(high))):
            raise EvaluationError(f"low must be at most high, or both NaN, got {low} and {high}")
        certified = super().__new__(cls, low + (high - low) / 2 if low < high else low)
        certified.low, certified.high = float(low), float(high)
        return certified

    @property
    def width(self) -> float:
        """How far the bounds are apart, at least 0; NaN where the measure is not defined.

        >>> Certified(0.5, 0.75).width
        0.25
        """
        return self.high - self.low

    @property
    def exact(self) -> bool:
        """Whether the number is the exact value.

        >>> Certified(0.5, 0.75).exact
        False
        """
        return self.low == self.high or (math.isnan(self.low) and math.isnan(self.high))

    def __repr__(self) -> str:
        return super().__repr__() if self.exact else f"{float(self):.6g} [{self.low!r}, {self.high!r}]"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return html_table([["value", "low", "high"], [f"{float(self):.6g}", repr(self.low), repr(self.high)]])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.low, self.high)  # by any protocol of pickle


def outward(low: float, high: float) -> Certified:
    """Widen the worst- and best-case values of a fraction outward by the rounding error.

    low, high: in 0 .. 1; where one is NaN, the other one is both bounds, since the fraction is defined only there.
    """
    lower, upper = np.fmin(low, high), np.fmax(low, high)
    return Certified(max(lower - _SLACK, 0.0), min(upper + _SLACK, 1.0))
