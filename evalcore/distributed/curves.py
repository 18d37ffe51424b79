"""The few points that show curves of partitioned scores within a tolerance, under scikit-learn's names."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.areas import merged_summary
from evalcore.distributed.partitions import PartitionedColumns, of_finite_scores, partitioned_columns
from evalcore.distributed.ranges import CountedRange, RangeStatistic, exact_statistics
from evalcore.errors import UndefinedMetricWarning, check
from evalcore.kernels.bins import ScoreIntervals
from evalcore.kernels.shapes import chords, column_extremes
from evalcore.kernels.sums import ratio
from evalcore.measures import binary
from evalcore.streaming import ScoreSummary
from evalcore.streaming.certified_statistics import DEFAULT_CAPACITY, PrecisionRecallCurve, RocCurve, checked_capacity
from evalcore.typing import BoolArray, FloatArray, IntArray
from evalcore.validation.values import check_number

LEAST_TOLERANCE = 1e-6


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    tolerance: float = 1e-3,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> RocCurve:
    """Return the few points of the ROC curve that show it within a tolerance.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight, capacity
        As for `roc_auc_score`.
    tolerance : float in 1e-6 .. 1
        Largest distance of the straight lines between the points from the curve of all thresholds, as a fraction of an
        axis.
    exact : bool
        If True, choose among all thresholds, if False among those at which the counts of a summary are certain.

    Returns
    -------
    fpr, tpr : (p,) float64
        Exact rates at each threshold, in 0 .. 1, rising from 0.  NaN, with an UndefinedMetricWarning, if there are no
        negatives or no positives.
    thresholds : (p,) float64
        Falling from infinity, at which nothing is predicted positive.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`, and if the summary cannot keep the tolerance.

    Notes
    -----
    Use it to draw the curve; all of its points are in `evalcore.metrics.roc_curve` of cases in memory.

    Costs what `roc_auc_score` does.  A smooth curve has some hundreds of points; the client receives up to
    8 / tolerance points, or one summary.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> roc_curve(y_true, y_score)
    RocCurve(fpr=array([0. , 0. , 0.5, 0.5, 1. ]), tpr=array([0. , 0.5, 0.5, 1. , 1. ]),
             thresholds=array([ inf, 0.8 , 0.4 , 0.35, 0.1 ]))
    """
    distance = checked_tolerance(tolerance)
    checked_capacity(capacity)
    columns = of_finite_scores(partitioned_columns(y_true, y_score, data, sample_weight))
    if exact:
        points = _thin_exactly(columns, pos_label, _roc_points, 0.0, distance)
    else:
        points = _thin_certain_points(merged_summary(columns, capacity, pos_label), distance)
    for rates, kind in (
        (points.x, "negative samples in y_true, false"),
        (points.y, "positive samples in y_true, true"),
    ):
        if np.isnan(rates).any():
            message = f"No {kind} positive value should be meaningless"
            warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return RocCurve(*points)


def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    tolerance: float = 1e-3,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> PrecisionRecallCurve:
    """Return the few points of the precision-recall curve that show it within a tolerance.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight, exact, capacity
        As for `roc_curve`.
    tolerance : float in 1e-6 .. 1
        Largest distance of the straight lines between the points from other points of the curve, as a fraction of an
        axis: points of all thresholds with `exact`, otherwise those that a summary is certain of.  Only `exact` knows
        the precision of the first hundreds of a hundred million cases.

    Returns
    -------
    precision, recall : (p + 1,) float64
        Exact values at each threshold, in 0 .. 1, by rising threshold, ending in 1 and 0, where nothing is predicted
        positive.  Recall is 1, with a warning, if there are no positives.
    thresholds : (p,) float64
        Rising.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`.

    Notes
    -----
    Use it to draw the curve; all of its points are in `evalcore.metrics.precision_recall_curve` of cases in memory.
    Costs as `roc_auc_score`.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_recall_curve(y_true, y_score).thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """
    distance = checked_tolerance(tolerance)
    checked_capacity(capacity)
    columns = of_finite_scores(partitioned_columns(y_true, y_score, data, sample_weight))
    if exact:
        points = _thin_exactly(columns, pos_label, _precision_recall_points, 1.0, distance)
    else:
        precisions, recalls, thresholds = merged_summary(columns, capacity, pos_label).precision_recall_curve()
        certain = CurvePoints(recalls[::-1], precisions[::-1], np.append(np.inf, thresholds[::-1]))
        points = thin_curve(certain, distance)
    precision, recall = points.y[::-1].copy(), points.x[::-1].copy()
    if not points.y[1:].any():
        warnings.warn("No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=2)
        recall[:-1] = 1.0
    return PrecisionRecallCurve(precision, recall, points.thresholds[:0:-1].copy())


class CurvePoints(NamedTuple):
    """Points of a curve by falling threshold."""

    x: FloatArray
    """Shape (p,), not falling."""
    y: FloatArray
    """Shape (p,)."""
    thresholds: FloatArray
    """Shape (p,), falling; at infinity, the first of all, nothing is predicted positive."""

    def at(self, chosen: BoolArray | IntArray) -> "CurvePoints":
        """Return some of the points.  O(p)."""
        return CurvePoints(self.x[chosen], self.y[chosen], self.thresholds[chosen])


def checked_tolerance(tolerance: Any) -> float:
    """Return a distance between curves; raises EvaluationError outside 1e-6 .. 1.  O(1)."""
    number = check_number(tolerance, "tolerance")
    check(LEAST_TOLERANCE <= number <= 1, "tolerance", f"be in {LEAST_TOLERANCE} .. 1", number)
    return number


def _thin_exactly(
    columns: PartitionedColumns, pos_label: Any, points: Callable[[CountedRange], CurvePoints], start: float,
    tolerance: float,
) -> CurvePoints:  # fmt: skip
    """Thin the curve of all thresholds, half as far in each range as once they are merged.  O(n log n).

    start: y where nothing is predicted positive.
    """
    statistic = RangeStatistic(partial(_few_points, points, tolerance / 2), _merge_points)
    merged: CurvePoints = exact_statistics(columns, pos_label, statistic)[1][0]
    first = CurvePoints(0 * merged.x[:1], start + 0 * merged.y[:1], np.array([np.inf]))  # NaN where the rates are
    return thin_curve(_merge_points([first, merged]), tolerance / 2)


def _few_points(points: Callable[[CountedRange], CurvePoints], width: float, cases: CountedRange) -> CurvePoints:
    return points_in_columns(points(cases), width)


def _merge_points(parts: Sequence[CurvePoints]) -> CurvePoints:
    return CurvePoints(*map(np.concatenate, zip(*parts, strict=True)))


def _roc_points(cases: CountedRange) -> CurvePoints:
    negatives, positives = cases.total.negatives, cases.total.positives
    fpr, tpr = np.asarray(ratio(cases.fp, negatives)), np.asarray(ratio(cases.tp, positives))
    return CurvePoints(fpr, tpr, cases.counts.scores)


def _precision_recall_points(cases: CountedRange) -> CurvePoints:
    """Return recall and precision of a range; recall is 1 without positives."""
    total = cases.total.positives
    recalls = np.asarray(ratio(cases.tp, total)) if total else np.ones(cases.tp.size)
    return CurvePoints(recalls, np.asarray(binary.precision(cases.tp, cases.fp)), cases.counts.scores)


def _thin_certain_points(summary: ScoreSummary, tolerance: float) -> CurvePoints:
    """Thin the certain points of a ROC curve by what the curve between them leaves of the tolerance.  O(k log k)."""
    points = CurvePoints(*summary.roc_curve())
    has_more = several_scores_from(summary._cases.cells.intervals, points.thresholds[:0:-1])[::-1]
    deviation = largest_deviation(points, has_more)
    rule = f"be above {deviation} for a summary of {summary.capacity} intervals of these scores"
    check(deviation < tolerance, "tolerance", rule, f"{tolerance}; raise capacity, or pass exact=True")
    return thin_curve(points, tolerance - deviation)


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
