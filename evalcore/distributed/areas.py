"""Areas under curves of partitioned scores, under scikit-learn's names."""

import math
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.distributed import partitions
from evalcore.distributed.ranges import AVERAGE_PRECISION, ROC_AUC, RangeStatistic, exact_statistics
from evalcore.errors import UndefinedMetricWarning
from evalcore.measures.bounds import Certified
from evalcore.streaming import ScoreSummary, learn_cuts
from evalcore.streaming.certified_statistics import DEFAULT_CAPACITY, checked_capacity
from evalcore.validation.weights import total_weight

_SAMPLED_PER_INTERVAL = 10
"""Cases from which an interval of the summary is learnt."""


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

    A sample tells first where to cut: arrays and data frames are computed twice; of Parquet files, a few rows of each
    row group are read in advance.  Summaries need one partition at a time, and 2 MB for each partition.

    With dask, the tasks run on the current client of dask.distributed, or in threads of this process if there is none.
    `exact=True` keeps 9 bytes of each case (5 of float32), with weights 8 more, in the memory of the workers, which may
    spill them to disk, and moves them between workers once, twice from 33 partitions on, and three times from about a
    thousand.  Beside that a worker holds a few partitions at a time, or ranges of scores, which are about as large.

    With Spark, which needs evalcore on its workers too, there are three jobs: one counts rows, one reads all and keeps
    a sample (not with `exact` up to a million rows), one evaluates all; beside them a small one, and with adaptive
    execution one for each shuffle.  Cache or write a frame that is dear to compute.  The last job has one shuffle with
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
    area = _area(given, pos_label, ROC_AUC if exact else None, capacity, ScoreSummary.roc_auc)
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
    sample_weight: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Certified:
    """Return the average precision: the area under the steps of the precision-recall curve.

    Parameters
    ----------
    y_true, y_score, data, pos_label, sample_weight, exact, capacity
        As for `roc_auc_score`, with the same cost and errors.

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
    value = _area(given, pos_label, AVERAGE_PRECISION if exact else None, capacity, ScoreSummary.average_precision)
    if math.isnan(value):
        warnings.warn("No positive class found in y_true, recall is set to one for all thresholds.", stacklevel=2)
        return Certified(0.0, 0.0)
    return value


def _area(
    given: tuple[Any, ...], pos_label: Any, exact: RangeStatistic | None, capacity: int,
    of_summary: Callable[[ScoreSummary], Certified],
) -> Certified:  # fmt: skip
    columns = partitions.of_finite_scores(partitions.partitioned_columns(*given))
    checked_capacity(capacity)
    if exact is None:
        return of_summary(merged_summary(columns, capacity, pos_label))
    area: Certified = exact_statistics(columns, pos_label, exact)[1][0]
    return area


def merged_summary(columns: partitions.PartitionedColumns, capacity: int, pos_label: Any) -> ScoreSummary:
    """Summarise all cases, by a tree of merges.

    The cuts are learnt from a sample of every partition first, and shared.  So partitions are loaded twice, of Parquet
    files only a few rows of every row group.  O(n log n) in all; a summary is up to 2 MB at a capacity of 65,536.

    Raises as the partitions do, and as `check_found`.
    """
    partitions.check_pos_label(pos_label)
    samples = columns.samples(_SAMPLED_PER_INTERVAL * capacity, partitions.sample_partition, pos_label)
    empty = empty_summary(samples, capacity, columns.names)
    merge = partial(merge_summaries, names=columns.names)
    summary: ScoreSummary = columns.merged(partitions.summarise_partition, merge, pos_label, empty)
    partitions.check_found(partitions.LabelCounts(summary.positives, summary.negatives), columns.names, pos_label)
    return summary


def empty_summary(samples: list[partitions.CheckedCases], capacity: int, names: Sequence[str] = ()) -> ScoreSummary:
    """Return a summary of no cases, with cuts learnt from samples, or with none if they are empty.  O(n log n).

    names: of the columns.  Raises as `check_weight`.
    """
    correct, scores = (np.concatenate([sample[index] for sample in samples]) for index in range(2))
    if not scores.size:
        return ScoreSummary(capacity)
    weights = [sample.weights for sample in samples if sample.weights is not None]
    sample_weight = np.concatenate(weights) if weights else None
    if sample_weight is not None:
        partitions.check_weight(total_weight(sample_weight), names)
    return ScoreSummary(capacity, learn_cuts(correct, scores, capacity, sample_weight=sample_weight))


def merge_summaries(summaries: list[ScoreSummary], names: Sequence[str] = ()) -> ScoreSummary:
    """Return one summary of what several hold, which are left as they are.  O(k log k) for each.

    names: of the columns.  Raises as `check_weight`, unless no case has a weight.
    """
    total = sum(summary.size for summary in summaries)
    if total:
        partitions.check_weight(total, names)
    merged = ScoreSummary(summaries[0].capacity, summaries[0].cuts)
    for summary in summaries:
        merged.merge(summary)
    return merged
