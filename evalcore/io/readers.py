"""Tables of any format: what they hold, and their rows, whole or in batches."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.columns import (
    ColumnArrays,
    Selection,
    TableContents,
    batch_arrays,
    joined_batches,
    selected_arrays,
    selected_names,
)
from evalcore.io.conditions import quoted
from evalcore.io.formats import (
    BY_NAME,
    SIGNATURE_BYTES,
    Reading,
    format_of,
    format_of_bytes,
    is_database,
    is_remote,
    local_name,
    reading,
    reason,
    way_out_of_database,
)
from evalcore.io.libraries import dataset, duckdb, pa, pq
from evalcore.io.opening import Meter, Progress, Source
from evalcore.io.rows import table_of_arrays
from evalcore.io.text_files import (
    delimited_batches,
    delimited_contents,
    json_lines_batches,
    json_lines_contents,
    read_delimited,
    read_json_lines,
)


def arrow_contents(source: Source, _selection: Selection) -> TableContents:
    """Return what an Arrow file holds.  O(columns), O(bytes) for a stream."""
    with _opened_arrow(source) as (schema, batches, is_file):
        if not is_file:
            return TableContents(schema, sum(batch.num_rows for batch in batches), True)
        with source.seekable() as file:  # which counts rows without their columns
            fragment = dataset.IpcFileFormat().make_fragment(file)
            return TableContents(schema, fragment.count_rows(), True)


def arrow_batches(source: Source, names: Sequence[str], _selection: Selection, rows: int) -> Iterator[Any]:
    """Yield record batches of some columns, so many rows at most.  O(n)."""
    with _opened_arrow(source) as (_, batches, _):
        for part in batches:
            selected = part.select(list(names))
            for begin in range(0, selected.num_rows, rows):
                yield selected.slice(begin, rows)


def read_arrow(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of an Arrow file or stream, (n,) each.  O(n)."""
    with _opened_arrow(source) as (schema, batches, _):
        names = selected_names(selection, schema.names)
        selected = (batch.select(names) for batch in batches)
        return selected_arrays(joined_batches(selected, schema, names, progress), names, selection)


@contextmanager
def _opened_arrow(source: Source) -> Iterator[tuple[Any, Iterable[Any], bool]]:
    """Open a file or a stream of Arrow: its schema, its batches, and whether it is a file."""
    with source.seekable() as file:
        first = file.read(6)
        if first.startswith(b"FEA1"):
            raise EvaluationError("is Feather V1, which is not read; write it as Feather V2, Arrow or Parquet")
        is_file = first == b"ARROW1"
        file.seek(0)
        with pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file) as reader:
            batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
            yield reader.schema, batches, is_file


_PAGE_BYTES = 1 << 18
"""Bytes of each column read at once."""
_REMOTE_PAGE_BYTES = 1 << 21
"""More of a remote file, where each request costs as much time as megabytes."""
_ROWS_OF_PROGRESS = 1 << 18
"""Rows between two reports of progress."""
_CHECKED = {"page_checksum_verification": True}
"""Checksums of pages cost little, and without them a damaged number is just another number."""


def parquet_contents(source: Source, _selection: Selection) -> TableContents:
    """Return what a Parquet file says of itself.  O(columns)."""
    with _open_in_pages(source) as file:
        return TableContents(file.schema_arrow, file.metadata.num_rows, True)


def parquet_batches(source: Source, names: Sequence[str], _selection: Selection, rows: int) -> Iterator[Any]:
    """Yield record batches of some columns, so many rows at most; raise EvaluationError if rows are missing.  O(n)."""
    with _open_in_pages(source) as file:
        found = 0
        # threads take a third more memory, and save a tenth of the time that summaries take
        for batch in file.iter_batches(batch_size=rows, columns=list(names), use_threads=False):
            found += batch.num_rows
            yield batch
        if found != file.metadata.num_rows:
            raise EvaluationError(f"ends after {found:,} rows, but its footer says {file.metadata.num_rows:,}")


def read_parquet(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of a Parquet file, (n,) each.  O(n)."""
    with source.seekable() as opened, pq.ParquetFile(opened, **_CHECKED) as file:
        schema = file.schema_arrow
        names = selected_names(selection, schema.names)
        batches = file.iter_batches(batch_size=_ROWS_OF_PROGRESS, columns=names)
        return batch_arrays(batches, schema, names, selection, progress=progress, rows=file.metadata.num_rows)


@contextmanager
def _open_in_pages(source: Source) -> Iterator[Any]:
    page_bytes = _REMOTE_PAGE_BYTES if is_remote(source.path) else _PAGE_BYTES
    with (
        source.seekable() as opened,
        pq.ParquetFile(opened, buffer_size=page_bytes, pre_buffer=False, **_CHECKED) as file,
    ):
        yield file


def npz_contents(source: Source, selection: Selection) -> TableContents:
    """Return the selected arrays of an NPZ file and their rows, from their headers.  O(columns)."""
    with source.seekable() as opened, np.load(opened, allow_pickle=False) as file:
        headers = _headers(file, selection)
    types = []
    for name, (_, written) in headers.items():
        kind = np.promote_types(written, "U" if name in selection.text else written)  # as the machine orders its bytes
        # a text of NumPy takes as much as the longest of its array, which Arrow's strings do not tell
        types.append((name, pa.binary(kind.itemsize) if kind.kind in "US" else pa.from_numpy_dtype(kind)))
    return TableContents(pa.schema(types), next(iter(headers.values()))[0][0], True)


def read_npz(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected arrays of an NPZ file, (n,) each; raise EvaluationError for other shapes.  O(n)."""
    with source.seekable() as opened, np.load(opened, allow_pickle=False) as file:
        names = list(_headers(file, selection))
        columns = {name: file[name] for name in names}
    progress(1, 1)
    if selection.rows is not None:
        return selected_arrays(table_of_arrays(columns), names, selection)
    as_text = columns if selection.as_text else selection.text
    return {name: column.astype(str).astype(object) if name in as_text else column for name, column in columns.items()}


def _headers(file: Any, selection: Selection) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Return the shapes and dtypes of the selected arrays, none of which is unpacked.  O(columns)."""
    headers = {}
    for name in selected_names(selection, file.files):
        with file.zip.open(f"{name}.npy") as array:
            first = np.lib.format.read_magic(array) == (1, 0)
            read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
            shape, _, kind = read(array)
        headers[name] = shape, kind
    shapes = {shape for shape, _ in headers.values()}
    if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
        listed = ", ".join(f"{name} {shape}" for name, (shape, _) in headers.items())
        raise EvaluationError(f"columns must be one-dimensional and equally long, got shapes {listed}")
    return headers


_SIGNATURE_BYTES = 16
_MOST_TABLES = 20
"""How many tables an error lists."""


def database_contents(source: Source, selection: Selection) -> TableContents:
    """Return the columns of a query and the number of its rows.  O(the query)."""
    with _rows_of(source, selection) as relation:
        rows = relation.aggregate("count(*) as rows").fetchall()[0][0]
        return TableContents(_batches_of_relation(relation.limit(0), 1).schema, rows, True)


def database_batches(source: Source, names: Sequence[str], selection: Selection, rows: int) -> Iterator[Any]:
    """Yield record batches of some columns, so many rows at most; other columns are not computed.  O(the query)."""
    with _rows_of(source, selection) as relation:
        yield from _batches_of_relation(columns_of_relation(relation, names), rows)


def read_database(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of a query, (n,) each.  O(the query)."""
    with _rows_of(source, selection) as relation:
        names = selected_names(selection, relation.columns)
        reader = _batches_of_relation(columns_of_relation(relation, names), _ROWS_OF_PROGRESS)
        return selected_arrays(joined_batches(reader, reader.schema, names, progress), names, selection)


def columns_of_relation(relation: Any, names: Sequence[str]) -> Any:
    """Return some columns of a relation of DuckDB, so that it computes no others.  O(columns).

    >>> import duckdb
    >>> columns_of_relation(duckdb.sql("select 1 as late, 2 as other"), ["late"]).columns
    ['late']
    """
    return relation.project(", ".join(map(quoted, names)))


@contextmanager
def _rows_of(source: Source, selection: Selection) -> Iterator[Any]:
    """Open a database, or an empty one in memory, and yield what the query asks of it as a relation."""
    file = local_name(source.path)
    if os.path.isfile(file):
        with open(file, "rb") as opened:
            if not is_database(first := opened.read(_SIGNATURE_BYTES)):
                raise EvaluationError(f"is not a database of DuckDB; {way_out_of_database(first)}")
    limit = {} if selection.query_bytes is None else {"memory_limit": f"{selection.query_bytes}B"}
    with duckdb.connect(file or ":memory:", read_only=bool(file), config=limit) as connection:
        query = selection.reading.sql
        if query is None:
            yield connection.sql(f"from {_only_table(connection)}")
            return
        _check_query(connection, query)
        try:
            relation = connection.sql(query)
        except duckdb.Error as error:
            raise EvaluationError(f"--sql cannot be answered: {reason(error)}") from error
        yield relation


def _check_query(connection: Any, query: str) -> None:
    """Raise EvaluationError unless a query is one that only reads."""
    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise EvaluationError(f"--sql must be a query, got {query!r}: {reason(error)}") from error
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise EvaluationError(f"--sql must be one query, such as 'select * from predictions', got {query!r}")


def _only_table(connection: Any) -> str:
    """Return the only table or view of a database, quoted; raise EvaluationError, which lists them, for several."""
    found = connection.execute("select table_schema, table_name from information_schema.tables order by all").fetchall()
    names = [".".join(map(quoted, name)) if name[0] != "main" else quoted(name[1]) for name in found]
    if len(names) != 1:
        listed = f"has {len(names)} tables ({', '.join(names[:_MOST_TABLES])})" if names else "has no table"
        raise EvaluationError(f"{listed}; choose the rows (--sql {'select * from ' + (names or ['...'])[0]!r})")
    return names[0]


def _batches_of_relation(relation: Any, rows: int) -> Any:
    """Return the record batches of a relation, which are computed as they are read."""
    if hasattr(type(relation), "to_arrow_reader"):
        return relation.to_arrow_reader(rows)
    return relation.fetch_record_batch(rows)  # its name before DuckDB 1.5


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


_DELIMITED = Format(read_delimited, delimited_contents, delimited_batches)
_FORMATS = {
    "parquet": Format(read_parquet, parquet_contents, parquet_batches),
    "arrow": Format(read_arrow, arrow_contents, arrow_batches),
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
