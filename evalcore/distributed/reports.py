"""Reports on partitioned scores of one model or several."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from evalcore.batched.summaries import certified_statistics, measures_of
from evalcore.distributed.approximate import merged_summary
from evalcore.distributed.exact import AVERAGE_PRECISION, MAXIMUM_F1, ROC_AREA, exact_statistics
from evalcore.distributed.sources import PartitionedColumns, partitioned_columns
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.measures.certified import Certified
from evalcore.report.catalogue import statistic
from evalcore.report.model import Answer, Section, Statistic
from evalcore.report.question import Question
from evalcore.report.report import Report
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity

_CERTIFIED_HEADING = "certified: exact values lie within the intervals"


def report(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Report:
    """Report the cases, positives, ROC area, average precision and maximum F1 of one model or several.

    Parameters
    ----------
    y_true, data, pos_label, exact, capacity
        As for `roc_auc_score`.
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
        As `roc_auc_score`; if there are no scores, or a column is named twice.

    Notes
    -----
    Each model costs what `roc_auc_score` does.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> report(y_true, {"model": y_score}, exact=True)["model"]["maximum_f1"]
    0.8
    """
    checked_capacity(capacity)
    models = _models(y_score)
    positive = None if pos_label is None else str(pos_label)
    question = Question(_name_of_column(y_true, "y_true"), tuple(models), positive=positive)
    statistics_of = _exact_statistics if exact else partial(_bounded_statistics, capacity)
    records = {name: statistics_of(partitioned_columns(y_true, each, data), pos_label) for name, each in models.items()}
    title = "" if exact else _CERTIFIED_HEADING
    return Report(Answer([Section("scores", title, "score", records, across=True)]), question)


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


def _exact_statistics(columns: PartitionedColumns, pos_label: Any) -> list[Statistic]:
    counts, (*areas, best) = exact_statistics(columns, pos_label, ROC_AREA, AVERAGE_PRECISION, MAXIMUM_F1)
    maximum = Certified(best.value, best.value) if counts.positives else Certified(0.0, 0.0)
    certified = certified_statistics(counts, (*areas, maximum), bounded=False)
    return [*certified, statistic("maximum_f1_score", best.threshold)]


def _bounded_statistics(capacity: int, columns: PartitionedColumns, pos_label: Any) -> list[Statistic]:
    summary = merged_summary(columns, capacity, pos_label)
    counts = int(summary.positives), int(summary.negatives)
    return list(certified_statistics(counts, measures_of(summary), bounded=True))
