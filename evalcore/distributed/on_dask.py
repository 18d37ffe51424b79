"""Columns in partitions of dask: of its arrays, Series, data frames and bags, or of Parquet files.

Tasks run where dask's current client sends them, or in threads of this process where there is none.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationTypeError, check, refuse, shown
from evalcore.io.columns import Selection, listed_columns, selected_names
from evalcore.io.datasets import expand_paths
from evalcore.io.formats import Reading, naming, reading
from evalcore.io.opening import Source
from evalcore.io.readers import parquet_file
from evalcore.optional import Library, require
from evalcore.parallel import threads

dask, delayed, bag, core = (Library(f"dask{part}", "distributed") for part in ("", ".delayed", ".bag", ".bag.core"))
pa = Library("pyarrow", "distributed")

MOST_ROWS = 1 << 22
"""Rows of a partition of a file at most, unless a single row group has more."""
_MOST_RANGES = 1 << 10


Load: TypeAlias = Callable[..., list[Any]]
"""Returns columns; rows: about how many of their rows, from everywhere, None for all."""


class Partition(NamedTuple):
    """How one partition of some columns is loaded."""

    location: str
    """Where it is, for errors; empty if its number is enough."""
    load: Load
    arguments: tuple[Any, ...] = ()
    """Its arguments: Delayed objects."""


class DaskColumns(NamedTuple):
    """Columns of equal length, as `PartitionedColumns`."""

    partitions: list[Partition]
    names: tuple[str, ...]
    """Names of the columns, for errors."""

    @property
    def ranges(self) -> int:
        """As many as partitions, so that a range is about as large as one.  O(1)."""
        return min(len(self.partitions), _MOST_RANGES)

    def selected(self, select: Callable[[list[Any]], list[Any]], names: tuple[str, ...]) -> "DaskColumns":
        """As `PartitionedColumns` says.  O(partitions)."""

        def selecting(load: Load) -> Load:
            return lambda *arguments, **how: select(load(*arguments, **how))

        return DaskColumns([part._replace(load=selecting(part.load)) for part in self.partitions], names)

    def samples(self, cases: int, function: Callable[..., Any], *more: Any) -> list[Any]:
        """As `PartitionedColumns` says.  Of Parquet files, reads a few rows of each row group.

        Of a partition that is invalid, it is called with no case: the task that loads all of it says why.
        """
        sampled = self._bag(_sample, -(-cases // len(self.partitions)), function, more)
        return list(chain.from_iterable(dask.compute(*sampled.to_delayed())))

    def merged(self, function: Callable[..., Any], merge: Callable[[list[Any]], Any], *more: Any) -> Any:
        """As `PartitionedColumns` says.  O(partitions) beside the calls."""
        parts = self._bag(_apply, lambda found: [found], function, more)
        return parts.reduction(itemgetter(0), partial(_merged, merge)).to_delayed().compute()

    def exchanged(
        self, buckets: int, part: Callable[..., list[Any]], join: Callable[[list[Any]], Any], *more: Any
    ) -> list[Any]:
        """As `PartitionedColumns` says, by dask's own exchange of the items of a bag."""
        grouped = core.groupby_tasks(self._bag(_apply, enumerate, part, more), itemgetter(0), hash=int)
        joined = grouped.map(partial(_join_bucket, join)).to_delayed()
        found = dict(chain.from_iterable(dask.compute(*joined)))
        return [found[number] for number in range(buckets)]

    def _bag(self, apply: Callable[..., Any], how: Any, function: Callable[..., Any], more: tuple[Any, ...]) -> Any:
        """Return a bag of the items that `_apply` or `_sample` makes of what a function returns for each partition."""
        call, listed = dask.delayed(apply, pure=False), []
        # large, and sent to each worker once
        shared = [dask.delayed(each, pure=False, traverse=False) for each in more]
        for number, part in enumerate(self.partitions):
            title = f"partition {number}: {part.location}" if part.location else f"partition {number}"
            listed.append(call(title, part.load, part.arguments, how, function, self.names, *shared))
        return bag.from_delayed(listed)


def _apply(
    title: str, load: Load, arguments: Sequence[Any], items: Callable[[Any], Any],
    function: Callable[..., Any], *names_and_more: Any,
) -> list[Any]:  # fmt: skip
    with threads(1):  # other tasks run beside it
        with reading(title):
            columns = load(*arguments)
        with naming(title):
            return list(items(function(columns, *names_and_more)))


def _sample(
    _title: str, load: Load, arguments: Sequence[Any], rows: int, function: Callable[..., Any],
    names: tuple[str, ...], *more: Any,
) -> list[Any]:  # fmt: skip
    with threads(1):
        try:
            return [function(load(*arguments, rows=rows), names, *more)]
        except Exception:  # whatever is wrong, the task that loads all of the partition says why
            return [function([[] for _ in names], names, *more)]


def _merged(merge: Callable[[list[Any]], Any], parts: Iterable[Any]) -> Any:
    with threads(1):
        return merge(list(parts))


def _join_bucket(join: Callable[[list[Any]], Any], bucket: tuple[int, list[tuple[int, Any]]]) -> tuple[int, Any]:
    with threads(1):
        return bucket[0], join([item for _, item in bucket[1]])


def _load(load: Load, *arguments: Any, rows: int | None = None) -> list[Any]:
    columns = load(*arguments)
    if rows is None:
        return columns
    # copies, for a view would keep the whole partition
    return [column[:: max(-(-len(column) // rows), 1)].copy() for column in map(np.asarray, columns)]


def dask_columns(columns: Sequence[Any], names: tuple[str, ...], data: Any, as_text: bool) -> DaskColumns:
    """Return columns in partitions, as `partitioned_columns` does; columns: all of them.  O(partitions)."""
    if data is None:
        return _of_columns(columns, names)
    titles = tuple(f"column {name!r}" for name in columns)
    if hasattr(data, "to_delayed") and hasattr(data, "columns"):
        present = [name for name in data.columns if isinstance(name, str)]
        parts = data[selected_names(Selection(tuple(columns)), present)].to_delayed()
        return DaskColumns([_of_dask(lambda frame: [frame[name] for name in columns], part) for part in parts], titles)
    footer = dask.delayed(row_groups, pure=False)
    files = dask.compute(*(footer(path, columns, MOST_ROWS) for path in files_of(data)))
    load = partial(read_row_groups, names=columns, as_text=as_text)
    return DaskColumns([Partition(str(each), partial(load, each)) for each in chain.from_iterable(files)], titles)


def _check_column(column: Any, name: str) -> None:
    if isinstance(column, str):
        raise EvaluationTypeError(f"{name} names a column, {column!r}, but data is not given; pass data=...")
    kind = delayed.Delayed
    is_list_of_delayed = isinstance(column, list) and bool(column) and all(isinstance(each, kind) for each in column)
    rule = "be a dask array or Series, or the name of a column of data"
    got = f"{shown(column)}; evalcore.metrics takes arrays in memory"
    check(hasattr(column, "to_delayed") or is_list_of_delayed, name, rule, got, EvaluationTypeError)
    check(getattr(column, "ndim", 1) != 0, name, "be one-dimensional", "shape ()")


def _of_columns(columns: Sequence[Any], names: tuple[str, ...]) -> DaskColumns:
    list(map(_check_column, columns, names))
    second, its_name = columns[1], names[1]
    expected, parts = _delayed_parts(second), []
    for column, name in zip(columns, names, strict=True):
        both = f"{name} and {its_name}"
        found = expected if column is second else _delayed_parts(_in_chunks_of(second, column, both))
        sizes = f"{len(found)} and {len(expected)}; repartition one of them"
        check(len(found) == len(expected), both, "have equally many partitions", sizes)
        parts.append(found)
    return DaskColumns([_of_dask(lambda *parts: list(parts), *row) for row in zip(*parts, strict=True)], names)


def _in_chunks_of(second: Any, column: Any, names: str) -> Any:
    """Cut the rows of an array as those of the second, if the sizes of all chunks are known."""
    if not (hasattr(column, "chunks") and hasattr(second, "chunks")):
        return column
    sizes = column.chunks[0], second.chunks[0]
    if sizes[0] == sizes[1] or any(np.isnan(each).any() for each in sizes):
        return column
    check(sum(sizes[0]) == sum(sizes[1]), names, "be equally long", f"{sum(sizes[0])} and {sum(sizes[1])}")
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


def _of_dask(load: Load, *arguments: Any) -> Partition:
    return Partition("", partial(_load, load), arguments)


class RowGroups(NamedTuple):
    """Row groups of a file that are read together."""

    path: str
    numbers: list[int]
    first_row: int
    """Rows of the file before them."""

    def __str__(self) -> str:
        return self.path if self.first_row == 0 else f"{self.path} from row {self.first_row:,} on"


def files_of(paths: Any) -> list[str]:
    """List Parquet files.

    paths: a file, a folder, a pattern with ``*``, or a sequence of them, as for `expand_paths`; names
    with a protocol, such as ``s3://bucket/scores``, are URLs.

    Raises EvaluationError if no file is found, EvaluationTypeError for other types.
    """
    require("pyarrow", "distributed")  # else what reads a file would
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    are_paths = isinstance(listed, Sequence) and all(isinstance(path, str | os.PathLike) for path in listed)
    rule, kind = "be a dask data frame, a path of Parquet files or a list of paths", type(paths)
    check(are_paths, "data", rule, f"{kind.__module__}.{kind.__qualname__}", EvaluationTypeError)
    check(listed, "data", "name at least one Parquet file", "an empty list")
    found = expand_paths(list(map(os.fspath, listed)), Reading(format="parquet"))
    for file in found:
        refuse({f"{file}: not a Parquet file; its name must end in .parquet": not file.endswith(".parquet")})
    return found


def row_groups(path: str, names: Sequence[str], most_rows: int = MOST_ROWS) -> list[RowGroups]:
    """Part the row groups of a file into runs of at most `most_rows` rows, or of one row group.

    names: columns that it must have.  O(row groups): reads only the footer.

    Raises EvaluationError if the file does not exist, is not a Parquet file, or lacks a column.
    """
    found: list[RowGroups] = []
    rows_before = rows_of_run = 0
    with reading(path), parquet_file(Source(path)) as file:
        selected_names(Selection(tuple(names)), file.schema_arrow.names)
        sizes = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    for number, rows in enumerate(sizes):
        if found and rows_of_run + rows <= most_rows:
            found[-1].numbers.append(number)
        else:
            found.append(RowGroups(path, [number], rows_before))
            rows_of_run = 0
        rows_before, rows_of_run = rows_before + rows, rows_of_run + rows
    return found or [RowGroups(path, [], 0)]


def read_row_groups(groups: RowGroups, names: Sequence[str], as_text: bool, rows: int | None = None) -> list[Any]:
    """Return columns of row groups as arrays, (n,) each.  O(n).

    as_text: of strings, or lists of them, or None; rows: about how many in all, the first ones of each row group,
    without reading others; None for all.

    Raises EvaluationError for nulls, and what pyarrow raises for a damaged file.
    """
    read = {"columns": list(dict.fromkeys(names)), "use_threads": False}
    with parquet_file(Source(groups.path)) as file:
        table = file.read_row_groups(groups.numbers if rows is None else [], **read)
        if rows is not None:
            first = partial(file.iter_batches, -(-rows // max(len(groups.numbers), 1)), **read)
            batches = chain.from_iterable(islice(first(row_groups=[number]), 1) for number in groups.numbers)
            table = pa.Table.from_batches(batches, table.schema)
        return listed_columns(table, names, as_text=as_text)
