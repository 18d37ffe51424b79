"""Statistics at a rank: means over all orders of the cases whose scores are equal."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.tie_groups import TieGroup
from evalcore.typing import IntArray

_NEGLIGIBLE = 45.0
"""Chances below exp(-45), 3e-20, do not change a float64 sum that is near 1."""


def precision_at(group: TieGroup, depth: int) -> float:
    """Return the expected share of correct cases among the `depth` best, in 0 .. 1.

    group: the tie group of the last of them, or of the last case where there are fewer; those that do not
    exist count as incorrect.  O(1).  Source: F. McSherry and M. Najork, Computing information retrieval
    performance measures efficiently in the presence of tied scores, ECIR 2008.

    >>> precision_at(TieGroup(before=1, tp_before=1, size=3, correct=1), depth=2)
    0.6666666666666666
    """
    taken = min(depth - group.before, group.size)
    return (group.tp_before + taken * group.correct / group.size) / depth


def reciprocal_rank(group: TieGroup, depth: int | None = None) -> float:
    """Return the expected reciprocal of the rank, from 1, of the first correct case, in 0 .. 1.

    group: the first tie group that holds a correct case; depth: ranks beyond it count 0, counted from 1.  The first of
    its c correct among t cases comes j-th with chance w_j = C(t-j, c-1) / C(t, c), and
    w_(j+1) / w_j = (t-j-c+1) / (t-j).  O(size / correct).  Source: McSherry and Najork (2008).

    >>> reciprocal_rank(TieGroup(before=1, tp_before=0, size=2, correct=1))
    0.41666666666666663
    """
    size, correct = group.size, group.correct
    length = min(size - correct + 1, int(_NEGLIGIBLE * size / correct) + 1)
    if depth is not None:
        length = max(min(length, depth - group.before), 0)
    places = np.arange(1.0, length)
    chances = np.full(length, correct / size)
    chances[1:] *= np.cumprod((size - correct + 1 - places) / (size - places))
    return float(np.sum(chances / (group.before + 1 + np.arange(length))))


def mean_rank(counts: IntArray) -> float:
    """Return the mean rank, from 0, of cases counted by their ranks; NaN without cases.

    counts: (k,) int64.  O(k).  Source: spec 003, averageRankReference.

    >>> mean_rank(np.array([1, 2, 1]))
    1.0
    """
    return float(ratio(np.sum(counts * np.arange(counts.size)), counts.sum()))


def mean_reciprocal_rank(counts: IntArray) -> float:
    """Return the mean of 1 / (1 + rank) over cases counted by their ranks, in 0 .. 1; NaN without cases.

    counts: (k,) int64.  O(k).  Source: spec 003, meanReciprocalRank.

    >>> mean_reciprocal_rank(np.array([1, 1]))
    0.75
    """
    return float(ratio(np.sum(counts / np.arange(1, counts.size + 1)), counts.sum()))
