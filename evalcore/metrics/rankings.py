"""Rankings of labels and of graded items, and scores of classes: top-k accuracy and hinge loss."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, check, refuse, warn
from evalcore.kernels.label_ranks import by_case, rank_of_label
from evalcore.kernels.sums import ratio
from evalcore.measures import losses, ranks
from evalcore.metrics.areas import no_column_for_each_class
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray
from evalcore.validation.arrays import as_1d, as_array, as_matrix, as_score_matrix
from evalcore.validation.labels import as_sorted_labels, codes_among, codes_of_passed, encode_labels, type_of_target
from evalcore.validation.scores import as_ranked_gains, as_ranked_labels
from evalcore.validation.values import check_array_likes, check_positive_integer, invalid_parameter
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths, scale_weights, weighted_mean


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
    precisions = by_case(ranks.label_average_precision, scores, relevant)
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
    return _mean_over_cases(np.nan_to_num(by_case(ranks.ranking_loss, scores, relevant)), weights)


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
    return _mean_over_cases(by_case(ranks.coverage, scores, relevant), weights)


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
    if not (isinstance(log_base, Real) and log_base > 0):
        raise invalid_parameter("log_base", "dcg_score", "a float in the range (0.0, inf)", log_base)
    scores, gains, weights = as_ranked_gains(y_true, y_score, sample_weight)
    rank_weights = ranks.discounts(gains.shape[1], depth, float(log_base))
    return _mean_over_cases(_gained(scores, gains, rank_weights, ignore_ties), weights)


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
        Whether the later of two documents of equal score ranks first; otherwise the result is the mean over all orders
        of documents of equal score.

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
    refuse({"ndcg_score should not be used on negative y_true values.": truth.min() < 0})
    if truth.ndim > 1 and truth.shape[1] < 2:
        why = f"Computing NDCG is only meaningful when there is more than 1 document. Got {truth.shape[1]} instead."
        raise EvaluationError(why)
    scores, gains, weights = as_ranked_gains(truth, y_score, sample_weight)
    rank_weights = ranks.discounts(gains.shape[1], depth)
    best = by_case(lambda columns: ranks.largest_discounted_gain(columns, rank_weights), gains)
    fractions = ratio(_gained(scores, gains, rank_weights, ignore_ties), best)
    return _mean_over_cases(np.nan_to_num(fractions), weights)


def _gained(scores: ScoreArray, gains: npt.NDArray[Any], rank_weights: FloatArray, ignore_ties: bool) -> FloatArray:
    measure = partial(ranks.discounted_gain, rank_weights=rank_weights, ignore_ties=ignore_ties)
    return by_case(measure, gains, scores)


def _mean_over_cases(values: npt.NDArray[Any], weights: FloatArray | None) -> float:
    return weighted_mean(values, scale_weights(weights)[0])


def top_k_accuracy_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Return how often the true class is among the `k` of highest score.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes.
    y_score : array-like of shape (n,) or (n, c)
        Finite scores: of the larger class for two classes, one column for each otherwise.  Of equal scores the
        later column is ahead.
    k : int, default 2
        How many classes count as a hit.
    normalize : bool, default True
        Whether to return the fraction instead of the number of cases.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    labels : array-like of shape (c,), optional
        The classes, sorted; needed if `y_true` lacks some.

    Returns
    -------
    float
        The fraction of hits, in 0 .. 1, or their weight.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, numbers are not finite, weights are negative, `k` is below 1,
        or `labels` do not match.
    ZeroWeightsError
        If the weights sum to zero and `normalize` is True.

    Warns
    -----
    UndefinedMetricWarning
        If `k` is at least the number of classes: every case is a hit.

    Notes
    -----
    $$\frac{1}{n} \sum_{i=1}^{n} [\text{rank}_i(y_i) \leq k]$$

    Range: 0 to 1; 1 is best.  Use it where the first `k` answers are shown; not for few classes, of which `k` are
    easily right.  Equal to scikit-learn's `top_k_accuracy_score`.

    With two classes and k = 1 the larger class is predicted for scores above 0.5 if all are in 0 .. 1, otherwise
    above 0.  O(n c).  Source: O. Russakovsky et al., ImageNet large scale visual recognition challenge, International
    Journal of Computer Vision 115 (2015) 211-252.

    Examples
    --------
    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.2], [0.3, 0.4, 0.2], [0.7, 0.2, 0.1]], k=2)
    0.6666666666666666
    """
    depth = check_positive_integer(k, "k", "top_k_accuracy_score")
    truth = as_1d(y_true, "y_true")
    scores = as_score_matrix(y_score, "y_score")
    check_consistent_lengths(truth, scores, sample_weight)
    weights = as_non_negative_weights(sample_weight, truth.size, zeros=True)
    kind = type_of_target(truth, "y_true")
    if kind == "binary" and labels is not None and np.size(labels) > 2:
        kind = "multiclass"
    _check_score_columns(kind, scores)
    found = encode_labels(truth)[0]
    classes = found if labels is None else as_sorted_labels(labels, found)
    _check_class_counts(classes, 2 if kind == "binary" else scores.shape[1], labels is not None)
    if depth >= classes.size:
        meaningless = "will result in a perfect score and is therefore meaningless."
        warn(f"'k' ({depth}) greater than or equal to 'n_classes' ({classes.size}) {meaningless}")
    codes = codes_among(truth, classes)
    if kind == "multiclass":
        hits: BoolArray = by_case(rank_of_label, scores, codes) < depth
    else:
        hits = _above_threshold(scores) == codes if depth == 1 else np.ones(codes.shape, np.bool_)
    if normalize:
        return weighted_mean(hits, scale_weights(weights)[0])
    return float(np.count_nonzero(hits) if weights is None else weights[hits].sum())


def _above_threshold(scores: ScoreArray) -> BoolArray:
    single = scores.ravel()
    return np.asarray(single > (0.5 if single.min() >= 0 and single.max() <= 1 else 0))


def _check_score_columns(kind: str, scores: ScoreArray) -> None:
    check(kind in ("binary", "multiclass"), "y type", "be 'binary' or 'multiclass'", f"'{kind}' instead.")
    if kind == "binary" and scores.ndim == 2 and scores.shape[1] != 1:
        advice = "If `y_true` does not contain all the labels, `labels` must be provided."
        raise EvaluationError(f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes. {advice}")
    if kind == "multiclass" and scores.ndim != 2:
        raise no_column_for_each_class(scores)


def _check_class_counts(classes: npt.NDArray[Any], columns: int, given: bool) -> None:
    if classes.size != columns:
        whose, advice = (
            ("given labels", "") if given else ("classes in 'y_true'", " Name all classes in the `labels` parameter.")
        )
        rule = f"not equal to the number of classes in 'y_score' ({columns}).{advice}"
        raise EvaluationError(f"Number of {whose} ({classes.size}) {rule}")


def hinge_loss(
    y_true: ArrayLike,
    pred_decision: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Return the mean hinge loss, max(0, 1 - margin), of decision values.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes.
    pred_decision : array-like of shape (n,) or (n, c)
        Finite decision values: of the larger of two classes, or one column for each of several in sorted order.
    labels : array-like of shape (c,), optional
        The classes, in any order; needed if `y_true` lacks some.  Without it a single class is the smaller one.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.

    Returns
    -------
    float
        At least 0.  The margin is the value, with its sign changed for the smaller class; for several classes it is
        the value of the true class minus the largest of the others.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, values are not finite, weights are negative or all zero, or
        `labels` do not match.

    Notes
    -----
    $$\frac{1}{n} \sum_{i=1}^{n} \max(0, 1 - m_i)$$

    $m_i$ is the margin of a case.  Range: at least 0, without an upper limit; 0 is best.  Use it for decision values of
    support vector machines; not for probabilities.  Equal to scikit-learn's `hinge_loss`.

    O(n log n), O(n c) for a matrix.  scikit-learn ignores `labels` if there are two; here they count.  Source:
    K. Crammer and Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines, Journal of
    Machine Learning Research 2 (2001) 265-292.

    Examples
    --------
    >>> hinge_loss([-1, 1, 1], [-2.0, 3.0, 0.25])
    0.25
    >>> hinge_loss([0, 2], [[1.0, 0.5, 0.0], [0.0, 1.0, 0.5]], labels=[0, 1, 2])
    1.0
    """
    check_array_likes("hinge_loss", y_true=y_true, pred_decision=pred_decision, labels=labels)
    check_array_likes("hinge_loss", sample_weight=sample_weight)
    truth, decisions = as_array(y_true, "y_true"), as_score_matrix(pred_decision, "pred_decision")
    check_consistent_lengths(truth, decisions, sample_weight)
    truth = as_1d(truth, "y_true")
    weights, _ = scale_weights(as_non_negative_weights(sample_weight, truth.size))
    if (kind := type_of_target(truth, "y_true")) not in ("binary", "multiclass"):
        raise EvaluationError(f"Unknown label type: y_true is {kind}")
    classes = encode_labels(truth if labels is None else as_1d(labels, "labels"))[0]
    codes = codes_of_passed(truth, classes, labels)
    several = classes.size > 2
    columns = _class_columns(decisions, classes, labels is not None) if several else as_1d(decisions, "pred_decision")
    with np.errstate(over="ignore"):
        return weighted_mean(losses.hinge_losses(columns.astype(np.float64, copy=False), codes), weights)


def _class_columns(decisions: AnyArray, classes: AnyArray, given: bool) -> AnyArray:
    if decisions.ndim == 2 and decisions.shape[1] == classes.size:
        return decisions
    hint = "" if given else " Include all classes in y_true or pass them as labels."
    shape = f"(n_samples, n_classes), ({len(decisions)}, {classes.size})"
    got = f"got {decisions.shape}.{hint}"
    raise EvaluationError(f"pred_decision must be of shape {shape}, with a multiclass target, {got}")
