"""Logits of probabilities against those of outcomes: slope, intercept and calibration in the large, with intervals.

An estimate varies as much as it changes without each case, or each cluster, by a step of Newton's method.
"""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import check
from evalcore.inference import intervals
from evalcore.inference.calibration import cases_of_units
from evalcore.inference.intervals import Interval, Intervals
from evalcore.inference.units import Spread, Units, checked_cases, spread_of_cases
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sums import ratio
from evalcore.typing import FloatArray, Label, Ratio, WeightType
from evalcore.validation.scores import PositiveProbabilities

_MANY = 1 << 16
"""Above this many cases, means of neighbours are fitted first, to start near the solution."""
_CELLS = 1 << 14
_METHOD = "wald"
_LEAST = 1e-9
"""Of the information of all: less is none."""


@equal_by_content
@dataclass(frozen=True, slots=True)
class LogisticCalibration:
    """How far logits of probabilities are from those that fit the outcomes best, with intervals.

    >>> found = logistic_calibration([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> found.slope
    1.10179 [-5.17282, 7.3764] (95% wald)
    >>> round(found.p_value, 3)
    0.999
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
    cluster: ArrayLike | None = None,
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
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    cluster : array-like of shape (n,), optional
        The patient, day or the like of each case, if the cases of one may depend on each other.
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
    `evalcore.metrics.isotonic_calibration_curve` can.  Errors follow from how much a step of Newton's method changes
    the estimates without each case, or each cluster: they hold for other shapes too, as those of R's ``glm`` do not,
    which has the same estimates.  Bounds are Student's, with degrees of freedom by these changes.  Sources: D. R. Cox,
    Two further applications of a model for binary regression, Biometrika 45 (1958) 562-565; M. E. Miller, S. L. Hui and
    W. M. Tierney, Validation techniques for logistic regression models, Statistics in Medicine 10 (1991) 1213-1226; D.
    Pregibon, Logistic regression diagnostics, Annals of Statistics 9 (1981) 705-724, the step.

    Examples
    --------
    >>> found = logistic_calibration([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.9])
    >>> found.in_the_large
    0.469533 [-2.57887, 3.51794] (95% wald)
    """
    confidence = intervals.checked_level(level)
    drawn = sample_weight, weight_type, cluster
    positive, [own], units = checked_cases("logistic_calibration", y_true, {"y_prob": y_prob}, pos_label, drawn)
    cases = cases_of_units(own, positive, units)
    found = logits(cases)
    index = int(np.argmax(np.abs(found.probabilities)))
    advice = "clip the probabilities, for example by np.clip(y_prob, 1e-6, 1 - 1e-6)"
    got = f"{cases.probabilities[index]:g}, whose logit is infinite; {advice}"
    check(np.isfinite(found.probabilities[index]), "y_prob", "be above 0 and below 1", got)
    fit = calibration_fit(found, units)
    spread = spread_of_changes(units, np.concatenate([fit.changes, fit.changes[:1] + fit.changes[1:2]]))
    estimates = intervals_of_fit(fit.estimates, Spread(*(each[:3] for each in spread)), confidence)
    if np.isnan(estimates.low).any():
        intervals.undefined_interval(math.nan, confidence, _METHOD, fit.why or intervals.ONE_CLUSTER)
    of_slope, of_intercept, _, of_sum = spread.variances.tolist()
    mixed, freedom = (of_sum - of_slope - of_intercept) / 2, float(spread.freedom[:2].min())
    slope, intercept = fit.estimates[0] - 1, fit.estimates[1]
    squared = of_intercept * slope**2 - 2 * mixed * slope * intercept + of_slope * intercept**2
    determinant = of_slope * of_intercept - mixed**2
    squared = squared / determinant if determinant > _LEAST * of_slope * of_intercept else math.nan
    p_value = float((1 + squared / freedom) ** (-freedom / 2))  # of F with two degrees in its numerator
    slopes, intercepts, in_the_large = estimates.each(confidence)
    return LogisticCalibration(slopes, intercepts, in_the_large, p_value)


def logits(cases: PositiveProbabilities) -> PositiveProbabilities:
    """Return the cases with ln p - ln (1 - p) in place of p, finite for probabilities between 0 and 1.  O(n)."""
    found = np.empty(cases.probabilities.size)

    def fill(block: slice) -> None:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        with np.errstate(divide="ignore", invalid="ignore"):
            np.log(own / (1 - own), out=found[block])  # 1 - p is exact where a logit could lose digits

    map_blocks(fill, found.size)
    return cases._replace(probabilities=found)


class CalibrationFit(NamedTuple):
    """Slope, intercept and calibration in the large of cases, and how much they change without each unit."""

    estimates: FloatArray
    """Shape (3,), in this order; NaN where they are not defined, and infinite slopes of separated classes."""
    changes: FloatArray
    """Without each row, times its frequency, or without each cluster, shape (3, u)."""
    why: str = ""
    """Why some are not defined."""


def calibration_fit(cases: PositiveProbabilities, units: Units, *, large: bool = True) -> CalibrationFit:
    """Fit cases with `logits`, of one group; units: these cases, or their clusters.  O(n).

    large: whether calibration in the large is asked for, too.
    """
    x, estimates = cases.probabilities, np.full(3, np.nan)
    changes = np.full((3, x.size if units.clusters is None else units.number), np.nan)
    if not np.isfinite(x).all() or cases.positive.all() or not cases.positive.any():
        return CalibrationFit(estimates, changes, "y_true lacks a class")
    near = _gathered(cases)
    if large:
        line = logistic_fit(cases, near, 1)
        estimates[2], changes[2:] = line[0], _changes(cases, line, 1, units)
    low, high = float(x.min()), float(x.max())
    if high - low <= 1e-6 * max(-low, high):  # which leaves too few digits of slope and intercept
        return CalibrationFit(estimates, changes, f"all probabilities are {'' if low == high else 'nearly '}equal")
    if not _overlap(near) and not _overlap(cases):
        estimates[0] = math.inf if x[cases.positive].max() == x.max() else -math.inf
        return CalibrationFit(estimates, changes, "the probabilities separate the classes")
    line = logistic_fit(cases, near, 2)
    estimates[:2], changes[:2] = line[::-1], _changes(cases, line, 2, units)[::-1]
    return CalibrationFit(estimates, changes)


def spread_of_changes(units: Units, changes: FloatArray) -> Spread:
    """Return how k estimates vary from how much they change without each row or cluster, (k, u) or (u,).  O(k u)."""
    alone = units.clusters is None
    each = [spread_of_cases(units, own.__getitem__) if alone else units.left_out(own) for own in np.atleast_2d(changes)]
    variances, freedom = np.concatenate(each, axis=1)
    return Spread(np.where(np.isfinite(variances), variances, np.nan), freedom)


def intervals_of_fit(estimates: FloatArray, spread: Spread, level: float) -> Intervals:
    """Return Student's intervals of estimates of any shape, which have this spread."""
    errors = np.where(spread.errors > intervals.ROUNDING, spread.errors, np.nan)
    bounds = intervals.normal_bounds(estimates, errors, level, spread.freedom, (-math.inf, math.inf))
    return Intervals(estimates, *bounds, _METHOD)


def _gathered(cases: PositiveProbabilities) -> PositiveProbabilities:
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
    return PositiveProbabilities(sums[held] / weights[held], held >= _CELLS, weights[held], frequencies=True)


def _overlap(cases: PositiveProbabilities) -> bool:
    """Whether some positive case has a larger logit than some negative one, and the other way round.  O(n).

    Cases do if means of neighbours do, for no mean is beyond the largest or the least of its cases.
    """
    above, below = cases.probabilities[cases.positive], cases.probabilities[~cases.positive]
    return bool(above.size and below.size and above.min() < below.max() and below.min() < above.max())


def logistic_fit(cases: PositiveProbabilities, near: PositiveProbabilities, terms: int) -> FloatArray:
    """Fit the logit of being positive as intercept + slope · x; terms: 1 fixes the slope at 1, 2 fits it.

    cases: with `logits` x, near: their neighbours.  Returns intercept and slope, (2,).
    For two terms the cases must overlap; for one term both classes must be there.  O(n) for each of a few steps, of
    many cases one or two.

    Damped steps always converge, also where probabilities are near 0 and 1: T. Sun and Q. Tran-Dinh, Generalized
    self-concordant functions, Mathematical Programming 178 (2019) 145-213.
    """
    line = np.array([0.0, 1.0])
    if near is not cases and (terms == 1 or _overlap(near)):
        line = _maximised(near, line, terms)
    return _maximised(cases, line, terms)


def _changes(cases: PositiveProbabilities, line: FloatArray, terms: int, units: Units) -> FloatArray:
    """Return how much intercept and slope change without each row or cluster, (terms, u), by a step of Newton.  O(n).

    Slopes are those of logits less their mean, or digits could be lost.
    """
    x, size, rows = cases.probabilities, cases.positive.size, np.empty((2, cases.positive.size))

    def fill(block: slice) -> tuple[float, float]:
        rows[:, block] = _of_rows(cases, line, block)
        return rows[1, block].sum(), (rows[1, block] * x[block]).sum()

    total, moment = np.sum(map_blocks(fill, size), axis=0)
    mean = float(ratio(moment, total)) if terms == 2 else 0.0

    def derivatives(block: slice) -> list[FloatArray]:
        (missed, spread), centred = rows[:, block], x[block] - mean
        moved = spread * centred
        return [missed, missed * centred, spread, moved, moved * centred]

    sums = np.sum(map_blocks(lambda block: [each.sum() for each in derivatives(block)[2:]], size), axis=0)

    def step(missed: FloatArray, moved: FloatArray, *information: FloatArray) -> list[Ratio]:
        rest, mixed, square = (every - own for every, own in zip(sums, information, strict=True))
        if terms == 1:
            return [ratio(missed, np.where(rest > _LEAST * total, rest, 0.0))]
        determinant = rest * square - np.square(mixed)
        determinant[determinant <= _LEAST * sums[0] * sums[2]] = 0.0
        slope = ratio(rest * moved - mixed * missed, determinant)
        with np.errstate(invalid="ignore"):  # without a row or cluster, classes may be apart
            return [ratio(square * missed - mixed * moved, determinant) - mean * slope, slope]

    if units.clusters is not None:
        counted = (np.bincount(units.clusters, each, units.number) for each in derivatives(slice(None)))
        return np.array(step(*(each.astype(np.float64, copy=False) for each in counted)))

    def store(block: slice) -> None:
        missed, moved, *information = derivatives(block)
        if cases.frequencies and cases.weights is not None:  # a single one of the cases is left out
            information = [each / cases.weights[block] for each in information]
        rows[:terms, block] = step(missed, moved, *information)

    map_blocks(store, size)
    return rows[:terms]


def _maximised(cases: PositiveProbabilities, line: FloatArray, terms: int) -> FloatArray:
    """Return intercept and slope, (2,), of the largest likelihood."""
    ends = cases.probabilities.min(), cases.probabilities.max()
    for _ in range(1000):
        gradient, information = _derivatives(cases, line, terms)
        step = np.zeros(2)
        step[:terms] = np.linalg.solve(information, gradient)
        change = max(abs(step[0] + step[1] * end) for end in ends)
        line = line + step * (np.log1p(change) / change if change else 1.0)
        if change < 1e-5:  # the next step would change logits by its square
            break
    return line


def _of_rows(cases: PositiveProbabilities, line: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
    """Return outcome less fitted probability, and its variance, of some rows, times their weights.  O(r)."""
    with np.errstate(over="ignore"):
        odds = np.exp(-line[0] - line[1] * cases.probabilities[rows])
    np.minimum(odds, 1e300, out=odds)
    fitted = 1 / (1 + odds)
    rest = odds * fitted  # 1 less the fitted probability, with all digits
    missed, spread = np.where(cases.positive[rows], rest, -fitted), fitted * rest
    if cases.weights is not None:
        missed *= cases.weights[rows]
        spread *= cases.weights[rows]
    return missed, spread


def _derivatives(cases: PositiveProbabilities, line: FloatArray, terms: int) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, (terms,), and negative second derivatives, (terms, terms), of the log likelihood.  O(n)."""

    def of_block(block: slice) -> list[float]:
        own, values = cases.probabilities[block], [*_of_rows(cases, line, block)]
        if terms == 2:
            missed, spread = values
            moved = spread * own
            values = [missed, missed * own, spread, moved, moved * own]
        # no dot product: its threads cost more than they save here
        return [float(np.add.reduce(each)) for each in values]

    sums, powers = np.sum(map_blocks(of_block, cases.positive.size), axis=0), np.arange(terms)
    return sums[:terms], sums[terms:][np.add.outer(powers, powers)]
