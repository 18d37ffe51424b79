"""Single scores of decisions by class, and the report of all of them."""

from __future__ import annotations

import math
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import refuse, warn
from evalcore.metrics import decisions
from evalcore.metrics.decisions import ClassOptions, Score, ScoreOptions, Settings
from evalcore.typing import AnyArray, Average, FloatArray, Label, LabelsLike, ZeroDivision
from evalcore.validation.positive_class import Targets, check_targets
from evalcore.validation.values import check_array_likes, check_flag, check_real, check_zero_division, invalid_parameter
from evalcore.validation.weights import unscale


@overload
def precision_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: Average = "binary", **options: Unpack[ScoreOptions]
) -> float: ...
@overload
def precision_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: None, **options: Unpack[ScoreOptions]
) -> FloatArray: ...
def precision_score(
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
    r"""Return the fraction of predicted positives that are truly positive, tp / (tp + fp).

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
    zero_division : {'warn', 0, 1, NaN}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.  Averages omit NaN.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has `pos_label`, of two classes.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$\frac{tp}{tp + fp}$$

    Range: 0 to 1; 1 is best.  Use it beside recall where false alarms are costly; it falls with the prevalence, so that
    it cannot be compared between populations: `target_prevalence` gives what it would be in another one.  Equal to
    scikit-learn's `precision_score`.  Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information
    Retrieval (2008), 8.3.

    Examples
    --------
    >>> precision_score([0, 1, 1, 1], [1, 0, 1, 1])
    0.6666666666666666
    >>> precision_score([0, 0, 1, 1], [0, 1, 1, 1], target_prevalence=0.01)  # 0.01 / (0.01 + 0.99 * 0.5)
    0.019801980198019802
    """
    settings = Settings(average, 1, zero_division, ("precision",), target_prevalence)
    return decisions.score("precision_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)


@overload
def recall_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: Average = "binary", **options: Unpack[ClassOptions]
) -> float: ...
@overload
def recall_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: None, **options: Unpack[ClassOptions]
) -> FloatArray: ...
def recall_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Score:
    r"""Return the fraction of positives that are found, tp / (tp + fn).

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
    zero_division : {'warn', 0, 1, NaN}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.  Averages omit NaN.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$\frac{tp}{tp + fn}$$

    Range: 0 to 1; 1 is best.  Use it beside precision or specificity where misses are costly: alone it is 1 for a model
    that predicts all cases positive.  It does not depend on the prevalence.  Equal to scikit-learn's `recall_score`.
    Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval (2008), 8.3.

    Examples
    --------
    >>> recall_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.5
    """
    settings = Settings(average, 1, zero_division, ("recall",))
    return decisions.score("recall_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)


@overload
def f1_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: Average = "binary", **options: Unpack[ScoreOptions]
) -> float: ...
@overload
def f1_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, average: None, **options: Unpack[ScoreOptions]
) -> FloatArray: ...
def f1_score(
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
    r"""Return the harmonic mean of precision and recall, 2 tp / (2 tp + fn + fp).

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
    zero_division : {'warn', 0, 1, NaN}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.  Averages omit NaN.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has `pos_label`, of two classes.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1.

    Notes
    -----
    $$F_1 = \frac{2 tp}{2 tp + fn + fp} = \frac{2 P R}{P + R}$$

    $P$ is precision, $R$ recall.  Range: 0 to 1; 1 is best.  Use it where positives are rare and both mistakes matter
    alike; not where true negatives matter: it ignores them, and changes if the classes swap their names.  Equal to
    scikit-learn's `f1_score`.  Source: C. J. van Rijsbergen, Information Retrieval (1979), chapter 7.

    Examples
    --------
    >>> f1_score([0, 0, 1, 1], [0, 1, 0, 1])
    0.5
    """
    settings = Settings(average, 1, zero_division, ("f-score",), target_prevalence)
    return decisions.score("f1_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)


@overload
def fbeta_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, beta: float, average: Average = "binary", **options: Unpack[ScoreOptions]
) -> float: ...
@overload
def fbeta_score(
    y_true: LabelsLike, y_pred: LabelsLike, *, beta: float, average: None, **options: Unpack[ScoreOptions]
) -> FloatArray: ...
def fbeta_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    beta: float,
    labels: ArrayLike | None = None,
    pos_label: Label | None = 1,
    average: Average | None = "binary",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    target_prevalence: float | None = None,
) -> Score:
    r"""Return the F measure, (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp).

    Errors, warnings and cost are those of `precision_recall_fscore_support`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels, or indicators of the labels of each case.
    beta : float
        Weight of recall relative to precision, at least 0; may be infinite.
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
    zero_division : {'warn', 0, 1, NaN}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.  Averages omit NaN.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has `pos_label`, of two classes.

    Returns
    -------
    float, or float64 of shape (k,)
        In 0 .. 1: precision for a `beta` of 0, recall for an infinite one.

    Notes
    -----
    $$F_\beta = \frac{(1 + \beta^2) tp}{(1 + \beta^2) tp + \beta^2 fn + fp}$$

    Range: 0 to 1; 1 is best.  Use a `beta` of 2 if recall matters more, of 0.5 if precision does; if you know what
    mistakes cost, take `expected_cost`.  Equal to scikit-learn's `fbeta_score`.  Source: C. J. van Rijsbergen,
    Information Retrieval (1979), chapter 7.

    Examples
    --------
    >>> fbeta_score([0, 0, 1, 1], [1, 1, 1, 1], beta=2)
    0.8333333333333334
    """
    check_real(beta, 0, math.inf, "beta", "fbeta_score")
    settings = Settings(average, beta, zero_division, ("f-score",), target_prevalence)
    return decisions.score("fbeta_score", (y_true, y_pred, sample_weight), settings, labels, pos_label)


_COLUMNS = ("precision", "recall", "f1-score", "support")
Rows = list[tuple[str, list[Any]]]


class _ReportOptions(TypedDict, total=False):
    labels: ArrayLike | None
    target_names: ArrayLike | None
    sample_weight: ArrayLike | None
    digits: int
    zero_division: ZeroDivision


@overload
def classification_report(
    y_true: LabelsLike, y_pred: LabelsLike, *, output_dict: Literal[False] = False, **options: Unpack[_ReportOptions]
) -> str: ...
@overload
def classification_report(
    y_true: LabelsLike, y_pred: LabelsLike, *, output_dict: Literal[True], **options: Unpack[_ReportOptions]
) -> dict[str, Any]: ...
@overload
def classification_report(
    y_true: LabelsLike, y_pred: LabelsLike, *, output_dict: bool, **options: Unpack[_ReportOptions]
) -> str | dict[str, Any]: ...
def classification_report(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    labels: ArrayLike | None = None,
    target_names: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: ZeroDivision = "warn",
) -> str | dict[str, Any]:
    """Write a table of each class's precision, recall, F1 and support, and their averages.

    O(n + k²), with indicators O(n k).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels, or indicators of the labels of each case.
    labels : array-like of shape (k,), optional
        Classes or columns to report, in their order; if left out, all that are there, ascending.
    target_names : array-like of str, shape (k,), optional
        Names of the classes.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    digits : int, default 2
        Decimals of the scores in the text.
    output_dict : bool, default False
        Whether to return a dict instead of the text.
    zero_division : {'warn', 0, 1, NaN}, default 'warn'
        Value of a score that divides by zero; 'warn' is 0 with a warning.

    Returns
    -------
    str, or dict of str to dict of str to float
        The averages are 'accuracy', or 'micro avg' for indicators and where labels are left out, 'macro avg',
        'weighted avg', and 'samples avg' of indicators; in the dict 'accuracy' is a number.

    Raises
    ------
    EvaluationError
        If the columns differ in kind or length, or the number of names, without `labels`, is not that of the classes.

    Warns
    -----
    UserWarning
        If the number of names is not the number of labels given.
    UndefinedMetricWarning
        If a score divides by zero.

    Notes
    -----
    Range: scores of 0 to 1, 1 is best, beside counts.  Use it to read; for numbers to compute with take
    `precision_recall_fscore_support`, for intervals `evalcore.evaluate`.  Equal to scikit-learn's
    `classification_report`.  Sources of the scores: as for `precision_recall_fscore_support`.

    Examples
    --------
    >>> print(classification_report(["a", "a", "b", "b"], ["a", "b", "b", "b"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               a       1.00      0.50      0.67         2
               b       0.67      1.00      0.80         2
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.83      0.75      0.73         4
    weighted avg       0.83      0.75      0.73         4
    <BLANKLINE>
    """
    function = "classification_report"
    given = {"labels": labels, "target_names": target_names, "sample_weight": sample_weight}
    check_array_likes(function, sparse=True, y_true=y_true, y_pred=y_pred, **given)
    if not isinstance(digits, int | np.integer) or digits < 0:
        raise invalid_parameter("digits", function, "an integer of at least 0", digits)
    check_flag(output_dict, "output_dict", function)
    check_zero_division(zero_division, function)
    targets = check_targets(y_true, y_pred, sample_weight)
    chosen = targets.classes if labels is None else decisions.label_array(labels)
    names = _names(chosen, target_names, labels is not None)
    settings = Settings(None, 1, zero_division, decisions.ALL)
    *each, support = decisions.scores(decisions.class_counts(targets, chosen), settings, targets.weights)
    columns = *each, unscale(support, targets.scale)
    rows = [(name, row) for name, *row in zip(names, *columns, strict=False)]
    averages = _averages(targets, chosen, settings)
    return _as_dict(rows, averages) if output_dict else _as_text(rows, averages, digits)


def _names(labels: AnyArray, target_names: Any, labels_given: bool) -> list[Any]:
    if target_names is None:
        return [str(label) for label in labels]
    if len(labels) != len(target_names):
        differ = f"{len(labels)}, does not match size of target_names, {len(target_names)}"
        refuse({f"Number of classes, {differ}. Try specifying the labels parameter": not labels_given})
        warn(f"labels size, {differ}", UserWarning)
    return list(target_names)


def _averages(targets: Targets, labels: AnyArray, settings: Settings) -> Rows:
    """Averages by their headings."""
    counts = decisions.class_counts(targets, labels)
    support = unscale(np.sum(counts.tp + counts.fn), targets.scale)
    complete = not targets.is_indicator and set(labels.tolist()) >= set(targets.classes.tolist())
    found: Rows = []
    for average in ("micro", "macro", "weighted", "samples")[: 4 if targets.is_indicator else 3]:
        heading = "accuracy" if average == "micro" and complete else f"{average} avg"
        tables = decisions.class_counts(targets, labels, samplewise=True) if average == "samples" else counts
        own = settings._replace(average=average)
        found.append((heading, [*decisions.scores(tables, own, targets.weights)[:3], support]))
    return found


def _as_dict(rows: Rows, averages: Rows) -> dict[str, Any]:
    report: dict[str, Any] = {name: dict(zip(_COLUMNS, map(float, row), strict=True)) for name, row in rows + averages}
    if "accuracy" in report:
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(rows: Rows, averages: Rows, digits: int) -> str:
    width = max(*(len(name) for name, _ in rows), len("weighted avg"), digits)
    head = f"{'':>{width}s} " + "".join(f" {column:>9}" for column in _COLUMNS)
    of_classes, of_averages = ([_line(*row, width, digits) for row in part] for part in (rows, averages))
    return "\n".join([head, "", *of_classes, "", *of_averages, ""])


def _line(name: str, row: list[Any], width: int, digits: int) -> str:
    *values, support = row
    shown = [f"{value:>9.{digits}f}" for value in values]
    if name == "accuracy":
        shown[:2] = [" " * 9] * 2
    return f"{name:>{width}s} " + "".join(f" {text}" for text in (*shown, f"{support:>9}"))
