"""Areas under ROC and precision-recall curves, of two classes, of several, and of many columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Real
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, UndefinedMetricWarning, ZeroWeightsError, check, refuse, warn
from evalcore.kernels.label_ranks import by_case
from evalcore.kernels.pairs import doubled_ranks, pair_counts
from evalcore.kernels.runs import lazy_runs
from evalcore.kernels.sorting import found_order, order
from evalcore.kernels.sums import as_written
from evalcore.kernels.weights import WeightWalk, are_whole, sort_weights, walk_of_weights
from evalcore.measures import curves, ranks, thresholds
from evalcore.metrics.curves import threshold_points
from evalcore.typing import AnyArray, AreaAverage, BoolArray, FloatArray, KeyArray, Label, ScoreArray
from evalcore.validation.labels import as_sorted_labels, encode_labels
from evalcore.validation.scores import (
    WeightedCases,
    as_scored_columns,
    as_scored_targets,
    cases_at_prevalence,
    drop_unweighted,
    few_plain_cases,
)
from evalcore.validation.values import check_array_likes, check_choice, check_label, invalid_parameter, refuses_weights
from evalcore.validation.weights import weighted_mean

_AVERAGES = "micro", "macro", "weighted", "samples", None


class _RocOptions(TypedDict, total=False):
    sample_weight: ArrayLike | None
    max_fpr: float | None
    multi_class: Literal["raise", "ovr", "ovo"]
    labels: ArrayLike | None


@overload
def roc_auc_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: AreaAverage = "macro", **options: Unpack[_RocOptions]
) -> float: ...
@overload
def roc_auc_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[_RocOptions]
) -> float | FloatArray: ...
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AreaAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
    max_fpr: float | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: ArrayLike | None = None,
) -> float | FloatArray:
    r"""Return the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k)
        Labels of two classes, of which the larger is positive; of several classes; or (n, k) indicators, 0 and 1.
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
        Sorted labels of the columns, if `y_true` may lack one.

    Returns
    -------
    float, or (k,) float64
        In 0 .. 1, where ties count half; NaN, with an UndefinedMetricWarning, for one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, scores or weights are invalid, or arguments are incompatible.

    Notes
    -----
    $$\frac{1}{n_+ n_-} \sum_{i \in +} \sum_{j \in -} \left( [s_i > s_j] + \tfrac{1}{2} [s_i = s_j] \right)$$

    The chance that a positive case scores above a negative one.  Range: 0 to 1; 1 is best, 0.5 is chance.  Use it to
    compare rankings at any prevalence; not where only the top of the list counts, or where positives are rare and the
    list is full of negatives: take `average_precision_score` or `partial_auc`.  Equal to scikit-learn's
    `roc_auc_score`.

    O(n log n) for each class or label.  Sources: J. A. Hanley and B. J. McNeil, Radiology 143 (1982) 29-36;
    D. J. Hand and R. J. Till, Machine Learning 45 (2001) 171-186 ("ovo"); D. K. McClish, Medical Decision Making 9
    (1989) 190-195 (`max_fpr`).

    Examples
    --------
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    check_choice(average, _AVERAGES, "average", "roc_auc_score")
    check_choice(multi_class, ("raise", "ovr", "ovo"), "multi_class", "roc_auc_score")
    if labels is not None:
        check_array_likes("roc_auc_score", labels=labels)
    if max_fpr is not None:
        if not (isinstance(max_fpr, Real) and 0 < max_fpr <= 1):
            raise invalid_parameter("max_fpr", "roc_auc_score", "None or a number above 0, at most 1", max_fpr)
    elif sample_weight is None and (plain := few_plain_cases(y_true, y_score)):
        area = curves.roc_auc_of_few(*plain)
        if not math.isnan(area):
            return area
    kind, cases = as_scored_targets(y_true, y_score, sample_weight, weighs_classes=multi_class != "ovo")
    if kind == "multiclass":
        check_multiclass_options(multi_class, average, max_fpr)
        classes = classes_of_columns(cases, labels)
        if multi_class == "ovo":
            return area_of_pairs(cases, classes, average, sample_weight is not None)
        cases = against_the_rest(cases, classes)
    measure = _ROC_AUC if max_fpr is None or max_fpr == 1 else _partial_roc_auc(max_fpr)
    return _averaged_over_labels(measure, cases, average)


class _PrecisionOptions(TypedDict, total=False):
    pos_label: Label | None
    sample_weight: ArrayLike | None
    target_prevalence: float | None


@overload
def average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: AreaAverage = "macro", **options: Unpack[_PrecisionOptions]
) -> float: ...
@overload
def average_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, average: None, **options: Unpack[_PrecisionOptions]
) -> float | FloatArray: ...
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: AreaAverage | None = "macro",
    pos_label: Label | None = 1,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float | FloatArray:
    r"""Return the average precision: the area under the precision-recall steps.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k)
        Labels of two classes; of several classes; or (n, k) indicators, 0 and 1.
    y_score : array-like of shape (n,) or (n, k)
        Finite scores.
    average : {"macro", "micro", "samples", "weighted", None}
        How to average over classes or labels; None returns them all.
    pos_label : int, float, bool or str
        The positive class, of two.
    sample_weight : array-like of shape (n,), optional
        Weights, not negative.
    target_prevalence : float, optional
        Reweight the cases of two classes so that this fraction of them, above 0 and below 1, is positive.

    Returns
    -------
    float, or (k,) float64
        In 0 .. 1; 0.0, with a warning, without positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, scores or weights are invalid, or arguments are incompatible.

    Notes
    -----
    $$\sum_{i} (R_i - R_{i-1}) P_i$$

    The sum is over the thresholds, from the highest.  Range: 0 to 1; 1 is best, the prevalence is chance.  Use it where
    positives are rare and the top of the list is what people read; not between sets of cases of different prevalence.
    Equal to scikit-learn's `average_precision_score`.

    O(n log n) for each class or label.  Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to
    Information Retrieval (2008), 8.4.

    Examples
    --------
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_prevalence=0.1), 4)
    0.5909
    """
    check_choice(average, _AVERAGES, "average", "average_precision_score")
    check_label(pos_label, "pos_label", "average_precision_score")
    unweighted = sample_weight is None and target_prevalence is None
    if unweighted and pos_label == 1 and (plain := few_plain_cases(y_true, y_score)):
        value = curves.average_precision_of_few(*plain)
        if not math.isnan(value):
            return value
    kind, cases = as_scored_targets(y_true, y_score, sample_weight, pos_label)
    if kind != "binary" and pos_label != 1:
        why = f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set pos_label to 1."
        raise EvaluationError(why)
    if target_prevalence is not None:
        check(kind == "binary", "labels", "be binary for target_prevalence", f"{kind} ones")
        cases = cases_at_prevalence(cases, target_prevalence)
    if kind == "multiclass":
        cases = against_the_rest(cases, encode_labels(cases.labels)[0])
    return _averaged_over_labels(_AVERAGE_PRECISION, cases, average)


class _Measure(NamedTuple):
    """A measure of one column of labels, of each of several, and of each row of labels: NaN where it is undefined."""

    of_column: Callable[[WeightedCases], float]
    """Of cases (n,)."""
    of_keys: Callable[[KeyArray], FloatArray] | None
    """Of sorted keys, if it needs no more of columns without weights."""
    of_rows: Callable[[BoolArray, ScoreArray], FloatArray]
    """Of masks and scores (n, k)."""
    undefined: float
    """What is returned where it is undefined."""
    message: str
    """What is said there."""
    category: type[Warning]
    """How it is said."""

    def of_columns(self, cases: WeightedCases) -> FloatArray:
        """Return it of each column of cases, (n, k)."""
        if cases.weights is None and self.of_keys is not None:
            return curves.of_columns(self.of_keys, cases.scores, cases.labels, cases.extent)
        columns = zip(cases.labels.T, cases.scores.T, strict=True)
        return np.array([self.of_column(cases._replace(labels=labels, scores=scores)) for labels, scores in columns])


def _averaged_over_labels(measure: _Measure, cases: WeightedCases, average: str | None) -> float | FloatArray:
    """Average a measure over the labels of cases (n, k), or return that of each; of cases (n,), return the measure."""
    mask, scores, weights = cases.labels, cases.scores, cases.weights
    if mask.ndim == 2 and average == "micro":
        repeated = None if weights is None else np.repeat(weights, mask.shape[1])
        cases = cases._replace(labels=mask.ravel(), scores=scores.ravel(), weights=repeated)
    if cases.labels.ndim == 1:
        value = measure.of_column(cases)
        return _warn_of_undefined(measure, 1) if math.isnan(value) else value
    if average == "samples":
        values = measure.of_rows(mask, scores)
        if np.isnan(values).any():
            values[np.isnan(values)] = _warn_of_undefined(measure, 1)
        return _mean_of_areas(values, weights)
    support = None
    if average == "weighted":
        support = mask.sum(axis=0) if weights is None else (mask * weights[:, np.newaxis]).sum(axis=0)
        if not support.any():
            return 0  # an int, as scikit-learn returns
    values = measure.of_columns(cases)
    values[np.isnan(values)] = _warn_of_undefined(measure, int(np.isnan(values).sum()))
    return values if average is None else _mean_of_areas(values, support)


def _warn_of_undefined(measure: _Measure, times: int) -> float:
    """Warn, and return the value of an undefined measure."""
    for _ in range(times):
        warn(measure.message, measure.category)
    return measure.undefined


def _mean_of_areas(values: FloatArray, weights: AnyArray | None) -> np.float64:
    if weights is None:
        return np.float64(values.mean())
    return np.float64(weighted_mean(np.where(weights == 0, 0, values), weights))


def _roc_auc(cases: WeightedCases) -> float:
    if cases.weights is not None and _is_one_class(cases.labels):
        return np.nan  # whatever the weights
    found = drop_unweighted(cases)
    if found.weights is not None:
        return float(curves.roc_aucs(_weighted_runs(found, found.weights))[0])
    if few := few_plain_cases(found.labels, found.scores):
        return curves.roc_auc_of_few(*few)
    if in_order := found_order(found.scores, found.labels):
        correct, doubled = doubled_ranks(in_order)
        return float(curves.roc_aucs_of_rank_sums(correct, doubled, in_order.size)[0])
    pairs = pair_counts(order(found.scores, found.labels, found.extent).keys)
    return curves.roc_auc(pairs, pairs.correct, found.labels.size - pairs.correct)


def _weighted_runs(cases: WeightedCases, weights: AnyArray) -> WeightWalk:
    return walk_of_weights(sort_weights(cases.scores, cases.labels, weights), whole=are_whole(weights))


def _is_one_class(labels: BoolArray) -> bool:
    return bool(labels.all() or not labels.any())


def _partial_roc_auc(max_fpr: float) -> _Measure:
    highest = as_written(max_fpr)

    def of_column(cases: WeightedCases) -> float:
        found = cases if _is_one_class(cases.labels) else drop_unweighted(cases)
        if _is_one_class(found.labels):
            return np.nan
        tp, fp, _ = threshold_points(found)
        area = thresholds.partial_roc_auc(tp, fp, Fraction(0), highest)
        return float((1 + (area / highest - highest / 2) / (1 - highest / 2)) / 2)

    def of_rows(mask: BoolArray, scores: ScoreArray) -> FloatArray:
        rows = zip(mask, scores, strict=True)
        return np.array([of_column(WeightedCases(*row, None, scores.dtype, None)) for row in rows])

    return _ROC_AUC._replace(of_column=of_column, of_keys=None, of_rows=of_rows)


def _average_precision(cases: WeightedCases) -> float:
    found = drop_unweighted(cases)
    if found.weights is not None:
        return float(curves.average_precisions(_weighted_runs(found, found.weights))[0])
    if few := few_plain_cases(found.labels, found.scores):
        return curves.average_precision_of_few(*few)
    in_order = found_order(found.scores, found.labels)
    runs = lazy_runs(in_order or order(found.scores, found.labels, found.extent).keys)
    return float(curves.average_precisions(runs)[0])


_ROC_AUC = _Measure(
    _roc_auc,
    curves.roc_aucs_of_rows,
    lambda mask, scores: by_case(ranks.label_roc_auc, scores, mask),
    np.nan,
    "Only one class is present in y_true. ROC AUC score is not defined in that case.",
    UndefinedMetricWarning,
)
_AVERAGE_PRECISION = _Measure(
    _average_precision,
    curves.average_precisions_of_rows,
    lambda mask, scores: by_case(ranks.label_average_precision, scores, mask),
    0.0,
    "No positive class found in y_true, recall is set to one for all thresholds.",
    UserWarning,
)


def area_of_pairs(cases: WeightedCases, classes: AnyArray, average: str | None, is_weighted: bool) -> float:
    """Return the mean area over pairs of classes, of one versus one.  O(n k log n) for scores (n, k)."""
    if is_weighted:
        needed = "'sample_weight' must be None in this case."
        raise EvaluationError(f"sample_weight is not supported for multiclass one-vs-one ROC AUC, {needed}")
    codes = np.searchsorted(classes, cases.labels)
    counts = np.bincount(codes, minlength=classes.size)
    if average == "weighted" and np.count_nonzero(counts) < 2:
        raise ZeroWeightsError("Weights sum to zero, can't be normalized: y_true holds no pair of classes")
    areas = curves.pair_areas(cases.scores, codes)
    return np.float64(curves.mean_pair_area(areas, counts, by_prevalence=average == "weighted"))


def against_the_rest(cases: WeightedCases, classes: AnyArray) -> WeightedCases:
    """Return cases (n, k) whose masks are those of the classes, for labels (n,).  O(n k)."""
    if cases.scores.shape != (cases.labels.size, classes.size):
        raise no_column_for_each_class(cases.scores)
    return cases._replace(labels=(classes[:, np.newaxis] == cases.labels).T)


def check_multiclass_options(multi_class: str, average: str | None, max_fpr: float | None) -> None:
    """Raise EvaluationError for options that do not go with several classes.  O(1)."""
    if max_fpr is not None and max_fpr != 1:
        needed = f"'max_fpr' must be set to `None`, received `max_fpr={max_fpr}` instead"
        raise EvaluationError(f"Partial AUC computation not available in multiclass setting, {needed}")
    refuse({"multi_class must be in ('ovo', 'ovr')": multi_class == "raise"})
    options = ("macro", "weighted", None) if multi_class == "ovo" else ("micro", "macro", "weighted", None)
    refuse({f"average must be one of {options} for multiclass problems": average not in options})
    if average is None and multi_class == "ovo":
        raise PairsAverageError("average=None is not implemented for multi_class='ovo'.")


def classes_of_columns(cases: WeightedCases, labels: Any) -> AnyArray:
    """Return the classes that columns of probabilities, (n, k), are of, or raise EvaluationError.  O(n (k + log n))."""
    if cases.scores.ndim == 1:
        raise no_column_for_each_class(cases.scores)
    dtype = cases.score_dtype.type if cases.score_dtype.kind == "f" else None  # float16 sums to 1 only in float16
    if not np.allclose(1, cases.scores.sum(axis=1, dtype=dtype)):
        raise EvaluationError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over classes"
        )
    width = cases.scores.shape[1]
    if labels is not None:
        return as_sorted_labels(labels, cases.labels, width)
    classes = encode_labels(cases.labels)[0]
    refuse({"Number of classes in y_true not equal to the number of columns in 'y_score'": classes.size != width})
    return classes


def no_column_for_each_class(scores: AnyArray) -> EvaluationError:
    """Return the error of scores that are not (n, k) for several classes.  O(1)."""
    why = f"since `y_true` contains multiple classes. Got `y_score.shape={scores.shape}`."
    return EvaluationError(f"`y_score` needs to be of shape `(n_samples, n_classes)`, {why}")


class PairsAverageError(EvaluationError, NotImplementedError):
    """Report that pairs of classes have no area for each class."""


@refuses_weights(
    "counts ranks and takes no sample_weight; evalcore.metrics.roc_auc_score takes it, one column at a time"
)
def roc_auc_by_column(y_true: ArrayLike, y_score: ArrayLike) -> FloatArray:
    r"""Return the area under the ROC curve of each column of labels, of scores, or of both.

    Parameters
    ----------
    y_true : array-like of shape (n,) or (n, k)
        Labels of two classes in one column, of which the larger is positive; or k columns of 0 and 1, or Booleans.
    y_score : array-like of shape (n,) or (n, k)
        Finite scores.

    Returns
    -------
    (k,) float64
        In 0 .. 1, where ties count half; NaN, with one UndefinedMetricWarning for all, where a column of labels holds
        one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels or scores are invalid, differ in length, or have different numbers of columns, neither of them 1.

    Notes
    -----
    $$\frac{R - n_+ (n_+ + 1) / 2}{n_+ n_-}$$

    $R$ is the sum of the ranks, from 1, of the positive cases of a column, ties having their mean rank.  Range: 0 to 1;
    1 is best, 0.5 is chance.

    Each number is that of `roc_auc_score`, to the last bit; that function takes weights of cases, this one none.
    Use this function instead of a loop: for one ranking and many sets, targets or annotations, it sorts once and adds
    up ranks, O(n log n + n k); for many models or features and one column of labels, and for as many columns of either,
    it sorts columns in blocks, O(k n log n).  Memory beyond the arguments: O(n + k), one byte for each number of
    `y_true` that is not Boolean, and a copy of `y_score` that is neither float32 nor float64.  Source: J. A. Hanley
    and B. J. McNeil, Radiology 143 (1982) 29-36.

    Examples
    --------
    Two models, one column of labels:

    >>> import numpy as np
    >>> models = np.array([[0.1, 0.3], [0.4, 0.2], [0.35, 0.9], [0.8, 0.7]])
    >>> roc_auc_by_column([0, 0, 1, 1], models)
    array([0.75, 1.  ])

    One ranking, three sets:

    >>> sets = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 0, 1]])
    >>> roc_auc_by_column(sets, [0.1, 0.4, 0.35, 0.8])
    array([0.75, 0.  , 1.  ])
    """
    labels, scores, _, _, extent = as_scored_columns(y_true, y_score)
    if scores.shape[1] == 1 < labels.shape[1]:
        areas = curves.roc_aucs_of_labels(scores[:, 0], labels)
    else:
        areas = curves.of_columns(curves.roc_aucs_of_rows, scores, np.broadcast_to(labels, scores.shape), extent)
    undefined = np.flatnonzero(np.isnan(areas))
    if undefined.size:
        which = f"{undefined.size} of {areas.size} columns, the first of them {undefined[0]}"
        warn(f"Only one class is present in y_true for {which}. ROC AUC score is not defined there.")
    return areas
