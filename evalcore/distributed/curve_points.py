"""Points of a curve: all of one range of scores, or as few as look the same."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.range_counts import Place, threshold_points
from evalcore.distributed.sorted_partitions import Range
from evalcore.errors import EvaluationError
from evalcore.kernels.ratios import ratio
from evalcore.kernels.score_bins import ScoreIntervals
from evalcore.kernels.thinning import chords, column_extremes
from evalcore.measures import binary
from evalcore.streaming.curves import accepts_none
from evalcore.typing import BoolArray, FloatArray, IntArray
from evalcore.validation.single_values import check_number

LEAST_TOLERANCE = 1e-6


class CurvePoints(NamedTuple):
    """Points of a curve by falling threshold; the first of all accepts nothing."""

    x: FloatArray
    """Shape (p,), not falling."""
    y: FloatArray
    """Shape (p,)."""
    thresholds: FloatArray
    """Shape (p,), falling from infinity, or from NaN where a score is infinite: as of `RocCurve`."""

    def at(self, chosen: BoolArray | IntArray) -> "CurvePoints":
        """Return some of the points.  O(p).

        >>> CurvePoints(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([np.inf, 0.5])).at(np.array([1])).x
        array([1.])
        """
        return CurvePoints(self.x[chosen], self.y[chosen], self.thresholds[chosen])


def checked_tolerance(tolerance: Any) -> float:
    """Return a distance between curves.  Raises EvaluationError outside 1e-6 .. 1, EvaluationTypeError for no number.

    >>> checked_tolerance(0.001)
    0.001
    """
    number = check_number(tolerance, "tolerance")
    if not LEAST_TOLERANCE <= number <= 1:
        raise EvaluationError(f"tolerance must be in {LEAST_TOLERANCE} .. 1, got {number}")
    return number


def roc_points(part: Range, place: Place) -> CurvePoints:
    """Return the points of a ROC curve in a range, in the highest one with the start of the curve.  O(n).

    NaN of a class that is not there.

    >>> from evalcore.distributed.range_counts import Counts
    >>> from evalcore.kernels.ordering import order
    >>> part = order(np.array([0.5, 0.9]), np.array([True, False]))
    >>> roc_points(part, Place(Counts(0, 0), Counts(1, 2)))
    CurvePoints(x=array([0. , 0.5, 0.5]), y=array([0., 0., 1.]), thresholds=array([inf, 0.9, 0.5]))
    """
    points = threshold_points(part, place)
    tp, fp = (_after_none(counts, 0.0, place) for counts in (points.tp, points.fp))
    none = accepts_none(bool(np.any(points.scores[:1] == np.inf)))
    thresholds = _after_none(points.scores.astype(np.float64, copy=False), none, place)
    return CurvePoints(
        np.asarray(ratio(fp, place.all.negatives)), np.asarray(ratio(tp, place.all.positives)), thresholds
    )


def precision_recall_points(part: Range, place: Place) -> CurvePoints:
    """Return the points of precision over recall in a range, in the highest one with the start of the curve.  O(n).

    Recall is 1 without positives.

    >>> from evalcore.distributed.range_counts import Counts
    >>> from evalcore.kernels.ordering import order
    >>> part = order(np.array([0.5, 0.9]), np.array([True, False]))
    >>> precision_recall_points(part, Place(Counts(0, 0), Counts(1, 2)))
    CurvePoints(x=array([0., 0., 1.]), y=array([1. , 0. , 0.5]), thresholds=array([inf, 0.9, 0.5]))
    """
    points = threshold_points(part, place)
    positives = place.all.positives
    recalls = np.asarray(ratio(points.tp, positives)) if positives else np.ones(points.tp.size)
    precisions = np.asarray(binary.precision(points.tp, points.fp))
    thresholds = points.scores.astype(np.float64, copy=False)
    return CurvePoints(*map(_after_none, (recalls, precisions, thresholds), (0.0, 1.0, np.inf), [place] * 3))


def _after_none(values: FloatArray, none: float, place: Place) -> FloatArray:
    """Put what is there of no case before the values of the highest range."""
    return values if place.number else np.append(none, values)


def in_columns(points: CurvePoints, width: float) -> CurvePoints:
    """Keep the first, a lowest, a highest and the last point of each column of the axis x.

    width: of the columns.  No point that is left out is further from the curve that is left than that.  O(p).

    >>> points = CurvePoints(np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.1, 0.2, 0.3, 0.4]), np.arange(4.0))
    >>> in_columns(points, width=0.5).x
    array([0.1, 0.3, 0.9])
    """
    if not points.x.size:
        return points
    x, y = (np.nan_to_num(axis) for axis in points[:2])
    first = int(x[0] // width)
    edges = width * np.arange(first + 1, int(x[-1] // width) + 1, dtype=np.float64)
    return points.at(column_extremes(x, y, edges))


def joined_points(parts: Sequence[CurvePoints]) -> CurvePoints:
    """Return the points of several ranges, highest first, as one curve.  O(p).

    >>> part = CurvePoints(np.array([0.0]), np.array([0.0]), np.array([np.inf]))
    >>> joined_points([part, part]).x
    array([0., 0.])
    """
    return CurvePoints(*map(np.concatenate, zip(*parts, strict=True)))


def thinned(points: CurvePoints, tolerance: float) -> CurvePoints:
    """Leave out points that are not further than this from the straight lines between those left.  O(p).

    >>> axis = np.array([0.0, 0.5, 1.0])
    >>> thinned(CurvePoints(axis, axis, np.array([np.inf, 0.9, 0.1])), 0.001).x
    array([0., 1.])
    """
    x, y = (np.nan_to_num(axis) for axis in points[:2])
    return points.at(chords(x, y, tolerance))


def most_stray(points: CurvePoints, spans: BoolArray) -> float:
    """Return how far a curve that only rises can stray from the straight lines between some of its points.

    spans: whether the cases between a point and the next have more than one score, (p - 1,); then the curve stays in
    the box between both points, and is straight otherwise.  O(p).

    >>> points = CurvePoints(np.array([0.0, 3.0]), np.array([0.0, 4.0]), np.array([np.inf, 0.5]))
    >>> most_stray(points, np.array([True])), most_stray(points, np.array([False]))
    (2.4, 0.0)
    """
    across, up = (np.diff(np.nan_to_num(axis))[spans] for axis in points[:2])
    return float(np.max(np.nan_to_num(ratio(across * up, np.hypot(across, up))), initial=0.0))


def spans(intervals: ScoreIntervals, certain: FloatArray) -> BoolArray:
    """Mark the thresholds from which to the next one there is more than one score.

    certain: (t,) ascending, scores that no interval straddles, the lowest one among them.  O(t log k).

    >>> spans(ScoreIntervals(*np.array([[0.1, 0.5], [0.1, 0.9]]), *np.ones((2, 2), np.int64)), np.array([0.1, 0.5]))
    array([False,  True])
    """
    if not certain.size:
        return np.zeros(0, np.bool_)
    highest = np.maximum.reduceat(intervals.high, intervals.low.searchsorted(certain))
    return np.asarray(highest > certain)
