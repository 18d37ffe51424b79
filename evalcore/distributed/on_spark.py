"""Columns of a Spark data frame, and jobs on them: Python functions of partitions, whose results are pickled in rows.

`mapInArrow` hands a partition over as record batches, in classic sessions and through Spark Connect.  What a function
returns stays on the executors, moves between them or comes to the driver as one row, never as a row for each case.  An
error of this package is returned like a result, and raised on the driver: raised in a task, Spark would try the task
again, and bury the message in a Java trace.
"""

import pickle
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, shown
from evalcore.io.columns import Selection, listed_columns, selected_names
from evalcore.io.formats import naming, reading
from evalcore.optional import Library
from evalcore.parallel import threads

pa, pyspark, functions = (Library(name, "spark") for name in ("pyarrow", "pyspark", "pyspark.sql.functions"))
CHUNK = 1 << 20
"""Rows of a partition that are in memory as arrays at once."""
_CASES_OF_A_RANGE = 1 << 20
"""About, of a thousand ranges at most."""
_MOST_RANGES = 1 << 10
_SEED = 0
"""Of the sample, so that the same data give the same bounds."""
_SCHEMA = "key int, content binary"
_FAN_IN = 8
"""Results that one task of a tree merges at a time: a few megabytes of summaries."""
_READS = re.compile(r"[^A-Za-z]*((AdaptiveSparkPlan|ColumnarToRow|Filter|Project|FileScan (orc|parquet))\b.*)?")
"""A line of a plan that reads columns of files."""
_LIMITS = "spark.sql.execution.arrow.maxBytesPerBatch", "spark.sql.execution.arrow.maxRecordsPerBatch"
"""Of the Arrow batches that Spark hands to Python."""
_FEW_ROWS = 10_000
"""Of a batch, as by default: they need no limit of bytes."""
_KEYS_TRIED = 24
"""For each bucket: about one bucket in 10**10 then has no key of its own, and shares a task with another."""

Task: TypeAlias = Callable[[Iterator[Any]], Iterator[tuple[int, Any]]]
"""Takes what a partition holds, yields keys and results."""
Results: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]
"""Takes the record batches of a partition, yields a result of each chunk."""


class FrameSize(NamedTuple):
    """How large a data frame is."""

    rows: int
    partitions: int


class SparkColumns:
    """Columns of a data frame, as `PartitionedColumns`.

    frame: of these columns; names: of them, for errors; load: takes a pyarrow Table of rows of the frame, returns the
    columns.
    """

    def __init__(self, frame: Any, names: tuple[str, ...], load: Callable[[Any], list[Any]]) -> None:
        self.names = names
        self._frame = frame
        self._load = load

    @cached_property
    def size(self) -> FrameSize:
        """Number of rows and, about, of partitions.  One job, of Parquet files on their footers alone."""
        numbers = self._frame.select(functions.spark_partition_id().alias("number"))
        rows, last_partition = numbers.agg(functions.count("number"), functions.max("number")).collect()[0]
        return FrameSize(rows, (last_partition or 0) + 1)

    @property
    def ranges(self) -> int:
        """As `PartitionedColumns` says: one for each million rows.  The job of `size`."""
        return max(min(-(-self.size.rows // _CASES_OF_A_RANGE), _MOST_RANGES), 1)

    def selected(self, select: Callable[[list[Any]], list[Any]], names: tuple[str, ...]) -> "SparkColumns":
        """As `PartitionedColumns` says.  O(1)."""
        load = self._load
        return SparkColumns(self._frame, names, lambda table: select(load(table)))

    def samples(self, cases: int, function: Callable[..., Any], *more: Any) -> list[Any]:
        """As `PartitionedColumns` says.  One job beside that of `size`: all rows are read, a few are kept."""
        frame = self._frame
        if cases < self.size.rows:
            frame = frame.where(functions.rand(_SEED) < cases / self.size.rows)
        results_of, nothing = self._call(function, more)
        return collect(run_on_partitions(frame, partial(_sampled, results_of, nothing))) or [nothing()]

    def merged(self, function: Callable[..., Any], merge: Callable[[list[Any]], Any], *more: Any) -> Any:
        """As `PartitionedColumns` says.  One job beside that of `size`, a shuffle for each factor of eight."""
        results_of, nothing = self._call(function, more)
        parts = run_on_partitions(self._frame, lambda batches: merge_stream(merge, results_of(batches)))
        partitions = self.size.partitions
        while partitions > 1:
            partitions = -(-partitions // _FAN_IN)
            parts = run_on_results(parts.repartition(partitions, "key"), partial(merge_stream, merge))
        return merge(collect(parts) or [nothing()])

    def exchanged(
        self, buckets: int, part: Callable[..., list[Any]], join: Callable[[list[Any]], Any], *more: Any
    ) -> list[Any]:
        """As `PartitionedColumns` says, but parts a partition of more rows than `CHUNK` piece by piece.

        One job with one shuffle, beside a small one.
        """
        results_of, nothing = self._call(part, more)
        keys = keys_of_buckets(self._frame.sparkSession, buckets)
        parted = run_on_partitions(self._frame, partial(_parted, results_of, keys)).repartition(buckets, "key")
        found = dict(collect(run_on_results(parted, partial(_join_buckets, join))))
        if not found:
            return [join([item]) for item in nothing()]
        return [found[number] for number in range(buckets)]

    def _call(self, function: Callable[..., Any], more: tuple[Any, ...]) -> tuple[Results, Callable[[], Any]]:
        """Return what yields the result of each chunk of a partition, and what gives the result of no rows.

        No task holds more rows than a chunk, however large a partition is.
        """
        load, names, rows = self._load, self.names, CHUNK  # and not the frame, which stays here

        def results_of(batches: Iterator[Any]) -> Iterator[Any]:
            partition = partition_number()
            for table, first in chunks_of(batches, rows):
                title = f"partition {partition} from row {first:,} on" if first else f"partition {partition}"
                with reading(title):
                    columns = load(table)
                with naming(title):
                    yield function(columns, names, *more)

        return results_of, lambda: function([np.empty(0) for _ in names], names, *more)


def is_spark_frame(data: Any) -> bool:
    """Whether this is a data frame of Spark, classic or through Spark Connect.  O(1).

    Raises EvaluationTypeError for one with the interface of pandas.
    """
    module = type(data).__module__
    if module.startswith("pyspark.pandas"):
        raise EvaluationTypeError(f"data must be a DataFrame of pyspark.sql, got {shown(data)}; pass data.to_spark()")
    return module.startswith("pyspark.sql") and hasattr(data, "mapInArrow")


@contextmanager
def computed_once(data: Any, columns: Iterable[Any]) -> Iterator[Any]:
    """Yield a data frame of Spark whose columns are computed once and kept on the executors' disks until the end.

    columns: their names, or what is none.  Other data stay as they are; so does a frame that its owner keeps, or whose
    columns are read from Parquet or ORC files, which takes less than keeping them does.  O(columns).
    """
    wanted, kept = {name for name in columns if isinstance(name, str)}, None
    if is_spark_frame(data) and not data.isStreaming:
        plain = [_column(name) for name in data.columns if name in wanted]
        if len(plain) == len(wanted):  # of missing columns and those of one name, an error follows
            chosen = data.select(*plain)
            levels = data.storageLevel, chosen.storageLevel
            if not any(level.useMemory or level.useDisk for level in levels) and not _is_read(chosen):
                # memory would be taken from frames that others keep
                data = kept = chosen.persist(pyspark.StorageLevel.DISK_ONLY)
    try:
        yield data
    finally:
        if kept is not None:
            kept.unpersist()


def _is_read(frame: Any) -> bool:
    """Whether a frame is columns of files, or of what is kept, and nothing else; one of Spark Connect does not say."""
    if not hasattr(frame, "_jdf"):
        return False
    plan = frame._jdf.queryExecution().executedPlan().toString().partition("InMemoryTableScan")[0]
    return "UDF" not in plan and all(map(_READS.fullmatch, plan.splitlines()))


def _column(name: str) -> Any:
    return functions.col(f"`{name.replace('`', '``')}`")


def spark_columns(columns: Sequence[str], _names: tuple[str, ...], data: Any, as_text: bool) -> SparkColumns:
    """Return columns of a data frame, as `partitioned_columns` does.  O(columns): runs no job.

    Raises EvaluationError for missing columns, those of a name that several have, and streams, EvaluationTypeError for
    types that are no numbers, strings or lists.
    """
    check(not data.isStreaming, "data", "be a frame with an end", "a stream; evaluate each batch by foreachBatch")
    wanted = selected_names(Selection(tuple(columns)), data.columns)
    types = {field.name: field.dataType for field in data.schema.fields}
    for name in wanted:
        _check_that_arrow_has(types[name], name)
    # mapInArrow takes a dot in a name for a field of a column
    plain = (_column(name).alias(f"c{number}") for number, name in enumerate(wanted))

    def load(table: Any) -> list[Any]:
        return listed_columns(table.rename_columns(wanted), columns, as_text=as_text)

    return SparkColumns(data.select(*plain), tuple(f"column {name!r}" for name in columns), load)


def _check_that_arrow_has(kind: Any, name: str) -> None:
    if kind.typeName() in {"udt", "vector", "vectorudt"} or hasattr(kind, "sqlType"):
        way_out = f"take one number of each, such as pyspark.ml.functions.vector_to_array({name!r})[1]"
        raise EvaluationTypeError(f"column {name!r} must hold numbers or strings, got vectors of Spark; {way_out}")
    got, whole = "years and months of Spark; cast it to a string", kind.typeName() != "yearmonthinterval"
    check(whole, f"column {name!r}", "hold names, numbers or dates", got, EvaluationTypeError)


def _sampled(results_of: Results, nothing: Callable[[], Any], batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    try:
        yield from ((0, found) for found in results_of(batches))
    except (EvaluationError, EvaluationTypeError):  # the task that reads all says why
        yield 0, nothing()


def _parted(results_of: Results, keys: list[int], batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    for items in results_of(batches):
        yield from zip(keys, enumerate(items), strict=True)


def _join_buckets(join: Callable[[list[Any]], Any], results: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    buckets: dict[int, list[Any]] = {}
    for number, item in results:
        buckets.setdefault(number, []).append(item)
    for number in list(buckets):
        yield 0, (number, join(buckets.pop(number)))


class Failure(NamedTuple):
    """An error of this package that a task met."""

    is_late: bool
    """Whether the task worked on results of others, of which some may be missing for an error of theirs."""
    partition: int
    error: Exception
    cause: str
    """Where it was raised, if it came from an error of another package."""


class TaskError(Exception):
    """What led to an error of a task: the cause of the error that is raised on the driver."""


def chunks_of(batches: Iterable[Any], rows: int) -> Iterator[tuple[Any, int]]:
    """Join record batches to tables of at least `rows` rows, but for the last; none if there is no row.  O(n).

    Yields each table, and how many rows of the partition come before it.
    """
    first, waiting, size = 0, [], 0
    for batch in batches:
        if batch.num_rows:
            waiting.append(batch)
            size += batch.num_rows
        if size >= rows:
            yield pa.Table.from_batches(waiting), first
            first, waiting, size = first + size, [], 0
    if waiting:
        yield pa.Table.from_batches(waiting), first


def partition_number() -> int:
    """Return the number of the partition of this task, from 0.  O(1)."""
    return int(pyspark.TaskContext.get().partitionId())


def run_on_partitions(frame: Any, function: Task) -> Any:
    """Return a data frame of the pickled results of a function: a key and a content each.

    function: takes the record batches of a partition.
    """
    return frame.mapInArrow(partial(_pickled, function, False), _SCHEMA)


def run_on_results(frame: Any, function: Task) -> Any:
    """Return what a function makes of the results in each partition of a data frame, as `run_on_partitions`.

    function: takes the results.  Failures among them are handed on, and of a partition with one nothing else.
    """
    return frame.mapInArrow(partial(_pickled, partial(_of_results, function), True), _SCHEMA)


def collect(frame: Any) -> list[Any]:
    """Return the results in a data frame; raise the error of the first partition that has one.

    Raises EvaluationError too where a worker has no evalcore, and what Spark raises for anything else.
    """
    _limit_bytes_of_batches(frame, str(2**31 - 1))
    try:
        rows = frame.collect()
    except Exception as error:
        if "No module named 'evalcore" in str(error):
            way_out = "install it there, or send an environment along (spark.archives)"
            raise EvaluationError(f"evalcore must be installed on every worker of Spark; {way_out}") from error
        raise
    finally:
        _limit_bytes_of_batches(frame, None)
    found = [pickle.loads(row.content) for row in rows]
    failures = [each for each in found if isinstance(each, Failure)]
    if failures:
        first = min(failures, key=itemgetter(slice(2)))
        raise first.error from (TaskError(first.cause) if first.cause else None)
    return found


def _limit_bytes_of_batches(frame: Any, limit: str | None) -> None:
    """Limit the batches of the jobs of this thread, unless the session has a limit of its own, or batches of many rows.

    To keep to its limit, Spark 4 measures a batch after each row, which takes more than writing the row; it does not
    for 2**31 - 1.  Spark Connect has no settings of a thread.
    """
    of_bytes, of_rows = _LIMITS
    if hasattr(frame, "_jdf") and 0 < int(frame.sparkSession.conf.get(of_rows)) <= _FEW_ROWS:
        frame.sparkSession.sparkContext.setLocalProperty(of_bytes, limit)


def merge_stream(merge: Callable[[list[Any]], Any], results: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield all results merged, a few at a time, with the number of the partition; nothing if there are none."""
    waiting: list[Any] = []
    for result in results:
        waiting.append(result)
        if len(waiting) == _FAN_IN:
            waiting = [merge(waiting)]
    if waiting:
        yield partition_number(), merge(waiting)


def keys_of_buckets(session: Any, buckets: int) -> list[int]:
    """Return a key for each bucket that `repartition(buckets, "key")` sends to a partition of its own.  O(buckets).

    Spark decides by a hash of the key, and is asked here what it would decide.
    """
    if buckets == 1:
        return [0]
    bucket_of_key = f"pmod(hash(cast(id as int)), {buckets}) as bucket"
    tried = session.range(_KEYS_TRIED * buckets).selectExpr("cast(id as int) as key", bucket_of_key)
    rows = tried.groupBy("bucket").agg({"key": "min"}).toDF("bucket", "key").collect()
    key_of = {row.bucket: row.key for row in rows}
    return [key_of.get(bucket, bucket) for bucket in range(buckets)]


def _pickled(function: Task, is_late: bool, batches: Iterator[Any]) -> Iterator[Any]:
    try:
        with threads(1):  # other tasks run beside it
            for key, result in function(batches):
                yield _row(key, result)
    except (EvaluationError, EvaluationTypeError) as error:
        partition, root = partition_number(), cast("BaseException", error)
        while root.__cause__ is not None:
            root = root.__cause__
        foreign = not isinstance(root, EvaluationError | EvaluationTypeError)
        cause = "".join(traceback.format_exception(error)) if foreign else ""
        yield _row(partition, Failure(is_late, partition, error, cause))
        for _ in batches:  # Spark throws a worker away that leaves some
            pass


def _row(key: int, result: Any) -> Any:
    content = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    return pa.record_batch([pa.array([key], pa.int32()), pa.array([content], pa.binary())], ["key", "content"])


def _of_results(function: Task, batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    results = [pickle.loads(content.as_buffer()) for batch in batches for content in batch.column("content")]
    failures = [result for result in results if isinstance(result, Failure)]
    if failures:
        yield from ((0, failure) for failure in failures)
    else:
        yield from function(iter(results))
