"""CSV and TSV files, compressed or not: their header, and their rows in batches.

There is one reading of types, whatever the first rows look like: scores are float64, every other column is text.
"""

import csv
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import CountedFile, Progress
from evalcore.io.columns import Selection, chosen
from evalcore.io.formats import COMPRESSIONS, STANDARD_INPUT, TEXTS, ending_of
from evalcore.io.text_cells import CellError, filled, line_of_row, scores_of_text
from evalcore.optional import require

_SAMPLE_BYTES = 1 << 20
_PACKED = 8
"""How many times larger text gets when it is unpacked: a guess."""
_END = "\x04 end of the rows \x04"
"""Stands in every cell of a row that is added: a quote that is left open swallows it."""
_ROW = re.compile(r"(?:In CSV column #(\d+): )?.*?Row #(\d+): (.*)", re.DOTALL)
"""How Arrow names a row, from 1 on."""
_SHOWN = 120
"""Letters of a bad row at most."""


class Contents(NamedTuple):
    """What a file holds, told before its rows are read."""

    schema: Any
    """Columns and their types, a pyarrow Schema."""
    rows: int
    """How many there are, or for text about how many."""
    rows_are_counted: bool
    """Whether there are exactly so many."""


def opened(path: str, progress: Progress) -> io.BufferedReader:
    """Open a file, unpacked by the ending of its name; `-` is standard input.  Its bytes count as they are read.

    Raises EvaluationError where standard input is closed.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file, opened(file.name, print) as text:
    ...     text.read()
    0 0
    b''
    """
    pa = require("pyarrow", "report")
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise EvaluationError("standard input is closed")
        return io.BufferedReader(CountedFile(sys.stdin.buffer, None, progress))
    source: BinaryIO = open(path, "rb", buffering=0)  # noqa: SIM115  closed by who reads it
    counted = CountedFile(source, os.fstat(source.fileno()).st_size, progress)
    compression = _compression_of(path)
    if compression is None:
        return io.BufferedReader(counted)
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(counted, mode="r"), compression))


def header_of(file: io.BufferedReader, delimiter: str) -> list[str]:
    r"""Read the names of the columns, and leave the file at its first row.

    Only this line, so that a missing column can be named before the rows are read.  Raises EvaluationError if there is
    none.

    >>> header_of(io.BufferedReader(io.BytesIO(b"late,model\n1,0.5\n")), ",")
    ['late', 'model']
    """
    lines = (line.decode("utf-8-sig") for line in iter(file.readline, b""))
    try:
        header = next(csv.reader(lines, delimiter=delimiter), [])
    except UnicodeDecodeError:
        raise EvaluationError("line 1 is not UTF-8") from None
    if not header:
        raise EvaluationError("there is no header line")
    return header


def contents_of_text(path: str, selection: Selection) -> Contents:
    """Return the columns of a text file, and about how many rows it has.

    As `evalcore.io.batches.contents`, with errors that do not name the file.  O(1): it looks at the first megabyte.

    >>> contents_of_text("nowhere.csv", Selection(()))
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.csv'
    """
    pa = require("pyarrow", "report")

    packed = 1 if _compression_of(path) is None else _PACKED
    with opened(path, _nobody) as file:
        header = header_of(file, _delimiter_of(path))
        sample = file.read(_SAMPLE_BYTES)
    lines = sample.count(b"\n") + (not sample.endswith(b"\n")) if sample else 0
    rows = lines if len(sample) < _SAMPLE_BYTES else os.path.getsize(path) * packed * lines // len(sample)
    return Contents(pa.schema([(name, _type_of(name, selection)) for name in header]), rows, False)


def text_batches(
    path: str, names: Sequence[str] | None, selection: Selection, progress: Progress | None = None
) -> Iterator[Any]:
    """Yield the rows of some columns of a text file as record batches, one at least.

    names: by default those of the selection.  As `evalcore.io.batches.batches`, with errors that name the line but not
    the file.  Where the selection asks for sets of names, nothing is a null.  O(bytes).

    >>> next(text_batches("nowhere.csv", [], Selection(())))
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.csv'
    """
    pa = require("pyarrow", "report")

    with opened(path, progress or _nobody) as file:
        header = header_of(file, _delimiter_of(path))
        names = chosen(selection, header) if names is None else list(names)
        first = 0
        for batch in _batches(file, header, path, names):
            columns = [_typed(batch.column(name), name, selection, path, first) for name in names]
            yield pa.record_batch(columns, names)
            first += batch.num_rows


def _typed(column: Any, name: str, selection: Selection, path: str, first: int) -> Any:
    """Return a column of strings in the type that it is read as."""
    pc = require("pyarrow.compute", "report")

    try:
        if selection.holds_scores(name):
            return scores_of_text(column)
        return pc.if_else(pc.equal(column, ""), None, column) if selection.as_text else filled(column)
    except CellError as error:
        raise EvaluationError(f"{_where(path, first + error.index)}: column {name!r} {error.why}") from error


def _type_of(name: str, selection: Selection) -> Any:
    pa = require("pyarrow", "report")

    return pa.float64() if selection.holds_scores(name) else pa.string()


def _batches(file: io.BufferedReader, header: list[str], path: str, names: list[str]) -> Iterator[Any]:
    """Yield the rows as strings, but for the one that is added at the end."""
    pa = require("pyarrow", "report")

    delimiter = _delimiter_of(path)
    end = f"\n{delimiter.join([_END] * len(header))}\n".encode()
    done, held = 0, None
    try:
        for batch in _reader(io.BufferedReader(_Followed(file, end)), header, delimiter, names):
            if held is not None and batch.num_rows:
                yield held
            held = batch if batch.num_rows else held
            done += batch.num_rows
    except pa.ArrowInvalid as error:
        raise EvaluationError(_in_words(error, path, header, done)) from error
    if held is None or any(column[-1].as_py() != _END for column in held.columns):
        raise EvaluationError(f"{_where(path, done - 1)}: a quote is left open, and all that follows is in one cell")
    yield held.slice(0, held.num_rows - 1)


def _reader(file: io.BufferedReader, header: list[str], delimiter: str, names: list[str]) -> Any:
    pa = require("pyarrow", "report")
    pa_csv = require("pyarrow.csv", "report")

    return pa_csv.open_csv(
        pa.PythonFile(file, mode="r"),
        # without threads Arrow tells the row that is wrong; it parses on one thread anyway
        read_options=pa_csv.ReadOptions(column_names=header, block_size=_SAMPLE_BYTES, use_threads=False),
        parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            include_columns=names, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )


def _in_words(error: Exception, path: str, header: list[str], done: int) -> str:
    """Say what Arrow finds wrong with a row."""
    text = str(error)
    if "straddl" in text:
        return f"{_where(path, done)}: takes over {_SAMPLE_BYTES:,} bytes: is a quote left open there?"
    found = _ROW.match(text)
    if found is None:
        return f"cannot be read: {' '.join(text.split())}"
    column, row, why = found.groups()
    place = _where(path, int(row) - 1)
    if column is not None:
        return f"{place}: column {header[int(column)]!r} is not UTF-8"
    why = why if len(why) <= _SHOWN else f"{why[:_SHOWN]}..."
    return f"{place}: {' '.join(why.split())}"


def _where(path: str, row: int) -> str:
    """Return the line where a row begins or, where the file cannot be read again, the number of the row."""
    line = None
    if os.path.isfile(path):
        with opened(path, _nobody) as file:
            line = line_of_row(file, _delimiter_of(path), row)
    return f"row {row + 1} below the header" if line is None else f"line {line}"


class _Followed(io.RawIOBase):
    """A file with some bytes after its end."""

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


def _delimiter_of(path: str) -> str:
    return TEXTS.get(ending_of(path), TEXTS[".csv"])


def _compression_of(path: str) -> str | None:
    return COMPRESSIONS.get(Path(path).suffix.lower())


def _nobody(done: int, total: int | None) -> None:
    """Tell nobody."""
