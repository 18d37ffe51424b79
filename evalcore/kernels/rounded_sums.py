"""Sums of weights with a bound of their rounding error, from the longest chain of additions behind them.

Weights are not negative: a sum whose terms went through at most r roundings, one after the other, is the exact one but
for a factor (1 + d)**r, where abs(d) is at most 2**-53.  Whole numbers, int64, add up exactly.  No sum is a difference
of larger ones, which would lose small weights among large ones.
"""

import math

import numpy as np

from evalcore.kernels.argsort import sorted_words
from evalcore.kernels.runs import run_starts
from evalcore.typing import AnyArray, IntArray

_PIECE = 64
"""Terms that are added one after the other: longer runs are added up in pieces."""
_LONG = 1 << 10
"""Terms that are added one after the other where runs are mixed: sorting them apart takes three times as long."""
_EXACT = 1 << 53
"""float64 holds all whole numbers up to this."""


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
    short, firsts, longest = _short_runs(starts, weights.size)
    sums = np.add.reduceat(weights, short)
    return _joined(sums, firsts, longest - 1)


def sums_of_classes(weights: AnyArray, starts: IntArray) -> tuple[AnyArray, AnyArray, int]:
    """Add up the weights of each run by class, as `sums_of_runs`; weights: (n,) signed, those of negatives negative.

    Floats may be whole numbers above 2**53 that were rounded before, which counts as one more rounding.  O(n).

    >>> sums_of_classes(np.array([0.5, -0.25, 2.0, 1.0]), np.array([0, 2]))
    (array([0.5, 3. ]), array([0.25, 0.  ]), 2)
    """
    sizes = np.abs(weights)
    if is_whole(weights) and int(sizes.max()) > _EXACT // weights.size:
        return sums_of_runs(np.maximum(weights, 0), starts)[0], -sums_of_runs(np.minimum(weights, 0), starts)[0], 0
    short, firsts, longest = _short_runs(starts, weights.size)
    # one walk for both classes
    sides = np.repeat(np.arange(0, 2 * short.size, 2), np.diff(short, append=weights.size))
    sides += weights < 0
    both = np.bincount(sides, sizes, 2 * short.size).astype(weights.dtype, copy=False)
    (positives, roundings), (negatives, _) = (_joined(sums, firsts, longest) for sums in (both[::2], both[1::2]))
    return positives, negatives, roundings


def sums_at(weights: AnyArray, indices: IntArray, size: int, longest: int) -> tuple[AnyArray, int]:
    """Add up the weights of each index, (n,) in 0 .. size - 1 in any order; as `sums_of_runs`.  O(n + size).

    longest: no index comes more often.

    >>> sums_at(np.array([0.5, 0.25, 2.0]), np.array([2, 0, 2]), 3, longest=2)
    (array([0.25, 0.  , 2.5 ]), 2)
    """
    if is_whole(weights):
        longest, mixed = 0, int(weights.max()) <= _EXACT // weights.size
    else:
        mixed = longest <= _LONG
    if mixed:
        return np.bincount(indices, weights, size).astype(weights.dtype, copy=False), longest
    bits = weights.size.bit_length()
    words = sorted_words(lambda part: part, indices, bits)
    ranked = words >> bits
    starts = run_starts(ranked)
    sums = np.zeros(size, weights.dtype)
    sums[ranked[starts]], roundings = sums_of_runs(weights.take(words & ((1 << bits) - 1)), starts)
    return sums, roundings and roundings + 1


def _short_runs(starts: IntArray, size: int) -> tuple[IntArray, IntArray | None, int]:
    """Cut runs into short ones: where these start, which is the first of each run, and how long they are at most.

    The second is None where all runs are short.  O(r + n / _PIECE).
    """
    lengths = np.diff(starts, append=size)
    longest = int(lengths.max())
    if longest <= _PIECE:
        return starts, None, longest
    pieces = -(-lengths // _PIECE)
    firsts = np.cumsum(pieces) - pieces
    short = np.repeat(starts - firsts * _PIECE, pieces) + np.arange(0, int(pieces.sum()) * _PIECE, _PIECE)
    return short, firsts, _PIECE


def _joined(sums: AnyArray, firsts: IntArray | None, roundings: int) -> tuple[AnyArray, int]:
    """Join the sums of the short runs, each after so many roundings."""
    if is_whole(sums):
        roundings = 0
    if firsts is None:
        return sums, roundings
    joined, more = sums_of_runs(sums, firsts)
    return joined, roundings + more


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
