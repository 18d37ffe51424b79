"""How good predicted probabilities are, under scikit-learn's names."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.kernels.probability_bins import Bins, binned, equal_masses, equal_widths, quantiles, sum_over_cases
from evalcore.measures import calibration
from evalcore.typing import BinStrategy, FloatArray, GapNorm, Label
from evalcore.validation.arrays import as_1d
from evalcore.validation.scores import (
    ClassProbabilities,
    PositiveProbabilities,
    as_binned_probabilities,
    as_class_probabilities,
    as_positive_probabilities,
    as_probabilities,
    renamed_argument,
)
from evalcore.validation.targets import check_positive_label
from evalcore.validation.values import (
    check_array_likes,
    check_choice,
    check_flag,
    check_label,
    check_positive_integer,
    refuses_weights,
)
from evalcore.validation.weights import unscale

GAPS = {
    "l1": calibration.mean_gap,
    "l2": calibration.root_mean_square_gap,
    "max": calibration.largest_gap,
}
"""Gaps of bins, by the norm that combines them."""


def log_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    normalize: bool = True,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike = "deprecated",
) -> float:
    r"""Return the mean of -ln p, p being the probability given to the true class, in 0 .. -ln eps.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, or a label indicator matrix (n, c).
    y_proba : array-like of shape (n,) or (n, c)
        Probabilities: of the larger class if one column, otherwise one column for each class in sorted order.  They
        are clipped to eps .. 1 - eps, eps being that of their type.
    normalize : bool, default True
        Whether to return the mean instead of the sum.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    labels : array-like of shape (c,), optional
        The classes; needed if `y_true` lacks some.
    y_pred : array-like, deprecated
        The former name of `y_proba`.

    Returns
    -------
    float
        The mean or the sum over the cases.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities, weights or labels are invalid.

    Warns
    -----
    UserWarning
        If the probabilities of a case do not sum to one, or the labels are not sorted.
    FutureWarning
        If the probabilities are given as `y_pred`.

    Notes
    -----
    $$- \frac{1}{n} \sum_{i=1}^{n} \ln p_i(y_i)$$

    Range: 0 to -ln eps; 0 is best.  Use it where probabilities near 0 and 1 must be right; not where one confident
    mistake may decide, for it is punished nearly without limit.  Equal to scikit-learn's `log_loss`.

    O(n), O(n c) for a matrix.  Source: I. J. Good, Rational decisions, Journal of the Royal Statistical Society B 14
    (1952) 107-114.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [0.5, 0.5]), 6)
    0.693147
    >>> round(log_loss([1, 0, 2], [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2], [0.6, 0.1, 0.3]]), 6)
    0.690491
    """
    function = "log_loss"
    y_proba = renamed_argument(y_proba, y_pred)
    columns: dict[str, Any] = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight, "labels": labels}
    check_array_likes(function, **columns)
    check_flag(normalize, "normalize", function)
    given = as_probabilities(y_proba)
    cases = as_class_probabilities(y_true, given, sample_weight, labels)
    loss = total_log_loss(cases, given.dtype)
    return loss / _mass(cases.weights, given.shape[0]) if normalize else float(unscale(loss, cases.scale))


def brier_score_loss(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    scale_by_half: bool | Literal["auto"] = "auto",
) -> float:
    r"""Return the mean squared difference between probabilities and what happened.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, or a label indicator matrix (n, c).
    y_proba : array-like of shape (n,) or (n, c)
        Probabilities: of the positive class if one column, otherwise one column for each class in sorted order.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    pos_label : int, float, bool or str, optional
        The positive class, for one column; by default 1 of {0, 1} and {-1, 1}, the larger of other numbers.
    labels : array-like of shape (c,), optional
        The classes, for several columns; needed if `y_true` lacks some.
    scale_by_half : bool or "auto", default "auto"
        Whether to halve the sum over the classes, so that it is in 0 .. 1; "auto" for two classes only.

    Returns
    -------
    float
        The mean over the cases of Σ (p - outcome)² over the classes, in 0 .. 2, or of its half.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities, weights or labels are invalid.

    Warns
    -----
    UserWarning
        If the probabilities of a case do not sum to one, or the labels are not sorted.

    Notes
    -----
    $$\frac{1}{n} \sum_{i=1}^{n} (p_i - y_i)^2$$

    That is for two classes.  Range: 0 to 1, or to 2 where it is not halved; 0 is best.  Use it where probabilities are
    what is needed: it falls if they are sharper, and if they are calibrated better.  Where positives are rare all
    models score low: take `d2_brier_score`.  Equal to scikit-learn's `brier_score_loss`.

    O(n), O(n c) for a matrix.  Source: G. W. Brier, Verification of forecasts expressed in terms of probability,
    Monthly Weather Review 78 (1950) 1-3.

    Examples
    --------
    >>> brier_score_loss([0, 1], [0.5, 0.75])
    0.15625
    >>> brier_score_loss(["a", "b"], [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]], labels=["a", "b", "c"])
    0.1875
    """
    function = "brier_score_loss"
    columns: dict[str, Any] = {"y_true": y_true, "y_proba": y_proba, "sample_weight": sample_weight, "labels": labels}
    check_array_likes(function, **columns)
    check_label(pos_label, "pos_label", function)
    if scale_by_half != "auto":
        check_flag(scale_by_half, "scale_by_half", function)
    given = as_probabilities(y_proba)
    size = given.shape[0]
    half = _width(given) < 3 if scale_by_half == "auto" else bool(scale_by_half)
    if given.ndim == 1:
        positive = as_positive_probabilities(y_true, given, sample_weight, pos_label)
        return total_squared_error(positive) / _mass(positive.weights, size) / (1 + half)
    cases = as_class_probabilities(y_true, given, sample_weight, labels)
    return total_squared_error(cases) / _mass(cases.weights, size) / (1 + half)


@refuses_weights(
    "takes no sample_weight, as in scikit-learn; evalcore.metrics.expected_calibration_error and "
    "evalcore.plots.plot_calibration take it"
)
def calibration_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    pos_label: Label | None = None,
    n_bins: int = 5,
    strategy: BinStrategy = "uniform",
) -> tuple[FloatArray, FloatArray]:
    """Return the fraction of positive cases and the mean probability in each bin of probabilities that is not empty.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.
    n_bins : int, default 5
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or bounded by quantiles that are interpolated between neighbours.  A probability on
        the edge of two bins is in the lower one.

    Returns
    -------
    prob_true, prob_pred : ndarray of shape (b,)
        Both in 0 .. 1, by rising probability; b <= n_bins.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities, `n_bins` or `strategy` are invalid.

    Notes
    -----
    Range: 0 to 1; of calibrated probabilities both arrays are alike.  Use `isotonic_calibration_curve` where the number
    of bins would decide, and `evalcore.inference.calibration_curve_intervals` to know how sure each bin is.  Equal to
    scikit-learn's `calibration.calibration_curve`.

    O(n), O(n log n_bins) for many bins.  Source: M. H. DeGroot and S. E. Fienberg, The comparison and evaluation of
    forecasters, The Statistician 32 (1983) 12-22.

    Examples
    --------
    >>> calibration_curve([0, 0, 1, 1], [0.0, 0.25, 0.75, 0.5], n_bins=2)
    (array([0.33333333, 1.        ]), array([0.25, 0.75]))
    """
    check_array_likes("calibration_curve", y_true=y_true, y_prob=y_prob)
    check_label(pos_label, "pos_label", "calibration_curve")
    count = check_positive_integer(n_bins, "n_bins", "calibration_curve")
    check_choice(strategy, ("uniform", "quantile"), "strategy", "calibration_curve")
    cases = as_binned_probabilities(y_true, y_prob, None, pos_label)
    edges = equal_widths(count) if strategy == "uniform" else quantiles(cases.probabilities, count)
    bins = binned(cases.probabilities, cases.positive, edges)
    filled = bins.weights > 0
    return calibration.observed_rates(bins)[filled], calibration.mean_probabilities(bins)[filled]


def expected_calibration_error(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: BinStrategy = "uniform",
    norm: GapNorm = "l1",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> float:
    r"""Return how far the fraction of positive cases is from the mean probability, over bins of probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    n_bins : int, default 10
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or of the same weight: the i-th edge is the least probability with i / n_bins of the
        weight at or below it.  A probability on the edge of two bins is in the lower one.
    norm : {"l1", "l2", "max"}, default "l1"
        How to combine the gaps of the bins: the mean weighted by the cases, the root of the mean square, or the
        largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative; an integer counts as that many cases.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.

    Returns
    -------
    float
        Σ fraction of the cases · |fraction of positives - mean probability|, or as `norm` says, in 0 .. 1.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities, weights, `n_bins`, `strategy` or `norm` are
        invalid.

    Notes
    -----
    $$\sum_{b} \frac{n_b}{n} \left| \bar y_b - \bar p_b \right|$$

    Range: 0 to 1; 0 is best.  Use it to say how far probabilities can be taken at their word; not to compare models
    alone, for a constant prevalence has no error and is useless.  It depends on the bins, and chance makes it larger
    than 0: `evalcore.inference.calibration_error_interval` allows for that.

    O(n), O(n log n) for bins of equal weight.  Sources: M. P. Naeini, G. F. Cooper and M. Hauskrecht, Obtaining well
    calibrated probabilities using Bayesian binning, AAAI 2015; for "l2" A. Kumar, P. Liang and T. Ma, Verified
    uncertainty calibration, NeurIPS 2019.

    Examples
    --------
    >>> expected_calibration_error([0, 0, 1, 1], [0.0, 0.25, 0.75, 0.5], n_bins=2)
    0.125
    >>> expected_calibration_error([0, 0, 1, 1], [0.0, 0.25, 0.75, 0.5], n_bins=2, norm="max")
    0.25
    """
    function = "expected_calibration_error"
    check_array_likes(function, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    check_label(pos_label, "pos_label", function)
    count = check_bins(function, n_bins, strategy, norm)
    cases = as_binned_probabilities(y_true, y_prob, sample_weight, pos_label)
    if not cases.positive.any():
        check_positive_label(pos_label, as_1d(y_true, "y_true"))
    return GAPS[norm](bins_of(cases, count, strategy))


def check_bins(function: str, n_bins: Any, strategy: Any, norm: Any = "l1") -> int:
    """Return the number of bins; raise InvalidParameterError for a strategy or norm that is none.  O(1)."""
    count = check_positive_integer(n_bins, "n_bins", function)
    check_choice(strategy, ("uniform", "quantile"), "strategy", function)
    check_choice(norm, tuple(GAPS), "norm", function)
    return count


def bins_of(cases: PositiveProbabilities, count: int, strategy: BinStrategy) -> Bins:
    """Add up the cases of bins of equal width or, for "quantile", weight.  O(n), O(n log n) for equal weight."""
    uniform = strategy == "uniform"
    edges = equal_widths(count) if uniform else equal_masses(cases.probabilities, cases.weights, count)
    return binned(cases.probabilities, cases.positive, edges, cases.weights)


def total_log_loss(cases: ClassProbabilities, dtype: np.dtype[Any]) -> float:
    """Add up -ln p of the true classes, with p clipped to eps .. 1 - eps of the type.  O(n c)."""
    least = np.finfo(dtype).eps
    limits = least, 1 - least
    width = _width(cases.probabilities)
    return sum_over_cases(lambda block: _log_losses(cases, block, limits), len(cases.truth), cases.weights, width)


def total_squared_error(cases: ClassProbabilities | PositiveProbabilities) -> float:
    """Add up (p - outcome)² over the cases and the classes.  O(n c)."""
    if isinstance(cases, PositiveProbabilities):
        return sum_over_cases(lambda block: 2 * _squared_error(cases, block), len(cases.positive), cases.weights)
    width = _width(cases.probabilities)
    return sum_over_cases(lambda block: _squared_errors(cases, block), len(cases.truth), cases.weights, width)


def _log_losses(cases: ClassProbabilities, block: slice, limits: tuple[Any, Any]) -> FloatArray:
    probabilities, truth = cases.probabilities[block], cases.truth[block]
    if truth.ndim == 2:
        return np.asarray(np.sum(calibration.log_loss(probabilities.clip(*limits)), axis=1, where=truth != 0))
    if probabilities.ndim == 1:
        own = np.where(truth, probabilities, 1 - probabilities)
    else:
        own = probabilities[np.arange(truth.size), truth]
    return calibration.log_loss(own.clip(*limits))


def _squared_error(cases: PositiveProbabilities, block: slice) -> FloatArray:
    return calibration.squared_error(cases.probabilities[block], cases.positive[block])


def _squared_errors(cases: ClassProbabilities, block: slice) -> FloatArray:
    return calibration.squared_errors(cases.probabilities[block], cases.truth[block])


def _width(probabilities: npt.NDArray[Any]) -> int:
    return 2 if probabilities.ndim == 1 else probabilities.shape[1]


def _mass(weights: FloatArray | None, cases: int) -> float:
    return cases if weights is None else float(weights.sum())
