"""Rows of two tables with the same id: which row of one belongs to each row of the other.

Whole numbers that lie close together are looked up in a table with a slot for each; others are packed with the index of
their row and sorted.  Text becomes whole numbers by one dictionary of both tables.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError, at_index
from evalcore.kernels.blocks import blocks, map_blocks
from evalcore.optional import require
from evalcore.typing import IntArray
from evalcore.validation.labels import encode_together

Ids = npt.NDArray[Any]

_SLOTS_PER_ROW = 4
"""Up to so many slots for each row, a table is faster than a sort."""
_FEW_SLOTS = 1 << 16
_WORD = 63
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio: odd, so that products of 64 bits differ where the factors do."""
_MOST_COMBINED = 1 << 62
_BEYOND_INT64 = 1 << 63


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
            return _none()
        rows = np.flatnonzero(self.rows < 0)
        return rows[~np.isin(rows, self.repeated_old)] if self.repeated_old.size else rows


def matched_rows(old: Sequence[Ids], new: Sequence[Ids], names: Sequence[str]) -> Matches:
    """Find the rows of two tables with the same ids.  O(n) for whole numbers close together, else O(n log n).

    old, new: k columns of whole numbers, Booleans, dates or text, (n,) and (m,) each; names: of the columns, (k,), for
    errors.  Raises EvaluationTypeError for columns of two kinds.

    >>> found = matched_rows([np.array([7, 8, 9])], [np.array([9, 7, 5])], ["id"])
    >>> found.rows.tolist(), found.only_old(), found.only_new
    ([1, -1, 0], array([1]), array([2]))
    """
    columns = [_whole_numbers(*both) for both in zip(old, new, names, strict=True)]
    before, after = columns[0] if len(columns) == 1 else _combined(columns)
    if np.array_equal(before, after) and _is_increasing(before):
        return Matches(None, _none(), _none(), _none())
    low, high = _extent(before, after)
    span = high - low + 1
    if span <= max(_FEW_SLOTS, _SLOTS_PER_ROW * (before.size + after.size)):
        return _by_table(before, after, low, span)
    return _by_sort(before, after, low, span)


def _none() -> IntArray:
    return np.empty(0, np.int64)


def _extent(*columns: IntArray) -> tuple[int, int]:
    """Return the least and the largest of whole numbers, (n,) each; zeros without any.  O(n)."""
    ends = [end for ids in columns if ids.size for end in _ends(ids)]
    return (min(ends), max(ends)) if ends else (0, 0)


def _ends(ids: IntArray) -> tuple[int, int]:
    """Return the least and the largest of whole numbers, (n,) with n > 0, exactly.  O(n)."""
    found = map_blocks(lambda block: (int(ids[block].min()), int(ids[block].max())), ids.size)
    return min(low for low, _ in found), max(high for _, high in found)


def _is_increasing(ids: IntArray) -> bool:
    """Whether ids, (n,), are strictly ascending, and so distinct.  O(n)."""

    def rises(block: slice) -> bool:
        near = ids[block.start : block.stop + 1]
        return bool((near[1:] > near[:-1]).all())

    return all(map_blocks(rises, ids.size))


def _whole_numbers(old: Ids, new: Ids, name: str) -> tuple[IntArray, IntArray]:
    """Return two columns as whole numbers, (n,) and (m,), that are equal where the ids are.  O(n log n).

    Raises EvaluationTypeError for columns of two kinds, EvaluationError for fractions.
    """
    columns = [_plain(column, name) for column in (old, new)]
    kinds = [_KINDS.get(column.dtype.kind, "other values") for column in columns]
    if kinds[0] != kinds[1] and all(column.size for column in columns):
        raise EvaluationTypeError(
            f"column {name!r} must hold ids of one kind in all tables, got {kinds[0]} and {kinds[1]}; read it as text "
            f"(text={name!r})"
        )
    before, after = columns
    if kinds[0] == "text":
        return _codes_of_text(before, after)
    if before.dtype.kind in "mM":
        unit = np.promote_types(before.dtype, after.dtype)
        return before.astype(unit).view(np.int64), after.astype(unit).view(np.int64)
    wide = [column.dtype == np.uint64 and column.size > 0 and int(column.max()) >= _BEYOND_INT64 for column in columns]
    if any(wide) and before.dtype != after.dtype:  # one signed type does not hold them all
        return encode_together(before.astype(object), after.astype(object))[1:]
    return before.astype(np.int64, copy=False), after.astype(np.int64, copy=False)


_KINDS = {
    **dict.fromkeys("biu", "whole numbers"),
    **dict.fromkeys("OUST", "text"),
    **dict.fromkeys("mM", "dates"),
}  # fmt: skip


def _plain(column: Ids, name: str) -> Ids:
    """Return a column with floats as integers, and objects that are numbers as numbers, (n,).  O(n)."""
    if column.dtype.kind == "O" and column.size and isinstance(column[0], int | np.integer):
        try:
            column = np.array(column.tolist())
        except OverflowError:
            return column
    if column.dtype.kind != "f":
        return column
    with np.errstate(invalid="ignore"):  # NaN and infinities are refused below
        whole = column.astype(np.int64)
    other = whole != column
    if other.any():
        index = int(other.argmax())
        raise EvaluationError(
            f"column {name!r} must hold whole numbers, text or dates to join by, got {column[index]} {at_index(index)}"
        )
    return whole


def _codes_of_text(old: Ids, new: Ids) -> tuple[IntArray, IntArray]:
    """Return codes of two columns of text, (n,) and (m,).  O(letters), O(n log n) without pyarrow."""
    try:
        pa = require("pyarrow", "report")
    except MissingLibraryError:
        return encode_together(old, new)[1:]
    both = pa.chunked_array([pa.array(old, pa.string()), pa.array(new, pa.string())])
    codes = both.dictionary_encode().unify_dictionaries()
    before, after = (chunk.indices.to_numpy(zero_copy_only=False) for chunk in codes.chunks)
    return before, after


def _combined(columns: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    """Return whole numbers, (n,) and (m,), that are equal where those of all columns are.  O(n), or O(n log n)."""
    before, after, count = _narrowed(*columns[0])
    for column in columns[1:]:
        old, new, span = _narrowed(*column)
        if count * span > _MOST_COMBINED:
            classes, before, after = encode_together(before, after)
            count = classes.size
        if count * span > _MOST_COMBINED:
            classes, old, new = encode_together(old, new)
            span = classes.size
        before, after, count = before * span + old, after * span + new, count * span
    return before, after


def _narrowed(old: IntArray, new: IntArray) -> tuple[IntArray, IntArray, int]:
    """Return two columns less their least value, and how many values they may have.  O(n)."""
    low, high = _extent(old, new)
    if high - low >= _MOST_COMBINED:
        classes, old, new = encode_together(old, new)
        return old, new, classes.size
    return old.astype(np.int64) - low, new.astype(np.int64) - low, high - low + 1


def _by_table(old: IntArray, new: IntArray, low: int, span: int) -> Matches:
    """Match ids, (n,) and (m,), from `low` on by a table with `span` slots.  O(n + m + span)."""
    first = _first_rows(new, low, span)
    rows = _looked_up(first, old, low)
    seen = np.zeros(span, np.bool_)
    for block in blocks(old.size):
        seen[old[block] - low] = True
    held = first >= 0
    distinct = int(np.count_nonzero(held))
    repeated_new = only_new = repeated_old = _none()
    if distinct < new.size:
        repeated_new = _not_first(new, first, low)
    if np.count_nonzero(seen) < old.size:
        repeated_old = _not_first(old, _first_rows(old, low, span), low)
    if np.count_nonzero(held & seen) < distinct:
        only_new = np.sort(first[held & ~seen]).astype(np.int64)
    in_order = rows.size == new.size and _is_arange(rows)
    return Matches(None if in_order else rows, repeated_old, repeated_new, only_new)


def _first_rows(ids: IntArray, low: int, span: int) -> IntArray:
    """Return for each id from `low` on the first row that has it, -1 for none, (span,).  O(n + span)."""
    first: IntArray = np.full(span, -1, np.int32 if ids.size < 1 << 31 else np.int64)
    for block in reversed(list(blocks(ids.size))):  # of equal ids the last that is written stays
        rows = np.arange(block.stop - 1, block.start - 1, -1)
        first[ids[block][::-1] - low] = rows
    return first


def _looked_up(table: IntArray, ids: IntArray, low: int) -> IntArray:
    """Return the slots of ids, (n,).  O(n)."""
    found = np.empty(ids.size, table.dtype)

    def look(block: slice) -> None:
        found[block] = table[ids[block] - low]

    map_blocks(look, ids.size)
    return found


def _not_first(ids: IntArray, first: IntArray, low: int) -> IntArray:
    """Return the rows, ascending, whose id an earlier row has; first: the first row of each id.  O(n)."""
    return np.flatnonzero(_looked_up(first, ids, low) != np.arange(ids.size))


def _is_arange(rows: IntArray) -> bool:
    """Whether rows, (n,), are 0, 1, 2 ...  O(n)."""
    return all(map_blocks(lambda block: bool((rows[block] == np.arange(block.start, block.stop)).all()), rows.size))


def _by_sort(old: IntArray, new: IntArray, low: int, span: int) -> Matches:
    """Match ids, (n,) and (m,), that lie far apart.  O(n log n)."""
    classes, before, after = encode_together(old, new)
    return _by_table(before, after, 0, classes.size)
