"""Tests of whether probabilities are calibrated, without bins, and where the curves of calibrated ones would be."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference.calibration import ProbabilityCases, checked_cases
from evalcore.inference.intervals import checked_level, tails_of
from evalcore.inference.resamples import generator
from evalcore.inference.units import checked_units
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.runs import cut_between_ties, run_starts
from evalcore.kernels.shapes import hull_vertices
from evalcore.kernels.sorting import order, sort
from evalcore.kernels.weights import parts_between_scores, sort_weights
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Label, ScoreArray, Seed, WeightType
from evalcore.validation.arrays import as_unit_probabilities, check_indices
from evalcore.validation.values import check_positive_integer

_CERTAIN = 0.3
"""A range of Brownian motion is smaller once in 10**20 times."""
_MOST_CELLS = 1 << 11
"""Neighbouring probabilities that are drawn together: pools of ten million cases hold several such cells."""


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
    cases = checked_cases(y_true, y_prob, sample_weight, weight_type, pos_label, function="spiegelhalter_test")

    def of_block(block: slice) -> tuple[float, float]:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        slopes = 1 - 2 * own
        excess = (cases.positive[block] - own) * slopes * cases.weights_of(block)
        variances = own * (1 - own) * np.square(slopes) * cases.squared_weights(block)
        return float(np.add.reduce(excess)), float(np.add.reduce(variances))

    excess, variance = np.sum(map_blocks(of_block, cases.positive.size), axis=0).tolist()
    if variance == 0:
        return _undefined("spiegelhalter", "all probabilities are 0, 1/2 or 1")
    statistic = excess / math.sqrt(variance)
    return CalibrationTest(statistic, tails_of(statistic), "spiegelhalter")


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
    probabilities are calibrated at all; how far they are off, `calibration_error_interval` says.

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
    cases = checked_cases(y_true, y_prob, sample_weight, weight_type, pos_label, function="cumulative_calibration_test")

    def of_block(block: slice) -> float:
        own = cases.probabilities[block].astype(np.float64, copy=False)
        return float(np.add.reduce(own * (1 - own) * cases.squared_weights(block)))

    variance = sum(map_blocks(of_block, cases.positive.size))
    if variance == 0:
        return _undefined("cumulative", "all probabilities are 0 or 1")
    statistic = _range_of_sums(cases) / math.sqrt(variance)
    return CalibrationTest(statistic, range_tail(statistic), "cumulative")


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
    sums = [(0.0, 0.0, 0.0), *_sums_of_parts(cases)]
    before = list(accumulate((total for _, _, total in sums), initial=0.0))
    lows, highs = ([before[index] + each[side] for index, each in enumerate(sums)] for side in (0, 1))
    return max(highs) - min(lows)


def _sums_of_parts(cases: ProbabilityCases) -> Iterator[tuple[float, float, float]]:
    """Yield the least, the largest and the last running sum of parts of the ranking that divide no score."""
    if cases.weights is None:
        keys, code = order(cases.probabilities, cases.positive)

        def of_cases(part: slice) -> tuple[float, float, float]:
            scores = code.unpack(keys[part]).astype(np.float64, copy=False)
            return _running((keys[part] & 1) - scores, np.append(scores[1:] != scores[:-1], True))

        yield from map_parts(of_cases, cut_between_ties(keys), keys.size)
        return
    ranked = sort_weights(cases.probabilities, cases.positive, cases.weights)

    def of_weights(part: slice) -> tuple[float, float, float]:
        scores = cases.probabilities[ranked.order[part]].astype(np.float64, copy=False)
        weights = ranked.weights[part]
        return _running(np.where(weights > 0, weights * (1 - scores), weights * scores), ranked.ends[part])

    yield from map_parts(of_weights, parts_between_scores(ranked.ends), ranked.ends.size)


def _running(steps: FloatArray, ends: BoolArray) -> tuple[float, float, float]:
    sums = np.cumsum(steps)[ends]
    return float(sums.min()), float(sums.max()), float(sums[-1])


def _undefined(method: str, why: str) -> CalibrationTest:
    warnings.warn(f"The {method} test is not defined: {why}.", UndefinedMetricWarning, stacklevel=3)
    return CalibrationTest(math.nan, math.nan, method)


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


class _Cells(NamedTuple):
    """Cases of neighbouring probabilities that are drawn together, by falling probability, (m,) each."""

    probabilities: FloatArray
    """Their mean."""
    weights: FloatArray
    trials: IntArray
    """Independent draws that they count as."""


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
    sample_weight, weight_type
        As in `accuracy_interval`.
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
    function = "consistency_band"
    confidence = checked_level(level)
    count = check_positive_integer(resamples, "resamples", function)
    check_indices(y_prob=y_prob, sample_weight=sample_weight)
    values = as_unit_probabilities(y_prob, "y_prob")
    if not values.size:
        raise EvaluationError("y_prob must hold at least one case, got none")
    units = checked_units(sample_weight, weight_type, values.size, function)
    cells = _cells(values[units.chosen], units.weights, units.are_frequencies)
    draws = generator(seed).binomial(cells.trials, cells.probabilities, (count, cells.trials.size))
    curves = _curves(cells.weights, draws * (cells.weights / cells.trials))
    tail = (1 - confidence) / 2
    low, high = np.quantile(curves, [tail, 1 - tail], axis=0)
    return ConsistencyBand(cells.probabilities[::-1], low[::-1], high[::-1], confidence)


def _cells(probabilities: ScoreArray, weights: AnyArray | None, frequencies: bool) -> _Cells:
    """Return at most `_MOST_CELLS` cells of probabilities, (n,), that divide none.  O(n log n)."""
    ordered, masses = probabilities.astype(np.float64), None
    if weights is None:
        sort(ordered)
    else:
        order = np.argsort(probabilities, kind="stable")
        ordered, masses = ordered[order], weights[order].astype(np.float64)
    if ordered.size <= _MOST_CELLS:
        starts = run_starts(ordered)
    else:  # cells of about equal numbers of cases, each from a new probability on
        starts = np.unique(ordered.searchsorted(ordered[np.arange(_MOST_CELLS) * ordered.size // _MOST_CELLS]))
    sizes = trials = np.diff(starts, append=ordered.size)
    sums = sizes.astype(np.float64)
    if masses is not None:
        sums = np.add.reduceat(masses, starts)
        trials = np.rint(sums if frequencies else sums**2 / np.add.reduceat(masses**2, starts)).astype(np.int64)
    means = np.add.reduceat(ordered if masses is None else ordered * masses, starts) / sums
    means = means.clip(ordered[starts], ordered[starts + sizes - 1])  # exact where all are equal
    return _Cells(means[::-1], sums[::-1], trials[::-1])


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
