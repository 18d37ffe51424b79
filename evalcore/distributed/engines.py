"""Which engine holds the columns that a function is given: dask, or Spark."""

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from evalcore.distributed.on_dask.columns import dask_columns
from evalcore.distributed.on_spark.columns import is_spark_frame, spark_columns
from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.partition_tasks import finite_scores

Columns = TypeVar("Columns", bound=PartitionedColumns)


def partitioned_columns(
    first: Any,
    second: Any,
    data: Any = None,
    sample_weight: Any = None,
    by: Sequence[Any] = (),
    *,
    names: tuple[str, ...] = ("y_true", "y_score"),
    as_text: bool = False,
) -> PartitionedColumns:
    """Return two columns in partitions, weights if there are some, and columns of groups.

    first, second, sample_weight, by: names of columns of `data`, a data frame of dask or Spark or Parquet files; or
    dask arrays, Series, bags or lists of Delayed; names: of the first two; as_text: whether cells are names or lists of
    them.  O(partitions).

    Raises EvaluationError for missing columns and different partitions, EvaluationTypeError for other types.
    """
    if is_spark_frame(data):
        return spark_columns(first, second, data, sample_weight, by, names=names, as_text=as_text)
    return dask_columns(first, second, data, sample_weight, by, names=names, as_text=as_text)


def of_finite_scores(columns: Columns) -> Columns:
    """Return columns whose tasks refuse infinite scores.  O(partitions)."""
    return columns.selected(partial(finite_scores, columns.names[1]), columns.names)
