"""Numbers that are known to lie between two others."""

import math
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.text_tables import html_table

_SLACK = 2.0**-44
"""More than all roundings of a fraction in 0 .. 1 together: each is 2**-53, and 2**-46 for sums of counts to 2**62."""

_ROUNDING = 1.01 * 2.0**-53
"""Of a sum, relative to it; so that those of up to 2**40 in a row are at most their number of times this."""
_OF_A_FRACTION = 8
"""More than the sums that a fraction is made of together: a ROC area has six, some of them twice."""
_OF_A_SUM = 256
"""More roundings than NumPy takes to add up an array in pairs, and those of the operations of a formula."""


class Certified(float):
    """A measure, and the bounds between which its exact value certainly lies.

    As a number it is the middle between the bounds, and the exact value where they are equal: so it compares, is equal
    and is hashed.  NaN where the measure is not defined.

    Parameters
    ----------
    low, high : float
        The bounds, in order, both NaN or none.
    value : float, optional
        The number between them, where it is known better than that: but for the rounding of sums of weights.  By
        default the middle.

    Raises
    ------
    EvaluationError
        If low is above high, one of them alone is NaN, or the value is not between them.

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

    def __new__(cls, low: float, high: float, value: float | None = None) -> "Certified":
        """Take the number, and the bounds as plain numbers."""
        if not (low <= high or (math.isnan(low) and math.isnan(high))):
            raise EvaluationError(f"low must be at most high, or both NaN, got {low} and {high}")
        if value is None or math.isnan(low):
            value = low + (high - low) / 2 if low < high else low
        elif not low <= value <= high:
            raise EvaluationError(f"value must be from {low} to {high}, got {value}")
        certified = super().__new__(cls, value)
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
        return type(self), (self.low, self.high, float(self))  # by any protocol of pickle


def outward(low: float, high: float, roundings: int = 0, value: float | None = None) -> Certified:
    """Widen the worst- and best-case values of a fraction outward by the rounding error.

    low, high: in 0 .. 1 but for that error; where one is NaN, the other one is both bounds, since the fraction is
    defined only there.  roundings: those of the sums of weights that the fraction is made of, 0 of whole numbers.
    value: the fraction, where nothing but its rounding is unknown.
    """
    slack = _SLACK + margin_of(roundings)
    if roundings:
        low, high = _fraction(low), _fraction(high)
        value = None if value is None else _fraction(value)
    lower, upper = np.fmin(low, high), np.fmax(low, high)
    return Certified(max(lower - slack, 0.0), min(upper + slack, 1.0), value)


def margin_of(roundings: int) -> float:
    """Return what the rounding of sums adds to a fraction of them at most, relative to it; 0 of whole numbers.  O(1).

    roundings: of the sums.
    """
    return _OF_A_FRACTION * (roundings + _OF_A_SUM) * _ROUNDING if roundings else 0.0


def _fraction(value: float) -> float:
    return value if math.isnan(value) else min(max(value, 0.0), 1.0)
