"""The exact route: sorted partitions exchange their cases, until each range of scores is in one place.

Every partition is read once, sorted, and sampled at equal steps.  The samples give the cuts between ranges of about
equal size, none larger than the largest partition but by equal scores, which cost a row for each partition.  Each
partition is cut by them, and each range joins its pieces: of P partitions these are 9/8 P² pieces.  More than
`MOST_AT_ONCE` partitions first exchange coarse ranges in groups, and then fine ones within each coarse range, highest
first: O(P sqrt(P)) pieces.  What a group joins is about a partition, and up to two where partitions are in order.

All cases stay in memory until the ranges are measured, one after the other.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.distributed.range_counts import Counts, Place
from evalcore.distributed.sorted_partitions import Pieces, counts_of, cuts_of, joined, sample, taken
from evalcore.distributed.task_graph import Graph, Task
from evalcore.typing import IntArray

MOST_AT_ONCE = 64
"""Partitions that exchange cases with each other directly."""
_SAMPLE = 16
"""Scores in a sample for each range: ranges are then at most an eighth larger than their mean."""
_IN_FLIGHT = 4
"""One of so many ranges may be brought together before others have been measured."""


AddTask: TypeAlias = Callable[[list[Task], Task, int, list[Task]], Task]
"""Adds the task that measures a range; takes tasks that return each a `Piece` of it, one that returns the places of
ranges, the number of this one among them, and tasks that are to be done before."""


class Outer(NamedTuple):
    """A coarse range, whose cases are to be parted further."""

    places: Task
    number: int


def measured_ranges(
    graph: Graph, partitions: list[Task], measure: AddTask, outer: Outer | None = None, after: Sequence[Task] = ()
) -> list[Task]:
    """Add the tasks that bring sorted partitions into ranges and measure each; return the latter, highest range first.

    partitions: tasks that return a `Piece` each; outer, after: the coarse range that these are, and what is to be done
    before.  9/8 P² tasks for P partitions, beyond `MOST_AT_ONCE` O(P sqrt(P)).

    >>> from evalcore.distributed.sorted_partitions import sorted_cases
    >>> graph = Graph()
    >>> partition = graph.call("sort", sorted_cases, np.array([True, False]), np.array([0.9, 0.5]))
    >>> tasks = measured_ranges(graph, [partition], lambda pieces, places, number, after: places)
    >>> graph.compute(tasks[0])
    [Place(above=Counts(positives=0, negatives=0), all=Counts(positives=1, negatives=1), number=0)]
    """
    fine = len(partitions) <= MOST_AT_ONCE
    if len(partitions) == 1:
        count, cuts = 1, np.empty(0)
    else:
        count = -(-9 * len(partitions) // 8) if fine else max(min(math.isqrt(len(partitions)), MOST_AT_ONCE), 2)
        samples = [graph.call("sample", sample, each, _SAMPLE * count) for each in partitions]
        cuts = graph.call("cuts", cuts_of, samples, count)
    cut = [graph.quick(Pieces, each, cuts, count) for each in partitions]
    places = graph.call("places", places_of, [graph.quick(counts_of, each) for each in cut], *(outer or ()))
    in_flight = max(count // _IN_FLIGHT, 2 * graph.threads)
    answers: list[list[Task]] = []
    done: list[Task] = []
    for number in range(count):
        before = [done[number - in_flight]] if number >= in_flight else list(after)
        pieces = [graph.quick(taken, each, number) for each in cut]
        if fine:
            answers.append([measure(pieces, places, number, before)])
        else:
            groups = spread(pieces, -(-len(pieces) // -(-8 * count // 9)))
            parts = [graph.call("join", joined, each, before) for each in groups]
            answers.append(measured_ranges(graph, parts, measure, Outer(places, number), before))
        done.append(graph.quick(_no_answer, answers[-1][-1]))  # what waits for a range is not to be sent its answer
    return [answer for each in answers for answer in each]


def spread(pieces: list[Task], count: int) -> list[list[Task]]:
    """Deal pieces to groups in rounds, in another order each: of neighbours, as many as groups, at most two meet.

    Partitions that were written in the order of their scores, or in cycles, are alike: together, their pieces of one
    range would be many partitions.  O(pieces).

    >>> [len(group) for group in spread(list(range(6)), 3)]
    [2, 2, 2]
    """
    groups: list[list[Task]] = [[] for _ in range(count)]
    orders = np.random.default_rng(0)  # the same for every range
    for first in range(0, len(pieces), count):
        for group, piece in zip(orders.permutation(count).tolist(), pieces[first : first + count], strict=False):
            groups[group].append(piece)
    return groups


def _no_answer(_answer: Any) -> None:
    """Return nothing, once there is an answer."""


def places_of(tables: list[IntArray], outer: list[Place] | None = None, number: int = 0) -> list[Place]:
    """Return what stands above each range, highest first.

    tables: positives and negatives of each range in each partition, (r, 2) each; outer, number: the places of coarse
    ranges, and which of them this is.  O(P r).

    >>> places_of([np.array([[1, 0], [2, 3]])])[1]
    Place(above=Counts(positives=1, negatives=0), all=Counts(positives=3, negatives=3), number=1)
    """
    counts = np.sum(tables, axis=0).tolist()
    above = [outer[number].above if outer else Counts(0, 0)]
    for positives, negatives in counts:
        above.append(Counts(above[-1].positives + positives, above[-1].negatives + negatives))
    everything = outer[number].all if outer else above[-1]
    before = outer[number].number * len(counts) if outer else 0  # all that matters is which is the first
    return [Place(each, everything, before + number) for number, each in enumerate(above[:-1])]
