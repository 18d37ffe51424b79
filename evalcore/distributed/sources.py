"""Where two columns come from: dask's arrays, Series, data frames and bags, or Parquet files, in partitions."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed import parquet
from evalcore.distributed.parquet import files_of, read, read_some, row_groups
from evalcore.distributed.task_graph import Graph, Task
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.io.formats import naming, reading
from evalcore.optional import require


class Partition(NamedTuple):
    """How one partition of two columns is loaded."""

    place: str
    """Where it is, for errors; empty if its number says all."""
    load: Callable[..., list[Any]]
    """Returns both columns."""
    arguments: tuple[Any, ...]
    """What it is called with: values, or Delayed objects."""
    load_some: Callable[..., list[Any]] | None = None
    """Returns about so many rows of both columns, from everywhere in them; called with their number first."""


class Source(NamedTuple):
    """Two columns of equally many rows."""

    partitions: list[Partition]
    names: tuple[str, str]
    """Of the columns, for errors."""

    def graph(self) -> Graph:
        """Return an empty graph that may ask for the partitions.  O(partitions).

        >>> source_of([0, 1], [0.1, 0.9]).graph()
        Traceback (most recent call last):
        evalcore.errors.EvaluationTypeError: y_true must be a dask array or Series, or the name of a column of data, \
got [0, 1] (list); evalcore.metrics takes arrays in memory
        """
        delayed = require("dask.delayed", "distributed").Delayed
        return Graph(each for part in self.partitions for each in part.arguments if isinstance(each, delayed))

    def calls(self, graph: Graph, name: str, function: Callable[..., Any], *more: Any) -> list[Task]:
        """Add a task for each partition, which calls a function with its columns; return the tasks.

        function: takes both columns, their names, and more, which may be tasks.  What it raises of this package's
        errors then begins with the number of the partition, from 0.

        >>> import dask.array as da
        >>> source = source_of(da.ones(5, chunks=2), da.zeros(5, chunks=2))
        >>> graph = source.graph()
        >>> lengths = source.calls(graph, "length", lambda first, second, names: len(first))
        >>> graph.compute(graph.call("all", list, lengths))
        [2, 2, 1]
        """
        tasks = []
        for number, part in enumerate(self.partitions):
            title = f"partition {number}: {part.place}" if part.place else f"partition {number}"
            arguments = _arguments(graph, part)
            tasks.append(graph.call(name, _on_partition, title, part.load, arguments, self.names, function, *more))
        return tasks

    def calls_with_some(
        self, graph: Graph, name: str, rows: int, function: Callable[..., Any], *more: Any
    ) -> list[Task]:
        """Add a task for each partition, which calls a function with about so many of its rows.

        With none of a partition that cannot be loaded: who loads all of it says why.

        >>> import dask.array as da
        >>> source = source_of(da.ones(5, chunks=4), da.zeros(5, chunks=4))
        >>> graph = source.graph()
        >>> lengths = source.calls_with_some(graph, "length", 2, lambda first, second, names: len(first))
        >>> graph.compute(graph.call("all", list, lengths))
        [2, 1]
        """
        tasks = []
        for part in self.partitions:
            load = part.load_some or _strided
            arguments = [rows, *([] if part.load_some else [part.load]), *_arguments(graph, part)]
            tasks.append(graph.call(name, _on_some, load, arguments, self.names, function, *more))
        return tasks


def _arguments(graph: Graph, part: Partition) -> list[Any]:
    delayed = require("dask.delayed", "distributed").Delayed
    return [graph.given(each) if isinstance(each, delayed) else each for each in part.arguments]


def _on_some(
    load: Callable[..., list[Any]], given: list[Any], names: tuple[str, str], function: Callable[..., Any], *more: Any
) -> Any:
    try:
        columns = load(*given)
    except Exception:  # whatever is wrong, who loads all of it says why
        columns = [[], []]
    return function(*columns, names, *more)


def _strided(rows: int, load: Callable[..., list[Any]], *arguments: Any) -> list[Any]:
    columns = [np.asarray(column) for column in load(*arguments)]
    # copies, for a view would keep the whole partition
    return [column[:: max(-(-len(column) // rows), 1)].copy() for column in columns]


def _on_partition(
    title: str, load: Callable[..., list[Any]], given: list[Any], names: tuple[str, str],
    function: Callable[..., Any], *more: Any,
) -> Any:  # fmt: skip
    with reading(title):
        columns = load(*given)
    with naming(title):
        return function(*columns, names, *more)


def source_of(
    first: Any, second: Any, data: Any = None, names: tuple[str, str] = ("y_true", "y_score"), as_text: bool = False
) -> Source:
    """Return two columns in partitions.

    first, second: dask arrays, Series, bags or lists of Delayed; or names of columns of `data`, a dask data frame or
    Parquet files; names: of the arguments.  as_text: whether cells are names or lists of them.

    Raises EvaluationError for columns that are not there or not parted alike, EvaluationTypeError for anything else.

    >>> import dask.array as da
    >>> len(source_of(da.ones(5, chunks=5), da.zeros(5, chunks=2)).partitions)
    3
    """
    require("dask", "distributed")
    if data is not None:
        for column, name in zip((first, second), names, strict=True):
            if not isinstance(column, str):
                raise EvaluationTypeError(f"{name} must be the name of a column of data, got {shown(column)}")
        if hasattr(data, "to_delayed") and hasattr(data, "columns"):
            return _of_frame(data, (first, second))
        return _of_files(files_of(data), (first, second), as_text)
    for column, name in zip((first, second), names, strict=True):
        if isinstance(column, str):
            raise EvaluationTypeError(f"{name} is the name of a column, {column!r}, but there is no data (data=...)")
        if not hasattr(column, "to_delayed") and not _is_delayed_list(column):
            raise EvaluationTypeError(
                f"{name} must be a dask array or Series, or the name of a column of data, got {shown(column)}; "
                "evalcore.metrics takes arrays in memory"
            )
        if getattr(column, "ndim", 1) == 0:
            raise EvaluationError(f"{name} must be one-dimensional, got shape ()")
    return _of_columns(first, second, names)


def _is_delayed_list(column: Any) -> bool:
    delayed = require("dask.delayed", "distributed").Delayed
    return isinstance(column, list) and bool(column) and all(isinstance(each, delayed) for each in column)


def _of_columns(first: Any, second: Any, names: tuple[str, str]) -> Source:
    if hasattr(first, "chunks") and hasattr(second, "chunks"):
        first, second = _in_equal_chunks(first, second, names)
    parts = [_delayed_parts(column, name) for column, name in zip((first, second), names, strict=True)]
    if len(parts[0]) != len(parts[1]):
        raise EvaluationError(
            f"{names[0]} and {names[1]} must have equally many partitions, got {len(parts[0])} and {len(parts[1])}"
        )
    return Source([Partition("", _both, pair) for pair in zip(*parts, strict=True)], names)


def _in_equal_chunks(first: Any, second: Any, names: tuple[str, str]) -> tuple[Any, Any]:
    """Cut the rows of the first array as those of the second, where their numbers are known."""
    sizes = first.chunks[0], second.chunks[0]
    if sizes[0] == sizes[1] or any(np.isnan(each).any() for each in sizes):
        return first, second
    if sum(sizes[0]) != sum(sizes[1]):
        raise EvaluationError(
            f"{names[0]} and {names[1]} must be equally long, got {sum(sizes[0])} and {sum(sizes[1])}"
        )
    return first.rechunk({0: sizes[1]}), second


def _delayed_parts(column: Any, name: str) -> list[Any]:
    if isinstance(column, list):
        return column
    parts = column.to_delayed()
    if not hasattr(column, "chunks"):
        return list(parts)
    if parts.size != len(column.chunks[0]):  # columns of a matrix, each in several chunks
        column = column.rechunk(dict.fromkeys(range(1, column.ndim), -1))
        parts = column.to_delayed()
    return list(parts.ravel())


def _both(first: Any, second: Any) -> list[Any]:
    return [first, second]


def _of_frame(frame: Any, names: tuple[str, str]) -> Source:
    for name in names:
        if name not in frame.columns:
            raise EvaluationError(f"no column {name!r}; there are: {', '.join(map(repr, frame.columns))}")
    parts = frame[list(dict.fromkeys(names))].to_delayed()
    return Source([Partition("", _columns_of_frame, (part, names)) for part in parts], _titles(names))


def _columns_of_frame(frame: Any, names: tuple[str, str]) -> list[Any]:
    return [frame[name] for name in names]


def _of_files(paths: list[str], names: tuple[str, str], as_text: bool) -> Source:
    graph = Graph()
    footers = [graph.call("footer", row_groups, path, list(names), parquet.MOST_ROWS) for path in paths]
    partitions = [
        Partition(str(groups), read, (groups, list(names), as_text), read_some)
        for groups_of_file in graph.compute(graph.call("footers", list, footers))
        for groups in groups_of_file
    ]
    return Source(partitions, _titles(names))


def _titles(names: tuple[str, str]) -> tuple[str, str]:
    return f"column {names[0]!r}", f"column {names[1]!r}"
