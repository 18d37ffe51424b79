"""ROC areas of several classes, under scikit-learn's names: of pairs, of each against the rest, and their checks."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, ZeroWeightsError
from evalcore.measures.class_areas import mean_pair_area, pair_areas
from evalcore.typing import AnyArray, BoolArray
from evalcore.validation.arrays import as_1d
from evalcore.validation.labels import encode_labels
from evalcore.validation.scores import WeightedCases


def area_of_pairs(cases: WeightedCases, classes: AnyArray, average: str | None, is_weighted: bool) -> float:
    """Return the mean area over pairs of classes, of one versus one.  O(n k log n) for scores (n, k)."""
    if is_weighted:
        raise EvaluationError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, "
            "'sample_weight' must be None in this case."
        )
    codes = np.searchsorted(classes, cases.labels)
    counts = np.bincount(codes, minlength=classes.size)
    if average == "weighted" and np.count_nonzero(counts) < 2:
        raise ZeroWeightsError("Weights sum to zero, can't be normalized: y_true holds no pair of classes")
    areas = pair_areas(cases.scores, codes)
    return np.float64(mean_pair_area(areas, counts, by_prevalence=average == "weighted"))


def against_the_rest(cases: WeightedCases, classes: AnyArray) -> WeightedCases:
    """Return cases (n, k) whose masks are those of the classes, for labels (n,).  O(n k)."""
    if cases.scores.shape != (cases.labels.size, classes.size):
        raise _no_column_for_each_class(cases.scores)
    return cases._replace(labels=indicator_matrix(cases.labels, classes))


def indicator_matrix(labels: AnyArray, classes: AnyArray) -> BoolArray:
    """Mark the class of each case: (n,) labels and (k,) classes become (n, k) bool.  O(n k)."""
    mask = np.empty((labels.size, classes.size), np.bool_)
    for column, label in enumerate(classes):
        mask[:, column] = labels == label
    return mask


def check_multiclass_options(multi_class: str, average: str | None, max_fpr: float | None) -> None:
    """Raise EvaluationError for options that do not go with several classes.  O(1)."""
    if max_fpr is not None and max_fpr != 1:
        raise EvaluationError(
            "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
            f"received `max_fpr={max_fpr}` instead"
        )
    if multi_class == "raise":
        raise EvaluationError("multi_class must be in ('ovo', 'ovr')")
    options = ("macro", "weighted", None) if multi_class == "ovo" else ("micro", "macro", "weighted", None)
    if average not in options:
        raise EvaluationError(f"average must be one of {options} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise PairsAverageError("average=None is not implemented for multi_class='ovo'.")


def check_probabilities_of_classes(cases: WeightedCases) -> None:
    """Raise EvaluationError unless the scores of each case, (n, k), have the sum 1.  O(n k)."""
    if cases.scores.ndim == 1:
        raise _no_column_for_each_class(cases.scores)
    dtype = cases.score_dtype.type if cases.score_dtype.kind == "f" else None  # float16 sums to 1 only in float16
    if not np.allclose(1, cases.scores.sum(axis=1, dtype=dtype)):
        raise EvaluationError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )


def _no_column_for_each_class(scores: AnyArray) -> EvaluationError:
    return EvaluationError(
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
        f"Got `y_score.shape={scores.shape}`."
    )


def classes_of_columns(y_true: AnyArray, scores: AnyArray, labels: Any) -> AnyArray:
    """Return the classes that columns of scores, (n, k), are of, or raise EvaluationError.  O(n log n)."""
    width = scores.shape[1]
    if labels is None:
        classes = encode_labels(y_true)[0]
        if classes.size != width:
            raise EvaluationError("Number of classes in y_true not equal to the number of columns in 'y_score'")
        return classes
    given = as_1d(labels, "labels")
    classes = encode_labels(given)[0]
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
    """Report that pairs of classes have no area for each class."""
