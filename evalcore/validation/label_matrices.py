"""Matrices of labels, scores and probabilities, and true classes, as scikit-learn's functions take them."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, InvalidParameterError, shown
from evalcore.typing import BoolArray, FloatArray, ScoreArray
from evalcore.validation.labels import coded, codes_among
from evalcore.validation.scores import finite_scores
from evalcore.validation.target_types import array_of, check_finite, is_sparse, type_of_target
from evalcore.validation.weights import check_lengths, non_negative_weights

__all__ = [
    "RankedGains", "RankedLabels", "base_of", "codes_among", "depth_of", "distinct", "matrix", "ranked_gains",
    "ranked_labels", "real_matrix", "score_matrix", "weights_of",
]  # fmt: skip


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
    gains: npt.NDArray[Any]
    """Finite gains, Booleans, integers or floats, shape (n, k)."""
    weights: FloatArray | None
    """Weights, shape (n,), or None for one each."""


def ranked_labels(y_true: Any, y_score: Any, sample_weight: Any, *, one_label: bool = False) -> RankedLabels:
    """Check relevance in 0 and another whole number, scores of the same shape, and weights.

    y_true: (n, k), also of SciPy's sparse formats; y_score: (n, k); k >= 2, or with `one_label` also 1.

    Raises EvaluationError or EvaluationTypeError for anything else.  O(n k).

    >>> ranked_labels([[1, 0]], [[0.5, 0.25]], None).relevant
    array([[ True, False]])
    """
    truth = matrix(y_true.toarray() if hasattr(y_true, "toarray") else y_true, "y_true")
    scores = score_matrix(y_score, "y_score")
    for name, array in (("y_true", truth), ("y_score", scores)):
        if array.ndim < 2:
            raise EvaluationError(f"Expected 2D array, got 1D array instead: {name} has shape {array.shape}")
    weights = _weights_beside(truth, scores, sample_weight)
    kind = type_of_target(truth, "y_true")
    if kind != "multilabel-indicator" and not (one_label and kind == "binary"):
        raise EvaluationError(f"{kind} format is not supported")
    if truth.shape != scores.shape:
        raise EvaluationError(_other_shape(truth, scores))
    return RankedLabels(scores, truth != 0, weights)


def ranked_gains(y_true: Any, y_score: Any, sample_weight: Any) -> RankedGains:
    """Check gains, scores of the same shape, and weights.

    y_true, y_score: (n, k), k >= 2.  Raises EvaluationError or EvaluationTypeError for anything else.  O(n k).

    >>> ranked_gains([[3, 0]], [[0.5, 0.25]], None).gains
    array([[3, 0]])
    """
    truth = matrix(y_true, "y_true")
    scores = score_matrix(y_score, "y_score")
    weights = _weights_beside(truth, scores, sample_weight)
    if truth.ndim != 2 or truth.shape[1] < 2:
        kinds = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")
        raise EvaluationError(f"Only {kinds} formats are supported. Got {type_of_target(truth)} instead")
    if truth.shape != scores.shape:
        raise EvaluationError(_other_shape(truth, scores))
    return RankedGains(scores, truth, weights)


def matrix(values: Any, name: str) -> npt.NDArray[Any]:
    """Return finite real numbers, shape (n,) or (n, k), not empty.

    Raises EvaluationError for another shape, for no numbers, and for NaN and infinity.  O(n k).

    >>> matrix([[1, 0]], "y_true")
    array([[1, 0]])
    """
    array = real_matrix(values, name)
    check_finite(array, name)
    return array


def score_matrix(values: Any, name: str) -> ScoreArray:
    """Return finite numbers as float32 or float64, shape (n,) or (n, k), not empty.  Raises as `matrix`.  O(n k).

    >>> score_matrix([[1, 0]], "y_score")
    array([[1., 0.]])
    """
    return finite_scores(real_matrix(values, name), name)


def real_matrix(values: Any, name: str) -> npt.NDArray[Any]:
    """Return real numbers, perhaps not finite, shape (n,) or (n, k), not empty.

    Raises EvaluationError for another shape and for no numbers.  O(1), O(n k) for objects.

    >>> real_matrix([[1, np.inf]], "y_true")
    array([[ 1., inf]])
    """
    array = array_of(values, name)
    if is_sparse(array):
        raise InvalidParameterError(f"{name} must be dense, got a sparse matrix; call .toarray() on it")
    if array.ndim not in (1, 2):
        raise EvaluationError(f"{name} must be an array of shape (n,) or (n, k), got one of dim {array.ndim}")
    if array.size == 0:
        missing = "feature(s)" if len(array) else "sample(s)"
        raise EvaluationError(
            f"Found array with 0 {missing} (shape={array.shape}) while a minimum of 1 is required: {name} is empty"
        )
    if array.dtype.kind == "c":
        raise EvaluationError(f"Complex data not supported: {name}")
    if array.dtype.kind not in "biufO":
        raise EvaluationError(f"{name} must hold numbers, got dtype {array.dtype}")
    return finite_scores(array, name) if array.dtype.kind == "O" else array


def weights_of(values: Any, cases: int) -> FloatArray | None:
    """Return weights as (n,) float64, None for None; all may be zero.  Raises as `non_negative_weights`.  O(n).

    >>> weights_of([1, 2], 2)
    array([1., 2.])
    """
    return non_negative_weights(values, cases, zeros=True)


def depth_of(value: Any, name: str, function: str) -> int:
    """Return a whole number of at least 1.  Raises InvalidParameterError for another.

    >>> depth_of(3, "k", "dcg_score")
    3
    """
    if not isinstance(value, int | np.integer) or value < 1:
        raise InvalidParameterError(
            f"The '{name}' parameter of {function} must be an int in the range [1, inf), got {shown(value)}"
        )
    return int(value)


def base_of(value: Any, name: str, function: str) -> float:
    """Return a number above 0.  Raises InvalidParameterError for another.

    >>> base_of(2, "log_base", "dcg_score")
    2.0
    """
    if not isinstance(value, Real) or not float(value) > 0:
        raise InvalidParameterError(
            f"The '{name}' parameter of {function} must be a float in the range (0.0, inf), got {shown(value)}"
        )
    return float(value)


def distinct(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sorted distinct labels of a column.

    labels: (n,), not empty.  Costs and raises as `label_codes.coded`.

    >>> distinct(np.array(["b", "a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    return coded(labels)[0]


def _weights_beside(truth: npt.NDArray[Any], scores: ScoreArray, sample_weight: Any) -> FloatArray | None:
    check_lengths(truth, scores, sample_weight)
    return weights_of(sample_weight, len(truth))


def _other_shape(truth: npt.NDArray[Any], scores: ScoreArray) -> str:
    return f"y_true and y_score have different shape, {truth.shape} and {scores.shape}"
