"""Cases with scores, kept in growable columns and sorted when a question comes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.kernels.operating_points import OperatingPoints, correct_bits, correct_points
from evalcore.kernels.ordering import Ordering, order
from evalcore.state.growing import with_capacity
from evalcore.typing import BoolArray, FloatArray, ScoreArray

MOST_MISSES = 2**62
"""Misses of a kind, so that all cases together are int64."""


class ScoredCases:
    """Scores and labels of cases in any order, and how many cases were never retrieved.

    Rows count only up to `size`, which is written last: a batch is taken whole or not at all.
    `_scores` and `_correct` have capacity for more rows.

    >>> cases = ScoredCases()
    >>> cases.extend(np.array([True, False]), np.array([0.25, 0.5]))
    >>> cases.points
    OperatingPoints(tp=array([1]), fp=array([1]), tp_before=0)
    """

    __slots__ = ("_correct", "_ordering", "_points", "_scores", "misses", "negative_misses", "size")

    def __init__(self) -> None:
        self.size = 0
        self.misses = 0
        self.negative_misses = 0
        self._ordering: Ordering | None = None
        self._points: OperatingPoints | None = None
        self._scores: ScoreArray = np.empty(0)
        self._correct: BoolArray = np.empty(0, np.bool_)

    @classmethod
    def of(cls, correct: BoolArray, scores: ScoreArray, ordering: Ordering | None = None) -> "ScoredCases":
        """Return cases that keep these columns, (n,) each, instead of copies: nobody may change them.  O(1).

        ordering: theirs, if they are sorted already.
        """
        cases = cls()
        cases._scores, cases._correct = scores, correct
        cases.size, cases._ordering = scores.size, ordering
        return cases

    def frozen(self) -> "ScoredCases":
        """Return a view of these cases and misses, which stays as it is.  O(1)."""
        view = ScoredCases.of(self.correct, self.scores, self._ordering)
        view.misses, view.negative_misses = self.misses, self.negative_misses
        return view

    @property
    def scores(self) -> ScoreArray:
        """Scores in the order they came, shape (n,).

        >>> ScoredCases().scores
        array([], dtype=float64)
        """
        return self._scores[: self.size]

    @property
    def correct(self) -> BoolArray:
        """Labels in the order they came, shape (n,).

        >>> ScoredCases().correct
        array([], dtype=bool)
        """
        return self._correct[: self.size]

    @property
    def positives(self) -> int:
        """Positive reference cases: the correct ones and the misses.  O(n).

        >>> ScoredCases().positives
        0
        """
        return int(np.count_nonzero(self.correct)) + self.misses

    @property
    def negatives(self) -> int:
        """Negative reference cases: the incorrect ones and the negative misses.  O(n).

        >>> ScoredCases().negatives
        0
        """
        return self.size - int(np.count_nonzero(self.correct)) + self.negative_misses

    @property
    def ordering(self) -> Ordering:
        """The cases best first.  O(n log n) after cases were added, then O(1).

        >>> ScoredCases().ordering.keys
        array([], dtype=uint64)
        """
        ordering = self._ordering
        if ordering is None or ordering.keys.size != self.size:
            ordering = self._ordering = self._points = None  # frees the old keys before the new ones are made
            self._ordering = ordering = order(self.scores, self.correct)
        return ordering

    @property
    def points(self) -> OperatingPoints:
        """The operating points that hold a correct case.  O(n) once after cases were added, then O(1).

        >>> ScoredCases().points.tp
        array([], dtype=int64)
        """
        ordering, points = self.ordering, self._points
        if points is None:
            self._points = points = correct_points(ordering.keys)
        return points

    @property
    def ranked(self) -> tuple[FloatArray, npt.NDArray[np.uint8]]:
        """Scores best first in float64, and 1 for the correct ones: the same for the same cases.  As `ordering`.

        >>> ScoredCases().ranked
        (array([], dtype=float64), array([], dtype=uint8))
        """
        keys, code = self.ordering
        return code.unpack(keys).astype(np.float64), correct_bits(keys)

    def extend(self, correct: BoolArray, scores: ScoreArray) -> None:
        """Add cases: labels (n,) bool, scores (n,) float32 or float64.  O(n) amortised.

        >>> cases = ScoredCases()
        >>> cases.extend(np.array([True]), np.array([0.5], np.float32))
        >>> cases.scores.dtype
        dtype('float32')
        """
        if scores.size == 0:
            return  # what is not there widens nothing
        end = self.size + scores.size
        dtype = np.result_type(scores, self._scores) if self.size else scores.dtype
        if end > self._correct.size or dtype != self._scores.dtype:
            capacity = max(end, 2 * self._correct.size) if end > self._correct.size else self._correct.size
            grown = with_capacity(self.scores, capacity, dtype), with_capacity(self.correct, capacity, np.bool_)
            self._scores, self._correct = grown
        self._scores[self.size : end] = scores
        self._correct[self.size : end] = correct
        self.size = end

    def merge(self, other: "ScoredCases") -> None:
        """Add the cases and misses of another state, as if filled with both.  O(other's n) amortised.

        >>> cases = ScoredCases()
        >>> cases.misses = 2
        >>> cases.merge(cases)
        >>> cases.misses
        4
        """
        self.extend(other.correct, other.scores)
        self.misses += other.misses
        self.negative_misses += other.negative_misses

    def __getstate__(self) -> dict[str, Any]:
        return {
            "scores": self.scores,
            "correct": self.correct,
            "misses": self.misses,
            "negative_misses": self.negative_misses,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.extend(state["correct"], state["scores"])
        self.misses = state["misses"]
        self.negative_misses = state["negative_misses"]

    def _check(self) -> None:
        """Assert every invariant.  O(n log n)."""
        assert 0 <= self.size <= self._scores.size == self._correct.size
        assert self._scores.dtype in (np.float32, np.float64)
        assert self._correct.dtype == np.bool_
        assert not np.isnan(self.scores).any()
        assert self.misses >= 0
        assert self.negative_misses >= 0
        keys, code = self.ordering
        assert np.array_equal(keys, np.sort(keys))
        fresh = correct_points(keys)
        assert np.array_equal(self.points.tp, fresh.tp)
        assert np.array_equal(self.points.fp, fresh.fp)
        assert np.count_nonzero(keys & 1) == np.count_nonzero(self.correct)
        assert np.array_equal(code.unpack(keys)[::-1], np.sort(self.scores))
