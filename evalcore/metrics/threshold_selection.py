"""Choosing where to operate: measures at every threshold, and the threshold that meets a target."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import as_written
from evalcore.measures import binary, thresholds, weighted_curves
from evalcore.measures.optima import best_threshold, from_none, parse_criterion
from evalcore.metrics.curves import threshold_points
from evalcore.text_tables import html_columns
from evalcore.typing import AnyArray, FloatArray, Label
from evalcore.validation.arrays import as_1d
from evalcore.validation.scores import as_binary_scores
from evalcore.validation.targets import check_positive_label
from evalcore.validation.values import check_costs, check_real, check_rising_numbers


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
    y_true, y_score, pos_label, sample_weight
        As in `metric_curves`.
    fpr_range, tpr_range : (low, high), one of them
        Rates in 0 .. 1.  Between false positive rates it is the area below the curve, between true positive rates
        the area to its right; either is at most high - low.

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
    if (fpr_range is None) == (tpr_range is None):
        raise EvaluationError("partial_auc takes exactly one of fpr_range and tpr_range")
    name, rates = ("fpr_range", fpr_range) if tpr_range is None else ("tpr_range", tpr_range)
    low, high = map(as_written, check_rising_numbers(rates, name, "partial_auc", 0, 1))
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    if not counts.tp[-1] or not counts.fp[-1]:
        return np.nan
    if fpr_range is not None:
        return float(weighted_curves.partial_roc_area(counts.tp, counts.fp, low, high))
    # seen from the other corner, true positive rates run along
    fn, tn = (sums[-1] - from_none(sums)[-2::-1] for sums in (counts.tp, counts.fp))
    return float(weighted_curves.partial_roc_area(tn, fn, 1 - high, 1 - low))


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
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.
    recall : float
        The least recall, in 0 .. 1.

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
    screening; with few positives it is high by chance, for the threshold is chosen on the same cases.  Equal to the
    largest precision of scikit-learn's `precision_recall_curve` among points of that recall.

    O(n log n).

    Examples
    --------
    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.75)
    0.6666666666666666
    """
    check_real(recall, 0, 1, "recall", "precision_at_recall")
    counts = metric_curves(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    precisions, recalls = binary.precision(counts.tp, counts.fp), binary.recall(counts.tp, counts.fn)
    return thresholds.largest_where(np.asarray(precisions), np.asarray(recalls), recall)


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
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.
    precision : float
        The least precision, in 0 .. 1.

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
    with few positives it is high by chance, for the threshold is chosen on the same cases.  Equal to the largest recall
    of scikit-learn's `precision_recall_curve` among points of that precision.

    O(n log n).

    Examples
    --------
    >>> recall_at_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.6)
    1.0
    """
    check_real(precision, 0, 1, "precision", "recall_at_precision")
    counts = metric_curves(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    precisions, recalls = binary.precision(counts.tp, counts.fp), binary.recall(counts.tp, counts.fn)
    return thresholds.largest_where(np.asarray(recalls), np.asarray(precisions), precision)


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
    y_true, y_score, pos_label, sample_weight, target_prevalence
        As in `metric_curves`.
    fpr, recall, precision, specificity, flagged : float, one of them
        The target in 0 .. 1: the lowest threshold whose false positive rate is at most `fpr`, the highest whose recall
        is at least `recall`, or the lowest whose precision is at least `precision`, whose specificity is at least
        `specificity`, or that predicts at most the fraction `flagged` of the cases positive.
    cost : (float, float), instead of these
        The costs of a false positive and of a false negative, at least 0: the highest threshold of the least expected
        cost, as `expected_cost` finds it.

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
    targets: dict[str, Any] = {
        "fpr": fpr,
        "recall": recall,
        "precision": precision,
        "specificity": specificity,
        "flagged": flagged,
        "cost": cost,
    }
    given = {name: value for name, value in targets.items() if value is not None}
    if len(given) != 1:
        raise EvaluationError(
            f"threshold_at takes exactly one of {', '.join(targets)}, got {' and '.join(given) or 'none'}"
        )
    ((name, wanted),) = given.items()
    costs = check_costs(wanted, name, "threshold_at") if name == "cost" else None
    if costs is None:
        check_real(wanted, 0, 1, name, "threshold_at")
    counts = metric_curves(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, target_prevalence=target_prevalence
    )
    if costs is not None:
        return best_threshold(parse_criterion("cost", costs), counts.tp, counts.fp, counts.thresholds).threshold
    return thresholds.threshold_reaching(name, wanted, counts.tp, counts.fp, counts.thresholds)


def ks_statistic(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Label | None = None, sample_weight: ArrayLike | None = None
) -> float:
    r"""Return the Kolmogorov-Smirnov statistic, the largest difference of true and false positive rate.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `metric_curves`.

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
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return thresholds.kolmogorov_smirnov(counts.tp, counts.fp)
