"""The exchange of sorted partitions, until all cases of a range of scores are in one place.

Every partition is read once, sorted, and sampled at equal steps.  The samples give the cuts between ranges of about
equal size.  No range is larger than the largest partition, except for equal scores, which cost a row in each partition.
Each partition is cut, and the pieces of each range are merged: of P partitions there are 9/8 P² pieces.  More than
`MOST_AT_ONCE` partitions first exchange coarse ranges in groups, and then fine ones within each coarse range, highest
first: O(P sqrt(P)) pieces.  What a group merges is about a partition, and up to two where partitions are in order.

All cases stay in memory until their range is measured, one range after the other.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.distributed.on_dask.task_graph import Graph, Task
from evalcore.distributed.partitions.range_counts import RangeContext
from evalcore.distributed.partitions.sorted_partitions import (
    CutPartition,
    LabelCounts,
    choose_cuts,
    merge_pieces,
)
from evalcore.typing import AnyArray

MOST_AT_ONCE = 64
"""Number of partitions that exchange cases with each other directly."""
_SAMPLED_PER_RANGE = 16
"""Scores in a sample for each range: ranges are then at most an eighth larger than their mean."""
_RANGES_PER_FLIGHT = 4
"""One of so many ranges may be brought together before others have been measured."""

AddTask: TypeAlias = Callable[[list[Task], Task, int, list[Task]], Task]
"""Adds the task that measures a range.  Takes tasks that return its `PartitionCases`, the task that returns the
contexts of ranges, the number of this range among them, and tasks that must be done before."""


class CoarseRange(NamedTuple):
    """A range whose cases are to be parted further."""

    contexts: Task
    number: int


def measured_ranges(
    graph: Graph, partitions: list[Task], measure: AddTask, outer: CoarseRange | None = None, after: Sequence[Task] = ()
) -> list[Task]:
    """Add tasks that bring sorted partitions into ranges and measure each; return the latter, highest range first.

    partitions: tasks that return `PartitionCases`; outer, after: the coarse range of these, and tasks that must be done
    before.  9/8 P² tasks for P partitions, beyond `MOST_AT_ONCE` O(P sqrt(P)).
    """
    fine = len(partitions) <= MOST_AT_ONCE
    if len(partitions) == 1:
        ranges, cuts = 1, np.empty(0)
    else:
        ranges = -(-9 * len(partitions) // 8) if fine else max(min(math.isqrt(len(partitions)), MOST_AT_ONCE), 2)
        sample = methodcaller("sample", _SAMPLED_PER_RANGE * ranges)
        samples = [graph.call("sample", sample, each) for each in partitions]
        cuts = graph.call("cuts", choose_cuts, samples, ranges)
    cut = [graph.quick(CutPartition, each, cuts, ranges) for each in partitions]
    counts = [graph.quick(attrgetter("counts"), each) for each in cut]
    contexts = graph.call("contexts", range_contexts, counts, *(outer or ()))
    in_flight = max(ranges // _RANGES_PER_FLIGHT, 2 * graph.concurrency)
    measured: list[list[Task]] = []
    done: list[Task] = []
    for number in range(ranges):
        before = [done[number - in_flight]] if number >= in_flight else list(after)
        pieces = [graph.quick(CutPartition.piece, each, number) for each in cut]
        if fine:
            measured.append([measure(pieces, contexts, number, before)])
        else:
            groups = spread(pieces, -(-len(pieces) // -(-8 * ranges // 9)))
            parts = [graph.call("merge", merge_pieces, each, before) for each in groups]
            measured.append(measured_ranges(graph, parts, measure, CoarseRange(contexts, number), before))
        done.append(graph.quick(_nothing, measured[-1][-1]))  # what waits for a range is not sent its statistics
    return [task for tasks in measured for task in tasks]


def spread(pieces: list[Task], groups: int) -> list[list[Task]]:
    """Deal pieces to groups in rounds, each in another order: of any `groups` neighbours, at most two meet.

    Partitions written in the order of their scores, or in cycles, are alike: together, their pieces of one range would
    be many partitions.  O(pieces).

    >>> [len(group) for group in spread(list(range(6)), 3)]
    [2, 2, 2]
    """
    dealt: list[list[Task]] = [[] for _ in range(groups)]
    orders = np.random.default_rng(0)  # the same for every range
    for first in range(0, len(pieces), groups):
        for group, piece in zip(orders.permutation(groups).tolist(), pieces[first : first + groups], strict=False):
            dealt[group].append(piece)
    return dealt


def range_contexts(
    counts: list[AnyArray], outer: list[RangeContext] | None = None, number: int = 0
) -> list[RangeContext]:
    """Return the context of each range, highest first.

    counts: positives and negatives of each range in each partition, (r, 2) each; outer, number: the contexts of coarse
    ranges, and which of them this is.  O(P r).

    >>> range_contexts([np.array([[1, 0], [2, 3]])])[1].above
    LabelCounts(positives=1, negatives=0)
    """
    coarse = outer[number] if outer else None
    above = [coarse.above if coarse else LabelCounts(0, 0)]
    for positives, negatives in np.sum(counts, axis=0, dtype=object).tolist():  # Python's integers do not overflow
        above.append(LabelCounts(above[-1].positives + positives, above[-1].negatives + negatives))
    if coarse:  # the same sums, but for the rounding of weights
        above = [*(each.at_most(coarse.through) for each in above[:-1]), coarse.through]
    total = coarse.total if coarse else above[-1]
    is_highest = coarse is None or coarse.is_highest
    return [
        RangeContext(*edges, total, is_highest and rank == 0) for rank, edges in enumerate(itertools.pairwise(above))
    ]


def _nothing(_statistics: Any) -> None:
    """Return None once there are statistics."""
