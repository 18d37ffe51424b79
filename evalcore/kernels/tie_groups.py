"""Tie groups of sorted keys: the one at a rank, and cuts that divide none."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks
from evalcore.typing import Amount, KeyArray


class TieGroup(NamedTuple):
    """Cases of one score, and what stands above them: numbers of cases, or their weights."""

    before: Amount
    """Cases with a higher score."""
    tp_before: Amount
    """Correct cases with a higher score."""
    size: Amount
    """Cases of this score."""
    correct: Amount
    """Correct cases of this score."""


def tie_group_at(keys: KeyArray, rank: int) -> TieGroup:
    """Return the tie group of the case at a rank.

    keys: (n,) sorted; rank: 0 .. n-1.  O(log n + cases above the group), one block of memory.

    >>> tie_group_at(np.array([1, 2, 2, 3, 4]), 1)
    TieGroup(before=1, tp_before=1, size=3, correct=1)
    """
    correct_key = keys[rank] | 1
    before, first_correct = keys.searchsorted(np.array([correct_key - 1, correct_key], keys.dtype))
    end = keys.searchsorted(correct_key, side="right")
    tp_before = sum(int(np.count_nonzero(keys[block] & 1)) for block in blocks(int(before)))
    return TieGroup(int(before), tp_before, int(end - before), int(end - first_correct))


def first_correct_group(keys: KeyArray) -> TieGroup | None:
    """Return the best tie group of sorted keys, (n,), that holds a correct case, or None.  O(n)."""
    for block in blocks(keys.size):
        correct = keys[block] & 1
        if correct.any():
            return tie_group_at(keys, block.start + int(correct.argmax()))
    return None


def cut_between_ties(keys: KeyArray) -> list[slice]:
    """Cut sorted keys, (n,), into blocks, and out of these the tie groups that a border would part.

    A piece longer than a block is one tie group.  O(n / BLOCK log n).

    >>> cut_between_ties(np.array([2, 3, 3, 4, 7]))
    [slice(0, 5, None)]
    """
    borders = np.array([block.stop for block in blocks(keys.size)][:-1], np.int64)
    at, mask = keys[borders], keys.dtype.type(1)
    starts, stops = keys.searchsorted(at & ~mask), keys.searchsorted(at | mask, side="right")
    parted = starts < borders
    cuts = [0, keys.size], np.where(parted, starts, borders), np.where(parted, stops, borders)
    return [slice(*ends) for ends in pairwise(np.unique(np.concatenate(cuts)).tolist())]
