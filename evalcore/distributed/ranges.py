"""The exact route: all cases in ranges of scores, what is counted in each range, and the statistics merged from these.

Each partition is sorted and cut into ranges, and every piece tells how many cases of its partition are above it.  The
task that gets all pieces of a range adds these up, and so knows the cases of all other ranges without hearing of them.
Whole weights are counts.  Sums of others are rounded once, whatever the order in which the pieces come: what one range
says is above it is to the last bit what the one above says it ends with.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed import partitions
from evalcore.kernels.bins import ScoreCounts
from evalcore.kernels.runs import Runs, run_starts
from evalcore.kernels.sorting import descending
from evalcore.kernels.sums import add_fixed_sums, most_roundings, ratio, running_sums, sums_of_classes
from evalcore.measures import binary, curves
from evalcore.measures.bounds import Certified, outward
from evalcore.typing import AnyArray, FloatArray, ScoreArray

_SAMPLED_PER_RANGE = 256
"""With this many sampled cases, ranges are seldom a fifth larger than their mean."""
_ROUNDINGS_OF_A_SCORE = 512
"""More than the weights of one score go through: of 2**30 cases in each of 2**12 partitions, and NumPy's sum of all."""


class SignedCases(NamedTuple):
    """Cases in any order; of those that share a score and a class, there may be one with the weight of all."""

    scores: ScoreArray
    """Shape (n,)."""
    weights: AnyArray
    """Below zero of negatives: int8 of cases without weights, int64 if all are whole, otherwise float64, (n,)."""


class CutPiece(NamedTuple):
    """The cases of a partition in one range, and how they lie among all of the partition."""

    cases: SignedCases
    above: partitions.LabelCounts
    """Cases of the partition in the ranges above."""
    through: partitions.LabelCounts
    """Cases of the partition in this range and above."""
    below: partitions.LabelCounts
    """Cases of the partition in the ranges below."""
    total: partitions.LabelCounts
    """Cases of the partition."""


class CountedRange(NamedTuple):
    """The cases of a range, counted at each of its distinct scores."""

    counts: ScoreCounts
    tp: AnyArray
    """Positives of all ranges at or above each score, shape (p,)."""
    fp: AnyArray
    """Negatives of all ranges at or above each score, shape (p,)."""
    fp_after: AnyArray
    """Negatives of all ranges below each score, shape (p,)."""
    total: partitions.LabelCounts
    """Cases in all ranges."""

    def runs(self, *, halved: bool = False) -> Runs:
        """Return the runs of the scores that a positive has, counted in all ranges; halved: of fractions halves.  O(p).

        Twice the weights may leave float64.
        """
        chosen, totals = self.counts.positives > 0, np.array(self.total)[:, np.newaxis]
        *counts, after = (column[chosen] for column in (*self.counts[1:], self.tp, self.fp, self.fp_after))
        if halved and not self.total.whole:
            *counts, after, totals = (each / 2 for each in (*counts, after, totals))
        return Runs._make([np.array([0, after.size]), *counts, totals, None, after, None])


def choose_cuts(scores: FloatArray, ranges: int) -> FloatArray:
    """Choose scores that cut cases like these, (n,), into at most `ranges` ranges of about equal size.

    Returns (c,) ascending, c < ranges; a range begins with its cut.  Fewer where many scores are equal.  O(n log n).

    >>> choose_cuts(np.array([0.1, 0.7, 0.5, 0.1]), ranges=2)
    array([0.5])
    """
    ranked = np.sort(scores) + 0.0
    cuts: FloatArray = np.unique(ranked[ranked.size * np.arange(1, ranges) // ranges] if ranked.size else ranked)
    return cuts[cuts > ranked[:1]]


def cut_cases(
    columns: Sequence[Any], names: Sequence[str], pos_label: Any, cuts: FloatArray, ranges: int
) -> list[CutPiece]:
    """Check and sort the cases of a partition, and cut them into ranges, highest first.  O(n log n + ranges)."""
    correct, scores, given = partitions.checked_partition(columns, names, pos_label)
    weights = np.ones(scores.size, np.int8) if given is None else given
    order = descending(scores)
    scores, weights = scores[order], np.where(correct, weights, -weights)[order]
    edges = np.full(ranges + 1, scores.size)
    edges[0], edges[1 : cuts.size + 1] = 0, scores.size - scores[::-1].searchsorted(cuts[::-1])
    parts = [SignedCases(scores[begin:end], weights[begin:end]) for begin, end in itertools.pairwise(edges.tolist())]
    sides = ((np.maximum(side, 0).sum().item() for side in (part.weights, -part.weights)) for part in parts)
    sums = [partitions.LabelCounts(*side) for side in sides]
    added = partial(itertools.accumulate, func=lambda *both: _added(both), initial=partitions.LabelCounts(0, 0))
    from_above, from_below = list(added(sums)), list(added(sums[::-1]))
    pieces = zip(parts, from_above, from_above[1:], from_below[-2::-1], strict=False)
    return [CutPiece._make([_compact(part), *ends, from_above[-1]]) for part, *ends in pieces]


def _compact(cases: SignedCases) -> SignedCases:
    """Return sorted cases in the smaller form, which does not keep the rest of a partition in memory.  O(n)."""
    scores, weights = cases
    starts = run_starts(scores)
    if starts.size * 2 * (scores.itemsize + 8) >= scores.nbytes + weights.nbytes:
        return SignedCases(scores.copy(), weights.copy())
    positives, negatives, _ = sums_of_classes(weights, starts)
    return SignedCases(scores[starts].repeat(2), np.column_stack([positives, -negatives]).ravel())


def count_range(pieces: Sequence[CutPiece], names: Sequence[str]) -> CountedRange:
    """Count the cases of a range, of which there is a piece of every partition.  O(n log n).  Raises as `check_weight`.

    Weights that are not whole are added up in other orders elsewhere, so the last sums are those that the next range
    begins with, and no sum is larger.
    """
    above, through, below, total = map(_added, zip(*(piece[1:] for piece in pieces), strict=True))
    partitions.check_weight(sum(total), names)
    filled = [piece.cases for piece in pieces if piece.cases.scores.size] or [pieces[0].cases]
    scores, weights = map(np.concatenate, zip(*filled, strict=True))
    order = descending(scores)
    scores, weights = scores[order], weights[order]
    if not total.whole:
        weights = weights.astype(np.float64, copy=False)  # of partitions whose weights are whole they are integers
    starts = run_starts(scores)
    distinct = np.add(scores[starts], 0.0, dtype=np.float64)  # -0.0 becomes 0.0
    counts = ScoreCounts(distinct, *sums_of_classes(weights, starts)[:2])
    tp, fp = counts.tp + above.positives, counts.fp + above.negatives
    if distinct.size and not total.whole:
        for sums, last in zip((tp, fp), through, strict=True):
            np.minimum(sums, last, out=sums)
            sums[-1] = last
    after = below.negatives + np.append(0 * fp[:1], running_sums(counts.negatives[::-1]))[-2::-1]
    return CountedRange(counts, tp, fp, after, total)


def _added(counts: Sequence[partitions.LabelCounts]) -> partitions.LabelCounts:
    """Add up counts, or weights with one rounding.  O(counts)."""
    sides = list(zip(*counts, strict=True))
    if all(isinstance(each, int) for side in sides for each in side):
        return partitions.LabelCounts(*map(sum, sides))
    try:
        return partitions.LabelCounts(*map(math.fsum, sides))
    except OverflowError:
        return partitions.LabelCounts(math.inf, math.inf)


class RangeStatistic(NamedTuple):
    """A statistic of all cases that is merged from those of ranges of scores."""

    of_range: Callable[[CountedRange], Any]
    merge: Callable[[list[Any]], Any]
    """Takes the statistics of neighbouring ranges, highest first."""
    of_all: Callable[[Any, partitions.LabelCounts], Any] = lambda merged, _total: merged
    """Takes the statistic of all ranges, and the number of all cases."""
    fractional: "RangeStatistic | None" = None
    """Another form for weights that are not whole, if this one is of counts alone."""


def exact_statistics(
    columns: partitions.PartitionedColumns, pos_label: Any, *wanted: RangeStatistic
) -> tuple[partitions.LabelCounts, list[Any]]:
    """Return the number of cases, or their weight, and the statistics wanted of them.

    Raises as the partitions do, and as `check_found`.  Costs a sort of all cases, and one exchange of them.
    """
    partitions.check_pos_label(pos_label)
    ranges, cuts = columns.ranges, np.empty(0)
    if ranges > 1:
        samples = columns.samples(_SAMPLED_PER_RANGE * ranges, partitions.checked_partition, pos_label)
        cuts = choose_cuts(np.concatenate([np.empty(0), *(sample.scores for sample in samples)]), ranges)
    measure = partial(_measure_range, wanted, columns.names)
    measured = columns.exchanged(ranges, cut_cases, measure, pos_label, cuts, ranges)
    total = measured[0][0]
    partitions.check_found(total, columns.names, pos_label)
    found = zip(*(statistics for _, statistics in measured), strict=True)
    forms = _of_weights(wanted, total)
    return total, [form.of_all(form.merge(list(parts)), total) for form, parts in zip(forms, found, strict=True)]


def _measure_range(
    wanted: Sequence[RangeStatistic], names: tuple[str, ...], pieces: list[CutPiece]
) -> tuple[partitions.LabelCounts, list[Any]]:
    cases = count_range(pieces, names)
    return cases.total, [form.of_range(cases) for form in _of_weights(wanted, cases.total)]


def _of_weights(wanted: Sequence[RangeStatistic], total: partitions.LabelCounts) -> list[RangeStatistic]:
    """Return statistics in the form for weights with this sum."""
    return [each if total.whole else each.fractional or each for each in wanted]


class MaximumF1(NamedTuple):
    """The largest F1 of some thresholds; both fields are NaN without positives."""

    value: float
    threshold: float
    """The highest one that gives it."""


class RoundedFraction(NamedTuple):
    """What a fraction is made of sums of weights, or the part of it that a range adds."""

    value: Any
    roundings: int
    """The most roundings, one after the other, of each of the sums."""


def _pairs_in_order(cases: CountedRange) -> AnyArray:
    """Return what `curves.pairs_in_order` asks of a range, whose positives meet the negatives of all ranges.  O(p)."""
    runs = cases.runs()
    return curves.pairs_in_order(runs)[0](runs)


def _area_of_lost(lost: AnyArray, total: partitions.LabelCounts) -> Certified:
    pairs = total.positives * total.negatives
    return _certified(curves.fraction_of_pairs(2 * pairs - int(lost[0]), 2, pairs))


def _maximum_f1(cases: CountedRange) -> MaximumF1:
    (value,), (best,) = curves.maximum_f_measures(cases.runs(halved=True))
    if best < 0:
        return MaximumF1(np.nan, np.nan)
    return MaximumF1(float(value), float(cases.counts.scores[cases.counts.positives > 0][best]))


def merge_maximum_f1(parts: Sequence[MaximumF1]) -> MaximumF1:
    """Return the largest F1 of several ranges, highest first.  O(ranges)."""
    defined = (part for part in parts if not math.isnan(part.value))
    return max(defined, key=lambda part: part.value, default=MaximumF1(np.nan, np.nan))


def _rounded(value: Any, cases: CountedRange) -> RoundedFraction:
    return RoundedFraction(value, _ROUNDINGS_OF_A_SCORE + most_roundings(cases.tp.size))


def _weighted_average_precision(cases: CountedRange) -> RoundedFraction:
    """Return the part of the average precision that a range adds; NaN without positive weight."""
    # no differences of recalls, as precision may rise and fall so often that their rounding errors add up
    parts = np.asarray(ratio(cases.counts.positives, cases.total.positives))
    value = float(np.sum(parts * binary.precision(cases.tp, cases.fp))) if cases.total.positives else np.nan
    return _rounded(value, cases)


def _added_parts(parts: Sequence[RoundedFraction]) -> RoundedFraction:
    # the sums above a range are those of each range above it, and of each partition: fewer than there are ranges
    roundings = max(part.roundings for part in parts) + 2 * len(parts)
    return RoundedFraction(sum(part.value for part in parts), roundings)


def _certified(value: float, roundings: int = 0) -> Certified:
    return outward(value, value, roundings, value) if roundings else Certified(value, value)


ROC_AUC = RangeStatistic(
    _pairs_in_order, sum, _area_of_lost,
    RangeStatistic(
        lambda cases: _rounded(_pairs_in_order(cases), cases), _added_parts,
        lambda found, _total: _certified(float(ratio(found.value[0, 0], found.value.sum())), found.roundings),
    ),
)  # fmt: skip
AVERAGE_PRECISION = RangeStatistic(
    lambda cases: curves.precision_sums(cases.runs(), np.array([cases.total.positives])), add_fixed_sums,
    lambda found, total: _certified(float(ratio(found.value.item(), total.positives))),
    RangeStatistic(_weighted_average_precision, _added_parts, lambda found, _total: _certified(*found)),
)  # fmt: skip
MAXIMUM_F1 = RangeStatistic(_maximum_f1, merge_maximum_f1)
