"""Statistics of values of cases, such as grades, errors and costs: their means and how they vary, also in groups."""

import numpy as np

from evalcore.evaluation.cases import PairedOutcomes
from evalcore.evaluation.catalogue import QUANTILE
from evalcore.evaluation.model import VALUES, Answer, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.case_tallies import tallied
from evalcore.evaluation.statistics.classes import notes_of_clusters
from evalcore.evaluation.statistics.decisions import Asked
from evalcore.evaluation.statistics.group_differences import compared_values
from evalcore.evaluation.statistics.groups import GroupedRows, named_records
from evalcore.inference.outcomes import agreement_with_judge, quantile_intervals, variance_within_and_between
from evalcore.inference.units import Units
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import plain_number
from evalcore.typing import AnyArray, FloatArray, IntArray

_MOST_WORTH = 2
"""Times all cases that a judge who is always right may be worth by chance."""


@np.errstate(divide="ignore", invalid="ignore")  # a group may have no values
def value_columns(cases: PairedOutcomes, column: str, question: Question, groups: GroupedRows | None = None) -> Columns:
    """Return the statistics of a column of the old model, or the only one: of all cases as one group, or of each.

    Groups are in the order of their names.  O(n), of quantiles O(n log n).
    """
    own, count = cases.of_column(column), 1
    chosen: slice | IntArray = slice(None)
    values, weights, units = own.values[cases.old], own.cases.weights, own.units(groups)
    codes = np.zeros(values.size, np.int64)
    if groups is not None:
        codes, count, chosen = groups.of_rows[own.present], groups.count, groups.indices
        weights = weights.by_group(codes, count)
    tally = tallied(codes, weights, count)
    level = 0.95 if question.level is None else question.level
    found = own.means(units, cases.old, level)
    deviations = values - (found.estimates[0] if groups is None else found.estimates[codes])
    squares = (units.totals(each.__getitem__) for each in (np.square(deviations), np.ones(values.size)))
    variances = np.asarray(ratio(*squares)) * np.asarray(ratio(tally.cases, tally.cases - 1))
    statistics = {**tally.described, "mean": found.estimates, "standard_deviation": np.sqrt(variances)}
    intervals = {"mean": found}
    for probability in question.quantiles:
        name = f"{QUANTILE}{plain_number(probability)}"
        intervals[name] = quantile_intervals(units, values, probability, level)
        statistics[name] = intervals[name].estimates
    if cases.judged:
        del statistics["standard_deviation"]  # of the cases that people judged alone
        looked = own.powered(units, cases.old, level)
        intervals["agreement"] = agreement_with_judge(units, values, own.judged[cases.old], level)
        statistics |= {"judge_bias": looked.biases, "judge_worth": looked.worth}
        statistics["agreement"] = intervals["agreement"].estimates
    if cases.samples:
        statistics |= _of_samples(cases.samples[column][own.present], units)
    return Columns(statistics, intervals).at(chosen)


def _of_samples(samples: AnyArray, units: Units) -> dict[str, FloatArray]:
    """Return the statistics of `SAMPLES`, (m,), of each id, by group.  O(m)."""
    found = variance_within_and_between(units, samples["mean"], samples["squares"], samples["number"])
    return {"within": np.sqrt(found.within), "between": np.sqrt(found.between)}


def _note_of_variance(cases: PairedOutcomes, column: str) -> str:
    """Say how much more samples of each id, or more ids, would do for the mean of a column.  O(m)."""
    own = cases.of_column(column)
    samples = cases.samples[column][own.present]
    found = variance_within_and_between(own.units(), samples["mean"], samples["squares"], samples["number"])
    part = float(np.asarray(ratio(found.of_samples, found.of_samples + found.of_ids))[0])
    if np.isnan(part):
        two = samples["number"].max() > 1
        return f"{column}: {'all samples are alike' if two else 'no id has two samples'}, so how they vary is unknown"
    less = "more samples of each id would reduce this part, more ids the whole variance"
    return f"{column}: {part:.0%} of the variance of the mean comes from the samples; {less}"


def outcomes_answer(question: Question, cases: PairedOutcomes) -> Answer:
    """Return the report on columns of values.  O(n) for each."""
    groups, level = next(iter(cases.groups.values()), None), question.level
    wholes = {column: value_columns(cases, column, question) for column in question.values}
    rows = Answer([], values=cases.values[cases.old], weights=cases.weights.values)
    notes = [*(() if groups is None else groups.notes), *notes_of_clusters(cases, question)]
    for column, whole in wholes.items():
        if level is not None and np.isnan(whole.intervals["mean"].low[0]):
            alone = "all its values are equal, so their spread is unknown"
            units = "cluster" if cases.clusters is not None else "case"
            if cases.judged and cases.clusters is not None:
                alone = "one cluster holds all cases that people judged, or all others"
            why = f"there is one {units}" if cases.of_column(column).units().number < 2 else alone
            notes.append(f"the mean of {column} has no interval: {why}")
        if cases.judged and whole.values["judge_worth"][0] > _MOST_WORTH * (number := cases.kinds["case"]):
            worth = f"{column}: the judge cannot be worth more than the {number:,} cases"
            notes.append(f"{worth}: its values differ where people judged; draw the cases that people judge at random")
        if cases.samples:
            notes.append(_note_of_variance(cases, column))
    if groups is None:
        records = ColumnRecords(wholes, [*wholes.values()], level)
        return rows._replace(sections=[Section(VALUES, "", "value", records)], notes=notes)

    def section(column: str, whole: Columns) -> Section:
        records = named_records(groups.labels, value_columns(cases, column, question, groups), whole, level)
        around, lower = Whole(VALUES, "value"), column in question.lower_is_better
        return Section(column, column, "group", records, whole=around, lower_is_better=lower)

    sections = [*map(section, wholes, wholes.values())]
    if not question.compare_groups or level is None:
        return rows._replace(sections=sections, notes=notes)
    compared = compared_values(cases, groups, Asked(level=level), question.compare_groups)
    return rows._replace(sections=[*sections, *compared.sections], notes=[*notes, *compared.notes])
