"""Cases counted into the cells of tables, and their statistics: of decisions, of classes, of one group as of many.

Sums of weights stand beside cases that have sampling weights.  Where these sums are whole numbers, measures are
computed of whole numbers, so that whole weights give to the bit what repeated rows give.  Measures of tables of classes
are those of reports: precision, recall and F1 that are 0, not 0/0, as in scikit-learn.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.cases import RankedCases
from evalcore.evaluation.catalogue import CELLS, DECISIONS, ENTRIES, MeasureName, named_by
from evalcore.evaluation.measure_choice import ALL_MEASURES, LOSSES, OF_DECISIONS, OF_EACH_CLASS, Measures
from evalcore.evaluation.model import ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.statistics.groups import GroupedRows, combinations, named_records
from evalcore.evaluation.thresholds import AskedThreshold, Costs, Target, section_name
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.inference import Interval
from evalcore.inference import cells as of_cells
from evalcore.inference.cells import FRACTIONS, Cells, cells_of_sums, tables_of
from evalcore.inference.decisions import DecisionMeasure, measure_of_decisions
from evalcore.inference.intervals import DEFAULT_AREA_METHOD, Intervals, intervals_of_means
from evalcore.inference.thresholds import net_benefit_intervals
from evalcore.inference.units import spread_of_sums, with_unseen
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts, binary_codes, binary_counts, joint_counts
from evalcore.kernels.thresholds import are_at_or_above, counted_points, given_number
from evalcore.kernels.weights import WeightSums, are_whole, weight_sums
from evalcore.measures import binary, multiclass
from evalcore.measures.agreement import kappa, weighted_means_of_rows
from evalcore.measures.influence import kish_number
from evalcore.measures.losses import are_probabilities
from evalcore.measures.multiclass import DECISION_RATIOS, CategoryCounts
from evalcore.measures.thresholds import expected_costs, net_benefits, threshold_reaching
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, Count, FloatArray, IntArray, Ratio, ScoreArray
from evalcore.validation.arrays import Cases


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
        names = [name for name in _OF_CLASSES if self.names is None or name in self.names]
        return {name: np.asarray(_OF_CLASSES[name](self)) for name in names}


_OF_CLASSES = {name: entry.of_classes for name, entry in ENTRIES.items() if entry.of_classes is not None}
OF_AGREEMENT = tuple(name for name in _OF_CLASSES if name not in OF_EACH_CLASS)
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


SCORES = "scores"
"""The name of the section of scores, or around those of groups."""


class Asked(NamedTuple):
    """What is asked of columns of scores, and of each group."""

    threshold: float | None = None
    """Scores of at least this, in their own width, are predicted positive."""
    level: float | None = None
    """Of intervals."""
    costs: Costs | None = None
    """Of wrong decisions."""
    measures: Measures = ALL_MEASURES
    """Which are computed."""
    area_method: str = DEFAULT_AREA_METHOD
    """Of the intervals of ROC AUCs; empty for none."""
    are_probabilities: bool | None = None
    """Whether scores are, which net benefit needs; None where it is not asked for."""

    def decided(self, values: Mapping[str, AnyArray]) -> list[str]:
        """Return the names of measures of decisions among values that are asked for.  O(names).

        A threshold of 0 or 1 has no factors of net benefit.
        """
        asked = [name for name in values if name in OF_DECISIONS and self.measures.is_shown(name)]
        return [name for name in asked if ENTRIES[name].factors is None or not np.isnan(values[name]).all()]

    def of_scores(self, scores: ScoreArray) -> "Asked":
        """Return what is asked of a column of scores, (n,).  O(n)."""
        return self if self.are_probabilities is None else self._replace(are_probabilities=are_probabilities(scores))


EVERYTHING = Asked()


def decision_columns(
    tally: Tally, threshold: float, asked: Asked = EVERYTHING, *, known_prevalence: bool = False
) -> Columns:
    """Return the statistics of decisions at a threshold, which comes first; all are NaN where it is.  O(g).

    tally: tp, fn, fp and tn, (4, g); known_prevalence: whether weights were shifted to a prevalence.  Chi-squared is of
    the effective number of cases.

    >>> decision_columns(Tally(np.array([[1], [2], [3], [4]])), 0.5).values["accuracy"]
    array([0.5])
    """
    level = asked.level
    values = {"threshold": np.full(tally.counts.shape[1], threshold), **decision_values(tally)}
    if asked.are_probabilities is not None:
        values["net_benefit"] = np.full(tally.counts.shape[1], np.nan)
        if asked.are_probabilities and 0 < threshold < 1:
            values["net_benefit"] = net_benefits(WeightSums(*[tally.shown] * 3), values["threshold"])
    if asked.costs is not None:
        counts = tally.counts.astype(np.float64)
        values["expected_cost"] = expected_costs([*counts], asked.costs.of_counts, counts.sum(axis=0))
    if np.isnan(threshold):
        return Columns({name: np.full(column.size, np.nan) for name, column in values.items()})
    if level is None:
        return Columns(values)
    cells = cells_of_sums(tables_of(tally.sums), known_prevalence=known_prevalence)
    decided, costs = asked.decided(values), asked.costs
    others = [name for name in decided if name != "net_benefit"]
    intervals = measure_intervals(others, cells, level, values=values, threshold=threshold, costs=costs)
    if "net_benefit" in decided:
        own = tally.sums, values["threshold"], level
        intervals["net_benefit"] = net_benefit_intervals(*own, known_prevalence=known_prevalence)
    return Columns(values, intervals)


_OF_DECISIONS = {
    name: formula
    for name, entry in ENTRIES.items()
    if DECISIONS in entry.needs and (formula := entry.of_decisions or entry.of_classes)
}


def decision_values(tally: Tally) -> dict[str, AnyArray]:
    """Return counts or sums of weights and what derives from them, (g,) each, by name; fractions as of `class_scores`.

    tally: tp, fn, fp and tn, (4, g).  O(g).
    """
    decisions = _of_both_classes(tally.counts)
    measures = {name: np.asarray(formula(decisions)) for name, formula in _OF_DECISIONS.items()}
    if tally.weights is not None:  # a common factor of weights changes nothing
        every = WeightSums(*(column.sum(axis=0) for column in tally.weights))
        measures["chi_squared"] = kish_number(every) * measures["phi_squared"]
    return {**dict(zip(BinaryCounts._fields, tally.shown, strict=True)), **measures}


def _of_both_classes(counts: AnyArray) -> ClassTables:
    """Return the counts of the positive class and of the negative one; counts: tp, fn, fp and tn, (4, g).  O(g)."""
    return ClassTables(CategoryCounts(*counts[[[0, 3], [1, 2], [2, 1], [3, 0]]].swapaxes(1, 2)))


def decision_measure(measure: MeasureName, costs: Costs | None = None) -> DecisionMeasure:
    """Return what compares models by a measure of `AT_A_THRESHOLD`, by its row of the catalogue.  O(1)."""
    name, entry = measure.measure, ENTRIES[measure.measure]
    if name == "kappa" or name in DECISION_RATIOS:
        return measure_of_decisions(name)
    if entry.factors is not None:
        factors = entry.factors(measure.threshold or 0.0, costs)
        own = (np.inf, "", measure.threshold) if name == "net_benefit" else (float(np.ptp(factors[0])),)
        return DecisionMeasure.of_factors(factors, *own)
    formula, derivatives = _OF_DECISIONS[name], entry.derivatives
    assert derivatives is not None

    def of_tables(tables: FloatArray) -> FloatArray:
        found = formula(_of_both_classes(tables.reshape(-1, 4).T))
        return np.asarray(found).reshape(tables.shape[:-2])

    return DecisionMeasure(of_tables, derivatives, entry.largest - entry.least)


def decisions_of(
    cases: Cases | RankedCases, threshold: float, asked: Asked, weights: RowWeights, groups: GroupedRows
) -> Columns:
    """Return the statistics of the decisions in each group.  O(n).

    weights: of the cases; of groups as `RowWeights.by_group` has them.
    """
    masks = cases.correct, are_at_or_above(cases.scores, threshold)
    if groups.is_whole and weights.values is None:
        tally = Tally(np.array(binary_counts(*masks)))
    else:
        tally = tallied(4 * groups.codes + binary_codes(*masks), weights, 4 * groups.count)
    known_prevalence = groups.is_whole and weights.known_prevalence
    cells = tally.map(lambda column: column.reshape(-1, 4).T)
    return decision_columns(cells, threshold, asked, known_prevalence=known_prevalence)


def decisions_at(scores: ScoreArray, thresholds: FloatArray, groups: GroupedRows) -> BoolArray:
    """Return which scores, (n,), are at or above the threshold of their group, by its code.  O(n)."""
    return np.asarray(scores >= thresholds[groups.codes])


def values_of_thresholds(
    cases: RankedCases, thresholds: Sequence[AskedThreshold]
) -> list[tuple[AskedThreshold, float]]:
    """Return each threshold with its value for a model, NaN where no threshold reaches a target.

    O(p) for each target, and O(n log n) once if there is any.
    """
    points: Sequence[AnyArray] = ()
    if any(isinstance(threshold, Target) for threshold in thresholds):
        points = cases.points if isinstance(cases, WeightedRanking) else counted_points(cases.ordering)
    return [(each, threshold_reaching(*each, *points) if isinstance(each, Target) else each) for each in thresholds]


def sections_of(
    threshold: AskedThreshold | None,
    wholes: Mapping[str, Columns],
    level: float | None,
    groups: Mapping[str, Columns] = {},
    names: Iterable[str] = (),
) -> list[Section]:
    """Return the section of the decisions of models at a threshold, or without one of their scores.  O(statistics).

    wholes: of each model in all rows; groups: of each in the groups of these names, if there are some: then there is a
    section for each model.  level: of intervals.
    """
    name, title = (SCORES, "") if threshold is None else (section_name(threshold), title_of(threshold))
    if not groups:
        return [Section(name, title, "score", ColumnRecords(wholes, [*wholes.values()], level), across=True)]
    sections, names = [], [*names]
    for model, found in groups.items():
        own = f"{model} {title}".strip()
        if isinstance(threshold, Target):  # the same threshold in all groups
            value = float(wholes[model].values["threshold"][0])
            own = f"{own}, {'none' if np.isnan(value) else given_number(value)}"
        records = named_records(names, found, wholes[model], level)
        sections.append(Section(model, own, "group", records, whole=Whole(name, "score")))
    return sections


def title_of(threshold: AskedThreshold) -> str:
    """Return what stands above the table of decisions at a threshold.  O(1).

    >>> title_of(0.25), title_of(Target("precision", 0.9))
    ('at threshold 0.25', 'at the threshold for precision=0.9')
    """
    return f"at {'the ' if isinstance(threshold, Target) else ''}{section_name(threshold)}"


def without_undefined_net_benefits(sections: Sequence[Section]) -> list[Section]:
    """Return sections without net benefits if no threshold is above 0 and below 1.  O(columns)."""
    columns = [part.values for section in sections for part in section.columns.parts]
    if any(0 < values["threshold"][0] < 1 for values in columns if "threshold" in values):  # one for all groups
        return [*sections]
    return [
        section._replace(records=section.columns.only(name for name in section.statistics if name != "net_benefit"))
        for section in sections
    ]
