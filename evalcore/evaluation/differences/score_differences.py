"""Differences of all measures of scores between the new models and the old one, in all cases and in groups."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from evalcore.evaluation.differences.judging import as_reported, judged
from evalcore.evaluation.differences.ranked_differences import ranked_differences
from evalcore.evaluation.differences.resamples import bootstrapped_differences
from evalcore.evaluation.pairs.cases import PairedCases
from evalcore.evaluation.pairs.measure_names import LOSSES, RESAMPLED, ComparedMeasure, score_measures
from evalcore.evaluation.pairs.model import FoundDifferences, GroupDifferences, MeasureDifference, differences_of
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import GroupedRows, cases_of_groups
from evalcore.inference.cells import Cells
from evalcore.inference.classifiers import compare_decisions, paired_decisions
from evalcore.inference.intervals import PairedEstimates, compare_normal
from evalcore.inference.units import Units
from evalcore.kernels.grouping import groups_of_rows
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.losses import are_probabilities
from evalcore.measures.multiclass import DIFFERENTIABLE
from evalcore.typing import FloatArray, ScoreArray


def score_differences(cases: PairedCases, question: Question) -> list[list[MeasureDifference]]:
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
    return judged(differences, question.confidence, question.margin)


def group_differences(cases: PairedCases, question: Question) -> list[dict[str, list[GroupDifferences]]]:
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
    cases: PairedCases, groups: GroupedRows, measures: list[ComparedMeasure], question: Question
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
    differences = iter(judged(by_group, question.confidence, question.margin))
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
    question: Question,
    groups: GroupedRows | None = None,
) -> list[FoundDifferences]:
    """Return the differences of measures that have an analytic interval, in all cases or in each group."""
    layout = None if groups is None else groups.layout
    units = cases.units() if layout is None else cases.units(groups_of_rows(layout), layout.groups.size)
    families = (
        ranked_differences(cases, units, measures, question, layout),
        case_differences(cases, units, measures, question.confidence),
    )
    return [ranked | decided for ranked, decided in zip(*families, strict=True)]


def _asked_of_scores(cases: PairedCases, question: Question) -> list[ComparedMeasure]:
    """Return the measures that a question asks of scores.  O(k n) for k models."""
    probabilities = all(map(are_probabilities, cases.scores.values()))
    return score_measures(
        question.measures.names, question.thresholds, question.conditions, probabilities=probabilities
    )


def case_differences(
    cases: PairedCases, units: Units, measures: Sequence[ComparedMeasure], level: float
) -> list[FoundDifferences]:
    """Compare each new model with the old one by those measures that are of decisions or losses.  O(k n) for k."""
    found: list[FoundDifferences] = [{} for _ in cases.new]
    decided = [measure for measure in measures if measure.measure in DIFFERENTIABLE]
    for threshold in dict.fromkeys(measure.threshold for measure in decided):
        assert threshold is not None
        at_threshold = [measure for measure in decided if measure.threshold == threshold]
        for model, decisions in zip(found, decisions_at(cases, units, threshold), strict=True):
            for measure in at_threshold:
                pair = compare_decisions(decisions, measure.measure, level, threshold)
                model[measure] = differences_of(measure, *pair, units.freedom)
    for measure in measures:
        if measure.measure in LOSSES:
            for model, estimates in zip(found, _losses(cases, units, measure.measure), strict=True):
                compared = compare_normal(estimates, level, "paired-normal", np.inf, units.freedom)
                model[measure] = differences_of(measure, compared, estimates.errors, units.freedom)
    return found


def decisions_at(cases: PairedCases, units: Units, threshold: float) -> list[Cells]:
    """Add up what the old model and each new one decide at a threshold.  O(k n) for k models."""
    old, *others = (are_at_or_above(scores, threshold) for scores in cases.scores.values())
    known = cases.has_known_prevalence
    return [paired_decisions(cases.positive, old, new, units, known_prevalence=known) for new in others]


def _losses(cases: PairedCases, units: Units, name: str) -> list[PairedEstimates]:
    """Return the mean losses of the old and of each new model in each group, (g,).  O(k n) for k models.

    Losses are found twice, for their means and for their deviations from these: all cases need the memory of a block.
    """
    strata, groups = units, units.sizes.size
    if cases.has_known_prevalence:  # only losses within classes vary
        codes = cases.positive + 2 * (0 if units.groups is None else units.groups)
        strata = units._replace(groups=codes, sizes=np.ones(2 * groups))
    totals = strata.totals(lambda rows: np.ones(cases.positive[rows].size))
    every = totals.reshape(groups, -1).sum(axis=1)
    found, (old_sums, *others) = (
        [],
        [strata.totals(partial(cases.losses, name, scores)) for scores in cases.scores.values()],
    )
    old, *models = cases.scores.values()
    for new, sums in zip(models, others, strict=True):
        means = np.asarray(ratio(sums - old_sums, totals))

        def influence(rows: slice, new: ScoreArray = new, means: FloatArray = means) -> FloatArray:
            changes = cases.losses(name, new, rows) - cases.losses(name, old, rows)
            changes -= means[0] if strata.groups is None else means[strata.groups[rows]]
            changes /= every[0] if units.groups is None else every[units.groups[rows]]
            return units.weighted(changes, rows)

        new_mean, old_mean = (each.reshape(groups, -1).sum(axis=1) / every for each in (sums, old_sums))
        found.append(PairedEstimates(new_mean, old_mean, np.sqrt(units.spread(influence))))
    return found
