"""Binary labels, scores and weights as scikit-learn's functions take them, and the counts at every threshold."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.kernels.ordering import order
from evalcore.kernels.threshold_points import ThresholdPoints, counted_points, weighted_points
from evalcore.typing import FloatArray, ScoreArray
from evalcore.validation.array_likes import (
    _finite_scores,
    as_1d,
)
from evalcore.validation.positive_labels import positive_mask
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths, check_weight_sum


class WeightedCases(NamedTuple):
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


def as_binary_scores(y_true: Any, y_score: Any, sample_weight: Any = None, pos_label: Any = None) -> WeightedCases:
    """Check the arguments of a function on binary labels and scores.

    y_true: (n,) of two classes; without `pos_label` these are Booleans, {0, 1} or {-1, 1}.  y_score: (n,) finite
    numbers.  sample_weight: (n,) finite numbers, none negative; cases without weight are dropped.

    Raises EvaluationError or EvaluationTypeError, in scikit-learn's words where it has them, for anything else.  O(n).

    >>> as_binary_scores([0, 1], [2, 3]).scores
    array([2., 3.])
    """
    return as_weighted_cases(positive_mask(as_1d(y_true, "y_true"), pos_label), y_score, sample_weight)


def as_weighted_cases(y_true: Any, y_score: Any, sample_weight: Any) -> WeightedCases:
    """Check lengths, scores and weights, and drop the cases without weight.  Raises as `binary_scores`.  O(n).

    >>> as_weighted_cases(["a", "b"], [0.5, 0.25], [2, 0]).labels
    array(['a'], dtype='<U1')
    """
    labels, values = as_1d(y_true, "y_true"), as_1d(y_score, "y_score")
    check_consistent_lengths(labels, values, sample_weight)
    if labels.size == 0:
        raise EvaluationError("Found array with 0 sample(s) while a minimum of 1 is required: y_true is empty.")
    scores, extent = _finite_scores(values, "y_score")
    weights = as_non_negative_weights(sample_weight, labels.size)
    if weights is None:
        return WeightedCases(labels, scores, None, values.dtype, extent)
    check_weight_sum(weights)
    kept = weights != 0
    if not kept.all():
        labels, scores, weights = labels[kept], scores[kept], weights[kept]
    return WeightedCases(labels, scores, weights, values.dtype, extent)


def threshold_points(cases: WeightedCases) -> ThresholdPoints:
    """Count the cases at or above every distinct score, or add up their weights.  O(n log n).

    >>> threshold_points(as_binary_scores([0, 1, 1], [0.1, 0.4, 0.4]))
    ThresholdPoints(tp=array([2., 2.]), fp=array([0., 1.]), scores=array([0.4, 0.1]))
    """
    if cases.weights is None:
        points = counted_points(order(cases.scores, cases.labels, cases.extent))
    else:
        points = weighted_points(cases.scores, cases.labels, cases.weights)
    return points._replace(scores=points.scores.astype(cases.score_dtype, copy=False))
