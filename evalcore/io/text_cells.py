"""Cells of CSV as scores, and the line of a file where a row begins."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.optional import require

_EXACT_IN_FLOAT64 = 2.0**53
_INFINITE = "inf", "infinity"


class CellError(EvaluationError):
    """Say which cell of a column is wrong, and why.

    >>> raise CellError(3, "is empty")
    Traceback (most recent call last):
    evalcore.io.text_cells.CellError: cell 3 is empty
    """

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"cell {index} {why}")
        self.index = index
        self.why = why


def filled(column: Any) -> Any:
    """Return a pyarrow array of strings as it is.  O(n).

    Raises CellError for an empty cell: nothing between two commas.  NA may be Namibia.

    >>> import pyarrow
    >>> filled(pyarrow.array(["NA", ""]))
    Traceback (most recent call last):
    evalcore.io.text_cells.CellError: cell 1 is empty
    """
    pc = require("pyarrow.compute", "report")

    index = pc.index(column, "").as_py()
    if index >= 0:
        raise CellError(index, "is empty")
    return column


def scores_of_text(column: Any) -> Any:
    """Return a pyarrow array of strings as float64, blanks around numbers dropped.  O(n).

    Raises CellError for a cell that is empty, no number or NaN, and for one that float64 cannot hold: a large integer
    that it would round, and a finite number that it takes for infinite.

    >>> import pyarrow
    >>> scores_of_text(pyarrow.array(["0.5", "-inf"])).to_pylist()
    [0.5, -inf]
    >>> scores_of_text(pyarrow.array(["0.5", "NA"]))
    Traceback (most recent call last):
    evalcore.io.text_cells.CellError: cell 1 is 'NA', where scores are numbers
    """
    pa = require("pyarrow", "report")
    pc = require("pyarrow.compute", "report")

    try:
        numbers = column.cast(pa.float64())
    except pa.ArrowInvalid:
        column = pc.utf8_trim_whitespace(filled(column))
        numbers = column.slice(0, _numeric_prefix(column)).cast(pa.float64())
    values = numbers.to_numpy()
    bad = np.flatnonzero(np.isnan(values))
    if bad.size or values.size < len(column):
        index = int(bad[0]) if bad.size else values.size
        text = column[index].as_py()
        raise CellError(index, f"is {text!r}, where scores are numbers" if text else "is empty")
    large = np.flatnonzero(np.abs(values) >= _EXACT_IN_FLOAT64)
    if large.size:
        texts = column.take(pa.array(large)).to_pylist()
        held = np.fromiter(map(_is_held, texts, values[large].tolist()), np.bool_, large.size)
        if not held.all():
            raise CellError(int(large[held.argmin()]), _not_held(texts[held.argmin()]))
    return numbers


def line_of_row(file: io.BufferedReader, delimiter: str, row: int) -> int | None:
    r"""Return the line of a CSV file where a row below the header begins, None where Python's reader finds no such row.

    Lines count from 1, rows from 0; empty lines are no rows.  O(bytes).

    >>> line_of_row(io.BufferedReader(io.BytesIO(b'late,model\n1,"0\n5"\n\n0,1\n')), ",", 1)
    5
    """
    lines = (line.decode("utf-8", "replace") for line in iter(file.readline, b""))
    try:
        begins = _beginnings(csv.reader(lines, delimiter=delimiter))
        return next((line for place, line in enumerate(begins) if place == row + 1), None)
    except csv.Error:
        return None


def _beginnings(reader: Any) -> Iterator[int]:
    """Yield the lines where rows begin, the header's first."""
    line = 1
    for cells in reader:
        if cells:
            yield line
        line = reader.line_num + 1


def _numeric_prefix(column: Any) -> int:
    """Return how many cells from the first on are numbers, by bisection.  O(n)."""
    pa = require("pyarrow", "report")

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
    """Whether a number is what its text says, as far as float64 is concerned: decimals are rounded, integers not."""
    digits = text.strip().lstrip("+-")
    if np.isinf(number):
        return digits.lower() in _INFINITE
    return not digits.isdecimal() or int(text) == number


def _not_held(text: str) -> str:
    kind = "an integer" if text.strip().lstrip("+-").isdecimal() else "a number"
    return f"is {text[:80]}, {kind} that float64 cannot hold; scale or round the scores first"
