"""Sums over the weights of cases in the cells of a table: what ratios of weights and their variances come down to."""

from functools import reduce
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import BLOCK, blocks, map_blocks
from evalcore.kernels.sort_keys import extent
from evalcore.kernels.tables import binary_codes
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray

_LARGEST, _SMALLEST = 2.0**200, 2.0**-40
"""The fourth power of a weight up to this fits float64, for up to 2**40 cases; and so does the product of one of at
least this with one that is far smaller."""
_EXACT_IN_FLOAT64 = 2**53
_FIRST, _MOST_PARTS, _ROUNDING = 1000, 16, 2.0**-50
_APART = 1e-12
"""More than sums of ten million weights are off."""
_PARTS, _FEW_CELLS = 16, 1 << 6
"""A block of cases of few cells is added up in so many parts or more."""
_ROW = 1 << 12
"""Squares that are added up at once, too few for threads of the linear algebra."""


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

    def scaled(self, factors: FloatArray) -> "WeightSums":
        """Return the sums where the weights in each cell are so many times as large.  O(cells)."""
        return WeightSums(self.sums * factors, self.squares * factors**2, self.cases)

    def at(self, chosen: int | slice | IntArray | tuple[slice | int | IntArray, ...]) -> "WeightSums":
        """Return the cells at an index.  O(cells)."""
        return WeightSums(*(column[chosen] for column in self))


def weight_sums(codes: AnyArray, weights: AnyArray, cells: int, *, frequencies: bool = False) -> WeightSums:
    """Add up the weights of the cases of each cell.

    codes: (n,) in 0 .. cells-1; weights: (n,) int64 or float64, none negative.  Returns (cells,) each.  O(n + cells).

    >>> weight_sums(np.array([0, 2, 2]), np.array([0.5, 3.0, 0.0]), 3)
    WeightSums(sums=array([0.5, 0. , 3. ]), squares=array([0.25, 0.  , 9.  ]), cases=array([1., 0., 1.]))
    """
    rows = max(BLOCK // (_PARTS * cells), 1)

    def of_block(block: slice) -> WeightSums:
        own, size = weights[block], block.stop - block.start
        parts = size // rows + 1 if cells <= _FEW_CELLS else 1
        places = codes[block] if parts == 1 else codes[block] + cells * (np.arange(size) // rows)

        def add_up(values: AnyArray) -> FloatArray:
            # a long sum in turn would lose digits: equal weights are rounded the same way again and again
            found = np.bincount(places, values, cells * parts).astype(np.float64, copy=False)
            return np.asarray(found.reshape(parts, cells).sum(axis=0))

        sums = add_up(own)
        if frequencies:
            return WeightSums(sums, sums, sums)
        return WeightSums(sums, add_up(np.square(own, dtype=np.float64)), add_up(own > 0))

    pieces = blocks(weights.size) if cells <= BLOCK else [slice(0, weights.size)]
    return reduce(WeightSums.plus, map(of_block, pieces), WeightSums(*np.zeros((3, cells))))


def class_weight_sums(positive: BoolArray, weights: AnyArray) -> WeightSums:
    """Add up the weights of the positives and of the negatives, (n,) each.  Returns (2,) each.  O(n).

    >>> class_weight_sums(np.array([True, False, False]), np.array([2, 3, 1])).sums
    array([2., 4.])
    """

    def of_block(block: slice) -> FloatArray:
        own, correct_cases = weights[block].astype(np.float64, copy=False), positive[block]
        correct = own * correct_cases
        sides = correct, own - correct  # exactly: each case has all of its weight on one side
        present = own != 0
        cases = np.count_nonzero(present & correct_cases)
        counts = cases, np.count_nonzero(present) - cases
        return np.array(
            [(np.add.reduce(side), _sum_of_squares(side), count) for side, count in zip(sides, counts, strict=True)]
        )

    sums = np.sum(map_blocks(of_block, weights.size), axis=0)
    return WeightSums(*sums.T.copy())


def _sum_of_squares(values: FloatArray) -> float:
    """Return the sum of squares, (n,), in rows.  O(n)."""
    whole = values.size - values.size % _ROW
    rows, rest = values[:whole].reshape(-1, _ROW), values[whole:]
    return float(np.add.reduce(np.vecdot(rows, rows)) + np.vecdot(rest, rest))


def decision_weight_sums(
    positive: BoolArray, predicted: BoolArray, weights: AnyArray, *, frequencies: bool = False
) -> WeightSums:
    """Add up the weights of true positives, false negatives, false positives and true negatives.

    positive, predicted, weights: (n,).  Returns (4,) each, as `weight_sums`.  O(n).
    """

    def of_block(block: slice) -> WeightSums:
        codes = binary_codes(positive[block], predicted[block])
        return weight_sums(codes, weights[block], 4, frequencies=frequencies)

    return reduce(WeightSums.plus, map_blocks(of_block, weights.size), WeightSums(*np.zeros((3, 4))))


def are_whole(weights: AnyArray) -> bool:
    """Whether weights, (n,), none negative, are whole numbers whose sum float64 holds exactly.  O(n)."""
    return _hold_whole_numbers(weights) and bool(np.sum(weights, dtype=np.float64) < _EXACT_IN_FLOAT64)


def _hold_whole_numbers(numbers: AnyArray) -> bool:
    parts = (numbers[block] for block in blocks(numbers.size))
    return numbers.dtype.kind != "f" or all(bool((part == np.rint(part)).all()) for part in parts)


def rounding_of(*sums: AnyArray) -> float:
    """Return by what part of them sums of weights, (p,) each, may differ where the exact sums are equal.  O(p).

    0 of whole numbers.  What is decided by comparing sums allows for it, so that a common factor of weights leaves the
    decision.

    >>> rounding_of(np.array([1, 2])), rounding_of(np.array([0.5, 0.8]))
    (0, 1e-12)
    """
    return 0 if all(map(_hold_whole_numbers, sums)) else _APART


def in_whole_units(weights: FloatArray) -> tuple[FloatArray, float]:
    """Return weights as whole multiples of a unit, and the unit; as they are, and 1.0, if they are no such multiples.

    weights: (n,) above zero.  Sums of multiples are exact, so that weights such as 0.1 and 0.3 tie wherever 1 and 3 do.
    The unit is the smallest weight divided by 1 .. 16; weights may differ from multiples by their rounding.  O(n).

    >>> in_whole_units(np.array([0.3, 0.1, 0.2]))
    (array([3., 1., 2.]), 0.1)
    """
    if weights.size == 0 or are_whole(weights):
        return weights, 1.0
    least, largest = extent(weights)
    if largest / _EXACT_IN_FLOAT64 >= least:
        return weights, 1.0
    first = weights[:_FIRST] / least
    parts = next((parts for parts in range(1, _MOST_PARTS + 1) if _are_multiples(first * parts)), 0)
    if not parts:
        return weights, 1.0
    multiples = weights / least
    multiples *= parts
    if not _are_multiples(multiples):
        return weights, 1.0
    multiples = np.rint(multiples)
    return (multiples, least / parts) if are_whole(multiples) else (weights, 1.0)


def _are_multiples(ratios: FloatArray) -> bool:
    """Whether numbers are whole except for a few roundings.  O(n)."""
    return bool(np.all(np.abs(ratios - np.rint(ratios)) <= ratios * _ROUNDING)) and ratios.max() < _EXACT_IN_FLOAT64


def scaled_weights(weights: FloatArray) -> tuple[FloatArray, float]:
    """Return weights, (n,) with n > 0, whose sums and products neither overflow nor vanish, and their divisor.

    The divisor is a power of two, 1.0 for weights of common size, so that only what is far below the largest is
    rounded.  O(n).
    """
    low, high = extent(weights)
    largest = max(high, -low)
    if _SMALLEST <= largest <= _LARGEST or largest == 0:
        return weights, 1.0
    exponent = int(np.frexp(largest)[1]) - 1
    with np.errstate(under="ignore"):
        return np.ldexp(weights, -exponent), float(np.ldexp(1.0, exponent))
