"""Items of many groups at once: each group in order of its scores, and where runs of equal scores start.

Groups are whole numbers 0 .. g-1.  Nothing here loops over groups: items are told apart by the number of their group.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.argsort import descending, exact_levels
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.ordering import sort
from evalcore.kernels.runs import run_starts
from evalcore.typing import FloatArray, IntArray, ScoreArray

_LEVEL, _WORD = 32, 63
"""Bits of a float32 score, and of a positive int64."""


class GroupedOrder(NamedTuple):
    """Items group after group, best score first."""

    order: IntArray
    """Indices of the items, shape (n,)."""
    starts: IntArray
    """Indices in that order where runs of one group and score start, shape (t,)."""


def order_by_group(groups: IntArray, scores: ScoreArray) -> GroupedOrder:
    """Sort items by group, and within a group best score first; equal items keep their order.

    groups: (n,) from 0; scores: (n,) float32 or float64, no NaN.  O(n log n): one sort for float32 scores if group,
    score and index fit 63 bits, else two.

    >>> order_by_group(np.array([1, 0, 1]), np.array([0.1, 0.2, 0.3]))
    GroupedOrder(order=array([1, 2, 0]), starts=array([0, 1, 2]))
    """
    size = groups.size
    if size == 0:
        return GroupedOrder(np.empty(0, np.int64), np.empty(0, np.int64))
    bits = (size - 1).bit_length()
    if scores.dtype == np.float32 and int(groups.max()).bit_length() + _LEVEL + bits <= _WORD:
        return _in_one_sort(groups, scores, bits)
    order = descending(scores)
    packed = groups[order].astype(np.int64) << bits
    packed |= np.arange(size)
    sort(packed)
    packed &= (1 << bits) - 1
    order = order[packed]
    return GroupedOrder(order, run_starts(groups[order], scores[order]))


def _in_one_sort(groups: IntArray, scores: ScoreArray, bits: int) -> GroupedOrder:
    packed = np.empty(groups.size, np.int64)

    def pack(block: slice) -> None:
        np.left_shift(groups[block], _LEVEL, out=packed[block])
        packed[block] |= exact_levels(scores[block])
        packed[block] <<= bits
        packed[block] |= np.arange(block.start, block.stop)

    map_blocks(pack, groups.size)
    sort(packed)
    order = packed & ((1 << bits) - 1)
    packed >>= bits
    return GroupedOrder(order, run_starts(packed))


def first_of_each(group: IntArray) -> IntArray:
    """Return, for each index, the first index of the same group.  group: (t,) rising.  Returns (t,).  O(t)."""
    starts = run_starts(group)
    return np.repeat(starts, np.diff(starts, append=group.size))


def products_before(group: IntArray, values: FloatArray) -> FloatArray:
    """Multiply, for each index, the (t,) values before it in the same group; group: (t,) rising.  O(t log longest).

    >>> products_before(np.array([0, 0, 0, 1, 1]), np.array([0.5, 0.25, 0.5, 0.5, 0.5]))
    array([1.   , 0.5  , 0.125, 1.   , 0.5  ])
    """
    ranks = np.arange(group.size) - first_of_each(group)
    products = np.where(ranks > 0, np.roll(values, 1), 1.0)
    reach = 1
    while reach <= np.max(ranks, initial=0):  # each product holds the values of `reach` indices, then of twice as many
        products[reach:] *= np.where(ranks[reach:] >= reach, products[:-reach], 1.0)
        reach *= 2
    return products


def sums_before(group: IntArray, values: FloatArray) -> FloatArray:
    """Add up, for each index, the (t,) values before it in the same group; group: (t,) rising.  O(t)."""
    before = np.cumsum(values) - values
    return before - before[first_of_each(group)]
