"""Differences of all measures of scores between the new models and the old one, in all cases and in groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replaced
from functools import lru_cache, partial
from typing import Any

import numpy as np

from evalcore import inference
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.differences import (
    FoundDifferences,
    GroupDifferences,
    MeasureDifference,
    as_reported,
    differences_of,
    judged,
    judged_groups,
)
from evalcore.evaluation.measure_choice import LOSSES, RANKED, RESAMPLED, score_measures
from evalcore.evaluation.options import FREQUENCY, SAMPLING
from evalcore.evaluation.question import Question
from evalcore.evaluation.resamples import bootstrapped_differences
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference import Interval, bootstrap_interval
from evalcore.inference.cells import Cells
from evalcore.inference.classifiers import compare_decisions, paired_decisions
from evalcore.inference.curve_areas import check_comparable
from evalcore.inference.intervals import Comparison, PairedEstimates, compare_normal, reach_of
from evalcore.inference.rankings import AREA, RankingEstimates, rankings
from evalcore.inference.resamples import without_warnings
from evalcore.inference.roc_auc_bounds import DELONG, compare_areas
from evalcore.inference.units import MOST_LEFT_OUT, Units
from evalcore.kernels.grouping import GroupLayout
from evalcore.kernels.sums import ratio
from evalcore.kernels.thresholds import are_at_or_above, plain_number
from evalcore.measures.influence import mean_influence
from evalcore.measures.losses import are_probabilities
from evalcore.typing import FloatArray, ScoreArray

_OWN_NAMES = "average_precision", "accuracy", "recall", "specificity", "precision", "f1", "kappa"
_INTERVALS: dict[str, Callable[..., Interval]] = {
    "roc_auc": inference.roc_auc_interval,
    **{name: getattr(inference, f"{name}_interval") for name in _OWN_NAMES},
}
_OF_ANY_PREVALENCE = "roc_auc", "recall", "specificity"


def score_differences(cases: PairedCases, question: Question) -> list[list[MeasureDifference]]:
    """Compare each new model with the old one by the measures that are asked for.

    P-values are adjusted for all measures of all models.  O(k n log n) for k models, and O(k n) for each resample.
    Raises EvaluationError for measures that scores do not have.
    """
    measures = _asked_of_scores(cases, question)
    resampled = [each for each in measures if question.method == "bootstrap" or each.measure in RESAMPLED]
    others = [each for each in measures if each not in resampled]
    families = bootstrapped_differences(cases, resampled, question), analytic_differences(cases, others, question)
    found, counts = [one | other for one, other in zip(*families, strict=True)], cases.counts
    differences = [[as_reported(of_model[measure][0], *counts) for measure in measures] for of_model in found]
    return judged(differences, question.confidence, question.margin)


def group_differences(cases: PairedCases, question: Question) -> list[dict[str, list[GroupDifferences]]]:
    """Compare each new model with the old one in each group, those that got worse first; by the name of each grouping.

    Measures without an analytic interval are left out.  P-values of a grouping are adjusted for all of its groups,
    measures and models.  O(k n log n) for k models and any number of groups.
    """
    measures = [each for each in _asked_of_scores(cases, question) if each.measure not in RESAMPLED]

    def find(groups: GroupedRows) -> list[list[GroupDifferences]]:
        frequencies = 1 if cases.frequencies is None else cases.frequencies
        classes = (side * frequencies for side in (cases.positive, ~cases.positive))
        sums = [np.bincount(groups.of_rows, side, groups.count) for side in classes]
        counts: list[list[int]] = np.array(sums).T.astype(np.int64).tolist()

        def of_group(found: FoundDifferences, name: str, index: int) -> GroupDifferences:
            differences = [as_reported(found[measure][index], *counts[index]) for measure in measures]
            return GroupDifferences(name, sum(counts[index]), counts[index][0], differences)

        found = analytic_differences(cases, measures, question, groups)
        return [[of_group(of_model, *named) for named in groups.names.items()] for of_model in found]

    return judged_groups(cases, find, question)


def analytic_differences(
    cases: PairedCases, measures: Sequence[MeasureName], question: Question, groups: GroupedRows | None = None
) -> list[FoundDifferences]:
    """Compare each new model with the old one by measures with an analytic interval, in all cases or in each group.

    O(k n log n) for k models, each of which is sorted once; groups in the order of their layout.
    """
    layout = None if groups is None else groups.layout
    units = cases.units() if groups is None else cases.units(groups.of_rows, groups.count)
    level, freedom = question.confidence, units.freedom
    ranked = _ranked(cases, units, [each.measure for each in measures if each.measure in RANKED], layout)
    decided = lru_cache(maxsize=1)(partial(decisions_at, cases, units))
    found: list[FoundDifferences] = [{} for _ in cases.new]
    for measure in sorted(measures, key=lambda each: each.threshold or 0.0):  # decisions are added up once for each
        name, threshold = measure.measure, measure.threshold
        if name in RANKED:
            compared = compared_rankings(name, ranked[name], units, question)
        elif threshold is None:
            estimates = _losses(cases, units, name)
            compared = [
                (compare_normal(each, level, "paired-normal", np.inf, freedom), each.errors) for each in estimates
            ]
        else:
            compared = [compare_decisions(each, name, level, threshold) for each in decided(threshold)]
        for of_model, pair in zip(found, compared, strict=True):
            of_model[measure] = differences_of(measure, *pair, freedom)
    return found


def _asked_of_scores(cases: PairedCases, question: Question) -> list[MeasureName]:
    """Return the measures that a question asks of scores.  O(k n) for k models."""
    probabilities = all(map(are_probabilities, cases.scores.values()))
    return score_measures(
        question.measures.names, question.thresholds, question.conditions, probabilities=probabilities
    )


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


LINEARISED, JACKKNIFE = "linearised", "jackknife"


def _ranked(
    cases: PairedCases, units: Units, names: Sequence[str], layout: GroupLayout | None
) -> Mapping[str, RankingEstimates]:
    """Return the estimates of rankings by the names of their measures; none without names.  O(k n log n)."""
    if not names:
        return {}
    if layout is None:
        check_comparable(cases.positive.size, "the label")
    known, columns = cases.has_known_prevalence, list(cases.scores.values())
    return rankings(cases.positive, columns, units, dict.fromkeys(names), layout, known_prevalence=known)


@without_warnings()
def compared_rankings(
    name: str, estimate: RankingEstimates, units: Units, question: Question
) -> list[tuple[list[Comparison], FloatArray]]:
    """Compare the ROC AUCs or average precisions of each new model with those of the old one, in each group.  O(k g).

    Returns the standard errors, (g,), beside.
    """
    level, freedom, (old, *others) = question.confidence, units.freedom, estimate.values
    if name == AREA:
        pairs = estimate.pairs([(new, 0) for new in range(1, len(estimate.values))])
        method = question.difference_method
        return [(compare_areas(*pair, level, method, freedom=freedom), np.sqrt(pair[1][0])) for pair in pairs]
    models, found = np.eye(len(estimate.values), dtype=np.int64), []
    left_out = (units.sizes <= MOST_LEFT_OUT) & (units.clusters is not None)
    for values, errors in zip(others, np.sqrt(estimate.spread([each - models[0] for each in models[1:]])), strict=True):
        compared = compare_normal(PairedEstimates(values, old, errors), level, LINEARISED, freedom=freedom)
        each = zip(compared, left_out.tolist(), strict=True)
        found.append(([replaced(one, method=JACKKNIFE) if own else one for one, own in each], errors))
    return found


@without_warnings()
def value_interval(measure: MeasureName, scores: ScoreArray, cases: PairedCases, question: Question) -> Interval | None:
    """Return the interval of a measure of scores, (n,), for the cases; None for a measure that has none.

    As in reports: Wilson's, Boyd's and the like, also of clusters; for measures without a formula the bootstrap of the
    question.  O(n log n), times the resamples.
    """
    name = measure.measure
    if cases.has_known_prevalence and name not in _OF_ANY_PREVALENCE:
        return None  # the prevalence is no estimate there
    if name in LOSSES:
        return _mean_interval(cases.losses(name, scores), cases, question)
    asked: dict[str, Any] = {
        "sample_weight": cases.amounts,
        "weight_type": SAMPLING if cases.frequencies is None else FREQUENCY,
        "level": question.confidence,
    }
    if name in _INTERVALS and (name in RANKED or measure.threshold is not None):
        if name == "roc_auc" and question.difference_method == DELONG:
            asked["method"] = DELONG
        found = scores if measure.threshold is None else are_at_or_above(scores, measure.threshold)
        return _INTERVALS[name](cases.positive, found, **asked, cluster=cases.clusters)
    if name not in RESAMPLED:
        return None
    at = "" if measure.threshold is None else f"@{plain_number(measure.threshold)}"
    return bootstrap_interval(
        cases.positive,
        scores,
        f"{RESAMPLED[name]}{at}",
        **asked,
        resamples=question.resamples,
        stratify=question.stratify and cases.clusters is None,
        cluster=cases.clusters,
        seed=question.seed,
    )


def _mean_interval(losses: FloatArray, cases: PairedCases, question: Question) -> Interval:
    """Return the interval of the mean of losses, (n,): of cases normal, of clusters Student's.  O(n)."""
    weights, units = cases.amounts, cases.units()
    mean = float(np.average(losses, weights=weights))
    [variance] = units.spread(mean_influence(losses, weights)).tolist()
    reach = reach_of(question.confidence, float(units.freedom[0])) * float(np.sqrt(variance))
    method = "normal" if cases.clusters is None else "t"
    return Interval(mean, max(mean - reach, 0.0), mean + reach, question.confidence, method)
