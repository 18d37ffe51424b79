"""All points of curves of partitioned scores: as a data frame of the engine, or as dask arrays."""

from typing import Any, NamedTuple

from evalcore.distributed.engines import of_finite_scores, partitioned_columns
from evalcore.distributed.on_dask.columns import dask_columns
from evalcore.distributed.partitions.curve_points import (
    CurvePoints,
    PointsOfRange,
    merge_points,
    precision_recall_points_of_range,
    roc_points_of_range,
)
from evalcore.distributed.partitions.partition_tasks import check_pos_label
from evalcore.distributed.partitions.range_counts import RangeContext
from evalcore.distributed.partitions.range_statistics import RangeStatistic, RangeStatistics
from evalcore.distributed.partitions.sorted_partitions import PartitionCases
from evalcore.streaming.curves import PrecisionRecallCurve, RocCurve


def roc_curve_frame(
    y_true: Any, y_score: Any, *, data: Any = None, pos_label: Any = None, sample_weight: Any = None
) -> Any:
    """Return all points of the ROC curve as a data frame of the engine that holds the scores.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight
        As for `roc_auc_score`.

    Returns
    -------
    dask DataFrame or Spark DataFrame
        A row for each point, with the columns `fpr`, `tpr` and `thresholds`, float64: the values of
        `evalcore.metrics.roc_curve` with ``drop_intermediate=False``.  That of dask is in the order of the curve, that
        of Spark in none: sort it by `thresholds`.  Rates are NaN if there are no negatives or no positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`; invalid labels and scores are found when the frame is computed.

    Notes
    -----
    Use it to write or join all points; to draw the curve, `roc_curve` is enough.

    Every computation of the frame costs what the exact `roc_auc_score` does: write it, or cache or persist it.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> roc_curve_frame(y_true, y_score).tpr.compute().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    check_pos_label(pos_label)
    columns = of_finite_scores(partitioned_columns(y_true, y_score, data, sample_weight))
    return columns.curve(pos_label, _all_points(roc_points_of_range, columns.names), RocCurve._fields)


def precision_recall_curve_frame(
    y_true: Any, y_score: Any, *, data: Any = None, pos_label: Any = None, sample_weight: Any = None
) -> Any:
    """Return all points of the precision-recall curve as a data frame of the engine that holds the scores.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight
        As for `roc_auc_score`; cost and errors are those of `roc_curve_frame`.

    Returns
    -------
    dask DataFrame or Spark DataFrame
        A row for each point, with the columns `recall`, `precision` and `thresholds`, float64: the values of
        `evalcore.metrics.precision_recall_curve`, by falling threshold.  At the threshold infinity, which no array has,
        nothing is predicted positive.  The rows of Spark are in no order: sort them by `thresholds`.

    Notes
    -----
    Use it to write or join all points; to draw the curve, `precision_recall_curve` is enough.  Costs as
    `roc_curve_frame`.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_recall_curve_frame(y_true, y_score).recall.compute().tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    """
    check_pos_label(pos_label)
    columns = of_finite_scores(partitioned_columns(y_true, y_score, data, sample_weight))
    points = _all_points(precision_recall_points_of_range, columns.names)
    return columns.curve(pos_label, points, ("recall", "precision", "thresholds"))


def roc_curve_arrays(
    y_true: Any, y_score: Any, *, data: Any = None, pos_label: Any = None, sample_weight: Any = None
) -> RocCurve:
    """Return all points of the ROC curve as dask arrays, one chunk for each range of scores.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight
        As for `roc_auc_score`.

    Returns
    -------
    fpr, tpr, thresholds : dask arrays of float64
        The values of `evalcore.metrics.roc_curve` with ``drop_intermediate=False``.  Their length is known once they
        are computed.  Rates are NaN if there are no negatives or no positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`; invalid labels and scores are found when the arrays are computed.

    Notes
    -----
    Use it for further computations with dask; to draw the curve, `roc_curve` is enough.

    Every computation costs what the exact `roc_auc_score` does: pass all that you need to one `dask.compute`, or
    `dask.persist` the arrays.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> roc_curve_arrays(y_true, y_score).tpr.compute()
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    check_pos_label(pos_label)
    columns = of_finite_scores(dask_columns(y_true, y_score, data, sample_weight))
    return RocCurve(*columns.curve_arrays(pos_label, _all_points(roc_points_of_range, columns.names), rising=False))


def precision_recall_curve_arrays(
    y_true: Any, y_score: Any, *, data: Any = None, pos_label: Any = None, sample_weight: Any = None
) -> PrecisionRecallCurve:
    """Return all points of the precision-recall curve as dask arrays, one chunk for each range of scores.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight
        As for `roc_auc_score`; cost and errors are those of `roc_curve_arrays`.

    Returns
    -------
    precision, recall, thresholds : dask arrays of float64
        The values of `evalcore.metrics.precision_recall_curve`.  Their length is known once they are computed.

    Notes
    -----
    Use it for further computations with dask; to draw the curve, `precision_recall_curve` is enough.  Costs as
    `roc_curve_arrays`.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_recall_curve_arrays(y_true, y_score).recall.compute()
    array([1. , 1. , 0.5, 0.5, 0. ])
    """
    check_pos_label(pos_label)
    columns = of_finite_scores(dask_columns(y_true, y_score, data, sample_weight))
    measure = _all_points(precision_recall_points_of_range, columns.names)
    recall, precision, thresholds = columns.curve_arrays(pos_label, measure, rising=True)
    return PrecisionRecallCurve(precision, recall, thresholds)


class _CurveOfRange(NamedTuple):
    """The points of a curve, as a `RangeMeasure`."""

    statistics: RangeStatistics
    """One statistic, the points."""
    needs_context: bool = True

    def of_range(self, pieces: list[PartitionCases], context: RangeContext | None) -> CurvePoints:
        """Return the points of one range.  O(n log n)."""
        (points,) = self.statistics.of_range(pieces, context)
        return CurvePoints(*points)

    def merge(self, measured: list[CurvePoints]) -> CurvePoints:
        """Return the points of all ranges, highest first, as one curve.  O(p)."""
        return merge_points(measured)


def _all_points(points: PointsOfRange, names: tuple[str, ...]) -> _CurveOfRange:
    """Return the measure of all points of a curve; names: of the columns, for errors."""
    return _CurveOfRange(RangeStatistics([RangeStatistic(points, merge_points)], names))
