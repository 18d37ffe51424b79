"""Areas under a part of the ROC curve and their variances, from losses that are cut to the part.

A positive loses to the fraction of the negatives that stand above it, a negative to the fraction of the positives below
it; ties count half.  With its losses cut to a .. b, the mean loss of a positive is b less the area between the false
positive rates a and b; between true positive rates, the same holds of negatives and false negative rates.  The losses
of the other class are cut where the curve stands at both ends: what a case adds to the area, although the thresholds at
the ends are estimated too.  The variance is DeLong's with these losses, that of the influence values.  Sources: the
area: L. E. Dodd and M. S. Pepe, Partial AUC estimation and regression, Biometrics 59 (2003) 614-623; influence values:
F. R. Hampel, The influence curve and its role in robust estimation, Journal of the American Statistical Association 69
(1974) 383-393.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.curve_ends import CurveEnd, CurveRange, range_of_sums
from evalcore.kernels.placements import ClassMoments, Placements, placement_moments
from evalcore.kernels.ratios import ratio
from evalcore.kernels.weighted_placements import LostFractions
from evalcore.typing import FloatArray, KeyArray


class RateRange(NamedTuple):
    """Two rising rates between which the ROC curve counts."""

    low: float
    high: float
    of_positives: bool
    """Whether they are true positive rates, and not false positive ones."""

    @property
    def rates(self) -> tuple[float, float]:
        """Both rates."""
        return self.low, self.high

    @property
    def width(self) -> float:
        """The largest possible area."""
        return self.high - self.low

    @property
    def parts(self) -> tuple[float, float]:
        """The fraction of the correct and of the incorrect cases that have these rates."""
        return (self.width, 1.0) if self.of_positives else (1.0, self.width)

    @property
    def chance(self) -> float:
        """The area of a model that guesses, as a fraction of the largest."""
        mean = (self.low + self.high) / 2
        return 1 - mean if self.of_positives else mean


class LossLimits(NamedTuple):
    """What losses of each class are cut to, and how long the range is, as one of the two is."""

    ends: tuple[tuple[float, float], tuple[float, float]]
    """Of the losses of correct and of incorrect cases."""
    width: float

    def cut(self, losses: npt.ArrayLike, side: int) -> FloatArray:
        """Cut losses of a class and divide them by the width; side: 0 for the correct, 1 for the incorrect.  O(n)."""
        low, high = self.ends[side]
        return np.asarray((np.clip(losses, low, high) - low) / self.width)

    def cut_evenly(self, first: float, last: float, side: int) -> float:
        """Return the mean of losses, evenly between two, after each is `cut`.  O(1)."""
        low, high = self.ends[side]
        if first == last:
            return float(self.cut(first, side))
        start, stop = (min(max(end, low), high) for end in (first, last))
        inside = (stop - start) * ((start + stop) / 2 - low)
        return (inside + max(last - max(high, first), 0.0) * (high - low)) / (last - first) / self.width


class PartialArea(NamedTuple):
    """The area under a part of the ROC curve, and its variance."""

    fraction: float
    """Of the largest possible area, in 0 .. 1."""
    variance: float
    """Of the fraction; NaN where a class has fewer than two cases."""
    sizes: tuple[int, int]
    """Correct and incorrect cases."""


def standardised_area(fraction: Any, chance: Any) -> Any:
    """Return a partial area as 0.5 for chance and 1 at best; fraction: of the largest possible area.  O(1).

    chance: the fraction of a model that guesses.  Source: D. K. McClish, Analyzing a portion of the ROC curve, Medical
    Decision Making 9 (1989) 190-195.
    """
    return (1 + (fraction - chance) / (1 - chance)) / 2


def loss_limits(found: CurveRange, asked: RateRange) -> LossLimits:
    """Return what losses are cut to; found: where the curve has the asked rates.  O(1)."""
    own = (1 - asked.high, 1 - asked.low) if asked.of_positives else asked.rates
    heights = [float(ratio(end.height, found.totals[asked.of_positives])) for end in (found.low, found.high)]
    if asked.of_positives:
        return LossLimits(((heights[0], heights[1]), own), asked.width)
    return LossLimits((own, (1 - heights[1], 1 - heights[0])), asked.width)


def cut_losses(correct: FloatArray, incorrect: FloatArray, lost: LostFractions, asked: RateRange) -> LostFractions:
    """Cut the losses at each score, (p,), as `losses_of_cases` takes it; correct, incorrect: (p,) weights.  O(p)."""
    found = range_of_sums(correct, incorrect, asked.rates, along_correct=asked.of_positives)
    limits = loss_limits(found, asked)
    cut = LostFractions(*(limits.cut(losses, side) for side, losses in enumerate(lost)))
    for end in _divided(found):
        cut.correct[end.score], cut.incorrect[end.score] = _losses_of_divided(end, found, limits)
    return cut


def cut_placements(placed: Placements, found: CurveRange, limits: LossLimits) -> LostFractions:
    """Return the cut losses of the cases of each class, from their placements; found: by `range_of_keys`.  O(n)."""
    sides = []
    for side, own in enumerate(placed):
        others = found.totals[1 - side]
        exceptions = {
            # cases of the other class above the score, less those below
            int(end.before[1 - side] + end.through[1 - side] - others): _losses_of_divided(end, found, limits)[side]
            for end in _divided(found)
        }
        sides.append(_cut_side(own, side, exceptions, limits, others))
    return LostFractions(*sides)


def partial_area_of_keys(keys: KeyArray, found: CurveRange, asked: RateRange) -> PartialArea:
    """Return the area of a ranking between two rates; keys: (n,) sorted; found: by `range_of_keys`.  O(n).

    >>> from evalcore.kernels.curve_ends import range_of_keys
    >>> keys = np.array([3, 4, 7, 8])
    >>> partial_area_of_keys(keys, range_of_keys(keys, (0.0, 0.5), along_correct=False), RateRange(0.0, 0.5, False))
    PartialArea(fraction=0.5, variance=0.3125, sizes=(2, 2))
    """
    limits = loss_limits(found, asked)
    start, stop = found.low.through, found.high.before if found.high.divided else found.high.through
    inner = placement_moments(keys[int(sum(start)) : max(int(sum(stop)), int(sum(start)))])
    spans = (start[1], inner.incorrect.size), (found.totals[0] - stop[0], inner.correct.size)
    parts = [_parts_of_side(side, found, limits) for side in (0, 1)]
    for side, (own, moments, span) in enumerate(zip(parts, inner, spans, strict=True)):
        own.append(_inner_part(moments, span, limits, side, found.totals[1 - side]))
    (lost, scatter), (missed, other_scatter) = (_joined(np.array(own)) for own in parts)
    m, n = found.totals
    variance = float(ratio(scatter, m * (m - 1)) + ratio(other_scatter, n * (n - 1)))
    return PartialArea(1 - (missed if asked.of_positives else lost), variance if min(m, n) > 1 else np.nan, (m, n))


def partial_areas_of_losses(losses: Sequence[LostFractions], asked: RateRange) -> FloatArray:
    """Return the areas of k rankings as fractions of the largest, (k,), from the `cut_placements` of each.  O(k n)."""
    return np.array([1 - float(np.mean(each[asked.of_positives])) for each in losses])


def covariance_of_losses(losses: Sequence[LostFractions], contrasts: npt.ArrayLike) -> FloatArray:
    """Return the covariances of r weighted sums of k areas, (r, r), from the `cut_placements` of each ranking.

    contrasts: (r, k).  NaN where a class has fewer than two cases.  O(k n + r² n).
    """
    factors = np.asarray(contrasts, np.float64)
    total = np.zeros((len(factors), len(factors)))
    for rows in zip(*losses, strict=True):
        total += _covariance_of_means(rows, factors)
    return total


def _covariance_of_means(rows: Sequence[FloatArray], factors: FloatArray) -> FloatArray:
    size = rows[0].size
    means = [float(np.mean(row)) for row in rows]

    def add_up(block: slice) -> FloatArray:
        deviations = factors @ np.array([row[block] - mean for row, mean in zip(rows, means, strict=True)])
        products: FloatArray = np.einsum("in,jn->ij", deviations, deviations)
        return products

    scatter = np.sum(map_blocks(add_up, size, len(rows)), axis=0)
    return np.asarray(ratio(scatter, size * (size - 1) if size > 1 else np.nan))


_Part = tuple[float, float, float]
"""Cases of a class, the mean of their cut losses, and the sum of the squared deviations from it."""


def _parts_of_side(side: int, found: CurveRange, limits: LossLimits) -> list[_Part]:
    """Return the parts of a class outside of the range, and at the scores that its ends divide."""
    low, high = limits.ends[side]
    most = (high - low) / limits.width
    before, after = (0.0, most) if side == 0 else (most, 0.0)
    first = found.low.before if found.low.divided else found.low.through
    divided = [
        (end.through[side] - end.before[side], _losses_of_divided(end, found, limits)[side], 0.0)
        for end in _divided(found)
    ]
    return [(first[side], before, 0.0), (found.totals[side] - found.high.through[side], after, 0.0), *divided]


def _inner_part(moments: ClassMoments, span: tuple[int, int], limits: LossLimits, side: int, others: int) -> _Part:
    """Return the part of a class inside the range.

    span: cases of the other class that it loses to on this side of the range, and those inside; others: all of them.
    """
    size = moments.size
    if not size:
        return 0.0, 0.0, 0.0
    total, squares = int(moments.sums[0]), int(moments.products[0, 0])
    # a correct case loses to those above it, an incorrect one to those below
    lost = (2 * span[0] + span[1]) * size + (total if side == 0 else -total)
    mean = (lost / (2 * size * others) - limits.ends[side][0]) / limits.width
    return float(size), mean, (size * squares - total**2) / (4 * size * others**2) / limits.width**2


def _joined(parts: FloatArray) -> tuple[float, float]:
    """Return the mean of parts, (q, 3), and the sum of the squared deviations from it."""
    sizes, means, scatters = parts.T
    mean = sizes @ means / sizes.sum()
    return float(mean), float(scatters.sum() + sizes @ np.square(means - mean))


def _divided(found: CurveRange) -> list[CurveEnd]:
    """List the ends that divide a score, that of each score once."""
    return list({end.through: end for end in (found.low, found.high) if end.divided}.values())


def _losses_of_divided(end: CurveEnd, found: CurveRange, limits: LossLimits) -> tuple[float, float]:
    """Return the cut losses of correct and of incorrect cases of a score that an end divides."""
    m, n = found.totals
    return (
        limits.cut_evenly(float(end.before[1] / n), float(end.through[1] / n), 0),
        limits.cut_evenly(float(1 - end.through[0] / m), float(1 - end.before[0] / m), 1),
    )


def _cut_side(
    placed: npt.NDArray[Any], side: int, exceptions: dict[int, float], limits: LossLimits, others: int
) -> FloatArray:
    """Return the cut losses of the cases of a class, (q,); exceptions: those of some placements."""
    losses = np.empty(placed.size)
    low, high = limits.ends[side]
    sign = 1 if side == 0 else -1

    def place(block: slice) -> None:
        own = losses[block]
        np.multiply(placed[block], sign / (2 * others), out=own)
        own += 0.5
        np.clip(own, low, high, out=own)
        own -= low
        own /= limits.width
        for placement, value in exceptions.items():
            own[placed[block] == placement] = value

    map_blocks(place, placed.size)
    return losses
