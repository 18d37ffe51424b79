"""Binary labels, scores and weights as scikit-learn's functions take them, and the counts at every threshold."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.ordering import order
from evalcore.kernels.threshold_points import ThresholdPoints, counted_points, weighted_points
from evalcore.typing import BoolArray, FloatArray, ScoreArray
from evalcore.validation import arrays
from evalcore.validation.labels import coded
from evalcore.validation.target_types import (
    array_of,
    check_finite,
    holds_text,
    is_sparse,
    type_of_target,
    what_is_parsed,
)
from evalcore.validation.weights import check_lengths, check_sum, non_negative_weights


class Cases(NamedTuple):
    """Checked cases."""

    labels: npt.NDArray[Any]
    """Labels, or whether each case is of the positive class, shape (n,)."""
    scores: ScoreArray
    """Finite scores, shape (n,)."""
    weights: FloatArray | None
    """Positive weights, shape (n,), or None for one each."""
    score_dtype: np.dtype[Any]
    """What the scores came in: integers are evaluated as float64."""
    extent: tuple[float, float] | None
    """Numbers that no score is below or above, where they are known."""


def column(values: Any, name: str) -> npt.NDArray[Any]:
    """Return an array of shape (n,), of a column (n, 1) too.

    Raises EvaluationError for another shape, InvalidParameterError for a sparse matrix, and as `target_types.array_of`
    does.  O(n).

    >>> column([[1], [0]], "y_true")
    array([1, 0])
    """
    array = array_of(values, name)
    if is_sparse(array):
        raise InvalidParameterError(f"{name} must be dense, got a sparse matrix; call .toarray() on it")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        two = array.shape[1:] == (2,) and name != "y_true"
        hint = f" Of two columns of probabilities pass that of the positive class, {name}[:, 1]." if two else ""
        raise EvaluationError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.{hint}")
    return array


def binary_scores(y_true: Any, y_score: Any, sample_weight: Any = None, pos_label: Any = None) -> Cases:
    """Check the arguments of a function on binary labels and scores.

    y_true: (n,) of two classes; without `pos_label` these are Booleans, {0, 1} or {-1, 1}.  y_score: (n,) finite
    numbers.  sample_weight: (n,) finite numbers, none negative; cases without weight are dropped.

    Raises EvaluationError or EvaluationTypeError, in scikit-learn's words where it has them, for anything else.  O(n).

    >>> binary_scores([0, 1], [2, 3]).scores
    array([2., 3.])
    """
    return checked_cases(positives(column(y_true, "y_true"), pos_label), y_score, sample_weight)


def checked_cases(y_true: Any, y_score: Any, sample_weight: Any) -> Cases:
    """Check lengths, scores and weights, and drop the cases without weight.  Raises as `binary_scores`.  O(n).

    >>> checked_cases(["a", "b"], [0.5, 0.25], [2, 0]).labels
    array(['a'], dtype='<U1')
    """
    labels, values = column(y_true, "y_true"), column(y_score, "y_score")
    check_lengths(labels, values, sample_weight)
    if labels.size == 0:
        raise EvaluationError("Found array with 0 sample(s) while a minimum of 1 is required: y_true is empty.")
    scores, extent = _finite_scores(values, "y_score")
    weights = non_negative_weights(sample_weight, labels.size)
    if weights is None:
        return Cases(labels, scores, None, values.dtype, extent)
    check_sum(weights)
    kept = weights != 0
    if not kept.all():
        labels, scores, weights = labels[kept], scores[kept], weights[kept]
    return Cases(labels, scores, weights, values.dtype, extent)


def positives(labels: npt.NDArray[Any], pos_label: Any, name: str = "y_true") -> BoolArray:
    """Mark the labels of the positive class.

    labels: (n,), of two classes; with `pos_label` given of any number of classes.  Without it the positive class is
    True or 1, and all other labels are False or 0, or all are -1.  name: what errors call them.

    Raises EvaluationError for anything else.  O(n), O(n log n) for an error.

    >>> positives(np.array([-1, 1]), None), positives(np.array(["a", "b"]), "a")
    (array([False,  True]), array([ True, False]))
    """
    standard = standard_positives(labels) if pos_label is None or pos_label in (True, 1) else None
    if standard is not None:
        return standard
    _check_classes(labels, pos_label, name)
    marked: BoolArray = np.asarray(labels == pos_label, dtype=np.bool_)
    return marked


def check_among(pos_label: Any, labels: npt.NDArray[Any]) -> None:
    """Raise EvaluationError for a positive class that is neither of two labels that are there.  O(n).

    >>> check_among("ham", np.array(["ham", "spam"]))
    """
    if pos_label is None:
        return
    present = coded(labels)[0]
    if present.size == 2 and pos_label not in present.tolist():
        raise EvaluationError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")


def standard_positives(labels: npt.NDArray[Any]) -> BoolArray | None:
    """Mark the ones among labels of {0, 1} or {-1, 1}; None for other labels.

    labels: (n,).  O(n).

    >>> standard_positives(np.array([-1, 1])), standard_positives(np.array([1, 2]))
    (array([False,  True]), None)
    """
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


def threshold_points(cases: Cases) -> ThresholdPoints:
    """Count the cases at or above every distinct score, or add up their weights.  O(n log n).

    >>> threshold_points(binary_scores([0, 1, 1], [0.1, 0.4, 0.4]))
    ThresholdPoints(tp=array([2., 2.]), fp=array([0., 1.]), scores=array([0.4, 0.1]))
    """
    if cases.weights is None:
        points = counted_points(order(cases.scores, cases.labels, cases.extent))
    else:
        points = weighted_points(cases.scores, cases.labels, cases.weights)
    return points._replace(scores=points.scores.astype(cases.score_dtype, copy=False))


def _check_classes(labels: npt.NDArray[Any], pos_label: Any, name: str) -> None:
    kind = type_of_target(labels, name)
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise EvaluationError(f"{kind} format is not supported")
    if pos_label is None:
        listed = ", ".join(map(repr, coded(labels)[0].tolist()))
        raise EvaluationError(
            f"{name} takes value in {{{listed}}} and pos_label is not specified: either make {name} take value in "
            "{0, 1} or {-1, 1} or pass pos_label explicitly."
        )


def finite_scores(values: npt.NDArray[Any], name: str) -> ScoreArray:
    """Return finite numbers as float32 or float64.  Raises EvaluationError for others.  O(n).

    >>> finite_scores(np.array([1, 2]), "x")
    array([1., 2.])
    """
    return _finite_scores(values, name)[0]


def _finite_scores(values: npt.NDArray[Any], name: str) -> tuple[ScoreArray, tuple[float, float] | None]:
    """Check scores, and return their least and largest too where that took no further look."""
    if values.dtype.kind in "USMm":
        raise EvaluationTypeError(f"{name} must hold numbers, got dtype {values.dtype}")
    if values.dtype.kind == "O":
        if holds_text(values):
            raise InvalidParameterError(f"{name} must hold numbers, got {what_is_parsed(values)}")
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise EvaluationError(f"{name} must hold numbers: {error}") from error
    if values.dtype.kind == "b":
        return values.astype(np.float64), None
    extent = check_finite(values, name)
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        return values.astype(np.promote_types(values.dtype, np.float32), copy=False), extent
    scores, kept = arrays.float64_and_kept(values)
    if not kept.all():
        index = int(kept.argmin())
        raise arrays.not_kept(values.ravel()[index], f"{name}[{index}]")
    return scores, None
