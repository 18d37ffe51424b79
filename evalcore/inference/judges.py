"""Intervals of what a judge that errs measures on many cases, corrected by a few that people judged too."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError
from evalcore.inference.intervals import Interval, checked_level, normal_reach, student_reach, undefined_interval
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.measures import binary, raters
from evalcore.typing import FloatArray, Label
from evalcore.validation.arrays import as_finite_numbers, check_equal_lengths, check_indices
from evalcore.validation.targets import as_positive_mask
from evalcore.validation.values import check_count, check_flag, check_rising_numbers

_CORRECTED = "lang-reiczigel"
_MOST_TRIALS = 2**63 - 1
_LARGEST_VALUE = 2.0**200
"""The fourth power of values up to this fits float64: variances have squares."""


@equal_by_content
@dataclass(frozen=True, slots=True, repr=False)
class PredictionPoweredInterval(Interval):
    """A mean with its bounds, and how much the judge's values count.

    >>> found = prediction_powered_interval([1, 0, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 1, 1])
    >>> found, round(found.judge_weight, 5)
    (0.835938 [0.194475, 1.4774] (95% ppi++), 0.34375)
    """

    standard_error: float
    judge_weight: float
    """How much the judge's values count, in 0 .. 1: 0 is the mean of the labelled cases alone."""

    __hash__ = content_hash


def corrected_proportion_interval(
    successes: SupportsIndex,
    trials: SupportsIndex,
    *,
    tp: SupportsIndex,
    fn: SupportsIndex,
    fp: SupportsIndex,
    tn: SupportsIndex,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of a proportion that a judge with known errors counted, such as a pass rate.

    Parameters
    ----------
    successes, trials : int
        How many cases the judge found positive, and of how many, in 0 .. 2**63 - 1.
    tp, fn, fp, tn : int
        How the judge decided on other cases whose true class is known: their sensitivity and specificity.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true proportion, above 0 and below 1.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If counts are negative or no integers, there are more successes than trials, or the level is not a number
        between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        If there are no trials, or no cases of either class whose truth is known; if the judge is no better than chance;
        or if the proportion that the judge found is one that no true proportion explains.  The bounds are NaN.

    Notes
    -----
    $$\frac{p + S - 1}{R + S - 1}$$

    $p$ is the proportion that the judge found, $R$ the judge's sensitivity, $S$ the specificity; the estimate is cut
    to 0 .. 1.  Use it where only the counts of both samples are known; with the labels at hand,
    `corrected_prevalence_interval`.

    O(1).  It needs a judge who errs equally often in both samples within each class.  Their prevalence may differ:
    people may label as many positives as negatives on purpose.  Sources: W. J. Rogan and B. Gladen, Estimating
    prevalence from the results of a screening test, American J. Epidemiology 107 (1978) 71-76; Z. Lang and J.
    Reiczigel, Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity,
    Preventive Veterinary Medicine 113 (2014) 13-22.

    Examples
    --------
    >>> corrected_proportion_interval(259, 509, tp=84, fn=43, fp=13, tn=96)
    0.718572 [0.584868, 0.866458] (95% lang-reiczigel)
    """
    tried = check_count(trials, "trials", maximum=_MOST_TRIALS)
    succeeded = check_count(successes, "successes", maximum=tried)
    named = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    counts = BinaryCounts(*(check_count(count, name, maximum=_MOST_TRIALS) for name, count in named.items()))
    return _corrected(succeeded, tried, counts, checked_level(level))


def corrected_prevalence_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_pred_unlabelled: ArrayLike,
    *,
    pos_label: Label | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of the prevalence among cases that a judge labelled, corrected for the judge's errors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes that people and the judge gave to the same cases.
    y_pred_unlabelled : array-like of shape (m,)
        Labels that the judge alone gave to other cases, whose prevalence is asked.
    pos_label : int, float, bool or str, optional
        The positive class.  By default labels must be in {0, 1} or {-1, 1}.
    level : float, default 0.95
        As `corrected_proportion_interval`.

    Returns
    -------
    Interval
        In 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels are invalid, as for `prevalence_interval`; if `y_true` and `y_pred` differ in length; if the level is
        not a number between 0 and 1.

    Warns
    -----
    UndefinedMetricWarning
        As `corrected_proportion_interval`.

    Notes
    -----
    $$\frac{p + S - 1}{R + S - 1}$$

    $p$ is the fraction that the judge found, $R$ the judge's sensitivity, $S$ the specificity.

    O(n + m).  Use it where people did not label a random sample of the cases, but as many of each class or those of
    last month; `prediction_powered_interval` is mostly shorter where they did.  Measured on 2,000 samples each, with
    sensitivity 0.9 and specificity 0.8, 95% bounds held a prevalence of 0.7 for n = 50 and m = 1,000 in 96.5%; with
    0.95 and 0.9 one of 0.9 for n = 100 and m = 5,000 in 96.2%.  The bounds of the judge's labels alone held that in
    none.  Sources: those of `corrected_proportion_interval`.

    Examples
    --------
    >>> y_true, y_pred = [1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [1] * 10 + [0] * 40
    >>> corrected_prevalence_interval(y_true, y_pred, [1] * 620 + [0] * 380)
    0.6 [0.494592, 0.716631] (95% lang-reiczigel)
    """
    columns = {"y_true": y_true, "y_pred": y_pred, "y_pred_unlabelled": y_pred_unlabelled}
    true, pred, other = (
        as_positive_mask(labels, pos_label, "corrected_prevalence_interval", name) for name, labels in columns.items()
    )
    check_indices(y_true=y_true, y_pred=y_pred)
    check_equal_lengths(true, pred, "y_true", "y_pred")
    return _corrected(int(np.count_nonzero(other)), other.size, binary_counts(true, pred), checked_level(level))


def prediction_powered_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_pred_unlabelled: ArrayLike,
    *,
    power_tuning: bool = True,
    limits: tuple[float, float] | None = None,
    level: float = 0.95,
) -> PredictionPoweredInterval:
    r"""Return the interval of a mean from few values by people and many by a judge who need not be right.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Finite numbers or Booleans that people and the judge gave to the same cases, n at least 2: verdicts, grades, or
        any measure of single cases.
    y_pred_unlabelled : array-like of shape (m,)
        What the judge alone gave to other cases, m at least 2.
    power_tuning : bool, default True
        Whether to give the judge's values the weight that makes the interval shortest, instead of 1.  With it the
        interval is hardly ever longer than that of `y_true` alone, however bad the judge.
    limits : (float, float), optional
        The least and the largest mean that is possible, such as (0, 1) of a pass rate, to which estimate and bounds are
        cut.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true mean, above 0 and below 1.

    Returns
    -------
    PredictionPoweredInterval
        Its method is "ppi++", or "ppi" without power tuning.  Range: that of `y_true`, or a little beyond it.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If columns do not hold finite numbers of at most 2**200, are too short, or `y_true` and `y_pred` differ in
        length; if `limits` are not two rising numbers, the level is not a number between 0 and 1, or SciPy is not
        installed.

    Warns
    -----
    UndefinedMetricWarning
        If the standard error is 0.  The bounds are NaN.

    Notes
    -----
    $$\bar y + \lambda (\bar f_u - \bar f)$$

    $\bar y$ and $\bar f$ are the means of people and judge on the cases with labels, $\bar f_u$ is the judge's on the
    others.  Use it where people labelled a random sample of what a judge scored; not for rates near 0 or 1.

    O(n + m).  The estimate is right for any judge.  The bounds are those of Student's t, with Welch's degrees of
    freedom.  Measured on 2,000 samples each, with a judge of sensitivity 0.9 and specificity 0.8, 95% bounds held a
    pass rate of 0.7 for n = 50 and m = 1,000 in 93.8%, for n = 200 in 94.8%, and were a quarter shorter than those of
    `y_true` alone.  They are too short for rates near 0 or 1: a rate of 0.9 for n = 50 (sensitivity 0.95, specificity
    0.9) was held in 89.2%, and one of 0.97 for n = 100 in 88.2%.  There `corrected_prevalence_interval`, or
    `prevalence_interval` of `y_true`, is safer.  Sources: A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan and
    T. Zrnic, Prediction-powered inference, Science 382 (2023) 669-674; A. N. Angelopoulos, J. C. Duchi and T. Zrnic,
    PPI++: efficient prediction-powered inference, arXiv 2311.01453 (2023).

    Examples
    --------
    >>> generator = np.random.default_rng(1)
    >>> quality = generator.normal(3, 1, 1050)
    >>> people, judge = quality + generator.normal(0, 0.2, 1050), quality + 0.5
    >>> prediction_powered_interval(people[:50], judge[:50], judge[50:])
    2.92909 [2.83398, 3.0242] (95% ppi++)
    """
    function = "prediction_powered_interval"
    check_flag(power_tuning, "power_tuning", function)
    low, high = (-math.inf, math.inf) if limits is None else check_rising_numbers(limits, "limits", function)
    confidence = checked_level(level)
    columns = {"y_true": y_true, "y_pred": y_pred, "y_pred_unlabelled": y_pred_unlabelled}
    true, pred, other = (_numbers(values, name) for name, values in columns.items())
    check_indices(y_true=y_true, y_pred=y_pred)
    check_equal_lengths(true, pred, "y_true", "y_pred")
    found = raters.prediction_powered_mean(true, pred, other, None if power_tuning else 1.0)
    method, estimate = "ppi++" if power_tuning else "ppi", min(max(found.estimate, low), high)
    if found.error == 0:
        why = "the standard error is 0, as people and judge never differ or always alike"
        low, high = undefined_interval(estimate, confidence, method, why)
    else:
        reach = student_reach(confidence, found.freedom) * found.error
        low, high = (min(max(bound, low), high) for bound in (found.estimate - reach, found.estimate + reach))
    return PredictionPoweredInterval(estimate, low, high, confidence, method, found.error, found.judge_weight)


def _corrected(successes: int, trials: int, counts: BinaryCounts, level: float) -> Interval:
    """Return the interval of the counts by a judge and of the judge's errors; warnings name the caller's.  O(1)."""
    sensitivity, specificity = float(binary.recall(*counts[:2])), float(binary.recall(counts.tn, counts.fp))
    positive = float(ratio(successes, trials))
    low, high = raters.corrected_prevalence_bounds(successes, trials, counts, normal_reach(level))
    if math.isnan(positive):
        why = "the judge decided on no cases without labels"
    elif math.isnan(sensitivity + specificity):
        why = "the labelled cases do not hold both classes"
    elif sensitivity + specificity <= 1 or not low < high:
        why = f"the judge may be no better than chance (sensitivity {sensitivity:.3g}, specificity {specificity:.3g})"
    elif high < 0 or low > 1:
        why = f"no prevalence explains the fraction {positive:.3g} that the judge found positive with these errors"
    else:
        estimate = min(max(raters.corrected_prevalence(positive, sensitivity, specificity), 0.0), 1.0)
        return Interval(estimate, max(min(low, estimate), 0.0), min(max(high, estimate), 1.0), level, _CORRECTED)
    return undefined_interval(math.nan, level, _CORRECTED, why, stacklevel=4)


def _numbers(values: Any, name: str) -> FloatArray:
    """Return finite numbers, (n,), n at least 2, Booleans as 1 and 0.  O(n)."""
    numbers = as_finite_numbers(values, name).astype(np.float64)
    if numbers.size < 2:
        raise EvaluationError(f"{name} must hold at least two values, got {numbers.size}")
    if np.abs(numbers).max() > _LARGEST_VALUE:
        beyond = numbers[np.abs(numbers).argmax()]
        raise EvaluationError(f"{name} must hold values in -2**200 .. 2**200, got {beyond:g}; change their unit")
    return numbers
