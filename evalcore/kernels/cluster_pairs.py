"""Pairs of a correct and an incorrect case of clusters: ROC areas of resamples of whole clusters follow from them."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.bootstrap_draws import RankedCases
from evalcore.kernels.pairs import PairCounts
from evalcore.typing import IntArray


class ClusterPairs(NamedTuple):
    """Pairs of a correct case of one of g clusters and an incorrect case of another, or of the same."""

    correct: IntArray
    """Correct cases, shape (g,)."""
    incorrect: IntArray
    """Incorrect cases, shape (g,)."""
    lost: IntArray
    """Those in which a correct case of cluster i stands below an incorrect one of j, or beside, shape (g, g)."""
    tied: IntArray
    """Those among them in which it stands beside it, shape (g, g)."""

    def drawn(self, counts: IntArray) -> PairCounts:
        """Count the pairs of a resample; counts: (g,), how often each cluster is drawn.  O(g²).

        Exact while the pairs stay below 2**63.
        """
        lost, tied = (int(counts @ pairs @ counts) for pairs in (self.lost, self.tied))
        return PairCounts(int(counts @ self.correct), lost, tied)


def cluster_pairs(ranked: RankedCases, clusters: IntArray, count: int) -> ClusterPairs:
    """Count the pairs of each two clusters; clusters: (n,) of 0 .. count-1, of the cases of `ranked.rows`.  O(n count).

    >>> from evalcore.kernels.bootstrap_draws import ranked_cases
    >>> ranked = ranked_cases(np.array([0.9, 0.5, 0.5]), np.array([False, True, False]))
    >>> cluster_pairs(ranked, np.array([1, 0, 1]), 2).lost  # the correct case, of 1, is below 0's and beside 1's
    array([[0, 0],
           [1, 1]])
    """
    of_correct, of_incorrect = clusters[: ranked.correct], clusters[ranked.correct :]
    score = np.repeat(np.arange(ranked.tp.size), np.diff(ranked.tp, prepend=0))  # of each correct case
    before = np.concatenate([[0], ranked.fp[:-1]])
    lost, tied = np.empty((2, count, count), np.int64)
    sums = np.zeros(of_incorrect.size + 1, np.int64)
    for cluster in range(count):
        np.cumsum(of_incorrect == cluster, out=sums[1:])
        through = sums[ranked.fp]
        for pairs, of_score in ((lost, through), (tied, through - sums[before])):
            # whole numbers below 2**53: exact in float64
            pairs[:, cluster] = np.bincount(of_correct, weights=of_score[score], minlength=count)
    correct, incorrect = (np.bincount(part, minlength=count) for part in (of_correct, of_incorrect))
    return ClusterPairs(correct, incorrect, lost, tied)
