"""How much measures of classes change with each case: their derivatives by the cells of a table, where these are few.

A case of a cell changes the measures of its label and of its prediction alone, so that each cell has few entries.  The
weighted mean of the entries of a class is 0, for the measures stay the same where all cells grow alike: variances need
no mean.  The source of the method is that of `evalcore.measures.variances`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evalcore.measures import binary, multiclass, variances
from evalcore.typing import AnyArray, FloatArray, IntArray

_DENSE = 16
"""Tables of all units and classes are filled if they have at most so many times as many fields as there are entries."""
_FIELDS = 1 << 16
"""Fields of a table that stays in cache."""


class Influences(NamedTuple):
    """Derivatives by the number of cases of m cells, or by their weight: p entries for each cell, shape (p, m)."""

    classes: IntArray | None
    """Classes of which a measure changes, also the same one twice; None for a measure of all, with one entry."""
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
    array([[ 0.0625, -0.1875,  0.    ]])
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
    return Influences(np.stack([cells.labels, cells.predicted]), np.stack([of_label, of_prediction]))


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
    return Influences(None, np.asarray(values)[np.newaxis])


def _of_classes(classes: IntArray, values: AnyArray) -> Influences:
    return Influences(classes[np.newaxis], np.asarray(values)[np.newaxis])


def _mean(found: Influences, amounts: AnyArray) -> Influences:
    """Return the influences on the mean over the classes of which there is anything, (k,).  O(p m + k)."""
    return _of_all(found.values.sum(axis=0) / np.count_nonzero(amounts))


def squares_of_differences(
    new: Influences,
    old: Influences | None,
    classes: int,
    *,
    sums: AnyArray,
    squares: AnyArray,
    clusters: IntArray | None = None,
) -> FloatArray:
    """Return the sum of the squares of what each unit adds to the difference of a measure, of each class, (classes,).

    old: None for a measure of the new model alone; sums, squares: (m,), of the weights of the cases of each cell and of
    their squares; of cases that count alike both are counts.  clusters: (m,) ascending, the unit of the cases of each
    cell; None if each case is one.  O(m), of very many clusters and classes O(m log m).  Returns (1,) for a measure of
    all classes.
    """
    if new.classes is None:
        change = new.values[0] if old is None else new.values[0] - old.values[0]
        added = change if clusters is None else np.bincount(clusters, change * sums)
        weights = squares if clusters is None else 1.0
        return np.atleast_1d((weights * np.square(added)).sum(dtype=np.float64))
    entries = [*zip(new.classes, new.values, strict=True)]
    if old is not None and old.classes is not None:
        entries += zip(old.classes, -old.values, strict=True)
    if clusters is None:
        return _squares_of_cells(entries, classes, squares)
    if (int(clusters[-1]) + 1) * classes <= _DENSE * len(entries) * clusters.size:
        return _squares_of_clusters(entries, classes, sums, clusters)
    keys = np.concatenate([clusters * classes + of for of, _ in entries])
    occurring, codes = np.unique(keys, return_inverse=True)
    added = np.bincount(codes, np.concatenate([values * sums for _, values in entries]))
    return np.bincount(occurring % classes, np.square(added), classes).astype(np.float64, copy=False)


def _squares_of_cells(entries: Sequence[tuple[IntArray, FloatArray]], classes: int, squares: AnyArray) -> FloatArray:
    """Return the sums of squares of units that are cases; entries: p of classes and values, (m,) each.  O(p² m).

    The entries of a cell and of a class are added to the first of them, so that those of equal models cancel.
    """
    found = np.zeros(classes)
    for index, (own, first) in enumerate(entries):
        added, is_first = first.copy(), np.ones(own.size, np.bool_)
        for earlier, _ in entries[:index]:
            is_first &= earlier != own
        for later, values in entries[index + 1 :]:
            added += np.where(later == own, values, 0.0)
        found += np.bincount(own, squares * np.square(added) * is_first, classes)
    return found


def _squares_of_clusters(
    entries: Sequence[tuple[IntArray, FloatArray]], classes: int, sums: AnyArray, clusters: IntArray
) -> FloatArray:
    """Return the sums of squares of clusters, (m,) ascending, in tables of few of them.  O(p m + u classes)."""
    found, units = np.zeros(classes), max(_FIELDS // classes, 1)
    firsts = np.arange(0, int(clusters[-1]) + 1, units)
    edges = np.append(clusters.searchsorted(firsts), clusters.size)
    for first, (start, stop) in zip(firsts.tolist(), pairwise(edges.tolist()), strict=True):
        rows = slice(start, stop)
        shift = (clusters[rows] - first) * classes
        added = np.zeros(units * classes)
        for of, values in entries:
            added += np.bincount(shift + of[rows], values[rows] * sums[rows], added.size)
        found += np.einsum("uc,uc->c", *[added.reshape(units, classes)] * 2)
    return found
