"""Differences of ROC areas and average precisions of models that ranked the same cases."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences, differences_of, within_classes
from evalcore.comparison.differences.left_out_clusters import LINEARISED, compare_left_out, left_out_precisions
from evalcore.comparison.measure_names import RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.areas.area_influence import ClusteredInfluence
from evalcore.inference.areas.curve_areas import why_no_variance
from evalcore.inference.areas.roc_area_bounds import DEFAULT_DIFFERENCE_METHOD, PairedAreas, compare_areas
from evalcore.inference.areas.roc_area_comparisons import check_comparable, pair_of_moments
from evalcore.inference.intervals import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.placements import Placements, moments_of, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.weights import scaled_weights
from evalcore.measures import curves, roc_variances
from evalcore.measures.effective_cases import smaller_class_of_cases
from evalcore.measures.influence import (
    PrecisionInfluence,
    average_precision_influence,
    influence_of_lost_fractions,
    influence_of_placements,
    squared_difference,
    weighted_average_precision_influence,
)
from evalcore.measures.roc_variances import weighted_roc_covariance
from evalcore.report.statistics.intervals import without_warnings
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray

AREA, PRECISION = RANKED


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
    cases: PairedCases,
    units: SamplingUnits,
    measures: Sequence[ComparedMeasure],
    level: float,
    area_method: str = DEFAULT_DIFFERENCE_METHOD,
) -> list[FoundDifferences]:
    """Compare each new model with the old one by those measures that are of ranks.

    area_method: one of `DIFFERENCE_METHODS`, for areas.  O(k n log n) for k models, each of which is sorted once.
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
    found: list[FoundDifferences] = []
    for new in others:
        of_model: FoundDifferences = {}
        for measure in asked:
            if measure.measure == AREA:
                areas = _areas((new, old), cases, units)
                of_model[measure] = differences_of_areas(measure, areas, units.freedom, level, area_method)
            else:
                of_model[measure] = _precisions(measure, (new, old), cases, units, level)
        found.append(of_model)
    return found


def differences_of_areas(
    measure: ComparedMeasure, areas: PairedAreas, freedom: FloatArray, level: float, method: str
) -> list[MeasureDifference]:
    """Compare the areas of a new model and the old one in g groups; freedom: of the variances, (g,).  O(g)."""
    errors = np.sqrt(areas.variances[0])
    return differences_of(measure, compare_areas(areas, level, method, freedom), errors, freedom)


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
        values[PRECISION] = float(curves.average_precisions(ranking.runs)[0])
        influence[PRECISION] = weighted_average_precision_influence(ranking.ordering)
    if AREA in names:
        values[AREA] = float(curves.roc_areas(ranking.runs)[0])
        lost = ranking.losses()
        if clustered:
            influence[AREA] = influence_of_lost_fractions(lost, ranking.correct, ranking.weights)
    return RankedModel(values, influence, lost)


def _areas(models: tuple[RankedModel, RankedModel], cases: PairedCases, units: SamplingUnits) -> PairedAreas:
    """Return the areas of the new and the old model, and what a comparison needs of them.  O(n)."""
    areas = np.array([[model.values[AREA]] for model in models])
    frequencies = None if cases.weights is None else cases.weights.frequencies
    counted = cases.positive if frequencies is None else cases.positive * frequencies
    total, positives = cases.positive.size if frequencies is None else int(frequencies.sum()), int(counted.sum())
    if why_no_variance(positives, total - positives):
        return PairedAreas(areas, np.full((3, 1), np.nan), np.zeros(1))
    if units.clusters is not None:
        influence = [model.influence[AREA] for model in models]
        return ClusteredInfluence(influence, cases.positive, weights_or_ones(cases), units).pairs(areas)
    placed = [model.placed for model in models if isinstance(model.placed, Placements)]
    if placed:
        return pair_of_moments(moments_of(placed, [(0, 1)]))
    assert cases.weights is not None
    weights, _ = scaled_weights(cases.weights.values.astype(np.float64, copy=False))
    lost = [model.placed for model in models if isinstance(model.placed, np.ndarray)]
    of_frequencies = cases.weights.weighting.of_frequencies
    of_each = (
        weighted_roc_covariance(sides, cases.positive, weights, [contrast], frequencies=of_frequencies)[0]
        for sides, contrast in ((lost, [1, -1]), (lost[:1], [1]), (lost[1:], [1]))
    )
    smaller = smaller_class_of_cases(cases.positive, weights, frequencies=of_frequencies)
    return PairedAreas(areas, np.array(list(of_each)), np.array([smaller]))


def weights_or_ones(cases: PairedCases) -> AnyArray:
    """Return the weight of each case, (n,), 1 without weights.  O(n)."""
    return np.ones(cases.positive.size) if cases.weights is None else cases.weights.values


@without_warnings()
def _precisions(
    measure: ComparedMeasure,
    models: tuple[RankedModel, RankedModel],
    cases: PairedCases,
    units: SamplingUnits,
    level: float,
) -> list[MeasureDifference]:
    """Compare the average precisions of the new and the old model.  O(n)."""
    new, old = models
    arrays = [np.array([model.values[PRECISION]]) for model in models]
    errors = np.array([np.nan])
    if not np.isnan(arrays).any():
        errors = np.sqrt(_variance(models, cases, units))
    estimated, freedom = PairedEstimates(arrays[0], arrays[1], errors), units.freedom
    if new.left_out is not None and old.left_out is not None:
        compared, errors = compare_left_out(estimated, new.left_out - old.left_out, units, level)
        return differences_of(measure, compared, errors, freedom)
    return differences_of(measure, compare_normal(estimated, level, LINEARISED, freedom=freedom), errors, freedom)


def _variance(models: tuple[RankedModel, RankedModel], cases: PairedCases, units: SamplingUnits) -> FloatArray:
    """Return the variance of a difference of average precisions, (1,); NaN if it is not defined.  O(n)."""
    new, old = models
    if PRECISION in new.influence:
        return units.variances(within_classes(new.influence[PRECISION] - old.influence[PRECISION], cases, units))
    if new.precision is None or old.precision is None:
        return np.array([np.nan])
    assert isinstance(new.placed, Placements)
    assert isinstance(old.placed, Placements)
    return squared_difference((new.precision, old.precision), (new.placed, old.placed)) * units.factors
