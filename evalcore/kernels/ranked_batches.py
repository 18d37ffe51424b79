"""A batch of cases, with or without weights, and the intervals that it comes to.

Weights carry the labels in their signs: those of negatives are negative, and none is zero.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from evalcore.kernels.argsort import descending
from evalcore.kernels.blocks import blocks, map_parts
from evalcore.kernels.cut_search import CutSearch
from evalcore.kernels.ordering import Ordering, sort
from evalcore.kernels.rounded_sums import sums_at, sums_of_classes
from evalcore.kernels.runs import run_starts
from evalcore.kernels.score_bins import NO_INTERVALS, ScoreIntervals, points_of, score_cells, together
from evalcore.kernels.threshold_counts import rounded_up
from evalcore.kernels.threshold_points import counted_points, distinct_scores
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray

T = TypeVar("T")
_PIECE = 1 << 19
"""Cases at once: fewer pay for as many cells, and more leave the cache."""
_MANY_POINTS, _POINTS_OF_A_CELL = 1 << 14, 16
"""From so many points of a sample on, so many share the weight of a cell: that takes a fifth of the time."""


class RankedBatch(Protocol):
    """Cases as intervals of any fineness."""

    def fits(self, capacity: int) -> bool:
        """Whether there are at most so many distinct scores.  O(n), with weights O(n log n)."""

    @property
    def points(self) -> ScoreIntervals:
        """Each distinct score as an interval of its own.  O(n)."""

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """Return the intervals between each cut, (c,) ascending, and the next.  O(n + c)."""

    def sample(self, size: int) -> ScoreIntervals:
        """Return about so many points, with equally many cases between them.  O(size), with weights O(n).

        Their weights are estimates: those of many points may come from cells that several of them share equally.
        """


class CountedBatch(NamedTuple):
    """Cases without weights."""

    ordering: Ordering

    def fits(self, capacity: int) -> bool:
        """As `RankedBatch` says."""
        return distinct_scores(self.ordering.keys) <= capacity

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


class WeightedBatch:
    """Cases with weights.  They are sorted in pieces, and only where a few cuts do not tell their cells.

    scores: (n,) without NaN; weights: (n,) int64 or float64, signed.

    >>> batch = WeightedBatch(np.array([0.5, 0.9, 0.5]), np.array([2, -3, 1]))
    >>> batch.points
    ScoreIntervals(low=array([0.5, 0.9]), high=array([0.5, 0.9]), positives=array([3, 0]), negatives=array([0, 3]), \
roundings=0)
    """

    def __init__(self, scores: ScoreArray, weights: AnyArray) -> None:
        self._size = scores.size
        self._scores = scores
        self._weight_type = weights.dtype
        self._pieces = [(scores[start : start + _PIECE], weights[start : start + _PIECE]) for start in self._starts]

    def fits(self, capacity: int) -> bool:
        """As `RankedBatch` says."""
        # of most data a few cases tell
        if any(np.unique(scores[: 2 * capacity]).size > capacity for scores, _ in self._pieces[:1]):
            return False
        return run_starts(self._rising).size <= capacity

    @property
    def points(self) -> ScoreIntervals:
        """As `RankedBatch` says."""
        pieces = self._map(lambda scores, weights: _runs(scores, weights, run_starts(scores)), self._ranked)
        return together(NO_INTERVALS, *pieces)

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """As `RankedBatch` says."""
        rising = self._rising
        rounded = rounded_up(cuts, rising.dtype)
        # Weights find their cells from where they are: to sort them along would take half as long again.
        search = CutSearch(rounded) if self._size > cuts.size > 0 else rounded
        sums, counts = np.zeros(2 * cuts.size + 2, self._weight_type), np.zeros(cuts.size + 1, np.int64)
        roundings = 0
        pieces = self._map(lambda scores, weights: _sums_of_cells(scores, weights, search), self._pieces)
        for found, sizes, most in pieces:
            sums += found
            counts += sizes
            roundings = max(roundings, most and most + len(pieces))
        filled = np.flatnonzero(counts)
        stops = np.cumsum(counts[filled])
        low, high = (rising[ranks].astype(np.float64) + 0.0 for ranks in (stops - counts[filled], stops - 1))
        return ScoreIntervals(low, high, sums[::2][filled], sums[1::2][filled], roundings)

    def sample(self, size: int) -> ScoreIntervals:
        """As `RankedBatch` says."""
        scores = self._rising[:: max(self._size // size, 1)].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        cuts = scores[:: _POINTS_OF_A_CELL if scores.size > _MANY_POINTS else 1]
        cells = self.cells(cuts[run_starts(cuts)][1:])
        found = cells.low.searchsorted(scores, side="right") - 1
        points = np.bincount(found, minlength=cells.low.size)
        positives, negatives = ((sums / points)[found] for sums in (cells.positives, cells.negatives))
        return together(ScoreIntervals(scores, scores, positives, negatives, cells.roundings + 1))

    @property
    def _starts(self) -> range:
        return range(0, self._size, _PIECE)

    @cached_property
    def _rising(self) -> ScoreArray:
        """All scores, ascending, (n,)."""
        rising = self._scores.copy()
        sort(rising)
        return rising

    @cached_property
    def _ranked(self) -> list[tuple[FloatArray, AnyArray]]:
        """Scores and weights of each piece, best first."""
        return self._map(_sorted, self._pieces)

    def _map(self, task: Callable[[Any, AnyArray], T], pieces: Sequence[tuple[Any, AnyArray]]) -> list[T]:
        """Call a task with scores and weights of each piece."""
        return map_parts(lambda piece: task(*piece), list(pieces), self._size)


def _sorted(scores: ScoreArray, weights: AnyArray) -> tuple[FloatArray, AnyArray]:
    order = descending(scores)
    return scores.take(order).astype(np.float64) + 0.0, weights.take(order)  # -0.0 becomes 0.0


def _runs(scores: FloatArray, weights: AnyArray, starts: IntArray) -> ScoreIntervals:
    """Return the intervals from each start to the next, lowest first; scores: (n,) falling."""
    ends = np.append(starts[1:], scores.size)
    positives, negatives, roundings = sums_of_classes(weights, starts)
    falling = scores[ends - 1], scores[starts], positives, negatives
    return ScoreIntervals._make([*(column[::-1] for column in falling), roundings])


def _sums_of_cells(
    scores: ScoreArray, weights: AnyArray, search: CutSearch | ScoreArray
) -> tuple[AnyArray, IntArray, int]:
    """Return the weights of the positives and of the negatives in each cell by turns, its cases, and the roundings.

    O(n + c).

    search: for the cells, or the cuts.
    """
    sides = np.empty(scores.size, np.int64)
    for block in blocks(scores.size, width=2):
        found = search.searchsorted(scores[block], side="right")
        found += found
        np.subtract(found, weights[block].view(np.int64) >> 63, out=sides[block])  # 1 more where the sign bit is set
    counts = np.bincount(sides, minlength=2 * search.size + 2)
    sums, roundings = sums_at(np.abs(weights), sides, counts.size, int(counts.max()))
    return sums, counts[::2] + counts[1::2], roundings
