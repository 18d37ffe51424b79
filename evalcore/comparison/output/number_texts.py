"""Numbers of a comparison as people read them: with as many decimals as tell two models apart."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from evalcore.evaluation.differences import MeasureDifference

DECIMALS = 4
"""Decimals of numbers in tables, unless a difference needs more, or others are asked for."""
MISSING = "\N{EN DASH}"
"""Stands where there is no number."""
_MOST_DECIMALS = 15
"""Those that float64 certainly holds of numbers up to 1."""
_MOST_OF_BOUNDS = 8
"""Decimals up to which a bound is told from 0."""
_LEAST_P_VALUE = 1e-300
"""Smaller ones are not told apart: floats have hardly any."""
_IN_FULL = 0.001
"""P-values from here on have four decimals."""


class DifferenceTexts(NamedTuple):
    """One measure of two models as texts with the same number of decimals."""

    old: str
    new: str
    difference: str
    """With its sign."""
    bounds: str
    """Of the difference, in brackets; empty without an interval."""
    size: str
    """The difference without its sign."""
    size_bounds: str
    """The bounds of the difference without its sign, the smaller first, in brackets; empty without an interval."""

    @property
    def bounded(self) -> str:
        """The difference with its interval, if it has one."""
        return f"{self.difference} {self.bounds}".rstrip()


def difference_texts(item: MeasureDifference) -> DifferenceTexts:
    """Return a difference with so many decimals, or more where fewer would show two numbers alike.  O(1).

    >>> from evalcore.inference.intervals import Comparison
    >>> found = Comparison((0.732, 0.714), 0.018, 0.017, 0.019, 0.95, 30.0, 0.0, "delong")
    >>> difference_texts(MeasureDifference("roc_area", "ROC area", found))[:4]
    ('0.7140', '0.7320', '+0.0180', '[0.0170, 0.0190]')
    """
    return _texts(item, max(DECIMALS, *_needed(item)))


def short_texts(item: MeasureDifference) -> DifferenceTexts:
    """Return a difference as a sentence has it: with as many decimals as its interval carries.  O(1).

    >>> from evalcore.inference.intervals import Comparison
    >>> found = Comparison((0.7325148, 0.7142349), 0.0182799, 0.0170952, 0.0194641, 0.95, 30.0, 0.0, "delong")
    >>> texts = short_texts(MeasureDifference("roc_area", "ROC area", found))
    >>> texts.size, texts.size_bounds
    ('0.0183', '[0.0171, 0.0195]')
    """
    found = item.found
    width = (found.high - found.low) / 2 if is_bounded(item) else 0.0
    carried = _first_decimal(width) + 1 if width > 0 else _first_decimal(found.difference) + 2
    return _texts(item, min(max(3, carried, *_needed(item)), _MOST_DECIMALS))


def p_text(value: float) -> str:
    """Return a p-value: with four decimals, small ones with two digits.  O(1).

    >>> [p_text(value) for value in (0.0, 5.33e-201, 0.000999, 0.0321, 1.0)]
    ['< 1e-300', '5.3e-201', '0.001', '0.0321', '1.0000']
    """
    if math.isnan(value):
        return MISSING
    if value < _LEAST_P_VALUE:
        return f"< {_LEAST_P_VALUE:g}"
    return f"{value:.4f}" if value >= _IN_FULL else f"{value:.2g}"


def p_phrase(value: float) -> str:
    """Return a p-value as it stands in a sentence.  O(1).

    >>> p_phrase(0.0), p_phrase(0.0321)
    ('p < 1e-300', 'p = 0.0321')
    """
    text = p_text(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def plain_text(value: float) -> str:
    """Return a number such as a detectable difference: so many decimals, small ones with two digits.  O(1).

    >>> plain_text(0.00186), plain_text(0.0000186), plain_text(float("nan")) == MISSING
    ('0.0019', '1.9e-05', True)
    """
    if math.isnan(value):
        return MISSING
    return f"{value:.{DECIMALS}f}" if value == 0 or abs(value) >= 10.0 ** (1 - DECIMALS) else f"{value:.2g}"


def is_bounded(item: MeasureDifference) -> bool:
    """Whether a difference has both bounds.  O(1)."""
    return not (math.isnan(item.found.low) or math.isnan(item.found.high))


def _needed(item: MeasureDifference) -> Iterator[int]:
    """Yield the decimals with which the models, and the bounds of their difference and 0, are told apart."""
    yield _first_decimal(item.found.difference, _MOST_DECIMALS)
    for bound in (item.found.low, item.found.high):
        yield _first_decimal(bound, _MOST_OF_BOUNDS)


def _first_decimal(value: float, most: int = _MOST_DECIMALS) -> int:
    """Return with how many decimals a number is not rounded to 0; 0 for 0 and for NaN.  O(1)."""
    if not value or not math.isfinite(value):
        return 0
    return next((decimals for decimals in range(most) if round(abs(value), decimals)), most)


def _texts(item: MeasureDifference, decimals: int) -> DifferenceTexts:
    found = item.found
    old, new, size = (_text(value, decimals) for value in (item.old, item.new, abs(found.difference)))
    bounds = size_bounds = ""
    if is_bounded(item):
        low, high = (found.low, found.high) if found.difference >= 0 else (-found.high, -found.low)
        bounds = f"[{_text(found.low, decimals)}, {_text(found.high, decimals)}]"
        size_bounds = f"[{_text(low, decimals)}, {_text(high, decimals)}]"
    signed = MISSING if math.isnan(found.difference) else f"{found.difference + 0.0:+.{decimals}f}"
    return DifferenceTexts(old, new, signed, bounds, size, size_bounds)


def _text(value: float, decimals: int) -> str:
    if math.isnan(value):
        return MISSING
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # which drops the sign of -0.0
