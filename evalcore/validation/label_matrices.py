"""Matrices of labels and scores, as scikit-learn's functions on rankings take them."""

from typing import Any, NamedTuple

from evalcore.errors import EvaluationError
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray
from evalcore.validation.array_likes import (
    as_matrix,
    as_score_matrix,
)
from evalcore.validation.target_types import INDICATOR, type_of_target
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths


class RankedLabels(NamedTuple):
    """Checked arguments of a function on ranked labels."""

    scores: ScoreArray
    """Finite scores, shape (n, k)."""
    relevant: BoolArray
    """Whether each label is relevant, shape (n, k)."""
    weights: FloatArray | None
    """Weights, shape (n,), or None for one each."""


class RankedGains(NamedTuple):
    """Checked arguments of a function on graded relevance."""

    scores: ScoreArray
    """Finite scores, shape (n, k)."""
    gains: AnyArray
    """Finite gains, Booleans, integers or floats, shape (n, k)."""
    weights: FloatArray | None
    """Weights, shape (n,), or None for one each."""


def as_ranked_labels(y_true: Any, y_score: Any, sample_weight: Any, *, one_label: bool = False) -> RankedLabels:
    """Return scores and relevance (n, k), and weights; k may be 1 with `one_label`; `y_true` may be sparse.  O(n k)."""
    truth = as_matrix(y_true.toarray() if hasattr(y_true, "toarray") else y_true, "y_true")
    scores = as_score_matrix(y_score, "y_score")
    for name, array in (("y_true", truth), ("y_score", scores)):
        if array.ndim < 2:
            raise EvaluationError(f"Expected 2D array, got 1D array instead: {name} has shape {array.shape}")
    weights = _weights_beside(truth, scores, sample_weight)
    kind = type_of_target(truth, "y_true")
    if kind != INDICATOR and not (one_label and kind == "binary"):
        raise EvaluationError(f"{kind} format is not supported")
    if truth.shape != scores.shape:
        raise EvaluationError(_other_shape(truth, scores))
    return RankedLabels(scores, truth != 0, weights)


def as_ranked_gains(y_true: Any, y_score: Any, sample_weight: Any) -> RankedGains:
    """Return scores and gains (n, k), k >= 2, and weights.  O(n k)."""
    truth = as_matrix(y_true, "y_true")
    scores = as_score_matrix(y_score, "y_score")
    weights = _weights_beside(truth, scores, sample_weight)
    if truth.ndim != 2 or truth.shape[1] < 2:
        kinds = (INDICATOR, "continuous-multioutput", "multiclass-multioutput")
        raise EvaluationError(f"Only {kinds} formats are supported. Got {type_of_target(truth)} instead")
    if truth.shape != scores.shape:
        raise EvaluationError(_other_shape(truth, scores))
    return RankedGains(scores, truth, weights)


def _weights_beside(truth: AnyArray, scores: ScoreArray, sample_weight: Any) -> FloatArray | None:
    check_consistent_lengths(truth, scores, sample_weight)
    return as_non_negative_weights(sample_weight, len(truth), zeros=True)


def _other_shape(truth: AnyArray, scores: ScoreArray) -> str:
    return f"y_true and y_score have different shape, {truth.shape} and {scores.shape}"
