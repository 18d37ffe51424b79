"""Masks of positive labels, for whatever takes binary labels and `pos_label`."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.blocks import map_blocks
from evalcore.typing import AnyArray, BoolArray
from evalcore.validation.arrays import Cases, as_cases, as_class_labels, check_equal_lengths
from evalcore.validation.labels import encode_labels
from evalcore.validation.parameters import check_label
from evalcore.validation.target_types import type_of_target
from evalcore.validation.targets import check_positive_class, check_targets


def as_positive_mask(labels: Any, pos_label: Any, function: str, name: str = "y_true") -> BoolArray:
    """Mark the positive ones of labels (n,), which may lack either class; errors name the function.  O(n)."""
    check_label(pos_label, "pos_label", function)
    column = as_class_labels(labels, name)
    mask = positive_mask(column, pos_label, name)
    if not mask.any():
        check_positive_label(pos_label, column)
    return mask


def as_scored_cases(
    labels: Any, scores: Any, pos_label: Any, function: str, names: tuple[str, str] = ("y_true", "y_score")
) -> Cases:
    """Return which cases are positive, and their scores.  O(n)."""
    return as_cases(as_positive_mask(labels, pos_label, function, names[0]), scores, names)


def as_positive_masks(y_true: Any, y_pred: Any, pos_label: Any, function: str) -> tuple[BoolArray, BoolArray]:
    """Mark the positive labels of two columns; as `as_positive_mask`, but neither may hold a third class.  O(n)."""
    check_label(pos_label, "pos_label", function)
    columns = as_class_labels(y_true, "y_true"), as_class_labels(y_pred, "y_pred")
    check_equal_lengths(*columns, "y_true", "y_pred")
    masks = _of_one_coding(*columns) if pos_label in (None, 1, True) else None
    if masks is not None:
        return masks
    if pos_label is None:
        for column, name in zip(columns, ("y_true", "y_pred"), strict=True):
            positive_mask(column, None, name)
        pos_label = 1
    targets = check_targets(*columns)
    if targets.kind == "multiclass":
        raise EvaluationError("y_true and y_pred hold more than two classes; compare one with the rest, as y == c")
    check_positive_class(targets, pos_label)
    classes = targets.classes.tolist()
    if pos_label not in classes:
        return np.zeros(targets.y_true.size, np.bool_), np.zeros(targets.y_true.size, np.bool_)
    code = targets.low + int(targets.class_indices[classes.index(pos_label)])
    return targets.y_true == code, targets.y_pred == code


def _of_one_coding(y_true: AnyArray, y_pred: AnyArray) -> tuple[BoolArray, BoolArray] | None:
    """Mark the ones if both columns are in {0, 1} or both in {-1, 1}: much faster than finding out the classes."""
    true, pred = standard_positive_mask(y_true), standard_positive_mask(y_pred)
    if true is None or pred is None or _has_minus(y_true) != _has_minus(y_pred):
        return None
    return true, pred


def _has_minus(labels: AnyArray) -> bool:
    return labels.dtype.kind != "b" and labels.size > 0 and bool(labels.min() < 0)


def positive_mask(labels: AnyArray, pos_label: Any, name: str = "y_true") -> BoolArray:
    """Mark the labels of the positive class; without one, 1 beside 0 or beside -1.  O(n), O(n log n) for an error."""
    standard = standard_positive_mask(labels) if pos_label is None or pos_label in (True, 1) else None
    if standard is not None:
        return standard
    _check_classes(labels, pos_label, name)
    mask: BoolArray = np.asarray(labels == pos_label, dtype=np.bool_)
    return mask


def check_positive_label(pos_label: Any, labels: AnyArray) -> None:
    """Raise EvaluationError if there are two labels and the positive one is neither.  O(n)."""
    if pos_label is None:
        return
    present = encode_labels(labels)[0]
    if present.size == 2 and pos_label not in present.tolist():
        raise EvaluationError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")


def plain_mask(labels: AnyArray) -> BoolArray | None:
    """Mark the ones among Booleans, or integers 0 and 1, (n,), in the fewest calls; None for other labels.  O(n)."""
    if labels.dtype.kind == "b":
        return labels
    if labels.dtype.kind not in "iu":
        return None
    mask = labels.astype(np.bool_)
    return mask if mask.astype(labels.dtype).tobytes() == labels.tobytes() else None


def standard_positive_mask(labels: AnyArray) -> BoolArray | None:
    """Mark the ones among labels (n,) of {0, 1} or {-1, 1}; None for other labels.  O(n)."""
    if labels.dtype.kind == "b":
        return labels
    if labels.dtype.kind not in "iuf":
        return None
    ones = np.empty(labels.size, np.bool_)

    def mark(block: slice) -> tuple[bool, bool]:
        part = labels[block]
        found = np.count_nonzero(np.equal(part, 1, out=ones[block]))
        beside_zeros = found + np.count_nonzero(part == 0) == part.size
        if not beside_zeros:
            found += np.count_nonzero(part == -1)
        return beside_zeros, found == part.size

    sides = map_blocks(mark, labels.size)
    return ones if all(zeros for zeros, _ in sides) or all(minus for _, minus in sides) else None


def _check_classes(labels: AnyArray, pos_label: Any, name: str) -> None:
    kind = type_of_target(labels, name)
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise EvaluationError(f"{kind} format is not supported")
    if pos_label is None:
        listed = ", ".join(map(repr, encode_labels(labels)[0].tolist()))
        raise EvaluationError(
            f"{name} takes value in {{{listed}}} and pos_label is not specified: either make {name} take value in "
            "{0, 1} or {-1, 1} or pass pos_label explicitly."
        )
