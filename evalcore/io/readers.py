"""Tables of any format: what they hold, and their rows, whole or in batches."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError
from evalcore.io.arrow import arrow_batches, arrow_contents, read_arrow
from evalcore.io.byte_progress import Meter, Progress
from evalcore.io.columns import BY_NAME, ColumnArrays, Reading, Selection, TableContents
from evalcore.io.databases import database_batches, database_contents, read_database
from evalcore.io.delimited import delimited_batches, delimited_contents, read_delimited
from evalcore.io.formats import SIGNATURE_BYTES, format_of, format_of_bytes, reading
from evalcore.io.json_lines import json_lines_batches, json_lines_contents, read_json_lines
from evalcore.io.npz import npz_contents, read_npz
from evalcore.io.opening import Source
from evalcore.io.parquet import parquet_batches, parquet_contents, read_parquet

BATCH_ROWS = 1 << 16
"""Fewer rows take less memory, more save no time."""


class Format(NamedTuple):
    """How files of a format are read."""

    columns: Callable[[Source, Selection, Progress], ColumnArrays]
    """Reads selected columns whole, (n,) each, and reports rows; the source reports bytes."""
    contents: Callable[[Source, Selection], TableContents]
    """Says what a file holds."""
    batches: Callable[[Source, Sequence[str], Selection, int], Iterator[Any]] | None = None
    """Yields rows of some columns as record batches of so many rows at most; text ignores the limit.

    None where files can only be read whole.
    """


_ARROW = Format(read_arrow, arrow_contents, arrow_batches)
_DELIMITED = Format(read_delimited, delimited_contents, delimited_batches)
_FORMATS = {
    "parquet": Format(read_parquet, parquet_contents, parquet_batches),
    "arrow": _ARROW,
    "csv": _DELIMITED,
    "tsv": _DELIMITED,
    "jsonl": Format(read_json_lines, json_lines_contents, json_lines_batches),
    "npz": Format(read_npz, npz_contents),
    "duckdb": Format(read_database, database_contents, database_batches),
}


def read_columns(path: str, selection: Selection, meter: Meter, *, needs_rows: bool = True) -> ColumnArrays:
    """Read the selected columns of a file, a pipe, or standard input for ``-``, (n,) each.  O(n).

    meter: called with the bytes or rows read and the total; needs_rows: whether a file without rows is refused.

    Raises EvaluationError, which names the file, if it or a column does not exist, cannot be read, or holds nulls.
    """
    if Path(path).is_dir():
        raise EvaluationError(f"{path}: is a directory")
    format_name = format_of(path, selection.reading)
    source = Source(path, meter.bytes)
    with reading(path):
        if not source.is_repeatable and selection.reading == BY_NAME:
            format_name = format_of_bytes(source.first_bytes(SIGNATURE_BYTES)) or format_name
        columns = _FORMATS[format_name].columns(source, selection, meter.rows)
    if needs_rows and next(iter(columns.values())).size == 0:
        raise EvaluationError(f"{path}: there are no rows")
    return columns


def table_contents(path: str, selection: Selection) -> TableContents:
    """Return what a file holds.  O(columns), O(bytes) for a stream of Arrow.

    Raises EvaluationError, which names the file, if it does not exist or is damaged.
    """
    found = _FORMATS[format_of(path, selection.reading)]
    with reading(path):
        return found.contents(Source(path), selection)


def is_read_in_batches(path: str, how: Reading) -> bool:
    """Whether the format of a file can be read in batches.  O(1)."""
    return _FORMATS[format_of(path, how)].batches is not None


def table_batches(path: str, names: Sequence[str], selection: Selection, rows: int = BATCH_ROWS) -> Iterator[Any]:
    """Yield the rows of some columns of a file as pyarrow record batches, so many rows at most.  O(n).

    Text ignores the limit of rows: its batches come from a megabyte of text.  Raises EvaluationError, which
    names the file, and says how many rows could be read, if it is damaged or ends early.
    """
    batches = _FORMATS[format_of(path, selection.reading)].batches
    if batches is None:
        raise EvaluationError(f"{path}: this format cannot be read in batches")
    with reading(path):
        opened = batches(Source(path), names, selection, rows)
        yield from _counting_rows(opened)


def _counting_rows(opened: Iterator[Any]) -> Iterator[Any]:
    """Say in errors how many rows could be read."""
    done = 0
    while True:
        try:
            batch = next(opened, None)
        except (OSError, ValueError) as error:  # Arrow's errors are of these classes
            if not done or isinstance(error, EvaluationError):
                raise
            raise EvaluationError(f"cannot be read after {done:,} rows: {' '.join(str(error).split())}") from error
        if batch is None:
            return
        done += batch.num_rows
        yield batch
