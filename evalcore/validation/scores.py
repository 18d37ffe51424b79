"""Labels with scores or probabilities of the same cases, one column or many, become checked arrays."""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, refuse, warn
from evalcore.kernels.pairs import MOST_FEW
from evalcore.kernels.sorting import extent, knows_subnormals
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray
from evalcore.validation import arrays, positive_class
from evalcore.validation import weights as weighing
from evalcore.validation.labels import INDICATOR, check_format, codes_of_passed, encode_labels, type_of_target
from evalcore.validation.values import percent_advice
from evalcore.validation.weights import as_non_negative_weights, check_consistent_lengths

_PLAIN_SCORES = np.dtype(np.float64), np.dtype(np.float32)
_ONE = np.array(1)
"""On few labels an array costs half of what a number of Python does."""
LARGER_LABEL = object()
"""In place of a positive label: the larger of two."""


class WeightedCases(NamedTuple):
    """Checked cases."""

    labels: AnyArray
    """Labels, or whether each case is of the positive class, shape (n,); or whether each label is true, (n, k)."""
    scores: ScoreArray
    """Finite scores, shape (n,); (n, k) where there are several classes or labels."""
    weights: FloatArray | None
    """Weights, shape (n,), not negative, or None for one each."""
    score_dtype: np.dtype[Any]
    """Type of the scores as they came: integers are evaluated as float64."""
    extent: tuple[float, float] | None
    """Numbers that no score is below or above, where they are known."""


def as_binary_scores(
    y_true: Any, y_score: Any, sample_weight: Any = None, pos_label: Any = None, target_prevalence: Any = None
) -> WeightedCases:
    """Return the cases of a function on binary labels and scores, without those of weight zero.  O(n)."""
    positive = positive_class.positive_mask(arrays.as_1d(y_true, "y_true"), pos_label)
    return cases_at_prevalence(as_weighted_cases(positive, y_score, sample_weight), target_prevalence)


def as_weighted_cases(y_true: Any, y_score: Any, sample_weight: Any) -> WeightedCases:
    """Return the cases of a function on labels of any kind and scores, without those of weight zero.  O(n)."""
    columns = arrays.as_1d(y_true, "y_true"), arrays.as_1d(y_score, "y_score")
    return drop_unweighted(_checked_cases(*columns, sample_weight))


def as_scored_targets(
    y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any = LARGER_LABEL, *, weighs_classes: bool = True
) -> tuple[str, WeightedCases]:
    """Return the kind of the labels, and cases: of two classes (n,) masks, of several (n,) labels, else (n, k) masks.

    weighs_classes: whether several classes take weights, which are ignored otherwise.  O(n k); labels other than
    {0, 1} and {-1, 1} are sorted.
    """
    labels, scores = arrays.as_dense(y_true, "y_true"), arrays.as_dense(y_score, "y_score")
    positive = None
    if labels.ndim == 1 and labels.size > 0 and pos_label in (1, LARGER_LABEL):
        positive = positive_class.standard_positive_mask(labels)
    kind = "binary" if positive is not None and scores.ndim < 2 else type_of_target(labels, "y_true")
    several = pos_label is LARGER_LABEL and scores.ndim == 2 and scores.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and several):
        weights = sample_weight if weighs_classes else None
        return "multiclass", _checked_cases(arrays.squeeze_column(labels, "y_true"), scores, weights, zeros=True)
    if kind == INDICATOR:
        _check_same_shape(labels, scores)
        mask = labels if labels.dtype == np.bool_ else labels != 0
        return kind, _checked_cases(mask, scores, sample_weight, zeros=True)
    check_format(kind, kind == "binary")
    if positive is None:
        column = arrays.squeeze_column(labels, "y_true")
        if pos_label is LARGER_LABEL:
            classes, codes = encode_labels(column)
            positive = (codes == 1) & (classes.size > 1)
        else:
            positive_class.check_positive_label(pos_label, column)
            positive = positive_class.positive_mask(column, pos_label)
    if sample_weight is not None and pos_label is LARGER_LABEL and (positive.all() or not positive.any()):
        sample_weight = None  # one class alone has no area, whatever the weights
    return kind, _checked_cases(positive, arrays.squeeze_column(scores, "y_score"), sample_weight)


def cases_at_prevalence(cases: WeightedCases, target_prevalence: Any) -> WeightedCases:
    """Return cases (n,) reweighted to a prevalence; unchanged for None.  O(n)."""
    if target_prevalence is None:
        return cases
    return cases._replace(weights=weighing.weights_at_prevalence(cases.labels, cases.weights, target_prevalence))


def few_plain_cases(y_true: Any, y_score: Any) -> tuple[ScoreArray, ScoreArray] | None:
    """Return the scores of all cases, (n,), and of the p correct ones, both ascending; None if there is more to check.

    Of up to `MOST_FEW` cases in plain arrays of 0 and 1 and of finite floats this is all that `as_scored_targets` does,
    in a handful of calls.  None are where subnormal scores would be taken for zero.  O(n log n).
    """
    if not type(y_true) is type(y_score) is np.ndarray or y_score.dtype not in _PLAIN_SCORES or y_score.ndim != 1:
        return None
    kind, few = y_true.dtype.kind, 0 < y_score.size <= MOST_FEW
    if not few or kind not in "biuf" or y_true.shape != y_score.shape or not knows_subnormals():
        return None
    correct = y_true if kind == "b" else np.equal(y_true, _ONE)
    ranked, own = y_score.copy(), y_score[correct.nonzero()]
    ranked.sort()
    own.sort()
    if kind != "b" and np.count_nonzero(y_true) != own.size:
        return None
    return (ranked, own) if math.isfinite(ranked.item(-1) - ranked.item(0)) else None  # NaN is last


def drop_unweighted(cases: WeightedCases) -> WeightedCases:
    """Return cases (n,) without those of weight zero.  Raises EvaluationError if there are no others.  O(n)."""
    if cases.weights is None or cases.weights.all():
        return cases
    kept = cases.weights != 0
    if not kept.any():
        raise weighing.no_weight_error()
    return cases._replace(labels=cases.labels[kept], scores=cases.scores[kept], weights=cases.weights[kept])


def _checked_cases(labels: AnyArray, values: AnyArray, sample_weight: Any, *, zeros: bool = False) -> WeightedCases:
    check_consistent_lengths(labels, values, sample_weight)
    refuse({"Found array with 0 sample(s) while a minimum of 1 is required: y_true is empty.": labels.size == 0})
    scores, extent = arrays.as_scores_with_extent(values, "y_score")
    weights = as_non_negative_weights(sample_weight, len(labels), zeros=zeros)
    if weights is not None:
        weighing.check_weight_sum(weights)
    return WeightedCases(labels, scores, weights, values.dtype, extent)


def as_scored_columns(y_true: Any, y_score: Any) -> WeightedCases:
    """Return cases, at least one, with labels and scores of one column, (n, 1), or of k columns each.  O(n k)."""
    labels, scores = arrays.as_dense(y_true, "y_true"), arrays.as_dense(y_score, "y_score")
    for name, array in (("y_true", labels), ("y_score", scores)):
        rule = "be an array of shape (n,) or (n, k), with a case and a column at least"
        check(array.ndim in (1, 2) and array.size, name, rule, f"shape {array.shape}")
    check_consistent_lengths(labels, scores)
    widths = [array.shape[1] if array.ndim == 2 else 1 for array in (labels, scores)]
    rule = "have as many columns, or one of them a single column"
    check(widths[0] == widths[1] or 1 in widths, "y_true and y_score", rule, f"{widths[0]} and {widths[1]}")
    values, extent = arrays.as_scores_with_extent(scores.reshape(len(scores), -1), "y_score")
    if widths[0] > 1:
        rule = "hold Booleans, or the numbers 0 and 1, in each of several columns"
        got = f"dtype {labels.dtype}; compare it with the positive label first, as in y_true == 'yes'"
        check(labels.dtype.kind in "biuf", "y_true", rule, got, EvaluationTypeError)
        mask = arrays.as_mask(labels, "y_true", "must be 0 or 1, or a Boolean, got {}")
    else:
        kind, cases = as_scored_targets(labels, np.zeros(len(labels)), None)
        check_format(kind, kind == "binary")
        mask = cases.labels[:, np.newaxis]
    return WeightedCases(mask, values, None, values.dtype, extent)


RankedColumns: TypeAlias = tuple[ScoreArray, AnyArray, FloatArray | None]
"""Finite scores and gains, or whether each label is relevant, (n, k) each, and weights, (n,), or None for one each."""


def as_ranked_labels(y_true: Any, y_score: Any, sample_weight: Any, *, one_label: bool = False) -> RankedColumns:
    """Return scores and relevance (n, k), and weights; k may be 1 with `one_label`; `y_true` may be sparse.  O(n k)."""
    truth = arrays.as_matrix(y_true.toarray() if hasattr(y_true, "toarray") else y_true, "y_true")
    scores = arrays.as_score_matrix(y_score, "y_score")
    for name, array in (("y_true", truth), ("y_score", scores)):
        refuse({f"Expected 2D array, got 1D array instead: {name} has shape {array.shape}": array.ndim < 2})
    weights = _weights_of_ranked(truth, scores, sample_weight)
    kind = type_of_target(truth, "y_true")
    check_format(kind, kind == INDICATOR or (one_label and kind == "binary"))
    _check_same_shape(truth, scores)
    return scores, truth != 0, weights


def as_ranked_gains(y_true: Any, y_score: Any, sample_weight: Any) -> RankedColumns:
    """Return scores and gains (n, k), k >= 2, and weights.  O(n k)."""
    truth, scores = arrays.as_matrix(y_true, "y_true"), arrays.as_score_matrix(y_score, "y_score")
    weights = _weights_of_ranked(truth, scores, sample_weight)
    if truth.ndim != 2 or truth.shape[1] < 2:
        kinds = (INDICATOR, "continuous-multioutput", "multiclass-multioutput")
        raise EvaluationError(f"Only {kinds} formats are supported. Got {type_of_target(truth)} instead")
    _check_same_shape(truth, scores)
    return scores, truth, weights


def _weights_of_ranked(truth: AnyArray, scores: ScoreArray, sample_weight: Any) -> FloatArray | None:
    check_consistent_lengths(truth, scores, sample_weight)
    return as_non_negative_weights(sample_weight, len(truth), zeros=True)


def _check_same_shape(truth: AnyArray, scores: AnyArray) -> None:
    if truth.shape != scores.shape:
        raise EvaluationError(f"y_true and y_score have different shape: {truth.shape} and {scores.shape}")


class ClassProbabilities(NamedTuple):
    """Checked probabilities of two or more classes."""

    probabilities: ScoreArray
    """Shape (n, c), or (n,) for that of the second of two classes."""
    truth: IntArray | BoolArray
    """Codes of the true classes, shape (n,), or which classes are true, shape (n, c)."""
    weights: FloatArray | None
    """Weights, shape (n,), or None for one each."""
    scale: float
    """The power of two that weights of extreme size were divided by, else 1."""


class PositiveProbabilities(NamedTuple):
    """Checked probabilities of the positive class, and whether it was the true one; all of shape (n,)."""

    probabilities: ScoreArray
    positive: BoolArray
    weights: FloatArray | None
    """None if they are equal."""
    frequencies: bool = False
    """Whether a case of weight w stands for w cases."""


def as_probabilities(values: Any, name: str = "y_proba") -> ScoreArray:
    """Return numbers, perhaps not finite, as floats, (n,) or (n, c), c >= 2.  O(1), O(n c) to convert."""
    array = arrays.as_real_matrix(values, name)
    if array.dtype.kind != "f" or array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def renamed_argument(y_proba: Any, y_pred: Any) -> Any:
    """Return the probabilities; warn of their former name, raise EvaluationError if both are given.  O(1)."""
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise EvaluationError("Cannot use both `y_pred` and `y_proba`. `y_pred` is deprecated, use `y_proba` instead.")
    warn("`y_pred` was renamed to `y_proba`. Use `y_proba` instead.", FutureWarning)
    return y_pred


def as_class_probabilities(y_true: Any, y_proba: ScoreArray, sample_weight: Any, labels: Any) -> ClassProbabilities:
    """Check `as_probabilities` of classes in sorted order, true classes (n,) or (n, c), and weights.  O(n c)."""
    check_probabilities(y_proba, "y_proba", "lower")
    truth = arrays.as_array(y_true, "y_true")
    check_consistent_lengths(y_proba, truth, sample_weight)
    weights, scale = weighing.scale_weights(as_non_negative_weights(sample_weight, len(truth)))
    outcome, classes = _outcomes(truth, labels)
    if y_proba.ndim > 1 and not sum_to_one(y_proba).all():
        warn("The y_prob values do not sum to one. Make sure to pass probabilities.", UserWarning)
    columns = 2 if y_proba.ndim == 1 else y_proba.shape[1]
    if classes.size != columns:
        why = "The number of classes in labels is different from that in y_prob."
        if labels is None:
            differ = f"y_true and y_prob contain different number of classes: {classes.size} vs {columns}"
            why = f"{differ}. Please provide the true labels explicitly through the labels argument."
        raise EvaluationError(f"{why} Classes found in {'y_true' if labels is None else 'labels'}: {classes}")
    values = arrays.as_exact_scores(y_proba, "y_proba")
    if outcome.ndim == 2 and values.ndim == 1:
        values = np.stack([1 - values, values], axis=1)
    return ClassProbabilities(values, outcome, weights, scale)


def as_positive_probabilities(
    y_true: Any, probabilities: ScoreArray, sample_weight: Any, pos_label: Any
) -> PositiveProbabilities:
    """Check `as_probabilities` (n,) of the positive class, by default the larger of two, and weights.  O(n)."""
    truth = arrays.as_1d(y_true, "y_true")
    check_consistent_lengths(probabilities, truth, sample_weight)
    weights, _ = weighing.scale_weights(as_non_negative_weights(sample_weight, truth.size))
    positive = positive_class.standard_positive_mask(truth) if pos_label is None else None
    if positive is None:
        if (kind := type_of_target(truth, "y_true")) != "binary":
            wanted = "should be binary according to the shape of y_prob"
            raise EvaluationError(f"The type of the target inferred from y_true is {kind} but {wanted}.")
        if pos_label is None and truth.dtype.kind in "biuf":
            pos_label = encode_labels(truth)[0][-1]
        positive = _equal_to(pos_label, truth)
    check_probabilities(probabilities, "y_proba", "less")
    return PositiveProbabilities(arrays.as_exact_scores(probabilities, "y_proba"), positive, weights)


def _equal_to(pos_label: Any, labels: AnyArray) -> BoolArray:
    """Mark the labels that equal a positive one; without one, 1 beside 0 or beside -1."""
    return positive_class.positive_mask(labels, None) if pos_label is None else np.asarray(labels == pos_label)


def as_binned_probabilities(y_true: Any, y_prob: Any, sample_weight: Any, pos_label: Any) -> PositiveProbabilities:
    """Check probabilities of the positive class, true classes and weights; drop cases of weight zero.  O(n)."""
    truth, values = arrays.as_1d(y_true, "y_true"), as_probabilities(y_prob, "y_prob")
    refuse({f"y_prob should be a 1d array, got an array of shape {values.shape} instead.": values.ndim != 1})
    check_consistent_lengths(truth, values, sample_weight)
    weights, _ = weighing.scale_weights(as_non_negative_weights(sample_weight, truth.size))
    positive = _equal_to(pos_label, truth)
    check_probabilities(values, "y_prob", "less")
    if pos_label is not None and (classes := encode_labels(truth)[0]).size > 2:
        raise EvaluationError(f"Only binary classification is supported. Provided labels {classes}.")
    values = arrays.as_exact_scores(values, "y_prob")
    if weights is not None and not weights.all():
        kept = weights > 0
        values, positive, weights = values[kept], positive[kept], weights[kept]
    return PositiveProbabilities(values, positive, weights)


def check_probabilities(probabilities: ScoreArray, name: str, below: str) -> None:
    """Raise EvaluationError unless all numbers are finite and in 0 .. 1.  O(n c)."""
    lowest, highest = extent(probabilities)
    if not 0 <= lowest <= highest <= 1:  # nor is NaN
        arrays.check_finite(probabilities, name)
        what = f"greater than 1: {probabilities.max()}" if highest > 1 else f"{below} than 0: {probabilities.min()}"
        raise EvaluationError(f"y_prob contains values {what}")


def sum_to_one(probabilities: ScoreArray) -> BoolArray:
    """Mark the cases, (n,), whose probabilities, (n, c), have the sum 1, but for rounding.  O(n c).

    >>> sum_to_one(np.array([[0.25, 0.75], [0.5, 0.75]]))
    array([ True, False])
    """
    off = np.abs(np.einsum("nk->n", probabilities) - 1)
    return np.asarray(off <= 1e-8 + np.sqrt(np.finfo(probabilities.dtype).eps))


def rows_of_probabilities(scores: ScoreArray) -> BoolArray:
    """Mark the rows, (n,), of scores, (n, c), that are between 0 and 1 and `sum_to_one`.  O(n c).

    >>> rows_of_probabilities(np.array([[0.25, 0.75], [0.5, 0.75], [-0.5, 1.5]]))
    array([ True, False, False])
    """
    return np.asarray(((scores >= 0) & (scores <= 1)).all(axis=1) & sum_to_one(scores))


def _outcomes(truth: AnyArray, labels: Any) -> tuple[IntArray | BoolArray, AnyArray]:
    """Return the codes of the true classes, or which are true, and the classes."""
    kind = "multiclass" if positive_class.has_plain_labels(truth) else type_of_target(truth, "y_true")
    refuse({"Multioutput target data is not supported with label binarization": "multioutput" in kind})
    if kind == INDICATOR:
        refuse({"labels must be None if y_true is an indicator matrix": labels is not None})
        return truth != 0, np.arange(truth.shape[1])
    refuse({f"Unknown label type: y_true is {kind}": kind not in ("binary", "multiclass")})
    names = arrays.as_1d(truth, "y_true")
    if labels is None:
        classes, codes = encode_labels(names)
        if classes.size == 1:
            way_out = "Please provide the list of all expected class labels explicitly through the labels argument."
            raise EvaluationError(f"y_true contains only one label ({classes[0]}). {way_out}")
        return codes, classes
    classes = _sorted_classes(labels)
    codes = codes_of_passed(names, classes, labels)
    if classes.size < 2:
        raise EvaluationError(f"The labels array needs to contain at least two labels, got {classes}.")
    return codes, classes


def _sorted_classes(labels: Any) -> AnyArray:
    given = arrays.as_1d(labels, "labels")
    refuse({"labels must not be empty": given.size == 0})
    if (kind := type_of_target(given, "labels")) not in ("binary", "multiclass"):
        raise EvaluationError(f"Unknown label type: labels are {kind}")
    classes = encode_labels(given)[0]
    check(not 1 < classes.size < given.size, "labels", "not repeat", labels)
    if not np.array_equal(classes, given):
        ensure = "ensure that the columns of y_prob correspond to this ordering."
        advice = f"Pass the ordered labels={classes.tolist()} and {ensure}"
        text = f"Labels passed were {labels}. But this function assumes labels are ordered lexicographically. {advice}"
        warn(text, UserWarning)
    return classes


def as_decision_thresholds(values: Any) -> FloatArray:
    """Return thresholds, (t,) float64.  Raises EvaluationError unless all are above 0 and below 1.  O(t)."""
    arrays.check_several(values, "thresholds")
    levels = arrays.as_finite_scores(values, "thresholds").astype(np.float64, copy=False)
    outside = levels[(levels <= 0) | (levels >= 1)]
    if outside.size:
        advice = "; leave it out" if outside[0] in (0, 1) else percent_advice(outside[0])
        raise EvaluationError(f"thresholds must be above 0 and below 1, got {outside[0]}{advice}")
    return levels


def as_rising_thresholds(values: Any) -> FloatArray:
    """Return `as_decision_thresholds` that rise, by default 0.01, 0.02, .. 0.99.  Raises EvaluationError.  O(t)."""
    levels = np.arange(1, 100) / 100 if values is None else as_decision_thresholds(values)
    check(levels.size, "thresholds", "hold at least one number", "none")
    falls = np.flatnonzero(levels[1:] <= levels[:-1])
    if falls.size:
        raise EvaluationError(f"thresholds must rise, got {levels[falls[0] + 1]} after {levels[falls[0]]}")
    return levels
