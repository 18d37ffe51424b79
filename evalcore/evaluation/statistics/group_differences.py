"""Differences of measures between each group and all other cases, between groups, and the largest gap of all groups.

Each group, and the rest of each, is a sample that is evaluated by itself; `evalcore.inference.contrasts` compares them.
Tables of a rest are those of all cases less the group's, and so are its ROC AUCs, by placements, where cases are drawn
one by one; other rankings, and means, are those of the rows of the rest.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, check, did_you_mean, refuse
from evalcore.evaluation import model
from evalcore.evaluation.cases import PairedCases, PairedClasses, PairedOutcomes
from evalcore.evaluation.catalogue import ENTRIES, WILSON, MeasureName, entry_of, group_statistic
from evalcore.evaluation.measure_choice import LOSSES, RANKED, is_of_scored_classes
from evalcore.evaluation.model import Answer, ClassScoreCases, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.options import ALL, REST, option
from evalcore.evaluation.statistics.classes import OF_AREAS, largest_of_case, values_of_cases
from evalcore.evaluation.statistics.comparisons import adjusted_p_values, difference_columns, pair_naming
from evalcore.evaluation.statistics.groups import MAIN_MEASURES, GroupedRows
from evalcore.evaluation.statistics.tallies import Asked, ClassTables, decision_measure, tallied
from evalcore.evaluation.wording import listed
from evalcore.inference import contrasts
from evalcore.inference.cells import FRACTIONS, cells_of_sums, trials_of, trials_of_estimates
from evalcore.inference.contrasts import Contributions, Samples
from evalcore.inference.decisions import DecisionMeasure
from evalcore.inference.intervals import ROUNDING, Comparisons
from evalcore.inference.outcomes import means_of_outcomes
from evalcore.inference.ranked_samples import AREA, RankedSample, rank_sample
from evalcore.inference.rankings import RankingEstimates, areas_of_samples, averages_of_areas, rankings
from evalcore.inference.units import Spread, Units, means_and_spread
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.placements import placements_by_group
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.kernels.weights import WeightSums
from evalcore.measures.multiclass import one_versus_all
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

ACCURACY = "accuracy"
_MOST_IN_PAIRS = 300
"""Groups of which all pairs are compared."""
_MOST_CASES = 1 << 30
"""Sums of products of placements of this many cases would leave int64."""
_Rows: TypeAlias = slice | IntArray
FindMeans: TypeAlias = Callable[[Units, FloatArray], tuple[FloatArray, Spread]]
"""Returns the means of values of the rows of units, (g,), and how they vary; NaN where that is not known."""


class ComparedGroups(NamedTuple):
    """The cases of g groups that are compared: sample i is group i, and sample g + i the rest of group i."""

    cases: PairedCases
    groups: GroupedRows
    against: str
    """`REST`, `ALL` or the name of a group."""
    asked: Asked
    """The level of intervals, and what wrong decisions cost."""

    @property
    def names(self) -> list[str]:
        """The names of the groups, (g,)."""
        return [*self.groups.labels]

    def rows_of(self, sample: int) -> _Rows:
        """Return the rows of a sample.  O(n)."""
        code = self.groups.named[sample % len(self.names)]
        if sample < len(self.names):
            return self.groups.rows_of(self.names[sample])
        return np.flatnonzero(self.groups.numbers != code)

    def measured(self, measure: Callable[[_Rows, Units, GroupLayout | None], Iterable[FloatArray]]) -> list[FloatArray]:
        """Measure all rows in their groups, then those of each rest.  Returns (s,) each.  O(g n)."""
        cases, groups = self.cases, self.groups
        of_groups = measure(slice(None), cases.units(groups.of_rows, groups.count), groups.layout)
        rests = map(self.rows_of, range(len(self.names), 2 * len(self.names)) if self.against == REST else ())
        parts = (measure(rows, cases.where(rows).units(), None) for rows in rests)
        return [*map(np.concatenate, zip([each[groups.indices] for each in of_groups], *parts, strict=True))]

    def contributions(self, influence: Callable[[int, _Rows, FloatArray], FloatArray]) -> Contributions | None:
        """Return what `Samples` has of clusters; None without any.

        influence: takes a sample, its rows and their weights, and returns their influence values.
        """
        if self.cases.clusters is None:
            return None
        units = self.cases.units()
        clusters, of_clusters = units.members

        @lru_cache(_MOST_IN_PAIRS)
        def of_sample(sample: int) -> tuple[FloatArray, FloatArray]:
            rows = self.rows_of(sample)
            weights = units.amounts[rows].astype(np.float64)
            columns = influence(sample, rows, weights), weights / weights.sum()
            sums, parts = (np.bincount(clusters[rows], each, of_clusters.size).astype(np.float64) for each in columns)
            return np.asarray(ratio(sums, 1 - parts)), parts

        return of_sample


def _table_samples(
    compared: ComparedGroups, codes: AnyArray, shape: tuple[int, ...], measure: MeasureName, formulas: DecisionMeasure
) -> Samples:
    """Return a measure of tables of each sample; codes: the cell of each row, (n,); shape: of a table.

    O(n + s cells), with clusters O(s n).
    """
    cases, groups, cells = compared.cases, compared.groups, math.prod(shape)
    entry = ENTRIES[measure.measure]
    limits = entry.least, entry.largest
    if entry.factors is not None:
        of_cells, _ = entry.factors(measure.threshold or 0.0, compared.asked.costs)
        limits = float(of_cells.min()), float(of_cells.max())

    def of_samples(sums: AnyArray) -> AnyArray:
        of_groups = sums.reshape(groups.count, *shape).astype(np.float64)
        own = of_groups[groups.named]
        return np.concatenate([own, of_groups.sum(axis=0) - own]) if compared.against == REST else own

    weights = cases.weights._replace(values=cases.units().weights)
    sums = tallied(groups.codes * cells + codes, weights, groups.count * cells).sums
    own = cells_of_sums(WeightSums(*map(of_samples, sums)))
    values, derivatives = np.asarray(formulas.formula(own.table)), formulas.derivatives(own.table)
    trials, (variances, freedom) = trials_of_estimates(own, values, derivatives, limits)
    if is_fraction := measure.measure in FRACTIONS:
        _, trials, _ = trials_of(own, FRACTIONS[measure.measure], None)  # p-values must not depend on the level
    contributions = compared.contributions(lambda sample, rows, own: derivatives[sample].ravel()[codes[rows]] * own)
    if contributions is not None:
        each = (contrasts.spread_of_clusters(*contributions(sample)) for sample in range(values.size))
        variances, freedom = (np.concatenate(column) for column in zip(*each, strict=True))
        trials = np.minimum(trials, contrasts.trials_of_variances(values, variances, limits))
    return Samples(values, variances, freedom, trials, limits, is_fraction, contributions=contributions)


def _mean_samples(compared: ComparedGroups, values: FloatArray, find: FindMeans) -> Samples:
    """Return the weighted mean of values of rows, (n,), in each sample.  O(n), with rests O(g n)."""

    def measured(rows: _Rows, units: Units, _: GroupLayout | None) -> Iterable[FloatArray]:
        means, spread = find(units, values[rows])
        return means, *spread

    means, variances, freedom = compared.measured(measured)
    of_rows = compared.contributions(lambda sample, rows, own: (values[rows] - means[sample]) * (own / own.sum()))
    return Samples(means, variances, freedom, variances, None, contributions=of_rows)


def _of_losses(largest: float | None) -> FindMeans:
    """Return what finds means as `intervals_of_means` does; largest: as of `means_and_spread`."""

    def find(units: Units, values: FloatArray) -> tuple[FloatArray, Spread]:
        means, spread = means_and_spread(units, values.__getitem__, largest_loss=largest)
        return means, spread._replace(variances=np.where(spread.errors > ROUNDING, spread.variances, np.nan))

    return find


def _of_values(units: Units, values: FloatArray) -> tuple[FloatArray, Spread]:
    means, spread = means_of_outcomes(units, values)
    return means, spread._replace(variances=np.where(spread.variances > 0, spread.variances, np.nan))


def _columns_of(found: RankingEstimates) -> tuple[FloatArray, ...]:
    """Return what `contrasts` takes of samples of rankings by one model, (g,) each.  O(g)."""
    others = (found.smaller([0]), found.cases) if found.losses is None else (found.losses[0],)
    return found.values[0], *found.spread([[1]]).at(0), *others


def _ranking_samples(compared: ComparedGroups, scores: ScoreArray, name: str) -> Samples:
    """Return the ROC AUC or average precision of each sample.

    O(n log n), with rests O(g n log n) but for ROC AUCs without clusters and sampling weights.
    """
    cases, groups, changes = compared.cases, compared.groups, list[FloatArray]()

    def measured(rows: _Rows, units: Units, layout: GroupLayout | None) -> Iterable[FloatArray]:
        correct, own = cases.positive[rows], scores[rows]
        units = units if correct.size else units._replace(weights=None)  # the group holds all cases
        if units.clusters is not None:
            changes.append(rank_sample(own, RankedSample(correct, units, layout), [name]).rows[name])
        return _columns_of(rankings(RankedSample(correct, units, layout), [own], [name])[name])

    of_samples = contrasts.area_samples if name == AREA else contrasts.precision_samples
    if name == AREA and compared.against == REST and cases.clusters is None and not cases.weights.weighting.of_samples:
        placed = placements_by_group(scores, cases.positive, groups.layout, cases.weights.frequencies)
        sides = (_columns_of(areas_of_samples(each)) for each in placed)
        return of_samples(*(np.stack(pair)[:, groups.indices].ravel() for pair in zip(*sides, strict=True)))
    found, own = of_samples(*compared.measured(measured)), len(compared.names)
    of_rows = compared.contributions(lambda one, rows, _: changes[0][rows] if one < own else changes[1 + one - own])
    return found._replace(contributions=of_rows)


def samples_of(compared: ComparedGroups, scores: ScoreArray, measure: MeasureName) -> Samples:
    """Return a measure of scores, (n,), of each sample.  O(n log n), with rests up to O(g n log n)."""
    name, cases = measure.measure, compared.cases
    if name in RANKED:
        return _ranking_samples(compared, scores, name)
    if name in LOSSES:
        return _mean_samples(compared, cases.losses(name, scores), _of_losses(ENTRIES[name].largest))
    assert measure.threshold is not None
    codes = binary_codes(cases.positive, are_at_or_above(scores, measure.threshold))
    return _table_samples(compared, codes, (2, 2), measure, decision_measure(measure, compared.asked.costs))


def compared_scores(
    cases: PairedCases, groups: GroupedRows, measures: Sequence[MeasureName], asked: Asked, against: str
) -> Answer:
    """Compare groups by measures of each column of scores; measures: of decisions with their thresholds.

    O(k n log n) for k columns, for rests by average precision, or of clusters or sampling weights, O(k g n log n).
    Raises EvaluationError for too many cases, and for a group that there is not.
    """
    compared, frequencies = _checked(cases, groups, asked, against), cases.weights.frequencies
    if frequencies is not None and (total := int(frequencies.sum())) >= _MOST_CASES:
        raise EvaluationError(f"{option('compare_groups')} takes fewer than {_MOST_CASES:,} cases, got {total:,}")

    each = product(cases.scores.items(), measures)
    found = ((model, one, samples_of(compared, scores, one)) for (model, scores), one in each)
    return _answer(compared, found, "score")


def compared_classes(
    cases: PairedClasses, groups: GroupedRows, names: Sequence[str], asked: Asked, against: str
) -> Answer:
    """Compare groups by measures of predicted classes, and of their scores if there are any.

    O(n + s k²), of the accuracy alone O(n), with clusters O(s n), of areas O(s k n log n).  Raises EvaluationError for
    a group that there is not.
    """
    right, k, scored = cases.labels == cases.response, len(cases.categories), cases.scored.get(cases.old)
    compared = _checked(PairedCases(right, {}, weights=cases.weights, clusters=cases.clusters), groups, asked, against)

    def samples_of(measure: MeasureName) -> Samples:
        if scored is not None and is_of_scored_classes(measure.measure):
            return _scored_samples(compared, scored, measure.measure)
        if measure.measure == ACCURACY:
            return _hit_samples(compared, right)
        codes = cases.labels.astype(np.int64) * k + cases.response
        return _table_samples(compared, codes, (k, k), measure, _measure_of_classes(measure.measure))

    found = ((cases.old, measure, samples_of(measure)) for measure in map(MeasureName, names))
    return _answer(compared, found, "predicted")


def compared_values(cases: PairedOutcomes, groups: GroupedRows, asked: Asked, against: str) -> Answer:
    """Compare groups by the mean of each column of values, by the fraction of values of 0 and 1.

    O(n) for each, with rests O(g n).  Raises EvaluationError for a group that there is not.
    """
    found, compared = list[tuple[str, MeasureName, Samples]](), None
    for column in cases.values[cases.old]:
        own = cases.of_column(column)
        without = np.bincount(groups.codes[own.present], minlength=groups.count) == 0
        what = f"column {column!r} must have values in each group for {option('compare_groups')}"
        refuse({f"{what}, got none in {name!r}": without[code] for name, code in groups.labels.items()})
        compared, values = _checked(own.cases, groups.where(own.present), asked, against), own.values[cases.old]
        binary = column in cases.binary
        samples = _hit_samples(compared, values == 1) if binary else _mean_samples(compared, values, _of_values)
        found.append((column, MeasureName("mean"), samples))
    assert compared is not None
    return _answer(compared, found, "value")


def _hit_samples(compared: ComparedGroups, hit: BoolArray) -> Samples:
    """Return the fraction of cases, (n,), that are hit in each sample: two cells are enough of however many classes."""
    measure = MeasureName(ACCURACY)
    return _table_samples(compared, binary_codes(hit, np.ones_like(hit)), (2, 2), measure, decision_measure(measure))


def _scored_samples(compared: ComparedGroups, scored: ClassScoreCases, name: str) -> Samples:
    """Return a measure of scores of k classes in each sample.  O(s n k), of averages of areas O(s k n log n)."""
    if name in OF_AREAS:

        def measured(rows: _Rows, units: Units, layout: GroupLayout | None) -> Iterable[FloatArray]:
            codes = scored.codes[rows]
            units = units if codes.size else units._replace(weights=None)  # the group holds all cases
            found = averages_of_areas(codes, [scored.scores[rows].T], units, layout)
            return _columns_of(found[name])

        return contrasts.area_samples(*compared.measured(measured))
    values = values_of_cases(name, scored)(slice(None))
    if (entry := entry_of(name)) is not None and entry.method == WILSON:
        return _hit_samples(compared, values > 0)
    are_losses = name in LOSSES
    largest = largest_of_case(name, len(scored.categories)) if are_losses else None
    return _mean_samples(compared, values, _of_losses(largest))


def _measure_of_classes(name: str) -> DecisionMeasure:
    """Return a measure of `OF_ALL_CLASSES`, by its row of the catalogue.  O(1)."""
    derivatives = ENTRIES[name].derivatives
    assert derivatives is not None
    return DecisionMeasure(lambda own: ClassTables(one_versus_all(own), own, [name]).measures[name], derivatives)


def _checked(cases: PairedCases, groups: GroupedRows, asked: Asked, against: str) -> ComparedGroups:
    """Return the groups that are compared; raise EvaluationError for a name of none, and for too many pairs.  O(1)."""
    names, known = [*groups.labels], f"be {REST}, {ALL} or the name of a group"
    given = f"{against!r}{did_you_mean(against, names)}"
    check(against in (REST, ALL, *names), option("compare_groups"), known, given)
    most = f"be less than {_MOST_IN_PAIRS + 1:,} for {option('compare_groups', ALL)}"
    check(against != ALL or len(names) <= _MOST_IN_PAIRS, "the number of groups", most, f"{len(names):,}")
    return ComparedGroups(cases, groups, against, asked)


class _Pairs(NamedTuple):
    """Which samples are compared, and what is said of it."""

    samples: IntArray
    """Their indices, (k, 2)."""
    records: list[str]
    """The name of each pair, (k,)."""
    around: str
    """The name of all sections together."""
    title: str
    """How their titles end."""
    statistic: str
    """What a difference is called."""
    to: str
    """What differences are to, in notes."""
    record: str = "pair"
    """What a record is."""
    other: str = ""
    """What each group is compared with, in names of numbers; empty for pairs of groups."""


def _pairs(compared: ComparedGroups) -> _Pairs:
    """Return how groups are compared.  O(g), in pairs O(g²)."""
    names, against, every = compared.names, compared.against, np.arange(len(compared.names))
    told: tuple[str, ...]
    if against == ALL:
        first, second = np.triu_indices(every.size, 1)
        told = model.DIFFERENCES_OF_GROUPS, "each pair of groups", "difference_of_groups", "between groups"
    elif against == REST:
        first, second, title = every, every + every.size, "each group minus all other cases"
        told = model.DIFFERENCES_TO_REST, title, "difference_to_rest", "to the rest", "group", "rest"
    else:
        first, title = np.delete(every, reference := names.index(against)), f"each group minus {against}"
        second = np.full_like(first, reference)
        told = model.DIFFERENCES_TO_REFERENCE, title, "difference_to_reference", f"to {against}", "group", "reference"
    pairs, name_of = np.stack([first, second], axis=1), pair_naming(names)
    records = [name_of(names[one], names[two]) if against == ALL else names[one] for one, two in pairs.tolist()]
    return _Pairs(pairs, records, *told)


@np.errstate(divide="ignore", invalid="ignore")  # groups may lack a class, and rests have no cases
def _answer(compared: ComparedGroups, found: Iterable[tuple[str, MeasureName, Samples]], kind: str) -> Answer:
    """Return the sections of differences and of gaps; p-values are adjusted by Holm's method for all.  O(k g log g).

    found: models and their measures; kind: of the columns of models.
    """
    names, groups, level, pairs = compared.names, compared.groups, compared.asked.level, _pairs(compared)
    assert level is not None
    differences, gaps, notes = list[tuple[str, MeasureName, Comparisons]](), list[Section](), list[str]()

    def section(column: str, measure: MeasureName, found: Comparisons, how: _Pairs, holm: FloatArray | None) -> Section:
        name, of = measure.measure, "" if measure.name in MAIN_MEASURES else f" of {measure.name}"
        other = {group_statistic(name, f"of_{how.other}"): found.old} if how.other else {}
        columns = Columns(other).plus(difference_columns(found, holm, group_statistic(name, how.statistic)))
        title, whole = f"{measure.title} of {column}: {how.title}", Whole(f"{how.around}{of}", kind, False)
        return Section(column, title, how.record, ColumnRecords(how.records, [columns], level), whole=whole)

    for column, measure, samples in found:
        differences.append((column, measure, contrasts.contrasts(samples, pairs.samples, level)))
        if len(names) <= _MOST_IN_PAIRS and np.count_nonzero(~np.isnan(samples.values[: len(names)])) > 1:
            order, largest = contrasts.largest_gap(samples, len(names), level)
            record, title = pair_naming(names)(names[order[-1]], names[order[0]]), "the largest gap between groups"
            without = [repr(name) for index, name in enumerate(names) if index not in order]
            if without:
                notes.append(f"the largest gap of {measure.title} leaves out groups without bounds: {listed(without)}")
            gap = _Pairs(pairs.samples, [record], model.LARGEST_GAPS, title, "gap", "")
            gaps.append(section(column, measure, largest, gap, None))
    p_values = np.array([own.p_values for *_, own in differences])
    are_one = compared.against == REST and len(names) == groups.count == 2  # each is the rest of the other
    distinct = p_values.max(axis=1, keepdims=True) if are_one and p_values.size else p_values
    adjusted = np.broadcast_to(adjusted_p_values(distinct.ravel()).reshape(distinct.shape), p_values.shape)
    each = zip(differences, adjusted, strict=True)
    made = [section(*one, pairs, own) for one, own in each if pairs.records]
    tested = int(np.count_nonzero(~np.isnan(p_values))) // (1 + are_one)
    models, column = len({column for column, *_ in differences}), "value" if kind == "value" else "score"
    per = [pairs.record] * (not are_one) + ["measure"] * (len(differences) > models) + [column] * (models > 1)
    if tested > (not are_one):
        number = f"{tested:,} comparisons, one for each {' and '.join(per)}" if tested > 1 else "1 comparison"
        because = ", because each of the 2 groups is the rest of the other" if are_one else ""
        of_each = f"intervals are for each {'comparison' if are_one else pairs.record} alone"
        adjusted_for = f"{pairs.to} are adjusted by Holm's method for {number}{because}"
        notes.append(f"{model.HOLM_OF_DIFFERENCES} {adjusted_for}; {of_each}")
    if gaps:
        of_any = "of the largest difference of any two groups, whichever these are"
        notes.append(f"intervals and p-values of largest gaps are {of_any}")
    elif len(names) > _MOST_IN_PAIRS:
        notes.append(f"largest gaps are found among at most {_MOST_IN_PAIRS:,} groups")
    return Answer([*made, *gaps], notes=notes)
