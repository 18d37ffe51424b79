"""The hinge loss of decision values, under scikit-learn's name."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.measures import margins
from evalcore.typing import AnyArray, FloatArray
from evalcore.validation.arrays import as_1d, as_array, as_score_matrix
from evalcore.validation.labels import codes_among, distinct_labels, type_of_target
from evalcore.validation.values import check_array_likes
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths, scale_weights, weighted_mean


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
    given: dict[str, Any] = {
        "y_true": y_true,
        "pred_decision": pred_decision,
        "labels": labels,
        "sample_weight": sample_weight,
    }
    check_array_likes("hinge_loss", **given)
    truth, decisions = as_array(y_true, "y_true"), as_score_matrix(pred_decision, "pred_decision")
    check_consistent_lengths(truth, decisions, sample_weight)
    truth = as_1d(truth, "y_true")
    weights, _ = scale_weights(as_non_negative_weights(sample_weight, truth.size))
    if (kind := type_of_target(truth, "y_true")) not in ("binary", "multiclass"):
        raise EvaluationError(f"Unknown label type: y_true is {kind}")
    classes = distinct_labels(truth if labels is None else as_1d(labels, "labels"))
    codes = codes_among(truth, classes)
    if codes.min() < 0:
        unknown = distinct_labels(truth[codes < 0]).tolist()
        raise EvaluationError(f"y_true contains values {unknown} not belonging to the passed labels {labels!r}.")
    with np.errstate(over="ignore"):
        if classes.size > 2:
            each = margins.margins_of_several(_class_columns(decisions, classes, labels is not None), codes)
        else:
            each = margins.margins_of_two(as_1d(decisions, "pred_decision").astype(np.float64, copy=False), codes == 1)
        return weighted_mean(margins.hinge_losses(each), weights)


def _class_columns(decisions: AnyArray, classes: AnyArray, given: bool) -> FloatArray:
    if decisions.ndim == 2 and decisions.shape[1] == classes.size:
        return decisions.astype(np.float64, copy=False)
    hint = "" if given else " Include all classes in y_true or pass them as labels."
    raise EvaluationError(
        f"pred_decision must be of shape (n_samples, n_classes), ({len(decisions)}, {classes.size}), with a multiclass "
        f"target, got {decisions.shape}.{hint}"
    )
