"""Tables of any format, told by the ending of a file's name: what they hold, and their rows, whole or in batches."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.io.arrow import arrow_batches, arrow_contents, read_arrow
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection, TableContents
from evalcore.io.delimited import delimited_batches, delimited_contents, read_delimited
from evalcore.io.formats import ENDINGS, STANDARD_INPUT, TEXTS, ending_of, reading
from evalcore.io.npz import read_npz
from evalcore.io.parquet import parquet_batches, parquet_contents, read_parquet

BATCH_ROWS = 1 << 16
"""Fewer rows take less memory, more save no time."""


def read_columns(path: str, selection: Selection, progress: Progress, *, needs_rows: bool = True) -> ColumnArrays:
    """Read the selected columns of a file, or of CSV on standard input for ``-``, (n,) each.  O(n).

    progress: called with the bytes or rows read and the total; needs_rows: whether a file without rows is refused.

    Raises EvaluationError, which names the file, if it or a column does not exist, cannot be read, or holds nulls.
    """
    read = read_delimited if path == STANDARD_INPUT else _READERS.get(ending_of(path))
    if Path(path).is_dir():
        raise EvaluationError(f"{path}: is a directory")
    if read is None:
        raise EvaluationError(f"{path}: the name must end in one of {' '.join(ENDINGS)}")
    with reading(path):
        columns = read(path, selection, progress)
    if needs_rows and next(iter(columns.values())).size == 0:
        raise EvaluationError(f"{path}: there are no rows")
    return columns


def table_contents(path: str, selection: Selection) -> TableContents:
    """Return what a Parquet, Arrow, Feather, CSV or TSV file holds.  O(columns), O(bytes) for a stream of Arrow.

    Raises EvaluationError, which names the file, if it does not exist, is damaged, or has another ending.
    """
    ending = ending_of(path)
    with reading(path):
        if ending == ".parquet":
            return parquet_contents(path)
        return delimited_contents(path, selection) if ending in TEXTS else arrow_contents(path)


def table_batches(path: str, names: Sequence[str], selection: Selection, rows: int = BATCH_ROWS) -> Iterator[Any]:
    """Yield the rows of some columns of a file as pyarrow record batches, so many rows at most.  O(n).

    CSV and TSV ignore the limit of rows: their batches come from a megabyte of text.  Raises EvaluationError, which
    names the file, and says how many rows could be read, if it is damaged or ends early.
    """
    ending = ending_of(path)
    with reading(path):
        if ending == ".parquet":
            opened = parquet_batches(path, names, rows)
        elif ending in TEXTS:
            opened = delimited_batches(path, names, selection)
        else:
            opened = arrow_batches(path, names, rows)
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


_READERS: dict[str, Callable[[str, Selection, Progress], ColumnArrays]] = {
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".npz": read_npz,
}
