"""Columns in partitions, of dask's arrays, Series, data frames and bags, or of Parquet files."""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from operator import getitem
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.on_dask import parquet
from evalcore.distributed.on_dask.parquet import files_of, read_row_groups, row_groups, sample_row_groups
from evalcore.distributed.on_dask.range_shuffle import measured_ranges
from evalcore.distributed.on_dask.task_graph import Graph, Task
from evalcore.distributed.partitions.columns import RangeMeasure
from evalcore.distributed.partitions.curve_points import CurvePoints
from evalcore.distributed.partitions.partition_tasks import sort_partition
from evalcore.distributed.partitions.range_counts import RangeContext
from evalcore.distributed.partitions.sorted_partitions import PartitionCases
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.io.columns import Selection, selected_names
from evalcore.io.formats import naming, reading
from evalcore.optional import require
from evalcore.typing import FloatArray


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

    def selected(self, select: Callable[[list[Any]], list[Any]]) -> "Partition":
        """Return the partition of what a function makes of these columns.  O(1)."""
        loads = (partial(_selected, load, select) for load in (self.load, self.load_sample))
        return Partition(self.location, next(loads), self.arguments, next(loads))


class DaskColumns(NamedTuple):
    """Columns of equal length, as `PartitionedColumns`: two, and weights if cases have some."""

    partitions: list[Partition]
    names: tuple[str, ...]
    """Names of the columns, for errors."""

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return len(self.names) > 2

    def selected(self, select: Callable[[list[Any]], list[Any]], names: tuple[str, ...]) -> "DaskColumns":
        """As `PartitionedColumns` says.  O(partitions)."""
        parts = [
            part._replace(
                load=partial(_selected, part.load, select), load_sample=partial(_selected, part.load_sample, select)
            )
            for part in self.partitions
        ]
        return DaskColumns(parts, names)

    def samples(self, cases: int, function: Callable[..., Any], *more: Any) -> list[Any]:
        """As `PartitionedColumns` says.  Of Parquet files, reads a few rows of each row group.

        With no cases of a partition that cannot be loaded: what loads all of it says why.
        """
        # A graph of its own: in one with what loads partitions whole, every one would wait in memory for the samples.
        graph, calls = self._graph(), []
        rows = -(-cases // max(len(self.partitions), 1))
        for part in self.partitions:
            arguments = [rows, *_with_tasks(graph, part.arguments)]
            calls.append(
                graph.call("sample", _apply_to_sample, part.load_sample, arguments, self.names, function, *more)
            )
        found: list[Any] = graph.compute(graph.call("samples", list, calls))
        return found

    def merged(self, name: str, function: Callable[..., Any], merge: Callable[[list[Any]], Any], *more: Any) -> Any:
        """As `PartitionedColumns` says.  O(partitions) beside the calls."""
        graph = self._graph()
        # one task for each, for they are large and go to all workers
        shared = [graph.call("share", copy, each) for each in more]
        return graph.compute(graph.tree("merge", merge, self._map(graph, name, function, *shared)))

    def exchanged(
        self, name: str, buckets: int, part: Callable[..., list[Any]], join: Callable[[list[Any]], Any], *more: Any
    ) -> list[Any]:
        """As `PartitionedColumns` says.  Partitions times buckets small tasks."""
        graph = self._graph()
        parted = self._map(graph, "part", part, *more)
        joined = [
            graph.call(name, join, [graph.quick(getitem, each, number) for each in parted]) for number in range(buckets)
        ]
        found: list[Any] = graph.compute(graph.call("all", list, joined))
        return found

    def measured(self, pos_label: Any, measure: RangeMeasure) -> Any:
        """As `PartitionedColumns` says.  Costs what `measured_ranges` does."""
        graph, measured = self._measured_ranges(pos_label, measure)
        return graph.compute(graph.call("merge", measure.merge, measured))

    def curve(self, pos_label: Any, measure: RangeMeasure, names: Sequence[str]) -> Any:
        """As `PartitionedColumns` says: a dask DataFrame with a partition for each range, highest first."""
        frames, pandas = require("dask.dataframe", "distributed"), require("pandas", "distributed")
        graph, measured = self._measured_ranges(pos_label, measure)
        parts = [graph.call("frame", _curve_frame, each, tuple(names)) for each in measured]
        columns = pandas.DataFrame({name: np.empty(0) for name in names})
        return frames.from_delayed([graph.delayed(part) for part in parts], meta=columns)

    def curve_arrays(self, pos_label: Any, measure: RangeMeasure, *, rising: bool) -> list[Any]:
        """Return the columns of a curve as dask arrays, by falling threshold, or by rising ones without infinity."""
        graph, measured = self._measured_ranges(pos_label, measure)
        order = range(len(measured))[:: -1 if rising else 1]
        arrays = [
            [graph.call("column", _curve_column, measured[index], axis, rising, index == 0) for index in order]
            for axis in range(3)
        ]
        return [graph.array(chunks) for chunks in arrays]

    def _measured_ranges(self, pos_label: Any, measure: RangeMeasure) -> tuple[Graph, list[Task]]:
        """Return a graph, and its tasks that measure each range, highest first."""
        graph = self._graph()
        partitions = self._map(graph, "sort", sort_partition, pos_label)

        def add_task(pieces: list[Task], contexts: Task, number: int, after: list[Task]) -> Task:
            context = (contexts, number) if measure.needs_context else ()
            return graph.call("measure", _measure_range, measure.of_range, pieces, after, *context)

        return graph, measured_ranges(graph, partitions, add_task)

    def _graph(self) -> Graph:
        """Return an empty graph whose tasks may load the partitions.  O(partitions)."""
        return Graph(each for part in self.partitions for each in part.arguments if _is_delayed(each))

    def _map(self, graph: Graph, name: str, function: Callable[..., Any], *more: Any) -> list[Task]:
        """Add a task for each partition that calls a function with its columns, their names, and `more`."""
        tasks = []
        for number, part in enumerate(self.partitions):
            title = f"partition {number}: {part.location}" if part.location else f"partition {number}"
            arguments = _with_tasks(graph, part.arguments)
            tasks.append(graph.call(name, _apply, title, part.load, arguments, self.names, function, *more))
        return tasks


def _measure_range(
    of_range: Callable[..., Any],
    pieces: list[PartitionCases],
    _after: Any,
    contexts: list[RangeContext] | None = None,
    number: int = 0,
) -> Any:
    return of_range(pieces, contexts[number] if contexts else None)


def _curve_frame(points: CurvePoints, names: tuple[str, ...]) -> Any:
    return require("pandas", "distributed").DataFrame(dict(zip(names, points, strict=True)))


def _curve_column(points: CurvePoints, axis: int, rising: bool, is_first: bool) -> FloatArray:
    values: FloatArray = points[axis]
    if not rising:
        return values
    return values[:0:-1] if is_first and values is points.thresholds else values[::-1]


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


def _selected(load: Callable[..., list[Any]], select: Callable[[list[Any]], list[Any]], *arguments: Any) -> list[Any]:
    return select(load(*arguments))


def _load_strided(load: Callable[..., list[Any]], rows: int, *arguments: Any) -> list[Any]:
    columns = [np.asarray(column) for column in load(*arguments)]
    # copies, for a view would keep the whole partition
    return [column[:: max(-(-len(column) // rows), 1)].copy() for column in columns]


def dask_columns(
    first: Any,
    second: Any,
    data: Any = None,
    sample_weight: Any = None,
    by: Sequence[Any] = (),
    *,
    names: tuple[str, ...] = ("y_true", "y_score"),
    as_text: bool = False,
) -> DaskColumns:
    """Return two columns in partitions, weights if there are some, and columns of groups.

    first, second, sample_weight, by: dask arrays, Series, bags or lists of Delayed; or names of columns of `data`, a
    dask data frame or Parquet files; names: of the first two; as_text: whether cells are names or lists of them.
    O(partitions).

    Raises EvaluationError for missing columns and different partitions, EvaluationTypeError for other types.
    """
    require("dask", "distributed")
    columns = [first, second]
    if sample_weight is not None:
        columns, names = [first, second, sample_weight], (*names, "sample_weight")
    columns, names = [*columns, *by], (*names, *(["by"] * len(by)))
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


def _of_columns(columns: Sequence[Any], names: tuple[str, ...]) -> DaskColumns:
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
    return DaskColumns([_of_dask(_listed, *row) for row in zip(*parts, strict=True)], names)


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


def _of_frame(frame: Any, names: tuple[str, ...]) -> DaskColumns:
    present = [name for name in frame.columns if isinstance(name, str)]
    parts = frame[selected_names(Selection(names), present)].to_delayed()
    return DaskColumns([_of_dask(_columns_of_frame, part, names) for part in parts], _titles(names))


def _columns_of_frame(frame: Any, names: tuple[str, ...]) -> list[Any]:
    return [frame[name] for name in names]


def _of_files(paths: list[str], names: tuple[str, ...], as_text: bool) -> DaskColumns:
    graph = Graph()
    footers = [graph.call("footer", row_groups, path, list(names), parquet.MOST_ROWS) for path in paths]
    partitions = [
        Partition(str(groups), read_row_groups, (groups, list(names), as_text), sample_row_groups)
        for groups_of_file in graph.compute(graph.call("footers", list, footers))
        for groups in groups_of_file
    ]
    return DaskColumns(partitions, _titles(names))


def _titles(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"column {name!r}" for name in names)
