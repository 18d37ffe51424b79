"""Intervals of what decisions achieve: fractions such as accuracy, precision and recall, F1 and Cohen's kappa."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.cells import (
    FRACTIONS,
    Cells,
    cells_of_counts,
    cells_of_decisions,
    cells_of_rows,
    f1_intervals,
    kappa_intervals,
    trials_of,
)
from evalcore.inference.intervals import Interval, Intervals, checked_level, interval_of_trials, undefined_interval
from evalcore.inference.units import ONE_CLUSTER, checked_units
from evalcore.kernels.sums import ratio
from evalcore.metrics.decisions import check_one_label, pair_table
from evalcore.typing import BoolArray, Label, ProportionMethod, WeightType
from evalcore.validation.arrays import as_class_labels, check_indices
from evalcore.validation.labels import encode_together
from evalcore.validation.targets import as_positive_mask, as_positive_masks, check_targets, right_cases
from evalcore.validation.weights import disagreement_of_classes

_FRACTIONS = {
    "accuracy": ("prevalence", "there are no cases"),
    "precision": ("precision", "no prediction is positive"),
    "recall": ("recall", "no case is positive"),
    "specificity": ("specificity", "no case is negative"),
    "prevalence": ("prevalence", "there are no cases"),
}
"""The fraction by its name, of all cases that of those in the first mask, and why there may be none."""
_WHY_UNDEFINED = {
    "f1": ("no label and no prediction is positive", "F1 is {:g}, where its variance is 0"),
    "kappa": ("both columns hold one class", "kappa is {:g}, and its variance 0"),
}
"""Why there is no interval: without an estimate, and with a variance of 0."""


def accuracy_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: ProportionMethod = "wilson",
) -> Interval:
    r"""Return the interval of the accuracy, the fraction of cases that are predicted right.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels of any number of classes: Booleans, numbers or text.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.  See the notes of `evalcore.evaluate`.
    cluster : array-like of shape (n,), optional
        The patient, day or the like of each case.  Clusters are then what is drawn by chance: their cases may depend on
        each other.  Needs SciPy.
    level, method
        As `proportion_interval`.  With sampling weights or clusters all methods take the effective number of trials: as
        many independent trials of equal weight as would leave the estimate as uncertain.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.accuracy_score`, also if there are no cases, and as `proportion_interval`; if weights are
        negative, infinite, NaN, all 0, as many as there are no cases, above 0 but different by a factor of 2**480, or
        frequencies that are not whole numbers or add up to 2**53 or more; if a cluster is missing; if there are
        clusters, and SciPy is not installed.

    Warns
    -----
    UndefinedMetricWarning
        If there is a single cluster: the bounds are NaN.

    Notes
    -----
    $$\frac{tp + tn}{n}$$

    Use it to say how sure an accuracy is; of two models on the same cases take `mcnemar_test`, for intervals that
    overlap do not say that accuracies are equal.

    O(n), with indicators O(n k).  The effective number of trials is p (1 - p) / V, for the variance V = Σ w² (y - p)² /
    (Σ w)².  Where p is 0 or 1, it is the weight of the trials divided by the mean weight, by weight, of the class of
    what is absent: where negatives stand for 100 cases each, no false alarm among few does not make precision sure.  In
    300 samples each, where none was drawn in 29% and 72% of them, 95% bounds of precision held it in 96 and 93%.
    Measured on 1,000 samples each, 95% bounds by Wilson held accuracy, precision and recall in 93.9, 95.3 and 95.8%
    with all positives and a tenth of the negatives, in 95.3, 95.2 and 94.8% where low scores had weights of up to 20,
    and in 94.8, 92.9 and 92.7% of 400 cases with lognormal weights.
    With clusters V is that of sums over each, times C / (C - 1) for C clusters, and the number is that of Korn and
    Graubard, but at most that of the cases; where p is 0 or 1, a cluster counts as one trial.
    Sources: those of `proportion_interval`; for weights and clusters E. L. Korn and B. I. Graubard, Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data, Survey
    Methodology 24 (1998) 193-201.

    Examples
    --------
    >>> y_true, y_pred = ["a", "b", "c", "c"], ["a", "b", "c", "b"]
    >>> accuracy_interval(y_true, y_pred)
    0.75 [0.300642, 0.954413] (95% wilson)
    >>> accuracy_interval(y_true, y_pred, sample_weight=[1, 1, 1, 3])
    0.5 [0.125334, 0.874666] (95% wilson)
    >>> accuracy_interval(y_true, y_pred, sample_weight=[1, 1, 1, 3], weight_type="frequency")
    0.5 [0.187616, 0.812384] (95% wilson)
    """
    right = right_cases(y_true, y_pred)
    return _fraction("accuracy", (right, right), (y_true, y_pred, sample_weight, cluster), (weight_type, level, method))


def precision_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Label | None = 1,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: ProportionMethod = "wilson",
) -> Interval:
    r"""Return the interval of the precision, the fraction of positive predictions that are right.

    The positive predictions are the trials, and their number is taken as fixed.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes.
    pos_label : int, float, bool or str, default 1
        The positive class.
    sample_weight, weight_type, cluster, level, method
        As `accuracy_interval`.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels or `pos_label` are invalid, as for `evalcore.metrics.precision_score`, or the columns differ in
        length; if weights are invalid, as for `accuracy_interval`; and as `proportion_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If no prediction is positive: estimate and bounds are NaN.

    Notes
    -----
    $$\frac{tp}{tp + fp}$$

    Use it for cases of the prevalence that matters: precision depends on it.

    O(n).  Sources: those of `accuracy_interval`.

    Examples
    --------
    >>> precision_interval([1, 1, 1, 0, 0], [1, 1, 1, 1, 0])
    0.75 [0.300642, 0.954413] (95% wilson)
    """
    masks = as_positive_masks(y_true, y_pred, pos_label, "precision_interval")
    return _fraction("precision", masks, (y_true, y_pred, sample_weight, cluster), (weight_type, level, method))


def recall_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Label | None = 1,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: ProportionMethod = "wilson",
) -> Interval:
    r"""Return the interval of the recall, or sensitivity: the fraction of positives that are predicted positive.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes.
    pos_label : int, float, bool or str, default 1
        The positive class.
    sample_weight, weight_type, cluster, level, method
        As `accuracy_interval`.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `precision_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If no case is positive: estimate and bounds are NaN.

    Notes
    -----
    $$\frac{tp}{tp + fn}$$

    Use it at a threshold that was fixed beforehand; where it was chosen on the same cases, take
    `optimal_threshold_interval`.

    O(n).  Sources: those of `accuracy_interval`.

    Examples
    --------
    >>> recall_interval([1, 1, 1, 1, 0], [1, 1, 1, 0, 0])
    0.75 [0.300642, 0.954413] (95% wilson)
    """
    masks = as_positive_masks(y_true, y_pred, pos_label, "recall_interval")
    return _fraction("recall", masks, (y_true, y_pred, sample_weight, cluster), (weight_type, level, method))


def specificity_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Label | None = 1,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: ProportionMethod = "wilson",
) -> Interval:
    r"""Return the interval of the specificity, the fraction of negatives that are predicted negative.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes.
    pos_label : int, float, bool or str, default 1
        The positive class.
    sample_weight, weight_type, cluster, level, method
        As `accuracy_interval`.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `precision_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If no case is negative: estimate and bounds are NaN.

    Notes
    -----
    $$\frac{tn}{tn + fp}$$

    Use it at a threshold that was fixed beforehand; where it was chosen on the same cases, take
    `optimal_threshold_interval`.

    O(n).  Sources: those of `accuracy_interval`.

    Examples
    --------
    >>> specificity_interval([0, 0, 0, 0, 1], [0, 0, 0, 1, 0])
    0.75 [0.300642, 0.954413] (95% wilson)
    """
    masks = as_positive_masks(y_true, y_pred, pos_label, "specificity_interval")
    return _fraction("specificity", masks, (y_true, y_pred, sample_weight, cluster), (weight_type, level, method))


def prevalence_interval(
    y_true: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    cluster: ArrayLike | None = None,
    level: float = 0.95,
    method: ProportionMethod = "wilson",
) -> Interval:
    r"""Return the interval of the prevalence, the fraction of cases that are positive.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    sample_weight, weight_type, cluster, level, method
        As `accuracy_interval`.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels are invalid, as for `evalcore.metrics.roc_curve`; if weights are invalid, as for `accuracy_interval`;
        and as `proportion_interval`.

    Warns
    -----
    UndefinedMetricWarning
        If there are no cases: estimate and bounds are NaN.

    Notes
    -----
    $$\frac{tp + fn}{n}$$

    Use it for labels by people; for those of a judge who errs take `corrected_prevalence_interval`.

    O(n).  Sources: those of `accuracy_interval`.

    Examples
    --------
    >>> prevalence_interval([1, 1, 1, 0])
    0.75 [0.300642, 0.954413] (95% wilson)
    """
    positive = as_positive_mask(y_true, pos_label, "prevalence_interval")
    given = y_true, None, sample_weight, cluster
    return _fraction("prevalence", (positive, positive), given, (weight_type, level, method))


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
    masks = as_positive_masks(y_true, y_pred, pos_label, "f1_interval")
    cells, confidence = _cells("f1", masks, (y_true, y_pred, sample_weight, cluster), weight_type), checked_level(level)
    return _or_why_not(f1_intervals(cells, confidence), cells, "f1", confidence)


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
        cells = cells_of_counts(pair_table(targets)[np.newaxis])
    else:
        classes, reference, response = encode_together(targets.y_true, targets.y_pred)
        codes = reference[units.chosen] * classes.size + response[units.chosen]
        cells = cells_of_rows(units, codes, (classes.size, classes.size))
    return _or_why_not(kappa_intervals(cells, confidence, apart), cells, "kappa", confidence)


def _cells(name: str, masks: tuple[BoolArray, BoolArray], given: tuple[Any, ...], weight_type: Any) -> Cells:
    """Check columns of a public function, and count its decisions; masks: of labels and predictions, (n,).  O(n).

    given: labels, predictions, weights and clusters.
    """
    y_true, y_pred, sample_weight, cluster = given
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    units = checked_units(sample_weight, weight_type, masks[0].size, f"{name}_interval", cluster)
    return cells_of_decisions(units, *masks)


def _fraction(
    name: str, masks: tuple[BoolArray, BoolArray], given: tuple[Any, ...], options: tuple[Any, Any, Any]
) -> Interval:
    """Return the interval of a public function, as `_cells`; options: type of weights, level and method.  O(n)."""
    weight_type, level, method = options
    cells, (fraction, empty) = _cells(name, masks, given, weight_type), _FRACTIONS[name]
    if cells.counted and cells.units is None:  # exact in whole numbers
        succeeded, tried = (int(np.vdot(each, cells.sums.sums)) for each in FRACTIONS[fraction])
        found = [succeeded, tried, float(ratio(succeeded, tried))]
    else:
        found = [column.item() for column in trials_of(cells, FRACTIONS[fraction], checked_level(level))]
    return interval_of_trials(found, level, method, function=f"{name}_interval", empty=empty, stacklevel=5)


def _or_why_not(found: Intervals, cells: Cells, name: str, level: float) -> Interval:
    """Return the only interval, or warn the caller of a public function why it has no bounds.  O(1)."""
    [interval] = found.each(level)
    if not math.isnan(interval.low):
        return interval
    why, constant = _WHY_UNDEFINED[name]
    if not math.isnan(interval.estimate):
        single = cells.units is not None and cells.units.number < 2
        why = ONE_CLUSTER if single else constant.format(interval.estimate)
    return undefined_interval(interval.estimate, level, interval.method, why, 4)
