"""Differences of any measure of scores, from resamples that are the same for all models and measures."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences, differences_of
from evalcore.comparison.differences.resampled_comparison import compare_resampled, error_factor
from evalcore.comparison.measure_names import LOSSES, RESAMPLED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference.resampling.point_measures import PointMeasure, parse_measure
from evalcore.inference.resampling.resampled_measures import generators, measure_resamples, without_warnings
from evalcore.inference.resampling.resampled_models import CaseMeasure, has_functions, resampled_models
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.measures.losses import losses_of_probabilities
from evalcore.measures.multiclass import decision_measure
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray

_NAMES = {**RESAMPLED, "roc_area": "roc_auc"}
_COUNTED = "roc_area", "average_precision", *RESAMPLED, "accuracy", "precision", "recall", "specificity", "f1"
"""Measures of the counts at each threshold, for which resamples need not be sorted."""


def bootstrapped_differences(
    cases: PairedCases, measures: Sequence[ComparedMeasure], question: CompareQuestion
) -> list[FoundDifferences]:
    """Compare each new model with the old one by resamples of cases or clusters.

    Bounds and p-values are those of `compare_resampled`.  O(k n log n), and O(k n) for each resample.
    """
    if not measures:
        return [{} for _ in cases.new]
    parsed = [_resampled(measure, cases.score_type) for measure in measures]
    weights = cases.weights
    frequencies = weights is not None and weights.weighting.of_frequencies
    with without_warnings() if has_functions(parsed) else nullcontext():
        models = resampled_models(
            cases.positive,
            cases.scores,
            parsed,
            question.stratify,
            cases.clusters,
            sample_weight=None if weights is None else weights.values,
            weight_type="frequency" if frequencies else "sampling",
        )
        units = math.inf if cases.clusters is None else int(cases.clusters.max(initial=-1)) + 1
        sources = generators(question.seed, question.resamples)
        values = measure_resamples(models.measured, models.draw, sources, question.resamples)
    return [
        {
            measure: _difference(
                measure,
                models.estimates[[new, 0], at],
                values[:, new, at] - values[:, 0, at],
                question.level,
                units=units,
                lack=models.lack,
            )
            for at, measure in enumerate(measures)
        }
        for new in range(1, len(cases.scores))
    ]


def _difference(
    measure: ComparedMeasure, estimates: FloatArray, resampled: FloatArray, level: float, *, units: float, lack: str
) -> list[MeasureDifference]:
    new, old = estimates.tolist()
    found = compare_resampled((new, old), resampled, level, np.inf, units=units, lack=lack)
    defined = resampled[~np.isnan(resampled)]
    error = float(np.std(defined, ddof=1)) if defined.size > 1 and not lack else np.nan
    freedom = np.full(1, units - 1.0)
    return differences_of(measure, [found], np.array([error * error_factor(units)]), freedom)


def _resampled(measure: ComparedMeasure, score_type: np.dtype[Any]) -> PointMeasure | CaseMeasure:
    """Return what measures a resample."""
    name, threshold = measure.measure, measure.threshold
    if name in _COUNTED:
        at = "" if threshold is None else f"@{threshold!r}"
        return parse_measure(_NAMES.get(name, name) + at)
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
