"""Sums that are the same to the last bit in whatever parts and order their terms are added.

A float64 sum depends on its order because every step rounds.  Here each term is rounded once, by itself, to a grid that
depends on the bound of the whole sum alone, what that leaves over to a finer grid, and what that leaves to a finer one
still.  All grids are so coarse that sums on them are exact.  (The pre-rounding of J. Demmel and H. D. Nguyen, Fast
reproducible floating-point summation, ARITH 2013, with bins that are fixed beforehand.)
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from evalcore.typing import FloatArray, IntArray

_FASTER_BY_FSUM = 1 << 8
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


class Grid(NamedTuple):
    """Numbers that take a float64 to the three grids: adding one and taking it away again rounds to its grid."""

    coarse: float
    fine: float
    finest: float

    def add_up(self, terms: FloatArray) -> FixedSum:
        """Add up terms, (n,), each rounded to the finest grid.  O(n).

        >>> grid_below(8).add_up(np.array([0.1, 0.2, 5.0])).value
        5.3
        """
        return FixedSum(*(float(np.add.reduce(rounded)) for rounded in _rounded(terms, self)))


def grid_below(bound: int) -> Grid:
    """Return the grids for at most `bound` terms of at least 0 whose sum is at most `bound`, up to 2**62.

    For more than 2**40 terms too few bits are kept to add up exactly.  A term is rounded by 2**(3 b - 156) at most, for
    a bound of b bits, b at most 40: 2**-66 for a billion.

    >>> grid_below(8).coarse
    32.0
    """
    bits = int(bound).bit_length()
    # the coarse sum is below 2**(bits + 1) and each rest at most 2**(bits - 52), both of them a half of what fits
    fine = bits + min(bits, _MOST_TERMS) - 51
    return Grid(2.0 ** (bits + 1), 1.5 * 2.0**fine, 1.5 * 2.0 ** (fine + min(bits, _MOST_TERMS) - 52))


def fixed_sums(terms: FloatArray, sizes: IntArray, bounds: IntArray) -> FixedSum:
    """Return the `FixedSum` of each group of terms, each on its own grid: (k,) in each field.

    terms: (n,); sizes: (k,) terms of each group, one group after the other; bounds: (k,) as `grid_below` takes them.
    O(n).

    >>> fixed_sums(np.array([0.25, 0.5, 5.0]), sizes=np.array([2, 0, 1]), bounds=np.array([1, 0, 8])).value
    array([0.75, 0.  , 5.  ])
    """
    if sizes.size == 1:
        return FixedSum(*map(np.atleast_1d, grid_below(int(bounds[0])).add_up(terms)))
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
    coarse = grid_below(bound).coarse
    rounded = (terms + coarse) - coarse
    return float(np.add.reduce(rounded)) + float(np.add.reduce(terms - rounded))


def _rounded(terms: FloatArray, constants: Iterable[Any]) -> Iterator[FloatArray]:
    """Round terms, (n,), to one grid after the other, each time what the grids before it left over."""
    for constant in constants:
        rounded = (terms + constant) - constant
        yield rounded
        terms = terms - rounded


def add_fixed_sums(sums: list[FixedSum]) -> FixedSum:
    """Add up sums on one grid, exactly.  O(number of sums).

    >>> add_fixed_sums([FixedSum(1.0, 0.5), FixedSum(2.0, 0.25)])
    FixedSum(coarse=3.0, fine=0.75, finest=0.0)
    """
    return FixedSum(*(sum(parts, 0.0) for parts in zip(FixedSum(0.0), *sums, strict=True)))
