"""Pairs of a correct and an incorrect case of clusters: ROC areas of resamples of whole clusters follow from them."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.bootstrap_draws import RankedCases
from evalcore.kernels.pairs import PairCounts
from evalcore.typing import IntArray


class ClusterPairs(NamedTuple):
    """Pairs of a correct case of one of g clusters and an incorrect case of another, or of the same."""

    sizes: IntArray
    """Correct and incorrect cases of each cluster, shape (2, g)."""
    pairs: IntArray
    """Of a correct case of cluster i and an incorrect one of j, shape (2, g, g): in which the correct one stands below
    or beside, and those among them in which it stands beside."""

    def drawn(self, counts: IntArray) -> tuple[PairCounts, int]:
        """Count the pairs and the incorrect cases of a resample; counts: (g,), how often each cluster is drawn.  O(g²).

        Exact while the pairs stay below 2**63.
        """
        correct, incorrect = (self.sizes @ counts).tolist()
        return PairCounts(correct, *(self.pairs @ counts @ counts).tolist()), incorrect


def cluster_pairs(ranked: RankedCases, clusters: IntArray, count: int) -> ClusterPairs:
    """Count the pairs of each two clusters; clusters: (n,) of 0 .. count-1, of the cases of `ranked.rows`.  O(n count).

    >>> from evalcore.kernels.bootstrap_draws import ranked_cases
    >>> ranked = ranked_cases(np.array([0.9, 0.5, 0.5]), np.array([False, True, False]))
    >>> cluster_pairs(ranked, np.array([1, 0, 1]), 2).pairs[0]  # the correct case, of 1, is below 0's and beside 1's
    array([[0, 0],
           [1, 1]])
    """
    of_correct, of_incorrect = clusters[: ranked.correct], clusters[ranked.correct :]
    score = np.repeat(np.arange(ranked.tp.size), np.diff(ranked.tp, prepend=0))  # of each correct case
    before = np.concatenate([[0], ranked.fp[:-1]])
    pairs = np.empty((2, count, count), np.int64)
    sums = np.zeros(of_incorrect.size + 1, np.int64)
    for cluster in range(count):
        np.cumsum(of_incorrect == cluster, out=sums[1:])
        through = sums[ranked.fp]
        for index, of_score in enumerate((through, through - sums[before])):
            # whole numbers below 2**53: exact in float64
            pairs[index, :, cluster] = np.bincount(of_correct, weights=of_score[score], minlength=count)
    sizes = np.array([np.bincount(part, minlength=count) for part in (of_correct, of_incorrect)])
    return ClusterPairs(sizes, pairs)
