"""Statistics at a rank: means over all orders of the cases whose scores are equal."""

import numpy as np

from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.ratios import ratio
from evalcore.kernels.tie_groups import TieGroup
from evalcore.typing import Amount, FloatArray, IntArray, Ratio

_NEGLIGIBLE_EXPONENT = 45.0
"""Chances below exp(-45), 3e-20, do not change a float64 sum that is near 1."""


def precision_at(group: TieGroup, depth: Amount) -> float:
    """Return the expected fraction of correct cases among the `depth` best, in 0 .. 1.

    group: the tie group of the last of them, or of the last case where there are fewer; those that do not
    exist count as incorrect.  O(1).  Source: F. McSherry and M. Najork, Computing information retrieval
    performance measures efficiently in the presence of tied scores, ECIR 2008.
    """
    if isinstance(group.size, float):  # weights, whose products could be too large or too small
        taken = min(float(ratio(depth - group.before, group.size)), 1.0)
        return float(ratio(group.tp_before + taken * group.correct, depth))
    return float(_hits_times_size(group, depth) / (group.size * depth))


def recall_at(group: TieGroup, depth: int, correct: int) -> float:
    """Return the expected fraction of the correct cases that is among the `depth` best, in 0 .. 1.

    group, depth: as in `precision_at`; correct: how many there are, at least 1.  O(1).  Source: as there.

    >>> recall_at(TieGroup(before=2, tp_before=1, size=2, correct=1), 3, 3)
    0.5
    """
    return float(_hits_times_size(group, depth) / (group.size * correct))


def _hits_times_size(group: TieGroup, depth: Amount) -> Amount:
    """Return the expected number of correct cases among the best, times the size of the tie group: a whole number."""
    taken = min(depth - group.before, group.size)
    return group.tp_before * group.size + taken * group.correct


def reciprocal_rank(group: TieGroup, depth: int | None = None) -> float:
    """Return the expected reciprocal of the rank, from 1, of the first correct case, in 0 .. 1.

    group: the first tie group that holds a correct case; depth: as in `reciprocal_ranks`, which says how.
    O(size / correct).
    """
    before, size, correct = (np.array([count], np.float64) for count in (group.before, group.size, group.correct))
    return float(reciprocal_ranks(before, size, correct, depth)[0])


def reciprocal_ranks(before: FloatArray, size: FloatArray, correct: FloatArray, depth: int | None = None) -> FloatArray:
    """Return the expected reciprocals of the rank, from 1, of the first correct case of tie groups, (t,) in 0 .. 1.

    before, size, correct: (t,) whole numbers: cases above, in the group, and the correct of these, at least one; depth:
    ranks beyond it count 0, counted from 1.  The first of c correct among t cases comes j-th with chance
    w_j = C(t-j, c-1) / C(t, c), and w_(j+1) / w_j = (t-j-c+1) / (t-j).  O(Σ size / correct), in blocks of groups of
    like length.  Source: McSherry and Najork (2008).
    """
    lengths = np.minimum(size - correct + 1, np.floor(_NEGLIGIBLE_EXPONENT * size / correct) + 1)
    if depth is not None:
        lengths = np.clip(depth - before, 0, lengths)
    found = np.where(lengths == 1, correct / size / (before + 1), 0.0)
    order = np.argsort(lengths, kind="stable")
    start = int(lengths[order].searchsorted(1, side="right"))
    while start < order.size:
        chosen = order[start : start + max(int(BLOCK // lengths[order[start]]), 1)]
        chosen = chosen[: max(int(BLOCK // lengths[chosen[-1]]), 1)]  # the last is the longest
        start += chosen.size
        found[chosen] = _reciprocal_ranks_at_once(before[chosen], size[chosen], correct[chosen], lengths[chosen])
    return found


def _reciprocal_ranks_at_once(
    before: FloatArray, size: FloatArray, correct: FloatArray, lengths: FloatArray
) -> FloatArray:
    steps = np.arange(1.0, lengths[-1])
    before, size, correct = before[:, np.newaxis], size[:, np.newaxis], correct[:, np.newaxis]
    chances = np.empty((lengths.size, steps.size + 1))
    chances[:, :1] = correct / size
    # beyond the length of a shorter group: chances of 0
    left = np.maximum(size - correct + 1 - steps, 0.0)
    np.cumprod(left / np.maximum(size - steps, 1.0), axis=1, out=chances[:, 1:])
    chances[:, 1:] *= chances[:, :1]
    ranks = before + 1 + np.arange(steps.size + 1)
    inside = np.arange(steps.size + 1) < lengths[:, np.newaxis]
    return np.asarray(np.sum(chances / ranks, axis=1, where=inside))


def mean_rank(counts: IntArray) -> Ratio:
    """Return the mean rank, from 0, of cases counted by their ranks; NaN without cases.

    counts: (k,) int64, or (g, k) for g groups, which gives (g,).  O(size).  Source: spec 003, averageRankReference.
    """
    return ratio(np.sum(counts * np.arange(counts.shape[-1], dtype=np.float64), axis=-1), counts.sum(axis=-1))


def mean_reciprocal_rank(counts: IntArray) -> Ratio:
    """Return the mean of 1 / (1 + rank) over cases counted by their ranks, in 0 .. 1; NaN without cases.

    counts: (k,) int64, or (g, k) for g groups, which gives (g,).  O(size).  Source: spec 003, meanReciprocalRank.
    """
    return ratio(np.sum(counts / np.arange(1, counts.shape[-1] + 1), axis=-1), counts.sum(axis=-1))


def top_accuracy(counts: IntArray, depth: int) -> Ratio:
    """Return the fraction of the cases whose right category is among the `depth` best, in 0 .. 1; NaN without cases.

    counts: (k,) int64, cases by the rank of the right category, or (g, k) for g groups, which gives (g,).  O(size).
    Source: O. Russakovsky et al., ImageNet large scale visual recognition challenge, International Journal of Computer
    Vision 115 (2015) 211-252.

    >>> top_accuracy(np.array([[5, 3, 2], [0, 1, 3]]), 2)
    array([0.8 , 0.25])
    """
    return ratio(counts[..., :depth].sum(axis=-1), counts.sum(axis=-1))
