"""Differences of ROC areas and average precisions of models that ranked the same cases, whole or in many groups.

A few cases at the top decide an average precision.  Where they share a cluster, sums of influence values understate the
error, by a fifth with 10 clusters of 200 cases; the jackknife does not.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace as replaced
from typing import NamedTuple

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences, differences_of, within_classes
from evalcore.comparison.measure_names import RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference.area_influence import ClusteredInfluence
from evalcore.inference.curve_areas import why_no_variance
from evalcore.inference.group_comparisons import paired_area_variances, weighted_paired_area_variances
from evalcore.inference.intervals import PairedEstimates, compare_normal
from evalcore.inference.roc_area_bounds import PairedAreas, compare_areas
from evalcore.inference.roc_area_comparisons import check_comparable, pair_of_moments
from evalcore.inference.units import MOST_LEFT_OUT, Units
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import (
    GroupedWeights,
    GroupLayout,
    blocks_of_groups,
    grouped_weights,
    rows_of_groups,
    scaled_by_group,
)
from evalcore.kernels.placements import Placements, moments_of, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import are_whole, scaled_weights, sort_weights
from evalcore.measures import curves, roc_variances
from evalcore.measures.effective_cases import smaller_class_of_cases
from evalcore.measures.influence import (
    PrecisionInfluence,
    average_precision_influence,
    average_precisions_left_out,
    influence_at_scores,
    influence_of_lost_fractions,
    influence_of_placements,
    squared_difference,
    weighted_average_precision_influence,
)
from evalcore.report.statistics.intervals import without_warnings
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

AREA, PRECISION = RANKED
LINEARISED, JACKKNIFE = "linearised", "jackknife"


class RankedModel(NamedTuple):
    """What one model adds to the comparison of rankings of n cases, in g groups."""

    values: dict[str, FloatArray]
    """Its measures by name, (g,) each."""
    influence: dict[str, FloatArray]
    """The influence values of measures, (n,), as far as they are needed case by case."""
    placed: Placements | FloatArray | None = None
    """The placements of all cases, or what fraction they lose to of weighted ones; None of groups."""
    precision: PrecisionInfluence | None = None
    """What the average precision has of all cases without weights."""
    left_out: FloatArray | None = None
    """The average precision without each cluster, (u,), NaN where a group has many."""


@without_warnings()
def ranked_differences(
    cases: PairedCases,
    units: Units,
    measures: Sequence[ComparedMeasure],
    question: CompareQuestion,
    layout: GroupLayout | None = None,
) -> list[FoundDifferences]:
    """Compare each new model with the old one by those measures that are of ranks.

    layout: of the groups, in whose order differences come; None for all cases.  O(k n log n) for k models, each
    of which is sorted once.
    """
    asked = [measure for measure in measures if measure.measure in RANKED]
    if not asked:
        return [{} for _ in cases.new]
    names, clustered = {measure.measure for measure in asked}, units.clusters is not None
    if layout is None:
        check_comparable(cases.positive.size, "the label")
        models = [
            _ranked(scores, cases.positive, cases.amounts, names, names if clustered else ())
            for scores in cases.scores.values()
        ]
    else:
        models = [_ranked_groups(scores, cases, layout, names, clustered) for scores in cases.scores.values()]
    if PRECISION in names and clustered:
        models = [
            model._replace(left_out=_left_out_precisions(scores, cases, units, layout))
            for model, scores in zip(models, cases.scores.values(), strict=True)
        ]
    old, *others = models
    pairs = [(new, old) for new in others]
    areas = []
    if AREA in names and layout is not None and not clustered:
        areas = _grouped_areas(models, cases, layout)
    elif AREA in names:
        areas = [_areas(pair, cases, units) for pair in pairs]
    found: list[FoundDifferences] = [{} for _ in pairs]
    for index, (of_model, pair) in enumerate(zip(found, pairs, strict=True)):
        for measure in asked:
            if measure.measure == AREA:
                errors = np.sqrt(areas[index].variances[0])
                compared = compare_areas(areas[index], question.level, question.area_method, units.freedom)
                of_model[measure] = differences_of(measure, compared, errors, units.freedom)
            else:
                of_model[measure] = _precisions(measure, pair, cases, units, question.level)
    return found


def _ranked(
    scores: ScoreArray,
    correct: BoolArray,
    weights: AnyArray | None,
    names: Collection[str],
    by_case: Collection[str],
) -> RankedModel:
    """Measure a ranking; scores, correct, weights: (n,); by_case: measures whose influence on all is needed.

    O(n log n).
    """
    values: dict[str, FloatArray] = {}
    influence: dict[str, FloatArray] = {}
    if weights is not None:
        ranking, lost = WeightedRanking(scores, correct, weights), None
        if PRECISION in names:
            values[PRECISION] = curves.average_precisions(ranking.walk)
            influence[PRECISION] = weighted_average_precision_influence(ranking.ordering)
        if AREA in names:
            values[AREA], lost = curves.roc_areas(ranking.walk), ranking.losses()
            if AREA in by_case:
                influence[AREA] = influence_of_lost_fractions(lost, ranking.correct, ranking.weights)
        return RankedModel(values, influence, lost)
    found = indexed_order(scores, correct)
    precision = None
    if PRECISION in names:
        precision = average_precision_influence(found)
        values[PRECISION] = np.array([precision.average_precision])
    placed = placements(found)
    m, n = placed.correct.size, placed.incorrect.size
    if AREA in names:
        values[AREA] = np.array([roc_variances.roc_area_of_sum(m, n, int(placed.correct.sum(dtype=np.int64)))])
    if AREA in by_case and m and n:
        influence[AREA] = influence_of_placements(placed, correct)
    if PRECISION in by_case and precision is not None:
        influence[PRECISION] = precision.of_cases(placed, correct)
    return RankedModel(values, influence, placed, precision)


def _ranked_groups(
    scores: ScoreArray, cases: PairedCases, layout: GroupLayout, names: Collection[str], clustered: bool
) -> RankedModel:
    """Measure one model in each group; groups larger than a block are taken one by one.  O(n log largest group)."""
    values = {name: np.full(layout.groups.size, np.nan) for name in names}
    influence = {name: np.zeros(scores.size) for name in names if name == PRECISION or clustered}
    correct, weights = cases.positive, cases.amounts
    whole = weights is None or are_whole(weights)
    small, large = blocks_of_groups(layout.starts)

    def measure(block: slice) -> None:
        rows = rows_of_groups(layout, block)
        sizes, mask = np.diff(layout.starts[block.start : block.stop + 1]), correct[rows]
        own = np.ones(mask.size) if weights is None else weights[rows].astype(np.float64)
        if not whole:
            own, _ = scaled_by_group(own, np.arange(sizes.size).repeat(sizes), sizes.size)
        found = grouped_weights(scores[rows], mask, own, sizes)
        runs = found.runs.in_counts if whole else found.runs
        if AREA in values:
            values[AREA][block] = curves.roc_areas(runs)
        if AREA in influence:
            influence[AREA][rows] = _area_influence(found, mask, own, sizes)
        if PRECISION in values:
            values[PRECISION][block] = curves.average_precisions(runs)
            influence[PRECISION][rows] = _precision_influence(found, mask, own)

    map_parts(measure, small, scores.size)
    for group in large:
        block = slice(group, group + 1)
        rows = rows_of_groups(layout, block)
        model = _ranked(scores[rows], correct[rows], None if weights is None else weights[rows], names, influence)
        for name in names:
            values[name][block] = model.values[name]
        for name, each in influence.items():
            each[rows] = model.influence.get(name, np.nan)
    return RankedModel(values, influence)


def _precision_influence(found: GroupedWeights, correct: BoolArray, weights: FloatArray) -> FloatArray:
    """Return the influence values of the average precision of each group, (n,) as they came.  O(n)."""
    own, others = found.correct, found.incorrect
    tp, fp = own.above + own.at_scores.sums, others.above + others.at_scores.sums
    sides = influence_at_scores(own.at_scores.sums, tp, fp, found.group, found.first)
    sizes = np.diff(found.last, prepend=-1)
    values = np.empty(correct.size)
    values[found.order] = np.where(correct[found.order], *(side.repeat(sizes) for side in sides))
    return values * weights


def _area_influence(found: GroupedWeights, correct: BoolArray, weights: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the influence values of the ROC area of each group, (n,) as they came.  O(n)."""
    lost = roc_variances.grouped_losses_of_cases(found, correct)
    codes = 2 * np.arange(sizes.size).repeat(sizes) + correct
    totals = np.bincount(codes, weights, 2 * sizes.size)
    means = np.asarray(ratio(np.bincount(codes, weights * lost, totals.size), totals))
    return np.asarray(weights * (means[codes] - lost) / totals[codes])


def _left_out_precisions(
    scores: ScoreArray, cases: PairedCases, units: Units, layout: GroupLayout | None
) -> FloatArray:
    """Return the average precision of a group without each of its clusters, (u,); NaN where they are not few.

    O(n log n + p u) for p scores of positives.
    """
    clusters, groups = units.members
    known = cases.has_known_prevalence
    weights = np.ones(scores.size, np.int64) if cases.amounts is None else cases.amounts
    stops = units.sizes.astype(np.int64).cumsum()
    values = np.full(groups.size, np.nan)
    for group in np.flatnonzero(units.sizes <= MOST_LEFT_OUT).tolist():
        rows = slice(None) if layout is None else rows_of_groups(layout, slice(group, group + 1))
        start, stop = int(stops[group] - units.sizes[group]), int(stops[group])
        ranked = sort_weights(scores[rows], cases.positive[rows], weights[rows])
        values[start:stop] = average_precisions_left_out(ranked, clusters[rows] - start, known_prevalence=known)
    return values


def _grouped_areas(models: Sequence[RankedModel], cases: PairedCases, layout: GroupLayout) -> list[PairedAreas]:
    """Return the areas of each new model and the old one in each group of cases.  O(k n log largest group)."""
    columns, pairs = list(cases.scores.values()), [(index, 0) for index in range(1, len(models))]
    if cases.weights is None:
        found = paired_area_variances(cases.positive, columns, layout, pairs)
    else:
        frequencies = cases.weights.weighting.of_frequencies
        found = weighted_paired_area_variances(
            cases.positive, columns, cases.weights.values, layout, pairs, frequencies=frequencies
        )
    areas = [model.values[AREA] for model in models]
    return [found.areas(number, pair, areas) for number, pair in enumerate(pairs)]


def _areas(models: tuple[RankedModel, RankedModel], cases: PairedCases, units: Units) -> PairedAreas:
    """Return the areas of the new and the old model of all cases, or of clusters in groups.  O(n)."""
    areas = np.array([model.values[AREA] for model in models])
    if units.groups is None and why_no_variance(*cases.counts):
        return PairedAreas(areas, np.full((3, 1), np.nan), np.zeros(1))
    if units.clusters is not None:
        influence = [model.influence[AREA] for model in models]
        return ClusteredInfluence(influence, cases.positive, units).pairs(areas)
    placed = [model.placed for model in models if isinstance(model.placed, Placements)]
    if placed:
        return pair_of_moments(moments_of(placed, [(0, 1)]))
    assert cases.weights is not None
    weights, _ = scaled_weights(cases.weights.values.astype(np.float64, copy=False))
    lost = [model.placed for model in models if isinstance(model.placed, np.ndarray)]
    frequencies = cases.weights.weighting.of_frequencies
    variances = [
        roc_variances.weighted_roc_covariance(sides, cases.positive, weights, [contrast], frequencies=frequencies)[0]
        for sides, contrast in ((lost, [1, -1]), (lost[:1], [1]), (lost[1:], [1]))
    ]
    smaller = smaller_class_of_cases(cases.positive, weights, frequencies=frequencies)
    return PairedAreas(areas, np.array(variances), np.array([smaller]))


def _precisions(
    measure: ComparedMeasure,
    models: tuple[RankedModel, RankedModel],
    cases: PairedCases,
    units: Units,
    level: float,
) -> list[MeasureDifference]:
    """Compare the average precisions of the new and the old model in each group.  O(n)."""
    new, old = models
    estimates = PairedEstimates(new.values[PRECISION], old.values[PRECISION], np.sqrt(_variances(models, cases, units)))
    if new.left_out is None or old.left_out is None:
        compared = compare_normal(estimates, level, LINEARISED, freedom=units.freedom)
        return differences_of(measure, compared, estimates.errors, units.freedom)
    few = units.sizes <= MOST_LEFT_OUT
    errors = np.where(few, np.sqrt(units.left_out(new.left_out - old.left_out)), estimates.errors)
    compared = compare_normal(estimates._replace(errors=errors), level, LINEARISED, freedom=units.freedom)
    by_jackknife = zip(compared, few.tolist(), strict=True)
    compared = [replaced(each, method=JACKKNIFE) if of_few else each for each, of_few in by_jackknife]
    return differences_of(measure, compared, errors, units.freedom)


def _variances(models: tuple[RankedModel, RankedModel], cases: PairedCases, units: Units) -> FloatArray:
    """Return the variances of differences of average precisions, (g,); NaN of all cases without positives.  O(n)."""
    new, old = models
    if units.groups is None and np.isnan(new.values[PRECISION] - old.values[PRECISION]).any():
        return np.array([np.nan])
    if PRECISION in new.influence:
        return units.spread(within_classes(new.influence[PRECISION] - old.influence[PRECISION], cases, units))
    assert new.precision is not None
    assert old.precision is not None
    assert isinstance(new.placed, Placements)
    assert isinstance(old.placed, Placements)
    return squared_difference((new.precision, old.precision), (new.placed, old.placed)) * units.factors
