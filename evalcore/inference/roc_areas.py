"""Intervals of ROC areas, their covariances, and comparisons of the areas of two models, from DeLong's variances."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.chosen_weights import ChosenWeights, checked_weights
from evalcore.inference.intervals import (
    Comparison,
    Interval,
    checked_level,
    normal_comparison,
    undefined_interval,
)
from evalcore.inference.roc_area_bounds import AREA_METHODS, DEFAULT_AREA_METHOD
from evalcore.inference.weighted_roc_areas import joint_weighted_areas, weighted_area
from evalcore.kernels.ordering import order
from evalcore.kernels.placements import (
    PlacementMoments,
    Placements,
    joint_placement_moments,
    moments_of,
    placement_moments,
)
from evalcore.measures import roc_variances
from evalcore.typing import BoolArray, FloatArray, KeyArray, Label, RocAreaMethod, ScoreArray, WeightType
from evalcore.validation.arrays import Cases, as_scores, check_equal_lengths
from evalcore.validation.parameters import check_choice
from evalcore.validation.positive_labels import as_positive_mask, as_scored_cases

_TOO_MANY = 1 << 31
"""Placements are kept in 32 bits."""


@equal_by_content
class RocAreas(NamedTuple):
    """Areas under the ROC curves of k models, and how they vary together from sample to sample."""

    areas: FloatArray
    """Shape (k,), in 0 .. 1."""
    covariance: FloatArray
    """Covariances of the areas, shape (k, k); their variances on the diagonal."""


class PlacedAreas(NamedTuple):
    """What the placements of k models say of their ROC areas."""

    intervals: list[Interval]
    """Of each model."""
    comparisons: list[Comparison]
    """Of the pairs that were asked for."""


class AreaEstimate(NamedTuple):
    """The area of one ranking, its variance, and why this is unknown."""

    area: float
    variance: float
    cases: float
    """Number of cases, effective ones where weights differ."""
    smaller: float
    """Number of cases of the smaller class, effective ones where weights differ."""
    lack: str
    """Empty if the variance is known; it may be 0."""

    @property
    def why_no_test(self) -> str:
        """Say why the variance is unknown or 0; empty if it is above 0."""
        return self.lack or _why_constant(self.variance)


def roc_auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    method: RocAreaMethod = "delong-wilson",
) -> Interval:
    """Return the interval of the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores that float32 or float64 hold exactly; they may be infinite.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.  See the notes of `evalcore.evaluate`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true area, above 0 and below 1.
    method : {'delong-wilson', 'delong', 'delong-logit'}
        'delong-wilson', the default, inverts the score test, as Wilson's interval of proportions does, with as many
        trials as have the variance of the area; where few cases are misplaced, DeLong's variance is averaged with a
        cautious one.  It is close to 'delong' for many cases, and holds large areas of few cases more often.
        'delong' assumes a normal area with DeLong's variance, and cuts the bounds to 0 .. 1, as pROC does.
        'delong-logit' assumes a normal logit, with the variance of the delta method.

    Returns
    -------
    Interval
        In 0 .. 1.  The estimate is what `evalcore.metrics.roc_auc_score` returns, which takes finite scores only.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range;
        if the method is unknown; if weights are negative, infinite, NaN, all 0, as many as there are no cases, or
        frequencies that are not whole numbers or add up to 2**53 or more.

    Warns
    -----
    UndefinedMetricWarning
        If a class is empty: estimate and bounds are NaN.  If a class has a single case: the bounds are NaN.  If all
        pairs of a positive and a negative are ranked alike, as when the classes are separated, so that DeLong's
        variance is 0: the bounds of 'delong' and 'delong-logit' are NaN, those of 'delong-wilson' are defined.

    Notes
    -----
    O(n log n), little more than a sort of the scores.  The variance is the exact one, rounded once.
    Measured on 2,000 samples of 200 cases each, half of them positive, with normal scores and true areas of 0.6, 0.75,
    0.9 and 0.95, 95% bounds of 'delong' held the area in 94.8, 94.7, 92.9 and 91.6%, of 'delong-logit' in 95.1, 95.4,
    94.7 and 94.8%, of 'delong-wilson' in 95.0, 95.2, 95.2 and 95.4%; where a tenth were positive, in 94.1, 92.6, 88.2
    and 84.3%, in 94.9, 94.3, 92.3 and 90.3%, and in 96.0, 96.4, 98.0 and 98.2%.  With 20 cases of each class or more,
    'delong-wilson' held areas of up to 0.99 in at least 93%, also where the scores of a class vary twice as much as
    those of the other, and was at most 1.4 times as wide as 'delong' where that held the area in 95%.
    With weights the variance is that of weighted placements.  Of 1,000 samples with an area of 0.85 bounds held it
    in 94.6 and 95.2% with all positives and a tenth of the negatives, in 92.3 and 93.8% with lognormal weights, and in
    87.6 and 90.9% where positives of low scores had weights of up to 20.
    Sources: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach, Biometrics 44 (1988) 837-845; by ranks: X. Sun
    and W. Xu, Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver operating
    characteristic curves, IEEE Signal Processing Letters 21 (2014) 1389-1393; 'delong-logit': M. S. Pepe, The
    Statistical Evaluation of Medical Tests for Classification and Prediction (2003), 5.2; 'delong-wilson': E. B.
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927) 209-212, with effective
    trials as in E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data, Survey Methodology 24 (1998) 193-201.  The average of the variances is
    ours; benchmarks/README.md has the coverage.

    Examples
    --------
    >>> roc_auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.888889 [0.327081, 0.992463] (95% delong-wilson)
    >>> roc_auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], method="delong")
    0.888889 [0.58091, 1] (95% delong)
    >>> roc_auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], method="delong-logit")
    0.888889 [0.261373, 0.994501] (95% delong-logit)
    """
    check_choice(method, tuple(AREA_METHODS), "method", "roc_auc_interval")
    confidence = checked_level(level)
    cases = as_scored_cases(y_true, y_score, pos_label, "roc_auc_interval")
    weights = checked_weights(sample_weight, weight_type, cases.correct.size, "roc_auc_interval")
    return _interval(area_of_cases(cases, weights), confidence, method)


def roc_auc_interval_of_keys(
    keys: KeyArray, level: float, method: str = DEFAULT_AREA_METHOD, stacklevel: int = 3
) -> Interval:
    """Return the interval of the area of (n,) sorted keys, as `roc_auc_interval` does of scores.  O(n)."""
    return _interval(_area_of_moments(placement_moments(keys)), level, method, stacklevel + 1)


def _interval(found: AreaEstimate, level: float, method: str, stacklevel: int = 4) -> Interval:
    chosen = AREA_METHODS[method]
    if lack := found.lack if chosen.of_constant else found.why_no_test:
        return undefined_interval(found.area, level, method, lack, stacklevel)
    low, high = chosen.bounds(found.area, found.variance, found.smaller, level)
    return Interval(found.area, float(low), float(high), level, method)


def compare_roc_auc(
    y_true: ArrayLike,
    y_score1: ArrayLike,
    y_score2: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
) -> Comparison:
    """Compare the areas under the ROC curves of two models that scored the same cases, by DeLong's test.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score1, y_score2 : array-like of shape (n,)
        Scores of the first and of the second model, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type
        As `roc_auc_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.

    Returns
    -------
    Comparison
        Of the areas, the first less the second.  The statistic is normal if the true areas are equal.  The bounds are
        cut to -1 .. 1.  If the difference has no variance, as for a model and itself, statistic and bounds are NaN, and
        the p-value is 1 if the areas are equal, NaN if not.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range; if
        weights are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases: bounds, statistic and p-value are NaN, and if it has none, the areas too.
        If the difference has no variance.

    Notes
    -----
    O(n log n): each model is sorted once.  The variance is the exact one, rounded once.  Measured on 2,000 samples of
    200 cases each, half or a tenth of them positive, with normal scores of correlation 1/2, 95% bounds held the true
    difference of areas of 0.75 in 95.6 and 94.0%, of 0.9 and 0.75 in 94.3 and 93.6%.  For two models that scored
    different cases see `compare_unpaired_roc_auc`.  Sources: those of `roc_auc_interval`.

    Examples
    --------
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> compare_roc_auc(y_true, [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], [0.1, 0.6, 0.2, 0.3, 0.5, 0.4])
    0.888889 - 0.666667 = 0.222222 [-0.264735, 0.709179] (95% delong), p = 0.371
    """
    confidence = checked_level(level)
    correct = as_positive_mask(y_true, pos_label, "compare_roc_auc")
    weights = checked_weights(sample_weight, weight_type, correct.size, "compare_roc_auc")
    columns = _checked_columns(correct, [("y_score1", y_score1), ("y_score2", y_score2)], weights)
    if weights.values is None:
        return _compared(joint_placement_moments(columns, correct[weights.chosen]), confidence)
    found = joint_weighted_areas(correct[weights.chosen], columns, weights, [[1, -1]])
    first, second = found.areas.tolist()
    lack = why_no_variance(*found.sizes)
    return compare_areas_of_variance((first, second), float(found.covariance[0, 0]), confidence, lack, stacklevel=4)


def areas_of_placements(models: Sequence[Placements], pairs: Sequence[tuple[int, int]], level: float) -> PlacedAreas:
    """Return intervals of k models, and compare pairs of them, by their indices.  O((k + pairs) n)."""
    moments = moments_of(models, pairs)
    areas = [_area_of_moments(moments.of([model])) for model in range(len(models))]
    intervals = [_interval(area, level, DEFAULT_AREA_METHOD) for area in areas]
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
    sample_weight, weight_type
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
        model; if weights are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class has fewer than two cases: the covariances are NaN, and if it has none, the areas too.

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
    columns, correct = _checked_columns(correct, _scores_of_models(y_scores), weights), correct[weights.chosen]
    if weights.values is None:
        moments = joint_placement_moments(columns, correct)
        lack = _why_no_variance(moments)
        found = RocAreas(roc_variances.roc_areas(moments), roc_variances.roc_covariance(moments))
    else:
        joint = joint_weighted_areas(correct, columns, weights)
        lack = why_no_variance(*joint.sizes)
        found = RocAreas(joint.areas, joint.covariance)
    if lack:
        message = f"The covariances of the ROC areas are not defined: {lack}."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return found


def area_of_cases(cases: Cases, weights: ChosenWeights) -> AreaEstimate:
    """Return the area of cases, (n,), and its variance.  O(n log n)."""
    correct, scores = (column[weights.chosen] for column in cases)
    if weights.values is None:
        return _area_of_moments(placement_moments(order(scores, correct).keys))
    found = weighted_area(correct, scores, weights)
    return AreaEstimate(*found.found[:2], found.effective_cases, found.smaller, why_no_variance(*found.sizes))


def _area_of_moments(moments: PlacementMoments) -> AreaEstimate:
    area, variance = float(roc_variances.roc_areas(moments)[0]), float(roc_variances.roc_covariance(moments)[0, 0])
    sizes = moments.correct.size, moments.incorrect.size
    return AreaEstimate(area, variance, sum(sizes), min(sizes), _why_no_variance(moments))


def _why_constant(variance: float) -> str:
    return "" if variance else "all pairs of a positive and a negative case are ranked alike"


def _compared(moments: PlacementMoments, level: float) -> Comparison:
    """Compare two models; the line that called the caller of this function is the one that a warning names."""
    first, second = roc_variances.roc_areas(moments).tolist()
    variance = float(roc_variances.roc_covariance(moments, [[1, -1]])[0, 0])
    return compare_areas_of_variance((first, second), variance, level, _why_no_variance(moments))


def compare_areas_of_variance(
    areas: tuple[float, float], variance: float, level: float, lack: str = "", stacklevel: int = 5
) -> Comparison:
    """Compare two areas whose difference has a variance, as `compare_roc_auc`; lack: why it is NaN, if known.  O(1)."""
    if variance > 0:
        return normal_comparison(areas, math.sqrt(variance), level, "delong")
    lack = lack or "the difference has no variance"
    bounds = undefined_interval(areas[0] - areas[1], level, "delong", lack, stacklevel)
    return without_test(areas, bounds, variance)


def _checked_columns(correct: BoolArray, models: list[tuple[str, Any]], weights: ChosenWeights) -> list[ScoreArray]:
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


def _why_no_variance(moments: PlacementMoments) -> str:
    """Say why no variance can be estimated; empty if it can.  O(1)."""
    return why_no_variance(moments.correct.size, moments.incorrect.size)


def why_no_variance(positives: int, negatives: int) -> str:
    """Say why so many cases have no variance of the area; empty if they have one.  O(1)."""
    for kind, size in (("positive", positives), ("negative", negatives)):
        if size == 0:
            return f"there is no {kind} case"
        if size == 1:
            return f"one {kind} case alone has no variance"
    return ""


def without_test(estimates: tuple[float, float], bounds: Interval, variance: float) -> Comparison:
    """Return a comparison without bounds or statistic, for a difference without a known variance.  O(1)."""
    p_value = 1.0 if variance == 0 == bounds.estimate else math.nan  # equal models always differ at least as much
    return Comparison(
        estimates, bounds.estimate, bounds.low, bounds.high, bounds.level, math.nan, p_value, bounds.method
    )
