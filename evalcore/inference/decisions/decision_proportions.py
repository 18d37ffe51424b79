"""Intervals of the measures of decisions that are proportions: accuracy, precision, recall, and the like."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.intervals import Interval, checked_level
from evalcore.inference.proportions import interval_of_trials
from evalcore.inference.units import Units, checked_units
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.weights import WeightSums
from evalcore.measures.effective_cases import effective_decisions
from evalcore.typing import BoolArray, Label, ProportionMethod, WeightType
from evalcore.validation.arrays import check_indices
from evalcore.validation.targets import as_positive_mask, as_positive_masks, right_cases

_TP, _FN, _FP, _TN = range(4)
_OF_ALL = ((_TP,), (_TP, _TN)), "there are no cases"
_FRACTIONS = {
    "accuracy_interval": _OF_ALL,
    "precision_interval": (((_TP,), (_TP, _FP)), "no prediction is positive"),
    "recall_interval": (((_TP,), (_TP, _FN)), "no case is positive"),
    "specificity_interval": (((_TN,), (_FP, _TN)), "no case is negative"),
    "prevalence_interval": _OF_ALL,
}
"""The cells of a fraction, of all cases given one mask twice, and why there may be none."""


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
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    right = right_cases(y_true, y_pred)
    return _fraction(
        "accuracy_interval", (right, right), sample_weight, weight_type, cluster, level=level, method=method
    )


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
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    masks = as_positive_masks(y_true, y_pred, pos_label, "precision_interval")
    return _fraction("precision_interval", masks, sample_weight, weight_type, cluster, level=level, method=method)


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
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    masks = as_positive_masks(y_true, y_pred, pos_label, "recall_interval")
    return _fraction("recall_interval", masks, sample_weight, weight_type, cluster, level=level, method=method)


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
    check_indices(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, cluster=cluster)
    masks = as_positive_masks(y_true, y_pred, pos_label, "specificity_interval")
    return _fraction("specificity_interval", masks, sample_weight, weight_type, cluster, level=level, method=method)


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
    check_indices(y_true=y_true, sample_weight=sample_weight, cluster=cluster)
    positive = as_positive_mask(y_true, pos_label, "prevalence_interval")
    return _fraction(
        "prevalence_interval", (positive, positive), sample_weight, weight_type, cluster, level=level, method=method
    )


def _fraction(
    function: str,
    masks: tuple[BoolArray, BoolArray],
    sample_weight: Any,
    weight_type: Any,
    cluster: Any,
    *,
    level: float,
    method: ProportionMethod,
) -> Interval:
    """Return the interval of a public function; masks: of references and responses, (n,).  O(n)."""
    units = checked_units(sample_weight, weight_type, masks[0].size, function, cluster)
    parts, empty = _FRACTIONS[function]
    return interval_of_cells(units, masks, parts, empty, level=level, method=method, function=function, stacklevel=6)


def interval_of_cells(
    units: Units,
    masks: tuple[BoolArray, BoolArray],
    parts: tuple[tuple[int, ...], tuple[int, ...]],
    empty: str,
    *,
    level: Any,
    method: Any,
    function: str,
    stacklevel: int = 5,
) -> Interval:
    """Return the interval of the fraction of some cells in others; masks: references and responses, (n,).  O(n)."""
    counts = units.counts(*masks)
    if counts is not None:
        succeeded, tried = (sum(counts[cell] for cell in part) for part in parts)
        if units.clusters is None:
            return interval_of_trials(succeeded, tried, level, method, function, empty=empty, stacklevel=stacklevel)
        estimate, number = float(ratio(succeeded, tried)), float(tried)
    else:
        cells = units.decisions(*masks)
        group = WeightSums(*(column.reshape(4, 1) for column in cells))
        chosen = (_marked(part).astype(np.float64) for part in parts)
        estimate, number = (float(each[0]) for each in effective_decisions(group, *chosen))
    if units.clusters is not None:
        codes = binary_codes(*(mask[units.chosen] for mask in masks))
        successes, trials = (_marked(part)[codes] for part in parts)
        number = units.effective_trials(estimate, number, successes, trials, checked_level(level))
    return interval_of_trials(
        estimate * number, number, level, method, function, empty=empty, estimate=estimate, stacklevel=stacklevel
    )


def _marked(part: tuple[int, ...]) -> BoolArray:
    """Mark some of the four cells, (4,).  O(1), in a quarter of the time of NumPy's isin."""
    mask = np.zeros(4, np.bool_)
    mask[list(part)] = True
    return mask
