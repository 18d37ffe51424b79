"""Columns in partitions: which engine holds them, and what tasks do with the cases of one partition.

An engine has one primitive each way.  `merged` calls a function with each partition and merges what it returned;
`exchanged` parts each partition among buckets, and joins what each bucket got.
"""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.distributed.on_dask import DaskColumns, dask_columns
from evalcore.distributed.on_spark import SparkColumns, is_spark_frame, spark_columns
from evalcore.errors import EvaluationError, EvaluationTypeError, check, check_type, refuse
from evalcore.kernels.weights import WeightSums, are_whole, class_weight_sums, scaled_weights
from evalcore.streaming import ScoreSummary, learn_cuts
from evalcore.typing import AnyArray, BoolArray, ScoreArray
from evalcore.validation.arrays import as_cases, as_column, as_labels
from evalcore.validation.labels import check_not_missing
from evalcore.validation.positive_class import standard_positive_mask
from evalcore.validation.values import item_name
from evalcore.validation.weights import as_case_weights, check_total_weight, total_weight

_FITS_INT64 = 2**62
_SAMPLED_PER_INTERVAL = 10
"""Cases from which an interval of a summary is learnt."""


PartitionedColumns: TypeAlias = DaskColumns | SparkColumns
"""Columns of equal length in partitions: two, and weights if cases have some.

names: of the columns, for errors; ranges: the number of ranges among which the cases are parted, so that each fits the
memory of a task.

`selected` returns what a function makes of the columns of each partition, with their names. `samples` calls a function
with about that number of cases, from all partitions, and returns what it returned; with no case of what is invalid.
`merged` calls a function with each partition, and merges what it returned, a few at a time; merge: takes a list of
results, merged or not. `exchanged` parts each partition among buckets, joins what each bucket got, and returns what
that returned, by bucket; part: called with each partition, returns an item for each bucket; join: takes the items of
one bucket.

Functions that are called with the columns of a partition take a list of them, (n,) each, their names, and `more`.
They run where the partition is; an error of this package that one raises begins with the number of the partition,
from 0, and is raised again here.
"""


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
    columns = [first, second, *([] if sample_weight is None else [sample_weight]), *by]
    names = (*names, *(() if sample_weight is None else ("sample_weight",)), *["by"] * len(by))
    if data is not None:
        for column, name in zip(columns, names, strict=True):
            check_type(isinstance(column, str), name, "be the name of a column of data", column)
    engine = spark_columns if is_spark_frame(data) else dask_columns
    return engine(columns, names, data, as_text)


def finite_scores(name: str, columns: list[Any]) -> list[Any]:
    """Return columns of a partition, of which the second are scores of this name.  O(n).  Raises if one is infinite."""
    try:
        infinite = np.isinf(np.asarray(columns[1]))
    except (TypeError, ValueError):  # texts have an error of their own
        return columns
    if infinite.any():
        rule = "scores must be finite, as for evalcore.metrics (evalcore.distributed.evaluate takes infinite ones)"
        raise EvaluationError(f"{item_name(name, int(infinite.argmax()))} is infinite; {rule}")
    return columns


class LabelCounts(NamedTuple):
    """Cases of each label, or their weight: whole numbers as int, others as float."""

    positives: Any
    negatives: Any

    @property
    def whole(self) -> bool:
        """Whether all weights are whole, so that sums of them are exact."""
        return isinstance(self.positives, int)


class CheckedCases(NamedTuple):
    """Cases of a partition, without those of weight zero."""

    correct: BoolArray
    """Shape (n,)."""
    scores: ScoreArray
    """Shape (n,)."""
    weights: AnyArray | None
    """Above zero, int64 if all are whole, otherwise float64, shape (n,); None if cases have none."""


def check_pos_label(pos_label: Any) -> None:
    """Raise EvaluationTypeError for several positive labels.  O(1)."""
    check_type(not np.ndim(pos_label), "pos_label", "be a number, a Boolean or a string", pos_label)


def check_found(counts: LabelCounts, names: Sequence[str], pos_label: Any) -> None:
    """Raise EvaluationError if there is no case, or none of the positive label that was named.  O(1).

    names: of the columns, two or, with weights, three.
    """
    check_weight(sum(counts), names)
    refuse({f"Found array with 0 sample(s) while a minimum of 1 is required: {names[0]} is empty.": not sum(counts)})
    unknown, what = pos_label is not None and not counts.positives, f"value of {names[0]}"
    what += " with a weight above 0" if names[2:] else ""
    refuse({f"pos_label={pos_label!r} is not a valid label: no {what} equals it": unknown})


def check_weight(total: float, names: Sequence[str]) -> None:
    """Raise EvaluationError if a third column is weights, and their sum is zero or too large.  O(1)."""
    for name in names[2:]:
        check_total_weight(total, name, whole=False)
        fits = not isinstance(total, int) or total < _FITS_INT64
        check(fits, name, "have a sum below 2**62", f"{total}; divide the weights by a number")


def checked_partition(columns: Sequence[Any], names: Sequence[str], pos_label: Any = None) -> CheckedCases:
    """Return the cases of a partition, checked.

    columns: labels, scores and perhaps weights, (n,) each; labels are Booleans, 0 and 1, -1 and 1, or any, of which
    `pos_label` is the positive one.  O(n).

    Raises as `evalcore.validation.arrays.as_cases` and `as_case_weights`, and EvaluationError for missing labels.
    """
    labels, scores, *weights = columns
    cases = as_cases(_plain_labels(labels, names[0], pos_label), scores, (names[0], names[1]))
    if not weights:
        return CheckedCases(*cases, None)
    checked = as_case_weights(weights[0], cases.scores.size, names[2], zeros=True)
    if are_whole(checked):  # then their sum is exact
        checked = checked.astype(np.int64, copy=False)
    present = checked > 0
    columns = (*cases, checked)
    return CheckedCases(*(columns if present.all() else (column[present] for column in columns)))


def _plain_labels(labels: Any, name: str, pos_label: Any) -> Any:
    """Return a mask of the positive cases, (n,) bool, or labels as they are for `as_labels`.  O(n)."""
    column = as_column(labels, name)
    if pos_label is None:
        positive = standard_positive_mask(column)
        if positive is None and column.size and isinstance(column[0], str):
            got = f"names such as {str(column[0])!r}; say which is positive (pos_label=...)"
            raise EvaluationTypeError(f"{name} must hold Booleans, or the numbers 0 and 1, got {got}")
        return labels if positive is None else positive
    check_not_missing(column, name)
    return np.broadcast_to(np.asarray(column == pos_label, np.bool_), column.shape)


class ClassWeights(NamedTuple):
    """Weights of positives and of negatives."""

    sums: WeightSums
    """Of the weights divided by the divisor, shape (2,) each."""
    divisor: float = 1.0
    """A power of two, so that no square of a weight leaves float64; 1.0 for weights of common size."""

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return float(self.sums.sums.sum()) * self.divisor


def weigh_partition(columns: Sequence[Any], names: Sequence[str], pos_label: Any, frequencies: bool) -> ClassWeights:
    """Check labels and weights of a partition, (n,) each, and add up the weights of each class.  O(n).

    frequencies: whether weights must be whole numbers.
    """
    labels, given = columns
    positive = as_labels(_plain_labels(labels, names[0], pos_label), names[0])
    weights, divisor = as_case_weights(given, positive.size, names[1], whole=frequencies, zeros=True), 1.0
    if weights.dtype.kind == "f" and weights.size:
        weights, divisor = scaled_weights(weights)
    return ClassWeights(class_weight_sums(positive, weights), divisor)


def merge_class_weights(parts: list[ClassWeights]) -> ClassWeights:
    """Add up the weights of several partitions, some of them perhaps without weight.  O(parts)."""
    present = [part for part in parts if part.sums.sums.any()] or parts[:1]
    divisor = max(part.divisor for part in present)
    sums = (part.sums.scaled(np.full(2, part.divisor / divisor)) for part in present)
    return ClassWeights(reduce(WeightSums.plus, sums), divisor)


def summarise_partition(
    columns: Sequence[Any], names: Sequence[str], pos_label: Any, empty: ScoreSummary
) -> ScoreSummary:
    """Check and summarise the cases of a partition, with the cuts of an empty summary.  O(n log n)."""
    summary = ScoreSummary(empty.capacity, empty.cuts)
    correct, scores, weights = checked_partition(columns, names, pos_label)
    summary.update(correct, scores, sample_weight=weights)
    return summary


def merged_summary(columns: PartitionedColumns, capacity: int, pos_label: Any) -> ScoreSummary:
    """Summarise all cases, by a tree of merges.

    The cuts are learnt from a sample of every partition first, and shared.  So partitions are loaded twice, of Parquet
    files only a few rows of every row group.  O(n log n) in all; a summary is up to 2 MB at a capacity of 65,536.

    Raises as the partitions do, and as `check_found`.
    """
    check_pos_label(pos_label)
    samples = columns.samples(_SAMPLED_PER_INTERVAL * capacity, checked_partition, pos_label)
    correct, scores = (np.concatenate([sample[index] for sample in samples]) for index in range(2))
    weights, cuts = [sample.weights for sample in samples if sample.weights is not None], None
    if scores.size:
        sample_weight = np.concatenate(weights) if weights else None
        if sample_weight is not None:
            check_weight(total_weight(sample_weight), columns.names)
        cuts = learn_cuts(correct, scores, capacity, sample_weight=sample_weight)
    merge = partial(_merge_summaries, columns.names)
    summary: ScoreSummary = columns.merged(summarise_partition, merge, pos_label, ScoreSummary(capacity, cuts))
    check_found(LabelCounts(summary.positives, summary.negatives), columns.names, pos_label)
    return summary


def _merge_summaries(names: Sequence[str], summaries: list[ScoreSummary]) -> ScoreSummary:
    """Return one summary of what several hold, which are left as they are.  O(k log k) for each.

    names: of the columns.  Raises as `check_weight`, unless no case has a weight.
    """
    if total := sum(summary.size for summary in summaries):
        check_weight(total, names)
    merged = ScoreSummary(summaries[0].capacity, summaries[0].cuts)
    for summary in summaries:
        merged.merge(summary)
    return merged
