"""The few points that show curves of partitioned scores within a tolerance, under scikit-learn's names."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from evalcore.distributed.engines import of_finite_scores, partitioned_columns
from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.curve_points import (
    CurvePoints,
    PointsOfRange,
    checked_tolerance,
    largest_deviation,
    merge_points,
    points_in_columns,
    precision_recall_points_of_range,
    roc_points_of_range,
    several_scores_from,
    thin_curve,
)
from evalcore.distributed.partitions.merged_summaries import merged_summary
from evalcore.distributed.partitions.range_counts import RangeCases, RangeContext
from evalcore.distributed.partitions.range_statistics import RangeStatistic, exact_statistics
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.streaming import ScoreSummary
from evalcore.streaming.curves import PrecisionRecallCurve, RocCurve
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity


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
    Use it to draw the curve; all of its points are in `roc_curve_frame`.

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
        points = _thin_exactly(columns, pos_label, roc_points_of_range, distance)
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
    Use it to draw the curve; all of its points are in `precision_recall_curve_frame`.  Costs as `roc_auc_score`.

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
        points = _thin_exactly(columns, pos_label, precision_recall_points_of_range, distance)
    else:
        precisions, recalls, thresholds = merged_summary(columns, capacity, pos_label).precision_recall_curve()
        certain = CurvePoints(recalls[::-1], precisions[::-1], np.append(np.inf, thresholds[::-1]))
        points = thin_curve(certain, distance)
    precision, recall = points.y[::-1].copy(), points.x[::-1].copy()
    if not points.y[1:].any():
        warnings.warn("No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=2)
        recall[:-1] = 1.0
    return PrecisionRecallCurve(precision, recall, points.thresholds[:0:-1].copy())


def _thin_exactly(columns: PartitionedColumns, pos_label: Any, points: PointsOfRange, tolerance: float) -> CurvePoints:
    """Thin the curve of all thresholds, half as far in each range as once they are merged.  O(n log n)."""
    statistic = RangeStatistic(partial(_few_points, points, tolerance / 2), merge_points)
    merged: CurvePoints = exact_statistics(columns, pos_label, statistic)[1][0]
    return thin_curve(merged, tolerance / 2)


def _few_points(points: PointsOfRange, width: float, cases: RangeCases, context: RangeContext) -> CurvePoints:
    return points_in_columns(points(cases, context), width)


def _thin_certain_points(summary: ScoreSummary, tolerance: float) -> CurvePoints:
    """Thin the certain points of a ROC curve by what the curve between them leaves of the tolerance.  O(k log k)."""
    points = CurvePoints(*summary.roc_curve())
    has_more = several_scores_from(summary._cases.cells.intervals, points.thresholds[:0:-1])[::-1]
    deviation = largest_deviation(points, has_more)
    if deviation >= tolerance:
        raise EvaluationError(
            f"tolerance must be above {deviation} for a summary of {summary.capacity} intervals of these scores, "
            f"got {tolerance}; raise capacity, or pass exact=True"
        )
    return thin_curve(points, tolerance - deviation)
