"""Curves of scores, under scikit-learn's names: thinned to a tolerance, or whole as dask arrays."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from evalcore.distributed.answers import Measure, answers_of, exactly, summary_of
from evalcore.distributed.curve_points import (
    CurvePoints,
    checked_tolerance,
    in_columns,
    joined_points,
    most_stray,
    precision_recall_points,
    roc_points,
    spans,
    thinned,
)
from evalcore.distributed.range_counts import Place
from evalcore.distributed.sorted_partitions import Range
from evalcore.distributed.sources import Source, source_of
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.streaming import ScoreSummary
from evalcore.streaming.curves import PrecisionRecallCurve, RocCurve
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity
from evalcore.typing import FloatArray

_THRESHOLDS = CurvePoints._fields.index("thresholds")


def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    tolerance: float = 1e-3,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> RocCurve:
    """Return points of the ROC curve, as few as show it.

    Parameters
    ----------
    y_true, y_score, data, pos_label, capacity
        As for `roc_auc_score`.
    tolerance : float in 1e-6 .. 1
        How far the straight lines between the points may be from the curve of all thresholds, in parts of an axis.
    exact : bool
        Whether to choose among all thresholds, or among those that a summary is certain of.

    Returns
    -------
    fpr, tpr : (p,) float64
        Exact rates at each threshold, in 0 .. 1, rising from 0; NaN, with an UndefinedMetricWarning, without negatives
        or positives.
    thresholds : (p,) float64
        Falling from infinity, or from NaN where a score is infinite: no other threshold accepts nothing.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`; for a tolerance that the thresholds of the summary cannot keep.

    Notes
    -----
    Costs what `roc_auc_score` does.  Some hundreds of points of a smooth curve; the client sees up to 8 / tolerance, or
    one summary.

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
    source = source_of(y_true, y_score, data)
    if exact:
        points = thinned(_in_columns(source, pos_label, roc_points, distance / 2), distance / 2)
    else:
        points = _within(summary_of(source, capacity, pos_label), distance)
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
    tolerance: float = 1e-3,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> PrecisionRecallCurve:
    """Return points of the precision-recall curve, as few as show it.

    Parameters
    ----------
    y_true, y_score, data, pos_label, exact, capacity
        As for `roc_curve`.
    tolerance : float in 1e-6 .. 1
        How far the straight lines between the points may be from any other point of the curve, in parts of an axis:
        with `exact` of all thresholds, otherwise of those that a summary is certain of.  What the first hundreds of a
        hundred million cases do to precision is known to the exact route alone.

    Returns
    -------
    precision, recall : (p + 1,) float64
        Exact values at each threshold, in 0 .. 1, by rising threshold, ending in 1 and 0 for none accepted.  Without
        positives recall is 1, with a warning.
    thresholds : (p,) float64
        Rising.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`.

    Notes
    -----
    Costs what `roc_curve` does.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_recall_curve(y_true, y_score).thresholds
    array([0.1 , 0.35, 0.4 , 0.8 ])
    """
    distance = checked_tolerance(tolerance)
    checked_capacity(capacity)
    source = source_of(y_true, y_score, data)
    if exact:
        points = thinned(_in_columns(source, pos_label, precision_recall_points, distance / 2), distance / 2)
    else:
        precisions, recalls, thresholds = summary_of(source, capacity, pos_label).precision_recall_curve()
        certain = CurvePoints(recalls[::-1], precisions[::-1], np.append(np.inf, thresholds[::-1]))
        points = thinned(certain, distance)
    precision, recall = points.y[::-1].copy(), points.x[::-1].copy()
    if not points.y[1:].any():
        warnings.warn("No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=2)
        recall[:-1] = 1.0
    return PrecisionRecallCurve(precision, recall, points.thresholds[:0:-1].copy())


def roc_curve_arrays(y_true: Any, y_score: Any, *, data: Any = None, pos_label: Any = None) -> RocCurve:
    """Return all points of the ROC curve as dask arrays, one chunk for each range of scores.

    Parameters
    ----------
    y_true, y_score, data, pos_label
        As for `roc_auc_score`.

    Returns
    -------
    fpr, tpr, thresholds : dask arrays of float64
        What `evalcore.metrics.roc_curve` returns with ``drop_intermediate=False``, of a length that is known once they
        are computed.  NaN without negatives or positives.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`, of what is in the partitions when they are computed.

    Notes
    -----
    Costs what the exact `roc_auc_score` does each time something is computed from them: `dask.compute` all that is
    wanted at once, or `dask.persist` them.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> roc_curve_arrays(y_true, y_score).tpr.compute()
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    return RocCurve(*_arrays(source_of(y_true, y_score, data), pos_label, roc_points))


def precision_recall_curve_arrays(
    y_true: Any, y_score: Any, *, data: Any = None, pos_label: Any = None
) -> PrecisionRecallCurve:
    """Return all points of the precision-recall curve as dask arrays, one chunk for each range of scores.

    Parameters
    ----------
    y_true, y_score, data, pos_label
        As for `roc_auc_score`.

    Returns
    -------
    precision, recall, thresholds : dask arrays of float64
        What `evalcore.metrics.precision_recall_curve` returns, of a length that is known once they are computed.

    Notes
    -----
    Costs what `roc_curve_arrays` does, and raises as it.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> precision_recall_curve_arrays(y_true, y_score).recall.compute()
    array([1. , 1. , 0.5, 0.5, 0. ])
    """
    source = source_of(y_true, y_score, data)
    recall, precision, thresholds = _arrays(source, pos_label, precision_recall_points, rising=True)
    return PrecisionRecallCurve(precision, recall, thresholds)


def _in_columns(source: Source, pos_label: Any, points: Callable[..., CurvePoints], width: float) -> CurvePoints:
    measure = Measure(partial(_few_points, points, width), joined_points)
    found: CurvePoints = exactly(source, pos_label, measure)[1][0]
    return found


def _few_points(points: Callable[..., CurvePoints], width: float, part: Range, place: Place) -> CurvePoints:
    return in_columns(points(part, place), width)


def _within(summary: ScoreSummary, tolerance: float) -> CurvePoints:
    """Thin the certain points of a ROC curve, as far as what lies between them leaves room."""
    points = CurvePoints(*summary.roc_curve())
    stray = most_stray(points, spans(summary.intervals, points.thresholds[:0:-1])[::-1])
    if stray >= tolerance:
        raise EvaluationError(
            f"tolerance must be above {stray} for what a summary of {summary.capacity} intervals knows of these "
            f"scores, got {tolerance}; raise the capacity, or ask with exact=True"
        )
    return thinned(points, tolerance - stray)


def _arrays(source: Source, pos_label: Any, points: Callable[..., CurvePoints], rising: bool = False) -> list[Any]:
    """Return the columns of a curve: by falling threshold, or by rising ones and without infinity among them."""
    graph, answers = answers_of(source, pos_label, [Measure(points, joined_points)])
    order = range(len(answers))[:: -1 if rising else 1]
    columns = [
        [graph.call("column", _column, answers[number], axis, rising, number == 0) for number in order]
        for axis in range(3)
    ]
    return [graph.array(chunks) for chunks in columns]


def _column(answers: list[CurvePoints], axis: int, rising: bool, is_first: bool) -> FloatArray:
    values: FloatArray = answers[0][axis]
    if not rising:
        return values
    return values[:0:-1] if is_first and axis == _THRESHOLDS else values[::-1]
