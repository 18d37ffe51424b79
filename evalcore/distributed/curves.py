"""The areas under curves of partitioned scores, and the few points that show them, under scikit-learn's names."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed.on_spark import computed_once
from evalcore.distributed.partitions import LabelCounts, finite_scores, merged_summary, partitioned_columns
from evalcore.distributed.ranges import AVERAGE_PRECISION, ROC_AUC, CountedRange, RangeStatistic, exact_statistics
from evalcore.errors import check, warn
from evalcore.kernels.bins import ScoreIntervals
from evalcore.kernels.shapes import chords, column_extremes
from evalcore.kernels.sums import ratio
from evalcore.measures import binary
from evalcore.measures.bounds import Certified
from evalcore.streaming import ScoreSummary
from evalcore.streaming.score_summary import DEFAULT_CAPACITY, PrecisionRecallCurve, RocCurve, checked_capacity
from evalcore.typing import BoolArray, FloatArray, IntArray
from evalcore.validation.values import check_number

LEAST_TOLERANCE = 1e-6


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Certified:
    """Return the area under the ROC curve: the chance that a positive is ranked above a negative, ties counting half.

    Parameters
    ----------
    y_true : dask array, dask Series, or str
        Labels: Booleans, {0, 1}, {-1, 1}, or any labels with `pos_label`.  A string names a column of `data`.
    y_score : dask array, dask Series, or str
        Finite scores, one for each label.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named.  The frames of Spark may be of a classic session or of Spark Connect.  A
        folder stands for the Parquet files in it; a file of more than 4 million rows is read as several partitions of
        its row groups.
    pos_label : number, bool or str, optional
        The positive label, if it is not 1 or True.
    sample_weight : dask array, Series or str, optional
        Finite weights, none negative, for each case.  A string names a column of `data`.
    exact : bool
        If True, order all cases and return the very number of `evalcore.metrics.roc_auc_score`.  If False, read them
        into summaries and return bounds.
    capacity : int
        Number of intervals of a summary, 32 bytes each.  The bounds are about 1 / capacity apart.

    Returns
    -------
    Certified
        In 0 .. 1, with bounds that always contain the exact value.  NaN, with an UndefinedMetricWarning, if there is
        only one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If labels, scores or weights are invalid (the message gives the partition, counted from 0), if the weights of
        all partitions add up to zero or to infinity, if a column is missing, or if the columns are partitioned
        differently.

    Notes
    -----
    Use it for data beyond the memory of one machine; what fits, `evalcore.metrics.roc_auc_score` evaluates in less
    time.  Equal, with `exact`, to that function of all cases.

    O(n log n) in all.  A summary of all cases, or counts of a few ranges of scores, come to the client or driver, and
    before them a sample of up to ten cases for each interval.

    A sample tells first where to cut: arrays and data frames of dask are computed twice; of Parquet files, a few rows
    of each row group are read in advance.  Summaries need one partition at a time, and 2 MB for each partition.

    With dask, the tasks run on the current client of dask.distributed, or in threads of this process if there is none.
    `exact=True` keeps 9 bytes of each case (5 of float32), with weights 8 more, in the memory of the workers, which may
    spill them to disk, and moves them between workers once, twice from 33 partitions on, and three times from about a
    thousand.  Beside that a worker holds a few partitions at a time, or ranges of scores, which are about as large.

    With Spark, which needs evalcore on its workers too, there are three jobs: one computes the columns and counts rows,
    one takes a sample (not with `exact` up to a million rows), one evaluates all; beside them a small one, and with
    adaptive execution one for each shuffle.  The frame is computed once, and again only where an executor is lost: the
    columns stay on the executors' disks until then.  A frame that is cached, or is no more than columns of Parquet or
    ORC files, is read by each job, which costs less than keeping its columns.  The last job has one shuffle with
    `exact=True`, of as many bytes for each case as with dask, otherwise one for each factor of eight in the number of
    partitions, of summaries alone.  A task holds a million rows at a time, or the cases of a range of scores: about a
    million, or a thousandth of all if these are more than a billion; equal scores take the room of one.

    Cases of weight zero count as absent.  Whole weights give what as many cases without weights would, to the last bit;
    sums of others are rounded, so their bounds are about 2e-12 apart with `exact` too.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> roc_auc_score(y_true, y_score, exact=True)
    0.75
    >>> roc_auc_score(y_true, y_score, exact=True, sample_weight=da.from_array([1, 1, 1, 2], chunks=2))
    0.8333333333333334
    """
    given = y_true, y_score, data, sample_weight
    area: Certified = _answered(given, pos_label, capacity, ROC_AUC if exact else None, ScoreSummary.roc_auc)
    if math.isnan(area):
        warn("Only one class is present in y_true. ROC AUC score is not defined in that case.")
    return area


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Certified:
    """Return the average precision: the area under the steps of the precision-recall curve.

    Parameters
    ----------
    y_true : dask array, dask Series, or str
        Labels: Booleans, {0, 1}, {-1, 1}, or any labels with `pos_label`.  A string names a column of `data`.
    y_score : dask array, dask Series, or str
        Finite scores, one for each label.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named.
    pos_label : number, bool or str, optional
        The positive label, if it is not 1 or True.
    sample_weight : dask array, Series or str, optional
        Finite weights, none negative, for each case.
    exact : bool, default False
        Whether to order all cases and return the very number of `evalcore.metrics`, not bounds from summaries.
    capacity : int
        Number of intervals of a summary, 32 bytes each.  The bounds are about 1 / capacity apart.

    Returns
    -------
    Certified
        In 0 .. 1, with bounds that always contain the exact value.  0.0, with a warning, if there are no positives.

    Notes
    -----
    Use it for data beyond the memory of one machine.  Costs as `roc_auc_score`.  Equal, with `exact`, to
    `evalcore.metrics.average_precision_score` of all cases.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> average_precision_score(y_true, y_score)
    0.8333333333333333
    """
    given = y_true, y_score, data, sample_weight
    exactly = AVERAGE_PRECISION if exact else None
    value: Certified = _answered(given, pos_label, capacity, exactly, ScoreSummary.average_precision)
    if math.isnan(value):
        warn("No positive class found in y_true, recall is set to one for all thresholds.", UserWarning)
        return Certified(0.0, 0.0)
    return value


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
    y_true : dask array, dask Series, or str
        Labels: Booleans, {0, 1}, {-1, 1}, or any labels with `pos_label`.  A string names a column of `data`.
    y_score : dask array, dask Series, or str
        Finite scores, one for each label.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named.
    pos_label : number, bool or str, optional
        The positive label, if it is not 1 or True.
    sample_weight : dask array, Series or str, optional
        Finite weights, none negative, for each case.
    tolerance : float in 1e-6 .. 1
        Largest distance of the straight lines between the points from the curve of all thresholds, as a fraction of an
        axis.
    exact : bool
        If True, choose among all thresholds, if False among those at which the counts of a summary are certain.
    capacity : int
        Number of intervals of a summary, 32 bytes each.  The bounds are about 1 / capacity apart.

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
    given = y_true, y_score, data, sample_weight
    exactly = _thinned_points(_roc_points, 0.0, tolerance)
    of_summary = partial(_thin_certain_points, tolerance)
    points: CurvePoints = _answered(given, pos_label, capacity, exactly if exact else None, of_summary)
    kinds = "negative samples in y_true, false", "positive samples in y_true, true"
    for rates, kind in zip(points[:2], kinds, strict=True):
        if np.isnan(rates).any():
            warn(f"No {kind} positive value should be meaningless")
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
    y_true : dask array, dask Series, or str
        Labels: Booleans, {0, 1}, {-1, 1}, or any labels with `pos_label`.  A string names a column of `data`.
    y_score : dask array, dask Series, or str
        Finite scores, one for each label.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named.
    pos_label : number, bool or str, optional
        The positive label, if it is not 1 or True.
    sample_weight : dask array, Series or str, optional
        Finite weights, none negative, for each case.
    tolerance : float in 1e-6 .. 1
        Largest distance of the straight lines between the points from other points of the curve, as a fraction of an
        axis: points of all thresholds with `exact`, otherwise those that a summary is certain of.  Only `exact` knows
        the precision of the first hundreds of a hundred million cases.
    exact : bool, default False
        Whether to choose among all thresholds, not among those at which the counts of a summary are certain.
    capacity : int
        Number of intervals of a summary, 32 bytes each.  The bounds are about 1 / capacity apart.

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
    given = y_true, y_score, data, sample_weight
    exactly = _thinned_points(_precision_recall_points, 1.0, tolerance)

    def of_summary(summary: ScoreSummary) -> CurvePoints:
        precisions, recalls, thresholds = summary.precision_recall_curve()
        return thin_curve(CurvePoints(recalls[::-1], precisions[::-1], np.append(np.inf, thresholds[::-1])), tolerance)

    points: CurvePoints = _answered(given, pos_label, capacity, exactly if exact else None, of_summary)
    precision, recall = points.y[::-1].copy(), points.x[::-1].copy()
    if not points.y[1:].any():
        warn("No positive class found in y_true, recall is set to one for all thresholds.", UserWarning)
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


def _answered(
    given: tuple[Any, ...], pos_label: Any, capacity: int, exactly: RangeStatistic | None,
    of_summary: Callable[[ScoreSummary], Any],
) -> Any:  # fmt: skip
    """Return a statistic of partitioned columns, or what a function makes of a summary of them.  O(n log n)."""
    checked_capacity(capacity)
    y_true, y_score, data, sample_weight = given
    with computed_once(data, (y_true, y_score, sample_weight)) as kept:
        columns = partitioned_columns(y_true, y_score, kept, sample_weight)
        columns = columns.selected(partial(finite_scores, columns.names[1]), columns.names)
        if exactly is None:
            return of_summary(merged_summary(columns, capacity, pos_label))
        return exact_statistics(columns, pos_label, exactly)[1][0]


def _thinned_points(points: Callable[[CountedRange], CurvePoints], start: float, tolerance: float) -> RangeStatistic:
    """Return what thins the curve of all thresholds, half as far in each range as once they are merged.

    start: y where nothing is predicted positive.  Raises EvaluationError for a tolerance outside 1e-6 .. 1.
    """
    width = check_number(tolerance, "tolerance") / 2
    check(LEAST_TOLERANCE <= tolerance <= 1, "tolerance", f"be in {LEAST_TOLERANCE} .. 1", float(tolerance))

    def thinned(merged: CurvePoints, _total: LabelCounts) -> CurvePoints:
        first = CurvePoints(0 * merged.x[:1], start + 0 * merged.y[:1], np.array([np.inf]))  # NaN where the rates are
        return thin_curve(_merge_points([first, merged]), width)

    return RangeStatistic(lambda cases: points_in_columns(points(cases), width), _merge_points, thinned)


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


def _thin_certain_points(tolerance: float, summary: ScoreSummary) -> CurvePoints:
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
    edges = width * np.arange(int(x[0] // width) + 1, int(x[-1] // width) + 1, dtype=np.float64)
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
    highest = np.maximum.reduceat(intervals.high, intervals.low.searchsorted(certain))
    return np.asarray(highest > certain)
