"""Measures of predicted probabilities: losses of each case, and calibration by bins.

The outcome of a case is whether it is positive, or its true class.
"""

import numpy as np

from evalcore.kernels.probability_bins import Bins
from evalcore.kernels.ratios import ratio
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray


def log_loss(probabilities: ScoreArray) -> FloatArray:
    """Return -ln p of the probability of the outcome, 0 .. infinity, for each case.

    probabilities: (n,).  O(n).  Source: I. J. Good, Rational decisions, Journal of the Royal Statistical Society B 14
    (1952) 107-114.
    """
    logs: FloatArray = np.log(probabilities, dtype=np.float64)
    return np.subtract(0.0, logs, out=logs)


def squared_error(probabilities: ScoreArray, positive: BoolArray) -> FloatArray:
    """Return (p - outcome)² of the positive class, 0 .. 1, for each case: half of Brier's sum over both classes.

    probabilities, positive: of the same shape.  O(n).  Source: G. W. Brier, Verification of forecasts expressed in
    terms of probability, Monthly Weather Review 78 (1950) 1-3.
    """
    misses: FloatArray = np.subtract(probabilities, positive, dtype=np.float64)
    return np.multiply(misses, misses, out=misses)


def squared_errors(probabilities: ScoreArray, truth: IntArray | BoolArray) -> FloatArray:
    """Return Σ (p - outcome)² over the classes, for each case, 0 .. 2 if one class is true: Brier's own score.

    probabilities: (n, k); truth: (n,), the index of the true class, or (n, k) bool, which classes are true.  O(n k).
    Source: Brier (1950).
    """
    misses = probabilities.astype(np.float64, order="C")
    if truth.ndim == 1:
        misses.ravel()[np.arange(0, misses.size, misses.shape[1]) + truth] -= 1
    else:
        misses -= truth
    return np.asarray(np.einsum("nk,nk->n", misses, misses))


def log_loss_of_frequencies(own: FloatArray, others: FloatArray) -> float:
    """Return the sum of -ln p where each class is predicted by its frequency, clipped to eps .. 1 - eps of float64.

    own, others: (c,), the weight of the cases that each class is true of, and of the others.  O(c).
    """
    least = np.finfo(np.float64).eps
    frequencies = np.asarray(ratio(own, own + others)).clip(least, 1 - least)
    return float(own @ log_loss(frequencies))


def squared_error_of_frequencies(own: FloatArray, others: FloatArray) -> float:
    """Return Σ (p - outcome)² where p is the frequency of each class; own, others: (c,).  O(c)."""
    return float(np.sum(ratio(own * others, own + others)))


def observed_rates(bins: Bins) -> FloatArray:
    """Return the fraction of positive cases in each bin, 0 .. 1; NaN in an empty one.  O(b)."""
    return np.asarray(ratio(bins.positives, bins.weights))


def mean_probabilities(bins: Bins) -> FloatArray:
    """Return the mean probability in each bin, 0 .. 1; NaN in an empty one.  O(b)."""
    return np.asarray(ratio(bins.probabilities, bins.weights))


def mean_gap(bins: Bins) -> float:
    """Return Σ fraction of the cases · |observed rate - mean probability| over the bins, 0 .. 1; NaN without cases.

    O(b).  Source: M. P. Naeini, G. F. Cooper and M. Hauskrecht, Obtaining well calibrated probabilities using Bayesian
    binning, AAAI 2015.
    """
    # weight · gap without the division: also right in an empty bin
    return float(ratio(np.abs(bins.positives - bins.probabilities).sum(), bins.weights.sum()))


def root_mean_square_gap(bins: Bins) -> float:
    """Return the root of Σ fraction of the cases · gap² over the bins, 0 .. 1; NaN without cases.

    O(b).  Source: A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS 2019.
    """
    gaps = _gaps_of_filled(bins)
    return float(np.sqrt(ratio(np.sum(bins.weights[bins.weights > 0] * gaps**2), bins.weights.sum())))


def largest_gap(bins: Bins) -> float:
    """Return the largest |observed rate - mean probability| of a bin, 0 .. 1; NaN without cases.

    O(b).  Source: Naeini, Cooper and Hauskrecht (2015).
    """
    gaps = _gaps_of_filled(bins)
    return float(gaps.max()) if gaps.size else np.nan


def _gaps_of_filled(bins: Bins) -> FloatArray:
    gaps = np.abs(observed_rates(bins) - mean_probabilities(bins))
    return gaps[bins.weights > 0]
