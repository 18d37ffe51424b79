"""Codes of labels, by hashing them to words of 64 bits, and rows of two tables with the same id, a whole number.

Where labels are few, a table with a slot for each word gives the code of a case with one product and two
look-ups: nothing is sorted, and no Python object is touched.

Ids close together are looked up in a table with a slot for each.  Others are packed with the index of their row and
sorted, which for random ids takes less time than a table of hashes and another look at those that share a slot.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sorting import WORD, sorted_words
from evalcore.typing import AnyArray, IntArray

Words = npt.NDArray[np.uint64]
_BLOCK = 1 << 13
"""Cases whose words, slots and codes stay in cache together."""
_BITS = 16
"""Of the index of a slot."""
_MOST = 256
"""Labels up to which one multiplier or another gives each a slot of its own."""
_GOLDEN = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: odd, and without a pattern in its bits."""
_MULTIPLIERS = [np.uint64(pow(_GOLDEN, power, 2**64)) for power in range(1, 24, 2)]
_BYTES, _MIXED = 8, 256
_FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(_BYTES + 1)], np.uint64)
"""Masks of the first bytes of a word."""


class Coded(NamedTuple):
    """Cases by their label."""

    first: IntArray
    """Index of a case of each label, shape (d,)."""
    codes: IntArray
    """Which of them each case has, shape (n,)."""


class _Table(NamedTuple):
    multiplier: np.uint64
    words: Words
    codes: IntArray


def code_few(labels: AnyArray) -> Coded | None:
    """Code the distinct labels of a column, (n,); None if there are many, and for other types.

    labels: Booleans, integers, floats without NaN, strings, or objects, of which equal ones may have several codes.
    O(n), of strings of w characters O(n w).
    """
    kind = labels.dtype.kind
    if kind == "O":
        return _coded(np.ascontiguousarray(labels), addresses)
    if kind == "U" and labels.dtype.itemsize:
        texts = np.ascontiguousarray(labels, dtype=labels.dtype.newbyteorder("="))
        found = _coded(texts, _text_words)
        return found if found is not None and _has_texts(texts, found) else None
    return _coded(labels, _number_words) if kind in "biuf" and labels.dtype.itemsize <= 8 else None


def _coded(labels: AnyArray, words_of: Callable[[AnyArray], Words]) -> Coded | None:
    codes = np.empty(labels.size, np.intp)
    distinct, first = np.empty(0, np.uint64), np.empty(0, np.intp)
    table = _Table(_MULTIPLIERS[0], distinct, first)
    for start in range(0, labels.size, _BLOCK):
        words = words_of(labels[start : start + _BLOCK])
        slots = _slots(words, table.multiplier)
        unknown = np.flatnonzero(table.words[slots] != words) if start else np.arange(words.size)
        if unknown.size:
            added, at = np.unique(words[unknown], return_index=True)
            distinct, first = np.append(distinct, added), np.append(first, unknown[at] + start)
            found = _table_of(distinct)
            if found is None:
                return None
            table, slots = found, _slots(words, found.multiplier)
        np.take(table.codes, slots, out=codes[start : start + words.size])
    return Coded(first, codes)


def _table_of(distinct: Words) -> _Table | None:
    if distinct.size > _MOST:
        return None
    for multiplier in _MULTIPLIERS:
        slots = _slots(distinct, multiplier)
        if np.unique(slots).size == distinct.size:
            words = np.full(1 << _BITS, distinct[0])  # whose own slot is one of these: no word finds it in another
            codes = np.zeros(words.size, np.intp)
            words[slots], codes[slots] = distinct, np.arange(distinct.size)
            return _Table(multiplier, words, codes)
    return None


def _slots(words: Words, multiplier: np.uint64, bits: int = _BITS) -> IntArray:
    """Return hashes of words, (n,), with a number of bits.  O(n)."""
    slots = words * multiplier
    slots >>= np.uint64(64 - bits)
    return slots.view(np.int64)


def _number_words(labels: AnyArray) -> Words:
    if labels.dtype.kind == "f":
        return np.add(labels, 0.0, dtype=np.float64).view(np.uint64)  # -0.0 becomes 0.0
    return labels.astype(np.uint64 if labels.dtype.kind == "u" else np.int64, copy=False).view(np.uint64)


def addresses(labels: AnyArray) -> Words:
    """Return the address of each object of a contiguous column, (n,) uint64.  O(1)."""
    return np.ndarray(labels.shape, np.uintp, buffer=labels).astype(np.uint64, copy=False)


def _text_words(labels: AnyArray) -> Words:
    """Mix the characters of each string to one word, which few others have."""
    characters = _characters(labels)
    words = characters[:, -1].astype(np.uint64)
    for column in characters.T[-2::-1]:
        words *= _MULTIPLIERS[0]
        words += column
    return words


def letter_words(letters: npt.NDArray[np.uint8], ends: IntArray, skipped: int = 0) -> Words:
    """Mix the first bytes of each of n texts to a word that few others have: (n,).  O(n).

    letters: of all texts; ends: where the first text begins, and each ends, (n + 1,) int64; skipped: how many bytes,
    which all texts begin with.  Texts of at most eight others, none of them zero, have words of their own.
    """
    lengths, found = np.diff(ends) - skipped, np.zeros(ends.size - 1, np.uint64)
    padded = np.append(letters, np.zeros(_MIXED, np.uint8))
    from_byte: Words = np.ndarray(padded.size - _BYTES + 1, "<u8", padded, strides=(1,))

    def mix(block: slice) -> None:
        left, mixed = lengths[block], found[block]
        longest = int(left.max())
        alike = longest == left.min()
        for at in range(0, min(longest, _MIXED), _BYTES):
            if alike:  # a fifth of the time
                step, left = longest + skipped, left[:1]
                words = np.ndarray(mixed.size, "<u8", padded, ends[block.start] + skipped + at, (step,))
            else:
                words = from_byte[ends[block] + (skipped + at)]
            words = words & _FIRST_BYTES.take(left - at, mode="clip")
            words *= _MULTIPLIERS[0]  # 0 stays, whatever the longest text of the block
            words.byteswap(inplace=True)
            words *= _MULTIPLIERS[at // _BYTES % len(_MULTIPLIERS)]
            mixed += words

    map_blocks(mix, found.size, _BYTES)
    return found


def _characters(labels: AnyArray) -> npt.NDArray[np.uint32]:
    return labels.view(np.uint32).reshape(labels.size, -1)


def _has_texts(labels: AnyArray, found: Coded) -> bool:
    """Whether each string is that of its code, and not another of the same word."""
    texts = _characters(labels[found.first])
    blocks = (slice(start, start + _BLOCK) for start in range(0, labels.size, _BLOCK))
    return all(np.array_equal(texts.take(found.codes[block], axis=0), _characters(labels[block])) for block in blocks)


_SLOTS_PER_ROW = 4
"""Up to this many slots for each row, a table is faster than a sort."""
_FEW_SLOTS = 1 << 16
_NONE = np.empty(0, np.int64)


class Matches(NamedTuple):
    """Which rows of a new table have the ids of an old one.  Indices are ascending."""

    rows: IntArray | None
    """For each row of the old table the first row of the new one with its id, -1 for none, shape (n,); None where row i
    of one belongs to row i of the other."""
    repeated_old: IntArray
    """Rows of the old table whose id an earlier row has, shape (r,)."""
    repeated_new: IntArray
    only_new: IntArray
    """Rows of the new table, without repeated ones, whose id the old one lacks, shape (m,)."""

    def only_old(self) -> IntArray:
        """Return the rows of the old table, without repeated ones, whose id the new one lacks, (m,).  O(n)."""
        if self.rows is None:
            return _NONE
        rows = np.flatnonzero(self.rows < 0)
        return rows[~np.isin(rows, self.repeated_old)] if self.repeated_old.size else rows


def match_numbers(old: IntArray, new: IntArray) -> Matches:
    """Find the rows of two columns of ids, (n,) and (m,) int64, with the same id.

    O(n + m) for ids close together, else O((n + m) log (n + m)).

    >>> match_numbers(np.array([7, 8, 9]), np.array([9, 7, 5])).rows
    array([ 1, -1,  0], dtype=int32)
    """
    alike = np.array_equal(old[:_BLOCK], new[:_BLOCK]) and np.array_equal(old, new)
    if alike and (_is_increasing(old) or _is_increasing(np.sort(old))):
        return Matches(None, _NONE, _NONE, _NONE)
    low, high = extent(old, new)
    span = high - low + 1
    if span <= max(_FEW_SLOTS, _SLOTS_PER_ROW * (old.size + new.size)):
        return _by_table(old, new, low, span)
    return _by_sort(old, new, low, span)


def extent(*columns: IntArray) -> tuple[int, int]:
    """Return the least and the largest of whole numbers, (n,) each; zeros without any.  O(n)."""

    def ends_of(ids: IntArray) -> list[tuple[int, int]]:
        return map_blocks(lambda block: (int(ids[block].min()), int(ids[block].max())), ids.size)

    ends = [end for ids in columns for pair in ends_of(ids) for end in pair]
    return (min(ends), max(ends)) if ends else (0, 0)


def _is_increasing(ids: AnyArray) -> bool:
    """Whether ids, (n,), are strictly ascending, and so distinct.  O(n)."""
    first = ids[:_BLOCK]
    return bool((first[1:] > first[:-1]).all() and (ids[1:] > ids[:-1]).all())


def _by_table(old: IntArray, new: IntArray, low: int, span: int) -> Matches:
    """Match ids, (n,) and (m,), from `low` on by a table with `span` slots.  O(n + m log m + span)."""
    first, repeated_new = _first_rows(new, low, span)
    rows = _looked_up(first, old, low)
    del first  # it is large, and another may follow
    distinct = _is_increasing(old) or _are_distinct(rows, new.size)
    repeated_old = _NONE if distinct else _first_rows(old, low, span)[1]
    return Matches(rows, repeated_old, repeated_new, _rows_left(rows, repeated_old, repeated_new, new.size))


def _are_distinct(rows: IntArray, count: int) -> bool:
    """Whether rows, (n,) in -1 .. count - 1, are all found, and no two alike.  O(n + count)."""
    found = np.zeros(count + 1, np.bool_)

    def mark(block: slice) -> None:
        found[rows[block].astype(np.intp)] = True  # half the time of indices that NumPy widens; -1 is the last

    map_blocks(mark, rows.size)
    return not found[-1] and np.count_nonzero(found) == rows.size


def _looked_up(table: IntArray, ids: IntArray, low: int) -> IntArray:
    """Return the slots of ids, (n,).  O(n)."""
    found = np.empty(ids.size, table.dtype)

    def look(block: slice) -> None:
        np.take(table, ids[block] - low, out=found[block], mode="clip")  # faster than with checks

    map_blocks(look, ids.size)
    return found


def _first_rows(ids: IntArray, low: int, span: int) -> tuple[IntArray, IntArray]:
    """Return for each id from `low` on the first row that has it, -1 for none, (span,), and the other rows, ascending.

    O(n + span).
    """
    first: IntArray = np.empty(span, np.int32 if ids.size < 1 << 31 else np.int64)
    map_blocks(lambda block: first[block].fill(-1), span)

    def scatter(block: slice) -> None:
        first[ids[block] - low] = np.arange(block.start, block.stop, dtype=first.dtype)

    def others(block: slice) -> IntArray:
        rows: IntArray = np.arange(block.start, block.stop)
        return rows[np.not_equal(first[ids[block] - low], rows)]

    map_blocks(scatter, ids.size)
    filled = sum(map_blocks(lambda block: int(np.count_nonzero(first[block] >= 0)), span))
    if filled == ids.size:  # none was written twice
        return first, _NONE
    rows = np.concatenate(map_blocks(others, ids.size))
    np.minimum.at(first, ids[rows] - low, rows.astype(first.dtype))  # of each id some row was written
    return first, np.concatenate(map_blocks(others, ids.size))


def _by_sort(old: IntArray, new: IntArray, low: int, span: int) -> Matches:
    """Match ids, (n,) and (m,), from `low` on that lie far apart.  O((n + m) log (n + m)).

    Words of ``level << bits | row`` are sorted, where rows of the new table follow those of the old one, and equal ids
    have equal levels.  A level of one row of each is a match, unless it is a hash that two ids share.
    """
    bits = (old.size + new.size - 1).bit_length()
    hashed = span > 1 << (WORD - bits)

    def levels_of(block: slice) -> IntArray:
        ids = np.concatenate([old[block], new[slice(*(max(end - old.size, 0) for end in (block.start, block.stop)))]])
        return _slots(ids.view(np.uint64), _MULTIPLIERS[0], WORD - bits) if hashed else ids - low

    def drop_collisions(block: slice) -> None:
        part = rows[block]
        part[np.take(new, part, mode="clip") != old[block]] = -1  # what is -1 already stays

    rows, others = _pairs(sorted_words(levels_of, old.size + new.size, bits), bits, old.size)
    if hashed and new.size:
        map_blocks(drop_collisions, rows.size)
    few_old, few_new = np.split(others, [int(np.searchsorted(others, old.size))])
    few_new = few_new - old.size
    classes, codes = np.unique(np.concatenate([old[few_old], new[few_new]]), return_inverse=True)
    few = _by_table(codes[: few_old.size], codes[few_old.size :], 0, classes.size)
    rows[few_old] = np.append(few_new, -1)[few.rows]
    repeated_old, repeated_new = few_old[few.repeated_old], few_new[few.repeated_new]
    return Matches(rows, repeated_old, repeated_new, _rows_left(rows, repeated_old, repeated_new, new.size))


def _pairs(words: IntArray, bits: int, old: int) -> tuple[IntArray, IntArray]:
    """Match old rows with the new ones of their level, where each is alone in it; return other rows that share a level.

    words: (n + m,) sorted; old: n.  Returns (n,), -1 for none, and (k,) ascending, new rows from n on.
    O((n + m) log (n + m)).
    """
    same = np.zeros(words.size + 1, np.bool_)  # as the level of the word before
    indices = (1 << bits) - 1

    def compare(block: slice) -> None:
        near = words[block.start : block.stop + 1]
        same[block.start + 1 : block.start + near.size] = (near[1:] ^ near[:-1]) <= indices

    def pair(block: slice) -> IntArray:
        second = np.flatnonzero(same[block]) + block.start
        before, after = (words.take(ranks, mode="clip") & indices for ranks in (second - 1, second))
        near = same[max(block.start - 1, 0) : block.stop + 1]
        if before.max(initial=-1) < old <= after.min(initial=old) and not (near[1:] & near[:-1]).any():
            rows[before] = (after - old).astype(rows.dtype)  # half the time of numbers that NumPy narrows
            return _NONE
        alone = (before < old) & (after >= old) & ~same[second - 1] & ~same[second + 1]
        rows[before[alone]] = after[alone] - old
        return np.concatenate([before[~alone], after[~alone]])

    map_blocks(compare, words.size)
    rows: IntArray = np.full(old, -1, np.int32 if words.size < 1 << 31 else np.int64)
    return rows, np.unique(np.concatenate([_NONE, *map_blocks(pair, words.size)]))


def _rows_left(rows: IntArray, repeated_old: IntArray, repeated_new: IntArray, count: int) -> IntArray:
    """Return which new rows equal no old row and no earlier new one, ascending.  O(n)."""
    matched = np.count_nonzero(rows >= 0) - np.count_nonzero(rows[repeated_old] >= 0)
    if matched + repeated_new.size == count:
        return _NONE
    left = np.ones(count, np.bool_)
    left[rows[rows >= 0]] = False
    left[repeated_new] = False
    return np.flatnonzero(left)
