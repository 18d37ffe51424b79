"""ROC AUCs and average precisions of k rankings of the same cases, in g groups: one estimate in every setting.

It answers how weighted sums of its values vary, such as each value by itself and the difference of two.  Groups up to a
block of cases are ranked together, larger ones, and all cases as a single group, one by one.

The variance of an area is that of the placements of positives and of negatives apart: DeLong's, whose exact sums of
whole numbers are rounded once, and of weighted placements alike.  Of clusters it is the jackknife's, from the sums of
placements over each cluster, of both classes, for these are correlated where clusters have both: but for pairs within a
cluster that is the area without it, and where each case is its own cluster, almost DeLong's variance.  That of an
average precision is the sum of squares of influence values.  A few cases at its top decide it: where they share a
cluster, such sums understate the error, by a fifth with 10 clusters of 200 cases, and few clusters are left out one by
one instead.  To it comes what no sample drew: the mean square of what an unseen case of each class would change; the
variance of a difference grows as much as those of both models together.  Sources: those of
`evalcore.measures.roc_variances`; N. A. Obuchowski, Nonparametric analysis of clustered ROC curve data, Biometrics 53
(1997) 567-578, for the sums over clusters.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.inference.intervals import ONE_CLUSTER
from evalcore.inference.ranked_samples import AREA, OF_ONE_GROUP, PRECISION, Placed, RankedSample, Ranking, rank_sample
from evalcore.inference.units import MOST_LEFT_OUT, ROUNDED_VARIANCE, Spread, Units, unbiasing
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.grouping import GroupLayout, scaled_by_group
from evalcore.kernels.placements import GroupMoments, Placements, moments_of, moments_of_keys
from evalcore.kernels.sums import ratio
from evalcore.kernels.weights import WeightSums, scaled_weights
from evalcore.measures import curves, influence, roc_variances
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.measures.influence import kish_number, smaller_class
from evalcore.measures.roc_variances import roc_auc_of_sum, sum_of_rows
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

MACRO, WEIGHTED = "macro_roc_auc", "weighted_roc_auc"
Contrasts: TypeAlias = npt.ArrayLike
"""Weighted sums of the values of k rankings: whole numbers, shape (r, k)."""
_ROUNDED = 2.0**-40
"""Of the variance of single cases: one of clusters that is less comes from rounding alone."""


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
    losses: FloatArray | None = None
    """By how much an unseen negative lowers average precisions, on average, shape (k, g)."""
    covariance: Callable[[Contrasts], FloatArray] | None = None
    """Takes contrasts, and returns the covariances of the sums in a single group, (r, r)."""

    def pairs(self, chosen: Sequence[tuple[int, int]]) -> list[tuple[FloatArray, Spread, FloatArray]]:
        """Return what comparisons of pairs of rankings need.  O(k n + pairs n).

        That is both values, (2, g), how the difference and both vary, (3, g), and the `smaller` class.
        """
        models = np.eye(len(self.values), dtype=np.int64)
        spread = self.spread(np.array([*(models[first] - models[second] for first, second in chosen), *models]))
        of_models = [np.array([index, *np.add(pair, len(chosen))]) for index, pair in enumerate(chosen)]
        each = zip(chosen, of_models, strict=True)
        return [(self.values[[*pair]], spread.at(own), self.smaller(pair)) for pair, own in each]


def rankings(cases: RankedSample, columns: Sequence[ScoreArray], names: Collection[str]) -> dict[str, RankingEstimates]:
    """Measure k rankings in g groups; columns: (n,) each; names: `AREA`, `PRECISION` or both.

    O(k n log n), in groups O(k n log largest group).
    """
    classes, units = cases.classes(), cases.units
    if PRECISION in names:
        cases = cases._replace(drawn=cases.drawn_classes(), numbers=kish_number(classes))
    sorted_in = cases._replace(memory=np.empty(cases.correct.size, np.int64))
    models = [rank_sample(scores, sorted_in, names) for scores in columns]
    found = {}

    def spread_of_precisions(contrasts: Contrasts) -> Spread:  # O(k n + r n)
        """Let the variance of a difference grow as much as those of its models do, for cases that no sample drew."""
        factors = np.asarray(contrasts, np.float64)
        squares, several = np.square(factors), np.count_nonzero(factors, axis=1)[:, np.newaxis] > 1
        alone = np.eye(len(models))[: len(models) if several.any() else 0]
        every = _spread_of_precisions(models, cases, np.concatenate([factors, alone]))
        found = every.at(slice(len(factors)))
        unseen = sum_of_rows(squares, [model.unseen.squares for model in models])
        if several.any():  # perfect models do not tell how alike they are; others may rank all cases alike
            seen = sum_of_rows(squares, list(every.variances[len(factors) :]))
            unseen = np.where(several & (seen > 0), ratio(found.variances * unseen, seen), unseen)
        return found._replace(variances=found.variances + unseen)

    for name in names:
        values = np.array([model.values[name] for model in models])
        if name == PRECISION:
            losses = np.array([model.unseen.loss for model in models])
            found[name] = _estimates(values, spread_of_precisions, classes)._replace(losses=losses)
        elif units.clusters is not None:
            found[name] = _of_clusters(values, [model.rows[AREA] for model in models], cases)
        elif cases.layout is None:
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
    known = dict[tuple[int, ...], float]()

    def spread(contrasts: Contrasts) -> Spread:
        rows = [max(tuple(each), tuple(-factor for factor in each)) for each in np.asarray(contrasts).tolist()]
        asked = [*rows, (1, -1)] if len(placed) == 2 else rows  # of two rankings all at once, for any contrasts
        if lacking := [each for each in dict.fromkeys(asked) if each not in known]:
            known.update(zip(lacking, _variances_of_placed(placed, cases, lacking).tolist(), strict=True))
        return Spread.normal(np.array([[known[each]] for each in rows]))

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

    return Spread.normal(_of_parts(cases, len(factors), of_block, of_group))


def _of_parts(
    cases: RankedSample,
    count: int,
    of_block: Callable[[slice], list[FloatArray]],
    of_group: Callable[[int, slice | IntArray], FloatArray | float],
) -> FloatArray:
    """Find `count` values of each group, (count, g): of small ones block by block, of large ones from their rows."""
    found = np.full((count, cases.units.sizes.size), np.nan)
    small, large = cases.parts

    def fill(block: slice) -> None:
        found[:, block] = of_block(block)

    map_parts(fill, small, cases.correct.size)
    for group in large:
        found[:, group] = of_group(group, cases.rows(slice(group, group + 1)))
    return found


def _variances_of_placed(
    placed: Sequence[Placed], cases: RankedSample, contrasts: Contrasts, rows: slice | IntArray = slice(None)
) -> FloatArray:
    """Return the variances of sums of the areas of some rows, (r,).  O(r n)."""
    factors = np.asarray(contrasts)
    if isinstance(placed[0], Placements):
        pairs = {pair for each in factors for pair in combinations(np.flatnonzero(each).tolist(), 2)}
        return roc_variances.variances_of_contrasts(moments_of(placed, sorted(pairs)), factors)
    if len(factors) <= 3:  # whose covariances cost less than a walk over the cases for each
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


def _spread_of_precisions(models: Sequence[Ranking], cases: RankedSample, factors: FloatArray) -> Spread:
    """Return how sums of average precisions vary in each group, (r, g); factors: (r, k).  O(k n + r n)."""
    used = np.flatnonzero(factors.any(axis=0)).tolist()
    own, units, ranked = factors[:, used], cases.units, [models[index] for index in used]

    def sums_of(columns: Sequence[AnyArray | None], rows: slice | IntArray, own: FloatArray = own) -> FloatArray:
        return np.asarray(sum_of_rows(own, [each[rows] for each in columns if each is not None]))

    columns = [model.rows.get(PRECISION) for model in ranked]
    if units.clusters is not None:
        (clusters, of), every = units.members, slice(None)
        whole = sums_of([model.values[PRECISION] for model in ranked], every)[:, of]
        changes, few = whole - sums_of([model.left_out for model in ranked], every), units.sizes <= MOST_LEFT_OUT
        if not few.all():
            sums = (sums_of(columns, every, one[np.newaxis])[0] for one in own)
            of_many = [units.changes(np.bincount(clusters, each, of.size)) for each in sums]
            changes = np.where(few[of], changes, of_many)
        return units.left_out(changes)

    def of_block(block: slice) -> list[FloatArray]:
        rows, sizes = cases.rows(block), cases.sizes(block)
        sums = sums_of(columns, cases.kept(block))
        return [np.add.reduceat(units.squares(each, rows), sizes.cumsum() - sizes) for each in sums]

    def of_group(group: int, rows: slice | IntArray) -> FloatArray | float:
        alone = [model.alone[group] for model in ranked]
        if np.isnan([each.values[PRECISION] for each in alone]).any():
            return np.nan
        frequencies = cases.weights_of(rows) if units.are_frequencies else None

        def add_up(block: slice) -> FloatArray:
            changes = sum_of_rows(own, [each.changes(block) for each in alone])
            other = changes if frequencies is None else changes / frequencies[block]
            # without the threads that BLAS would start for @
            return np.array([np.einsum("i,i->", *each) for each in zip(changes, other, strict=True)])

        return sum(map_blocks(add_up, cases.correct[rows].size))

    return Spread.normal(_of_parts(cases, len(own), of_block, of_group) * units.factors)


def _of_clusters(areas: FloatArray, changes: Sequence[FloatArray], cases: RankedSample) -> RankingEstimates:
    """Return areas of clustered cases in g groups; areas: (k, g); changes: influence values, k of (n,).  O(k n)."""
    (clusters, groups), units, classes = cases.units.members, cases.units, cases.classes()
    codes, number, held = 2 * clusters + ~cases.correct, units.sizes.size, cases.held()
    left = np.array([1 - ratio(side, np.bincount(groups, side, number)[groups]) for side in held])
    left[left == 0] = np.nan  # one cluster has the whole class
    sums = (np.bincount(codes, each, 2 * groups.size).reshape(-1, 2).T for each in changes)
    without = [np.asarray(ratio(each, left)).sum(axis=0) for each in sums]

    def spread(contrasts: Contrasts) -> Spread:  # O(r k u)
        return units.left_out(sum_of_rows(np.asarray(contrasts, np.float64), without))

    def covariance(contrasts: Contrasts) -> FloatArray:  # O(r k u + r² u)
        found = sum_of_rows(np.asarray(contrasts, np.float64), without)
        return np.asarray(np.einsum("ri,si->rs", found, found) / units.factors)

    def smaller(models: Sequence[int]) -> FloatArray:
        """Divide the cases of the smaller class by the design effect, the mean variance by DeLong's, at least 1.

        The number is at least that of effective clusters, and is this number where the variance is 0.  O(k n).
        """
        rows = groups[clusters]
        fewest = kish_number(cases.drawn_classes()).min(axis=0)
        squares = sum(units.squares(changes[model]) for model in models)
        scatter = np.bincount(2 * rows + ~cases.correct, squares, 2 * number).reshape(-1, 2).T
        alone = (unbiasing(classes.cases) * scatter).sum(axis=0)
        variances = spread(np.eye(len(areas))[list(models)]).variances.sum(axis=0)
        informative: FloatArray = np.fmax(fewest, smaller_class(classes) * np.minimum(ratio(alone, variances), 1.0))
        return np.where(variances > _ROUNDED * alone, informative, fewest)

    lack = "" if number > 1 else ONE_CLUSTER
    if number == 1 != units.number:
        lack = _lack(np.count_nonzero(held, axis=1), "one cluster alone has {} cases")
    return _estimates(areas, spread, classes)._replace(smaller=smaller, lack=lack, covariance=covariance)


def roc_aucs(correct: BoolArray, columns: Sequence[ScoreArray], units: Units) -> RankingEstimates:
    """Return the areas of k rankings of all cases, (n,) each.  O(k n log n), of one without clusters little memory."""
    if len(columns) > 1 or units.clusters is not None:
        return rankings(RankedSample(correct, units), columns, [AREA])[AREA]
    return areas_of_ranked(_ranked(correct, columns[0], units), frequencies=units.are_frequencies)


def _ranked(correct: BoolArray, scores: ScoreArray, units: Units) -> ScoredCases | WeightedRanking:
    weights = units.weights
    return ScoredCases.of(correct, scores) if weights is None else WeightedRanking(scores, correct, weights)


def areas_of_ranked(cases: ScoredCases | WeightedRanking, *, frequencies: bool = False) -> RankingEstimates:
    """Return the area of one ranking of all cases, none of which is a miss.  O(n)."""
    if not isinstance(cases, WeightedRanking):
        return areas_of_samples(moments_of_keys(cases.ordering.keys))
    area, variance, classes = roc_variances.roc_auc_and_variance(cases.walk, frequencies=frequencies)
    return _of_variances(np.array([area]), np.array([variance]), classes.at(OF_ONE_GROUP))


def areas_of_samples(moments: GroupMoments) -> RankingEstimates:
    """Return the areas of one ranking among g samples of cases.  O(g)."""
    sizes = np.array([moments.correct, moments.incorrect], np.float64)
    each = zip(*(column.tolist() for column in moments[:3]), strict=True)
    areas, variances = [roc_auc_of_sum(*sums) for sums in each], roc_variances.roc_auc_variances(*moments)
    return _of_variances(np.array(areas), variances, WeightSums(sizes, sizes, sizes))


def _of_variances(areas: FloatArray, variances: FloatArray, classes: WeightSums) -> RankingEstimates:
    """Return the areas of one ranking in g groups, (g,) each; classes: (2, g) each.  O(g)."""

    def spread(contrasts: Contrasts) -> Spread:
        return Spread.normal(np.square(np.asarray(contrasts, np.float64)) * variances)

    return _estimates(areas[np.newaxis], spread, classes)


def average_precisions(correct: BoolArray, columns: Sequence[ScoreArray], units: Units) -> RankingEstimates:
    """Return the average precisions of k rankings of all cases, (n,) each.  O(k n log n), as `roc_aucs`."""
    sample = RankedSample(correct, units)
    if len(columns) > 1 or units.clusters is not None:
        return rankings(sample, columns, [PRECISION])[PRECISION]
    ranked = _ranked(correct, columns[0], units)
    return precisions_of_ranked(ranked, sample.classes(), frequencies=units.are_frequencies)


def precisions_of_ranked(
    cases: ScoredCases | WeightedRanking, classes: WeightSums, **weights: bool
) -> RankingEstimates:
    """Return the average precision of one ranking of all cases; weights: as of `squares_of_precision`.  O(n)."""
    areas = curves.average_precisions(cases.runs)
    spread = influence.precision_spread(cases.runs, classes, squares_of_precision(cases, areas, **weights))
    return _of_variances(areas, spread.squares, classes)._replace(losses=spread.loss[np.newaxis])


def squares_of_precision(
    cases: ScoredCases | WeightedRanking, area: FloatArray, *, frequencies: bool = False, known_prevalence: bool = False
) -> FloatArray:
    """Return the sum of the squares of the influence values of an average precision, that of area, (1,).  O(n)."""
    if not isinstance(cases, WeightedRanking) or frequencies:
        return influence.average_precision_squares_of_runs(cases.runs, area)
    if not known_prevalence:
        return influence.average_precision_squares_of_weights(cases.walk)
    values = influence.average_precision_influence_of_weights(cases.walk)
    values = influence.less_class_means(values, cases.correct.view(np.int8), cases.weights)
    return np.array([np.square(values).sum()])


def averages_of_areas(
    codes: IntArray, models: Sequence[ScoreArray], units: Units, layout: GroupLayout | None = None
) -> dict[str, RankingEstimates]:
    """Return the averages of the areas of c classes, each against the rest, by `MACRO` and `WEIGHTED`.  O(k c n log n).

    codes: the class of each case, (n,); models: their scores of each class, (c, n); units: of the same cases and
    groups; layout: of these.  A class that a group lacks, or that has all of its cases, counts for nothing there.

    An average is a sum of areas, so that its influence values are the same sum of theirs; one that is weighted by cases
    varies with their numbers too.  As in DeLong's variance, what the m cases of one side add has the factor m / (m - 1)
    where each is drawn by itself; what a cluster adds is divided by the fraction of the side that the others hold.  A
    class tells its part of the variance with one case less than it has, by Satterthwaite's rule.  The cases of the
    smaller class are those of averages of areas that vary apart, divided by how much more this one varies.
    """
    count, classes, size = units.sizes.size, len(models[0]), codes.size
    groups = np.zeros(size, np.int64) if units.groups is None else units.groups
    cells = groups * classes + codes
    cases = units.sums(cells, count * classes)
    weights, numbers = (column.reshape(count, classes) for column in (cases.sums, kish_number(cases)))
    present = (weights > 0) & (weights < weights.sum(axis=1, keepdims=True))
    own = np.array([present, present * weights], np.float64)
    parts = np.nan_to_num(ratio(own, own.sum(axis=-1, keepdims=True)))  # (2, g, c)
    areas, changes = np.full((len(models), count, classes), np.nan), np.zeros((2, len(models), size))
    of_rows = units._replace(clusters=np.zeros(size, np.int64))  # for values of rows
    deviations, apart, alone = np.zeros((2, count)), np.zeros((2, count)), np.zeros((2, len(models), count))
    every = RankedSample(np.ones(size, np.bool_), units, layout)
    for code in range(classes):
        sample, of_class = every._replace(correct=codes == code), parts[..., code]
        sides, drawn = sample.classes(), sample.drawn_classes()
        factors = np.nan_to_num(np.sqrt(unbiasing(sides.cases)))
        scales = left = np.where(sample.correct, *(each[groups] for each in factors))
        if units.clusters is not None:
            clusters, of = units.members
            rest = 1 - ratio(sample.held(), drawn.sums[:, of])
            rest = np.where(rest > _ROUNDED, ratio(1, rest), 0.0)  # one cluster may have the whole class
            left = np.where(sample.correct, *(each[clusters] for each in rest))
        with np.errstate(divide="ignore", invalid="ignore"):  # of a class that is left out
            deviations += np.nan_to_num(of_class / np.sqrt(kish_number(drawn).min(axis=0)))
            apart += np.nan_to_num(np.square(of_class) / kish_number(sides).min(axis=0))
        for model, scores in enumerate(models):
            ranked = rank_sample(scores[code], sample._replace(units=of_rows), [AREA])
            areas[model, :, code] = ranked.values[AREA]
            rows = np.nan_to_num(ranked.rows[AREA])
            scaled = rows * scales
            changes[:, model] += of_class[:, groups] * (scaled if left is scales else rows * left)
            alone[:, model] += np.square(of_class) * np.bincount(groups, units.squares(scaled), count)
    values = np.array([[weighted_means_of_rows(each, part) for each in areas] for part in own])
    beyond = np.nan_to_num(ratio(areas - values[1, ..., np.newaxis], own[1].sum(axis=-1, keepdims=True)))
    # what a cluster of all cases adds is unknown
    kept = 1.0 if units.shares is None else np.where(units.shares < 1, 1 - units.shares, np.nan)[units.clusters]
    for model, each in enumerate(beyond):
        changes[1, model] += ratio(units.weighted(np.where(present, each, 0.0)[groups, codes]), kept)
    effective = kish_number(every.drawn_classes())[0]

    def spread_of(changes: FloatArray) -> Spread:
        if units.clusters is not None:
            return units.left_out(np.asarray(np.bincount(units.clusters, changes, units.members[1].size), np.float64))
        squares = np.bincount(cells, units.squares(changes), count * classes).reshape(count, classes)
        variances = squares.sum(axis=1) * units.factors
        known = np.where(variances > ROUNDED_VARIANCE, np.square(squares.sum(axis=1)), np.nan)
        terms = np.asarray(ratio(np.square(squares), np.maximum(numbers - 1, 1.0)))
        return Spread(variances, np.fmin(ratio(known, terms.sum(axis=1)), np.inf))

    def estimates(index: int) -> RankingEstimates:
        def spread(contrasts: Contrasts) -> Spread:
            each = [spread_of(factors @ changes[index]) for factors in np.asarray(contrasts, np.float64)]
            return Spread(*(np.stack(column) for column in zip(*each, strict=True)))

        def smaller(chosen: Sequence[int]) -> FloatArray:
            variances = spread(np.eye(len(models))[list(chosen)]).variances.sum(axis=0)
            parts, fewest = alone[index, list(chosen)].sum(axis=0), ratio(1, np.square(deviations[index]))
            informative = np.fmax(fewest, ratio(np.minimum(ratio(parts, variances), 1.0), apart[index]))
            return np.where(variances > _ROUNDED * parts, informative, fewest)

        return RankingEstimates(values[index], spread, smaller, effective)

    return {MACRO: estimates(0), WEIGHTED: estimates(1)}
