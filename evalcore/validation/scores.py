"""Labels, scores and weights of the same cases, as scikit-learn's functions on scores take them."""

import math
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.few_cases import are_few, best_first
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray
from evalcore.validation.array_likes import as_1d, as_dense, as_scores_with_extent, squeeze_column
from evalcore.validation.labels import encode_labels
from evalcore.validation.positive_labels import (
    check_positive_label,
    plain_mask,
    positive_mask,
    standard_positive_mask,
)
from evalcore.validation.prevalence import weights_at_prevalence
from evalcore.validation.target_types import INDICATOR, type_of_target
from evalcore.validation.weights import (
    as_non_negative_weights,
    check_consistent_lengths,
    check_weight_sum,
    no_weight_error,
)

_PLAIN_SCORES = np.dtype(np.float64), np.dtype(np.float32)
LARGER_LABEL = object()
"""In place of a positive label: the larger of two."""


class WeightedCases(NamedTuple):
    """Checked cases."""

    labels: AnyArray
    """Labels, or whether each case is of the positive class, shape (n,); or whether each label is true, (n, k)."""
    scores: ScoreArray
    """Finite scores, shape (n,); (n, k) where there are several classes or labels."""
    weights: FloatArray | None
    """Weights, shape (n,), not negative, or None for one each."""
    score_dtype: np.dtype[Any]
    """Type of the scores as they came: integers are evaluated as float64."""
    extent: tuple[float, float] | None
    """Numbers that no score is below or above, where they are known."""


def as_binary_scores(
    y_true: Any, y_score: Any, sample_weight: Any = None, pos_label: Any = None, target_prevalence: Any = None
) -> WeightedCases:
    """Return the cases of a function on binary labels and scores, without those of weight zero.  O(n)."""
    cases = as_weighted_cases(positive_mask(as_1d(y_true, "y_true"), pos_label), y_score, sample_weight)
    return cases_at_prevalence(cases, target_prevalence)


def as_weighted_cases(y_true: Any, y_score: Any, sample_weight: Any) -> WeightedCases:
    """Return the cases of a function on labels of any kind and scores, without those of weight zero.  O(n)."""
    return drop_unweighted(_checked_cases(as_1d(y_true, "y_true"), as_1d(y_score, "y_score"), sample_weight))


def as_scored_targets(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any = LARGER_LABEL, *, weighs_classes: bool = True
) -> tuple[str, WeightedCases]:
    """Return the kind of the labels, and cases: of two classes (n,) masks, of several (n,) labels, else (n, k) masks.

    weighs_classes: whether several classes take weights, which are ignored otherwise.  O(n k); labels other than
    {0, 1} and {-1, 1} are sorted.
    """
    labels, scores = as_dense(y_true, "y_true"), as_dense(y_score, "y_score")
    positive = (
        standard_positive_mask(labels)
        if labels.ndim == 1 and labels.size > 0 and pos_label in (1, LARGER_LABEL)
        else None
    )
    kind = "binary" if positive is not None and scores.ndim < 2 else type_of_target(labels, "y_true")
    several = pos_label is LARGER_LABEL and scores.ndim == 2 and scores.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and several):
        weights = sample_weight if weighs_classes else None
        return "multiclass", _checked_cases(squeeze_column(labels, "y_true"), scores, weights, zeros=True)
    if kind == INDICATOR:
        return kind, _checked_cases(_indicator_mask(labels, scores), scores, sample_weight, zeros=True)
    if kind != "binary":
        raise EvaluationError(f"{kind} format is not supported")
    if positive is None:
        positive = _positive_of_two(squeeze_column(labels, "y_true"), pos_label)
    if sample_weight is not None and pos_label is LARGER_LABEL and (positive.all() or not positive.any()):
        sample_weight = None  # one class alone has no area, whatever the weights
    return kind, _checked_cases(positive, squeeze_column(scores, "y_score"), sample_weight)


def cases_at_prevalence(cases: WeightedCases, target_prevalence: Any) -> WeightedCases:
    """Return cases (n,) reweighted to a prevalence; unchanged for None.  O(n)."""
    if target_prevalence is None:
        return cases
    return cases._replace(weights=weights_at_prevalence(cases.labels, cases.weights, target_prevalence))


def few_plain_cases(y_true: Any, y_score: Any) -> tuple[BoolArray, ScoreArray] | None:
    """Return few cases `best_first` if they are plain arrays of 0 and 1 and of finite floats; None for all others.

    This is what `as_scored_targets` does, for the columns that need no more than a handful of calls.  O(n log n).
    """
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray or y_score.dtype not in _PLAIN_SCORES:
        return None
    cases = y_score.size
    if y_score.ndim != 1 or y_true.ndim != 1 or y_true.size != cases or not are_few(cases):
        return None
    mask = plain_mask(y_true)
    if mask is None:
        return None
    correct, scores = best_first(mask, y_score)
    are_finite = math.isfinite(scores.item(0)) and math.isfinite(scores.item(-1))  # NaN is first
    return (correct, scores) if are_finite else None


def drop_unweighted(cases: WeightedCases) -> WeightedCases:
    """Return cases (n,) without those of weight zero.  Raises EvaluationError if there are no others.  O(n)."""
    if cases.weights is None or cases.weights.all():
        return cases
    kept = cases.weights != 0
    if not kept.any():
        raise no_weight_error()
    return cases._replace(labels=cases.labels[kept], scores=cases.scores[kept], weights=cases.weights[kept])


def _indicator_mask(labels: Any, scores: AnyArray) -> BoolArray:
    array = np.asarray(labels)
    mask: BoolArray = array if array.dtype == np.bool_ else array != 0
    if mask.shape != scores.shape:
        raise EvaluationError(f"y_true and y_score have different shape: {mask.shape} and {scores.shape}")
    return mask


def _positive_of_two(labels: AnyArray, pos_label: Any) -> BoolArray:
    if pos_label is not LARGER_LABEL:
        check_positive_label(pos_label, labels)
        return positive_mask(labels, pos_label)
    classes, codes = encode_labels(labels)
    return codes == 1 if classes.size > 1 else np.zeros(labels.size, np.bool_)


def _checked_cases(labels: AnyArray, values: AnyArray, sample_weight: Any, *, zeros: bool = False) -> WeightedCases:
    check_consistent_lengths(labels, values, sample_weight)
    if labels.size == 0:
        raise EvaluationError("Found array with 0 sample(s) while a minimum of 1 is required: y_true is empty.")
    scores, extent = as_scores_with_extent(values, "y_score")
    weights = as_non_negative_weights(sample_weight, len(labels), zeros=zeros)
    if weights is not None:
        check_weight_sum(weights)
    return WeightedCases(labels, scores, weights, values.dtype, extent)
