"""Cases of g groups, and how one model ranks them: what the estimates of rankings are made of.

Groups up to a block of cases are ranked together, larger ones, and all cases as a single group, one by one.
"""

from collections.abc import Collection
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.inference.units import MOST_LEFT_OUT, Units
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import GroupLayout, blocks_of_groups, grouped_weights, rows_of_groups, scaled_by_group
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.placements import placements, placements_in_groups
from evalcore.kernels.runs import Runs
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, are_whole, class_weight_sums, scaled_weights, sort_weights, weight_sums
from evalcore.measures import curves, influence, roc_variances
from evalcore.measures.influence import PrecisionInfluence, PrecisionSpread, kish_number
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

AREA, PRECISION = "roc_auc", "average_precision"
OF_ONE_GROUP = slice(None), np.newaxis
"""Makes sums over two classes, (2,), those of a single group, (2, 1)."""
Placed: TypeAlias = Any
"""The `Placements` of ranked cases or, of weighted ones, the fractions that they lose to, (n,)."""


class RankedSample(NamedTuple):
    """What all rankings have in common."""

    correct: BoolArray
    """Shape (n,)."""
    units: Units
    layout: GroupLayout | None = None
    """Of groups; None for a single one."""
    known_prevalence: bool = False
    drawn: WeightSums | None = None
    """Over the units that hold positives, and those that hold negatives, in each group, (2, g); of average precisions.
    """
    numbers: FloatArray | None = None
    """Effective positives and negatives in each group, (2, g); of average precisions."""
    memory: KeyArray | None = None
    """For the keys of one ranking after the other, (n,): new memory costs the system half as much as the sort."""

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
            return found.at(OF_ONE_GROUP)
        codes = 2 * units.groups
        codes += ~self.correct
        if units.weights is not None and not frequencies:
            own, _ = scaled_by_group(units.weights.astype(np.float64), units.groups, units.sizes.size)
            units = units._replace(weights=own)
        sums = units.sums(codes, 2 * units.sizes.size)
        return WeightSums(*(column.reshape(-1, 2).T for column in sums))

    def held(self) -> FloatArray:
        """Add up the weights of the positives and of the negatives of each cluster, (2, u), scaled by group.  O(n)."""
        clusters, groups = self.units.members
        weights, _ = scaled_by_group(self.units.amounts.astype(np.float64), groups[clusters], self.units.sizes.size)
        sums = np.bincount(2 * clusters + ~self.correct, weights, 2 * groups.size).astype(np.float64, copy=False)
        return sums.reshape(-1, 2).T

    def drawn_classes(self) -> WeightSums:
        """Return `classes` or, of clusters, the sums over what these hold of each class, (2, g) each.  O(n)."""
        if self.units.clusters is None:
            return self.classes()
        (_, groups), number = self.units.members, self.units.sizes.size
        each = [weight_sums(groups, side, number) for side in self.held()]
        return WeightSums(*map(np.array, zip(*each, strict=True)))


class SingleRanking(NamedTuple):
    """One ranking of all cases, or of those of a large group."""

    values: dict[str, float]
    """Its measures by name."""
    placed: Placed
    precision: PrecisionInfluence | FloatArray | None
    """The influence values of the average precision, if that is asked for."""
    runs: Runs | None
    """What the average precision is computed from."""

    def influence(self, name: str, correct: BoolArray, weights: AnyArray | None) -> FloatArray:
        """Return the influence values of a measure, (n,), NaN where it is not defined.  O(n)."""
        if np.isnan(self.values[name]):
            return np.full(correct.size, np.nan)
        if name == AREA:
            if weights is None:
                return influence.influence_of_placements(self.placed)
            own, _ = scaled_weights(weights.astype(np.float64))
            return influence.influence_of_lost_fractions(self.placed, correct, own)
        return self.changes(slice(0, correct.size))

    def changes(self, part: slice) -> FloatArray:
        """Return the influence values of the average precision of some cases, (k,).  O(k)."""
        if isinstance(self.precision, PrecisionInfluence):
            return self.precision.of_cases(self.placed, part)
        assert self.precision is not None
        return self.precision[part]


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
    unseen: PrecisionSpread
    """What cases that no sample drew add to the variance of the average precision, (g,) each."""


def rank_sample(scores: ScoreArray, cases: RankedSample, names: Collection[str]) -> Ranking:
    """Rank the cases of each group, those of groups larger than a block one by one.  O(n log largest group)."""
    correct, (small, large), clustered = cases.correct, cases.parts, cases.units.clusters is not None
    of_areas = np.int32 if cases.units.weights is None and not clustered else np.float64
    held = names if clustered or small else ()
    rows_of = {name: np.empty(scores.size, of_areas if name == AREA else np.float64) for name in held}
    none = np.full((2 + len(names), cases.units.sizes.size), np.nan)
    found = Ranking(dict(zip(names, none[2:], strict=True)), rows_of, {}, None, PrecisionSpread(*none[:2]))
    map_parts(lambda block: _rank_together(scores, cases, found, block), small, scores.size)
    for group in large:
        rows = cases.rows(slice(group, group + 1))
        mask, weights = correct[rows], cases.weights_of(rows)
        own = _ranked_alone(scores[rows], mask, weights, names, cases)
        for name, value in own.values.items():
            found.values[name][group] = value
            if clustered:
                found.rows[name][rows] = own.influence(name, mask, weights)
        if own.runs is not None:
            _place_unseen(cases, found, own.runs, slice(group, group + 1), rows)
        if not clustered:
            found.alone[group] = own._replace(runs=None)
    return found._replace(left_out=_left_out(scores, cases)) if PRECISION in names and clustered else found


def _place_unseen(cases: RankedSample, ranking: Ranking, runs: Runs, groups: slice, rows: slice | IntArray) -> None:
    """Store what unseen cases of some groups add; of clusters the influence values of rows are there already.  O(rows).

    Of clusters as many cases count as leave the average precision as uncertain, but no fewer than there are clusters,
    and these alone where it has no variance.
    """
    if cases.drawn is None or cases.numbers is None:
        return
    drawn, numbers, units = cases.drawn.at((slice(None), groups)), cases.numbers[:, groups], cases.units
    if units.clusters is not None:
        (clusters, of), changes = units.members, ranking.rows[PRECISION][rows]
        own = clusters[rows]
        first, group = own.min(initial=of.size), of[own] - groups.start
        sums = np.bincount(own - first, changes)
        alone = np.bincount(group, units.squares(changes, rows), drawn.sums.shape[1])
        together = np.bincount(of[first : first + sums.size] - groups.start, np.square(sums), alone.size)
        effect = np.where(together > 0, np.minimum(ratio(alone, together), 1.0), 0.0)
        numbers = np.fmax(kish_number(drawn), numbers * effect)
    for column, found in zip(ranking.unseen, influence.precision_spread(runs, drawn, numbers=numbers), strict=True):
        column[groups] = found


def _rank_together(scores: ScoreArray, cases: RankedSample, ranking: Ranking, block: slice) -> None:
    """Rank the cases of some groups, of a block at most, and store the results.  O(cases log cases)."""
    units, rows, kept, sizes = cases.units, cases.rows(block), cases.kept(block), cases.sizes(block)
    mask, weights = cases.correct[rows], cases.weights_of(rows)
    counted = AREA in ranking.values and weights is None and units.clusters is None
    if counted:
        placed = ranking.rows[AREA][kept] = placements_in_groups(scores[rows], mask, sizes)
        first = sizes.cumsum() - sizes
        positives, sums = (np.add.reduceat(column, first, dtype=np.int64) for column in (mask, placed * mask))
        pairs = positives * (sizes - positives)  # of a block at most
        ranking.values[AREA][block] = curves.fractions_of_pairs(pairs - sums, 2 * pairs)
        if PRECISION not in ranking.values:
            return
    groups = np.arange(sizes.size).repeat(sizes)
    codes, own = 2 * groups + mask, np.ones(mask.size) if weights is None else weights.astype(np.float64)
    if not (whole := weights is None or are_whole(weights)):
        own, _ = scaled_by_group(own, groups, sizes.size)
    found = grouped_weights(scores[rows], mask, own, sizes)
    runs = found.runs.in_counts if whole else found.runs
    if AREA in ranking.values and not counted:
        ranking.values[AREA][block] = curves.roc_aucs(runs)
        lost = found.of_cases(*roc_variances.grouped_lost_fractions(found))
        if units.clusters is not None:
            above = -influence.less_class_means(own * lost, codes, own)
            lost = np.asarray(ratio(above, np.bincount(codes, own)[codes]))
        ranking.rows[AREA][kept] = lost
    if PRECISION in ranking.values:
        ranking.values[PRECISION][block] = curves.average_precisions(runs)
        changes = influence.average_precision_influence_in_groups(found, own)
        if cases.known_prevalence:
            changes = influence.less_class_means(changes, codes, own)
        ranking.rows[PRECISION][kept] = changes
        _place_unseen(cases, ranking, runs, block, rows)


def _ranked_alone(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray | None, names: Collection[str], sample: RankedSample
) -> SingleRanking:
    """Rank some cases of a sample, (n,) each.  O(n log n)."""
    values: dict[str, float] = {}
    runs: Runs | None = None
    if weights is not None:
        ranking, values_of_cases = WeightedRanking(scores, correct, weights), None
        if PRECISION in names:
            runs = ranking.runs
            values[PRECISION] = float(curves.average_precisions(ranking.walk)[0])
            values_of_cases = influence.average_precision_influence_of_weights(ranking.walk)
            if sample.known_prevalence:
                values_of_cases = influence.less_class_means(values_of_cases, correct.view(np.int8), ranking.weights)
        if AREA not in names:
            return SingleRanking(values, np.empty(0), values_of_cases, runs)
        values[AREA] = float(curves.roc_aucs(ranking.walk)[0])
        return SingleRanking(values, ranking.losses(), values_of_cases, runs)
    memory = None if sample.memory is None else sample.memory[: scores.size]
    found, precision = indexed_order(scores, correct, memory), None
    if PRECISION in names:
        precision = influence.average_precision_influence(found)
        values[PRECISION], runs = precision.average_precision, precision.runs
    if AREA in names:
        pairs = pair_counts(found.keys)
        values[AREA] = curves.roc_auc(pairs, pairs.correct, scores.size - pairs.correct)
    return SingleRanking(values, placements(found), precision, runs)


def _left_out(scores: ScoreArray, cases: RankedSample) -> FloatArray:
    """Return the average precision of a group without each of its clusters, (u,); NaN where they are not few.

    O(n log n + p u) for p scores of positives.
    """
    (clusters, groups), sizes = cases.units.members, cases.units.sizes
    stops, values = sizes.astype(np.int64).cumsum(), np.full(groups.size, np.nan)
    for group in np.flatnonzero(sizes <= MOST_LEFT_OUT).tolist():
        rows = cases.rows(slice(group, group + 1))
        start, stop = int(stops[group] - sizes[group]), int(stops[group])
        given = sort_weights(scores[rows], cases.correct[rows], cases.units.amounts[rows]), clusters[rows] - start
        values[start:stop] = influence.average_precisions_left_out(*given, known_prevalence=cases.known_prevalence)
    return values
