"""Jobs on Spark data frames: Python functions of partitions, and what they return, pickled in rows.

`mapInArrow` hands a partition over as record batches, in classic sessions and through Spark Connect.  What a function
returns stays on the executors, moves between them or comes to the driver as one row, never as a row for each case.  An
error of this package is returned like a result, and raised on the driver: raised in a task, Spark would try the task
again, and bury the message in a Java trace.
"""

import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.io.formats import naming, reading
from evalcore.optional import require
from evalcore.parallel import threads

_SCHEMA = "key int, content binary"
_FAN_IN = 8
"""Results that one task of a tree merges at a time: a few megabytes of summaries."""
_KEYS_TRIED = 24
"""For each bucket: about one bucket in 10**10 then has no key of its own, and shares a task with another."""


Task: TypeAlias = Callable[[Iterator[Any]], Iterator[tuple[int, Any]]]
"""Takes what a partition holds, yields keys and results."""


class Failure(NamedTuple):
    """An error of this package that a task met."""

    is_late: bool
    """Whether the task worked on results of others, of which some may be missing for an error of theirs."""
    partition: int
    error: Exception
    cause: str
    """Where it was raised, if it came from an error of something else."""


class TaskError(Exception):
    """What led to an error of a task: the cause of the error that is raised on the driver."""


class Chunk(NamedTuple):
    """Consecutive rows of a partition."""

    table: Any
    """A pyarrow Table."""
    first: int
    """Rows of the partition before them."""


def chunks_of(batches: Iterable[Any], rows: int) -> Iterator[Chunk]:
    """Join record batches to tables of at least so many rows, but for the last; none if there is no row.  O(n)."""
    pa = require("pyarrow", "spark")
    first, waiting, size = 0, [], 0
    for batch in batches:
        if batch.num_rows:
            waiting.append(batch)
            size += batch.num_rows
        if size >= rows:
            yield Chunk(pa.Table.from_batches(waiting), first)
            first, waiting, size = first + size, [], 0
    if waiting:
        yield Chunk(pa.Table.from_batches(waiting), first)


def call_with_chunks(
    batches: Iterable[Any], rows: int, load: Callable[[Any], list[Any]], function: Callable[..., Any]
) -> Iterator[Any]:
    """Yield what a function returns for each chunk of the partition of this task.

    load: takes a table, returns columns; function: takes them.  Errors begin with the number of the partition.
    """
    partition = partition_number()
    for chunk in chunks_of(batches, rows):
        title = f"partition {partition} from row {chunk.first:,} on" if chunk.first else f"partition {partition}"
        with reading(title):
            columns = load(chunk.table)
        with naming(title):
            yield function(columns)


def partition_number() -> int:
    """Return the number of the partition of this task, from 0.  O(1)."""
    number: int = require("pyspark", "spark").TaskContext.get().partitionId()
    return number


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


def results_in(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the results that the record batches of a data frame hold.  O(bytes)."""
    for batch in batches:
        for content in batch.column("content"):
            yield pickle.loads(content.as_buffer())


def raise_failure(failure: Failure) -> None:
    """Raise the error of a task."""
    raise failure.error from (TaskError(failure.cause) if failure.cause else None)


def collect(frame: Any) -> list[Any]:
    """Return the results in a data frame; raise the error of the first partition that has one.

    Raises EvaluationError too where a worker has no evalcore, and what Spark raises for anything else.
    """
    try:
        rows = frame.collect()
    except Exception as error:
        if "No module named 'evalcore" in str(error):
            raise EvaluationError(
                "evalcore must be installed on every worker of Spark; install it there, or send an environment along "
                "(spark.archives)"
            ) from error
        raise
    found = [pickle.loads(row.content) for row in rows]
    failures = [each for each in found if isinstance(each, Failure)]
    if failures:
        raise_failure(min(failures, key=itemgetter(slice(2))))
    return found


def merge_in_tree(frame: Any, partitions: int, merge: Callable[[list[Any]], Any]) -> Any:
    """Return the results in a data frame merged to one, a few at a time, on the executors.

    partitions: about how many the frame has; merge: takes a list of results, merged or not.
    """
    while partitions > 1:
        partitions = -(-partitions // _FAN_IN)
        frame = run_on_results(frame.repartition(partitions, "key"), partial(_merged, merge))
    return frame


def merge_stream(results: Iterable[Any], merge: Callable[[list[Any]], Any]) -> Iterator[Any]:
    """Yield all results merged, a few at a time; nothing if there are none."""
    waiting: list[Any] = []
    for result in results:
        waiting.append(result)
        if len(waiting) == _FAN_IN:
            waiting = [merge(waiting)]
    if waiting:
        yield merge(waiting)


def keys_of_buckets(session: Any, buckets: int) -> list[int]:
    """Return a key for each bucket that `repartition(buckets, "key")` sends to a partition of its own.  O(buckets).

    Spark decides by a hash of the key, and is asked here what it would decide.
    """
    if buckets == 1:
        return [0]
    tried = session.range(_KEYS_TRIED * buckets).selectExpr(
        "cast(id as int) as key", f"pmod(hash(cast(id as int)), {buckets}) as bucket"
    )
    key_of = {
        row.bucket: row.key for row in tried.groupBy("bucket").agg({"key": "min"}).toDF("bucket", "key").collect()
    }
    return [key_of.get(bucket, bucket) for bucket in range(buckets)]


def _pickled(function: Task, is_late: bool, batches: Iterator[Any]) -> Iterator[Any]:
    try:
        with threads(1):  # other tasks run beside it
            for key, result in function(batches):
                yield _row(key, result)
    except (EvaluationError, EvaluationTypeError) as error:
        partition = partition_number()
        yield _row(partition, Failure(is_late, partition, error, _foreign_cause(error)))
        for _ in batches:  # Spark throws a worker away that leaves some
            pass


def _foreign_cause(error: BaseException) -> str:
    """Return the traceback of an error that comes from one of another package, otherwise nothing."""
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    return "" if isinstance(root, EvaluationError | EvaluationTypeError) else "".join(traceback.format_exception(error))


def _row(key: int, result: Any) -> Any:
    pa = require("pyarrow", "spark")
    content = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    return pa.record_batch([pa.array([key], pa.int32()), pa.array([content], pa.binary())], ["key", "content"])


def _of_results(function: Task, batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    results = list(results_in(batches))
    failures = [result for result in results if isinstance(result, Failure)]
    if failures:
        yield from ((0, failure) for failure in failures)
    else:
        yield from function(iter(results))


def _merged(merge: Callable[[list[Any]], Any], results: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    for merged in merge_stream(results, merge):
        yield partition_number(), merged
