"""Operating points: how many correct and incorrect cases stand at or above a score.

The scores in question are read off the sorted keys of `evalcore.kernels.ordering`, where a tie group is a
run of keys that differ in the lowest bit at most, its incorrect cases first.
"""

from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import blocks, map_blocks, map_parts
from evalcore.typing import Amount, AnyArray, BoolArray, IntArray, KeyArray

T = TypeVar("T")


class OperatingPoints(NamedTuple):
    """Counts of the cases at or above some distinct scores, or sums of their weights, best score first."""

    tp: AnyArray
    """Correct cases at or above each score, shape (p,)."""
    fp: AnyArray
    """Incorrect cases at or above each score, shape (p,)."""
    tp_before: Amount = 0
    """Correct cases above the first of these scores."""

    @property
    def predicted_positive(self) -> IntArray:
        """Cases at or above each score, shape (p,).

        >>> OperatingPoints(np.array([1, 3]), np.array([0, 2])).predicted_positive
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

    @property
    def correct_at_most(self) -> int:
        """Correct cases.

        >>> OperatingPoints(np.array([1, 3]), np.array([0, 2])).correct_at_most
        3
        """
        return int(self.tp[-1]) if self.tp.size else 0

    def at(self, chosen: BoolArray | slice) -> "OperatingPoints":
        """Return the points of a slice, or of a mask, (p,) bool, as if no others existed.  O(p).

        >>> OperatingPoints(np.array([1, 3]), np.array([0, 2])).at(slice(1, None)).gained
        array([3])
        """
        return OperatingPoints(self.tp[chosen], self.fp[chosen])

    def map(self, task: "Callable[[OperatingPoints], T]") -> list[T]:
        """Call a task with one piece of the points after the other, and return what it returned.  As `map_blocks`.

        >>> OperatingPoints(np.arange(70_000), np.arange(70_000)).map(lambda part: part.tp.size)
        [65528, 4472]
        """

        def piece(block: slice) -> T:
            tp_before = self.tp[block.start - 1].item() if block.start else self.tp_before
            return task(OperatingPoints(self.tp[block], self.fp[block], tp_before))

        return map_blocks(piece, self.tp.size)


class LazyOperatingPoints(NamedTuple):
    """The `correct_points` of keys, for a single walk: no arrays of all points are built."""

    keys: KeyArray
    """Sorted keys, shape (n,)."""

    @property
    def correct_at_most(self) -> int:
        """No more cases are correct, for there are no more.

        >>> LazyOperatingPoints(np.array([2, 3, 3, 4, 7])).correct_at_most
        5
        """
        return self.keys.size

    def map(self, task: Callable[[OperatingPoints], T]) -> list[T]:
        """Call a task with the points of one block of keys after the other; as `OperatingPoints.map`.

        O(n) time, one block of memory for each thread.

        >>> LazyOperatingPoints(np.array([2, 3, 3, 4, 7])).map(lambda part: part.tp)
        [array([2, 3])]
        """

        def count(part: tuple[slice, int]) -> T | None:
            points = _correct_points(self.keys, *part)
            return task(points) if points.tp.size else None

        answers = map_parts(count, _parts(self.keys), self.keys.size)
        return [answer for answer in answers if answer is not None]


def correct_points(keys: KeyArray) -> OperatingPoints:
    """Count the cases at or above every distinct score that holds a correct case.

    keys: (n,) sorted.  O(n) time; two integers of memory for each of these scores.

    >>> correct_points(np.array([2, 3, 3, 4, 7]))
    OperatingPoints(tp=array([2, 3]), fp=array([1, 2]), tp_before=0)
    """
    tps, fps = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for points in LazyOperatingPoints(keys).map(lambda part: part):
        tps.append(points.tp)
        fps.append(points.fp)
    joined = np.concatenate(tps)
    tps.clear()  # before as much is taken again
    return OperatingPoints(joined, np.concatenate(fps))


class ColumnPoints(NamedTuple):
    """The `correct_points` of several columns of cases, those of one after those of the other."""

    tp: IntArray
    """As of `OperatingPoints`, shape (p,)."""
    fp: IntArray
    """Shape (p,)."""
    gained: IntArray
    """Shape (p,)."""
    sizes: IntArray
    """Points of each column, shape (k,)."""
    correct: IntArray
    """Correct cases of each column, shape (k,)."""


def correct_points_of_columns(keys: KeyArray) -> ColumnPoints:
    """Count the cases at or above every distinct score of a column that holds a correct case, for several columns.

    keys: (k, n), a sorted row for each column.  O(k n) time and memory.

    >>> points = correct_points_of_columns(np.array([[2, 3, 3, 4, 7], [3, 4, 6, 8, 9]]))
    >>> points.tp, points.fp, points.gained, points.sizes
    (array([2, 3, 1, 2]), array([1, 2, 0, 3]), array([2, 1, 1, 1]), array([2, 2]))
    """
    correct = correct_bits(keys).view(np.bool_)
    ends = np.ones(keys.shape, np.bool_)
    np.not_equal(keys[:, :-1], keys[:, 1:], out=ends[:, :-1])
    # The correct cases of a tie group are neighbours: the last of them has another key behind it.
    own = np.flatnonzero(correct)
    last = ends.ravel()[own]
    counts = np.count_nonzero(correct, axis=1)
    sizes = counts if last.all() else np.count_nonzero(correct & ends, axis=1)
    tp = np.flatnonzero(last) + (1 - np.cumsum(counts) + counts).repeat(sizes)
    fp = own[last] - tp + (1 - np.arange(0, keys.size, keys.shape[1])).repeat(sizes)
    gained = np.diff(tp, prepend=0)
    firsts = (np.cumsum(sizes) - sizes)[sizes > 0]
    gained[firsts] = tp[firsts]
    return ColumnPoints(tp, fp, gained, sizes, counts)


def correct_bits(keys: KeyArray) -> npt.NDArray[np.uint8]:
    """Return 1 for the keys of correct cases, 0 for others, of the shape of the keys, (n,) or (k, n).  O(n).

    >>> correct_bits(np.array([2, 3, 7]))
    array([0, 1, 1], dtype=uint8)
    """
    mask = keys.astype(np.uint8)
    mask &= 1
    return mask


def with_next(keys: KeyArray, block: slice) -> KeyArray:
    """Return the keys of a block and the one after it, if there is one.

    >>> with_next(np.array([2, 3, 7]), slice(0, 2))
    array([2, 3, 7])
    """
    return keys[block.start : block.stop + 1]


def _parts(keys: KeyArray) -> list[tuple[slice, int]]:
    """Blocks of keys, and the correct cases before each."""
    counts = map_blocks(lambda block: int(np.count_nonzero(correct_bits(keys[block]))), keys.size)
    return list(zip(blocks(keys.size), accumulate(counts, initial=0), strict=False))


def _correct_points(keys: KeyArray, block: slice, counted: int) -> OperatingPoints:
    """Points that end in a block, after `counted` correct cases."""
    ranks = np.flatnonzero(correct_bits(keys[block]).view(np.bool_))
    # The correct cases of a tie group are neighbours: the last of them has another key behind it.
    points = np.flatnonzero(_run_ends(with_next(keys, block), block.stop - block.start)[ranks])
    tp = points + (counted + 1)
    return OperatingPoints(tp, ranks[points] + (block.start + 1) - tp, counted - _unfinished(keys, block.start))


def _unfinished(keys: KeyArray, start: int) -> int:
    """Correct cases before an index that share their score with the correct one there."""
    if start == 0 or keys[start] != keys[start - 1] or not keys[start] & 1:
        return 0
    return start - int(keys.searchsorted(keys[start]))


def _run_ends(keys: KeyArray, size: int) -> BoolArray:
    """Return a mask of the first `size` keys that are followed by another key, or by nothing."""
    ends = np.ones(size, np.bool_)
    np.not_equal(keys[:-1], keys[1:], out=ends[: keys.size - 1])
    return ends
