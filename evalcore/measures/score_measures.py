"""Measures of a whole ranking from the counts at each distinct score, or from sums of weights there.

Counts decide to the last bit.  Sums of weights are divided before they are multiplied, for products might leave
float64, and no measure is a difference of them.  Misses, positive and negative, have no score and rank last.  Each
costs O(p).
"""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.kernels.rounded_sums import is_whole, total
from evalcore.kernels.score_counts import ScoreCounts, runs_of_scores
from evalcore.measures import binary, curves
from evalcore.measures.thresholds import largest_where
from evalcore.typing import AnyArray, Count, FloatArray

_EXACT_IN_FLOAT64 = 2**53


def roc_area(counts: ScoreCounts, misses: int, negative_misses: int) -> float:
    """Return the chance that a positive ranks above a negative, ties counting half; NaN without both.

    >>> counts = ScoreCounts(np.array([0.9, 0.5]), np.array([2, 1]), np.array([0, 1]))
    >>> roc_area(counts, 0, 0), roc_area(counts._replace(positives=np.array([2.0, 1.0])), 0, 0)
    (0.8333333333333334, 0.8333333333333334)
    """
    # misses tie with each other
    sides = (counts.positives, misses), (counts.negatives, negative_misses)
    runs = runs_of_scores(*(np.append(sums, sums.dtype.type(last)) for sums, last in sides))
    return float(curves.roc_areas(runs)[0])


def average_precision(counts: ScoreCounts, misses: int) -> float:
    """Return the precision at each positive, averaged over all positives; NaN without positives.

    >>> average_precision(ScoreCounts(np.array([0.9, 0.5]), np.array([1.5, 0.0]), np.array([0.5, 1.0])), 0)
    0.75
    """
    if counts.whole:
        return float(curves.average_precisions(counts.runs(misses))[0])
    positives = total(counts.positives)
    found = float(curves.average_precisions(counts.runs())[0]) if positives else 0.0
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
    return largest_where(
        recalls, np.where(counts.negatives.cumsum() == 0, precisions, precisions * (1 + margin)), least
    )


def largest_precision(counts: ScoreCounts, misses: int, least: float, margin: float = 0.0) -> float:
    """Return the largest precision of a threshold with at least a recall; as `largest_recall`."""
    precisions, recalls = precisions_and_recalls(counts, misses)
    last = np.flatnonzero(counts.positives)[-1:]
    certain = np.arange(recalls.size) >= (last if last.size and not misses else recalls.size)
    return largest_where(precisions, np.where(certain, recalls, recalls * (1 + margin)), least)


def precisions_and_recalls(counts: ScoreCounts, misses: int) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall at each score, (p,) each, rounded once; recall NaN without positives."""
    tp = counts.tp
    return fractions(tp, tp + counts.fp), rates(tp, misses)


def rates(sums: AnyArray, misses: int) -> FloatArray:
    """Return the fraction of all cases of a kind that is at or above each score; sums: theirs, (p,) rising."""
    return fractions(sums, (sums[-1] if sums.size else 0) + misses)


def fractions(parts: AnyArray, wholes: AnyArray | int) -> FloatArray:
    """Divide counts or weights, (p,); counts as Python's integers if float64 would round them first."""
    if is_whole(parts) and np.max(wholes, initial=0) > _EXACT_IN_FLOAT64:
        return np.asarray(parts.astype(object) / np.asarray(wholes, object), np.float64)
    return np.asarray(ratio(parts, wholes))
