"""Sorted cases of a partition, cut into ranges of scores and merged again across partitions.

Positives and negatives are kept apart, so that a case takes only its score: 8 bytes of float64, 4 of float32; or with a
weight, whose sign tells the class, 8 bytes more.  Where many scores are equal, one row of 24 bytes for each distinct
score takes less.  A score that more cases share than a partition holds therefore costs one row in each partition.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.kernels.argsort import descending
from evalcore.kernels.ordering import sort
from evalcore.kernels.rounded_sums import sums_of_runs
from evalcore.kernels.runs import run_starts
from evalcore.kernels.score_counts import ScoreCounts, score_counts
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

Form = TypeVar("Form")
_BYTES_OF_A_ROW = 24
"""Of a distinct score with two counts."""


class LabelCounts(NamedTuple):
    """Cases of each label, or their weight: whole numbers as int, others as float."""

    positives: Any
    negatives: Any

    @property
    def whole(self) -> bool:
        """Whether all weights are whole, so that sums of them are exact."""
        return isinstance(self.positives, int)

    def at_most(self, limit: "LabelCounts") -> "LabelCounts":
        """Return the lesser of two counts of each label.  O(1)."""
        return LabelCounts(*map(min, self, limit))


class ScoreSample(NamedTuple):
    """Scores of a partition at equal steps."""

    scores: FloatArray
    """Shape (s,), ascending."""
    weights: IntArray
    """Number of cases, or of rows of tallied cases, that each one stands for, shape (s,)."""


class PartitionCases(Protocol):
    """Cases of a partition, or those in one range of its scores, in whichever form takes less memory."""

    @property
    def counts(self) -> LabelCounts:
        """Number of cases.  O(1), of tallied cases O(p)."""

    def sample(self, size: int) -> ScoreSample:
        """Return about `size` scores, with equally many cases, or rows, between them.  O(size)."""

    def between(self, low: float, high: float) -> "PartitionCases":
        """Return the cases with low <= score < high, as a view; NaN is above all scores.  O(log n)."""

    def compact(self) -> "PartitionCases":
        """Return a copy in the smaller form, which does not keep the rest of a partition in memory.  O(n)."""

    def rows(self) -> list[ScoreCounts]:
        """Return counts of distinct scores, in parts that may share scores.  O(n)."""


class SortedCases(NamedTuple):
    """Scores of positive and of negative cases, each ascending."""

    positives: ScoreArray
    """Shape (p,)."""
    negatives: ScoreArray
    """Shape (q,)."""

    @property
    def counts(self) -> LabelCounts:
        """As `PartitionCases` says."""
        return LabelCounts(self.positives.size, self.negatives.size)

    def sample(self, size: int) -> ScoreSample:
        """As `PartitionCases` says.

        Source: H. Shi and J. Schaeffer, Parallel sorting by regular sampling, Journal of Parallel and Distributed
        Computing 14 (1992) 361-372.

        >>> SortedCases(np.array([0.1, 0.2, 0.7, 0.9]), np.array([0.5])).sample(3)
        ScoreSample(scores=array([0.1, 0.5, 0.7]), weights=array([2, 1, 2]))
        """
        step = max(-(-sum(self.counts) // size), 1)
        weights = [np.minimum(step, side.size - np.arange(0, side.size, step)) for side in self]
        scores = np.concatenate([side[::step] for side in self])
        return _in_order(scores.astype(np.float64), np.concatenate(weights))

    def between(self, low: float, high: float) -> "SortedCases":
        """As `PartitionCases` says."""
        return SortedCases(*(side[_below(side, low) : _below(side, high)] for side in self))

    def compact(self) -> PartitionCases:
        """As `PartitionCases` says."""
        distinct = sum(1 + np.count_nonzero(side[1:] != side[:-1]) for side in self if side.size)
        if distinct * _BYTES_OF_A_ROW < sum(side.nbytes for side in self):
            return tally([self])
        return SortedCases(*(side.copy() for side in self))

    def rows(self) -> list[ScoreCounts]:
        """As `PartitionCases` says."""
        found = []
        for side, scores in enumerate(self):
            starts = np.flatnonzero(np.concatenate([np.ones(min(scores.size, 1), np.bool_), scores[1:] != scores[:-1]]))
            counts = np.diff(starts, append=scores.size)
            none = np.zeros_like(counts)
            distinct = scores[starts].astype(np.float64) + 0.0  # -0.0 becomes 0.0
            found.append(ScoreCounts(distinct, *((none, counts) if side else (counts, none))))
        return found


class TalliedCases(ScoreCounts):
    """Cases, or their weights, added up at each distinct score."""

    __slots__ = ()

    @property
    def counts(self) -> LabelCounts:
        """As `PartitionCases` says."""
        return LabelCounts(self.positives.sum().item(), self.negatives.sum().item())

    def sample(self, size: int) -> ScoreSample:
        """As `PartitionCases` says."""
        return _sample_rows(self.scores, size)

    def between(self, low: float, high: float) -> "TalliedCases":
        """As `PartitionCases` says."""
        return self.part(_rows_between(self.scores, low, high))

    def compact(self) -> "TalliedCases":
        """As `PartitionCases` says."""
        return TalliedCases(self.scores.copy(), self.positives.copy(), self.negatives.copy())

    def rows(self) -> list[ScoreCounts]:
        """As `PartitionCases` says."""
        return [self]

    def part(self, chosen: slice) -> Self:
        """Return the rows of a slice, as a view.  O(1)."""
        return type(self)(self.scores[chosen], self.positives[chosen], self.negatives[chosen])


class WeightedScores(NamedTuple):
    """Scores of cases with their weights, highest first."""

    scores: ScoreArray
    """Shape (n,)."""
    weights: AnyArray
    """Above zero of positives and below zero of negatives: int64 if all are whole, otherwise float64, shape (n,)."""

    @property
    def counts(self) -> LabelCounts:
        """As `PartitionCases` says, O(n)."""
        return LabelCounts(*(side.sum().item() for side in self._sides()))

    def sample(self, size: int) -> ScoreSample:
        """As `PartitionCases` says."""
        return _sample_rows(self.scores, size)

    def between(self, low: float, high: float) -> "WeightedScores":
        """As `PartitionCases` says."""
        chosen = _rows_between(self.scores, low, high)
        return WeightedScores(self.scores[chosen], self.weights[chosen])

    def compact(self) -> PartitionCases:
        """As `PartitionCases` says."""
        if run_starts(self.scores).size * _BYTES_OF_A_ROW < self.scores.nbytes + self.weights.nbytes:
            return self.tallied
        return WeightedScores(self.scores.copy(), self.weights.copy())

    def rows(self) -> list[ScoreCounts]:
        """As `PartitionCases` says."""
        return [self.tallied]

    @property
    def tallied(self) -> TalliedCases:
        """Weights of each distinct score.  O(n)."""
        starts, (positives, negatives) = run_starts(self.scores), self._sides()
        scores = self.scores[starts].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        if starts.size < self.scores.size:
            positives, negatives = (sums_of_runs(side, starts)[0] for side in (positives, negatives))
        return TalliedCases(scores, positives, negatives)

    def _sides(self) -> tuple[AnyArray, AnyArray]:
        """Return the weights as positives, and as negatives: zero for those of the other class, (n,) each."""
        return np.maximum(self.weights, 0), np.maximum(-self.weights, 0)


def sort_cases(correct: BoolArray, scores: ScoreArray) -> SortedCases:
    """Sort positive and negative cases: correct (n,) bool; scores (n,) floats, no NaN.  O(n log n)."""
    sides = SortedCases(scores[correct], scores[~correct])
    for side in sides:
        sort(side)
    return sides


def sort_weighted_scores(scores: ScoreArray, weights: AnyArray) -> WeightedScores:
    """Sort cases with weights, as `WeightedScores` holds them, (n,) each in any order.  O(n log n)."""
    order = descending(scores)
    return WeightedScores(scores[order], weights[order])


def choose_cuts(samples: Iterable[ScoreSample], ranges: int) -> FloatArray:
    """Choose scores that cut all cases into at most `ranges` ranges of about equal size.

    Returns (c,) ascending, c < ranges; a range begins with its cut.  Fewer where many scores are equal.  O(s log s).

    >>> choose_cuts([ScoreSample(np.array([0.1, 0.5, 0.7]), np.array([2, 1, 2]))], ranges=2)
    array([0.5])
    """
    scores, weights = _in_order(*map(np.concatenate, zip(*samples, strict=True)))
    if scores.size == 0:
        return scores
    ends = np.cumsum(weights)
    aims = [int(ends[-1]) * part // ranges for part in range(1, ranges)]  # Python's integers do not overflow
    cuts: FloatArray = np.unique(scores[ends.searchsorted(np.array(aims, np.int64), side="right")] + 0.0)
    above_lowest: FloatArray = cuts[cuts > scores[0]]
    return above_lowest


class CutPartition:
    """Cases of a partition, cut into `ranges` ranges of scores, those below the lowest cut empty.

    >>> cut = CutPartition(SortedCases(np.array([0.1, 0.9]), np.array([0.5])), np.array([0.5]), ranges=2)
    >>> cut.piece(0), cut.counts.tolist()
    (SortedCases(positives=array([0.9]), negatives=array([0.5])), [[1, 1], [1, 0]])
    """

    __slots__ = ("counts", "pieces")

    counts: AnyArray
    """Positives and negatives of each range, highest first, shape (r, 2): int64, or float64 weights."""
    pieces: list[PartitionCases]
    """Cases of each range."""

    def __init__(self, cases: PartitionCases, cuts: FloatArray, ranges: int) -> None:
        lows = [*cuts[::-1].tolist(), -np.inf]
        highs = [np.nan, *lows[:-1]]  # no score is above NaN
        empty = [(np.inf, np.inf)] * (ranges - len(lows))
        views = [cases.between(*edges) for edges in [*zip(lows, highs, strict=True), *empty]]
        self.counts = np.array([view.counts for view in views])
        self.pieces = [view.compact() for view in views]

    def __sizeof__(self) -> int:
        return self.counts.nbytes  # the pieces are counted by the tasks that take them out

    def piece(self, number: int) -> PartitionCases:
        """Return the cases of one range, the highest being number 0.  O(1)."""
        return self.pieces[number]


def all_of(form: type[Form], pieces: Sequence[PartitionCases]) -> list[Form] | None:
    """Return the pieces if all of them have one form, otherwise None.  O(pieces)."""
    found: list[Form] = [piece for piece in pieces if isinstance(piece, form)]
    return found if len(found) == len(pieces) else None


def tally(pieces: Sequence[PartitionCases]) -> TalliedCases:
    """Count the cases of each distinct score, or add up their weights.  O(n log n)."""
    if weighted := all_of(WeightedScores, pieces):
        return _merge_weights(weighted).tallied
    rows = [part for piece in pieces for part in piece.rows()]
    return TalliedCases(*score_counts(*(np.concatenate(column) for column in zip(*rows, strict=True))))


def merge_pieces(pieces: list[PartitionCases], _after: Any = None) -> PartitionCases:
    """Merge the cases of several partitions in one range; _after: what had to be done before.  O(n log n)."""
    if weighted := all_of(WeightedScores, pieces):
        return _merge_weights(weighted)
    if (plain := all_of(SortedCases, pieces)) is None:
        return tally(pieces)
    sides = SortedCases(*map(concatenate_scores, zip(*plain, strict=True)))
    for side in sides:
        sort(side)
    return sides


def _merge_weights(pieces: Sequence[WeightedScores]) -> WeightedScores:
    scores, weights = zip(*pieces, strict=True)
    return sort_weighted_scores(concatenate_scores(scores), np.concatenate(weights))


def concatenate_scores(parts: Sequence[ScoreArray]) -> ScoreArray:
    """Concatenate scores; empty parts do not widen the others.  O(n)."""
    filled = [part for part in parts if part.size]
    return np.concatenate(filled or list(parts[:1]))


def _sample_rows(scores: ScoreArray, size: int) -> ScoreSample:
    """Return about so many of the scores, (n,) falling, at equal steps.  O(size)."""
    step = max(-(-scores.size // size), 1)
    rows = np.minimum(step, scores.size - np.arange(0, scores.size, step))
    return ScoreSample(scores[::step][::-1].astype(np.float64), rows[::-1])


def _rows_between(scores: ScoreArray, low: float, high: float) -> slice:
    """Return where low <= score < high among scores, (n,) falling; NaN is above all of them.  O(log n)."""
    return slice(*(scores.size - _below(scores[::-1], edge) for edge in (high, low)))


def _in_order(scores: FloatArray, weights: IntArray) -> ScoreSample:
    order = np.argsort(scores, kind="stable")
    return ScoreSample(scores[order], weights[order])


def _below(scores: npt.NDArray[Any], edge: float) -> int:
    """Count the scores below an edge, in their own width if it holds the edge: otherwise all would be widened."""
    wide = np.float64(edge)  # beside which Python's floats would be rounded to float32 before they are compared
    with np.errstate(over="ignore"):
        narrow = scores.dtype.type(wide)
    return int(scores.searchsorted(narrow if narrow == wide or np.isnan(wide) else wide))
