"""Tests of whether probabilities are calibrated, without bins."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference.calibration.probability_cases import ProbabilityCases, checked_cases
from evalcore.inference.intervals import normal_tails
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.runs import cut_between_ties
from evalcore.kernels.sorting import order
from evalcore.kernels.weights import parts_between_scores, sort_weights
from evalcore.typing import BoolArray, FloatArray, Label, WeightType

_CERTAIN = 0.3
"""A range of Brownian motion is smaller once in 10**20 times."""


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
    return CalibrationTest(statistic, normal_tails(statistic), "spiegelhalter")


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
