"""Curves of binary scores, under scikit-learn's names."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, refuse, warn
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.shapes import corners, not_level
from evalcore.kernels.sorting import found_order, order
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import ThresholdPoints, counted_points
from evalcore.kernels.weights import points_of_weights, sort_weights
from evalcore.measures import binary
from evalcore.measures.thresholds import trapezoidal_area
from evalcore.typing import AnyArray, FloatArray, Label
from evalcore.validation.arrays import as_1d, as_finite_scores
from evalcore.validation.labels import encode_labels
from evalcore.validation.scores import WeightedCases, as_binary_scores, as_weighted_cases
from evalcore.validation.values import check_flag, check_label
from evalcore.validation.weights import check_consistent_lengths


def confusion_matrix_at_thresholds(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Label | None = None, sample_weight: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, AnyArray]:
    r"""Count decisions at every threshold.

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

    Returns
    -------
    tns, fps, fns, tps : (p,) float64
        Weights of the cases by class and by whether their score is at least the threshold.
    thresholds : (p,)
        Distinct scores, falling.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, scores or weights are invalid.

    Notes
    -----
    $$tp(t) = \sum_{i \in +} w_i [s_i \geq t], \quad fp(t) = \sum_{i \in -} w_i [s_i \geq t]$$

    Range: counts from 0 to the number, or weight, of the cases of a class.  Use `metric_curves` for names in place of
    four arrays.  Equal to scikit-learn's `confusion_matrix_at_thresholds`.

    O(n log n).

    Examples
    --------
    >>> tns, fps, fns, tps, thresholds = confusion_matrix_at_thresholds([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tps, fps, thresholds
    (array([1., 1., 2., 2.]), array([0., 1., 1., 2.]), array([0.8 , 0.4 , 0.35, 0.1 ]))
    """
    tps, fps, thresholds = threshold_points(as_binary_scores(y_true, y_score, sample_weight, pos_label))
    return fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = True,
) -> tuple[FloatArray, FloatArray, AnyArray]:
    r"""Return false and true positive rates at every threshold.

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
    drop_intermediate : bool
        Whether to leave out points on a straight line between their neighbours.

    Returns
    -------
    fpr, tpr : (p + 1,) float64
        In 0 .. 1, rising from 0; NaN, with an UndefinedMetricWarning, without negatives or positives.
    thresholds : (p + 1,) float64
        Falling from infinity.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `confusion_matrix_at_thresholds`.

    Notes
    -----
    $$FPR(t) = \frac{fp(t)}{fp(t) + tn(t)}, \quad TPR(t) = \frac{tp(t)}{tp(t) + fn(t)}$$

    Range: 0 to 1; a curve above the diagonal is better than chance.  Use it to choose between rates at any prevalence;
    where positives are rare a low false positive rate may still be a list full of negatives.  Equal to scikit-learn's
    `roc_curve`.

    O(n log n).  Source: T. Fawcett, An introduction to ROC analysis,
    Pattern Recognition Letters 27 (2006) 861-874.

    Examples
    --------
    >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]), array([ inf, 0.8 , 0.4 , 0.35, 0.1 ]))
    """
    _check_options(pos_label, drop_intermediate, "roc_curve")
    points = threshold_points(as_binary_scores(y_true, y_score, sample_weight, pos_label))
    if drop_intermediate:
        points = points.at(corners(points.fp, points.tp))
    thresholds = np.empty(points.scores.size + 1)
    thresholds[0], thresholds[1:] = np.inf, points.scores
    fpr = _rates(points.fp, "No negative samples in y_true, false positive value")
    return fpr, _rates(points.tp, "No positive samples in y_true, true positive value"), thresholds


def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
    target_prevalence: float | None = None,
) -> tuple[FloatArray, FloatArray, AnyArray]:
    r"""Return precision and recall at every threshold.

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
    drop_intermediate : bool
        Whether to leave out points between others of the same recall.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, is positive: what another population, or
        the one from which a class was subsampled, would give.

    Returns
    -------
    precision, recall : (p + 1,) float64
        In 0 .. 1, by rising threshold; the last are 1 and 0, where nothing is predicted positive.  Without positives
        recall is 1, with a warning.
    thresholds : (p,)
        Distinct scores, rising.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `confusion_matrix_at_thresholds`; if there are not cases of both classes to reweight to `target_prevalence`.

    Notes
    -----
    $$P(t) = \frac{tp(t)}{tp(t) + fp(t)}, \quad R(t) = \frac{tp(t)}{tp(t) + fn(t)}$$

    Range: 0 to 1.  Use it where positives are rare; not to compare sets of cases of different prevalence, unless
    `target_prevalence` makes it the same.  Equal to scikit-learn's `precision_recall_curve`.

    O(n log n).  Source of the weights for a prevalence: M. Saerens, P. Latinne and C. Decaestecker, Adjusting the
    outputs of a classifier to new a priori probabilities, Neural Computation 14 (2002) 21-41.

    Examples
    --------
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> precision
    array([0.5       , 0.66666667, 0.5       , 1.        , 1.        ])
    >>> recall, thresholds
    (array([1. , 1. , 0.5, 0.5, 0. ]), array([0.1 , 0.35, 0.4 , 0.8 ]))
    """
    _check_options(pos_label, drop_intermediate, "precision_recall_curve")
    points = threshold_points(as_binary_scores(y_true, y_score, sample_weight, pos_label, target_prevalence))
    if drop_intermediate:
        points = points.at(not_level(points.tp))
    size, positives = points.tp.size, points.tp[-1]
    precisions, recalls = np.empty(size + 1), np.empty(size + 1)
    precisions[-1], recalls[-1] = 1.0, 0.0

    def fill(block: slice) -> None:
        rising = slice(size - block.stop, size - block.start)
        precisions[rising] = np.flip(binary.precision(points.tp[block], points.fp[block]))
        recalls[rising] = np.flip(ratio(points.tp[block], positives))

    map_blocks(fill, size)
    if positives == 0:
        warn("No positive class found in y_true, recall is set to one for all thresholds.", UserWarning)
        recalls[:-1] = 1.0
    return precisions, recalls, points.scores[::-1].copy()  # strides below 0 are refused by some libraries


def det_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    drop_intermediate: bool = False,
) -> tuple[FloatArray, FloatArray, AnyArray]:
    r"""Return false positive and false negative rates at the thresholds where one can be traded for the other.

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
    drop_intermediate : bool
        Whether to leave out points between others of the same false negative rate.

    Returns
    -------
    fpr, fnr : (q,) float64
        In 0 .. 1, by rising threshold; NaN for a class without cases or without weight.
    thresholds : (q,) float64
        Distinct scores, rising, and infinity, where nothing is predicted positive.

    Raises
    ------
    EvaluationError
        If there is only one class, and as `confusion_matrix_at_thresholds`.

    Notes
    -----
    $$FPR(t) = \frac{fp(t)}{fp(t) + tn(t)}, \quad FNR(t) = \frac{fn(t)}{tp(t) + fn(t)}$$

    Range: 0 to 1; a curve near 0 is best.  Use it for good detectors, whose ROC curves crowd into a corner, on normal
    scales as `evalcore.plots.plot_det` draws it.  Equal to scikit-learn's `det_curve`.

    O(n log n).  Source: A. Martin et al., The DET curve in assessment of detection task performance, Eurospeech 1997.

    Examples
    --------
    >>> det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]), array([0.35, 0.4 , 0.8 ]))
    """
    _check_options(pos_label, drop_intermediate, "det_curve")
    points = threshold_points(as_binary_scores(y_true, y_score, sample_weight, pos_label))
    positives, negatives = points.tp[-1], points.fp[-1]
    labels = as_1d(y_true, "y_true")
    if np.all(labels == labels[0]) or (pos_label is not None and encode_labels(labels)[0].size != 2):
        why = "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case."
        raise EvaluationError(why)
    used = _trading(points)
    if drop_intermediate:
        used = used.at(not_level(used.tp))
    fpr, fnr = np.asarray(ratio(used.fp, negatives)), np.asarray(ratio(positives - used.tp, positives))
    return fpr[::-1].copy(), fnr[::-1].copy(), used.scores[::-1].copy()


def metric_at_thresholds(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric_func: Callable[..., Any],
    *,
    sample_weight: ArrayLike | None = None,
    metric_params: Mapping[str, Any] | None = None,
) -> tuple[AnyArray, AnyArray]:
    """Call a metric on the decisions at every threshold.

    For measures of counts, use `metric_curves`, which calls nothing and is thousands of times faster.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Finite scores.
    metric_func : callable
        Called with labels, decisions (0 and 1), `metric_params`, and `sample_weight` if that is given.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    metric_params : mapping, optional
        Further keyword arguments of `metric_func`.

    Returns
    -------
    values : (p,) or (p, outputs)
        What `metric_func` returned.
    thresholds : (p,)
        Distinct scores, falling.

    Notes
    -----
    Range: that of `metric_func`.  Use it for a measure that is no function of counts.  Equal to scikit-learn's
    `metric_at_thresholds`.

    O(p) calls.

    Examples
    --------
    >>> metric_at_thresholds([0, 1, 1], [0.1, 0.4, 0.35], lambda y, decided: float((y == decided).mean()))
    (array([0.66666667, 1.        , 0.66666667]), array([0.4 , 0.35, 0.1 ]))
    """
    labels, scores, weights, score_dtype, _ = as_weighted_cases(y_true, y_score, sample_weight)
    params = dict(metric_params or {})
    if weights is not None:
        params["sample_weight"] = weights
    thresholds = np.unique(scores)[::-1]
    values = [metric_func(labels, (scores >= threshold).astype(np.int32), **params) for threshold in thresholds]
    return np.asarray(values), thresholds.astype(score_dtype, copy=False)


def auc(x: ArrayLike, y: ArrayLike) -> float:
    r"""Return the area under a curve by the trapezoidal rule.

    O(p).

    Parameters
    ----------
    x : array-like of shape (p,)
        Rising or falling, p >= 2.
    y : array-like of shape (p,)
        Heights of the curve.

    Returns
    -------
    float
        The area, positive for a curve above 0 whether `x` rises or falls.

    Raises
    ------
    EvaluationError
        If there are fewer than two points, or `x` neither rises nor falls.

    Notes
    -----
    $$\sum_{i=1}^{p-1} (x_{i+1} - x_i) \frac{y_i + y_{i+1}}{2}$$

    Range: that of the curve's height times that of its width; 0 to 1 for rates.  Use it for curves of ROC; not for
    precision and recall, between whose points a straight line is too high: `average_precision_score` takes steps.
    Equal to scikit-learn's `auc`.

    Examples
    --------
    >>> auc([0, 0.5, 1], [0, 1, 1])
    0.75
    """
    xs, ys = (as_finite_scores(values, name) for values, name in ((x, "x"), (y, "y")))
    check_consistent_lengths(xs, ys)
    refuse({f"At least 2 points are needed to compute area under curve, but x.shape = {xs.shape}": xs.size < 2})
    steps = np.diff(xs)
    rises, falls = bool(np.any(steps > 0)), bool(np.any(steps < 0))
    if rises and falls:
        raise EvaluationError(f"x is neither increasing nor decreasing : {np.asarray(x)}.")
    area = trapezoidal_area(xs.astype(np.float64, copy=False), ys.astype(np.float64, copy=False))
    return -area if falls else area


def threshold_points(cases: WeightedCases) -> ThresholdPoints:
    """Count the cases at or above every distinct score, or add up their weights.  O(n log n)."""
    if cases.weights is None:
        found = found_order(cases.scores, cases.labels)
        points = counted_points(found or order(cases.scores, cases.labels, cases.extent))
    else:
        points = points_of_weights(sort_weights(cases.scores, cases.labels, cases.weights), cases.scores)
    return points._replace(scores=points.scores.astype(cases.score_dtype, copy=False))


def _check_options(pos_label: Any, drop_intermediate: Any, function: str) -> None:
    check_label(pos_label, "pos_label", function)
    check_flag(drop_intermediate, "drop_intermediate", function)


def _rates(counts: FloatArray, undefined: str) -> FloatArray:
    """Return fractions of the last count, after 0, (p + 1,); NaN, with a warning, where that is 0.  O(p)."""
    rates = np.empty(counts.size + 1)
    if counts[-1] <= 0:
        warn(f"{undefined} should be meaningless")
        rates.fill(np.nan)
    else:
        rates[0] = 0.0
        rates[1:] = ratio(counts, counts[-1])
    return rates


def _trading(points: ThresholdPoints) -> ThresholdPoints:
    """Keep the points from the last without false positives to the first without false negatives, with float64 scores.

    If every point has false positives, the first is at infinity, where nothing is predicted positive.
    """
    start = int(points.fp.searchsorted(0.0, side="right")) - 1
    stop = int(points.tp.searchsorted(points.tp[-1])) + 1 if points.tp[-1] > 0 else 0
    tp, fp, scores = (column[max(start, 0) : stop].astype(np.float64, copy=False) for column in points)
    if start >= 0:
        return ThresholdPoints(tp, fp, scores)
    none = zip((0.0, 0.0, np.inf), (tp, fp, scores), strict=True)
    return ThresholdPoints(*(np.concatenate([[first], column]) for first, column in none))
