"""Differences of ROC areas and average precisions in many groups of cases at once."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.comparison.differences.case_differences import FoundDifferences, differences_of, within_classes
from evalcore.comparison.differences.left_out_clusters import LINEARISED, compare_left_out, left_out_precisions
from evalcore.comparison.differences.ranked_differences import (
    AREA,
    PRECISION,
    differences_of_areas,
    ranked_model,
    weights_or_ones,
)
from evalcore.comparison.measure_names import RANKED, ComparedMeasure
from evalcore.comparison.model import MeasureDifference
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.inference.areas.area_influence import ClusteredInfluence
from evalcore.inference.areas.group_comparisons import paired_area_variances, weighted_paired_area_variances
from evalcore.inference.areas.roc_area_bounds import DEFAULT_DIFFERENCE_METHOD, PairedAreas
from evalcore.inference.intervals import PairedEstimates, compare_normal
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import (
    GroupedWeights,
    GroupLayout,
    blocks_of_groups,
    grouped_weights,
    rows_of_groups,
    scaled_by_group,
)
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import are_whole
from evalcore.measures import curves
from evalcore.measures.influence import influence_at_scores
from evalcore.measures.roc_variances import grouped_losses_of_cases
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray


class RankedGroups(NamedTuple):
    """Measures of one model in g groups, by name, and their influence values."""

    values: dict[str, FloatArray]
    """Shape (g,) each."""
    influence: dict[str, FloatArray]
    """Shape (n,) each, in the order of the rows."""
    left_out: FloatArray | None = None
    """The average precision without each cluster, (u,), NaN where a group has many."""


def ranked_group_differences(
    cases: PairedCases,
    layout: GroupLayout,
    units: SamplingUnits,
    measures: Sequence[ComparedMeasure],
    *,
    level: float,
    area_method: str = DEFAULT_DIFFERENCE_METHOD,
) -> list[FoundDifferences]:
    """Compare each new model with the old one in each group, in the order of the layout, by measures of ranks.

    area_method: one of `DIFFERENCE_METHODS`, for areas.  O(k n log largest group) for k models.
    """
    asked = [measure for measure in measures if measure.measure in RANKED]
    if not asked:
        return [{} for _ in cases.new]
    names, clustered = {measure.measure for measure in asked}, units.clusters is not None
    models = [_ranked(scores, cases, layout, names, clustered) for scores in cases.scores.values()]
    if PRECISION in names and clustered:
        models = [
            model._replace(left_out=left_out_precisions(scores, cases, units, layout))
            for model, scores in zip(models, cases.scores.values(), strict=True)
        ]
    old, *others = models
    of_areas = _pairs_of_areas(models, cases, layout, units) if AREA in names else []
    found: list[FoundDifferences] = []
    for index, new in enumerate(others):
        of_model: FoundDifferences = {}
        for measure in asked:
            if measure.measure == AREA:
                of_model[measure] = differences_of_areas(measure, of_areas[index], units.freedom, level, area_method)
            else:
                of_model[measure] = _precisions(measure, (new, old), cases, units, level)
        found.append(of_model)
    return found


def _precisions(
    measure: ComparedMeasure,
    models: tuple[RankedGroups, RankedGroups],
    cases: PairedCases,
    units: SamplingUnits,
    level: float,
) -> list[MeasureDifference]:
    """Compare the average precisions of the new and the old model in each group.  O(n)."""
    new, old = models
    variances = units.variances(within_classes(new.influence[PRECISION] - old.influence[PRECISION], cases, units))
    estimates = PairedEstimates(new.values[PRECISION], old.values[PRECISION], np.sqrt(variances))
    if new.left_out is not None and old.left_out is not None:
        compared, errors = compare_left_out(estimates, new.left_out - old.left_out, units, level)
    else:
        compared, errors = compare_normal(estimates, level, LINEARISED, freedom=units.freedom), estimates.errors
    return differences_of(measure, compared, errors, units.freedom)


def _pairs_of_areas(
    models: Sequence[RankedGroups], cases: PairedCases, layout: GroupLayout, units: SamplingUnits
) -> list[PairedAreas]:
    """Return the areas of each new model and the old one, and what a comparison needs.  O(k n log largest group)."""
    old, *others = models
    areas = [model.values[AREA] for model in models]
    if units.clusters is not None:
        weights = weights_or_ones(cases)
        return [
            ClusteredInfluence([new.influence[AREA], old.influence[AREA]], cases.positive, weights, units).pairs(
                np.array([new.values[AREA], old.values[AREA]])
            )
            for new in others
        ]
    columns, pairs = list(cases.scores.values()), [(index, 0) for index in range(1, len(models))]
    if cases.weights is None:
        found = paired_area_variances(cases.positive, columns, layout, pairs)
    else:
        frequencies = cases.weights.weighting.of_frequencies
        found = weighted_paired_area_variances(
            cases.positive, columns, cases.weights.values, layout, pairs, frequencies=frequencies
        )
    return [found.areas(number, pair, areas) for number, pair in enumerate(pairs)]


def _ranked(
    scores: ScoreArray, cases: PairedCases, layout: GroupLayout, names: Collection[str], clustered: bool
) -> RankedGroups:
    """Measure one model in each group; groups larger than a block are taken one by one.  O(n log largest group)."""
    values = {name: np.full(layout.groups.size, np.nan) for name in names}
    influence = {name: np.zeros(scores.size) for name in names if name == PRECISION or clustered}
    correct, weights = cases.positive, None if cases.weights is None else cases.weights.values
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
        rows = rows_of_groups(layout, slice(group, group + 1))
        own = None if weights is None else weights[rows]
        model = ranked_model(scores[rows], correct[rows], own, names, influence)
        for name in names:
            values[name][group] = model.values[name]
        for name, each in influence.items():
            each[rows] = model.influence.get(name, np.nan)
    return RankedGroups(values, influence)


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
    lost, codes = grouped_losses_of_cases(found, correct), 2 * np.arange(sizes.size).repeat(sizes) + correct
    totals = np.bincount(codes, weights, 2 * sizes.size)
    means = np.asarray(ratio(np.bincount(codes, weights * lost, totals.size), totals))
    return np.asarray(weights * (means[codes] - lost) / totals[codes])
