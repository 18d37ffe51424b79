"""Which cases are positive, for whatever takes binary labels and `pos_label`: intervals, resamples, summaries."""

from typing import Any, TypeAlias

import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.typing import BoolArray
from evalcore.validation import arrays
from evalcore.validation.parameters import one_label
from evalcore.validation.scores import check_among, column, positives, standard_positives
from evalcore.validation.targets import check_positive_class, check_targets

Labels: TypeAlias = npt.NDArray[Any]


def positive_mask(labels: Any, pos_label: Any, function: str, name: str = "y_true") -> BoolArray:
    """Mark the positive labels of all cases, or of a part of them, which may lack either class.

    labels: (n,), as `binary_scores.positives` takes them; function and name: what errors call the function and its
    argument.  O(n).  Raises as `metrics.roc_curve`, also where there are two labels and neither is the positive one.

    >>> positive_mask([-1, 1], None, "roc_auc_interval"), positive_mask(["ham", "ham"], "spam", "update", "y")
    (array([False,  True]), array([False, False]))
    """
    one_label(pos_label, "pos_label", function)
    mask = positives(column(labels, name), pos_label, name)
    if not mask.any():
        check_among(pos_label, column(labels, name))
    return mask


def scored_cases(
    labels: Any, scores: Any, pos_label: Any, function: str, names: tuple[str, str] = ("y_true", "y_score")
) -> arrays.Cases:
    """Return which cases are positive, and their scores.  Raises as `positive_mask` and `checks.cases`.  O(n).

    >>> scored_cases(["ham", "spam"], [0.25, 0.5], "spam", "roc_auc_interval")
    Cases(correct=array([False,  True]), scores=array([0.25, 0.5 ]))
    """
    return arrays.cases(positive_mask(labels, pos_label, function, names[0]), scores, names)


def decisions(y_true: Any, y_pred: Any, pos_label: Any, function: str) -> BinaryCounts:
    """Count two columns of labels as positive and negative.  O(n).

    Raises as `metrics.precision_score`, but says of more than two classes what helps here.

    >>> decisions(["ham", "spam"], ["spam", "spam"], "spam", "precision_interval")
    BinaryCounts(tp=1, fn=0, fp=1, tn=0)
    """
    one_label(pos_label, "pos_label", function)
    columns = column(y_true, "y_true"), column(y_pred, "y_pred")
    arrays.check_equal_lengths(*columns, "y_true", "y_pred")
    marks = _of_one_coding(*columns) if pos_label in (1, True) else None
    if marks is not None:
        return binary_counts(*marks)
    targets = check_targets(y_true, y_pred)
    if targets.kind == "multiclass":
        raise EvaluationError("y_true and y_pred hold more than two classes; compare one with the rest, as y == c")
    check_positive_class(targets, pos_label)
    classes = targets.classes.tolist()
    if pos_label not in classes:
        return BinaryCounts(0, 0, 0, targets.y_true.size)
    code = targets.low + int(targets.places[classes.index(pos_label)])
    return binary_counts(targets.y_true == code, targets.y_pred == code)


def _of_one_coding(y_true: Labels, y_pred: Labels) -> tuple[BoolArray, BoolArray] | None:
    """Mark the ones where both columns are in {0, 1} or both in {-1, 1}: much faster than finding out the classes."""
    marks = standard_positives(y_true), standard_positives(y_pred)
    if marks[0] is None or marks[1] is None or _has_minus(y_true) != _has_minus(y_pred):
        return None
    return marks[0], marks[1]


def _has_minus(labels: Labels) -> bool:
    return labels.dtype.kind != "b" and labels.size > 0 and bool(labels.min() < 0)
