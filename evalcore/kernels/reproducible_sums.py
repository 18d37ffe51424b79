"""Sums that are the same to the last bit in whatever parts and order their terms are added.

A float64 sum depends on its order because every step rounds.  Here each term is rounded once, by itself, to a grid that
depends on the bound of the whole sum alone, what that leaves over to a finer grid, and what that leaves to a finer one
still.  All grids are so coarse that sums on them are exact.  (The pre-rounding of J. Demmel and H. D. Nguyen, Fast
reproducible floating-point summation, ARITH 2013, with bins that are fixed beforehand.)
"""

from typing import NamedTuple

import numpy as np

from evalcore.typing import FloatArray

_MOST_TERMS = 40
"""Power of two of the most terms that a sum has."""


class FixedSum(NamedTuple):
    """A sum in three parts, each of which adds exactly to those of other terms on the same grids."""

    coarse: float
    fine: float = 0.0
    finest: float = 0.0

    @property
    def value(self) -> float:
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
        sums = []
        for constant in self:
            rounded = (terms + constant) - constant
            sums.append(float(np.sum(rounded)))
            terms = terms - rounded
        return FixedSum(*sums)


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


def add_fixed_sums(sums: list[FixedSum]) -> FixedSum:
    """Add up sums on one grid, exactly.  O(number of sums).

    >>> add_fixed_sums([FixedSum(1.0, 0.5), FixedSum(2.0, 0.25)])
    FixedSum(coarse=3.0, fine=0.75, finest=0.0)
    """
    return FixedSum(*(sum(parts, 0.0) for parts in zip(FixedSum(0.0), *sums, strict=True)))
