"""Thresholds with few digits that decide the same cases."""

from decimal import ROUND_FLOOR, Context, Decimal

import numpy as np

_FEWEST, _MOST = 3, 17
"""Digits: of the shortest threshold, and of float64."""


def shortest_between(below: np.floating, score: np.floating) -> float:
    """Return the shortest of the numbers that a score is rounded down to and that are above the next lower score.

    below: -infinity for the lowest score.  It has three digits or more.  O(digits).

    >>> shortest_between(np.float64(0.123321), np.float64(0.123456))
    0.1234
    >>> shortest_between(np.float64(0.25), np.float64(0.42))
    0.42
    """
    exact = Decimal(repr(float(score)))  # as people know it: 0.42 is not rounded down, though a little less in binary
    for digits in range(_FEWEST, _MOST):
        rounded = float(Context(digits, ROUND_FLOOR).create_decimal(exact))
        with np.errstate(over="ignore"):  # beyond float32 is infinite
            if below < score.dtype.type(rounded):
                return rounded
    return float(score)


def rounded_down(threshold: float) -> float:
    """Return a threshold with six decimals, or digits, that every score reaches which reaches the exact one.  O(1).

    >>> rounded_down(0.2315829), rounded_down(0.3), rounded_down(-0.0000012345678), rounded_down(float("inf"))
    (0.231582, 0.3, -1.23457e-06, inf)
    """
    if not np.isfinite(threshold):
        return threshold
    exact = Decimal(repr(float(threshold)))
    if 1e-3 <= abs(threshold) < 1e6:
        return float(exact.quantize(Decimal("1e-6"), ROUND_FLOOR))
    return float(Context(6, ROUND_FLOOR).create_decimal(exact))


def given_number(threshold: float) -> str:
    """Return a threshold as it was given, with six decimals at most: more are rounded down, so that no case is lost.

    >>> given_number(0.23158283531665802), given_number(1234567.5)
    ('0.231582', '1234567.5')
    """
    return plain_number(rounded_down(threshold) if abs(threshold) < 1e6 else threshold)


def plain_number(value: float) -> str:
    """Return a number as people type it, with all its digits.  O(1).

    >>> plain_number(0.25), plain_number(30.0), plain_number(-0.0), plain_number(float("inf"))
    ('0.25', '30', '0', 'inf')
    """
    return repr(float(value) + 0.0).removesuffix(".0")
