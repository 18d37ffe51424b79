"""Cases with scores, and weights or none, in columns that grow; they are sorted when a question comes."""

from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import blocks
from evalcore.kernels.placements import losses_of_cases
from evalcore.kernels.runs import Runs, correct_bits, runs_of_keys
from evalcore.kernels.sorting import Ordering, order
from evalcore.kernels.sums import total
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.kernels.weights import (
    SortedWeights,
    WeightSums,
    WeightWalk,
    are_whole,
    class_weight_sums,
    in_whole_units,
    points_of_weights,
    scaled_weights,
    sort_weights,
    walk_of_weights,
)
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


class GrowingColumns:
    """Rows of equal length, (r, n), that take more columns, and widen their type if these need it."""

    __slots__ = ("_buffer", "size")

    def __init__(self, rows: int, dtype: npt.DTypeLike) -> None:
        self._buffer: npt.NDArray[Any] = np.empty((rows, 0), dtype)
        self.size = 0

    @property
    def values(self) -> npt.NDArray[Any]:
        """What is kept, shape (r, n).  O(1), a view."""
        return self._buffer[:, : self.size]

    def extend(self, columns: npt.NDArray[Any]) -> None:
        """Take the columns of (r, m).  The first ones are kept as they are, without a copy.  O(r m) amortised."""
        self.take(self.followed_by(columns), columns.shape[1])

    def followed_by(self, columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return what is kept with some columns behind it, and perhaps room, for `take`.  O(r m) amortised."""
        if columns.shape[1] == 0:
            return self._buffer  # what is not there widens nothing
        return placed(self._buffer, self.size, columns) if self.size else columns

    def take(self, buffer: npt.NDArray[Any], count: int) -> None:
        """Let `count` more columns of a buffer count, which cannot fail.  O(1)."""
        self._buffer, self.size = buffer, self.size + count

    def frozen(self) -> "GrowingColumns":
        """Return a view of what is kept now, which stays as it is.  O(1)."""
        view = GrowingColumns.__new__(GrowingColumns)
        view.__setstate__(self.values)
        return view

    def __getstate__(self) -> npt.NDArray[Any]:
        return self.values.copy()

    def __setstate__(self, values: npt.NDArray[Any]) -> None:
        self._buffer, self.size = values, values.shape[1]


_ROOM = 1 << 21
"""More cases than an eighth of this number get room for all of it, which saves copies; unused room takes no memory."""


def placed(buffer: npt.NDArray[Any], size: int, added: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Write columns, (..., m), behind the ones that a buffer, (..., c), holds, and return it.  O(m) amortised.

    A larger one is returned where there is no room, and one of a wider type where the columns need it.
    """
    end, capacity = size + added.shape[-1], buffer.shape[-1]
    dtype = added.dtype if not size or buffer.dtype == added.dtype else np.result_type(buffer, added)
    if end > capacity or dtype != buffer.dtype:
        if end > capacity:
            capacity = _ROOM if buffer.ndim == 1 and _ROOM // 8 < end <= _ROOM else max(end, 2 * capacity)
        held, buffer = buffer[..., :size], np.empty((*buffer.shape[:-1], capacity), dtype)
        buffer[..., :size] = held
    buffer[..., size:end] = added
    return buffer


class WaitingCases:
    """Scores and labels of cases in growable columns; where there are weights, they are labels with a size.

    Rows count only up to `size`, which is written last: a batch is taken whole or not at all.

    >>> waiting = WaitingCases()
    >>> waiting.extend(np.array([True, False]), np.array([0.5, 0.25]))
    >>> waiting.extend(np.array([2.5, -1.0]), np.array([0.5, 0.25]))
    >>> waiting.labels
    array([ 1. , -1. ,  2.5, -1. ])
    """

    __slots__ = ("_labels", "_scores", "size")

    def __init__(self) -> None:
        self.size = 0
        self._scores: ScoreArray = np.empty(0)
        self._labels: AnyArray = np.empty(0, np.bool_)

    @property
    def scores(self) -> ScoreArray:
        """Scores in the order they came, (n,) float32 or float64."""
        return self._scores[: self.size]

    @property
    def labels(self) -> AnyArray:
        """Which are positive, (n,) bool; or their weights, int64 or float64, those of negatives negative."""
        return self._labels[: self.size]

    @property
    def weight(self) -> int | float:
        """Number of cases, or the sum of their weights.  O(n)."""
        return weight_of(self.labels)

    def extend(self, labels: AnyArray, scores: ScoreArray) -> None:
        """Add cases.  O(n) amortised."""
        self._place(labels, scores)
        self.size += scores.size

    def followed_by(self, labels: AnyArray, scores: ScoreArray) -> tuple[AnyArray, ScoreArray]:
        """Return labels and scores of these cases and others, which are not added.  O(n)."""
        if self.size == 0:
            return labels, scores
        if (labels.dtype, scores.dtype) != (self._labels.dtype, self._scores.dtype):  # these cases keep their types
            return np.concatenate(of_one_type(self.labels, labels)), np.concatenate([self.scores, scores])
        self._place(labels, scores)
        end = self.size + scores.size
        return self._labels[:end], self._scores[:end]

    def frozen(self) -> Self:
        """Return a view of these cases, which stays as it is.  O(1)."""
        view = type(self)()
        view._labels, view._scores, view.size = self.labels, self.scores, self.size
        return view

    def _place(self, labels: AnyArray, scores: ScoreArray) -> None:
        """Write cases behind the last one, where they do not count yet."""
        if scores.size == 0:
            return  # what is not there widens nothing
        kept, added = of_one_type(self.labels, labels) if self.size else (labels[:0], labels)
        buffer = self._labels if kept.dtype == self._labels.dtype else kept
        self._scores, self._labels = placed(self._scores, self.size, scores), placed(buffer, self.size, added)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.labels, self.scores

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__()  # type: ignore[misc]
        self.extend(*state)


MOST_MISSES = 2**62
"""Misses of a kind, so that they and the cases are int64; both kinds together may not be."""


class ScoredCases(WaitingCases):
    """Scores and labels of cases in any order, and how many cases were never retrieved.

    >>> cases = ScoredCases()
    >>> cases.extend(np.array([True, False]), np.array([0.25, 0.5]))
    >>> cases.runs.tp, cases.runs.fp
    (array([1]), array([1]))
    """

    __slots__ = ("_ordering", "_runs", "misses", "negative_misses")

    def __init__(self) -> None:
        super().__init__()
        self.misses = 0
        self.negative_misses = 0
        self._ordering: Ordering | None = None
        self._runs: Runs | None = None

    @classmethod
    def of(cls, correct: BoolArray, scores: ScoreArray, ordering: Ordering | None = None) -> "ScoredCases":
        """Return cases that keep these columns, (n,) each, instead of copies: nobody may change them.  O(1).

        ordering: theirs, if they are sorted already.
        """
        cases = cls()
        cases._labels, cases._scores, cases.size, cases._ordering = correct, scores, scores.size, ordering
        return cases

    @property
    def correct(self) -> BoolArray:
        """Labels in the order they came, shape (n,) bool."""
        return self.labels

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
            ordering = self._ordering = self._runs = None  # frees the old keys before the new ones are made
            self._ordering = ordering = order(self.scores, self.correct)
        return ordering

    @property
    def runs(self) -> Runs:
        """The runs of equal scores that hold a correct case.  O(n) once after cases were added, then O(1).

        >>> ScoredCases().runs.tp
        array([], dtype=int64)
        """
        ordering, runs = self.ordering, self._runs
        if runs is None:
            self._runs = runs = runs_of_keys(ordering.keys)
        if not (self.misses or self.negative_misses):
            return runs
        return runs._replace(totals=runs.totals + np.array([[self.misses], [self.negative_misses]]))

    @property
    def ranked(self) -> tuple[FloatArray, npt.NDArray[np.uint8]]:
        """Scores best first in float64, and 1 for the correct ones: the same for the same cases.  As `ordering`.

        >>> ScoredCases().ranked
        (array([], dtype=float64), array([], dtype=uint8))
        """
        keys, code = self.ordering
        return code.unpack(keys).astype(np.float64), correct_bits(keys)

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

    def frozen(self) -> Self:
        """Return a view of these cases and misses, which stays as it is.  O(1)."""
        view = super().frozen()
        view.misses, view.negative_misses, view._ordering = self.misses, self.negative_misses, self._ordering
        return view

    def __getstate__(self) -> tuple[Any, ...]:
        return *super().__getstate__(), self.misses, self.negative_misses

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        super().__setstate__(state[:2])
        self.misses, self.negative_misses = state[2:]


def weight_of(labels: AnyArray) -> int | float:
    """Return the number of cases with these labels, or the sum of their weights.  O(n)."""
    if labels.dtype.kind == "b":
        return labels.size
    return sum(total(np.abs(labels[block])) for block in blocks(labels.size))


def of_one_type(first: AnyArray, second: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return labels of two kinds as labels of the one that can hold both.  O(n).

    >>> of_one_type(np.array([True, False]), np.array([3, -2]))
    (array([ 1, -1]), array([ 3, -2]))
    """
    kind = max((first.dtype, second.dtype), key=lambda dtype: "bif".index(dtype.kind))
    both = (np.where(side, 1, -1) if side.dtype.kind == "b" != kind.kind else side for side in (first, second))
    one, other = (side.astype(kind, copy=False) for side in both)
    return one, other


class WeightedRanking:
    """Checked cases with weights above zero.  The columns are kept, not copied: nobody may change them.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; weights: (n,) int64 or float64, not negative, with a
    finite sum.  Cases of weight zero are left out: they count as absent.  classes: what `classes` holds, if known.

    >>> ranking = WeightedRanking(np.array([0.5, 0.9, 0.1]), np.array([True, False, True]), np.array([2, 1, 0]))
    >>> ranking.size, ranking.positives, ranking.negatives, ranking.points.tp
    (2, 2, 1, array([0., 2.]))
    """

    def __init__(
        self, scores: ScoreArray, correct: BoolArray, weights: AnyArray, classes: WeightSums | None = None
    ) -> None:
        present = weights > 0
        chosen: Any = slice(None) if present.all() else present
        self.scores, self.correct, self.weights = scores[chosen], correct[chosen], weights[chosen]
        self.divisor = 1.0
        """What weights were divided by: 1.0 for whole weights of common size."""
        if self.weights.dtype.kind == "f" and self.size:
            scaled, power = scaled_weights(self.weights)
            self.weights, unit = in_whole_units(scaled)
            self.divisor = power * unit
        if classes is not None:
            self.classes = classes

    @property
    def size(self) -> int:
        """Number of cases."""
        return int(self.scores.size)

    @cached_property
    def whole(self) -> bool:
        """Whether all weights are whole, and their sums exact: then counts decide, bit for bit.  O(n), then O(1)."""
        return are_whole(self.weights)

    @cached_property
    def classes(self) -> WeightSums:
        """Sums over the weights of the correct and of the incorrect cases, (2,).  O(n), then O(1)."""
        return class_weight_sums(self.correct, self.weights)

    @property
    def positives(self) -> Any:
        """Weight of the correct cases over `divisor`: int if all weights are whole, else float.  O(n), then O(1)."""
        return self._amount(self.classes.sums[0])

    @property
    def negatives(self) -> Any:
        """Weight of the incorrect cases, as `positives`.  O(n), then O(1)."""
        return self._amount(self.classes.sums[1])

    @cached_property
    def ordering(self) -> SortedWeights:
        """Cases in order of their scores.  O(n log n), then O(1)."""
        return sort_weights(self.scores, self.correct, self.weights)

    @cached_property
    def walk(self) -> WeightWalk:
        """The runs of equal scores that hold a correct case, part by part.  O(n log n), then O(1)."""
        return walk_of_weights(self.ordering, whole=self.whole)

    @cached_property
    def runs(self) -> Runs:
        """The runs of equal scores that hold a correct case: int64 if all weights are whole.  As `walk`."""
        return self.walk.built.runs

    def scores_of_ranks(self, ranks: IntArray) -> ScoreArray:
        """Return the scores of the cases at ranks, from 0; -0.0 as 0.0.  O(ranks) if sorted."""
        return np.asarray(self.scores[self.ordering.order[ranks]] + self.scores.dtype.type(0))

    @cached_property
    def points(self) -> ThresholdPoints:
        """Weights at or above each distinct score.  O(n log n), O(n) if sorted, then O(1)."""
        return points_of_weights(self.ordering, self.scores)

    def losses(self) -> FloatArray:
        """Return what fraction of the other class each case loses to, (n,); NaN without both classes.  O(n log n)."""
        if not self.classes.sums.all():
            return np.full(self.size, np.nan)
        return losses_of_cases(self.walk)

    def _amount(self, weight: Any) -> Any:
        return int(weight) if self.whole else float(weight)
