"""Measures of scores in intervals, with bounds that certainly contain them, and bounds of curves at rates.

Measures take the counts at each distinct score, or sums of weights there.  Counts decide to the last bit; sums of
weights are divided before they are multiplied, for products might leave float64, and no measure subtracts them.
Misses, positive and negative, have no score and rank last.  Each costs O(p).

A curve at a rate is unsure twice: the threshold that gives the rate is, and so is the other rate at this threshold.
The distances of the bounds are the roots of the sums of both squared distances, as G. Y. Zou and A. Donner,
Construction of confidence limits about effect measures, Statistics in Medicine 27 (2008) 1693-1702, combine them.
There fp and tp, (p,) float64, are the incorrect and correct cases at or above each threshold, from 0 to all of them,
and z is how many standard deviations the bounds reach.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, check
from evalcore.kernels.bins import ScoreCounts, ScoreIntervals, runs_of_scores
from evalcore.kernels.sums import ratio, running_sums, total, whole_counts
from evalcore.measures import binary, curves
from evalcore.measures.thresholds import largest_where
from evalcore.text_tables import html_table
from evalcore.typing import AnyArray, Count, FloatArray, IntArray

_SLACK = 2.0**-44
"""More than all roundings of a fraction in 0 .. 1 together: each is 2**-53, and 2**-46 for sums of counts to 2**62."""

_ROUNDING = 1.01 * 2.0**-53
"""Of a sum, relative to it; so that those of up to 2**40 in a row are at most their number of times this."""
_OF_A_FRACTION = 8
"""More than the sums that a fraction is made of together: a ROC AUC has six, some of them twice."""
_OF_A_SUM = 256
"""More roundings than NumPy takes to add up an array in pairs, and those of the operations of a formula."""


class Certified(float):
    """A measure, and the bounds between which its exact value certainly lies.

    As a number it is the middle between the bounds, and the exact value where they are equal: so it compares, is equal
    and is hashed.  NaN where the measure is not defined.

    Parameters
    ----------
    low, high : float
        The bounds, in order, both NaN or none.
    value : float, optional
        The number between them, where it is known better than that: but for the rounding of sums of weights.  By
        default the middle.

    Raises
    ------
    EvaluationError
        If low is above high, one of them alone is NaN, or the value is not between them.

    Examples
    --------
    >>> area = Certified(0.75, 0.751)
    >>> area, area > 0.7
    (0.7505 [0.75, 0.751], True)
    >>> Certified(0.75, 0.75)
    0.75
    """

    __slots__ = ("high", "low")
    low: float
    """No exact value is below it."""
    high: float
    """No exact value is above it."""

    def __new__(cls, low: float, high: float, value: float | None = None) -> "Certified":
        """Take the number, and the bounds as plain numbers."""
        ordered = low <= high or (math.isnan(low) and math.isnan(high))
        check(ordered, "low", "be at most high, or both NaN", f"{low} and {high}")
        if value is None or math.isnan(low):
            value = low + (high - low) / 2 if low < high else low
        elif not low <= value <= high:
            raise EvaluationError(f"value must be from {low} to {high}, got {value}")
        certified = super().__new__(cls, value)
        certified.low, certified.high = float(low), float(high)
        return certified

    @property
    def width(self) -> float:
        """How far the bounds are apart, at least 0; NaN where the measure is not defined.

        >>> Certified(0.5, 0.75).width
        0.25
        """
        return self.high - self.low

    @property
    def exact(self) -> bool:
        """Whether the number is the exact value.

        >>> Certified(0.5, 0.75).exact
        False
        """
        return self.low == self.high or (math.isnan(self.low) and math.isnan(self.high))

    def __repr__(self) -> str:
        return super().__repr__() if self.exact else f"{float(self):.6g} [{self.low!r}, {self.high!r}]"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return html_table([["value", "low", "high"], [f"{float(self):.6g}", repr(self.low), repr(self.high)]])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.low, self.high, float(self))  # by any protocol of pickle


def outward(low: float, high: float, roundings: int = 0, value: float | None = None) -> Certified:
    """Widen the worst- and best-case values of a fraction outward by the rounding error.

    low, high: in 0 .. 1 but for that error; where one is NaN, the other one is both bounds, since the fraction is
    defined only there.  roundings: those of the sums of weights that the fraction is made of, 0 of whole numbers.
    value: the fraction, where nothing but its rounding is unknown.
    """
    slack = _SLACK + margin_of(roundings)
    if roundings:
        low, high = np.clip([low, high], 0.0, 1.0).tolist()
        value = None if value is None else float(np.clip(value, 0.0, 1.0))
    lower, upper = np.fmin(low, high), np.fmax(low, high)
    return Certified(max(lower - slack, 0.0), min(upper + slack, 1.0), value)


def margin_of(roundings: int) -> float:
    """Return what the rounding of sums adds to a fraction of them at most, relative to it; 0 of whole numbers.  O(1).

    roundings: of the sums.
    """
    return _OF_A_FRACTION * (roundings + _OF_A_SUM) * _ROUNDING if roundings else 0.0


def roc_auc(counts: ScoreCounts, misses: int, negative_misses: int) -> float:
    """Return the chance that a positive ranks above a negative, ties counting half; NaN without both.

    >>> counts = ScoreCounts(np.array([0.9, 0.5]), np.array([2, 1]), np.array([0, 1]))
    >>> roc_auc(counts, 0, 0), roc_auc(counts._replace(positives=np.array([2.0, 1.0])), 0, 0)
    (0.8333333333333334, 0.8333333333333334)
    """
    # misses tie with each other
    sides = (counts.positives, misses), (counts.negatives, negative_misses)
    runs = runs_of_scores(*(np.append(sums, sums.dtype.type(last)) for sums, last in sides))
    return float(curves.roc_aucs(runs)[0])


def average_precision(counts: ScoreCounts, misses: int) -> float:
    """Return the precision at each positive, averaged over all positives; NaN without positives.

    >>> average_precision(ScoreCounts(np.array([0.9, 0.5]), np.array([1.5, 0.0]), np.array([0.5, 1.0])), 0)
    0.75
    """
    if counts.whole:
        return float(curves.average_precisions(counts.runs(misses))[0])
    positives = total(counts.positives)
    # fractions of the positives have products as they are, and small ones would be lost beside large negatives
    found = float(curves.average_precisions(runs_of_scores(*counts[1:]))[0]) if positives else 0.0
    return found * float(ratio(positives, positives + misses))


def maximum_f_measure(counts: ScoreCounts, misses: int, beta: float) -> float:
    """Return the largest F measure of any threshold; 0.0 without positives.

    >>> maximum_f_measure(ScoreCounts(np.array([0.9, 0.5]), np.array([1.5, 0.0]), np.array([0.5, 1.0])), 0, 1.0)
    0.8571428571428571
    """
    return float(curves.maximum_f_measures(counts.runs(misses), beta).values[0])


def f_measure(tp: Count, fn: Count, fp: Count, beta: float) -> float:
    """Return the F measure of counts, or of weights whatever their size, in 0 .. 1; NaN only if nothing is positive.

    >>> f_measure(3, 1, 2, 1.0), f_measure(3e300, 1e300, 2e300, 1.0)
    (0.6666666666666666, 0.6666666666666665)
    """
    if isinstance(tp, float) and tp > 0:
        found = binary.f_measure(binary.precision(tp, fp), binary.recall(tp, fn), beta)
        return float(np.fmax(found, 0.0))  # a weight far below the others may leave a precision and a recall of 0
    counts = (tp, fn, fp) if isinstance(tp, int) else (0, int(fn > 0), int(fp > 0))
    return float(binary.f_measure_of_counts(*counts, beta))


def largest_recall(counts: ScoreCounts, misses: int, least: float, margin: float = 0.0) -> float:
    """Return the largest recall of a threshold with at least a precision; 0.0 if there is none, NaN without positives.

    margin: added to precisions, relative to them, except to those that are certainly 1.
    """
    precisions, recalls = precisions_and_recalls(counts, misses)
    none_may_be = counts.negatives.cumsum() == 0
    return largest_where(recalls, np.where(none_may_be, precisions, precisions * (1 + margin)), least)


def largest_precision(counts: ScoreCounts, misses: int, least: float, margin: float = 0.0) -> float:
    """Return the largest precision of a threshold with at least a recall; as `largest_recall`."""
    precisions, recalls = precisions_and_recalls(counts, misses)
    last = np.flatnonzero(counts.positives)[-1:]
    certain = np.arange(recalls.size) >= (last if last.size and not misses else recalls.size)
    return largest_where(precisions, np.where(certain, recalls, recalls * (1 + margin)), least)


def precisions_and_recalls(counts: ScoreCounts, misses: int) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall at each score, (p,) each, rounded once; recall NaN without positives."""
    tp = counts.tp
    return curves.fractions_of_pairs(tp, tp + counts.fp), rates(tp, misses)


def rates(sums: AnyArray, misses: int) -> FloatArray:
    """Return the fraction of all cases of a kind that is at or above each score; sums: theirs, (p,) rising."""
    return curves.fractions_of_pairs(sums, np.asarray((sums[-1] if sums.size else 0) + misses))


def average_precision_bounds(intervals: ScoreIntervals, positives: float) -> tuple[float, float]:
    """Bound the mean, over the positives, of the precision at their scores but for rounding; NaN without positives.

    intervals: (k,); positives: all of them, the misses too.  O(k log k).  At least: the j-th positive of an interval
    has those above the interval and j of its own at or above it, and no negatives but those that may be.  At most: no
    positive has more than the largest precision that there may be at a threshold within its interval.

    >>> low, high, counts = np.array([0.25, 0.5]), np.array([0.25, 0.75]), np.array([1, 2])
    >>> average_precision_bounds(ScoreIntervals(low, high, counts, counts), 3)
    (0.4414755567319206, 0.8333333333333334)
    """
    if not positives:
        return np.nan, np.nan
    held = intervals.at(intervals.positives > 0)
    above = _at_least(intervals.low, intervals.positives, held.high)
    negatives = _at_least(intervals.high, intervals.negatives, held.low)
    most = _largest_precisions(held, intervals)
    if intervals.whole:
        sums = _least_precision_sums(held, above, negatives), held.positives * most
        low, high = (float(ratio(np.sum(each), positives)) for each in sums)
        return low, high
    # products of weights might leave float64
    parts = np.asarray(ratio(held.positives, positives))
    return float(np.sum(parts * _least_precisions(held, above, negatives))), float(np.sum(parts * most))


def _least_precision_sums(held: ScoreIntervals, above: AnyArray, negatives: AnyArray) -> FloatArray:
    """Bound the sum over the positives of each interval, at whose scores at most `negatives` may stand."""
    together = held.positives * np.asarray(binary.precision(above, negatives))  # of points: their own are above
    # Σ (T + j) / (T + j + F) for j = 1 .. a, as a sum of 1 / x is below the integral from half before to half behind
    one_by_one: FloatArray = held.positives - negatives * np.log1p(held.positives / (above + negatives + 0.5))
    return np.where(held.low == held.high, together, one_by_one)


def _least_precisions(held: ScoreIntervals, above: AnyArray, negatives: AnyArray) -> FloatArray:
    """As `_least_precision_sums`, of weights, and divided by those of the positives of each interval."""
    # ∫ (T + x) / (T + x + F) dx / a for x = 0 .. a, for what a weight adds is least where the sum is before it
    with np.errstate(over="ignore"):  # of a weight that dwarfs all before it
        growth = np.asarray(ratio(held.positives, above + negatives))
    slowed = np.where(growth > 0, np.asarray(ratio(np.log1p(growth), growth)), 1.0)
    one_by_one = 1 - np.asarray(binary.precision(negatives, above)) * np.nan_to_num(slowed)
    none_may_be = negatives == 0
    return np.where(held.low == held.high, binary.precision(above, negatives), np.where(none_may_be, 1.0, one_by_one))


def _largest_precisions(held: ScoreIntervals, intervals: ScoreIntervals) -> FloatArray:
    best = intervals.arranged(best=True)
    precisions = np.asarray(binary.precision(best.tp, best.fp))
    falling = -best.scores
    first, last = (falling.searchsorted(-ends, side="right") - 1 for ends in (held.high, held.low))
    # between two scores of the best arrangement a threshold predicts positive what the higher one does
    return _range_maxima(precisions, first, last)


def _at_least(scores: FloatArray, counts: AnyArray, thresholds: FloatArray) -> AnyArray:
    """Add up what stands at or above each threshold."""
    order = scores.argsort(kind="stable")
    above = np.concatenate([np.zeros(1, counts.dtype), running_sums(counts[order[::-1]])])
    return np.asarray(above[scores.size - scores[order].searchsorted(thresholds)])


def _range_maxima(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Return the largest of the values from each first index to each last one.

    Each range is covered by two ranges whose length is a power of two.  Source: M. A. Bender and M. Farach-Colton, The
    LCA problem revisited, LATIN 2000.
    """
    found = np.empty(first.size)
    powers = np.frexp(last - first + 1)[1] - 1
    width = 1
    for power in range(int(powers.max(initial=-1)) + 1):
        chosen = powers == power
        found[chosen] = np.maximum(values[first[chosen]], values[last[chosen] - width + 1])
        values = np.maximum(values[:-width], values[width:])
        width *= 2
    return found


class CurveBounds(NamedTuple):
    """A curve at some rates, and its bounds."""

    height: FloatArray
    """Shape (g,), in 0 .. 1."""
    low: FloatArray
    high: FloatArray


def roc_bounds(fp: FloatArray, tp: FloatArray, rates: FloatArray, z: float) -> CurveBounds:
    """Return the true positive rate at false positive rates, (g,) in 0 .. 1, between straight lines.  O(p + g log p).

    >>> roc_bounds(np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 2.0, 2.0, 2.0]), np.array([0.5]), 1.0).low.round(3)
    array([0.618])
    """
    positives = tp[-1]
    at = whole_counts(rates * fp[-1])

    def found_at(counts: FloatArray) -> FloatArray:
        return np.interp(counts, fp, tp)

    found, moved = found_at(at), _moved(at, (fp[-1], positives), found_at, z)
    height = found / positives
    low, high = _combined(height, trial_bounds(found, positives, z), (moved[0] / positives, moved[1] / positives))
    return CurveBounds(height, np.where(rates == 1, 1.0, low), high)  # every curve ends in the corner


def precision_bounds(fp: FloatArray, tp: FloatArray, recalls: FloatArray, z: float) -> CurveBounds:
    """Return the precision of the highest threshold that reaches each recall, (g,) in 0 .. 1.  O(p + g log p).

    The cases are a sample: their prevalence is an estimate.  The bounds are those of fp / (fp + positives), which
    has two independent parts and gives the precision.

    >>> precision_bounds(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.5]), 1.0).height
    array([1.])
    """
    positives = tp[-1]
    at = whole_counts(recalls * positives)

    def found_at(counts: FloatArray) -> FloatArray:
        return np.asarray(fp[np.searchsorted(tp, counts)])

    least_found = np.maximum(at, tp[tp > 0][0])
    wrong, (below, above) = found_at(least_found), _moved(at, (positives, fp[-1]), found_at, z)
    odds, *moved = (np.asarray(ratio(each, each + positives)) for each in (wrong, below, above))
    own = trial_bounds(wrong, wrong + positives, z)
    # at the last positive, the precision may be the prevalence, which is unsure too
    prevalence = trial_bounds(fp[-1:], fp[-1:] + positives, z)
    own = own[0], np.where(positives - at < 1, prevalence[1], own[1])
    low, high = _combined(odds, own, (moved[0], moved[1]))
    height = np.asarray(binary.precision(tp[np.searchsorted(tp, least_found)], wrong))
    odds = np.array([high, low])
    found = recalls * (1 - odds)
    least, largest = np.where(odds > 0, np.asarray(ratio(found, found + odds)), 1.0)  # 1 without false positives
    return CurveBounds(height, np.minimum(least, height), np.maximum(largest, height))


def _moved(
    at: FloatArray, totals: tuple[float, float], found_at: Callable[[FloatArray], FloatArray], z: float
) -> tuple[FloatArray, FloatArray]:
    """Return how few and how many cases of the other class the true thresholds may have at or above them, (g,) each.

    at: expected cases of the class whose rate is given; totals: of this class and of the other; found_at: cases of the
    other class where that many of this one are found.
    """
    total, others = totals
    reach = z * np.sqrt(at * (1 - at / total))
    # towards the middle a binomial distribution has the longer tail: Cornish and Fisher's term for it is added there
    skewness = z * z / 6 * (1 - 2 * at / total)
    fewest, most = at - reach + np.minimum(skewness, 0), at + reach + np.maximum(skewness, 0)
    # beyond the last case of either side the curve goes on to the corner within the width of one more
    below = found_at(np.maximum(fewest, 0)) * np.clip(1 + fewest, 0, 1)
    above = found_at(np.minimum(most, total))
    above = above + (others - above) * np.clip(most - total, 0, 1)
    return np.where(at < 1, 0.0, below), np.where(total - at < 1, others, above)


def _combined(
    height: FloatArray, own: tuple[FloatArray, FloatArray], moved: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Add the squared distances to bounds at the threshold and to the heights of thresholds that may be the one."""
    low = height - np.hypot(height - own[0], height - moved[0])
    high = height + np.hypot(own[1] - height, moved[1] - height)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def trial_bounds(successes: Any, trials: Any, z: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of proportions, (g,), of Agresti and Coull, which hold those of Wilson.

    Wilson's miss a probability next to 0 as soon as one trial succeeds, and of all rates of a curve some are.  Source:
    A. Agresti and B. A. Coull, Approximate is better than "exact" for interval estimation of binomial proportions, The
    American Statistician 52 (1998) 119-126.
    """
    number, half = trials + z * z, z * z / 2
    centre, estimate = (successes + half) / number, successes / trials
    reach = z * np.sqrt(centre * ((trials - successes + half) / number) / number)
    # rounded bounds must hold the estimate
    return np.minimum(centre - reach, estimate).clip(min=0.0), np.maximum(centre + reach, estimate).clip(max=1.0)
