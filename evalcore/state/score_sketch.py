"""A sketch of the scores and labels of any number of cases in constant memory: a bounded number of intervals.

While the distinct scores are few, each is an interval of its own and nothing is lost.  Beyond that, cuts part the
scores into cells, and of a cell only the counts and the lowest and the highest score are kept.
"""

import copy
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.kernels import bins
from evalcore.kernels.sorting import order
from evalcore.state.cases import WaitingCases, weight_of
from evalcore.typing import AnyArray, FloatArray, ScoreArray

_WAITING = 1 << 21
"""Cases that are sorted at once: many for each cell, so that cuts learnt from them fit those to come."""
_CASES_FOR_A_CELL = 4
"""Sorted cases between two cuts that are learnt from them: so their masses differ by a quarter at most."""


class ScoreCells(NamedTuple):
    """Intervals of scores, and the cuts between them."""

    capacity: int
    """The maximum number of intervals."""
    cuts: FloatArray | None
    """Lowest scores of the cells but the first, ascending, read-only; None where none were given or learnt."""
    given: bool
    """Whether the cuts were given, and stay; otherwise they move where many scores fall into few cells."""
    intervals: bins.ScoreIntervals

    @property
    def parted(self) -> bool:
        """Whether there were more distinct scores than the capacity: then some cell has more than one.  O(k)."""
        return not self.intervals.are_points

    def with_cases(self, batch: bins.RankedBatch) -> "ScoreCells":
        """Return these cells with sorted cases.  O(n + k)."""
        if not self.parted and batch.fits(self.capacity):
            return self.with_intervals(batch.points)
        if self.cuts is None:
            # from a sample of sorted cases, four for each cell, which costs less than all of them
            sample = batch.sample(_CASES_FOR_A_CELL * self.capacity)
            return self._cut_at(bins.cut_points(bins.together(self.intervals, sample), self.capacity)).with_cases(batch)
        return self._filled(batch.cells(self.cuts), lambda: batch.points)

    def with_intervals(self, added: bins.ScoreIntervals) -> "ScoreCells":
        """Return these cells with the cases of some intervals.  O(k).

        >>> cells = ScoreCells(4, None, False, bins.NO_INTERVALS)
        >>> for score in 0.1, 0.2, 0.3, 0.4, 0.5:
        ...     one = np.array([score]), np.array([score]), np.array([1]), np.array([1])
        ...     cells = cells.with_intervals(bins.ScoreIntervals(*one))
        >>> cells.parted, cells.cuts, cells.intervals.positives
        (True, array([0.3, 0.5]), array([2, 2, 1]))
        """
        joined = bins.together(self.intervals, added)
        if joined.are_points and joined.low.size <= self.capacity:
            return self._replace(intervals=joined)
        if self.cuts is None:
            return self._cut_anew(joined)
        return self._filled(bins.in_cells(added, self.cuts), lambda: added)

    def with_cells(self, other: "ScoreCells") -> "ScoreCells":
        """Return these cells and others in one.  O(k).

        Cuts that were given stay; otherwise those of the side with more cases serve.  Without cases and cuts these
        cells take those of the others, given or not.
        """
        if self.cuts is None and not self.intervals.low.size and self.capacity == other.capacity:
            return other
        if self.given or not other.parted or (self.parted and self.intervals.size >= other.intervals.size):
            return self.with_intervals(other.intervals)
        base = other._replace(capacity=self.capacity, given=False)
        if other.cuts is not None and other.cuts.size >= self.capacity:
            base = base._cut_anew(base.intervals)
        return base.with_intervals(self.intervals)

    @property
    def flaw(self) -> str | None:
        """The first rule that these cells break, or None.  O(k)."""
        low, high, positives, negatives = self.intervals.columns
        if len({column.size for column in self.intervals.columns}) > 1:
            return "low, high, positives and negatives must have equal lengths"
        cuts = np.empty(0) if self.cuts is None else self.cuts
        cells = cuts.searchsorted(low, side="right") if self.parted else low
        rules = (
            (low.size <= self.capacity, f"intervals must be at most {self.capacity}, got {low.size}"),
            (np.all(low <= high), "low must be at most high, and neither may be NaN"),
            (np.all(low[1:] >= low[:-1]), "low must be ascending"),
            (np.all(cells[1:] > cells[:-1]), "intervals must not share a cell, nor points a score"),
            (np.all(positives >= 0) and np.all(negatives >= 0), "positives and negatives must not be negative"),
            (positives.dtype == negatives.dtype, "positives and negatives must be of one type"),
            (np.isfinite(positives).all() and np.isfinite(negatives).all(), "positives and negatives must be finite"),
            (np.all((positives > 0) | (negatives > 0)), "intervals must not be empty"),
            (self.cuts is not None or not (self.given or self.parted), "cells must have cuts between them"),
        )
        return next((text for holds, text in rules if not holds), None)

    def _filled(self, added: bins.ScoreIntervals, pieces: Callable[[], bins.ScoreIntervals]) -> "ScoreCells":
        """Add intervals to the cells; pieces: the same cases in the finest intervals that are known."""
        assert self.cuts is not None
        filled = bins.in_cells(bins.together(self.intervals, added), self.cuts)
        if self.given or not bins.is_crowded(filled, added, self.capacity):
            return self._replace(intervals=filled)
        # overfull cells are cut at the finest intervals; others stay whole, or their contents would overlap
        heavy = bins.are_heavy(filled, self.capacity)
        cells_to_cut = self.cuts.searchsorted(filled.low[heavy], side="right")
        finest = bins.together(self.intervals, pieces())
        in_them = np.isin(self.cuts.searchsorted(finest.low, side="right"), cells_to_cut)
        return self._cut_anew(bins.together(filled.at(~heavy), finest.at(in_them)))

    def _cut_anew(self, intervals: bins.ScoreIntervals) -> "ScoreCells":
        return self._replace(intervals=intervals)._cut_at(bins.cut_points(intervals, self.capacity))

    def _cut_at(self, cuts: FloatArray) -> "ScoreCells":
        cuts.flags.writeable = False
        return self._replace(cuts=cuts, intervals=bins.in_cells(self.intervals, cuts))


class ScoreSketch:
    """Cells of scores, the cases that are not yet in them, and the numbers of misses."""

    __slots__ = ("_arrangements", "_cells", "_settled", "_waiting", "misses", "negative_misses", "size")

    size: int | float
    """Cases with a score, or the sum of their weights."""
    _settled: ScoreCells | None
    _arrangements: tuple[bins.ScoreCounts, bins.ScoreCounts] | None

    def __init__(self, capacity: int, cuts: FloatArray | None) -> None:
        self.misses = 0
        self.negative_misses = 0
        self.restore(ScoreCells(capacity, cuts, cuts is not None, bins.NO_INTERVALS))

    @property
    def cells(self) -> ScoreCells:
        """Cells of all cases.  O(w log w + k) for w cases that waited, then O(1); asking changes no later answer."""
        if self._settled is None:
            self._settled = self._cells.with_cases(ranked_batch(self._waiting.labels, self._waiting.scores))
        return self._settled

    @property
    def arrangements(self) -> tuple[bins.ScoreCounts, bins.ScoreCounts]:
        """Counts in the worst and the best arrangement, the same object where all is known.  O(k log k), then O(1)."""
        if self._arrangements is None:
            intervals = self.cells.intervals
            worst = intervals.arranged(best=False)
            self._arrangements = worst, worst if intervals.are_points else intervals.arranged(best=True)
        return self._arrangements

    @property
    def capacity(self) -> int:
        """The maximum number of intervals."""
        return self._cells.capacity

    def extend(self, labels: AnyArray, scores: ScoreArray, weight: float | None = None) -> None:
        """Add cases.  O(n), and O(k) for each 2**21 cases.

        labels: (n,) bool, or weights, int64 or float64, those of negatives negative and none zero; scores: (n,) float32
        or float64; weight: the sum of the weights, if it is known.
        """
        end = _WAITING - self._waiting.size
        if scores.size < end:
            self._waiting.extend(labels, scores)
            self._settled = self._arrangements = None
            self.size += weight_of(labels) if weight is None else weight
            return
        cells = self._cells.with_cases(ranked_batch(*self._waiting.followed_by(labels[:end], scores[:end])))
        while scores.size - end >= _WAITING:
            part = slice(end, end + _WAITING)
            cells = cells.with_cases(ranked_batch(labels[part], scores[part]))
            end = part.stop
        waiting = WaitingCases()
        waiting.extend(labels[end:], scores[end:])
        self.restore(cells, waiting)  # at the end, all at once

    def settle(self) -> None:
        """Add the waiting cases to the cells now, and free their memory.  As `cells`.

        The cells that are cut again depend on the batch: many small ones make wider cells where scores drift.
        """
        self.restore(self.cells)

    def merge(self, other: "ScoreSketch") -> None:
        """Add the cases and misses of another state.  As `cells`."""
        self.restore(self.cells.with_cells(other.cells))
        self.misses += other.misses
        self.negative_misses += other.negative_misses

    def frozen(self) -> "ScoreSketch":
        """Return this state as it is now.  O(1)."""
        view = copy.copy(self)
        view._waiting = self._waiting.frozen()
        return view

    def restore(self, cells: ScoreCells, waiting: WaitingCases | None = None) -> None:
        """Replace all cases, also those that wait.  O(k)."""
        self._waiting = waiting or WaitingCases()
        self._cells = cells
        self._settled = None if self._waiting.size else cells
        self._arrangements = None
        self.size = cells.intervals.size + self._waiting.weight

    @property
    def whole(self) -> bool:
        """Whether all weights are whole, so that counts are exact.  O(1)."""
        return self._cells.intervals.whole and self._waiting.labels.dtype.kind != "f"

    @property
    def kept(self) -> tuple[ScoreCells, WaitingCases]:
        """Arguments of `restore`: cells, and the cases that are not yet in them.  O(1)."""
        return self._cells, self._waiting

    def _check(self) -> None:
        """Assert every invariant.  O(k + w log w)."""
        assert abs(self.size - self.cells.intervals.size) <= (0 if self.whole else 1e-12 * self.size)
        assert 0 <= self._waiting.size < _WAITING
        assert self.cells.flaw is None, self.cells.flaw


def ranked_batch(labels: AnyArray, scores: ScoreArray) -> bins.RankedBatch:
    """Return cases for `ScoreCells`; labels: Booleans, or signed weights.  O(n log n)."""
    return bins.CountedBatch(order(scores, labels)) if labels.dtype.kind == "b" else bins.WeightedBatch(scores, labels)
