"""Influence values: what each case adds to the deviation of a measure from its true value, up to smaller terms.

They add up to 0, and the sum of their squares is the variance of the measure.  Source: F. R. Hampel, The influence
curve and its role in robust estimation, Journal of the American Statistical Association 69 (1974) 383-393.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.indexed_ordering import IndexedOrdering
from evalcore.kernels.operating_points import correct_bits
from evalcore.kernels.placements import Placements
from evalcore.kernels.ratios import ratio
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorted_weights import SortedWeights, sums_at_scores
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray


def mean_influence(values: FloatArray, weights: AnyArray | None = None) -> FloatArray:
    """Return the influence values of a mean; values, weights: (n,).  Returns (n,).  O(n).

    >>> mean_influence(np.array([1.0, 3.0]))
    array([-0.5,  0.5])
    """
    if weights is None:
        return np.asarray((values - values.mean()) / values.size)
    total = weights.sum()
    return np.asarray(weights * ((values - values @ weights / total) / total))


def influence_of_placements(placed: Placements, correct: BoolArray) -> FloatArray:
    """Return the influence values of the ROC area, (n,); placed: of the same cases; correct: (n,).  O(n).

    >>> from evalcore.kernels.indexed_ordering import indexed_order
    >>> from evalcore.kernels.placements import placements
    >>> correct = np.array([True, False, True])
    >>> influence_of_placements(placements(indexed_order(np.array([0.9, 0.5, 0.1]), correct)), correct)
    array([ 0.25,  0.  , -0.25])
    """
    m, n = placed.correct.size, placed.incorrect.size
    values = np.empty(correct.size)
    values[correct] = (placed.correct - placed.correct.mean()) / (-2.0 * m * n)
    values[~correct] = (placed.incorrect - placed.incorrect.mean()) / (2.0 * m * n)
    return values


def influence_of_lost_fractions(lost: FloatArray, correct: BoolArray, weights: AnyArray) -> FloatArray:
    """Return the influence values of the ROC area of weighted cases; lost: of `losses_of_cases`; all (n,).  O(n)."""
    values = np.empty(correct.size)
    for side in (correct, ~correct):
        own = weights[side].astype(np.float64)
        values[side] = -mean_influence(lost[side], own) if own.size else 0.0
    return values


class PrecisionInfluence(NamedTuple):
    """The influence values of the average precision of m positives and any number of negatives."""

    of_positives: FloatArray
    """In the order they came, shape (m,)."""
    by_rank: FloatArray
    """Of a negative, by half of the positives that rank above it less those below, plus m: shape (m + 1,)."""

    def of_negatives(self, placed: AnyArray) -> FloatArray:
        """Return the influence values of negatives from their `Placements`, (k,).  O(k)."""
        values: FloatArray = self.by_rank[(placed.astype(np.int64) + self.of_positives.size) >> 1]
        return values

    def of_cases(self, placed: Placements, correct: BoolArray) -> FloatArray:
        """Return the influence values of all cases, (n,) in the order they came.  O(n)."""
        values = np.empty(correct.size)
        values[correct], values[~correct] = self.of_positives, self.of_negatives(placed.incorrect)
        return values


def average_precision_influence(found: IndexedOrdering, correct: BoolArray) -> PrecisionInfluence:
    """Return the influence values of the average precision of ranked cases; correct: (n,) as they came.  O(n).

    A is the mean over m positives of p_i = TP_i / N_i, of the N_i cases at or above the score of each.  One more case
    at score x changes N_i wherever x is at or above that score, so that its influence is, of a positive, (p_x - A) / m
    + Σ FP_i / N_i² / m, of a negative -Σ TP_i / N_i² / m, over the positives i at or below x.  All 0 without positives.

    >>> from evalcore.kernels.indexed_ordering import indexed_order
    >>> from evalcore.kernels.placements import placements
    >>> correct = np.array([True, False, True])
    >>> ordering = indexed_order(np.array([0.9, 0.5, 0.1]), correct)
    >>> average_precision_influence(ordering, correct).of_cases(placements(ordering), correct)
    array([ 0.13888889, -0.11111111, -0.02777778])
    """
    ranks = np.flatnonzero(correct_bits(found.keys).view(np.bool_))
    if not ranks.size:
        return PrecisionInfluence(np.empty(0), np.zeros(1))
    tp, cases, first = _at_scores(found, ranks)
    precisions = tp / cases
    lost_later, won_later = (_sums_from(each) for each in (precisions / cases, (cases - tp) / np.square(cases)))
    values = np.empty(correct.size)
    values[found.cases[ranks]] = (precisions - precisions.mean() + won_later[first]) / ranks.size
    # no negative ranks between positives of one score: its rank finds the first of them
    return PrecisionInfluence(values[correct], np.append(lost_later[first], 0.0) / -ranks.size)


def squared_difference(
    models: tuple[PrecisionInfluence, PrecisionInfluence], placed: tuple[Placements, Placements]
) -> float:
    """Return the sum of the squares of the differences of the influence values of two models.  O(n)."""
    (first, second), negatives = models, [each.incorrect for each in placed]

    def add_up(block: slice) -> float:
        differences = first.of_negatives(negatives[0][block]) - second.of_negatives(negatives[1][block])
        return float(differences @ differences)

    of_positives = first.of_positives - second.of_positives
    return float(of_positives @ of_positives) + sum(map_blocks(add_up, negatives[0].size))


def _at_scores(found: IndexedOrdering, ranks: IntArray) -> tuple[AnyArray, AnyArray, IntArray]:
    """Return the positives and the cases at or above the score of each positive, and the first one of its score."""
    numbers = np.arange(ranks.size)
    keys = found.keys[ranks]
    heads = run_starts(keys)
    if heads.size == ranks.size:
        return numbers + 1.0, ranks + 1.0, numbers
    sizes = np.diff(heads, append=ranks.size)
    last = np.repeat(heads + sizes - 1, sizes)  # positives come last among equal scores
    return last + 1.0, ranks[last] + 1.0, heads.repeat(sizes)


def _sums_from(values: FloatArray) -> FloatArray:
    """Return the sums of values, (m,), from each on.  O(m)."""
    sums: FloatArray = values[::-1].cumsum()[::-1]
    return sums


def weighted_average_precision_influence(cases: SortedWeights) -> FloatArray:
    """Return the influence values of the average precision of weighted cases, (n,) in the order they came.  O(n).

    Those of `average_precision_influence`, with sums of weights for counts, each times the weight of its case.

    >>> from evalcore.kernels.sorted_weights import sort_weights
    >>> columns = np.array([0.9, 0.5, 0.1]), np.array([True, False, True]), np.ones(3)
    >>> weighted_average_precision_influence(sort_weights(*columns))
    array([ 0.13888889, -0.11111111, -0.02777778])
    """
    own, others = (side.sums for side in sums_at_scores(cases))
    of_positives, of_negatives = influence_at_scores(own, own.cumsum(), others.cumsum())
    sizes = np.diff(np.flatnonzero(cases.ends), prepend=-1)
    values = np.empty(cases.weights.size)
    of_cases = np.where(cases.weights > 0, of_positives.repeat(sizes), of_negatives.repeat(sizes))
    values[cases.order] = np.abs(cases.weights) * of_cases
    return values


def influence_at_scores(
    own: FloatArray, tp: FloatArray, fp: FloatArray, group: IntArray | None = None, first: IntArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the influence on the average precision of a positive and of a negative of weight 1 at each score, (p,).

    own: weight of the positives at each score; tp, fp: weights at or above it; group, first: the index of the group of
    each score, and that of the first score of each group, by default a single one.  (p,) each, best first.  O(p).
    """
    starts = np.zeros(1, np.int64) if first is None else first
    groups = np.zeros(own.size, np.int64) if group is None else group
    total = np.add.reduceat(own, starts)[groups]
    cases = tp + fp
    precisions = np.nan_to_num(ratio(tp, cases))
    means = np.add.reduceat(own * precisions, starts)[groups]
    gained = own * np.nan_to_num(ratio(fp, np.square(cases)))
    lost = own * np.nan_to_num(ratio(precisions, cases))
    ends = np.append(starts[1:], own.size) - 1
    from_here = []
    for each in (gained, lost):
        sums = np.append(_sums_from(each), 0.0)
        from_here.append(sums[:-1] - sums[ends + 1][groups])
    of_positives = ratio(precisions - ratio(means, total) + from_here[0], total)
    return np.asarray(of_positives), np.asarray(ratio(-from_here[1], total))
