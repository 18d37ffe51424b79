"""Precision, recall, F and what they are made of, by class and averaged."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, InvalidParameterError, check, refuse, shown, warn
from evalcore.kernels.tables import BinaryCounts, category_weights, counts_from_margins, joint_counts
from evalcore.measures import agreement, binary, multiclass
from evalcore.measures.multiclass import CategoryCounts
from evalcore.typing import AnyArray, Average, FloatArray, IntArray, Label, LabelsLike, ZeroDivision
from evalcore.validation import positive_class, values
from evalcore.validation.labels import is_whole
from evalcore.validation.positive_class import Columns, Targets
from evalcore.validation.weights import unscale

Tables: TypeAlias = BinaryCounts | CategoryCounts
"""One table for 'binary', otherwise one for each class or case."""
Score = Any
"""A float for an average, an array of shape (k,) for none."""
ALL = ("precision", "recall", "f-score")


class Settings(NamedTuple):
    """How scores are averaged, and the value of undefined ones."""

    average: str | None
    beta: float
    zero_division: Any
    warn_for: Collection[str]
    target_prevalence: float | None = None
    """The prevalence of the positive class to which cases are reweighted."""


class ClassOptions(TypedDict, total=False):
    """Options of scores of classes that do not change the type of a score."""

    labels: ArrayLike | None
    pos_label: Label | None
    sample_weight: ArrayLike | None
    zero_division: ZeroDivision


class ScoreOptions(ClassOptions, total=False):
    """Options of scores that can be adjusted to another prevalence."""

    target_prevalence: float | None


class _SupportOptions(ScoreOptions, total=False):
    beta: float
    warn_for: Collection[str]


@overload
def precision_recall_fscore_support(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: None = None, **options: Unpack[_SupportOptions]
) -> tuple[FloatArray, FloatArray, FloatArray, AnyArray]: ...
@overload
def precision_recall_fscore_support(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: Average, **options: Unpack[_SupportOptions]
) -> tuple[float, float, float, None]: ...
def precision_recall_fscore_support(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    beta: float = 1.0,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = None,
    warn_for: Collection[str] = ALL,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> tuple[Score, Score, Score, AnyArray | None]:
    r"""Return precision, recall, F measure and support of each class, or averages of them.

    O(n + k²), with indicators O(n k).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels, or indicators of the labels of each case.
    beta : float, default 1.0
        Weight of recall relative to precision in the F measure, at least 0; may be infinite.
    labels : array-like of shape (k,), optional
        Classes or columns to score, in their order; if left out, all, ascending.
    pos_label : number, str or bool, default 1
        The class to score for `average='binary'`.
    average : {'binary', 'micro', 'macro', 'weighted', 'samples'} or None, default None
        'binary': the scores of `pos_label`.  'micro': those of the summed counts of all classes.  'macro': the mean
        over the classes.  'weighted': that mean, weighted by support.  'samples': the mean over the cases of
        indicators.  None: the scores of each class.
    warn_for : tuple, list or set of str
        The scores to warn of: 'precision', 'recall', 'f-score'.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    zero_division : {'warn', 0, 1, NaN}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.  Averages omit NaN.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has `pos_label`, of two classes: the
        scores of another population, or of the one from which a class was subsampled.

    Returns
    -------
    precision, recall, fscore : float, or float64 of shape (k,)
        In 0 .. 1.
    support : None, or ndarray of shape (k,)
        Cases of each class; None with an average.

    Raises
    ------
    EvaluationError
        If the columns differ in kind or length; for 'binary', if `pos_label` is not a class or there are more than two;
        for 'samples' without indicators; if there are not cases of two classes to reweight to `target_prevalence`, or
        weights are negative there.

    Warns
    -----
    UndefinedMetricWarning
        If a score divides by zero.

    Notes
    -----
    $$P = \frac{tp}{tp + fp}, \quad R = \frac{tp}{tp + fn}, \quad F_\beta = \frac{(1 + \beta^2) P R}{\beta^2 P + R}$$

    $P$ is precision, $R$ recall.  Range: 0 to 1; 1 is best.  Use 'macro' where all classes matter alike, 'weighted'
    where all cases do, and 'micro' for indicators: of single labels 'micro' is accuracy.  Equal to scikit-learn's
    `precision_recall_fscore_support`.  Source: C. J. van Rijsbergen, Information Retrieval (1979), chapter 7.

    Examples
    --------
    >>> precision_recall_fscore_support([0, 1, 1, 1], [0, 0, 1, 1], average="macro")
    (0.75, 0.8333333333333333, 0.7333333333333334, None)
    """
    function = "precision_recall_fscore_support"
    values.check_real(beta, 0, math.inf, "beta", function)
    if not isinstance(warn_for, list | tuple | set):
        values.check_choice(warn_for, (), "warn_for", function)
    settings = Settings(average, beta, zero_division, warn_for, target_prevalence)
    counts, targets = counted(function, (y_true, y_pred, sample_weight), settings, labels, pos_label)
    *each, support = scores(counts, settings, targets.weights)
    return (*each, None if support is None else unscale(support, targets.scale))


@overload
def jaccard_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: Average = "binary", **options: Unpack[ScoreOptions]
) -> float: ...
@overload
def jaccard_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: None, **options: Unpack[ScoreOptions]
) -> FloatArray: ...
def jaccard_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> Score:
    r"""Return the overlap of true and predicted labels, tp / (tp + fn + fp).

    Errors, warnings and cost are those of `precision_recall_fscore_support`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels, or indicators of the labels of each case.
    labels : array-like of shape (k,), optional
        Classes or columns to score, in their order; if left out, all, ascending.
    pos_label : number, str or bool, default 1
        The class to score for `average='binary'`.
    average : {'binary', 'micro', 'macro', 'weighted', 'samples'} or None, default 'binary'
        'binary': the score of `pos_label`.  'micro': that of the summed counts of all classes.  'macro': the mean over
        the classes.  'weighted': that mean, weighted by support.  'samples': the mean over the cases of indicators.
        None: the score of each class.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    zero_division : {'warn', 0, 1}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has `pos_label`, of two classes.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$J = \frac{tp}{tp + fn + fp} = \frac{F_1}{2 - F_1}$$

    Range: 0 to 1; 1 is best.  Use it to compare sets, such as the labels of a case or the pixels of an object, where it
    is known as intersection over union; models have the same order by it as by `f1_score`.  Equal to scikit-learn's
    `jaccard_score`.  Source: P. Jaccard, The distribution of the flora in the alpine zone, New Phytologist 11 (1912)
    37-50.

    Examples
    --------
    >>> jaccard_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.6666666666666666
    """
    values.check_zero_division(zero_division, "jaccard_score", nan=False)
    settings = Settings(average, 1, zero_division, ("jaccard",), target_prevalence)
    return score("jaccard_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)


def score(function: str, columns: tuple[Any, Any, Any], settings: Settings, labels: Any, pos_label: Any) -> Score:
    """Return the one score that may warn, of columns as of `counted`.  O(n + k²)."""
    (counts, targets), [metric] = counted(function, columns, settings, labels, pos_label), settings.warn_for
    values = _defined(_at_limit(metric, settings.beta), _pooled(counts, settings), settings)
    return _averaged(values, counts, settings, targets.weights)


def scores(counts: Tables, settings: Settings, weights: AnyArray | None) -> tuple[Score, Score, Score, Any]:
    """Return precision, recall, F measure and support of tables of classes, or of cases for 'samples'.  O(k), O(n)."""
    tables = _pooled(counts, settings)
    each = {"precision": _defined("precision", tables, settings), "recall": _defined("recall", tables, settings)}
    last = _at_limit("f-score", settings.beta)
    if last == "f-score":
        each[last] = _defined(last, tables, settings)
    means = {metric: _averaged(found, counts, settings, weights) for metric, found in each.items()}
    return means["precision"], means["recall"], means[last], counts.tp + counts.fn if settings.average is None else None


def counted(
    function: str, columns: tuple[Any, Any, Any], settings: Settings, labels: Any, pos_label: Any
) -> tuple[Tables, Targets]:
    """Count checked columns y_true, y_pred and sample_weight, and return both; errors name the function.  O(n + k²)."""
    average = settings.average
    true, pred, weights = columns
    values.check_array_likes(function, sparse=True, labels=labels, y_true=true, y_pred=pred, sample_weight=weights)
    values.check_choice(average, values.AVERAGES, "average", function)
    values.check_label(pos_label, "pos_label", function)
    values.check_zero_division(settings.zero_division, function)
    targets = positive_class.check_targets(*columns)
    if average == "binary":
        positive_class.check_positive_class(targets, pos_label)
    targets = positive_class.targets_at_prevalence(targets, settings.target_prevalence, pos_label)
    if average == "binary":
        return counts_of_label(targets, pos_label), targets
    if pos_label not in (None, 1) and settings.target_prevalence is None:
        advice = "You may use labels=[pos_label] to specify a single positive class."
        ignored = f"(set to {pos_label!r}) is ignored when average != 'binary' (got {average!r})"
        warn(f"Note that pos_label {ignored}. {advice}", UserWarning)
    return class_counts(targets, labels, average == "samples"), targets


def _pooled(counts: Tables, settings: Settings) -> Tables:
    """Return one table, the sum of all, for 'micro'."""
    if settings.average != "micro":
        return counts
    return BinaryCounts(*(np.add.reduce(column).item() for column in counts))


def _at_limit(metric: str, beta: float) -> str:
    """Return the score that an F measure is where `beta` is zero or its square infinite."""
    if metric == "f-score" and beta == 0:
        return "precision"
    if metric == "f-score" and math.isinf(float(beta) * float(beta)):
        return "recall"
    return metric


def _fraction(metric: str, counts: Tables, beta: float) -> tuple[str, Any, Any]:
    """Return what a score lacks where it divides by zero, its values, and what it divides by."""
    tp, fn, fp, _ = counts
    if metric == "precision":
        return "predicted", binary.precision(tp, fp), tp + fp
    if metric == "recall":
        return "true", binary.recall(tp, fn), tp + fn
    if metric == "jaccard":
        return "true or predicted", binary.jaccard(tp, fn, fp), tp + fn + fp
    weight = float(beta) * float(beta)
    return "true nor predicted", binary.f_measure_of_counts(tp, fn, fp, float(beta)), weight * (tp + fn) + tp + fp


def _defined(metric: str, counts: Tables, settings: Settings) -> Any:
    """Return a score of each table, with `zero_division` where its denominator is zero."""
    modifier, values, whole = _fraction(metric, counts, settings.beta)
    undefined: Any = whole == 0
    if not (undefined.any() if isinstance(undefined, np.ndarray) else undefined):
        return values
    warns = isinstance(settings.zero_division, str)
    if warns and metric in settings.warn_for:
        of, each = ("label", "sample") if settings.average == "samples" else ("sample", "label")
        where = "due to" if np.size(undefined) == 1 else f"in {each}s with"
        control = "Use `zero_division` parameter to control this behavior."
        warn(f"{metric.capitalize()} is ill-defined and being set to 0.0 {where} no {modifier} {of}s. {control}")
    return np.where(undefined, 0.0 if warns else float(settings.zero_division), values)


def _averaged(values: Any, counts: Tables, settings: Settings, weights: AnyArray | None) -> Score:
    average = settings.average
    if average is None:
        return values
    if average in ("binary", "micro"):
        return float(values) + 0.0  # -0.0, of negative weights, becomes 0.0
    by: Any = counts.tp + counts.fn if average == "weighted" else weights if average == "samples" else None
    return agreement.mean_of_defined(values, by)


def pair_table(targets: Targets) -> AnyArray:
    """Return the number of cases, or their scaled weight, by reference and response, (k, k).  O(n + k²)."""
    check_one_label(targets)
    if targets.weights is None and targets.pairs is not None:
        return targets.pairs
    table = joint_counts(targets.y_true, targets.y_pred, targets.span, targets.low, targets.weights)
    classes = targets.class_indices
    return table if classes.size == targets.span else table[np.ix_(classes, classes)]


def check_one_label(targets: Targets) -> None:
    """Raise EvaluationError for indicators.  O(1)."""
    refuse({f"{targets.kind} is not supported": targets.is_indicator})


def total(targets: Targets | Columns) -> Any:
    """Return the number of cases, or their scaled weight.  O(n)."""
    return targets.y_true.shape[0] if targets.weights is None else targets.weights.sum()


def class_counts(targets: Targets, labels: Any = None, samplewise: bool = False) -> CategoryCounts:
    """Return the tables (k,) of the labels, by default all classes, or (n,) of the cases of indicators.  O(n + k²)."""
    if targets.is_indicator:
        return _indicator_counts(targets, labels, samplewise)
    refuse({"Samplewise metrics are not available outside of multilabel classification.": samplewise})
    counts = _counts_of_classes(targets)
    if labels is None:
        return counts
    # a label that is not a class has only true negatives
    codes, none = positions(targets.classes, labels), (0, 0, 0, total(targets))
    columns = zip(counts, none, strict=True)
    return CategoryCounts(*(np.append(column, column.dtype.type(other))[codes] for column, other in columns))


def counts_of_label(targets: Targets, label: Any) -> BinaryCounts:
    """Count one label against all others, or add up weights; a label that is not a class is only true negatives."""
    classes = targets.classes.tolist()
    if targets.pairs is None or targets.weights is not None or label not in classes:
        return BinaryCounts(*(column.item() for column in class_counts(targets, [label])))
    code, table = classes.index(label), targets.pairs.tolist()
    tp, reference, response = table[code][code], sum(table[code]), sum(row[code] for row in table)
    return counts_from_margins(tp, reference, response, total(targets))


def positions(classes: AnyArray, labels: Any) -> IntArray:
    """Return the index of each label (m,) among the classes (k,), -1 for none of them.  O(k + m)."""
    index = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in label_array(labels).tolist()], np.intp)


def label_array(labels: Any) -> AnyArray:
    """Return the labels that a caller chose as an array (m,).  O(m)."""
    array = np.asarray(labels)
    check(array.ndim == 1, "labels", "be one-dimensional", f"shape {array.shape}")
    return array


def _counts_of_classes(targets: Targets) -> CategoryCounts:
    if targets.span**2 <= positive_class.MOST_CELLS:
        counts = multiclass.one_versus_all(pair_table(targets))
    else:
        counts = CategoryCounts(*category_weights(targets.y_true, targets.y_pred, targets.span, targets.weights))
    return counts if targets.weights is None else CategoryCounts(*(column.astype(np.float64) for column in counts))


def _indicator_counts(targets: Targets, labels: Any, samplewise: bool) -> CategoryCounts:
    reference, response = targets.y_true != 0, targets.y_pred != 0
    if labels is not None:
        chosen = _chosen_columns(labels, targets.classes.size)
        reference, response = reference[:, chosen], response[:, chosen]
    axis, weights = 1 if samplewise else 0, targets.weights
    if weights is None or samplewise:
        masks = reference & response, reference, response
        tp, of_reference, of_response = (np.count_nonzero(mask, axis=axis) for mask in masks)
        fn, fp = of_reference - tp, of_response - tp
        counts = CategoryCounts(tp, fn, fp, reference.shape[axis] - tp - fp - fn)
        return counts if weights is None else CategoryCounts(*(column * weights for column in counts))
    cells = reference & response, reference & ~response, response & ~reference, ~(reference | response)
    floats = weights.astype(np.float64)
    return CategoryCounts(*(floats @ mask for mask in cells))


def _chosen_columns(labels: Any, columns: int) -> IntArray:
    chosen = label_array(labels)
    if chosen.dtype.kind not in "biuf" or not is_whole(chosen):
        why = f"The 'labels' parameter must hold numbers of columns for multilabel targets, got {shown(labels)}"
        raise InvalidParameterError(why)
    for label in (chosen.max(initial=0), chosen.min(initial=0)):
        if not 0 <= label < columns:
            limit = f"> {columns - 1}" if label >= columns else "< 0"
            raise EvaluationError(f"All labels must be in [0, n labels) for multilabel targets. Got {label} {limit}")
    return chosen.astype(np.intp)
