"""Probabilities of classes and what happened, as scikit-learn's functions take them."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.array_likes import as_1d, as_array, as_real_matrix, check_finite
from evalcore.validation.arrays import as_exact_scores
from evalcore.validation.labels import codes_among, distinct_labels, encode_labels
from evalcore.validation.positive_labels import positive_mask, standard_positive_mask
from evalcore.validation.target_types import INDICATOR, type_of_target
from evalcore.validation.targets import has_plain_labels
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths, scale_weights


class ClassProbabilities(NamedTuple):
    """Checked probabilities of two or more classes."""

    probabilities: ScoreArray
    """Shape (n, c), or (n,) for that of the second of two classes."""
    truth: IntArray | BoolArray
    """Codes of the true classes, shape (n,), or which classes are true, shape (n, c)."""
    weights: FloatArray | None
    """Weights, shape (n,), or None for one each."""
    scale: float
    """The power of two that weights of extreme size were divided by, else 1."""


class PositiveProbabilities(NamedTuple):
    """Checked probabilities of the positive class, and whether it was the true one; all of shape (n,)."""

    probabilities: ScoreArray
    positive: BoolArray
    weights: FloatArray | None


def as_probabilities(values: Any, name: str = "y_proba") -> npt.NDArray[np.floating[Any]]:
    """Return numbers, perhaps not finite, as floats, (n,) or (n, c), c >= 2.  O(1), O(n c) to convert."""
    array = as_real_matrix(values, name)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def renamed_argument(y_proba: Any, y_pred: Any) -> Any:
    """Return the probabilities; warn of their former name, raise EvaluationError if both are given.  O(1)."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise EvaluationError("Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead.")
    warnings.warn("`y_pred` was renamed to `y_proba`. Use `y_proba` instead.", FutureWarning, stacklevel=3)
    return y_pred


def as_class_probabilities(
    y_true: Any, probabilities: npt.NDArray[np.floating[Any]], sample_weight: Any, labels: Any
) -> ClassProbabilities:
    """Check `as_probabilities` of classes in sorted order, true classes (n,) or (n, c), and weights.  O(n c)."""
    check_probabilities(probabilities, "y_proba", "lower")
    truth = as_array(y_true, "y_true")
    check_consistent_lengths(probabilities, truth, sample_weight)
    weights, scale = scale_weights(as_non_negative_weights(sample_weight, len(truth)))
    outcome, classes = _outcomes(truth, labels)
    _check_sums(probabilities)
    columns = 2 if probabilities.ndim == 1 else probabilities.shape[1]
    if classes.size != columns:
        raise EvaluationError(_other_classes(classes, columns, labels is not None))
    values = as_exact_scores(probabilities, "y_proba")
    if outcome.ndim == 2 and values.ndim == 1:
        values = np.stack([1 - values, values], axis=1)
    return ClassProbabilities(values, outcome, weights, scale)


def as_positive_probabilities(
    y_true: Any, probabilities: npt.NDArray[np.floating[Any]], sample_weight: Any, pos_label: Any
) -> PositiveProbabilities:
    """Check `as_probabilities` (n,) of the positive class, by default the larger of two, and weights.  O(n)."""
    truth = as_1d(y_true, "y_true")
    check_consistent_lengths(probabilities, truth, sample_weight)
    weights, _ = scale_weights(as_non_negative_weights(sample_weight, truth.size))
    positive = standard_positive_mask(truth) if pos_label is None else None
    if positive is None:
        kind = _kind_of(truth)
        if kind != "binary":
            raise EvaluationError(
                f"The type of the target inferred from y_true is {kind} but should be binary according to the shape "
                "of y_prob."
            )
        if pos_label is None and truth.dtype.kind in "biuf":
            pos_label = distinct_labels(truth)[-1]
        positive = positive_mask(truth, None) if pos_label is None else np.asarray(truth == pos_label, np.bool_)
    check_probabilities(probabilities, "y_proba", "less")
    return PositiveProbabilities(as_exact_scores(probabilities, "y_proba"), positive, weights)


def as_binned_probabilities(y_true: Any, y_prob: Any, sample_weight: Any, pos_label: Any) -> PositiveProbabilities:
    """Check probabilities of the positive class, true classes and weights; drop cases of weight zero.  O(n)."""
    truth, values = as_1d(y_true, "y_true"), as_probabilities(y_prob, "y_prob")
    if values.ndim != 1:
        raise EvaluationError(f"y_prob should be a 1d array, got an array of shape {values.shape} instead.")
    check_consistent_lengths(truth, values, sample_weight)
    weights, _ = scale_weights(as_non_negative_weights(sample_weight, truth.size))
    positive = positive_mask(truth, None) if pos_label is None else np.asarray(truth == pos_label, np.bool_)
    check_probabilities(values, "y_prob", "less")
    if pos_label is not None and (classes := distinct_labels(truth)).size > 2:
        raise EvaluationError(f"Only binary classification is supported. Provided labels {classes}.")
    values = as_exact_scores(values, "y_prob")
    if weights is not None and not weights.all():
        kept = weights > 0
        values, positive, weights = values[kept], positive[kept], weights[kept]
    return PositiveProbabilities(values, positive, weights)


def check_probabilities(probabilities: npt.NDArray[np.floating[Any]], name: str, below: str) -> None:
    """Raise EvaluationError unless all numbers are finite and in 0 .. 1.  O(n c)."""
    lowest, highest = (bound.reduce(probabilities, axis=None) for bound in (np.minimum, np.maximum))
    if np.isfinite(lowest) and np.isfinite(highest):  # neither is if there is a NaN
        if highest > 1:
            raise EvaluationError(f"y_prob contains values greater than 1: {highest}")
        if lowest < 0:
            raise EvaluationError(f"y_prob contains values {below} than 0: {lowest}")
    else:
        check_finite(probabilities, name)


def _kind_of(truth: AnyArray) -> str:
    """Return the kind of a target as `type_of_target` does, sooner if each case has an integer or a string."""
    if has_plain_labels(truth):
        return "binary" if distinct_labels(truth.ravel()).size <= 2 else "multiclass"
    return type_of_target(truth, "y_true")


def _check_sums(probabilities: npt.NDArray[np.floating[Any]]) -> None:
    if probabilities.ndim > 1 and not sum_to_one(probabilities):
        warnings.warn(
            "The y_prob values do not sum to one. Make sure to pass probabilities.", UserWarning, stacklevel=4
        )


def sum_to_one(probabilities: npt.NDArray[np.floating[Any]]) -> bool:
    """Whether the probabilities of each case, (n, c) with n > 0, have the sum 1, but for rounding.  O(n c).

    >>> sum_to_one(np.array([[0.25, 0.75]])), sum_to_one(np.array([[0.5, 0.75]]))
    (True, False)
    """
    sums = np.einsum("nk->n", probabilities)
    return bool(max(sums.max() - 1, 1 - sums.min()) <= _rounding(probabilities))


def rows_of_probabilities(scores: npt.NDArray[np.floating[Any]]) -> BoolArray:
    """Mark the rows, (n,), of scores, (n, c), that are between 0 and 1 and `sum_to_one`.  O(n c).

    >>> rows_of_probabilities(np.array([[0.25, 0.75], [0.5, 0.75], [-0.5, 1.5]]))
    array([ True, False, False])
    """
    sums = np.einsum("nk->n", scores)
    inside = ((scores >= 0) & (scores <= 1)).all(axis=1)
    return np.asarray(inside & (np.abs(sums - 1) <= _rounding(scores)))


def _rounding(probabilities: npt.NDArray[np.floating[Any]]) -> Any:
    """Return how far the sum of some probabilities may be from 1."""
    return 1e-8 + np.sqrt(np.finfo(probabilities.dtype).eps)


def _outcomes(truth: AnyArray, labels: Any) -> tuple[IntArray | BoolArray, AnyArray]:
    """Return the codes of the true classes, or which are true, and the classes."""
    kind = "multiclass" if has_plain_labels(truth) else type_of_target(truth, "y_true")
    if "multioutput" in kind:
        raise EvaluationError("Multioutput target data is not supported with label binarization")
    if kind == INDICATOR:
        if labels is not None:
            raise EvaluationError("labels must be None if y_true is an indicator matrix")
        return truth != 0, np.arange(truth.shape[1])
    if kind not in ("binary", "multiclass"):
        raise EvaluationError(f"Unknown label type: y_true is {kind}")
    names = as_1d(truth, "y_true")
    if labels is None:
        classes, codes = encode_labels(names)
        if classes.size == 1:
            raise EvaluationError(
                f"y_true contains only one label ({classes[0]}). Please provide the list of all expected class labels "
                "explicitly through the labels argument."
            )
        return codes, classes
    classes = _sorted_classes(labels)
    codes = codes_among(names, classes)
    if codes.min() < 0:
        unknown = set(distinct_labels(names).tolist()) - set(classes.tolist())
        raise EvaluationError(f"y_true contains values {unknown} not belonging to the passed labels {labels}.")
    if classes.size < 2:
        raise EvaluationError(f"The labels array needs to contain at least two labels, got {classes}.")
    return codes, classes


def _sorted_classes(labels: Any) -> AnyArray:
    given = as_1d(labels, "labels")
    if given.size == 0:
        raise EvaluationError("labels must not be empty")
    if (kind := _kind_of(given)) not in ("binary", "multiclass"):
        raise EvaluationError(f"Unknown label type: labels are {kind}")
    classes = distinct_labels(given)
    if 1 < classes.size < given.size:
        raise EvaluationError(f"labels must not repeat, got {labels}")
    if not np.array_equal(classes, given):
        warnings.warn(
            f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. Pass the "
            f"ordered labels={classes.tolist()} and ensure that the columns of y_prob correspond to this ordering.",
            UserWarning,
            stacklevel=5,
        )
    return classes


def _other_classes(classes: AnyArray, columns: int, given: bool) -> str:
    if given:
        return f"The number of classes in labels is different from that in y_prob. Classes found in labels: {classes}"
    return (
        f"y_true and y_prob contain different number of classes: {classes.size} vs {columns}. Please provide the true "
        f"labels explicitly through the labels argument. Classes found in y_true: {classes}"
    )
