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
    `_scores` and `_correct` have capacity for more rows; `_score_rows` and `_correct_rows` are windows on them for
    single cases (a memoryview takes a number at a third of the price of an array), empty where a single
    float64 does not fit.

    >>> cases = ScoredCases()
    >>> cases.extend(np.array([True, False]), np.array([0.25, 0.5]))
    >>> cases.points
    OperatingPoints(tp=array([1]), fp=array([1]), tp_before=0)
    """

    __slots__ = ("_correct", "_correct_rows", "_ordering", "_points", "_score_rows", "_scores", "misses",
                 "negative_misses", "size")  # fmt: skip

    def __init__(self) -> None:
        self.size = 0
        self.misses = 0
        self.negative_misses = 0
        self._ordering: Ordering | None = None
        self._points: OperatingPoints | None = None
        self._take_columns(np.empty(0), np.empty(0, np.bool_))

    @classmethod
    def of(cls, correct: BoolArray, scores: ScoreArray, ordering: Ordering | None = None) -> "ScoredCases":
        """Return cases that keep these columns, (n,) each, instead of copies: nobody may change them.  O(1).

        ordering: theirs, if they are sorted already.
        """
        cases = cls()
        cases._take_columns(scores, correct)
        cases.size, cases._ordering = scores.size, ordering
        return cases

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
        if self._ordering is None or self._ordering.keys.size != self.size:
            self._ordering = self._points = None  # frees the old keys before the new ones are made
            self._ordering = order(self.scores, self.correct)
        return self._ordering

    @property
    def points(self) -> OperatingPoints:
        """The operating points that hold a correct case.  O(n) once after cases were added, then O(1).

        >>> ScoredCases().points.tp
        array([], dtype=int64)
        """
        ordering = self.ordering
        if self._points is None:
            self._points = correct_points(ordering.keys)
        return self._points

    @property
    def ranked(self) -> tuple[FloatArray, npt.NDArray[np.uint8]]:
        """Scores best first in float64, and 1 for the correct ones: the same for the same cases.  As `ordering`.

        >>> ScoredCases().ranked
        (array([], dtype=float64), array([], dtype=uint8))
        """
        keys, code = self.ordering
        return code.unpack(keys).astype(np.float64), correct_bits(keys)

    def add(self, correct: bool, score: float) -> None:
        """Add one case.  O(1) amortised.

        >>> cases = ScoredCases()
        >>> cases.add(True, 0.5)
        >>> cases.size, cases.positives
        (1, 1)
        """
        row = self.size
        try:
            self._score_rows[row] = score  # type: ignore[call-overload]  # typeshed knows no memoryview of floats
            self._correct_rows[row] = correct
        except IndexError:  # no capacity, or no columns of float64
            self.extend(np.array([correct]), np.array([score]))
        else:
            self.size = row + 1

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
            self._take_columns(
                with_capacity(self.scores, capacity, dtype), with_capacity(self.correct, capacity, np.bool_)
            )
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

    def _take_columns(self, scores: ScoreArray, correct: BoolArray) -> None:
        single = scores.size if scores.dtype == np.float64 else 0
        self._scores, self._score_rows = scores, memoryview(scores.data)[:single]
        self._correct, self._correct_rows = correct, memoryview(correct.data)[:single]

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
        single = self._scores.size if self._scores.dtype == np.float64 else 0
        assert len(self._score_rows) == len(self._correct_rows) == single
        keys, code = self.ordering
        assert np.array_equal(keys, np.sort(keys))
        fresh = correct_points(keys)
        assert np.array_equal(self.points.tp, fresh.tp)
        assert np.array_equal(self.points.fp, fresh.fp)
        assert np.count_nonzero(keys & 1) == np.count_nonzero(self.correct)
        assert np.array_equal(code.unpack(keys)[::-1], np.sort(self.scores))
