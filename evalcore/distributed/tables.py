"""Tables of counts: confusion matrices of partitioned labels, and contingencies of partitioned documents."""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore import metrics
from evalcore.contingency import Contingency
from evalcore.distributed.on_spark import computed_once
from evalcore.distributed.partitions import check_weight, partitioned_columns
from evalcore.errors import EvaluationError, refuse
from evalcore.metrics.decisions import pair_table
from evalcore.typing import AnyArray
from evalcore.validation.labels import is_text
from evalcore.validation.positive_class import check_targets
from evalcore.validation.weights import as_case_weights


class ConfusionCells(NamedTuple):
    """The cells of a confusion matrix that hold cases."""

    y_true: npt.NDArray[Any]
    """Labels of their rows, shape (c,)."""
    y_pred: npt.NDArray[Any]
    """Labels of their columns, shape (c,)."""
    counts: AnyArray
    """Cases in each, int64, or their weight, shape (c,)."""


def confusion_matrix(
    y_true: Any, y_pred: Any, *, data: Any = None, labels: Any = None, sample_weight: Any = None
) -> npt.NDArray[Any]:
    """Count cases by their true and their predicted class, or add up their weights.

    Parameters
    ----------
    y_true, y_pred : dask array, dask Series, or str
        Labels: Booleans, whole numbers or strings.  A string names a column of `data`.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named.
    labels : array-like of shape (k,), optional
        Classes to count, in the order of rows and columns.  By default those of all partitions, ascending.
    sample_weight : dask array, Series or str, optional
        Finite weights, none negative, for each case.

    Returns
    -------
    ndarray of shape (k, k)
        int64, float64 for weights of floats, a row for each true class, as `evalcore.metrics.confusion_matrix` returns
        for all cases; sums of floats are rounded in the order of partitions, so their last digits may differ.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.confusion_matrix` (the message gives the partition, counted from 0); if some partitions
        hold strings and others numbers; if there are no cases, or weights are negative, or their sum is zero or too
        large.

    Warns
    -----
    UserWarning
        If there is a single class.

    Notes
    -----
    Use it for predicted classes; for scores `evaluate`.  Equal to `evalcore.metrics.confusion_matrix` of all cases.

    O(n) in all.  Partitions are read once, and only the cells that hold cases leave them.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_pred = da.from_array([0, 1, 2, 2], chunks=2), da.from_array([0, 1, 1, 2], chunks=2)
    >>> confusion_matrix(y_true, y_pred)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 1, 1]])
    >>> confusion_matrix(y_true, y_pred, sample_weight=da.from_array([1, 1, 0.5, 2], chunks=2))
    array([[1. , 0. , 0. ],
           [0. , 1. , 0. ],
           [0. , 0.5, 2. ]])
    """
    with computed_once(data, (y_true, y_pred, sample_weight)) as kept:
        columns = partitioned_columns(y_true, y_pred, kept, sample_weight, names=("y_true", "y_pred"))
        y_true, y_pred, counts = columns.merged(count_cells, merge_cells)
    check_weight(float(np.sum(counts, dtype=np.float64)), columns.names)
    return metrics.confusion_matrix(y_true, y_pred, labels=labels, sample_weight=counts if counts.size else None)


def contingency(
    categories: Any, assigned: Any, correct: Any, *, data: Any = None, sample_weight: None = None
) -> Contingency:
    """Count which categories were assigned to documents and which are correct.

    Parameters
    ----------
    categories : sequence of hashable, or mapping
        Names of all categories, or a mapping with them as keys.
    assigned, correct : dask bag, Series or array, or str
        The arguments of `Contingency.add_results`, in partitions: bags and Series of the names, or lists of them, that
        each document was given and has, or arrays (n, k) of a mask for each document, in the order of the categories.
        A string names a column of `data`.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named; they hold names or lists of them.
    sample_weight : None
        Refused: documents are counted.  `confusion_matrix` takes weights.

    Returns
    -------
    Contingency
        As filled with all documents.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `Contingency` and its `add_results` (the message gives the partition, counted from 0), if the columns are
        partitioned differently, and for weights.

    Notes
    -----
    Use it for documents with several categories each.  Equal to an `evalcore.Contingency` of all documents.

    O(names log names) in all.  Partitions are read once, and only counts leave them.

    Examples
    --------
    >>> import dask.bag as db
    >>> assigned = db.from_sequence([["sports"], ["politics"]], npartitions=2)
    >>> correct = db.from_sequence([["sports"], ["sports", "politics"]], npartitions=2)
    >>> contingency(["sports", "politics"], assigned, correct)
    Contingency(categories=2, results=2, a=2, b=0, c=1, d=1)
    """
    instead = "for weights use evalcore.distributed.confusion_matrix(sample_weight=...)"
    why = f"sample_weight must be None: a Contingency counts whole documents; {instead}"
    refuse({why: sample_weight is not None})
    empty = Contingency(categories)
    with computed_once(data, (assigned, correct)) as kept:
        columns = partitioned_columns(assigned, correct, kept, names=("assigned", "correct"), as_text=True)
        merged: Contingency = columns.merged(_count_documents, _merge_contingencies, empty)
    return merged


def count_cells(columns: Sequence[Any], names: Sequence[str]) -> ConfusionCells:
    """Count the cases of a partition into cells: two columns of labels, and perhaps weights, (n,) each.  O(n + k²)."""
    y_true, y_pred, *weights = columns
    checked = [as_case_weights(each, len(y_true), names[2], zeros=True) for each in weights]
    if len(y_true) == len(y_pred) == 0:
        return ConfusionCells(np.empty(0), np.empty(0), np.empty(0, np.int64))
    return _cells(y_true, y_pred, *checked)


def _cells(y_true: Any, y_pred: Any, weights: AnyArray | None = None) -> ConfusionCells:
    """Return the cells that hold cases, also if their weight is zero, for a class may have no other."""
    targets = check_targets(y_true, y_pred)
    table = pair_table(targets)
    rows, columns = np.nonzero(table)
    if weights is not None:
        table = pair_table(targets._replace(weights=weights))
    return ConfusionCells(targets.classes[rows], targets.classes[columns], table[rows, columns])


def merge_cells(parts: list[ConfusionCells]) -> ConfusionCells:
    """Add up cells; raises EvaluationError for strings in one part and numbers in another.  O(c)."""
    filled = [part for part in parts if part.counts.size] or parts[:1]
    labels = [column for part in filled for column in part[:2]]
    if len({is_text(column) for column in labels}) > 1:
        text, number = (next(column for column in labels if is_text(column) == kind) for kind in (True, False))
        got = f"{text.tolist()[0]!r} and {number.tolist()[0]!r}"
        raise EvaluationError(f"labels must be strings in all partitions or numbers in all partitions, got {got}")
    y_true, y_pred, counts = (np.concatenate(column) for column in zip(*filled, strict=True))
    return _cells(y_true, y_pred, counts) if counts.size else parts[0]


def _count_documents(columns: Sequence[Any], _names: Sequence[str], empty: Contingency) -> Contingency:
    counted = copy(empty)
    counted.add_results(*columns)
    return counted


def _merge_contingencies(parts: list[Contingency]) -> Contingency:
    merged = copy(parts[0])
    for part in parts[1:]:
        merged.merge(part)
    return merged
