"""Sums of the ranks of the cases that have a label, for many labels of the same cases: one sort answers them all."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import BLOCK, blocks, map_blocks
from evalcore.kernels.label_ranks import count_labels
from evalcore.kernels.runs import run_starts
from evalcore.typing import BoolArray, IntArray, ScoreArray

_ROWS = 255
"""Rows of a tile: counts of them fit a byte."""


class RankSums(NamedTuple):
    """Of each of k labels."""

    correct: IntArray
    """Cases that have it, shape (k,)."""
    sums: IntArray
    """Sums of their `doubled_ranks`, shape (k,)."""


def doubled_ranks(scores: ScoreArray) -> IntArray:
    """Count for each case twice the cases of lower score, and once those of its score, itself too.

    scores: (n,), no NaN, n below 2**31.  Returns (n,) int64.  O(n log n).

    >>> doubled_ranks(np.array([0.5, 0.1, 0.5]))
    array([4, 1, 4])
    """
    order = descending(scores)
    starts = run_starts(scores[order])
    sizes = np.diff(starts, append=scores.size)
    ranks = np.empty(scores.size, np.int64)
    ranks[order] = (2 * (scores.size - starts) - sizes).repeat(sizes)
    return ranks


def rank_sums(labels: BoolArray, ranks: IntArray) -> RankSums:
    """Add up the ranks of the cases of each label.

    labels: (n, k); ranks: (n,) of `doubled_ranks`.  O(n k); one block of memory for each thread.

    >>> rank_sums(np.array([[True, False], [True, False], [False, True]]), np.array([4, 1, 4]))
    RankSums(correct=array([2, 1]), sums=array([5, 4]))
    """
    result = RankSums(*np.zeros((2, labels.shape[1]), np.int64))
    floats = ranks.astype(np.float64)

    def add_up(part: slice) -> None:
        for rows in blocks(len(labels), BLOCK // _ROWS):
            tile = labels[rows, part]
            result.correct[part] += count_labels(tile)
            # Sums of whole numbers below 2**53: exact in float64, in any order.  Not `@`: the threads of BLAS are not
            # those that callers allow.
            sums = np.einsum("i,ij->j", floats[rows], tile.astype(np.float64))
            result.sums[part] += sums.astype(np.int64)

    map_blocks(add_up, labels.shape[1], min(len(labels), _ROWS))
    return result
