"""A batch of cases in order of their scores, with or without weights, and the intervals that it comes to.

Weights carry the labels in their signs: those of negatives are negative, and none is zero.
"""

from typing import NamedTuple, Protocol

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.ordering import Ordering
from evalcore.kernels.rounded_sums import sums_of_runs
from evalcore.kernels.runs import run_starts
from evalcore.kernels.score_bins import NO_INTERVALS, ScoreIntervals, points_of, score_cells
from evalcore.kernels.threshold_points import counted_points, distinct_scores
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray


class RankedBatch(Protocol):
    """Sorted cases, as intervals of any fineness."""

    @property
    def distinct(self) -> int:
        """Number of distinct scores.  O(n)."""

    @property
    def points(self) -> ScoreIntervals:
        """Each distinct score as an interval of its own.  O(n)."""

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """Return the intervals between each cut, (c,) ascending, and the next.  O(n + c)."""

    def sample(self, size: int) -> ScoreIntervals:
        """Return about so many points, with equally many cases between them.  O(size), with weights O(n)."""


class CountedBatch(NamedTuple):
    """Cases without weights."""

    ordering: Ordering

    @property
    def distinct(self) -> int:
        """As `RankedBatch` says."""
        return distinct_scores(self.ordering.keys)

    @property
    def points(self) -> ScoreIntervals:
        """As `RankedBatch` says."""
        return points_of(counted_points(self.ordering))

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """As `RankedBatch` says."""
        return score_cells(self.ordering, cuts)

    def sample(self, size: int) -> ScoreIntervals:
        """As `RankedBatch` says."""
        keys, code = self.ordering
        step = max(keys.size // size, 1)
        found = points_of(counted_points(Ordering(keys[::step], code)))
        return found._replace(positives=found.positives * step, negatives=found.negatives * step)


class WeightedBatch(NamedTuple):
    """Cases with weights."""

    scores: FloatArray
    """Shape (n,), falling."""
    weights: AnyArray
    """Shape (n,), int64 or float64, signed."""

    @property
    def distinct(self) -> int:
        """As `RankedBatch` says."""
        return run_starts(self.scores).size

    @property
    def points(self) -> ScoreIntervals:
        """As `RankedBatch` says."""
        return self._runs(run_starts(self.scores))

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """As `RankedBatch` says."""
        starts = self.scores.size - self.scores[::-1].searchsorted(cuts[::-1])
        edges = np.concatenate([[0], starts, [self.scores.size]])
        return self._runs(edges[:-1][edges[1:] > edges[:-1]])

    def sample(self, size: int) -> ScoreIntervals:
        """As `RankedBatch` says."""
        ranks = np.arange(0, self.scores.size, max(self.scores.size // size, 1))
        found = self._runs(ranks)
        points = found._replace(low=found.high)
        return points.joined(run_starts(points.low))

    def _runs(self, starts: IntArray) -> ScoreIntervals:
        """Return the intervals from each start to the next, ascending."""
        if starts.size == 0:
            return NO_INTERVALS
        rising = slice(None, None, -1)
        ends = np.append(starts[1:], self.scores.size)
        positives, roundings = sums_of_runs(np.maximum(self.weights, 0), starts)
        negatives, _ = sums_of_runs(np.maximum(-self.weights, 0), starts)
        # a whole weight above 2**53 among others was rounded before
        roundings += self.weights.dtype.kind == "f"
        low, high = self.scores[ends - 1], self.scores[starts]
        return ScoreIntervals(low[rising], high[rising], positives[rising], negatives[rising], roundings)


def ranked_weights(scores: ScoreArray, weights: AnyArray) -> WeightedBatch:
    """Sort cases by descending score.  scores: (n,) without NaN; weights: (n,) signed.  O(n log n).

    >>> ranked_weights(np.array([0.5, 0.9]), np.array([2, -3])).weights
    array([-3,  2])
    """
    order = descending(scores)
    # score and weight of a case travel as one number, so that a single gather fetches both
    rows = np.empty(scores.size, np.complex128)
    columns = rows.view(weights.dtype).reshape(-1, 2)
    ranked, ranked_columns = np.empty(scores.size), np.empty_like(weights)

    def join(block: slice) -> None:
        np.add(scores[block], 0.0, out=rows.real[block])  # -0.0 becomes 0.0
        columns[block, 1] = weights[block]

    def part(block: slice) -> None:
        gathered = rows.take(order[block], mode="clip")
        ranked[block] = gathered.real
        ranked_columns[block] = gathered.view(weights.dtype)[1::2]

    map_blocks(join, scores.size)
    map_blocks(part, scores.size)
    return WeightedBatch(ranked, ranked_columns)
