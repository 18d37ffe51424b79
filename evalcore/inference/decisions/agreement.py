"""Intervals of F1 and of Cohen's kappa, by the delta method."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.intervals import (
    ROUNDED_VARIANCE,
    Interval,
    checked_level,
    logit_interval,
    normal_interval,
    undefined_interval,
)
from evalcore.inference.units import ONE_CLUSTER, Units, checked_units
from evalcore.kernels.tables import binary_codes
from evalcore.measures import binary, multiclass
from evalcore.measures.agreement import disagreement
from evalcore.metrics.decisions import check_one_label, pair_table
from evalcore.typing import AnyArray, IntArray, Label, WeightType
from evalcore.validation.arrays import as_class_labels, check_indices
from evalcore.validation.targets import as_positive_masks, check_targets
from evalcore.validation.weights import disagreement_of_classes

_WHY_UNDEFINED = {
    "F1": ("delta-logit", "no label and no prediction is positive", "F1 is {:g}, where its variance is 0"),
    "kappa": ("delta", "both columns hold one class", "kappa is {:g}, and its variance 0"),
}
"""The method, and why there is no interval: without an estimate, and with a variance of 0."""


def f1_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Label | None = 1,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of F1, the harmonic mean of precision and recall, by the delta method on its logit.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes.
    pos_label : int, float, bool or str, default 1
        The positive class.
    sample_weight, weight_type, cluster
        As `accuracy_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true value, above 0 and below 1.

    Returns
    -------
    Interval
        Range: above 0 and below 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels or `pos_label` are invalid; if the columns differ in length; if
        weights are invalid, as for `accuracy_interval`; if the level is not a number between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If F1 is 0 or 1, where its variance is 0, or undefined because there are no positives, or if there is a single
        cluster.  The bounds are NaN.

    Notes
    -----
    $$V(F) = \frac{F (1 - F) (2 - F)}{2 tp + fn + fp}$$

    Use it at a threshold that was fixed beforehand, for cases without clusters; otherwise `bootstrap_interval`.

    O(n).  Measured on 2,000 samples each, 95% bounds held an F1 of 0.74 for 50 cases in 95.6%, and one of 0.67, where
    11% are positive, for 200 cases in 95.8% and for 1,000 in 94.9%; with weights as for `accuracy_interval` in 94.1 to
    95.9%.  Bounds that take F1 itself as normal hold less often.  Source of the variance: K. Takahashi, K. Yamamoto, A.
    Kuchiba and T. Koyama, Confidence interval for micro-averaged F1 and macro-averaged F1 scores, Applied Intelligence
    52 (2022) 4961-4972.

    Examples
    --------
    >>> f1_interval([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0])
    0.75 [0.333904, 0.94724] (95% delta-logit)
    """
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    masks = as_positive_masks(y_true, y_pred, pos_label, "f1_interval")
    units = checked_units(sample_weight, weight_type, masks[0].size, "f1_interval", cluster)
    if units.clusters is not None:
        codes = binary_codes(*(mask[units.chosen] for mask in masks))
        return f1_interval_of_clusters(units, codes, checked_level(level), stacklevel=4)
    counts = units.counts(*masks)
    if counts is not None:
        return f1_interval_of_counts(*counts[:3], checked_level(level), stacklevel=4)
    cells = units.decisions(*masks)
    estimate = float(binary.f_measure_of_counts(*cells.sums[:3].tolist()))
    variance = float(multiclass.weighted_f1_variance(*map(cells.at, range(3))))
    return _interval("F1", estimate, variance, checked_level(level), stacklevel=4)


def f1_interval_of_counts(tp: int, fn: int, fp: int, level: float, stacklevel: int = 3) -> Interval:
    """Return the interval of F1 from counts of decisions; stacklevel: as for `undefined_interval`.  O(1)."""
    estimate = float(binary.f_measure_of_counts(tp, fn, fp))
    return _interval("F1", estimate, float(multiclass.f1_variance(tp, fn, fp)), level, stacklevel + 1)


def f1_interval_of_clusters(units: Units, codes: AnyArray, level: float, stacklevel: int = 3) -> Interval:
    """Return the interval of F1 of clustered cases; codes: (m,) of `binary_codes`.  O(m)."""
    table = units.sums(codes, 4).sums.reshape(2, 2)
    estimate = float(multiclass.decision_measure("f1", table))
    derivatives = multiclass.decision_derivatives("f1", table).ravel()
    variance = float(units.spread(units.amounts * derivatives[codes])[0])
    return _interval("F1", estimate, variance, level, stacklevel + 1, freedom=float(units.freedom[0]))


def kappa_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    weights: Literal["linear", "quadratic"] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of Cohen's kappa, agreement beyond that of chance, by the delta method.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of any number k of classes: Booleans, numbers or text.
    weights : {"linear", "quadratic"} or array-like of shape (k, k), optional
        How much two classes agree, as `evalcore.metrics.cohen_kappa_score` takes it; the classes are those of both
        columns, ascending.
    sample_weight, weight_type, cluster
        As `accuracy_interval`.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true value, above 0 and below 1.

    Returns
    -------
    Interval
        In -1 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If the columns differ in kind or length or are empty; if weights are invalid, as for `accuracy_interval`, or
        those of classes are; if the level is not a number between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If the variance is 0, as for full agreement, or kappa is undefined because both columns hold one class, or if
        there is a single cluster.  The bounds are NaN.

    Notes
    -----
    $$\kappa = \frac{p_o - p_e}{1 - p_e}$$

    $p_o$ is the fraction of cases on which the columns agree, $p_e$ the one expected by chance.  Use it for two judges
    of the same cases.

    Kappas of several raters, and of missing ratings, are in `agreement_interval`; 'conger' of two raters is Cohen's.
    O(n + k²).  Measured on 2,000 samples each, 95% bounds held a kappa of 0.5 for 50 cases in 94.2% and for 200 in
    95.3%, and one of 0.55 among three classes for 100 cases in 94.3%.  Source: J. L. Fleiss, J. Cohen and B. S.
    Everitt, Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72 (1969) 323-327.

    Examples
    --------
    >>> kappa_interval(["a", "a", "a", "b", "b", "b", "c", "c"], ["a", "a", "b", "b", "b", "b", "c", "a"])
    0.609756 [0.158788, 1] (95% delta)
    >>> kappa_interval([1, 2, 3, 3, 2, 1, 2, 3], [1, 2, 3, 2, 2, 1, 3, 3], weights="quadratic")
    0.794872 [0.500325, 1] (95% delta)
    """
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    confidence = checked_level(level)
    targets = check_targets(as_class_labels(y_true, "y_true"), as_class_labels(y_pred, "y_pred"))
    units = checked_units(sample_weight, weight_type, len(targets.y_true), "kappa_interval", cluster)
    check_one_label(targets)
    apart = disagreement_of_classes(weights, targets.class_indices.size, "kappa_interval")
    if sample_weight is None and cluster is None:
        return kappa_interval_of_counts(pair_table(targets), confidence, apart, stacklevel=4)
    columns, span = (targets.y_true[units.chosen], targets.y_pred[units.chosen]), targets.span
    codes, response = (np.subtract(column, targets.low, dtype=np.int64) for column in columns)
    codes *= span
    codes += response
    del response
    present = np.ix_(targets.class_indices, targets.class_indices)
    if units.clusters is not None:
        every = np.zeros((span, span), apart.dtype)
        every[present] = apart
        return kappa_interval_of_clusters(units, codes, span, confidence, every, stacklevel=4)
    sums, squares, _ = (column.reshape(span, span)[present] for column in units.sums(codes, span * span))
    if units.weights is None or units.are_frequencies:
        return kappa_interval_of_counts(sums.astype(np.int64), confidence, apart, stacklevel=4)
    estimate = float(multiclass.weighted_kappa(sums, apart))
    variance = float(multiclass.kappa_variance(sums, squares, apart))
    return _interval("kappa", estimate, variance, confidence, stacklevel=4)


def kappa_interval_of_counts(
    counts: IntArray, level: float, apart: AnyArray | None = None, *, stacklevel: int = 3
) -> Interval:
    """Return the interval of kappa from a confusion matrix (k, k); stacklevel: as for `undefined_interval`.  O(k²).

    apart: (k, k), how much classes disagree, by default 1 for any two.
    """
    apart = disagreement(len(counts), 0) if apart is None else apart
    estimate = float(multiclass.weighted_kappa(counts, apart))
    variance = float(multiclass.kappa_variance(counts, apart=apart))
    return _interval("kappa", estimate, variance, level, stacklevel + 1)


def kappa_interval_of_clusters(
    units: Units,
    codes: AnyArray,
    span: int,
    level: float,
    apart: AnyArray | None = None,
    *,
    stacklevel: int = 3,
) -> Interval:
    """Return the interval of kappa of clustered cases; codes: (m,), cells of a table (span, span).  O(m + span²).

    apart: as of `kappa_interval_of_counts`, (span, span).
    """
    table = units.sums(codes, span * span).sums.reshape(span, span)
    apart = disagreement(span, 0) if apart is None else apart
    estimate = float(multiclass.weighted_kappa(table, apart))
    derivatives = multiclass.kappa_derivatives(table, apart).ravel()
    variance = float(units.spread(units.amounts * derivatives[codes])[0])
    return _interval("kappa", estimate, variance, level, stacklevel + 1, freedom=float(units.freedom[0]))


def _interval(
    measure: str, estimate: float, variance: float, level: float, stacklevel: int, *, freedom: float = math.inf
) -> Interval:
    """Return the interval of "F1" or "kappa", or warn why there is none.  O(1)."""
    method, why, constant = _WHY_UNDEFINED[measure]
    if not math.isnan(estimate):
        why = ONE_CLUSTER if math.isnan(variance) else constant.format(estimate)
    if not variance > ROUNDED_VARIANCE:
        return undefined_interval(estimate, level, method, why, stacklevel)
    if measure == "F1":
        return logit_interval(estimate, math.sqrt(variance), level, method, freedom)
    return normal_interval(estimate, math.sqrt(variance), level, method, least=-1.0, freedom=freedom)
