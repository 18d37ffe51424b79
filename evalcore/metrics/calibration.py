"""Calibration without bins, by isotonic regression, and the parts that losses of probabilities are made of."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.kernels.isotonic import Pools, isotonic_pools
from evalcore.kernels.probability_bins import sum_over_cases
from evalcore.kernels.ratios import ratio
from evalcore.measures import calibration
from evalcore.measures.probability_losses import losses_of_probabilities
from evalcore.metrics.probabilities import bins_of, check_bins
from evalcore.typing import BinStrategy, FloatArray, Label, ProbabilityLoss, ScoreArray
from evalcore.validation.arrays import as_1d
from evalcore.validation.scores import PositiveProbabilities, as_binned_probabilities
from evalcore.validation.targets import check_positive_label
from evalcore.validation.values import check_array_likes, check_choice, check_label

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
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
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
    pools = isotonic_pools(*cases)
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
    y_true, y_prob, sample_weight, pos_label
        As in `isotonic_calibration_curve`.
    loss : {"brier", "log_loss"}, default "brier"
        The squared difference between probability and outcome, or -ln p of what happened, with p as in `log_loss`.

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
    check_choice(loss, tuple(_LOSSES), "loss", "loss_decomposition")
    cases = _binary_cases("loss_decomposition", y_true, y_prob, sample_weight, pos_label)
    return decomposition_by_pools(loss, cases, isotonic_pools(*cases))


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
    y_true, y_prob, n_bins, strategy, sample_weight, pos_label
        As in `expected_calibration_error`.

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
    reliability = calibration.root_mean_square_gap(bins) ** 2
    return BrierDecomposition(brier, reliability, uncertainty - kept, uncertainty, brier - reliability - kept)


def _binary_cases(
    function: str, y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None, pos_label: Label | None
) -> PositiveProbabilities:
    check_array_likes(function, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    check_label(pos_label, "pos_label", function)
    cases = as_binned_probabilities(y_true, y_prob, sample_weight, pos_label)
    if not cases.positive.any():
        check_positive_label(pos_label, as_1d(y_true, "y_true"))
    return cases


def _mean_loss(name: str, cases: PositiveProbabilities, total: float) -> float:
    def of_block(block: slice) -> FloatArray:
        return losses_of_probabilities(name, cases.probabilities[block], cases.positive[block])

    return sum_over_cases(of_block, cases.positive.size, cases.weights) / total


def _loss_of_frequencies(loss: str, positives: FloatArray, negatives: FloatArray) -> float:
    """Return the sum of the losses where each case has the fraction of positives of its pool, (k,).  O(k)."""
    if loss == "brier":
        return calibration.squared_error_of_frequencies(positives, negatives)
    sides = (positives, negatives), (negatives, positives)
    return sum(calibration.log_loss_of_frequencies(*side) for side in sides)
