"""Differences of all measures of scores between the new models and the old one, with intervals and tests."""

from collections.abc import Sequence

import numpy as np

from evalcore.comparison.differences.bootstrapped_differences import bootstrapped_differences
from evalcore.comparison.differences.case_differences import FoundDifferences, case_differences, units_of
from evalcore.comparison.differences.judging import judged
from evalcore.comparison.differences.ranked_differences import ranked_differences
from evalcore.comparison.differences.undefined_precisions import as_reported
from evalcore.comparison.measure_names import RESAMPLED, ComparedMeasure, score_measures
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.measures.losses import are_probabilities


def score_differences(cases: PairedCases, question: CompareQuestion) -> list[list[MeasureDifference]]:
    """Compare each new model with the old one by the measures that are asked for.

    P-values are adjusted for all measures of all models.  O(k n log n) for k models, and O(k n) for each resample.
    Raises EvaluationError for measures that scores do not have.
    """
    measures = asked_of_scores(cases, question)
    resampled = [each for each in measures if question.method == "bootstrap" or each.measure in RESAMPLED]
    families = (
        _analytic(cases, [each for each in measures if each not in resampled], question),
        bootstrapped_differences(cases, resampled, question),
    )
    found = [
        {measure: difference for family in of_model for measure, [difference] in family.items()}
        for of_model in zip(*families, strict=True)
    ]
    positives = int(np.count_nonzero(cases.positive))
    negatives = cases.positive.size - positives
    differences = [[as_reported(of_model[measure], positives, negatives) for measure in measures] for of_model in found]
    return judged(differences, question.level, question.margin)


def _analytic(
    cases: PairedCases, measures: Sequence[ComparedMeasure], question: CompareQuestion
) -> list[FoundDifferences]:
    """Return the differences of measures that have an analytic interval."""
    units = units_of(cases)
    families = (
        ranked_differences(cases, units, measures, question.level, question.area_method),
        case_differences(cases, units, measures, question.level),
    )
    return [ranked | decided for ranked, decided in zip(*families, strict=True)]


def asked_of_scores(cases: PairedCases, question: CompareQuestion) -> list[ComparedMeasure]:
    """Return the measures that a question asks of scores.  O(k n) for k models."""
    probabilities = all(map(are_probabilities, cases.scores.values()))
    return score_measures(question.measures, question.thresholds, question.conditions, probabilities=probabilities)
