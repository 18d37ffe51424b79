"""Areas under curves of scores, under scikit-learn's names, on whatever runs dask's tasks."""

import math
import warnings
from typing import Any

from evalcore.distributed.answers import PAIRS, PRECISION_SUM, average_precision, exactly, roc_area, summary_of
from evalcore.distributed.sources import source_of
from evalcore.errors import UndefinedMetricWarning
from evalcore.measures.certified import Certified
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Certified:
    """Return the area under the ROC curve: the chance that a positive is ranked above a negative, ties counting half.

    Parameters
    ----------
    y_true : dask array, dask Series, or str
        Labels: in {0, 1} or {-1, 1}, or those of which `pos_label` is one.  A name is that of a column of `data`.
    y_score : dask array, dask Series, or str
        Scores, finite or infinite, as many.
    data : dask DataFrame, or path or list of paths of Parquet files, optional
        Where columns are named.  A folder stands for the files in it, and a file of more than 4 million rows for
        several partitions of its row groups.
    pos_label : number, bool or str, optional
        The positive label, where it is not 1 or True.
    exact : bool
        Whether to bring all cases into order, and be equal to `evalcore.metrics.roc_auc_score` to the last bit, or to
        read them into summaries and answer with bounds.
    capacity : int
        Intervals of a summary, 32 bytes each: the bounds are about 1 / capacity apart.

    Returns
    -------
    Certified
        In 0 .. 1, with bounds that certainly hold the exact value; NaN, with an UndefinedMetricWarning, of one class.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        For what are no labels or scores, with the number of the partition, counted from 0; for columns that are not
        there, or parted differently.

    Notes
    -----
    Runs on the current client of dask.distributed, and in threads of this process where there is none.  O(n log n) in
    all.  The client sees one summary, or a few counts.

    Summaries take one partition at a time, and 2 MB for each of those.  A sample tells them first where to cut: arrays
    and frames are computed twice, of Parquet files a few rows of each row group are read before the others.

    `exact=True` computes every partition once, and keeps 8 bytes of each case (of float32 4) in the memory of the
    workers, which may put them on disk, and moves them between workers once, twice from 65 partitions on, and three
    times from some 3,300.  Beside that a worker holds a few partitions at a time.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> roc_auc_score(y_true, y_score, exact=True)
    0.75
    """
    source = source_of(y_true, y_score, data)
    checked_capacity(capacity)
    if exact:
        counts, (pairs,) = exactly(source, pos_label, PAIRS)
        area = roc_area(pairs, counts)
    else:
        area = summary_of(source, capacity, pos_label).roc_auc()
    if math.isnan(area):
        message = "Only one class is present in y_true. ROC AUC score is not defined in that case."
        warnings.warn(message, UndefinedMetricWarning, stacklevel=2)
    return area


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Certified:
    """Return the average precision: the area under the precision-recall steps.

    Parameters
    ----------
    y_true, y_score, data, pos_label, exact, capacity
        As for `roc_auc_score`.

    Returns
    -------
    Certified
        In 0 .. 1, with bounds that certainly hold the exact value; 0.0 with a warning without positives.

    Notes
    -----
    Costs what `roc_auc_score` does, and raises as it.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> average_precision_score(y_true, y_score)
    0.8333333333333333
    """
    source = source_of(y_true, y_score, data)
    checked_capacity(capacity)
    if exact:
        counts, (precisions,) = exactly(source, pos_label, PRECISION_SUM)
        value = average_precision(precisions, counts)
    else:
        value = summary_of(source, capacity, pos_label).average_precision()
    if math.isnan(value):
        warnings.warn("No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=2)
        return Certified(0.0, 0.0)
    return value
