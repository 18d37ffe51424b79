"""Tables of any format: what they hold, and their rows, whole or in batches."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, check, refuse
from evalcore.io import formats
from evalcore.io.columns import ColumnArrays, Selection, Table, TableFile, selected_arrays, selected_names, table_arrays
from evalcore.io.conditions import quoted
from evalcore.io.formats import Reading
from evalcore.io.json_files import open_json, open_log
from evalcore.io.libraries import dataset, duckdb, pa, pq
from evalcore.io.opening import Meter, Source, quiet
from evalcore.io.rows import table_of_arrays
from evalcore.io.text_files import open_delimited
from evalcore.optional import require


@contextmanager
def open_arrow(source: Source, _selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open a file or a stream of Arrow.  O(1); counting the rows of a stream is O(bytes)."""
    with source.seekable() as file:
        first = file.read(6)
        if first.startswith(b"FEA1"):
            raise EvaluationError("is Feather V1, which is not read; write it as Feather V2, Arrow or Parquet")
        file.seek(0)
        if first != b"ARROW1":
            with pa.ipc.open_stream(file) as stream:
                yield Table(stream.schema, partial(_parts, stream), lambda: sum(batch.num_rows for batch in stream))
            return
        with pa.ipc.open_file(file) as reader:
            batches = map(reader.get_batch, range(reader.num_record_batches))
            fragment = dataset.IpcFileFormat().make_fragment(file)  # counts rows without the columns
            yield Table(reader.schema, partial(_parts, batches), fragment.count_rows)


def _parts(batches: Iterable[Any], names: Sequence[str], rows: int) -> Iterator[Any]:
    """Yield some columns of record batches, at most `rows` rows at a time.  O(n)."""
    for batch in batches:
        selected = batch.select(list(names))
        for begin in range(0, selected.num_rows, rows):
            yield selected.slice(begin, rows)


_PAGE_BYTES = 1 << 18
"""Bytes of each column read at once."""
_REMOTE_PAGE_BYTES = 1 << 21
"""More of a remote file, where each request costs as much time as megabytes."""
_CHECKED = {"page_checksum_verification": True}
"""Checksums of pages cost little, and without them a damaged number is just another number."""


@contextmanager
def parquet_file(source: Source, *, whole: bool = False) -> Iterator[Any]:
    """Open a Parquet file as pyarrow has it, in pages unless it is read whole.  O(columns)."""
    page_bytes = _REMOTE_PAGE_BYTES if formats.is_remote(source.path) else _PAGE_BYTES
    in_pages = {} if whole else {"buffer_size": page_bytes, "pre_buffer": False}
    with source.seekable() as opened, pq.ParquetFile(opened, **in_pages, **_CHECKED) as file:
        yield file


@contextmanager
def open_parquet(source: Source, _selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open a Parquet file, in pages unless it is read whole.  O(columns).

    Its batches raise EvaluationError if rows are missing.
    """
    with parquet_file(source, whole=whole) as file:
        counted = file.metadata.num_rows

        def batches(names: Sequence[str], rows: int) -> Iterator[Any]:
            found = 0
            # threads take a third more memory, and save a tenth of the time that summaries take
            for batch in file.iter_batches(batch_size=rows, columns=list(names), use_threads=whole):
                found += batch.num_rows
                yield batch
            refuse({f"ends after {found:,} rows, but its footer says {counted:,}": found != counted})

        yield Table(file.schema_arrow, batches, counted, takes_fields=True)


@contextmanager
def open_npz(source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open an NPZ file, of which only the selected arrays are columns; raise EvaluationError for other shapes.

    O(columns).
    """
    with source.seekable() as opened, np.load(opened, allow_pickle=False) as file:
        headers = _headers(file, selection)

        def arrays(names: list[str]) -> ColumnArrays:
            columns = {name: file[name] for name in names}
            if selection.rows is not None:
                return selected_arrays(table_of_arrays(columns), names, selection)
            text = names if selection.as_text else (*selection.text, *selection.shown)
            return {name: each.astype(str).astype(object) if name in text else each for name, each in columns.items()}

        def batches(names: Sequence[str], most: int) -> list[Any]:
            return list(table_of_arrays(arrays(list(names))).to_batches(most))

        types = []
        for name, (_, written) in headers.items():
            kind = np.promote_types(written, "U" if name in selection.text else written)  # the machine's order of bytes
            # a text of NumPy takes as much as the longest of its array, which Arrow's strings do not tell
            types.append((name, pa.binary(kind.itemsize) if whole or kind.kind in "US" else pa.from_numpy_dtype(kind)))
        rows = next(iter(headers.values()))[0][0]
        yield Table(pa.schema(types), batches, rows, arrays=arrays)


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
    alike, listed = len(shapes) == 1, ", ".join(f"{name} {shape}" for name, (shape, _) in headers.items())
    check(alike and len(min(shapes)) == 1, "columns", "be one-dimensional and equally long", f"shapes {listed}")
    return headers


_SIGNATURE_BYTES = 16
_MOST_TABLES = 20
"""How many tables an error lists."""


def columns_of_relation(relation: Any, names: Sequence[str]) -> Any:
    """Return some columns of a relation of DuckDB, so that it computes no others.  O(columns).

    >>> import duckdb
    >>> columns_of_relation(duckdb.sql("select 1 as late, 2 as other"), ["late"]).columns
    ['late']
    """
    return relation.project(", ".join(map(quoted, names)))


@contextmanager
def open_database(source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    """Open what a query asks of a database, or of an empty one in memory.  O(1); counting rows is O(the query)."""
    file = formats.local_name(source.path)
    if os.path.isfile(file):
        with open(file, "rb") as opened:
            formats.check_database(opened.read(_SIGNATURE_BYTES))
    limit = {} if selection.query_bytes is None else {"memory_limit": f"{selection.query_bytes}B"}
    with duckdb.connect(file or ":memory:", read_only=bool(file), config=limit) as connection:
        query = selection.reading.sql
        relation = connection.sql(f"from {_only_table(connection)}") if query is None else _answered(connection, query)
        yield Table(
            _batches_of_relation(relation.limit(0), 1).schema,
            lambda names, rows: _batches_of_relation(columns_of_relation(relation, names), rows),
            lambda: relation.aggregate("count(*) as rows").fetchall()[0][0],
        )


def _answered(connection: Any, query: str) -> Any:
    """Return the relation that a query makes; raise EvaluationError unless it is one that only reads."""
    what = f"must be a query, got {query!r}"
    try:
        statements = connection.extract_statements(query)
        one = len(statements) == 1 and statements[0].type == duckdb.StatementType.SELECT
        check(one, "--sql", "be one query, such as 'select * from predictions'", repr(query))
        what = "cannot be answered"
        return connection.sql(query)
    except duckdb.Error as error:
        raise EvaluationError(f"--sql {what}: {formats.reason(error)}") from error


def _only_table(connection: Any) -> str:
    """Return the only table or view of a database, quoted; raise EvaluationError, which lists them, for several."""
    found = connection.execute("select table_schema, table_name from information_schema.tables order by all").fetchall()
    names = [".".join(map(quoted, name)) if name[0] != "main" else quoted(name[1]) for name in found]
    listed = f"has {len(names)} tables ({', '.join(names[:_MOST_TABLES])})" if names else "has no table"
    refuse({f"{listed}; choose the rows (--sql {'select * from ' + (names or ['...'])[0]!r})": len(names) != 1})
    return names[0]


def _batches_of_relation(relation: Any, rows: int) -> Any:
    """Return the record batches of a relation, which are computed as they are read."""
    if hasattr(type(relation), "to_arrow_reader"):
        return relation.to_arrow_reader(rows)
    return relation.fetch_record_batch(rows)  # its name before DuckDB 1.5


BATCH_ROWS = 1 << 16
"""Fewer rows take less memory, more save no time."""


_FORMATS: dict[str, Callable[..., AbstractContextManager[Table]]] = {
    "parquet": open_parquet,
    "arrow": open_arrow,
    **dict.fromkeys(formats.DELIMITERS, open_delimited),
    **dict.fromkeys(("jsonl", "json"), open_json),
    "eval": open_log,
    "npz": open_npz,
    "duckdb": open_database,
}
"""What opens a source for a selection, by format; whole: whether all rows will be asked for at once."""


@contextmanager
def _opened(name: str, source: Source, selection: Selection, *, whole: bool) -> Iterator[Table]:
    with _FORMATS[name](source, selection, whole=whole) as table:
        yield table.with_paths(selection)


def read_columns(path: str, selection: Selection, meter: Meter, *, needs_rows: bool = True) -> ColumnArrays:
    """Read the selected columns of a file, a pipe, or standard input for ``-``, (n,) each.  O(n).

    meter: called with the bytes or rows read and the total; needs_rows: whether a file without rows is refused.

    Raises EvaluationError, which names the file, if it or a column does not exist, cannot be read, or holds nulls.
    """
    format_name = formats.format_of(path, selection.reading)
    require("pyarrow", "report")  # else some readers would open the file first
    source = Source(path, meter.bytes)
    with formats.reading(path):
        if not source.is_repeatable and selection.reading == formats.BY_NAME:
            format_name = formats.format_of_bytes(source.first_bytes(formats.SIGNATURE_BYTES)) or format_name
            selection = selection._replace(reading=Reading(format_name))
        with _opened(format_name, source, selection, whole=True) as table:
            columns = table_arrays(table, selection, meter.rows if table.is_counted else quiet)
    refuse({f"{path}: there are no rows": needs_rows and next(iter(columns.values())).size == 0})
    return columns


def table_contents(path: str, selection: Selection) -> TableFile:
    """Return what a file holds.  O(columns), O(bytes) for a stream of Arrow.

    Raises EvaluationError, which names the file, if it does not exist or is damaged.
    """
    name = formats.format_of(path, selection.reading)
    with formats.reading(path), _opened(name, Source(path), selection, whole=False) as table:
        rows = table.rows if isinstance(table.rows, int) else table.rows()
        return TableFile(path, table.schema, rows, table.is_counted)


def is_read_in_batches(path: str, how: Reading) -> bool:
    """Whether the format of a file can be read in batches.  O(1)."""
    return formats.format_of(path, how) != "npz"


def table_batches(path: str, names: Sequence[str], selection: Selection, rows: int = BATCH_ROWS) -> Iterator[Any]:
    """Yield the rows of some columns of a file as pyarrow record batches of at most `rows` rows.  O(n).

    Text ignores the limit of rows: its batches come from a megabyte of text.  Raises EvaluationError, which
    names the file, and says how many rows could be read, if it is damaged or ends early.
    """
    name, done = formats.format_of(path, selection.reading), 0
    with formats.reading(path), _opened(name, Source(path), selection, whole=False) as table:
        try:
            for batch in table.batches(names, rows):
                done += batch.num_rows
                yield batch
        except (OSError, ValueError) as error:  # Arrow's errors are of these classes
            if not done or isinstance(error, EvaluationError):
                raise
            raise EvaluationError(f"cannot be read after {done:,} rows: {' '.join(str(error).split())}") from error
