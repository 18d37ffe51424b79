"""Columns of a Spark data frame."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.on_spark.jobs import (
    Failure,
    call_with_chunks,
    collect,
    keys_of_buckets,
    merge_in_tree,
    merge_stream,
    partition_number,
    raise_failure,
    results_in,
    run_on_partitions,
    run_on_results,
)
from evalcore.distributed.on_spark.ranges import CutPiece, cut_chunk, measure_pieces, number_of_ranges, sample_scores
from evalcore.distributed.partitions.columns import RangeMeasure
from evalcore.distributed.partitions.curve_points import CurvePoints
from evalcore.distributed.partitions.sorted_partitions import choose_cuts
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.io.columns import Selection, column_arrays, selected_names
from evalcore.io.name_lists import coded_names
from evalcore.optional import require

CHUNK = 1 << 20
"""Rows of a partition that are in memory as arrays at once."""
_SAMPLED_PER_RANGE = 256
"""Of so many sampled cases, ranges are seldom a fifth larger than their mean."""
_SEED = 0
"""Of the sample, so that the same data give the same bounds."""


class FrameSize(NamedTuple):
    """How large a data frame is."""

    rows: int
    partitions: int


class PartitionCall(NamedTuple):
    """A function of the columns of partitions, called where they are.

    The columns come in chunks, so that no task holds more rows than one, however large a partition is.
    """

    load: Callable[[Any], list[Any]]
    """Takes a pyarrow Table, returns the columns."""
    names: tuple[str, ...]
    """Names for errors."""
    function: Callable[..., Any]
    more: tuple[Any, ...]
    rows: int
    """Of a chunk at least, but for the last of a partition."""

    def on_nothing(self) -> Any:
        """Return what the function makes of a partition without rows."""
        return self.function([np.empty(0) for _ in self.names], self.names, *self.more)

    def on_chunks(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield what the function returns of each chunk; none of a partition without rows."""
        return call_with_chunks(batches, self.rows, self.load, self._call)

    def on_sample(self, batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
        """Yield what the function returns of a sample, as results; of an invalid one, as of no rows."""
        try:
            yield from ((0, found) for found in self.on_chunks(batches))
        except (EvaluationError, EvaluationTypeError):  # the task that reads all says why
            yield 0, self.on_nothing()

    def merged(self, merge: Callable[[list[Any]], Any], batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
        """Yield what the function returns of the partition, merged, as a result."""
        for merged in merge_stream(self.on_chunks(batches), merge):
            yield partition_number(), merged

    def parted(self, keys: list[int], batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the item of each bucket from each chunk, as a result with the key of the bucket."""
        for items in self.on_chunks(batches):
            yield from zip(keys, enumerate(items), strict=True)

    def _call(self, columns: list[Any]) -> Any:
        return self.function(columns, self.names, *self.more)


class SparkColumns:
    """Columns of a data frame, as `PartitionedColumns`: two, and weights if cases have some.

    frame: of these columns; names: of them, for errors; load: takes a pyarrow Table of rows of the frame, returns the
    columns.
    """

    def __init__(self, frame: Any, names: tuple[str, ...], load: Callable[[Any], list[Any]]) -> None:
        self.names = names
        self._frame = frame
        self._load = load

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return len(self.names) > 2

    @cached_property
    def size(self) -> FrameSize:
        """Number of rows and, about, of partitions.  One job, of Parquet files on their footers alone."""
        functions = require("pyspark.sql.functions", "spark")
        numbers = self._frame.select(functions.spark_partition_id().alias("number"))
        rows, last_partition = numbers.agg(functions.count("number"), functions.max("number")).collect()[0]
        return FrameSize(rows, (last_partition or 0) + 1)

    def selected(self, select: Callable[[list[Any]], list[Any]], names: tuple[str, ...]) -> "SparkColumns":
        """As `PartitionedColumns` says.  O(1)."""
        return SparkColumns(self._frame, names, partial(_selected, self._load, select))

    def samples(self, cases: int, function: Callable[..., Any], *more: Any) -> list[Any]:
        """As `PartitionedColumns` says.  One job beside that of `size`: all rows are read, a few are kept."""
        frame = self._frame
        if cases < self.size.rows:
            frame = _sampled(frame, cases / self.size.rows)
        call = self._call(function, more)
        return collect(run_on_partitions(frame, call.on_sample)) or [call.on_nothing()]

    def merged(self, _name: str, function: Callable[..., Any], merge: Callable[[list[Any]], Any], *more: Any) -> Any:
        """As `PartitionedColumns` says.  One job beside that of `size`."""
        call = self._call(function, more)
        parts = run_on_partitions(self._frame, partial(call.merged, merge))
        return merge(collect(merge_in_tree(parts, self.size.partitions, merge)) or [call.on_nothing()])

    def exchanged(
        self, _name: str, buckets: int, part: Callable[..., list[Any]], join: Callable[[list[Any]], Any], *more: Any
    ) -> list[Any]:
        """As `PartitionedColumns` says, but parts a partition of more rows than `CHUNK` piece by piece.

        One job with one shuffle, beside a small one.
        """
        call = self._call(part, more)
        found = dict(collect(run_on_results(self._parted(call, buckets), partial(_join_buckets, join))))
        if not found:
            return [join([item]) for item in call.on_nothing()]
        return [found[number] for number in range(buckets)]

    def measured(self, pos_label: Any, measure: RangeMeasure) -> Any:
        """As `PartitionedColumns` says.  Jobs for `size`, a sample and the cases, which are shuffled once.

        The shuffle moves 8 bytes of each case (4 of float32), and 8 of its weight.
        """
        ranges = number_of_ranges(self.size.rows)
        cuts = self._cuts(pos_label, ranges)
        join = partial(measure_pieces, measure)
        return measure.merge(self.exchanged("measure", ranges, cut_chunk, join, pos_label, cuts, ranges))

    def curve(self, pos_label: Any, measure: RangeMeasure, names: Sequence[str]) -> Any:
        """As `PartitionedColumns` says: a Spark DataFrame of doubles, its rows in no order.

        Jobs for `size` and a sample now, and one with a shuffle when the frame is computed.
        """
        ranges = number_of_ranges(self.size.rows)
        cuts = self._cuts(pos_label, ranges)
        parted = self._parted(self._call(cut_chunk, (pos_label, cuts, ranges)), ranges)
        points = partial(_points_of_buckets, partial(measure_pieces, measure), tuple(names))
        return parted.mapInArrow(points, ", ".join(f"{name} double" for name in names))

    def _cuts(self, pos_label: Any, ranges: int) -> Any:
        if ranges == 1:
            return np.empty(0)
        return choose_cuts(self.samples(_SAMPLED_PER_RANGE * ranges, sample_scores, pos_label), ranges)

    def _call(self, function: Callable[..., Any], more: tuple[Any, ...]) -> PartitionCall:
        return PartitionCall(self._load, self.names, function, more, CHUNK)

    def _parted(self, call: PartitionCall, buckets: int) -> Any:
        """Return a data frame whose partitions hold the items of each bucket, with its number."""
        keys = keys_of_buckets(self._frame.sparkSession, buckets)
        return run_on_partitions(self._frame, partial(call.parted, keys)).repartition(buckets, "key")


def is_spark_frame(data: Any) -> bool:
    """Whether this is a data frame of Spark, classic or through Spark Connect.  O(1).

    Raises EvaluationTypeError for one with the interface of pandas.
    """
    module = type(data).__module__
    if module.startswith("pyspark.pandas"):
        raise EvaluationTypeError(f"data must be a DataFrame of pyspark.sql, got {shown(data)}; pass data.to_spark()")
    return module.startswith("pyspark.sql") and hasattr(data, "mapInArrow")


def spark_columns(
    first: Any,
    second: Any,
    data: Any,
    sample_weight: Any = None,
    by: Sequence[Any] = (),
    *,
    names: tuple[str, ...] = ("y_true", "y_score"),
    as_text: bool = False,
) -> SparkColumns:
    """Return two columns of a data frame by their names, weights if there are some, and columns of groups.

    names: of the first two arguments; as_text: whether cells are names or lists of them.  O(columns): runs no job.

    Raises EvaluationError for missing columns, those of a name that several have, and streams, EvaluationTypeError for
    columns that are not named, and types that are no numbers, strings or lists.
    """
    given = dict(zip(names, (first, second), strict=True))
    given |= {} if sample_weight is None else {"sample_weight": sample_weight}
    columns = [*given.values(), *by]
    for column, name in zip(columns, [*given, *(["by"] * len(by))], strict=True):
        if not isinstance(column, str):
            raise EvaluationTypeError(f"{name} must be the name of a column of data, got {shown(column)}")
    if data.isStreaming:
        raise EvaluationError("data must be a frame with an end, got a stream; evaluate each batch by foreachBatch")
    present = data.columns
    wanted = selected_names(Selection(tuple(columns)), present)
    types = {field.name: field.dataType for field in data.schema.fields}
    for name in wanted:
        if present.count(name) > 1:
            raise EvaluationError(f"data must have one column {name!r}, got {present.count(name)}; rename the others")
        _check_that_arrow_has(types[name], name)
    functions = require("pyspark.sql.functions", "spark")
    # mapInArrow takes a dot in a name for a field of a column
    plain = (functions.col(f"`{name.replace('`', '``')}`").alias(f"c{number}") for number, name in enumerate(wanted))
    load = partial(_arrays, coded_names if as_text else column_arrays, wanted, columns)
    return SparkColumns(data.select(*plain), tuple(f"column {name!r}" for name in columns), load)


def _check_that_arrow_has(kind: Any, name: str) -> None:
    if kind.typeName() in {"udt", "vector", "vectorudt"} or hasattr(kind, "sqlType"):
        raise EvaluationTypeError(
            f"column {name!r} must hold numbers or strings, got vectors of Spark; take one number of each, such as "
            f"pyspark.ml.functions.vector_to_array({name!r})[1]"
        )
    if kind.typeName() == "yearmonthinterval":
        raise EvaluationTypeError(
            f"column {name!r} must hold names, numbers or dates, got years and months of Spark; cast it to a string"
        )


def _sampled(frame: Any, fraction: float) -> Any:
    return frame.where(require("pyspark.sql.functions", "spark").rand(_SEED) < fraction)


def _arrays(
    read: Callable[[Any, list[str]], Mapping[str, Any]], present: list[str], columns: list[str], table: Any
) -> list[Any]:
    found = read(table.rename_columns(present), present)
    return [found[name] for name in columns]


def _selected(load: Callable[[Any], list[Any]], select: Callable[[list[Any]], list[Any]], table: Any) -> list[Any]:
    return select(load(table))


def _by_bucket(results: Iterator[Any]) -> dict[int, list[Any]]:
    buckets: dict[int, list[Any]] = {}
    for number, item in results:
        buckets.setdefault(number, []).append(item)
    return buckets


def _join_buckets(join: Callable[[list[Any]], Any], results: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    buckets = _by_bucket(results)
    for number in list(buckets):
        yield 0, (number, join(buckets.pop(number)))


def _points_of_buckets(
    points_of: Callable[[list[CutPiece]], CurvePoints], names: tuple[str, ...], batches: Iterator[Any]
) -> Iterator[Any]:
    pa = require("pyarrow", "spark")
    items = []
    for result in results_in(batches):
        if isinstance(result, Failure):
            raise_failure(result)
        items.append(result)
    for pieces in _by_bucket(iter(items)).values():
        yield pa.record_batch([pa.array(column) for column in points_of(pieces)], list(names))
