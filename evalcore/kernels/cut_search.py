"""Which cell between cuts a score lies in: a table of buckets, and a binary search among the few cuts of one bucket.

Cases stay in their order, so that nothing has to move along with them: a sort and a gather take twice as long.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from evalcore.typing import IntArray, ScoreArray

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
        tables = (
            (buckets, np.bincount(buckets.of(cuts)))
            for buckets in _candidates(low, high, _BUCKETS_FOR_A_CUT * cuts.size)
        )
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
    """Yield about so many buckets between two finite scores, those first that most often hold few cuts each."""
    with np.errstate(over="ignore", divide="ignore"):
        scale = np.asarray(count / (high - low), low.dtype)[()]
    if 0 < scale < np.inf:
        yield _Buckets(low, high, scale)
    whole = np.dtype(f"i{low.itemsize}")
    low, high = np.maximum([low, high], low.dtype.type(0))
    span = int(high.view(whole)) - int(low.view(whole))
    yield _Buckets(low, high, whole.type(max(span.bit_length() - count.bit_length(), 0)))
