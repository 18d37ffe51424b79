"""Thresholds by rates, costs and criteria, and what decisions at thresholds are worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, refuse
from evalcore.kernels.sums import as_written
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.measures import binary, thresholds
from evalcore.measures.curves import largest_rate
from evalcore.measures.thresholds import OptimalThreshold, best_threshold, from_none, parse_criterion
from evalcore.metrics.curves import threshold_points
from evalcore.text_tables import html_columns
from evalcore.typing import AnyArray, FloatArray, Label
from evalcore.validation.arrays import as_1d
from evalcore.validation.positive_class import check_positive_label
from evalcore.validation.scores import as_binary_scores, as_decision_thresholds
from evalcore.validation.values import check_costs, check_finite_number, check_real, check_rising_numbers


@equal_by_content
class MetricCurves(NamedTuple):
    """Counts at every threshold, highest first: with them any measure of counts broadcasts."""

    thresholds: AnyArray
    """Distinct scores, shape (p,)."""
    tp: FloatArray
    """Weight of the positives with a score of at least the threshold, shape (p,)."""
    fn: FloatArray
    """Weight of the other positives."""
    fp: FloatArray
    """Weight of the negatives with a score of at least the threshold."""
    tn: FloatArray
    """Weight of the other negatives."""

    def values(self, measure: Callable[..., Any]) -> Any:
        """Return a measure of the counts at every threshold.  O(p), as far as the measure is.

        Parameters
        ----------
        measure : callable
            Called with tp, fn, fp and tn, each (p,) float64.

        Examples
        --------
        >>> curves = metric_curves([0, 1, 1], [0.1, 0.4, 0.35])
        >>> curves.values(lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn))
        array([0.66666667, 1.        , 0.66666667])
        """
        return measure(self.tp, self.fn, self.fp, self.tn)

    def _repr_html_(self) -> str:
        return html_columns(self._asdict())


def metric_curves(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> MetricCurves:
    r"""Count tp, fn, fp and tn at every threshold, once.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive: what another population, or
        the one from which a class was subsampled, would give.

    Returns
    -------
    MetricCurves
        At threshold t tp is the weight of the positives of score >= t, fp that of the negatives; fn and tn are the
        rest.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, scores or weights are invalid, or the sum of the weights is infinite; if there are not cases of
        both classes to reweight to `target_prevalence`.

    Notes
    -----
    $$tp(t) = \sum_{i \in +} w_i [s_i \geq t], \quad fp(t) = \sum_{i \in -} w_i [s_i \geq t]$$

    Range: counts from 0 to the number, or weight, of the cases of a class.  Use it to draw any measure of counts
    against the threshold.

    O(n log n).  Source of the weights for a prevalence: as `precision_recall_curve`.

    Examples
    --------
    >>> metric_curves([0, 1, 1], [0.1, 0.4, 0.35]).tp
    array([1., 2., 2.])
    >>> metric_curves([0, 1, 1], [0.1, 0.4, 0.35], target_prevalence=0.25).tp
    array([0.375, 0.75 , 0.75 ])
    """
    return _curves(y_true, y_score, pos_label, sample_weight, target_prevalence)


def _curves(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, target_prevalence: float | None = None
) -> MetricCurves:
    cases = as_binary_scores(y_true, y_score, sample_weight, pos_label, target_prevalence)
    if not cases.labels.any():
        check_positive_label(pos_label, as_1d(y_true, "y_true"))
    tps, fps, scores = threshold_points(cases)
    return MetricCurves(scores, tps, tps[-1] - tps, fps, fps[-1] - fps)


def partial_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the area under the ROC curve between two rates, not standardised.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    fpr_range, tpr_range : (low, high), one of them
        Rates in 0 .. 1.  Between false positive rates it is the area below the curve, between true positive rates
        the area to its right; either is at most high - low.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        At least 0; NaN for one class.

    Raises
    ------
    EvaluationError
        If both ranges or none are given, and as `metric_curves`.
    InvalidParameterError
        If a range is not two rising rates.

    Notes
    -----
    $$\int_{a}^{b} TPR \, d FPR$$

    Range: 0 to b - a; b - a is best.  Use it where only low false positive rates, or high recalls, are of use; choose
    the range before you see the scores.  Equal to the R package pROC's `auc(partial.auc=)`.

    O(n log n).  Source: L. E. Dodd and M. S. Pepe, Partial AUC estimation and regression, Biometrics 59 (2003) 614-623.

    Examples
    --------
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], fpr_range=(0, 0.5))
    0.25
    """
    refuse({"partial_auc takes exactly one of fpr_range and tpr_range": (fpr_range is None) == (tpr_range is None)})
    name, rates = ("fpr_range", fpr_range) if tpr_range is None else ("tpr_range", tpr_range)
    low, high = map(as_written, check_rising_numbers(rates, name, "partial_auc", 0, 1))
    counts = _curves(y_true, y_score, pos_label, sample_weight)
    if not counts.tp[-1] or not counts.fp[-1]:
        return np.nan
    if fpr_range is not None:
        return float(thresholds.partial_roc_auc(counts.tp, counts.fp, low, high))
    # seen from the other corner, true positive rates run along
    fn, tn = (sums[-1] - from_none(sums)[-2::-1] for sums in (counts.tp, counts.fp))
    return float(thresholds.partial_roc_auc(tn, fn, 1 - high, 1 - low))


def precision_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    recall: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    r"""Return the largest precision of a threshold whose recall is at least the one given.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    recall : float
        The least recall, in 0 .. 1.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    float
        max {precision(t): recall(t) >= recall} over the scores t, in 0 .. 1; NaN without positives.

    Raises
    ------
    InvalidParameterError
        If `recall` is outside 0 .. 1.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \{ P(t) : R(t) \geq r \}$$

    $P$ is precision and $R$ recall.  Range: 0 to 1; 1 is best.  Use it where a recall is demanded, such as in
    screening; with few positives it is high by chance, because the threshold is chosen on the same cases.  Equal to the
    largest precision of scikit-learn's `precision_recall_curve` among points of that recall.

    O(n log n).

    Examples
    --------
    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.75)
    0.6666666666666666
    """
    return _largest_rate("precision_at_recall", recall, y_true, y_score, pos_label, sample_weight, target_prevalence)


def recall_at_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    precision: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    r"""Return the largest recall of a threshold whose precision is at least the one given.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    precision : float
        The least precision, in 0 .. 1.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    float
        max {recall(t): precision(t) >= precision} over the scores t, in 0 .. 1; 0.0 if no threshold has that
        precision, NaN without positives.

    Raises
    ------
    InvalidParameterError
        If `precision` is outside 0 .. 1.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \{ R(t) : P(t) \geq p \}$$

    $P$ is precision and $R$ recall.  Range: 0 to 1; 1 is best.  Use it where a list must be clean enough to be read;
    with few positives it is high by chance, because the threshold is chosen on the same cases.  Equal to the largest
    recall of scikit-learn's `precision_recall_curve` among points of that precision.

    O(n log n).

    Examples
    --------
    >>> recall_at_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.6)
    1.0
    """
    return _largest_rate("recall_at_precision", precision, y_true, y_score, pos_label, sample_weight, target_prevalence)


def threshold_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fpr: float | None = None,
    recall: float | None = None,
    precision: float | None = None,
    specificity: float | None = None,
    flagged: float | None = None,
    cost: tuple[float, float] | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    """Return the threshold that meets a target.

    `optimal_threshold` finds those that are best by a criterion, such as Youden's index.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    fpr, recall, precision, specificity, flagged : float, one of them
        The target in 0 .. 1: the lowest threshold whose false positive rate is at most `fpr`, the highest whose recall
        is at least `recall`, or the lowest whose precision is at least `precision`, whose specificity is at least
        `specificity`, or that predicts at most the fraction `flagged` of the cases positive.
    cost : (float, float), instead of these
        The costs of a false positive and of a false negative, at least 0: the highest threshold of the least expected
        cost, as `expected_cost` finds it.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    float
        One of the scores; infinity if only to predict no positive meets `fpr`, `specificity` or `flagged`, or costs
        least; NaN if nothing meets the target.

    Raises
    ------
    EvaluationError
        If there is not exactly one target, and as `metric_curves`.
    InvalidParameterError
        If the target is outside 0 .. 1, or `cost` is not two finite numbers of at least 0.

    Notes
    -----
    Range: that of the scores, or infinity.  Use it on cases that are held out, and evaluate the decisions on others.

    min {t: fpr(t) <= fpr}, max {t: recall(t) >= recall}, min {t: precision(t) >= precision} and so on.  O(n log n).
    Source of the first: J. Neyman and E. S. Pearson, On the problem of the most efficient tests of statistical
    hypotheses, Philosophical Transactions of the Royal Society A 231 (1933) 289-337.

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> threshold_at(y_true, y_score, fpr=0.0), threshold_at(y_true, y_score, recall=1.0)
    (0.8, 0.35)
    >>> threshold_at(y_true, y_score, precision=0.6), threshold_at(y_true, y_score, cost=(5, 1))
    (0.35, 0.8)
    """
    targets: dict[str, Any] = {"fpr": fpr, "recall": recall, "precision": precision}
    targets |= {"specificity": specificity, "flagged": flagged, "cost": cost}
    given = {name: value for name, value in targets.items() if value is not None}
    if len(given) != 1:
        why = f"threshold_at takes exactly one of {', '.join(targets)}, got {' and '.join(given) or 'none'}"
        raise EvaluationError(why)
    ((name, wanted),) = given.items()
    costs = check_costs(wanted, name, "threshold_at") if name == "cost" else None
    if costs is None:
        check_real(wanted, 0, 1, name, "threshold_at")
    counts = _curves(y_true, y_score, pos_label, sample_weight, target_prevalence)
    if costs is not None:
        return best_threshold(parse_criterion("cost", costs), counts.tp, counts.fp, counts.thresholds).threshold
    return thresholds.threshold_reaching(name, wanted, counts.tp, counts.fp, counts.thresholds)


def ks_statistic(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Label | None = None, sample_weight: ArrayLike | None = None
) -> float:
    r"""Return the Kolmogorov-Smirnov statistic, the largest difference of true and false positive rate.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        max |tpr - fpr| over the thresholds, in 0 .. 1; NaN for one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \left| TPR(t) - FPR(t) \right|$$

    Range: 0 to 1; 1 is best, 0 is chance.  Use it as credit scoring does, for the separation at the best threshold; it
    says nothing about others.  Equal to the statistic of SciPy's `ks_2samp` of the scores of both classes, without
    weights.

    O(n log n).  Source: W. J. Conover, Practical Nonparametric Statistics (1999), 6.3.

    Examples
    --------
    >>> ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    counts = _curves(y_true, y_score, pos_label, sample_weight)
    return thresholds.kolmogorov_smirnov(counts.tp, counts.fp)


def optimal_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    criterion: str = "youden",
    *,
    cost: tuple[float, float] | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> OptimalThreshold:
    """Return the threshold that is best by a criterion, and its value.

    The value looks better than it will be on new cases, because it is the best of many:
    `evalcore.inference.optimal_threshold_interval` estimates by how much.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    criterion : str, default "youden"
        ``youden``, recall + specificity - 1; ``balanced_accuracy``; ``f1``, ``f2``, ``f0.5`` and so on, the F measure
        with that beta; ``mcc``, Matthews' correlation; ``accuracy``; ``ks``, the distance of the true and the false
        positive rate; ``eer``, the equal error rate; or ``cost``, the expected cost.  The largest value is best, but
        of ``eer`` and ``cost`` the smallest.
    cost : (float, float), optional
        For ``cost``, the costs of a false positive and of a false negative, at least 0.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    OptimalThreshold
        Of equal values the one of the highest threshold; infinity if it is best to predict no positive.  Both are NaN
        if the value is not defined, such as for one class.  The equal error rate is interpolated between two points of
        the ROC curve, and its threshold is the highest score at which the false positive rate is at least the false
        negative rate.

    Raises
    ------
    EvaluationError
        For other criteria; if `cost` is missing for ``cost``, or given for another; and as `metric_curves`.
    InvalidParameterError
        If `cost` is not two finite numbers of at least 0.

    Notes
    -----
    Range: the threshold is one of the scores, or infinity, the value that of the criterion.  Use ``cost`` if you know
    what mistakes cost; ``youden`` weighs both rates alike, whatever the prevalence.  Equal to the R package pROC's
    `coords(x = "best")` for ``youden``, except that its thresholds are halfway between scores.

    O(n log n).  Sources: W. J. Youden, Index for rating diagnostic tests, Cancer 3 (1950) 32-35; A. Martin et al., The
    DET curve in assessment of detection task performance, Eurospeech 1997; for costs that of `expected_cost`.

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> optimal_threshold(y_true, y_score)
    OptimalThreshold(threshold=0.8, value=0.5)
    >>> optimal_threshold(y_true, y_score, "f2")
    OptimalThreshold(threshold=0.35, value=0.9090909090909091)
    """
    asked = parse_criterion(criterion, None if cost is None else check_costs(cost, "cost", "optimal_threshold"))
    counts = _curves(y_true, y_score, pos_label, sample_weight, target_prevalence)
    return best_threshold(asked, counts.tp, counts.fp, counts.thresholds)


def recall_at_specificity(
    y_true: ArrayLike,
    y_score: ArrayLike,
    specificity: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the largest recall, or sensitivity, of a threshold whose specificity is at least the one given.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    specificity : float
        The least specificity, in 0 .. 1.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        max {recall(t): specificity(t) >= specificity} over the scores t, in 0 .. 1; 0.0 if only to predict no positive
        has that specificity; NaN for one class.

    Raises
    ------
    InvalidParameterError
        If `specificity` is outside 0 .. 1.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \{ R(t) : S(t) \geq s \}$$

    $R$ is recall and $S$ specificity.  Range: 0 to 1; 1 is best.  Use it where the number of false alarms is
    limited.  Equal to the largest true positive rate of scikit-learn's `roc_curve` among points whose false positive
    rate is at most 1 - s.

    O(n log n).  Its interval is that of ``recall_at_specificity@0.9`` and the like in
    `evalcore.inference.bootstrap_interval`.

    Examples
    --------
    >>> recall_at_specificity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.9)
    0.5
    """
    return _largest_rate("recall_at_specificity", specificity, y_true, y_score, pos_label, sample_weight)


def specificity_at_recall(
    y_true: ArrayLike,
    y_score: ArrayLike,
    recall: float,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the largest specificity of a threshold whose recall, or sensitivity, is at least the one given.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    recall : float
        The least recall, in 0 .. 1.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        max {specificity(t): recall(t) >= recall} over the scores t, in 0 .. 1; NaN for one class.

    Raises
    ------
    InvalidParameterError
        If `recall` is outside 0 .. 1.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\max_t \{ S(t) : R(t) \geq r \}$$

    $R$ is recall and $S$ specificity.  Range: 0 to 1; 1 is best.  Use it where a given recall is demanded.  Equal
    to 1 - the least false positive rate of scikit-learn's `roc_curve` among points of that recall.

    O(n log n).  Its interval is that of ``specificity_at_recall@0.9`` and the like in
    `evalcore.inference.bootstrap_interval`.

    Examples
    --------
    >>> specificity_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.9)
    0.5
    """
    return _largest_rate("specificity_at_recall", recall, y_true, y_score, pos_label, sample_weight)


def _largest_rate(function: str, least: float, *cases: Any) -> float:
    """Return the largest of one rate at a threshold where another is at least a number, as the function's name says."""
    check_real(least, 0, 1, function.split("_at_")[1], function)
    counts = _curves(*cases)
    return largest_rate(ThresholdPoints(counts.tp, counts.fp, counts.thresholds), function, least)


class BestThreshold(NamedTuple):
    """The least expected cost of a decision, and the threshold that has it."""

    cost: float
    """Per case, or per unit of weight."""
    threshold: float
    """Scores of at least this are predicted positive; infinity predicts none."""


def expected_cost(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    false_positive: float,
    false_negative: float,
    true_positive: float = 0.0,
    true_negative: float = 0.0,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> BestThreshold:
    r"""Return the least expected cost per case of a threshold, and the threshold.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    false_positive, false_negative, true_positive, true_negative : float
        Costs of a case in each cell, finite; gains are negative costs.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    BestThreshold
        Of equal costs the one of the highest threshold.

    Raises
    ------
    InvalidParameterError
        If a cost is not finite.
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\min_t \frac{c_{fp} fp + c_{fn} fn + c_{tp} tp + c_{tn} tn}{n}$$

    Range: between the least and the largest of the four costs; the least is best.  Use it where you can say how many
    false positives a miss is worth; where you cannot, show `net_benefit` at several thresholds.

    O(n log n).  Source: C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.

    Examples
    --------
    >>> expected_cost([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], false_positive=1.0, false_negative=5.0)
    BestThreshold(cost=0.25, threshold=0.35)
    """
    given = {"true_positive": true_positive, "false_negative": false_negative}
    given |= {"false_positive": false_positive, "true_negative": true_negative}
    costs = np.array([check_finite_number(cost, name, "expected_cost") for name, cost in given.items()])
    counts = _curves(y_true, y_score, pos_label, sample_weight, target_prevalence)
    best = best_threshold(parse_criterion("cost", costs), counts.tp, counts.fp, counts.thresholds)
    return BestThreshold(best.value, best.threshold)


def net_benefit(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    thresholds: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> FloatArray:
    r"""Return the net benefit per case of treating the cases whose probability is at least a threshold.

    Compare it with 0, which treats nobody, and with the net benefit of treating all: that of equal probabilities.
    `evalcore.inference.decision_curve` gives both, with intervals.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    thresholds : array-like of shape (t,)
        Probabilities above 0 and below 1, from which on treatment is worth while.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    (t,) float64
        tp / n - fp / n * threshold / (1 - threshold), at most the prevalence; may be negative.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If thresholds are not above 0 and below 1, or probabilities not in 0 .. 1, and as `metric_curves`.

    Notes
    -----
    $$\frac{tp}{n} - \frac{fp}{n} \cdot \frac{t}{1 - t}$$

    Range: up to the prevalence, which is best; negative if treating nobody is better.  Use it for calibrated
    probabilities whose threshold says how many false positives a true one is worth.  Equal to the R package dcurves'
    `dca`.

    O(n log n + t log n).  Source: A. J. Vickers and E. B. Elkin, Decision curve analysis: a novel method for evaluating
    prediction models, Medical Decision Making 26 (2006) 565-574.

    Examples
    --------
    >>> net_benefit([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.2, 0.5])
    array([0.4375, 0.25  ])
    """
    levels = as_decision_thresholds(thresholds)
    counts = _curves(y_true, y_prob, pos_label, sample_weight, target_prevalence)
    ascending = counts.thresholds[::-1]
    if ascending[0] < 0 or ascending[-1] > 1:
        raise EvaluationError(f"y_prob must be in 0 .. 1, got {ascending[0] if ascending[0] < 0 else ascending[-1]}")
    # in the width of the probabilities, so that 0.1 reaches 0.1
    read = levels.astype(ascending.dtype) if ascending.dtype.kind == "f" else levels
    reached = ascending.size - np.searchsorted(ascending, read)
    tp, fp = (np.concatenate([[0.0], sums])[reached] for sums in (counts.tp, counts.fp))
    return np.asarray(binary.net_benefit(tp, counts.tp[-1] - tp, fp, counts.fp[-1] - fp, levels))


@equal_by_content
class Gains(NamedTuple):
    """How many positives the cases of highest score hold."""

    share: FloatArray
    """Fraction of the cases predicted positive, rising, in 0 .. 1."""
    value: FloatArray
    """Fraction of the positives among them, or lift over chance."""

    def _repr_html_(self) -> str:
        return html_columns(self._asdict())


def cumulative_gains_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> Gains:
    r"""Return the fraction of the positives among each fraction of the cases of highest score.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    Gains
        Two (p + 1,) float64, rising from 0 to 1; the fractions of the positives are NaN without positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\left( \frac{tp + fp}{n}, \frac{tp}{tp + fn} \right)$$

    Range: both 0 to 1; a curve above the diagonal is better than chance.  Use it to tell what contacting the
    top 10% of a list yields.

    O(n log n).  Source: I. H. Witten, E. Frank and M. A. Hall, Data Mining (2011), 5.7.

    Examples
    --------
    >>> cumulative_gains_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    counts = _curves(y_true, y_score, pos_label, sample_weight, target_prevalence)
    return Gains(thresholds.rates(counts.tp + counts.fp), thresholds.rates(counts.tp))


def lift_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> Gains:
    r"""Return the lift, precision / prevalence, of each fraction of the cases of highest score.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    Gains
        Two (p,) float64; the lifts are NaN without positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `metric_curves`.

    Notes
    -----
    $$\left( \frac{tp + fp}{n}, \frac{tp / (tp + fp)}{(tp + fn) / n} \right)$$

    Range: 0 to 1 / prevalence; 1 is chance.  Use it to say how many times more positives a list has than one drawn at
    random; not to compare sets of cases of different prevalence, which limits the lift.

    O(n log n).  Source: I. H. Witten, E. Frank and M. A. Hall, Data Mining (2011), 5.7.

    Examples
    --------
    >>> lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    array([2.        , 1.        , 1.33333333, 1.        ])
    """
    counts = _curves(y_true, y_score, pos_label, sample_weight, target_prevalence)
    share, value = (thresholds.rates(sums)[1:] for sums in (counts.tp + counts.fp, counts.tp))
    return Gains(share, thresholds.lifts(share, value))
