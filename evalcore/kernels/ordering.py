"""The one sort that answers everything: cases in order of their scores, best first.

Sorting keys by value costs what sorting the scores does, and packing them a tenth of that.  (``np.argsort`` costs
6 to 7 times.)  For two threads the keys are parted at their middle first, for a seventh of a sort, and each half is
sorted by itself.  Scores that come sorted, either way, need no sort: one look, a sixteenth of one, says so.
"""

from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.kernels import blocks
from evalcore.kernels.blocks import map_blocks, map_parts, threads_for
from evalcore.kernels.runs import cut_between_ties
from evalcore.kernels.sort_keys import code_of, knows_subnormals
from evalcore.typing import BoolArray, KeyArray, ScoreArray

T = TypeVar("T")
_LOOKS = 1 << 4
"""Scores that are looked at first: random ones are sorted once in 10**13 times."""
_ORDERS = {1: np.less_equal, -1: np.greater_equal}
_RARE = 16
"""If less than one key in sixteen is below the one before it, merging runs beats a sort."""
_SAMPLE = 1 << 10
_SCATTERING = np.uint64(2654435761)


class KeyReader(Protocol):
    """What turns keys back into scores: a code, or what remembers the scores."""

    @property
    def score_dtype(self) -> np.dtype[Any]:
        """Type of the scores."""

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """Return the scores of the keys, shape (n,); -0.0 as 0.0."""


class Ordering(NamedTuple):
    """Cases in order: best score first; among equal scores the incorrect before the correct."""

    keys: KeyArray
    """Ascending keys, shape (n,); the lowest bit is set for correct cases."""
    code: KeyReader
    """What the keys are written in."""

    def scores(self, ranks: KeyArray) -> ScoreArray:
        """Return the scores of the cases at these ranks (from 0), same shape.  O(size of ranks).

        >>> order(np.array([0.5, 0.9]), np.array([True, False])).scores(np.array([1]))
        array([0.5])
        """
        return self.code.unpack(self.keys[ranks])


def order(scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None) -> Ordering:
    """Sort cases by descending score, exactly, whatever the scores.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; extent: numbers that no score is below or above, where
    they are known already.  O(n log n) time; n keys of memory.

    >>> ordering = order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]))
    >>> ordering.scores(np.arange(3)), ordering.keys & 1
    (array([0.9, 0.9, 0.5]), array([0, 1, 1], dtype=uint64))
    """
    code = code_of(scores, extent)
    step = _step_of_sorted(scores)
    if step is not None:
        scores, correct = scores[::step], correct[::step]
    keys: KeyArray = np.empty(scores.size, code.key_dtype)
    map_blocks(lambda block: code.pack(scores[block], correct[block], keys[block]), scores.size)
    if step is None:
        sort(keys.view(code.sort_dtype))
    else:
        _sort_tie_groups(keys, code.sort_dtype)
    return Ordering(keys, code)


def _step_of_sorted(scores: ScoreArray) -> int | None:
    """Return 1 for scores that never rise, -1 for those that never fall, None for others.

    O(n) for sorted scores; for others O(1), or up to where the order breaks.
    """
    if scores.size <= blocks.BLOCK or not knows_subnormals():
        return None  # a sort in cache takes hardly longer than the look, which may take subnormal scores for equal
    sample = scores[:: max(scores.size // _LOOKS, 1)]
    for step, in_order in _ORDERS.items():
        parts = chain([sample], (scores[block.start : block.stop + 1] for block in blocks.blocks(scores.size)))
        if all(in_order(part[1:], part[:-1]).all() for part in parts):
            return step
    return None


def _sort_tie_groups(keys: KeyArray, sort_dtype: np.dtype[Any]) -> None:
    """Sort keys whose scores are sorted already: labels are moved within tie groups."""

    def sort_piece(piece: slice) -> None:
        part = keys[piece]
        few = part[:_SAMPLE]
        if np.count_nonzero(few[1:] < few[:-1]) * _RARE < few.size:
            part.sort(kind="stable")  # merges runs: a single pass where there is one
        else:
            part.view(sort_dtype).sort()

    map_parts(sort_piece, cut_between_ties(keys), keys.size)


def map_ordered_columns(
    task: Callable[[KeyArray], T], scores: ScoreArray, correct: BoolArray, extent: tuple[float, float] | None = None
) -> list[T]:
    """Sort each column of cases by itself, and call a task with the keys of one block of columns after the other.

    scores: (n, k) float32 or float64, no NaN; correct: (n, k) bool; extent: as for `order`.  The task takes keys
    (w, n), a row sorted as by `order` for each of w columns.  Returns what it returned.  O(k n log n) time; keys of
    one block of memory for each thread, or of one column where that is longer.

    >>> map_ordered_columns(lambda keys: keys & 1, np.array([[0.5], [0.9]]), np.array([[True], [False]]))
    [array([[0, 1]], dtype=uint64)]
    """
    cases, columns = scores.shape
    code = code_of(scores.ravel(order="K"), extent)

    def call(block: slice) -> T:
        columns_of_keys: KeyArray = np.empty((cases, block.stop - block.start), code.key_dtype)
        code.pack(scores[:, block], correct[:, block], columns_of_keys)
        keys = np.ascontiguousarray(columns_of_keys.T)  # packing before this moves fewer bytes
        keys.view(code.sort_dtype).sort(axis=1)
        return task(keys)

    return map_blocks(call, columns, cases)


def sort(values: npt.NDArray[Any]) -> None:
    """Sort an array in place, in parts at once where more than one thread is allowed.

    values: (n,), no NaN.  O(n log n).

    >>> values = np.array([3, 1, 2])
    >>> sort(values)
    >>> values
    array([1, 2, 3])
    """
    map_parts(lambda part: part.sort(), _parted(values, threads_for(values.size)), values.size)


def _parted(values: npt.NDArray[Any], count: int) -> list[npt.NDArray[Any]]:
    """Partition values into `count` parts, each with larger values than the one before; fewer if many are equal."""
    parts = [values]
    while len(parts) < count:
        halves = map_parts(_halved, parts, values.size)
        if len(parts) == sum(map(len, halves)):
            break
        parts = [half for pair in halves for half in pair]
    return parts


def _halved(part: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    if part.size < 2 or _crowded_at_middle(part):
        return [part]
    middle = part.size // 2
    part.partition(middle)
    return [part[:middle], part[middle:]]


def _crowded_at_middle(values: npt.NDArray[Any]) -> bool:
    """Whether more than about a hundredth of the values are equal to the middle one.

    There np.partition takes many times as long as a sort, which takes little time where many values are equal.
    """
    # at indices without a period, for values may have one
    indices = np.arange(_SAMPLE, dtype=np.uint64) * _SCATTERING % values.size
    sample = np.sort(values[indices])
    middle = sample[sample.size // 2]
    return bool(np.count_nonzero(sample == middle) > sample.size // 100)
