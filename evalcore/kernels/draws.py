"""Resamples of scored cases, and of whole clusters: how often each is drawn, instead of the cases themselves.

The cases are sorted once.  What a resample has at or above each score are cumulative sums of counts over them.  For a
million cases a draw, its counts and its curve take less than sorting a million scores does.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.kernels.sorting import descending
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray

Draw: TypeAlias = Callable[[np.random.Generator], IntArray]
"""Returns how often each case is drawn, (n,) int64."""

_BLOCK = 1 << 16
"""Cases that a number of 16 bits tells apart."""
_ROWS_OF_EACH, _FEW_ROWS = 4, 1 << 20
"""More rows for each case, or in all, are drawn by how often each case comes up."""


class RankedCases(NamedTuple):
    """Cases in order of their scores, the correct ones apart, and the scores that a curve of any resample needs."""

    rows: IntArray
    """Indices of the correct cases, best first, and then of the incorrect ones, shape (n,)."""
    correct: int
    """Correct cases."""
    tp: IntArray
    """Correct cases at or above each score, shape (p,)."""
    fp: IntArray
    """Incorrect ones, shape (p,)."""
    scores: ScoreArray
    """Falling, shape (p,)."""

    def points(self, counts: AnyArray) -> ThresholdPoints:
        """Count at or above each score, int64; counts: (n,), how often the case of each of `rows` is drawn.  O(n).

        Or add up weights, of float64, that each of `rows` has.
        """
        sums = np.zeros(counts.size + 2, counts.dtype)  # of none, too, in front of each class
        tp, fp = sums[: self.correct + 1], sums[self.correct + 1 :]
        np.cumsum(counts[: self.correct], out=tp[1:])
        np.cumsum(counts[self.correct :], out=fp[1:])
        return ThresholdPoints(tp.take(self.tp), fp.take(self.fp), self.scores)


def ranked_cases(scores: ScoreArray, correct: BoolArray, thresholds: ScoreArray | None = None) -> RankedCases:
    """Sort cases, and choose the scores that curves need.

    Scores of incorrect cases alone, with such scores on both sides, are left out: the curve of any resample is level
    there.  thresholds: those whose own counts are needed.  O(n log n).

    >>> ranked_cases(np.array([0.1, 0.5, 0.7, 0.9]), np.array([False, False, True, False])).scores
    array([0.9, 0.7, 0.1])
    """
    order = descending(scores)
    mask, ranked = correct[order], scores[order]
    ends = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)) if ranked.size else np.empty(0, np.int64)
    tp: IntArray = np.cumsum(mask, dtype=np.int64)[ends]
    level = np.diff(tp, prepend=0) == 0
    kept = np.ones(ends.size, np.bool_)
    kept[:-1] = ~(level[:-1] & level[1:])
    if thresholds is not None:
        at_or_above = ends.size - ranked[ends][::-1].searchsorted(thresholds)
        kept[at_or_above[at_or_above > 0] - 1] = True
    chosen = ends[kept]
    rows = np.concatenate([order[mask], order[~mask]])
    found = tp[kept]
    return RankedCases(rows, int(np.count_nonzero(mask)), found, chosen + 1 - found, ranked[chosen] + 0)


def draw_cases(size: int) -> Draw:
    """Draw as many cases as there are, with replacement: O(n).

    First how many fall on each block, then which: numbers of 16 bits, counted in cache, take 0.6 of the time.
    """
    sizes = np.diff(np.append(np.arange(0, size, _BLOCK), size))

    def draw(generator: np.random.Generator) -> IntArray:
        if sizes.size <= 1:
            return _drawn(generator, size, size)
        counts, start = np.empty(size, np.int64), 0
        for here, drawn in zip(sizes.tolist(), generator.multinomial(size, sizes / size).tolist(), strict=True):
            counts[start : start + here] = _drawn(generator, here, drawn)
            start += here
        return counts

    return draw


def draw_within(strata: IntArray, count: int, frequencies: IntArray | None = None) -> Draw:
    """Draw as many rows of each stratum as its cases are, or stand for, each as likely as the next: O(n + strata).

    strata: (n,) of 0 .. count-1; frequencies: (n,), how many rows each case stands for.  Rows that are few are drawn
    one by one: in a third of the time.
    """
    members = np.split(np.argsort(strata, kind="stable"), np.cumsum(np.bincount(strata, minlength=count))[:-1])
    parts = [(rows, None if frequencies is None else np.append(0, frequencies[rows].cumsum())) for rows in members]

    def drawn(cases: int, ends: IntArray | None, generator: np.random.Generator) -> IntArray:
        if ends is None:
            return draw_cases(cases)(generator)
        rows = int(ends[-1])
        if rows <= min(_ROWS_OF_EACH * cases, _FEW_ROWS):
            return np.diff(np.append(0, draw_cases(rows)(generator).cumsum())[ends])
        return generator.multinomial(rows, np.diff(ends) / max(rows, 1))

    def draw(generator: np.random.Generator) -> IntArray:
        counts = np.empty(strata.size, np.int64)
        for rows, ends in parts:
            counts[rows] = drawn(rows.size, ends, generator)
        return counts

    return draw


def draw_clusters(clusters: IntArray, count: int) -> Draw:
    """Draw as many whole clusters as there are: O(n).  clusters: (n,) of 0 .. count-1."""
    draw = draw_cases(count)
    return lambda generator: draw(generator).take(clusters)


def _drawn(generator: np.random.Generator, cases: int, times: int) -> IntArray:
    """Count how often each of some cases is drawn."""
    if cases == 0:
        return np.empty(0, np.int64)
    # all numbers of 16 bits are made four at a time, fewer of them more slowly than those of 64
    drawn = generator.integers(0, cases, times, dtype=np.uint16 if cases == _BLOCK else np.int64)
    return np.bincount(drawn, minlength=cases)
