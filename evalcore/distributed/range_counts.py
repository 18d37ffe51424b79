"""What the cases of one range add to the answer for all."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.distributed.sorted_partitions import Range
from evalcore.kernels.operating_points import OperatingPoints, correct_mask, correct_points
from evalcore.kernels.ordering import Ordering
from evalcore.kernels.pairs import PairCounts, pair_counts
from evalcore.kernels.reproducible_sums import FixedSum
from evalcore.kernels.score_counts import ScoreCounts
from evalcore.kernels.threshold_points import ThresholdPoints, counted_points
from evalcore.measures import curves


class Counts(NamedTuple):
    """Cases, for instance of a range."""

    positives: int
    negatives: int


class Place(NamedTuple):
    """What a range needs to know of the others."""

    above: Counts
    """Cases in all ranges above it."""
    all: Counts
    """Cases in all ranges."""
    number: int = 0
    """How many ranges are above it."""


class RangePairs(NamedTuple):
    """Pairs of a range, or of neighbouring ones."""

    pairs: PairCounts
    negatives: int


class BestThreshold(NamedTuple):
    """Where a measure is largest."""

    value: float
    score: float
    """The threshold there; both are NaN where there is no positive."""


def counted(part: Range, _place: Place | None = None) -> Counts:
    """Count the cases of a range.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> counted(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])))
    Counts(positives=2, negatives=1)
    """
    if isinstance(part, Ordering):
        positives = int(np.count_nonzero(correct_mask(part.keys)))
        return Counts(positives, part.keys.size - positives)
    return Counts(int(part.positives.sum()), int(part.negatives.sum()))


def joined_counts(parts: list[Counts]) -> Counts:
    """Add up counts.  O(parts).

    >>> joined_counts([Counts(1, 2), Counts(3, 4)])
    Counts(positives=4, negatives=6)
    """
    return Counts(sum(part.positives for part in parts), sum(part.negatives for part in parts))


def pairs_of(part: Range, _place: Place | None = None) -> RangePairs:
    """Count the pairs of a positive and a negative of one range.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> pairs_of(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])))
    RangePairs(pairs=PairCounts(correct=2, lost=2, tied=1), negatives=1)
    """
    if isinstance(part, Ordering):
        pairs = pair_counts(part.keys)
        return RangePairs(pairs, part.keys.size - pairs.correct)
    return RangePairs(part.pairs, int(part.negatives.sum()))


def joined_pairs(parts: list[RangePairs]) -> RangePairs:
    """Count the pairs of neighbouring ranges, highest first.  O(ranges).

    >>> joined_pairs([RangePairs(PairCounts(1, 0, 0), 2), RangePairs(PairCounts(3, 1, 1), 4)])
    RangePairs(pairs=PairCounts(correct=4, lost=7, tied=1), negatives=6)
    """
    correct = lost = tied = negatives = 0
    for part in parts:
        lost += part.pairs.lost + part.pairs.correct * negatives
        correct += part.pairs.correct
        tied += part.pairs.tied
        negatives += part.negatives
    return RangePairs(PairCounts(correct, lost, tied), negatives)


def operating_points(part: Range, above: Counts) -> OperatingPoints:
    """Return the operating points of a range that hold a positive, counting what is above it too.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> operating_points(order(np.array([0.5, 0.9]), np.array([True, False])), Counts(3, 4))
    OperatingPoints(tp=array([4]), fp=array([5]), tp_before=3)
    """
    points = correct_points(part.keys) if isinstance(part, Ordering) else part.points
    return OperatingPoints(points.tp + above.positives, points.fp + above.negatives, above.positives)


def precision_sum(part: Range, place: Place) -> FixedSum:
    """Add up the precision after each positive of a range, on the grid of all.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> part = order(np.array([0.5, 0.9]), np.array([True, False]))
    >>> precision_sum(part, Place(Counts(0, 0), counted(part))).value
    0.5
    """
    return curves.precision_sum(operating_points(part, place.above), place.all.positives)


def best_f1(part: Range, place: Place) -> BestThreshold:
    """Return the largest F1 of the thresholds in a range, and the highest threshold that has it.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> part = order(np.array([0.5, 0.9]), np.array([True, False]))
    >>> best_f1(part, Place(Counts(0, 0), counted(part)))
    BestThreshold(value=0.6666666666666666, score=0.5)
    """
    above = place.above
    best = curves.maximum_f_measure(operating_points(part, above), place.all.positives)
    if not best.predicted_positive:
        return BestThreshold(np.nan, np.nan)
    rank = best.predicted_positive - 1 - above.positives - above.negatives
    if isinstance(part, Ordering):
        return BestThreshold(best.value, float(part.scores(np.array([rank]))[0]))
    row = int((part.tp + part.fp).searchsorted(rank, side="right"))
    return BestThreshold(best.value, float(part.scores[row]))


def joined_best(parts: list[BestThreshold]) -> BestThreshold:
    """Return the largest F1 of several ranges, highest first.  O(ranges).

    >>> joined_best([BestThreshold(0.5, 0.9), BestThreshold(np.nan, np.nan), BestThreshold(0.5, 0.2)])
    BestThreshold(value=0.5, score=0.9)
    """
    found = (part for part in parts if not math.isnan(part.value))
    return max(found, key=lambda part: part.value, default=BestThreshold(np.nan, np.nan))


def threshold_points(part: Range, place: Place) -> ThresholdPoints:
    """Count the cases at or above every distinct score of a range, those above the range too.

    Exact below 2**53 cases.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> part = order(np.array([0.5, 0.9]), np.array([True, False]))
    >>> threshold_points(part, Place(Counts(0, 0), counted(part)))
    ThresholdPoints(tp=array([0., 1.]), fp=array([1., 1.]), scores=array([0.9, 0.5]))
    """
    above = place.above
    points = counted_points(part) if isinstance(part, Ordering) else part
    tp, fp = (np.add(own, before, dtype=np.float64) for own, before in zip((points.tp, points.fp), above, strict=True))
    return ThresholdPoints(tp, fp, points.scores)


def slices(part: Range, place: Place, size: int) -> Iterator[tuple[Range, Place]]:
    """Yield a range in slices of about so many cases, or rows of counts, each with its own place; no score is in two.

    At least one, which may be empty.  O(n).

    >>> from evalcore.kernels.ordering import order
    >>> part = order(np.array([0.5, 0.5, 0.9]), np.array([True, False, False]))
    >>> [(counted(each), where.above) for each, where in slices(part, Place(Counts(0, 0), counted(part)), size=1)]
    [(Counts(positives=0, negatives=1), Counts(positives=0, negatives=0)), (Counts(positives=1, negatives=1), \
Counts(positives=0, negatives=1))]
    """
    column = part.keys if isinstance(part, Ordering) else part.scores
    start = 0
    while True:
        stop = min(start + size, column.size)
        if isinstance(part, Ordering):
            if 0 < stop < column.size:
                stop = int(column.searchsorted(column[stop - 1] | column.dtype.type(1), side="right"))
            piece: Range = Ordering(part.keys[start:stop], part.code)
        else:
            piece = ScoreCounts(part.scores[start:stop], part.positives[start:stop], part.negatives[start:stop])
        yield piece, place
        if stop == column.size:
            return
        start = stop
        place = Place(joined_counts([place.above, counted(piece)]), place.all, place.number + 1)
