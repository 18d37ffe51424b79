"""Measures of how well each case's labels are ranked: labels are the rows of an array, cases its columns.

Each returns one value for each of n cases with k labels, from (k, n) arrays of finite numbers.  Labels of equal score
have the worst rank of their run, or the mean of its ranks for discounted gains.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.kernels.label_ranks import count_labels, label_ranks_of, ranks_with_later_first
from evalcore.kernels.ratios import ratio
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

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


def label_roc_area(scores: npt.NDArray[Any], relevant: BoolArray) -> FloatArray:
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
    lowest = (scores + _BEYOND_IF_IRRELEVANT.take(relevant)).min(axis=0)
    return count_labels(scores >= lowest)


def discounts(labels: int, depth: int | None = None, base: float = 2.0) -> FloatArray:
    """Return what a gain at each rank is multiplied by: 1 / log_base(rank + 2), 0 from `depth` on.

    rank counts from 0.  Returns (k,).  O(k).  Source: K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation
    of IR techniques, ACM Transactions on Information Systems 20 (2002) 422-446.
    """
    weights: FloatArray = np.log(base) / np.log(np.arange(2.0, labels + 2))
    if depth is not None:
        weights[depth:] = 0
    return weights


def discounted_gain(gains: npt.NDArray[Any], scores: npt.NDArray[Any], rank_weights: FloatArray) -> FloatArray:
    """Return Σ gain · discount at its rank, the mean over all orders of labels of equal score.

    gains, scores: (k, n); rank_weights: (k,), from `discounts`.  A label of a run of ties has the mean discount of the
    run.  O(k² n), O(k log k n) for many labels.  Source: F. McSherry and M. Najork, Computing information retrieval
    performance measures efficiently in the presence of tied scores, ECIR 2008.
    """
    before = np.concatenate([[0.0], np.cumsum(rank_weights)])
    above, through = label_ranks_of(scores)
    # nothing is beyond the ends: "clip" only spares the check
    mean_weights = before.take(through, mode="clip")
    mean_weights -= before.take(above, mode="clip")
    mean_weights /= through - above
    return np.asarray(np.einsum("kn,kn->n", mean_weights, gains.astype(np.float64)))


def discounted_gain_without_ties(
    gains: npt.NDArray[Any], scores: npt.NDArray[Any], rank_weights: FloatArray
) -> FloatArray:
    """Return Σ gain · discount at its rank, as `discounted_gain`, the later label first where scores are equal."""
    weights = rank_weights.take(ranks_with_later_first(scores), mode="clip")
    return np.asarray(np.einsum("kn,kn->n", weights, gains.astype(np.float64)))


def largest_discounted_gain(gains: npt.NDArray[Any], rank_weights: FloatArray) -> FloatArray:
    """Return the discounted gain of the best order: the gains from largest to smallest.

    gains: (k, n); rank_weights: (k,), none negative.  O(k log k n).  Source: Järvelin and Kekäläinen (2002).
    """
    return np.asarray(rank_weights[::-1] @ np.sort(gains, axis=0))
