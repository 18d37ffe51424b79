"""Areas under parts of curves."""

from fractions import Fraction

import numpy as np

from evalcore.kernels.pairs import pair_counts_of_points
from evalcore.kernels.weight_sums import rounding_of
from evalcore.measures.thresholds import rates
from evalcore.typing import FloatArray


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
