"""The exact route: all cases in ranges of scores, the statistics of each range, and these merged."""

from collections.abc import Callable
from typing import Any, NamedTuple

from evalcore.distributed.partition_tasks import check_found, check_pos_label, sort_partition
from evalcore.distributed.range_counts import (
    RangeCases,
    RangeContext,
    RangePairs,
    merge_counts,
    merge_maximum_f1,
    merge_pairs,
    range_cases,
    range_counts,
    range_maximum_f1,
    range_pairs,
    range_precisions,
    slices_in_context,
)
from evalcore.distributed.range_shuffle import measured_ranges
from evalcore.distributed.sorted_partitions import LabelCounts, PartitionCases
from evalcore.distributed.sources import PartitionedColumns
from evalcore.distributed.task_graph import Graph, Task
from evalcore.kernels.ratios import ratio
from evalcore.kernels.reproducible_sums import FixedSum, add_fixed_sums
from evalcore.measures import curves
from evalcore.measures.certified import Certified

SLICE = 1 << 19
"""Cases of a range whose points are in memory at once."""


class RangeStatistic(NamedTuple):
    """A statistic of all cases that is merged from those of ranges of scores."""

    of_range: Callable[[RangeCases, Any], Any]
    """Takes a range and its `RangeContext`, or None if it needs none."""
    merge: Callable[[list[Any]], Any]
    """Takes the statistics of neighbouring ranges, highest first."""
    needs_context: bool = True


COUNTS = RangeStatistic(range_counts, merge_counts, needs_context=False)
PAIRS = RangeStatistic(range_pairs, merge_pairs, needs_context=False)
PRECISION_SUM = RangeStatistic(range_precisions, add_fixed_sums)
MAXIMUM_F1 = RangeStatistic(range_maximum_f1, merge_maximum_f1)


def exact_statistics(
    columns: PartitionedColumns, pos_label: Any, *wanted: RangeStatistic
) -> tuple[LabelCounts, list[Any]]:
    """Return the number of cases, and the statistics wanted of them.

    Raises as the partitions do, and as `check_found`.  Costs what `measured_ranges` does.
    """
    statistics = [COUNTS, *wanted]
    graph, measured = range_statistics(columns, pos_label, statistics)
    counts, *found = graph.compute(graph.call("merge", _merge, statistics, measured))
    check_found(counts, columns.names[0], pos_label)
    return counts, found


def range_statistics(
    columns: PartitionedColumns, pos_label: Any, statistics: list[RangeStatistic]
) -> tuple[Graph, list[Task]]:
    """Return a graph, and its tasks that give the statistics of each range, highest first.  As `measured_ranges`."""
    check_pos_label(pos_label)
    graph = columns.graph()
    partitions = columns.map(graph, "sort", sort_partition, pos_label)
    needs_context = any(statistic.needs_context for statistic in statistics)

    def measure(pieces: list[Task], contexts: Task, index: int, after: list[Task]) -> Task:
        context = (contexts, index) if needs_context else ()
        return graph.call("measure", _measure, statistics, pieces, after, *context)

    return graph, measured_ranges(graph, partitions, measure)


def _measure(
    statistics: list[RangeStatistic],
    pieces: list[PartitionCases],
    _after: Any,
    contexts: list[RangeContext] | None = None,
    index: int = 0,
) -> list[Any]:
    cases = range_cases(pieces)
    if contexts is None:
        return [statistic.of_range(cases, None) for statistic in statistics]
    slices = slices_in_context(cases, contexts[index], SLICE)
    return _merge(statistics, [[statistic.of_range(*part) for statistic in statistics] for part in slices])


def _merge(statistics: list[RangeStatistic], measured: list[list[Any]]) -> list[Any]:
    columns = zip(*measured, strict=True)
    return [statistic.merge(list(parts)) for statistic, parts in zip(statistics, columns, strict=True)]


def exact_roc_area(pairs: RangePairs, counts: LabelCounts) -> Certified:
    """Return the ROC area of all pairs, NaN if there is one class.  O(1)."""
    area = curves.roc_area(pairs.pairs, *counts)
    return Certified(area, area)


def exact_average_precision(precisions: FixedSum, counts: LabelCounts) -> Certified:
    """Return the average precision, NaN without positives.  O(1)."""
    value = float(ratio(precisions.value, counts.positives))
    return Certified(value, value)
