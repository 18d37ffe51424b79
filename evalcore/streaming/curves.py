"""Points of a curve whose counts are certain."""

from typing import NamedTuple

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.kernels.score_counts import ScoreCounts
from evalcore.measures.score_measures import precisions_and_recalls, rates
from evalcore.typing import FloatArray


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


def roc_points(certain: ScoreCounts, misses: int, negative_misses: int, infinite: bool = False) -> RocCurve:
    """Return the points of a ROC curve; infinite: whether the highest score is.  O(p)."""
    fpr, tpr = (
        rates(np.append(np.zeros_like(sums, shape=1), sums), unranked)
        for sums, unranked in ((certain.fp, negative_misses), (certain.tp, misses))
    )
    return RocCurve(fpr, tpr, np.append(np.nan if infinite else np.inf, certain.scores))


def precision_recall_points(certain: ScoreCounts, misses: int) -> PrecisionRecallCurve:
    """Return the points of a precision-recall curve.  O(p)."""
    precisions, recalls = precisions_and_recalls(certain, misses)
    return PrecisionRecallCurve(
        np.append(precisions[::-1], 1.0), np.append(recalls[::-1], 0.0), certain.scores[::-1].copy()
    )
