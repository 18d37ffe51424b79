"""CSV and TSV files, packed or not: their header, and their rows in batches."""

import csv
import io
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from evalcore.errors import EvaluationError
from evalcore.io.columns import Selection
from evalcore.io.counting import CountedFile, Progress
from evalcore.io.formats import COMPRESSIONS, STANDARD_INPUT, TEXTS, ending_of
from evalcore.optional import require

_SAMPLE_BYTES = 1 << 20
_PACKED = 8
"""How many times larger text gets when it is unpacked: a guess."""


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
    header = next(csv.reader(lines, delimiter=delimiter), [])
    if not header:
        raise EvaluationError("there is no header line")
    return header


def empty_as_null(column: Any) -> Any:
    """Return a column with nulls where a string is empty: nothing between two commas; NA may be Namibia.  O(n).

    >>> import pyarrow
    >>> empty_as_null(pyarrow.array(["NA", ""])).null_count
    1
    """
    pa = require("pyarrow", "report")
    pc = require("pyarrow.compute", "report")
    return pc.if_else(pc.equal(column, ""), None, column) if pa.types.is_string(column.type) else column


def contents_of_text(path: str, selection: Selection) -> Contents:
    """Return the columns of a text file, by the types of its first rows, and about how many rows it has.

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
    lines = sample.count(b"\n") + (not sample.endswith(b"\n"))
    rows = lines if len(sample) < _SAMPLE_BYTES else os.path.getsize(path) * packed * lines // len(sample)
    if not sample:
        return Contents(pa.schema([(name, pa.null()) for name in header]), 0, False)
    with opened(path, _nobody) as file:
        reader = _reader(file, header_of(file, _delimiter_of(path)), path, selection)
        return Contents(reader.schema, rows, False)


def text_batches(path: str, names: Sequence[str], selection: Selection) -> Iterator[Any]:
    """Yield the rows of some columns of a text file as record batches, empty strings as nulls.

    As `evalcore.io.batches.batches`, with errors that do not name the file.  O(bytes).

    >>> next(text_batches("nowhere.csv", [], Selection(())))
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.csv'
    """
    pa = require("pyarrow", "report")
    with opened(path, _nobody) as file:
        header = header_of(file, _delimiter_of(path))
        for batch in _reader(file, header, path, selection, names) if file.peek(1) else ():
            yield pa.record_batch([empty_as_null(batch.column(name)) for name in names], list(names))


def _reader(
    file: io.BufferedReader, header: list[str], path: str, selection: Selection, names: Sequence[str] | None = None
) -> Any:
    pa = require("pyarrow", "report")
    pa_csv = require("pyarrow.csv", "report")
    return pa_csv.open_csv(
        pa.PythonFile(file, mode="r"),
        read_options=pa_csv.ReadOptions(column_names=header, block_size=_SAMPLE_BYTES),
        parse_options=pa_csv.ParseOptions(delimiter=_delimiter_of(path), newlines_in_values=True),
        convert_options=pa_csv.ConvertOptions(
            include_columns=None if names is None else list(names),
            column_types={name: pa.float64() for name in header if selection.holds_scores(name)},
        ),
    )


def _delimiter_of(path: str) -> str:
    return TEXTS[ending_of(path)]


def _compression_of(path: str) -> str | None:
    return COMPRESSIONS.get(Path(path).suffix.lower())


def _nobody(done: int, total: int | None) -> None:
    """Tell nobody."""
