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
    """Points of a ROC curve whose counts are certain, by descending threshold."""

    fpr: FloatArray
    """Shape (p + 1,), ascending from 0; NaN without negatives."""
    tpr: FloatArray
    """Shape (p + 1,), ascending from 0; NaN without positives."""
    thresholds: FloatArray
    """Shape (p + 1,), descending from infinity, or from NaN if a score is infinite.  The rates count the cases with
    ``score >= threshold``: none at the first one."""


@equal_by_content
class PrecisionRecallCurve(NamedTuple):
    """Points of a precision-recall curve whose counts are certain, by ascending threshold."""

    precision: FloatArray
    """Shape (p + 1,); the last is 1, where nothing is predicted positive."""
    recall: FloatArray
    """Shape (p + 1,), descending to 0; NaN without positives."""
    thresholds: FloatArray
    """Shape (p,), ascending."""


def roc_points(certain: ScoreCounts, positives: int, negatives: int, infinite: bool = False) -> RocCurve:
    """Return the points of a ROC curve; infinite: whether the highest score is.  O(p)."""
    rates = _rates(certain.fp, negatives), _rates(certain.tp, positives)
    return RocCurve(*rates, np.append(threshold_above_all(infinite), certain.scores))


def threshold_above_all(infinite: bool) -> float:
    """Return a threshold that no score reaches: infinity, or NaN if the highest score is infinite.  O(1)."""
    return np.nan if infinite else np.inf


def precision_recall_points(certain: ScoreCounts, positives: int) -> PrecisionRecallCurve:
    """Return the points of a precision-recall curve.  O(p)."""
    precisions, recalls = precisions_and_recalls(certain, positives)
    return PrecisionRecallCurve(
        np.append(precisions[::-1], 1.0), np.append(recalls[::-1], 0.0), certain.scores[::-1].copy()
    )


def precisions_and_recalls(counts: ScoreCounts, positives: int) -> tuple[FloatArray, FloatArray]:
    """Return precision and recall at each score, (p,) each, rounded once; recall NaN without positives.  O(p)."""
    tp = counts.tp
    return _fractions(tp, tp + counts.fp), _fractions(tp, positives)


def _rates(counts: IntArray, total: int) -> FloatArray:
    return _fractions(np.append(0, counts), total)


def _fractions(parts: IntArray, wholes: IntArray | int) -> FloatArray:
    """Divide whole numbers, as Python's integers if float64 would round them first."""
    if np.max(wholes, initial=0) > _EXACT_IN_FLOAT64:
        return np.asarray(parts.astype(object) / np.asarray(wholes, object), np.float64)
    return np.asarray(ratio(parts, wholes))
