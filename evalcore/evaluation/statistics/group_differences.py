"""Differences of measures between each group and all other cases, between groups, and the largest gap of all groups.

Each group, and the rest of each, is a sample that is evaluated by itself; `evalcore.inference.contrasts` compares them.
Tables and sums of the rest are those of all cases less the group's; rankings of the rest are ranked again for each
group, except for the ROC AUC of cases that are drawn one by one.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, check, did_you_mean
from evalcore.evaluation.cases import PairedCases, PairedClasses
from evalcore.evaluation.catalogue import ENTRIES, MeasureName, group_statistic
from evalcore.evaluation.measure_choice import LOSSES, RANKED
from evalcore.evaluation.model import (
    DIFFERENCES_OF_GROUPS,
    DIFFERENCES_TO_REFERENCE,
    DIFFERENCES_TO_REST,
    HOLM_OF_DIFFERENCES,
    LARGEST_GAPS,
    Answer,
    ColumnRecords,
    Columns,
    Section,
    Whole,
)
from evalcore.evaluation.options import ALL, REST, option
from evalcore.evaluation.statistics.case_tallies import ClassTables, tallied
from evalcore.evaluation.statistics.comparisons import adjusted_p_values, pair_naming
from evalcore.evaluation.statistics.decisions import Asked, decision_measure
from evalcore.evaluation.statistics.group_samples import (
    MOST_IN_PAIRS,
    ComparedGroups,
    mean_samples,
    ranking_samples,
    table_samples,
)
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.thresholds import Costs
from evalcore.evaluation.wording import FEWEST
from evalcore.inference.contrasts import UNIT_LIMITS, Differences, Samples, contrasts, differences_of, largest_gap
from evalcore.inference.curve_areas import compare_with_rest
from evalcore.inference.decisions import DecisionMeasure
from evalcore.inference.intervals import Intervals
from evalcore.inference.ranked_samples import AREA
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.multiclass import one_versus_all
from evalcore.typing import AnyArray, FloatArray

ACCURACY = "accuracy"
MAIN = AREA, ACCURACY
"""What groups are compared by unless measures are named: of scores, and of predicted classes."""
_OF_CORRELATIONS = "kappa", "matthews_correlation", "yules_q"
_MOST_CASES = 1 << 30
"""Sums of products of placements of so many cases would leave int64."""


_UNDEFINED = np.errstate(divide="ignore", invalid="ignore", over="ignore")
"""For groups that lack a class, rests without cases, and squares of large weights, of which only cases are counted."""


@_UNDEFINED
def compared_scores(
    cases: PairedCases, groups: GroupedRows, measures: Sequence[MeasureName], asked: Asked, against: str
) -> Answer:
    """Compare groups by measures of each column of scores; measures: of decisions with their thresholds.

    O(k n log n) for k columns, for rests by average precision, or of clusters or sampling weights, O(k g n log n).
    Raises EvaluationError for too many cases, and for a group that there is not.
    """
    compared, found = _checked(cases, groups, asked, against), list[_Found]()
    frequencies, weighting = cases.weights.frequencies, cases.weights.weighting
    if frequencies is not None and (total := int(frequencies.sum())) >= _MOST_CASES:
        raise EvaluationError(f"{option('compare_groups')} takes fewer than {_MOST_CASES:,} cases, got {total:,}")
    for model, scores in cases.scores.items():
        for measure in measures:
            name, own = measure.measure, None
            if name == AREA and compared.has_rests and cases.clusters is None and not weighting.of_samples:
                each = compare_with_rest(cases.positive, scores, groups.layout, compared.level, frequencies)
                own = differences_of([each[index] for index in groups.indices])
                samples = ranking_samples(compared._replace(against=ALL), scores, name)
            elif name in RANKED:
                samples = ranking_samples(compared, scores, name)
            elif name in LOSSES:
                samples = mean_samples(compared, cases.losses(name, scores))
            else:
                assert measure.threshold is not None
                codes = binary_codes(cases.positive, are_at_or_above(scores, measure.threshold))
                decided = decision_measure(measure, asked.costs)
                samples = table_samples(compared, codes, (2, 2), decided, name, limits=_limits(measure, asked.costs))
            found.append(_compared(compared, model, measure, samples, own))
    classes = tallied(2 * groups.codes + cases.positive, cases.weights, 2 * groups.count).cases
    return _answer(compared, found, classes.reshape(-1, 2).min(axis=1)[groups.named], "score")


@_UNDEFINED
def compared_classes(
    cases: PairedClasses, groups: GroupedRows, names: Sequence[str], asked: Asked, against: str
) -> Answer:
    """Compare groups by measures of predicted classes.  O(n + s k²), of the accuracy alone O(n), with clusters O(s n).

    Raises EvaluationError for a group that there is not.
    """
    right, k = cases.labels == cases.response, len(cases.categories)
    compared = _checked(PairedCases(right, {}, cases.weights, cases.clusters), groups, asked, against)
    found = []
    for name in names:
        codes, shape = cases.labels.astype(np.int64) * k + cases.response, (k, k)
        measure = _measure_of_classes(name)
        if name == ACCURACY:  # of however many classes, two cells are enough
            codes, shape = binary_codes(right, np.ones_like(right)), (2, 2)
            measure = decision_measure(MeasureName(name))
        samples = table_samples(compared, codes, shape, measure, name, limits=_limits(MeasureName(name)))
        found.append(_compared(compared, cases.old, MeasureName(name), samples))
    return _answer(compared, found, tallied(groups.codes, cases.weights, groups.count).cases[groups.named], "predicted")


def _limits(measure: MeasureName, costs: Costs | None = None) -> tuple[float, float]:
    """Return the least and the largest value of a measure of tables.  O(1)."""
    if factors := ENTRIES[measure.measure].factors:
        values, _ = factors(measure.threshold or 0.0, costs)
        return float(values.min()), float(values.max())
    return (-1.0, 1.0) if measure.measure in _OF_CORRELATIONS else UNIT_LIMITS


def _measure_of_classes(name: str) -> DecisionMeasure:
    """Return a measure of `OF_ALL_CLASSES`, by its row of the catalogue.  O(1)."""
    derivatives = ENTRIES[name].derivatives
    assert derivatives is not None

    def of_tables(tables: AnyArray) -> FloatArray:
        return np.asarray(ClassTables(one_versus_all(tables), tables, [name]).measures[name])

    return DecisionMeasure(of_tables, derivatives)


def _checked(cases: PairedCases, groups: GroupedRows, asked: Asked, against: str) -> ComparedGroups:
    """Return the groups that are compared; raise EvaluationError for a name of none, and for too many pairs.  O(1)."""
    assert asked.level is not None
    names = [*groups.labels]
    if against not in (REST, ALL) and against not in names:
        known = f"{REST}, {ALL} or the name of a group"
        near = did_you_mean(against, names)
        raise EvaluationError(f"{option('compare_groups')} must be {known}, got {against!r}{near}")
    most = f"be less than {MOST_IN_PAIRS + 1:,} for {option('compare_groups', ALL)}"
    check(against != ALL or len(names) <= MOST_IN_PAIRS, "the number of groups", most, f"{len(names):,}")
    return ComparedGroups(cases, groups, against, asked.level)


class _Found(NamedTuple):
    """What was found of one measure of one model."""

    model: str
    measure: MeasureName
    differences: Differences
    gap: tuple[str, Differences] | None
    """The pair of groups, and its difference; None for less than two groups with a value, and for very many."""


def _compared(
    compared: ComparedGroups, model: str, measure: MeasureName, samples: Samples, found: Differences | None = None
) -> _Found:
    """Compare groups by a measure, as they are asked to be, unless that was found.  O(s), in pairs O(g²)."""
    names, level, gap = compared.names, compared.level, None
    every = np.arange(len(names))
    if found is None:
        if compared.has_rests:
            pairs = np.stack([every, every + every.size], axis=1)
        elif compared.against == ALL:
            pairs = np.array([*combinations(every.tolist(), 2)], np.int64).reshape(-1, 2)
        else:
            reference = names.index(compared.against)
            pairs = np.stack([others := np.delete(every, reference), np.full(others.size, reference)], axis=1)
        found = contrasts(samples, pairs, level)
    if len(names) <= MOST_IN_PAIRS and np.count_nonzero(~np.isnan(samples.values[: every.size])) > 1:
        pair, largest = largest_gap(samples, every.size, level)
        gap = pair_naming(names)(names[pair[0]], names[pair[1]]), largest
    return _Found(model, measure, found, gap)


def _answer(compared: ComparedGroups, found: Sequence[_Found], fewer: AnyArray, kind: str) -> Answer:
    """Return the sections of differences and of gaps; p-values are adjusted by Holm's method for all.  O(k g log g).

    fewer: the cases of each group, or of its rarer class, (g,); kind: of the columns of models.
    """
    names, against, cases = compared.names, compared.against, compared.groups.codes.size
    p_values = np.array([each.differences.p_values for each in found])
    covered = np.bincount(compared.groups.codes, minlength=compared.groups.count)[compared.groups.named].sum() == cases
    are_one = compared.has_rests and len(names) == 2 and bool(covered)  # each is the rest of the other
    distinct = p_values.max(axis=1, keepdims=True) if are_one and p_values.size else p_values
    adjusted = np.broadcast_to(adjusted_p_values(distinct.ravel()).reshape(distinct.shape), p_values.shape)
    if compared.has_rests:
        other, around, what, records = "rest", DIFFERENCES_TO_REST, "each group less all other cases", names
    elif against == ALL:
        name_of = pair_naming(names)
        records = [name_of(*pair) for pair in combinations(names, 2)]
        other, around, what = "", DIFFERENCES_OF_GROUPS, "each pair of groups"
    else:
        records = [name for name in names if name != against]
        other, around, what = "reference", DIFFERENCES_TO_REFERENCE, f"each group less {against}"
    made, gaps = list[Section](), list[Section]()
    for each, corrected in zip(found, adjusted, strict=True):
        measure, own = each.measure, each.differences
        name, of = measure.measure, "" if measure.name in MAIN else f" of {measure.name}"
        difference = group_statistic(name, f"difference_to_{other}" if other else "difference_of_groups")
        values = {group_statistic(name, f"of_{other}"): own.estimates[1]} if other else {}
        values |= {difference: own.values, "p_value": own.p_values, "p_value_holm": corrected}
        intervals = {difference: Intervals(own.values, own.low, own.high, own.method)}
        title, whole = f"{measure.title} of {each.model}", Whole(f"{around}{of}", kind, False)
        rows = ColumnRecords(records, [Columns(values, intervals)], compared.level)
        record = "group" if other else "pair"
        made.append(Section(each.model, f"{title}: {what}", record, rows, whole=whole))
        if each.gap is not None:
            pair, largest = each.gap
            name = group_statistic(name, "gap")
            bounds = {name: Intervals(largest.values, largest.low, largest.high, largest.method)}
            columns = Columns({name: largest.values, "p_value": largest.p_values}, bounds)
            rows = ColumnRecords([pair], [columns], compared.level)
            whole = Whole(f"{LARGEST_GAPS}{of}", kind, False)
            gaps.append(Section(each.model, f"{title}: the largest gap between groups", "pair", rows, whole=whole))
    return Answer([*(made if records else ()), *gaps], notes=_notes(compared, found, p_values, fewer, are_one=are_one))


def _notes(
    compared: ComparedGroups, found: Sequence[_Found], p_values: FloatArray, fewer: AnyArray, *, are_one: bool
) -> list[str]:
    """Say how many p-values are adjusted for, how many groups are small, and what gaps hold for.  O(k g)."""
    tested, models = ~np.isnan(p_values), len({each.model for each in found})
    count, notes, several = (
        int(np.count_nonzero(tested)) // (1 + are_one),
        list[str](),
        len(found) // max(models, 1) > 1,
    )
    per = [what for what, more in (("measure", several), ("score", models > 1)) if more]
    if are_one and count:
        each = f"{count:,} comparisons, one for each {' and '.join(per)}" if count > 1 else "1 comparison"
        notes.append(
            f"{HOLM_OF_DIFFERENCES} to the rest are adjusted by Holm's method for {each}, because each of the 2 groups "
            f"is the rest of the other; intervals are for each comparison alone"
        )
    elif count > 1:
        to = (
            "between groups"
            if compared.against == ALL
            else f"to {'the rest' if compared.has_rests else compared.against}"
        )
        each = "pair" if compared.against == ALL else "group"
        notes.append(
            f"{HOLM_OF_DIFFERENCES} {to} are adjusted by Holm's method for {count:,} comparisons, one for each "
            f"{' and '.join([each, *per])}; intervals are for each {each} alone"
        )
    if any(each.gap for each in found):
        notes.append("intervals of largest gaps hold the largest difference of any two groups, whichever these are")
    elif len(compared.names) > MOST_IN_PAIRS:
        notes.append(f"largest gaps are found among at most {MOST_IN_PAIRS:,} groups")
    main = [each.measure.name for each in found if each.measure.name in MAIN]
    if compared.has_rests and main and (rough := int(np.count_nonzero(tested.any(axis=0) & (fewer < FEWEST)))):
        groups = "1 group has" if rough == 1 else f"{rough:,} groups have"
        what = "positives or negatives" if AREA in main else "cases"
        notes.append(f"{groups} fewer than {FEWEST} {what}: p-values of differences to the rest are rough there")
    return notes
