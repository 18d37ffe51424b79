"""ROC AUCs and average precisions of k rankings of the same cases, in g groups: one estimate in every setting.

It answers how weighted sums of its values vary, such as each value by itself and the difference of two.  Groups up to a
block of cases are ranked together, larger ones, and all cases as a single group, one by one.

The variance of an area is that of the placements of positives and of negatives apart: DeLong's, whose exact sums of
whole numbers are rounded once, and of weighted placements alike.  Of clusters it is the jackknife's, from the sums of
placements over each cluster, of both classes, for these are correlated where clusters have both: but for pairs within a
cluster that is the area without it, and where each case is its own cluster, almost DeLong's variance.  That of an
average precision is the sum of squares of influence values.  A few cases at its top decide it: where they share a
cluster, such sums understate the error, by a fifth with 10 clusters of 200 cases, and few clusters are left out one by
one instead.  Sources: those of `evalcore.measures.roc_variances`; N. A. Obuchowski, Nonparametric analysis of clustered
ROC curve data, Biometrics 53 (1997) 567-578, for the sums over clusters.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.inference.units import MOST_LEFT_OUT, ONE_CLUSTER, Spread, Units, normal_spread, unbiasing
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.grouping import GroupLayout, blocks_of_groups, grouped_weights, rows_of_groups, scaled_by_group
from evalcore.kernels.placements import (
    GroupMoments,
    Placements,
    moments_of,
    placement_moments,
    placements,
    placements_in_groups,
)
from evalcore.kernels.sorting import indexed_order, order
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, are_whole, class_weight_sums, scaled_weights, sort_weights, weight_sums
from evalcore.measures import curves, influence, roc_variances
from evalcore.measures.influence import PrecisionInfluence, kish_number, smaller_class
from evalcore.measures.roc_variances import roc_auc_of_sum, sum_of_rows
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

AREA, PRECISION = "roc_auc", "average_precision"
_MOSTLY_LOST = 0.1
"""Below this area what is won is added up by itself."""
Contrasts: TypeAlias = npt.ArrayLike
"""Weighted sums of the values of k rankings: whole numbers, shape (r, k)."""
_ROUNDED = 2.0**-40
"""Of the variance of single cases: one of clusters that is less comes from rounding alone."""
_FEW_CONTRASTS = 3
"""Whose covariances cost less than a walk over the cases for each."""
Placed: TypeAlias = Any
"""The `Placements` of ranked cases or, of weighted ones, the fractions that they lose to, (n,)."""


class RankingEstimates(NamedTuple):
    """A measure of k rankings of the same cases, in g groups."""

    values: FloatArray
    """Shape (k, g); NaN where it is not defined."""
    spread: Callable[[Contrasts], Spread]
    """Takes contrasts, and returns how the sums vary, (r, g)."""
    smaller: Callable[[Sequence[int]], FloatArray]
    """Takes some rankings by their indices, and returns the effective cases of the class that has fewer, (g,)."""
    cases: FloatArray
    """Effective cases of both classes, shape (g,)."""
    lack: str = ""
    """Why a single group has no variances; empty if it has them."""
    covariance: Callable[[Contrasts], FloatArray] | None = None
    """Takes contrasts, and returns the covariances of the sums in a single group, (r, r)."""

    def pairs(self, chosen: Sequence[tuple[int, int]]) -> list[tuple[FloatArray, Spread, FloatArray]]:
        """Return what comparisons of pairs of rankings need.  O(k n + pairs n).

        That is both values, (2, g), how the difference and both vary, (3, g), and the `smaller` class.
        """
        models = np.eye(len(self.values), dtype=np.int64)
        contrasts = [*(models[first] - models[second] for first, second in chosen), *models]
        spread = self.spread(np.array(contrasts))
        of_models = [[index, *(len(chosen) + model for model in pair)] for index, pair in enumerate(chosen)]
        return [
            (self.values[[*pair]], spread.at(np.array(own)), self.smaller(pair))
            for pair, own in zip(chosen, of_models, strict=True)
        ]


class RankedSample(NamedTuple):
    """What all rankings have in common."""

    correct: BoolArray
    """Shape (n,)."""
    units: Units
    layout: GroupLayout | None = None
    """Of groups; None for a single one."""
    known_prevalence: bool = False
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
        codes = 2 * units.groups
        codes += ~self.correct
        if units.weights is not None and not frequencies:
            own, _ = scaled_by_group(units.weights.astype(np.float64), units.groups, units.sizes.size)
            units = units._replace(weights=own)
        sums = units.sums(codes, 2 * units.sizes.size)
        return WeightSums(*(column.reshape(-1, 2).T for column in sums))


def one_group(classes: WeightSums) -> WeightSums:
    """Return the sums over two classes, (2,) each, as those of a single group, (2, 1).  O(1)."""
    return WeightSums(*(column[:, np.newaxis] for column in classes))


class SingleRanking(NamedTuple):
    """One ranking of all cases, or of those of a large group."""

    values: dict[str, float]
    """Its measures by name."""
    placed: Placed
    precision: PrecisionInfluence | FloatArray | None
    """The influence values of the average precision, if that is asked for."""

    def influence(self, name: str, correct: BoolArray, weights: AnyArray | None) -> FloatArray:
        """Return the influence values of a measure, (n,), NaN where it is not defined.  O(n)."""
        if np.isnan(self.values[name]):
            return np.full(correct.size, np.nan)
        if name == AREA:
            if weights is None:
                return influence.influence_of_placements(self.placed, correct)
            own, _ = scaled_weights(weights.astype(np.float64))
            return influence.influence_of_lost_fractions(self.placed, correct, own)
        if isinstance(self.precision, PrecisionInfluence):
            return self.precision.of_cases(self.placed, correct)
        return self.changes(slice(None))

    def changes(self, part: slice) -> FloatArray:
        """Return influence values of the average precision, of counted cases the positives first.  O(part)."""
        if isinstance(self.precision, PrecisionInfluence):
            return self.precision.in_classes(self.placed, part)
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


def rank_sample(scores: ScoreArray, cases: RankedSample, names: Collection[str]) -> Ranking:
    """Rank the cases of each group, those of groups larger than a block one by one.  O(n log largest group)."""
    correct, (small, large), clustered = cases.correct, cases.parts, cases.units.clusters is not None
    of_areas = np.int32 if cases.units.weights is None and not clustered else np.float64
    held = names if clustered or small else ()
    rows_of = {name: np.empty(scores.size, of_areas if name == AREA else np.float64) for name in held}
    found = Ranking({name: np.full(cases.units.sizes.size, np.nan) for name in names}, rows_of, {}, None)
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
        ranking.values[AREA][block] = roc_variances.roc_aucs_of_sums(*sums)
        if PRECISION not in ranking.values:
            return
    groups = np.arange(sizes.size).repeat(sizes)
    codes, own = 2 * groups + mask, np.ones(mask.size) if weights is None else weights.astype(np.float64)
    if weights is not None and not cases.are_whole:
        own, _ = scaled_by_group(own, groups, sizes.size)
    found = grouped_weights(scores[rows], mask, own, sizes)
    runs = found.runs.in_counts if weights is None or cases.are_whole else found.runs
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


def _ranked_alone(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray | None, names: Collection[str], *, known_prevalence: bool
) -> SingleRanking:
    """Rank cases, (n,) each.  O(n log n)."""
    values: dict[str, float] = {}
    if weights is not None:
        ranking, values_of_cases = WeightedRanking(scores, correct, weights), None
        if PRECISION in names:
            values[PRECISION] = float(curves.average_precisions(ranking.walk)[0])
            values_of_cases = influence.average_precision_influence_of_weights(ranking.walk)
            if known_prevalence:
                classes = correct.view(np.int8)
                values_of_cases = influence.less_class_means(values_of_cases, classes, ranking.weights)
        if AREA not in names:
            return SingleRanking(values, np.empty(0), values_of_cases)
        losses = ranking.losses()
        values[AREA] = roc_variances.area_of_losses(losses[correct], ranking.weights[correct])
        if ranking.whole or values[AREA] < _MOSTLY_LOST:  # exactly, or with as many digits
            values[AREA] = float(curves.roc_aucs(ranking.walk)[0])
        return SingleRanking(values, losses, values_of_cases)
    found, precision = indexed_order(scores, correct), None
    if PRECISION in names:
        precision = influence.average_precision_influence(found)
        values[PRECISION] = precision.average_precision
    placed = placements(found)
    if AREA in names:
        values[AREA] = roc_auc_of_sum(placed.correct.size, placed.incorrect.size, int(placed.correct.sum(dtype=int)))
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
        given = ranked, clusters[rows] - start
        values[start:stop] = influence.average_precisions_left_out(*given, known_prevalence=cases.known_prevalence)
    return values


def rankings(
    correct: BoolArray,
    columns: Sequence[ScoreArray],
    units: Units,
    names: Collection[str],
    layout: GroupLayout | None = None,
    *,
    known_prevalence: bool = False,
) -> dict[str, RankingEstimates]:
    """Measure k rankings in g groups; names: `AREA`, `PRECISION` or both.

    correct, columns: (n,) each; units: of the same rows and groups; layout: of these; known_prevalence: whether weights
    make classes as frequent as they are known to be.  O(k n log n), in groups O(k n log largest group).
    """
    whole = layout is not None and units.weights is not None and are_whole(units.weights)
    cases = RankedSample(correct, units, layout, known_prevalence, whole)
    classes, models = cases.classes(), [rank_sample(scores, cases, names) for scores in columns]
    found = {}

    def spread_of_precisions(contrasts: Contrasts) -> Spread:  # O(r k n)
        each = [_spread_of_precision(models, cases, own) for own in np.asarray(contrasts, np.float64)]
        return Spread(*(np.stack(column) for column in zip(*each, strict=True)))

    for name in names:
        values = np.array([model.values[name] for model in models])
        if name == PRECISION:
            found[name] = _estimates(values, spread_of_precisions, classes)
        elif units.clusters is not None:
            found[name] = _of_clusters(values, [model.rows[AREA] for model in models], cases)
        elif layout is None:
            found[name] = areas_of_placed(values, [model.alone[0].placed for model in models], cases, classes)
        else:
            found[name] = _estimates(values, partial(_spread_of_areas, models, cases), classes)
    return found


def areas_of_placed(
    values: FloatArray, placed: Sequence[Placed], cases: RankedSample, classes: WeightSums | None = None
) -> RankingEstimates:
    """Return the areas of k rankings of all cases that are ranked already, each drawn by itself.  O(n).

    values: (k, 1); classes: of the cases, if they are added up.
    """
    spread = partial(_spread_of_placed, placed, cases)
    found = _estimates(values, spread, cases.classes() if classes is None else classes)
    return found._replace(covariance=partial(_covariance_of_placed, placed, cases))


def _estimates(values: FloatArray, spread: Callable[[Contrasts], Spread], classes: WeightSums) -> RankingEstimates:
    """Return estimates of cases that are drawn by themselves; classes: (2, g) each."""
    *own, both = kish_number(WeightSums(*(np.array([*column, column.sum(axis=0)]) for column in classes)))
    fewer = np.minimum(*own)
    lack = _lack(classes.cases, "one {} case alone has no variance") if fewer.size == 1 else ""
    return RankingEstimates(values, spread, lambda _: fewer, both, lack)


def _lack(classes: Iterable[float], of_one: str) -> str:
    """Say why an area has no variance; classes: units that have positives, and negatives; of_one: of one of a kind."""
    for kind, number in zip(("positive", "negative"), classes, strict=True):
        if number < 2:
            return of_one.format(kind) if number else f"there is no {kind} case"
    return ""


def _spread_of_areas(models: Sequence[Ranking], cases: RankedSample, contrasts: Contrasts) -> Spread:
    """Return how sums of areas of cases that are drawn by themselves vary, (r, g).  O(r k n)."""
    factors = np.asarray(contrasts)

    def of_block(block: slice) -> list[FloatArray]:
        rows, kept, sizes = cases.rows(block), cases.kept(block), cases.sizes(block)
        mask, first, weights = cases.correct[rows], sizes.cumsum() - sizes, cases.weights_of(rows)
        sums = sum_of_rows(factors, [model.rows[AREA][kept] for model in models])
        if weights is None:
            return [roc_variances.variances_of_placements(each, mask, first) for each in sums]
        own, _ = scaled_by_group(weights.astype(np.float64), np.arange(sizes.size).repeat(sizes), sizes.size)
        counted = cases.units.are_frequencies
        return [roc_variances.variances_of_losses(each, mask, own, first, frequencies=counted) for each in sums]

    def of_group(group: int, rows: slice | IntArray) -> FloatArray:
        return _variances_of_placed([model.alone[group].placed for model in models], cases, factors, rows)

    return normal_spread(_of_parts(cases, len(factors), of_block, of_group))


def _of_parts(
    cases: RankedSample,
    count: int,
    of_block: Callable[[slice], list[FloatArray]],
    of_group: Callable[[int, slice | IntArray], FloatArray | float],
) -> FloatArray:
    """Find so many values of each group, (count, g): of small ones block by block, of large ones from their rows."""
    found = np.full((count, cases.units.sizes.size), np.nan)
    small, large = cases.parts

    def fill(block: slice) -> None:
        found[:, block] = of_block(block)

    map_parts(fill, small, cases.correct.size)
    for group in large:
        found[:, group] = of_group(group, cases.rows(slice(group, group + 1)))
    return found


def _spread_of_placed(placed: Sequence[Placed], cases: RankedSample, contrasts: Contrasts) -> Spread:
    """Return how sums of the areas of all rows vary, (r, 1).  O(r n)."""
    return normal_spread(_variances_of_placed(placed, cases, contrasts)[:, np.newaxis])


def _variances_of_placed(
    placed: Sequence[Placed], cases: RankedSample, contrasts: Contrasts, rows: slice | IntArray = slice(None)
) -> FloatArray:
    """Return the variances of sums of the areas of some rows, (r,).  O(r n)."""
    factors = np.asarray(contrasts)
    if isinstance(placed[0], Placements):
        pairs = {pair for each in factors for pair in combinations(np.flatnonzero(each).tolist(), 2)}
        return roc_variances.variances_of_contrasts(moments_of(placed, sorted(pairs)), factors)
    if len(factors) <= _FEW_CONTRASTS:
        return np.diagonal(_covariance_of_placed(placed, cases, factors, rows))
    return np.array([_covariance_of_placed(placed, cases, [each], rows)[0, 0] for each in factors])


def _covariance_of_placed(
    placed: Sequence[Placed], cases: RankedSample, contrasts: Contrasts, rows: slice | IntArray = slice(None)
) -> FloatArray:
    """Return the covariances of sums of the areas of some rows, (r, r).  O(k n + k² n), of weighted cases O(r² n)."""
    if isinstance(placed[0], Placements):
        return roc_variances.roc_covariance(moments_of(placed), contrasts)
    factors, weights = np.asarray(contrasts, np.float64), cases.weights_of(rows)
    assert weights is not None
    own, _ = scaled_weights(weights.astype(np.float64, copy=False))
    used = np.flatnonzero(factors.any(axis=0))
    given = [placed[index] for index in used.tolist()], cases.correct[rows], own, factors[:, used]
    return roc_variances.weighted_roc_covariance(*given, frequencies=cases.units.are_frequencies)


def _spread_of_precision(models: Sequence[Ranking], cases: RankedSample, factors: FloatArray) -> Spread:
    """Return how a sum of average precisions varies in each group, (g,); factors: (k,).  O(k n)."""
    chosen = np.flatnonzero(factors).tolist()
    own, units, ranked = factors[chosen], cases.units, [models[index] for index in chosen]

    def sum_of(columns: Sequence[AnyArray | None], rows: slice | IntArray) -> FloatArray:
        return np.asarray(sum_of_rows(own[np.newaxis], [each[rows] for each in columns if each is not None])[0])

    columns = [model.rows.get(PRECISION) for model in ranked]
    if units.clusters is not None:
        few, whole = units.sizes <= MOST_LEFT_OUT, sum_of([model.values[PRECISION] for model in ranked], slice(None))
        left = units.left_out(whole[units.members[1]] - sum_of([model.left_out for model in ranked], slice(None)))
        if few.all():
            return left
        every = units.spread(sum_of(columns, slice(None)))
        return Spread(np.where(few, left.variances, every.variances), np.where(few, left.freedom, every.freedom))

    def of_block(block: slice) -> list[FloatArray]:
        squares, weights = np.square(sum_of(columns, cases.kept(block))), cases.weights_of(cases.rows(block))
        sizes = cases.sizes(block)
        if weights is not None and units.are_frequencies:
            squares /= weights
        return [np.add.reduceat(squares, sizes.cumsum() - sizes)]

    def of_group(group: int, rows: slice | IntArray) -> float:
        alone = [model.alone[group] for model in ranked]
        if np.isnan([each.values[PRECISION] for each in alone]).any():
            return np.nan
        frequencies = cases.weights_of(rows) if units.are_frequencies else None

        def add_up(block: slice) -> float:
            changes = sum_of_rows(own[np.newaxis], [each.changes(block) for each in alone])[0]
            other = changes if frequencies is None else changes / frequencies[block]
            return float(np.einsum("i,i->", changes, other))  # without the threads that BLAS would start for @

        return sum(map_blocks(add_up, cases.correct[rows].size))

    [squares] = _of_parts(cases, 1, of_block, of_group)
    return normal_spread(np.asarray(squares * units.factors))


def _of_clusters(areas: FloatArray, changes: Sequence[FloatArray], cases: RankedSample) -> RankingEstimates:
    """Return areas of clustered cases in g groups; areas: (k, g); changes: influence values, k of (n,).  O(k n)."""
    (clusters, groups), units, classes = cases.units.members, cases.units, cases.classes()
    codes, number = 2 * clusters + cases.correct, units.sizes.size

    def of_clusters(values: AnyArray | None) -> AnyArray:  # of the incorrect and of the correct cases, (2, u)
        return np.asarray(np.bincount(codes, values, 2 * groups.size).reshape(-1, 2).T)

    weights, _ = scaled_by_group(units.amounts.astype(np.float64), groups[clusters], number)
    held = of_clusters(weights)
    left = np.array([1 - ratio(side, np.bincount(groups, side, number)[groups]) for side in held])
    left[left == 0] = np.nan  # one cluster has the whole class
    without = [np.asarray(ratio(of_clusters(each), left)).sum(axis=0) for each in changes]

    def spread(contrasts: Contrasts) -> Spread:  # O(r k u)
        each = [units.left_out(own) for own in sum_of_rows(np.asarray(contrasts, np.float64), without)]
        return Spread(*(np.stack(column) for column in zip(*each, strict=True)))

    def covariance(contrasts: Contrasts) -> FloatArray:  # O(r k u + r² u)
        found = sum_of_rows(np.asarray(contrasts, np.float64), without)
        return np.asarray(np.einsum("ri,si->rs", found, found) / units.factors)

    def smaller(models: Sequence[int]) -> FloatArray:
        """Divide the cases of the smaller class by the design effect, the mean variance by DeLong's, at least 1.

        The number is at least that of effective clusters, and is this number where the variance is 0.  O(k n).
        """
        rows = groups[clusters]
        fewest = np.min([kish_number(weight_sums(groups, each, number)) for each in held], axis=0)
        of_rows = (np.square(changes[model]) for model in models)
        squares = sum(each / units.amounts if units.are_frequencies else each for each in of_rows)
        scatter = np.bincount(2 * rows + cases.correct, squares, 2 * number).reshape(-1, 2).T[::-1]
        alone = (unbiasing(classes.cases) * scatter).sum(axis=0)
        variances = spread(np.eye(len(areas))[list(models)]).variances.sum(axis=0)
        informative: FloatArray = np.fmax(fewest, smaller_class(classes) * np.minimum(ratio(alone, variances), 1.0))
        return np.where(variances > _ROUNDED * alone, informative, fewest)

    lack = "" if number > 1 else ONE_CLUSTER
    if number == 1 != units.number:
        lack = _lack(np.count_nonzero(held, axis=1)[::-1], "one cluster alone has {} cases")
    return _estimates(areas, spread, classes)._replace(smaller=smaller, lack=lack, covariance=covariance)


def roc_aucs(correct: BoolArray, columns: Sequence[ScoreArray], units: Units) -> RankingEstimates:
    """Return the areas of k rankings of all cases, (n,) each.  O(k n log n), of one without clusters little memory."""
    if len(columns) > 1 or units.clusters is not None:
        return rankings(correct, columns, units, [AREA])[AREA]
    if units.weights is None:
        return area_of_keys(order(columns[0], correct).keys)
    ranking = WeightedRanking(columns[0], correct, units.weights)
    area, variance, classes = roc_variances.roc_auc_and_variance(ranking.walk, frequencies=units.are_frequencies)
    return _of_variances(np.array([area]), np.array([variance]), one_group(classes))


def area_of_keys(keys: KeyArray) -> RankingEstimates:
    """Return the area of one ranking of all cases from its sorted keys, (n,).  O(n)."""
    moments = placement_moments(keys)
    sizes = np.array([[moments.correct.size], [moments.incorrect.size]], np.float64)
    area = roc_auc_of_sum(moments.correct.size, moments.incorrect.size, moments.correct.sums[0])
    return _of_variances(np.array([area]), roc_variances.roc_covariance(moments)[0], WeightSums(sizes, sizes, sizes))


def areas_of_samples(moments: GroupMoments) -> RankingEstimates:
    """Return the areas of one ranking among g samples of cases.  O(g)."""
    sizes = np.array([moments.correct, moments.incorrect], np.float64)
    each = zip(moments.correct, moments.incorrect, moments.sums, strict=True)
    areas, variances = [roc_auc_of_sum(*sums) for sums in each], roc_variances.roc_auc_variances(*moments)
    return _of_variances(np.array(areas), variances, WeightSums(sizes, sizes, sizes))


def _of_variances(areas: FloatArray, variances: FloatArray, classes: WeightSums) -> RankingEstimates:
    """Return the areas of one ranking in g groups, (g,) each; classes: (2, g) each.  O(g)."""

    def spread(contrasts: Contrasts) -> Spread:
        return normal_spread(np.square(np.asarray(contrasts, np.float64)) * variances)

    return _estimates(areas[np.newaxis], spread, classes)
