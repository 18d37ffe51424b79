"""How well labels are ranked for each case, under scikit-learn's names."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.label_ranks import by_case
from evalcore.kernels.ratios import ratio
from evalcore.measures import label_rankings
from evalcore.typing import FloatArray, ScoreArray
from evalcore.validation.arrays import as_matrix
from evalcore.validation.scores import as_ranked_gains, as_ranked_labels
from evalcore.validation.values import check_above_zero, check_array_likes, check_positive_integer
from evalcore.validation.weights import scale_weights, weighted_mean


def label_ranking_average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Return the mean fraction of relevant labels among the labels down to each relevant one, in (0 .. 1].

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n, k)
        Which labels are relevant: 0 and another whole number.
    y_score : array-like of shape (n, k)
        Finite scores; labels of equal score all have the lowest rank among them.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        Σ_relevant (relevant through it / labels through it) / relevant, its mean over the cases; 1 for a case where
        no label is relevant.

    Raises
    ------
    EvaluationError
        If a shape or kind of target is not supported, numbers are not finite, or weights are negative.
    ZeroWeightsError
        If the weights sum to zero.

    Notes
    -----
    $$
    \frac{1}{n} \sum_{i=1}^{n} \frac{1}{|Y_i|} \sum_{j \in Y_i} \frac{|\{ l \in Y_i : s_{il} \geq s_{ij} \}|}{|\{ l :
    s_{il} \geq s_{ij} \}|}
    $$

    $Y_i$ are the relevant labels of a case.  Range: 0 to 1; 1 is best.  Use it where each case has labels in an order;
    for one order of many cases take `average_precision_score`.  Equal to scikit-learn's
    `label_ranking_average_precision_score`.

    O(k² n), O(k log k n) for many labels.  Source: R. E. Schapire and Y. Singer, BoosTexter: a boosting-based system
    for text categorization, Machine Learning 39 (2000) 135-168.

    Examples
    --------
    >>> label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    0.41666666666666663
    """
    scores, relevant, weights = as_ranked_labels(y_true, y_score, sample_weight, one_label=True)
    precisions = by_case(label_rankings.label_average_precision, scores, relevant)
    return _mean_over_cases(np.nan_to_num(precisions, nan=1.0), weights)


def label_ranking_loss(y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    r"""Return the mean fraction of pairs in which a relevant label is not ranked above an irrelevant one, in 0 .. 1.

    Parameters
    ----------
    y_true : array-like or sparse matrix of shape (n, k)
        Which labels are relevant: 0 and another whole number; k >= 2.
    y_score : array-like of shape (n, k)
        Finite scores; a tie counts as lost.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        The mean over the cases; 0 for a case where no label, or every label, is relevant.

    Raises
    ------
    EvaluationError
        If a shape or kind of target is not supported, numbers are not finite, or weights are negative.
    ZeroWeightsError
        If the weights sum to zero.

    Notes
    -----
    $$
    \frac{1}{n} \sum_{i=1}^{n} \frac{|\{ (j, l) : j \in Y_i, l \notin Y_i, s_{ij} \leq s_{il} \}|}{|Y_i| (k - |Y_i|)}
    $$

    $Y_i$ are the relevant labels of a case.  Range: 0 to 1; 0 is best.  Use it where every pair of labels counts alike,
    wherever it is in the order.  Equal to scikit-learn's `label_ranking_loss`.

    O(k² n), O(k log k n) for many labels.  Source: G. Tsoumakas, I. Katakis and I. Vlahavas, Mining multi-label data,
    Data Mining and Knowledge Discovery Handbook (2010) 667-685.

    Examples
    --------
    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    0.75
    """
    scores, relevant, weights = as_ranked_labels(y_true, y_score, sample_weight)
    return _mean_over_cases(np.nan_to_num(by_case(label_rankings.ranking_loss, scores, relevant)), weights)


def coverage_error(y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    r"""Return the mean number of top-ranked labels that it takes to include all relevant ones, in 0 .. k.

    Parameters
    ----------
    y_true : array-like of shape (n, k)
        Which labels are relevant: 0 and another whole number; k >= 2.
    y_score : array-like of shape (n, k)
        Finite scores; labels of equal score are all included.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        The mean over the cases; 0 for a case where no label is relevant.

    Raises
    ------
    EvaluationError
        If a shape or kind of target is not supported, numbers are not finite, or weights are negative.
    ZeroWeightsError
        If the weights sum to zero.

    Notes
    -----
    $$\frac{1}{n} \sum_{i=1}^{n} \max_{j : y_{ij} = 1} \text{rank}_{ij}$$

    Range: 0 to k; the mean number of relevant labels is best.  Use it where all relevant labels must be seen.  Equal to
    scikit-learn's `coverage_error`.

    O(k n).  Source: G. Tsoumakas, I. Katakis and I. Vlahavas, Mining multi-label data, Data Mining and Knowledge
    Discovery Handbook (2010) 667-685.

    Examples
    --------
    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    check_array_likes("coverage_error", y_true=y_true)
    scores, relevant, weights = as_ranked_labels(y_true, y_score, sample_weight)
    return _mean_over_cases(by_case(label_rankings.coverage, scores, relevant), weights)


def dcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    r"""Return the mean discounted cumulative gain.

    Parameters
    ----------
    y_true : array-like of shape (n, m)
        Finite gains of m >= 2 documents.
    y_score : array-like of shape (n, m)
        Finite scores.
    k : int, optional
        How many of the best documents count, all if None.
    log_base : float, default 2
        Base of the logarithm in the discount, above 0.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    ignore_ties : bool, default False
        Whether the later of two documents of equal score ranks first; otherwise the result is the mean over
        all orders of documents of equal score.

    Returns
    -------
    float
        Σ gain / log(rank + 2), rank from 0, its mean over the cases.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If shapes differ, numbers are not finite, weights are negative, `k` is below 1 or the base is not positive.
    ZeroWeightsError
        If the weights sum to zero.

    Notes
    -----
    $$\sum_{r=1}^{k} \frac{g_r}{\log_2(r + 1)}$$

    $g_r$ is the gain of the document at rank $r$.  Range: at least 0 for gains that are, without an upper limit; large
    is best.  Use `ndcg_score` to compare queries, whose sums of gains differ.  Equal to scikit-learn's `dcg_score`.

    O(m² n), O(m log m n) for many documents.  Sources: K. Järvelin and J. Kekäläinen, Cumulated gain-based evaluation
    of IR techniques, ACM Transactions on Information Systems 20 (2002) 422-446; for ties F. McSherry and M. Najork,
    Computing information retrieval performance measures efficiently in the presence of tied scores, ECIR 2008.

    Examples
    --------
    >>> round(dcg_score([[3, 2]], [[0.1, 0.9]]), 6)
    3.892789
    >>> dcg_score([[3, 1]], [[0.5, 0.5]], k=1)
    2.0
    """
    depth = None if k is None else check_positive_integer(k, "k", "dcg_score")
    base = check_above_zero(log_base, "log_base", "dcg_score")
    scores, gains, weights = as_ranked_gains(y_true, y_score, sample_weight)
    return _mean_over_cases(
        _gained(scores, gains, label_rankings.discounts(gains.shape[1], depth, base), ignore_ties), weights
    )


def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
) -> float:
    r"""Return the mean discounted cumulative gain, as a fraction of that of the best order, in 0 .. 1.

    Parameters
    ----------
    y_true : array-like of shape (n, m)
        Finite gains of m >= 2 documents, none negative.
    y_score : array-like of shape (n, m)
        Finite scores.
    k : int, optional
        How many of the best documents count, all if None.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    ignore_ties : bool, default False
        As in `dcg_score`.

    Returns
    -------
    float
        The mean over the cases; 0 for a case without gains.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If shapes differ, numbers are not finite, gains or weights are negative, or `k` is below 1.
    ZeroWeightsError
        If the weights sum to zero.

    Notes
    -----
    $$\frac{DCG}{\max DCG}$$

    Range: 0 to 1; 1 is best.  Use it where documents are relevant to a degree and the top counts most; for many queries
    of different length take `evalcore.ranking.evaluate`.  Gains enter as they are: for 2^gain - 1 pass that.  Equal to
    scikit-learn's `ndcg_score`.

    O(m² n), O(m log m n) for many documents.  Sources: as for `dcg_score`.

    Examples
    --------
    >>> ndcg_score([[3, 2]], [[0.9, 0.1]])
    1.0
    >>> round(ndcg_score([[3, 2]], [[0.1, 0.9]]), 6)
    0.913402
    """
    depth = None if k is None else check_positive_integer(k, "k", "ndcg_score")
    truth = as_matrix(y_true, "y_true")
    if truth.min() < 0:
        raise EvaluationError("ndcg_score should not be used on negative y_true values.")
    if truth.ndim > 1 and truth.shape[1] < 2:
        raise EvaluationError(
            f"Computing NDCG is only meaningful when there is more than 1 document. Got {truth.shape[1]} instead."
        )
    scores, gains, weights = as_ranked_gains(truth, y_score, sample_weight)
    rank_weights = label_rankings.discounts(gains.shape[1], depth)
    best = by_case(lambda columns: label_rankings.largest_discounted_gain(columns, rank_weights), gains)
    fractions = ratio(_gained(scores, gains, rank_weights, ignore_ties), best)
    return _mean_over_cases(np.nan_to_num(fractions), weights)


def _gained(scores: ScoreArray, gains: npt.NDArray[Any], rank_weights: FloatArray, ignore_ties: bool) -> FloatArray:
    measure = label_rankings.discounted_gain_without_ties if ignore_ties else label_rankings.discounted_gain
    return by_case(lambda gained, scored: measure(gained, scored, rank_weights), gains, scores)


def _mean_over_cases(values: npt.NDArray[Any], weights: FloatArray | None) -> float:
    return weighted_mean(values, scale_weights(weights)[0])
