"""Intercept and slope of calibration, by logistic regression of outcomes on the logit of a probability."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.calibration import ProbabilityCases, checked_cases
from evalcore.inference.intervals import Interval, checked_level, normal_interval
from evalcore.kernels.blocks import map_blocks
from evalcore.typing import FloatArray, Label, WeightType

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


def logits(cases: ProbabilityCases) -> FloatArray:
    """Return ln p - ln (1 - p), (n,); infinite for 0 and 1.  O(n)."""
    found = np.empty(cases.probabilities.size)

    def fill(block: slice) -> None:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        with np.errstate(divide="ignore"):
            np.log(own / (1 - own), out=found[block])  # 1 - p is exact where a logit could lose digits

    map_blocks(fill, found.size)
    return found


class LogitCases(NamedTuple):
    """Cases by the logits of their probabilities."""

    x: FloatArray
    """Shape (n,), finite."""
    cases: ProbabilityCases
    neighbours: LogitCases | None = None
    """Of many cases, means of neighbours."""

    @property
    def overlap(self) -> bool:
        """Whether some positive case has a larger logit than some negative one, and the other way round.  O(n)."""
        if self.neighbours is not None and self.neighbours.overlap:
            return True  # no mean is beyond the largest or the least of its cases
        above, below = self.x[self.cases.positive], self.x[~self.cases.positive]
        return bool(above.size and below.size and above.min() < below.max() and below.min() < above.max())


def with_neighbours(x: FloatArray, cases: ProbabilityCases) -> LogitCases:
    """Return the cases and, of many, the means of each class in cells of equal width, as cases with weights.  O(n)."""
    low, high = float(x.min()), float(x.max())
    if x.size <= _MANY or low == high:
        return LogitCases(x, cases)
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
    means = sums[held] / weights[held]
    return LogitCases(x, cases, LogitCases(means, ProbabilityCases(means, held >= _CELLS, weights[held], True)))


def logistic_fit(given: LogitCases, terms: int) -> tuple[FloatArray, FloatArray]:
    """Fit the logit of being positive as intercept + slope · x; terms: 1 fixes the slope at 1, 2 fits it.

    For two terms the cases must overlap; for one term both classes must be there.  O(n) for each of a few steps, of
    many cases one or two.  With sampling weights the covariance is the robust one: of the sums of weighted scores, with
    the factor n / (n - 1).

    Damped steps always converge, also where probabilities are near 0 and 1: T. Sun and Q. Tran-Dinh, Generalized
    self-concordant functions, Mathematical Programming 178 (2019) 145-213.
    """
    x, cases, neighbours = given
    ends = float(x.min()), float(x.max())
    line = np.array([0.0, 1.0])
    if neighbours is not None and (terms == 1 or neighbours.overlap):
        line = _maximised(neighbours, terms, line, ends)
    line = _maximised(given, terms, line, ends)
    _, information = _derivatives(x, cases, line, terms)  # at the estimates, not one step before them
    inverse: FloatArray = np.asarray(np.linalg.inv(information), np.float64)
    if cases.weights is None or cases.frequencies:
        return line[:terms], inverse
    _, spread = _derivatives(x, cases, line, terms, squares=True)
    return line[:terms], inverse @ (spread * x.size / (x.size - 1)) @ inverse


def _maximised(given: LogitCases, terms: int, line: FloatArray, ends: tuple[float, float]) -> FloatArray:
    """Return intercept and slope, (2,), of the largest likelihood."""
    for _ in range(_STEPS):
        gradient, information = _derivatives(given.x, given.cases, line, terms)
        step = np.zeros(2)
        step[:terms] = np.linalg.solve(information, gradient)
        change = max(abs(step[0] + step[1] * end) for end in ends)
        line = line + step * (np.log1p(change) / change if change else 1.0)
        if change < _NEAR:
            break
    return line


def _derivatives(
    x: FloatArray, cases: ProbabilityCases, line: FloatArray, terms: int, *, squares: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, (terms,), and negative second derivatives, (terms, terms), of the log likelihood.  O(n).

    squares: in place of the latter the sum of the squares of what each case adds to the gradient.
    """

    def of_block(block: slice) -> list[float]:
        own = x[block]
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
        if terms == 1:
            return [float(np.add.reduce(missed)), float(np.add.reduce(spread))]
        return _sums(missed, own)[:2] + _sums(spread, own)

    sums = np.sum(map_blocks(of_block, x.size), axis=0)
    if terms == 1:
        return sums[:1], sums[1:].reshape(1, 1)
    return sums[:2], sums[[[2, 3], [3, 4]]]


def _sums(values: FloatArray, x: FloatArray) -> list[float]:
    """Return Σ v, Σ v x and Σ v x².  O(m)."""
    moved = values * x
    # no dot product: its threads cost more than they save here
    return [float(np.add.reduce(values)), float(np.add.reduce(moved)), float(np.add.reduce(moved * x))]


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
    index = int(np.argmax(np.abs(x)))
    if math.isinf(x[index]):
        raise EvaluationError(
            f"y_prob must be above 0 and below 1, got {cases.probabilities[index]:g}, whose logit is infinite; clip "
            "the probabilities, for example by np.clip(y_prob, 1e-6, 1 - 1e-6)"
        )
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
    estimates, covariance = fit = logistic_fit(given, 2)
    away = estimates - [0.0, 1.0]
    p_value = math.exp(-float(away @ np.linalg.solve(covariance, away)) / 2)  # of chi-square with 2 degrees
    return LogisticCalibration(_interval(fit, 1, confidence), _interval(fit, 0, confidence), large, p_value)


def _interval(fit: tuple[FloatArray, FloatArray], term: int, level: float) -> Interval:
    error, limits = math.sqrt(fit[1][term, term]), (-math.inf, math.inf)
    return normal_interval(float(fit[0][term]), error, level, _METHOD, math.inf, limits)


def _undefined(why: str, level: float, large: Interval | None = None, slope: float = math.nan) -> LogisticCalibration:
    warnings.warn(f"The {_METHOD} interval is not defined: {why}.", UndefinedMetricWarning, stacklevel=4)
    unknown_slope, unknown = (Interval(each, math.nan, math.nan, level, _METHOD) for each in (slope, math.nan))
    return LogisticCalibration(unknown_slope, unknown, large or unknown, math.nan)
