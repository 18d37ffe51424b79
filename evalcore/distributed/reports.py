"""Reports on columns of scores that no one memory holds."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from evalcore.batched.summaries import measures_of, ranking_statistics
from evalcore.distributed.answers import (
    BEST_F1,
    PAIRS,
    PRECISION_SUM,
    average_precision,
    exactly,
    roc_area,
    summary_of,
)
from evalcore.distributed.sources import Source, source_of
from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.measures.certified import Certified
from evalcore.report.model import Answer, Section, Statistic
from evalcore.report.question import Question
from evalcore.report.report import Report
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity

_CERTIFIED = "certified: exact values lie within the intervals"


def report(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Report:
    """Report cases, positives, ROC area, average precision and maximum F1 of columns of scores.

    Parameters
    ----------
    y_true, data, pos_label, exact, capacity
        As for `roc_auc_score`.
    y_score : dask array, Series or str, a list of str, or a mapping
        Scores of one model, or of several: names of columns of `data`, or a mapping of names to arrays or columns.

    Returns
    -------
    Report
        As of `evalcore.evaluate`, with a record for each model; without `exact` the intervals certainly hold the exact
        values.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`; for no scores, and for a column given twice.

    Notes
    -----
    Costs for each model what `roc_auc_score` does.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> report(y_true, {"model": y_score}, exact=True)["model"]["maximum_f1"]
    0.8
    """
    checked_capacity(capacity)
    columns = _named(y_score)
    question = Question(
        _name_of(y_true, "y_true"), tuple(columns), positive=None if pos_label is None else str(pos_label)
    )
    statistics = _exact_statistics if exact else partial(_bounded_statistics, capacity)
    records = {name: statistics(source_of(y_true, column, data), pos_label) for name, column in columns.items()}
    return Report(Answer([Section("scores", "" if exact else _CERTIFIED, "score", records, across=True)]), question)


def _named(y_score: Any) -> dict[str, Any]:
    """Columns of scores by their names."""
    if isinstance(y_score, Mapping):
        columns = dict(y_score)
        for name in columns:
            if not isinstance(name, str):
                raise EvaluationTypeError(f"columns of scores must be named by strings, got {shown(name)}")
    elif isinstance(y_score, list | tuple) and all(isinstance(name, str) for name in y_score):
        if len(set(y_score)) < len(y_score):
            raise EvaluationError(f"columns of scores must differ, got {', '.join(map(repr, y_score))}")
        columns = {name: name for name in y_score}
    else:
        columns = {_name_of(y_score, "y_score"): y_score}
    if not columns:
        raise EvaluationError("y_score must name at least one column of scores")
    return columns


def _name_of(column: Any, default: str) -> str:
    if isinstance(column, str):
        return column
    return str(column.name) if hasattr(column, "to_frame") else default  # which a Series has


def _exact_statistics(source: Source, pos_label: Any) -> list[Statistic]:
    counts, (pairs, precisions, best) = exactly(source, pos_label, PAIRS, PRECISION_SUM, BEST_F1)
    maximum = Certified(best.value, best.value) if counts.positives else Certified(0.0, 0.0)
    measures = roc_area(pairs, counts), average_precision(precisions, counts), maximum
    return [
        *ranking_statistics(counts, measures, bounded=False),
        Statistic("maximum_f1_score", "  at score", best.score),
    ]


def _bounded_statistics(capacity: int, source: Source, pos_label: Any) -> list[Statistic]:
    summary = summary_of(source, capacity, pos_label)
    return list(ranking_statistics((summary.positives, summary.negatives), measures_of(summary), bounded=True))
