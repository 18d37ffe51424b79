"""Distinct scores and intervals of scores, with the positives and negatives in them.

Counts are int64 and add up to 2**62 at most; sums of their products are Python's integers.  Sums of weights that are
not all whole are float64; `kernels.sums` bounds their rounding errors.  In batches, weights carry the labels in their
signs: those of negatives are negative, and none is zero.

An interval whose ends are one score is a point: there everything is known.  Whatever compares pairs of cases, or
rises with the positives and falls with the negatives above a threshold, is least where each positive stands at the low
end of its interval and each negative at the high end, and largest the other way round.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.kernels.blocks import blocks, map_parts, running_counts
from evalcore.kernels.pairs import sum_of_products
from evalcore.kernels.runs import Runs, correct_bits, rises, run_starts
from evalcore.kernels.sorting import Ordering, descending, sort
from evalcore.kernels.sums import is_whole, ratio, running_sums, sums_at, sums_of_classes, sums_of_runs, total
from evalcore.kernels.thresholds import ThresholdPoints, counted_points, distinct_scores, rounded_up
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


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
    return ScoreCounts(ranked[starts], *(sums_of_runs(side[order], starts)[0] for side in (positives, negatives)))


def runs_of_scores(positives: AnyArray, negatives: AnyArray) -> Runs:
    """Return the runs of a ranking from the positives and the negatives at each score, (p,), best first.  O(p).

    >>> runs = runs_of_scores(np.array([2, 0, 1]), np.array([0, 3, 1]))
    >>> runs.positives, runs.fp, runs.totals.tolist()
    (array([2, 1]), array([0, 4]), [[3], [4]])
    """
    tp, fp, whole = running_sums(positives), running_sums(negatives), is_whole(positives)
    after = None if whole else np.append(running_sums(negatives[::-1])[-2::-1], 0.0)
    totals = np.array([[total(positives)], [total(negatives)]], positives.dtype)
    return Runs(np.array([0, tp.size]), positives, negatives, tp, fp, totals, fp_after=after).held


def runs_of_points(tp: AnyArray, fp: AnyArray) -> Runs:
    """Return the runs of a ranking from the amounts at or above each score, (p,), best first.  O(p)."""
    return runs_of_scores(rises(tp), rises(fp))


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
    """The most roundings between each sum and the exact one, each by at most 2**-53 of it; 0 for whole numbers."""

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

    def scaled(self, positives_by: float, negatives_by: float) -> "ScoreIntervals":
        """Return the same with sums of weights multiplied by two factors.  O(k)."""
        positives, negatives = self.positives * positives_by, self.negatives * negatives_by
        return self._replace(positives=positives, negatives=negatives, roundings=self.in_floats.roundings + 2)

    @property
    def are_points(self) -> bool:
        """Whether all of them are points.  O(k)."""
        return bool(np.all(self.low == self.high))

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
        sides = self.positives[wide], self.negatives[wide]
        return sum_of_products(*sides) if self.whole else float(np.sum(sides[0] * sides[1]))

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

    def arranged(self, *, best: bool) -> ScoreCounts:
        """Return counts where every positive stands at one end of its interval, every negative at the other.

        best: whether positives stand at the high ends.  O(k log k).
        """
        ends = [self.high, self.low] if best else [self.low, self.high]
        zeros = np.zeros_like(self.positives)
        positives, negatives = np.append(self.positives, zeros), np.append(zeros, self.negatives)
        held = (positives > 0) | (negatives > 0)
        return score_counts(np.concatenate(ends)[held], positives[held], negatives[held])


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
    return intervals.joined(run_starts(cuts.searchsorted(intervals.low, side="right")))


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
        cells, added = (part.scaled(1 / cells.size, 1 / cells.size) for part in (cells, added))
    allowed = _CROWDED * total(cells.positives) * total(cells.negatives)
    causes = added.doubtful_pairs * capacity * cells.size > allowed * added.size
    return causes and cells.doubtful_pairs * capacity > allowed


def score_cells(ordering: Ordering, cuts: FloatArray) -> ScoreIntervals:
    """Return the cases between each cut and the next, as intervals from their lowest to their highest score.

    ordering: of n cases; cuts: (c,) ascending, each the lowest score of its cell.  Empty cells are left out.
    O(n + c), since each block of sorted scores is searched for the cuts near it; one block of memory for each thread.

    >>> from evalcore.kernels.sorting import order
    >>> ordering = order(np.array([0.9, 0.5, 0.5, 0.1]), np.array([True, True, False, False]))
    >>> score_cells(ordering, np.array([0.5]))
    ScoreIntervals(low=array([0.1, 0.5]), high=array([0.1, 0.9]), positives=array([0, 2]), negatives=array([1, 1]), \
roundings=0)
    """
    keys, code = ordering
    if keys.size == 0:
        return NO_INTERVALS
    parts = list(blocks(keys.size))
    # the cuts of a block are those between its highest score and the highest of the next block
    ends = cuts.searchsorted(code.unpack(keys[[part.start for part in parts]]), side="right").tolist()
    ends[0] = cuts.size  # those above all scores too
    starts = [*ends[1:], 0]

    def count(part: tuple[slice, int, int]) -> tuple[IntArray, IntArray, int]:
        block, start, end = part
        mask = correct_bits(keys[block])
        at_or_above = mask.size - code.unpack(keys[block])[::-1].searchsorted(cuts[start:end])
        counts = np.concatenate([[0], running_counts(mask)])
        return at_or_above + block.start, counts[at_or_above], int(counts[-1])

    counted = map_parts(count, list(zip(parts, starts, ends, strict=True)), keys.size)
    before = list(accumulate((part[2] for part in counted), initial=0))
    known = [part[1] + above for part, above in zip(counted, before, strict=False)]
    # falling numbers of cases at or above cuts, and the correct ones: the last block holds the lowest cuts
    at_or_above = np.concatenate([[keys.size], *(part[0] for part in reversed(counted)), [0]])
    correct = np.concatenate([[before[-1]], *reversed(known), [0]])
    filled = at_or_above[1:] < at_or_above[:-1]
    after, first = at_or_above[:-1][filled], at_or_above[1:][filled]
    positives = (correct[:-1] - correct[1:])[filled]
    low, high = (ordering.scores(ranks).astype(np.float64, copy=False) for ranks in (after - 1, first))
    return ScoreIntervals(low, high, positives, after - first - positives)


_BUCKETS_FOR_A_CUT = 4
_FEW = 2
"""Cuts in one bucket, at most: fewer would not be worth another table."""


class _Buckets(NamedTuple):
    """Buckets between two scores: all equally wide, or those of each octave."""

    low: Any
    """A finite number of the type of the scores, as `high`; where octaves count, it is not negative."""
    high: Any
    scale: Any
    """Buckets in a unit, of the type of the scores; for octaves an integer, the lowest bits that do not matter."""

    def of(self, scores: ScoreArray) -> IntArray:
        """Return the bucket of each score, (n,), which never falls as the score rises.  O(n)."""
        inside = np.clip(scores, self.low, self.high)
        if self.scale.dtype.kind == "f":
            inside -= self.low
            inside *= self.scale
            return inside.astype(np.int64)
        inside += 0  # -0.0 becomes 0.0
        patterns: IntArray = inside.view(self.scale.dtype)
        patterns -= self.low.view(self.scale.dtype)
        patterns >>= self.scale
        return patterns.astype(np.int64, copy=False)


class CutSearch:
    """Cuts of the type of the scores, (c,) ascending with c > 0, and how many of them are below each bucket.

    >>> CutSearch(np.array([0.25, 0.5])).searchsorted(np.array([0.1, 0.25, 0.7]))
    array([0, 1, 2])
    """

    def __init__(self, cuts: ScoreArray) -> None:
        cuts = cuts + cuts.dtype.type(0)  # -0.0 becomes 0.0
        finite = cuts[np.isfinite(cuts)]
        low, high = finite[[0, -1]] if finite.size else np.zeros(2, cuts.dtype)
        candidates = _candidates(low, high, _BUCKETS_FOR_A_CUT * cuts.size)
        tables = ((buckets, np.bincount(buckets.of(cuts))) for buckets in candidates)
        self.size = cuts.size
        self._buckets, counts = next(tables)
        if counts.max() > _FEW:
            self._buckets, counts = min([(self._buckets, counts), *tables], key=lambda table: int(table[1].max()))
        self._below = (np.cumsum(counts) - counts).astype(np.min_scalar_type(cuts.size))
        self._steps = [1 << bit for bit in reversed(range(int(counts.max()).bit_length()))]
        # no score is at or above NaN
        self._cuts = np.concatenate([cuts, np.full(2 * self._steps[0], np.nan, cuts.dtype)])

    def searchsorted(self, scores: ScoreArray, side: str = "right") -> IntArray:
        """Return how many cuts are at or below each score, (n,) without NaN.  O(n log m) for m cuts in one bucket."""
        cells = self._below.take(self._buckets.of(scores), mode="clip").astype(np.int64)
        for step in self._steps:
            above = scores >= self._cuts[step - 1 :].take(cells, mode="clip")
            cells += above * np.int64(step) if step > 1 else above
        return cells


def _candidates(low: Any, high: Any, count: int) -> Iterator[_Buckets]:
    """Yield about `count` buckets between two finite scores, first the ones that most often hold few cuts each."""
    with np.errstate(over="ignore", divide="ignore"):
        scale = np.asarray(count / (high - low), low.dtype)[()]
    if 0 < scale < np.inf:
        yield _Buckets(low, high, scale)
    whole = np.dtype(f"i{low.itemsize}")
    low, high = np.maximum([low, high], low.dtype.type(0))
    span = int(high.view(whole)) - int(low.view(whole))
    yield _Buckets(low, high, whole.type(max(span.bit_length() - count.bit_length(), 0)))


T = TypeVar("T")
_PIECE = 1 << 19
"""Cases at once: fewer pay for as many cells, and more leave the cache."""
_MANY_POINTS, _POINTS_OF_A_CELL = 1 << 14, 16
"""Points of a sample from which on several share the weight of a cell, and how many: that takes a fifth of the time."""


class CountedBatch(NamedTuple):
    """Cases without weights, as intervals of any fineness."""

    ordering: Ordering

    def fits(self, capacity: int) -> bool:
        """Say whether there are at most `capacity` distinct scores.  O(n), with weights O(n log n)."""
        return distinct_scores(self.ordering) <= capacity

    @property
    def points(self) -> ScoreIntervals:
        """Each distinct score as an interval of its own.  O(n)."""
        return points_of(counted_points(self.ordering))

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """Return the intervals between each cut, (c,) ascending, and the next.  O(n + c)."""
        return score_cells(self.ordering, cuts)

    def sample(self, size: int) -> ScoreIntervals:
        """Return about `size` points, with equally many cases between them.  O(size), with weights O(n).

        Their weights are estimates: those of many points may come from cells that several of them share equally.
        """
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
        starts = range(0, scores.size, _PIECE)
        self._pieces = [(scores[start : start + _PIECE], weights[start : start + _PIECE]) for start in starts]

    def fits(self, capacity: int) -> bool:
        """As `CountedBatch` says."""
        # of most data a few cases tell
        if any(np.unique(scores[: 2 * capacity]).size > capacity for scores, _ in self._pieces[:1]):
            return False
        return run_starts(self._rising).size <= capacity

    @property
    def points(self) -> ScoreIntervals:
        """As `CountedBatch` says."""
        return together(NO_INTERVALS, *map_parts(lambda piece: _points(*piece), self._pieces, self._size))

    def cells(self, cuts: FloatArray) -> ScoreIntervals:
        """As `CountedBatch` says."""
        rising = self._rising
        rounded = rounded_up(cuts, rising.dtype)
        # Weights find their cells from where they are: to sort them along would take half as long again.
        search = CutSearch(rounded) if self._size > cuts.size > 0 else rounded
        sums, counts = np.zeros(2 * cuts.size + 2, self._weight_type), np.zeros(cuts.size + 1, np.int64)
        roundings = 0
        pieces = map_parts(lambda piece: _cell_sums(*piece, search), self._pieces, self._size)
        for found, sizes, most in pieces:
            sums += found
            counts += sizes
            roundings = max(roundings, most and most + len(pieces))
        filled = np.flatnonzero(counts)
        stops = np.cumsum(counts[filled])
        low, high = (rising[ranks].astype(np.float64) + 0.0 for ranks in (stops - counts[filled], stops - 1))
        return ScoreIntervals(low, high, sums[::2][filled], sums[1::2][filled], roundings)

    def sample(self, size: int) -> ScoreIntervals:
        """As `CountedBatch` says."""
        scores = self._rising[:: max(self._size // size, 1)].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        cuts = scores[:: _POINTS_OF_A_CELL if scores.size > _MANY_POINTS else 1]
        cells = self.cells(cuts[run_starts(cuts)][1:])
        found = cells.low.searchsorted(scores, side="right") - 1
        points = np.bincount(found, minlength=cells.low.size)
        positives, negatives = ((sums / points)[found] for sums in (cells.positives, cells.negatives))
        return together(ScoreIntervals(scores, scores, positives, negatives, cells.roundings + 1))

    @cached_property
    def _rising(self) -> ScoreArray:
        """All scores, ascending, (n,)."""
        rising = self._scores.copy()
        sort(rising)
        return rising


RankedBatch: TypeAlias = CountedBatch | WeightedBatch


def _points(scores: ScoreArray, weights: AnyArray) -> ScoreIntervals:
    """Return each distinct score as an interval of its own, lowest first; weights: (n,) signed.  O(n log n)."""
    order = descending(scores)
    ranked = scores.take(order)
    starts = run_starts(ranked)
    rising = ranked[starts][::-1].astype(np.float64) + 0.0  # -0.0 becomes 0.0
    positives, negatives, roundings = sums_of_classes(weights.take(order), starts)
    return ScoreIntervals(rising, rising, positives[::-1], negatives[::-1], roundings)


def _cell_sums(scores: ScoreArray, weights: AnyArray, search: CutSearch | ScoreArray) -> tuple[AnyArray, IntArray, int]:
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
