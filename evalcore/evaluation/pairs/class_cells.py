"""Cases counted by label, class of the old model and class of the new one: all that measures of classes need."""

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.pairs.cases import PairedClasses
from evalcore.evaluation.pairs.measure_names import OF_EACH_CLASS
from evalcore.evaluation.statistics.case_tallies import Tally, tallied
from evalcore.evaluation.statistics.groups import GroupedRows, combinations
from evalcore.inference.cells import Cells
from evalcore.inference.units import Units, unbiasing, units_of
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouping import groups_of_rows
from evalcore.kernels.weights import WeightSums
from evalcore.measures.multiclass import class_derivatives, decision_derivatives
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.labels import encode_labels

_DENSE = 16
"""Sums over all clusters and classes are held if they are at most so many times as many as there are cells."""


class JointCells(NamedTuple):
    """Cases of the m combinations that occur, shape (m,) each."""

    labels: IntArray
    old: IntArray
    new: IntArray
    tally: Tally
    clusters: IntArray | None = None
    """The cluster of the cases of each cell, ascending; None where each case is its own."""

    @property
    def freedom(self) -> float:
        """The degrees of freedom of errors: of clusters one less than there are, of cases infinite.  O(m log m)."""
        return np.inf if self.clusters is None else max(encode_labels(self.clusters)[0].size - 1.0, 1.0)

    def of_classes_that_occur(self) -> tuple[IntArray, "JointCells"]:
        """Return the classes of these cells, (k,), and the cells with the indices of these.  O(m)."""
        columns = self.labels, self.old, self.new
        classes, codes = encode_labels(np.concatenate(columns))
        labels, old, new = np.split(codes, len(columns))
        return classes, self._replace(labels=labels, old=old, new=new)

    def at(self, chosen: slice) -> "JointCells":
        """Return some of the cells.  O(m)."""
        tally = self.tally.at(np.arange(*chosen.indices(self.labels.size)))
        clusters = None if self.clusters is None else self.clusters[chosen]
        return JointCells(self.labels[chosen], self.old[chosen], self.new[chosen], tally, clusters)

    def errors(self, names: Collection[str], *, of_new_alone: bool = False) -> dict[str, FloatArray]:
        """Return the standard errors of differences of measures, or of the new model's values: (k,), of all (1,).

        names: of `OF_ALL` or `OF_EACH_CLASS`; the cells have the indices of classes that occur, 0 .. k - 1.  NaN where
        a measure of a class is not defined.  O(m + k²), with clusters O(m log m).
        """
        tables, found = self.tables(self.tally.counts), {}
        joint = self._as_one_table()
        each = joint if set(OF_EACH_CLASS).isdisjoint(names) else self._of_each_class(tables.shape[-1])
        for name in names:
            if name in OF_EACH_CLASS:
                new, old = (decision_derivatives(name, each.sums.sums.sum(axis=axis)) for axis in (2, 3))
                new, old = new[:, :, np.newaxis], old[..., np.newaxis]
            else:
                new, old = class_derivatives(name, tables)
                new, old = new[np.newaxis, self.labels, self.new], old[np.newaxis, self.labels, self.old]
            changes = new - (np.zeros_like(old) if of_new_alone else old)
            found[name] = np.sqrt((each if name in OF_EACH_CLASS else joint).spread(changes, unbiased=True))
        return found

    def _as_one_table(self) -> Cells:
        """Return what is drawn beside these cells, (1, m)."""
        sums = WeightSums(*(column[np.newaxis] for column in self._sums()))
        if self.clusters is None:
            return Cells(sums, counted=False, factors=unbiasing(sums.cases.sum(axis=1)))
        units = units_of(self.labels.size, weights=sums.sums[0], clusters=encode_labels(self.clusters)[1])
        return Cells(sums, counted=False, units=units, codes=np.arange(self.labels.size))

    def _of_each_class(self, classes: int) -> Cells:
        """Return cells by class, and whether it is the label, the old and the new prediction: (k, 2, 2, 2).

        Those that are none of the three are left out.
        """
        columns = np.stack([self.labels, self.old, self.new], dtype=np.int32)
        of_label, of_old = columns != columns[0], columns != columns[1]
        first = np.stack([~of_label[0], of_label[1], of_label[2] & of_old[2]])  # a class counts once
        codes = 8 * columns
        for bit, other in ((4, of_label), (2, of_old), (1, columns != columns[2])):
            codes += np.multiply(other, bit, dtype=np.int8)
        codes, cells = codes[first], np.flatnonzero(first) % self.labels.size
        columns_of_cells = (np.bincount(codes, column[cells], 8 * classes) for column in self._sums())
        sums = WeightSums(*(column.astype(np.float64).reshape(classes, 2, 2, 2) for column in columns_of_cells))
        if self.clusters is None:
            return Cells(sums, counted=False, factors=unbiasing(self._sums().cases.sum(keepdims=True)))
        occurring, clusters = encode_labels(self.clusters)
        own, number, of_class = self._sums().sums[cells], occurring.size, codes >> 3
        places, of_units = of_class * np.int64(number) + clusters[cells], np.arange(classes).repeat(number)
        if of_units.size > _DENSE * codes.size:
            found, places = encode_labels(places)
            of_units = found // number
        sizes = np.full(classes, float(number))
        units = Units(codes.size, sizes, weights=own, clusters=places, groups_of_clusters=of_units)
        return Cells(sums, counted=False, units=units, codes=codes)

    def _sums(self) -> WeightSums:
        counts = self.tally.counts
        return WeightSums(counts, counts, counts) if self.tally.weights is None else self.tally.weights

    def tables(self, amounts: AnyArray, swapped: AnyArray | None = None) -> AnyArray:
        """Return the tables of both models, the new one first, (2, k, k), from what cells hold, (m,).  O(m + k²).

        swapped: what further cases of the cells hold whose models are swapped.  Counts give int64.
        """
        k = 1 + int(max(each.max(initial=0) for each in (self.labels, self.old, self.new)))
        models = [[(self.new, amounts)], [(self.old, amounts)]]
        if swapped is not None:
            models = [[*models[0], (self.old, swapped)], [*models[1], (self.new, swapped)]]
        tables = [sum(np.bincount(self.labels * k + codes, own, k * k) for codes, own in parts) for parts in models]
        return np.array(tables).astype(amounts.dtype).reshape(2, k, k)


def joint_cells(cases: PairedClasses, model: str, *, weights_apart: bool = False) -> JointCells:
    """Count the cases of a new model and the old one.  O(n), with many combinations O(n log n).

    weights_apart: whether cases of a cell must have the same weight.
    """
    return _cells(cases, model, None, weights_apart)[0]


def cells_of_groups(
    cases: PairedClasses, model: str, groups: GroupedRows, *, weights_apart: bool = False
) -> Iterator[tuple[str, JointCells]]:
    """Yield the cells of each group by its name; a group of no cells does not occur.  O(n log n)."""
    cells, of_cells = _cells(cases, model, groups_of_rows(groups.layout), weights_apart)
    edges = of_cells.searchsorted(np.arange(groups.layout.groups.size + 1))
    for name, index in groups.names.items():
        yield name, cells.at(slice(edges[index], edges[index + 1]))


def _cells(
    cases: PairedClasses, model: str, groups: IntArray | None, weights_apart: bool
) -> tuple[JointCells, IntArray]:
    """Return the cells of all cases, in the order of their groups and clusters, and the group of each."""
    apart = [np.zeros(cases.labels.size, np.int64) if groups is None else groups]
    if cases.clusters is not None:
        apart.append(cases.clusters)
    if weights_apart and cases.weights.values is not None and not cases.weights.frequencies:
        apart.append(encode_labels(cases.weights.values)[1])
    classes = [cases.labels, cases.predicted[cases.old], cases.predicted[model]]
    sizes, of_classes = ([int(column.max(initial=0)) + 1 for column in columns] for columns in (apart, classes))
    shape = [*sizes, *of_classes]
    if math.prod(shape) <= max(2 * cases.labels.size, BLOCK):
        tally = tallied(np.ravel_multi_index([*apart, *classes], shape), cases.weights, math.prod(shape))
        occurring = np.flatnonzero(tally.cases)
        tally, found = tally.at(occurring), list(np.unravel_index(occurring, shape))
    else:
        triples, found_classes = combinations(classes, of_classes)
        numbers, (*found, of_cells) = combinations([*apart, triples], [*sizes, found_classes[0].size])
        found += (column[of_cells] for column in found_classes)
        tally = tallied(numbers, cases.weights, of_cells.size)
    clusters = found[1] if cases.clusters is not None else None
    labels, old, new = found[-3:]
    return JointCells(labels, old, new, tally, clusters), found[0]
