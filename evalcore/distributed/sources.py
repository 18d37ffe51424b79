"""Columns in partitions, from dask's arrays, Series, data frames and bags, or from Parquet files."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed import parquet
from evalcore.distributed.parquet import files_of, read_row_groups, row_groups, sample_row_groups
from evalcore.distributed.task_graph import Graph, Task
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.io.columns import Selection, selected_names
from evalcore.io.formats import naming, reading
from evalcore.optional import require


class Partition(NamedTuple):
    """How one partition of some columns is loaded."""

    location: str
    """Where it is, for errors; empty if its number is enough."""
    load: Callable[..., list[Any]]
    """Returns the columns."""
    arguments: tuple[Any, ...]
    """What it is called with: values, or Delayed objects."""
    load_sample: Callable[..., list[Any]]
    """Returns about so many rows of the columns, from everywhere in them; takes their number first."""


class PartitionedColumns(NamedTuple):
    """Columns of equal length: two, and weights if cases have some."""

    partitions: list[Partition]
    names: tuple[str, ...]
    """Names of the columns, for errors."""

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return len(self.names) > 2

    def graph(self) -> Graph:
        """Return an empty graph whose tasks may load the partitions.  O(partitions)."""
        return Graph(each for part in self.partitions for each in part.arguments if _is_delayed(each))

    def map(self, graph: Graph, name: str, function: Callable[..., Any], *more: Any) -> list[Task]:
        """Add a task for each partition that calls a function with its columns; return the tasks.

        function: takes a list of the columns, their names, and `more`, which may be tasks.  The errors of this package
        that it raises then begin with the number of the partition, from 0.
        """
        tasks = []
        for number, part in enumerate(self.partitions):
            title = f"partition {number}: {part.location}" if part.location else f"partition {number}"
            arguments = _with_tasks(graph, part.arguments)
            tasks.append(graph.call(name, _apply, title, part.load, arguments, self.names, function, *more))
        return tasks

    def map_samples(self, graph: Graph, name: str, rows: int, function: Callable[..., Any], *more: Any) -> list[Task]:
        """Add a task for each partition that calls a function with about so many of its rows; return the tasks.

        With no rows if a partition cannot be loaded: the task that loads all of it says why.
        """
        tasks = []
        for part in self.partitions:
            arguments = [rows, *_with_tasks(graph, part.arguments)]
            tasks.append(graph.call(name, _apply_to_sample, part.load_sample, arguments, self.names, function, *more))
        return tasks


def _is_delayed(value: Any) -> bool:
    return isinstance(value, require("dask.delayed", "distributed").Delayed)


def _with_tasks(graph: Graph, arguments: tuple[Any, ...]) -> list[Any]:
    return [graph.task_of(each) if _is_delayed(each) else each for each in arguments]


def _apply(
    title: str, load: Callable[..., list[Any]], arguments: list[Any], names: tuple[str, ...],
    function: Callable[..., Any], *more: Any,
) -> Any:  # fmt: skip
    with reading(title):
        columns = load(*arguments)
    with naming(title):
        return function(columns, names, *more)


def _apply_to_sample(
    load: Callable[..., list[Any]], arguments: list[Any], names: tuple[str, ...], function: Callable[..., Any],
    *more: Any,
) -> Any:  # fmt: skip
    try:
        columns = load(*arguments)
    except Exception:  # whatever is wrong, the task that loads all of the partition says why
        columns = [[] for _ in names]
    return function(columns, names, *more)


def _load_strided(load: Callable[..., list[Any]], rows: int, *arguments: Any) -> list[Any]:
    columns = [np.asarray(column) for column in load(*arguments)]
    # copies, for a view would keep the whole partition
    return [column[:: max(-(-len(column) // rows), 1)].copy() for column in columns]


def partitioned_columns(
    first: Any,
    second: Any,
    data: Any = None,
    sample_weight: Any = None,
    *,
    names: tuple[str, ...] = ("y_true", "y_score"),
    as_text: bool = False,
) -> PartitionedColumns:
    """Return two columns in partitions, and weights if there are some.

    first, second, sample_weight: dask arrays, Series, bags or lists of Delayed; or names of columns of `data`, a dask
    data frame or Parquet files; names: of the first two; as_text: whether cells are names or lists of them.
    O(partitions).

    Raises EvaluationError for missing columns and different partitions, EvaluationTypeError for other types.
    """
    require("dask", "distributed")
    columns = [first, second]
    if sample_weight is not None:
        columns, names = [first, second, sample_weight], (*names, "sample_weight")
    for column, name in zip(columns, names, strict=True):
        _check_column(column, name, data)
    if data is None:
        return _of_columns(columns, names)
    if hasattr(data, "to_delayed") and hasattr(data, "columns"):
        return _of_frame(data, tuple(columns))
    return _of_files(files_of(data), tuple(columns), as_text)


def _check_column(column: Any, name: str, data: Any) -> None:
    if data is not None:
        if not isinstance(column, str):
            raise EvaluationTypeError(f"{name} must be the name of a column of data, got {shown(column)}")
        return
    if isinstance(column, str):
        raise EvaluationTypeError(f"{name} names a column, {column!r}, but data is not given; pass data=...")
    is_list_of_delayed = isinstance(column, list) and bool(column) and all(map(_is_delayed, column))
    if not hasattr(column, "to_delayed") and not is_list_of_delayed:
        raise EvaluationTypeError(
            f"{name} must be a dask array or Series, or the name of a column of data, got {shown(column)}; "
            "evalcore.metrics takes arrays in memory"
        )
    if getattr(column, "ndim", 1) == 0:
        raise EvaluationError(f"{name} must be one-dimensional, got shape ()")


def _of_columns(columns: Sequence[Any], names: tuple[str, ...]) -> PartitionedColumns:
    second, its_name = columns[1], names[1]
    expected = _delayed_parts(second)
    parts = []
    for column, name in zip(columns, names, strict=True):
        found = (
            expected if column is second else _delayed_parts(_in_chunks_of(second, column, f"{name} and {its_name}"))
        )
        if len(found) != len(expected):
            raise EvaluationError(
                f"{name} and {its_name} must have equally many partitions, got {len(found)} and {len(expected)}; "
                "repartition one of them"
            )
        parts.append(found)
    return PartitionedColumns([_of_dask(_listed, *row) for row in zip(*parts, strict=True)], names)


def _in_chunks_of(second: Any, column: Any, names: str) -> Any:
    """Cut the rows of an array as those of the second, if the sizes of all chunks are known."""
    if not (hasattr(column, "chunks") and hasattr(second, "chunks")):
        return column
    sizes = column.chunks[0], second.chunks[0]
    if sizes[0] == sizes[1] or any(np.isnan(each).any() for each in sizes):
        return column
    if sum(sizes[0]) != sum(sizes[1]):
        raise EvaluationError(f"{names} must be equally long, got {sum(sizes[0])} and {sum(sizes[1])}")
    return column.rechunk({0: sizes[1]})


def _delayed_parts(column: Any) -> list[Any]:
    if isinstance(column, list):
        return column
    parts = column.to_delayed()
    if not hasattr(column, "chunks"):
        return list(parts)
    if parts.size != len(column.chunks[0]):  # columns of a matrix, each in several chunks
        parts = column.rechunk(dict.fromkeys(range(1, column.ndim), -1)).to_delayed()
    return list(parts.ravel())


def _of_dask(load: Callable[..., list[Any]], *arguments: Any) -> Partition:
    return Partition("", load, arguments, partial(_load_strided, load))


def _listed(*columns: Any) -> list[Any]:
    return list(columns)


def _of_frame(frame: Any, names: tuple[str, ...]) -> PartitionedColumns:
    present = [name for name in frame.columns if isinstance(name, str)]
    parts = frame[selected_names(Selection(names), present)].to_delayed()
    return PartitionedColumns([_of_dask(_columns_of_frame, part, names) for part in parts], _titles(names))


def _columns_of_frame(frame: Any, names: tuple[str, ...]) -> list[Any]:
    return [frame[name] for name in names]


def _of_files(paths: list[str], names: tuple[str, ...], as_text: bool) -> PartitionedColumns:
    graph = Graph()
    footers = [graph.call("footer", row_groups, path, list(names), parquet.MOST_ROWS) for path in paths]
    partitions = [
        Partition(str(groups), read_row_groups, (groups, list(names), as_text), sample_row_groups)
        for groups_of_file in graph.compute(graph.call("footers", list, footers))
        for groups in groups_of_file
    ]
    return PartitionedColumns(partitions, _titles(names))


def _titles(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"column {name!r}" for name in names)
