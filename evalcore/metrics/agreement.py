"""How far responses agree with references: fractions of right and wrong ones, and agreement beyond chance."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import math
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.measures import multiclass
from evalcore.metrics.class_counts import check_one_label, class_counts, total
from evalcore.metrics.confusion import table_of_labels, warn_of_one_class
from evalcore.typing import BoolArray, LabelsLike
from evalcore.validation.targets import (
    Columns,
    Targets,
    check_columns,
    check_targets,
    correct_mask,
    targets_at_prevalence,
)
from evalcore.validation.values import check_array_likes, check_choice, check_flag, check_real
from evalcore.validation.weights import check_divisor, disagreement_of_classes, unscale


def accuracy_score(
    y_true: LabelsLike,
    y_pred: LabelsLike,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    r"""Return the fraction of cases whose response is right.

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

    Range: 0 to 1; 1 is best.  Use it where all mistakes cost the same and no class is rare; of cases of which 1% are
    positive, whoever predicts none of them is right in 99%.  Then take `balanced_accuracy_score` or
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
        columns = check_columns(y_true, y_pred, sample_weight)  # which numbers no labels
    else:
        columns = targets_at_prevalence(check_targets(y_true, y_pred, sample_weight), target_prevalence)
    right = _weight_of(correct_mask(columns), columns)
    return _fraction(right, total(columns)) if normalize else float(unscale(right, columns.scale))


def zero_one_loss(
    y_true: LabelsLike, y_pred: LabelsLike, *, normalize: bool = True, sample_weight: ArrayLike | None = None
) -> float:
    r"""Return the fraction of cases whose response is wrong.

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
    columns = check_columns(y_true, y_pred, sample_weight)
    wrong = _weight_of(~correct_mask(columns), columns)
    return _fraction(wrong, total(columns)) if normalize else float(unscale(wrong, columns.scale))


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
    columns = check_columns(y_true, y_pred, sample_weight)
    everything = total(columns)
    if not columns.is_indicator:
        return _fraction(_weight_of(~correct_mask(columns), columns), everything)
    wrong = np.count_nonzero(columns.y_true != columns.y_pred, axis=1)
    weight = wrong.sum() if columns.weights is None else (wrong * columns.weights).sum()
    return _fraction(weight, everything * columns.y_true.shape[1])


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
        counts = table_of_labels(check_targets(y1, y2, sample_weight), labels)
    except EvaluationError as error:
        if "must be in y_true" not in str(error):
            raise
        raise EvaluationError("At least one label in `labels` must be present in `y1`") from None
    warn_of_one_class(len(counts))
    kappa = multiclass.weighted_kappa(counts, disagreement_of_classes(weights, len(counts), function))
    if np.isfinite(kappa):
        return float(kappa)
    reason = (
        "`y1`, `y2` and `labels` have only one label in common."
        if counts.sum()
        else "`y2` contains no labels that are present in both `y1` and `labels`."
    )
    warnings.warn(
        f"{reason} `cohen_kappa_score` is undefined; set to `replace_undefined_by`, {replace_undefined_by}.",
        UndefinedMetricWarning,
        stacklevel=2,
    )
    return replace_undefined_by


def matthews_corrcoef(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    target_prevalence: float | None = None,
) -> float:
    r"""Return the correlation of references and responses, Matthews' coefficient, in -1 .. 1.

    O(n + k²).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.
    target_prevalence : float, optional
        As in `accuracy_score`.

    Returns
    -------
    float
        1 if all responses are right, 0 for random ones, and 0 if either column holds a single class.

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
    targets = check_targets(y_true, y_pred, sample_weight)
    check_one_label(targets)
    targets = targets_at_prevalence(targets, target_prevalence)
    tp, fn, fp, tn = class_counts(targets)
    warn_of_one_class(len(tp))
    single = min(np.count_nonzero(tp + fn), np.count_nonzero(tp + fp)) < 2
    return 0.0 if single else float(multiclass.matthews(tp, fn, fp, tn))


def _weight_of(mask: BoolArray, columns: Columns | Targets) -> Any:
    return np.count_nonzero(mask) if columns.weights is None else columns.weights[mask].sum()


def _fraction(part: Any, whole: Any) -> float:
    check_divisor(whole)
    return float(part / whole)
