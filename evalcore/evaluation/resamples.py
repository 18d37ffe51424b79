"""Differences in resamples that are the same for all models and measures: units drawn again, or their models swapped.

Percentiles of few units are too close together: resamples vary less than samples by √((n - 1) / n), and have normal
tails where Student's are due.  For clusters and queries they are expanded as far as Student's interval of a mean is
wider than the percentiles of its resamples, and p-values are raised as much.  Source: T. C. Hesterberg, What teachers
should know about the bootstrap: resampling in the undergraduate statistics curriculum, The American Statistician 69
(2015) 371-386.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.catalogue import MeasureName
from evalcore.evaluation.differences import FoundDifferences, differences_of
from evalcore.evaluation.measure_choice import LOSSES, RESAMPLED
from evalcore.evaluation.question import Question
from evalcore.inference.bootstrap import bootstrap_bounds, two_sided_p_value
from evalcore.inference.intervals import Comparison, reach_of, tails_of
from evalcore.inference.resamples import (
    CaseMeasure,
    generators,
    measure_resamples,
    resampled_models,
    without_warnings_of,
)
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.losses import losses_of_probabilities
from evalcore.measures.multiclass import decision_measure
from evalcore.measures.point_measures import PointMeasure, parse_measure
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray

METHOD = "percentile bootstrap"
_LEAST_BEYOND = 2
"""Resamples beyond the bounds, below or above them: with fewer these would be the least and the largest of all."""
_COUNTED = "roc_auc", "average_precision", *RESAMPLED, "accuracy", "precision", "recall", "specificity", "f1"
"""Measures of the counts at each threshold, for which resamples need not be sorted."""


def compare_resampled(
    estimates: tuple[float, float],
    drawn: FloatArray,
    level: float,
    largest: float = 1.0,
    *,
    units: float = math.inf,
    lack: str = "",
) -> Comparison:
    """Compare the estimates of the new model and the old one, by differences of resamples, (b,), NaN left out.  O(b).

    largest: the largest difference that is possible; bounds are cut to it.  units: the number of what was drawn, for
    expanded percentiles; infinite for cases.  lack: why there are no bounds, if that is known.  Without bounds the
    p-value is NaN, or 1 if no resample differs; but where bounds lack alone because percentiles expand beyond all
    resamples, it stays.

    >>> drawn = np.linspace(0.05, 0.45, 999)
    >>> compare_resampled((0.75, 0.5), drawn, 0.95)
    0.75 - 0.5 = 0.25 [0.06, 0.44] (95% percentile bootstrap), p = 0.002
    >>> compare_resampled((0.75, 0.5), drawn, 0.95, units=10)
    0.75 - 0.5 = 0.25 [0.0534203, 0.44658] (95% percentile bootstrap), p = 0.0167
    """
    difference, defined = estimates[0] - estimates[1], drawn[~np.isnan(drawn)]
    expanded = expanded_level(level, units)
    low, high, why = bootstrap_bounds(difference, drawn, expanded)
    if lack:
        low, high, why = np.nan, np.nan, lack
    p_value = two_sided_p_value(drawn, defined=not why)
    if not why:
        p_value = expanded_p_value(p_value, units)
    if expanded > level and defined.size * (1 - expanded) < _LEAST_BEYOND:
        low, high = np.nan, np.nan
    low, high = max(low, -largest), min(high, largest)
    return Comparison(estimates, difference, low, high, level, np.nan, p_value, METHOD)


def expanded_level(level: float, units: float) -> float:
    """Return the level of percentiles that expands those of so many units.  O(1).

    >>> round(expanded_level(0.95, 25), 4), expanded_level(0.95, math.inf)
    (0.9648, 0.95)
    """
    if not 1 < units < math.inf:
        return level
    return 1 - tails_of(reach_of(level, units - 1) * error_factor(units))


def expanded_p_value(p_value: float, units: float) -> float:
    """Return a p-value of percentiles as that of expanded ones.  O(1).

    >>> round(expanded_p_value(1 - expanded_level(0.95, 25), 25), 4)
    0.05
    """
    if not 1 < units < math.inf:
        return p_value
    return tails_of(reach_of(1 - p_value) / error_factor(units), units - 1)


def error_factor(units: float) -> float:
    """Return how many times as much samples of so many units vary as their resamples do; 1 for cases.  O(1)."""
    return math.sqrt(units / (units - 1)) if 1 < units < math.inf else 1.0


def resampled_error(drawn: FloatArray, units: float) -> float:
    """Return the standard error from differences of resamples, NaN from fewer than two that are defined.  O(b)."""
    defined = drawn[~np.isnan(drawn)]
    return float(np.std(defined, ddof=1)) * error_factor(units) if defined.size > 1 else np.nan


def bootstrapped_differences(
    cases: PairedCases, measures: Sequence[MeasureName], question: Question
) -> list[FoundDifferences]:
    """Compare each new model with the old one by resamples of cases or clusters.

    Bounds and p-values are those of `compare_resampled`.  O(k n log n), and O(k n) for each resample.
    """
    if not measures:
        return [{} for _ in cases.new]
    parsed = [_resampled(measure, cases.score_type) for measure in measures]
    with without_warnings_of(parsed):
        models = resampled_models(
            cases.positive,
            cases.scores,
            parsed,
            question.stratify,
            cases.clusters,
            sample_weight=cases.amounts,
            weight_type="sampling" if cases.frequencies is None else "frequency",
        )
        sources = generators(question.seed, question.resamples)
        values = measure_resamples(models.measured, models.draw, sources, question.resamples)
    units = math.inf if cases.clusters is None else int(cases.clusters.max(initial=-1)) + 1
    found: list[FoundDifferences] = [{} for _ in cases.new]
    for new, of_model in enumerate(found, 1):
        for at, measure in enumerate(measures):
            drawn = values[:, new, at] - values[:, 0, at]
            estimates = float(models.estimates[new, at]), float(models.estimates[0, at])
            compared = compare_resampled(estimates, drawn, question.confidence, math.inf, units=units, lack=models.lack)
            error = math.nan if models.lack else resampled_error(drawn, units)
            of_model[measure] = differences_of(measure, [compared], np.array([error]), np.array([units - 1.0]))
    return found


def _resampled(measure: MeasureName, score_type: np.dtype[Any]) -> PointMeasure | CaseMeasure:
    """Return what measures a resample."""
    name, threshold = measure.measure, measure.threshold
    if name in _COUNTED:
        at = "" if threshold is None else f"@{threshold!r}"
        return parse_measure(RESAMPLED.get(name, name) + at)
    if name in LOSSES:
        return partial(_mean_loss, name, score_type)
    assert threshold is not None
    return partial(_of_decisions, name, threshold)


def _mean_loss(
    name: str,
    score_type: np.dtype[Any],
    y_true: BoolArray,
    y_score: ScoreArray,
    sample_weight: AnyArray | None = None,
) -> float:
    losses = losses_of_probabilities(name, y_score.astype(score_type, copy=False), y_true)
    return float(np.average(losses, weights=sample_weight))


def _of_decisions(
    name: str, threshold: float, y_true: BoolArray, y_score: ScoreArray, sample_weight: AnyArray | None = None
) -> float:
    codes = binary_codes(y_true, are_at_or_above(y_score, threshold))
    cells = np.bincount(codes, sample_weight, 4).astype(np.float64)
    return float(decision_measure(name, cells.reshape(2, 2), threshold))
