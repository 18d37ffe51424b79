"""Data frames of other libraries to columns."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, refuse, shown
from evalcore.io.columns import ColumnArrays, Selection, Table, selected_arrays, selected_names, table_arrays
from evalcore.io.conditions import holds_text
from evalcore.io.libraries import pa
from evalcore.io.opening import quiet
from evalcore.io.paths import steps_of
from evalcore.io.readers import columns_of_relation
from evalcore.io.rows import table_of_arrays
from evalcore.typing import AnyArray, BoolArray
from evalcore.validation.arrays import as_class_labels, check_equal_lengths, check_indices
from evalcore.validation.labels import are_missing


def from_frame(frame: Any, selection: Selection) -> ColumnArrays:
    """Return the selected columns of a data frame as arrays, (n,) each.  O(n).

    frame: a mapping of names to arrays, an object that exports the Arrow C stream, a lazy frame of polars or a dataset
    of pyarrow.  Raises EvaluationError for a missing column, nulls, unequal lengths and no rows, EvaluationTypeError
    for another object, and for a column of several types that is not read as text.
    """
    if isinstance(frame, Mapping):
        names = selected_names(selection, [name for name in frame if isinstance(name, str)])
        check_indices(**{f"column {name!r}": frame[name] for name in names})
        kept = () if selection.rows is not None or selection.text else selection.ids

        def read(name: str) -> AnyArray:
            column = frame[name]
            if name in kept and getattr(column, "null_count", None) == 0 and holds_text(column.type):  # of pyarrow
                return selected_arrays(pa.table({name: column}), [name], selection)[name]
            return as_class_labels(column, f"column {name!r}")

        columns = {name: read(name) for name in names}
        for name in names[1:]:
            check_equal_lengths(columns[name], columns[names[0]], f"column {name!r}", f"column {names[0]!r}")
        if selection.rows is not None or selection.text:
            texts = [name for name in selection.text if name in names and columns[name].dtype == object]
            columns |= {name: _texts(columns[name], are_missing(columns[name])) for name in texts}
            columns = selected_arrays(table_of_arrays(columns), names, selection)
        elif selection.shown:
            texts = table_of_arrays({name: columns[name] for name in selection.shown})
            columns |= selected_arrays(texts, texts.column_names, selection)
    else:
        columns = _from_table(frame, selection)
    refuse({"frame has no rows": not next(iter(columns.values())).size})
    return columns


def _not_a_table(frame: Any) -> EvaluationTypeError:
    """Return the error for a name of a file, and for objects of other types.  O(1)."""
    if isinstance(frame, str | bytes | os.PathLike):
        read = "read the file first, such as by pandas.read_parquet"
        typed = "type evalcore report FILE or evalcore compare OLD NEW in a shell"
        return EvaluationTypeError(f"frame must be a table, got {shown(frame)}; {read}, or {typed}")
    if hasattr(frame, "to_frame"):  # of pandas before 3, whose columns do not export the Arrow C stream
        return _single_column(frame)
    taken = "a mapping of arrays, a lazy frame or a dataset, or export the Arrow C stream"
    got = f"as pandas, polars, pyarrow and DuckDB do, got {_type_of(frame)}"
    return EvaluationTypeError(f"frame must be {taken}, {got}")


def _single_column(frame: Any) -> EvaluationTypeError:
    """Return the error for one column in place of a table.  O(1)."""
    got = f"one column ({_type_of(frame)}); give the whole frame, and the names of its columns"
    return EvaluationTypeError(f"frame must be a table, got {got}")


def _type_of(frame: Any) -> str:
    return f"{type(frame).__module__}.{type(frame).__qualname__}"


def _from_table(frame: Any, selection: Selection) -> ColumnArrays:
    """Return the selected columns; where a library can leave out the others, they are not computed."""
    if hasattr(frame, "loc"):  # pandas would convert all columns to Arrow
        names, table = _of_pandas(frame, selection)
    elif hasattr(frame, "collect") and hasattr(frame, "collect_schema"):  # a query of polars that is not computed yet
        names = selected_names(selection, frame.collect_schema().names())
        table = pa.table(frame.select(names).collect(engine="streaming"))
    elif hasattr(frame, "to_table") and hasattr(frame, "schema"):  # a dataset of pyarrow
        return _from_batches(frame.schema, lambda names: frame.to_batches(columns=list(names)), selection)
    elif type(frame).__name__ == "DuckDBPyRelation":
        names = selected_names(selection, frame.columns)
        table = pa.table(columns_of_relation(frame, names))
    elif not hasattr(frame, "__arrow_c_stream__"):
        raise _not_a_table(frame)
    elif hasattr(frame, "to_batches"):  # of pyarrow, some of whose versions crash on a stream of string views
        return _from_batches(frame.schema, lambda names: frame.select(names).to_batches(), selection)
    else:
        try:
            reader = pa.RecordBatchReader.from_stream(frame)
        except pa.ArrowInvalid:  # a stream of values that are no rows
            raise _single_column(frame) from None
        return _from_batches(reader.schema, lambda names: (batch.select(names) for batch in reader), selection)
    return selected_arrays(table, names, selection)


def _from_batches(schema: Any, batches: Callable[[Sequence[str]], Iterable[Any]], selection: Selection) -> ColumnArrays:
    table = Table(schema, lambda names, _: batches(names), lambda: 0)  # columns of one batch are views, if not counted
    return table_arrays(table.with_paths(selection), selection, quiet)


def _of_pandas(frame: Any, selection: Selection) -> tuple[list[str], Any]:
    """Return the names of the selected columns of a pandas frame, and a pyarrow Table of them.

    Raises EvaluationTypeError for a column that Arrow does not hold.
    """
    if not hasattr(frame, "columns"):
        raise _single_column(frame)
    for name in selection.names:
        if name in frame.index.names and name not in frame.columns:
            raise EvaluationError(f"{name!r} must be a column, got the index of the frame; use frame.reset_index()")
    heads = {steps_of(name)[0] for name in selection.needed if name not in frame.columns}
    nested = list(heads.intersection(frame.columns))
    if nested:
        objects = pa.table(frame[nested])
        whole = Table(objects.schema, lambda names, _: objects.select(list(names)).to_batches(), 0)
        below = whole.with_paths(selection)
        paths = [name for name in below.schema.names if name not in frame]
        frame = frame.assign(**pa.Table.from_batches(below.batches(paths, 0)).to_pandas())
    own = [str(name) for name in frame.columns]  # of numbers, in a frame of an array
    names = selected_names(selection, own)
    frame = frame.iloc[:, [own.index(name) for name in names]]
    frame.columns = names
    objects = {name: frame[name] for name in selection.text if name in frame and frame[name].dtype == object}
    texts = {name: _texts(column.to_numpy(), column.isna().to_numpy()) for name, column in objects.items()}
    try:
        return names, pa.table(frame.assign(**texts))
    except (ValueError, TypeError, OverflowError, NotImplementedError):  # Arrow's errors are of these classes
        for name in frame.columns:
            if error := _refused_column(frame[name], selection.holds_numbers(name)):
                raise error from None
        raise


def _refused_column(column: Any, of_numbers: bool) -> EvaluationTypeError | None:
    """Return why Arrow does not hold a column of pandas; None if it does.  O(n)."""
    name = column.name
    as_text = "" if of_numbers else f"; read it as text (text={name!r})"
    kinds = sorted({kind.__name__ for kind in map(type, column.dropna())})
    if len(kinds) > 1:
        return EvaluationTypeError(f"column {name!r} must hold values of one type, got {' and '.join(kinds)}{as_text}")
    try:
        pa.array(column)
    except OverflowError:
        got = f"whole numbers beyond 64 bits{as_text}"
    except (ValueError, TypeError, NotImplementedError):
        sparse = hasattr(column, "sparse")
        got = f"{column.dtype}" + (f"; make it dense (frame[{name!r}].sparse.to_dense())" if sparse else "")
    else:
        return None
    return EvaluationTypeError(f"column {name!r} must hold names, numbers or dates, got {got}")


def _texts(values: AnyArray, missing: BoolArray) -> AnyArray:
    """Return objects of any types as strings, None where they are missing, (n,).  O(n)."""
    texts = np.fromiter(map(str, values), object, values.size)
    texts[missing] = None
    return texts
