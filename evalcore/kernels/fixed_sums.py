"""Sums that are the same to the last bit in whatever parts and order their terms are added.

A float64 sum depends on its order because every step rounds.  Here each term is rounded once, by itself, to a grid
that depends on the bound of the whole sum alone, and what rounding left over to a finer grid.  Both grids are so coarse
that all sums on them are exact.  (The pre-rounding of J. Demmel and H. D. Nguyen, Fast reproducible floating-point
summation, ARITH 2013, with bins that are fixed beforehand.)
"""

from typing import NamedTuple

import numpy as np

from evalcore.typing import FloatArray

_MOST_TERMS = 40
"""Power of two of the most terms that a sum has."""


class FixedSum(NamedTuple):
    """A sum in two parts, each of which adds exactly to those of other terms on the same grid."""

    coarse: float
    fine: float

    @property
    def value(self) -> float:
        """The sum, rounded once.

        >>> FixedSum(1.0, 2.0**-60).value
        1.0
        """
        return self.coarse + self.fine


class Grid(NamedTuple):
    """Numbers that take a float64 to the two grids: adding one and taking it away again rounds to its grid."""

    coarse: float
    fine: float

    def add_up(self, terms: FloatArray) -> FixedSum:
        """Add up terms, (n,), each rounded to the fine grid: 2**-102 of the bound times the most terms.  O(n).

        >>> grid_below(8).add_up(np.array([0.1, 0.2, 5.0])).value
        5.3
        """
        rounded = (terms + self.coarse) - self.coarse
        rest = ((terms - rounded) + self.fine) - self.fine
        return FixedSum(float(np.sum(rounded)), float(np.sum(rest)))


def grid_below(bound: int) -> Grid:
    """Return the grid for at most so many terms of at least 0 that add up to at most `bound`, and to 2**62.

    For more than 2**40 terms too few bits are kept to add up exactly.

    >>> grid_below(8)
    Grid(coarse=32.0, fine=1.7053025658242404e-13)
    """
    bits = int(bound).bit_length()
    # the coarse sum is below 2**(bits + 1) and each rest at most 2**(bits - 52), both of them a half of what fits
    return Grid(2.0 ** (bits + 1), 1.5 * 2.0 ** (bits + min(bits, _MOST_TERMS) - 51))


def total(sums: list[FixedSum]) -> FixedSum:
    """Add up sums on one grid, exactly.  O(number of sums).

    >>> total([FixedSum(1.0, 0.5), FixedSum(2.0, 0.25)])
    FixedSum(coarse=3.0, fine=0.75)
    """
    return FixedSum(sum((each.coarse for each in sums), 0.0), sum((each.fine for each in sums), 0.0))
