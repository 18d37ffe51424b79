"""Measures of decisions by a threshold, from the counts at every threshold, highest first.

tp, fn, fp, tn: (p,) each, counts, or sums of weights, if every case at or above the threshold is predicted positive.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.kernels.ratios import exact_integers, ratio
from evalcore.kernels.weight_sums import rounding_of
from evalcore.measures import binary
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray

TARGETS = "precision", "recall", "specificity", "fpr", "flagged"
"""What a threshold may have to reach: at least a value, of the last two at most."""


def cumulative_fractions(sums: FloatArray) -> FloatArray:
    """Return sums / last sum, the fraction at or above each threshold, (p,); NaN if the last is 0.  O(p)."""
    return np.asarray(ratio(sums, sums[-1]))


def rates(sums: FloatArray) -> FloatArray:
    """Return the `cumulative_fractions` after 0.0, above every score, (p + 1,).  O(p)."""
    return np.concatenate([[0.0], cumulative_fractions(sums)])


def largest_where(values: FloatArray, bounded: FloatArray, least: float) -> float:
    """Return the largest value where `bounded` >= `least`; 0.0 if there is none, NaN if all are NaN.  O(p)."""
    if np.isnan(bounded).all() or np.isnan(values).all():
        return np.nan
    return float(np.max(values, where=bounded >= least, initial=0.0))


def threshold_reaching(target: str, value: float, tp: FloatArray, fp: FloatArray, scores: ScoreArray) -> float:
    """Return the highest threshold whose recall is at least a value, or the lowest that reaches another target.

    target: one of `TARGETS`: precision and specificity are at least the value; fpr, the false positive rate, and
    flagged, the fraction of the cases that is predicted positive, are at most the value.  scores: (p,).  Infinity if
    only to predict no positive reaches it; NaN if nothing does.  O(p).

    >>> tp, fp, scores = np.array([1.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]), np.array([0.8, 0.4, 0.35])
    >>> threshold_reaching("precision", 0.6, tp, fp, scores), threshold_reaching("flagged", 0.3, tp, fp, scores)
    (0.35, inf)
    """
    rounding = rounding_of(tp, fp)
    least, most = value * (1 - rounding), value * (1 + rounding)
    if target == "recall":
        found = np.asarray(binary.recall(tp, tp[-1] - tp)) >= least
        return float(scores[found.argmax()]) if found.any() else np.nan
    if target == "precision":
        found, otherwise = np.asarray(binary.precision(tp, fp)) >= least, np.nan
    else:
        sums = tp + fp if target == "flagged" else fp
        otherwise = np.inf if sums[-1] else np.nan
        if target == "specificity":
            found = np.asarray(binary.specificity(fp, fp[-1] - fp)) >= least
        else:
            found = cumulative_fractions(sums) <= most
    return float(scores[np.flatnonzero(found)[-1]]) if found.any() else otherwise


def kolmogorov_smirnov(tp: FloatArray, fp: FloatArray) -> float:
    """Return the largest |tpr - fpr|, in 0 .. 1; NaN without both classes.

    O(p).  Source: W. J. Conover, Practical Nonparametric Statistics (1999), 6.3.

    >>> kolmogorov_smirnov(np.array([7.0, 10.0]), np.array([4.0, 10.0]))  # 7/10 - 4/10, rounded once
    0.3
    """
    gaps, scale = rate_gaps(tp, fp, tp[-1], fp[-1])
    return float(ratio(np.asarray(np.abs(gaps).max()).item(), scale.item()))


def rate_gaps(tp: Any, fp: Any, positives: Any, negatives: Any) -> tuple[AnyArray, AnyArray]:
    """Return tp / positives - fp / negatives times a scale, and the scale: whole numbers if all four are.  O(p).

    Each a number or (p,).  The rates of weights are equal where they differ by less than their rounding.
    """
    cells = [np.atleast_1d(each) for each in (tp, fp, positives, negatives)]
    if rounding := rounding_of(*cells):
        rates = np.asarray(ratio(cells[0], cells[2]))
        gaps = rates - np.asarray(ratio(cells[1], cells[3]))
        return np.where(np.abs(gaps) <= rates * rounding, 0.0, gaps), np.ones(1)
    most = int(cells[2].max()) * int(cells[3].max())
    tp, fp, positives, negatives = exact_integers(*(each.astype(np.int64) for each in cells), most=most)
    return tp * negatives - fp * positives, positives * negatives


def lifts(of_cases: FloatArray, of_positives: FloatArray) -> FloatArray:
    """Return precision / prevalence, at least 0: how much denser positives are among cases predicted positive.

    of_cases, of_positives: (p,), fractions at or above each threshold.  O(p).  Source: I. H. Witten, E. Frank and M. A.
    Hall, Data Mining (2011), 5.7.
    """
    return np.asarray(ratio(of_positives, of_cases))


def fraction_found(of_cases: FloatArray, of_positives: FloatArray, fraction: float) -> float:
    """Return the fraction of the positives among so many cases of highest score; tied cases in any order, on average.

    of_cases, of_positives: (p,), fractions at or above each threshold, from 0 to 1.  O(p).  Source: Witten, Frank and
    Hall (2011), 5.7.
    """
    return float(np.interp(fraction, of_cases, of_positives))


def equal_error_rate(fpr: FloatArray, fnr: FloatArray) -> float:
    """Return the rate at which straight lines between the points have as many false positives as false negatives.

    fpr, fnr: (p,), from 0 and 1 at the highest threshold to 1 and 0.  O(p).  Source: A. Martin et al., The DET curve in
    assessment of detection task performance, Eurospeech 1997.

    >>> equal_error_rate(np.array([0.0, 0.0, 0.5, 1.0]), np.array([1.0, 0.25, 0.0, 0.0]))
    0.16666666666666666
    """
    gaps = fpr - fnr
    after = int(np.argmax(gaps >= 0))
    before = max(after - 1, 0)
    along = ratio(-gaps[before], gaps[after] - gaps[before])
    return float(fpr[before] + along * (fpr[after] - fpr[before]))


def expected_costs(
    counts: Sequence[FloatArray | IntArray], costs: FloatArray, totals: IntArray | None = None
) -> FloatArray:
    """Return Σ cost · fraction of the cases, over tp, fn, fp and tn, between the least and the greatest cost.

    costs: (4,) finite; totals: cases of each column of counts, (p,), where they differ.  NaN without cases.  Returns
    (p,).  O(p).  Source: C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001.
    """
    exponent = int(np.frexp(np.abs(costs).max())[1])
    table = np.stack(counts)
    # fractions of costs below 1 neither overflow nor vanish, and a power of two leaves equal sums equal
    if totals is not None:
        return np.asarray(np.ldexp(np.asarray(ratio(np.ldexp(costs, -exponent) @ table, totals)), exponent))
    total = table[:, 0].sum()
    of_total = min(int(np.frexp(total)[1]), 0)
    fractions = np.asarray(ratio(np.ldexp(costs, -exponent) @ np.ldexp(table, -of_total), np.ldexp(total, -of_total)))
    values: FloatArray = np.ldexp(fractions, exponent)
    return values
