"""The exact route: all cases in ranges of scores, the statistics of each range, and these merged."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from evalcore.distributed.partitions import range_counts
from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.partition_tasks import check_found, check_pos_label, check_weight
from evalcore.distributed.partitions.range_counts import (
    RangeCases,
    RangeContext,
    RangePairs,
    RoundedFraction,
    WeightedPairs,
)
from evalcore.distributed.partitions.sorted_partitions import LabelCounts, PartitionCases
from evalcore.kernels.ratios import ratio
from evalcore.kernels.reproducible_sums import FixedSum, add_fixed_sums
from evalcore.measures import curves
from evalcore.measures.certified import Certified, outward

SLICE = 1 << 19
"""Cases of a range whose points are in memory at once."""


class RangeStatistic(NamedTuple):
    """A statistic of all cases that is merged from those of ranges of scores."""

    of_range: Callable[..., Any]
    """Takes a range, and its `RangeContext` if it needs one."""
    merge: Callable[[list[Any]], Any]
    """Takes the statistics of neighbouring ranges, highest first."""
    of_all: Callable[[Any, LabelCounts], Any] = lambda merged, _counts: merged
    """Takes the statistic of all ranges, and the number of all cases."""
    needs_context: bool = True
    fractional: "RangeStatistic | None" = None
    """Another form for weights that are not whole, if this one is of counts alone."""

    def measure(self, cases: RangeCases, context: RangeContext | None) -> Any:
        """Return the statistic of one range.  O(n)."""
        return self.of_range(cases, context) if self.needs_context else self.of_range(cases)


def _certified(value: float) -> Certified:
    return Certified(value, value)


def _certified_roc_area(pairs: RangePairs, counts: LabelCounts) -> Certified:
    return _certified(curves.roc_area(pairs.pairs, *counts))


def _weighted_roc_area(found: WeightedPairs, _counts: LabelCounts) -> Certified:
    return _rounded(RoundedFraction(float(ratio(found.won, found.won + found.lost)), found.roundings), _counts)


def _rounded(found: RoundedFraction, _counts: LabelCounts) -> Certified:
    return outward(found.value, found.value, found.roundings, found.value)


def _certified_average_precision(precisions: FixedSum, counts: LabelCounts) -> Certified:
    return _certified(float(ratio(precisions.value, counts.positives)))


COUNTS = RangeStatistic(attrgetter("counts"), range_counts.merge_counts, needs_context=False)
ROC_AREA = RangeStatistic(
    attrgetter("range_pairs"), range_counts.merge_pairs, _certified_roc_area, needs_context=False,
    fractional=RangeStatistic(
        range_counts.weighted_pairs_of_range, range_counts.merge_weighted_pairs, _weighted_roc_area
    ),
)  # fmt: skip
AVERAGE_PRECISION = RangeStatistic(
    range_counts.precision_sum_of_range, add_fixed_sums, _certified_average_precision,
    fractional=RangeStatistic(
        range_counts.weighted_average_precision_of_range, range_counts.merge_fractions, _rounded
    ),
)  # fmt: skip
MAXIMUM_F1 = RangeStatistic(
    range_counts.maximum_f1_of_range, range_counts.merge_maximum_f1,
    fractional=RangeStatistic(range_counts.weighted_maximum_f1_of_range, range_counts.merge_maximum_f1),
)  # fmt: skip


class RangeStatistics(NamedTuple):
    """Statistics that are wanted of all cases, as a `RangeMeasure`."""

    statistics: list[RangeStatistic]
    """The first is `COUNTS`."""
    names: tuple[str, ...]
    """Of the columns, for errors."""

    @property
    def needs_context(self) -> bool:
        """Whether a statistic needs one; with weights, which may not be whole, all do."""
        return len(self.names) > 2 or any(statistic.needs_context for statistic in self.statistics)

    def of_range(self, pieces: list[PartitionCases], context: RangeContext | None) -> list[Any]:
        """Return the statistics of one range.  O(n log n)."""
        cases = range_counts.range_cases(pieces)
        if context is None:
            return [statistic.measure(cases, None) for statistic in self.statistics]
        check_weight(sum(context.total), self.names)
        forms = _of_weights(self.statistics, context.total)
        slices = range_counts.slices_in_context(cases, context, SLICE)
        return _merge(forms, [[statistic.measure(*part) for statistic in forms] for part in slices])

    def merge(self, measured: list[list[Any]]) -> list[Any]:
        """Merge the statistics of all ranges, highest first.  O(ranges)."""
        counts = range_counts.merge_counts([counts for counts, *_ in measured])
        return _merge(_of_weights(self.statistics, counts), measured)


def exact_statistics(
    columns: PartitionedColumns, pos_label: Any, *wanted: RangeStatistic
) -> tuple[LabelCounts, list[Any]]:
    """Return the number of cases, or their weight, and the statistics wanted of them.

    Raises as the partitions do, and as `check_found`.  Costs a sort of all cases, and one exchange of them.
    """
    check_pos_label(pos_label)
    counts, *merged = columns.measured(pos_label, RangeStatistics([COUNTS, *wanted], columns.names))
    check_found(counts, columns.names, pos_label)
    forms = _of_weights(wanted, counts)
    return counts, [statistic.of_all(each, counts) for statistic, each in zip(forms, merged, strict=True)]


def _merge(statistics: Sequence[RangeStatistic], measured: list[list[Any]]) -> list[Any]:
    columns = zip(*measured, strict=True)
    return [statistic.merge(list(parts)) for statistic, parts in zip(statistics, columns, strict=True)]


def _of_weights(statistics: Sequence[RangeStatistic], total: LabelCounts) -> Sequence[RangeStatistic]:
    """Return statistics in the form for weights with this sum."""
    return statistics if total.whole else [statistic.fractional or statistic for statistic in statistics]
