"""The permutation that sorts scores, for what must move along with them: weights, groups, several columns.

A value sort of ``level << bits | index``, where the level of a score is a whole number that falls as the score rises.
The level of a float32 score is exact; that of a float64 score is a linear map to the bits that the index leaves, and
the few neighbours that share a level are put right afterwards.  A million float64 scores take a quarter of the time of
``np.argsort(kind="stable")``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.ordering import sort
from evalcore.kernels.sort_keys import extent
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray

_SHORT = 1 << 10
"""Below this the passes cost more than they save."""
_WORD, _HALF_WORD = 63, 32
_CROWDED = 8
"""If more than one case in eight shares its level with another score, a plain sort is cheaper."""


def descending(scores: ScoreArray) -> IntArray:
    """Return the indices that sort (n,) scores without NaN, best first, equal ones in their order.  O(n log n)."""
    return _descending(scores)


def descending_with_ends(scores: ScoreArray) -> tuple[IntArray, BoolArray]:
    """Return the indices of `descending`, and a mask of the ranks that another score follows, or nothing, (n,) each.

    O(n log n): which scores are equal is read off the sort, without fetching them.

    >>> descending_with_ends(np.array([0.5, 0.9, 0.5]))
    (array([1, 0, 2]), array([ True, False,  True]))
    """
    ends = np.ones(scores.size, np.bool_)
    return _descending(scores, ends), ends


def _descending(scores: ScoreArray, ends: BoolArray | None = None) -> IntArray:
    """Return the indices of `descending`; ends: takes the mask of `descending_with_ends`, (n,), all True before."""
    if scores.size < _SHORT:
        return _by_argsort(scores, ends)
    bits = (scores.size - 1).bit_length()
    exact = scores.dtype == np.float32 and bits < 32
    levels_of = exact_levels if exact else _linear_levels(scores, _WORD - bits)
    if levels_of is None:
        return _by_argsort(scores, ends)
    packed = sorted_words(levels_of, scores, bits)
    mixed = np.empty(0, np.int64) if exact else mixed_levels(packed, bits, scores)
    if mixed.size * _CROWDED > scores.size:
        return _by_argsort(scores, ends)
    if ends is not None:
        _mark_ends(packed, 1 << bits, ends)
    levels = np.unique(mixed)
    firsts, lasts = (packed.searchsorted(border << bits) for border in (levels, levels + 1))

    def unpack(block: slice) -> None:
        packed[block] &= (1 << bits) - 1

    map_blocks(unpack, scores.size)
    return _with_mixed_sorted(packed, firsts, lasts, scores, ends) if levels.size else packed


def sorted_words(
    levels_of: Callable[[Any], IntArray], values: AnyArray, bits: int, level_bits: int = _WORD
) -> AnyArray:
    """Return the level of each value, (n,), above as many bits that hold its index; sorted.  O(n log n).

    level_bits: bits of the levels.  Returns uint32, which sort in half the time, if these are enough, else int64.
    """
    words: AnyArray = np.empty(values.size, np.uint32 if bits + level_bits <= _HALF_WORD else np.int64)

    def pack(block: slice) -> None:
        part = words[block]
        np.left_shift(levels_of(values[block]), bits, out=part, casting="unsafe")
        np.bitwise_or(part, np.arange(block.start, block.stop, dtype=words.dtype), out=part)

    map_blocks(pack, values.size)
    sort(words)
    return words


def _by_argsort(scores: ScoreArray, ends: BoolArray | None = None) -> IntArray:
    order = np.argsort(-scores, kind="stable").astype(np.int64, copy=False)
    if ends is not None:
        ranked = scores[order]
        np.not_equal(ranked[:-1], ranked[1:], out=ends[:-1])
    return order


def _mark_ends(words: IntArray, lowest: int, ends: BoolArray) -> None:
    """Mark the sorted words, (n,), that a word of another level follows; lowest: the lowest bit of the level.  O(n)."""

    def mark(block: slice) -> None:
        near = words[block.start : block.stop + 1]
        np.greater_equal(near[1:] ^ near[:-1], lowest, out=ends[block])

    map_blocks(mark, words.size - 1)


def exact_levels(scores: ScoreArray) -> IntArray:
    """Return levels of 32 bits that fall as float32 scores, (n,), rise: (n,) int64.  O(n)."""
    patterns = (scores + np.float32(0)).view(np.int32)  # -0.0 becomes 0.0
    rising = patterns ^ ((patterns >> 31) & np.int32(0x7FFFFFFF))
    levels: IntArray = np.subtract(np.int64(0x7FFFFFFF), rising, dtype=np.int64)
    return levels


def _linear_levels(scores: ScoreArray, bits: int) -> Callable[[ScoreArray], IntArray] | None:
    """Return a map of scores to levels of `bits` bits; None if scores are infinite or all equal.  O(n)."""
    low, high = extent(scores)
    span = high - low
    if not 0 < span < np.inf or span < 1e-290:
        return None
    step = (2**bits - 2) / span / (1 + 2**-40)

    def levels_of(some: ScoreArray) -> IntArray:
        steps = np.subtract(high, some, dtype=np.float64)
        steps *= step
        return steps.astype(np.int64)

    return levels_of


def mixed_levels(packed: IntArray, bits: int, scores: ScoreArray, flags: int = 0) -> IntArray:
    """Return the levels that hold different scores, ascending, some of them more than once.

    packed: (n,) sorted, a level above `flags` bits and, below these, `bits` bits that hold an index; scores: (n,).
    Returns (m,).  O(n).

    >>> mixed_levels(np.array([0b00, 0b01, 0b110]), 2, np.array([0.9, 0.8, 0.5]))
    array([0])
    """
    indices = (1 << bits) - 1

    def mixed(block: slice) -> IntArray:
        near = packed[block.start : block.stop + 1]
        upper = np.flatnonzero((near[1:] ^ near[:-1]) < 1 << bits + flags)
        above, below = (scores[near[ranks] & indices] for ranks in (upper, upper + 1))
        levels: IntArray = near[upper[above != below]] >> bits + flags
        return levels

    return np.concatenate([np.empty(0, np.int64), *map_blocks(mixed, packed.size)])


def _with_mixed_sorted(
    order: IntArray, firsts: IntArray, lasts: IntArray, scores: ScoreArray, ends: BoolArray | None
) -> IntArray:
    """Sort the cases of each level that holds different scores, and mark where their scores end.

    firsts, lasts: (m,) the first rank of each such level, and the one after its last.
    """
    sizes = lasts - firsts
    if sizes.sum() * _CROWDED > order.size:
        return _by_argsort(scores, ends)
    rows = np.repeat(firsts - sizes.cumsum() + sizes, sizes) + np.arange(sizes.sum())
    levels = np.repeat(firsts, sizes)
    fixed = np.lexsort((order[rows], -scores[order[rows]], levels))
    order[rows] = order[rows][fixed]
    if ends is not None:
        upper = rows[rows < order.size - 1]
        ends[upper] = scores[order[upper]] != scores[order[upper + 1]]
    return order
