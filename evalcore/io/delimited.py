"""CSV and TSV files, compressed or not: their header, and their rows in batches.

Types never depend on the rows: scores are float64, and every other column is text.
"""

import csv
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import CountedFile, Progress
from evalcore.io.columns import ColumnArrays, Reading, Selection, TableContents, selected_arrays, selected_names
from evalcore.io.formats import COMPRESSIONS, DELIMITERS, STANDARD_INPUT, format_of
from evalcore.io.text_cells import CellError, check_no_empty_cell, line_of_row, scores_of_text
from evalcore.optional import require

_SAMPLE_BYTES = 1 << 20
_COMPRESSION_RATIO = 8
"""A guess of how many times larger text is when it is decompressed."""
_END = "\x04end\x04"
"""Fills the cells of a row added at the end: if a quote was left open, the row is not found there."""
_ARROW_ROW = re.compile(r"(?:In CSV column #(\d+): )?.*?Row #(\d+): (.*)", re.DOTALL)
"""How Arrow names a row, counting from 1."""
_MOST_LETTERS = 120
"""How much of a bad row an error shows."""


def open_delimited(path: str, progress: Progress) -> io.BufferedReader:
    """Open a text file, decompressed by its ending, or standard input for ``-``; report its bytes as they are read."""
    pa = require("pyarrow", "report")
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise EvaluationError("standard input is closed")
        return io.BufferedReader(CountedFile(sys.stdin.buffer, None, progress))
    source: BinaryIO = open(path, "rb", buffering=0)  # noqa: SIM115  closed by its reader
    counted = CountedFile(source, os.fstat(source.fileno()).st_size, progress)
    compression = _compression_of(path)
    if compression is None:
        return io.BufferedReader(counted)
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(counted, mode="r"), compression))


def read_header(file: io.BufferedReader, delimiter: str) -> list[str]:
    """Read the names of the columns and nothing more, so that a missing column is named before rows are read.  O(1)."""
    lines = (line.decode("utf-8-sig") for line in iter(file.readline, b""))
    try:
        header = next(csv.reader(lines, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise EvaluationError("line 1 is not UTF-8") from None
    if not header:
        raise EvaluationError("there is no header line")
    return header


def delimited_contents(path: str, selection: Selection) -> TableContents:
    """Return the columns of a text file and about how many rows it has, from its first megabyte.  O(1)."""
    pa = require("pyarrow", "report")

    packed = 1 if _compression_of(path) is None else _COMPRESSION_RATIO
    with open_delimited(path, _no_progress) as file:
        header = read_header(file, _delimiter_of(path, selection.reading))
        sample = file.read(_SAMPLE_BYTES)
    lines = sample.count(b"\n") + (not sample.endswith(b"\n")) if sample else 0
    rows = lines if len(sample) < _SAMPLE_BYTES else os.path.getsize(path) * packed * lines // len(sample)
    return TableContents(pa.schema([(name, _column_type(name, selection)) for name in header]), rows, False)


def delimited_batches(
    path: str, names: Sequence[str] | None, selection: Selection, _rows: int = 0, progress: Progress | None = None
) -> Iterator[Any]:
    """Yield the rows of some columns, by default the selected ones, as record batches, one at least.  O(bytes).

    Raises EvaluationError, which names the line but not the file.
    """
    pa = require("pyarrow", "report")

    delimiter = _delimiter_of(path, selection.reading)
    with open_delimited(path, progress or _no_progress) as file:
        header = read_header(file, delimiter)
        names = selected_names(selection, header) if names is None else list(names)
        first = 0
        for batch in _batches(file, header, path, names, delimiter):
            strings = dict(zip(names, batch.columns, strict=True))
            scores = _all_scores({name: strings[name] for name in names if selection.holds_scores(name)})
            columns = [
                scores[name] if name in scores else _as_scores_or_text(column, name, selection, path, first)
                for name, column in strings.items()
            ]
            yield pa.record_batch(columns, names)
            first += batch.num_rows


def read_delimited(path: str, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of a text file, or of standard input for ``-``, (n,) each.  O(bytes)."""
    pa = require("pyarrow", "report")
    table = pa.Table.from_batches(delimited_batches(path, None, selection, progress=progress))
    return selected_arrays(table, table.column_names, selection)


def _all_scores(columns: dict[str, Any]) -> dict[str, Any]:
    """Convert the columns of scores of a batch at once: wide files have few rows in each.  Empty if a cell is wrong."""
    pa = require("pyarrow", "report")

    if len(columns) < 2:
        return {}
    try:
        scores = scores_of_text(pa.concat_arrays(columns.values()))
    except CellError:
        return {}
    rows = len(scores) // len(columns)
    return {name: scores.slice(index * rows, rows) for index, name in enumerate(columns)}


def _as_scores_or_text(column: Any, name: str, selection: Selection, path: str, first: int) -> Any:
    """Return a column of strings as scores or text."""
    pc = require("pyarrow.compute", "report")

    try:
        if selection.holds_scores(name):
            return scores_of_text(column)
        return pc.if_else(pc.equal(column, ""), None, column) if selection.as_text else check_no_empty_cell(column)
    except CellError as error:
        raise EvaluationError(
            f"{_where(path, first + error.index, _delimiter_of(path, selection.reading))}: column {name!r} {error.why}"
        ) from error


def _column_type(name: str, selection: Selection) -> Any:
    pa = require("pyarrow", "report")

    return pa.float64() if selection.holds_scores(name) else pa.string()


def _batches(file: io.BufferedReader, header: list[str], path: str, names: list[str], delimiter: str) -> Iterator[Any]:
    """Yield the rows as strings, without the one added at the end."""
    pa = require("pyarrow", "report")

    end = f"\n{delimiter.join([_END] * len(header))}\n".encode()
    done, held = 0, None
    try:
        for batch in _reader(io.BufferedReader(_WithEnd(file, end)), header, delimiter, names):
            if held is not None and batch.num_rows:
                yield held
            held = batch if batch.num_rows else held
            done += batch.num_rows
    except pa.ArrowInvalid as error:
        raise EvaluationError(_plain_message(error, path, header, done, delimiter)) from error
    if held is None or any(column[-1].as_py() != _END for column in held.columns):
        raise EvaluationError(
            f"{_where(path, done - 1, delimiter)}: a quote is not closed, so all rows after it are one cell"
        )
    yield held.slice(0, held.num_rows - 1)


def _reader(file: io.BufferedReader, header: list[str], delimiter: str, names: list[str]) -> Any:
    pa = require("pyarrow", "report")
    pa_csv = require("pyarrow.csv", "report")

    return pa_csv.open_csv(
        pa.PythonFile(file, mode="r"),
        # without threads Arrow names the bad row, and it parses on one thread anyway
        read_options=pa_csv.ReadOptions(column_names=header, block_size=_SAMPLE_BYTES, use_threads=False),
        parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            include_columns=names, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )


def _plain_message(error: Exception, path: str, header: list[str], done: int, delimiter: str) -> str:
    """Return an error of Arrow in plain words."""
    text = str(error)
    if "straddl" in text:
        return f"{_where(path, done, delimiter)}: takes more than {_SAMPLE_BYTES:,} bytes; is a quote not closed there?"
    found = _ARROW_ROW.match(text)
    if found is None:
        return f"cannot be read: {' '.join(text.split())}"
    column, row, why = found.groups()
    where = _where(path, int(row) - 1, delimiter)
    if column is not None:
        return f"{where}: column {header[int(column)]!r} is not UTF-8"
    why = why if len(why) <= _MOST_LETTERS else f"{why[:_MOST_LETTERS]}..."
    return f"{where}: {' '.join(why.split())}"


def _where(path: str, row: int, delimiter: str) -> str:
    """Return the line where a row begins or, if the file cannot be read again, the number of the row."""
    line = None
    if os.path.isfile(path):
        with open_delimited(path, _no_progress) as file:
            line = line_of_row(file, delimiter, row)
    return f"row {row + 1} below the header" if line is None else f"line {line}"


class _WithEnd(io.RawIOBase):
    """A file with some bytes added after its end."""

    def __init__(self, file: io.BufferedReader, end: bytes) -> None:
        self._parts: list[Any] = [file, io.BytesIO(end)]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        for part in self._parts:
            count: int = part.readinto(buffer)
            if count:
                return count
        return 0


def _delimiter_of(path: str, reading: Reading) -> str:
    return reading.delimiter or DELIMITERS[format_of(path, reading)]


def _compression_of(path: str) -> str | None:
    return COMPRESSIONS.get(Path(path).suffix.lower())


def _no_progress(done: int, total: int | None) -> None:
    """Do nothing."""
