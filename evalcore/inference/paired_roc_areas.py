"""Covariances of ROC areas on the same cases, and comparisons of the areas of two models."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.chosen_weights import ChosenWeights, checked_weights
from evalcore.inference.clustered_cases import checked_clusters
from evalcore.inference.clustered_roc_areas import ClusteredAreas, clustered_areas
from evalcore.inference.intervals import (
    Comparison,
    Interval,
    checked_level,
    normal_comparison,
    undefined_interval,
)
from evalcore.inference.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.inference.roc_area_differences import compare_areas_by_score
from evalcore.inference.roc_areas import (
    area_of_moments,
    interval_of_area,
    why_moments_have_none,
    why_no_variance,
    without_test,
)
from evalcore.inference.weighted_roc_areas import JointAreas, joint_weighted_areas
from evalcore.kernels.placements import (
    PlacementMoments,
    Placements,
    joint_placement_moments,
    moments_of,
)
from evalcore.measures import roc_variances
from evalcore.typing import BoolArray, FloatArray, Label, ScoreArray, WeightType
from evalcore.validation.arrays import as_scores, check_equal_lengths
from evalcore.validation.parameters import check_choice
from evalcore.validation.positive_labels import as_positive_mask

PAIR = [[1, -1], [1, 0], [0, 1]]
"""The difference of two areas, and each of them."""


_TOO_MANY = 1 << 31
"""Placements are kept in 32 bits."""


@equal_by_content
class RocAreas(NamedTuple):
    """Areas under the ROC curves of k models, and how they vary together from sample to sample."""

    areas: FloatArray
    """Shape (k,), in 0 .. 1."""
    covariance: FloatArray
    """Covariances of the areas, shape (k, k); their variances on the diagonal."""


class AreaPair(NamedTuple):
    """The areas of two rankings of the same cases, and what a comparison needs of them."""

    areas: tuple[float, float]
    covariance: FloatArray
    """Of the difference and both areas, (3, 3)."""
    smaller: float
    """Cases of the smaller class, effective ones where weights differ."""
    lack: str
    """Why there is no variance; empty if there is one."""
    freedom: float = math.inf
    """Degrees of freedom of the variance, for Student's t."""

    def compared(self, level: float, method: str, stacklevel: int = 5) -> Comparison:
        """Compare the areas as `compare_roc_auc`; stacklevel: 5 is the line that called the caller of this.  O(1)."""
        variance, *own = np.diagonal(self.covariance).tolist()
        if method == "delong-score" and (variance > 0 or not any(own)):
            return compare_areas_by_score(self.areas, (variance, *own), self.smaller, level, self.freedom)
        return compare_areas_of_variance(
            self.areas, variance, level, self.lack, method=method, stacklevel=stacklevel, freedom=self.freedom
        )


class PlacedAreas(NamedTuple):
    """What the placements of k models say of their ROC areas."""

    intervals: list[Interval]
    """Of each model."""
    comparisons: list[Comparison]
    """Of the pairs that were asked for."""


def compare_roc_auc(
    y_true: ArrayLike,
    y_score1: ArrayLike,
    y_score2: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: Literal["delong", "delong-score"] = "delong",
) -> Comparison:
    """Compare the areas under the ROC curves of two models that scored the same cases.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score1, y_score2 : array-like of shape (n,)
        Scores of the first and of the second model, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type, cluster
        As `roc_auc_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.
    method : {'delong', 'delong-score'}
        'delong' assumes a normal difference with DeLong's variance, as pROC does.  'delong-score' lets the variance
        grow with the distance from the difference where few cases are misplaced, and has bounds and a p-value where
        both models separate the classes.  It is close to 'delong' for many cases, and holds differences of large areas
        more often.

    Returns
    -------
    Comparison
        Of the areas, the first less the second.  The statistic is normal if the true areas are equal.  The bounds are
        cut to -1 .. 1, and hold 0 if and only if the p-value is above 1 - level.  If the difference has no variance, as
        for a model and itself, statistic and bounds are NaN, and the p-value is 1 if the areas are equal, NaN if not.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range; if the method is
        unknown; if weights or clusters are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases: bounds, statistic and p-value are NaN, and if it has none, the areas too.
        If the difference has no variance.  If a class occurs in fewer than two clusters.

    Notes
    -----
    O(n log n): each model is sorted once.  The variance is the exact one, rounded once.  Measured on 2,000 samples of
    200 cases each, half or a tenth of them positive, with normal scores of correlation 1/2, 95% bounds held the true
    difference of areas of 0.75 in 95.6 and 94.0%, of 0.9 and 0.75 in 94.3 and 93.6%.  With clusters the
    statistic is Student's, with one degree of freedom less than there are clusters.  For two models that scored
    different cases see `compare_unpaired_roc_auc`.  Sources: those of `roc_auc_interval`.

    Examples
    --------
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> compare_roc_auc(y_true, [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], [0.1, 0.6, 0.2, 0.3, 0.5, 0.4])
    0.888889 - 0.666667 = 0.222222 [-0.264735, 0.709179] (95% delong), p = 0.371
    """
    check_choice(method, ("delong", "delong-score"), "method", "compare_roc_auc")
    confidence = checked_level(level)
    correct = as_positive_mask(y_true, pos_label, "compare_roc_auc")
    weights = checked_weights(sample_weight, weight_type, correct.size, "compare_roc_auc")
    clusters = checked_clusters(cluster, weights, correct.size)
    columns = checked_columns(correct, [("y_score1", y_score1), ("y_score2", y_score2)], weights)
    if clusters is not None:
        found = pair_of_clusters(clustered_areas(correct[weights.chosen], columns, clusters))
    elif weights.values is None:
        moments = joint_placement_moments(columns, correct[weights.chosen])
        found = _pair_of_moments(moments)
    else:
        found = pair_of_weights(joint_weighted_areas(correct[weights.chosen], columns, weights, PAIR))
    return found.compared(confidence, method)


def areas_of_placements(
    models: Sequence[Placements], pairs: Sequence[tuple[int, int]], level: float, method: str = DEFAULT_AREA_METHOD
) -> PlacedAreas:
    """Return intervals of k models, and compare pairs of them, by their indices.  O((k + pairs) n)."""
    moments = moments_of(models, pairs)
    areas = [area_of_moments(moments.of([model])) for model in range(len(models))]
    intervals = [interval_of_area(area, level, method) for area in areas]
    return PlacedAreas(intervals, [_compared(moments.of(pair), level) for pair in pairs])


def check_comparable(cases: int, name: str) -> None:
    """Raise EvaluationError for more cases than comparisons take; name: of the column.  O(1)."""
    if cases >= _TOO_MANY:
        raise EvaluationError(f"{name} must have fewer than {_TOO_MANY:,} cases for a comparison, got {cases:,}")


def roc_auc_covariance(
    y_true: ArrayLike,
    y_scores: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
) -> RocAreas:
    """Return the areas under the ROC curves of several models that scored the same cases, and their covariances.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_scores : array-like of shape (n, k), or list or tuple of k array-likes of shape (n,)
        Scores of each model, in a column or an element of the list, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type, cluster
        As `roc_auc_interval`.

    Returns
    -------
    RocAreas
        Areas (k,) in 0 .. 1, as from `evalcore.metrics.roc_auc_score`, and covariances (k, k), float64.  The difference
        of two areas has the sum of their variances less twice their covariance.

    Raises
    ------
    EvaluationTypeError
        If labels or scores have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, scores are not two-dimensional, or there is no
        model; if weights or clusters are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases, or occurs in fewer than two clusters: the covariances are NaN, and if it
        has none, the areas too.

    Notes
    -----
    O(k n log n + k² n): each model is sorted once.  Every number is the exact one, rounded once.  Sources: those of
    `roc_auc_interval`.

    Examples
    --------
    >>> roc_auc_covariance([0, 0, 1, 1], [[0.1, 0.4, 0.3, 0.8], [0.2, 0.1, 0.9, 0.7]])
    RocAreas(areas=array([0.75, 1.  ]), covariance=array([[0.125, 0.   ],
           [0.   , 0.   ]]))
    """
    correct = as_positive_mask(y_true, pos_label, "roc_auc_covariance")
    weights = checked_weights(sample_weight, weight_type, correct.size, "roc_auc_covariance")
    clusters = checked_clusters(cluster, weights, correct.size)
    columns, correct = checked_columns(correct, _scores_of_models(y_scores), weights), correct[weights.chosen]
    if clusters is not None:
        of_clusters = clustered_areas(correct, columns, clusters)
        lack, found = of_clusters.lack, RocAreas(of_clusters.areas, of_clusters.covariance(np.eye(len(columns))))
    elif weights.values is None:
        moments = joint_placement_moments(columns, correct)
        lack = why_moments_have_none(moments)
        found = RocAreas(roc_variances.roc_areas(moments), roc_variances.roc_covariance(moments))
    else:
        joint = joint_weighted_areas(correct, columns, weights)
        lack = why_no_variance(*joint.sizes)
        found = RocAreas(joint.areas, joint.covariance)
    if lack:
        message = f"The covariances of the ROC areas are not defined: {lack}."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return found


def pair_of_clusters(found: ClusteredAreas) -> AreaPair:
    """Return the two areas of clustered cases, (m,), as a comparison needs them.  O(m)."""
    first, second = found.areas.tolist()
    return AreaPair((first, second), found.covariance(PAIR), found.smaller, found.lack, found.cases.freedom)


def pair_of_weights(found: JointAreas) -> AreaPair:
    """Return the two areas of weighted cases, with the covariance of `PAIR`, as a comparison needs them.  O(1)."""
    first, second = found.areas.tolist()
    return AreaPair((first, second), found.covariance, found.smaller, why_no_variance(*found.sizes))


def _pair_of_moments(moments: PlacementMoments) -> AreaPair:
    first, second = roc_variances.roc_areas(moments).tolist()
    sizes = moments.correct.size, moments.incorrect.size
    covariance = roc_variances.roc_covariance(moments, PAIR)
    return AreaPair((first, second), covariance, min(sizes), why_no_variance(*sizes))


def _compared(moments: PlacementMoments, level: float) -> Comparison:
    """Compare two models; the line that called the caller of this function is the one that a warning names."""
    first, second = roc_variances.roc_areas(moments).tolist()
    variance = float(roc_variances.roc_covariance(moments, [[1, -1]])[0, 0])
    return compare_areas_of_variance((first, second), variance, level, why_moments_have_none(moments))


def compare_areas_of_variance(
    areas: tuple[float, float],
    variance: float,
    level: float,
    lack: str = "",
    *,
    method: str = "delong",
    stacklevel: int = 5,
    freedom: float = math.inf,
) -> Comparison:
    """Compare two areas whose difference has a variance, as `compare_roc_auc`; lack: why it is NaN, if known.  O(1)."""
    if variance > 0:
        return normal_comparison(areas, math.sqrt(variance), level, "delong", freedom)
    lack = lack or "the difference has no variance"
    bounds = undefined_interval(areas[0] - areas[1], level, method, lack, stacklevel)
    return without_test(areas, bounds, variance)


def checked_columns(correct: BoolArray, models: list[tuple[str, Any]], weights: ChosenWeights) -> list[ScoreArray]:
    """Return the scores of each model, (m,), of the cases with a weight above zero.  O(k n)."""
    check_comparable(correct.size, "y_true")
    columns: list[ScoreArray] = []
    for name, scores in models:
        columns.append(as_scores(scores, name))
        check_equal_lengths(correct, columns[-1], "y_true", name)
    return [column[weights.chosen] for column in columns]


def _scores_of_models(y_scores: Any) -> list[tuple[str, Any]]:
    """Return the scores of each model with the name of its column.  O(k)."""
    if isinstance(y_scores, list | tuple):
        models = [(f"y_scores[{index}]", scores) for index, scores in enumerate(y_scores)]
    else:
        columns = np.asanyarray(y_scores)  # a masked array stays one, and is refused by column
        if columns.ndim != 2:
            raise EvaluationError(f"y_scores must be of shape (n, k) or a list of columns, got shape {columns.shape}")
        models = [(f"y_scores[:, {index}]", columns[:, index]) for index in range(columns.shape[1])]
    if not models:
        raise EvaluationError("y_scores must hold the scores of at least one model")
    return models
