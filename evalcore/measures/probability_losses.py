"""How good the probabilities of a binary label are: log loss, Brier score and calibration error in one pass."""

from functools import reduce
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.probability_bins import bin_codes, equal_widths
from evalcore.kernels.ratios import ratio
from evalcore.measures import calibration
from evalcore.typing import AnyArray, BoolArray, Count, FloatArray, IntArray, Ratio, ScoreArray

BINS = 10
"""Equally wide bins of the calibration error."""
_EDGES = equal_widths(BINS)
_FACTORS = 16
"""Probabilities whose product takes one logarithm: none is below 2**-52, so that no product vanishes."""


class ProbabilityLosses(NamedTuple):
    """Sums over cases, by their weights, or over those of each of g groups; NaN where scores are not probabilities."""

    log_loss: Ratio
    """Of -ln p of what happened, p clipped to eps .. 1 - eps of the scores' type; shape () or (g,)."""
    squared_error: Ratio
    """Of (p - outcome)²; shape () or (g,)."""
    gaps: FloatArray
    """Of p - outcome in each bin of p; shape (b,) or (g, b)."""

    def plus(self, other: "ProbabilityLosses") -> "ProbabilityLosses":
        """Return the sums over the cases of both.  O(g b)."""
        return ProbabilityLosses(
            self.log_loss + other.log_loss, self.squared_error + other.squared_error, self.gaps + other.gaps
        )

    def statistics(self, cases: Count) -> dict[str, Ratio]:
        """Return the measures by name; cases: their number, or their weight, () or (g,).  O(g b)."""
        return {
            "log_loss": ratio(self.log_loss, cases),
            "brier_score": ratio(self.squared_error, cases),
            "calibration_error": ratio(np.abs(self.gaps).sum(axis=-1), cases),
        }


NO_LOSSES = ProbabilityLosses(0.0, 0.0, np.zeros(BINS))
"""Those of no case."""
_UNDEFINED = ProbabilityLosses(np.nan, np.nan, np.full(BINS, np.nan))


def probability_losses(scores: ScoreArray, positive: BoolArray, weights: AnyArray | None = None) -> ProbabilityLosses:
    """Add up what probabilities lose, (n,) each, by weights if there are any; NaN if a score is not in 0 .. 1.  O(n).

    Sources: those of `evalcore.measures.calibration`.

    >>> losses = probability_losses(np.array([0.0, 0.25, 0.75, 0.5]), np.array([False, False, True, True]))
    >>> [round(float(value), 6) for value in losses.statistics(4).values()]
    [0.317128, 0.09375, 0.25]
    """

    def of_block(block: slice) -> ProbabilityLosses:
        own, outcome = scores[block], positive[block].astype(scores.dtype)
        if not are_probabilities(own):
            return _UNDEFINED
        misses = np.subtract(own, outcome, dtype=np.float64)
        if weights is None:
            weighted, log_loss = misses, _log_loss(own, outcome)
        else:
            factors = weights[block].astype(np.float64, copy=False)
            weighted = misses * factors
            log_loss = float(np.add.reduce(calibration.log_loss(_of_outcomes(own, outcome)) * factors))
        gaps = np.bincount(bin_codes(own, _EDGES), weighted, BINS).astype(np.float64, copy=False)
        return ProbabilityLosses(log_loss, float(np.add.reduce(misses * weighted)), gaps)

    return reduce(ProbabilityLosses.plus, map_blocks(of_block, scores.size), NO_LOSSES)


def losses_of_probabilities(name: str, probabilities: ScoreArray, positive: BoolArray) -> FloatArray:
    """Return the losses of cases, (n,), whose mean is the measure of a name, log_loss or brier_score.  O(n).

    >>> losses_of_probabilities("brier_score", np.array([0.5, 0.75]), np.array([False, True]))
    array([0.25  , 0.0625])
    """
    if name == "log_loss":
        return calibration.log_loss(_of_outcomes(probabilities, positive.astype(probabilities.dtype)))
    return calibration.squared_error(probabilities, positive)


def are_probabilities(scores: ScoreArray) -> bool:
    """Whether all scores, (n,) or (n, k), are between 0 and 1.  O(n k)."""

    def lie_between(block: slice) -> bool:
        part = scores[block]
        return not part.size or bool(part.min() >= 0 and part.max() <= 1)

    return all(map_blocks(lie_between, len(scores)))


def _log_loss(probabilities: ScoreArray, outcome: ScoreArray) -> float:
    """Return the sum of -ln p of what happened: a logarithm for each product of some.  O(n)."""
    own = _of_outcomes(probabilities, outcome)
    whole = own.size - own.size % _FACTORS
    products = np.multiply.reduce(own[:whole].reshape(_FACTORS, -1), axis=0, dtype=np.float64)
    return sum(float(np.add.reduce(calibration.log_loss(part))) for part in (products, own[whole:]))


def _of_outcomes(probabilities: ScoreArray, outcome: ScoreArray) -> ScoreArray:
    """Return the probabilities of what happened, clipped; outcome: 0 or 1 in their type.  O(n)."""
    least = np.finfo(probabilities.dtype).eps
    own = np.subtract(1, outcome)  # p - 0 and p - 1 are rounded as p and 1 - p are
    np.subtract(probabilities, own, out=own)
    np.abs(own, out=own)
    return np.clip(own, least, 1 - least, out=own)


def grouped_probability_losses(
    scores: ScoreArray, positive: BoolArray, sizes: IntArray, weights: AnyArray | None = None
) -> ProbabilityLosses:
    """Return the `probability_losses` of each group, of probabilities that stand one group after the other.

    scores, positive, weights: (n,); sizes: (g,), each at least 1.  O(n + g b).

    >>> grouped_probability_losses(np.array([1.0, 0.5, 0.5]), np.array([True, True, False]), np.array([1, 2])).gaps[1]
    array([0., 0., 0., 0., 0., 0., 0., 0., 0., 0.])
    """
    starts = sizes.cumsum() - sizes
    valid = (np.minimum.reduceat(scores, starts) >= 0) & (np.maximum.reduceat(scores, starts) <= 1)
    own, outcome = scores.clip(0, 1), positive.astype(scores.dtype)
    misses = np.subtract(own, outcome, dtype=np.float64)
    losses = calibration.log_loss(_of_outcomes(own, outcome))
    weighted = misses if weights is None else misses * weights
    losses = losses if weights is None else losses * weights
    cells = bin_codes(own, _EDGES) + BINS * np.repeat(np.arange(sizes.size), sizes)
    gaps = np.bincount(cells, weighted, BINS * sizes.size).astype(np.float64, copy=False).reshape(-1, BINS)
    return ProbabilityLosses(
        np.where(valid, np.add.reduceat(losses, starts), np.nan),
        np.where(valid, np.add.reduceat(misses * weighted, starts), np.nan),
        np.where(valid[:, np.newaxis], gaps, np.nan),
    )
