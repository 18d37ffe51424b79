"""Tables of references and responses, under scikit-learn's name."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore import metrics
from evalcore.distributed.sources import source_of
from evalcore.errors import EvaluationError
from evalcore.metrics.class_counts import pair_table
from evalcore.typing import IntArray
from evalcore.validation.labels import is_text
from evalcore.validation.targets import check_targets

Array = npt.NDArray[Any]


class Cells(NamedTuple):
    """Cells of a table that hold cases."""

    y_true: Array
    """Labels of their rows, shape (c,)."""
    y_pred: Array
    """Labels of their columns, shape (c,)."""
    counts: IntArray
    """Cases in each, shape (c,)."""


def confusion_matrix(y_true: Any, y_pred: Any, *, data: Any = None, labels: Any = None) -> Array:
    """Count cases by the class they are of and the one they were taken for.

    Parameters
    ----------
    y_true, y_pred : dask array, dask Series, or str
        Labels: Booleans, whole numbers or strings.  A name is that of a column of `data`.
    data : dask DataFrame, or path or list of paths of Parquet files, optional
        As for `roc_auc_score`.
    labels : array-like of shape (k,), optional
        Classes to count, in the order of rows and columns; if left out, those of all partitions, ascending.

    Returns
    -------
    ndarray of shape (k, k)
        A row for each reference, int64: what `evalcore.metrics.confusion_matrix` returns of all cases.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `evalcore.metrics.confusion_matrix`, with the number of the partition, counted from 0, for what is wrong in
        one; if some partitions hold strings and others numbers; for no case at all.

    Warns
    -----
    UserWarning
        If there is a single class.

    Notes
    -----
    O(n) in all; partitions are read once, and only the cells that hold cases leave them.

    Examples
    --------
    >>> import dask.array as da
    >>> confusion_matrix(da.from_array([0, 1, 2, 2], chunks=2), da.from_array([0, 1, 1, 2], chunks=2))
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 1, 1]])
    """
    source = source_of(y_true, y_pred, data, ("y_true", "y_pred"))
    graph = source.graph()
    parts = source.calls(graph, "count", cells_of)
    y_true, y_pred, counts = graph.compute(graph.tree("merge", joined_cells, parts))
    return metrics.confusion_matrix(y_true, y_pred, labels=labels, sample_weight=counts if counts.size else None)


def cells_of(y_true: Any, y_pred: Any, names: tuple[str, str] = ("y_true", "y_pred"), counts: Any = None) -> Cells:
    """Count cases into cells.

    y_true, y_pred: (n,) labels; counts: (n,) how many cases each stands for, one if left out.  O(n + k²).

    Raises EvaluationError, EvaluationTypeError for what are no labels.

    >>> cells_of(["b", "a", "b"], ["a", "a", "a"])
    Cells(y_true=array(['a', 'b'], dtype='<U1'), y_pred=array(['a', 'a'], dtype='<U1'), counts=array([1, 2]))
    """
    if len(y_true) == len(y_pred) == 0:
        return Cells(np.empty(0), np.empty(0), np.empty(0, np.int64))
    targets = check_targets(y_true, y_pred, counts, wraps=True)
    table = pair_table(targets)
    rows, columns = np.nonzero(table)
    return Cells(targets.classes[rows], targets.classes[columns], table[rows, columns])


def joined_cells(parts: list[Cells]) -> Cells:
    """Add up the cells of several tables.  O(c).

    Raises EvaluationError for strings in one and numbers in another.

    >>> joined_cells([cells_of([1], [1]), cells_of([1, 2], [1, 3])]).counts
    array([2, 1])
    """
    filled = [part for part in parts if part.counts.size] or parts[:1]
    labels = [column for part in filled for column in part[:2]]
    if len({is_text(column) for column in labels}) > 1:
        text, number = (next(column for column in labels if is_text(column) == kind) for kind in (True, False))
        raise EvaluationError(
            f"partitions must hold labels of one kind, got {text.tolist()[0]!r} and {number.tolist()[0]!r}"
        )
    y_true, y_pred, counts = (np.concatenate(column) for column in zip(*filled, strict=True))
    return cells_of(y_true, y_pred, counts=counts)
