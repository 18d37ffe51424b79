"""Matrices of labels, scores and probabilities, and true classes, as scikit-learn's functions take them."""

from itertools import repeat
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.checks import shown
from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError
from evalcore.metrics.binary_scores import column, finite_scores
from evalcore.metrics.target_types import check_finite, type_of_target
from evalcore.metrics.targets import check_lengths
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

_LARGEST_LOOKUP = 1 << 16
_LARGEST_INTEGER = 1 << 62


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
    scores = finite_scores(matrix(y_score, "y_score"), "y_score")
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
    scores = finite_scores(matrix(y_score, "y_score"), "y_score")
    weights = _weights_beside(truth, scores, sample_weight)
    if truth.ndim != 2 or truth.shape[1] < 2:
        kinds = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")
        raise EvaluationError(f"Only {kinds} formats are supported. Got {type_of_target(truth)} instead")
    if truth.shape != scores.shape:
        raise EvaluationError(_other_shape(truth, scores))
    return RankedGains(scores, truth, weights)


def matrix(values: Any, name: str) -> npt.NDArray[Any]:
    """Return real numbers, shape (n,) or (n, k), not empty.

    Raises EvaluationError for another shape, for no numbers, and for NaN and infinity.  O(n k).

    >>> matrix([[1, 0]], "y_true")
    array([[1, 0]])
    """
    try:
        array = np.asarray(values)
    except Exception as error:  # whatever the foreign object's own conversion raises
        raise EvaluationError(f"{name} cannot be read as an array: {error}") from error
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
    check_finite(array, name)
    return finite_scores(array, name) if array.dtype.kind == "O" else array


def weights_of(values: Any, cases: int) -> FloatArray | None:
    """Return weights as (n,) float64, None for None.

    Raises EvaluationError for another length, for negative weights, NaN and infinity, EvaluationTypeError for no
    numbers.  O(n).

    >>> weights_of([1, 2], 2)
    array([1., 2.])
    """
    if values is None:
        return None
    array = column(values, "sample_weight")
    check_lengths(range(cases), array)
    if array.dtype.kind not in "biuf" and array.dtype.kind != "O":
        raise EvaluationTypeError(f"sample_weight must hold numbers, got dtype {array.dtype}")
    weights = finite_scores(array, "sample_weight").astype(np.float64, copy=False)
    if weights.size and weights.min() < 0:
        index = int(weights.argmin())
        raise EvaluationError(f"sample_weight[{index}] is {weights[index]}; weights must not be negative")
    return weights


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

    labels: (n,), not empty.  O(n), O(n log n) for numbers far apart.

    >>> distinct(np.array(["b", "a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    if labels.dtype.kind in "OU":
        others = labels[labels != labels[0]]
        names = {labels[0], *others[:1]} if np.all(others[1:] == others[:1]) else set(labels.tolist())
        try:
            return np.array(sorted(names), dtype=labels.dtype)
        except TypeError as error:
            raise EvaluationTypeError(f"labels cannot be sorted: {error}") from error
    if labels.dtype.kind in "biuf":
        low, high = labels.min(), labels.max()
        if np.all((labels == low) | (labels == high)):
            return np.unique(np.array([low, high], labels.dtype))
        if labels.dtype.kind in "iu" and _is_narrow(np.array([low, high]), labels.size):
            found = np.flatnonzero(np.bincount(np.subtract(labels, low, dtype=np.int64)))
            return (found + int(low)).astype(labels.dtype)
    return np.unique(labels)


def codes_among(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> IntArray:
    """Return the index of each label among sorted classes, -1 where it is none of them.

    labels: (n,); classes: (k,), sorted, distinct.  Returns (n,).  O(n log k).

    >>> codes_among(np.array([3, 1, 2]), np.array([1, 3]))
    array([ 1,  0, -1])
    """
    if "O" in (labels.dtype.kind, classes.dtype.kind) or (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        index = {label: code for code, label in enumerate(classes.tolist())}
        return np.fromiter(map(index.get, labels.tolist(), repeat(-1)), np.int64, labels.size)
    if classes.size == 2:
        second = labels == classes[1]
        if np.all(second | (labels == classes[0])):
            return np.asarray(second, np.int64)
    if labels.dtype.kind == classes.dtype.kind and classes.dtype.kind in "iu" and _is_narrow(classes, labels.size):
        return _codes_by_lookup(labels, classes)
    codes: IntArray = np.minimum(np.searchsorted(classes, labels), classes.size - 1).astype(np.int64)
    codes[classes[codes] != labels] = -1
    return codes


def _is_narrow(classes: npt.NDArray[Any], cases: int) -> bool:
    """Whether a table of all integers from the first class to the last is small."""
    low, high = int(classes[0]), int(classes[-1])
    return high - low < min(cases, _LARGEST_LOOKUP) and max(-low, high) < _LARGEST_INTEGER


def _codes_by_lookup(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> IntArray:
    low, span = int(classes[0]), int(classes[-1]) - int(classes[0])
    lookup = np.full(span + 1, -1)
    lookup[classes.astype(np.int64) - low] = np.arange(classes.size)
    offsets = labels.astype(np.int64) - low
    codes: IntArray = lookup.take(offsets, mode="clip")
    if offsets.min() < 0 or offsets.max() > span:
        codes[(offsets < 0) | (offsets > span)] = -1
    return codes


def _weights_beside(truth: npt.NDArray[Any], scores: ScoreArray, sample_weight: Any) -> FloatArray | None:
    check_lengths(truth, scores)
    return weights_of(sample_weight, len(truth))


def _other_shape(truth: npt.NDArray[Any], scores: ScoreArray) -> str:
    return f"y_true and y_score have different shape, {truth.shape} and {scores.shape}"
