"""Cases in order of their scores, with the index of each: for statistics of one ranking, and of several together.

A value sort of ``level << bits + 1 | correct << bits | index``, as in `evalcore.kernels.argsort`.  The level of a
float32 score is exact; that of a float64 score drops its last bits, and the few cases whose level several scores share
are put in order afterwards.  What stands above the index is a key, as `evalcore.kernels.ordering` has it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.argsort import exact_levels, mixed_levels
from evalcore.kernels.blocks import BLOCK, map_blocks
from evalcore.kernels.ordering import Ordering, sort
from evalcore.kernels.runs import ranges, run_starts
from evalcore.kernels.sort_keys import extent
from evalcore.typing import BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

_WORD = 63
_EXACT = 32
"""Bits of the levels of float32 scores."""
_NEXT_TO_ZERO = 2.0**-46
"""Times the largest score: smaller scores share one level."""


class IndexedOrdering(NamedTuple):
    """Cases in order, best score first, and their indices."""

    keys: KeyArray
    """Ascending keys, shape (n,); the lowest bit is set for correct cases, the others are equal for equal scores."""
    cases: npt.NDArray[np.int32]
    """Index of the case of each key, shape (n,); among equal keys ascending."""
    values: ScoreArray
    """Scores of the cases in the order they came, shape (n,)."""

    @property
    def ordering(self) -> Ordering:
        """The same as `evalcore.kernels.ordering.order` returns, but for the numbers of the keys.  O(1)."""
        return Ordering(self.keys, self)

    @property
    def score_dtype(self) -> np.dtype[Any]:
        """Type of the scores."""
        return self.values.dtype

    def unpack(self, keys: KeyArray) -> ScoreArray:
        """Return the scores of some keys, (m,); -0.0 as 0.0.  O(m log n)."""
        return self.values[self.cases[self.keys.searchsorted(keys)]] + self.values.dtype.type(0)


def indexed_order(scores: ScoreArray, correct: BoolArray, memory: KeyArray | None = None) -> IndexedOrdering:
    """Sort cases by descending score, exactly, whatever the scores, and keep their indices.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool, n below 2**31; memory: (n,) that the keys may
    have, by default new.  O(n log n) time; 12 bytes of memory for each case.

    >>> found = indexed_order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]))
    >>> found.cases, found.keys & 1, found.ordering.scores(np.array([0, 2]))
    (array([2, 1, 0], dtype=int32), array([0, 1, 1]), array([0.9, 0.5]))
    """
    bits = max(scores.size - 1, 0).bit_length()
    words = np.empty(scores.size, np.int64) if memory is None else memory.view(np.int64)
    levels_of = _levels_of(scores, _WORD - 1 - bits)
    indices = np.arange(min(scores.size, BLOCK))

    def pack(block: slice) -> None:
        part = words[block]
        np.left_shift(levels_of(scores[block]), 1, out=part)
        part |= correct[block]
        part <<= bits
        part += indices[: part.size]
        part += block.start

    map_blocks(pack, scores.size)
    sort(words)
    mixed = np.unique(mixed_levels(words, bits, scores, flags=1))
    cases, low = np.empty(scores.size, np.int32), (2 << bits) - 1

    def unpack(block: slice) -> None:
        part = words[block]
        np.bitwise_and(part, low >> 1, out=cases[block])
        labels = part >> bits
        labels &= 1
        part &= ~low
        part |= labels

    map_blocks(unpack, scores.size)
    found = IndexedOrdering(words, cases, scores)
    if mixed.size:
        _sort_mixed(found, mixed << bits + 1, (mixed + 1) << bits + 1)
    return found


def _sort_mixed(found: IndexedOrdering, starts: KeyArray, stops: KeyArray) -> None:
    """Put the cases between keys of levels that several scores share in order, and number these scores in the keys.

    There is room for that: the keys have zeros where the indices were.
    """
    keys, cases, scores = found
    rows = ranges(keys.searchsorted(starts), keys.searchsorted(stops))
    chosen, part = cases[rows], keys[rows]
    order = np.lexsort((chosen, part & 1, -scores[chosen], part >> 1))
    chosen, part = chosen[order], part[order]
    levels, rises = part >> 1, np.zeros(rows.size, np.int64)
    rises[run_starts(levels, scores[chosen])] = 2
    numbers, first = np.cumsum(rises), run_starts(levels)
    numbers -= numbers[first].repeat(np.diff(first, append=rows.size))
    cases[rows], keys[rows] = chosen, part + numbers


def _levels_of(scores: ScoreArray, bits: int) -> Callable[[ScoreArray], IntArray]:
    """Return a map of scores to levels of `bits` bits, which fall, or stay equal, as scores rise.

    The bits of a float, read as an integer, rise with it, evenly on the scale of its logarithm: whatever the scores,
    few share the upper ones.  Where there is a zero among finite scores, what is next to it shares its level.
    """
    if scores.size == 0 or (scores.dtype == np.float32 and bits >= _EXACT):
        return exact_levels
    ends = extent(scores)
    largest, signed = max(map(abs, ends)), ends[0] < 0
    dense = ends[0] <= 0 <= ends[1] and largest < np.inf
    zero = int(_rising(np.array([largest * _NEXT_TO_ZERO]), 0, signed)[0]) if dense else 0
    bottom, top = _rising(np.array(ends), zero, signed).tolist()
    shift = max((top - bottom).bit_length() + 1 - bits, 0)

    def levels_of(some: ScoreArray) -> IntArray:
        rising = _rising(some.astype(np.float64, copy=False), zero, signed)
        rising >>= shift
        np.subtract(top >> shift, rising, out=rising)
        return rising

    return levels_of


def _rising(scores: FloatArray, zero: int, signed: bool) -> IntArray:
    """Whole numbers that rise with float64 scores, but are equal for those up to `zero` on either side of 0."""
    rising = (scores + 0.0).view(np.int64)  # -0.0 becomes 0.0
    if signed:
        flipped = rising >> _WORD
        flipped &= 2**_WORD - 1
        rising ^= flipped
        # those up to zero become 0
        np.minimum(rising, -zero, out=flipped)
        np.maximum(rising, zero, out=rising)
        rising += flipped
    elif zero:
        np.maximum(rising, zero, out=rising)
    return rising
