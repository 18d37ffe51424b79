"""Snapshots as Arrow tables: readable columns, and everything else in the metadata of the schema."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.kernels.tables import BinaryCounts
from evalcore.optional import require
from evalcore.saving.container import VERSION, Header, check_version, described, digest, header_of, json_of, json_value
from evalcore.saving.names import names_of_plain
from evalcore.saving.snapshot import Snapshot

KEY = b"evalcore"
"""The key of the metadata that hold the rest."""
_AXES = {"ConfusionMatrix": ("reference", "response"), "Contingency": ("category",)}
"""Names of the columns of categories that accompany counts, by kind."""


def table_of(snapshot: Snapshot) -> Any:
    """Return a pyarrow Table of a snapshot; shorter columns end in nulls.  O(rows), copies the columns.

    Raises MissingLibraryError where pyarrow is missing.

    >>> table_of(Snapshot("ConfusionMatrix", {"categories": ["a", "b"]}, {"count": np.arange(4)})).to_pydict()
    {'reference': ['a', 'a', 'b', 'b'], 'response': ['a', 'b', 'a', 'b'], 'count': [0, 1, 2, 3]}
    """
    arrow = require("pyarrow", "report")
    columns = _readable_columns(arrow, snapshot)
    rows = max([*map(len, columns.values()), *map(len, snapshot.columns.values())], default=0)
    for name, values in snapshot.columns.items():
        column = arrow.array(values.copy())  # otherwise Arrow would share memory that changes
        columns[name] = arrow.chunked_array([column, arrow.nulls(rows - len(column), column.type)])
    rest = {"version": VERSION, "rows": rows, "header": described(snapshot), "sha256": digest(snapshot)}
    return arrow.table(columns).replace_schema_metadata({KEY: json_of(rest)})


def snapshot_of(table: Any) -> Snapshot:
    """Return the snapshot that a pyarrow Table was made of; its columns are new arrays.  O(rows).

    Raises EvaluationError if the table has lost its metadata, was made by a newer version, or has other columns, rows
    or values than it was made with, and where pyarrow is missing; EvaluationTypeError for no table.
    """
    arrow = require("pyarrow", "report")
    if not isinstance(table, arrow.Table):
        raise EvaluationTypeError(f"table must be a pyarrow.Table, got {shown(table)}")
    rest = _rest_of(table)
    if table.num_rows != rest.rows:
        raise EvaluationError(f"table was changed: it has {table.num_rows:,} rows, where {rest.rows:,} were saved")
    kind, facts, columns = rest.header
    snapshot = Snapshot(kind, facts, {column[0]: _saved_values(arrow, table, *column) for column in columns})
    if digest(snapshot) != rest.sha256:
        raise EvaluationError("table was changed: its values or their order are not those that were saved")
    beside = _readable_columns(arrow, snapshot, rest.rows)
    for name, column in beside.items():
        if not _says_the_same(arrow, _column(table, name), column):
            raise EvaluationError(f"table was changed: column {name!r} is not the one that was saved")
    more = [name for name in table.column_names if name not in {*snapshot.columns, *beside}]
    if more:
        raise EvaluationError(f"table was changed: column {more[0]!r} was not saved")
    return snapshot


class _Rest(NamedTuple):
    """The content of the metadata."""

    rows: int
    header: Header
    sha256: str


def _rest_of(table: Any) -> _Rest:
    text = (table.schema.metadata or {}).get(KEY)
    if text is None:
        raise EvaluationError("table is not a saved evalcore object: its schema has no evalcore metadata")
    rest = json_value(text, "table")
    if isinstance(rest, dict) and isinstance(rest.get("version"), int):
        check_version(rest["version"], "table")
    match rest:
        case {"version": int(), "rows": int(rows), "header": header, "sha256": str(sha256)}:
            return _Rest(rows, header_of(header, "table"), sha256)
    raise EvaluationError("table is damaged: its metadata have another form")


def _column(table: Any, name: str) -> Any:
    found = table.column_names.count(name)
    if found != 1:
        raise EvaluationError(f"table was changed: it has {f'{found} columns' if found else 'no column'} {name!r}")
    return table.column(name)


def _saved_values(arrow: Any, table: Any, name: str, dtype: np.dtype[Any], size: int) -> npt.NDArray[Any]:
    column = _column(table, name)
    if column.type != arrow.from_numpy_dtype(dtype):
        raise EvaluationError(f"table was changed: column {name!r} holds {column.type}, where {dtype.name} was saved")
    values, padding = column[:size], column[size:]
    if len(values) < size or values.null_count or padding.null_count < len(padding):
        raise EvaluationError(f"table was changed: column {name!r} has other nulls than those that were saved")
    return np.array(values.to_numpy(), dtype.newbyteorder("="))


def _says_the_same(arrow: Any, column: Any, saved: Any) -> bool:
    """Whether a column has the saved words; a file may have changed their type."""
    try:
        words = column.cast(arrow.string())
    except arrow.ArrowException:  # not words
        return False
    return bool(words.equals(arrow.chunked_array([saved.cast(arrow.string())])))


def _readable_columns(arrow: Any, snapshot: Snapshot, rows: int | None = None) -> dict[str, Any]:
    """Return columns that repeat facts in readable form: names of categories beside the counts, or large counts.

    Raises EvaluationError if they do not have `rows` rows.
    """
    if snapshot.kind == "PrecisionRecallEvaluation":
        return {name: _one_count(arrow, snapshot.count(name)) for name in BinaryCounts._fields}
    axes = _AXES.get(snapshot.kind, ())
    if not axes:
        return {}
    names = names_of_plain(snapshot.fact("categories"))
    shape = (len(names),) * len(axes)
    if rows is not None and math.prod(shape) != rows:
        raise EvaluationError(f"table was changed: {len(names)} categories do not have {rows} cells")
    words = arrow.array([_word(name) for name in names], arrow.string()).dictionary_encode()  # "1" and 1 are one word
    codes = np.indices(shape, np.int32).reshape(len(axes), -1)
    return {axis: words.take(arrow.array(code)) for axis, code in zip(axes, codes, strict=True)}


def _one_count(arrow: Any, count: int) -> Any:
    return arrow.array([count], arrow.int64()) if count < 2**63 else arrow.array([str(count)])


def _word(name: Any) -> str:
    """Return a readable name; Arrow refuses lone surrogates."""
    return (name if isinstance(name, str) else repr(name)).encode("utf-8", "backslashreplace").decode()
