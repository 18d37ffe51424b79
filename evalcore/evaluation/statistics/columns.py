"""Statistics as columns: for each measure an array over groups, and for its interval; a whole is a single group.

Records, which have an object for each number, are made of columns at the end, by `records_of` alone.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.catalogue import statistic
from evalcore.evaluation.model import Statistic
from evalcore.evaluation.statistics.case_tallies import Tally
from evalcore.inference import Interval
from evalcore.inference.cells import Cells, cells_of_counts, cells_of_sums, intervals_of_parts
from evalcore.inference.intervals import Intervals, proportion_intervals
from evalcore.typing import AnyArray, IntArray


class Columns(NamedTuple):
    """Statistics of g groups, shape (g,) each, and the intervals of some of them, by name."""

    values: Mapping[str, AnyArray]
    intervals: Mapping[str, Intervals] = {}

    def plus(self, other: "Columns") -> "Columns":
        """Return these statistics and further ones of the same groups.  O(statistics)."""
        return Columns({**self.values, **other.values}, {**self.intervals, **other.intervals})

    def only(self, names: Iterable[str]) -> "Columns":
        """Return some of the statistics.  O(statistics)."""
        chosen = [*names]
        values = {name: self.values[name] for name in chosen if name in self.values}
        return Columns(values, {name: self.intervals[name] for name in chosen if name in self.intervals})

    def at(self, groups: IntArray) -> "Columns":
        """Return the statistics of some groups, by their indices, (m,).  O(m statistics)."""
        intervals = {
            name: Intervals(estimates[groups], low[groups], high[groups], method)
            for name, (estimates, low, high, method) in self.intervals.items()
        }
        return Columns({name: column[groups] for name, column in self.values.items()}, intervals)


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


def records_of(parts: Sequence[Columns], level: float | None) -> Iterator[list[Statistic]]:
    """Yield the record of each group of several columns of the same statistics, one after the other.  O(statistics).

    level: of the intervals.

    >>> [[tree], [shrub]] = records_of([Columns({"cases": np.array([3, 4])})], None)
    >>> tree.value, shrub.title
    (3, 'cases')
    """
    return map(list, zip(*(_items(name, parts, level) for name in parts[0].values), strict=True))


def _items(name: str, parts: Sequence[Columns], level: float | None) -> Iterator[Statistic]:
    title = statistic(name, 0).title
    for part in parts:
        numbers, found = part.values[name].tolist(), part.intervals.get(name)
        intervals = repeat(None) if level is None or found is None else found.each(level)
        for number, interval in zip(numbers, intervals, strict=False):
            # mappings take one NaN for equal
            yield tuple.__new__(Statistic, (name, title, np.nan if math.isnan(number) else number, interval))


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
