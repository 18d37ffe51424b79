"""Differences of all measures of scores between the new models and the old one, in all cases and in groups."""

import math
from collections.abc import Sequence

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences, case_differences, units_of_cases
from evalcore.comparison.differences.judging import as_reported, judged
from evalcore.comparison.differences.ranked_differences import ranked_differences
from evalcore.comparison.differences.resamples import bootstrapped_differences
from evalcore.comparison.measure_names import RESAMPLED, ComparedMeasure, score_measures
from evalcore.comparison.model import GroupDifferences, MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.kernels.grouping import groups_of_rows
from evalcore.measures.losses import are_probabilities
from evalcore.report.statistics.groups import GroupedRows, cases_of_groups


def score_differences(cases: PairedCases, question: CompareQuestion) -> list[list[MeasureDifference]]:
    """Compare each new model with the old one by the measures that are asked for.

    P-values are adjusted for all measures of all models.  O(k n log n) for k models, and O(k n) for each resample.
    Raises EvaluationError for measures that scores do not have.
    """
    measures = _asked_of_scores(cases, question)
    resampled = [each for each in measures if question.method == "bootstrap" or each.measure in RESAMPLED]
    families = (
        _analytic(cases, [each for each in measures if each not in resampled], question),
        bootstrapped_differences(cases, resampled, question),
    )
    found = [
        {measure: difference for family in of_model for measure, [difference] in family.items()}
        for of_model in zip(*families, strict=True)
    ]
    counts = cases.counts
    differences = [[as_reported(of_model[measure], *counts) for measure in measures] for of_model in found]
    return judged(differences, question.level, question.margin)


def group_differences(cases: PairedCases, question: CompareQuestion) -> list[dict[str, list[GroupDifferences]]]:
    """Compare each new model with the old one in each group, those that got worse first; by the name of each grouping.

    Measures without an analytic interval are left out.  P-values of a grouping are adjusted for all of its groups,
    measures and models.  O(k n log n) for k models and any number of groups.
    """
    found: list[dict[str, list[GroupDifferences]]] = [{} for _ in cases.new]
    if not cases.groups:
        return found
    measures = [each for each in _asked_of_scores(cases, question) if each.measure not in RESAMPLED]
    for name, groups in cases.groups.items():
        for model, of_groups in zip(found, _of_grouping(cases, groups, measures, question), strict=True):
            model[name] = worst_first(of_groups)
    return found


def worst_first(groups: list[GroupDifferences]) -> list[GroupDifferences]:
    """Sort groups by the gain in their first measure, those where it is not defined last.  O(g log g)."""

    def gain(group: GroupDifferences) -> tuple[bool, float]:
        value = group.differences[0].gain if group.differences else math.nan
        return math.isnan(value), value

    return sorted(groups, key=gain)


def _of_grouping(
    cases: PairedCases, groups: GroupedRows, measures: list[ComparedMeasure], question: CompareQuestion
) -> list[list[GroupDifferences]]:
    """Return the differences in the groups that have a name, for each new model."""
    frequencies, layout = cases.frequencies, groups.layout
    own = cases.positive.astype(np.int64) if frequencies is None else cases.positive * frequencies
    positives = np.bincount(groups_of_rows(layout), own, layout.groups.size).astype(np.int64)
    counts: list[list[int]] = np.array([positives, cases_of_groups(layout, frequencies) - positives]).T.tolist()
    by_group = [
        [as_reported(of_model[measure][index], *counts[index]) for measure in measures]
        for of_model in _analytic(cases, measures, question, groups)
        for index in groups.names.values()
    ]
    differences = iter(judged(by_group, question.level, question.margin))
    return [
        [
            GroupDifferences(name, sum(counts[index]), counts[index][0], next(differences))
            for name, index in groups.names.items()
        ]
        for _ in cases.new
    ]


def _analytic(
    cases: PairedCases,
    measures: Sequence[ComparedMeasure],
    question: CompareQuestion,
    groups: GroupedRows | None = None,
) -> list[FoundDifferences]:
    """Return the differences of measures that have an analytic interval, in all cases or in each group."""
    layout = None if groups is None else groups.layout
    units = (
        units_of_cases(cases) if layout is None else units_of_cases(cases, groups_of_rows(layout), layout.groups.size)
    )
    families = (
        ranked_differences(cases, units, measures, question, layout),
        case_differences(cases, units, measures, question.level),
    )
    return [ranked | decided for ranked, decided in zip(*families, strict=True)]


def _asked_of_scores(cases: PairedCases, question: CompareQuestion) -> list[ComparedMeasure]:
    """Return the measures that a question asks of scores.  O(k n) for k models."""
    probabilities = all(map(are_probabilities, cases.scores.values()))
    return score_measures(question.measures, question.thresholds, question.conditions, probabilities=probabilities)
