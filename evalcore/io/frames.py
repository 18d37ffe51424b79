"""Columns as data frames of other libraries, and the other way."""

from collections.abc import Mapping
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.columns import Columns, Selection, arrays, chosen
from evalcore.optional import require
from evalcore.validation.arrays import as_column, check_equal_lengths


def to_pandas(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pandas data frame.  Raises MissingLibraryError where pandas is missing.

    >>> to_pandas({"a": [1]}).shape
    (1, 1)
    """
    return require("pandas").DataFrame(dict(columns))


def to_polars(columns: Mapping[str, Any]) -> Any:
    """Return columns as a polars data frame.  Raises MissingLibraryError where polars is missing.

    >>> to_polars({"a": [1]}).shape
    (1, 1)
    """
    return require("polars").DataFrame(dict(columns))


def to_arrow(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pyarrow table.  Raises MissingLibraryError where pyarrow is missing.

    >>> to_arrow({"a": [1]}).shape
    (1, 1)
    """
    return require("pyarrow", "report").table(dict(columns))


def from_frame(frame: Any, selection: Selection) -> Columns:
    """Return columns of a data frame as arrays, (n,) each.

    frame: a mapping of names to arrays, or what exports the Arrow C stream.  O(n).

    Raises EvaluationError for a column that is not there, nulls, columns that are not equally long, no rows, and where
    pyarrow is missing; EvaluationTypeError for another object.

    >>> from_frame({"a": [1, 2], "b": [3, 4]}, Selection(("b",)))
    {'b': array([3, 4])}
    """
    if isinstance(frame, Mapping):
        names = chosen(selection, list(frame))
        columns = {name: as_column(frame[name], f"column {name!r}") for name in names}
        for name in names[1:]:
            check_equal_lengths(columns[name], columns[names[0]], f"column {name!r}", f"column {names[0]!r}")
    elif hasattr(frame, "__arrow_c_stream__"):
        columns = _from_stream(frame, selection)
    else:
        raise EvaluationTypeError(
            "frame must be a mapping of arrays or export the Arrow C stream, as pandas, polars, pyarrow and DuckDB do, "
            f"got {type(frame).__module__}.{type(frame).__qualname__}"
        )
    if not next(iter(columns.values())).size:
        raise EvaluationError("frame has no rows")
    return columns


def _from_stream(frame: Any, selection: Selection) -> Columns:
    arrow = require("pyarrow", "report")
    present = [str(name) for name in getattr(frame, "columns", [])] if hasattr(frame, "loc") else None
    if present is not None:  # pandas would make Arrow's columns of all of them
        names = chosen(selection, present)
        return arrays(arrow.table(frame[names]), names)
    table = arrow.table(frame)
    names = chosen(selection, table.column_names)
    return arrays(table, names)
