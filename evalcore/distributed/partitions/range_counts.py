"""Counts and statistics of the cases in one range of scores, and how those of neighbouring ranges merge.

`RangeCases` has two forms: `OrderedRange` of cases, and `TalliedRange` of distinct scores with counts or weights.
Whole weights are counts.  Sums of others are rounded, so their statistics have functions of their own.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from evalcore.distributed.partitions.sorted_partitions import (
    LabelCounts,
    PartitionCases,
    SortedCases,
    TalliedCases,
    all_of,
    concatenate_scores,
    tally,
)
from evalcore.kernels.operating_points import OperatingPoints, correct_bits, correct_points
from evalcore.kernels.ordering import Ordering, order
from evalcore.kernels.pairs import PairCounts, pair_counts
from evalcore.kernels.ratios import ratio
from evalcore.kernels.reproducible_sums import FixedSum
from evalcore.kernels.rounded_sums import most_roundings
from evalcore.kernels.threshold_points import ThresholdPoints, counted_points
from evalcore.kernels.weighted_placements import lost_pairs
from evalcore.measures import binary, curves

_ROUNDINGS_OF_A_SCORE = 512
"""More than the weights of one score go through: of 2**30 cases in each of 2**12 partitions, and NumPy's sum of all."""


class RangeContext(NamedTuple):
    """What a range must know of the others."""

    above: LabelCounts
    """Cases in all ranges above it."""
    through: LabelCounts
    """Cases in it and in all ranges above it."""
    total: LabelCounts
    """Cases in all ranges."""
    is_highest: bool = True
    """Whether no range is above it, not even an empty one."""


class RangePairs(NamedTuple):
    """Pairs of a range, or of neighbouring ones."""

    pairs: PairCounts
    negatives: int


class MaximumF1(NamedTuple):
    """The largest F1 of some thresholds; both fields are NaN without positives."""

    value: float
    threshold: float
    """The highest one that gives it."""


class WeightedPairs(NamedTuple):
    """Fractions of the weight of all pairs: those that correct cases win and lose in neighbouring ranges, ties half."""

    won: float
    lost: float
    correct: float
    """Fraction of the weight of all correct cases."""
    incorrect: float
    roundings: int
    """As `RoundedFraction.roundings`."""


class RoundedFraction(NamedTuple):
    """A fraction of sums of weights, or the part of it that a range adds."""

    value: float
    roundings: int
    """Through so many roundings, one after the other, each of the sums went at most."""


class RangeCases(Protocol):
    """All cases of a range of scores, best first."""

    @property
    def counts(self) -> LabelCounts:
        """Number of cases.  O(n)."""

    @property
    def range_pairs(self) -> RangePairs:
        """Pairs of a positive and a negative in the range.  O(n)."""

    @property
    def points(self) -> OperatingPoints:
        """Operating points of the scores that a positive has, counted within the range.  O(n)."""

    @property
    def threshold_points(self) -> ThresholdPoints:
        """Cases at or above every distinct score, counted within the range.  O(n)."""

    def score_at(self, rank: int) -> float:
        """Return the score of the case at a rank, from 0.  O(1), of tallied cases O(p)."""

    def slices(self, size: int) -> Iterator["RangeCases"]:
        """Yield slices of about `size` cases or distinct scores, at least one; no score is in two.  O(n)."""


class OrderedRange(Ordering):
    """The cases of a range in order."""

    __slots__ = ()

    @property
    def counts(self) -> LabelCounts:
        """As `RangeCases` says."""
        positives = int(np.count_nonzero(correct_bits(self.keys)))
        return LabelCounts(positives, self.keys.size - positives)

    @property
    def range_pairs(self) -> RangePairs:
        """As `RangeCases` says."""
        pairs = pair_counts(self.keys)
        return RangePairs(pairs, self.keys.size - pairs.correct)

    @property
    def points(self) -> OperatingPoints:
        """As `RangeCases` says."""
        return correct_points(self.keys)

    @property
    def threshold_points(self) -> ThresholdPoints:
        """As `RangeCases` says."""
        return counted_points(self)

    def score_at(self, rank: int) -> float:
        """As `RangeCases` says."""
        return float(self.scores(np.array([rank]))[0])

    def slices(self, size: int) -> Iterator["OrderedRange"]:
        """As `RangeCases` says.

        >>> cases = OrderedRange(*order(np.array([0.5, 0.5, 0.9]), np.array([True, False, False])))
        >>> [part.counts for part in cases.slices(1)]
        [LabelCounts(positives=0, negatives=1), LabelCounts(positives=1, negatives=1)]
        """
        keys, start = self.keys, 0
        while True:
            stop = min(start + size, keys.size)
            if 0 < stop < keys.size:
                stop = int(keys.searchsorted(keys[stop - 1] | keys.dtype.type(1), side="right"))
            yield OrderedRange(keys[start:stop], self.code)
            if stop == keys.size:
                return
            start = stop


class TalliedRange(TalliedCases):
    """The cases of a range, counted at each distinct score."""

    __slots__ = ()

    @property
    def range_pairs(self) -> RangePairs:
        """As `RangeCases` says."""
        return RangePairs(self.pairs, self.counts.negatives)

    @property
    def threshold_points(self) -> ThresholdPoints:
        """As `RangeCases` says."""
        return ThresholdPoints(self.tp.astype(np.float64), self.fp.astype(np.float64), self.scores)

    def score_at(self, rank: int) -> float:
        """As `RangeCases` says."""
        return float(self.scores[(self.tp + self.fp).searchsorted(rank, side="right")])

    def slices(self, size: int) -> Iterator["TalliedRange"]:
        """As `RangeCases` says."""
        for start in range(0, max(self.scores.size, 1), size):
            yield self.part(slice(start, start + size))


def range_cases(pieces: Sequence[PartitionCases]) -> RangeCases:
    """Bring the cases of all partitions in a range into order, or count those of each score.  O(n log n)."""
    plain = all_of(SortedCases, pieces)
    if plain is None:
        return TalliedRange(*tally(pieces))
    positives, negatives = zip(*plain, strict=True)
    scores = concatenate_scores([*positives, *negatives])
    correct = np.zeros(scores.size, np.bool_)
    correct[: sum(side.size for side in positives)] = True
    return OrderedRange(*order(scores, correct))


def slices_in_context(cases: RangeCases, context: RangeContext, size: int) -> Iterator[tuple[RangeCases, RangeContext]]:
    """Yield slices of a range, as `RangeCases.slices`, each with its own context.  O(n)."""
    parts = list(cases.slices(size))  # views
    above, through, total, is_highest = context
    for number, part in enumerate(parts, start=1):
        below = through if number == len(parts) else merge_counts([above, part.counts]).at_most(through)
        yield part, RangeContext(above, below, total, is_highest and number == 1)
        above = below


def merge_counts(parts: Sequence[LabelCounts]) -> LabelCounts:
    """Add up counts.  O(parts)."""
    return LabelCounts(sum(part.positives for part in parts), sum(part.negatives for part in parts))


def merge_pairs(parts: Sequence[RangePairs]) -> RangePairs:
    """Count the pairs of neighbouring ranges, highest first.  O(ranges).

    >>> merge_pairs([RangePairs(PairCounts(1, 0, 0), 2), RangePairs(PairCounts(3, 1, 1), 4)])
    RangePairs(pairs=PairCounts(correct=4, lost=7, tied=1), negatives=6)
    """
    correct = lost = tied = negatives = 0
    for part in parts:
        lost += part.pairs.lost + part.pairs.correct * negatives
        correct += part.pairs.correct
        tied += part.pairs.tied
        negatives += part.negatives
    return RangePairs(PairCounts(correct, lost, tied), negatives)


def precision_sum_of_range(cases: RangeCases, context: RangeContext) -> FixedSum:
    """Add up the precision after each positive of a range, on the grid of all ranges.  O(n)."""
    return curves.precision_sum(_operating_points(cases, context), context.total.positives)


def maximum_f1_of_range(cases: RangeCases, context: RangeContext) -> MaximumF1:
    """Return the largest F1 of the thresholds in a range.  O(n)."""
    best = curves.maximum_f_measure(_operating_points(cases, context), context.total.positives)
    if not best.predicted_positive:
        return MaximumF1(np.nan, np.nan)
    return MaximumF1(best.value, cases.score_at(best.predicted_positive - 1 - sum(context.above)))


def merge_maximum_f1(parts: Sequence[MaximumF1]) -> MaximumF1:
    """Return the largest F1 of several ranges, highest first.  O(ranges)."""
    defined = (part for part in parts if not math.isnan(part.value))
    return max(defined, key=lambda part: part.value, default=MaximumF1(np.nan, np.nan))


def thresholds_of_range(cases: RangeCases, context: RangeContext) -> ThresholdPoints:
    """Count the cases of all ranges at or above every distinct score of one.  Exact below 2**53 cases.  O(n).

    Weights that are not whole are added up in other orders elsewhere, so the last sums are those that the next range
    begins with, and no sum is larger.
    """
    tp, fp, scores = cases.threshold_points
    tp, fp = tp + context.above.positives, fp + context.above.negatives
    if tp.size and not context.total.whole:
        for sums, last in zip((tp, fp), context.through, strict=True):
            np.minimum(sums, last, out=sums)
            sums[-1] = last
    return ThresholdPoints(tp, fp, scores)


def weighted_pairs_of_range(cases: TalliedRange, context: RangeContext) -> WeightedPairs:
    """Return the weight of the pairs of a range, as fractions of all; NaN without weight on a side.  O(n)."""
    correct, incorrect = (
        np.asarray(ratio(own, total))
        for own, total in zip((cases.positives, cases.negatives), context.total, strict=True)
    )
    roundings = _ROUNDINGS_OF_A_SCORE + most_roundings(correct.size)
    won, lost = lost_pairs(correct[::-1], incorrect[::-1]), lost_pairs(correct, incorrect)
    return WeightedPairs(won, lost, float(correct.sum()), float(incorrect.sum()), roundings)


def merge_weighted_pairs(parts: Sequence[WeightedPairs]) -> WeightedPairs:
    """Add up the pairs of neighbouring ranges, highest first, none of them as a difference.  O(ranges).

    >>> merge_weighted_pairs([WeightedPairs(0.0, 0.0, 0.25, 0.0, 1), WeightedPairs(0.5, 0.25, 0.75, 1.0, 1)])
    WeightedPairs(won=0.75, lost=0.25, correct=1.0, incorrect=1.0, roundings=5)
    """
    won = lost = correct = incorrect = 0.0
    for part in parts:
        won += part.won + correct * part.incorrect
        lost += part.lost + incorrect * part.correct
        correct += part.correct
        incorrect += part.incorrect
    return WeightedPairs(won, lost, correct, incorrect, _merged_roundings(parts))


def weighted_average_precision_of_range(cases: TalliedRange, context: RangeContext) -> RoundedFraction:
    """Return the part of the average precision that a range adds; NaN without positive weight.  O(n)."""
    tp, fp, _ = thresholds_of_range(cases, context)
    # no differences of recalls, as precision may rise and fall so often that their rounding errors add up
    parts = np.asarray(ratio(cases.positives, context.total.positives))
    value = float(np.sum(parts * binary.precision(tp, fp))) if context.total.positives else np.nan
    return RoundedFraction(value, _ROUNDINGS_OF_A_SCORE + most_roundings(tp.size))


def merge_fractions(parts: Sequence[RoundedFraction]) -> RoundedFraction:
    """Add up the parts of several ranges.  O(ranges)."""
    return RoundedFraction(sum(part.value for part in parts), _merged_roundings(parts))


def _merged_roundings(parts: Sequence[WeightedPairs | RoundedFraction]) -> int:
    # the sums above a range are those of each range above it, and of each partition: fewer than there are ranges
    return max(part.roundings for part in parts) + 2 * len(parts)


def weighted_maximum_f1_of_range(cases: RangeCases, context: RangeContext) -> MaximumF1:
    """Return the largest F1 of the thresholds in a range.  O(n)."""
    tp, fp, scores = thresholds_of_range(cases, context)
    if not tp.size or not context.total.positives:
        return MaximumF1(np.nan, np.nan)
    halves = tp / 2, (context.total.positives - tp) / 2, fp / 2  # twice the weights may leave float64
    values = np.asarray(binary.f_measure_of_counts(*halves))
    highest = int(values.argmax())
    return MaximumF1(float(values[highest]), float(scores[highest]))


def _operating_points(cases: RangeCases, context: RangeContext) -> OperatingPoints:
    """Count the cases of all ranges at the operating points of one.  O(n)."""
    points, above = cases.points, context.above
    return OperatingPoints(points.tp + above.positives, points.fp + above.negatives, above.positives)
