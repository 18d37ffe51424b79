"""Parquet files as partitions: which row groups belong together, and what their columns hold."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.columns import Selection, arrays, chosen, text_arrays
from evalcore.io.formats import reading
from evalcore.io.paths import expanded
from evalcore.optional import require

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

    paths: a file, a folder, a pattern with ``*``, or a sequence of them, as `evalcore.io.paths.expanded` takes them;
    names with a protocol, such as ``s3://bucket/scores``, are opened by fsspec.

    Raises EvaluationError where nothing is found, EvaluationTypeError for what is no path.

    >>> files_of("nowhere/*.parquet")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere/*.parquet: no file has such a name
    """
    require("pyarrow", "distributed")
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    if not isinstance(listed, Sequence) or not all(isinstance(path, str | os.PathLike) for path in listed):
        raise EvaluationTypeError(
            "data must be a dask data frame, a path of Parquet files or a list of paths, "
            f"got {type(paths).__module__}.{type(paths).__qualname__}"
        )
    if not listed:
        raise EvaluationError("data must name at least one Parquet file, got an empty list")
    names = list(map(os.fspath, listed))
    local = [name for name in names if "://" not in name]
    found = [*(expanded(local) if local else []), *(file for name in names if "://" in name for file in _remote(name))]
    for file in found:
        if not file.endswith(".parquet"):
            raise EvaluationError(f"{file}: is no Parquet file (their names end in .parquet)")
    return found


def _remote(url: str) -> list[str]:
    system, place = require("fsspec.core", "distributed").url_to_fs(url)
    pattern = f"{place.rstrip('/')}/**/*.parquet" if system.isdir(place) else place
    if not any(sign in pattern for sign in "*?["):
        return [url]
    found = sorted(system.glob(pattern))
    if not found:
        raise EvaluationError(f"{url}: no such Parquet files")
    return [system.unstrip_protocol(file) for file in found]


def row_groups(path: str, names: list[str], most_rows: int = MOST_ROWS) -> list[RowGroups]:
    """Part the row groups of a file into runs of at most so many rows, or of one row group.

    names: columns that it must have.  O(row groups): reads the footer only.

    Raises EvaluationError for a file that is not there or is none, or lacks a column.

    >>> row_groups("nowhere.parquet", ["late"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.parquet: no such file
    """
    found: list[RowGroups] = []
    rows_before = rows_of_run = 0
    with reading(path), _file(path) as file:
        chosen(Selection(tuple(names)), file.schema_arrow.names)
        sizes = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    for number, rows in enumerate(sizes):
        if found and rows_of_run + rows <= most_rows:
            found[-1].numbers.append(number)
        else:
            found.append(RowGroups(path, [number], rows_before))
            rows_of_run = 0
        rows_before, rows_of_run = rows_before + rows, rows_of_run + rows
    return found or [RowGroups(path, [], 0)]


def read(groups: RowGroups, names: list[str], as_text: bool = False) -> list[Any]:
    """Return columns of row groups as arrays, (n,) each.

    as_text: whether cells are strings or lists of them, and may be nothing.  O(n).

    Raises EvaluationError for nulls, and what pyarrow raises at a file that is none.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     pq.write_table(pa.table({"late": [True, False]}), f"{directory}/part.parquet")
    ...     read(row_groups(f"{directory}/part.parquet", ["late"])[0], ["late"])
    [array([ True, False])]
    """
    with _file(groups.path) as file:
        return _arrays(file.read_row_groups(groups.numbers, columns=_once(names), use_threads=False), names, as_text)


def read_some(rows: int, groups: RowGroups, names: list[str], as_text: bool = False) -> list[Any]:
    """Return columns of the first rows of each of some row groups, about so many rows in all.  As `read`.

    Other rows are not read.

    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     pq.write_table(pa.table({"late": [True, False, True]}), f"{directory}/part.parquet", row_group_size=2)
    ...     read_some(2, row_groups(f"{directory}/part.parquet", ["late"])[0], ["late"])
    [array([ True,  True])]
    """
    of_each = -(-rows // max(len(groups.numbers), 1))
    with _file(groups.path) as file:
        schema = file.read_row_groups([], columns=_once(names)).schema
        batches = [
            batch
            for number in groups.numbers
            for batch in islice(file.iter_batches(of_each, [number], _once(names), use_threads=False), 1)
        ]
        return _arrays(require("pyarrow", "distributed").Table.from_batches(batches, schema), names, as_text)


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _arrays(table: Any, names: list[str], as_text: bool) -> list[Any]:
    found = text_arrays(table, names) if as_text else arrays(table, names)
    return [found[name] for name in names]


@contextmanager
def _file(path: str) -> Iterator[Any]:
    parquet = require("pyarrow.parquet", "distributed")
    opened = require("fsspec", "distributed").open(path, "rb") if "://" in path else nullcontext(path)
    # what the checksums of pages cost is little, and without them a damaged number is just another number
    options = {"buffer_size": _BUFFER, "pre_buffer": False, "page_checksum_verification": True}
    with opened as source, parquet.ParquetFile(source, **options) as file:
        yield file
