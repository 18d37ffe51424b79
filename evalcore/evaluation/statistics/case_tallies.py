"""Cases counted into the cells of tables, with the sums of their weights where they have sampling weights.

Measures of tables of classes are those of reports: precision, recall and F1 that are 0, not 0/0, as in scikit-learn.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.catalogue import CELLS, ENTRIES, named_by
from evalcore.evaluation.measure_choice import LOSSES, OF_EACH_CLASS
from evalcore.evaluation.model import Columns
from evalcore.evaluation.statistics.groups import combinations
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.inference import Interval
from evalcore.inference import cells as of_cells
from evalcore.inference.cells import FRACTIONS, Cells
from evalcore.inference.intervals import Intervals, intervals_of_means
from evalcore.inference.units import spread_of_sums, with_unseen
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import joint_counts
from evalcore.kernels.weights import WeightSums, are_whole, weight_sums
from evalcore.measures import binary, multiclass
from evalcore.measures.agreement import kappa, weighted_means_of_rows
from evalcore.measures.influence import kish_number
from evalcore.typing import AnyArray, Count, FloatArray, IntArray, Ratio


class Tally(NamedTuple):
    """The cases in the cells of a table of any shape."""

    counts: AnyArray
    """What measures are computed from: cases, or sums of sampling weights; int64 where all are whole."""
    weights: WeightSums | None = None
    """Where cases have sampling weights."""
    divisor: FloatArray | float = 1.0
    """What weights were divided by, of all cells or of each part along the first axis."""

    @property
    def sums(self) -> WeightSums:
        """The weights, of cases without any their numbers."""
        return WeightSums(self.counts, self.counts, self.counts) if self.weights is None else self.weights

    @property
    def cases(self) -> IntArray:
        """The number of cases in each cell."""
        return self.sums.cases.astype(np.int64, copy=False)

    @property
    def shown(self) -> AnyArray:
        """Cases, int64, or sums of weights, float64."""
        return self.counts if self.weights is None else self.weights.sums * self.divisor

    def map(self, task: Callable[[AnyArray], AnyArray]) -> "Tally":
        """Return what a task makes of the counts, and of each column of weights.  O(1) beside the task."""
        weights = None if self.weights is None else WeightSums(*map(task, self.weights))
        return self._replace(counts=task(self.counts), weights=weights)

    def reshaped(self, *shape: int) -> "Tally":
        """Return the same cells in a table of another shape.  O(1)."""
        return self.map(lambda column: column.reshape(shape))

    def spread(self, index: tuple[IntArray, ...], shape: tuple[int, ...]) -> "Tally":
        """Put the cells, (m,), at indices, (m,) each, of a table of some shape that is empty elsewhere.  O(size)."""

        def put(column: AnyArray) -> AnyArray:
            table = np.zeros(shape, column.dtype)
            table[index] = column
            return table

        return self.map(put)

    @property
    def effective(self) -> FloatArray:
        """The effective number of cases in each cell."""
        return kish_number(self.sums)

    def at(self, index: int | slice | IntArray | None) -> "Tally":
        """Return the cells at indices along the first axis; all as the only table of several for None.  O(cells)."""
        return self.map(lambda column: column[index])

    def along(self, axis: int | tuple[int, ...]) -> "Tally":
        """Return the cases of all cells along one axis or several.  O(cells)."""
        return self.map(lambda column: np.asarray(column.sum(axis=axis)))

    @property
    def described(self) -> dict[str, AnyArray]:
        """The number of cases in each cell and, of weighted ones, their weight and the effective number, by name."""
        if self.weights is None:
            return {"cases": self.counts}
        return {"cases": self.cases, "weight": self.shown, "effective_cases": self.effective}


def tally_of(weights: WeightSums, *, frequencies: bool = False, whole: bool | None = None) -> Tally:
    """Return the tally of cases with sampling weights, or with frequencies.  O(cells).

    whole: whether the weights are whole numbers; by default whether their sums are.

    >>> tally_of(WeightSums(np.array([2.0, 3.0]), np.array([2.0, 5.0]), np.array([2.0, 2.0]))).counts
    array([2, 3])
    """
    whole = are_whole(weights.sums.ravel()) if whole is None else whole
    return Tally(weights.sums.astype(np.int64) if whole else weights.sums, None if frequencies else weights)


def described(
    classes: Tally, weighting: Weighting, effective: FloatArray | None = None, cases: AnyArray | None = None
) -> dict[str, AnyArray]:
    """Return numbers of cases, (g,) each, by name.  O(g).

    classes: positives and negatives, (2, g); effective: the effective number of cases, if it is not that of the
    classes; cases: their number, if it is not the sum of the classes.

    >>> classes = tally_of(WeightSums(*np.array([[[1.0], [3.0]], [[1.0], [5.0]], [[1.0], [2.0]]])))
    >>> {name: column.item() for name, column in described(classes, Weighting("w"), np.array([2.5])).items()}
    {'cases': 3, 'positives': 1, 'weight': 4.0, 'effective_cases': 2.5, 'prevalence': 0.25}
    """
    every = classes.along(0)
    found = {"cases": every.cases if cases is None else cases, "positives": classes.at(0).cases}
    if classes.weights is not None and weighting.column is not None:
        found |= {"weight": every.shown, "effective_cases": every.effective if effective is None else effective}
    if weighting.target_prevalence is not None:
        return found | {"prevalence": np.full(every.counts.size, weighting.target_prevalence)}
    return found | {"prevalence": np.asarray(ratio(classes.counts[0], every.counts))}


def sums_of_counts(counts: Sequence[float] | AnyArray) -> WeightSums:
    """Return counts of cases as the sums of weights of one.  O(counts)."""
    sums = np.array(counts, np.float64)
    return WeightSums(sums, sums, sums)


def tallied(codes: AnyArray, weights: RowWeights, cells: int) -> Tally:
    """Count the cases of each cell; codes: (n,) of 0 .. cells-1.  Returns (cells,).  O(n + cells).

    >>> tallied(np.array([0, 2, 2]), RowWeights(values=np.array([2, 1, 3])), 3).counts
    array([2, 0, 4])
    """
    if weights.values is None:
        return Tally(np.bincount(codes, minlength=cells))
    if weights.sums is not None:
        return tally_of(WeightSums(*(np.bincount(codes, each, cells).astype(np.float64) for each in weights.sums)))
    frequencies = weights.weighting.of_frequencies
    found = weight_sums(codes, weights.values, cells, frequencies=frequencies)
    return tally_of(found, frequencies=frequencies)._replace(divisor=weights.unit)


def tallied_pairs(reference: IntArray, response: IntArray, size: int, weights: RowWeights) -> Tally:
    """Count the cases of each pair of codes, (n,) of 0 .. size-1 each.  Returns (size, size).  O(n + size²)."""
    if weights.values is None:
        return Tally(joint_counts(reference, response, size))
    return tallied(reference.astype(np.int64) * size + response, weights, size * size).reshaped(size, size)


def occurring_cells(columns: Sequence[AnyArray], weights: RowWeights) -> tuple[list[IntArray], Tally]:
    """Count the cases of each combination of codes, (n,) each, that occurs; return their codes and the cases, (m,).

    Ascending.  O(n) if a table of all combinations is not much larger than the cases, else O(n log n) in as much memory
    as the cases take.

    >>> occurring_cells([np.array([1, 0, 1]), np.array([0, 1, 0])], RowWeights())
    ([array([0, 1]), array([1, 0])], Tally(counts=array([1, 2]), weights=None, divisor=1.0))
    """
    shape = [int(column.max(initial=0)) + 1 for column in columns]
    if math.prod(shape) <= max(2 * columns[0].size, BLOCK):
        tally = tallied(np.ravel_multi_index(list(columns), shape), weights, math.prod(shape))
        occurring = np.flatnonzero(tally.cases)
        return list(np.unravel_index(occurring, shape)), tally.at(occurring)
    numbers, found = combinations(columns, shape)
    return found, tallied(numbers, weights, found[0].size)


OF_CELLS = named_by("needs", CELLS)
"""Measures that need all cells of a table."""
OF_ACCURACY = "accuracy", "micro_precision", "micro_recall", "micro_f1"
"""Statistics that all are the accuracy, where each case has one class."""


_OF_INFERENCE = *FRACTIONS, "f1"
"""Measures whose intervals `evalcore.inference` has by name."""


class ClassScores(NamedTuple):
    """Measures of one class or, of shape (k,), of k; NaN for a class that neither occurs nor is predicted."""

    precision: Ratio
    """0 if the class is never predicted."""
    recall: Ratio
    """0 if the class never occurs."""
    f1: Ratio
    """0 if it is never found."""


def class_scores(tp: Count, fn: Count, fp: Count) -> ClassScores:
    """Return precision, recall and F1 from counts: numbers, or arrays of shape (k,).  O(k).

    Source: scikit-learn's `precision_recall_fscore_support` with ``zero_division=0``.

    >>> [float(score) for score in class_scores(0, 3, 0)]
    [0.0, 0.0, 0.0]
    """
    defined = np.where(np.add(np.add(tp, fn), fp) > 0, 1.0, np.nan)
    precision, recall = np.nan_to_num(binary.precision(tp, fp)), np.nan_to_num(binary.recall(tp, fn))
    return ClassScores(defined * precision, defined * recall, binary.f_measure_of_counts(tp, fn, fp))


@dataclass
class ClassTables:
    """The tables of k classes in g groups, or their counts alone, and what several measures need of them."""

    counts: multiclass.CategoryCounts
    """Of each class against the rest, (g, k) each."""
    tables: AnyArray | None = None
    """A row for each label, (g, k, k): counts, or sums of weights."""
    names: Collection[str] | None = None
    """Of the measures that are wanted; None for all."""

    @property
    def first(self) -> list[AnyArray]:
        """The counts of the first class, (g,) each."""
        return [column[:, 0] for column in self.counts]

    @cached_property
    def outcomes(self) -> tuple[AnyArray, AnyArray]:
        """The cases that were predicted to be of their class, or their weight, and all others, (g,) each."""
        return self.counts.tp.sum(axis=1), self.counts.fn.sum(axis=1)

    @cached_property
    def scores(self) -> ClassScores:
        """The measures of each class, (g, k)."""
        return class_scores(*self.counts[:3])

    @cached_property
    def averages(self) -> dict[str, FloatArray]:
        """The averages over the classes that are wanted, (g,)."""
        (tp, fn), names = self.counts[:2], self.names
        # a class that never occurs has no recall, rather than one of 0
        parts = {"balanced_accuracy": (np.asarray(binary.recall(tp, fn)), np.ones_like(tp))}
        for kind, own in ("macro", np.ones_like(tp)), ("weighted", tp + fn):
            parts |= {f"{kind}_{name}": (np.asarray(each), own) for name, each in self.scores._asdict().items()}
        chosen = {name: part for name, part in parts.items() if names is None or name in names}
        if not chosen:
            return {}
        values, weights = (np.concatenate(columns) for columns in zip(*chosen.values(), strict=True))
        return dict(zip(chosen, weighted_means_of_rows(values, weights).reshape(len(chosen), -1), strict=True))

    def kappas(self) -> Ratio:
        """Return kappa, (g,)."""
        if self.tables is not None:
            return multiclass.kappa(self.tables)
        margins = self.counts.tp + self.counts.fn, self.counts.tp + self.counts.fp
        return np.array([*map(kappa, self.outcomes[0].tolist(), *(each.tolist() for each in margins))])

    @property
    def measures(self) -> dict[str, AnyArray]:
        """The measures that are wanted, by the formulas of the catalogue."""
        names = [name for name in _FORMULAS if self.names is None or name in self.names]
        return {name: np.asarray(_FORMULAS[name](self)) for name in names}


_FORMULAS = {name: entry.of_classes for name, entry in ENTRIES.items() if entry.of_classes is not None}
OF_AGREEMENT = tuple(name for name in _FORMULAS if name not in OF_EACH_CLASS)
"""Measures of all classes together, in the order of reports."""


def measure_intervals(
    names: Collection[str],
    cells: Cells,
    level: float,
    *,
    values: Mapping[str, AnyArray] | None = None,
    threshold: float = 0.0,
    costs: Any = None,
) -> dict[str, Intervals]:
    """Return the intervals of measures of the tables of g groups, by their rows of the catalogue.  O(g k²) for each.

    cells: (g, k, k); names: those without derivatives and factors have no interval; values: the measures, (g,) each, if
    they are computed already; threshold, costs: of decisions.
    """
    found, table, together = dict[str, Intervals](), cells.table, dict[str, tuple[Any, ...]]()
    for name in names:
        entry = ENTRIES[name]
        # where each case has one class, several measures are the accuracy
        known = "accuracy" if entry.derivatives is multiclass.accuracy_derivatives else name
        if known in found:
            found[name] = found[known]
        elif entry.factors is not None:
            found[name] = of_cells.intervals_of_values(cells, entry.factors(threshold, costs)[0], level)
        elif known in _OF_INFERENCE:
            found[name] = of_cells.intervals_of(known, cells, level)
        elif entry.derivatives is not None and (formula := entry.of_classes or entry.of_decisions) is not None:

            def of_tables(tables: AnyArray, name: str = name, formula: Callable[[Any], Any] = formula) -> FloatArray:
                if name == "kappa":  # needs no class against the rest, which takes most of the time
                    return np.asarray(multiclass.kappa(tables))
                return np.asarray(formula(ClassTables(multiclass.one_versus_all(tables), tables, [name])))

            own = of_tables(table) if values is None else values[name], entry.derivatives(table, at=cells.at)
            if cells.at is None:
                found[name] = of_cells.intervals_by_derivatives(cells, *own, level, entry.least, formula=of_tables)
            else:  # calls of NumPy take most of the time of small tables
                together[name] = *own, [entry.least]
    if together:
        estimates, derivatives, least = map(np.array, zip(*together.values(), strict=True))
        found |= of_cells.intervals_by_derivatives(cells, estimates, derivatives, level, least).by_name([*together])
    return found


def loss_intervals(
    values: Mapping[str, AnyArray], powers: FloatArray, sizes: AnyArray, level: float
) -> dict[str, Intervals]:
    """Return the intervals of those mean losses that are among values, (g,) each; powers: summed, (2, 3).  O(g)."""
    names = [name for name in LOSSES if name in values]
    of_names = powers.reshape(-1, 2, 3)[:, [LOSSES.index(name) for name in names]].T
    means, largest = np.array([values[name] for name in names]), np.array([[ENTRIES[name].largest] for name in names])
    spread = with_unseen(spread_of_sums(means, of_names, sizes), means, sizes, largest)
    return intervals_of_means(means, spread, level, largest).by_name(names)


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
