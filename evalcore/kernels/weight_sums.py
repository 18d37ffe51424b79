"""Sums over the weights of cases in the cells of a table: what ratios of weights and their variances come down to."""

from typing import NamedTuple

import numpy as np

from evalcore.typing import AnyArray, FloatArray, IntArray


class WeightSums(NamedTuple):
    """Sums over the cases of each cell of a table of any shape.

    Where weights are frequencies, each case stands for as many: all three are then the sums of the weights.
    """

    sums: FloatArray
    """Of the weights."""
    squares: FloatArray
    """Of the squares of the weights."""
    cases: FloatArray
    """Cases with a weight above zero."""

    def plus(self, other: "WeightSums") -> "WeightSums":
        """Return the sums over the cases of two tables.  O(cells)."""
        return WeightSums(self.sums + other.sums, self.squares + other.squares, self.cases + other.cases)

    def at(self, chosen: int | slice | IntArray | tuple[slice | int, ...]) -> "WeightSums":
        """Return the cells at an index.  O(cells)."""
        return WeightSums(*(column[chosen] for column in self))


def weight_sums(codes: IntArray, weights: AnyArray, cells: int, *, frequencies: bool = False) -> WeightSums:
    """Add up the weights of the cases of each cell.

    codes: (n,) in 0 .. cells-1; weights: (n,) int64 or float64, none negative.  Returns (cells,) each.  O(n + cells).

    >>> weight_sums(np.array([0, 2, 2]), np.array([0.5, 3.0, 0.0]), 3)
    WeightSums(sums=array([0.5, 0. , 3. ]), squares=array([0.25, 0.  , 9.  ]), cases=array([1., 0., 1.]))
    """

    def add_up(values: AnyArray) -> FloatArray:
        return np.bincount(codes, values, cells).astype(np.float64, copy=False)

    sums = add_up(weights)
    if frequencies:
        return WeightSums(sums, sums, sums)
    return WeightSums(sums, add_up(np.square(weights, dtype=np.float64)), add_up(weights > 0))
