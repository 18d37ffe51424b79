"""What tasks do with the cases of one partition: check, sort, sample and summarise them."""

from typing import Any

import numpy as np

from evalcore.distributed.sorted_partitions import LabelCounts, SortedCases, sort_cases
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.streaming import ScoreSummary
from evalcore.typing import BoolArray
from evalcore.validation.arrays import Cases, as_cases, as_column
from evalcore.validation.labels import check_not_missing
from evalcore.validation.positive_labels import standard_positive_mask


def check_pos_label(pos_label: Any) -> None:
    """Raise EvaluationTypeError for several positive labels.  O(1)."""
    if np.ndim(pos_label):
        raise EvaluationTypeError(f"pos_label must be a number, a Boolean or a string, got {shown(pos_label)}")


def check_found(counts: LabelCounts, name: str, pos_label: Any) -> None:
    """Raise EvaluationError if there is no case, or none of the positive label that was named.  O(1)."""
    if not sum(counts):
        raise EvaluationError(f"Found array with 0 sample(s) while a minimum of 1 is required: {name} is empty.")
    if pos_label is not None and not counts.positives:
        raise EvaluationError(f"pos_label={pos_label!r} is not a valid label: no value of {name} equals it")


def checked_partition(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any = None) -> Cases:
    """Return the labels and scores of a partition, checked.

    labels: (n,) Booleans, 0 and 1, -1 and 1, or any labels, of which `pos_label` is the positive one.  O(n).

    Raises as `evalcore.validation.arrays.as_cases`, and EvaluationError for missing labels.
    """
    column = as_column(labels, names[0])
    positive = standard_positive_mask(column) if pos_label is None else _equal_to(pos_label, column, names[0])
    return as_cases(labels if positive is None else positive, scores, names)


def _equal_to(pos_label: Any, labels: Any, name: str) -> BoolArray:
    check_not_missing(labels, name)
    return np.broadcast_to(np.asarray(labels == pos_label, np.bool_), labels.shape)


def sort_partition(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any) -> SortedCases:
    """Check and sort the cases of a partition.  O(n log n).  Raises as `checked_partition`."""
    return sort_cases(*checked_partition(labels, scores, names, pos_label))


def sample_partition(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any) -> Cases:
    """Check a sample of a partition; return no cases if it is invalid, for the task that reads all says why.  O(n)."""
    try:
        return checked_partition(labels, scores, names, pos_label)
    except (EvaluationError, EvaluationTypeError):
        return checked_partition([], [], names)


def summarise_partition(
    labels: Any, scores: Any, names: tuple[str, str], pos_label: Any, empty: ScoreSummary
) -> ScoreSummary:
    """Check and summarise the cases of a partition, with the cuts of an empty summary.  O(n log n)."""
    summary = ScoreSummary(empty.capacity, empty.cuts)
    summary.update(*checked_partition(labels, scores, names, pos_label))
    return summary
