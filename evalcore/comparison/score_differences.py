"""Differences of all measures of scores between the new models and the old one, with intervals and tests."""

from collections.abc import Sequence

import numpy as np

from evalcore.comparison.cases import PairedCases
from evalcore.comparison.judging import judged
from evalcore.comparison.measure_names import LOSSES, RANKED, ComparedMeasure, score_measures
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.ranked_differences import ranked_differences
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_decisions import PairedDecisions, paired_decisions
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import SamplingUnits, sampling_units
from evalcore.kernels.threshold_counts import are_at_or_above
from evalcore.measures.decision_derivatives import DIFFERENTIABLE
from evalcore.measures.influence import mean_influence
from evalcore.measures.probability_losses import are_probabilities, losses_of_probabilities
from evalcore.typing import IntArray


def score_differences(cases: PairedCases, question: CompareQuestion) -> list[list[MeasureDifference]]:
    """Compare each new model with the old one by the measures that are asked for.

    P-values are adjusted for all measures of all models.  O(k n log n) for k models.  Raises EvaluationError for
    measures that scores do not have.
    """
    measures = asked_of_scores(cases, question)
    units = units_of(cases)
    found: list[dict[ComparedMeasure, tuple[Comparison, float]]] = [{} for _ in cases.new]
    ranked = [measure for measure in measures if measure.measure in RANKED]
    if ranked:
        by_name = ranked_differences(cases, units, [each.measure for each in ranked], question.level)
        for model, of_ranks in zip(found, by_name, strict=True):
            model.update({measure: of_ranks[measure.measure] for measure in ranked})
    for model, of_losses in zip(found, _losses(cases, units, measures, question.level), strict=True):
        model.update(of_losses)
    for threshold in dict.fromkeys(each.threshold for each in measures if each.measure in DIFFERENTIABLE):
        assert threshold is not None
        asked = [each for each in measures if each.threshold == threshold and each.measure in DIFFERENTIABLE]
        for model, decided in zip(found, decisions_at(cases, units, threshold), strict=True):
            for measure in asked:
                [comparison] = decided.compare(measure.measure, question.level)
                model[measure] = comparison, float(decided.measure(measure.measure).errors[0])
    return judged(
        [[difference_of(measure, *model[measure]) for measure in measures] for model in found],
        question.level,
        question.margin,
    )


def asked_of_scores(cases: PairedCases, question: CompareQuestion) -> list[ComparedMeasure]:
    """Return the measures that a question asks of scores.  O(k n) for k models."""
    probabilities = all(map(are_probabilities, cases.scores.values()))
    return score_measures(question.measures, question.thresholds, probabilities=probabilities)


def difference_of(measure: ComparedMeasure, found: Comparison, error: float) -> MeasureDifference:
    """Return the difference of a measure, which is yet to be judged.  O(1)."""
    return MeasureDifference(measure.name, measure.title, found, error, measure.lower_is_better)


def units_of(cases: PairedCases, rows: IntArray | None = None, count: int = 1) -> SamplingUnits:
    """Return what is drawn by chance; rows: the group of each case, (n,) in 0 .. count - 1.  O(n)."""
    frequencies = None if cases.weights is None else cases.weights.frequencies
    return sampling_units(cases.positive.size, rows=rows, count=count, clusters=cases.clusters, frequencies=frequencies)


def decisions_at(cases: PairedCases, units: SamplingUnits, threshold: float) -> list[PairedDecisions]:
    """Add up what the old model and each new one decide at a threshold.  O(k n) for k models."""
    old, *others = (are_at_or_above(scores, threshold) for scores in cases.scores.values())
    weights = cases.weights
    values, known = None, False
    if weights is not None:
        values, known = weights.values, weights.weighting.target_prevalence is not None
    return [paired_decisions(cases.positive, old, new, units, weights=values, known_prevalence=known) for new in others]


def _losses(
    cases: PairedCases, units: SamplingUnits, measures: Sequence[ComparedMeasure], level: float
) -> list[dict[ComparedMeasure, tuple[Comparison, float]]]:
    """Compare means of losses, by measure, one mapping for each new model.  O(k n) for k models."""
    found: list[dict[ComparedMeasure, tuple[Comparison, float]]] = [{} for _ in cases.new]
    weights = None if cases.weights is None else cases.weights.values
    for measure in measures:
        if measure.measure not in LOSSES:
            continue
        old, *others = (
            losses_of_probabilities(measure.measure, scores, cases.positive) for scores in cases.scores.values()
        )
        for model, new in zip(found, others, strict=True):
            means = [np.array([np.average(losses, weights=weights)]) for losses in (new, old)]
            errors = np.sqrt(units.variances(mean_influence(new - old, weights)))
            [comparison] = compare_normal(PairedEstimates(means[0], means[1], errors), level, "paired-normal", np.inf)
            model[measure] = comparison, float(errors[0])
    return found
