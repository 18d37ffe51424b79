"""Rankings of the same cases in many groups at once: their measures, and what their variances need of each case.

Groups up to a block of cases are ranked together, larger ones, and all cases as a single group, one by one.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from evalcore.inference.units import MOST_LEFT_OUT, Units
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import GroupLayout, blocks_of_groups, grouped_weights, rows_of_groups, scaled_by_group
from evalcore.kernels.placements import Placements, placements, placements_in_groups
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, class_weight_sums, scaled_weights, sort_weights, weight_sums
from evalcore.measures import curves, roc_variances
from evalcore.measures.influence import (
    PrecisionInfluence,
    average_precision_influence,
    average_precision_influence_in_groups,
    average_precision_influence_of_weights,
    average_precisions_left_out,
    influence_of_lost_fractions,
    influence_of_placements,
    less_class_means,
)
from evalcore.measures.roc_variances import roc_area_of_sum
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

AREA, PRECISION = "roc_area", "average_precision"
_MOSTLY_LOST = 0.1
"""Below this area what is won is added up by itself."""


class RankedSample(NamedTuple):
    """What all rankings have in common."""

    correct: BoolArray
    """Shape (n,)."""
    units: Units
    layout: GroupLayout | None
    """Of groups; None for a single one."""
    known_prevalence: bool
    are_whole: bool = False
    """Whether weights of groups are whole numbers."""

    @property
    def parts(self) -> tuple[list[slice], list[int]]:
        """Groups that are ranked together, and those that are ranked one by one."""
        return ([], [0]) if self.layout is None else blocks_of_groups(self.layout.starts)

    def rows(self, groups: slice) -> slice | IntArray:
        """Return the rows of some neighbouring groups.  O(rows)."""
        return slice(None) if self.layout is None else rows_of_groups(self.layout, groups)

    def kept(self, groups: slice) -> slice | IntArray:
        """Return where values of the rows of some neighbouring groups are kept: side by side, if nothing else asks."""
        if self.layout is None or self.units.clusters is not None:
            return self.rows(groups)
        return slice(*self.layout.starts[[groups.start, groups.stop]].tolist())

    def sizes(self, groups: slice) -> IntArray:
        """Return the numbers of rows of some neighbouring groups.  O(groups)."""
        assert self.layout is not None
        return np.diff(self.layout.starts[groups.start : groups.stop + 1])

    def weights_of(self, rows: slice | IntArray) -> AnyArray | None:
        """Return the weights of some rows; None if they are equal.  O(rows)."""
        return None if self.units.weights is None else self.units.weights[rows]

    def classes(self) -> WeightSums:
        """Add up the weights of the correct and of the incorrect cases of each group, (2, g) each.  O(n)."""
        units, frequencies = self.units, self.units.are_frequencies
        if units.groups is None:
            if units.weights is None:
                correct = np.count_nonzero(self.correct)
                found = WeightSums(*[np.array([correct, self.correct.size - correct], np.float64)] * 3)
            else:
                found = class_weight_sums(self.correct, units.weights)
                found = found._replace(squares=found.sums, cases=found.sums) if frequencies else found
            return one_group(found)
        count, own = units.sizes.size, units.weights
        codes = 2 * units.groups
        codes += ~self.correct
        if own is None:
            own, frequencies = np.ones(codes.size, np.int8), True
        elif not frequencies:
            own, _ = scaled_by_group(own.astype(np.float64), units.groups, count)
        sums = weight_sums(codes, own, 2 * count, frequencies=frequencies)
        return WeightSums(*(column.reshape(-1, 2).T for column in sums))


def one_group(classes: WeightSums) -> WeightSums:
    """Return the sums over two classes, (2,) each, as those of a single group, (2, 1).  O(1)."""
    return WeightSums(*(column[:, np.newaxis] for column in classes))


class SingleRanking(NamedTuple):
    """One ranking of all cases, or of those of a large group."""

    values: dict[str, float]
    """Its measures by name."""
    placed: Placements | FloatArray
    """The placements, or of weighted cases the fractions that they lose to."""
    precision: PrecisionInfluence | FloatArray | None
    """The influence values of the average precision, if that is asked for."""

    def influence(self, name: str, correct: BoolArray, weights: AnyArray | None) -> FloatArray:
        """Return the influence values of a measure, (n,), NaN where it is not defined.  O(n)."""
        if np.isnan(self.values[name]):
            return np.full(correct.size, np.nan)
        if name == AREA:
            if isinstance(self.placed, Placements):
                return influence_of_placements(self.placed, correct)
            assert weights is not None
            return influence_of_lost_fractions(self.placed, correct, scaled_weights(weights.astype(np.float64))[0])
        if isinstance(self.precision, PrecisionInfluence):
            assert isinstance(self.placed, Placements)
            return self.precision.of_cases(self.placed, correct)
        assert self.precision is not None
        return self.precision


class Ranking(NamedTuple):
    """One ranking in each of g groups."""

    values: dict[str, FloatArray]
    """Its measures by name, (g,) each."""
    rows: dict[str, AnyArray]
    """By measure, (n,) each: the influence values or, for areas without clusters, placements or fractions lost to."""
    alone: dict[int, SingleRanking]
    """By their index, groups whose cases have no clusters and do not fit a block."""
    left_out: FloatArray | None
    """The average precision without each cluster, (u,), NaN where a group has many; None without clusters."""


def rank_sample(scores: ScoreArray, cases: RankedSample, names: Collection[str]) -> Ranking:
    """Rank the cases of each group, those of groups larger than a block one by one.  O(n log largest group)."""
    correct, (small, large), clustered = cases.correct, cases.parts, cases.units.clusters is not None
    found = Ranking({name: np.full(cases.units.sizes.size, np.nan) for name in names}, {}, {}, None)
    if clustered or small:
        counted = cases.units.weights is None and not clustered
        found.rows.update(
            {name: np.empty(scores.size, np.int32 if counted and name == AREA else float) for name in names}
        )
    map_parts(lambda block: _rank_together(scores, cases, found, block), small, scores.size)
    for group in large:
        rows = cases.rows(slice(group, group + 1))
        mask, weights = correct[rows], cases.weights_of(rows)
        own = _ranked_alone(scores[rows], mask, weights, names, known_prevalence=cases.known_prevalence)
        for name, value in own.values.items():
            found.values[name][group] = value
            if clustered:
                found.rows[name][rows] = own.influence(name, mask, weights)
        if not clustered:
            found.alone[group] = own
    if PRECISION in names and clustered:
        return found._replace(left_out=_left_out(scores, cases))
    return found


def _rank_together(scores: ScoreArray, cases: RankedSample, ranking: Ranking, block: slice) -> None:
    """Rank the cases of some groups, of a block at most, and store the results.  O(cases log cases)."""
    units, rows, kept, sizes = cases.units, cases.rows(block), cases.kept(block), cases.sizes(block)
    mask, weights = cases.correct[rows], cases.weights_of(rows)
    counted = AREA in ranking.values and weights is None and units.clusters is None
    if counted:
        placed = ranking.rows[AREA][kept] = placements_in_groups(scores[rows], mask, sizes)
        columns, first = (mask, ~mask, placed * mask), sizes.cumsum() - sizes
        sums = (np.add.reduceat(column, first, dtype=np.int64) for column in columns)
        ranking.values[AREA][block] = roc_variances.roc_areas_of_sums(*sums)
        if PRECISION not in ranking.values:
            return
    groups = np.arange(sizes.size).repeat(sizes)
    codes, own = 2 * groups + mask, np.ones(mask.size) if weights is None else weights.astype(np.float64)
    if weights is not None and not cases.are_whole:
        own, _ = scaled_by_group(own, groups, sizes.size)
    found = grouped_weights(scores[rows], mask, own, sizes)
    runs = found.runs.in_counts if weights is None or cases.are_whole else found.runs
    if AREA in ranking.values and not counted:
        ranking.values[AREA][block] = curves.roc_areas(runs)
        lost = found.of_cases(*roc_variances.grouped_lost_fractions(found))
        if units.clusters is not None:
            lost = np.asarray(ratio(-less_class_means(own * lost, codes, own), np.bincount(codes, own)[codes]))
        ranking.rows[AREA][kept] = lost
    if PRECISION in ranking.values:
        ranking.values[PRECISION][block] = curves.average_precisions(runs)
        influence = average_precision_influence_in_groups(found, own)
        ranking.rows[PRECISION][kept] = less_class_means(influence, codes, own) if cases.known_prevalence else influence


def _ranked_alone(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray | None, names: Collection[str], *, known_prevalence: bool
) -> SingleRanking:
    """Rank cases, (n,) each.  O(n log n)."""
    values: dict[str, float] = {}
    if weights is not None:
        ranking, influence = WeightedRanking(scores, correct, weights), None
        if PRECISION in names:
            values[PRECISION] = float(curves.average_precisions(ranking.walk)[0])
            influence = average_precision_influence_of_weights(ranking.walk)
            if known_prevalence:
                influence = less_class_means(influence, correct.view(np.int8), ranking.weights)
        if AREA not in names:
            return SingleRanking(values, np.empty(0), influence)
        losses = ranking.losses()
        values[AREA] = roc_variances.area_of_losses(losses[correct], ranking.weights[correct])
        if ranking.whole or values[AREA] < _MOSTLY_LOST:  # exactly, or with as many digits
            values[AREA] = float(curves.roc_areas(ranking.walk)[0])
        return SingleRanking(values, losses, influence)
    found, precision = indexed_order(scores, correct), None
    if PRECISION in names:
        precision = average_precision_influence(found)
        values[PRECISION] = precision.average_precision
    placed = placements(found)
    if AREA in names:
        values[AREA] = roc_area_of_sum(placed.correct.size, placed.incorrect.size, int(placed.correct.sum(dtype=int)))
    return SingleRanking(values, placed, precision)


def _left_out(scores: ScoreArray, cases: RankedSample) -> FloatArray:
    """Return the average precision of a group without each of its clusters, (u,); NaN where they are not few.

    O(n log n + p u) for p scores of positives.
    """
    (clusters, groups), sizes = cases.units.members, cases.units.sizes
    stops, values = sizes.astype(np.int64).cumsum(), np.full(groups.size, np.nan)
    for group in np.flatnonzero(sizes <= MOST_LEFT_OUT).tolist():
        rows = cases.rows(slice(group, group + 1))
        start, stop = int(stops[group] - sizes[group]), int(stops[group])
        ranked = sort_weights(scores[rows], cases.correct[rows], cases.units.amounts[rows])
        values[start:stop] = average_precisions_left_out(
            ranked, clusters[rows] - start, known_prevalence=cases.known_prevalence
        )
    return values
