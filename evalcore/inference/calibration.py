"""Calibration: intervals of bins and of their error, bands of calibrated cases, and tests without bins."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import check, warn
from evalcore.inference import intervals
from evalcore.inference.bootstrap import generator
from evalcore.inference.intervals import Interval
from evalcore.inference.units import Units, checked_cases, checked_units
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.runs import cut_between_ties
from evalcore.kernels.shapes import hull_vertices
from evalcore.kernels.sorting import order, sort
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import Bins, bin_codes, binned
from evalcore.kernels.weights import parts_between_scores, sort_weights, weight_sums
from evalcore.measures import losses
from evalcore.measures.influence import effective_trials
from evalcore.metrics.probabilities import bins_of, check_bins, edges_of
from evalcore.typing import BinStrategy, BoolArray, FloatArray, Label, ProportionMethod, ScoreArray, Seed, WeightType
from evalcore.validation.arrays import as_unit_probabilities, check_indices
from evalcore.validation.scores import PositiveProbabilities
from evalcore.validation.values import check_positive_integer, refuses_weights

_DEBIASED = "debiased-l2"
DEBIASED_BINS = 15
"""Of the calibration error, by default."""
_MOST_CELLS = 1 << 11
"""Neighbouring probabilities that are drawn together: pools of ten million cases hold several such cells."""


def probable_cases(function: str, y_true: Any, y_prob: Any, pos_label: Any, *weighting: Any) -> PositiveProbabilities:
    """Check labels, probabilities of the positive class, and any weights with their type.  O(n)."""
    drawn = (*(weighting or (None, "sampling")), None)
    positive, [own], units = checked_cases(function, y_true, {"y_prob": y_prob}, pos_label, drawn)
    return cases_of_units(own, positive, units)


def cases_of_units(probabilities: ScoreArray, positive: BoolArray, units: Units) -> PositiveProbabilities:
    """Return checked cases with their weights.  O(1), O(n) with frequencies."""
    weights = None if units.weights is None else units.weights.astype(np.float64, copy=False)
    return PositiveProbabilities(probabilities, positive, weights, units.are_frequencies)


@equal_by_content
@dataclass(frozen=True, slots=True)
class CalibrationBins:
    """The bins of a calibration curve that hold cases, by rising probability, with intervals.

    >>> bins = calibration_curve_intervals([0, 0, 1, 1], [0.1, 0.3, 0.7, 0.9], n_bins=2)
    >>> bins.prob_true, bins.low.round(3), bins.high.round(3)
    (array([0., 1.]), array([0.   , 0.158]), array([0.842, 1.   ]))
    """

    prob_true: FloatArray
    """Fraction of positive cases in each bin, shape (b,)."""
    prob_pred: FloatArray
    """Mean probability in each bin, shape (b,)."""
    low: FloatArray
    """Lower bounds of the fractions, shape (b,)."""
    high: FloatArray
    """Upper bounds of the fractions, shape (b,)."""
    cases: FloatArray
    """Cases in each bin, or their weight, shape (b,)."""
    level: float
    method: str


def calibration_curve_intervals(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: BinStrategy = "uniform",
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    method: ProportionMethod = "clopper-pearson",
) -> CalibrationBins:
    r"""Return the fraction of positive cases in each bin of probabilities, with an interval of each.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    n_bins : int, default 10
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or of the same weight.  A probability on the edge of two bins is in the lower one.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    level : float, default 0.95
        Confidence level of each bin by itself, above 0 and below 1.
    method : {'wilson', 'clopper-pearson', 'jeffreys', 'agresti-coull', 'normal'}, default 'clopper-pearson'
        The interval of each fraction, one of those of `proportion_interval`; the bounds of 'clopper-pearson' hold the
        chance of a bin in at least the fraction `level` of samples.

    Returns
    -------
    CalibrationBins
        The bins that are not empty: ``prob_true``, ``prob_pred``, ``low``, ``high`` and ``cases``.  Range: all 0 .. 1,
        but for the ``cases``, at least 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, probabilities, weights or an option are invalid; if SciPy is not installed for 'clopper-pearson'.

    Warns
    -----
    UndefinedMetricWarning
        If one case holds all the weight of a bin: its bounds are NaN.

    Notes
    -----
    $$\bar y_b = \frac{1}{n_b} \sum_{i \in b} y_i$$

    The fraction of positives of the $n_b$ cases of each bin, with its interval.  Use it to see which bins of a
    calibration chart could be chance; `cumulative_calibration_test` judges them all at once.

    O(n), O(n log n) for bins of equal weight.  Each interval is for its own bin: of ten bins of calibrated
    probabilities, more than one in three samples has one that misses its mean probability at 95%.  Ask `level` to be
    ``1 - 0.05 / n_bins`` for all at once.  Sources: those of `proportion_interval`; J. Bröcker and L. A. Smith,
    Increasing the reliability of reliability diagrams, Weather and Forecasting 22 (2007) 651-661.

    Examples
    --------
    >>> bins = calibration_curve_intervals([0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9], n_bins=2)
    >>> bins.prob_pred.round(3), bins.low.round(3), bins.high.round(3)
    (array([0.2  , 0.733]), array([0.008, 0.292]), array([0.906, 1.   ]))
    """
    function, confidence = "calibration_curve_intervals", intervals.checked_level(level)
    cases = probable_cases(function, y_true, y_prob, pos_label, sample_weight, weight_type)
    edges = edges_of(cases, check_bins(function, n_bins, strategy), strategy)
    bins = binned(cases.probabilities, cases.positive, edges, cases.weights)
    found = _trials(cases, edges, bins)
    bins = Bins(*(sums[bins.weights > 0] for sums in bins))
    rates = losses.observed_rates(bins)
    interval_of = partial(intervals.interval_of_trials, level=confidence, method=method, function=function, empty="")
    low, high = map(np.array, zip(*map(interval_of, np.array([*found, rates]).T.tolist()), strict=True))
    return CalibrationBins(rates, losses.mean_probabilities(bins), low, high, bins.weights, confidence, method)


@refuses_weights(
    "counts whole cases and takes no sample_weight; for weights use evalcore.inference.bootstrap_interval(..., "
    "evalcore.metrics.expected_calibration_error, sample_weight=...)"
)
def debiased_calibration_error_interval(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = DEBIASED_BINS,
    strategy: BinStrategy = "quantile",
    pos_label: Label | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Return the interval of the calibration error, the root of the mean squared gap of bins, without its bias.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    n_bins : int, default 15
        Number of bins.
    strategy : {"uniform", "quantile"}, default "quantile"
        Bins of the same width, or of the same weight.  A probability on the edge of two bins is in the lower one.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.
    level : float, default 0.95
        Confidence level: the fraction of samples whose bounds hold the true error of these bins, above 0 and below 1.

    Returns
    -------
    Interval
        In 0 .. 1.  The estimate is 0 where the gaps are no larger than chance makes them.  A lower bound above 0 says
        that the probabilities are not calibrated.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, probabilities or an option are invalid; if weights are given.

    Warns
    -----
    UndefinedMetricWarning
        If the outcomes of no bin that holds two cases are left to chance, as where all probabilities are 0 or 1 and
        right: the bounds are NaN.

    Notes
    -----
    $$\sqrt{\sum_b \frac{n_b}{n} \left[ (\bar y_b - \bar p_b)^2 - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1} \right]}$$

    $\bar y_b$ is the fraction of positives and $\bar p_b$ the mean probability of the $n_b$ cases of a bin.  Use it
    to compare models, or test sets of other sizes, by how far off their probabilities are.

    O(n log n), O(n) for bins of equal width.  ``expected_calibration_error(..., norm="l2")`` grows with the number of
    bins, even for calibrated probabilities; this estimate subtracts what chance adds to each gap.  It is the error
    between bins: gaps that cancel within a bin are not seen.  The bounds are those errors from which the estimate is no
    more than z standard deviations away.  A bin with few positives, or none, varies as one would whose chance is near
    its mean probability, but within a standard error of the observed fraction.  Measured on 1,000 samples of each of 36
    kinds, 95% bounds held the error in 94 to 99% of samples, and of 100 cases with 2% positives in 99.6% or more.
    Source: A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS 2019, the estimate.

    Examples
    --------
    >>> y_true, y_prob = [0, 1, 1, 1, 0, 1] * 20, [0.2, 0.2, 0.4, 0.6, 0.6, 0.9] * 20
    >>> debiased_calibration_error_interval(y_true, y_prob, n_bins=3)
    0.191143 [0.118366, 0.300713] (95% debiased-l2)
    """
    function, confidence = "debiased_calibration_error_interval", intervals.checked_level(level)
    cases = probable_cases(function, y_true, y_prob, pos_label)
    return error_interval_of_bins(bins_of(cases, check_bins(function, n_bins, strategy), strategy), confidence)


def error_interval_of_bins(bins: Bins, confidence: float) -> Interval:
    """Return the `debiased_calibration_error_interval` of whole cases, some in each of b bins or in none.  O(b)."""
    total = float(bins.weights.sum())
    bins = Bins(*(sums[bins.weights > 1] for sums in bins))  # a gap of one case has no variance
    rates, means = losses.observed_rates(bins), losses.mean_probabilities(bins)
    fractions, squares = bins.weights / total, np.square(rates - means)
    variances = rates * (1 - rates) / (bins.weights - 1)
    estimate = float(fractions @ (squares - variances))
    # of the rare classes that no bin shows, outcomes would vary too little: rates within a standard error count
    near = intervals.proportion_intervals(bins.positives, bins.weights, math.erf(math.sqrt(0.5)))
    plausible = means.clip(near.low, near.high)
    variances = np.maximum(variances, plausible * (1 - plausible) / (bins.weights - 1))
    if not variances.any():
        error = math.sqrt(max(estimate, 0.0))
        why = "no bin of two or more cases leaves its outcomes to chance"
        return intervals.undefined_interval(error, confidence, _DEBIASED, why)
    # the squared errors E with (estimate - E)² = z² (4 s E + q), the variance of the estimate: that of a squared normal
    # gap d² with variance v is 4 d² v + 2 v², and s is the mean of fraction · v, by fraction · d²
    parts, z = np.square(fractions) * variances, intervals.reach_of(confidence)
    slope = float(ratio(parts @ squares, fractions @ squares)) if squares.any() else 0.0
    centre = estimate + 2 * z * z * slope
    reach = math.sqrt(max(centre**2 - estimate**2 + 2 * z * z * float(parts @ variances), 0.0))
    error, low, high = (math.sqrt(max(each, 0.0)) for each in (estimate, centre - reach, centre + reach))
    return Interval(error, low, high, confidence, _DEBIASED)


def _trials(cases: PositiveProbabilities, edges: ScoreArray, bins: Bins) -> tuple[FloatArray, FloatArray]:
    """Return the successes and trials of the bins that hold cases, effective ones of sampling weights.  O(n)."""
    held = bins.weights > 0
    if cases.weights is None or cases.frequencies:
        return bins.positives[held], bins.weights[held]
    codes = bin_codes(cases.probabilities, edges) + held.size * cases.positive
    sums = weight_sums(codes, cases.weights, 2 * held.size)
    successes = sums.at(held.size + np.flatnonzero(held))
    rates, numbers = effective_trials(successes, sums.at(np.flatnonzero(held)).plus(successes))
    return rates * numbers, numbers


@equal_by_content
@dataclass(frozen=True, slots=True)
class ConsistencyBand:
    """Bounds of the isotonic curve that calibrated probabilities would have.

    >>> band = consistency_band([0.25, 0.25, 0.5, 0.75], seed=1)
    >>> band.probabilities, band.low, band.high
    (array([0.25, 0.5 , 0.75]), array([0., 0., 0.]), array([0.75, 1.  , 1.  ]))
    """

    probabilities: FloatArray
    """Rising, shape (m,): the distinct ones, or means of neighbours."""
    low: FloatArray
    """Lower bounds of the fraction of positives at each, shape (m,)."""
    high: FloatArray
    """Upper bounds of the fraction of positives at each, shape (m,)."""
    level: float
    """Fraction of samples whose curve is between the bounds, at each probability."""


def consistency_band(
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    weight_type: WeightType = "sampling",
    level: float = 0.95,
    resamples: int = 500,
    seed: Seed = None,
) -> ConsistencyBand:
    r"""Return where an isotonic calibration curve would be if the probabilities were calibrated.

    Parameters
    ----------
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.
    level : float, default 0.95
        Fraction of curves that are between the bounds at each probability, above 0 and below 1.
    resamples : int, default 500
        Number of curves.
    seed : int or numpy.random.Generator, optional
        As for ``numpy.random.default_rng``; the same seed gives the same band.

    Returns
    -------
    ConsistencyBand
        ``probabilities``, at most 2,048, and the bounds ``low`` and ``high`` at each.  Range: all 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If probabilities, weights or an option are invalid.

    Notes
    -----
    $$[\hat c^*_{(\alpha / 2)}(p), \hat c^*_{(1 - \alpha / 2)}(p)], \quad y^*_i \sim \text{Bernoulli}(p_i)$$

    $\hat c^*$ is the isotonic curve of drawn outcomes $y^*$.  Use it to see by eye whether a calibration curve
    could be chance.

    O(n log n + resamples · m).  Outcomes are drawn by the probabilities, and a curve is fitted to each draw.  A curve
    of `evalcore.metrics.isotonic_calibration_curve` that leaves the band is not that of calibrated probabilities.  The
    band holds at each probability, not at all of them at once; `cumulative_calibration_test` tests them together.  Of
    more than 2,048 distinct probabilities, neighbours are drawn together.  Source: T. Dimitriadis, T. Gneiting and A.
    I. Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 118 (2021) e2016191118.

    Examples
    --------
    >>> band = consistency_band([0.1] * 100 + [0.5] * 100, seed=1)
    >>> band.low, band.high
    (array([0.05, 0.39]), array([0.16, 0.59]))
    """
    confidence = intervals.checked_level(level)
    count = check_positive_integer(resamples, "resamples", "consistency_band")
    check_indices(y_prob=y_prob, sample_weight=sample_weight)
    values = as_unit_probabilities(y_prob, "y_prob")
    check(values.size, "y_prob", "hold at least one case", "none")
    units = checked_units(sample_weight, weight_type, values.size, "consistency_band")
    means, weights, trials = _neighbours(values[units.chosen], units)
    draws = generator(seed).binomial(trials, means, (count, trials.size))
    curves = _curves(weights, draws * (weights / trials))
    tail = (1 - confidence) / 2
    low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
    return ConsistencyBand(means[::-1], low[::-1], high[::-1], confidence)


def _neighbours(probabilities: ScoreArray, units: Units) -> tuple[FloatArray, FloatArray, Any]:
    """Return the means of at most `_MOST_CELLS` cells of falling probabilities, (n,), that divide none.  O(n log n).

    And their weights, and how many independent draws each counts as, (m,) each.
    """
    ordered, masses = probabilities.astype(np.float64), units.amounts.astype(np.float64)
    if units.weights is None:
        sort(ordered)
    else:
        order = np.argsort(probabilities, kind="stable")
        ordered, masses = ordered[order], masses[order]
    # cells of about equal numbers of cases, each from a new probability on
    starts = np.unique(ordered.searchsorted(ordered[np.arange(_MOST_CELLS) * ordered.size // _MOST_CELLS]))
    sums, last = np.add.reduceat(masses, starts), np.append(starts[1:], ordered.size) - 1
    draws = sums if units.are_frequencies else sums**2 / np.add.reduceat(masses**2, starts)
    means = np.add.reduceat(ordered * masses, starts) / sums
    means = means.clip(ordered[starts], ordered[last])  # exact where all are equal
    return means[::-1], sums[::-1], np.rint(draws).astype(np.int64)[::-1]


def _curves(weights: FloatArray, positives: FloatArray) -> FloatArray:
    """Return the isotonic curves of draws; weights: (m,), positives: (r, m), by falling probability.  Returns (r, m).

    O(r m).

    >>> _curves(np.ones(3), np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])).round(2)
    array([[1.  , 0.5 , 0.5 ],
           [0.33, 0.33, 0.33]])
    """
    rows, points = positives.shape[0], positives.shape[1] + 1
    x, y = np.zeros((2, rows, points))
    np.cumsum(np.broadcast_to(weights, positives.shape), axis=1, out=x[:, 1:])
    np.cumsum(positives, axis=1, out=y[:, 1:])
    ends = points * np.arange(rows)
    vertices = hull_vertices(x.ravel(), y.ravel(), np.stack([ends, ends + points - 1], axis=1).ravel())
    sides = np.flatnonzero(vertices[:-1] % points < points - 1)  # not from the end of a curve to the next
    starts, stops = vertices[sides], vertices[sides + 1]
    rates = (y.ravel()[stops] - y.ravel()[starts]) / (x.ravel()[stops] - x.ravel()[starts])
    return np.repeat(rates, stops - starts).reshape(positives.shape)


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
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.

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
    cases = probable_cases("spiegelhalter_test", y_true, y_prob, pos_label, sample_weight, weight_type)
    excess, variance = _excess(cases, lambda probabilities: 1 - 2 * probabilities)
    return _tested("spiegelhalter", excess, variance, intervals.tails_of, "all probabilities are 0, 1/2 or 1")


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
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, with a finite sum above 0.  A case of weight 0 counts as absent.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What weights are.  'sampling': how many cases of the population each case stands for.  'frequency': how many
        cases like it there were, a whole number.

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
    cases = probable_cases("cumulative_calibration_test", y_true, y_prob, pos_label, sample_weight, weight_type)
    _, variance = _excess(cases, np.ones_like)
    return _tested("cumulative", _range_of_sums(cases), variance, range_tail, "all probabilities are 0 or 1")


def _excess(cases: PositiveProbabilities, slopes_of: Callable[[FloatArray], FloatArray]) -> tuple[float, float]:
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
    if size < 0.3:  # which happens once in 10**20 times
        return 1.0
    terms = range(1, math.ceil(9 / size) + 2)  # the next would be below 1e-17
    tail = 4 * math.fsum((k if k % 2 else -k) * math.erfc(k * size / math.sqrt(2)) for k in terms)
    return min(max(tail, 0.0), 1.0)


def _range_of_sums(cases: PositiveProbabilities) -> float:
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


def _tested(name: str, excess: float, variance: float, tail_of: Callable[[float], float], why: str) -> CalibrationTest:
    """Return a test by an excess and its variance, or warn why nothing is left to chance.  O(1)."""
    if variance == 0:
        warn(f"The {name} test is not defined: {why}.")
        return CalibrationTest(math.nan, math.nan, name)
    statistic = excess / math.sqrt(variance)
    return CalibrationTest(statistic, tail_of(statistic), name)
