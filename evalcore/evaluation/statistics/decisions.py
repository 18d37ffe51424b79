"""Statistics of decisions, such as scores at or above a threshold: of one group of cases as of many.

Where sums of weights are whole numbers, measures are computed of whole numbers, so that whole weights give to the bit
what repeated rows give.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.cases import RankedCases
from evalcore.evaluation.catalogue import DECISIONS, ENTRIES, MeasureName
from evalcore.evaluation.measure_choice import ALL_MEASURES, OF_DECISIONS, Measures
from evalcore.evaluation.model import ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.statistics.case_tallies import ClassTables, Tally, measure_intervals, tallied
from evalcore.evaluation.statistics.groups import GroupedRows, named_records
from evalcore.evaluation.thresholds import AskedThreshold, Costs, Target, section_name
from evalcore.evaluation.weighting import RowWeights
from evalcore.inference.cells import cells_of_sums, tables_of
from evalcore.inference.decisions import DecisionMeasure, measure_of_decisions
from evalcore.inference.intervals import DEFAULT_AREA_METHOD
from evalcore.inference.thresholds import net_benefit_intervals
from evalcore.kernels.tables import BinaryCounts, binary_codes, binary_counts
from evalcore.kernels.thresholds import are_at_or_above, counted_points, given_number
from evalcore.kernels.weights import WeightSums
from evalcore.measures.influence import kish_number
from evalcore.measures.losses import are_probabilities
from evalcore.measures.multiclass import DECISION_RATIOS, CategoryCounts
from evalcore.measures.thresholds import expected_costs, net_benefits, threshold_reaching
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray
from evalcore.validation.arrays import Cases

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


_FORMULAS = {
    name: formula
    for name, entry in ENTRIES.items()
    if DECISIONS in entry.needs and (formula := entry.of_decisions or entry.of_classes)
}


def decision_values(tally: Tally) -> dict[str, AnyArray]:
    """Return counts or sums of weights and what derives from them, (g,) each, by name; fractions as of `class_scores`.

    tally: tp, fn, fp and tn, (4, g).  O(g).
    """
    decisions = _of_both_classes(tally.counts)
    measures = {name: np.asarray(formula(decisions)) for name, formula in _FORMULAS.items()}
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
    formula, derivatives = _FORMULAS[name], entry.derivatives
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
