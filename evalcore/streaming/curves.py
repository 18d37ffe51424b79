"""Points of a curve whose counts are certain."""

from typing import NamedTuple

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.kernels.ratios import ratio
from evalcore.kernels.score_counts import ScoreCounts
from evalcore.typing import FloatArray, IntArray

_EXACT_IN_FLOAT64 = 2**53


@equal_by_content
class RocCurve(NamedTuple):
    """Points of a ROC curve whose counts are certain, by falling threshold."""

    fpr: FloatArray
    """Shape (p + 1,), rising from 0; NaN without negatives."""
    tpr: FloatArray
    """Shape (p + 1,), rising from 0; NaN without positives."""
    thresholds: FloatArray
    """Shape (p + 1,), falling from infinity; the first one is NaN where a score is infinite.  ``score >= threshold``
    accepts just what the rates count, at the first one nothing."""


@equal_by_content
class PrecisionRecallCurve(NamedTuple):
    """Points of a precision-recall curve whose counts are certain, by rising threshold."""

    precision: FloatArray
    """Shape (p + 1,), the last 1 for none accepted."""
    recall: FloatArray
    """Shape (p + 1,), falling to 0; NaN without positives."""
    thresholds: FloatArray
    """Shape (p,), rising."""


def roc_points(certain: ScoreCounts, positives: int, negatives: int, infinite: bool = False) -> RocCurve:
    """Return the points of a ROC curve; infinite: whether the highest score of all is.  O(p).

    >>> roc_points(ScoreCounts(np.array([0.9, 0.5]), np.array([1, 1]), np.array([0, 4])), 2, 4).fpr
    array([0., 0., 1.])
    """
    rates = _rates(certain.fp, negatives), _rates(certain.tp, positives)
    return RocCurve(*rates, np.append(accepts_none(infinite), certain.scores))


def accepts_none(infinite: bool) -> float:
    """Return a threshold that no score reaches: infinity, or NaN if the highest score is infinite.  O(1).

    >>> accepts_none(False), accepts_none(True)
    (inf, nan)
    """
    return np.nan if infinite else np.inf


def precision_recall_points(certain: ScoreCounts, positives: int) -> PrecisionRecallCurve:
    """Return the points of a precision-recall curve.  O(p).

    >>> precision_recall_points(ScoreCounts(np.array([0.9, 0.5]), np.array([1, 1]), np.array([0, 3])), 2).precision
    array([0.4, 1. , 1. ])
    """
    precisions, recalls = precisions_and_recalls(certain, positives)
    return PrecisionRecallCurve(
        np.append(precisions[::-1], 1.0), np.append(recalls[::-1], 0.0), certain.scores[::-1].copy()
    )


def precisions_and_recalls(counts: ScoreCounts, positives: int) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall at each score, (p,) each, rounded once; recall NaN without positives.  O(p).

    >>> precisions_and_recalls(ScoreCounts(np.array([0.9, 0.5]), np.array([1, 1]), np.array([0, 3])), 2)
    (array([1. , 0.4]), array([0.5, 1. ]))
    """
    tp = counts.tp
    return _fractions(tp, tp + counts.fp), _fractions(tp, positives)


def _rates(counts: IntArray, total: int) -> FloatArray:
    return _fractions(np.append(0, counts), total)


def _fractions(parts: IntArray, wholes: IntArray | int) -> FloatArray:
    """Divide whole numbers; in Python's integers where float64 would round them first."""
    if np.max(wholes, initial=0) > _EXACT_IN_FLOAT64:
        return np.asarray(parts.astype(object) / np.asarray(wholes, object), np.float64)
    return np.asarray(ratio(parts, wholes))
