"""Differences of models in each group of cases: the groups that got worse first."""

import math

import numpy as np

from evalcore.comparison.differences.case_differences import case_differences, units_of
from evalcore.comparison.differences.judging import judged
from evalcore.comparison.differences.ranked_groups import ranked_group_differences
from evalcore.comparison.differences.score_differences import asked_of_scores
from evalcore.comparison.differences.undefined_precisions import as_reported
from evalcore.comparison.measure_names import RESAMPLED, ComparedMeasure
from evalcore.comparison.model import GroupDifferences, MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.kernels.grouping import groups_of_rows
from evalcore.report.statistics.groups import GroupedRows, cases_of_groups


def group_differences(cases: PairedCases, question: CompareQuestion) -> list[dict[str, list[GroupDifferences]]]:
    """Compare each new model with the old one in each group; by the name of each grouping.

    Measures without an analytic interval are left out.  P-values of a grouping are adjusted for all of its groups,
    measures and models.  O(k n log n) for k models and any number of groups.
    """
    found: list[dict[str, list[GroupDifferences]]] = [{} for _ in cases.new]
    if not cases.groups:
        return found
    measures = [each for each in asked_of_scores(cases, question) if each.measure not in RESAMPLED]
    for name, groups in cases.groups.items():
        for model, of_groups in zip(found, _of_grouping(cases, groups, measures, question), strict=True):
            model[name] = of_groups
    return found


def _of_grouping(
    cases: PairedCases, groups: GroupedRows, measures: list[ComparedMeasure], question: CompareQuestion
) -> list[list[GroupDifferences]]:
    """Return the differences in the groups that have a name, for each new model."""
    layout, count = groups.layout, groups.layout.groups.size
    rows = groups_of_rows(layout)
    units = units_of(cases, rows, count)
    level, method = question.level, question.area_method
    families = zip(
        ranked_group_differences(cases, layout, units, measures, level=level, area_method=method),
        case_differences(cases, units, measures, question.level),
        strict=True,
    )
    frequencies = None if cases.weights is None else cases.weights.frequencies
    sizes = cases_of_groups(layout, frequencies)
    own = cases.positive.astype(np.int64) if frequencies is None else cases.positive * frequencies
    positives = np.bincount(rows, own, count).astype(np.int64)
    counts: list[list[int]] = np.array([positives, sizes - positives]).T.tolist()
    by_model = [
        [
            as_reported(of_model[measure][index], *counts[index])
            for index in groups.names.values()
            for measure in measures
        ]
        for of_model in (one | two for one, two in families)
    ]
    return [
        worst_first(
            [
                GroupDifferences(name, sum(counts[index]), counts[index][0], of_group)
                for (name, index), of_group in zip(groups.names.items(), _parts(found, len(measures)), strict=True)
            ]
        )
        for found in judged(by_model, question.level, question.margin)
    ]


def _parts(differences: list[MeasureDifference], size: int) -> list[list[MeasureDifference]]:
    return [differences[start : start + size] for start in range(0, len(differences), size)]


def worst_first(groups: list[GroupDifferences]) -> list[GroupDifferences]:
    """Sort groups by the gain in their first measure, those where it is not defined last.  O(g log g)."""

    def gain(group: GroupDifferences) -> tuple[bool, float]:
        value = group.differences[0].gain if group.differences else math.nan
        return math.isnan(value), value

    return sorted(groups, key=gain)
