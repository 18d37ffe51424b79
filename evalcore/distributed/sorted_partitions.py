"""Cases in order of their scores, to be cut into ranges and joined again across partitions.

Positives and negatives are kept apart, so that a case is its score and nothing more: 8 bytes of float64, 4 of float32.
Where many scores are equal a row for each distinct one, of 24 bytes, is less: so a score that more cases share than a
partition holds still costs a row for each partition.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.kernels.ordering import Ordering, order, sort
from evalcore.kernels.score_counts import ScoreCounts, score_counts
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

_ROW = 24
"""Bytes of a distinct score with two counts."""


class SortedCases(NamedTuple):
    """Scores of positive and of negative cases, each ascending."""

    positives: ScoreArray
    """Shape (p,)."""
    negatives: ScoreArray
    """Shape (q,)."""


Piece: TypeAlias = SortedCases | ScoreCounts
"""Cases of a partition, or of a range of its scores, in whichever form takes less memory."""
Range: TypeAlias = Ordering | ScoreCounts
"""All cases of a range of scores, ready to be counted."""


class Sample(NamedTuple):
    """Scores of a partition at equal steps."""

    scores: FloatArray
    """Shape (s,), ascending."""
    weights: IntArray
    """Cases that each stands for, shape (s,)."""


def sorted_cases(correct: BoolArray, scores: ScoreArray) -> SortedCases:
    """Sort the scores of positive and negative cases.

    correct: (n,) bool; scores: (n,) float32 or float64, no NaN.  O(n log n).

    >>> sorted_cases(np.array([True, False, True]), np.array([0.9, 0.5, 0.1]))
    SortedCases(positives=array([0.1, 0.9]), negatives=array([0.5]))
    """
    sides = SortedCases(scores[correct], scores[~correct])
    for side in sides:
        sort(side)
    return sides


def sample(piece: Piece, size: int) -> Sample:
    """Return about so many of the scores, at equal steps of cases.

    As many cases are between two of them as a step holds, whatever the scores.  O(size), of rows of counts O(rows).
    Source: H. Shi and J. Schaeffer, Parallel sorting by regular sampling, Journal of Parallel and Distributed
    Computing 14 (1992) 361-372.

    >>> sample(SortedCases(np.array([0.1, 0.2, 0.7, 0.9]), np.array([0.5])), size=3)
    Sample(scores=array([0.1, 0.5, 0.7]), weights=array([2, 1, 2]))
    """
    if isinstance(piece, ScoreCounts):
        counts = piece.positives + piece.negatives
        step = max(-(-int(counts.sum()) // size), 1)
        ends = np.cumsum(counts)
        kept = np.flatnonzero(np.diff(ends // step, prepend=-1))
        return _ascending(piece.scores[kept], np.add.reduceat(counts, kept) if kept.size else counts)
    step = max(-(-sum(side.size for side in piece) // size), 1)
    sides = [side[::step] for side in piece]
    weights = [np.minimum(step, side.size - np.arange(0, side.size, step)) for side in piece]
    return _ascending(np.concatenate(sides).astype(np.float64), np.concatenate(weights))


def _ascending(scores: FloatArray, weights: IntArray) -> Sample:
    places = np.argsort(scores, kind="stable")
    return Sample(scores[places], weights[places])


def cuts_of(samples: Iterable[Sample], ranges: int) -> FloatArray:
    """Choose scores that part all cases into at most so many ranges of about equal size.

    Returns (c,) ascending, c < ranges: a range begins with the cut.  Fewer where many scores are equal.
    O(s log s) for s scores in the samples.

    >>> cuts_of([Sample(np.array([0.1, 0.5, 0.7]), np.array([2, 1, 2]))], ranges=2)
    array([0.5])
    """
    columns = zip(*samples, strict=True)
    scores, weights = _ascending(*map(np.concatenate, columns))
    if scores.size == 0:
        return scores
    ends = np.cumsum(weights)
    aims = [int(ends[-1]) * part // ranges for part in range(1, ranges)]  # Python's integers do not overflow
    cuts: FloatArray = np.unique(scores[ends.searchsorted(np.array(aims, np.int64), side="right")] + 0.0)
    above_lowest: FloatArray = cuts[cuts > scores[0]]
    return above_lowest


class Pieces:
    """Cases of a partition, cut into ranges of scores.

    >>> cases = SortedCases(np.array([0.1, 0.9]), np.array([0.5]))
    >>> pieces = Pieces(cases, np.array([0.5]), count=2)
    >>> taken(pieces, 0), pieces.counts
    (SortedCases(positives=array([0.9]), negatives=array([0.5])), array([[1, 1],
           [1, 0]]))
    """

    __slots__ = ("counts", "parts")

    counts: IntArray
    """Positives and negatives of each range, highest first, shape (r, 2)."""
    parts: list[Piece]
    """Cases of each range."""

    def __init__(self, piece: Piece, cuts: FloatArray, count: int) -> None:
        parts = [between(piece, cuts, number) for number in range(count)]
        self.counts = np.array([_counts(part) for part in parts], np.int64)
        # copies, so that a range that is done with gives its memory back
        self.parts = [_smaller(part) if isinstance(part, SortedCases) else _copied(part) for part in parts]

    def __sizeof__(self) -> int:
        return self.counts.nbytes  # of the parts those know who took them out

    def __getstate__(self) -> tuple[IntArray, list[Piece]]:
        return self.counts, self.parts

    def __setstate__(self, state: tuple[IntArray, list[Piece]]) -> None:
        self.counts, self.parts = state


def taken(pieces: Pieces, number: int) -> Piece:
    """Return the piece of a range.  O(1).

    >>> taken(Pieces(SortedCases(np.array([0.1, 0.9]), np.array([0.5])), np.array([0.5]), count=2), 1).positives
    array([0.1])
    """
    return pieces.parts[number]


def counts_of(pieces: Pieces) -> IntArray:
    """Return the positives and negatives of each range, (r, 2).  O(1).

    >>> counts_of(Pieces(SortedCases(np.array([0.1, 0.9]), np.array([0.5])), np.array([0.5]), count=2))
    array([[1, 1],
           [1, 0]])
    """
    return pieces.counts


def _counts(piece: Piece) -> tuple[int, int]:
    if isinstance(piece, ScoreCounts):
        return int(piece.positives.sum()), int(piece.negatives.sum())
    return piece.positives.size, piece.negatives.size


def _copied(counts: ScoreCounts) -> ScoreCounts:
    return ScoreCounts(counts.scores.copy(), counts.positives.copy(), counts.negatives.copy())


def between(piece: Piece, cuts: FloatArray, number: int) -> Piece:
    """Return the cases of a range, the highest being number 0, as a view.

    cuts: (c,) ascending; number: beyond c the range is empty.  O(log n).

    >>> between(SortedCases(np.array([0.1, 0.9]), np.array([0.5])), np.array([0.5]), number=1)
    SortedCases(positives=array([0.1]), negatives=array([], dtype=float64))
    """
    edges = np.concatenate([[-np.inf], cuts])[::-1]
    if number >= edges.size:
        start = stop = np.inf
    else:
        start, stop = edges[number], edges[number - 1] if number else np.nan  # which is sorted last
    if isinstance(piece, ScoreCounts):
        first, last = (piece.scores.size - _place(piece.scores[::-1], edge) for edge in (stop, start))
        return ScoreCounts(piece.scores[first:last], piece.positives[first:last], piece.negatives[first:last])
    sides = (side[_place(side, start) : _place(side, stop)] for side in piece)
    return SortedCases(*sides)


def _place(scores: npt.NDArray[Any], edge: float) -> int:
    """Count the scores below an edge, all below NaN; an edge of their width, if there is one, lest they are widened."""
    with np.errstate(over="ignore"):
        narrow = scores.dtype.type(edge)
    return int(scores.searchsorted(narrow if narrow == edge or np.isnan(edge) else edge))


def _smaller(cases: SortedCases) -> Piece:
    levels = sum(1 + np.count_nonzero(side[1:] != side[:-1]) for side in cases if side.size)
    if levels * _ROW >= sum(side.nbytes for side in cases):
        return SortedCases(cases.positives.copy(), cases.negatives.copy())
    return tallied([cases])


def tallied(pieces: Iterable[Piece]) -> ScoreCounts:
    """Count the cases of each distinct score.  O(n log n).

    >>> tallied([SortedCases(np.array([0.5, 0.5]), np.array([0.5, 0.1]))])
    ScoreCounts(scores=array([0.5, 0.1]), positives=array([2, 0]), negatives=array([1, 1]))
    """
    rows = [part for piece in pieces for part in _rows(piece)]
    return score_counts(*(np.concatenate(column) for column in zip(*rows, strict=True)))


def _rows(piece: Piece) -> list[ScoreCounts]:
    if isinstance(piece, ScoreCounts):
        return [piece]
    rows = []
    for side, scores in enumerate(piece):
        starts = np.flatnonzero(np.concatenate([np.ones(min(scores.size, 1), np.bool_), scores[1:] != scores[:-1]]))
        counts = np.diff(starts, append=scores.size)
        levels = scores[starts].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        none = np.zeros_like(counts)
        rows.append(ScoreCounts(levels, *((none, counts) if side else (counts, none))))
    return rows


def joined(pieces: list[Piece], _after: Any = None) -> Piece:
    """Return the cases of several pieces as one.  O(n log n).

    >>> joined([SortedCases(np.array([0.9]), np.array([0.5])), SortedCases(np.array([0.1]), np.array([]))]).positives
    array([0.1, 0.9])
    """
    plain = [piece for piece in pieces if isinstance(piece, SortedCases)]
    if len(plain) < len(pieces):
        return tallied(pieces)
    sides = SortedCases(*map(_together, zip(*plain, strict=True)))
    for side in sides:
        sort(side)
    return sides


def ordered(pieces: list[Piece]) -> Range:
    """Bring the cases of a range into order.  O(n log n).

    >>> ordered([SortedCases(np.array([0.9]), np.array([0.5])), SortedCases(np.array([0.1]), np.array([]))]).keys & 1
    array([1, 0, 1], dtype=uint64)
    """
    plain = [piece for piece in pieces if isinstance(piece, SortedCases)]
    if len(plain) < len(pieces):
        return tallied(pieces)
    positives, negatives = zip(*plain, strict=True)
    correct = np.zeros(sum(side.size for piece in plain for side in piece), np.bool_)
    correct[: sum(side.size for side in positives)] = True
    return order(_together([*positives, *negatives]), correct)


def _together(parts: Sequence[ScoreArray]) -> ScoreArray:
    """Copy parts into one array, as wide as those that hold anything."""
    filled = [part for part in parts if part.size]
    return np.concatenate(filled or list(parts[:1]))
