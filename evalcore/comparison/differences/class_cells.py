"""Cases counted by label, class of the old model and class of the new one: all that measures of classes need."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.comparison.pairing.cases import PairedClasses
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouping import groups_of_rows
from evalcore.report.statistics.case_tallies import Tally, tallied
from evalcore.report.statistics.groups import GroupedRows, combinations
from evalcore.typing import AnyArray, IntArray
from evalcore.validation.labels import encode_labels


class JointCells(NamedTuple):
    """Cases of the m combinations that occur, shape (m,) each."""

    labels: IntArray
    old: IntArray
    new: IntArray
    tally: Tally
    clusters: IntArray | None = None
    """The cluster of the cases of each cell, ascending; None where each case is its own."""

    @property
    def squares(self) -> AnyArray:
        """Sums of the squares of weights."""
        return self.tally.counts if self.tally.weights is None else self.tally.weights.squares

    @property
    def units(self) -> int:
        """The number of what is drawn by chance, clusters or cases.  O(m log m)."""
        return int(self.tally.cases.sum()) if self.clusters is None else encode_labels(self.clusters)[0].size

    @property
    def freedom(self) -> float:
        """The degrees of freedom of errors: of clusters one less than there are, of cases infinite.  O(m log m)."""
        return np.inf if self.clusters is None else self.units - 1.0

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
