"""Choosing where to operate: measures at every threshold, and the threshold that meets a target or costs least."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import ratio
from evalcore.measures import binary, weighted_curves
from evalcore.metrics.binary_scores import binary_scores, threshold_points
from evalcore.metrics.curves import Array
from evalcore.typing import FloatArray


class MetricCurves(NamedTuple):
    """Counts at every threshold, highest first: with them any measure of counts broadcasts."""

    thresholds: Array
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
        """Return a measure of the counts tp, fn, fp, tn at every threshold.  O(p).

        >>> curves = metric_curves([0, 1, 1], [0.1, 0.4, 0.35])
        >>> curves.values(lambda tp, fn, fp, tn: (tp + tn) / (tp + fn + fp + tn))
        array([0.66666667, 1.        , 0.66666667])
        """
        return measure(self.tp, self.fn, self.fp, self.tn)


class BestThreshold(NamedTuple):
    """The least expected cost of a decision, and the threshold that has it."""

    cost: float
    """Per case, or per unit of weight."""
    threshold: float
    """Accept scores of at least this; infinity is to accept none."""


class Gains(NamedTuple):
    """What the best-scored part of the cases holds."""

    share: FloatArray
    """Part of the cases accepted, rising, in 0 .. 1."""
    value: FloatArray
    """Share of the positives in it, or lift over chance."""


def metric_curves(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> MetricCurves:
    """Count tp, fn, fp and tn at every threshold, once.

    y_true: (n,) labels of two classes; y_score: (n,) finite scores; sample_weight: (n,), not negative.
    O(n log n).  Raises as `roc_curve`.

    >>> metric_curves([0, 1, 1], [0.1, 0.4, 0.35]).tp
    array([1., 2., 2.])
    """
    tps, fps, thresholds = threshold_points(binary_scores(y_true, y_score, sample_weight, pos_label))
    return MetricCurves(thresholds, tps, tps[-1] - tps, fps, fps[-1] - fps)


def partial_auc(
    y_true: Any,
    y_score: Any,
    *,
    fpr_range: tuple[float, float] | None = None,
    tpr_range: tuple[float, float] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the area under the ROC curve between two rates, not standardised.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `metric_curves`.
    fpr_range, tpr_range : (low, high), one of them
        Rates in 0 .. 1.  Between false positive rates the area below the curve, at most high - low; between true
        positive rates the area to its right, which is as much at best.

    Returns
    -------
    float
        NaN of one class.

    Raises
    ------
    EvaluationError
        For both ranges or none, or one out of order, and as `roc_curve`.

    Notes
    -----
    O(n log n).  Source: L. E. Dodd and M. S. Pepe, Partial AUC estimation and regression, Biometrics 59 (2003) 614-623.

    Examples
    --------
    >>> partial_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], fpr_range=(0, 0.5))
    0.25
    """
    if (fpr_range is None) == (tpr_range is None):
        raise EvaluationError("partial_auc takes one of fpr_range and tpr_range")
    name, rates = ("fpr_range", fpr_range) if tpr_range is None else ("tpr_range", tpr_range)
    low, high = _range(rates, name)
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    fpr, tpr = (np.concatenate([[0.0], np.asarray(ratio(part, part[-1]))]) for part in (counts.fp, counts.tp))
    if np.isnan(fpr[-1]) or np.isnan(tpr[-1]):
        return np.nan
    if fpr_range is not None:
        return weighted_curves.partial_roc_area(fpr, tpr, low, high)
    # seen from the other corner, true positive rates run along
    return weighted_curves.partial_roc_area(1 - tpr[::-1], 1 - fpr[::-1], 1 - high, 1 - low)


def precision_at_recall(
    y_true: Any, y_score: Any, recall: float, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    """Return the largest precision of a threshold whose recall is at least this, in 0 .. 1; NaN without positives.

    O(n log n).  Raises EvaluationError for a recall outside 0 .. 1, and as `roc_curve`.

    >>> precision_at_recall([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.75)
    0.6666666666666666
    """
    wanted = _rate(recall, "recall")
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return _largest(binary.precision(counts.tp, counts.fp), binary.recall(counts.tp, counts.fn), wanted)


def recall_at_precision(
    y_true: Any, y_score: Any, precision: float, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    """Return the largest recall of a threshold whose precision is at least this, in 0 .. 1; 0.0 if none has it.

    NaN without positives.  O(n log n).  Raises EvaluationError for a precision outside 0 .. 1, and as `roc_curve`.

    >>> recall_at_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.6)
    1.0
    """
    wanted = _rate(precision, "precision")
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return _largest(binary.recall(counts.tp, counts.fn), binary.precision(counts.tp, counts.fp), wanted)


def threshold_at(
    y_true: Any,
    y_score: Any,
    *,
    fpr: float | None = None,
    recall: float | None = None,
    precision: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return the score to accept from, for a target.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in `metric_curves`.
    fpr : float, or recall, or precision
        One target in 0 .. 1: the lowest threshold whose false positive rate is at most `fpr`, the highest whose recall
        is at least `recall`, or the lowest whose precision is at least `precision`.

    Returns
    -------
    float
        A score that occurs; infinity, to accept none, where only that meets `fpr`; NaN where nothing meets the target.

    Raises
    ------
    EvaluationError
        For none or several targets, or one outside 0 .. 1, and as `roc_curve`.

    Notes
    -----
    O(n log n).

    Examples
    --------
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> threshold_at(y_true, y_score, fpr=0.0), threshold_at(y_true, y_score, recall=1.0)
    (0.8, 0.35)
    >>> threshold_at(y_true, y_score, precision=0.6)
    0.35
    """
    targets = {"fpr": fpr, "recall": recall, "precision": precision}
    given = {name: value for name, value in targets.items() if value is not None}
    if len(given) != 1:
        raise EvaluationError(f"threshold_at takes one of fpr, recall and precision, got {len(given)}")
    ((name, value),) = given.items()
    wanted = _rate(value, name)
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    if name == "fpr":
        met = np.flatnonzero(np.asarray(ratio(counts.fp, counts.fp[-1])) <= wanted)
        return float(counts.thresholds[met[-1]]) if met.size else (np.inf if counts.fp[-1] else np.nan)
    if name == "recall":
        met = np.flatnonzero(np.asarray(binary.recall(counts.tp, counts.fn)) >= wanted)
        return float(counts.thresholds[met[0]]) if met.size else np.nan
    met = np.flatnonzero(np.asarray(binary.precision(counts.tp, counts.fp)) >= wanted)
    return float(counts.thresholds[met[-1]]) if met.size else np.nan


def ks_statistic(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Return the Kolmogorov-Smirnov statistic, the largest tpr - fpr in either direction, in 0 .. 1; NaN of one class.

    O(n log n).  Raises as `roc_curve`.  Source: W. J. Conover, Practical Nonparametric Statistics (1999), 6.3.

    >>> ks_statistic([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    gaps = np.asarray(ratio(counts.tp, counts.tp[-1])) - np.asarray(ratio(counts.fp, counts.fp[-1]))
    return float(np.abs(gaps).max())


def cumulative_gains_curve(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Gains:
    """Return what share of the positives stands in each best-scored share of the cases.

    Both (p + 1,) float64, rising from 0 to 1; NaN without positives.  O(n log n).  Raises as `roc_curve`.
    Source: I. H. Witten, E. Frank and M. A. Hall, Data Mining (2011), 5.7.

    >>> cumulative_gains_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    accepted = counts.tp + counts.fp
    shares = (np.asarray(ratio(part, part[-1])) for part in (accepted, counts.tp))
    return Gains(*(np.concatenate([[0.0], share]) for share in shares))


def lift_curve(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Gains:
    """Return how much denser positives are in each best-scored share of the cases than in all: precision / prevalence.

    Both (p,) float64; NaN without positives.  O(n log n).  Raises as `roc_curve`.
    Source: I. H. Witten, E. Frank and M. A. Hall, Data Mining (2011), 5.7.

    >>> lift_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).value
    array([2.        , 1.        , 1.33333333, 1.        ])
    """
    gains = cumulative_gains_curve(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    return Gains(gains.share[1:], np.asarray(ratio(gains.value[1:], gains.share[1:])))


def expected_cost(
    y_true: Any,
    y_score: Any,
    *,
    false_positive: float,
    false_negative: float,
    true_positive: float = 0.0,
    true_negative: float = 0.0,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> BestThreshold:
    """Return the least expected cost per case of a threshold, for a matrix of costs; gains are negative costs.

    Of equal costs the highest threshold is returned.  O(n log n).  Raises EvaluationError for costs that are not
    finite, and as `roc_curve`.  Source: C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.

    >>> expected_cost([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], false_positive=1.0, false_negative=5.0)
    BestThreshold(cost=0.25, threshold=0.35)
    """
    costs = np.array([true_positive, false_negative, false_positive, true_negative], np.float64)
    if not np.isfinite(costs).all():
        raise EvaluationError(f"costs must be finite, got {costs.tolist()}")
    counts = metric_curves(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    positives, negatives = counts.tp[-1], counts.fp[-1]
    cells = zip((counts.tp, counts.fn, counts.fp, counts.tn), (0.0, positives, 0.0, negatives), strict=True)
    tables = np.stack([np.concatenate([[none], cell]) for cell, none in cells])
    totals = costs @ tables / (positives + negatives)
    best = int(totals.argmin())
    return BestThreshold(float(totals[best]), float(counts.thresholds[best - 1]) if best else np.inf)


def _largest(values: Any, bounded: Any, wanted: float) -> float:
    if np.isnan(bounded).all() or np.isnan(values).all():
        return np.nan
    return float(np.max(values, where=bounded >= wanted, initial=0.0))


def _rate(value: float, name: str) -> float:
    if not 0 <= value <= 1:
        raise EvaluationError(f"{name} must be in 0 .. 1, got {value!r}")
    return float(value)


def _range(rates: Any, name: str) -> tuple[float, float]:
    low, high = (_rate(rate, name) for rate in rates)
    if not low < high:
        raise EvaluationError(f"{name} must rise, got {rates!r}")
    return low, high
