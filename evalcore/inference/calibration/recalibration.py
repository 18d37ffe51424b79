"""Intercept and slope of calibration, by logistic recalibration."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.calibration.logistic_fit import LogisticFit, logistic_fit, logits, with_neighbours
from evalcore.inference.calibration.probability_cases import ProbabilityCases, checked_cases
from evalcore.inference.distributions import normal_reach
from evalcore.inference.intervals import Interval, checked_level
from evalcore.typing import FloatArray, Label, WeightType

_METHOD = "wald"
_EQUAL = 1e-6
"""Logits that differ by less, as a fraction of the largest, leave too few digits of a slope and an intercept."""


@equal_by_content
@dataclass(frozen=True, slots=True)
class LogisticCalibration:
    """How far logits of probabilities are from those that fit the outcomes best, with intervals.

    >>> found = logistic_calibration([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> found.slope
    1.10179 [-1.34522, 3.5488] (95% wald)
    >>> round(found.p_value, 3)
    0.997
    """

    slope: Interval
    """1 for calibrated probabilities; less for those that are too near 0 and 1."""
    intercept: Interval
    """Of the line with this slope: 0 for calibrated probabilities."""
    in_the_large: Interval
    """The intercept where the slope is 1: above 0 for probabilities that are too low altogether."""
    p_value: float
    """Probability that calibrated probabilities have a slope and an intercept at least as far from 1 and 0."""

    __hash__ = content_hash


def logistic_calibration(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
) -> LogisticCalibration:
    r"""Return the slope and the intercept of calibration, with intervals, and calibration in the large.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class, above 0 and below 1.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.
    sample_weight, weight_type
        As in `accuracy_interval`.
    level : float, default 0.95
        Confidence level of the intervals, above 0 and below 1.

    Returns
    -------
    LogisticCalibration
        ``slope`` and ``intercept`` of the logit of being positive against the logit of the probability, 1 and 0 if
        calibrated; ``in_the_large``, the intercept if the slope is held at 1, above 0 for probabilities that are too
        low altogether; and the ``p_value`` of Wald's test of slope 1 and intercept 0 together.  Range: slope and
        intercepts have no limits; the p-value 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, probabilities, weights or the level are invalid; if a probability is 0 or 1, whose logit is infinite.

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing, all probabilities are equal or nearly so, or the probabilities separate the classes: the
        slope is then infinite, or NaN, and bounds are NaN.

    Notes
    -----
    $$\ln \frac{P(y = 1)}{P(y = 0)} = \alpha + \beta \ln \frac{p}{1 - p}$$

    Use it to say in which direction probabilities err, also for few cases.

    O(n) for each of about ten steps of Newton's method.  A slope of 0.8 says that differences between probabilities are
    too large, as after overfitting; it cannot show other shapes of miscalibration, which
    `evalcore.metrics.isotonic_calibration_curve` can.  With sampling weights, standard errors are those of survey
    samples.  Sources: D. R. Cox, Two further applications of a model for binary regression, Biometrika 45 (1958)
    562-565; M. E. Miller, S. L. Hui and W. M. Tierney, Validation techniques for logistic regression models, Statistics
    in Medicine 10 (1991) 1213-1226.  Equal to R's ``glm(y ~ qlogis(p), binomial)`` and, with weights, ``svyglm``.

    Examples
    --------
    >>> found = logistic_calibration([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.9])
    >>> found.in_the_large
    0.469533 [-1.40641, 2.34547] (95% wald)
    """
    confidence = checked_level(level)
    cases = checked_cases(y_true, y_prob, sample_weight, weight_type, pos_label, function="logistic_calibration")
    x = logits(cases)
    _check_finite(x, cases)
    return calibration_of_logits(x, cases, confidence)


def calibration_of_logits(x: FloatArray, cases: ProbabilityCases, confidence: float) -> LogisticCalibration:
    """Return the `logistic_calibration` of checked cases; x: the logits of their probabilities, (n,), finite.  O(n)."""
    if cases.positive.all() or not cases.positive.any():
        return _undefined("y_true lacks a class", confidence)
    given = with_neighbours(x, cases)
    large = _interval(logistic_fit(given, 1), 0, confidence)
    low, high = float(x.min()), float(x.max())
    if high - low <= _EQUAL * max(-low, high):
        kind = "equal" if low == high else "nearly equal"
        return _undefined(f"all probabilities are {kind}", confidence, large)
    if not given.overlap:
        slope = math.inf if x[cases.positive].max() == x.max() else -math.inf
        return _undefined("the probabilities separate the classes", confidence, large, slope)
    fit = logistic_fit(given, 2)
    away = fit.estimates - [0.0, 1.0]
    p_value = math.exp(-float(away @ np.linalg.solve(fit.covariance, away)) / 2)  # of chi-square with 2 degrees
    return LogisticCalibration(_interval(fit, 1, confidence), _interval(fit, 0, confidence), large, p_value)


def _check_finite(x: FloatArray, cases: ProbabilityCases) -> None:
    index = int(np.argmax(np.abs(x)))
    if math.isinf(x[index]):
        raise EvaluationError(
            f"y_prob must be above 0 and below 1, got {cases.probabilities[index]:g}, whose logit is infinite; clip "
            "the probabilities, for example by np.clip(y_prob, 1e-6, 1 - 1e-6)"
        )


def _interval(fit: LogisticFit, term: int, level: float) -> Interval:
    estimate = float(fit.estimates[term])
    reach = normal_reach(level) * math.sqrt(fit.covariance[term, term])
    return Interval(estimate, estimate - reach, estimate + reach, level, _METHOD)


def _undefined(why: str, level: float, large: Interval | None = None, slope: float = math.nan) -> LogisticCalibration:
    warnings.warn(f"The {_METHOD} interval is not defined: {why}.", UndefinedMetricWarning, stacklevel=4)
    unknown = Interval(math.nan, math.nan, math.nan, level, _METHOD)
    unknown_slope = Interval(slope, math.nan, math.nan, level, _METHOD)
    return LogisticCalibration(unknown_slope, unknown, large or unknown, math.nan)
