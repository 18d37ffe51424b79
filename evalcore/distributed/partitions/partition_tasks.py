"""What tasks do with the cases of one partition: check, sort, sample and summarise them."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.partitions.sorted_partitions import (
    LabelCounts,
    PartitionCases,
    sort_cases,
    sort_weighted_scores,
)
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.kernels.weight_sums import WeightSums, are_whole, class_weight_sums, scaled_weights
from evalcore.streaming import ScoreSummary
from evalcore.typing import AnyArray, BoolArray, ScoreArray
from evalcore.validation.arrays import as_cases, as_column, as_labels
from evalcore.validation.labels import check_not_missing
from evalcore.validation.positive_labels import standard_positive_mask
from evalcore.validation.single_values import item_name
from evalcore.validation.weights import as_case_weights, check_total_weight

_FITS_INT64 = 2**62


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
    if np.ndim(pos_label):
        raise EvaluationTypeError(f"pos_label must be a number, a Boolean or a string, got {shown(pos_label)}")


def check_found(counts: LabelCounts, names: Sequence[str], pos_label: Any) -> None:
    """Raise EvaluationError if there is no case, or none of the positive label that was named.  O(1).

    names: of the columns, two or, with weights, three.
    """
    check_weight(sum(counts), names)
    if not sum(counts):
        raise EvaluationError(f"Found array with 0 sample(s) while a minimum of 1 is required: {names[0]} is empty.")
    if pos_label is not None and not counts.positives:
        what = f"value of {names[0]}" if len(names) == 2 else f"value of {names[0]} with a weight above 0"
        raise EvaluationError(f"pos_label={pos_label!r} is not a valid label: no {what} equals it")


def check_weight(total: float, names: Sequence[str]) -> None:
    """Raise EvaluationError if a third column is weights, and their sum is zero or too large.  O(1)."""
    for name in names[2:]:
        check_total_weight(total, name, whole=False)
        if isinstance(total, int) and total >= _FITS_INT64:
            raise EvaluationError(f"{name} must have a sum below 2**62, got {total}; divide the weights by a number")


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
    checked = _as_counts(as_case_weights(weights[0], cases.scores.size, names[2], zeros=True))
    present = checked > 0
    columns = (*cases, checked)
    return CheckedCases(*(columns if present.all() else (column[present] for column in columns)))


def _plain_labels(labels: Any, name: str, pos_label: Any) -> Any:
    """Return a mask of the positive cases, (n,) bool, or labels as they are for `as_labels`.  O(n)."""
    column = as_column(labels, name)
    if pos_label is None:
        positive = standard_positive_mask(column)
        if positive is None and column.size and isinstance(column[0], str):
            raise EvaluationTypeError(
                f"{name} must hold Booleans, or the numbers 0 and 1, got names such as {str(column[0])!r}; say which "
                "is positive (pos_label=...)"
            )
        return labels if positive is None else positive
    check_not_missing(column, name)
    return np.broadcast_to(np.asarray(column == pos_label, np.bool_), column.shape)


def _as_counts(weights: AnyArray) -> AnyArray:
    """Return weights as int64 if all are whole, and their sum exact; otherwise as they are.  O(n)."""
    return weights.astype(np.int64, copy=False) if are_whole(weights) else weights


def finite_scores(name: str, columns: list[Any]) -> list[Any]:
    """Return the columns of a partition.  Raises EvaluationError for infinite scores, as `evalcore.metrics`.  O(n)."""
    try:
        infinite = np.isinf(np.asarray(columns[1]))
    except (TypeError, ValueError):  # texts have an error of their own
        return columns
    if infinite.any():
        raise EvaluationError(
            f"{item_name(name, int(infinite.argmax()))} is infinite; scores must be finite, as for evalcore.metrics "
            "(evalcore.distributed.report takes infinite ones)"
        )
    return columns


def sort_partition(columns: Sequence[Any], names: Sequence[str], pos_label: Any) -> PartitionCases:
    """Check and sort the cases of a partition.  O(n log n).  Raises as `checked_partition`."""
    correct, scores, weights = checked_partition(columns, names, pos_label)
    if weights is None:
        return sort_cases(correct, scores)
    return sort_weighted_scores(scores, np.where(correct, weights, -weights))


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


def sample_partition(columns: Sequence[Any], names: Sequence[str], pos_label: Any) -> CheckedCases:
    """Check a sample of a partition; return no cases if it is invalid, for the task that reads all says why.  O(n)."""
    try:
        return checked_partition(columns, names, pos_label)
    except (EvaluationError, EvaluationTypeError):
        return checked_partition([[] for _ in columns], names)


def summarise_partition(
    columns: Sequence[Any], names: Sequence[str], pos_label: Any, empty: ScoreSummary
) -> ScoreSummary:
    """Check and summarise the cases of a partition, with the cuts of an empty summary.  O(n log n)."""
    summary = ScoreSummary(empty.capacity, empty.cuts)
    correct, scores, weights = checked_partition(columns, names, pos_label)
    summary.update(correct, scores, sample_weight=weights)
    return summary
