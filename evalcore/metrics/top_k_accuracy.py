"""How often the true class is among those of highest score, under scikit-learn's name."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.kernels.label_ranks import by_case, rank_of_label
from evalcore.typing import BoolArray, ScoreArray
from evalcore.validation.arrays import as_1d, as_score_matrix
from evalcore.validation.labels import codes_among, distinct_labels, type_of_target
from evalcore.validation.values import check_positive_integer
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths, scale_weights, weighted_mean


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
    found = distinct_labels(truth)
    classes = found if labels is None else _checked_labels(labels, found)
    _check_class_counts(classes, 2 if kind == "binary" else scores.shape[1], labels is not None)
    if depth >= classes.size:
        warnings.warn(
            f"'k' ({depth}) greater than or equal to 'n_classes' ({classes.size}) will result in a perfect score and "
            "is therefore meaningless.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
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
    if kind not in ("binary", "multiclass"):
        raise EvaluationError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    if kind == "binary" and scores.ndim == 2 and scores.shape[1] != 1:
        raise EvaluationError(
            f"`y_true` is binary while y_score is 2d with {scores.shape[1]} classes. If `y_true` does not contain all "
            "the labels, `labels` must be provided."
        )
    if kind == "multiclass" and scores.ndim != 2:
        raise EvaluationError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. Got "
            f"`y_score.shape={scores.shape}`."
        )


def _check_class_counts(classes: npt.NDArray[Any], columns: int, given: bool) -> None:
    if classes.size == columns:
        return
    if given:
        raise EvaluationError(
            f"Number of given labels ({classes.size}) not equal to the number of classes in 'y_score' ({columns})."
        )
    raise EvaluationError(
        f"Number of classes in 'y_true' ({classes.size}) not equal to the number of classes in 'y_score' ({columns}). "
        "Name all classes in the `labels` parameter."
    )


def _checked_labels(labels: Any, found: npt.NDArray[Any]) -> npt.NDArray[Any]:
    given = as_1d(labels, "labels")
    classes = distinct_labels(given)
    if classes.size != given.size:
        raise EvaluationError("Parameter 'labels' must be unique.")
    if not np.array_equal(classes, given):
        raise EvaluationError("Parameter 'labels' must be ordered.")
    if codes_among(found, classes).min() < 0:
        raise EvaluationError("'y_true' contains labels not in parameter 'labels'.")
    return classes
