"""Differences of ROC areas and average precisions of models that ranked the same cases."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.comparison.cases import PairedCases
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.roc_areas import check_comparable, compare_areas_of_variance, why_no_variance
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.indexed_ordering import indexed_order
from evalcore.kernels.operating_points import LazyOperatingPoints
from evalcore.kernels.placements import Placements, moments_of, placements
from evalcore.kernels.weight_sums import scaled_weights
from evalcore.measures import curves, roc_variances
from evalcore.measures.influence import (
    average_precision_influence,
    influence_of_lost_fractions,
    influence_of_placements,
    weighted_average_precision_influence,
)
from evalcore.measures.weighted_roc_variances import weighted_roc_covariance
from evalcore.report.statistics.intervals import without_warnings
from evalcore.report.statistics.rankings import RankingByWeight
from evalcore.state.weighted_ranking import WeightedRanking
from evalcore.typing import FloatArray, ScoreArray

AREA, PRECISION = "roc_area", "average_precision"
METHODS = {AREA: "delong", PRECISION: "linearised"}
"""How intervals are computed: by DeLong's placements, or from influence values."""


class RankedModel(NamedTuple):
    """What one model adds to the comparison of rankings of n cases."""

    values: dict[str, float]
    """Its measures, by name."""
    influence: dict[str, FloatArray]
    """The influence values of each measure, (n,); of the ROC area if clusters need them."""
    placed: Placements | FloatArray | None = None
    """The placements of the cases, or what fraction they lose to of weighted ones."""


def ranked_differences(
    cases: PairedCases, units: SamplingUnits, names: Sequence[str], level: float
) -> list[dict[str, tuple[Comparison, float]]]:
    """Compare each new model with the old one by some of ROC area and average precision, by name, with the errors.

    O(k n log n) for k models, each of which is sorted once.
    """
    check_comparable(cases.positive.size, "the label")
    old, *others = (_ranked_model(scores, cases, units, names) for scores in cases.scores.values())
    return [{name: _difference(name, (new, old), cases, units, level) for name in names} for new in others]


def _ranked_model(scores: ScoreArray, cases: PairedCases, units: SamplingUnits, names: Sequence[str]) -> RankedModel:
    if cases.weights is not None:
        return _weighted_model(scores, cases, units, names)
    correct = cases.positive
    found = indexed_order(scores, correct)
    values: dict[str, float] = {}
    influence: dict[str, FloatArray] = {}
    if PRECISION in names:
        values[PRECISION] = curves.average_precision(LazyOperatingPoints(found.keys), int(np.count_nonzero(correct)))
        influence[PRECISION] = average_precision_influence(found)
    if AREA not in names:
        return RankedModel(values, influence)
    placed = placements(found)
    m, n = placed.correct.size, placed.incorrect.size
    values[AREA] = roc_variances.roc_area_of_sum(m, n, int(placed.correct.sum(dtype=np.int64)))
    if units.clusters is not None and m and n:
        influence[AREA] = influence_of_placements(placed, correct)
    return RankedModel(values, influence, placed)


def _weighted_model(scores: ScoreArray, cases: PairedCases, units: SamplingUnits, names: Sequence[str]) -> RankedModel:
    assert cases.weights is not None
    ranking = WeightedRanking(scores, cases.positive, cases.weights.values)
    values: dict[str, float] = {}
    influence: dict[str, FloatArray] = {}
    lost: FloatArray | None = None
    if PRECISION in names:
        values[PRECISION] = RankingByWeight(ranking).average_precision()
        influence[PRECISION] = weighted_average_precision_influence(ranking.ordering)
    if AREA in names:
        values[AREA] = RankingByWeight(ranking).roc_area()
        lost = ranking.losses()
        if units.clusters is not None:
            influence[AREA] = influence_of_lost_fractions(lost, ranking.correct, ranking.weights)
    return RankedModel(values, influence, lost)


@without_warnings()
def _difference(
    name: str, models: tuple[RankedModel, RankedModel], cases: PairedCases, units: SamplingUnits, level: float
) -> tuple[Comparison, float]:
    """Compare one measure of two models, and return the standard error of the difference too.  O(n)."""
    new, old = models
    estimates = new.values[name], old.values[name]
    if name == AREA and units.clusters is None:
        positives = int(np.count_nonzero(cases.positive))
        lack = why_no_variance(positives, cases.positive.size - positives)
        variance = np.nan if lack else _variance_of_areas(new, old, cases)
        return compare_areas_of_variance(estimates, variance, level, lack), float(np.sqrt(variance))
    error = np.array([np.nan])
    if name in new.influence and not np.isnan(estimates).any():
        error = np.sqrt(units.variances(new.influence[name] - old.influence[name]))
    arrays = [np.array([value]) for value in estimates]
    [found] = compare_normal(PairedEstimates(arrays[0], arrays[1], error), level, METHODS[name])
    return found, float(error[0])


def _variance_of_areas(new: RankedModel, old: RankedModel, cases: PairedCases) -> float:
    """Return DeLong's variance of the difference of two ROC areas; both classes have several cases.  O(n)."""
    if isinstance(new.placed, Placements) and isinstance(old.placed, Placements):
        moments = moments_of([new.placed, old.placed], [(0, 1)])
        return float(roc_variances.roc_covariance(moments, [[1, -1]])[0, 0])
    assert cases.weights is not None
    weights, _ = scaled_weights(cases.weights.values.astype(np.float64, copy=False))
    lost = [model.placed for model in (new, old) if isinstance(model.placed, np.ndarray)]
    frequencies = cases.weights.weighting.of_frequencies
    return float(weighted_roc_covariance(lost, cases.positive, weights, [[1, -1]], frequencies=frequencies)[0, 0])
