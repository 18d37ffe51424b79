"""Comparisons of score columns within each group of rows, and of each group with all other rows."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.evaluation.model import (
    COMPARISONS,
    DIFFERENCES_TO_REST,
    HOLM_OF_DIFFERENCES,
    HOLM_OF_GROUPS,
    ColumnRecords,
    Columns,
    Section,
    Whole,
)
from evalcore.evaluation.options import option
from evalcore.evaluation.statistics.clusters import ClusteredRows
from evalcore.evaluation.statistics.comparisons import (
    ComparableAreas,
    ComparedPairs,
    adjusted_p_values,
    compared_pairs,
    comparisons,
    difference_columns,
)
from evalcore.evaluation.statistics.groups import GroupedRows, named_records
from evalcore.evaluation.weighting import RowWeights
from evalcore.evaluation.wording import FEWEST
from evalcore.inference.curve_areas import compare_with_rest
from evalcore.inference.intervals import Comparison, bounds_of_difference, comparisons_of, proportion_intervals
from evalcore.inference.rankings import AREA, rankings
from evalcore.inference.resamples import without_warnings
from evalcore.inference.roc_auc_bounds import compare_areas, difference_method
from evalcore.inference.units import units_of
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_cases, as_scores

_OF_AREAS = "positives or negatives"
"""What areas need enough of."""
_MOST_CASES = 1 << 30
"""Sums of products of placements of so many cases would leave int64."""


class ComparedGroups(NamedTuple):
    """A report on groups with the differences of models."""

    sections: list[Section]
    """One for each column, then one for each pair, with a record for each group and, last, one for all rows."""
    notes: list[str]
    """How many comparisons the p-values of groups are adjusted for."""
    adjusted: int
    """Number of comparisons that the p-values of all rows are adjusted for."""


@without_warnings()
def compare_groups(
    positive: BoolArray,
    columns: Mapping[str, ScoreArray],
    groups: GroupedRows,
    sections: Sequence[Section],
    *,
    weights: RowWeights | None = None,
    placed: ComparableAreas,
    compare: str,
    level: float,
    area_method: str,
    clustered: ClusteredRows | None = None,
) -> ComparedGroups:
    """Compare the ROC AUCs of pairs of score columns in each group, and in all rows, on the same cases.

    positive, columns: (n,) each; sections: of `grouped_sections`, one for each column, without the intervals of the ROC
    AUCs of all rows; weights: of the rows; placed: what comparisons need of all rows; compare: as for
    `compared_pairs`; area_method: the interval of areas, which decides that of differences.  P-values of
    groups are adjusted for all groups and pairs, those of all rows for the pairs alone.
    O(k n log n) for k columns.
    """
    of_models = ColumnRecords(columns, [section.columns.parts[-1] for section in sections], level)
    totals = Section("", "", "score", of_models)
    chosen = compared_pairs(totals, compare)
    totals, of_all_rows = comparisons(totals, placed, chosen, level, area_method)
    made = [
        section._replace(records=ColumnRecords(section.records, [*section.columns.parts[:-1], total], level))
        for section, total in zip(sections, totals.columns.parts, strict=True)
    ]
    method, layout = difference_method(area_method), groups.layout
    scores = [as_scores(column, name) for name, column in columns.items()]
    units = units_of(
        positive.size,
        weights=None if weights is None else weights.values,
        are_frequencies=weights is not None and weights.weighting.of_frequencies,
        clusters=None if clustered is None else clustered.clusters,
        groups=groups.of_rows,
        count=groups.count,
    )
    areas = rankings(positive, scores, units, [AREA], layout)[AREA]
    areas.values[:, np.isin(np.arange(groups.count), groups.indices, invert=True)] = np.nan
    found = [compare_areas(*pair, level, method, freedom=areas.freedom) for pair in areas.pairs(chosen.pairs)]
    p_values = np.array([[comparison.p_value for comparison in of_pair] for of_pair in found])
    defined = ~np.isnan(p_values)
    unseen = (chosen.family - len(chosen.pairs)) * int(np.count_nonzero(defined.any(axis=0)))
    adjusted = adjusted_p_values(p_values.ravel(), unseen).reshape(p_values.shape)
    for index, (pair, of_pair, corrected) in enumerate(zip(of_all_rows.records, found, adjusted, strict=True)):
        total = of_all_rows.columns.parts[0].at(slice(index, index + 1))
        # a single comparison lacks the adjusted p-value
        total = Columns({**total.values, "p_value_holm": total.values.get("p_value_holm", total.values["p_value"])},
                        total.intervals)  # fmt: skip
        each = difference_columns(of_pair, corrected).at(groups.indices)
        records = named_records(groups.names, each, total, level)
        title = f"ROC AUCs compared: {pair}, on the same cases"
        made.append(Section(pair, title, "group", records, whole=Whole(COMPARISONS, "pair")))
    notes = _notes(int(np.count_nonzero(defined)) + unseen, chosen)
    return ComparedGroups(made, notes, chosen.adjusted(of_all_rows))


def _notes(count: int, chosen: ComparedPairs) -> list[str]:
    """Say how many p-values of groups are adjusted for.  O(1)."""
    if count < 2:
        return []
    pairs = " and pair" if chosen.family > 1 else ""
    why = ", because any model could have been the best" if chosen.family > len(chosen.pairs) else ""
    return [
        f"{HOLM_OF_GROUPS} are adjusted by Holm's method for {count:,} comparisons, one for each group{pairs}{why}; "
        "intervals are for each group alone"
    ]


class GroupDifferences(NamedTuple):
    """Differences of groups to the rest."""

    sections: list[Section]
    """One for each column of scores, with a record for each group."""
    notes: list[str]
    """How many comparisons p-values are adjusted for, and which are rough."""


@without_warnings()
def differences_to_rest(
    positive: BoolArray,
    columns: Mapping[str, Any],
    groups: GroupedRows,
    level: float,
    frequencies: IntArray | None = None,
) -> GroupDifferences:
    """Compare the ROC AUC of each group with that of all other rows, by DeLong's variances and Welch's test.

    positive, columns: (n,) each; groups: at least one; frequencies: (n,), how many cases each row stands for, by
    default 1.  P-values are adjusted by Holm's method for all groups and columns.  O(k n log n) for k columns.  Raises
    EvaluationError for too many cases.
    """
    if frequencies is not None and (total := int(frequencies.sum())) >= _MOST_CASES:
        raise EvaluationError(f"{option('compare_groups')} takes fewer than {_MOST_CASES:,} cases, got {total:,}")
    found = {}
    for name, scores in columns.items():
        cases = as_cases(positive, scores)
        compared = compare_with_rest(cases.correct, cases.scores, groups.layout, level, frequencies)
        found[name] = [compared[index] for index in groups.indices]
    p_values = np.array([[comparison.p_value for comparison in of_groups] for of_groups in found.values()])
    are_one = groups.count == len(groups.labels) == 2
    adjusted = _adjusted(p_values, are_one)
    sections = []
    for (name, of_groups), corrected in zip(found.items(), adjusted, strict=True):
        records = ColumnRecords(groups.names, [_columns(of_groups, corrected, "roc_auc_")], level)
        title = f"ROC AUC of {name}: each group less all other cases"
        sections.append(Section(name, title, "group", records, whole=Whole(DIFFERENCES_TO_REST, "score", False)))
    tested = ~np.isnan(p_values)
    return GroupDifferences(
        sections, _notes_on_rest(tested, _smaller_classes(positive, groups, frequencies), len(columns), are_one)
    )


def compare_accuracies_with_rest(
    right: IntArray, cases: IntArray, whole: tuple[int, int], level: float
) -> list[Comparison]:
    """Compare the accuracy of each group with that of all other cases.

    right, cases: of the groups, (g,); whole: those of all cases.  The bounds are Newcombe's of independent samples, the
    p-value is that of Pearson's test of two fractions, without a correction.  O(g).  Source: as `bounds_of_difference`.

    >>> found = compare_accuracies_with_rest(np.array([56]), np.array([70]), (56 + 48, 70 + 80), 0.95)[0]
    >>> round(found.low, 4), round(found.high, 4)
    (0.0524, 0.3339)
    """
    first = proportion_intervals(right, cases, level)
    second = proportion_intervals(whole[0] - right, whole[1] - cases, level)
    differences = first.estimates - second.estimates
    bounds = bounds_of_difference(first, second)
    accuracy = whole[0] / whole[1]
    with np.errstate(divide="ignore", invalid="ignore"):  # the rest may be empty, and all cases may be right
        errors = np.sqrt(accuracy * (1 - accuracy) * (1 / cases + 1 / (whole[1] - cases)))
        statistics = np.where(differences == 0, 0.0, differences / errors)
    return comparisons_of((first.estimates, second.estimates, *bounds, statistics), level, "newcombe")


def accuracy_differences(groups: Section, level: float) -> GroupDifferences:
    """Compare the accuracy of each group with that of all other cases.  O(g log g).

    groups: the statistics of groups of classes, with the total.
    """
    cases = groups.columns.column("cases")
    right = np.rint(groups.columns.column("accuracy") * cases).astype(np.int64)
    found = compare_accuracies_with_rest(right[:-1], cases[:-1], (int(right[-1]), int(cases[-1])), level)
    p_values = np.array([comparison.p_value for comparison in found])
    are_one = len(cases) == 3 and int(cases[:-1].sum()) == int(cases[-1])
    (adjusted,) = _adjusted(p_values[np.newaxis], are_one)
    records = ColumnRecords(groups.groups, [_columns(found, adjusted, "accuracy_")], level)
    title = f"accuracy of {groups.name}: each group less all other cases"
    whole = Whole(DIFFERENCES_TO_REST, "predicted", False)
    tested = ~np.isnan(p_values[np.newaxis])
    notes = _notes_on_rest(tested, cases[:-1], 1, are_one, "cases")
    return GroupDifferences([Section(groups.name, title, "group", records, whole=whole)], notes)


def _adjusted(p_values: FloatArray, are_one: bool) -> FloatArray:
    """Return p-values (k, g) adjusted by Holm's method; are_one: whether those of two groups are of one comparison."""
    distinct = p_values.max(axis=1, keepdims=True) if are_one else p_values
    adjusted = adjusted_p_values(distinct.ravel()).reshape(distinct.shape)
    return np.broadcast_to(adjusted, p_values.shape)


def _columns(found: Sequence[Comparison], adjusted: FloatArray, prefix: str) -> Columns:
    """Return what is reported of groups that are compared with the rest, (g,) each.  O(g)."""
    rests = Columns({f"{prefix}of_rest": np.array([each.estimates[1] for each in found])})
    return rests.plus(difference_columns(found, adjusted, f"{prefix.removeprefix('roc_auc_')}difference_to_rest"))


def _smaller_classes(positive: BoolArray, groups: GroupedRows, frequencies: IntArray | None) -> IntArray:
    """Return the cases of the rarer class of each named group, (g,).  O(n)."""
    counts = np.ones(positive.size, np.int8) if frequencies is None else frequencies
    classes = (np.bincount(groups.codes, side * counts, groups.count) for side in (positive, ~positive))
    fewer: IntArray = np.minimum(*classes)[[*groups.labels.values()]].astype(np.int64)
    return fewer


def _notes_on_rest(tested: BoolArray, fewer: IntArray, columns: int, are_one: bool, what: str = _OF_AREAS) -> list[str]:
    """Say how many p-values are adjusted for, and how many groups are small; tested: (k, g); fewer: (g,).  O(k g)."""
    count, notes = int(np.count_nonzero(tested)) // (1 + are_one), []
    if are_one and count:
        each = f"{count:,} comparisons, one for each score" if count > 1 else "1 comparison"
        notes.append(
            f"{HOLM_OF_DIFFERENCES} are adjusted by Holm's method for {each}, because each of the 2 groups is the rest "
            f"of the other; intervals are for each comparison alone"
        )
    elif count > 1:
        models = " and score" if columns > 1 else ""
        notes.append(
            f"{HOLM_OF_DIFFERENCES} are adjusted by Holm's method for {count:,} comparisons, one for each group"
            f"{models}; intervals are for each group alone"
        )
    if rough := int(np.count_nonzero(tested.any(axis=0) & (fewer < FEWEST))):
        groups = "1 group has" if rough == 1 else f"{rough:,} groups have"
        small = ", and too often small" if what == _OF_AREAS else ""
        notes.append(f"{groups} fewer than {FEWEST} {what}: p-values of differences to the rest are rough there{small}")
    return notes
