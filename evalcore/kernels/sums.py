"""Sums and quotients that are exact, reproducible, or rounded a known number of times.

A float64 sum depends on its order because every step rounds.  In a `FixedSum` each term is rounded once, by itself, to
a grid that depends on the bound of the whole sum alone, what that leaves over to a finer grid, and what that leaves to
a finer one still.  All grids are so coarse that sums on them are exact.  (The pre-rounding of J. Demmel and H. D.
Nguyen, Fast reproducible floating-point summation, ARITH 2013, with bins that are fixed beforehand.)

Sums of weights have a bound of their rounding error, from the longest chain of additions behind them.  Weights are not
negative: a sum whose terms went through at most r roundings, one after the other, is the exact one but for a factor
(1 + d)**r, where abs(d) is at most 2**-53.  No sum is a difference of larger ones, which would lose small weights.
"""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorting import sorted_words
from evalcore.typing import AnyArray, FloatArray, IntArray, Ratio

EXACT_IN_FLOAT64 = 1 << 53
"""float64 holds all whole numbers up to this."""
_LARGEST = np.iinfo(np.int64).max
_OBJECTS = np.dtype(object)
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
    if getattr(numerator, "dtype", None) is getattr(denominator, "dtype", None) is _OBJECTS:
        # float64 would have rounded both before it divides
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


def exact_integers(*counts: Any, most: int | None = None) -> list[Any]:
    """Return counts as numbers whose sums and products are exact: Python's integers, one by one or in arrays.

    counts: numbers or arrays; most: the largest number that will be computed from them, if that is known: up to
    2**63 - 1 arrays stay int64, which is fast.  Weights, which are floats, stay what they are.  O(n) for arrays (n,).
    """
    if most is not None and most <= _LARGEST:
        return list(counts)
    return [count.astype(object) if getattr(count, "dtype", _OBJECTS).kind in "iu" else count for count in counts]


def exact_sum(values: AnyArray) -> int:
    """Return the sum of whole numbers, none negative, of up to 64 bits.  O(n) for (n,)."""
    if values.size == 0 or int(values.max()) * values.size <= _LARGEST:
        return int(values.sum())
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


_FASTER_BY_FSUM = 1 << 6
_ONES = np.ones(1 << 12)
_MOST_TERMS = 40
"""Power of two of the most terms that a sum has."""


class FixedSum(NamedTuple):
    """Sums in three parts, each of which adds exactly to those of other terms on the same grids: numbers or arrays."""

    coarse: Any
    fine: Any = 0.0
    finest: Any = 0.0

    @property
    def value(self) -> Any:
        """The sum, except for the last bit.

        >>> FixedSum(1.0, 2.0**-60).value
        1.0
        """
        return self.coarse + (self.fine + self.finest)


def grid_below(bound: int) -> tuple[float, float, float]:
    """Return the grids for at most `bound` terms of at least 0 whose sum is at most `bound`, up to 2**62.

    Numbers that take a float64 to one, coarse to finest: adding it and taking it away again rounds to its grid.
    For more than 2**40 terms too few bits are kept to add up exactly.  A term is rounded by 2**(3 b - 156) at most, for
    a bound of b bits, b at most 40: 2**-66 for a billion.

    >>> grid_below(8)[0]
    32.0
    """
    bits = int(bound).bit_length()
    # the coarse sum is below 2**(bits + 1) and each rest at most 2**(bits - 52), both of them a half of what fits
    fine = bits + min(bits, _MOST_TERMS) - 51
    return 2.0 ** (bits + 1), 1.5 * 2.0**fine, 1.5 * 2.0 ** (fine + min(bits, _MOST_TERMS) - 52)


def fixed_sums(terms: FloatArray, sizes: IntArray, bounds: IntArray) -> FixedSum:
    """Return the `FixedSum` of each group of terms, each on its own grid: (k,) in each field.

    terms: (n,); sizes: (k,) terms of each group, one group after the other; bounds: (k,) as `grid_below` takes them.
    O(n).

    >>> fixed_sums(np.array([0.25, 0.5, 5.0]), sizes=np.array([2, 0, 1]), bounds=np.array([1, 0, 8])).value
    array([0.75, 0.  , 5.  ])
    """
    if sizes.size == 1:
        return FixedSum(*(np.add.reduce(each, keepdims=True) for each in _rounded(terms, grid_below(int(bounds[0])))))
    sums, filled = np.zeros((3, sizes.size)), sizes > 0
    if filled.any():
        sizes, bits = sizes[filled], np.frexp(bounds[filled])[1]
        starts = np.cumsum(sizes) - sizes
        grids = np.array([grid_below((1 << number) - 1) for number in range(int(bits.max()) + 1)])[bits]
        constants = (each.repeat(sizes) for each in grids.T)
        sums[:, filled] = [np.add.reduceat(rounded, starts) for rounded in _rounded(terms, constants)]
    return FixedSum(*sums)


def sum_of_short(terms: FloatArray, bound: int) -> float:
    """Return the value of the `FixedSum` of terms, (n,), of at most 66 binary places, bound up to 2**12.  O(n).

    Their rests on the coarse grid add up exactly, so that the sum is rounded once, as by `math.fsum`.
    """
    if terms.size <= _FASTER_BY_FSUM:
        return math.fsum(terms.tolist())
    coarse = grid_below(bound)[0]
    rounded = (terms + coarse) - coarse
    ones = _ONES[: terms.size]  # its dot product is short of what BLAS shares among threads
    return float(rounded.dot(ones)) + float((terms - rounded).dot(ones))


def _rounded(terms: FloatArray, constants: Iterable[Any]) -> Iterator[FloatArray]:
    """Round terms, (n,), to one grid after the other, each time what the grids before it left over, in one memory."""
    rounded = np.empty_like(terms)
    for constant in constants:
        np.add(terms, constant, out=rounded)
        rounded -= constant
        yield rounded
        terms = terms - rounded


def add_fixed_sums(sums: list[FixedSum]) -> FixedSum:
    """Add up sums on one grid, exactly.  O(number of sums).

    >>> add_fixed_sums([FixedSum(1.0, 0.5), FixedSum(2.0, 0.25)])
    FixedSum(coarse=3.0, fine=0.75, finest=0.0)
    """
    return FixedSum(*(sum(parts, 0.0) for parts in zip(FixedSum(0.0), *sums, strict=True)))


_PIECE = 64
"""Terms that are added one after the other: longer runs are added up in pieces."""
_LONG = 1 << 10
"""Terms that are added one after the other where runs are mixed: sorting them apart takes three times as long."""


def is_whole(sums: AnyArray) -> bool:
    """Whether sums are whole numbers, int64, and so exact.  O(1)."""
    return sums.dtype.kind == "i"


def total(sums: AnyArray) -> int | float:
    """Return the sum of (n,) sums, at most 2**62 if whole.  O(n); NumPy adds floats in pairs."""
    return int(sums.sum()) if is_whole(sums) else float(np.sum(sums))


def sums_of_runs(weights: AnyArray, starts: IntArray) -> tuple[AnyArray, int]:
    """Add up the weights of each run, and say through how many roundings they went at most.

    weights: (n,) integers or float64; starts: (r,) ascending, the first 0.  Returns (r,).  O(n).

    >>> sums_of_runs(np.array([0.5, 0.25, 2.0]), np.array([0, 2]))
    (array([0.75, 2.  ]), 1)
    """
    if is_whole(weights):
        return np.add.reduceat(weights, starts, dtype=np.int64), 0
    lengths = np.diff(starts, append=weights.size)
    longest = int(lengths.max(initial=0))
    if longest <= _PIECE:
        return np.add.reduceat(weights, starts), longest - 1
    pieces = -(-lengths // _PIECE)
    firsts = np.cumsum(pieces) - pieces
    short = np.repeat(starts - firsts * _PIECE, pieces) + np.arange(0, int(pieces.sum()) * _PIECE, _PIECE)
    sums, more = sums_of_runs(np.add.reduceat(weights, short), firsts)
    return sums, _PIECE - 1 + more


def sums_of_classes(weights: AnyArray, starts: IntArray) -> tuple[AnyArray, AnyArray, int]:
    """Add up the weights of each run by class, as `sums_of_runs`; weights: (n,) signed, those of negatives negative.

    Floats may be whole numbers above 2**53 that were rounded before, which counts as one more rounding.  O(n).

    >>> sums_of_classes(np.array([0.5, -0.25, 2.0, 1.0]), np.array([0, 2]))
    (array([0.5, 3. ]), array([0.25, 0.  ]), 2)
    """
    (positives, roundings), (negatives, _) = (sums_of_runs(np.maximum(side, 0), starts) for side in (weights, -weights))
    return positives, negatives, roundings + (not is_whole(weights))


def sums_at(weights: AnyArray, indices: IntArray, size: int, longest: int) -> tuple[AnyArray, int]:
    """Add up the weights of each index, (n,) in 0 .. size - 1 in any order; as `sums_of_runs`.  O(n + size).

    longest: no index comes more often.

    >>> sums_at(np.array([0.5, 0.25, 2.0]), np.array([2, 0, 2]), 3, longest=2)
    (array([0.25, 0.  , 2.5 ]), 2)
    """
    if is_whole(weights):
        longest, mixed = 0, int(weights.max()) <= EXACT_IN_FLOAT64 // weights.size
    else:
        mixed = longest <= _LONG
    if mixed:
        return np.bincount(indices, weights, size).astype(weights.dtype, copy=False), longest
    bits = weights.size.bit_length()
    words = sorted_words(indices.__getitem__, indices.size, bits)
    ranked = words >> bits
    starts = run_starts(ranked)
    sums = np.zeros(size, weights.dtype)
    sums[ranked[starts]], roundings = sums_of_runs(weights.take(words & ((1 << bits) - 1)), starts)
    return sums, roundings and roundings + 1


def running_sums(weights: AnyArray) -> AnyArray:
    """Return the sums of the first weights, (n,), each after at most 3 sqrt(n) + 6 roundings.  O(n).

    >>> running_sums(np.array([0.5, 0.25, 2.0]))
    array([0.5 , 0.75, 2.75])
    """
    if is_whole(weights):
        return np.cumsum(weights)
    sums = weights.copy()
    accumulate_rows(sums, row_width(weights.size))
    return sums


_ADDED_IN_TURN = 1 << 8
"""Weights of a block that are added up one after the other."""


def accumulate_rows(values: npt.NDArray[np.complex128] | FloatArray, width: int = _ADDED_IN_TURN) -> None:
    """Replace values, (m,), by their running sums, in short rows: in one go equal weights would lose digits.  O(m)."""
    if values.size <= width:
        values.cumsum(out=values)
        return
    whole = values.size - values.size % width
    rows = values[:whole].reshape(-1, width)
    np.cumsum(rows, axis=1, out=rows)
    rows[1:] += np.cumsum(rows[:-1, -1])[:, np.newaxis]
    rest = values[whole - 1 :]
    np.cumsum(rest, out=rest)


_ROW = 1 << 12
"""Products that are added up at once, too few for threads of the linear algebra."""


def sum_in_rows(first: FloatArray, second: FloatArray) -> float:
    """Return the sum of the products of values, (n,) each.  O(n).

    >>> sum_in_rows(np.array([0.5, 2.0]), np.array([3.0, 1.0]))
    3.5
    """
    whole = first.size - first.size % _ROW
    rows = (each[:whole].reshape(-1, _ROW) for each in (first, second))
    return float(np.add.reduce(np.vecdot(*rows)) + np.vecdot(first[whole:], second[whole:]))


def most_roundings(size: int) -> int:
    """Return the most roundings of the `running_sums` of `sums_of_runs` of `size` weights.  O(1).

    >>> most_roundings(3), most_roundings(2**17)
    (6, 1347)
    """
    pieces = _PIECE * (1 + size.bit_length() // 6)
    return min(size, pieces) + min(size, 3 * row_width(size) + 2)


def row_width(size: int) -> int:
    """Return how many of `size` terms are added up in turn, so that each sum has as few terms as possible.  O(1)."""
    return math.isqrt(size) + 1
