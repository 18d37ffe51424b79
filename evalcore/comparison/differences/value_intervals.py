"""Intervals of a measure of one model itself, for conditions and assertions that name a value."""

from collections.abc import Callable
from typing import Any

import numpy as np

from evalcore.comparison.differences.case_differences import units_of
from evalcore.comparison.measure_names import LOSSES, RESAMPLED, ComparedMeasure, threshold_text
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference import (
    Interval,
    accuracy_interval,
    average_precision_interval,
    bootstrap_interval,
    f1_interval,
    kappa_interval,
    precision_interval,
    recall_interval,
    roc_auc_interval,
    specificity_interval,
)
from evalcore.inference.areas.roc_area_bounds import DELONG
from evalcore.inference.intervals import reach_of
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.influence import mean_influence
from evalcore.report.options import FREQUENCY, SAMPLING
from evalcore.report.statistics.intervals import without_warnings
from evalcore.typing import FloatArray, ScoreArray

_OF_SCORES: dict[str, Callable[..., Interval]] = {
    "roc_area": roc_auc_interval,
    "average_precision": average_precision_interval,
}
_OF_DECISIONS: dict[str, Callable[..., Interval]] = {
    "accuracy": accuracy_interval,
    "recall": recall_interval,
    "specificity": specificity_interval,
    "precision": precision_interval,
    "f1": f1_interval,
    "kappa": kappa_interval,
}
_OF_ANY_PREVALENCE = "roc_area", "recall", "specificity"


@without_warnings()
def value_interval(
    measure: ComparedMeasure, scores: ScoreArray, cases: PairedCases, question: CompareQuestion
) -> Interval | None:
    """Return the interval of a measure of scores, (n,), for the cases; None for a measure that has none.

    As in reports: Wilson's, Boyd's and the like, also of clusters; for measures without a formula the bootstrap of the
    question.  O(n log n), times the resamples.
    """
    name = measure.measure
    weights = None if cases.weights is None else cases.weights.values
    shifted = cases.weights is not None and cases.weights.weighting.target_prevalence is not None
    if shifted and name not in _OF_ANY_PREVALENCE:
        return None  # the prevalence is no estimate there
    if name in LOSSES:
        return _mean_interval(cases.losses(name, scores), cases, question)
    frequencies = cases.weights is not None and cases.weights.frequencies is not None
    asked: dict[str, Any] = {
        "sample_weight": weights,
        "weight_type": FREQUENCY if frequencies else SAMPLING,
        "level": question.level,
    }
    if name in _OF_SCORES:
        if name == "roc_area" and question.area_method == DELONG:
            asked["method"] = DELONG
        return _OF_SCORES[name](cases.positive, scores, **asked, cluster=cases.clusters)
    if name in _OF_DECISIONS and measure.threshold is not None:
        predicted = are_at_or_above(scores, measure.threshold)
        return _OF_DECISIONS[name](cases.positive, predicted, **asked, cluster=cases.clusters)
    if name not in RESAMPLED:
        return None
    at = "" if measure.threshold is None else f"@{threshold_text(measure.threshold)}"
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


def _mean_interval(losses: FloatArray, cases: PairedCases, question: CompareQuestion) -> Interval:
    """Return the interval of the mean of losses, (n,): of cases normal, of clusters Student's.  O(n)."""
    weights, units = None if cases.weights is None else cases.weights.values, units_of(cases)
    mean = float(np.average(losses, weights=weights))
    [variance] = units.variances(mean_influence(losses, weights)).tolist()
    reach = reach_of(question.level, float(units.freedom[0])) * float(np.sqrt(variance))
    method = "normal" if cases.clusters is None else "t"
    return Interval(mean, max(mean - reach, 0.0), mean + reach, question.level, method)
