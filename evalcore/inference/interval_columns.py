"""Intervals of ROC areas and average precisions of many groups at once, as arrays."""

import numpy as np

from evalcore.inference.cells import are_counts
from evalcore.inference.intervals import ROUNDED_VARIANCE, Intervals, logit_bounds
from evalcore.inference.roc_area_bounds import AREA_METHODS, DEFAULT_AREA_METHOD
from evalcore.kernels.weights import WeightSums
from evalcore.measures.effective_cases import effective_positives
from evalcore.typing import AnyArray, FloatArray


def roc_area_intervals(
    areas: FloatArray, area_variances: FloatArray, smaller: AnyArray, level: float, method: str = DEFAULT_AREA_METHOD
) -> Intervals:
    """Return the intervals of areas with DeLong's variances, (g,) each, as `roc_auc_interval`.  O(g).

    smaller: effective cases of the smaller class, (g,).
    """
    constant_too = method == DEFAULT_AREA_METHOD
    defined = ~np.isnan(area_variances) if constant_too else area_variances > ROUNDED_VARIANCE
    bounds = AREA_METHODS[method](areas[defined], area_variances[defined], smaller[defined], level)
    return Intervals.where(defined, areas, bounds, method)


def average_precision_intervals(estimates: FloatArray, positives: AnyArray, level: float) -> Intervals:
    """Return the intervals of average precisions of so many positives, (g,) each; see `average_precision_interval`."""
    defined = (positives > 0) & (estimates < 1)
    inside = estimates[defined]
    bounds = logit_bounds(inside, np.sqrt(inside * (1 - inside) / positives[defined]), level)
    return Intervals.where(defined, estimates, bounds, "logit")


def average_precision_intervals_of_weights(
    estimates: FloatArray, positives: WeightSums, negatives: WeightSums, level: float
) -> Intervals:
    """Return the intervals of average precisions with `effective_positives`, (g,) each.  O(g)."""
    counted = are_counts(positives) and are_counts(negatives)
    number = positives.sums if counted else effective_positives(estimates, positives, negatives)
    return average_precision_intervals(estimates, number, level)
