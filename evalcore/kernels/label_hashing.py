"""Codes of labels, by hashing them to words of 64 bits.

Where labels are few, a table with a slot for each word gives the code of a case with one product and two
look-ups: nothing is sorted, and no Python object is touched.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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

    def slots(self, words: Words) -> IntArray:
        return _slots(words, self.multiplier)


def code_numbers(labels: AnyArray) -> Coded | None:
    """Code the distinct Booleans, integers or floats without NaN of a column, (n,); None if there are many.  O(n)."""
    return _coded(labels, _number_words)


def code_objects(labels: AnyArray) -> Coded | None:
    """Code the distinct objects of a contiguous column, (n,), equal ones too; None if there are many.  O(n)."""
    return _coded(labels, addresses)


def code_texts(labels: AnyArray) -> Coded | None:
    """Code the distinct strings of a contiguous column, (n,) of native dtype U; None if they are many.  O(n w)."""
    found = _coded(labels, _text_words)
    return found if found is not None and _has_texts(labels, found) else None


def _coded(labels: AnyArray, words_of: Callable[[AnyArray], Words]) -> Coded | None:
    codes = np.empty(labels.size, np.intp)
    distinct, first = np.empty(0, np.uint64), np.empty(0, np.intp)
    table = _Table(_MULTIPLIERS[0], distinct, first)
    for start in range(0, labels.size, _BLOCK):
        words = words_of(labels[start : start + _BLOCK])
        unknown = np.flatnonzero(table.words[table.slots(words)] != words) if start else np.arange(words.size)
        if unknown.size:
            added, at = np.unique(words[unknown], return_index=True)
            distinct, first = np.append(distinct, added), np.append(first, unknown[at] + start)
            found = _table_of(distinct)
            if found is None:
                return None
            table = found
        np.take(table.codes, table.slots(words), out=codes[start : start + words.size])
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


def _slots(words: Words, multiplier: np.uint64) -> IntArray:
    slots = words * multiplier
    slots >>= np.uint64(64 - _BITS)
    return slots.view(np.int64)


def _number_words(labels: AnyArray) -> Words:
    if labels.dtype.kind == "f":
        return np.add(labels, 0.0, dtype=np.float64).view(np.uint64)  # -0.0 becomes 0.0
    return labels.astype(np.uint64 if labels.dtype.kind == "u" else np.int64, copy=False).view(np.uint64)


def addresses(labels: AnyArray) -> Words:
    """Return the address of each object of a contiguous column, (n,) uint64.  O(1)."""
    words: npt.NDArray[np.uintp] = np.ndarray(labels.shape, np.uintp, buffer=labels)
    return words.astype(np.uint64, copy=False)


def _text_words(labels: AnyArray) -> Words:
    """Mix the characters of each string to one word, which few others have."""
    characters = _characters(labels)
    words = characters[:, -1].astype(np.uint64)
    for column in characters.T[-2::-1]:
        words *= _MULTIPLIERS[0]
        words += column
    return words


def _characters(labels: AnyArray) -> npt.NDArray[np.uint32]:
    return labels.view(np.uint32).reshape(labels.size, -1)


def _has_texts(labels: AnyArray, found: Coded) -> bool:
    """Whether each string is that of its code, and not another of the same word."""
    texts = _characters(labels[found.first])
    blocks = (slice(start, start + _BLOCK) for start in range(0, labels.size, _BLOCK))
    return all(np.array_equal(texts.take(found.codes[block], axis=0), _characters(labels[block])) for block in blocks)
