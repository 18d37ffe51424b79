"""Sums of weights with a bound of their rounding error, from the longest chain of additions behind them.

Weights are not negative: a sum whose terms went through at most r roundings, one after the other, is the exact one but
for a factor (1 + d)**r, where abs(d) is at most 2**-53.  Whole numbers, int64, add up exactly.  No sum is a difference
of larger ones, which would lose small weights among large ones.
"""

import math

import numpy as np

from evalcore.typing import AnyArray, IntArray

_PIECE = 64
"""Terms that are added one after the other: longer runs are added up in pieces."""


def is_whole(sums: AnyArray) -> bool:
    """Whether sums are whole numbers, int64, and so exact.  O(1)."""
    return sums.dtype.kind == "i"


def total(sums: AnyArray) -> int | float:
    """Return the sum of (n,) sums, at most 2**62 if whole.  O(n); NumPy adds floats in pairs."""
    return int(sums.sum()) if is_whole(sums) else float(np.sum(sums))


def sums_of_runs(weights: AnyArray, starts: IntArray) -> tuple[AnyArray, int]:
    """Add up the weights of each run, and say through how many roundings they went at most.

    weights: (n,) int64 or float64, n > 0; starts: (r,) ascending, the first 0.  Returns (r,).  O(n).

    >>> sums_of_runs(np.array([0.5, 0.25, 2.0]), np.array([0, 2]))
    (array([0.75, 2.  ]), 1)
    """
    if is_whole(weights):
        return np.add.reduceat(weights, starts), 0
    lengths = np.diff(starts, append=weights.size)
    longest = int(lengths.max())
    if longest <= _PIECE:
        return np.add.reduceat(weights, starts), longest - 1
    pieces = -(-lengths // _PIECE)
    first = np.cumsum(pieces) - pieces
    piece_starts = np.repeat(starts - first * _PIECE, pieces) + np.arange(0, int(pieces.sum()) * _PIECE, _PIECE)
    sums, roundings = sums_of_runs(np.add.reduceat(weights, piece_starts), first)
    return sums, roundings + _PIECE - 1


def running_sums(weights: AnyArray) -> AnyArray:
    """Return the sums of the first weights, (n,), each after at most 2 sqrt(n) + 4 roundings.  O(n).

    >>> running_sums(np.array([0.5, 0.25, 2.0]))
    array([0.5 , 0.75, 2.75])
    """
    if is_whole(weights) or weights.size == 0:
        return np.cumsum(weights)
    width = _width(weights.size)
    rows = np.zeros((-(-weights.size // width), width))
    rows.ravel()[: weights.size] = weights
    np.cumsum(rows, axis=1, out=rows)
    rows[1:] += np.cumsum(rows[:-1, -1])[:, np.newaxis]
    return rows.ravel()[: weights.size]


def most_roundings(size: int) -> int:
    """Return through how many roundings the `running_sums` of `sums_of_runs` of so many weights go at most.  O(1).

    >>> most_roundings(3), most_roundings(2**17)
    (6, 984)
    """
    pieces = _PIECE * (1 + size.bit_length() // 6)
    return min(size, pieces) + min(size, 2 * _width(size) + 2)


def _width(size: int) -> int:
    return math.isqrt(size) + 1
