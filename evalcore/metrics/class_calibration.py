"""Calibration errors of the probabilities of several classes."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import numpy as np
from numpy.typing import ArrayLike

from evalcore.metrics.probabilities import GAPS, bins_of, check_bins
from evalcore.typing import BinStrategy, GapNorm
from evalcore.validation.scores import (
    ClassProbabilities,
    PositiveProbabilities,
    as_class_probabilities,
    as_probabilities,
)
from evalcore.validation.values import check_array_likes


def top_label_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: BinStrategy = "uniform",
    norm: GapNorm = "l1",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Return how far the accuracy of the most probable class is from its mean probability, over bins of it.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, or a label indicator matrix (n, c).
    y_proba : array-like of shape (n,) or (n, c)
        Probabilities: of the larger class if one column, otherwise one column for each class in sorted order.
    n_bins, strategy, norm, sample_weight
        As in `expected_calibration_error`.
    labels : array-like of shape (c,), optional
        The classes; needed if `y_true` lacks some.

    Returns
    -------
    float
        In 0 .. 1.  Of classes that are equally probable, the first counts.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `log_loss`; if `n_bins`, `strategy` or `norm` are invalid.

    Warns
    -----
    UserWarning
        As `log_loss`.

    Notes
    -----
    $$\sum_{b} \frac{n_b}{n} \left| \text{acc}_b - \bar p_b \right|$$

    Range: 0 to 1; 0 is best.  Use it where the most probable class is what is acted on.

    O(n c), O(n c + n log n) for bins of equal weight.  It says whether the confidence of a classifier can be trusted,
    but nothing about the other classes: `classwise_calibration_error` does.  Source: C. Guo, G. Pleiss, Y. Sun and K.
    Q. Weinberger, On calibration of modern neural networks, ICML 2017.

    Examples
    --------
    >>> top_label_calibration_error(["a", "b", "c"], [[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    0.0
    """
    count = check_bins("top_label_calibration_error", n_bins, strategy, norm)
    cases = _class_cases("top_label_calibration_error", y_true, y_proba, sample_weight, labels)
    rows, top = np.arange(len(cases.truth)), cases.probabilities.argmax(axis=1)
    correct = cases.truth == top if cases.truth.ndim == 1 else cases.truth[rows, top] != 0
    return GAPS[norm](
        bins_of(PositiveProbabilities(cases.probabilities[rows, top], correct, cases.weights), count, strategy)
    )


def classwise_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: BinStrategy = "uniform",
    norm: GapNorm = "l1",
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Return how far the frequency of each class is from its mean probability, over bins and classes.

    Parameters
    ----------
    y_true, y_proba, n_bins, strategy, norm, sample_weight, labels
        As in `top_label_calibration_error`.

    Returns
    -------
    float
        In 0 .. 1: of the `expected_calibration_error` of each class against the others the mean, for "l2" the root mean
        square, for "max" the largest.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `top_label_calibration_error`.

    Warns
    -----
    UserWarning
        As `log_loss`.

    Notes
    -----
    $$\frac{1}{c} \sum_{j=1}^{c} \sum_{b} \frac{n_{jb}}{n} \left| \bar y_{jb} - \bar p_{jb} \right|$$

    Range: 0 to 1; 0 is best.  Use it where the probability of each class is acted on.

    O(n c), O(c n log n) for bins of equal weight.  The mean over many classes is small, for most probabilities are.
    Sources: M. Kull, M. Perelló-Nieto, M. Kängsepp, T. Silva Filho, H. Song and P. Flach, Beyond temperature scaling,
    NeurIPS 2019; for "l2" A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS 2019.

    Examples
    --------
    >>> classwise_calibration_error(["a", "b", "c"], [[1.0, 0.0, 0.0], [0.0, 0.25, 0.75], [0.0, 0.0, 1.0]])
    0.16666666666666666
    """
    count = check_bins("classwise_calibration_error", n_bins, strategy, norm)
    cases = _class_cases("classwise_calibration_error", y_true, y_proba, sample_weight, labels)
    each_class = (_class_against_others(cases, index) for index in range(cases.probabilities.shape[1]))
    errors = np.array([GAPS[norm](bins_of(each, count, strategy)) for each in each_class])
    if norm == "max":
        return float(errors.max())
    return float(errors.mean() if norm == "l1" else np.sqrt(np.mean(np.square(errors))))


def _class_cases(
    function: str, y_true: ArrayLike, y_proba: ArrayLike, sample_weight: ArrayLike | None, labels: ArrayLike | None
) -> ClassProbabilities:
    """Check probabilities and true classes; drop cases of weight zero, and give two classes two columns.  O(n c)."""
    check_array_likes(function, y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, labels=labels)
    cases = as_class_probabilities(y_true, as_probabilities(y_proba), sample_weight, labels)
    probabilities, truth, weights, scale = cases
    if probabilities.ndim == 1:
        probabilities = np.stack([1 - probabilities, probabilities], axis=1)
    if weights is not None and not weights.all():
        kept = weights > 0
        probabilities, truth, weights = probabilities[kept], truth[kept], weights[kept]
    return ClassProbabilities(probabilities, truth, weights, scale)


def _class_against_others(cases: ClassProbabilities, index: int) -> PositiveProbabilities:
    """Return the cases with a class as the positive one.  O(n)."""
    positive = cases.truth == index if cases.truth.ndim == 1 else cases.truth[:, index] != 0
    return PositiveProbabilities(np.ascontiguousarray(cases.probabilities[:, index]), positive, cases.weights)
