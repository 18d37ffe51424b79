"""The exact route: sorted partitions exchange their cases, until each range of scores is in one place.

Every partition is read once, sorted, and sampled at equal steps.  The samples give the cuts between ranges of about
equal size, none larger than the largest partition but by equal scores, which cost a row for each partition.  Each
partition is cut by them, and each range joins its pieces: of P partitions these are 9/8 P² pieces.  More than
`MOST_AT_ONCE` partitions first exchange coarse ranges in groups, and then fine ones within each coarse range, highest
first: O(P sqrt(P)) pieces.

All cases stay in memory, once, until the last range is cut; a quarter of them may be there twice.  For that, a range is
cut only after an earlier one has answered.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from evalcore.distributed.counting import Counts, Place, counts_in_ranges
from evalcore.distributed.graphs import Graph, Task
from evalcore.distributed.sorted_cases import cut, cuts_of, joined, sample
from evalcore.typing import IntArray

MOST_AT_ONCE = 64
"""Partitions that exchange cases with each other directly."""
_SAMPLE = 16
"""Scores in a sample for each range: ranges are then at most an eighth larger than their mean."""
_IN_FLIGHT = 4
"""One of so many ranges may be cut before others have answered."""


class Measure(Protocol):
    """Adds the task that answers for a range."""

    def __call__(self, pieces: list[Task], places: Task, number: int, /) -> Task:
        """Take tasks that return each a `Piece` of the range, and one that returns the places of ranges by number."""


class Outer(NamedTuple):
    """A coarse range, whose cases are to be parted further."""

    places: Task
    number: int


def answers_of_ranges(graph: Graph, partitions: list[Task], measure: Measure, outer: Outer | None = None) -> list[Task]:
    """Add the tasks that bring sorted partitions into ranges and answer for each; return the latter, highest first.

    partitions: tasks that return a `Piece` each.  9/8 P² tasks for P partitions, beyond `MOST_AT_ONCE` O(P sqrt(P)).

    >>> from evalcore.distributed.sorted_cases import sorted_cases
    >>> graph = Graph()
    >>> partition = graph.call("sort", sorted_cases, np.array([True, False]), np.array([0.9, 0.5]))
    >>> answers = answers_of_ranges(graph, [partition], lambda pieces, places, number: places)
    >>> graph.compute(answers[0])
    [Place(above=Counts(positives=0, negatives=0), all=Counts(positives=1, negatives=1), number=0)]
    """
    if len(partitions) == 1:
        places = _places(graph, partitions, np.empty(0), 1, outer)
        return [measure(partitions, places, 0)]
    fine = len(partitions) <= MOST_AT_ONCE
    count = -(-9 * len(partitions) // 8) if fine else max(min(math.isqrt(len(partitions)), MOST_AT_ONCE), 2)
    samples = [graph.call("sample", sample, each, _SAMPLE * count) for each in partitions]
    cuts = graph.call("cuts", cuts_of, samples, count)
    places = _places(graph, partitions, cuts, count, outer)
    in_flight = max(count // _IN_FLIGHT, 2 * graph.threads)
    answers: list[list[Task]] = []
    for number in range(count):
        before = answers[number - in_flight][-1:] if number >= in_flight else []
        pieces = [graph.call("cut", cut, each, cuts, number, before) for each in partitions]
        if fine:
            answers.append([measure(pieces, places, number)])
        else:
            group = -(-8 * count // 9)
            groups = [pieces[first : first + group] for first in range(0, len(pieces), group)]
            parts = [graph.call("join", joined, each) for each in groups]
            answers.append(answers_of_ranges(graph, parts, measure, Outer(places, number)))
    return [answer for each in answers for answer in each]


def _places(graph: Graph, partitions: list[Task], cuts: Task, count: int, outer: Outer | None) -> Task:
    tables = [graph.call("count", counts_in_ranges, each, cuts, count) for each in partitions]
    return graph.call("places", places_of, tables, *(outer or ()))


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
