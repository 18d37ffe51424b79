"""Areas under curves of weighted cases.

tp, fp: (p,) float64, weights of the correct and of the incorrect cases at or above each distinct score, best first;
whole: whether all weights are whole numbers, whose sums float64 holds exactly.  Areas are then those of as many cases
without weights, to the last bit.
"""

from fractions import Fraction

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.operating_points import OperatingPoints
from evalcore.kernels.pairs import pair_counts_of_points, rises
from evalcore.kernels.ratios import ratio
from evalcore.kernels.sorted_weights import CorrectSums, SortedWeights, sums_at_scores
from evalcore.kernels.weight_sums import rounding_of
from evalcore.kernels.weighted_placements import lost_pairs
from evalcore.measures import binary, curves
from evalcore.measures.thresholds import rates
from evalcore.typing import FloatArray

MOSTLY_LOST = 0.1
"""Below this area the pairs that are won are added up by themselves: small fractions keep more digits."""


def roc_area(tp: FloatArray, fp: FloatArray, *, whole: bool = False) -> float:
    """Return the chance that a correct case is above an incorrect one, both drawn by weight, ties counting half.

    In 0 .. 1; NaN without weight on a side.  O(p).  Source: the trapezoidal rule gives ties their half.
    """
    if tp[-1] == 0 or fp[-1] == 0:
        return np.nan
    if whole:
        return curves.roc_area(pair_counts_of_points(tp, fp), int(tp[-1]), int(fp[-1]))
    return roc_area_of_scores(rises(tp), rises(fp))


def roc_area_of_scores(correct: FloatArray, incorrect: FloatArray) -> float:
    """Return the area of `roc_area` from the weights at each score, (p,), best first: near 0 to as many digits.  O(p).

    >>> roc_area_of_scores(np.array([0.0, 0.1, 0.2]), np.array([0.7, 0.0, 0.0]))
    0.0
    """
    # fractions first: products of weights might leave float64
    own, other = (np.asarray(ratio(sums, np.sum(sums))) for sums in (correct, incorrect))
    lost = lost_pairs(own, other)
    return 1 - lost if lost <= 0.5 else lost_pairs(own[::-1], other[::-1])  # of both the one with more digits


def roc_area_of_cases(cases: SortedWeights) -> float:
    """Return the area of `roc_area_of_scores`.  O(n)."""
    found = sums_at_scores(cases, frequencies=True)
    return roc_area_of_scores(found.correct.sums, found.incorrect.sums)


def roc_area_of_correct(cases: SortedWeights, sums: CorrectSums) -> float:
    """Return the area of `roc_area` from the scores that hold a correct case alone; sums: `correct_sums`.  O(p)."""
    tp, fp, tied, *_ = sums
    incorrect = float(sums.before[-1, 1])
    if not tp.size or incorrect == 0:
        return np.nan

    def area(block: slice) -> float:
        gained = np.diff(_with_before(tp, block)) / tp[-1]
        return float(np.sum(gained * ((incorrect - fp[block] + tied[block] / 2) / incorrect)))

    found = min(float(np.sum(map_blocks(area, tp.size))), 1.0)  # it may be rounded to more
    return roc_area_of_cases(cases) if found < MOSTLY_LOST else found


def average_precision(tp: FloatArray, fp: FloatArray, *, whole: bool = False) -> float:
    """Return the area under the precision-recall steps, Σ (r_i - r_(i-1)) p_i, in 0 .. 1; NaN without correct weight.

    O(p).  Source: C. D. Manning, P. Raghavan and H. Schütze, Introduction to Information Retrieval (2008), 8.4.
    """
    if not tp.size or tp[-1] == 0:
        return np.nan
    if whole:
        gains = np.diff(tp, prepend=0.0) > 0
        points = OperatingPoints(tp[gains].astype(np.int64), fp[gains].astype(np.int64))
        return curves.average_precision(points, int(tp[-1]))

    def area(block: slice) -> tuple[float, float]:
        gained = np.diff(np.asarray(ratio(_with_before(tp, block), tp[-1])))  # products of weights might leave float64
        heights = np.asarray(binary.precision(tp[block], fp[block]))
        np.nan_to_num(heights, copy=False)  # where no weight is predicted positive, none is gained
        return float(np.sum(gained * heights)), float(np.sum(gained))

    found, gained = np.sum(map_blocks(area, tp.size), axis=0)
    return float(found / gained)  # exactly 1 of a perfect ranking, however its gains are rounded


def partial_roc_area(tp: FloatArray, fp: FloatArray, low: Fraction, high: Fraction) -> Fraction:
    """Return the area under a ROC curve between two false positive rates: of counts exactly.  O(p).

    tp, fp: (p,), the last above 0.

    >>> partial_roc_area(np.array([1.0, 1, 2]), np.array([0.0, 1, 2]), Fraction(0), Fraction(1, 2))
    Fraction(1, 4)
    """
    if rounding_of(tp, fp):
        return Fraction(_area_between(rates(fp), rates(tp), float(low), float(high)))
    twice = _twice_area_below(tp, fp, high) - _twice_area_below(tp, fp, low)
    return twice / (2 * int(tp[-1]) * int(fp[-1]))


def _twice_area_below(tp: FloatArray, fp: FloatArray, rate: Fraction) -> Fraction:
    """Return twice the area up to a false positive rate, in pairs of cases.  O(p)."""
    end = rate * int(fp[-1])
    passed = int(fp.searchsorted(int(end), side="right"))
    pairs = pair_counts_of_points(fp[:passed], tp[:passed])
    area = Fraction(2 * pairs.lost - pairs.tied)
    if passed == fp.size:
        return area
    (x, right), (y, top) = ((int(sums[passed - 1]) if passed else 0, int(sums[passed])) for sums in (fp, tp))
    return area + (end - x) * (2 * y + (top - y) * (end - x) / (right - x))


def _area_between(fpr: FloatArray, tpr: FloatArray, low: float, high: float) -> float:
    inner = (fpr > low) & (fpr < high)
    ends = _heights_at(fpr, tpr, low, right=True), _heights_at(fpr, tpr, high, right=False)
    xs = np.concatenate([[low], fpr[inner], [high]])
    ys = np.concatenate([[ends[0]], tpr[inner], [ends[1]]])
    return trapezoidal_area(xs, ys)


def trapezoidal_area(x: FloatArray, y: FloatArray) -> float:
    """Return the area under the straight lines between points, negative where x falls.  x, y: (p,).  O(p)."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


def _heights_at(fpr: FloatArray, tpr: FloatArray, rate: float, right: bool) -> float:
    """Height where a curve passes a rate; of a vertical part, its top on the way in and its foot on the way out."""
    at = int(fpr.searchsorted(rate, side="right")) - 1
    if right or fpr[at] != rate:
        return float(tpr[at]) if fpr[at] == rate else float(np.interp(rate, fpr[at : at + 2], tpr[at : at + 2]))
    return float(tpr[int(fpr.searchsorted(rate, side="left"))])


def _with_before(sums: FloatArray, block: slice) -> FloatArray:
    """Return the sums in a block after the one before it, 0.0 before the first."""
    if block.start:
        return sums[block.start - 1 : block.stop]
    return np.concatenate([[0.0], sums[block]])
