"""Columns to data frames of other libraries, and back."""

from collections.abc import Mapping
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.columns import ColumnArrays, Selection, column_arrays, selected_names
from evalcore.optional import require
from evalcore.validation.arrays import as_column, check_equal_lengths


def to_pandas(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pandas data frame.  O(n)."""
    return require("pandas").DataFrame(dict(columns))


def to_polars(columns: Mapping[str, Any]) -> Any:
    """Return columns as a polars data frame.  O(n)."""
    return require("polars").DataFrame(dict(columns))


def to_arrow(columns: Mapping[str, Any]) -> Any:
    """Return columns as a pyarrow table.  O(n)."""
    return require("pyarrow", "report").table(dict(columns))


def from_frame(frame: Any, selection: Selection) -> ColumnArrays:
    """Return the selected columns of a data frame as arrays, (n,) each.  O(n).

    frame: a mapping of names to arrays, or an object that exports the Arrow C stream.  Raises EvaluationError for a
    missing column, nulls, unequal lengths and no rows, EvaluationTypeError for another object.
    """
    if isinstance(frame, Mapping):
        names = selected_names(selection, list(frame))
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


def _from_stream(frame: Any, selection: Selection) -> ColumnArrays:
    arrow = require("pyarrow", "report")
    present = [str(name) for name in getattr(frame, "columns", [])] if hasattr(frame, "loc") else None
    if present is not None:  # pandas would convert all columns to Arrow
        names = selected_names(selection, present)
        return column_arrays(arrow.table(frame[names]), names)
    table = arrow.table(frame)
    names = selected_names(selection, table.column_names)
    return column_arrays(table, names)
