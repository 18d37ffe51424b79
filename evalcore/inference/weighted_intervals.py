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
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures import binary, multiclass, variances
from evalcore.measures.agreement import disagreement
from evalcore.measures.effective_cases import effective_positives, effective_trials
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
    if _are_counts(positives, negatives):
        return average_precision_intervals(estimates, _counts(positives), level)
    return average_precision_intervals(estimates, effective_positives(estimates, positives, negatives), level)


def _are_counts(*cells: WeightSums) -> bool:
    """Whether these are frequencies, or weights of 1."""
    return all(np.array_equal(each.sums, each.squares) and np.array_equal(each.sums, each.cases) for each in cells)


def _counts(cells: WeightSums) -> Any:
    counts: AnyArray = cells.sums.astype(np.int64)
    return counts
