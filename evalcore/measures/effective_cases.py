"""Effective numbers of weighted cases: as many of equal weight as would leave an estimate as uncertain."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums
from evalcore.typing import FloatArray


def effective_trials(successes: WeightSums, trials: WeightSums) -> tuple[FloatArray, FloatArray]:
    """Return weighted proportions p, and as many trials as have their variance V, p (1 - p) / V, (g,) each.  O(g).

    Where p is 0 or 1, the variance is not known, and the number is `kish_number`.  Source: E. L. Korn and B. I.
    Graubard, Confidence intervals for proportions with small expected number of positive counts estimated from survey
    data, Survey Methodology 24 (1998) 193-201.

    >>> heavy, light = np.array([3.0]), np.array([1.0])  # the only success weighs 3, the only failure 1
    >>> trials = WeightSums(heavy + light, heavy**2 + light**2, np.array([2.0]))
    >>> effective_trials(WeightSums(heavy, heavy**2, light), trials)
    (array([0.75]), array([2.66666667]))
    """
    estimates = np.asarray(ratio(successes.sums, trials.sums))
    failed = np.maximum(trials.squares - successes.squares, 0.0)
    scatter = np.square(1 - estimates) * successes.squares + np.square(estimates) * failed
    number = ratio(estimates * (1 - estimates), ratio(ratio(scatter, trials.sums), trials.sums))
    inside = (successes.cases > 0) & (successes.cases < trials.cases)
    return estimates, np.where(inside, number, kish_number(trials))


def kish_number(cells: WeightSums) -> FloatArray:
    """Return the effective number of cases, (Σ w)² / Σ w², 0 for none; that of frequencies is their sum.  O(g).

    Source: L. Kish, Survey Sampling (1965), 11.7.
    """
    number: FloatArray = np.nan_to_num(ratio(cells.sums, ratio(cells.squares, cells.sums)))
    return number


def effective_positives(estimates: FloatArray, positives: WeightSums, negatives: WeightSums) -> FloatArray:
    """Return how many positives of equal weight would leave average precisions a as uncertain, (g,), 0 for none.  O(g).

    Trials of the weight W of the positives, a W of them positive and the others negative, each with the mean weight of
    its class by weight, q and r: as `effective_trials`, these are W / ((1 - a) q + a r).  The number of the positives
    alone would say nothing of a few heavy negatives.

    >>> one, heavy = (WeightSums(np.array([w]), np.array([w * w]), np.array([1.0])) for w in (1.0, 4.0))
    >>> effective_positives(np.array([0.5]), one, heavy), effective_positives(np.array([0.5]), one, one)
    (array([0.4]), array([1.]))
    """
    heaviness = ((1 - estimates) * _mean_weight(positives), estimates * _mean_weight(negatives))
    number: FloatArray = np.nan_to_num(ratio(positives.sums, sum(heaviness)))
    return number


def _mean_weight(cells: WeightSums) -> FloatArray:
    """Return the mean weight of cases drawn by weight, 0 for none."""
    weight: FloatArray = np.nan_to_num(ratio(cells.squares, cells.sums))
    return weight
