"""Distinct scores with the positives and negatives that have them: what cases come down to in exact arithmetic.

Counts are int64 and add up to 2**62 at most; sums of their products are Python's integers.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.operating_points import OperatingPoints
from evalcore.kernels.pairs import PairCounts
from evalcore.kernels.runs import run_starts
from evalcore.typing import FloatArray, IntArray

_FIT_INT64 = 1 << 62
_DIGIT = 21
_LARGEST_DIGIT = (1 << _DIGIT) - 1


class ScoreCounts(NamedTuple):
    """Cases of each distinct score, highest first."""

    scores: FloatArray
    """Shape (p,), falling."""
    positives: IntArray
    """Shape (p,)."""
    negatives: IntArray
    """Shape (p,)."""

    @property
    def tp(self) -> IntArray:
        """Positives at or above each score, shape (p,).  O(p)."""
        return np.cumsum(self.positives)

    @property
    def fp(self) -> IntArray:
        """Negatives at or above each score, shape (p,).  O(p)."""
        return np.cumsum(self.negatives)

    @property
    def points(self) -> OperatingPoints:
        """The operating points of the scores that hold a positive.  O(p)."""
        return OperatingPoints(self.tp, self.fp).at(self.positives > 0)

    @property
    def pairs(self) -> PairCounts:
        """Pairs of a positive and a negative, exactly.  O(p)."""
        lost = sum_of_products(self.positives, self.fp)
        return PairCounts(int(self.positives.sum()), lost, sum_of_products(self.positives, self.negatives))

    def at_or_above(self, threshold: float) -> tuple[int, int]:
        """Count the positives and the negatives with at least this score.  O(p)."""
        at_or_above_it = self.scores >= threshold
        return int(self.positives[at_or_above_it].sum()), int(self.negatives[at_or_above_it].sum())


def score_counts(scores: FloatArray, positives: IntArray, negatives: IntArray) -> ScoreCounts:
    """Sort counts at scores, and add up those of equal scores.

    scores: (n,) float64, no NaN, in any order; positives, negatives: (n,) int64, or float64 weights, both 0 of no
    entry.  O(n log n).
    """
    order = descending(scores)
    ranked = scores[order]
    starts = run_starts(ranked)
    if starts.size == 0:
        return ScoreCounts(ranked, positives[order], negatives[order])
    return ScoreCounts(
        ranked[starts], np.add.reduceat(positives[order], starts), np.add.reduceat(negatives[order], starts)
    )


def sum_of_products(first: IntArray, second: IntArray) -> int:
    """Return Σ a_i b_i of (n,) counts up to 2**62, exactly.  O(n)."""
    if first.size == 0:
        return 0
    if int(first.sum()) * int(second.max()) < _FIT_INT64:
        return int(np.sum(first * second))
    return sum(map_blocks(lambda block: _sum_of_long_products(first[block], second[block]), first.size))


def _sum_of_long_products(first: IntArray, second: IntArray) -> int:
    """Return Σ a_i b_i of at most 2**20 counts: products of 21 bits by 21 bits add up within 62 bits.  O(n)."""
    return sum(int(np.sum(a * b)) << low + high for low, a in _digits(first) for high, b in _digits(second))


def _digits(counts: IntArray) -> list[tuple[int, IntArray]]:
    """Return the digits of counts to the base 2**21, each with the power of two of its place.  O(n)."""
    return [(low, (counts >> low) & _LARGEST_DIGIT) for low in range(0, int(counts.max()).bit_length(), _DIGIT)]
