"""The fraction of a loss that predicted probabilities explain, D², under scikit-learn's names."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import UndefinedMetricWarning
from evalcore.kernels.ratios import ratio
from evalcore.measures import calibration
from evalcore.metrics.probabilities import total_log_loss, total_squared_error
from evalcore.typing import FloatArray, Label
from evalcore.validation.arrays import as_array
from evalcore.validation.scores import (
    ClassProbabilities,
    PositiveProbabilities,
    as_class_probabilities,
    as_positive_probabilities,
    as_probabilities,
    renamed_argument,
)
from evalcore.validation.values import check_array_likes, check_label
from evalcore.validation.weights import check_consistent_lengths


def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike = "deprecated",
) -> float:
    r"""Return the fraction of the log loss that probabilities explain, 1 - loss / loss of the classes' frequencies.

    Parameters
    ----------
    y_true, y_proba, sample_weight, labels, y_pred
        As in `log_loss`.

    Returns
    -------
    float
        At most 1; 0 for probabilities that are the frequencies of the classes, negative for worse ones.  NaN for fewer
        than two cases, and for indicators that are all zero.  The frequency of a single class is clipped too, so that
        its loss is above 0.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `log_loss`.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two cases.
    UserWarning, FutureWarning
        As `log_loss`.

    Notes
    -----
    $$1 - \frac{\sum_i \ln p_i(y_i)}{\sum_i \ln \bar p(y_i)}$$

    Range: up to 1, which is best; 0 is what the frequencies alone reach, and worse is negative.  Use it to compare
    problems of different prevalence; also known as McFadden's pseudo R².  Equal to scikit-learn's `d2_log_loss_score`.

    O(n), O(n c) for a matrix.  Source: D. McFadden, Conditional logit analysis of qualitative choice behavior, in
    Frontiers in Econometrics (1974) 105-142.

    Examples
    --------
    >>> d2_log_loss_score([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5])
    0.0
    >>> round(d2_log_loss_score(["a", "b", "c"], [[0.5, 0.25, 0.25], [0, 1, 0], [0, 0, 1]]), 6)
    0.78969
    """
    y_proba = renamed_argument(y_proba, y_pred)
    columns: dict[str, Any] = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight, "labels": labels}
    check_array_likes("d2_log_loss_score", **columns)
    if _is_too_short(y_true, y_proba, sample_weight):
        return math.nan
    given = as_probabilities(y_proba)
    cases = as_class_probabilities(y_true, given, sample_weight, labels)
    masses = _class_masses(cases)
    return 1 - float(ratio(total_log_loss(cases, given.dtype), calibration.log_loss_of_frequencies(*masses)))


def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Return the fraction of the Brier score that probabilities explain, 1 - score / score of the frequencies.

    Parameters
    ----------
    y_true, y_proba, sample_weight, pos_label, labels
        As in `brier_score_loss`.

    Returns
    -------
    float
        At most 1; 0 for probabilities that are the frequencies of the classes, negative for worse ones.  NaN for fewer
        than two cases.  For a single class -infinity, NaN where every probability is right.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `brier_score_loss`.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two cases, or a single class.
    UserWarning
        As `brier_score_loss`.

    Notes
    -----
    $$1 - \frac{\sum_i (p_i - y_i)^2}{\sum_i (\bar y - y_i)^2}$$

    Range: up to 1, which is best; 0 is what the frequencies alone reach, and worse is negative.  Use it to compare
    problems of different prevalence; not for a few cases.  Equal to scikit-learn's `d2_brier_score`.

    O(n), O(n c) for a matrix.  Also known as Brier skill score.  Source: A. H. Murphy, A new vector partition of the
    probability score, Journal of Applied Meteorology 12 (1973) 595-600.

    Examples
    --------
    >>> d2_brier_score([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5]), d2_brier_score([0, 1], [0.25, 0.75])
    (0.0, 0.75)
    """
    function = "d2_brier_score"
    columns: dict[str, Any] = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight, "labels": labels}
    check_array_likes(function, **columns)
    check_label(pos_label, "pos_label", function)
    if _is_too_short(y_true, y_proba, sample_weight):
        return math.nan
    given = as_probabilities(y_proba)
    cases: ClassProbabilities | PositiveProbabilities
    if given.ndim == 1:
        cases = as_positive_probabilities(y_true, given, sample_weight, pos_label)
    else:
        cases = as_class_probabilities(y_true, given, sample_weight, labels)
    of_frequencies = calibration.squared_error_of_frequencies(*_class_masses(cases))
    if of_frequencies == 0:
        message = "Only one class is present in y_true. D^2 score is not defined in that case."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return 1 - float(ratio(total_squared_error(cases), of_frequencies))


def _is_too_short(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    probabilities = as_array(y_proba, "y_proba")
    check_consistent_lengths(probabilities, as_array(y_true, "y_true"), sample_weight)
    if probabilities.ndim == 0 or len(probabilities) > 1:
        return False
    message = "D^2 score is not well-defined with less than two samples."
    warnings.warn(message, UndefinedMetricWarning, stacklevel=3)
    return True


def _class_masses(cases: ClassProbabilities | PositiveProbabilities) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the cases that each class is true of, and of the others, each (c,).  O(n c)."""
    truth = cases.positive if isinstance(cases, PositiveProbabilities) else cases.truth
    weights = cases.weights
    if truth.ndim == 2:
        weights = np.ones(len(truth)) if weights is None else weights
        masses = [(weights[mask].sum(), weights[~mask].sum()) for mask in (truth != 0).T]
        own, others = np.array(masses, np.float64).reshape(-1, 2).T
        return own, others
    width = 2 if cases.probabilities.ndim == 1 else cases.probabilities.shape[1]
    own = np.bincount(truth, weights, width).astype(np.float64)
    before, after = np.zeros(width), np.zeros(width)  # sums, not a difference: a heavy class leaves the light ones
    before[1:], after[:-1] = np.cumsum(own[:-1]), np.cumsum(own[:0:-1])[::-1]
    return own, before + after
