"""Cells of CSV and TSV as numbers, and the line of a file where a row begins."""

import csv
import io
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.libraries import pa, pc
from evalcore.typing import AnyArray

FIRST_INEXACT_INTEGER = 2.0**53
"""The least number from which on float64 rounds some integers."""
NOT_UTF8 = "is not UTF-8; convert the file, for instance by iconv -f WINDOWS-1252 -t UTF-8"
LONGEST_LINE = 1 << 24
"""Bytes; while a line is read it takes ten times as many, for which the least memory limit has room."""
_INFINITE = "inf", "infinity"
_NOT_ZERO = "^[^eE]*[1-9]"
"""How numbers begin that are not 0."""
PLAIN_COMMA = re.compile(r"(\s*[+-]?\d*),(\d+(?:[eE][+-]?\d+)?\s*)")
"""A number as spreadsheets of some countries write it, such as 0,85, without a sign between thousands."""
MISSING_WORDS = "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "<NA>"
"""How programs write a number that is not there; in a column of names, NA may be Namibia."""
MISSING_NUMBERS = "", *MISSING_WORDS
_NUMBER_OR_BOOLEAN = r"^\s*(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[Tt]rue|TRUE|[Ff]alse|FALSE)\s*$"


_FEW_CELLS = 1 << 18


def strings_of(cells: Sequence[Any] | AnyArray) -> Any:
    """Return texts as a pyarrow array of large strings, None as null; errors are those of `pyarrow.array`.  O(letters).

    That imports pandas where it is installed, which takes longer than to make few texts here.

    >>> strings_of(["late", None, ""]).to_pylist()
    ['late', None, '']
    """
    if len(cells) > _FEW_CELLS:
        return pa.array(cells, pa.large_string())
    try:
        written = [b"" if cell is None else str.encode(cell) for cell in cells]
    except TypeError:
        return pa.array(cells, pa.large_string())
    known = np.packbits(np.fromiter((cell is not None for cell in cells), np.bool_), bitorder="little")
    ends = np.cumsum([0, *map(len, written)], dtype=np.int64)
    buffers = [pa.py_buffer(part) for part in (known, ends, b"".join(written))]
    return pa.Array.from_buffers(pa.large_string(), len(cells), buffers)


class CellError(EvaluationError):
    """A cell of a column that is wrong: its index, and why."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"cell {index} {why}")
        self.index = index
        self.why = why


def check_no_empty_cell(column: Any) -> Any:
    """Return a pyarrow array of strings as it is; raise CellError for an empty cell.  NA may be Namibia.  O(n)."""
    index = pc.index(column, "").as_py()
    if index >= 0:
        raise CellError(index, "is empty")
    return column


def numbers_of_text(column: Any) -> Any:
    """Return a pyarrow array of strings, blanks around numbers allowed, as float64, nulls as nulls.  O(n).

    Raises CellError for a cell that is empty, not a number or NaN, and for one that float64 cannot hold: a large
    integer that would be rounded, a finite number that would be infinite, or one that would be 0 and is not.
    """
    if column.null_count:
        return pc.if_else(column.is_valid(), numbers_of_text(column.fill_null("0")), None)
    try:
        numbers = column.cast(pa.float64())
    except pa.ArrowInvalid:
        column = pc.utf8_trim_whitespace(check_no_empty_cell(column))
        numbers = column.slice(0, _numeric_prefix(column)).cast(pa.float64())
    values = numbers.to_numpy()
    bad = np.flatnonzero(np.isnan(values))
    if bad.size or values.size < len(column):
        index = int(bad[0]) if bad.size else values.size
        text = column[index].as_py()
        raise CellError(index, f"must hold numbers, got {text!r}" if text else "is empty")
    extreme = np.abs(values) >= FIRST_INEXACT_INTEGER
    zeros = np.flatnonzero((values == 0) & (pc.binary_length(column).to_numpy() >= len("1e-324")))
    extreme[zeros] = pc.match_substring_regex(column.take(pa.array(zeros)), _NOT_ZERO).to_numpy(zero_copy_only=False)
    suspect = np.flatnonzero(extreme)
    if suspect.size:
        texts = column.take(pa.array(suspect)).to_pylist()
        held = np.fromiter(map(_is_held, texts, values[suspect].tolist()), np.bool_, suspect.size)
        if not held.all():
            text = texts[held.argmin()]
            kind = "an integer" if text.strip().lstrip("+-").isdecimal() else "a number"
            why = f"is {text[:80]}, {kind} that float64 cannot hold; scale or round the numbers first"
            raise CellError(int(suspect[held.argmin()]), why)
    return numbers


def with_decimal_points(column: Any, decimal: str | None = ",") -> Any:
    """Return a pyarrow array of strings with a point for the comma of each number; as it is for other signs.  O(n).

    Raises CellError for a cell that has a point.

    >>> import pyarrow
    >>> with_decimal_points(pyarrow.array(["0,5", "-1,5e-3", "7", "a,b"])).to_pylist()
    ['0.5', '-1.5e-3', '7', 'a,b']
    """
    if decimal != ",":
        return column
    index = pc.index(pc.match_substring(column, "."), True).as_py()
    if index >= 0:
        text = column[index].as_py()
        raise CellError(index, f"must hold numbers with a decimal comma, and no points, got {text!r}")
    return pc.replace_substring_regex(column, f"^{PLAIN_COMMA.pattern}$", r"\1.\2")


def line_of_row(file: io.BufferedReader, delimiter: str, row: int) -> int | None:
    r"""Return the line, from 1 on, where a row below the header begins; None if Python's reader finds none.  O(bytes).

    Rows count from 0; empty lines are not rows.

    >>> line_of_row(io.BufferedReader(io.BytesIO(b'late,model\n1,"0\n5"\n\n0,1\n')), ",", 1)
    5
    """
    lines = (line.decode("utf-8", "replace") for line in iter(partial(file.readline, LONGEST_LINE), b""))
    limit = csv.field_size_limit(LONGEST_LINE)  # 131,072 letters unless it is told otherwise
    line, reader = 1, csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            if cells and row < 0:  # the header precedes row 0
                return line
            row -= bool(cells)
            line = reader.line_num + 1
    except csv.Error:
        pass
    finally:
        csv.field_size_limit(limit)
    return None


def numbers_and_nulls(column: Any, *, words_too: bool) -> Any:
    """Return a pyarrow array of strings as `numbers_of_text` does, with nulls for empty cells.  O(n).

    words_too: whether cells such as NA are nulls too.
    """
    nulls = pc.is_in(pc.utf8_trim_whitespace(column), pa.array(MISSING_NUMBERS if words_too else [""]))
    return pc.if_else(nulls, None, numbers_of_text(pc.if_else(nulls, "0", column)))


def without_words(column: Any, is_numeric: bool = False) -> tuple[Any, bool]:
    """Return a pyarrow column of strings with nulls for words such as NA, if all others are numbers or Booleans.  O(n).

    is_numeric: whether numbers or Booleans came before; it is returned too, of these rows and those before.

    >>> import pyarrow
    >>> column, is_numeric = without_words(pyarrow.chunked_array([["1", "NA", "true"]]))
    >>> column.to_pylist(), is_numeric
    (['1', None, 'true'], True)
    """
    values = pc.unique(column.drop_null())
    values = values.filter(pc.invert(pc.is_in(values, pa.array(MISSING_NUMBERS, values.type))))
    numeric = pc.sum(pc.match_substring_regex(values, _NUMBER_OR_BOOLEAN), min_count=0).as_py()
    is_numeric = is_numeric or numeric > 0
    if is_numeric and numeric == len(values):
        column = pc.if_else(pc.is_in(column, pa.array(MISSING_WORDS, column.type)), None, column)
    return column, is_numeric


def _numeric_prefix(column: Any) -> int:
    """Return how many cells before the first that is not a number, by bisection.  O(n)."""
    numeric, other = 0, len(column) + 1
    while other - numeric > 1:
        middle = (numeric + other) // 2
        try:
            column.slice(numeric, middle - numeric).cast(pa.float64())
            numeric = middle
        except pa.ArrowInvalid:
            other = middle
    return numeric


def _is_held(text: str, number: float) -> bool:
    """Whether float64 holds what the text says: decimals may be rounded, integers may not."""
    digits = text.strip().lstrip("+-")
    if np.isinf(number):
        return digits.lower() in _INFINITE
    return number != 0 and (not digits.isdecimal() or int(text) == number)
