"""Statistics as columns: how they are joined, and the intervals of many groups at once."""

from collections.abc import Sequence

import numpy as np

from evalcore.evaluation.model import Columns
from evalcore.evaluation.statistics.case_tallies import Tally
from evalcore.inference import Interval
from evalcore.inference.cells import Cells, cells_of_counts, cells_of_sums, intervals_of_parts
from evalcore.inference.intervals import Intervals, proportion_intervals
from evalcore.typing import IntArray


def joined(parts: Sequence[Columns], groups: Sequence[IntArray] | None = None) -> Columns:
    """Join the columns of different groups.  O(g statistics).

    groups: the indices of those of each part among all of them; None if they stand one after the other.
    """
    order = None if groups is None else np.argsort(np.concatenate(groups))
    first = parts[0]
    intervals = {}
    for name, found in first.intervals.items():
        estimates, low, high = (np.concatenate([part.intervals[name][field] for part in parts]) for field in range(3))
        intervals[name] = Intervals(estimates, low, high, found.method)
    every = Columns({name: np.concatenate([part.values[name] for part in parts]) for name in first.values}, intervals)
    return every if order is None else every.at(order)


def stacked(found: Sequence[Interval]) -> Intervals:
    """Return intervals of one method, at least one, as columns.  O(g)."""
    estimates, low, high = np.array([(each.estimate, *each) for each in found]).T
    return Intervals(estimates, low, high, found[0].method)


def fraction_intervals(successes: Tally, trials: Tally, level: float) -> Intervals:
    """Return Wilson's intervals of fractions of cases, (g,) each.  O(g)."""
    if successes.weights is not None and trials.weights is not None:
        return intervals_of_parts(successes.weights, trials.weights, level)
    return proportion_intervals(successes.counts, trials.counts, level)


def cells_of(tables: Tally, *, known_prevalence: bool = False) -> Cells:
    """Return the cells of tables of g groups, (g, ...), for their intervals.  O(cells)."""
    if tables.weights is None:
        return cells_of_counts(tables.counts)
    return cells_of_sums(tables.weights, known_prevalence=known_prevalence)
