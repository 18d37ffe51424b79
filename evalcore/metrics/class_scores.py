"""Precision, recall and F measure, each by itself."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import overload

from numpy.typing import ArrayLike

from evalcore.metrics.precision_recall import Score, Settings, counted, score
from evalcore.typing import Average, FloatArray, Label, LabelsLike, ZeroDivision
from evalcore.validation.parameters import check_real


@overload
def precision_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> float: ...
@overload
def precision_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> FloatArray: ...
def precision_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> Score:
    """Return the fraction of positive responses that are right, tp / (tp + fp).

    Parameters, errors, warnings and cost are those of `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Examples
    --------
    >>> precision_score([0, 1, 1, 1], [1, 0, 1, 1])
    0.6666666666666666
    >>> precision_score([0, 0, 1, 1], [0, 1, 1, 1], target_prevalence=0.01)  # 0.01 / (0.01 + 0.99 * 0.5)
    0.019801980198019802
    """
    settings = Settings(average, 1, zero_division, ("precision",), target_prevalence=target_prevalence)
    counts, targets = counted("precision_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)
    return score("precision", counts, settings, targets.weights)


@overload
def recall_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> float: ...
@overload
def recall_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> FloatArray: ...
def recall_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Score:
    """Return the fraction of positives that are found, tp / (tp + fn).

    Parameters, errors, warnings and cost are those of `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Examples
    --------
    >>> recall_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.5
    """
    settings = Settings(average, 1, zero_division, ("recall",))
    counts, targets = counted("recall_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)
    return score("recall", counts, settings, targets.weights)


@overload
def f1_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> float: ...
@overload
def f1_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> FloatArray: ...
def f1_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> Score:
    """Return the harmonic mean of precision and recall, 2 tp / (2 tp + fn + fp).

    Parameters, errors, warnings and cost are those of `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Examples
    --------
    >>> f1_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.5
    """
    settings = Settings(average, 1, zero_division, ("f-score",), target_prevalence=target_prevalence)
    counts, targets = counted("f1_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)
    return score("f-score", counts, settings, targets.weights)


@overload
def fbeta_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> float: ...
@overload
def fbeta_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> FloatArray: ...
def fbeta_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> Score:
    """Return the F measure, (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp).

    Parameters, errors, warnings and cost are those of `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1: precision for a `beta` of 0, recall for an infinite one.

    Examples
    --------
    >>> fbeta_score([0, 0, 1, 1], [1, 1, 1, 1], beta=2)
    0.8333333333333334
    """
    check_real(beta, 0, math.inf, "beta", "fbeta_score")
    settings = Settings(average, beta, zero_division, ("f-score",), target_prevalence=target_prevalence)
    counts, targets = counted("fbeta_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)
    return score("f-score", counts, settings, targets.weights)
