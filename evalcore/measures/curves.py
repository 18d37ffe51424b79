"""Measures of rankings, from their runs of equal scores: the same formulas for a whole ranking and for many groups.

Cases that were never retrieved count in the totals of a ranking and rank last.  Weights of cases, in float64, are taken
for numbers of cases.  Each measure costs one pass over r runs, O(r), in blocks that stay in cache.

So do areas of many columns of the same cases, of scores, of labels or of both, and those between pairs of classes.

Resamples, which need not be sorted, have measures by name, of the counts at or above each score of the cases
themselves, or of sums of weights.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, did_you_mean, shortened
from evalcore.kernels import blocks, pairs, sums
from evalcore.kernels.bins import runs_of_points
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.label_ranks import doubled_ranks, rank_sums
from evalcore.kernels.pairs import PairCounts, sum_of_products
from evalcore.kernels.runs import LazyRuns, Runs, lazy_runs, rises, runs_of_groups
from evalcore.kernels.sorting import map_ordered_columns, order
from evalcore.kernels.sums import FixedSum, exact_integers, ratio
from evalcore.kernels.thresholds import ThresholdPoints
from evalcore.kernels.weights import WeightWalk, rounding_of
from evalcore.measures import binary, thresholds
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, ScoreArray

_LARGEST = (1 << 63) - 1
_BOOL = np.dtype(np.bool_)
"""To name the type itself costs a third of a microsecond."""


def average_precisions(runs: Runs | LazyRuns | WeightWalk) -> FloatArray:
    """Return the area under the precision-recall steps: Σ (r_i - r_(i-1)) p_i, (g,) in 0 .. 1, NaN without positives.

    Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval (2008), 8.4.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> average_precisions(runs_of_scores(np.array([1, 1]), np.array([0, 2])))
    array([0.75])
    """
    if runs.are_counts:
        return np.asarray(ratio(precision_sums(runs, runs.retrieved).value, runs.totals[0]))

    def sums_of(part: Runs) -> FloatArray:
        own = np.asarray(ratio(part.positives, part.of_runs(part.totals[0])))  # products of weights might leave float64
        return part.add_up(np.array([own * binary.precision(part.tp, part.fp), own]))

    found, gained = np.sum(runs.map(sums_of), axis=0)
    return np.asarray(ratio(found, gained))  # exactly 1 of a perfect ranking, however its gains are rounded


def precision_sums(runs: Runs | LazyRuns | WeightWalk, bounds: IntArray) -> FixedSum:
    """Return Σ (tp_i - tp_(i-1)) p_i, (g,) in each field, which adds exactly to that of the runs before or after.

    bounds: (g,), positives of them all.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> precision_sums(runs_of_scores(np.array([1, 1]), np.array([0, 2])), np.array([2])).value
    array([1.5])
    """

    def sums_of(part: Runs) -> FixedSum:
        terms = part.positives * np.asarray(binary.precision(part.tp, part.fp))
        return sums.fixed_sums(terms, np.diff(part.starts), bounds)

    return sums.add_fixed_sums(runs.map(sums_of))


def average_precision_of_few(ranked: ScoreArray, own: ScoreArray) -> float:
    """Return the `average_precision` of few cases, as of `few_half_pairs`, bit for bit; NaN if none is correct."""
    positives = own.size
    if not positives:
        return math.nan
    tp, predicted_positive = pairs.falling(positives), pairs.falling(ranked.size)
    changes = (own[1:] != own[:-1]).tobytes()  # a look through bytes takes a tenth of a call of NumPy
    if 0 not in changes:
        terms = tp[:-1] / predicted_positive[ranked.searchsorted(own)]
    else:
        starts = np.frombuffer(b"\1%b\1" % changes, _BOOL).nonzero()[0]
        tp = tp[starts]
        first = tp[:-1]
        terms = first / predicted_positive[ranked.searchsorted(own[starts[:-1]])] * (first - tp[1:])
    return sums.sum_of_short(terms, positives) / positives


def roc_auc(pairs: PairCounts, positives: int, negatives: int) -> float:
    """Return the chance that a correct case is ranked above an incorrect one, ties counting half, in 0 .. 1.

    Exact: a quotient of integers.  O(1).
    Source: J. A. Hanley and B. J. McNeil, The meaning and use of the area under a receiver
    operating characteristic (ROC) curve, Radiology 143 (1982) 29-36.

    >>> roc_auc(PairCounts(correct=2, lost=1, tied=1), positives=2, negatives=2)
    0.875
    """
    half_pairs = 2 * (pairs.correct * negatives - pairs.lost) + pairs.tied
    return fraction_of_pairs(half_pairs, 2 * positives, negatives)


def roc_aucs(runs: Runs | WeightWalk) -> FloatArray:
    """Return the chance that a positive is ranked above a negative, ties counting half, (g,) in 0 .. 1.

    NaN where there is one class.  Of counts a quotient of integers, as `roc_auc`; of weights with as many digits near
    0.  Cases that were never retrieved are lost.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> roc_aucs(runs_of_scores(np.array([1, 1]), np.array([0, 2])))
    array([0.75])
    >>> roc_aucs(runs_of_scores(np.array([0.0, 0.1, 0.2]), np.array([0.7, 0.0, 0.0])))
    array([0.])
    """
    ask, areas_of = pairs_in_order(runs)
    return areas_of(sum(runs.map(ask)))


def pairs_in_order(runs: Runs | WeightWalk) -> tuple[Callable[[Runs], AnyArray], Callable[[Any], FloatArray]]:
    """Return what to ask each part of rankings, and what makes their `roc_aucs` of the sum of the answers."""
    if runs.are_counts:
        positives, negatives = runs.totals
        most = 2 * int(positives.max(initial=0)) * int(negatives.max(initial=0))
        pairs = [exact_integers(each, most=most)[0] for each in (runs.retrieved, positives, negatives)]
        retrieved, every = 2 * pairs[0] * pairs[2], 2 * pairs[1] * pairs[2]
        return partial(_lost_half_pairs, most=most), lambda lost: fractions_of_pairs(retrieved - lost, every)

    def won_and_lost(part: Runs) -> FloatArray:
        half: Any = part.negatives / 2
        sums = np.array([part.positives, part.fp_after + half, part.fp - half])
        # fractions first: products of weights might leave float64
        fractions = np.asarray(ratio(sums, part.of_runs(part.totals[[0, 1, 1]])))
        return part.add_up(fractions[0] * fractions[1:])

    return won_and_lost, lambda pairs: np.asarray(ratio(pairs[0], pairs[0] + pairs[1]))


def _lost_half_pairs(part: Runs, most: int) -> AnyArray:
    """Return twice the pairs that positives lose, ties counting half, (g,): Python's integers if int64 holds no more.

    most: no number of half pairs is larger.
    """
    if most <= _LARGEST:
        return part.add_up(part.positives * (2 * part.fp - part.negatives))
    ends = pairwise(part.starts.tolist())
    own = [[column[slice(*each)] for column in (part.positives, part.fp, part.negatives)] for each in ends]
    return np.array([2 * sum_of_products(*each[:2]) - sum_of_products(each[0], each[2]) for each in own], object)


class BestRuns(NamedTuple):
    """Where a measure is best in each ranking, at the highest score among equals."""

    values: FloatArray
    """The measure there, shape (g,)."""
    runs: IntArray
    """The run of that score, shape (g,); -1 where there is none."""


def maximum_f_measures(runs: Runs, beta: float = 1.0) -> BestRuns:
    """Return the largest F measure of the runs, (g,) in 0 .. 1, 0 without positives, and where it is reached.

    Source: spec 000, maximumFMeasure.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> maximum_f_measures(runs_of_scores(np.array([1, 1]), np.array([0, 1])))
    BestRuns(values=array([0.8]), runs=array([1]))
    """

    def heights_of(part: Runs) -> FloatArray:
        missed = np.maximum(part.of_runs(part.totals[0]) - part.tp, 0)  # sums of weights are rounded
        return np.asarray(binary.f_measure_of_counts(part.tp, missed, part.fp, beta))

    return _highest(runs, heights_of, np.zeros(runs.starts.size - 1), None)


def largest_gaps(runs: Runs) -> BestRuns:
    """Return the largest |recall - false positive rate|, (g,) in 0 .. 1, NaN without both classes, and where it is.

    There is no run where it is the false positive rate that is larger.  Source: that of `kolmogorov_smirnov`.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> largest_gaps(runs_of_scores(np.array([1, 1]), np.array([0, 1])))
    BestRuns(values=array([0.5]), runs=array([0]))
    """

    def gaps(part: Runs, tp: AnyArray, fp: AnyArray) -> FloatArray:
        positives, negatives = map(part.of_runs, part.totals)
        return np.asarray(ratio(tp * negatives - fp * positives, np.multiply(positives, negatives, dtype=np.float64)))

    none = np.zeros(runs.starts.size - 1)
    above = _highest(runs, lambda part: gaps(part, part.tp, part.fp), none, 1.0)
    # false positives are most ahead where a run with positives is about to begin
    below = _highest(runs, lambda part: -gaps(part, part.tp - part.positives, part.fp - part.negatives), none, 1.0)
    ahead, both = above.values >= below.values, (runs.totals > 0).all(axis=0)
    values = np.where(both, np.where(ahead, above.values, below.values), np.nan)
    return BestRuns(values, np.where(ahead & both, above.runs, -1))


def minimum_expected_costs(runs: Runs, costs: FloatArray) -> BestRuns:
    """Return the least expected cost per case, (g,), of the runs or of predicting no positive, and where it is reached.

    costs: (4,) of tp, fn, fp and tn, where no right decision costs more than a wrong one: then the least cost of any
    threshold is that of a run.  Source: C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> minimum_expected_costs(runs_of_scores(np.array([1, 1]), np.array([0, 2])), np.array([0.0, 9.0, 1.0, 0.0]))
    BestRuns(values=array([0.5]), runs=array([1]))
    """

    def gains_of(part: Runs) -> FloatArray:
        (positives, negatives), tp, fp = map(part.of_runs, part.totals), part.tp, part.fp
        cells = tp, positives - tp, fp, negatives - fp
        return 0.0 - thresholds.expected_costs(cells, costs, part.of_runs(part.sizes))

    none = np.zeros_like(runs.sizes)
    of_none = thresholds.expected_costs((none, runs.totals[0], none, runs.totals[1]), costs, runs.sizes)
    best = _highest(runs, gains_of, -of_none, float(np.abs(costs).max()))
    return BestRuns(0.0 - best.values, best.runs)


def _highest(runs: Runs, heights_of: Callable[[Runs], FloatArray], least: FloatArray, scale: float | None) -> BestRuns:
    """Return the largest height that is above a least one, (g,), and the first run that reaches it.  O(r).

    scale: of heights whose rounding does not depend on their size.
    """
    rounding = rounding_of(runs.positives)

    def best_of(block: slice) -> BestRuns:
        part = runs.part(block)
        heights = heights_of(part)
        values = part.largest(heights)
        reached = part.first(heights >= part.of_runs(values - rounding * (values if scale is None else scale)))
        return BestRuns(values, np.where(reached >= 0, reached + block.start, -1))

    values, best = least, np.full(least.size, -1)
    for each in map_blocks(best_of, runs.positives.size):  # of equal ones the first
        slack = rounding * (each.values if scale is None else scale)
        better = (each.runs >= 0) & ~(each.values - slack <= values)
        values, best = np.where(better, each.values, values), np.where(better, each.runs, best)
    return BestRuns(values, best)


def break_even_points(runs: Runs) -> FloatArray:
    """Return the interpolated precision where recall reaches it, (g,) in 0 .. 1; 0.0 if it never does.

    Recall is at least precision if at least as many cases are predicted positive as there are positives; the first
    interpolated point from there on has the largest precision of all that follow.  Source: spec 000, prBreakevenPoint.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> break_even_points(runs_of_scores(np.array([1, 1]), np.array([1, 0])))
    array([0.66666667])
    """
    least = runs.totals[0] * (1 - rounding_of(runs.positives))

    def largest_of(part: Runs) -> FloatArray:
        tp, fp = part.tp, part.fp
        reached = tp + fp >= part.of_runs(least)
        if not reached.any():
            return np.zeros(least.size)
        return part.largest(np.where(reached, np.asarray(binary.precision(tp, fp)), 0.0))

    return np.asarray(np.maximum(np.max(runs.map(largest_of), axis=0), 0.0))


def roc_step_area(runs: Runs) -> float:
    """Return the area under the ROC steps of one ranking, Σ (r_i - r_(i-1)) specificity_i, in 0 .. 1.

    A negative that is tied with a positive counts as ranked above it.  Exact: a quotient of integers.
    Source: spec 000, areaUnderRocCurve.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> roc_step_area(runs_of_scores(np.array([1, 1]), np.array([0, 1])))
    0.5
    """
    lost = sum(runs.map(lambda part: sum_of_products(part.positives, part.fp)))
    positives, negatives = runs.totals[:, 0].tolist()
    return fraction_of_pairs(int(runs.retrieved[0]) * negatives - lost, positives, negatives)


def interpolated_precisions(runs: Runs) -> FloatArray:
    """Return the largest precision of one ranking at recall >= 0.0, 0.1, .. 1.0, (11,) float64 in 0 .. 1.

    0.0 beyond the last recall.  Source: Manning, Raghavan and Schütze (2008), 8.4.

    >>> from evalcore.kernels.bins import runs_of_scores
    >>> interpolated_precisions(runs_of_scores(np.array([1, 1]), np.array([0, 1])))[[0, 5, 6]]
    array([1.        , 1.        , 0.66666667])
    """
    tp = runs.tp
    ceiling = np.zeros(tp.size + 1)
    ceiling[:-1] = np.maximum.accumulate(np.asarray(binary.precision(tp, runs.fp))[::-1])[::-1]
    # Python's integers: ten times the positives may be more than int64 holds
    needed = [-(-step * int(runs.totals[0, 0]) // 10) for step in range(11)]
    return ceiling[tp.searchsorted(needed)]


def roc_aucs_of_groups(keys: KeyArray, starts: IntArray) -> FloatArray:
    """Return the `roc_auc` of each group, (g,), NaN where there is one class; arguments as `pair_counts_of_groups`.

    >>> roc_aucs_of_groups(np.array([2, 3, 3, 4, 7]), np.array([0, 3, 5]))
    array([0.5, 0. ])
    """
    found, sizes = pairs.pair_counts_of_groups(keys, starts), np.diff(starts)
    total = found.correct * (sizes - found.correct)
    return fractions_of_pairs(2 * (total - found.lost) + found.tied, 2 * total)


def roc_aucs_of_rank_sums(correct: IntArray, sums: IntArray, cases: int) -> FloatArray:
    """Return the `roc_auc` of each of k labels from the ranks of the cases that have it, (k,) float64.

    correct: (k,) cases that have it; sums: (k,) of their ranks, each twice the cases below and those beside.  Among the
    correct cases alone these ranks add up to the square of how many there are.  Exact, as `roc_auc`.  O(k).

    >>> roc_aucs_of_rank_sums(np.array([2]), np.array([11]), cases=4)
    array([0.875])
    """
    return fractions_of_pairs(sums - correct**2, 2 * correct * (cases - correct))


def roc_auc_of_few(ranked: ScoreArray, own: ScoreArray) -> float:
    """Return the `roc_auc` of few cases, as of `few_half_pairs`, bit for bit."""
    return fraction_of_pairs(pairs.few_half_pairs(ranked, own), 2 * own.size, ranked.size - own.size)


def fraction_of_pairs(pairs: int, positives: int, negatives: int) -> float:
    """Return the fraction of all pairs of a positive and a negative, rounded once; NaN if there are none."""
    total = positives * negatives
    return pairs / total if total else np.nan


def fractions_of_pairs(pairs: AnyArray, total: AnyArray) -> FloatArray:
    """Divide pairs by all pairs, (k,) each, exactly, with `np.nan` for none: that of 0 / 0 may have a sign."""
    if total.dtype.kind == "i" and total.max(initial=0) > sums.EXACT_IN_FLOAT64:
        pairs, total = exact_integers(pairs, total)
    fractions = np.asarray(ratio(pairs, total))
    fractions[total == 0] = np.nan
    return fractions


def of_columns(
    measure: Callable[[KeyArray], FloatArray],
    scores: ScoreArray,
    correct: BoolArray,
    extent: tuple[float, float] | None = None,
) -> FloatArray:
    """Return a measure of each column of scores and labels, (n, k), as one array with columns last.  O(k n log n).

    measure: takes the keys of some columns, a sorted row for each, (w, n), of which w is 1 if n is above `BLOCK`;
    extent: as of `order`.

    >>> scores, correct = np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([[True, True], [False, False]])
    >>> of_columns(areas_of_rows, scores, correct)
    array([[1. , 0. ],
           [1. , 0.5]])
    """
    if len(scores) > blocks.BLOCK:
        found = [measure(order(*column, extent).keys[np.newaxis]) for column in zip(scores.T, correct.T, strict=True)]
    else:
        found = map_ordered_columns(measure, scores, correct, extent)
    return np.concatenate(found, axis=-1)


def areas_of_rows(keys: KeyArray) -> FloatArray:
    """Return the ROC AUC and the average precision of each row of sorted keys, (2, w), as `of_columns` asks."""
    return np.stack([roc_aucs_of_rows(keys), average_precisions_of_rows(keys)])


def roc_aucs_of_rows(keys: KeyArray) -> FloatArray:
    """Return the `roc_auc` of each row of sorted keys, (w,), NaN where there is one class, as `of_columns` asks."""
    return roc_aucs_of_groups(keys.ravel(), np.arange(len(keys) + 1) * keys.shape[1])


def average_precisions_of_rows(keys: KeyArray) -> FloatArray:
    """Return the average precision of each row of sorted keys, (w,), NaN without positives, as `of_columns` asks."""
    columns, cases = keys.shape
    if cases > blocks.BLOCK:
        return average_precisions(lazy_runs(keys[0]))
    return average_precisions(runs_of_groups(keys.ravel(), np.full(columns, cases), mixed=False))


def roc_aucs_of_labels(scores: ScoreArray, labels: BoolArray) -> FloatArray:
    """Return the ROC AUC of one column of scores for each of many columns of labels, from one sort.

    scores: (n,) float32 or float64, no NaN; labels: (n, k).  Returns (k,), NaN where there is one class.
    O(n log n + n k).

    >>> roc_aucs_of_labels(np.array([0.9, 0.5]), np.array([[True, False], [False, True]]))
    array([1., 0.])
    """
    return roc_aucs_of_rank_sums(*rank_sums(labels, doubled_ranks(scores)), cases=scores.size)


def pair_areas(scores: ScoreArray, codes: IntArray) -> FloatArray:
    """Return the area of each class against each other one, the mean of those by either one's scores.

    scores: (n, k); codes: (n,) of 0 .. k-1.  Returns (k, k) float64 in 0 .. 1, symmetric; NaN for a class without
    cases.  O(k n log n).

    Source: D. J. Hand and R. J. Till, A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45 (2001) 171-186.
    """
    classes = scores.shape[1]
    every = list(range(classes))
    columns = map_parts(lambda own: pairs.wins_over_classes(scores[:, own], codes, own, classes), every, scores.size)
    counts = np.bincount(codes, minlength=classes)
    areas = np.asarray(ratio(np.stack(columns), np.outer(counts, counts)))
    return np.asarray((areas + areas.T) / 2)


def mean_pair_area(areas: FloatArray, counts: IntArray, *, by_prevalence: bool = False) -> float:
    """Return the mean of the areas of all pairs of classes that have cases, in 0 .. 1; NaN if there is no pair.

    areas: (k, k) of `pair_areas`; counts: (k,) cases of each class.  by_prevalence: weigh a pair by its cases.  O(k²).

    Source: Hand and Till (2001), equation 7, for the plain mean.
    """
    one, other = np.triu_indices(len(areas), 1)
    there = (counts[one] > 0) & (counts[other] > 0)
    one, other = one[there], other[there]
    if not one.size:
        return np.nan
    return float(np.average(areas[one, other], weights=counts[one] + counts[other] if by_prevalence else None))


class PointMeasure(NamedTuple):
    """A measure of the counts at or above each score, at least 0."""

    compute: Callable[[ThresholdPoints], float]
    """NaN if it is not defined."""
    threshold: float | None = None
    """For a measure of decisions, the least score that is predicted positive."""
    largest: float = 1.0
    """Its largest possible value."""


def parse_measure(name: Any) -> PointMeasure:
    """Return the measure of a name.

    ``roc_auc``, ``average_precision``, ``ks``, ``youden``, ``eer``, ``max_f1``, ``max_mcc`` and
    ``max_balanced_accuracy`` take no number.  ``partial_auc@0.1`` is the area up to a false positive rate, not
    standardised.  ``precision_at_recall@0.8``, ``recall_at_precision@0.9``, ``recall_at_specificity@0.9`` and
    ``specificity_at_recall@0.9`` are the largest values of any threshold; ``precision_at_specificity@0.9`` and
    ``negative_predictive_value_at_recall@0.9`` are those at a point of the ROC curve, between straight lines.
    ``accuracy``, ``precision``, ``recall``, ``specificity`` and ``f1`` take a threshold, ``f1@0.5``, in the width of
    the scores.  O(1).

    Raises EvaluationError for another name, EvaluationTypeError for other types.

    >>> parse_measure("f1@0.5").threshold, parse_measure("ks").threshold
    (0.5, None)
    """
    if not isinstance(name, str):
        raise EvaluationTypeError(f"measure must be a name or a function, got {shortened(repr(name))}")
    stem, _, level = name.partition("@")
    if stem in _NAMED and not level:
        return PointMeasure(_NAMED[stem])
    number = float(level) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", level) else None
    if stem in _AT_RATE and number is not None and 0 <= number <= 1:
        return PointMeasure(partial(_AT_RATE[stem], rate=number), largest=number if stem == "partial_auc" else 1.0)
    if stem in OF_DECISIONS and number is not None:
        return PointMeasure(partial(_at_threshold, OF_DECISIONS[stem], threshold=number), number)
    shown = [*_NAMED, *(f"{stem}@rate" for stem in _AT_RATE), *(f"{stem}@threshold" for stem in OF_DECISIONS)]
    near = did_you_mean(name, shown)
    raise EvaluationError(f"measure must be one of {', '.join(shown)}, or a function, got {name!r}{near}")


def _area(points: ThresholdPoints) -> float:
    tp, fp, _ = points
    if tp.dtype.kind == "f":
        return float(roc_aucs(runs_of_points(tp, fp))[0])
    return fraction_of_pairs(pairs.half_pairs_of_points(tp, fp), 2 * int(tp[-1]), int(fp[-1]))


def _average_precision(points: ThresholdPoints) -> float:
    positives = points.tp[-1]
    if positives == 0:
        return np.nan
    first = points.tp.searchsorted(0, side="right")  # nothing may be above earlier ones
    tp, fp = (each[first:].astype(np.float64) for each in points[:2])
    # divided once: a perfect order has 1.0, and not something next to it in some resamples
    return float(np.einsum("i,i->", rises(tp), binary.precision(tp, fp)) / positives)


def _max_f1(points: ThresholdPoints) -> float:
    values = binary.f_measure_of_counts(points.tp, points.tp[-1] - points.tp, points.fp)
    return float(np.nan_to_num(np.asarray(values)).max()) if points.tp[-1] else np.nan


def _optimum(points: ThresholdPoints, criterion: str) -> float:
    return thresholds.best_threshold(thresholds.CRITERIA[criterion], *points).value


def _partial_area(points: ThresholdPoints, rate: float) -> float:
    if not points.fp[-1] or not points.tp[-1]:
        return np.nan
    return float(thresholds.partial_roc_auc(points.tp, points.fp, Fraction(0), sums.as_written(rate)))


def largest_rate(points: ThresholdPoints, name: str, rate: float) -> float:
    """Return the largest of one rate where another is at least a number, as the name says.  O(p).

    Rates of weights reach it up to their rounding, so that a common factor of weights leaves the threshold.
    """
    first = min(int(sums.searchsorted(0, side="right")) for sums in points[:2])  # without a case there is no precision
    tp, fp = points.tp[first:], points.fp[first:]
    cells = tp, points.tp[-1] - tp, fp, points.fp[-1] - fp
    values, bounded = (np.asarray(OF_DECISIONS[each](*cells)) for each in name.split("_at_"))
    return thresholds.largest_where(values, bounded, rate * (1 - rounding_of(tp, fp)))


def _predictive_value(points: ThresholdPoints, rate: float, positive: bool) -> float:
    """Return the predictive value where a rate of what is predicted wrongly, between straight lines.  O(p)."""
    right, wrong = (thresholds.from_none(sums) for sums in (points.tp, points.fp))
    if not positive:  # seen from the other corner, where false negatives run along
        right, wrong = wrong[-1] - wrong[::-1], right[-1] - right[::-1]
    if not wrong[-1] or not right[-1]:
        return np.nan
    at = sums.whole_counts((1 - rate) * wrong[-1:])
    return float(np.nan_to_num(binary.precision(np.interp(at, wrong, right), at))[0])


def _at_threshold(measure: Callable[..., float], points: ThresholdPoints, threshold: float) -> float:
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        border = points.scores.dtype.type(threshold)
    predicted = points.scores.size - int(points.scores[::-1].searchsorted(border))
    tp, fp = (float(sums[predicted - 1]) if predicted else 0.0 for sums in (points.tp, points.fp))
    return float(measure(tp, float(points.tp[-1]) - tp, fp, float(points.fp[-1]) - fp))


OF_DECISIONS: dict[str, Callable[..., Any]] = {
    "accuracy": binary.accuracy,
    "precision": lambda tp, fn, fp, tn: binary.precision(tp, fp),
    "recall": lambda tp, fn, fp, tn: binary.recall(tp, fn),
    "specificity": lambda tp, fn, fp, tn: binary.specificity(fp, tn),
    "f1": lambda tp, fn, fp, tn: binary.f_measure_of_counts(tp, fn, fp),
}
"""Measures of tp, fn, fp and tn, numbers or arrays."""
_NAMED: dict[str, Callable[[ThresholdPoints], float]] = {
    "roc_auc": _area,
    "average_precision": _average_precision,
    "max_f1": _max_f1,
    "ks": lambda points: thresholds.kolmogorov_smirnov(points.tp, points.fp),
    "youden": partial(_optimum, criterion="youden"),
    "eer": partial(_optimum, criterion="eer"),
    "max_mcc": partial(_optimum, criterion="mcc"),
    "max_balanced_accuracy": partial(_optimum, criterion="balanced_accuracy"),
}
_AT_RATE: dict[str, Callable[..., float]] = {
    "partial_auc": _partial_area,
    "negative_predictive_value_at_recall": partial(_predictive_value, positive=False),
    "precision_at_recall": partial(largest_rate, name="precision_at_recall"),
    "precision_at_specificity": partial(_predictive_value, positive=True),
    "recall_at_precision": partial(largest_rate, name="recall_at_precision"),
    "recall_at_specificity": partial(largest_rate, name="recall_at_specificity"),
    "specificity_at_recall": partial(largest_rate, name="specificity_at_recall"),
}
