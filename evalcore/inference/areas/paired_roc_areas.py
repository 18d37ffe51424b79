"""Covariances of ROC areas on the same cases, and comparisons of the areas of two models."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.areas.clustered_roc_areas import clustered_areas
from evalcore.inference.areas.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.inference.areas.roc_area_differences import (
    AREA_PAIR,
    DIFFERENCE_METHODS,
    PairedAreas,
    compare_areas,
    difference_method,
    paired_areas,
)
from evalcore.inference.areas.roc_areas import area_of_moments, interval_of_area, why_moments_have_none, why_no_variance
from evalcore.inference.areas.weighted_roc_areas import joint_weighted_areas
from evalcore.inference.chosen_weights import ChosenWeights, checked_weights
from evalcore.inference.clustered_cases import checked_clusters
from evalcore.inference.intervals import Comparison, Interval, checked_level, undefined_interval
from evalcore.kernels.placements import PlacementMoments, Placements, joint_placement_moments, moments_of
from evalcore.measures import roc_variances
from evalcore.typing import BoolArray, FloatArray, Label, RocDifferenceMethod, ScoreArray, WeightType
from evalcore.validation.arrays import as_scores, check_equal_lengths, check_indices
from evalcore.validation.targets import as_positive_mask
from evalcore.validation.values import check_choice

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

    areas: PairedAreas
    """Of a single group."""
    lack: str
    """Why there is no variance; empty if there is one."""
    freedom: float = math.inf
    """Degrees of freedom of the variance, for Student's t."""

    def compared(self, level: float, method: str, stacklevel: int = 4) -> Comparison:
        """Compare the areas as `compare_roc_auc`, and warn where there are no bounds.  O(1).

        stacklevel: 4 is the line that called the caller of this.
        """
        [found] = compare_areas(self.areas, level, method, np.array([self.freedom]))
        if math.isnan(found.low):
            lack = self.lack or "the difference has no variance"
            undefined_interval(found.difference, level, method, lack, stacklevel)
        return found


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
    method: RocDifferenceMethod = "delong-score",
) -> Comparison:
    r"""Compare the areas under the ROC curves of two models that scored the same cases.

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
    method : {'delong-score', 'delong'}
        'delong-score', the default, inverts a score test: the variance grows with the distance from the difference
        where few cases are misplaced.  It has bounds and a p-value where both models separate the classes too, is close
        to 'delong' for many cases, and holds differences of large areas more often.
        'delong' assumes a normal difference with DeLong's variance, as pROC does.

    Returns
    -------
    Comparison
        Of the areas, the first less the second.  The statistic is normal if the true areas are equal.  The bounds are
        cut to -1 .. 1, and hold 0 if and only if the p-value is above 1 - level.  For a model and itself, and others
        that rank all cases alike, the p-value is 1, and the bounds of 'delong-score' are those of models that rank half
        a case differently: 0 for many cases.  If they separate the classes, the cases do not tell how alike they
        are, and the bounds are those for any two such models.  If the difference has no variance, statistic and bounds
        of 'delong' are NaN, and its p-value is 1 if the areas are equal, NaN if not.  Range: the p-value 0 .. 1.

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
        If a class occurs in fewer than two clusters.  By 'delong', if the difference has no variance.

    Notes
    -----
    $$z = \frac{A_1 - A_2}{\sqrt{V_1 + V_2 - 2 C_{12}}}$$

    That is the statistic of 'delong', with variances and covariance of `roc_auc_covariance`.  Use it in place of two
    intervals, which are too wide for models that scored the same cases.

    O(n log n): each model is sorted once.  The variance is the exact one, rounded once.  Measured on 2,000 samples of
    200 cases each, half or a tenth of them positive, with normal scores of correlation 1/2, 95% bounds of 'delong' held
    the true difference of areas of 0.75 in 95.6 and 94.0%, of 0.9 and 0.75 in 94.3 and 93.6%; benchmarks/README.md has
    more, and how 'delong-score' was found.  With clusters the variance is Obuchowski's, and the statistic is Student's,
    with one degree of freedom less than there are clusters.  For two models that scored different cases see
    `compare_unpaired_roc_auc`.  Sources: those of `roc_auc_interval`.

    Examples
    --------
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> compare_roc_auc(y_true, [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], [0.1, 0.6, 0.2, 0.3, 0.5, 0.4])
    0.888889 - 0.666667 = 0.222222 [-0.480522, 0.924966] (95% delong-score), p = 0.44
    """
    check_choice(method, DIFFERENCE_METHODS, "method", "compare_roc_auc")
    confidence = checked_level(level)
    check_indices(y_true=y_true, y_score1=y_score1, y_score2=y_score2, sample_weight=sample_weight, cluster=cluster)
    correct = as_positive_mask(y_true, pos_label, "compare_roc_auc")
    weights = checked_weights(sample_weight, weight_type, correct.size, "compare_roc_auc")
    clusters = checked_clusters(cluster, weights, correct.size)
    columns = checked_columns(correct, [("y_score1", y_score1), ("y_score2", y_score2)], weights)
    if clusters is not None:
        of_clusters = clustered_areas(correct[weights.chosen], columns, clusters)
        pairs = of_clusters.influence.pairs(of_clusters.areas[:, np.newaxis])
        found = AreaPair(pairs, of_clusters.lack, clusters.freedom)
    elif weights.values is None:
        moments = joint_placement_moments(columns, correct[weights.chosen])
        found = AreaPair(pair_of_moments(moments), why_moments_have_none(moments))
    else:
        joint = joint_weighted_areas(correct[weights.chosen], columns, weights, AREA_PAIR)
        pairs = paired_areas(joint.areas, joint.covariance, joint.smaller)
        found = AreaPair(pairs, why_no_variance(*joint.sizes))
    return found.compared(confidence, method)


def areas_of_placements(
    models: Sequence[Placements], pairs: Sequence[tuple[int, int]], level: float, method: str = DEFAULT_AREA_METHOD
) -> PlacedAreas:
    """Return intervals of k models, and compare pairs of them, by their indices.  O((k + pairs) n)."""
    moments = moments_of(models, pairs)
    areas = [area_of_moments(moments.of([model])) for model in range(len(models))]
    intervals = [interval_of_area(area, level, method) for area in areas]
    found = [AreaPair(pair_of_moments(moments.of(pair)), why_moments_have_none(moments)) for pair in pairs]
    return PlacedAreas(intervals, [pair.compared(level, difference_method(method)) for pair in found])


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
    r"""Return the areas under the ROC curves of several models that scored the same cases, and their covariances.

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
    $$\hat C_{kl} = \frac{S^{10}_{kl}}{m} + \frac{S^{01}_{kl}}{n}$$

    $S^{10}$ and $S^{01}$ are the covariances of the placements of the $m$ positive and the $n$ negative cases.  Use
    it to build tests of several areas of your own; for two `compare_roc_auc`.

    O(k n log n + k² n): each model is sorted once.  Every number is the exact one, rounded once.  Sources: those of
    `roc_auc_interval`.

    Examples
    --------
    >>> roc_auc_covariance([0, 0, 1, 1], [[0.1, 0.4, 0.3, 0.8], [0.2, 0.1, 0.9, 0.7]])
    RocAreas(areas=array([0.75, 1.  ]), covariance=array([[0.125, 0.   ],
           [0.   , 0.   ]]))
    """
    models = _scores_of_models(y_scores)
    check_indices(y_true=y_true, y_scores=y_scores, **dict(models), sample_weight=sample_weight, cluster=cluster)
    correct = as_positive_mask(y_true, pos_label, "roc_auc_covariance")
    weights = checked_weights(sample_weight, weight_type, correct.size, "roc_auc_covariance")
    clusters = checked_clusters(cluster, weights, correct.size)
    columns, correct = checked_columns(correct, models, weights), correct[weights.chosen]
    if clusters is not None:
        of_clusters = clustered_areas(correct, columns, clusters)
        lack, found = of_clusters.lack, RocAreas(of_clusters.areas, of_clusters.covariance(np.eye(len(columns))))
    elif weights.values is None:
        moments = joint_placement_moments(columns, correct)
        lack = why_moments_have_none(moments)
        found = RocAreas(roc_variances.areas_of_placements(moments), roc_variances.roc_covariance(moments))
    else:
        joint = joint_weighted_areas(correct, columns, weights)
        lack = why_no_variance(*joint.sizes)
        found = RocAreas(joint.areas, joint.covariance)
    if lack:
        message = f"The covariances of the ROC areas are not defined: {lack}."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return found


def pair_of_moments(moments: PlacementMoments) -> PairedAreas:
    """Return the areas of two rankings with DeLong's variances.  O(1)."""
    smaller = min(moments.correct.size, moments.incorrect.size)
    return paired_areas(
        roc_variances.areas_of_placements(moments), roc_variances.roc_covariance(moments, AREA_PAIR), smaller
    )


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
