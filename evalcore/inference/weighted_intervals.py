"""Intervals of measures of weighted cases, from sums over their weights, of many groups at once.

Whatever is asked of trials takes the effective number of them: as many equal ones as would give the estimate the
variance that it has.  Frequencies are counts, and so are their intervals those of counts.
"""

from typing import Any

import numpy as np

from evalcore.inference.grouped_intervals import (
    Intervals,
    average_precision_intervals,
    f1_intervals,
    kappa_intervals,
    logit_intervals,
    normal_intervals,
    proportion_intervals,
)
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures import binary, multiclass, variances
from evalcore.measures.agreement import disagreement
from evalcore.typing import AnyArray, FloatArray


def proportion_intervals_of_weights(successes: WeightSums, trials: WeightSums, level: float) -> Intervals:
    """Return Wilson's intervals of weighted proportions with `effective_trials`, (g,) each.  O(g)."""
    if _are_counts(successes, trials):
        return proportion_intervals(_counts(successes), _counts(trials), level)
    estimates, number = effective_trials(successes, trials)
    found = proportion_intervals(estimates * number, number, level)
    # rounded bounds must hold the estimate
    low, high = np.minimum(found.low, estimates), np.maximum(found.high, estimates)
    return Intervals(estimates, low, high, found.method)


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
    # sums of squares as fractions of their largest: small weights have smaller ones
    variances_times_squares = np.square(1 - estimates) * successes.squares + np.square(estimates) * failed
    number = ratio(estimates * (1 - estimates), ratio(ratio(variances_times_squares, trials.sums), trials.sums))
    inside = (successes.cases > 0) & (successes.cases < trials.cases)
    return estimates, np.where(inside, number, kish_number(trials))


def kish_number(cells: WeightSums) -> FloatArray:
    """Return the effective number of cases, (Σ w)² / Σ w², 0 for none; that of frequencies is their sum.  O(g).

    Source: L. Kish, Survey Sampling (1965), 11.7.
    """
    number: FloatArray = np.nan_to_num(ratio(cells.sums, ratio(cells.squares, cells.sums)))
    return number


def f1_intervals_of_weights(tp: WeightSums, fn: WeightSums, fp: WeightSums, level: float) -> Intervals:
    """Return the intervals of F1 of weighted cases, (g,) each, by the delta method on its logit.  O(g)."""
    if _are_counts(tp, fn, fp):
        return f1_intervals(_counts(tp), _counts(fn), _counts(fp), level)
    estimates = np.asarray(binary.f_measure_of_counts(tp.sums, fn.sums, fp.sums))
    return logit_intervals(estimates, np.asarray(variances.weighted_f1_variance(tp, fn, fp)), level, "delta-logit")


def kappa_intervals_of_weights(tables: WeightSums, level: float) -> Intervals:
    """Return the intervals of kappa of tables of weighted cases, (g, k, k) each, by the delta method.  O(g k²)."""
    if _are_counts(tables):
        return kappa_intervals(_counts(tables), level)
    estimates = np.asarray(multiclass.weighted_kappa(tables.sums, disagreement(tables.sums.shape[-1], 0)))
    squares = np.asarray(variances.kappa_variance(tables.sums, tables.squares))
    return normal_intervals(estimates, squares, level, "delta", least=-1.0)


def average_precision_intervals_of_weights(
    estimates: FloatArray, positives: WeightSums, negatives: WeightSums, level: float
) -> Intervals:
    """Return the intervals of average precisions with `effective_positives`, (g,) each.  O(g)."""
    return average_precision_intervals(estimates, effective_positives(estimates, positives, negatives), level)


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


def _are_counts(*cells: WeightSums) -> bool:
    """Whether these are frequencies, or weights of 1."""
    return all(np.array_equal(each.sums, each.squares) and np.array_equal(each.sums, each.cases) for each in cells)


def _counts(cells: WeightSums) -> Any:
    counts: AnyArray = cells.sums.astype(np.int64)
    return counts
