"""ROC areas and average precisions of k rankings of the same cases, in g groups: one estimate in every setting.

It answers how weighted sums of its values vary, such as each value by itself and the difference of two.

The variance of an area is that of the placements of positives and of negatives apart: DeLong's, whose exact sums of
whole numbers are rounded once, and of weighted placements alike.  Of clusters it is Obuchowski's, that of the sums of
influence values over each cluster; both classes together are correlated where clusters have both, and where each case
is its own cluster it is DeLong's.  That of an average precision is the sum of squares of influence values.  A few cases
at its top decide it: where they share a cluster, such sums understate the error, by a fifth with 10 clusters of 200
cases, and few clusters are left out one by one instead, as the jackknife does.  Sources: those of
`evalcore.measures.roc_variances`; N. A. Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53
(1997) 567-578, for areas and for the difference of two.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.inference.rankings import AREA, PRECISION, RankedSample, Ranking, SingleRanking, one_group, rank_sample
from evalcore.inference.units import MOST_LEFT_OUT, ONE_CLUSTER, Units, unbiasing
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.grouping import GroupLayout, scaled_by_group
from evalcore.kernels.placements import (
    GroupMoments,
    PlacementMoments,
    Placements,
    moments_of,
    placement_moments,
    placements_by_group,
)
from evalcore.kernels.sorting import order
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, are_whole, scaled_weights, weight_sums
from evalcore.measures import roc_variances
from evalcore.measures.effective_cases import kish_number, smaller_class
from evalcore.measures.influence import PrecisionInfluence, squares_of_sum, sum_of_squares
from evalcore.measures.roc_variances import roc_area_of_sum, sum_of_rows
from evalcore.state.cases import WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

Contrasts: TypeAlias = npt.ArrayLike
"""Weighted sums of the values of k rankings: whole numbers, shape (r, k)."""
_FEW_CONTRASTS = 3
"""Whose covariances cost less than a walk over the cases for each."""


class RankingEstimates(NamedTuple):
    """A measure of k rankings of the same cases, in g groups."""

    values: FloatArray
    """Shape (k, g); NaN where it is not defined."""
    spread: Callable[[Contrasts], FloatArray]
    """Takes contrasts, and returns the variances of the sums, (r, g); NaN where they are not known."""
    smaller: Callable[[Sequence[int]], FloatArray]
    """Takes some rankings by their indices, and returns the effective cases of the class that has fewer, (g,)."""
    cases: FloatArray
    """Effective cases of both classes, shape (g,)."""
    freedom: FloatArray
    """Degrees of freedom of the variances, for Student's t, shape (g,)."""
    lack: str = ""
    """Why a single group has no variances; empty if it has them."""
    covariance: Callable[[Contrasts], FloatArray] | None = None
    """Takes contrasts, and returns the covariances of the sums in a single group, (r, r)."""

    def of_differences(self, pairs: Sequence[tuple[int, int]]) -> FloatArray:
        """Return the variances of the differences of pairs of rankings, (pairs, g).  O(pairs n)."""
        models = np.eye(len(self.values), dtype=np.int64)
        return self.spread(np.array([models[first] - models[second] for first, second in pairs]))

    def pairs(self, chosen: Sequence[tuple[int, int]]) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
        """Return what comparisons of pairs of rankings need.  O(k n + pairs n).

        That is both values, (2, g), the variances of the difference and of both, (3, g), and the `smaller` class.
        """
        used, models = sorted({model for pair in chosen for model in pair}), np.eye(len(self.values), dtype=np.int64)
        contrasts = [*(models[first] - models[second] for first, second in chosen), *models[used]]
        found = self.spread(np.array(contrasts))
        own = dict(zip(used, found[len(chosen) :], strict=True))
        return [
            (self.values[[*pair]], np.array([difference, *(own[model] for model in pair)]), self.smaller(pair))
            for pair, difference in zip(chosen, found[: len(chosen)], strict=True)
        ]


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
    for name in names:
        values = np.array([model.values[name] for model in models])
        if name == PRECISION:
            found[name] = _estimates(values, partial(_spread_of_precisions, models, cases), classes)
        elif units.clusters is not None:
            found[name] = _of_clusters(values, [model.rows[AREA] for model in models], cases)
            continue
        elif layout is None:
            found[name] = _areas_of_all(values, [model.alone[0].placed for model in models], cases, classes)
        else:
            found[name] = _estimates(values, partial(_spread_of_areas, models, cases), classes)
        found[name] = found[name]._replace(freedom=units.freedom)
    return found


def areas_of_placed(
    values: Sequence[float], placed: Sequence[Placements | FloatArray], correct: BoolArray, units: Units
) -> RankingEstimates:
    """Return the areas of k rankings of all cases that are ranked already, each drawn by itself.  O(n).

    values: (k,); placed: of each, placements or, with weights, what cases lose.
    """
    cases = RankedSample(correct, units, None, known_prevalence=False)
    return _areas_of_all(np.array(values)[:, np.newaxis], placed, cases, cases.classes())


def _areas_of_all(
    values: FloatArray, placed: Sequence[Placements | FloatArray], cases: RankedSample, classes: WeightSums
) -> RankingEstimates:
    found = _estimates(values, partial(_spread_of_placed, placed, cases, slice(None)), classes)

    def covariance(contrasts: Contrasts) -> FloatArray:
        return _covariance_of_placed(placed, cases, slice(None))(contrasts)

    return found._replace(covariance=covariance)


def _estimates(values: FloatArray, spread: Callable[[Contrasts], FloatArray], classes: WeightSums) -> RankingEstimates:
    """Return estimates of cases that are drawn by themselves; classes: (2, g) each."""
    *own, both = kish_number(WeightSums(*(np.array([*column, column.sum(axis=0)]) for column in classes)))
    fewer = np.minimum(*own)
    lack = _why_no_variance(*map(int, classes.cases[:, 0])) if fewer.size == 1 else ""
    return RankingEstimates(values, spread, lambda _: fewer, both, np.full(fewer.shape, np.inf), lack)


def _why_no_variance(positives: int, negatives: int) -> str:
    for kind, size in (("positive", positives), ("negative", negatives)):
        if size == 0:
            return f"there is no {kind} case"
        if size == 1:
            return f"one {kind} case alone has no variance"
    return ""


def _spread_of_areas(models: Sequence[Ranking], cases: RankedSample, contrasts: Contrasts) -> FloatArray:
    """Return the variances of sums of areas of cases that are drawn by themselves, (r, g).  O(r k n)."""
    factors, units = np.asarray(contrasts), cases.units
    found = np.full((len(factors), units.sizes.size), np.nan)
    small, large = cases.parts

    def add_up(block: slice) -> None:
        rows, sizes = cases.rows(block), cases.sizes(block)
        mask, first = cases.correct[rows], sizes.cumsum() - sizes
        sums = sum_of_rows(factors, [model.rows[AREA][cases.kept(block)] for model in models])
        weights = cases.weights_of(rows)
        if weights is None:
            found[:, block] = [roc_variances.variances_of_placements(each, mask, first) for each in sums]
            return
        own, _ = scaled_by_group(weights.astype(np.float64), np.arange(sizes.size).repeat(sizes), sizes.size)
        found[:, block] = [
            roc_variances.variances_of_losses(each, mask, own, first, frequencies=units.are_frequencies)
            for each in sums
        ]

    map_parts(add_up, small, cases.correct.size)
    for group in large:
        placed, rows = [model.alone[group].placed for model in models], cases.rows(slice(group, group + 1))
        found[:, group : group + 1] = _spread_of_placed(placed, cases, rows, factors)
    return found


def _spread_of_placed(
    placed: Sequence[Placements | FloatArray], cases: RankedSample, rows: slice | IntArray, contrasts: Contrasts
) -> FloatArray:
    """Return the variances of sums of the areas of some rows, (r, 1).  O(r n)."""
    factors = np.asarray(contrasts)
    moments = [each for each in placed if isinstance(each, Placements)]
    if moments:
        pairs = {pair for each in factors for pair in combinations(np.flatnonzero(each).tolist(), 2)}
        return roc_variances.variances_of_contrasts(moments_of(moments, sorted(pairs)), factors)[:, np.newaxis]
    covariance = _covariance_of_placed(placed, cases, rows)
    if len(factors) <= _FEW_CONTRASTS:
        return np.diagonal(covariance(factors))[:, np.newaxis]
    return np.array([covariance([each])[0] for each in factors])


def _covariance_of_placed(
    placed: Sequence[Placements | FloatArray], cases: RankedSample, rows: slice | IntArray
) -> Callable[[Contrasts], FloatArray]:
    """Return what takes contrasts of areas of some rows and returns their covariances, (r, r).

    O(k n), and O(k² n) once or, of weighted cases, O(r² n) for each call.
    """
    moments = [each for each in placed if isinstance(each, Placements)]
    if moments:
        return partial(roc_variances.roc_covariance, moments_of(moments))
    correct, weights = cases.correct[rows], cases.weights_of(rows)
    assert weights is not None
    own, _ = scaled_weights(weights.astype(np.float64, copy=False))
    lost = [each for each in placed if isinstance(each, np.ndarray)]

    def covariance(contrasts: Contrasts) -> FloatArray:
        factors = np.asarray(contrasts, np.float64)
        used = np.flatnonzero(factors.any(axis=0))
        columns, frequencies = [lost[index] for index in used], cases.units.are_frequencies
        return roc_variances.weighted_roc_covariance(columns, correct, own, factors[:, used], frequencies=frequencies)

    return covariance


def _spread_of_precisions(models: Sequence[Ranking], cases: RankedSample, contrasts: Contrasts) -> FloatArray:
    """Return the variances of sums of average precisions, (r, g).  O(r k n)."""
    return np.array([_spread_of_precision(models, cases, each) for each in np.asarray(contrasts, np.float64)])


def _spread_of_precision(models: Sequence[Ranking], cases: RankedSample, factors: FloatArray) -> FloatArray:
    """Return the variance of a sum of average precisions in each group, (g,); factors: (k,).  O(k n)."""
    chosen = np.flatnonzero(factors).tolist()
    own, units = factors[np.newaxis, chosen], cases.units
    ranked, columns = [models[index] for index in chosen], [models[index].rows.get(PRECISION) for index in chosen]

    def sum_of(rows: slice | IntArray) -> FloatArray:
        found: FloatArray = sum_of_rows(own, [column[rows] for column in columns if column is not None])[0]
        return found

    if units.clusters is not None:
        left = [model.left_out for model in ranked if model.left_out is not None]
        few = units.sizes <= MOST_LEFT_OUT
        linear = np.full(few.shape, np.nan) if few.all() else units.spread(sum_of(slice(None)))
        return np.where(few, units.left_out(sum_of_rows(own, left)[0]), linear)
    found = np.full(units.sizes.size, np.nan)
    small, large = cases.parts

    def add_up(block: slice) -> None:
        rows, sizes = cases.rows(block), cases.sizes(block)
        squares = np.square(sum_of(cases.kept(block)))
        weights = cases.weights_of(rows)
        if weights is not None and units.are_frequencies:
            squares /= weights
        found[block] = np.add.reduceat(squares, sizes.cumsum() - sizes)

    map_parts(add_up, small, cases.correct.size)
    for group in large:
        found[group] = _squares_alone([model.alone[group] for model in ranked], own[0], cases, group)
    return found * units.factors


def _squares_alone(models: Sequence[SingleRanking], factors: FloatArray, cases: RankedSample, group: int) -> float:
    """Return the sum of the squares of sums of the influence values of a large group; factors: (k,).  O(k n)."""
    if np.isnan([model.values[PRECISION] for model in models]).any():
        return np.nan
    counted = [each.precision for each in models if isinstance(each.precision, PrecisionInfluence)]
    if counted:
        return squares_of_sum(factors, counted, [each.placed for each in models if isinstance(each.placed, Placements)])
    columns = [each.precision for each in models if isinstance(each.precision, np.ndarray)]
    weights = cases.weights_of(cases.rows(slice(group, group + 1))) if cases.units.are_frequencies else None

    def add_up(block: slice) -> float:
        [own] = sum_of_rows(factors[np.newaxis], [column[block] for column in columns])
        return sum_of_squares(own, None if weights is None else weights[block])

    return sum(map_blocks(add_up, columns[0].size))


def _of_clusters(areas: FloatArray, influence: Sequence[FloatArray], cases: RankedSample) -> RankingEstimates:
    """Return areas of clustered cases in g groups; areas: (k, g); influence: k of (n,).  O(k n)."""
    (clusters, groups), units, classes = cases.units.members, cases.units, cases.classes()
    codes, number = 2 * clusters + cases.correct, units.sizes.size

    def of_clusters(values: AnyArray | None) -> AnyArray:  # of the incorrect and of the correct cases, (2, u)
        sums: AnyArray = np.bincount(codes, values, 2 * groups.size).reshape(-1, 2).T
        return sums

    sums = [of_clusters(each) for each in influence]
    incorrect, correct = (np.bincount(groups[held], minlength=number) for held in of_clusters(None) > 0)

    def covariances(contrasts: Contrasts) -> FloatArray:  # (r, r, g): O(r k u + r² u)
        factors = np.asarray(contrasts, np.float64)
        others, own = (sum_of_rows(factors, [each[side] for each in sums]) for side in (0, 1))

        def products(first: FloatArray, second: FloatArray) -> FloatArray:
            found = [[np.bincount(groups, one * other, number) for other in second] for one in first]
            return np.array(found, np.float64)

        across = products(own, others)
        found = products(own, own), products(others, others), across + across.swapaxes(0, 1)
        scales = (unbiasing(np.asarray(each, np.float64)) for each in (correct, incorrect, units.sizes))
        return np.asarray(sum(scale * each for scale, each in zip(scales, found, strict=True)))  # Obuchowski's

    def spread(contrasts: Contrasts) -> FloatArray:
        return np.diagonal(covariances(contrasts)).T

    def smaller(models: Sequence[int]) -> FloatArray:
        """Divide the cases of the smaller class by the design effect, the mean variance by DeLong's, at least 1.

        The number is at least that of effective clusters, and is this number where the variance is 0.  O(k n).
        """
        rows = groups[clusters]
        weights, _ = scaled_by_group(units.amounts.astype(np.float64), rows, number)
        fewest = np.min([kish_number(weight_sums(groups, each, number)) for each in of_clusters(weights)], axis=0)
        of_rows = (np.square(influence[model]) for model in models)
        squares = sum(each / units.amounts if units.are_frequencies else each for each in of_rows)
        scatter = np.bincount(2 * rows + cases.correct, squares, 2 * number).reshape(-1, 2).T[::-1]
        alone = (unbiasing(classes.cases) * scatter).sum(axis=0)
        variances = spread(np.eye(len(areas))[list(models)]).sum(axis=0)
        informative: FloatArray = np.fmax(fewest, smaller_class(classes) * np.minimum(ratio(alone, variances), 1.0))
        return np.where(variances > 0, informative, fewest)

    lack = _why_no_variance_of_clusters(*(int(each[0]) for each in (units.sizes, correct, incorrect)))
    found = _estimates(areas, spread, classes)._replace(smaller=smaller, freedom=units.freedom)
    return found._replace(lack=lack if number == 1 else "", covariance=lambda contrasts: covariances(contrasts)[..., 0])


def _why_no_variance_of_clusters(clusters: int, positives: int, negatives: int) -> str:
    if clusters == 1:
        return ONE_CLUSTER
    for kind, number in (("positive", positives), ("negative", negatives)):
        if number < 2:
            return f"one cluster alone has {kind} cases" if number else f"there is no {kind} case"
    return ""


def roc_areas(correct: BoolArray, columns: Sequence[ScoreArray], units: Units) -> RankingEstimates:
    """Return the areas of k rankings of all cases, (n,) each.  O(k n log n), of one without clusters little memory."""
    if len(columns) > 1 or units.clusters is not None:
        return rankings(correct, columns, units, [AREA])[AREA]
    if units.weights is None:
        return areas_of_moments(placement_moments(order(columns[0], correct).keys))
    return area_of_weights(WeightedRanking(columns[0], correct, units.weights), frequencies=units.are_frequencies)


def areas_of_moments(moments: PlacementMoments) -> RankingEstimates:
    """Return the areas of k rankings of all cases from sums of their placements.  O(k²)."""
    sizes = np.array([moments.correct.size, moments.incorrect.size], np.float64)
    values = roc_variances.areas_of_placements(moments)
    return _of_covariance(values, partial(roc_variances.roc_covariance, moments), WeightSums(sizes, sizes, sizes))


def area_of_weights(ranking: WeightedRanking, *, frequencies: bool) -> RankingEstimates:
    """Return the area of one ranking from its runs.  O(n), O(n log n) unless it is sorted."""
    area, variance, classes = roc_variances.roc_area_and_variance(ranking.walk, frequencies=frequencies)

    def covariance(contrasts: Contrasts) -> FloatArray:
        factors = np.asarray(contrasts, np.float64)
        return np.outer(factors, factors) * variance

    return _of_covariance(np.array([area]), covariance, classes)


def _of_covariance(
    values: FloatArray, covariance: Callable[[Contrasts], FloatArray], classes: WeightSums
) -> RankingEstimates:
    """Return k areas of all cases; values: (k,); classes: (2,) each."""

    def spread(contrasts: Contrasts) -> FloatArray:
        return np.diagonal(covariance(contrasts))[:, np.newaxis]

    return _estimates(values[:, np.newaxis], spread, one_group(classes))._replace(covariance=covariance)


def areas_inside_and_outside(
    correct: BoolArray, scores: ScoreArray, layout: GroupLayout, frequencies: IntArray | None = None
) -> tuple[RankingEstimates, RankingEstimates]:
    """Return the areas of one ranking among the cases of each group, and among all others.

    correct: (n,); scores: (n,), no NaN; frequencies: (n,), how many cases each stands for, by default 1.  O(n log n),
    for any number of groups.
    """
    inside, outside = map(_of_group_moments, placements_by_group(scores, correct, layout, frequencies))
    return inside, outside


def _of_group_moments(moments: GroupMoments) -> RankingEstimates:
    """Return the areas of g samples, (1, g).  O(g)."""
    sizes = np.array([moments.correct, moments.incorrect], np.float64)
    each = zip(moments.correct, moments.incorrect, moments.sums, strict=True)
    values = np.array([[roc_area_of_sum(*sums) for sums in each]])
    variances = roc_variances.roc_area_variances(*moments)

    def spread(contrasts: Contrasts) -> FloatArray:
        return np.square(np.asarray(contrasts, np.float64)) * variances

    return _estimates(values, spread, WeightSums(sizes, sizes, sizes))
