"""Measures of a whole ranking, from its operating points.

The points are those that hold a correct case (`correct_points`); `positives` and `negatives` are all reference
cases, retrieved or not.  Each measure costs one pass over p points, O(p), in blocks that stay in cache.
"""

import math
from typing import NamedTuple

import numpy as np

from evalcore.kernels.few_cases import few_half_pairs, few_points
from evalcore.kernels.operating_points import ColumnPoints, LazyOperatingPoints, OperatingPoints
from evalcore.kernels.pairs import ColumnPairCounts, PairCounts
from evalcore.kernels.ratios import exact_integers, ratio
from evalcore.kernels.reproducible_sums import FixedSum, add_fixed_sums, grid_below, sum_of_short, sums_of_runs
from evalcore.kernels.weight_sums import rounding_of
from evalcore.measures import binary
from evalcore.measures.thresholds import expected_costs
from evalcore.typing import Amount, AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_FASTER_BY_FSUM = 1 << 8
_EXACT_PRODUCTS = 1 << 26
"""Numbers of cases whose products are whole numbers of float64."""


class BestPoint(NamedTuple):
    """The operating point where a measure is largest, the one of highest score among equals."""

    value: float
    """The measure there, NaN if there are no points."""
    predicted_positive: Amount
    """Cases at or above the score of the point, or their weight."""


def precisions(points: OperatingPoints) -> FloatArray:
    """Return tp / (tp + fp) at each point, (p,) float64 in 0 .. 1.

    >>> precisions(OperatingPoints(np.array([1, 2]), np.array([0, 2])))
    array([1. , 0.5])
    """
    return np.asarray(binary.precision(points.tp, points.fp))


def recalls(points: OperatingPoints, positives: int) -> FloatArray:
    """Return tp / positives at each point, (p,) float64 in 0 .. 1.

    >>> recalls(OperatingPoints(np.array([1, 2]), np.array([0, 2])), positives=4)
    array([0.25, 0.5 ])
    """
    return np.asarray(binary.recall(points.tp, positives - points.tp))


def specificities(points: OperatingPoints, negatives: int) -> FloatArray:
    """Return 1 - fp / negatives at each point, (p,) float64 in 0 .. 1: LingPipe's rejection recall.

    >>> specificities(OperatingPoints(np.array([1, 2]), np.array([0, 2])), negatives=4)
    array([1. , 0.5])
    """
    return np.asarray(binary.specificity(points.fp, negatives - points.fp))


def average_precision(points: OperatingPoints | LazyOperatingPoints, positives: int) -> float:
    """Return the area under the precision-recall steps: Σ (r_i - r_(i-1)) p_i, in 0 .. 1.

    Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval (2008), 8.4.

    >>> average_precision(OperatingPoints(np.array([1, 2]), np.array([0, 2])), positives=2)
    0.75
    """
    correct = min(points.correct_at_most, positives)  # without misses the same number however the points are given
    return float(ratio(precision_sum(points, correct).value, positives))


def average_precisions(points: ColumnPoints) -> FloatArray:
    """Return the `average_precision` of each of k columns without misses, (k,) float64, NaN without positives.  O(p).

    >>> tp, fp, gained = np.array([[1, 2], [0, 2], [1, 1]])
    >>> average_precisions(ColumnPoints(tp, fp, gained, sizes=np.array([2]), correct=np.array([2])))
    array([0.75])
    """
    terms = points.gained * np.asarray(binary.precision(points.tp, points.fp))
    return np.asarray(ratio(sums_of_runs(terms, points.sizes, points.correct), points.correct))


def average_precision_of_few(correct: BoolArray, scores: ScoreArray) -> float:
    """Return the `average_precision` of few cases, best first, bit for bit; NaN if none is correct."""
    gained, tp, predicted_positive = few_points(correct, scores)
    positives = int(tp[-1]) if tp.size else 0
    if not positives:
        return math.nan
    terms = tp / predicted_positive
    if gained is not None:
        terms *= gained
    return sum_of_short(terms, positives) / positives


def precision_sum(points: OperatingPoints | LazyOperatingPoints, correct: int) -> FixedSum:
    """Return Σ (tp_i - tp_(i-1)) p_i, which adds exactly to that of the points before or after.

    correct: correct cases of them all.

    >>> precision_sum(OperatingPoints(np.array([1, 2]), np.array([0, 2])), correct=2).value
    1.5
    """
    grid = grid_below(correct)
    return add_fixed_sums(points.map(lambda part: grid.add_up(part.gained * precisions(part))))


def roc_step_area(points: OperatingPoints, positives: int, negatives: int) -> float:
    """Return the area under the ROC steps, Σ (r_i - r_(i-1)) specificity_i, in 0 .. 1.

    An incorrect case that is tied with a correct one counts as ranked above it.  Exact: a quotient of integers.
    Source: spec 000, areaUnderRocCurve.

    >>> roc_step_area(OperatingPoints(np.array([1, 2]), np.array([0, 1])), positives=2, negatives=2)
    0.75
    """
    lost = sum(points.map(lambda part: int(np.sum(part.gained * part.fp))))
    return _fraction_of_pairs(_correct(points) * negatives - lost, positives, negatives)


def roc_area(pairs: PairCounts, positives: int, negatives: int) -> float:
    """Return the chance that a correct case is ranked above an incorrect one, ties counting half, in 0 .. 1.

    Exact: a quotient of integers.  O(1).
    Source: J. A. Hanley and B. J. McNeil, The meaning and use of the area under a receiver
    operating characteristic (ROC) curve, Radiology 143 (1982) 29-36.

    >>> roc_area(PairCounts(correct=2, lost=1, tied=1), positives=2, negatives=2)
    0.875
    """
    half_pairs = 2 * (pairs.correct * negatives - pairs.lost) + pairs.tied
    return _fraction_of_pairs(half_pairs, 2 * positives, negatives)


def roc_areas(pairs: ColumnPairCounts, cases: int) -> FloatArray:
    """Return the `roc_area` of each of k columns of as many cases, (k,) float64, NaN where there is one class.  O(k).

    >>> roc_areas(ColumnPairCounts(*np.array([[2], [1], [1]])), cases=4)
    array([0.875])
    """
    total = 2 * pairs.correct * (cases - pairs.correct)
    return _fractions_of_pairs(total - 2 * pairs.lost + pairs.tied, total)  # below 2**53, for a column fits a block


def roc_areas_of_rank_sums(correct: IntArray, sums: IntArray, cases: int) -> FloatArray:
    """Return the `roc_area` of each of k labels from the ranks of the cases that have it, (k,) float64.

    correct: (k,) cases that have it; sums: (k,) of their ranks, each twice the cases below and those beside.  Among the
    correct cases alone these ranks add up to the square of how many there are.  Exact, as `roc_area`.  O(k).

    >>> roc_areas_of_rank_sums(np.array([2]), np.array([11]), cases=4)
    array([0.875])
    """
    halves = [sums - correct**2, 2 * correct * (cases - correct)]
    return _fractions_of_pairs(*(halves if cases <= _EXACT_PRODUCTS else exact_integers(*halves)))


def roc_area_of_few(correct: BoolArray, scores: ScoreArray) -> float:
    """Return the `roc_area` of few cases, best first, bit for bit."""
    positives, half_pairs = few_half_pairs(correct, scores)
    return _fraction_of_pairs(half_pairs, 2 * positives, correct.size - positives)


def maximum_f_measure(points: OperatingPoints, positives: Amount, beta: float = 1.0) -> BestPoint:
    """Return the largest F measure of the points, in 0 .. 1, and where it is reached.

    Source: spec 000, maximumFMeasure.

    >>> points = OperatingPoints(np.array([1, 2]), np.array([0, 1]))
    >>> maximum_f_measure(points, positives=2)
    BestPoint(value=0.8, predicted_positive=3)
    """

    def best_of(part: OperatingPoints) -> BestPoint:
        heights = np.asarray(binary.f_measure_of_counts(part.tp, positives - part.tp, part.fp, beta))
        highest = int(np.argmax(heights >= heights.max() * (1 - rounding)))
        return BestPoint(float(heights[highest]), part.predicted_positive[highest].item())

    rounding, best = rounding_of(points.tp), BestPoint(np.nan, 0)
    for each in points.map(best_of):  # of equal ones the first
        if not each.value * (1 - rounding) <= best.value:
            best = each
    return best


def minimum_expected_cost(
    points: OperatingPoints, positives: Amount, negatives: Amount, costs: FloatArray
) -> BestPoint:
    """Return the least expected cost per case of the points, or of predicting no positive, and where it is reached.

    costs: (4,) of tp, fn, fp and tn, where no right decision costs more than a wrong one: then the least cost of any
    threshold is that of a point with a correct case.  Source: C. Elkan, The foundations of cost-sensitive learning,
    IJCAI 2001.

    >>> points = OperatingPoints(np.array([1, 2]), np.array([0, 1]))
    >>> minimum_expected_cost(points, positives=2, negatives=2, costs=np.array([0.0, 5.0, 1.0, 0.0]))
    BestPoint(value=0.25, predicted_positive=3)
    """

    def best_of(part: OperatingPoints) -> BestPoint:
        each = expected_costs((part.tp, positives - part.tp, part.fp, negatives - part.fp), costs)
        lowest = int(np.argmax(each <= each.min() + rounding))
        return BestPoint(float(each[lowest]), part.predicted_positive[lowest].item())

    rounding = rounding_of(points.tp) * float(np.abs(costs).max())
    best = best_of(OperatingPoints(np.zeros(1, np.int64), np.zeros(1, np.int64)))
    for each in points.map(best_of):  # of equal ones the first
        if each.value < best.value - rounding:
            best = each
    return best


def break_even_point(points: OperatingPoints, positives: Amount) -> float:
    """Return the interpolated precision where recall reaches it, in 0 .. 1; 0.0 if it never does.

    Recall is at least precision if at least as many cases are predicted positive as there are positives; the first
    interpolated point from there on has the largest precision of all that follow.  Source: spec 000, prBreakevenPoint.

    >>> break_even_point(OperatingPoints(np.array([1, 2]), np.array([1, 1])), positives=2)
    0.6666666666666666
    """
    first = int(points.predicted_positive.searchsorted(positives * (1 - rounding_of(points.tp))))
    return float(precisions(points.at(slice(first, None))).max(initial=0.0))


def interpolated_precisions(points: OperatingPoints, positives: int) -> FloatArray:
    """Return the largest precision at recall >= 0.0, 0.1, .. 1.0, (11,) float64 in 0 .. 1.

    0.0 beyond the last recall.  Source: Manning, Raghavan and Schütze (2008), 8.4.

    >>> points = OperatingPoints(np.array([1, 2]), np.array([0, 1]))
    >>> interpolated_precisions(points, positives=2)[[0, 5, 6]]
    array([1.        , 1.        , 0.66666667])
    """
    ceiling = np.zeros(points.tp.size + 1)
    ceiling[:-1] = np.maximum.accumulate(precisions(points)[::-1])[::-1]
    # Python's integers: ten times the positives may be more than int64 holds
    needed = [-(-step * positives // 10) for step in range(11)]
    return ceiling[points.tp.searchsorted(needed)]


def _correct(points: OperatingPoints) -> int:
    return int(points.tp[-1]) if points.tp.size else 0


def _fraction_of_pairs(pairs: int, positives: int, negatives: int) -> float:
    total = positives * negatives
    return pairs / total if total else np.nan


def _fractions_of_pairs(pairs: AnyArray, total: AnyArray) -> FloatArray:
    """Divide pairs by all pairs, (k,) each, with `np.nan` where there are none; that of 0 / 0 may have a sign."""
    fractions = np.asarray(ratio(pairs, total))
    fractions[total == 0] = np.nan
    return fractions
