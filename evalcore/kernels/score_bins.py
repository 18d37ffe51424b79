"""Intervals of scores with counts: of each case only the two scores between which it lies are known.

An interval whose ends are one score is a point: there everything is known.  Whatever compares pairs of cases, or
rises with the positives and falls with the negatives above a threshold, is least where each positive stands at the low
end of its interval and each negative at the high end, and largest the other way round.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.kernels.blocks import blocks, map_parts
from evalcore.kernels.ordering import Ordering
from evalcore.kernels.ratios import ratio
from evalcore.kernels.rounded_sums import is_whole, sums_of_runs, total
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import correct_bits, run_starts
from evalcore.kernels.score_counts import ScoreCounts, score_counts, sum_of_products
from evalcore.kernels.threshold_points import ThresholdPoints
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray

_HEAVY = 4
"""A score with this many times the mass of a cell gets a cell of its own."""
_CROWDED = 1.5
"""Cells with this many times the doubt of cells of equal mass are cut again."""


@equal_by_content
class ScoreIntervals(NamedTuple):
    """Intervals in the order of their low ends, and the cases in them."""

    low: FloatArray
    """Shape (k,), ascending."""
    high: FloatArray
    """Shape (k,), none below its low."""
    positives: AnyArray
    """Shape (k,), int64, or float64 where some weight is no whole number."""
    negatives: AnyArray
    """Shape (k,), of the same type; with the positives above zero."""
    roundings: int = 0
    """Each sum is the exact one but for so many roundings, each by 2**-53 of it at most; 0 of whole numbers."""

    @property
    def whole(self) -> bool:
        """Whether the sums are whole numbers, and exact.  O(1)."""
        return is_whole(self.positives)

    @property
    def size(self) -> int | float:
        """Cases in all of them, or the sum of their weights.  O(k)."""
        return total(self.positives) + total(self.negatives)

    @property
    def columns(self) -> tuple[AnyArray, ...]:
        """All that has a row for each interval.  O(1)."""
        return self[:4]

    @property
    def in_floats(self) -> "ScoreIntervals":
        """The same with sums in float64; those above 2**53 are rounded.  O(k)."""
        if not self.whole:
            return self
        positives, negatives = self.positives.astype(np.float64), self.negatives.astype(np.float64)
        return self._replace(positives=positives, negatives=negatives, roundings=1)

    def divided_by(self, size: float) -> "ScoreIntervals":
        """Return the same with fractions of a sum of weights.  O(k)."""
        positives, negatives = (np.asarray(ratio(sums, size)) for sums in (self.positives, self.negatives))
        return self._replace(positives=positives, negatives=negatives, roundings=self.roundings + 1)

    def scaled(self, positives_by: float, negatives_by: float) -> "ScoreIntervals":
        """Return the same with sums of weights that are so many times as large.  O(k)."""
        positives, negatives = self.positives * positives_by, self.negatives * negatives_by
        return self._replace(positives=positives, negatives=negatives, roundings=self.in_floats.roundings + 2)

    @property
    def are_points(self) -> bool:
        """Whether all of them are points.  O(k)."""
        return bool(np.all(self.low == self.high))

    @property
    def worst(self) -> ScoreCounts:
        """Counts with every positive at the low end of its interval, every negative at the high end.  O(k log k)."""
        return self._arranged(self.low, self.high)

    @property
    def best(self) -> ScoreCounts:
        """Counts with every positive at the high end of its interval, every negative at the low end.  O(k log k)."""
        return self._arranged(self.high, self.low)

    @property
    def certain(self) -> ScoreCounts:
        """Counts at the scores that no interval straddles: what is at or above each of them is known.  O(k)."""
        clear = np.ones(self.low.size, np.bool_)
        clear[1:] = np.maximum.accumulate(self.high[:-1]) < self.low[1:]
        joined = self.joined(np.flatnonzero(clear))
        return ScoreCounts(joined.low[::-1], joined.positives[::-1], joined.negatives[::-1])

    @property
    def doubtful_pairs(self) -> int | float:
        """Pairs of a positive and a negative in one interval that is no point, or their weights.  O(k)."""
        wide = self.low < self.high
        return sum_of_products(self.positives[wide], self.negatives[wide])

    def at(self, chosen: BoolArray) -> "ScoreIntervals":
        """Return the intervals of a mask, (k,) bool.  O(k)."""
        return ScoreIntervals._make([*(column[chosen] for column in self.columns), self.roundings])

    def joined(self, starts: IntArray) -> "ScoreIntervals":
        """Join neighbours from each start to the next; starts: (g,) ascending, the first 0.  O(k)."""
        if starts.size in (0, self.low.size):
            return self
        positives, roundings = sums_of_runs(self.positives, starts)
        negatives, _ = sums_of_runs(self.negatives, starts)
        highest = np.maximum.reduceat(self.high, starts)
        return ScoreIntervals(self.low[starts], highest, positives, negatives, self.roundings + roundings)

    def _arranged(self, positives_at: FloatArray, negatives_at: FloatArray) -> ScoreCounts:
        with_positives, with_negatives = self.positives > 0, self.negatives > 0
        positives, negatives = self.positives[with_positives], self.negatives[with_negatives]
        return score_counts(
            np.concatenate([positives_at[with_positives], negatives_at[with_negatives]]),
            np.concatenate([positives, np.zeros_like(negatives)]),
            np.concatenate([np.zeros_like(positives), negatives]),
        )


NO_INTERVALS = ScoreIntervals(np.empty(0), np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


def points_of(points: ThresholdPoints) -> ScoreIntervals:
    """Return the counts at each distinct score, below 2**53, as intervals that are points.  O(p)."""
    rising = slice(None, None, -1)
    scores = points.scores[rising].astype(np.float64)
    positives, negatives = (np.diff(sums, prepend=0.0)[rising].astype(np.int64) for sums in (points.tp, points.fp))
    return ScoreIntervals(scores, scores, positives, negatives)


def together(*sets: ScoreIntervals) -> ScoreIntervals:
    """Merge sets of intervals into one order; points of equal score become one.  O(k), for sorted runs merge."""
    if len({intervals.whole for intervals in sets}) > 1:
        sets = tuple(intervals.in_floats for intervals in sets)
    columns = [np.concatenate(column) for column in zip(*(each.columns for each in sets), strict=True)]
    order = columns[0].argsort(kind="stable")
    roundings = max(intervals.roundings for intervals in sets)
    both = ScoreIntervals._make([*(column[order] for column in columns), roundings])
    return both.joined(run_starts(both.low, both.high))


def in_cells(intervals: ScoreIntervals, cuts: FloatArray) -> ScoreIntervals:
    """Join the intervals whose low ends lie between the same ascending cuts, (c,).  O(k log c)."""
    cells = cuts.searchsorted(intervals.low, side="right")
    return intervals.joined(run_starts(cells))


def cut_points(intervals: ScoreIntervals, capacity: int) -> FloatArray:
    """Choose cuts for at most `capacity` cells, with about equal fractions of positives plus of negatives.

    intervals: not empty; capacity: at least 4.  A point of four times that mass becomes a cell of its own, and so does
    an interval that spans as much of the others: whatever shared its cell would be known no better.
    Returns (c,) float64, ascending, c < capacity.  O(k log k).

    >>> points = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    >>> cut_points(ScoreIntervals(points, points, np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 1, 0, 0, 0])), 4)
    array([0.3, 0.5])
    """
    mass = _masses(intervals)
    alone = (intervals.low == intervals.high) & are_heavy(intervals, capacity)
    alone[_spanning(intervals, capacity)] = True
    others = np.where(alone, 0.0, mass)
    before = np.cumsum(others) - others
    # a cell that stands alone takes one, and may end one before it
    cells = np.floor(np.asarray(ratio(before * (capacity - 2 * int(alone.sum()) - 1), others.sum())))
    new = np.zeros(mass.size, np.bool_)
    new[1:] = (cells[1:] > cells[:-1]) & ~alone[1:]
    with np.errstate(over="ignore", under="ignore"):  # next to the largest number is infinity, to 0 the smallest
        behind = np.nextafter(intervals.low[alone], np.inf)
    cuts = np.concatenate([intervals.low[new | alone], behind])
    return np.unique(cuts[cuts > intervals.low[0]])


def _spanning(intervals: ScoreIntervals, capacity: int) -> IntArray:
    """List the intervals that span most other mass, of four cells at least: an eighth of the capacity."""
    upto = np.cumsum(_masses(intervals))
    spans = upto[intervals.low.searchsorted(intervals.high, side="right") - 1] - upto
    wide = np.flatnonzero(spans * capacity >= _HEAVY * upto[-1])
    return wide[np.argsort(-spans[wide], kind="stable")][: capacity // 8]


def are_heavy(intervals: ScoreIntervals, capacity: int) -> BoolArray:
    """Return a mask of the intervals with at least four times the mass of one of `capacity` equal cells.  O(k)."""
    mass = _masses(intervals)
    return np.asarray(mass * capacity >= _HEAVY * mass.sum())


def _masses(intervals: ScoreIntervals) -> FloatArray:
    """Fractions of the positives plus fractions of the negatives."""
    mass = np.zeros(intervals.low.size)
    for sums in (intervals.positives, intervals.negatives):
        mass += np.asarray(ratio(sums, total(sums) or 1))
    return mass


def is_crowded(cells: ScoreIntervals, added: ScoreIntervals, capacity: int) -> bool:
    """Whether the added intervals lie in so few cells that other cuts would resolve them much better.

    added: what was added, joined in cells; the cells hold it already.  Its part of the doubt, by its number of cases,
    is compared with the doubt that `capacity` equal cells leave.  O(k).
    """
    if not cells.whole:  # products of weights might leave float64
        cells, added = (part.divided_by(cells.size) for part in (cells, added))
    allowed = _CROWDED * total(cells.positives) * total(cells.negatives)
    causes = added.doubtful_pairs * capacity * cells.size > allowed * added.size
    return causes and cells.doubtful_pairs * capacity > allowed


class _Counted(NamedTuple):
    """What one block knows of the cuts that end in it."""

    at_or_above: IntArray
    """Cases at or above each cut."""
    correct: IntArray
    """The correct of those that are in the block."""
    correct_in_all: int
    """Correct cases of the whole block."""


def score_cells(ordering: Ordering, cuts: FloatArray) -> ScoreIntervals:
    """Return the cases between each cut and the next, as intervals from their lowest to their highest score.

    ordering: of n cases; cuts: (c,) ascending, each the lowest score of its cell.  Empty cells are left out.
    O(n + c), since each block of sorted scores is searched for the cuts near it; one block of memory for each thread.

    >>> from evalcore.kernels.ordering import order
    >>> ordering = order(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    >>> score_cells(ordering, np.array([0.5]))
    ScoreIntervals(low=array([0.1, 0.5]), high=array([0.1, 0.9]), positives=array([0, 2]), negatives=array([1, 1]), \
roundings=0)
    """
    keys, code = ordering
    if keys.size == 0:
        return NO_INTERVALS
    parts = list(blocks(keys.size))
    heads = code.unpack(keys[[part.start for part in parts]])
    # the cuts of a block are those between its highest score and the highest of the next block
    ends = cuts.searchsorted(heads, side="right").tolist()
    ends[0] = cuts.size  # those above all scores too
    starts = [*ends[1:], 0]

    def count(part: tuple[slice, int, int]) -> _Counted:
        block, start, end = part
        mask = correct_bits(keys[block])
        at_or_above = mask.size - code.unpack(keys[block])[::-1].searchsorted(cuts[start:end])
        counts = np.concatenate([[0], running_counts(mask)])
        return _Counted(at_or_above + block.start, counts[at_or_above], int(counts[-1]))

    counted = map_parts(count, list(zip(parts, starts, ends, strict=True)), keys.size)
    before = list(accumulate((part.correct_in_all for part in counted), initial=0))
    correct = [part.correct + known for part, known in zip(counted, before, strict=False)]
    return _between(
        ordering,
        # the last block holds the lowest cuts
        np.concatenate([[keys.size], *(part.at_or_above for part in reversed(counted)), [0]]),
        np.concatenate([[before[-1]], *reversed(correct), [0]]),
    )


def _between(ordering: Ordering, at_or_above: IntArray, correct: IntArray) -> ScoreIntervals:
    """Return the cells between falling numbers of cases at or above a cut, of which `correct` are correct."""
    filled = at_or_above[1:] < at_or_above[:-1]
    ends, starts = at_or_above[:-1][filled], at_or_above[1:][filled]
    positives = (correct[:-1] - correct[1:])[filled]
    low, high = (ordering.scores(ranks).astype(np.float64, copy=False) for ranks in (ends - 1, starts))
    return ScoreIntervals(low, high, positives, ends - starts - positives)
