"""Tables of counts: confusion matrices of partitioned labels, and contingencies of partitioned documents."""

from copy import copy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore import metrics
from evalcore.contingency import Contingency
from evalcore.distributed.sources import partitioned_columns
from evalcore.errors import EvaluationError
from evalcore.metrics.class_counts import pair_table
from evalcore.typing import IntArray
from evalcore.validation.labels import is_text
from evalcore.validation.targets import check_targets


class ConfusionCells(NamedTuple):
    """The cells of a confusion matrix that hold cases."""

    y_true: npt.NDArray[Any]
    """Labels of their rows, shape (c,)."""
    y_pred: npt.NDArray[Any]
    """Labels of their columns, shape (c,)."""
    counts: IntArray
    """Cases in each, shape (c,)."""


def confusion_matrix(y_true: Any, y_pred: Any, *, data: Any = None, labels: Any = None) -> npt.NDArray[Any]:
    """Count cases by their true and their predicted class.

    Parameters
    ----------
    y_true, y_pred : dask array, dask Series, or str
        Labels: Booleans, whole numbers or strings.  A string names a column of `data`.
    data : dask DataFrame, or path or list of paths of Parquet files, optional
        As for `roc_auc_score`.
    labels : array-like of shape (k,), optional
        Classes to count, in the order of rows and columns.  By default those of all partitions, ascending.

    Returns
    -------
    ndarray of shape (k, k)
        int64, a row for each true class, as `evalcore.metrics.confusion_matrix` returns for all cases.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.confusion_matrix` (the message gives the partition, counted from 0); if some partitions
        hold strings and others numbers; if there are no cases.

    Warns
    -----
    UserWarning
        If there is a single class.

    Notes
    -----
    O(n) in all.  Partitions are read once, and only the cells that hold cases leave them.

    Examples
    --------
    >>> import dask.array as da
    >>> confusion_matrix(da.from_array([0, 1, 2, 2], chunks=2), da.from_array([0, 1, 1, 2], chunks=2))
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 1, 1]])
    """
    columns = partitioned_columns(y_true, y_pred, data, ("y_true", "y_pred"))
    graph = columns.graph()
    parts = columns.map(graph, "count", count_cells)
    y_true, y_pred, counts = graph.compute(graph.tree("merge", merge_cells, parts))
    return metrics.confusion_matrix(y_true, y_pred, labels=labels, sample_weight=counts if counts.size else None)


def contingency(categories: Any, assigned: Any, correct: Any, *, data: Any = None) -> Contingency:
    """Count which categories were assigned to documents and which are correct.

    Parameters
    ----------
    categories : sequence of hashable, or mapping
        Names of all categories, or a mapping with them as keys.
    assigned, correct : dask bag, Series or array, or str
        The arguments of `Contingency.add_results`, in partitions: bags and Series of the names, or lists of them, that
        each document was given and has, or arrays (n, k) of a mask for each document, in the order of the categories.
        A string names a column of `data`.
    data : dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named; they hold names or lists of them.

    Returns
    -------
    Contingency
        As filled with all documents.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `Contingency` and its `add_results` (the message gives the partition, counted from 0), and if the columns are
        partitioned differently.

    Notes
    -----
    O(names log names) in all.  Partitions are read once, and only counts leave them.

    Examples
    --------
    >>> import dask.bag as db
    >>> assigned = db.from_sequence([["sports"], ["politics"]], npartitions=2)
    >>> correct = db.from_sequence([["sports"], ["sports", "politics"]], npartitions=2)
    >>> contingency(["sports", "politics"], assigned, correct)
    Contingency(categories=2, results=2, a=2, b=0, c=1, d=1)
    """
    empty = Contingency(categories)
    columns = partitioned_columns(assigned, correct, data, ("assigned", "correct"), as_text=True)
    graph = columns.graph()
    parts = columns.map(graph, "count", _count_documents, empty)
    merged: Contingency = graph.compute(graph.tree("merge", _merge_contingencies, parts))
    return merged


def count_cells(
    y_true: Any, y_pred: Any, names: tuple[str, str] = ("y_true", "y_pred"), counts: Any = None
) -> ConfusionCells:
    """Count cases into cells: labels (n,) each; counts: (n,) cases that each stands for, by default 1.  O(n + k²)."""
    if len(y_true) == len(y_pred) == 0:
        return ConfusionCells(np.empty(0), np.empty(0), np.empty(0, np.int64))
    targets = check_targets(y_true, y_pred, counts, wraps=True)
    table = pair_table(targets)
    rows, columns = np.nonzero(table)
    return ConfusionCells(targets.classes[rows], targets.classes[columns], table[rows, columns])


def merge_cells(parts: list[ConfusionCells]) -> ConfusionCells:
    """Add up cells; raises EvaluationError for strings in one part and numbers in another.  O(c)."""
    filled = [part for part in parts if part.counts.size] or parts[:1]
    labels = [column for part in filled for column in part[:2]]
    if len({is_text(column) for column in labels}) > 1:
        text, number = (next(column for column in labels if is_text(column) == kind) for kind in (True, False))
        raise EvaluationError(
            "labels must be strings in all partitions or numbers in all partitions, "
            f"got {text.tolist()[0]!r} and {number.tolist()[0]!r}"
        )
    y_true, y_pred, counts = (np.concatenate(column) for column in zip(*filled, strict=True))
    return count_cells(y_true, y_pred, counts=counts)


def _count_documents(assigned: Any, correct: Any, _names: tuple[str, str], empty: Contingency) -> Contingency:
    counted = copy(empty)
    counted.add_results(*(_documents(column) for column in (assigned, correct)))
    return counted


def _documents(column: Any) -> Any:
    """Return a matrix as it is, and other columns as lists.  O(n)."""
    return column if len(getattr(column, "shape", ())) == 2 else list(column)


def _merge_contingencies(parts: list[Contingency]) -> Contingency:
    merged = copy(parts[0])
    for part in parts[1:]:
        merged.merge(part)
    return merged
