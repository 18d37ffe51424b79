"""Confusion matrices, accuracy and agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, refuse, warn
from evalcore.kernels.sums import ratio
from evalcore.measures import agreement, binary, multiclass
from evalcore.metrics.decisions import check_one_label, class_counts, label_array, pair_table, positions, total
from evalcore.typing import AnyArray, BoolArray, FloatArray, LabelsLike
from evalcore.validation import positive_class
from evalcore.validation.labels import INDICATOR
from evalcore.validation.positive_class import Columns, Targets
from evalcore.validation.values import check_array_likes, check_choice, check_flag, check_real, invalid_parameter
from evalcore.validation.weights import check_divisor, disagreement_of_classes, unscale


def confusion_matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> AnyArray:
    r"""Count cases by true class and predicted class.

    O(n + k²) for integers and strings; numbers that are far apart are sorted.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels: Booleans, integers or strings.
    labels : array-like of shape (k,), optional
        Classes to count, in the order of rows and columns; if left out, those of both columns, ascending.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    normalize : {'true', 'pred', 'all'}, optional
        Divide by the sums of rows, of columns, or by the total; 0 where that is 0.

    Returns
    -------
    ndarray of shape (k, k)
        A row for each true class; int64, or float64 if normalized or if weights are not integers.  Sums of
        integer weights beyond 2**63 wrap around, as in scikit-learn.

    Raises
    ------
    EvaluationError
        If the columns differ in kind or length, or if `labels` and `y_true` have none in common.
    EvaluationTypeError
        If labels are bytes, or cannot be compared.

    Warns
    -----
    UserWarning
        If there is a single class.

    Notes
    -----
    $$C_{ij} = \left| \{ m : y_m = i, \hat y_m = j \} \right|$$

    Range: counts of at least 0; on the diagonal the prediction is right.  Use `evalcore.ConfusionMatrix` for its
    statistics, or to count in batches.  Equal to scikit-learn's `confusion_matrix`.

    Examples
    --------
    >>> confusion_matrix(["a", "b", "b"], ["a", "a", "b"])
    array([[1, 0],
           [1, 1]])
    """
    check_array_likes("confusion_matrix", y_true=y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    check_choice(normalize, ("true", "pred", "all", None), "normalize", "confusion_matrix")
    targets = positive_class.check_targets(y_true, y_pred, sample_weight, wraps=normalize is None)
    table: AnyArray = table_of_labels(targets, labels)
    if normalize is None:
        table = unscale(table, targets.scale)
    else:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        table = np.nan_to_num(np.asarray(ratio(table, table.sum(axis=axis, keepdims=True))))
    warn_of_one_class(len(table))
    return table


def table_of_labels(targets: Targets, labels: Any) -> AnyArray:
    """Return the table of chosen labels, (m, m), at least one of them a reference; of all for None.  O(n + k² + m²)."""
    table = pair_table(targets)
    if labels is None:
        return table
    names, pairs = label_array(labels), targets.pairs
    refuse({"'labels' should contain at least one label.": names.size == 0})
    codes = positions(names, targets.classes)
    chosen = codes >= 0
    references = np.bincount(targets.y_true, minlength=codes.size) if pairs is None else pairs.sum(axis=1)
    refuse({"At least one label specified must be in y_true": not references[chosen].any()})
    among = np.zeros((names.size, names.size), table.dtype)
    among[np.ix_(codes[chosen], codes[chosen])] = table[np.ix_(chosen, chosen)]
    return among


def warn_of_one_class(classes: int) -> None:
    """Warn that a table has a single class, where other classes may have no cases.  O(1)."""
    if classes == 1:
        advice = "For a table of more than one cell, pass all known labels in the 'labels' parameter."
        warn(f"A single label was found in 'y_true' and 'y_pred'. {advice}", UserWarning)


def multilabel_confusion_matrix(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    samplewise: bool = False,
) -> AnyArray:
    """Count cases for each class against all others.

    O(n + k²), with indicators O(n k).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels, or indicators of the labels of each case.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    labels : array-like of shape (k,), optional
        Classes or columns to count, in their order; if left out, all that are there, ascending.
    samplewise : bool, default False
        Whether to count the labels of each case instead, for indicators only.

    Returns
    -------
    ndarray of shape (k, 2, 2) or (n, 2, 2)
        Cells tn, fp, fn, tp; int64, or the type of the weights.

    Raises
    ------
    EvaluationError
        As `confusion_matrix`; if a label is not a column of the indicators; if `samplewise` is set without indicators.

    Notes
    -----
    Range: counts of at least 0.  Use it for a measure of each class that has no function of its own.  Equal to
    scikit-learn's `multilabel_confusion_matrix`.

    Examples
    --------
    >>> multilabel_confusion_matrix([0, 1, 2], [0, 2, 2])[2]
    array([[1, 1],
           [0, 1]])
    """
    function = "multilabel_confusion_matrix"
    check_array_likes(function, sparse=True, y_true=y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    check_flag(samplewise, "samplewise", function)
    targets = positive_class.check_targets(y_true, y_pred, sample_weight)
    tp, fn, fp, tn = class_counts(targets, labels, samplewise)
    return np.asarray(unscale(np.stack([tn, fp, fn, tp], axis=-1).reshape(-1, 2, 2), targets.scale))


def balanced_accuracy_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, adjusted: bool = False
) -> float:
    r"""Return the mean of the classes' recalls, in 0 .. 1.

    O(n + k²).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    adjusted : bool, default False
        Whether to rescale so that chance scores 0 and perfection 1.

    Returns
    -------
    float
        The mean over the classes in `y_true`; NaN if adjusted for a single class.

    Raises
    ------
    EvaluationError
        As `confusion_matrix`.

    Warns
    -----
    UserWarning
        If `y_pred` has a class that `y_true` lacks.

    Notes
    -----
    $$\frac{1}{k} \sum_{j=1}^{k} R_j, \quad R_j = \frac{tp_j}{tp_j + fn_j}$$

    Range: 0 to 1; 1 is best, 1 / k is chance.  Use it where classes differ in size and matter alike; not where the
    cases that people will see are those of the data, for it does not depend on how common a class is.  Equal to
    scikit-learn's `balanced_accuracy_score`.  Source: K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann, The
    balanced accuracy and its posterior distribution, ICPR 2010.

    Examples
    --------
    >>> balanced_accuracy_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    check_array_likes("balanced_accuracy_score", y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    check_flag(adjusted, "adjusted", "balanced_accuracy_score")
    counts = pair_table(positive_class.check_targets(y_true, y_pred, sample_weight))
    warn_of_one_class(len(counts))
    tp = counts.diagonal()
    recalls: FloatArray = np.asarray(binary.recall(tp, counts.sum(axis=1) - tp))
    if np.isnan(recalls).any():
        warn("y_pred contains classes not in y_true", UserWarning)
    score = agreement.mean_of_defined(recalls)
    if adjusted:
        return float(agreement.beyond_chance(score, ratio(1, np.count_nonzero(~np.isnan(recalls))), 1))
    return score


def class_likelihood_ratios(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float | Mapping[str, float] = math.nan,
) -> tuple[float, float]:
    r"""Return the positive and the negative likelihood ratio: how a prediction changes the odds of the positive class.

    O(n).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels of two classes.
    labels : array-like of shape (2,), optional
        The negative and the positive class; if left out, in ascending order.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    replace_undefined_by : NaN, 1.0 or dict, default NaN
        Value of an undefined ratio; a dict has a number of at least 1 for 'LR+' and one in 0 .. 1 for 'LR-'.

    Returns
    -------
    tuple of float
        Positive and negative ratio; of informative predictions the positive ratio is above 1 and the negative one
        below.

    Raises
    ------
    EvaluationError
        If there are not two classes, and as `confusion_matrix`.

    Warns
    -----
    UndefinedMetricWarning
        If there is no positive, no false positive or no true negative.

    Notes
    -----
    $$LR_+ = \frac{tp / (tp + fn)}{fp / (fp + tn)}, \quad LR_- = \frac{fn / (tp + fn)}{tn / (fp + tn)}$$

    Range: at least 0, without an upper limit; 1 says nothing, and a large positive and a small negative ratio are best.
    Use them to tell what a test result does to the odds of a disease at any prevalence: odds after it are odds before
    it times the ratio.  Equal to scikit-learn's `class_likelihood_ratios`.  Source: J. J. Deeks and D. G. Altman,
    Diagnostic tests 4: likelihood ratios, BMJ 329 (2004) 168-169.

    Examples
    --------
    >>> class_likelihood_ratios([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1])
    (3.0, 0.3333333333333333)
    """
    function = "class_likelihood_ratios"
    check_array_likes(function, sparse=True, y_true=y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    undefined = _replacements(replace_undefined_by)
    targets = positive_class.check_targets(y_true, y_pred, sample_weight)
    if targets.kind != "binary":
        raise EvaluationError(
            f"class_likelihood_ratios only supports binary classification problems, got targets of type: {targets.kind}"
        )
    table: AnyArray = table_of_labels(targets, labels)
    if table.shape != (2, 2):
        raise EvaluationError(f"class_likelihood_ratios needs two labels, got {len(table)}; pass both in `labels`")
    tn, fp, fn, tp = table.ravel()
    _warn_of_likelihoods(tp, fn, fp, tn)
    positive = undefined[0] if fp == 0 else float(binary.positive_likelihood_ratio(tp, fn, fp, tn))
    return positive, undefined[1] if tn == 0 else float(binary.negative_likelihood_ratio(tp, fn, fp, tn))


def _replacements(value: Any) -> tuple[float, float]:
    """Numbers that stand for an undefined positive and negative ratio."""
    if isinstance(value, Real) and (value == 1 or (isinstance(value, float) and math.isnan(value))):
        return float(value), float(value)
    if not isinstance(value, dict):
        raise invalid_parameter("replace_undefined_by", "class_likelihood_ratios", "NaN, 1.0 or a dict", value)
    chosen = value.get("LR+"), value.get("LR-")
    for number, low, high in ((chosen[0], 1, math.inf), (chosen[1], 0, 1)):
        if not isinstance(number, Real) or not (low <= float(number) <= high or math.isnan(number)):
            form = f"{{'LR+': a, 'LR-': b}}, a of at least 1 or NaN, b in 0 .. 1 or NaN; got {value}"
            raise EvaluationError(f"The dictionary passed as `replace_undefined_by` needs to be in the form {form}")
    return float(chosen[0]), float(chosen[1])  # type: ignore[arg-type]  # both are numbers, or the loop has raised


def _warn_of_likelihoods(tp: Any, fn: Any, fp: Any, tn: Any) -> None:
    positive, negative = "`positive_likelihood_ratio`", "`negative_likelihood_ratio`"
    end = "set to `np.nan`. Use the `replace_undefined_by` param to control this behavior."
    for undefined, text in (
        (tp + fn == 0, f"No samples of the positive class are present in `y_true`. {positive} and {negative} are both"),
        (fp == 0 and tp == 0, f"No samples were predicted for the positive class and {positive} is"),
        (fp == 0 and tp != 0, f"{positive} is ill-defined and"),
        (tn == 0, f"{negative} is ill-defined and"),
    ):
        if undefined:
            warn(f"{text} {end}")


def accuracy_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    r"""Return the fraction of cases that are predicted correctly.

    O(n), with indicators O(n k).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels; a case with indicators is right if all of its labels are.
    normalize : bool, default True
        Whether to return the fraction instead of the number.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has the larger of two labels: the
        accuracy in another population, or in the one from which a class was subsampled.

    Returns
    -------
    float
        In 0 .. 1, or 0 .. n if not normalized.

    Raises
    ------
    EvaluationError
        If the columns differ in kind or length; if there are not cases of two classes to reweight to
        `target_prevalence`, or weights are negative there.
    ZeroWeightsError
        If weights of both signs sum to zero.

    Notes
    -----
    $$\frac{1}{n} \sum_{i=1}^{n} [\hat y_i = y_i]$$

    Range: 0 to 1; 1 is best.  Use it where all mistakes cost the same and no class is rare; where 1% of the cases are
    positive, a model that predicts none of them is right in 99%.  Then take `balanced_accuracy_score` or
    `matthews_corrcoef`.  Equal to scikit-learn's `accuracy_score`.

    Examples
    --------
    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3]), accuracy_score([[0, 1], [1, 1]], [[0, 1], [1, 0]])
    (0.5, 0.5)
    """
    check_array_likes("accuracy_score", sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    check_flag(normalize, "normalize", "accuracy_score")
    columns: Columns | Targets
    if target_prevalence is None:
        columns = positive_class.check_columns(y_true, y_pred, sample_weight)  # which numbers no labels
    else:
        targets = positive_class.check_targets(y_true, y_pred, sample_weight)
        columns = positive_class.targets_at_prevalence(targets, target_prevalence)
    return _of_cases(positive_class.correct_mask(columns), columns, normalize)


def zero_one_loss(
    y_true: LabelsLike, y_pred: LabelsLike, *, normalize: bool = True, sample_weight: ArrayLike | None = None
) -> float:
    r"""Return the fraction of cases that are predicted wrongly.

    O(n), with indicators O(n k).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels; a case with indicators is wrong if any of its labels is.
    normalize : bool, default True
        Whether to return the fraction instead of the number.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.

    Returns
    -------
    float
        In 0 .. 1, or 0 .. n if not normalized.

    Raises
    ------
    EvaluationError, ZeroWeightsError
        As `accuracy_score`.

    Notes
    -----
    $$1 - \frac{1}{n} \sum_{i=1}^{n} [\hat y_i = y_i]$$

    Range: 0 to 1; 0 is best.  Use it like `accuracy_score`, with the same weakness where classes are rare.  Equal to
    scikit-learn's `zero_one_loss`.

    Examples
    --------
    >>> zero_one_loss([1, 2, 3], [1, 2, 2], normalize=False)
    1.0
    """
    check_array_likes("zero_one_loss", sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    check_flag(normalize, "normalize", "zero_one_loss")
    columns = positive_class.check_columns(y_true, y_pred, sample_weight)
    return _of_cases(~positive_class.correct_mask(columns), columns, normalize)


def hamming_loss(y_true: LabelsLike, y_pred: LabelsLike, *, sample_weight: ArrayLike | None = None) -> float:
    r"""Return the fraction of labels that are wrong.

    O(n), with indicators O(n k).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,), or indicators of shape (n, k), sparse too
        Labels; with one label per case this is the `zero_one_loss`.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.

    Returns
    -------
    float
        In 0 .. 1.

    Raises
    ------
    EvaluationError, ZeroWeightsError
        As `accuracy_score`.

    Notes
    -----
    $$\frac{1}{n k} \sum_{i=1}^{n} \sum_{j=1}^{k} [\hat y_{ij} \neq y_{ij}]$$

    Range: 0 to 1; 0 is best.  Use it for cases with several labels, of which some may be right; not where most labels
    are absent, for these are easily right: take `jaccard_score` or `f1_score`.  Equal to scikit-learn's `hamming_loss`.
    Source: G. Tsoumakas and I. Katakis, Multi-label classification: an overview, International Journal of Data
    Warehousing and Mining 3 (2007) 1-13.

    Examples
    --------
    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]]), hamming_loss([1, 2, 3, 4], [2, 2, 3, 4])
    (0.75, 0.25)
    """
    check_array_likes("hamming_loss", sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    columns = positive_class.check_columns(y_true, y_pred, sample_weight)
    if columns.kind != INDICATOR:
        return _of_cases(~positive_class.correct_mask(columns), columns)
    wrong = np.count_nonzero(columns.y_true != columns.y_pred, axis=1)
    weight = wrong.sum() if columns.weights is None else (wrong * columns.weights).sum()
    everything = total(columns) * columns.y_true.shape[1]
    check_divisor(everything)
    return float(weight / everything)


def cohen_kappa_score(
    y1: ArrayLike,
    y2: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    weights: Literal["linear", "quadratic"] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    replace_undefined_by: float = math.nan,
) -> float:
    r"""Return the agreement of two columns beyond that of chance, Cohen's kappa, at most 1.

    O(n + k²).

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        Labels that two judges gave to the same cases.
    labels : array-like of shape (k,), optional
        Classes to count, in the order that `weights` assume; if left out, those of both columns, ascending.
    weights : {'linear', 'quadratic'} or array-like of shape (k, k), optional
        Weigh a disagreement by the distance of the classes, or by its square; or how much each two classes agree, from
        0 to 1, with 1 on the diagonal.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    replace_undefined_by : float, default NaN
        What to return if both columns hold a single class, in -1 .. 1 or NaN.

    Returns
    -------
    float
        1 for full agreement, 0 for the agreement of chance.

    Raises
    ------
    EvaluationError
        If the columns differ in kind or length, `labels` and `y1` have none in common, or weights are invalid.

    Warns
    -----
    UndefinedMetricWarning
        If kappa is undefined.
    UserWarning
        If there is a single class.

    Notes
    -----
    $$\kappa = \frac{p_o - p_e}{1 - p_e}$$

    $p_o$ is the fraction of cases on which the columns agree, $p_e$ the one expected if they were independent, with the
    same frequencies of classes.  Range: -1 to 1; 1 is full agreement, 0 that of chance.  Use it for two judges of the
    same cases; not to compare sets of cases with other frequencies, for kappa is low where nearly all cases are of one
    class.  Equal to scikit-learn's `cohen_kappa_score`.  Sources: J. Cohen, A coefficient of agreement for nominal
    scales, Educational and Psychological Measurement 20 (1960) 37-46; for weights J. Cohen, Weighted kappa,
    Psychological Bulletin 70 (1968) 213-220.

    Examples
    --------
    >>> cohen_kappa_score([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1])
    0.5
    """
    function = "cohen_kappa_score"
    check_array_likes(function, y1=y1, y2=y2, labels=labels, sample_weight=sample_weight)
    if weights is None or isinstance(weights, str):
        check_choice(weights, ("linear", "quadratic", None), "weights", function)
    check_real(replace_undefined_by, -1, 1, "replace_undefined_by", function, nan=True)
    try:
        counts = table_of_labels(positive_class.check_targets(y1, y2, sample_weight), labels)
    except EvaluationError as error:
        if "must be in y_true" not in str(error):
            raise
        raise EvaluationError("At least one label in `labels` must be present in `y1`") from None
    warn_of_one_class(len(counts))
    kappa = multiclass.weighted_kappa(counts, disagreement_of_classes(weights, len(counts), function))
    if math.isfinite(kappa):
        return float(kappa)
    reason = "`y1`, `y2` and `labels` have only one label in common."
    if not counts.sum():
        reason = "`y2` contains no labels that are present in both `y1` and `labels`."
    warn(f"{reason} `cohen_kappa_score` is undefined; set to `replace_undefined_by`, {replace_undefined_by}.")
    return replace_undefined_by


def matthews_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    r"""Return the correlation of true and predicted labels, Matthews' coefficient, in -1 .. 1.

    O(n + k²).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    target_prevalence : float, optional
        Reweight the cases so that this fraction of them, above 0 and below 1, has the larger of two labels.

    Returns
    -------
    float
        1 if all predictions are right, 0 for random ones, and 0 if either column holds a single class.

    Raises
    ------
    EvaluationError
        As `accuracy_score`.

    Warns
    -----
    UserWarning
        If there is a single class.

    Notes
    -----
    $$\frac{tp \cdot tn - fp \cdot fn}{\sqrt{(tp + fp)(tp + fn)(tn + fp)(tn + fn)}}$$

    That is for two classes; Gorodkin's formula is the same for more.  Range: -1 to 1; 1 is best, 0 is chance.  Use it
    where both classes matter and their sizes differ; not to compare sets of cases of different prevalence.  Equal to
    scikit-learn's `matthews_corrcoef`.  Sources: B. W. Matthews, Comparison of the predicted and observed secondary
    structure of T4 phage lysozyme, Biochimica et Biophysica Acta 405 (1975) 442-451; J. Gorodkin, Comparing two
    K-category assignments by a K-category correlation coefficient, Computational Biology and Chemistry 28 (2004)
    367-374.

    Examples
    --------
    >>> matthews_corrcoef([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1])
    0.5
    """
    check_array_likes("matthews_corrcoef", y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    targets = positive_class.check_targets(y_true, y_pred, sample_weight)
    check_one_label(targets)
    targets = positive_class.targets_at_prevalence(targets, target_prevalence)
    tp, fn, fp, tn = class_counts(targets)
    warn_of_one_class(len(tp))
    single = min(np.count_nonzero(tp + fn), np.count_nonzero(tp + fp)) < 2
    return 0.0 if single else float(multiclass.matthews(tp, fn, fp, tn))


def _of_cases(mask: BoolArray, columns: Columns | Targets, normalize: Any = True) -> float:
    """Return the fraction of the cases, or of their weight, that a mask chooses, or their number.  O(n)."""
    part = np.count_nonzero(mask) if columns.weights is None else columns.weights[mask].sum()
    if not normalize:
        return float(unscale(part, columns.scale))
    check_divisor(whole := total(columns))
    return float(part / whole)
