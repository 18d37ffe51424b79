"""Ids of rows, of any kind, as whole numbers that two tables are joined by."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from os.path import commonprefix
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError, at_index, check, shown
from evalcore.io.columns import Texts, numbers_of_array, taken_rows
from evalcore.io.libraries import pa, pc
from evalcore.io.text_cells import NOT_UTF8, strings_of
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.matching import Matches, extent, letter_words, match_numbers
from evalcore.typing import AnyArray, IntArray
from evalcore.validation.arrays import refuse_first
from evalcore.validation.labels import encode_together

Ids = AnyArray

_SAMPLED = 256
"""Texts whose common beginning that of all may be."""
_EXACT = 8
"""Letters that `letter_words` tells apart."""
_MOST_COMBINED = 1 << 62
_BEYOND_INT64 = 1 << 63


def matched_rows(
    old: Sequence[Ids], new: Sequence[Ids], names: Sequence[str], as_text: Callable[[str], str] = "text={!r}".format
) -> Matches:
    """Find the rows of two tables with the same ids.  O(n) for whole numbers close together, else O(n log n).

    old, new: k columns of whole numbers, Booleans, dates or text, (n,) and (m,) each; names: of the columns, (k,), for
    errors; as_text: returns the option that reads a column as text.  Raises EvaluationTypeError for two kinds of ids.

    >>> found = matched_rows([np.array([7, 8, 9])], [np.array([9, 7, 5])], ["id"])
    >>> found.rows.tolist(), found.only_old(), found.only_new
    ([1, -1, 0], array([1]), array([2]))
    """
    columns = [_numbers_or_texts(*both, as_text) for both in zip(old, new, names, strict=True)]
    if len(columns) == 1 and (found := _matched_texts(*columns[0])):
        return found
    numbers = [each if isinstance(each[0], np.ndarray) else _codes_of_texts(*each) for each in columns]
    before, after = numbers[0] if len(numbers) == 1 else _combined(numbers)
    return match_numbers(before, after)


def _numbers_or_texts(old: Ids, new: Ids, name: str, as_text: Callable[[str], str]) -> tuple[Any, Any]:
    """Return two columns as whole numbers, (n,) and (m,), that are equal where the ids are, or as texts of pyarrow.

    O(n log n).

    Raises EvaluationTypeError for columns of two kinds, EvaluationError for fractions.
    """
    columns = [_plain(column, name) for column in (old, new)]
    if "O" in {column.dtype.kind for column in columns}:  # CSV and JSON lines read numbers as text
        numbers = [_numbers_of_text(column) if column.dtype.kind == "O" else column for column in columns]
        read = [column for column in numbers if column is not None]
        columns = read if len(read) == len(columns) else columns
    if not all(column.size for column in columns):  # no ids are of any kind
        known = max(columns, key=lambda column: column.size)
        columns = [column if column.size else np.empty(0, known.dtype) for column in columns]
    kinds = [_KINDS[column.dtype.kind] for column in columns]
    typed, given = "give it one type, and one time zone, in all", f"read it as text ({as_text(name)})"
    got = f"{kinds[0]} and {kinds[1]}; {typed if _DATES in kinds else given}"
    check(kinds[0] == kinds[1], f"column {name!r}", "hold ids of one kind in all tables", got, EvaluationTypeError)
    before, after = columns
    if kinds[0] == "text":
        return _texts(before, after, name, as_text)
    if before.dtype.kind in "mM":
        unit = np.promote_types(before.dtype, after.dtype)
        return before.astype(unit).view(np.int64), after.astype(unit).view(np.int64)
    wide = [column.dtype == np.uint64 and column.size > 0 and int(column.max()) >= _BEYOND_INT64 for column in columns]
    if any(wide) and before.dtype != after.dtype:  # one signed type does not hold them all
        return encode_together(before.astype(object), after.astype(object))[1:]
    return before.astype(np.int64, copy=False), after.astype(np.int64, copy=False)


_DATES = "dates"
_KINDS = {**dict.fromkeys("biu", "whole numbers"), **dict.fromkeys("OUST", "text"), "m": "durations", "M": _DATES}


def _plain(column: Ids, name: str) -> Ids:
    """Return a column with floats as integers, and objects that are numbers as numbers, (n,).  O(n)."""
    if column.dtype.kind in "mM":
        _refuse_missing(column, name)
    if column.dtype.kind == "O" and column.size and isinstance(column[0], int | np.integer):
        _refuse_missing(column, name)
        try:
            column = np.array(column.tolist())
        except OverflowError:
            return column
    rule = "hold whole numbers, text or dates to join by"
    if column.dtype.kind != "f":
        check(column.dtype.kind in _KINDS, f"column {name!r}", rule, column.dtype, EvaluationTypeError)
        return column
    with np.errstate(invalid="ignore"):  # NaN and infinities are refused below
        whole = column.astype(np.int64)
    refuse_first(whole != column, column, f"column {name!r}", f"must {rule}, got {{}}")
    return whole


def _numbers_of_text(column: Ids) -> IntArray | None:
    """Return text that is all whole numbers, as Python writes them, as numbers, (n,); else None.  O(letters)."""
    if not column.size or not str(column[0]).removeprefix("-").isdecimal():
        return None
    try:
        texts = _strings(column)
        numbers = texts.cast(pa.int64())
    except (MissingLibraryError, ValueError, TypeError):  # Arrow's errors are of these classes
        return None
    if texts.null_count:
        return None
    letters, ends = _letters(texts)
    digits = ends[:-1] + (letters[ends[:-1]] == ord("-"))
    otherwise = (letters[digits] == ord("0")) & (np.diff(ends) > 1)  # such as 01, -0 and 0x1
    return None if otherwise.any() else numbers_of_array(numbers)


def _strings(column: Ids) -> Any:
    return column.strings() if isinstance(column, Texts) else strings_of(column)


def _texts(old: Ids, new: Ids, name: str, as_text: Callable[[str], str]) -> tuple[Any, Any]:
    """Return two columns of text, (n,) and (m,), as arrays of pyarrow; without it, codes.  O(letters).

    Raises EvaluationError for missing ids, EvaluationTypeError for objects of several types.
    """
    try:
        texts = tuple(map_parts(_strings, [old, new], old.size + new.size))  # pyarrow reads a column in one thread
    except (MissingLibraryError, ValueError, TypeError) as error:  # Arrow's errors are of these classes
        _refuse_missing(old, name)
        _refuse_missing(new, name)
        objects = (column.tolist() for column in (old, new) if column.dtype.kind == "O")
        other = next((value for column in objects for value in column if not isinstance(value, str)), None)
        if isinstance(error, MissingLibraryError) and other is None:
            numbers = defaultdict[Any, int](itertools.count().__next__)
            listed = map(numbers.__getitem__, itertools.chain(old.tolist(), new.tolist()))
            codes = np.fromiter(listed, np.int64, old.size + new.size)
            return codes[: old.size], codes[old.size :]
        if isinstance(error, UnicodeEncodeError):
            raise EvaluationError(f"column {name!r} {NOT_UTF8}") from None
        rule, got = "hold only text, or only whole numbers of 64 bits or dates", f"read it as text ({as_text(name)})"
        raise EvaluationTypeError(f"column {name!r} must {rule}, got {shown(other)}; {got}") from None
    for column, text in zip((old, new), texts, strict=True):
        if text.null_count:
            _refuse_missing(column, name)
    return texts


def _matched_texts(old: Any, new: Any) -> Matches | None:
    """Match texts of pyarrow by hashes; None for numbers, if an id is repeated, or if two share a hash.

    A fifth of the time of a dictionary.  O(letters), and O(n log n).
    """
    if isinstance(old, np.ndarray):
        return None
    both = (old,) if old.equals(new) else (old, new)
    some = [text for texts in both for text in texts[:: len(texts) // _SAMPLED + 1].to_pylist()]
    begin = commonprefix(some)  # noqa: RUF071, letters are what it is for
    alike = map_parts(lambda texts: pc.all(pc.starts_with(texts, begin)).as_py(), list(both), len(old) + len(new))
    skipped = len(begin.encode()) if all(alike) else 0
    hashes, exact = [], True
    for texts in both:
        letters, ends = _letters(texts)
        hashes.append(letter_words(letters, ends, skipped).view(np.int64))
        exact &= np.diff(ends).max(initial=0) - skipped <= _EXACT and letters.min(initial=1) > 0
    found = match_numbers(hashes[0], hashes[-1])
    if found.repeated_old.size or found.repeated_new.size:
        return None
    if exact or len(both) == 1:
        return found
    rows = np.arange(len(old)) if found.rows is None else found.rows
    kept = np.flatnonzero(rows >= 0)
    ours = old if kept.size == rows.size else taken_rows(old, kept)
    return found if ours.equals(taken_rows(new, rows[kept])) else None


def _letters(texts: Any) -> tuple[AnyArray, IntArray]:
    """Return the bytes of texts of pyarrow, and where the first text begins, and each ends, (n + 1,).  O(1)."""
    if not len(texts):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, offsets, letters = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * np.dtype(np.int64).itemsize)
    return np.frombuffer(letters or b"", np.uint8, ends[-1]), ends


def _codes_of_texts(*texts: Any) -> tuple[IntArray, IntArray]:
    """Return codes of texts of pyarrow, (n,) and (m,).  O(letters)."""
    chunks = pa.chunked_array(texts).dictionary_encode().chunks  # which have one dictionary, and none is empty
    codes = np.concatenate([np.empty(0, np.int32), *(numbers_of_array(chunk.indices) for chunk in chunks)])
    return codes[: len(texts[0])], codes[len(texts[0]) :]


def _refuse_missing(column: Ids, name: str) -> None:
    """Raise EvaluationError for None among objects, and for dates that are not known.  O(n)."""
    missing = np.isnat(column) if column.dtype.kind in "mM" else np.equal(column, np.array(None))
    if missing.any():
        got = f"{int(np.count_nonzero(missing)):,} missing ids, the first {at_index(int(missing.argmax()))}"
        raise EvaluationError(f"column {name!r} must identify every row, got {got}")


def _combined(columns: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    """Return whole numbers, (n,) and (m,), that are equal where those of all columns are.  O(n), or O(n log n)."""
    before, after, count = _narrowed(*columns[0])
    for column in columns[1:]:
        old, new, span = _narrowed(*column)
        if count * span > _MOST_COMBINED:
            (first, before, after), (second, old, new) = encode_together(before, after), encode_together(old, new)
            count, span = first.size, second.size
        before, after, count = before * span + old, after * span + new, count * span
    return before, after


def _narrowed(old: IntArray, new: IntArray) -> tuple[IntArray, IntArray, int]:
    """Return two columns less their least value, and how many values they may have.  O(n)."""
    low, high = extent(old, new)
    if high - low >= _MOST_COMBINED:
        classes, old, new = encode_together(old, new)
        return old, new, classes.size
    return old.astype(np.int64) - low, new.astype(np.int64) - low, high - low + 1
