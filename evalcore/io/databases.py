"""Tables of DuckDB: the rows of a query or of the only table, read in record batches; nothing is written."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection, TableContents, joined_batches, selected_arrays, selected_names
from evalcore.io.formats import is_database, local_name, reason
from evalcore.io.opening import Source
from evalcore.optional import require

_BATCH_ROWS = 1 << 18
"""Rows between two reports of progress."""
_SIGNATURE_BYTES = 16
_MOST_TABLES = 20
"""How many tables an error lists."""


def database_contents(source: Source, selection: Selection) -> TableContents:
    """Return the columns of a query and the number of its rows.  O(the query)."""
    with _rows_of(source, selection) as relation:
        rows = relation.aggregate("count(*) as rows").fetchall()[0][0]
        return TableContents(_reader_of(relation.limit(0), 1).schema, rows, True)


def database_batches(source: Source, names: Sequence[str], selection: Selection, rows: int) -> Iterator[Any]:
    """Yield record batches of some columns, so many rows at most; other columns are not computed.  O(the query)."""
    with _rows_of(source, selection) as relation:
        yield from _reader_of(columns_of_relation(relation, names), rows)


def read_database(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of a query, (n,) each.  O(the query)."""
    with _rows_of(source, selection) as relation:
        names = selected_names(selection, relation.columns)
        reader = _reader_of(columns_of_relation(relation, names), _BATCH_ROWS)
        return selected_arrays(joined_batches(reader, reader.schema, names, progress), names, selection)


def columns_of_relation(relation: Any, names: Sequence[str]) -> Any:
    """Return some columns of a relation of DuckDB, so that it computes no others.  O(columns).

    >>> import duckdb
    >>> columns_of_relation(duckdb.sql("select 1 as late, 2 as other"), ["late"]).columns
    ['late']
    """
    return relation.project(", ".join(map(_quoted, names)))


@contextmanager
def _rows_of(source: Source, selection: Selection) -> Iterator[Any]:
    """Open a database, or an empty one in memory, and yield what the query asks of it as a relation."""
    duckdb = require("duckdb", "sql")
    file = local_name(source.path)
    if os.path.isfile(file):
        with open(file, "rb") as opened:
            if not is_database(opened.read(_SIGNATURE_BYTES)):
                raise EvaluationError("is not a database of DuckDB; other files are read without duckdb:")
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
    duckdb = require("duckdb", "sql")
    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise EvaluationError(f"--sql must be a query, got {query!r}: {reason(error)}") from error
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise EvaluationError(f"--sql must be one query, such as 'select * from predictions', got {query!r}")


def _only_table(connection: Any) -> str:
    """Return the only table or view of a database, quoted; raise EvaluationError, which lists them, for several."""
    found = connection.execute("select table_schema, table_name from information_schema.tables order by all").fetchall()
    names = [".".join(map(_quoted, name)) if name[0] != "main" else _quoted(name[1]) for name in found]
    if len(names) != 1:
        listed = f"has {len(names)} tables ({', '.join(names[:_MOST_TABLES])})" if names else "has no table"
        raise EvaluationError(f"{listed}; choose the rows (--sql {'select * from ' + (names or ['...'])[0]!r})")
    return names[0]


def _reader_of(relation: Any, rows: int) -> Any:
    """Return the record batches of a relation, which are computed as they are read."""
    if hasattr(type(relation), "to_arrow_reader"):
        return relation.to_arrow_reader(rows)
    return relation.fetch_record_batch(rows)  # its name before DuckDB 1.5


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
