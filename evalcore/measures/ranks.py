"""Statistics at a rank, as means over all orders of cases of equal score, and how well the labels of cases are ranked.

Measures of labels return one value for each of n cases, from (k, n) arrays of finite numbers, a row for each of k
labels.  Labels of equal score have the worst rank of their run, or the mean of its ranks for discounted gains.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.label_ranks import count_labels, label_ranks_of, ranks_by_score
from evalcore.kernels.runs import Runs
from evalcore.kernels.sums import exact_integers, ratio
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, Ratio, ScoreArray

_EXACT_PRODUCTS = 1 << 26
"""Numbers of cases whose products are whole numbers of float64."""

_NEGLIGIBLE_EXPONENT = 45.0
"""Chances below exp(-45), 3e-20, do not change a float64 sum that is near 1."""


def precisions_at(runs: Runs, depths: AnyArray) -> FloatArray:
    """Return the expected fraction of positives among the first `depths` cases of each ranking, in 0 .. 1.

    depths: (g,) from 1 on, of a single ranking of any shape; cases that do not exist count as negatives.  Returns the
    same shape; NaN for a depth of 0.  O(r).  Source: F. McSherry and M. Najork, Computing information retrieval
    performance measures efficiently in the presence of tied scores, ECIR 2008.
    """
    hits, size, depths = _hits_times_size(runs, depths, depths)
    return np.clip(ratio(hits, size * depths), 0.0, 1.0)  # sums of weights may be rounded beyond


def recalls_at(runs: Runs, depths: AnyArray) -> FloatArray:
    """Return the expected fraction of the positives that is among the first `depths` cases of each ranking, in 0 .. 1.

    depths: as of `precisions_at`.  Returns the same shape; NaN where there is no positive.  O(r).  Source: as there.
    """
    hits, size, positives = _hits_times_size(runs, depths, runs.totals[0])
    return np.clip(ratio(hits, size * positives), 0.0, 1.0)


def _hits_times_size(runs: Runs, depths: AnyArray, other: AnyArray) -> list[AnyArray]:
    """Return the expected number of positives among the best, times the size of a run, that size, and other amounts.

    All as Python's integers if products may leave int64.
    """
    run = runs.last_above(depths)
    if not runs.tp.size:
        return [np.zeros_like(depths), np.ones_like(depths), other]
    positives, tp, size = runs.positives[run], runs.tp[run], runs.positives[run] + runs.negatives_of(run)
    columns = [positives, size, tp - positives, depths - (tp + runs.fp[run] - size), other]
    if runs.are_counts and max(runs.totals.max(initial=0), np.max(depths, initial=0)) > _EXACT_PRODUCTS:
        columns = exact_integers(*columns)
    positives, size, tp_before, past, other = columns
    return [np.where(run < 0, 0, tp_before * size + np.minimum(past, size) * positives), size, other]


def reciprocal_ranks(runs: Runs, depth: int | None = None) -> FloatArray:
    """Return the expected reciprocal of the rank, from 1, of the first positive, (g,) in 0 .. 1; 0 without one.

    As `first_reciprocals`.
    """
    found, held = np.zeros(runs.starts.size - 1), runs.starts[1:] > runs.starts[:-1]
    first = runs.part(slice(0, 1)) if held.size == 1 else runs
    size = first.size
    columns = first.tp + first.fp - size, size, first.positives
    before, size, positives = (each[runs.starts[:-1][held]].astype(np.float64) for each in columns)
    found[held] = first_reciprocals(before, size, positives, depth)
    return found


def first_reciprocals(before: FloatArray, size: FloatArray, correct: FloatArray, depth: int | None) -> FloatArray:
    """Return the expected reciprocals of the rank, from 1, of the first correct case of tie groups, (t,) in 0 .. 1.

    before, size, correct: (t,) whole numbers: cases above, in the group, and the correct of these, at least one; depth:
    ranks beyond it count 0, counted from 1.  The first of c correct among t cases comes j-th with chance
    w_j = C(t-j, c-1) / C(t, c), and w_(j+1) / w_j = (t-j-c+1) / (t-j).  O(Σ size / correct), in blocks of groups of
    like length.  Source: McSherry and Najork (2008).
    """
    lengths = np.minimum(size - correct + 1, np.floor(_NEGLIGIBLE_EXPONENT * size / correct) + 1)
    if depth is not None:
        lengths = np.clip(depth - before, 0, lengths)
    found = np.where(lengths == 1, correct / size / (before + 1), 0.0)
    order = np.argsort(lengths, kind="stable")
    start = int(lengths[order].searchsorted(1, side="right"))
    while start < order.size:
        chosen = order[start : start + max(int(BLOCK // lengths[order[start]]), 1)]
        chosen = chosen[: max(int(BLOCK // lengths[chosen[-1]]), 1)]  # the last is the longest
        start += chosen.size
        found[chosen] = _first_at_once(before[chosen], size[chosen], correct[chosen], lengths[chosen])
    return found


def _first_at_once(before: FloatArray, size: FloatArray, correct: FloatArray, lengths: FloatArray) -> FloatArray:
    steps = np.arange(1.0, lengths[-1])
    before, size, correct = before[:, np.newaxis], size[:, np.newaxis], correct[:, np.newaxis]
    chances = np.empty((lengths.size, steps.size + 1))
    chances[:, :1] = correct / size
    # beyond the length of a shorter group: chances of 0
    left = np.maximum(size - correct + 1 - steps, 0.0)
    np.cumprod(left / np.maximum(size - steps, 1.0), axis=1, out=chances[:, 1:])
    chances[:, 1:] *= chances[:, :1]
    ranks = before + 1 + np.arange(steps.size + 1)
    inside = np.arange(steps.size + 1) < lengths[:, np.newaxis]
    return np.asarray(np.sum(chances / ranks, axis=1, where=inside))


def mean_rank(counts: IntArray) -> Ratio:
    """Return the mean rank, from 0, of cases counted by their ranks; NaN without cases.

    counts: (k,) int64, or (g, k) for g groups, which gives (g,).  O(size).  Source: spec 003, averageRankReference.
    """
    return ratio(np.sum(counts * np.arange(counts.shape[-1], dtype=np.float64), axis=-1), counts.sum(axis=-1))


def mean_reciprocal_rank(counts: IntArray) -> Ratio:
    """Return the mean of 1 / (1 + rank) over cases counted by their ranks, in 0 .. 1; NaN without cases.

    counts: (k,) int64, or (g, k) for g groups, which gives (g,).  O(size).  Source: spec 003, meanReciprocalRank.
    """
    return ratio(np.sum(counts / np.arange(1, counts.shape[-1] + 1), axis=-1), counts.sum(axis=-1))


def top_accuracy(counts: IntArray, depth: int) -> Ratio:
    """Return the fraction of the cases whose right category is among the `depth` best, in 0 .. 1; NaN without cases.

    counts: (k,) int64, cases by the rank of the right category, or (g, k) for g groups, which gives (g,).  O(size).
    Source: O. Russakovsky et al., ImageNet large scale visual recognition challenge, International Journal of Computer
    Vision 115 (2015) 211-252.

    >>> top_accuracy(np.array([[5, 3, 2], [0, 1, 3]]), 2)
    array([0.8 , 0.25])
    """
    return ratio(counts[..., :depth].sum(axis=-1), counts.sum(axis=-1))


_BEYOND_IF_IRRELEVANT = np.array([np.inf, 0.0])


def label_average_precision(scores: npt.NDArray[Any], relevant: BoolArray) -> FloatArray:
    """Return the mean, over the relevant labels, of the fraction of relevant ones among the labels down to it.

    Σ_relevant relevant through it / labels through it / relevant, in (0 .. 1]; NaN where no label is relevant.
    O(k² n), O(k log k n) for many labels.  Source: R. E. Schapire and Y. Singer, BoosTexter: a boosting-based system
    for text categorization, Machine Learning 39 (2000) 135-168.
    """
    fractions = label_ranks_of(scores, relevant).through / label_ranks_of(scores).through
    return np.asarray(ratio(np.sum(fractions, axis=0, where=relevant), count_labels(relevant)))


def ranking_loss(scores: npt.NDArray[Any], relevant: BoolArray) -> FloatArray:
    """Return the fraction of pairs of a relevant and an irrelevant label where the relevant one is not above.

    In 0 .. 1; ties count as lost; NaN where there is no pair.  O(k² n), O(k log k n) for many labels.  Source:
    G. Tsoumakas, I. Katakis and I. Vlahavas, Mining multi-label data, Data Mining and Knowledge Discovery Handbook
    (2010) 667-685.
    """
    lost = np.sum(label_ranks_of(scores, ~relevant).through, axis=0, where=relevant, dtype=np.int64)
    count = count_labels(relevant)
    return np.asarray(ratio(lost, count * (len(relevant) - count)))


def label_roc_auc(scores: npt.NDArray[Any], relevant: BoolArray) -> FloatArray:
    """Return the fraction of pairs of a relevant and an irrelevant label where the relevant one is above.

    In 0 .. 1; ties count half; NaN where there is no pair.  O(k² n), O(k log k n) for many labels.  Source: J. A.
    Hanley and B. J. McNeil, Radiology 143 (1982) 29-36.
    """
    above, through = label_ranks_of(scores, ~relevant)
    not_won = np.sum(np.add(above, through, dtype=np.int64), axis=0, where=relevant)
    count = count_labels(relevant)
    pairs = 2 * count * (len(relevant) - count)
    return np.asarray(ratio(pairs - not_won, pairs))  # rounded once, near 0 too


def coverage(scores: ScoreArray, relevant: BoolArray) -> IntArray:
    """Return how many labels of highest score it takes to hold all relevant ones, ties included.

    In 0 .. k; 0 where no label is relevant.  O(k n).  Source: Tsoumakas, Katakis and Vlahavas (2010).
    """
    # adding a looked-up 0 or infinity takes half the time of np.where
    return count_labels(scores >= (scores + _BEYOND_IF_IRRELEVANT.take(relevant)).min(axis=0))


def discounts(labels: int, depth: int | None = None, base: float = 2.0) -> FloatArray:
    """Return what a gain at each rank is multiplied by: 1 / log_base(rank + 2), 0 from `depth` on.

    rank counts from 0.  Returns (k,).  O(k).  Source: K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation
    of IR techniques, ACM Transactions on Information Systems 20 (2002) 422-446.
    """
    weights: FloatArray = np.log(base) / np.log(np.arange(2.0, labels + 2))
    if depth is not None:
        weights[depth:] = 0
    return weights


def discounted_gain(
    gains: npt.NDArray[Any], scores: npt.NDArray[Any], rank_weights: FloatArray, *, ignore_ties: bool = False
) -> FloatArray:
    """Return Σ gain · discount at its rank, the mean over all orders of labels of equal score.

    gains, scores: (k, n); rank_weights: (k,), from `discounts`.  A label of a run of ties has the mean discount of the
    run; ignore_ties: or the later label is first.  O(k² n), O(k log k n) for many labels.  Source: F. McSherry and M.
    Najork, Computing information retrieval performance measures efficiently in the presence of tied scores, ECIR 2008.
    """
    if ignore_ties:
        weights = rank_weights.take(ranks_by_score(scores[::-1])[::-1], mode="clip")
    else:
        before = np.concatenate([[0.0], np.cumsum(rank_weights)])
        above, through = label_ranks_of(scores)
        # nothing is beyond the ends: "clip" only spares the check
        weights = before.take(through, mode="clip")
        weights -= before.take(above, mode="clip")
        weights /= through - above
    return np.asarray(np.einsum("kn,kn->n", weights, gains.astype(np.float64)))


def largest_discounted_gain(gains: npt.NDArray[Any], rank_weights: FloatArray) -> FloatArray:
    """Return the discounted gain of the best order: the gains from largest to smallest.

    gains: (k, n); rank_weights: (k,), none negative.  O(k log k n).  Source: Järvelin and Kekäläinen (2002).
    """
    return np.asarray(rank_weights[::-1] @ np.sort(gains, axis=0))
