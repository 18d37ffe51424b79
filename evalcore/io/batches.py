"""What a file of a table says of itself, and its rows in batches, so that a file need not fit the memory.

Not by the scanner of pyarrow.dataset: it decodes whole row groups, several at a time, and so 20 million rows in one
row group took 430 MB where reading the pages one after another takes 20.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.io.columns import Selection
from evalcore.io.delimited import Contents, contents_of_text, text_batches
from evalcore.io.formats import TEXTS, ending_of, reading
from evalcore.optional import require

BATCH_ROWS = 1 << 16
"""Fewer take less memory, more save no time."""
_PAGE_BYTES = 1 << 18
"""Read of each column at once."""


def contents(path: str, selection: Selection) -> Contents:
    """Open a Parquet, Arrow, Feather, CSV or TSV file and return what it holds.

    Scores in text are floating-point numbers, whatever their first rows look like; other columns of text get the type
    that the first megabyte suggests.  O(columns), O(bytes) for streams of Arrow.

    Raises EvaluationError that names the file if it is not there, is damaged, or has another ending.

    >>> contents("nowhere.parquet", Selection(()))
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.parquet: no such file
    """
    ending = ending_of(path)
    with reading(path):
        if ending == ".parquet":
            with _parquet_file(path) as file:
                return Contents(file.schema_arrow, file.metadata.num_rows, True)
        if ending in TEXTS:
            return contents_of_text(path, selection)
        return _contents_of_arrow(path)


def batches(path: str, names: Sequence[str], selection: Selection, rows: int = BATCH_ROWS) -> Iterator[Any]:
    """Yield the rows of some columns of a file as pyarrow record batches of so many rows at most.

    Text is read as `contents` says.  O(rows).

    Raises EvaluationError that names the file, and how many rows could be read, where it is damaged or ends early.

    >>> list(batches("nowhere.parquet", ["late"], Selection(("late",))))
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.parquet: no such file
    """
    ending = ending_of(path)
    with reading(path):
        if ending == ".parquet":
            opened = _parquet_batches(path, names, rows)
        elif ending in TEXTS:
            opened = text_batches(path, names, selection)
        else:
            opened = _arrow_batches(path, names, rows)
        yield from _counted(opened)


def _counted(opened: Iterator[Any]) -> Iterator[Any]:
    """Tell in errors how far the file could be read."""
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


def _parquet_file(path: str) -> Any:
    pq = require("pyarrow.parquet", "report")
    # what the checksums of pages cost is little, and without them a damaged number is just another number
    return pq.ParquetFile(path, buffer_size=_PAGE_BYTES, pre_buffer=False, page_checksum_verification=True)


def _parquet_batches(path: str, names: Sequence[str], rows: int) -> Iterator[Any]:
    with _parquet_file(path) as file:
        found = 0
        # threads take a third more memory, and save a tenth of the time that summaries take
        for batch in file.iter_batches(batch_size=rows, columns=list(names), use_threads=False):
            found += batch.num_rows
            yield batch
        if found != file.metadata.num_rows:
            raise EvaluationError(f"ends after {found:,} rows, where it says that it has {file.metadata.num_rows:,}")


@contextmanager
def _arrow_reader(path: str) -> Iterator[tuple[Any, bool]]:
    pa = require("pyarrow", "report")
    with pa.OSFile(path) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        with pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source) as reader:
            yield reader, is_file


def _contents_of_arrow(path: str) -> Contents:
    with _arrow_reader(path) as (reader, is_file):
        rows = _rows_of_arrow(path) if is_file else sum(batch.num_rows for batch in reader)
        return Contents(reader.schema, rows, True)


def _rows_of_arrow(path: str) -> int:
    dataset = require("pyarrow.dataset", "report")
    rows: int = dataset.dataset(path, format="ipc").count_rows()  # reads no columns
    return rows


def _arrow_batches(path: str, names: Sequence[str], rows: int) -> Iterator[Any]:
    with _arrow_reader(path) as (reader, is_file):
        parts = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
        for part in parts:
            chosen = part.select(list(names))
            for begin in range(0, chosen.num_rows, rows):
                yield chosen.slice(begin, rows)
