"""Reports on partitioned scores of one model or several."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from evalcore.batched.summaries import certified_statistics, measures_of
from evalcore.distributed.engines import partitioned_columns
from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.merged_summaries import merged_summary
from evalcore.distributed.partitions.partition_tasks import ClassWeights, merge_class_weights, weigh_partition
from evalcore.distributed.partitions.range_statistics import AVERAGE_PRECISION, MAXIMUM_F1, ROC_AREA, exact_statistics
from evalcore.distributed.partitions.sorted_partitions import LabelCounts
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.kernels.weight_sums import WeightSums
from evalcore.measures.certified import Certified
from evalcore.report.catalogue import statistic
from evalcore.report.model import Answer, Section, Statistic
from evalcore.report.question import Question
from evalcore.report.report import Report
from evalcore.report.weighting import UNWEIGHTED, Weighting
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity
from evalcore.typing import WeightType
from evalcore.validation.weights import are_frequencies, check_total_weight

_WEIGHTED = "y_true", "sample_weight"
_CERTIFIED_HEADING = "certified: exact values lie within the intervals"


def report(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    weight_type: WeightType = "sampling",
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Report:
    """Report the cases, positives, ROC area, average precision and maximum F1 of one model or several.

    Parameters
    ----------
    y_true, data, pos_label, sample_weight, exact, capacity
        As for `roc_auc_score`.
    weight_type : {"sampling", "frequency"}, default "sampling"
        What weights are.  "sampling": how many cases of the population each case stands for.  "frequency": how many
        cases like it there were, a whole number.  See the notes of `evalcore.evaluate`, also on `cases`, `weight` and
        `effective_cases`.
    y_score : dask array, Series or str, a list of str, or a mapping
        Scores of one model, or of several: names of columns of `data`, or a mapping of names to arrays or columns.

    Returns
    -------
    Report
        As from `evalcore.evaluate`, with a record for each model.  Without `exact`, intervals always contain the exact
        values.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`; if there are no scores, a column is named twice, or frequencies are not whole or have a sum
        of 2**53 or more.

    Notes
    -----
    Each model costs what `roc_auc_score` does.  Labels and weights are read once more, to add up the weights.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> report(y_true, {"model": y_score}, exact=True)["model"]["maximum_f1"]
    0.8
    >>> weights = da.from_array([1, 1, 1, 2], chunks=2)
    >>> report(y_true, y_score, sample_weight=weights, weight_type="frequency", exact=True)["y_score"]["cases"]
    5
    """
    checked_capacity(capacity)
    are_frequencies(weight_type, "report")
    models = _models(y_score)
    positive = None if pos_label is None else str(pos_label)
    weighting, classes = UNWEIGHTED, None
    if sample_weight is not None:
        weighting = Weighting(_name_of_column(sample_weight, "sample_weight"), weight_type)
        classes = _class_weights(
            partitioned_columns(y_true, sample_weight, data, names=_WEIGHTED), pos_label, weighting
        )
    question = Question(_name_of_column(y_true, "y_true"), tuple(models), positive=positive, weighting=weighting)
    statistics_of = _exact_statistics if exact else partial(_bounded_statistics, capacity)
    records = {
        name: statistics_of(partitioned_columns(y_true, each, data, sample_weight), pos_label, weighting, classes)
        for name, each in models.items()
    }
    title = "" if exact else _CERTIFIED_HEADING
    return Report(Answer([Section("scores", title, "score", records, across=True)]), question)


def _class_weights(columns: PartitionedColumns, pos_label: Any, weighting: Weighting) -> ClassWeights:
    """Add up the weights of positives and of negatives; columns: labels and weights.  O(n)."""
    classes: ClassWeights = columns.merged(
        "weigh", weigh_partition, merge_class_weights, pos_label, weighting.of_frequencies
    )
    check_total_weight(classes.total, columns.names[1], whole=weighting.of_frequencies)
    return classes


def _models(y_score: Any) -> dict[str, Any]:
    """Return scores by the names of their models."""
    if isinstance(y_score, Mapping):
        models = dict(y_score)
        for name in models:
            if not isinstance(name, str):
                raise EvaluationTypeError(f"keys of y_score must be strings, got {shown(name)}")
    elif isinstance(y_score, list | tuple) and all(isinstance(name, str) for name in y_score):
        if len(set(y_score)) < len(y_score):
            raise EvaluationError(f"y_score must name each column once, got {', '.join(map(repr, y_score))}")
        models = {name: name for name in y_score}
    else:
        models = {_name_of_column(y_score, "y_score"): y_score}
    if not models:
        raise EvaluationError("y_score must name at least one column of scores, got none")
    return models


def _name_of_column(column: Any, default: str) -> str:
    if isinstance(column, str):
        return column
    return str(column.name) if hasattr(column, "to_frame") else default  # as a Series has


def _exact_statistics(
    columns: PartitionedColumns, pos_label: Any, weighting: Weighting, classes: ClassWeights | None
) -> list[Statistic]:
    counts, (*areas, best) = exact_statistics(columns, pos_label, ROC_AREA, AVERAGE_PRECISION, MAXIMUM_F1)
    maximum = Certified(best.value, best.value) if counts.positives else Certified(0.0, 0.0)
    sums, divisor = classes or _of_counts(counts)
    certified = certified_statistics(sums, weighting, (*areas, maximum), bounded=False, divisor=divisor)
    return [*certified, statistic("maximum_f1_score", best.threshold)]


def _bounded_statistics(
    capacity: int, columns: PartitionedColumns, pos_label: Any, weighting: Weighting, classes: ClassWeights | None
) -> list[Statistic]:
    summary = merged_summary(columns, capacity, pos_label)
    sums, divisor = classes or _of_counts(LabelCounts(summary.positives, summary.negatives))
    return certified_statistics(sums, weighting, measures_of(summary), bounded=True, divisor=divisor)


def _of_counts(counts: LabelCounts) -> ClassWeights:
    """Return counts of cases, below 2**53, as the sums of weights of one."""
    sums = np.array(counts, np.float64)
    return ClassWeights(WeightSums(sums, sums, sums))
