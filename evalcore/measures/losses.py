"""Measures of predicted probabilities: losses of each case, and calibration by bins.

The outcome of a case is whether it is positive, or its true class.

How good the probabilities of a binary label are: log loss, Brier score and calibration error in one pass.

Measures of decision values: how far they are on the right side of the boundary.

Probabilities from their logarithms, for many cases at once.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import BLOCK, map_blocks
from evalcore.kernels.sums import ratio, sum_in_rows
from evalcore.kernels.tables import Bins, bin_codes, equal_widths
from evalcore.typing import AnyArray, BoolArray, Count, FloatArray, IntArray, Ratio, ScoreArray


def log_loss(probabilities: ScoreArray, out: ScoreArray | None = None) -> FloatArray:
    """Return -ln p of the probability of the outcome, 0 .. infinity, for each case.

    probabilities: (n,); out: as of NumPy's functions.  O(n).  Source: I. J. Good, Rational decisions, Journal of the
    Royal Statistical Society B 14 (1952) 107-114.
    """
    logs: FloatArray = np.log(probabilities, out=out, dtype=np.float64)
    return np.subtract(0.0, logs, out=logs)


def squared_error(probabilities: ScoreArray, positive: BoolArray) -> FloatArray:
    """Return (p - outcome)² of the positive class, 0 .. 1, for each case: half of Brier's sum over both classes.

    probabilities, positive: of the same shape.  O(n).  Source: G. W. Brier, Verification of forecasts expressed in
    terms of probability, Monthly Weather Review 78 (1950) 1-3.
    """
    misses: FloatArray = np.subtract(probabilities, positive, dtype=np.float64)
    return np.multiply(misses, misses, out=misses)


def squared_errors(probabilities: ScoreArray, truth: IntArray | BoolArray) -> FloatArray:
    """Return Σ (p - outcome)² over the classes, for each case, 0 .. 2 if one class is true: Brier's own score.

    probabilities: (n, k); truth: (n,), the index of the true class, or (n, k) bool, which classes are true.  O(n k).
    Source: Brier (1950).
    """
    misses = probabilities.astype(np.float64, order="C")
    if truth.ndim == 1:
        misses.ravel()[np.arange(0, misses.size, misses.shape[1]) + truth] -= 1
    else:
        misses -= truth
    return np.asarray(np.einsum("nk,nk->n", misses, misses))


def log_loss_of_frequencies(own: FloatArray, others: FloatArray) -> float:
    """Return the sum of -ln p where each class is predicted by its frequency, clipped to eps .. 1 - eps of float64.

    own, others: (c,), the weight of the cases that each class is true of, and of the others.  O(c).
    """
    least = np.finfo(np.float64).eps
    return float(own @ log_loss(np.asarray(ratio(own, own + others)).clip(least, 1 - least)))


def squared_error_of_frequencies(own: FloatArray, others: FloatArray) -> float:
    """Return Σ (p - outcome)² where p is the frequency of each class; own, others: (c,).  O(c)."""
    return float(np.sum(ratio(own * others, own + others)))


def observed_rates(bins: Bins) -> FloatArray:
    """Return the fraction of positive cases in each bin, 0 .. 1; NaN in an empty one.  O(b)."""
    return np.asarray(ratio(bins.positives, bins.weights))


def mean_probabilities(bins: Bins) -> FloatArray:
    """Return the mean probability in each bin, 0 .. 1; NaN in an empty one.  O(b)."""
    return np.asarray(ratio(bins.probabilities, bins.weights))


def mean_gap(bins: Bins) -> float:
    """Return Σ fraction of the cases · |observed rate - mean probability| over the bins, 0 .. 1; NaN without cases.

    O(b).  Source: M. P. Naeini, G. F. Cooper and M. Hauskrecht, Obtaining well calibrated probabilities using Bayesian
    binning, AAAI 2015.
    """
    # weight · gap without the division: also right in an empty bin
    return float(ratio(np.abs(bins.positives - bins.probabilities).sum(), bins.weights.sum()))


def root_mean_square_gap(bins: Bins) -> float:
    """Return the root of Σ fraction of the cases · gap² over the bins, 0 .. 1; NaN without cases.

    O(b).  Source: A. Kumar, P. Liang and T. Ma, Verified uncertainty calibration, NeurIPS 2019.
    """
    gaps = _gaps_of_filled(bins)
    return float(np.sqrt(ratio(np.sum(bins.weights[bins.weights > 0] * gaps**2), bins.weights.sum())))


def largest_gap(bins: Bins) -> float:
    """Return the largest |observed rate - mean probability| of a bin, 0 .. 1; NaN without cases.

    O(b).  Source: Naeini, Cooper and Hauskrecht (2015).
    """
    gaps = _gaps_of_filled(bins)
    return float(gaps.max()) if gaps.size else np.nan


def _gaps_of_filled(bins: Bins) -> FloatArray:
    return np.abs(observed_rates(bins) - mean_probabilities(bins))[bins.weights > 0]


BINS = 10
"""Equally wide bins of the calibration error."""
_EDGES = equal_widths(BINS)
_SMALL = 2.0**-8
"""Mean log loss from which losses of cases may be wrong by the rounding of 1."""
_FACTORS = 16
"""Probabilities whose product takes one logarithm: none is below 2**-52, so that no product vanishes."""
_LANES = np.resize(np.arange(0, 4 * BINS, BINS), BLOCK)
"""Bins of neighbours: where most are in one bin, each sum would wait for the one before."""


class ProbabilityLosses(NamedTuple):
    """Sums over cases, by their weights, or over those of each of g groups; NaN where scores are not probabilities."""

    log_loss: Ratio
    """Of -ln p of what happened, p clipped to eps .. 1 - eps of the scores' type; shape () or (g,)."""
    squared_error: Ratio
    """Of (p - outcome)²; shape () or (g,)."""
    gaps: FloatArray
    """Of p - outcome in each bin of p; shape (b,) or (g, b)."""
    powers: FloatArray
    """Of the second to fourth powers of the log losses and of the squared errors, shape (2, 3) or (g, 2, 3); 0 where
    they are not asked for."""

    def plus(self, other: "ProbabilityLosses") -> "ProbabilityLosses":
        """Return the sums over the cases of both.  O(g b)."""
        return ProbabilityLosses(*map(np.add, self, other))

    def statistics(self, cases: Count) -> dict[str, Ratio]:
        """Return the measures by name; cases: their number, or their weight, () or (g,).  O(g b)."""
        gaps = np.abs(self.gaps).sum(axis=-1)
        sums = {"log_loss": self.log_loss, "brier_score": self.squared_error, "calibration_error": gaps}
        return {name: ratio(each, cases) for name, each in sums.items()}


NO_LOSSES = ProbabilityLosses(0.0, 0.0, np.zeros(BINS), np.zeros((2, 3)))
"""Those of no case."""


def probability_losses(
    scores: ScoreArray, positive: BoolArray, weights: AnyArray | None = None, powers: bool = False
) -> ProbabilityLosses:
    """Add up what probabilities lose, (n,) each, by weights if there are any; NaN if a score is not in 0 .. 1.  O(n).

    powers: whether those of the losses too, without weights.
    Sources: those of `log_loss` and `mean_gap`.

    >>> losses = probability_losses(np.array([0.0, 0.25, 0.75, 0.5]), np.array([False, False, True, True]))
    >>> [round(float(value), 6) for value in losses.statistics(4).values()]
    [0.317128, 0.09375, 0.25]
    """

    def of_block(block: slice) -> ProbabilityLosses:
        size, own = np.array([block.stop - block.start]), None if weights is None else weights[block]
        found = losses_of_groups(scores[block], positive[block], size, own, powers=powers)
        return ProbabilityLosses(*(np.asarray(sums)[0] for sums in found))

    return reduce(ProbabilityLosses.plus, map_blocks(of_block, scores.size), NO_LOSSES)


def losses_of_probabilities(name: str, probabilities: ScoreArray, positive: BoolArray) -> FloatArray:
    """Return the losses of cases, (n,), whose mean is the measure of a name, log_loss or brier_score.  O(n).

    >>> losses_of_probabilities("brier_score", np.array([0.5, 0.75]), np.array([False, True]))
    array([0.25  , 0.0625])
    """
    if name == "log_loss":
        return log_loss(_of_outcomes(probabilities, positive.astype(probabilities.dtype)))
    return squared_error(probabilities, positive)


def changes_of_losses(
    name: str, new: ScoreArray, old: ScoreArray, positive: BoolArray
) -> tuple[float, float, FloatArray]:
    """Return the sums of the `losses_of_probabilities` of two models, and new less old of each case, (n,).  O(n).

    A difference of logarithms is that of a quotient; their sums are logarithms of products.

    >>> new, old, changes = changes_of_losses("log_loss", *np.array([[0.5, 0.2], [0.25, 0.2]]), np.array([True, False]))
    >>> round(new - old, 6), changes.round(6)
    (-0.693147, array([-0.693147,  0.      ]))
    """
    if name != "log_loss":
        own, before = (losses_of_probabilities(name, each, positive) for each in (new, old))
        return float(own.sum()), float(before.sum()), np.subtract(own, before, out=own)
    outcome = positive.astype(new.dtype)
    now, earlier = (_of_outcomes(each, outcome) for each in (new, old))
    changes = np.divide(earlier, now, dtype=np.float64)
    changes *= 0.5  # as in `losses_of_groups`
    np.log(changes, out=changes)
    changes -= np.log(0.5)  # by the same instructions: equal losses differ by 0
    return _sum_of_log_losses(now), _sum_of_log_losses(earlier), changes


def are_probabilities(scores: ScoreArray) -> bool:
    """Whether all scores, (n,) or (n, k), are between 0 and 1.  O(n k)."""

    def lie_between(block: slice) -> bool:
        part = scores[block]
        return not part.size or bool(part.min() >= 0 and part.max() <= 1)

    return all(map_blocks(lie_between, len(scores)))


def _sum_of_log_losses(probabilities: ScoreArray) -> float:
    """Return the sum of -ln p of what happened, (n,): a logarithm for each product of some.  O(n)."""
    whole = probabilities.size - probabilities.size % _FACTORS
    products = np.multiply.reduce(probabilities[:whole].reshape(_FACTORS, -1), axis=0, dtype=np.float64)
    return sum(float(np.add.reduce(log_loss(part))) for part in (products, probabilities[whole:]))


def _of_outcomes(probabilities: ScoreArray, outcome: ScoreArray, extent: tuple[float, float] = (0, 1)) -> ScoreArray:
    """Return the probabilities of what happened, clipped; outcome: 0 or 1 in their type; extent: of them all.  O(n)."""
    least = np.finfo(probabilities.dtype).eps
    own = np.subtract(1, outcome)  # p - 0 and p - 1 are rounded as p and 1 - p are
    np.subtract(probabilities, own, out=own)
    np.abs(own, out=own)
    return own if least <= extent[0] and extent[1] <= 1 - least else np.clip(own, least, 1 - least, out=own)


def losses_of_groups(
    scores: ScoreArray, positive: BoolArray, sizes: IntArray, weights: AnyArray | None = None, powers: bool = False
) -> ProbabilityLosses:
    """Return the `probability_losses` of each group, of probabilities that stand one group after the other.

    scores, positive, weights: (n,); sizes: (g,), each at least 1.  O(n + g b).

    >>> losses_of_groups(np.array([1.0, 0.5, 0.5]), np.array([True, True, False]), np.array([1, 2])).gaps[1]
    array([0., 0., 0., 0., 0., 0., 0., 0., 0., 0.])
    """
    starts = sizes.cumsum() - sizes
    low, high = np.minimum.reduceat(scores, starts), np.maximum.reduceat(scores, starts)
    valid = (low >= 0) & (high <= 1)
    if not valid.any():
        none = np.full(sizes.size, np.nan)
        return ProbabilityLosses(none, none, np.full((sizes.size, BINS), np.nan), np.zeros((sizes.size, 2, 3)))
    own = scores if valid.all() else scores.clip(0, 1)
    outcome, narrow, of_powers = positive.astype(scores.dtype), scores.dtype == np.float32, np.zeros((sizes.size, 2, 3))
    happened = _of_outcomes(own, outcome, (low.min(), high.max()))
    if one := sizes.size == 1 and weights is None:
        losses: Ratio = _sum_of_log_losses(happened)
    if powers or not one:
        # Libraries branch for logarithms of numbers near 1, which no processor foresees: of halves they take half the
        # time, with fewer digits of losses that are far smaller than 1.
        if halved := one and losses > _SMALL * own.size:
            happened *= 0.5
        of_cases = np.log(happened, out=None if narrow else happened, dtype=np.float64)
        np.subtract(-np.log(2) if halved else 0.0, of_cases, out=of_cases)
    if not one:
        losses = np.add.reduceat(of_cases if weights is None else of_cases * weights, starts)
    if powers:
        room = np.empty(own.shape)
        of_powers[:, 0] = _sums_of_powers(of_cases, starts, room)
    misses = weighted = np.subtract(own, outcome, out=None if narrow else outcome, dtype=np.float64)
    if weights is not None:
        weighted = misses * weights
    cells = bin_codes(own, _EDGES)
    cells += _LANES[: own.size] if one else BINS * np.repeat(np.arange(sizes.size), sizes)
    gaps = np.bincount(cells, weighted, BINS * max(sizes.size, 4)).astype(np.float64, copy=False)
    gaps = gaps.reshape(-1, BINS).sum(axis=0, keepdims=True) if one else gaps.reshape(-1, BINS)[: sizes.size]
    errors = np.multiply(misses, weighted, out=weighted)
    squared_errors = np.add.reduceat(errors, starts)
    if powers:
        of_powers[:, 1] = _sums_of_powers(errors, starts, room)
    losses, squared_errors = (np.where(valid, each, np.nan) for each in (losses, squared_errors))
    return ProbabilityLosses(losses, squared_errors, np.where(valid[:, np.newaxis], gaps, np.nan), of_powers)


def _sums_of_powers(values: FloatArray, starts: IntArray, room: ScoreArray) -> FloatArray:
    """Return the sums of the second to fourth powers in each group, (g, 3).  O(n), in place.

    values, room: (n,), which are overwritten, for new arrays would take longer than all sums.
    """
    squares = np.square(values, out=room)
    if starts.size == 1:
        return np.array([[np.add.reduce(squares), *(sum_in_rows(each, squares) for each in (values, squares))]])
    seconds = np.add.reduceat(squares, starts)
    thirds = np.add.reduceat(np.multiply(values, squares, out=values), starts)
    return np.stack([seconds, thirds, np.add.reduceat(np.multiply(squares, squares, out=squares), starts)], axis=1)


def hinge_losses(scores: FloatArray, truth: IntArray) -> FloatArray:
    """Return max(0, 1 - margin) of each case, (n,).

    scores: (n,) of the second of two classes, whose sign the first changes; or (n, c), where a margin is by how much
    that of the true class exceeds the largest of the others; truth: (n,), the index of the true class.  O(n c).
    Source: K. Crammer and Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines,
    Journal of Machine Learning Research 2 (2001) 265-292.
    """
    if scores.ndim == 1:
        margins = np.where(truth == 1, scores, -scores)
    else:
        cases, others = np.arange(truth.size), scores.copy()
        others[cases, truth] = -np.inf
        margins = scores[cases, truth] - others.max(axis=1)
    return np.asarray(np.maximum(1 - margins, 0))


def total_probability(columns: ScoreArray) -> FloatArray:
    """Return the sum over the rows, for each column.

    columns: (r, n), NaN where there is nothing to add.  Returns (n,) float64.  The largest are added first, so that
    neither the order of the rows nor columns beside matter, to the last bit.  O(r log r n).
    """
    ordered = np.sort(np.where(np.isnan(columns), 0, columns).astype(np.float64), axis=0)[::-1]
    sums = np.zeros(ordered.shape[1])
    for row in ordered:
        sums += row
    return sums


def log2_parts(logs: ScoreArray) -> FloatArray:
    """Return the two parts of log2 Σ 2^x over the rows, for each column: the largest x, and what the others add.

    logs: (r, n), NaN where there is nothing to add, something finite in each column.  Returns (2, n) float64, whose
    sum over the rows is the logarithm; apart they keep what is small beside a large x.  O(r log r n).
    """
    largest = np.fmax.reduce(logs, axis=0).astype(np.float64)
    return np.stack([largest, np.log2(total_probability(np.exp2(logs - largest)))])


def normalised(logs: ScoreArray, parts: FloatArray) -> FloatArray:
    """Return 2^x / Σ 2^x: the conditional probabilities of joint ones, in 0 .. 1.

    logs: (r, n), or one row (n,); parts: (2, n), from `log2_parts` of all rows.  NaN where x is.  O(r n).
    """
    largest, rest = parts
    return np.asarray(np.exp2(logs - largest - rest))
