"""Numbers as readers like them: few decimals, counts with separators.  Full values stand elsewhere."""

import math

_LEAST_P_VALUE = 0.001
"""Smaller ones are not told apart."""


def number(value: float) -> str:
    """Return a number with three decimals, or three significant digits if that shows more; whole numbers as `count`.

    A fraction that is almost 1 or almost 0 is never shown as 1 or 0.  O(1).

    >>> [number(value) for value in (0.73249, 1.0, 0.99996, 0.01234, 0.00001234, 12.3456, -0.5, 41253.75, 327346)]
    ['0.732', '1.000', '>0.999', '0.0123', '1.23e-05', '12.3', '-0.500', '41,254', '327,346']
    >>> number(float("nan")), number(float("-inf"))
    ('NaN', '-inf')
    """
    if isinstance(value, int):
        return count(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    size = abs(value)
    if 0.9995 <= size < 1:
        return ">0.999" if value > 0 else "<-0.999"
    if size >= 1e9 or 0 < size < 1e-4:
        return f"{value:.2e}"
    leading = math.floor(math.log10(size)) if size else 0
    return f"{value:,.{3 if 0 <= leading < 1 else max(2 - leading, 0)}f}"


def count(cases: int) -> str:
    """Return a whole number with separators.  O(1).

    >>> count(327346)
    '327,346'
    """
    return f"{cases:,}"


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
