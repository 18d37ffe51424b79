"""Losses of probabilities, their skill against a reference, and calibration."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import warn
from evalcore.kernels.shapes import Pools, isotonic_pools
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import Bins, binned, equal_masses, equal_widths, quantiles, sum_over_cases
from evalcore.measures import losses
from evalcore.typing import BinStrategy, FloatArray, GapNorm, Label, ProbabilityLoss, ScoreArray
from evalcore.validation import scores, values
from evalcore.validation.arrays import as_1d, as_array
from evalcore.validation.positive_class import check_positive_label
from evalcore.validation.scores import ClassProbabilities, PositiveProbabilities
from evalcore.validation.weights import check_consistent_lengths, unscale

GAPS = {"l1": losses.mean_gap, "l2": losses.root_mean_square_gap, "max": losses.largest_gap}
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
    r"""Return the mean of -ln p, where p is the probability given to the true class, in 0 .. -ln eps.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, or a label indicator matrix (n, c).
    y_proba : array-like of shape (n,) or (n, c)
        Probabilities: of the larger class if one column, otherwise one column for each class in sorted order.  They
        are clipped to eps .. 1 - eps, where eps is that of their type.
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
    mistake may decide, which is penalised almost without limit.  Equal to scikit-learn's `log_loss`.

    O(n), O(n c) for a matrix.  Source: I. J. Good, Rational decisions, Journal of the Royal Statistical Society B 14
    (1952) 107-114.

    Examples
    --------
    >>> round(log_loss(["no", "yes"], [0.5, 0.5]), 6)
    0.693147
    >>> round(log_loss([1, 0, 2], [[0.2, 0.7, 0.1], [0.6, 0.2, 0.2], [0.6, 0.1, 0.3]]), 6)
    0.690491
    """
    y_proba = scores.renamed_argument(y_proba, y_pred)
    values.check_array_likes("log_loss", y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, labels=labels)
    values.check_flag(normalize, "normalize", "log_loss")
    given = scores.as_probabilities(y_proba)
    cases = scores.as_class_probabilities(y_true, given, sample_weight, labels)
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
    values.check_array_likes(function, y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, labels=labels)
    values.check_label(pos_label, "pos_label", function)
    if scale_by_half != "auto":
        values.check_flag(scale_by_half, "scale_by_half", function)
    given = scores.as_probabilities(y_proba)
    size = given.shape[0]
    half = _width(given) < 3 if scale_by_half == "auto" else bool(scale_by_half)
    cases = _cases_of(given, y_true, sample_weight, pos_label, labels)
    return total_squared_error(cases) / _mass(cases.weights, size) / (1 + half)


@values.refuses_weights(
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
    scikit-learn's `losses.calibration_curve`.

    O(n), O(n log n_bins) for many bins.  Source: M. H. DeGroot and S. E. Fienberg, The comparison and evaluation of
    forecasters, The Statistician 32 (1983) 12-22.

    Examples
    --------
    >>> calibration_curve([0, 0, 1, 1], [0.0, 0.25, 0.75, 0.5], n_bins=2)
    (array([0.33333333, 1.        ]), array([0.25, 0.75]))
    """
    values.check_array_likes("calibration_curve", y_true=y_true, y_prob=y_prob)
    values.check_label(pos_label, "pos_label", "calibration_curve")
    count = check_bins("calibration_curve", n_bins, strategy)
    cases = scores.as_binned_probabilities(y_true, y_prob, None, pos_label)
    edges = equal_widths(count) if strategy == "uniform" else quantiles(cases.probabilities, count)
    bins = binned(cases.probabilities, cases.positive, edges)
    filled = bins.weights > 0
    return losses.observed_rates(bins)[filled], losses.mean_probabilities(bins)[filled]


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
    than 0: `evalcore.inference.debiased_calibration_error_interval` allows for that.

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
    count = check_bins(function, n_bins, strategy, norm)
    return GAPS[norm](bins_of(_binary_cases(function, y_true, y_prob, sample_weight, pos_label), count, strategy))


def check_bins(function: str, n_bins: Any, strategy: Any, norm: Any = "l1") -> int:
    """Return the number of bins; raise InvalidParameterError for a strategy or norm that is none.  O(1)."""
    count = values.check_positive_integer(n_bins, "n_bins", function)
    values.check_choice(strategy, ("uniform", "quantile"), "strategy", function)
    values.check_choice(norm, tuple(GAPS), "norm", function)
    return count


def edges_of(cases: PositiveProbabilities, count: int, strategy: BinStrategy) -> ScoreArray:
    """Return the edges of bins of equal width or, for "quantile", weight.  O(b), O(n log n) for equal weight."""
    return equal_widths(count) if strategy == "uniform" else equal_masses(cases.probabilities, cases.weights, count)


def bins_of(cases: PositiveProbabilities, count: int, strategy: BinStrategy) -> Bins:
    """Add up the cases of each bin, as `edges_of` cuts them.  O(n), O(n log n) for equal weight."""
    return binned(cases.probabilities, cases.positive, edges_of(cases, count, strategy), cases.weights)


def total_log_loss(cases: ClassProbabilities, dtype: np.dtype[Any]) -> float:
    """Add up -ln p of the true classes, with p clipped to eps .. 1 - eps of the type.  O(n c)."""
    least = np.finfo(dtype).eps
    limits = least, 1 - least
    width = _width(cases.probabilities)
    return sum_over_cases(lambda block: _log_losses(cases, block, limits), len(cases.truth), cases.weights, width)


def total_squared_error(cases: ClassProbabilities | PositiveProbabilities) -> float:
    """Add up (p - outcome)² over the cases and the classes.  O(n c)."""
    if isinstance(cases, PositiveProbabilities):
        return 2 * _mean_loss("brier_score", cases, 1)

    def of_block(block: slice) -> FloatArray:
        return losses.squared_errors(cases.probabilities[block], cases.truth[block])

    return sum_over_cases(of_block, len(cases.truth), cases.weights, _width(cases.probabilities))


def _log_losses(cases: ClassProbabilities, block: slice, limits: tuple[Any, Any]) -> FloatArray:
    probabilities, truth = cases.probabilities[block], cases.truth[block]
    if truth.ndim == 2:
        return np.asarray(np.sum(losses.log_loss(probabilities.clip(*limits)), axis=1, where=truth != 0))
    if probabilities.ndim == 1:
        own = np.subtract(1, truth, dtype=probabilities.dtype)
        own -= probabilities
        np.abs(own, out=own)  # the same number as of a choice between p and 1 - p, which a processor cannot predict
    else:
        own = probabilities[np.arange(truth.size), truth]
    own.clip(*limits, out=own)
    return losses.log_loss(own, out=own if own.dtype == np.float64 else None)


def _width(probabilities: npt.NDArray[Any]) -> int:
    return 2 if probabilities.ndim == 1 else probabilities.shape[1]


def _mass(weights: FloatArray | None, cases: int) -> float:
    return cases if weights is None else float(weights.sum())


def d2_log_loss_score(
    y_true: ArrayLike,
    y_proba: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    y_pred: ArrayLike = "deprecated",
) -> float:
    r"""Return the fraction of the log loss that probabilities explain, 1 - loss / loss of the classes' frequencies.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, or a label indicator matrix (n, c).
    y_proba : array-like of shape (n,) or (n, c)
        Probabilities: of the larger class if one column, otherwise one column for each class in sorted order.  They are
        clipped to eps .. 1 - eps, where eps is that of their type.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative.
    labels : array-like of shape (c,), optional
        The classes; needed if `y_true` lacks some.
    y_pred : array-like, deprecated
        The former name of `y_proba`.

    Returns
    -------
    float
        At most 1; 0 for probabilities that are the frequencies of the classes, negative for worse ones.  NaN for fewer
        than two cases, and for indicators that are all zero.  The frequency of a single class is clipped too, so that
        its loss is above 0.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `log_loss`.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two cases.
    UserWarning, FutureWarning
        As `log_loss`.

    Notes
    -----
    $$1 - \frac{\sum_i \ln p_i(y_i)}{\sum_i \ln \bar p(y_i)}$$

    Range: up to 1, which is best; 0 is what the frequencies alone reach, and worse is negative.  Use it to compare
    problems of different prevalence; also known as McFadden's pseudo R².  Equal to scikit-learn's `d2_log_loss_score`.

    O(n), O(n c) for a matrix.  Source: D. McFadden, Conditional logit analysis of qualitative choice behavior, in
    Frontiers in Econometrics (1974) 105-142.

    Examples
    --------
    >>> d2_log_loss_score([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5])
    0.0
    >>> round(d2_log_loss_score(["a", "b", "c"], [[0.5, 0.25, 0.25], [0, 1, 0], [0, 0, 1]]), 6)
    0.78969
    """
    y_proba = scores.renamed_argument(y_proba, y_pred)
    function = "d2_log_loss_score"
    values.check_array_likes(function, y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, labels=labels)
    if _is_too_short(y_true, y_proba, sample_weight):
        return math.nan
    given = scores.as_probabilities(y_proba)
    cases = scores.as_class_probabilities(y_true, given, sample_weight, labels)
    return 1 - float(ratio(total_log_loss(cases, given.dtype), losses.log_loss_of_frequencies(*_class_masses(cases))))


def d2_brier_score(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Return the fraction of the Brier score that probabilities explain, 1 - score / score of the frequencies.

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

    Returns
    -------
    float
        At most 1; 0 for probabilities that are the frequencies of the classes, negative for worse ones.  NaN for fewer
        than two cases.  For a single class -infinity, NaN where every probability is right.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `brier_score_loss`.

    Warns
    -----
    UndefinedMetricWarning
        If there are fewer than two cases, or a single class.
    UserWarning
        As `brier_score_loss`.

    Notes
    -----
    $$1 - \frac{\sum_i (p_i - y_i)^2}{\sum_i (\bar y - y_i)^2}$$

    Range: up to 1, which is best; 0 is what the frequencies alone reach, and worse is negative.  Use it to compare
    problems of different prevalence; not for a few cases.  Equal to scikit-learn's `d2_brier_score`.

    O(n), O(n c) for a matrix.  Also known as Brier skill score.  Source: A. H. Murphy, A new vector partition of the
    probability score, Journal of Applied Meteorology 12 (1973) 595-600.

    Examples
    --------
    >>> d2_brier_score([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5]), d2_brier_score([0, 1], [0.25, 0.75])
    (0.0, 0.75)
    """
    function = "d2_brier_score"
    values.check_array_likes(function, y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, labels=labels)
    values.check_label(pos_label, "pos_label", function)
    if _is_too_short(y_true, y_proba, sample_weight):
        return math.nan
    given = scores.as_probabilities(y_proba)
    cases = _cases_of(given, y_true, sample_weight, pos_label, labels)
    of_frequencies = losses.squared_error_of_frequencies(*_class_masses(cases))
    if of_frequencies == 0:
        warn("Only one class is present in y_true. D^2 score is not defined in that case.")
    return 1 - float(ratio(total_squared_error(cases), of_frequencies))


def _cases_of(
    given: ScoreArray, y_true: Any, sample_weight: Any, pos_label: Any, labels: Any
) -> ClassProbabilities | PositiveProbabilities:
    if given.ndim == 1:
        return scores.as_positive_probabilities(y_true, given, sample_weight, pos_label)
    return scores.as_class_probabilities(y_true, given, sample_weight, labels)


def _is_too_short(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    probabilities = as_array(y_proba, "y_proba")
    check_consistent_lengths(probabilities, as_array(y_true, "y_true"), sample_weight)
    if probabilities.ndim == 0 or len(probabilities) > 1:
        return False
    warn("D^2 score is not well-defined with less than two samples.")
    return True


def _class_masses(cases: ClassProbabilities | PositiveProbabilities) -> tuple[FloatArray, FloatArray]:
    """Return the weight of the cases that each class is true of, and of the others, each (c,).  O(n c)."""
    truth = cases.positive if isinstance(cases, PositiveProbabilities) else cases.truth
    weights = cases.weights
    if truth.ndim == 2:
        weights = np.ones(len(truth)) if weights is None else weights
        masses = [(weights[mask].sum(), weights[~mask].sum()) for mask in (truth != 0).T]
        own, others = np.array(masses, np.float64).reshape(-1, 2).T
        return own, others
    width = _width(cases.probabilities)
    own = np.bincount(truth, weights, width).astype(np.float64)
    before, after = np.zeros(width), np.zeros(width)  # sums, not a difference: a heavy class leaves the light ones
    before[1:], after[:-1] = np.cumsum(own[:-1]), np.cumsum(own[:0:-1])[::-1]
    return own, before + after


_LOSSES = {"brier": "brier_score", "log_loss": "log_loss"}


@equal_by_content
class IsotonicCurve(NamedTuple):
    """The isotonic regression of outcomes on probabilities: pools of cases, by rising probability."""

    prob_true: FloatArray
    """Fraction of positive cases in each pool, rising, shape (k,)."""
    low: ScoreArray
    """The least probability in each pool, shape (k,)."""
    high: ScoreArray
    """The largest probability in each pool, shape (k,)."""
    cases: FloatArray
    """Cases in each pool, or their weight, shape (k,)."""


class LossDecomposition(NamedTuple):
    """A mean loss, which is miscalibration - discrimination + uncertainty."""

    loss: float
    """Of the probabilities as they are."""
    miscalibration: float
    """What isotonic regression saves: 0 for calibrated probabilities, in 0 .. `loss`."""
    discrimination: float
    """What recalibrated probabilities save beside the same one for all: 0 .. `uncertainty`."""
    uncertainty: float
    """The loss where each case has the fraction of positives as its probability."""


class BrierDecomposition(NamedTuple):
    """A Brier score, which is reliability - resolution + uncertainty + within_bins."""

    brier: float
    """Mean squared difference between probabilities and outcomes, in 0 .. 1."""
    reliability: float
    """Mean squared gap between mean probability and fraction of positives: 0 is best, in 0 .. 1."""
    resolution: float
    """Variance of the fractions of positives of the bins, in 0 .. `uncertainty`."""
    uncertainty: float
    """Variance of the outcomes, in 0 .. 1/4."""
    within_bins: float
    """What probabilities that differ within a bin add, of either sign: 0 where no bin holds two of them."""


def isotonic_calibration_curve(
    y_true: ArrayLike, y_prob: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Label | None = None
) -> IsotonicCurve:
    r"""Return the fraction of positive cases in pools of probabilities that isotonic regression finds.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative; an integer counts as that many cases.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.

    Returns
    -------
    IsotonicCurve
        The pools, with ``prob_true``, ``low``, ``high`` and ``cases``.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities or weights are invalid.

    Notes
    -----
    $$\min_{f \text{ rising}} \sum_i w_i (y_i - f(p_i))^2$$

    Range: fractions and probabilities from 0 to 1; fractions near the probabilities of their pools are best.  Use it
    where the number of bins would decide what a curve shows.  The fractions are those of scikit-learn's
    `IsotonicRegression`.

    O(n log n), hardly more than the sort.  Unlike `calibration_curve` it needs no number of bins: the pools are those
    of the rising curve that fits best, by the method of pooled adjacent violators.  Their number rises with the cube
    root of that of the cases.  `evalcore.inference.consistency_band` says where the curve would be for calibrated
    probabilities.  Source: T. Dimitriadis, T. Gneiting and A. I. Jordan, Stable reliability diagrams for probabilistic
    classifiers, PNAS 118 (2021) e2016191118.

    Examples
    --------
    >>> curve = isotonic_calibration_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> curve.prob_true, curve.low, curve.high
    (array([0. , 0.5, 1. ]), array([0.1, 0.3, 0.8]), array([0.1, 0.4, 0.8]))
    """
    cases = _binary_cases("isotonic_calibration_curve", y_true, y_prob, sample_weight, pos_label)
    pools = isotonic_pools(*cases[:3])
    sizes = pools.positives + pools.negatives
    return IsotonicCurve(np.asarray(ratio(pools.positives, sizes)), pools.low, pools.high, sizes)


def loss_decomposition(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    loss: ProbabilityLoss = "brier",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> LossDecomposition:
    r"""Return how much of a loss is miscalibration, how much discrimination takes off, and what is left to chance.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    loss : {"brier", "log_loss"}, default "brier"
        The squared difference between probability and outcome, or -ln p of what happened, with p as in `log_loss`.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative; an integer counts as that many cases.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.

    Returns
    -------
    LossDecomposition
        The mean ``loss``, which is ``miscalibration - discrimination + uncertainty``; none of them is negative, but for
        rounding.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities, weights or `loss` are invalid.

    Notes
    -----
    $$
    \underbrace{\bar L(p) - \bar L(f(p))}_{\text{miscalibration}} - \underbrace{\left( \bar L(\bar y) - \bar L(f(p))
    \right)}_{\text{discrimination}} + \underbrace{\bar L(\bar y)}_{\text{uncertainty}}
    $$

    $\bar L$ is the mean loss, $f$ the isotonic regression.  Range: each part at least 0, of the Brier score at most 1;
    little miscalibration and much discrimination are best.  Use it to tell whether to recalibrate a model or to find
    better features.

    O(n log n).  Exact, and the same for any bins: recalibration is the isotonic regression of outcomes on
    probabilities.  That fits chance too, so that the miscalibration of few calibrated cases is not 0, on average.
    Source: Dimitriadis, Gneiting and Jordan (2021), CORP.

    Examples
    --------
    >>> loss_decomposition([0, 1, 0, 1], [0.25, 0.25, 0.5, 0.5])
    LossDecomposition(loss=0.28125, miscalibration=0.03125, discrimination=0.0, uncertainty=0.25)
    """
    values.check_choice(loss, tuple(_LOSSES), "loss", "loss_decomposition")
    cases = _binary_cases("loss_decomposition", y_true, y_prob, sample_weight, pos_label)
    return decomposition_by_pools(loss, cases, isotonic_pools(*cases[:3]))


def decomposition_by_pools(loss: str, cases: PositiveProbabilities, pools: Pools) -> LossDecomposition:
    """Return the `loss_decomposition` of checked cases from their pools.  O(n)."""
    positives, negatives = pools.positives.sum(keepdims=True), pools.negatives.sum(keepdims=True)
    total = float(positives[0] + negatives[0])
    mean = _mean_loss(_LOSSES[loss], cases, total)
    recalibrated = _loss_of_frequencies(loss, pools.positives, pools.negatives) / total
    uncertainty = _loss_of_frequencies(loss, positives, negatives) / total
    return LossDecomposition(mean, mean - recalibrated, uncertainty - recalibrated, uncertainty)


def brier_decomposition(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: BinStrategy = "uniform",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> BrierDecomposition:
    r"""Return the reliability, resolution and uncertainty that a Brier score is made of, by bins of probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True classes, at most two.
    y_prob : array-like of shape (n,)
        Probabilities of the positive class.
    n_bins : int, default 10
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or of the same weight.  A probability on the edge of two bins is in the lower one.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative; an integer counts as that many cases.
    pos_label : int, float, bool or str, optional
        The positive class, by default 1 of {0, 1} and {-1, 1}.

    Returns
    -------
    BrierDecomposition
        The score, ``brier``, which is ``reliability - resolution + uncertainty + within_bins``.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a shape or kind of target is not supported, or probabilities, weights, `n_bins` or `strategy` are invalid.

    Notes
    -----
    $$
    \underbrace{\sum_b \frac{n_b}{n} (\bar y_b - \bar p_b)^2}_{\text{reliability}} - \underbrace{\sum_b \frac{n_b}{n}
    (\bar y_b - \bar y)^2}_{\text{resolution}} + \underbrace{\bar y (1 - \bar y)}_{\text{uncertainty}}
    $$

    What is left is ``within_bins``.  Range: each of these parts 0 to 1; little reliability and much resolution are
    best.  Use it to tell whether to recalibrate a model or to find better features.

    O(n), O(n log n) for bins of equal weight.  The parts depend on the bins; `loss_decomposition` needs none.
    Sources: A. H. Murphy, A new vector partition of the probability score, J. Applied Meteorology 12 (1973) 595-600;
    for what is left within bins D. B. Stephenson, C. A. S. Coelho and I. T. Jolliffe, Two extra components in the Brier
    score decomposition, Weather and Forecasting 23 (2008) 752-757.

    Examples
    --------
    >>> brier_decomposition([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75], n_bins=2)
    BrierDecomposition(brier=0.3125, reliability=0.0625, resolution=0.0, uncertainty=0.25, within_bins=0.0)
    """
    count = check_bins("brier_decomposition", n_bins, strategy)
    cases = _binary_cases("brier_decomposition", y_true, y_prob, sample_weight, pos_label)
    bins = bins_of(cases, count, strategy)
    total = float(bins.weights.sum())
    brier = _mean_loss("brier_score", cases, total)
    negatives = bins.weights - bins.positives
    kept = float(np.nansum(ratio(bins.positives * negatives, bins.weights))) / total
    uncertainty = float(bins.positives.sum() * negatives.sum()) / total**2
    reliability = losses.root_mean_square_gap(bins) ** 2
    return BrierDecomposition(brier, reliability, uncertainty - kept, uncertainty, brier - reliability - kept)


def _binary_cases(
    function: str, y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label | None
) -> PositiveProbabilities:
    values.check_array_likes(function, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    values.check_label(pos_label, "pos_label", function)
    cases = scores.as_binned_probabilities(y_true, y_prob, sample_weight, pos_label)
    if not cases.positive.any():
        check_positive_label(pos_label, as_1d(y_true, "y_true"))
    return cases


def _mean_loss(name: str, cases: PositiveProbabilities, total: float) -> float:
    def of_block(block: slice) -> FloatArray:
        return losses.losses_of_probabilities(name, cases.probabilities[block], cases.positive[block])

    return sum_over_cases(of_block, cases.positive.size, cases.weights) / total


def _loss_of_frequencies(loss: str, positives: FloatArray, negatives: FloatArray) -> float:
    """Return the sum of the losses where each case has the fraction of positives of its pool, (k,).  O(k)."""
    if loss == "brier":
        return losses.squared_error_of_frequencies(positives, negatives)
    sides = (positives, negatives), (negatives, positives)
    return sum(losses.log_loss_of_frequencies(*side) for side in sides)


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
    n_bins : int, default 10
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or of the same weight.  A probability on the edge of two bins is in the lower one.
    norm : {"l1", "l2", "max"}, default "l1"
        How to combine the gaps of the bins: the mean weighted by the cases, the root of the mean square, or the
        largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative; an integer counts as that many cases.
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
    function = "top_label_calibration_error"
    count = check_bins(function, n_bins, strategy, norm)
    cases = _weighted_rows(function, y_true, y_proba, sample_weight, labels)
    rows, top = np.arange(len(cases.truth)), cases.probabilities.argmax(axis=1)
    correct = cases.truth == top if cases.truth.ndim == 1 else cases.truth[rows, top] != 0
    of_top = PositiveProbabilities(cases.probabilities[rows, top], correct, cases.weights)
    return GAPS[norm](bins_of(of_top, count, strategy))


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
    y_true : array-like of shape (n,)
        True classes, or a label indicator matrix (n, c).
    y_proba : array-like of shape (n,) or (n, c)
        Probabilities: of the larger class if one column, otherwise one column for each class in sorted order.
    n_bins : int, default 10
        Number of bins.
    strategy : {"uniform", "quantile"}, default "uniform"
        Bins of the same width, or of the same weight.  A probability on the edge of two bins is in the lower one.
    norm : {"l1", "l2", "max"}, default "l1"
        How to combine the gaps of the bins: the mean weighted by the cases, the root of the mean square, or the
        largest.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative; an integer counts as that many cases.
    labels : array-like of shape (c,), optional
        The classes; needed if `y_true` lacks some.

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
    function = "classwise_calibration_error"
    count = check_bins(function, n_bins, strategy, norm)
    cases = _weighted_rows(function, y_true, y_proba, sample_weight, labels)
    each_class = (_class_against_others(cases, index) for index in range(cases.probabilities.shape[1]))
    errors = np.array([GAPS[norm](bins_of(each, count, strategy)) for each in each_class])
    if norm == "max":
        return float(errors.max())
    return float(errors.mean() if norm == "l1" else np.sqrt(np.mean(np.square(errors))))


def _weighted_rows(function: str, y_true: Any, y_proba: Any, sample_weight: Any, labels: Any) -> ClassProbabilities:
    """Return checked cases without those of weight zero, and with two columns for two classes.  O(n c)."""
    values.check_array_likes(function, y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, labels=labels)
    given = scores.as_class_probabilities(y_true, scores.as_probabilities(y_proba), sample_weight, labels)
    probabilities, truth, weights, scale = given
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
