"""Numbers as readers like them: few decimals, counts with separators.  Full values stand elsewhere."""

import math

_LEAST_P_VALUE = 0.001
"""Smaller ones are not told apart."""
_LEAST_IN_FULL, _LARGEST_IN_FULL = 1e-4, 1e15
"""Weights that are written without an exponent."""


def number(value: float) -> str:
    """Return a number with three decimals, small ones with two significant digits; whole numbers as `count`.

    What is almost 1 or almost 0 is never shown as 1 or 0.  Numbers beyond 10 have three significant digits.  O(1).

    >>> [number(value) for value in (0.73249, 1.0, 0.99996, 0.01234, 0.00764, 0.0000012, -0.5)]
    ['0.732', '1.000', '>0.999', '0.012', '0.0076', '1.2e-06', '-0.500']
    >>> [number(value) for value in (12.3456, 41253.75, 327346, float("nan"), float("-inf"))]
    ['12.3', '41,254', '327,346', 'NaN', '-inf']
    """
    if isinstance(value, int):
        return count(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    size = abs(value)
    if 0.9995 <= size < 1.0005 and size != 1:
        return f"{'>' if value > 0 else '<-'}{'0.999' if size < 1 else '1.000'}"
    if size >= 9.9995:
        return f"{value:.2e}" if size >= 1e9 else f"{value:,.{max(2 - _exponent(size, 2), 0)}f}"
    if size >= 0.01 or not size:
        return f"{value + 0.0:.3f}"  # which drops the sign of -0.0
    return f"{value:.1e}" if size < 1e-5 else f"{value:.{max(1 - _exponent(size, 1), 3)}f}"


def _exponent(size: float, decimals: int) -> int:
    """Return the power of ten of a number that is rounded to so many decimals of its first digit.  O(1)."""
    return int(f"{size:.{decimals}e}".partition("e")[2])


def count(cases: int) -> str:
    """Return a whole number with separators.  O(1).

    >>> count(327346)
    '327,346'
    """
    return f"{cases:,}"


def weight(total: float, digits: int = 6) -> str:
    """Return a sum of weights: whole without decimals, any other with so many significant digits at most.  O(1).

    >>> [weight(total) for total in (1250.0, 0.0, 1234.5678, 0.30000000000000004, 41253755.5, 0.00012345678)]
    ['1,250', '0', '1,234.57', '0.3', '41,253,756', '0.000123457']
    """
    if total.is_integer() and abs(total) < _LARGEST_IN_FULL:
        return count(int(total))
    if not 0 < abs(total) < _LARGEST_IN_FULL or abs(total) < _LEAST_IN_FULL:
        return f"{total:.{digits}g}"
    text = f"{total:,.{max(digits - 1 - _exponent(total, digits - 1), 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def times(cases: int | float) -> str:
    """Say how often something happens: a number of cases, or the weight of some.  O(1).

    >>> times(1), times(1234), times(35.25)
    ('once', '1,234 times', 'weight 35.25')
    """
    if isinstance(cases, float):
        return f"weight {weight(cases, 4)}"
    return "once" if cases == 1 else f"{count(cases)} times"


def percent(fraction: float, decimals: int = 1) -> str:
    """Return a fraction in percent; one that is almost 1 or almost 0 is never shown as 100% or 0%.  O(1).

    >>> percent(0.23712), percent(0.5, 0), percent(0.9999), percent(0.0001, 0)
    ('23.7%', '50%', '>99.9%', '<1%')
    """
    text, least = f"{100 * fraction:.{decimals}f}%", 10.0**-decimals
    if 0 < fraction < 1 and text in (f"{0:.{decimals}f}%", f"{100:.{decimals}f}%"):
        return f"<{least:.{decimals}f}%" if fraction < 0.5 else f">{100 - least:.{decimals}f}%"
    return text


def p_value(value: float) -> str:
    """Return a p-value as it stands in a sentence: small ones by the bound below which nobody needs them.  O(1).

    >>> p_value(5.3e-201), p_value(0.0321), p_value(0.5)
    ('p < 0.001', 'p = 0.032', 'p = 0.500')
    """
    return f"p < {_LEAST_P_VALUE}" if value < _LEAST_P_VALUE else f"p = {value:.3f}"
