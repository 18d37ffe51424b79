"""Intervals of net benefits, from sums over the decisions."""

import numpy as np

from evalcore.inference.groups.grouped_intervals import Intervals
from evalcore.inference.groups.weighted_intervals import decision_intervals_of_weights
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures import net_benefits as measures
from evalcore.typing import FloatArray


def net_benefit_intervals(
    decisions: WeightSums, thresholds: FloatArray, level: float, *, known_prevalence: bool = False
) -> Intervals:
    """Return the intervals of net benefits: squared distances of both parts to their bounds add up.  O(t).

    decisions: tp, fn, fp and tn, (4, t) each; thresholds: (t,) above 0 and below 1; known_prevalence: whether weights
    were shifted to a prevalence, so that only decisions within classes vary.

    Source: G. Y. Zou and A. Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27
    (2008) 1693-1702.
    """
    found = measures.net_benefits(decisions, thresholds)
    weights = np.asarray(ratio(thresholds, 1 - thresholds))
    correlation = 0.0 if known_prevalence else measures.correlation_of_parts(decisions)
    sides = []
    for part, own in (([1, 0, 0, 0], [1, 1, 0, 0]), ([0, 0, 1, 0], [0, 0, 1, 1])):
        whole = own if known_prevalence else [1, 1, 1, 1]
        rates = decision_intervals_of_weights(decisions, np.array(part), np.array(whole), level)
        scale = np.array(whole) @ decisions.sums / decisions.sums.sum(axis=0)
        sides.append((scale * (rates.estimates - rates.low), scale * (rates.high - rates.estimates)))
    (tp_below, tp_above), (fp_below, fp_above) = sides
    below, above = (
        np.sqrt((tp**2 + (weights * fp) ** 2 - 2 * correlation * tp * weights * fp).clip(min=0))
        for tp, fp in ((tp_below, fp_above), (tp_above, fp_below))
    )
    return Intervals(found, found - below, found + above, "zou-donner")
