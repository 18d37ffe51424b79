"""Tests of whether probabilities are calibrated, without bins, and the line of logits that fits the outcomes best."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as replaced
from functools import reduce
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import UndefinedMetricWarning, check
from evalcore.inference.calibration import ProbabilityCases, cases_with_probabilities
from evalcore.inference.intervals import Interval, checked_level, normal_interval, tails_of, undefined_interval
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.runs import cut_between_ties
from evalcore.kernels.sorting import order
from evalcore.kernels.weights import parts_between_scores, sort_weights
from evalcore.typing import BoolArray, FloatArray, Label, WeightType

_CERTAIN = 0.3
"""A range of Brownian motion is smaller once in 10**20 times."""
_MANY = 1 << 16
"""Above so many cases, means of neighbours show first where the fit is about."""
_CELLS = 1 << 14
_NEAR = 1e-5
"""A step that changes no logit by more is the last one: the next would change them by its square."""
_STEPS = 1000
_LARGEST = 1e300
"""Odds that are not infinite."""
_METHOD = "wald"
_EQUAL = 1e-6
"""Logits that differ by less, as a fraction of the largest, leave too few digits of a slope and an intercept."""


class CalibrationTest(NamedTuple):
    """A statistic of how far probabilities are from calibration, and how likely a larger one is."""

    statistic: float
    """NaN where probabilities leave nothing to chance."""
    p_value: float
    """Probability that calibrated probabilities have one at least as far off, in 0 .. 1."""
    method: str


def spiegelhalter_test(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
) -> CalibrationTest:
    r"""Test whether the Brier score is the one that calibrated probabilities would have.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    pos_label, sample_weight, weight_type
        As in `logistic_calibration`.

    Returns
    -------
    CalibrationTest
        The ``statistic``, normal for calibrated probabilities, is above 0 where the Brier score is too large; the
        ``p_value`` is two-sided; ``method`` is "spiegelhalter".  Range: the statistic has no limits; the p-value
        0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, probabilities or weights are invalid.

    Warns
    -----
    UndefinedMetricWarning
        If all probabilities are 0, 1/2 or 1: the statistic and the p-value are NaN.

    Notes
    -----
    $$z = \frac{\sum_i (y_i - p_i) (1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}$$

    Use it for probabilities that may be too near 0 and 1.

    O(n).  It finds probabilities that are too near 0 and 1, or too far from them, but not those that are too low for
    half of the cases and too high for the others; `cumulative_calibration_test` finds any.  Sources: D. J.
    Spiegelhalter, Probabilistic prediction in patient management and clinical trials, Statistics in Medicine 5 (1986)
    421-433; equal to ``S:z`` of R's ``rms::val.prob``.

    Examples
    --------
    >>> found = spiegelhalter_test([0, 0, 1, 1, 1], [0.1, 0.9, 0.2, 0.7, 0.8])
    >>> round(found.statistic, 3), round(found.p_value, 3)
    (1.713, 0.087)
    """
    cases = cases_with_probabilities("spiegelhalter_test", y_true, y_prob, pos_label, sample_weight, weight_type)
    excess, variance = _excess(cases, lambda probabilities: 1 - 2 * probabilities)
    return _tested("spiegelhalter", excess, variance, tails_of, "all probabilities are 0, 1/2 or 1")


def cumulative_calibration_test(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
) -> CalibrationTest:
    r"""Test whether positives come as often as probabilities say in every range of probabilities.

    Parameters
    ----------
    y_true, y_prob, pos_label, sample_weight, weight_type
        As in `spiegelhalter_test`.

    Returns
    -------
    CalibrationTest
        The ``statistic`` is the largest difference, over all ranges of probabilities, between the number of positives
        and the sum of their probabilities, in standard deviations of the sum over all cases: about 1.6 for calibrated
        probabilities, 2.5 for a p-value of 0.05.  Range: the statistic at least 0, the p-value 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, probabilities or weights are invalid.

    Warns
    -----
    UndefinedMetricWarning
        If all probabilities are 0 or 1: the statistic and the p-value are NaN.

    Notes
    -----
    $$\frac{\max_{j \le k} \left| \sum_{i = j}^{k} (y_i - p_i) \right|}{\sqrt{\sum_i p_i (1 - p_i)}}$$

    The cases are in the order of their probabilities, and those of equal ones stay together.  Use it to say whether
    probabilities are calibrated at all; how far they are off, `debiased_calibration_error_interval` says.

    O(n log n).  It needs no bins, and finds miscalibration of any shape.  The p-value is that of the range of Brownian
    motion: of many cases, and somewhat large for few cases or few distinct probabilities.  Sources: I. Arrieta-Ibarra,
    P. Gujral, J. Tannen, M. Tygert and C. Xu, Metrics of calibration for probabilistic predictions, J. Machine Learning
    Research 23 (2022) 351, ECCE-R; W. Feller, The asymptotic distribution of the range of sums of independent random
    variables, Annals of Mathematical Statistics 22 (1951) 427-432.

    Examples
    --------
    >>> found = cumulative_calibration_test([0, 0, 1, 1, 1], [0.1, 0.9, 0.2, 0.7, 0.8])
    >>> round(found.statistic, 3), round(found.p_value, 3)
    (1.543, 0.475)
    """
    function = "cumulative_calibration_test"
    cases = cases_with_probabilities(function, y_true, y_prob, pos_label, sample_weight, weight_type)
    _, variance = _excess(cases, np.ones_like)
    return _tested("cumulative", _range_of_sums(cases), variance, range_tail, "all probabilities are 0 or 1")


def _excess(cases: ProbabilityCases, slopes_of: Callable[[FloatArray], FloatArray]) -> tuple[float, float]:
    """Add up outcome - probability, times a slope and the weight; and return the variance of calibrated cases.  O(n).

    slopes_of: finds slopes of probabilities, (m,).
    """

    def of_block(block: slice) -> tuple[float, float]:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        slopes = slopes_of(own)
        weighted = slopes if cases.weights is None else slopes * cases.weights[block]
        variances = own * (1 - own) * weighted * (slopes if cases.frequencies else weighted)
        return float(np.add.reduce((cases.positive[block] - own) * weighted)), float(np.add.reduce(variances))

    excess, variance = np.sum(map_blocks(of_block, cases.positive.size), axis=0).tolist()
    return excess, variance


def range_tail(size: float) -> float:
    """Return the probability that the range of Brownian motion on 0 .. 1 is at least of a size.  O(1).

    >>> round(range_tail(2.5), 4)
    0.0497
    """
    if size < _CERTAIN:
        return 1.0
    terms = range(1, math.ceil(9 / size) + 2)  # the next would be below 1e-17
    tail = 4 * math.fsum((k if k % 2 else -k) * math.erfc(k * size / math.sqrt(2)) for k in terms)
    return min(max(tail, 0.0), 1.0)


def _range_of_sums(cases: ProbabilityCases) -> float:
    """Return the largest less the least running sum of outcome - probability, taken between scores.  O(n log n)."""
    if cases.weights is None:
        keys, code = order(cases.probabilities, cases.positive)
        parts, size = cut_between_ties(keys), keys.size

        def steps_of(part: slice) -> tuple[FloatArray, BoolArray]:
            scores = code.unpack(keys[part]).astype(np.float64, copy=False)
            return (keys[part] & 1) - scores, np.append(scores[1:] != scores[:-1], True)

    else:
        ranked = sort_weights(cases.probabilities, cases.positive, cases.weights)
        parts, size = parts_between_scores(ranked.ends), ranked.ends.size

        def steps_of(part: slice) -> tuple[FloatArray, BoolArray]:
            scores = cases.probabilities[ranked.order[part]].astype(np.float64, copy=False)
            weights = ranked.weights[part]
            return np.where(weights > 0, weights * (1 - scores), weights * scores), ranked.ends[part]

    def running(part: slice) -> tuple[float, float, float]:
        steps, ends = steps_of(part)
        sums = np.cumsum(steps)[ends]
        return float(sums.min()), float(sums.max()), float(sums[-1])

    found = [(0.0, 0.0, 0.0), *map_parts(running, parts, size)]
    before = list(accumulate((total for _, _, total in found), initial=0.0))
    lows, highs = ([before[index] + each[side] for index, each in enumerate(found)] for side in (0, 1))
    return max(highs) - min(lows)


def _tested(
    method: str, excess: float, variance: float, tail_of: Callable[[float], float], certain: str
) -> CalibrationTest:
    """Return a test by an excess and its variance, or warn that nothing is left to chance: all is certain.  O(1)."""
    if variance == 0:
        warnings.warn(f"The {method} test is not defined: {certain}.", UndefinedMetricWarning, stacklevel=3)
        return CalibrationTest(math.nan, math.nan, method)
    statistic = excess / math.sqrt(variance)
    return CalibrationTest(statistic, tail_of(statistic), method)


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
    cases = cases_with_probabilities("logistic_calibration", y_true, y_prob, pos_label, sample_weight, weight_type)
    found = logits(cases)
    index = int(np.argmax(np.abs(found.probabilities)))
    advice = "clip the probabilities, for example by np.clip(y_prob, 1e-6, 1 - 1e-6)"
    got = f"{cases.probabilities[index]:g}, whose logit is infinite; {advice}"
    check(np.isfinite(found.probabilities[index]), "y_prob", "be above 0 and below 1", got)
    return calibration_of_logits(found, confidence)


def logits(cases: ProbabilityCases) -> ProbabilityCases:
    """Return the cases with ln p - ln (1 - p) in place of probabilities p, infinite for 0 and 1.  O(n)."""
    found = np.empty(cases.probabilities.size)

    def fill(block: slice) -> None:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        with np.errstate(divide="ignore"):
            np.log(own / (1 - own), out=found[block])  # 1 - p is exact where a logit could lose digits

    map_blocks(fill, found.size)
    return cases._replace(probabilities=found)


def calibration_of_logits(cases: ProbabilityCases, level: float) -> LogisticCalibration:
    """Return the `logistic_calibration` of cases with finite `logits`.  O(n)."""

    def interval(fit: tuple[FloatArray, FloatArray], term: int) -> Interval:
        error = math.sqrt(fit[1][term, term])
        return normal_interval(float(fit[0][term]), error, level, _METHOD, math.inf, (-math.inf, math.inf))

    def undefined(why: str, large: Interval | None = None, slope: float = math.nan) -> LogisticCalibration:
        unknown = undefined_interval(math.nan, level, _METHOD, why, stacklevel=5)
        return LogisticCalibration(replaced(unknown, estimate=slope), unknown, large or unknown, math.nan)

    x, near = cases.probabilities, _neighbours(cases)
    if cases.positive.all() or not cases.positive.any():
        return undefined("y_true lacks a class")
    large = interval(logistic_fit(cases, near, 1), 0)
    low, high = float(x.min()), float(x.max())
    if high - low <= _EQUAL * max(-low, high):
        return undefined(f"all probabilities are {'equal' if low == high else 'nearly equal'}", large)
    if not _overlap(near) and not _overlap(cases):
        slope = math.inf if x[cases.positive].max() == x.max() else -math.inf
        return undefined("the probabilities separate the classes", large, slope)
    estimates, covariance = fit = logistic_fit(cases, near, 2)
    away = estimates - [0.0, 1.0]
    p_value = math.exp(-float(away @ np.linalg.solve(covariance, away)) / 2)  # of chi-square with 2 degrees
    return LogisticCalibration(interval(fit, 1), interval(fit, 0), large, p_value)


def _neighbours(cases: ProbabilityCases) -> ProbabilityCases:
    """Return, of many cases, the means of each class in cells of equal width, as cases with weights.  O(n)."""
    x = cases.probabilities
    low, high = float(x.min()), float(x.max())
    if x.size <= _MANY or low == high:
        return cases
    scale = _CELLS / (high - low)

    def of_block(block: slice) -> FloatArray:
        own = x[block]
        codes = ((own - low) * scale).astype(np.int64).clip(max=_CELLS - 1)
        codes += _CELLS * cases.positive[block]
        weights = None if cases.weights is None else cases.weights[block]
        sums = np.bincount(codes, own if weights is None else own * weights, 2 * _CELLS)
        return np.stack([np.bincount(codes, weights, 2 * _CELLS), sums])

    weights, sums = reduce(np.add, map_blocks(of_block, x.size))
    held = np.flatnonzero(weights)
    return ProbabilityCases(sums[held] / weights[held], held >= _CELLS, weights[held], frequencies=True)


def _overlap(cases: ProbabilityCases) -> bool:
    """Whether some positive case has a larger logit than some negative one, and the other way round.  O(n).

    Cases do if means of neighbours do, for no mean is beyond the largest or the least of its cases.
    """
    above, below = cases.probabilities[cases.positive], cases.probabilities[~cases.positive]
    return bool(above.size and below.size and above.min() < below.max() and below.min() < above.max())


def logistic_fit(cases: ProbabilityCases, near: ProbabilityCases, terms: int) -> tuple[FloatArray, FloatArray]:
    """Fit the logit of being positive as intercept + slope · x; terms: 1 fixes the slope at 1, 2 fits it.

    cases: with `logits` x, near: their neighbours.  Returns the terms and their covariance.
    For two terms the cases must overlap; for one term both classes must be there.  O(n) for each of a few steps, of
    many cases one or two.  With sampling weights the covariance is the robust one: of the sums of weighted scores, with
    the factor n / (n - 1).

    Damped steps always converge, also where probabilities are near 0 and 1: T. Sun and Q. Tran-Dinh, Generalized
    self-concordant functions, Mathematical Programming 178 (2019) 145-213.
    """
    line = np.array([0.0, 1.0])
    if near is not cases and (terms == 1 or _overlap(near)):
        line = _maximised(near, line, terms)
    line = _maximised(cases, line, terms)
    _, information = _derivatives(cases, line, terms)  # at the estimates, not one step before them
    inverse: FloatArray = np.asarray(np.linalg.inv(information), np.float64)
    if cases.weights is None or cases.frequencies:
        return line[:terms], inverse
    _, spread = _derivatives(cases, line, terms, squares=True)
    size = cases.positive.size
    return line[:terms], inverse @ (spread * size / (size - 1)) @ inverse


def _maximised(cases: ProbabilityCases, line: FloatArray, terms: int) -> FloatArray:
    """Return intercept and slope, (2,), of the largest likelihood."""
    ends = cases.probabilities.min(), cases.probabilities.max()
    for _ in range(_STEPS):
        gradient, information = _derivatives(cases, line, terms)
        step = np.zeros(2)
        step[:terms] = np.linalg.solve(information, gradient)
        change = max(abs(step[0] + step[1] * end) for end in ends)
        line = line + step * (np.log1p(change) / change if change else 1.0)
        if change < _NEAR:
            break
    return line


def _derivatives(
    cases: ProbabilityCases, line: FloatArray, terms: int, *, squares: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, (terms,), and negative second derivatives, (terms, terms), of the log likelihood.  O(n).

    squares: in place of the latter the sum of the squares of what each case adds to the gradient.
    """

    def of_block(block: slice) -> list[float]:
        own = cases.probabilities[block]
        with np.errstate(over="ignore"):
            odds = np.exp(-line[0] - line[1] * own)
        np.minimum(odds, _LARGEST, out=odds)
        fitted = 1 / (1 + odds)
        rest = odds * fitted  # 1 less the fitted probability, with all digits
        missed, spread = np.where(cases.positive[block], rest, -fitted), fitted * rest
        if cases.weights is not None:
            missed *= cases.weights[block]
            spread *= cases.weights[block]
        if squares:
            spread = np.square(missed)
        values = [missed, spread]
        if terms == 2:
            values += [missed * own, spread * own]
            values.append(values[-1] * own)
        # no dot product: its threads cost more than they save here
        return [float(np.add.reduce(each)) for each in values]

    gradient, information, *further = np.sum(map_blocks(of_block, cases.positive.size), axis=0)
    if terms == 1:
        return np.array([gradient]), np.array([[information]])
    slope, mixed, square = further
    return np.array([gradient, slope]), np.array([[information, mixed], [mixed, square]])
