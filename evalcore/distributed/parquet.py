"""Parquet files as partitions: which row groups belong together, and what their columns hold."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from evalcore.distributed.graphs import required
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.columns import Selection, arrays, chosen, text_arrays

T = TypeVar("T")
MOST_ROWS = 1 << 22
"""Rows of a partition at most, unless a single row group has more."""
_BUFFER = 1 << 18
"""Bytes of each column that are read at once."""


class RowGroups(NamedTuple):
    """Row groups of a file that are read together."""

    path: str
    numbers: list[int]
    first_row: int
    """Rows of the file before them."""

    def __str__(self) -> str:
        return self.path if self.first_row == 0 else f"{self.path} from row {self.first_row:,} on"


def files_of(paths: Any) -> list[str]:
    """List Parquet files.

    paths: a file, a directory, a pattern with ``*``, or a sequence of them; names with a protocol, such as
    ``s3://bucket/scores``, are opened by fsspec.  Files of a directory or pattern come in the natural order of their
    names.

    Raises EvaluationError where nothing is found, EvaluationTypeError for what is no path.

    >>> files_of("nowhere/*.parquet")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere/*.parquet: no such Parquet files
    """
    required("pyarrow")
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(listed, Sequence) or not all(isinstance(path, str | os.PathLike) for path in listed):
        raise EvaluationTypeError(
            "data must be a dask data frame, a path of Parquet files or a list of paths, "
            f"got {type(paths).__module__}.{type(paths).__qualname__}"
        )
    found = [file for path in listed for file in _files_at(os.fspath(path))]
    if not found:
        raise EvaluationError("data must name at least one Parquet file, got an empty list")
    return found


def _files_at(path: str) -> list[str]:
    natural_sort_key = required("dask.utils").natural_sort_key
    system, place = required("fsspec.core").url_to_fs(path)
    if system.isdir(place):
        pattern = f"{place.rstrip('/')}/**/*.parquet"
    elif any(sign in place for sign in "*?["):
        pattern = place
    else:
        return [path]
    found = sorted(system.glob(pattern), key=natural_sort_key)
    if not found:
        raise EvaluationError(f"{path}: no such Parquet files")
    return [system.unstrip_protocol(file) for file in found] if "://" in path else found


def row_groups(path: str, names: list[str], most_rows: int = MOST_ROWS) -> list[RowGroups]:
    """Part the row groups of a file into runs of at most so many rows, or of one row group.

    names: columns that it must have.  O(row groups): reads the footer only.

    Raises EvaluationError for a file that is not there or is none, or lacks a column.

    >>> row_groups("nowhere.parquet", ["late"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.parquet: no such file
    """

    def runs(file: Any) -> list[RowGroups]:
        chosen(Selection(tuple(names)), file.schema_arrow.names)
        found: list[RowGroups] = []
        rows_before = rows_of_run = 0
        for number in range(file.metadata.num_row_groups):
            rows = file.metadata.row_group(number).num_rows
            if found and rows_of_run + rows <= most_rows:
                found[-1].numbers.append(number)
            else:
                found.append(RowGroups(path, [number], rows_before))
                rows_of_run = 0
            rows_before, rows_of_run = rows_before + rows, rows_of_run + rows
        return found or [RowGroups(path, [], 0)]

    try:
        return _with_file(path, runs)
    except EvaluationError as error:
        raise EvaluationError(f"{path}: {error}") from error


def read(groups: RowGroups, names: list[str], as_text: bool = False) -> list[Any]:
    """Return columns of row groups as arrays, (n,) each.

    as_text: whether cells are strings or lists of them, and may be nothing.  O(n).

    Raises EvaluationError for nulls, and for a file that is not there or is none.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     pq.write_table(pa.table({"late": [True, False]}), f"{directory}/part.parquet")
    ...     read(row_groups(f"{directory}/part.parquet", ["late"])[0], ["late"])
    [array([ True, False])]
    """

    def columns(file: Any) -> list[Any]:
        table = file.read_row_groups(groups.numbers, columns=_once(names), use_threads=False)
        return _arrays(table, names, as_text)

    return _with_file(groups.path, columns)


def read_some(rows: int, groups: RowGroups, names: list[str], as_text: bool = False) -> list[Any]:
    """Return columns of the first rows of each of some row groups, about so many rows in all.  As `read`.

    Other rows are not read.

    >>> read_some(10, RowGroups("nowhere.parquet", [0], 0), ["late"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: no such file
    """
    table_of = required("pyarrow").Table.from_batches
    of_each = -(-rows // max(len(groups.numbers), 1))

    def columns(file: Any) -> list[Any]:
        none = file.read_row_groups([], columns=_once(names))
        batches = [
            batch
            for number in groups.numbers
            for batch in islice(file.iter_batches(of_each, [number], _once(names), use_threads=False), 1)
        ]
        return _arrays(table_of(batches, none.schema), names, as_text)

    return _with_file(groups.path, columns)


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _arrays(table: Any, names: list[str], as_text: bool) -> list[Any]:
    found = text_arrays(table, names) if as_text else arrays(table, names)
    return [found[name] for name in names]


def _with_file(path: str, task: Callable[[Any], T]) -> T:
    parquet = required("pyarrow.parquet")
    try:
        with _opened(path) as source, parquet.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False) as file:
            return task(file)
    except EvaluationError:
        raise
    except FileNotFoundError:
        raise EvaluationError("no such file") from None
    except Exception as error:  # whatever a reader raises at a file that is not what its name says
        raise EvaluationError(f"cannot be read: {' '.join(str(error).split())}") from error


def _opened(path: str) -> AbstractContextManager[Any]:
    opened: AbstractContextManager[Any] = required("fsspec").open(path, "rb") if "://" in path else nullcontext(path)
    return opened
