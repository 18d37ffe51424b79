"""Points of a curve: those of one range of scores, and the few that show the whole curve."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.distributed.partitions.range_counts import RangeCases, RangeContext, thresholds_of_range
from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import ratio
from evalcore.kernels.score_bins import ScoreIntervals
from evalcore.kernels.thinning import chords, column_extremes
from evalcore.measures import binary
from evalcore.streaming.curves import threshold_above_all
from evalcore.typing import BoolArray, FloatArray, IntArray
from evalcore.validation.single_values import check_number

LEAST_TOLERANCE = 1e-6
PointsOfRange: TypeAlias = Callable[[RangeCases, RangeContext], "CurvePoints"]
"""Returns the points of a range of scores."""


class CurvePoints(NamedTuple):
    """Points of a curve by falling threshold; at the first of all, nothing is predicted positive."""

    x: FloatArray
    """Shape (p,), not falling."""
    y: FloatArray
    """Shape (p,)."""
    thresholds: FloatArray
    """Shape (p,), falling from infinity, or from NaN if a score is infinite, as in `RocCurve`."""

    def at(self, chosen: BoolArray | IntArray) -> "CurvePoints":
        """Return some of the points.  O(p)."""
        return CurvePoints(self.x[chosen], self.y[chosen], self.thresholds[chosen])


def checked_tolerance(tolerance: Any) -> float:
    """Return a distance between curves; raises EvaluationError outside 1e-6 .. 1.  O(1)."""
    number = check_number(tolerance, "tolerance")
    if not LEAST_TOLERANCE <= number <= 1:
        raise EvaluationError(f"tolerance must be in {LEAST_TOLERANCE} .. 1, got {number}")
    return number


def roc_points_of_range(cases: RangeCases, context: RangeContext) -> CurvePoints:
    """Return the ROC points of a range, NaN for a missing class; the highest range starts the curve.  O(n)."""
    tp, fp, scores = thresholds_of_range(cases, context)
    tp, fp = (_from_start(counts, 0.0, context) for counts in (tp, fp))
    first = threshold_above_all(bool(np.any(scores[:1] == np.inf)))
    fpr, tpr = np.asarray(ratio(fp, context.total.negatives)), np.asarray(ratio(tp, context.total.positives))
    return CurvePoints(fpr, tpr, _from_start(scores.astype(np.float64, copy=False), first, context))


def precision_recall_points_of_range(cases: RangeCases, context: RangeContext) -> CurvePoints:
    """Return recall and precision of a range, recall 1 without positives; the highest starts the curve.  O(n)."""
    tp, fp, scores = thresholds_of_range(cases, context)
    positives = context.total.positives
    recalls = np.asarray(ratio(tp, positives)) if positives else np.ones(tp.size)
    columns = recalls, np.asarray(binary.precision(tp, fp)), scores.astype(np.float64, copy=False)
    return CurvePoints(*map(_from_start, columns, (0.0, 1.0, np.inf), [context] * 3))


def _from_start(values: FloatArray, start: float, context: RangeContext) -> FloatArray:
    """Put the start of the curve before the values of the highest range."""
    return np.append(start, values) if context.is_highest else values


def points_in_columns(points: CurvePoints, width: float) -> CurvePoints:
    """Keep the first, a lowest, a highest and the last point in each column of this width of the axis x.  O(p).

    Every other point is at most `width` away from the curve that is left.

    >>> points = CurvePoints(np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.1, 0.2, 0.3, 0.4]), np.arange(4.0))
    >>> points_in_columns(points, width=0.5).x
    array([0.1, 0.3, 0.9])
    """
    if not points.x.size:
        return points
    x, y = (np.nan_to_num(axis) for axis in points[:2])
    first = int(x[0] // width)
    edges = width * np.arange(first + 1, int(x[-1] // width) + 1, dtype=np.float64)
    return points.at(column_extremes(x, y, edges))


def merge_points(parts: Sequence[CurvePoints]) -> CurvePoints:
    """Return the points of several ranges, highest first, as one curve.  O(p)."""
    return CurvePoints(*map(np.concatenate, zip(*parts, strict=True)))


def thin_curve(points: CurvePoints, tolerance: float) -> CurvePoints:
    """Leave out points at most `tolerance` away from the straight lines between those that are left.  O(p)."""
    x, y = (np.nan_to_num(axis) for axis in points[:2])
    return points.at(chords(x, y, tolerance))


def largest_deviation(points: CurvePoints, has_more: BoolArray) -> float:
    """Return how far a rising curve may be from the straight lines between some of its points.  O(p).

    has_more: whether the cases between a point and the next have several scores, (p - 1,).  If so, the curve is within
    the box between both points; otherwise it is straight.

    >>> points = CurvePoints(np.array([0.0, 3.0]), np.array([0.0, 4.0]), np.array([np.inf, 0.5]))
    >>> largest_deviation(points, np.array([True])), largest_deviation(points, np.array([False]))
    (2.4, 0.0)
    """
    across, up = (np.diff(np.nan_to_num(axis))[has_more] for axis in points[:2])
    return float(np.max(np.nan_to_num(ratio(across * up, np.hypot(across, up))), initial=0.0))


def several_scores_from(intervals: ScoreIntervals, certain: FloatArray) -> BoolArray:
    """Mark the thresholds from which to the next one there are several scores.  O(t log k).

    certain: (t,) ascending scores that no interval straddles, the lowest score among them.

    >>> intervals = ScoreIntervals(*np.array([[0.1, 0.5], [0.1, 0.9]]), *np.ones((2, 2), np.int64))
    >>> several_scores_from(intervals, np.array([0.1, 0.5]))
    array([False,  True])
    """
    if not certain.size:
        return np.zeros(0, np.bool_)
    highest = np.maximum.reduceat(intervals.high, intervals.low.searchsorted(certain))
    return np.asarray(highest > certain)
