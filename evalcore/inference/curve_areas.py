"""Areas under ROC curves and average precisions: their intervals, and comparisons of areas of two models."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import check, refuse, warn
from evalcore.inference import intervals
from evalcore.inference.contrasts import METHOD, area_samples, contrasts, precision_samples
from evalcore.inference.intervals import Comparison, Interval, Intervals, normal_quantile
from evalcore.inference.ranked_samples import AREA, RankedSample
from evalcore.inference.rankings import RankingEstimates, average_precisions, rankings, roc_aucs
from evalcore.inference.units import Spread, checked_cases
from evalcore.measures.influence import PrecisionSpread
from evalcore.typing import FloatArray, Label, Ratio, RocAucMethod, RocDifferenceMethod, UnpairedRocMethod, WeightType
from evalcore.validation.arrays import check_indices
from evalcore.validation.values import check_choice

_ALL_ALIKE = "all pairs of a positive and a negative case are ranked alike"
_TOO_MANY = 1 << 31
"""Placements are kept in 32 bits."""


@equal_by_content
class RocAreas(NamedTuple):
    """Areas under the ROC curves of k models, and how they vary together from sample to sample."""

    areas: FloatArray
    """Shape (k,), in 0 .. 1."""
    covariance: FloatArray
    """Covariances of the areas, shape (k, k); their variances on the diagonal."""


def roc_auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: RocAucMethod = "delong-wilson",
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
        each other.
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
        cluster is missing.

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
    With clusters the variance is the jackknife's, which is almost DeLong's where each case is its own cluster.
    Quantiles are those of Student's t, with fewer degrees of freedom where clusters are unequal.  For 'delong-wilson'
    the cases of the smaller class are divided by the design effect, the variance divided by DeLong's.
    Of 1,000 samples of 20 equal clusters, of sizes 0.8^k, 1/k, and of one with 30% of the cases, 95% bounds held an
    area of 0.85 in 95.1, 96.1, 96.3 and 96.8%.
    Sources: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach, Biometrics 44 (1988) 837-845; by ranks: X. Sun
    and W. Xu, Fast implementation of DeLong's algorithm for comparing the areas under correlated receiver operating
    characteristic curves, IEEE Signal Processing Letters 21 (2014) 1389-1393; 'delong-logit': M. S. Pepe, The
    Statistical Evaluation of Medical Tests for Classification and Prediction (2003), 5.2; 'delong-wilson': E. B.
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927) 209-212, with effective
    trials as in E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data, Survey Methodology 24 (1998) 193-201.  The average of the variances is
    ours; benchmarks/README.md has the coverage.  Clusters: sums of placements as in N. A. Obuchowski, Nonparametric
    analysis of clustered ROC curve data, Biometrics 53 (1997) 567-578.

    Examples
    --------
    >>> roc_auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.888889 [0.327081, 0.992463] (95% delong-wilson)
    >>> roc_auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], method="delong")
    0.888889 [0.58091, 1] (95% delong)
    >>> roc_auc_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7], method="delong-logit")
    0.888889 [0.261373, 0.994501] (95% delong-logit)
    """
    check_choice(method, tuple(intervals.AREA_METHODS), "method", "roc_auc_interval")
    confidence, drawn = intervals.checked_level(level), (sample_weight, weight_type, cluster)
    cases = checked_cases("roc_auc_interval", y_true, {"y_score": y_score}, pos_label, drawn)
    return intervals_of_areas(roc_aucs(*cases), confidence, method).each(confidence)[0]


def intervals_of_areas(found: RankingEstimates, level: float, method: str) -> Intervals:
    """Return the intervals of the areas of k models, or of one in g groups, by a method of `AREA_METHODS`.  O(k n).

    Warns why those of all cases lack one.
    """
    models = range(len(found.values))
    spread = found.spread(np.eye(len(models), dtype=np.int64))
    areas, (variances, freedom) = found.values.ravel(), (each.ravel() for each in spread)
    smaller = np.concatenate([found.smaller([model]) for model in models])
    made = intervals.roc_auc_intervals(areas, Spread(variances, freedom), smaller, level, method, least=0.0)
    for model in np.flatnonzero(np.isnan(made.low)).tolist() if found.cases.size == 1 else ():
        lack = found.lack or ("" if variances[model] else _ALL_ALIKE)
        if not lack and np.isnan(variances[model]) and (method != intervals.LOGIT or 0 < areas[model] < 1):
            lack = intervals.ONE_CLUSTER
        lack = lack or f"the area is the {'largest' if areas[model] else 'smallest'} one, whose logit is infinite"
        intervals.undefined_interval(areas[model], level, method, lack)
    return made


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
    r"""Return the interval of the average precision, with the variance of the cases seen and of an unseen one.

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
        cases like it there were, a whole number.
    cluster : array-like of shape (n,), optional
        The patient, day or the like of each case, if the cases of one may depend on each other.
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
        If there are no positives: estimate and bounds are NaN.  If there is one positive or no negative, or a single
        cluster has all positives: the bounds are NaN.

    Notes
    -----
    $$V = \frac{n}{n - 1} \sum_i u_i^2 + V_{unseen}, \quad t = \frac{b (1 - b)}{V}, \quad b = a - l$$

    Use it for one model; to compare two take `evalcore.compare`.

    The bounds are Wilson's for as many trials t as leave a fraction as uncertain: the upper one of the average
    precision a, the lower one of b, what an unseen negative would leave of it on average.  u are the influence values
    of the cases.  They say nothing of what lies beyond the extreme cases of a sample, where an average precision is
    decided: about as much as one case stands for.  An unseen positive may rank next to each of the negatives above all
    positives, an unseen negative next to each of the positives above all negatives, all equally likely, with the mean
    weight of its class by weight.  V_unseen is the variance of what both would change.  So a perfect ranking has bounds
    too.  With clusters, unseen cases count as many times as clusters make V larger, and as whole clusters where V is 0;
    up to 100 clusters are left out one by one, as the jackknife does, and the quantiles are those of Student's t, with
    fewer degrees of freedom where clusters are unequal.

    O(n log n).  Measured on 2,000 samples of normal scores each, with true ROC AUCs of 0.5, 0.8, 0.95 and 0.99, 95%
    bounds held the average precision in 95.0 to 99.1% with 10 to 200 positives, 1 or 10% of the cases, on average, and
    were 0.9 to 1.6 times as wide as they had to be; with five positives in 93.1 to 97.8%, up to 2.4 times as wide.
    With all positives and a tenth or a hundredth of the negatives they held it in 93.2 to 99.6%, up to 2.4 times as
    wide where the area is 0.99; with 50 unequal clusters in 95.9 to 98.6%.
    Sources: F. R. Hampel, The influence curve and its role in robust estimation, Journal of the American Statistical
    Association 69 (1974) 383-393; E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    JASA 22 (1927) 209-212.  The variance of unseen cases is ours: benchmarks/README.md has the coverage.

    Examples
    --------
    >>> average_precision_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.916667 [0.398277, 0.987855] (95% influence-wilson)
    >>> average_precision_interval([0] * 90 + [1] * 10, range(100))  # perfect, of ten positives
    1 [0.72345, 1] (95% influence-wilson)
    """
    confidence, drawn = intervals.checked_level(level), (sample_weight, weight_type, cluster)
    cases = checked_cases("average_precision_interval", y_true, {"y_score": y_score}, pos_label, drawn)
    found = average_precisions(*cases)
    of_clusters = intervals.ONE_CLUSTER if cases[-1].number < 2 else "one cluster alone has positive cases"
    return intervals_of_precisions(found, confidence).only(confidence, found.lack or of_clusters)


def intervals_of_precisions(found: RankingEstimates, level: float) -> Intervals:
    """Return the intervals of the average precision of one model in g groups.  O(n)."""
    assert found.losses is not None
    spread = found.spread([[1]]).at(0)
    own = PrecisionSpread(spread.variances, found.losses[0])
    return average_precision_intervals(found.values[0], own, level, spread.freedom)


def compare_roc_auc(
    y_true: ArrayLike,
    y_score_old: ArrayLike,
    y_score_new: ArrayLike,
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
    y_score_old, y_score_new : array-like of shape (n,)
        Scores of the old and of the new model, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    cluster : array-like of shape (n,), optional
        The patient, day or the like of each case, if the cases of one may depend on each other.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.
    method : {'delong-score', 'delong'}
        'delong-score', the default, inverts a score test: its p-value is about that of 'delong', more cautious for few
        cases, and bounds farther from 0 than the difference are wider where few cases are misplaced.  It has bounds
        where both models separate the classes too, is close to 'delong' for many cases, and holds differences of large
        areas more often.
        'delong' assumes a normal difference with DeLong's variance, as pROC does.

    Returns
    -------
    Comparison
        Of the areas, the new one less the old one.  The statistic is normal if the true areas are equal.  The bounds
        are cut to -1 .. 1, and hold 0 if and only if the p-value is above 1 - level.  For a model and itself, and
        others that rank all cases alike, the p-value is 1, and the bounds of 'delong-score' are those of models that
        rank half a case differently: 0 for many cases.  If they separate the classes, the cases do not tell how alike
        they are, and the bounds are those for any two such models.  If the difference has no variance, statistic and
        bounds of 'delong' are NaN, and its p-value is 1 if the areas are equal, NaN if not.  Range: the p-value 0 .. 1.

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
    $$z = \frac{A_{new} - A_{old}}{\sqrt{V_{new} + V_{old} - 2 C}}$$

    That is the statistic of 'delong', with the variances and the covariance of `roc_auc_covariance`.  Use it in place
    of two intervals, which are too wide for models that scored the same cases.

    O(n log n): each model is sorted once.  The variance is the exact one, rounded once.  Measured on 2,000 samples of
    200 cases each, half or a tenth of them positive, with normal scores of correlation 1/2, 95% bounds of 'delong' held
    the true difference of areas of 0.75 in 95.6 and 94.0%, of 0.9 and 0.75 in 94.3 and 93.6%.  With 20 positives of 200
    cases 'delong-score' calls equal models different in 1 to 5% of samples, and shows areas of 0.97 and 0.88 to differ
    at least 98 times where 'delong' does so 100 times; benchmarks/README.md has more, and how it was found.  With
    clusters the variance is the jackknife's, and the statistic is Student's, with the degrees of freedom of
    `roc_auc_interval`.  For two models that scored different cases see
    `compare_unpaired_roc_auc`.  Sources: those of `roc_auc_interval`.

    Examples
    --------
    >>> y_true = [0, 0, 0, 1, 1, 1]
    >>> compare_roc_auc(y_true, [0.1, 0.6, 0.2, 0.3, 0.5, 0.4], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.888889 - 0.666667 = 0.222222 [-0.377214, 0.984591] (95% delong-score), p = 0.429
    """
    check_choice(method, intervals.DIFFERENCE_METHODS, "method", "compare_roc_auc")
    confidence = intervals.checked_level(level)
    models, drawn = {"y_score_new": y_score_new, "y_score_old": y_score_old}, (sample_weight, weight_type, cluster)
    cases = checked_cases("compare_roc_auc", y_true, models, pos_label, drawn)
    check_comparable(cases[0].size, "y_true")
    found = roc_aucs(*cases)
    [compared] = intervals.compare_areas(*found.pairs([(0, 1)])[0], confidence, method).each()
    if math.isnan(compared.low):
        lack = found.lack or "the difference has no variance"
        intervals.undefined_interval(compared.difference, confidence, method, lack)
    return compared


def check_comparable(cases: int, name: str) -> None:
    """Raise EvaluationError for more cases than comparisons take; name: of the column.  O(1)."""
    check(cases < _TOO_MANY, name, f"have fewer than {_TOO_MANY:,} cases for a comparison", f"{cases:,}")


def roc_auc_covariance(
    y_true: ArrayLike,
    y_score: ArrayLike,
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
    y_score : array-like of shape (n, k), or list or tuple of k array-likes of shape (n,)
        Scores of each model, in a column or an element of the list, as `roc_auc_interval` takes them.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    cluster : array-like of shape (n,), optional
        The patient, day or the like of each case, if the cases of one may depend on each other.

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
    models, drawn = _scores_of_models(y_score), (sample_weight, weight_type, cluster)
    check_indices(y_true=y_true, y_score=y_score)
    correct, columns, units = checked_cases("roc_auc_covariance", y_true, models, pos_label, drawn)
    check_comparable(correct.size, "y_true")
    found = rankings(RankedSample(correct, units), columns, [AREA])[AREA]
    assert found.covariance is not None
    if found.lack:
        warn(f"The covariances of the ROC AUCs are not defined: {found.lack}.")
    return RocAreas(found.values[:, 0], found.covariance(np.eye(len(models), dtype=np.int64)))


def _scores_of_models(y_score: Any) -> dict[str, Any]:
    """Return the scores of each model by the name of its column.  O(k)."""
    if isinstance(y_score, list | tuple):
        models = {f"y_score[{index}]": scores for index, scores in enumerate(y_score)}
    else:
        columns = np.asanyarray(y_score)  # a masked array stays one, and is refused by column
        check(columns.ndim == 2, "y_score", "be of shape (n, k) or a list of columns", f"shape {columns.shape}")
        models = {f"y_score[:, {index}]": columns[:, index] for index in range(columns.shape[1])}
    refuse({"y_score must hold the scores of at least one model": not models})
    return models


def compare_unpaired_roc_auc(
    y_true_old: ArrayLike,
    y_score_old: ArrayLike,
    y_true_new: ArrayLike,
    y_score_new: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight_old: ArrayLike | None = None,
    sample_weight_new: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    method: UnpairedRocMethod = "zou-donner",
) -> Comparison:
    r"""Compare the areas under the ROC curves of two models that scored different, independent cases.

    Parameters
    ----------
    y_true_old, y_score_old : array-like of shape (n,)
        Labels and scores of the cases of the old model, as `roc_auc_interval` takes them.
    y_true_new, y_score_new : array-like of shape (m,)
        Labels and scores of the cases of the new model.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight_old : array-like of shape (n,), optional
        Weights of the cases of the old model, as for `roc_auc_interval`.
    sample_weight_new : array-like of shape (m,), optional
        Weights of the cases of the new model.
    weight_type : {'sampling', 'frequency'}
        What the weights of both samples are, as for `roc_auc_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true difference, above 0 and below 1.
    method : {'zou-donner', 'delong'}
        'zou-donner', the default, combines intervals of both areas as 'delong-wilson' has them.  It has bounds where
        models separate the classes, and holds for samples with few cases of a class.
        'delong' assumes a normal difference with DeLong's variances, as the R package pROC does.
        Both take Student's t with Welch's degrees of freedom.  All cases count for them; by 'zou-donner' at most
        (c - 1)² + 1 of a sample with c cases of the smaller class.

    Returns
    -------
    Comparison
        Of the areas, the new one less the old one.  The bounds are in -1 .. 1; they hold 0 if and only if the p-value
        is above 1 - level.  The statistic of 'delong' has Student's distribution if the true areas are equal, that of
        'zou-donner' is the normal deviate of its p-value, the level at which its bounds touch 0.  If neither area has a
        variance, statistic and bounds of 'delong' are NaN, and its p-value is 1 if the areas are equal, NaN if not.
        Range: the p-value 0 .. 1.

    Raises
    ------
    EvaluationTypeError
        If labels, scores or the level have the wrong type.
    EvaluationError
        If labels are invalid, scores hold NaN, columns differ in length, or the level is out of range;
        if the method is unknown; if weights are invalid, as for `roc_auc_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If a class of either sample has fewer than two cases: bounds, statistic and p-value are NaN, and if it has none,
        the area too.  By 'delong', if neither area has a variance.

    Notes
    -----
    $$t = \frac{A_{new} - A_{old}}{\sqrt{V_{new} + V_{old}}}$$

    Use it for different cases, such as two hospitals; of the same cases it finds too little.

    That is the statistic of 'delong'; bounds of 'zou-donner' are as far from the difference as √((A - l)² + (u - B)²)
    for the areas A and B, the lower bound l of the one and the upper bound u of the other.

    O(n log n + m log m).  Measured on 2,000 pairs of samples with normal scores, a group of 60 cases, 12 of them
    positive, whose true area is 0.9 like that of 1,000 other cases, differs at 5% in 2.4% of samples, and in 65% if its
    area is 0.75; one of 100 cases, 5 of them positive, in 1.7 and in 33%; by 'delong' it differs in 19% of samples
    where the areas are equal.  With sampling weights cases are effective ones, as of 1 / Σ (w / W)² equal ones.
    Sources: those of `roc_auc_interval`; 'zou-donner': G. Y. Zou and A. Donner, Construction of confidence limits about
    effect measures, Statistics in Medicine 27 (2008) 1693-1702; 'delong': X. Robin et al., pROC: an open-source package
    for R and S+ to analyze and compare ROC curves, BMC Bioinformatics 12 (2011) 77.

    Examples
    --------
    >>> old = [0, 0, 1, 1, 1, 0], [0.3, 0.6, 0.5, 0.4, 0.7, 0.2]
    >>> compare_unpaired_roc_auc(*old, [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.888889 - 0.777778 = 0.111111 [-0.429329, 0.636202] (95% zou-donner), p = 0.661
    """
    check_choice(method, (METHOD, intervals.DELONG), "method", "compare_unpaired_roc_auc")
    confidence = intervals.checked_level(level)
    of_one = sample_weight_new is not None or sample_weight_old is not None  # the other sample may have none
    samples = ("new", y_true_new, y_score_new, sample_weight_new), ("old", y_true_old, y_score_old, sample_weight_old)
    found = []
    for name, labels, scores, weights in samples:
        drawn = weights, "sampling" if weights is None and of_one else weight_type, None
        models = {f"y_score_{name}": scores}
        cases = checked_cases("compare_unpaired_roc_auc", labels, models, pos_label, drawn, sample=f"_{name}")
        found.append(roc_aucs(*cases))
    columns = ((each.values[0], *each.spread([[1]]).at(0), each.smaller([0]), each.cases) for each in found)
    areas, variances, freedom, smaller, numbers = map(np.concatenate, zip(*columns, strict=True))
    if method == intervals.DELONG:  # of weights of which one dominates, effective cases are rounded to 1
        own = np.fmax(intervals.welch_freedom(variances, np.maximum(numbers - 1, 1e-9)), 1.0)
        spread = Spread(variances.sum(keepdims=True), own.reshape(1))
        gap = intervals.compare_normal([*areas.reshape(2, 1)], spread, confidence, method)
    else:
        gap = contrasts(area_samples(areas, variances, freedom, smaller, numbers), np.array([[0, 1]]), confidence)
        deviate = math.copysign(normal_quantile(gap.p_values.item() / 2), gap.differences.item())
        gap = gap._replace(statistics=np.array([deviate]))
    [compared] = gap.each()
    if math.isnan(compared.low):
        each = zip(("old", "new"), found[::-1], variances[::-1].tolist(), strict=True)
        lacks = ((name, own.lack or ("" if variance else _ALL_ALIKE)) for name, own, variance in each)
        why = "; ".join(f"in the {name} sample, {lack}" for name, lack in lacks if lack)
        intervals.undefined_interval(compared.difference, confidence, method, why)
    return compared


def average_precision_intervals(
    estimates: FloatArray, spread: PrecisionSpread, level: float, freedom: Ratio = math.inf
) -> Intervals:
    """Return the intervals of average precisions, (g,), as `average_precision_interval`; freedom: (g,).  O(g)."""
    defined = ~np.isnan(spread.squares + spread.loss)
    found, squares, loss, own = (each[defined] for each in (estimates, *spread, np.full(estimates.shape, freedom)))
    bounds = precision_samples(found, squares, own, loss).bounds(np.asarray(intervals.reaches_of(level, own)))
    return Intervals.where(defined, estimates, bounds, "influence-wilson")
