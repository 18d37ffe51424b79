"""Values of cases, such as grades, errors and costs: their means and how they vary, and differences between systems.

Of three or more systems all pairs are compared, with p-values adjusted by Holm's method.  Systems that have a letter in
common were not told apart.  Source: H.-P. Piepho, An algorithm for a letter-based
representation of all-pairwise comparisons, Journal of Computational and Graphical Statistics 13 (2004) 456-466.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np

from evalcore.evaluation import differences
from evalcore.evaluation.case_lists import changed_cases
from evalcore.evaluation.cases import PairedOutcomes
from evalcore.evaluation.catalogue import QUANTILE
from evalcore.evaluation.differences import ClosestPair, Measured, Standing
from evalcore.evaluation.model import VALUES, Answer, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.classes import notes_of_clusters
from evalcore.evaluation.statistics.group_differences import compared_values
from evalcore.evaluation.statistics.groups import WHOLE, GroupedRows, named_records
from evalcore.evaluation.statistics.tallies import Asked, tallied
from evalcore.inference import Interval
from evalcore.inference.intervals import Comparisons
from evalcore.inference.outcomes import agreement_with_judge, quantile_intervals, variance_within_and_between
from evalcore.inference.units import Units
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import plain_number
from evalcore.typing import AnyArray, FloatArray

_MOST_WORTH = 2
"""Times all cases that a judge who is always right may be worth by chance."""
WON, TIED, LOST = "won", "tied", "lost"
"""Names of the counts of `Changes` of values that are not all 0 and 1."""


@np.errstate(divide="ignore", invalid="ignore")  # a group may have no values
def value_columns(cases: PairedOutcomes, column: str, question: Question, groups: GroupedRows = WHOLE) -> Columns:
    """Return the statistics of a column of the old model, or the only one, in each group.

    Groups are in the order of their names.  O(n), of quantiles O(n log n).
    """
    own = cases.of_column(column)
    values, weights, units = own.values[cases.old], own.cases.weights, own.units(groups)
    codes = groups.where(own.present).codes
    weights = weights if groups.is_whole else weights.by_group(codes, groups.count)
    tally = tallied(np.broadcast_to(codes, values.size), weights, groups.count)
    level = 0.95 if question.level is None else question.level
    found = own.means(units, cases.old, level)
    deviations = values - found.estimates[codes]
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
    return Columns(statistics, intervals).at(groups.named)


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
    groups, level = cases.grouping, question.level
    wholes = {column: value_columns(cases, column, question) for column in question.values}
    rows = Answer([], values=cases.values[cases.old], weights=cases.weights.values)
    notes = [*groups.notes, *notes_of_clusters(cases, question)]
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
    if groups.is_whole:
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


def differences_of_outcomes(cases: PairedOutcomes, question: Question, groups: GroupedRows) -> list[list[Measured]]:
    """Return the differences of each new model in each group, as `Find`.  O(n) for each column."""
    found: list[list[Measured]] = [[] for _ in cases.new]
    for column in question.values:
        own, lower = cases.of_column(column), column in question.lower_is_better
        units = own.units(groups)
        for of_model, new in zip(found, cases.new, strict=True):
            compared = own.differences(units, cases.old, new, question.confidence).at(groups.named)
            of_model.append(Measured(column, column, compared, lower))
    return found


def intervals_of_model(
    cases: PairedOutcomes, column: str, model: str, level: float, groups: GroupedRows
) -> dict[str, Interval]:
    """Return the intervals of the mean of a model's column in each group.  O(n)."""
    own = cases.of_column(column)
    found = own.means(own.units(groups), model, level).each(level)
    return {name: found[code] for name, code in groups.labels.items()}


def changes_of_outcomes(model: str, cases: PairedOutcomes, question: Question) -> Iterator[differences.Changes]:
    """Yield what changed of each column: how often a new model won and lost, and where most.  O(n) for each."""
    for column in question.values:
        old, new = (cases.values[each][column] for each in (cases.old, model))
        gain = old - new if column in question.lower_is_better else new - old
        if column in cases.binary:
            right, has_both = 0 if column in question.lower_is_better else 1, ~np.isnan(gain)
            was, now = (each[has_both] == right for each in (old, new))
            counts = differences.outcome_counts(was, now, cases.weights.at(has_both).cases_of)
        else:
            masks = {WON: gain > 0, TIED: gain == 0, LOST: gain < 0}
            counts = {name: cases.weights.cases_of(mask) for name, mask in masks.items()}

        def values_of(row: int, pair: Sequence[AnyArray] = (old, new)) -> tuple[Any, ...]:
            return None, *(each[row] for each in pair)

        listed = partial(changed_cases, cases, model, values_of, size=np.abs(gain), most=question.changed)
        yield differences.Changes(None, counts, listed(gain > 0), listed(gain < 0), column)


def leaderboard(cases: PairedOutcomes, question: Question) -> tuple[list[Standing], list[ClosestPair]]:
    """Return the systems by each column, the best first, and the closest pair of each.  O(k² n) for k systems."""
    standings, closest = list[Standing](), list[ClosestPair]()
    for column in question.values:
        own = cases.of_column(column)
        units, level, sign = own.units(), question.confidence, -1 if column in question.lower_is_better else 1
        means = {model: own.means(units, model, level).each(level)[0] for model in own.values}
        ranked = sorted(means, key=lambda model: -sign * means[model].estimate)
        pairs = [*combinations(range(len(ranked)), 2)]
        compared = (own.differences(units, ranked[worse], ranked[better], level) for better, worse in pairs)
        every = Measured(column, column, Comparisons.joined(compared), sign < 0)
        found = differences.judged(every.each, level)
        apart = {pair for pair, each in zip(pairs, found, strict=True) if each.holm < 1 - level}
        for model, letters in zip(ranked, letters_of(len(ranked), apart), strict=True):
            mean = means[model]
            standings.append(Standing(column, model, mean.estimate, mean.low, mean.high, letters))
        normal = (each._replace(freedom=np.inf) for each in found)  # the many cases that are needed have many degrees
        near = [
            (abs(each.found.difference), differences.detectable_difference(each, level), pair)
            for each, pair in zip(normal, pairs, strict=True)
            if pair not in apart and each.found.difference != 0 and each.detectable > 0
        ]
        if near:
            difference, detectable, (better, worse) = min(near)
            needed = math.ceil(sum(own.cases.counts) * (detectable / difference) ** 2)
            closest.append(ClosestPair(column, ranked[better], ranked[worse], difference, needed))
    return standings, closest


def letters_of(systems: int, apart: Collection[tuple[int, int]]) -> list[str]:
    """Return letters of ranked systems, which share one unless they are apart; pairs: of indices.  O(systems³).

    >>> letters_of(3, {(0, 2)}), letters_of(3, {(0, 1), (0, 2)})
    (['a', 'ab', 'b'], ['a', 'b', 'b'])
    """
    alike = [frozenset(range(systems))]
    for one, other in sorted(apart):
        both = [each for each in alike if {one, other} <= each]
        parts = [part for each in both for part in (each - {one}, each - {other})]
        kept = [each for each in alike if each not in both]
        for part in parts:
            if not any(part <= each for each in kept):
                kept = [each for each in kept if not each < part] + [part]
        alike = kept
    letters = (f"{letter}{again}" for again in ("", *range(2, len(alike) + 2)) for letter in ascii_lowercase)
    named = [*zip(letters, sorted(map(sorted, alike)), strict=False)]
    return ["".join(letter for letter, each in named if one in each) for one in range(systems)]
