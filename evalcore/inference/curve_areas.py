"""ROC areas and average precisions, their intervals, and the covariances of ROC areas."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.inference.area_influence import clustered_areas
from evalcore.inference.intervals import Interval, checked_level, logit_interval, undefined_interval
from evalcore.inference.roc_area_bounds import AREA_METHODS, DEFAULT_AREA_METHOD, LOGIT, JointAreas
from evalcore.inference.units import MOST_LEFT_OUT, ONE_CLUSTER, Units, checked_units
from evalcore.kernels.placements import PlacementMoments, joint_placement_moments, losses_of_cases, placement_moments
from evalcore.kernels.runs import lazy_runs
from evalcore.kernels.sorting import order
from evalcore.kernels.weights import WeightSums, sort_weights
from evalcore.measures import curves, roc_variances
from evalcore.measures.effective_cases import effective_positives, kish_number, smaller_class, smaller_class_of_cases
from evalcore.measures.influence import average_precisions_left_out, weighted_average_precision_influence
from evalcore.measures.roc_variances import roc_area_and_variance, weighted_roc_areas
from evalcore.state.cases import WeightedRanking
from evalcore.typing import BoolArray, KeyArray, Label, RocAreaMethod, ScoreArray, WeightType
from evalcore.validation.arrays import Cases, check_indices
from evalcore.validation.targets import as_scored_cases
from evalcore.validation.values import check_choice


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
    freedom: float = math.inf
    """Degrees of freedom of the variance, for Student's t."""

    @property
    def why_no_test(self) -> str:
        """Say why the variance is unknown or 0; empty if it is above 0."""
        return self.lack or ("" if self.variance else "all pairs of a positive and a negative case are ranked alike")


def roc_auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: RocAreaMethod = "delong-wilson",
) -> Interval:
    r"""Return the interval of the area under the ROC curve.

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
    cluster : array-like of shape (n,), optional
        The patient, day or the like of each case.  Clusters are then what is drawn by chance: their cases may depend on
        each other.  Needs SciPy.
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
        if the method is unknown; if weights are negative, infinite, NaN, all 0, as many as there are no cases, above 0
        but different by a factor of 2**480, or frequencies that are not whole numbers or add up to 2**53 or more; if a
        cluster is missing; if there are clusters, and SciPy is not installed.

    Warns
    -----
    UndefinedMetricWarning
        If a class is empty: estimate and bounds are NaN.  If a class has a single case: the bounds are NaN.  If all
        pairs of a positive and a negative are ranked alike, as when the classes are separated, so that DeLong's
        variance is 0: the bounds of 'delong' and 'delong-logit' are NaN, those of 'delong-wilson' are defined.

    Notes
    -----
    $$V(A) = \frac{s_+^2}{n_+} + \frac{s_-^2}{n_-}$$

    That is DeLong's variance; $s^2$ are the sample variances of placements, of each case the fraction of the other
    class on whose right side it is ranked.  Use it for one model; to compare two on the same cases take
    `compare_roc_auc`.

    O(n log n), little more than a sort of the scores.  The variance is the exact one, rounded once.
    Measured on 2,000 samples of 200 cases each, half of them positive, with normal scores and true areas of 0.6, 0.75,
    0.9 and 0.95, 95% bounds of 'delong' held the area in 94.8, 94.7, 92.9 and 91.6%, of 'delong-logit' in 95.1, 95.4,
    94.7 and 94.8%, of 'delong-wilson' in 95.0, 95.2, 95.2 and 95.4%; where a tenth were positive, in 94.1, 92.6, 88.2
    and 84.3%, in 94.9, 94.3, 92.3 and 90.3%, and in 96.0, 96.4, 98.0 and 98.2%.  With 20 cases of each class or more,
    'delong-wilson' held areas of up to 0.99 in at least 93%, also where the scores of a class vary twice as much as
    those of the other, and was at most 1.4 times as wide as 'delong' where that held the area in 95%.  It is wider than
    it must be where the scores of few cases hardly vary beside those of many others: 2.7 and 3.4 times as wide for an
    area of 0.95 with 20 positives, 2,000 negatives and a quarter and a tenth of their spread, where 'delong' holds it.
    With weights the variance is that of weighted placements, and the number of cases Kish's effective one.  Of 1,000
    samples with an area of 0.85 bounds of 'delong', 'delong-logit' and 'delong-wilson' held it in 94.6, 95.2 and 95.2%
    with all positives and a tenth of the negatives, in 92.3, 93.8 and 95.4% with lognormal weights, and in 87.6, 90.9
    and 90.9% where positives of low scores had weights of up to 20.
    With clusters the variance is Obuchowski's, which is DeLong's where each case is its own cluster.  Quantiles are
    those of Student's t with one degree of freedom less than there are clusters.  For 'delong-wilson' the cases of the
    smaller class are divided by the design effect, the variance divided by DeLong's.
    Of 1,000 samples of 10, 30 and 100 clusters of ten cases, whose scores had a correlation of 0.5, 95% bounds of
    'delong' held an area of 0.95 in 80.5, 87.9 and 92.8%, of 'delong-wilson' in 98.4, 94.0 and 94.6%.
    Sources: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach, Biometrics 44 (1988) 837-845; by ranks: X. Sun
    and W. Xu, Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver operating
    characteristic curves, IEEE Signal Processing Letters 21 (2014) 1389-1393; 'delong-logit': M. S. Pepe, The
    Statistical Evaluation of Medical Tests for Classification and Prediction (2003), 5.2; 'delong-wilson': E. B.
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927) 209-212, with effective
    trials as in E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data, Survey Methodology 24 (1998) 193-201.  The average of the variances is
    ours; benchmarks/README.md has the coverage.  Clusters: N. A. Obuchowski, Nonparametric analysis of clustered ROC
    curve data, Biometrics 53 (1997) 567-578.

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
    check_indices(y_true=y_true, y_score=y_score, sample_weight=sample_weight, cluster=cluster)
    cases = as_scored_cases(y_true, y_score, pos_label, "roc_auc_interval")
    units = checked_units(sample_weight, weight_type, cases.correct.size, "roc_auc_interval", cluster)
    if units.clusters is not None:
        correct, scores = (column[units.chosen] for column in cases)
        return interval_of_area(area_of_clusters(correct, scores, units), confidence, method)
    return interval_of_area(area_of_cases(cases, units), confidence, method)


def roc_auc_interval_of_keys(keys: KeyArray, level: float, method: str) -> Interval:
    """Return the interval of the area of (n,) sorted keys, as `roc_auc_interval` does of scores.  O(n)."""
    return interval_of_area(area_of_moments(placement_moments(keys)), level, method)


def interval_of_area(found: AreaEstimate, level: float, method: str) -> Interval:
    """Return the interval of an area by a method of `AREA_METHODS`.  O(1)."""
    lack = found.lack if method == DEFAULT_AREA_METHOD else found.why_no_test
    if method == LOGIT and found.area in (0, 1):
        lack = lack or f"the area is the {'largest' if found.area else 'smallest'} one, whose logit is infinite"
    if lack:
        return undefined_interval(found.area, level, method, lack, 4)
    low, high = AREA_METHODS[method](found.area, found.variance, found.smaller, level, found.freedom)
    return Interval(found.area, float(low), float(high), level, method)


def area_of_cases(cases: Cases, units: Units) -> AreaEstimate:
    """Return the area of cases, (n,), and its variance.  O(n log n)."""
    correct, scores = (column[units.chosen] for column in cases)
    if units.weights is None:
        return area_of_moments(placement_moments(order(scores, correct).keys))
    ranking, kind = WeightedRanking(scores, correct, units.weights), units.are_frequencies
    found = roc_area_and_variance(ranking.walk, frequencies=kind)
    both = WeightSums(*(column.sum(keepdims=True) for column in found.classes))
    effective, smaller = float(kish_number(both)[0]), float(smaller_class(found.classes))
    return AreaEstimate(*found[:2], effective, smaller, why_no_variance(*map(int, found.classes.cases)))


def area_of_clusters(correct: BoolArray, scores: ScoreArray, units: Units) -> AreaEstimate:
    """Return the area of clustered cases, (m,), and its variance.  O(m log m)."""
    return _single(clustered_areas(correct, [scores], units, [[1.0]]), units.number)


def area_of_moments(moments: PlacementMoments) -> AreaEstimate:
    """Return the area of one ranking, and its variance.  O(1)."""
    return _single(joint_areas_of_moments(moments), moments.correct.size + moments.incorrect.size)


def _single(found: JointAreas, cases: int) -> AreaEstimate:
    area, variance = float(found.areas[0]), float(found.covariance[0, 0])
    return AreaEstimate(area, variance, cases, found.smaller, found.lack, found.freedom)


def why_no_variance(positives: int, negatives: int) -> str:
    """Say why so many cases have no variance of the area; empty if they have one.  O(1)."""
    for kind, size in (("positive", positives), ("negative", negatives)):
        if size == 0:
            return f"there is no {kind} case"
        if size == 1:
            return f"one {kind} case alone has no variance"
    return ""


def joint_areas(
    correct: BoolArray,
    columns: Sequence[ScoreArray],
    units: Units,
    contrasts: npt.ArrayLike | None = None,
) -> JointAreas:
    """Return the areas of k rankings, and the covariances of them or of weighted sums of them, (r, k).

    correct, columns: (m,) of the cases with a weight above zero.  O(k m log m + k² m).
    """
    if units.clusters is not None:
        return clustered_areas(correct, columns, units, contrasts)
    if units.weights is None:
        return joint_areas_of_moments(joint_placement_moments(columns, correct), contrasts)
    own, frequencies = units.weights, units.are_frequencies
    sizes = [int(own[side].sum() if frequencies else np.count_nonzero(side)) for side in (correct, ~correct)]
    lack = why_no_variance(*sizes)
    if not all(sizes):
        unknown = len(columns) if contrasts is None else len(np.asarray(contrasts))
        return JointAreas(np.full(len(columns), np.nan), np.full((unknown, unknown), np.nan), 0.0, lack)
    rankings = [sort_weights(scores, correct, own) for scores in columns]
    losses = [losses_of_cases(ranking) for ranking in rankings]
    covariance = roc_variances.weighted_roc_covariance(losses, correct, own, contrasts, frequencies=frequencies)
    smaller = smaller_class_of_cases(correct, own, frequencies=frequencies)
    return JointAreas(weighted_roc_areas(losses, correct, own, rankings), covariance, smaller, lack)


def joint_areas_of_moments(moments: PlacementMoments, contrasts: npt.ArrayLike | None = None) -> JointAreas:
    """Return the areas of k rankings with DeLong's covariances, as `joint_areas`.  O(k²)."""
    areas, covariance = roc_variances.areas_of_placements(moments), roc_variances.roc_covariance(moments, contrasts)
    sizes = moments.correct.size, moments.incorrect.size
    return JointAreas(areas, covariance, min(sizes), why_no_variance(*sizes))


def average_precision_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of the average precision, with a normal logit, as if each positive were a trial.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores that float32 or float64 hold exactly; they may be infinite.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type, cluster
        As `roc_auc_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples with this prevalence whose bounds hold the true average precision,
        above 0 and below 1.

    Returns
    -------
    Interval
        In 0 .. 1.  The estimate is what `evalcore.metrics.average_precision_score` returns, which takes finite
        scores only.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range; if
        weights or clusters are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If there are no positives: estimate and bounds are NaN.  If the estimate is 1, whose logit is infinite, for
        example because there are no negatives, or there is a single cluster: the bounds are NaN.

    Notes
    -----
    $$\ln \frac{a}{1 - a} \pm \frac{z}{\sqrt{m a (1 - a)}}$$

    Use it for one model; to compare two take `bootstrap_comparison`.

    O(n log n).  The logit has the standard error 1 / √(m a (1 - a)) for the average precision a of m positives.
    Measured on 2,000 samples of 200 cases each, half or a tenth of them positive, with normal scores and true ROC areas
    of 0.6 to 0.95, 95% bounds held the true average precision in 96.5 to 99.1%: they are wider than necessary.
    With sampling weights m is W / ((1 - a) q + a r), for the weight W of the positives and the mean weights q and r of
    positives and negatives drawn by weight.  With all positives and a tenth or a hundredth of the negatives bounds then
    held it in 97.9 and 100.0% of 1,000 samples; percentiles of the bootstrap in 84 and 61% of 300.
    With clusters the error is that of the jackknife, which leaves out each of up to 100 clusters, or of more clusters
    that of sums of influence values; the quantiles are those of Student's t.
    Source: K. Boyd, K. H. Eng and C. D. Page, Area under the precision-recall curve: point estimates and confidence
    intervals, ECML PKDD (2013) 451-466.

    Examples
    --------
    >>> average_precision_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.916667 [0.154944, 0.998487] (95% logit)
    """
    confidence = checked_level(level)
    check_indices(y_true=y_true, y_score=y_score, sample_weight=sample_weight, cluster=cluster)
    cases = as_scored_cases(y_true, y_score, pos_label, "average_precision_interval")
    units = checked_units(sample_weight, weight_type, cases.correct.size, "average_precision_interval", cluster)
    correct, scores = (column[units.chosen] for column in cases)
    if units.clusters is not None:
        return average_precision_interval_of_clusters(correct, scores, units, confidence, stacklevel=4)
    number: float = int(np.count_nonzero(correct))
    if units.weights is None:
        estimates = curves.average_precisions(lazy_runs(order(scores, correct).keys))
    else:
        ranking = WeightedRanking(scores, correct, units.weights)
        estimates, number = curves.average_precisions(ranking.walk), ranking.positives
        if not units.are_frequencies:
            positives, negatives = (ranking.classes.at(slice(side, side + 1)) for side in (0, 1))
            number = float(effective_positives(estimates, positives, negatives)[0])
    return average_precision_interval_of_estimate(float(estimates[0]), number, confidence, stacklevel=4)


def average_precision_interval_of_estimate(
    estimate: float, positives: float, level: float, stacklevel: int = 3
) -> Interval:
    """Return the interval of an average precision of so many positives; see `average_precision_interval`.  O(1)."""
    if positives == 0:
        return undefined_interval(math.nan, level, "logit", "there is no positive case", stacklevel)
    if estimate == 1:
        return undefined_interval(estimate, level, "logit", "the logit of 1 is infinite", stacklevel)
    error = math.sqrt(estimate * (1 - estimate) / positives)  # as that of a proportion of the positives
    return logit_interval(estimate, error, level, "logit")


def average_precision_interval_of_clusters(
    correct: BoolArray, scores: ScoreArray, units: Units, level: float, stacklevel: int = 3
) -> Interval:
    """Return the interval of the average precision of clustered cases; correct, scores: (m,).  O(m log m).

    With up to `MOST_LEFT_OUT` clusters O(p) more for each, for p scores of correct cases.
    """
    ranking = WeightedRanking(scores, correct, units.amounts)
    estimate = float(curves.average_precisions(ranking.walk)[0])
    if estimate == 1 or not correct.any():
        return average_precision_interval_of_estimate(estimate, int(correct.any()), level, stacklevel + 1)
    if units.number < 2:
        return undefined_interval(estimate, level, "logit", ONE_CLUSTER, stacklevel)
    if units.number <= MOST_LEFT_OUT:
        left = average_precisions_left_out(ranking.ordering, units.members[0])
        variance = float(units.left_out(left)[0])
    else:
        variance = float(units.spread(weighted_average_precision_influence(ranking.ordering))[0])
    if math.isnan(variance):
        return undefined_interval(estimate, level, "logit", "one cluster alone has positive cases", stacklevel)
    return logit_interval(estimate, math.sqrt(variance), level, "logit", float(units.freedom[0]))
