"""What a task makes of the cases of one partition: checked, sorted, sampled or summarised."""

from typing import Any

import numpy as np

from evalcore.distributed.sorted_partitions import SortedCases, sorted_cases
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.streaming import ScoreSummary, learn_cuts
from evalcore.typing import BoolArray
from evalcore.validation.arrays import Cases, as_cases, as_column
from evalcore.validation.positive_labels import standard_positive_mask


def check_label(pos_label: Any) -> None:
    """Raise EvaluationTypeError for several positive labels.

    >>> check_label("late")
    """
    if np.ndim(pos_label):
        raise EvaluationTypeError(f"pos_label must be a number, a Boolean or a string, got {shown(pos_label)}")


def checked_cases(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any = None) -> Cases:
    """Return labels and scores of equal length.

    labels: Booleans, 0 and 1, -1 and 1, or anything of which `pos_label` is the positive one.  O(n).

    Raises EvaluationError or EvaluationTypeError as `arrays.as_cases` does, and for labels that are missing.

    >>> checked_cases(["yes", "no"], [0.5, 0.25], ("y_true", "y_score"), pos_label="yes").correct
    array([ True, False])
    """
    column = as_column(labels, names[0])
    marked = standard_positive_mask(column) if pos_label is None else _positive(column, pos_label, names[0])
    return as_cases(labels if marked is None else marked, scores, names)


def _positive(labels: Any, pos_label: Any, name: str) -> BoolArray:
    if labels.dtype.kind == "O":
        missing = np.fromiter(map(_is_missing, labels.tolist()), np.bool_, labels.size)
    else:
        missing = labels != labels  # noqa: PLR0124  NaN differs from itself
    if missing.any():
        index = int(missing.argmax())
        raise EvaluationError(f"{name}[{index}] is missing ({labels[index]})")
    return np.broadcast_to(np.asarray(labels == pos_label, np.bool_), labels.shape)


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)  # noqa: PLR0124  NaN differs from itself
    except TypeError:  # of what pandas has for missing, nothing is known
        return True


def sorted_partition(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any) -> SortedCases:
    """Check and sort the cases of a partition.  O(n log n).  Raises as `checked_cases`.

    >>> sorted_partition([1, 0], [0.9, 0.1], ("y_true", "y_score"), None)
    SortedCases(positives=array([0.9]), negatives=array([0.1]))
    """
    return sorted_cases(*checked_cases(labels, scores, names, pos_label))


def some_cases(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any) -> Cases:
    """Return some cases of a partition, none where they are not right: whoever reads the whole partition says why.

    >>> some_cases([1, 2], [0.9, 0.1], ("y_true", "y_score"), None).scores
    array([], dtype=float64)
    """
    try:
        return checked_cases(labels, scores, names, pos_label)
    except (EvaluationError, EvaluationTypeError):
        return checked_cases([], [], names)


def empty_summary(samples: list[Cases], capacity: int) -> ScoreSummary:
    """Return a summary of no cases, with the cuts that some cases suggest; without any it has none.  O(n log n).

    >>> empty_summary([Cases(np.array([True, False]), np.array([0.9, 0.1]))], capacity=4).cuts
    array([0.9])
    """
    correct, scores = (np.concatenate(columns) for columns in zip(*samples, strict=True))
    return ScoreSummary(capacity, learn_cuts(correct, scores, capacity) if scores.size else None)


def summarised(labels: Any, scores: Any, names: tuple[str, str], pos_label: Any, empty: ScoreSummary) -> ScoreSummary:
    """Check and summarise the cases of a partition, as an empty summary would.  O(n log n).  Raises as `checked_cases`.

    >>> summarised([1, 0], [0.9, 0.1], ("y_true", "y_score"), None, ScoreSummary()).roc_auc()
    1.0
    """
    summary = ScoreSummary(empty.capacity, empty.cuts)
    summary.update(*checked_cases(labels, scores, names, pos_label))
    return summary


def merged(summaries: list[ScoreSummary]) -> ScoreSummary:
    """Return one summary of what several hold, which stay as they are.  O(k log k) for each.

    >>> one = ScoreSummary()
    >>> one.update([1, 0], [0.9, 0.1])
    >>> merged([one, one]).size
    4
    """
    summary = ScoreSummary(summaries[0].capacity, summaries[0].cuts)
    for each in summaries:
        summary.merge(each)
    return summary
