"""Distinct scores with the positives and negatives that have them: what cases come down to in exact arithmetic.

Counts are int64 and add up to 2**62 at most; sums of their products are Python's integers.  Sums of weights that are
not all whole are float64; `kernels.rounded_sums` bounds their rounding errors.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.pairs import PairCounts, rises
from evalcore.kernels.rounded_sums import is_whole, running_sums, sums_of_runs, total
from evalcore.kernels.runs import Runs, run_starts
from evalcore.typing import AnyArray, FloatArray, IntArray

_FIT_INT64 = 1 << 62
_DIGIT = 21
_LARGEST_DIGIT = (1 << _DIGIT) - 1


class ScoreCounts(NamedTuple):
    """Cases of each distinct score, highest first."""

    scores: FloatArray
    """Shape (p,), falling."""
    positives: AnyArray
    """Shape (p,), int64 or float64."""
    negatives: AnyArray
    """Shape (p,), of the same type."""

    @property
    def whole(self) -> bool:
        """Whether they are whole numbers, and exact.  O(1)."""
        return is_whole(self.positives)

    @property
    def tp(self) -> AnyArray:
        """Positives at or above each score, shape (p,).  O(p)."""
        return running_sums(self.positives)

    @property
    def fp(self) -> AnyArray:
        """Negatives at or above each score, shape (p,).  O(p)."""
        return running_sums(self.negatives)

    def runs(self, misses: int = 0) -> Runs:
        """Return their runs; of weights with sums of at most 1, which have products.  O(p).

        misses: positives that were never retrieved.
        """
        positives, negatives, own = self.positives, self.negatives, np.array([[misses], [0]])
        if not self.whole:
            exponent = np.frexp(total(positives) / 2 + total(negatives) / 2 + misses)[1] + 1
            positives, negatives, own = (np.ldexp(each, -exponent) for each in (positives, negatives, own))
        found = runs_of_scores(positives, negatives)
        return found._replace(totals=found.totals + own)

    @property
    def pairs(self) -> PairCounts:
        """Pairs of a positive and a negative, exactly.  O(p)."""
        lost = int(sum_of_products(self.positives, self.fp))
        return PairCounts(int(self.positives.sum()), lost, int(sum_of_products(self.positives, self.negatives)))

    def at_threshold(self, threshold: float) -> tuple[int | float, int | float, int | float]:
        """Add up the positives with at least this score, those below it, and the negatives at or above it.  O(p)."""
        above = self.scores >= threshold
        return total(self.positives[above]), total(self.positives[~above]), total(self.negatives[above])


def score_counts(scores: FloatArray, positives: AnyArray, negatives: AnyArray) -> ScoreCounts:
    """Sort counts at scores, and add up those of equal scores.

    scores: (n,) float64, no NaN, in any order; positives, negatives: (n,) int64, or float64 weights, both 0 of no
    entry.  O(n log n).
    """
    order = descending(scores)
    ranked = scores[order]
    starts = run_starts(ranked)
    if starts.size == 0:
        return ScoreCounts(ranked, positives[order], negatives[order])
    return ScoreCounts(ranked[starts], *(sums_of_runs(side[order], starts)[0] for side in (positives, negatives)))


def runs_of_scores(positives: AnyArray, negatives: AnyArray) -> Runs:
    """Return the runs of a ranking from the positives and the negatives at each score, (p,), best first.  O(p).

    >>> runs = runs_of_scores(np.array([2, 0, 1]), np.array([0, 3, 1]))
    >>> runs.positives, runs.fp, runs.totals.tolist()
    (array([2, 1]), array([0, 4]), [[3], [4]])
    """
    held = np.flatnonzero(positives)
    tp, fp = (running_sums(sums)[held] for sums in (positives, negatives))
    fp_after = None
    if not is_whole(positives):
        fp_after = np.append(0.0, running_sums(negatives[::-1]))[positives.size - 1 - held]
    totals = np.array([[total(positives)], [total(negatives)]], positives.dtype)
    return Runs(np.array([0, held.size]), positives[held], negatives[held], tp, fp, totals, fp_after=fp_after)


def runs_of_points(tp: AnyArray, fp: AnyArray) -> Runs:
    """Return the runs of a ranking from the amounts at or above each score, (p,), best first.  O(p)."""
    return runs_of_scores(rises(tp), rises(fp))


def sum_of_products(first: AnyArray, second: AnyArray) -> int | float:
    """Return Σ a_i b_i of (n,) counts, exactly, in Python integers if it may not fit 62 bits; or of floats.  O(n)."""
    if first.size == 0:
        return 0
    if not is_whole(first):
        return float(np.sum(first * second))
    if int(first.sum()) * int(second.max()) < _FIT_INT64:
        return int(np.sum(first * second))
    return sum(map_blocks(lambda block: _sum_of_long_products(first[block], second[block]), first.size))


def _sum_of_long_products(first: IntArray, second: IntArray) -> int:
    """Return Σ a_i b_i of at most 2**20 counts: products of 21 bits by 21 bits add up within 62 bits.  O(n)."""
    return sum(int(np.sum(a * b)) << low + high for low, a in _digits(first) for high, b in _digits(second))


def _digits(counts: IntArray) -> list[tuple[int, IntArray]]:
    """Return the digits of counts to the base 2**21, each with the power of two of its place.  O(n)."""
    return [(low, (counts >> low) & _LARGEST_DIGIT) for low in range(0, int(counts.max()).bit_length(), _DIGIT)]
