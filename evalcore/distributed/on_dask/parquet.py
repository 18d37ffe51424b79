"""Parquet files as partitions: which row groups are read together, and what their columns hold."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.columns import Reading, Selection, column_arrays, selected_names
from evalcore.io.formats import reading
from evalcore.io.name_lists import coded_names
from evalcore.io.paths import expand_paths
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

    paths: a file, a folder, a pattern with ``*``, or a sequence of them, as for `evalcore.io.paths.expand_paths`; names
    with a protocol, such as ``s3://bucket/scores``, are opened by fsspec.

    Raises EvaluationError if no file is found, EvaluationTypeError for other types.
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
    found = expand_paths(local, Reading(format="parquet")) if local else []
    found += [file for name in names if "://" in name for file in _remote(name)]
    for file in found:
        if not file.endswith(".parquet"):
            raise EvaluationError(f"{file}: not a Parquet file; its name must end in .parquet")
    return found


def _remote(url: str) -> list[str]:
    system, path = require("fsspec.core", "distributed").url_to_fs(url)
    pattern = f"{path.rstrip('/')}/**/*.parquet" if system.isdir(path) else path
    if not any(sign in pattern for sign in "*?["):
        return [url]
    found = sorted(system.glob(pattern))
    if not found:
        raise EvaluationError(f"{url}: no Parquet file found")
    return [system.unstrip_protocol(file) for file in found]


def row_groups(path: str, names: list[str], most_rows: int = MOST_ROWS) -> list[RowGroups]:
    """Part the row groups of a file into runs of at most so many rows, or of one row group.

    names: columns that it must have.  O(row groups): reads only the footer.

    Raises EvaluationError if the file does not exist, is not a Parquet file, or lacks a column.
    """
    found: list[RowGroups] = []
    rows_before = rows_of_run = 0
    with reading(path), _opened(path) as file:
        selected_names(Selection(tuple(names)), file.schema_arrow.names)
        sizes = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    for number, rows in enumerate(sizes):
        if found and rows_of_run + rows <= most_rows:
            found[-1].numbers.append(number)
        else:
            found.append(RowGroups(path, [number], rows_before))
            rows_of_run = 0
        rows_before, rows_of_run = rows_before + rows, rows_of_run + rows
    return found or [RowGroups(path, [], 0)]


def read_row_groups(groups: RowGroups, names: list[str], as_text: bool = False) -> list[Any]:
    """Return columns of row groups as arrays, (n,) each; as_text: of strings, or lists of them, or None.  O(n).

    Raises EvaluationError for nulls, and what pyarrow raises for a damaged file.
    """
    with _opened(groups.path) as file:
        table = file.read_row_groups(groups.numbers, columns=_without_repeats(names), use_threads=False)
        return _as_arrays(table, names, as_text)


def sample_row_groups(rows: int, groups: RowGroups, names: list[str], as_text: bool = False) -> list[Any]:
    """Return the first rows of each row group, about so many in all, without reading others.  As `read_row_groups`."""
    of_each = -(-rows // max(len(groups.numbers), 1))
    with _opened(groups.path) as file:
        schema = file.read_row_groups([], columns=_without_repeats(names)).schema
        batches = [
            batch
            for number in groups.numbers
            for batch in islice(file.iter_batches(of_each, [number], _without_repeats(names), use_threads=False), 1)
        ]
        return _as_arrays(require("pyarrow", "distributed").Table.from_batches(batches, schema), names, as_text)


def _without_repeats(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _as_arrays(table: Any, names: list[str], as_text: bool) -> list[Any]:
    found = coded_names(table, names) if as_text else column_arrays(table, names)
    return [found[name] for name in names]


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    parquet = require("pyarrow.parquet", "distributed")
    opened = require("fsspec", "distributed").open(path, "rb") if "://" in path else nullcontext(path)
    # checksums of pages cost little, and without them a damaged number is just another number
    options = {"buffer_size": _BUFFER, "pre_buffer": False, "page_checksum_verification": True}
    with opened as source, parquet.ParquetFile(source, **options) as file:
        yield file
