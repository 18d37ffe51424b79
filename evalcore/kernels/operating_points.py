"""Operating points: how many correct and incorrect cases stand at or above a score.

The scores in question are read off the sorted keys of `evalcore.kernels.ordering`, where a tie group is a
run of keys that differ in the lowest bit at most, its incorrect cases first.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks
from evalcore.typing import BoolArray, IntArray, KeyArray


class OperatingPoints(NamedTuple):
    """Counts of the cases at or above some distinct scores, best score first."""

    tp: IntArray
    """Correct cases at or above each score, shape (p,)."""
    fp: IntArray
    """Incorrect cases at or above each score, shape (p,)."""
    tp_before: int = 0
    """Correct cases above the first of these scores."""

    @property
    def accepted(self) -> IntArray:
        """Cases at or above each score, shape (p,)."""
        return self.tp + self.fp

    @property
    def gained(self) -> IntArray:
        """Correct cases that each point adds to the one before it, shape (p,)."""
        return np.diff(self.tp, prepend=self.tp_before)

    def where(self, kept: BoolArray) -> "OperatingPoints":
        """Return the points that are marked, shape (p,) bool.  O(p)."""
        return OperatingPoints(self.tp[kept], self.fp[kept], self.tp_before)


def operating_points(keys: KeyArray) -> OperatingPoints:
    """Count the cases at or above every distinct score.

    keys: (n,) sorted.  O(n) time; two integers of memory for each distinct score.

    >>> operating_points(np.array([2, 3, 3, 4, 7]))
    OperatingPoints(tp=array([2, 2, 3]), fp=array([1, 2, 2]), tp_before=0)
    """
    return joined(_every_block(keys))


def correct_points(keys: KeyArray) -> Iterator[OperatingPoints]:
    """Count the cases at or above every distinct score that holds a correct case, block after block.

    keys: (n,) sorted.  Yields points that follow each other, some blocks of them empty.
    O(n) time, one block of memory.

    >>> list(correct_points(np.array([2, 3, 3, 4, 7])))
    [OperatingPoints(tp=array([2, 3]), fp=array([1, 2]), tp_before=0)]
    """
    tp_before = counted = 0
    for block in blocks(keys.size):
        part = keys[block]
        ranks = np.flatnonzero((part & 1).astype(np.bool_))
        # The correct cases of a tie group are neighbours: the last of them has another key behind it.
        points = np.flatnonzero(_run_ends(_with_next(keys, block), block)[ranks])
        tp = points + (counted + 1)
        yield OperatingPoints(tp, ranks[points] + (block.start + 1) - tp, tp_before)
        counted += ranks.size
        tp_before = int(tp[-1]) if tp.size else tp_before


def joined(parts: Iterable[OperatingPoints]) -> OperatingPoints:
    """Put points that follow each other into one, O(total size).

    >>> joined(correct_points(np.array([3, 5]))).tp
    array([1, 2])
    """
    listed = list(parts)
    empty = np.empty(0, np.int64)
    return OperatingPoints(
        np.concatenate([part.tp for part in listed] or [empty]),
        np.concatenate([part.fp for part in listed] or [empty]),
        listed[0].tp_before if listed else 0,
    )


def tied_incorrect(keys: KeyArray, points: OperatingPoints) -> IntArray:
    """Count the incorrect cases that share the score of each point.

    keys: (n,) sorted; points: some of its `correct_points`, shape (p,).  Returns (p,) int64.
    O(p), and O(log n) for each point that has any.

    >>> keys = np.array([2, 3, 3, 4, 7])
    >>> tied_incorrect(keys, joined(correct_points(keys)))
    array([1, 0])
    """
    ends = points.accepted - points.gained  # ranks where the incorrect cases of the score end
    incorrect_keys = keys[points.accepted - 1] - keys.dtype.type(1)
    tied = np.flatnonzero((ends > 0) & (keys[ends - 1] == incorrect_keys))
    counts = np.zeros(ends.size, np.int64)
    counts[tied] = ends[tied] - keys.searchsorted(incorrect_keys[tied])
    return counts


def _every_block(keys: KeyArray) -> Iterator[OperatingPoints]:
    tp_before = counted = 0
    for block in blocks(keys.size):
        tp = np.cumsum(keys[block] & 1, dtype=np.int64) + counted
        ranks = np.flatnonzero(_run_ends(_with_next(keys, block) | 1, block))
        yield OperatingPoints(tp[ranks], ranks + (block.start + 1) - tp[ranks], tp_before)
        counted = int(tp[-1])
        tp_before = int(tp[ranks[-1]]) if ranks.size else tp_before


def _with_next(keys: KeyArray, block: slice) -> KeyArray:
    return keys[block.start : block.stop + 1]


def _run_ends(keys: KeyArray, block: slice) -> BoolArray:
    """Mark the keys of a block that are followed by another key, or by nothing."""
    ends = np.ones(block.stop - block.start, np.bool_)
    np.not_equal(keys[:-1], keys[1:], out=ends[: keys.size - 1])
    return ends
