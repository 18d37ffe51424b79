"""Counts, or sums of weights, of checked targets."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, InvalidParameterError, shown
from evalcore.kernels.tables import category_margins, category_weights, joint_counts, pair_weights
from evalcore.measures import multiclass
from evalcore.measures.multiclass import CategoryCounts
from evalcore.typing import BoolArray, IntArray
from evalcore.validation.array_likes import Array
from evalcore.validation.target_types import is_whole
from evalcore.validation.targets import MOST_CELLS, Columns, Targets


def pair_table(targets: Targets) -> Array:
    """Return how many cases, or how much weight, each class has by class of response, (k, k).

    int64, float64 where the weights are, which may be scaled.  Raises EvaluationError for indicators.  O(n + k²).

    >>> from evalcore.validation.targets import check_targets
    >>> pair_table(check_targets(["a", "b"], ["a", "a"]))
    array([[1, 0],
           [1, 0]])
    """
    check_one_label(targets)
    if targets.weights is None and targets.pairs is not None:
        return targets.pairs
    if targets.weights is None:
        table = joint_counts(targets.y_true, targets.y_pred, targets.low, targets.span)
    else:
        table = pair_weights(targets.y_true, targets.y_pred, targets.weights, targets.low, targets.span)
    return table if targets.places.size == targets.span else table[np.ix_(targets.places, targets.places)]


def check_one_label(targets: Targets) -> None:
    """Raise EvaluationError for indicators.  O(1).

    >>> from evalcore.validation.targets import check_targets
    >>> check_one_label(check_targets([0, 1], [0, 0]))
    """
    if targets.is_indicator:
        raise EvaluationError(f"{targets.kind} is not supported")


def total(targets: Targets | Columns) -> Any:
    """Return the number of cases, or their weight, which may be scaled.  O(n).

    >>> from evalcore.validation.targets import check_targets
    >>> total(check_targets([0, 1], [0, 0])), float(total(check_targets([0, 1], [0, 0], [0.5, 1])))
    (2, 1.5)
    """
    return targets.y_true.shape[0] if targets.weights is None else targets.weights.sum()


def class_counts(targets: Targets, labels: Any = None, samplewise: bool = False) -> CategoryCounts:
    """Return the table of each class, or with indicators of each case, against all others.

    labels: the classes to count, in their order; all that are there if left out.  Returns four columns, (k,) or (n,),
    int64 without weights; with weights mostly float64, in the scale of the weights.  O(n + k²), with indicators O(n k).

    Raises EvaluationError for `samplewise` without indicators, and for labels that are no column of an indicator.

    >>> from evalcore.validation.targets import check_targets
    >>> class_counts(check_targets(["a", "b"], ["a", "a"]), ["b", "c"])
    CategoryCounts(tp=array([0, 0]), fn=array([1, 0]), fp=array([0, 0]), tn=array([1, 2]))
    """
    if targets.is_indicator:
        return _indicator_counts(targets, labels, samplewise)
    if samplewise:
        raise EvaluationError("Samplewise metrics are not available outside of multilabel classification.")
    counts = _counts_of_classes(targets)
    if labels is None:
        return counts
    # a label that is not a class has only true negatives
    places, none = positions(targets.classes, labels), (0, 0, 0, total(targets))
    return CategoryCounts(
        *(np.append(column, column.dtype.type(other))[places] for column, other in zip(counts, none, strict=True))
    )


def positions(classes: Array, labels: Any) -> IntArray:
    """Return where each label stands among the classes, -1 for none of them, shape (m,).  O(k + m).

    Raises EvaluationError for labels in other than one dimension.

    >>> positions(np.array([2, 4]), [4, 3])
    array([ 1, -1])
    """
    index = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in label_array(labels).tolist()], np.intp)


def label_array(labels: Any) -> Array:
    """Return the labels that a caller chose, shape (m,).  Raises EvaluationError for other than one dimension.  O(m).

    >>> label_array(["a", "b"])
    array(['a', 'b'], dtype='<U1')
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise EvaluationError(f"labels must be one-dimensional, got shape {array.shape}")
    return array


def is_reference(targets: Targets) -> BoolArray:
    """Mark the classes that some case is of, (k,) bool.  O(n), O(k²) where pairs are counted.

    >>> from evalcore.validation.targets import check_targets
    >>> is_reference(check_targets(["a", "c"], ["a", "b"]))
    array([ True, False,  True])
    """
    if targets.pairs is not None:
        return np.asarray(targets.pairs.any(axis=1))
    marks = np.zeros(targets.classes.size, np.bool_)
    marks[targets.y_true] = True
    return marks


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
        chosen = _columns(labels, targets.classes.size)
        reference, response = reference[:, chosen], response[:, chosen]
    axis, weights = 1 if samplewise else 0, targets.weights
    if weights is None or samplewise:
        tp, of_reference, of_response = (
            np.count_nonzero(marks, axis=axis) for marks in (reference & response, reference, response)
        )
        fn, fp = of_reference - tp, of_response - tp
        counts = CategoryCounts(tp, fn, fp, reference.shape[axis] - tp - fp - fn)
        return counts if weights is None else CategoryCounts(*(column * weights for column in counts))
    cells = reference & response, reference & ~response, response & ~reference, ~(reference | response)
    floats = weights.astype(np.float64)
    return CategoryCounts(*(floats @ marks for marks in cells))


def _columns(labels: Any, columns: int) -> IntArray:
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
