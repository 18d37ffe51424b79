"""Counts, or sums of weights, of checked targets."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, InvalidParameterError, shown
from evalcore.kernels.tables import (
    BinaryCounts,
    category_margins,
    category_weights,
    counts_from_margins,
    joint_counts,
    pair_weights,
)
from evalcore.measures import multiclass
from evalcore.measures.multiclass import CategoryCounts
from evalcore.typing import AnyArray, BoolArray, IntArray
from evalcore.validation.labels import is_whole
from evalcore.validation.targets import MOST_CELLS, Columns, Targets


def pair_table(targets: Targets) -> AnyArray:
    """Return the number of cases, or their scaled weight, by reference and response, (k, k).  O(n + k²)."""
    check_one_label(targets)
    if targets.weights is None and targets.pairs is not None:
        return targets.pairs
    if targets.weights is None:
        table = joint_counts(targets.y_true, targets.y_pred, targets.low, targets.span)
    else:
        table = pair_weights(targets.y_true, targets.y_pred, targets.weights, targets.low, targets.span)
    return (
        table
        if targets.class_indices.size == targets.span
        else table[np.ix_(targets.class_indices, targets.class_indices)]
    )


def check_one_label(targets: Targets) -> None:
    """Raise EvaluationError for indicators.  O(1)."""
    if targets.is_indicator:
        raise EvaluationError(f"{targets.kind} is not supported")


def total(targets: Targets | Columns) -> Any:
    """Return the number of cases, or their scaled weight.  O(n)."""
    return targets.y_true.shape[0] if targets.weights is None else targets.weights.sum()


def class_counts(targets: Targets, labels: Any = None, samplewise: bool = False) -> CategoryCounts:
    """Return the tables (k,) of the labels, by default all classes, or (n,) of the cases of indicators.  O(n + k²)."""
    if targets.is_indicator:
        return _indicator_counts(targets, labels, samplewise)
    if samplewise:
        raise EvaluationError("Samplewise metrics are not available outside of multilabel classification.")
    counts = _counts_of_classes(targets)
    if labels is None:
        return counts
    # a label that is not a class has only true negatives
    codes, none = positions(targets.classes, labels), (0, 0, 0, total(targets))
    return CategoryCounts(
        *(np.append(column, column.dtype.type(other))[codes] for column, other in zip(counts, none, strict=True))
    )


def counts_of_label(targets: Targets, label: Any) -> BinaryCounts:
    """Count one label against all others, or add up weights; a label that is not a class is only true negatives."""
    classes = targets.classes.tolist()
    if targets.pairs is None or targets.weights is not None or label not in classes:
        return BinaryCounts(*(column.item() for column in class_counts(targets, [label])))
    code, table = classes.index(label), targets.pairs.tolist()
    tp, reference, response = table[code][code], sum(table[code]), sum(row[code] for row in table)
    return counts_from_margins(tp, reference, response, total(targets))


def positions(classes: AnyArray, labels: Any) -> IntArray:
    """Return the index of each label (m,) among the classes (k,), -1 for none of them.  O(k + m)."""
    index = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in label_array(labels).tolist()], np.intp)


def label_array(labels: Any) -> AnyArray:
    """Return the labels that a caller chose as an array (m,).  O(m)."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise EvaluationError(f"labels must be one-dimensional, got shape {array.shape}")
    return array


def is_reference(targets: Targets) -> BoolArray:
    """Mark the classes of the references, (k,) bool.  O(n), O(k²) if pairs are counted."""
    if targets.pairs is not None:
        return np.asarray(targets.pairs.any(axis=1))
    mask = np.zeros(targets.classes.size, np.bool_)
    mask[targets.y_true] = True
    return mask


def _counts_of_classes(targets: Targets) -> CategoryCounts:
    if targets.span**2 <= MOST_CELLS:
        counts = multiclass.one_versus_all(pair_table(targets))
    elif targets.weights is not None:
        counts = CategoryCounts(*category_weights(targets.y_true, targets.y_pred, targets.span, targets.weights))
    else:
        tp, reference, response = category_margins(targets.y_true, targets.y_pred, targets.span)
        fn, fp = reference - tp, response - tp
        return CategoryCounts(tp, fn, fp, total(targets) - tp - fn - fp)
    return counts if targets.weights is None else CategoryCounts(*(column.astype(np.float64) for column in counts))


def _indicator_counts(targets: Targets, labels: Any, samplewise: bool) -> CategoryCounts:
    reference, response = targets.y_true != 0, targets.y_pred != 0
    if labels is not None:
        chosen = _chosen_columns(labels, targets.classes.size)
        reference, response = reference[:, chosen], response[:, chosen]
    axis, weights = 1 if samplewise else 0, targets.weights
    if weights is None or samplewise:
        tp, of_reference, of_response = (
            np.count_nonzero(mask, axis=axis) for mask in (reference & response, reference, response)
        )
        fn, fp = of_reference - tp, of_response - tp
        counts = CategoryCounts(tp, fn, fp, reference.shape[axis] - tp - fp - fn)
        return counts if weights is None else CategoryCounts(*(column * weights for column in counts))
    cells = reference & response, reference & ~response, response & ~reference, ~(reference | response)
    floats = weights.astype(np.float64)
    return CategoryCounts(*(floats @ mask for mask in cells))


def _chosen_columns(labels: Any, columns: int) -> IntArray:
    chosen = label_array(labels)
    if chosen.size == 0:
        return chosen.astype(np.intp)
    if chosen.dtype.kind not in "biuf" or not is_whole(chosen):
        raise InvalidParameterError(
            f"The 'labels' parameter must hold numbers of columns for multilabel targets, got {shown(labels)}"
        )
    for label, wrong in ((chosen.max(), chosen.max() >= columns), (chosen.min(), chosen.min() < 0)):
        if wrong:
            limit = f"> {columns - 1}" if label >= columns else "< 0"
            raise EvaluationError(f"All labels must be in [0, n labels) for multilabel targets. Got {label} {limit}")
    return chosen.astype(np.intp)
