"""How much measures of classes change with each case: their derivatives by the cells of a table, where these are few.

A case of a cell changes the measures of its label and of its prediction alone, so that an entry stands for each cell
and class that matter.  The weighted mean of the entries of a class is 0, for the measures stay the same where all cells
grow alike: variances need no mean.  The source of the method is that of `evalcore.measures.variances`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.measures import binary, multiclass, variances
from evalcore.typing import AnyArray, FloatArray, IntArray

_DENSE = 4
"""A table of all units and classes is filled if it has at most so many times as many fields as there are entries."""


class Influences(NamedTuple):
    """Derivatives by the number of cases of cells, or by their weight, shape (e,); 0 where there is no entry."""

    cells: IntArray
    """Indices of cells."""
    classes: IntArray
    """Classes of which a measure changes; 0 for measures of all of them."""
    values: FloatArray


class _Cells(NamedTuple):
    """The cells of a table that are asked for, and its margins."""

    labels: IntArray
    predicted: IntArray
    table: AnyArray

    @property
    def right(self) -> FloatArray:
        right: FloatArray = (self.labels == self.predicted).astype(np.float64)
        return right


def influences(measure: str, labels: IntArray, predicted: IntArray, table: AnyArray) -> Influences:
    """Return how much a measure changes with a case of each cell; measure: one of `INFLUENCES`.  O(m + k²).

    labels, predicted: (m,), the class of each; table: (k, k) int64, a row for each label, or float64 sums of weights.

    >>> table = np.array([[3, 1], [0, 4]])
    >>> influences("recall", np.array([0, 0, 1]), np.array([0, 1, 1]), table).values
    array([ 0.0625, -0.1875,  0.    ])
    """
    return INFLUENCES[measure](_Cells(labels, predicted, table))


def _accuracy(cells: _Cells) -> Influences:
    accuracy = multiclass.accuracy(cells.table)
    return _of_all((cells.right - accuracy) / cells.table.sum())


def _kappa(cells: _Cells) -> Influences:
    return _of_all(variances.kappa_derivatives(cells.table)[cells.labels, cells.predicted])


def _recall(cells: _Cells) -> Influences:
    tp, fn, _, _ = multiclass.one_versus_all(cells.table)
    return _of_classes(
        cells.labels, (cells.right - np.asarray(binary.recall(tp, fn))[cells.labels]) / (tp + fn)[cells.labels]
    )


def _precision(cells: _Cells) -> Influences:
    tp, _, fp, _ = multiclass.one_versus_all(cells.table)
    own = cells.predicted
    return _of_classes(own, (cells.right - np.asarray(binary.precision(tp, fp))[own]) / (tp + fp)[own])


def _f1(cells: _Cells) -> Influences:
    tp, fn, fp, _ = multiclass.one_versus_all(cells.table)
    f1, twice = np.asarray(binary.f_measure_of_counts(tp, fn, fp)), 2 * tp + fn + fp
    of_label = (2 * cells.right - f1[cells.labels]) / twice[cells.labels]
    of_prediction = -f1[cells.predicted] / twice[cells.predicted]
    return _joined(_of_classes(cells.labels, of_label), _of_classes(cells.predicted, of_prediction))


def _macro_f1(cells: _Cells) -> Influences:
    tp, fn, fp, _ = multiclass.one_versus_all(cells.table)
    return _mean(_f1(cells), tp + fn + fp)


def _balanced_accuracy(cells: _Cells) -> Influences:
    return _mean(_recall(cells), cells.table.sum(axis=1))


INFLUENCES: dict[str, Callable[[_Cells], Influences]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "macro_f1": _macro_f1,
    "kappa": _kappa,
    "recall": _recall,
    "precision": _precision,
    "f1": _f1,
}
"""By the name of a measure, the first four of all classes, the others of each."""


def _of_all(values: AnyArray) -> Influences:
    return Influences(np.arange(values.size), np.zeros(values.size, np.int64), np.asarray(values))


def _of_classes(classes: IntArray, values: AnyArray) -> Influences:
    return Influences(np.arange(values.size), classes, np.asarray(values))


def _joined(*parts: Influences) -> Influences:
    return Influences(*map(np.concatenate, zip(*parts, strict=True)))


def _mean(found: Influences, amounts: AnyArray) -> Influences:
    """Return the influences on the mean over the classes of which there is anything, (k,).  O(e + k)."""
    return found._replace(classes=np.zeros_like(found.classes), values=found.values / np.count_nonzero(amounts))


def squares_of_differences(
    new: Influences,
    old: Influences,
    classes: int,
    *,
    sums: AnyArray,
    squares: AnyArray,
    clusters: IntArray | None = None,
) -> FloatArray:
    """Return the sum of the squares of what each unit adds to the difference of a measure, of each class, (classes,).

    sums, squares: (m,), of the weights of the cases of each cell and of their squares; of cases that count alike both
    are counts.  clusters: (m,), the unit of the cases of each cell; None if each case is one.  O(e log e).
    """
    cells, of, values = _joined(new, old._replace(values=-old.values))
    units = cells if clusters is None else clusters[cells]
    keys, of_keys = units * classes + of, None
    if (int(units.max(initial=0)) + 1) * classes > _DENSE * keys.size:
        of_keys, keys = np.unique(keys, return_inverse=True)
    added = np.bincount(keys, values if clusters is None else values * sums[cells])
    if of_keys is None:
        of_keys = np.arange(added.size)
    scatter = np.square(added) if clusters is not None else squares[of_keys // classes] * np.square(added)
    return np.bincount(of_keys % classes, scatter, classes).astype(np.float64, copy=False)
