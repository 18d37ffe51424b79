"""Operating points: how many correct and incorrect cases stand at or above a score.

The scores in question are read off the sorted keys of `evalcore.kernels.ordering`, where a tie group is a
run of keys that differ in the lowest bit at most, its incorrect cases first.
"""

from collections.abc import Iterator
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
        """Cases at or above each score, shape (p,).

        >>> OperatingPoints(np.array([1, 3]), np.array([0, 2])).accepted
        array([1, 5])
        """
        return self.tp + self.fp

    @property
    def gained(self) -> IntArray:
        """Correct cases that each point adds to the one before it, shape (p,).

        >>> OperatingPoints(np.array([1, 3]), np.array([0, 2])).gained
        array([1, 2])
        """
        return np.diff(self.tp, prepend=self.tp_before)

    def at(self, chosen: BoolArray | slice) -> "OperatingPoints":
        """Return the points of a slice, or those marked, (p,) bool, as if no others existed.  O(p).

        >>> OperatingPoints(np.array([1, 3]), np.array([0, 2])).at(slice(1, None)).gained
        array([3])
        """
        return OperatingPoints(self.tp[chosen], self.fp[chosen])

    def blocks(self) -> Iterator["OperatingPoints"]:
        """Walk the points in pieces that stay in cache.

        >>> [part.tp.size for part in OperatingPoints(np.arange(70_000), np.arange(70_000)).blocks()]
        [65536, 4464]
        """
        tp_before = self.tp_before
        for block in blocks(self.tp.size):
            yield OperatingPoints(self.tp[block], self.fp[block], tp_before)
            tp_before = int(self.tp[block.stop - 1])


class UnjoinedPoints(NamedTuple):
    """The `correct_points` of keys, for a single walk: no arrays of all points are built."""

    keys: KeyArray
    """Sorted keys, shape (n,)."""

    def blocks(self) -> Iterator[OperatingPoints]:
        """Count one block after the other.  O(n), one block of memory.

        >>> list(UnjoinedPoints(np.array([2, 3, 3, 4, 7])).blocks())
        [OperatingPoints(tp=array([2, 3]), fp=array([1, 2]), tp_before=0)]
        """
        tp_before = 0
        for tp, fp in _correct_points(self.keys):
            if tp.size:
                yield OperatingPoints(tp, fp, tp_before)
                tp_before = int(tp[-1])


def operating_points(keys: KeyArray) -> OperatingPoints:
    """Count the cases at or above every distinct score.

    keys: (n,) sorted.  O(n) time; two integers of memory for each distinct score.

    >>> operating_points(np.array([2, 3, 3, 4, 7]))
    OperatingPoints(tp=array([2, 2, 3]), fp=array([1, 2, 2]), tp_before=0)
    """
    return _joined(_every_point(keys))


def correct_points(keys: KeyArray) -> OperatingPoints:
    """Count the cases at or above every distinct score that holds a correct case.

    keys: (n,) sorted.  O(n) time; two integers of memory for each of these scores.

    >>> correct_points(np.array([2, 3, 3, 4, 7]))
    OperatingPoints(tp=array([2, 3]), fp=array([1, 2]), tp_before=0)
    """
    return _joined(_correct_points(keys))


_Counts = tuple[IntArray, IntArray]
"""Counts tp and fp at the points that end in one block of keys."""


def _joined(parts: Iterator[_Counts]) -> OperatingPoints:
    tps, fps = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for tp, fp in parts:
        tps.append(tp)
        fps.append(fp)
    joined = np.concatenate(tps)
    tps.clear()  # before as much is taken again
    return OperatingPoints(joined, np.concatenate(fps))


def _every_point(keys: KeyArray) -> Iterator[_Counts]:
    counted = 0
    for block in blocks(keys.size):
        tp = np.cumsum(keys[block] & 1, dtype=np.int64) + counted
        ranks = np.flatnonzero(_run_ends(_with_next(keys, block) | 1, block))
        yield tp[ranks], ranks + (block.start + 1) - tp[ranks]
        counted = int(tp[-1])


def _correct_points(keys: KeyArray) -> Iterator[_Counts]:
    counted = 0
    for block in blocks(keys.size):
        ranks = np.flatnonzero((keys[block].astype(np.uint8) & 1).view(np.bool_))
        # The correct cases of a tie group are neighbours: the last of them has another key behind it.
        points = np.flatnonzero(_run_ends(_with_next(keys, block), block)[ranks])
        tp = points + (counted + 1)
        yield tp, ranks[points] + (block.start + 1) - tp
        counted += ranks.size


def _with_next(keys: KeyArray, block: slice) -> KeyArray:
    return keys[block.start : block.stop + 1]


def _run_ends(keys: KeyArray, block: slice) -> BoolArray:
    """Mark the keys of a block that are followed by another key, or by nothing."""
    ends = np.ones(block.stop - block.start, np.bool_)
    np.not_equal(keys[:-1], keys[1:], out=ends[: keys.size - 1])
    return ends
