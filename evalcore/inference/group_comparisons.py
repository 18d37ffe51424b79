"""Comparisons of ROC areas in many groups: of two models in each, and of each group with all other cases."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.inference.curve_areas import AreaEstimate, why_no_variance
from evalcore.inference.intervals import Comparison, comparisons_of, unpaired_bounds
from evalcore.inference.proportions import proportion_intervals
from evalcore.inference.roc_area_bounds import PairedAreas
from evalcore.inference.roc_area_comparisons import compare_independent_areas
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouping import (
    GroupLayout,
    blocks_of_groups,
    grouped_weights,
    groups_of_rows,
    rows_of_groups,
    scaled_by_group,
)
from evalcore.kernels.placements import (
    GroupMoments,
    grouped_placements,
    losses_of_cases,
    moments_of,
    placements,
    placements_by_group,
)
from evalcore.kernels.sorting import indexed_order
from evalcore.kernels.weights import WeightSums, scaled_weights, sort_weights, weight_sums
from evalcore.measures import roc_variances
from evalcore.measures.effective_cases import smaller_class
from evalcore.measures.roc_variances import grouped_losses_of_cases, variances_of_means, weighted_roc_covariance
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


class PairedVariances(NamedTuple):
    """DeLong's variances of the ROC areas of k models in m groups, in the order of their layout."""

    of_pairs: FloatArray
    """Of the differences of pairs of models, shape (pairs, m); NaN where a class has fewer than two cases."""
    of_models: FloatArray
    """Of the areas, shape (k, m), for models that are in a pair."""
    smaller: FloatArray
    """Effective cases of the smaller class, shape (m,)."""

    def areas(self, number: int, pair: tuple[int, int], of_models: Sequence[FloatArray]) -> PairedAreas:
        """Return what comparisons of a pair need, by its number; of_models: areas, k of (m,).  O(m)."""
        variances = np.array([self.of_pairs[number], *self.of_models[list(pair)]])
        return PairedAreas(np.array([of_models[index] for index in pair]), variances, self.smaller)


def paired_area_variances(
    correct: BoolArray, columns: Sequence[ScoreArray], layout: GroupLayout, pairs: Sequence[tuple[int, int]]
) -> PairedVariances:
    """Return DeLong's variances of ROC areas and their differences in each group.

    correct: (n,); columns: k of (n,), no NaN; pairs: indices of two columns each.  O(k n log largest group + pairs n),
    in blocks of groups; groups larger than a block are taken one by one.
    """
    variances, of_models = (np.full((size, layout.groups.size), np.nan) for size in (len(pairs), len(columns)))
    smaller = np.empty(layout.groups.size)
    used = sorted({index for pair in pairs for index in pair})
    small, large = blocks_of_groups(layout.starts)

    def compare(block: slice) -> None:
        rows = rows_of_groups(layout, block)
        sizes, mask = np.diff(layout.starts[block.start : block.stop + 1]), correct[rows]
        placed = {index: grouped_placements(columns[index][rows], mask, sizes) for index in used}
        for number, (first, second) in enumerate(pairs):
            variances[number, block] = _variances(placed[first] - placed[second], mask, sizes)
        for index, own in placed.items():
            of_models[index, block] = _variances(own, mask, sizes)
        positives = np.add.reduceat(mask, sizes.cumsum() - sizes, dtype=np.int64)
        smaller[block] = np.minimum(positives, sizes - positives)

    map_parts(compare, small, correct.size)
    for group in large:
        rows = rows_of_groups(layout, slice(group, group + 1))
        moments = moments_of([placements(indexed_order(column[rows], correct[rows])) for column in columns], pairs)
        for number, pair in enumerate(pairs):
            variances[number, group] = roc_variances.roc_covariance(moments.of(pair), [[1, -1]])[0, 0]
        of_models[:, group] = [roc_variances.roc_covariance(moments.of([each]))[0, 0] for each in range(len(columns))]
        smaller[group] = min(moments.correct.size, moments.incorrect.size)
    return PairedVariances(variances, of_models, smaller)


def weighted_paired_area_variances(
    correct: BoolArray,
    columns: Sequence[ScoreArray],
    weights: AnyArray,
    layout: GroupLayout,
    pairs: Sequence[tuple[int, int]],
    *,
    frequencies: bool = False,
) -> PairedVariances:
    """Return the `paired_area_variances` of cases with weights above zero, (n,), as `weighted_roc_covariance`.

    O(k n log largest group + pairs n).
    """
    variances, of_models = (np.full((size, layout.groups.size), np.nan) for size in (len(pairs), len(columns)))
    used = sorted({index for pair in pairs for index in pair})
    small, large = blocks_of_groups(layout.starts)

    def compare(block: slice) -> None:
        rows, starts = rows_of_groups(layout, block), layout.starts[block.start : block.stop + 1]
        sizes, mask, first = np.diff(starts), correct[rows], starts[:-1] - starts[0]
        own, _ = scaled_by_group(weights[rows].astype(np.float64), np.arange(sizes.size).repeat(sizes), sizes.size)
        losses = {
            index: grouped_losses_of_cases(grouped_weights(columns[index][rows], mask, own, sizes), mask)
            for index in used
        }
        classes = [_sums_of_rows(own * side, frequencies) for side in (mask, ~mask)]

        def variances_of(values: FloatArray) -> FloatArray:
            positive, negative = (variances_of_means(values, side, first) for side in classes)
            return positive + negative

        for number, (one, other) in enumerate(pairs):
            variances[number, block] = variances_of(losses[one] - losses[other])
        for index, each in losses.items():
            of_models[index, block] = variances_of(each)

    map_parts(compare, small, correct.size)
    for group in large:
        rows = rows_of_groups(layout, slice(group, group + 1))
        mask, own = correct[rows], scaled_weights(weights[rows].astype(np.float64))[0]
        placed = {index: losses_of_cases(sort_weights(columns[index][rows], mask, own)) for index in used}
        for number, (one, other) in enumerate(pairs):
            sides = placed[one], placed[other]
            found = weighted_roc_covariance(sides, mask, own, [[1, -1]], frequencies=frequencies)
            variances[number, group] = found[0, 0]
        for index, lost in placed.items():
            of_models[index, group] = weighted_roc_covariance([lost], mask, own, frequencies=frequencies)[0, 0]
    return PairedVariances(variances, of_models, _smaller_classes(correct, layout, weights, frequencies=frequencies))


def _smaller_classes(correct: BoolArray, layout: GroupLayout, weights: AnyArray, *, frequencies: bool) -> FloatArray:
    """Return the effective cases of the smaller class of each group, (m,).  O(n)."""
    groups, number = groups_of_rows(layout), layout.groups.size
    own = weights
    if not frequencies:
        own, _ = scaled_by_group(weights.astype(np.float64), groups, number)
    found = weight_sums(2 * groups + correct, own, 2 * number, frequencies=frequencies)
    return smaller_class(WeightSums(*(column.reshape(-1, 2).T for column in found)))


def _sums_of_rows(weights: FloatArray, frequencies: bool) -> WeightSums:
    """Return the sums over the cases of each row, (n,), of one class; weights: 0 in rows of the other.  O(n)."""
    return WeightSums(weights, *((weights, weights) if frequencies else (weights * weights, (weights > 0) * 1.0)))


def compare_with_rest(
    correct: BoolArray, scores: ScoreArray, layout: GroupLayout, level: float, frequencies: IntArray | None = None
) -> list[Comparison]:
    """Compare the ROC area of each group with that of all cases outside it, in the order of the layout.

    correct: (n,); scores: (n,), no NaN; frequencies: (n,), how many cases each stands for, by default 1.  O(n log n),
    for any number of groups.  Returns what `compare_unpaired_roc_auc` does.

    The variance of a small group may be much too small by chance.  Measured on 24 samples of 1,000 groups without
    differences, of 30 positives and 120 negatives each, with areas of 0.76, the comparisons rejected 6.2% at 5%, and
    after Holm's method 1.8 groups of a sample; with areas of 0.92 it was 9.5% and 14 groups.
    """
    samples = map(_areas, placements_by_group(scores, correct, layout, frequencies))
    return [compare_independent_areas(pair, level) for pair in zip(*samples, strict=True)]


def compare_accuracies_with_rest(
    right: IntArray, cases: IntArray, whole: tuple[int, int], level: float
) -> list[Comparison]:
    """Compare the accuracy of each group with that of all other cases.

    right, cases: of the groups, (g,); whole: those of all cases.  The bounds are Newcombe's of independent samples, the
    p-value is that of Pearson's test of two fractions, without a correction.  O(g).  Source: that of `unpaired_bounds`.

    >>> found = compare_accuracies_with_rest(np.array([56]), np.array([70]), (56 + 48, 70 + 80), 0.95)[0]
    >>> round(found.low, 4), round(found.high, 4)
    (0.0524, 0.3339)
    """
    first = proportion_intervals(right, cases, level)
    second = proportion_intervals(whole[0] - right, whole[1] - cases, level)
    differences = first.estimates - second.estimates
    samples = ((each.estimates, each.low, each.high) for each in (first, second))
    bounds = unpaired_bounds(*samples)
    accuracy = whole[0] / whole[1]
    with np.errstate(divide="ignore", invalid="ignore"):  # the rest may be empty, and all cases may be right
        errors = np.sqrt(accuracy * (1 - accuracy) * (1 / cases + 1 / (whole[1] - cases)))
        statistics = np.where(differences == 0, 0.0, differences / errors)
    estimates, normal = (first.estimates, second.estimates), np.full(cases.shape, np.inf)
    never = np.zeros(cases.shape, np.bool_)
    return comparisons_of(estimates, bounds, statistics, level, "newcombe", freedom=normal, equal=never)


def _areas(moments: GroupMoments) -> list[AreaEstimate]:
    """Return the areas of samples, m of them, with their variances.  O(m)."""
    variances = roc_variances.roc_area_variances(*moments).tolist()
    columns = zip(moments.correct, moments.incorrect, moments.sums, variances, strict=True)
    return [
        AreaEstimate(roc_variances.roc_area_of_sum(m, n, total), variance, m + n, min(m, n), why_no_variance(m, n))
        for m, n, total, variance in columns
    ]


def _variances(differences: IntArray, correct: BoolArray, sizes: IntArray) -> FloatArray:
    """Return the variances from differences of placements, (n,), group after group.  O(n)."""
    starts = sizes.cumsum() - sizes
    squares = differences * differences
    positives, sums, all_squares, own = (
        np.add.reduceat(values, starts, dtype=np.int64)
        for values in (correct, differences * correct, squares, squares * correct)
    )
    return roc_variances.roc_area_variances(positives, sizes - positives, sums, own, all_squares - own)
