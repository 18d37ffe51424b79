"""Means of many cases that a judge measured with errors, corrected by a few whose truth is known."""

import math
from typing import NamedTuple

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.typing import FloatArray


class PredictionPoweredMean(NamedTuple):
    """A mean, its standard error, and the weight of the judge's values, in 0 .. 1."""

    estimate: float
    error: float
    judge_weight: float
    freedom: float
    """Degrees of freedom of the standard error, at least 1; NaN if that is 0."""


def corrected_prevalence(positive: float, sensitivity: float, specificity: float) -> float:
    """Return the prevalence that explains a fraction of positive decisions, perhaps outside 0 .. 1.  O(1).

    Source: W. J. Rogan and B. Gladen, American J. Epidemiology 107 (1978) 71-76.

    >>> round(corrected_prevalence(0.62, 0.9, 0.8), 3)
    0.6
    """
    return float(ratio(positive + specificity - 1, sensitivity + specificity - 1))


def corrected_prevalence_bounds(successes: int, trials: int, counts: BinaryCounts, z: float) -> tuple[float, float]:
    """Return the bounds of `corrected_prevalence`, perhaps outside 0 .. 1; z: normal quantile.  O(1).

    The lower one is above the upper one, or both are NaN or infinite, for a judge who may be no better than chance.

    Source: Z. Lang and J. Reiczigel, Preventive Veterinary Medicine 113 (2014) 13-22, equations 4 to 17, where (1 - p)²
    is misprinted in 4.

    >>> low, high = corrected_prevalence_bounds(259, 509, BinaryCounts(84, 43, 13, 96), 1.959964)
    >>> round(low, 2), round(high, 2)
    (0.58, 0.87)
    """
    tp, fn, fp, tn = counts
    positive = _Shrunk(successes + z * z / 2, trials + z * z)
    sensitivity, specificity = _Shrunk(tp + 1, tp + fn + 2), _Shrunk(tn + 1, tn + fp + 2)
    found = corrected_prevalence(positive.fraction, sensitivity.fraction, specificity.fraction)
    shift = 2 * z * z * (found * sensitivity.variance - (1 - found) * specificity.variance)
    variance = positive.variance + found**2 * sensitivity.variance + (1 - found) ** 2 * specificity.variance
    reach = float(ratio(z * math.sqrt(variance), sensitivity.fraction + specificity.fraction - 1))
    return found + shift - reach, found + shift + reach


class _Shrunk(NamedTuple):
    """A number of successes and of trials with a few of each added, so that no fraction is 0 or 1."""

    successes: float
    trials: float

    @property
    def fraction(self) -> float:
        return self.successes / self.trials

    @property
    def variance(self) -> float:
        return self.fraction * (1 - self.fraction) / self.trials


def prediction_powered_mean(
    values: FloatArray, judged: FloatArray, unlabelled: FloatArray, judge_weight: float | None
) -> PredictionPoweredMean:
    """Return the mean of values (n,), with what a judge said of them (n,) and of other cases (m,).  O(n + m).

    judge_weight: None for the one with the least variance, estimated.  Sources: A. N. Angelopoulos and others, Science
    382 (2023) 669-674; A. N. Angelopoulos, J. C. Duchi and T. Zrnic, arXiv 2311.01453 (2023), 6.1.

    >>> prediction_powered_mean(np.array([1.0, 3.0]), np.array([2.0, 4.0]), np.array([3.0, 5.0]), 1.0).estimate
    3.0
    """
    chosen = _best_weight(values, judged, unlabelled) if judge_weight is None else judge_weight
    rest = values - chosen * judged
    estimate = float(rest.mean() + chosen * unlabelled.mean())
    parts = np.array([rest.var(ddof=1) / rest.size, chosen**2 * unlabelled.var(ddof=1) / unlabelled.size])
    sizes = np.array([rest.size, unlabelled.size])
    freedom = float(ratio(parts.sum() ** 2, np.sum(parts**2 / (sizes - 1))))
    return PredictionPoweredMean(estimate, math.sqrt(parts.sum()), chosen, freedom)


def _best_weight(values: FloatArray, judged: FloatArray, unlabelled: FloatArray) -> float:
    covariance = np.mean((values - values.mean()) * (judged - judged.mean()))
    variance = np.concatenate([judged, unlabelled]).var(ddof=1)
    return float(np.clip(np.nan_to_num(ratio(covariance, (1 + values.size / unlabelled.size) * variance)), 0.0, 1.0))
