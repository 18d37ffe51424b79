"""Precision, recall and F measure, each by itself."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from typing import overload

from numpy.typing import ArrayLike

from evalcore.metrics.precision_recall import Score, Settings, counted, score
from evalcore.typing import Average, FloatArray, Label, LabelsLike, ZeroDivision
from evalcore.validation.values import check_real


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
    r"""Return the fraction of positive responses that are right, tp / (tp + fp).

    Errors, warnings and cost are those of `precision_recall_fscore_support`.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, target_prevalence
        As in `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$\frac{tp}{tp + fp}$$

    Range: 0 to 1; 1 is best.  Use it where a false alarm is what costs, beside recall; it falls with the prevalence, so
    that it cannot be compared between populations: `target_prevalence` says what it is in another one.  Equal to
    scikit-learn's `precision_score`.  Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information
    Retrieval (2008), 8.3.

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
    r"""Return the fraction of positives that are found, tp / (tp + fn).

    Errors, warnings and cost are those of `precision_recall_fscore_support`.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division
        As in `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$\frac{tp}{tp + fn}$$

    Range: 0 to 1; 1 is best.  Use it where a miss is what costs, beside precision or specificity: alone it is 1 for
    whoever predicts all cases positive.  It does not depend on the prevalence.  Equal to scikit-learn's `recall_score`.
    Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval (2008), 8.3.

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
    r"""Return the harmonic mean of precision and recall, 2 tp / (2 tp + fn + fp).

    Errors, warnings and cost are those of `precision_recall_fscore_support`.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, target_prevalence
        As in `precision_recall_fscore_support`.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$F_1 = \frac{2 tp}{2 tp + fn + fp} = \frac{2 P R}{P + R}$$

    $P$ is precision, $R$ recall.  Range: 0 to 1; 1 is best.  Use it where positives are rare and both mistakes matter
    alike; not where true negatives matter: it ignores them, and changes if the classes swap their names.  Equal to
    scikit-learn's `f1_score`.  Source: C. J. van Rijsbergen, Information Retrieval (1979), chapter 7.

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
    r"""Return the F measure, (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp).

    Errors, warnings and cost are those of `precision_recall_fscore_support`.

    Parameters
    ----------
    y_true, y_pred, labels, pos_label, average, sample_weight, zero_division, target_prevalence
        As in `precision_recall_fscore_support`.
    beta : float
        Weight of recall relative to precision, at least 0; may be infinite.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1: precision for a `beta` of 0, recall for an infinite one.

    Notes
    -----
    $$F_\beta = \frac{(1 + \beta^2) tp}{(1 + \beta^2) tp + \beta^2 fn + fp}$$

    Range: 0 to 1; 1 is best.  Use a `beta` of 2 if recall matters more, of 0.5 if precision does; if you know what
    mistakes cost, take `expected_cost`.  Equal to scikit-learn's `fbeta_score`.  Source: C. J. van Rijsbergen,
    Information Retrieval (1979), chapter 7.

    Examples
    --------
    >>> fbeta_score([0, 0, 1, 1], [1, 1, 1, 1], beta=2)
    0.8333333333333334
    """
    check_real(beta, 0, math.inf, "beta", "fbeta_score")
    settings = Settings(average, beta, zero_division, ("f-score",), target_prevalence=target_prevalence)
    counts, targets = counted("fbeta_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)
    return score("f-score", counts, settings, targets.weights)
