"""Areas under curves of scores, under scikit-learn's names: of two classes, of several, of several labels."""

import warnings
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning
from evalcore.kernels.operating_points import UnjoinedPoints
from evalcore.kernels.ordering import order
from evalcore.kernels.pairs import pair_counts
from evalcore.measures import curves, weighted_curves
from evalcore.metrics.binary_scores import binary_scores, column, finite_scores, positives, threshold_points
from evalcore.metrics.curves import roc_curve
from evalcore.metrics.parameters import choice
from evalcore.metrics.target_types import array_of, is_sparse, type_of_target
from evalcore.metrics.targets import binarize, check_lengths
from evalcore.typing import BoolArray, FloatArray

Array = npt.NDArray[Any]
Area = Callable[[Array, Array, Any], float]
_AVERAGES = None, "micro", "macro", "weighted", "samples"


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> float | FloatArray:
    """Return the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k)
        Labels of two classes, the larger being positive; of several; or of k labels at once, 0 and 1.
    y_score : array-like of shape (n,) or (n, k)
        Finite scores; of several classes probabilities, in the order of the sorted labels.
    average : {"macro", "micro", "samples", "weighted", None}
        How to average over classes or labels; None returns them all.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    max_fpr : float in (0, 1], optional
        Return the area up to this false positive rate, standardised to 0.5 for chance and 1 at best.
    multi_class : {"raise", "ovr", "ovo"}
        Whether to compare each class with the rest or with each other.
    labels : array-like, optional
        Sorted labels of the columns, where `y_true` may lack one.

    Returns
    -------
    float, or (k,) float64
        In 0 .. 1, ties counting half; NaN, with an UndefinedMetricWarning, of one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        For what are no labels, scores or weights, and for arguments that do not go together.

    Notes
    -----
    O(n log n) for each class or label.  Sources: J. A. Hanley and B. J. McNeil, Radiology 143 (1982) 29-36;
    D. J. Hand and R. J. Till, Machine Learning 45 (2001) 171-186 ("ovo"); D. K. McClish, Medical Decision Making 9
    (1989) 190-195 (`max_fpr`).

    Examples
    --------
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    choice(average, (*_AVERAGES[1:], None), "average", "roc_auc_score")
    choice(multi_class, ("raise", "ovr", "ovo"), "multi_class", "roc_auc_score")
    scores = _scores(y_score)
    if scores.ndim < 2 and (max_fpr is None or max_fpr == 1):
        classes = _two_classes(y_true)
        if classes is not None:
            return _roc_area(classes, scores, sample_weight)
    kind = type_of_target(y_true)
    if kind == "multiclass" or (kind == "binary" and scores.ndim == 2 and scores.shape[1] > 2):
        if max_fpr is not None and max_fpr != 1:
            raise EvaluationError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
                f"received `max_fpr={max_fpr}` instead"
            )
        if multi_class == "raise":
            raise EvaluationError("multi_class must be in ('ovo', 'ovr')")
        return _multiclass_area(column(y_true, "y_true"), scores, labels, multi_class, average, sample_weight)

    def area(positive: Array, values: Array, weights: Any) -> float:
        if max_fpr is None or max_fpr == 1:
            return _roc_area(positive, values, weights)
        return _standardised_partial_area(positive, values, weights, max_fpr)

    if kind == "binary":
        given = column(y_true, "y_true")
        present = np.unique(given)
        return area(given == present[-1] if present.size > 1 else np.zeros(given.size, np.bool_), scores, sample_weight)
    return averaged(area, y_true, kind, scores, average, sample_weight)


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> float | FloatArray:
    """Return the average precision: the area under the precision-recall steps.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k)
        Labels of two classes; of several; or of k labels at once, 0 and 1.
    y_score : array-like of shape (n,) or (n, k)
        Finite scores.
    average : {"macro", "micro", "samples", "weighted", None}
        How to average over classes or labels; None returns them all.
    pos_label : int, float, bool or str
        The positive one of two classes.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.

    Returns
    -------
    float, or (k,) float64
        In 0 .. 1; 0.0 with a warning without positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        For what are no labels, scores or weights, and for arguments that do not go together.

    Notes
    -----
    O(n log n) for each class or label.  Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to
    Information Retrieval (2008), 8.4.

    Examples
    --------
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    choice(average, (*_AVERAGES[1:], None), "average", "average_precision_score")
    scores = _scores(y_score)
    if scores.ndim < 2 and pos_label in (1, True):
        classes = _two_classes(y_true)
        if classes is not None:
            return _average_precision(classes, scores, sample_weight, pos_label)
    kind = type_of_target(y_true)
    if kind == "binary":
        present = np.unique(column(y_true, "y_true")).tolist()
        if len(present) == 2 and pos_label not in present:
            raise EvaluationError(
                f"pos_label={pos_label} is not a valid label. It should be one of {np.array(present)}"
            )
        return _average_precision(y_true, scores, sample_weight, pos_label)
    if kind in ("multilabel-indicator", "multiclass") and pos_label != 1:
        raise EvaluationError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set pos_label to 1."
        )
    if kind == "multiclass":
        given = column(y_true, "y_true")
        marks = binarize(given, np.unique(given))
        if scores.shape != marks.shape:
            raise EvaluationError(
                "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
                f"Got `y_score.shape={scores.shape}`."
            )
        y_true, kind = marks, "multilabel-indicator"

    def area(positive: Array, values: Array, weights: Any) -> float:
        return _average_precision(positive, values, weights, 1)

    return averaged(area, y_true, kind, scores, average, sample_weight)


def averaged(  # noqa: PLR0917  internal
    area: Area, y_true: Any, kind: str, scores: Array, average: str | None, sample_weight: Any
) -> float | FloatArray:
    """Average an area over labels, or return that of each.

    y_true: (n, k) of 0 and 1; scores: (n, k).  O(k) areas, for "samples" n of them.

    >>> averaged(lambda y, s, w: float(y.mean()), np.eye(2), "multilabel-indicator", np.eye(2), "macro", None)
    0.5
    """
    if average not in _AVERAGES:
        raise EvaluationError(f"average has to be one of {_AVERAGES}")
    if kind != "multilabel-indicator":
        raise EvaluationError(f"{kind} format is not supported")
    marks = np.asarray(y_true.toarray() if hasattr(y_true, "toarray") else y_true) != 0
    if marks.shape != scores.shape:
        raise EvaluationError(f"y_true and y_score have different shape: {marks.shape} and {scores.shape}")
    weights = None if sample_weight is None else column(sample_weight, "sample_weight")
    check_lengths(marks, weights)
    if average == "micro":
        return area(marks.ravel(), scores.ravel(), None if weights is None else np.repeat(weights, marks.shape[1]))
    if average == "samples":
        values = np.array([area(row, row_scores, None) for row, row_scores in zip(marks, scores, strict=True)])
        return _mean(values, weights)
    support = marks.sum(axis=0) if weights is None else (marks * weights[:, np.newaxis]).sum(axis=0)
    if average == "weighted" and not np.any(support):
        return 0.0
    values = np.array([area(*columns, weights) for columns in zip(marks.T, scores.T, strict=True)])
    if average is None:
        return values
    if average == "macro":
        return _mean(values, None)
    return _mean(values, support)


def _mean(values: FloatArray, weights: Array | None) -> float:
    if weights is None:
        return float(values.mean())
    return float(np.average(np.where(weights == 0, 0, values), weights=weights))


def _scores(y_score: Any) -> Array:
    """Scores of any shape, of which single columns are checked further where they are used."""
    scores = array_of(y_score, "y_score")
    if is_sparse(scores):
        raise EvaluationTypeError("y_score must be dense; call .toarray() on it")
    if scores.ndim == 2:
        finite_scores(scores, "y_score")
        return scores.astype(np.float64) if scores.dtype.kind == "O" else scores
    return scores


def _two_classes(y_true: Any) -> BoolArray | None:
    """Positives of a column that is plainly binary: Booleans, or numbers of which the larger is 1.  None for others."""
    labels = np.asarray(y_true)
    if labels.ndim != 1 or labels.size == 0 or labels.dtype.kind not in "biuf":
        return None
    if labels.dtype.kind == "b":
        return labels
    ones: BoolArray = labels == 1
    found = np.count_nonzero(ones)
    others = (np.count_nonzero(labels == other) for other in (0, -1))
    return ones if found and any(found + count == labels.size for count in others) else None


def _roc_area(y_true: Array, scores: Array, weights: Any) -> float:
    labels = positives(column(y_true, "y_true"), None)
    if labels.size and (labels.all() or not labels.any()):
        return _undefined_area()
    cases = binary_scores(labels, scores, weights)
    if cases.weights is not None:
        area = weighted_curves.roc_area(*threshold_points(cases)[:2])
        return _undefined_area() if np.isnan(area) else area  # a class without weight
    pairs = pair_counts(order(cases.scores, cases.positive).keys)
    return curves.roc_area(pairs, pairs.correct, cases.positive.size - pairs.correct)


def _undefined_area() -> float:
    message = "Only one class is present in y_true. ROC AUC score is not defined in that case."
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)
    return np.nan


def _standardised_partial_area(y_true: Array, scores: Array, weights: Any, max_fpr: float) -> float:
    if not 0 < max_fpr <= 1:
        raise EvaluationError(f"Expected max_fpr in range (0, 1], got: {max_fpr!r}")
    labels = positives(column(y_true, "y_true"), None)
    if labels.size and (labels.all() or not labels.any()):
        return _undefined_area()
    fpr, tpr, _ = roc_curve(y_true, scores, sample_weight=weights)
    area = weighted_curves.partial_roc_area(fpr, tpr, 0.0, max_fpr)
    chance = max_fpr**2 / 2
    return float(0.5 * (1 + (area - chance) / (max_fpr - chance)))


def _average_precision(y_true: Any, scores: Array, weights: Any, pos_label: Any) -> float:
    cases = binary_scores(y_true, scores, weights, pos_label)
    positive = int(np.count_nonzero(cases.positive))
    if positive == 0:
        message = "No positive class found in y_true, recall is set to one for all thresholds."
        warnings.warn(message, stacklevel=3)
        return 0.0
    if cases.weights is not None:
        return weighted_curves.average_precision(*threshold_points(cases)[:2])
    return curves.average_precision(UnjoinedPoints(order(cases.scores, cases.positive).keys), positive)


def _multiclass_area(  # noqa: PLR0917  internal
    y_true: Array, scores: Array, labels: Any, multi_class: str, average: str | None, sample_weight: Any
) -> float | FloatArray:
    _check_probabilities(scores)
    options: tuple[str | None, ...] = ("macro", "weighted", None)
    if multi_class == "ovr":
        options = ("micro", *options)
    if average not in options:
        raise EvaluationError(f"average must be one of {options} for multiclass problems")
    if multi_class not in ("ovo", "ovr"):
        raise EvaluationError(
            f"multi_class='{multi_class}' is not supported for multiclass ROC AUC, "
            "multi_class must be in ('ovo', 'ovr')"
        )
    if average is None and multi_class == "ovo":
        raise PairsAverageError("average=None is not implemented for multi_class='ovo'.")
    classes = _classes(y_true, scores, labels)
    if multi_class == "ovr":
        marks = binarize(y_true, classes)
        return averaged(_roc_area, marks, "multilabel-indicator", scores, average, sample_weight)
    if sample_weight is not None:
        raise EvaluationError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, "
            "'sample_weight' must be None in this case."
        )
    return _pairs_area(np.searchsorted(classes, y_true), scores, average)


def _pairs_area(codes: Array, scores: Array, average: str | None) -> float:
    """Average the areas of all pairs of classes, each way (Hand and Till 2001)."""
    areas, shares = [], []
    for one, other in combinations(np.unique(codes).tolist(), 2):
        rows = (codes == one) | (codes == other)
        positive, chosen = codes[rows] == one, scores[rows]
        pairs = (positive, chosen[:, one]), (~positive, chosen[:, other])
        areas.append(sum(_roc_area(*pair, None) for pair in pairs) / 2)
        shares.append(rows.mean())
    if average == "weighted":
        return float(np.average(areas, weights=shares))
    return float(np.mean(areas)) if areas else np.nan


def _check_probabilities(scores: Array) -> None:
    if scores.ndim == 1:
        raise EvaluationError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
            f"Got `y_score.shape={scores.shape}`."
        )
    if not np.allclose(1, scores.sum(axis=1)):
        raise EvaluationError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )


def _classes(y_true: Array, scores: Array, labels: Any) -> Array:
    width = scores.shape[1]
    if labels is None:
        classes = np.unique(y_true)
        if classes.size != width:
            raise EvaluationError("Number of classes in y_true not equal to the number of columns in 'y_score'")
        return classes
    given = column(labels, "labels")
    classes = np.unique(given)
    if classes.size != given.size:
        raise EvaluationError("Parameter 'labels' must be unique")
    if not np.array_equal(classes, given):
        raise EvaluationError("Parameter 'labels' must be ordered")
    if classes.size != width:
        raise EvaluationError(
            f"Number of given labels, {classes.size}, not equal to the number of columns in 'y_score', {width}"
        )
    if np.setdiff1d(y_true, classes).size:
        raise EvaluationError("'y_true' contains labels not in parameter 'labels'")
    return classes


class PairsAverageError(EvaluationError, NotImplementedError):
    """Report that pairs of classes have no area for each class.

    >>> issubclass(PairsAverageError, NotImplementedError)
    True
    """
