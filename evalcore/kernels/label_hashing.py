"""Codes of labels by way of words of 64 bits.

Where labels are few, a table that has each word in a place of its own gives the code of a case with one product and
two look-ups: nothing is sorted, and no Python object is touched.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.typing import IntArray

Words = npt.NDArray[np.uint64]
Labels = npt.NDArray[Any]
_BLOCK = 1 << 13
"""Cases whose words, places and codes stay in cache together."""
_BITS = 16
"""Of a place in a table."""
_MOST = 256
"""Labels up to which one multiplier or another gives each a place of its own."""
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

    def places(self, words: Words) -> IntArray:
        return _places(words, self.multiplier)


def code_numbers(labels: Labels) -> Coded | None:
    """Assign a number to each distinct value of a column; None for many.

    labels: (n,) Booleans, integers, or floats of at most 64 bits without NaN.  O(n).
    """
    return _coded(labels, _number_words)


def code_objects(labels: Labels) -> Coded | None:
    """Assign a number to each distinct object of a column, of which several may be equal; None for many.

    labels: (n,) object, contiguous.  O(n).
    """
    return _coded(labels, _addresses)


def code_texts(labels: Labels) -> Coded | None:
    """Assign a number to each distinct string of a column; None for many.

    labels: (n,) of dtype U, contiguous, in the machine's byte order.  O(n w) for w characters.
    """
    found = _coded(labels, _text_words)
    return found if found is not None and _has_texts(labels, found) else None


def _coded(labels: Labels, words_of: Callable[[Labels], Words]) -> Coded | None:
    codes = np.empty(labels.size, np.intp)
    distinct, first = np.empty(0, np.uint64), np.empty(0, np.intp)
    table = _Table(_MULTIPLIERS[0], distinct, first)
    for start in range(0, labels.size, _BLOCK):
        words = words_of(labels[start : start + _BLOCK])
        unknown = np.flatnonzero(table.words[table.places(words)] != words) if start else np.arange(words.size)
        if unknown.size:
            added, at = np.unique(words[unknown], return_index=True)
            distinct, first = np.append(distinct, added), np.append(first, unknown[at] + start)
            found = _table_of(distinct)
            if found is None:
                return None
            table = found
        np.take(table.codes, table.places(words), out=codes[start : start + words.size])
    return Coded(first, codes)


def _table_of(distinct: Words) -> _Table | None:
    if distinct.size > _MOST:
        return None
    for multiplier in _MULTIPLIERS:
        places = _places(distinct, multiplier)
        if np.unique(places).size == distinct.size:
            words = np.full(1 << _BITS, distinct[0])  # which is at home in one place: in all others no word meets it
            codes = np.zeros(words.size, np.intp)
            words[places], codes[places] = distinct, np.arange(distinct.size)
            return _Table(multiplier, words, codes)
    return None


def _places(words: Words, multiplier: np.uint64) -> IntArray:
    places = words * multiplier
    places >>= np.uint64(64 - _BITS)
    return places.view(np.int64)


def _number_words(labels: Labels) -> Words:
    if labels.dtype.kind == "f":
        return np.add(labels, 0.0, dtype=np.float64).view(np.uint64)  # -0.0 becomes 0.0
    return labels.astype(np.uint64 if labels.dtype.kind == "u" else np.int64, copy=False).view(np.uint64)


def _addresses(labels: Labels) -> Words:
    addresses: npt.NDArray[np.uintp] = np.ndarray(labels.shape, np.uintp, buffer=labels)
    return addresses.astype(np.uint64, copy=False)


def _text_words(labels: Labels) -> Words:
    """Mix the characters of each string to one word, which few others have."""
    characters = _characters(labels)
    words = characters[:, -1].astype(np.uint64)
    for column in characters.T[-2::-1]:
        words *= _MULTIPLIERS[0]
        words += column
    return words


def _characters(labels: Labels) -> npt.NDArray[np.uint32]:
    return labels.view(np.uint32).reshape(labels.size, -1)


def _has_texts(labels: Labels, found: Coded) -> bool:
    """Whether each string is that of its code, and not another of the same word."""
    texts = _characters(labels[found.first])
    blocks = (slice(start, start + _BLOCK) for start in range(0, labels.size, _BLOCK))
    return all(np.array_equal(texts.take(found.codes[block], axis=0), _characters(labels[block])) for block in blocks)
