"""Variances of ROC areas of weighted cases in many groups at once: see `evalcore.measures.weighted_roc_variances`."""

import numpy as np

from evalcore.kernels.grouped_weights import GroupedWeights
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weight_sums import WeightSums
from evalcore.kernels.weighted_placements import LostFractions
from evalcore.typing import BoolArray, FloatArray, IntArray


def grouped_lost_fractions(found: GroupedWeights) -> LostFractions:
    """Return the `lost_fractions` of the cases at each score, in their groups, (p,); NaN where a class is empty.  O(p).

    >>> from evalcore.kernels.grouped_weights import grouped_weights
    >>> scores, correct = np.array([0.9, 0.5, 0.9, 0.5]), np.array([True, False, False, True])
    >>> grouped_lost_fractions(grouped_weights(scores, correct, np.ones(4), np.array([2, 2])))
    LostFractions(correct=array([0. , 0.5, 0.5, 1. ]), incorrect=array([0.5, 0. , 1. , 0.5]))
    """
    (own, above, totals), (others, others_above, others_totals) = found.correct, found.incorrect
    of_class, of_others = totals.sums[found.group], others_totals.sums[found.group]
    lost = ratio(others_above + others.sums / 2, of_others)
    missed = ratio(of_class - above - own.sums / 2, of_class)
    return LostFractions(np.asarray(lost), np.asarray(missed))


def grouped_losses_of_cases(found: GroupedWeights, correct: BoolArray) -> FloatArray:
    """Return the `losses_of_cases`, in their groups: (n,) as `correct`, group after group as they came.  O(n)."""
    sizes, mask = np.diff(found.last, prepend=-1), correct[found.order]
    losses = np.empty(correct.size)
    losses[found.order] = np.where(mask, *(each.repeat(sizes) for each in grouped_lost_fractions(found)))
    return losses


def weighted_roc_variances(found: GroupedWeights) -> FloatArray:
    """Return the variance of the area of each group, (g,); NaN with fewer than two cases of a class.  O(p)."""
    lost, missed = grouped_lost_fractions(found)
    return variances_of_means(lost, found.correct.at_scores, found.first) + variances_of_means(
        missed, found.incorrect.at_scores, found.first
    )


def variances_of_means(values: FloatArray, weights: WeightSums, first: IntArray) -> FloatArray:
    """Return the variances of weighted means of values, (p,), from each first index, (g,), to the next.

    weights: sums over the cases of each value, (p,).  Returns (g,); NaN with fewer than two cases.  O(p).
    """
    sums, cases, weighted = (
        np.add.reduceat(each, first) for each in (weights.sums, weights.cases, values * weights.sums)
    )
    means = np.asarray(ratio(weighted, sums)).repeat(np.diff(first, append=values.size))
    scatter = np.add.reduceat(weights.squares * np.square(values - means), first)
    return np.where(cases > 1, np.asarray(ratio(ratio(ratio(scatter, sums), sums) * cases, cases - 1)), np.nan)
