"""Differences of ROC areas and average precisions of models that ranked the same cases."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences, differences_of, within_classes
from evalcore.comparison.differences.left_out_clusters import LINEARISED, compare_left_out, left_out_precisions
from evalcore.comparison.measure_names import RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_estimates import PairedEstimates, compare_normal
from evalcore.inference.paired_roc_areas import check_comparable, compare_areas_of_variance
from evalcore.inference.roc_areas import why_no_variance
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.indexed_ordering import indexed_order
from evalcore.kernels.placements import Placements, moments_of, placements
from evalcore.kernels.weight_sums import scaled_weights
from evalcore.measures import roc_variances
from evalcore.measures.influence import (
    PrecisionInfluence,
    average_precision_influence,
    influence_of_lost_fractions,
    influence_of_placements,
    squared_difference,
    weighted_average_precision_influence,
)
from evalcore.measures.weighted_roc_variances import weighted_roc_covariance
from evalcore.report.statistics.intervals import without_warnings
from evalcore.report.statistics.rankings import RankingByWeight
from evalcore.state.weighted_ranking import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray

AREA, PRECISION = RANKED
METHODS = {AREA: "delong", PRECISION: LINEARISED}
"""How intervals are computed: by DeLong's placements, or from influence values."""


class RankedModel(NamedTuple):
    """What one model adds to the comparison of rankings of n cases."""

    values: dict[str, float]
    """Its measures, by name."""
    influence: dict[str, FloatArray]
    """The influence values of measures, (n,), as far as they are needed case by case."""
    placed: Placements | FloatArray | None = None
    """The placements of the cases, or what fraction they lose to of weighted ones."""
    precision: PrecisionInfluence | None = None
    """What the average precision has of cases without weights."""
    left_out: FloatArray | None = None
    """The average precision without each cluster, (u,), NaN where they are many."""


def ranked_differences(
    cases: PairedCases, units: SamplingUnits, measures: Sequence[ComparedMeasure], level: float
) -> list[FoundDifferences]:
    """Compare each new model with the old one by those measures that are of ranks.

    O(k n log n) for k models, each of which is sorted once.
    """
    asked = [measure for measure in measures if measure.measure in RANKED]
    if not asked:
        return [{} for _ in cases.new]
    check_comparable(cases.positive.size, "the label")
    weights = None if cases.weights is None else cases.weights.values
    names = {measure.measure for measure in asked}
    by_case = names if units.clusters is not None else ()
    models = [ranked_model(scores, cases.positive, weights, names, by_case) for scores in cases.scores.values()]
    if PRECISION in by_case:
        models = [
            model._replace(left_out=left_out_precisions(scores, cases, units))
            for model, scores in zip(models, cases.scores.values(), strict=True)
        ]
    old, *others = models
    return [{measure: _difference(measure, (new, old), cases, units, level) for measure in asked} for new in others]


def ranked_model(
    scores: ScoreArray,
    correct: BoolArray,
    weights: AnyArray | None,
    names: Collection[str],
    by_case: Collection[str] = (),
) -> RankedModel:
    """Measure a ranking; scores, correct, weights: (n,); by_case: measures whose influence on all is needed.

    O(n log n).
    """
    if weights is not None:
        return _weighted_model(WeightedRanking(scores, correct, weights), names, AREA in by_case)
    found = indexed_order(scores, correct)
    values: dict[str, float] = {}
    influence: dict[str, FloatArray] = {}
    precision = None
    if PRECISION in names:
        precision = average_precision_influence(found)
        values[PRECISION] = precision.average_precision
    placed = placements(found)
    m, n = placed.correct.size, placed.incorrect.size
    if AREA in names:
        values[AREA] = roc_variances.roc_area_of_sum(m, n, int(placed.correct.sum(dtype=np.int64)))
    if AREA in by_case and m and n:
        influence[AREA] = influence_of_placements(placed, correct)
    if PRECISION in by_case and precision is not None:
        influence[PRECISION] = precision.of_cases(placed, correct)
    return RankedModel(values, influence, placed, precision)


def _weighted_model(ranking: WeightedRanking, names: Collection[str], clustered: bool) -> RankedModel:
    values: dict[str, float] = {}
    influence: dict[str, FloatArray] = {}
    lost: FloatArray | None = None
    if PRECISION in names:
        values[PRECISION] = RankingByWeight(ranking).average_precision()
        influence[PRECISION] = weighted_average_precision_influence(ranking.ordering)
    if AREA in names:
        values[AREA] = RankingByWeight(ranking).roc_area()
        lost = ranking.losses()
        if clustered:
            influence[AREA] = influence_of_lost_fractions(lost, ranking.correct, ranking.weights)
    return RankedModel(values, influence, lost)


@without_warnings()
def _difference(
    measure: ComparedMeasure,
    models: tuple[RankedModel, RankedModel],
    cases: PairedCases,
    units: SamplingUnits,
    level: float,
) -> list[MeasureDifference]:
    """Compare one measure of the new and the old model.  O(n)."""
    new, old = models
    name = measure.measure
    estimates = new.values[name], old.values[name]
    if name == AREA and units.clusters is None:
        found, error = _by_delong(estimates, models, cases, level)
        return differences_of(measure, [found], np.array([error]))
    errors = np.array([np.nan])
    if not np.isnan(estimates).any():
        errors = np.sqrt(_variance(name, models, cases, units))
    arrays = [np.array([value]) for value in estimates]
    estimated, freedom = PairedEstimates(arrays[0], arrays[1], errors), units.freedom
    if name == PRECISION and new.left_out is not None and old.left_out is not None:
        compared, errors = compare_left_out(estimated, new.left_out - old.left_out, units, level)
        return differences_of(measure, compared, errors, freedom)
    return differences_of(measure, compare_normal(estimated, level, METHODS[name], freedom=freedom), errors, freedom)


def _variance(
    name: str, models: tuple[RankedModel, RankedModel], cases: PairedCases, units: SamplingUnits
) -> FloatArray:
    """Return the variance of a difference from influence values, (1,); NaN if they are not defined.  O(n)."""
    new, old = models
    if name in new.influence:
        return units.variances(within_classes(new.influence[name] - old.influence[name], cases, units))
    if new.precision is None or old.precision is None:
        return np.array([np.nan])
    assert isinstance(new.placed, Placements)
    assert isinstance(old.placed, Placements)
    return squared_difference((new.precision, old.precision), (new.placed, old.placed)) * units.factors


def _by_delong(
    areas: tuple[float, float], models: tuple[RankedModel, RankedModel], cases: PairedCases, level: float
) -> tuple[Comparison, float]:
    """Compare two areas, as `compare_roc_auc`, and return the standard error of the difference too.  O(n)."""
    frequencies = None if cases.weights is None else cases.weights.frequencies
    counted = cases.positive if frequencies is None else cases.positive * frequencies
    total, positives = cases.positive.size if frequencies is None else int(frequencies.sum()), int(counted.sum())
    lack = why_no_variance(positives, total - positives)
    variance = np.nan if lack else _variance_of_areas(models, cases)
    return compare_areas_of_variance(areas, variance, level, lack), float(np.sqrt(variance))


def _variance_of_areas(models: tuple[RankedModel, RankedModel], cases: PairedCases) -> float:
    """Return DeLong's variance of the difference of two areas; both classes have several cases.  O(n)."""
    placed = [model.placed for model in models if isinstance(model.placed, Placements)]
    if placed:
        return float(roc_variances.roc_covariance(moments_of(placed, [(0, 1)]), [[1, -1]])[0, 0])
    assert cases.weights is not None
    weights, _ = scaled_weights(cases.weights.values.astype(np.float64, copy=False))
    lost = [model.placed for model in models if isinstance(model.placed, np.ndarray)]
    frequencies = cases.weights.weighting.of_frequencies
    return float(weighted_roc_covariance(lost, cases.positive, weights, [[1, -1]], frequencies=frequencies)[0, 0])
