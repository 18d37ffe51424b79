"""How labels and predicted classes agree in each group of rows, ``evalcore report --by`` with classes."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouped_keys import GroupLayout
from evalcore.kernels.rankings import first_ranked
from evalcore.kernels.tables import category_counts
from evalcore.measures import retrieval
from evalcore.measures.grouped_rankings import GroupedRankings
from evalcore.report.model import ClassScoreCases, Section, Statistic, Whole
from evalcore.report.statistics.groups import GroupedRows, name_of_total
from evalcore.report.statistics.multiclass import agreement, class_scores_report, ranking_of_classes
from evalcore.typing import IntArray
from evalcore.validation.categories import CodedCases

CLASS_SCORES, PREDICTED = "class scores", "predicted"
"""What is compared with labels; the first is the name of a section too, for it is of many columns."""


class CellCounts(NamedTuple):
    """Cases of the m combinations of group, label and predicted class that occur, shape (m,) each."""

    groups: IntArray
    """Ascending."""
    reference: IntArray
    response: IntArray
    cases: IntArray


def groups_of_rows(layout: GroupLayout) -> IntArray:
    """Return the index in the layout of the group of each row, (n,).  O(n)."""
    groups = np.repeat(np.arange(layout.groups.size), np.diff(layout.starts))
    if layout.order is None:
        return groups
    of_rows = np.empty_like(groups)
    of_rows[layout.order] = groups
    return of_rows


def cell_counts(groups: IntArray, reference: IntArray, response: IntArray, classes: int) -> CellCounts:
    """Count cases by group, label and predicted class, codes of shape (n,) each.

    O(n) if a table of all combinations is not much larger than the cases, else O(n log n) in as much memory as the
    cases take.

    >>> cell_counts(np.array([1, 0, 1]), np.array([0, 1, 0]), np.array([1, 1, 1]), 2).cases
    array([1, 2])
    """
    cells = (groups.astype(np.int64) * classes + reference) * classes + response
    possible = (int(groups.max(initial=0)) + 1) * classes**2
    if possible <= max(2 * cells.size, BLOCK):
        counts = np.bincount(cells)
        occurring = np.flatnonzero(counts)
        counts = counts[occurring]
    else:
        occurring, counts = np.unique(cells, return_counts=True)
    return CellCounts(occurring // classes**2, occurring // classes % classes, occurring % classes, counts)


def agreement_of_groups(cells: CellCounts, groups: int, level: float | None) -> list[list[Statistic]]:
    """Return the agreement in each group, of the classes that occur in it.  O(m log m + k²) for k classes of a group.

    groups: their number; level: of intervals.
    """
    edges = np.searchsorted(cells.groups, np.arange(groups + 1)).tolist()
    return [agreement(_occurring(cells, slice(*part)), level) for part in pairwise(edges)]


def _occurring(cells: CellCounts, part: slice) -> IntArray:
    """Return the confusion matrix of the classes that occur in some cells.  O(m log m + k²)."""
    codes = np.concatenate([cells.reference[part], cells.response[part]])
    present, codes = np.unique(codes, return_inverse=True)
    counts = np.zeros((present.size, present.size), np.int64)
    rows, columns = np.split(codes, 2)
    counts[rows, columns] = cells.cases[part]
    return counts


def grouped_section(
    name: str, what: str, names: Mapping[str, int], found: Sequence[list[Statistic]], total: list[Statistic]
) -> Section:
    """Return the statistics of each group, by name its index, and of all rows as a section.  O(groups).

    name: the column of predicted classes, or `CLASS_SCORES`; what: what that is.
    """
    records = {group: found[index] for group, index in names.items()} | {name_of_total(names): total}
    return Section(name, name, "group", records, whole=Whole("statistics", what))


def grouped_predictions(cases: CodedCases, groups: GroupedRows, name: str, level: float | None = None) -> Section:
    """Compare predicted classes with the right ones in each group of rows.  O(n log n + groups k²).

    name: the predicted column; level: of intervals.
    """
    k = len(cases.categories)
    cells = cell_counts(groups_of_rows(groups.layout), cases.reference, cases.response, k)
    total = agreement(category_counts(cases.reference, cases.response, k), level)
    return grouped_section(name, PREDICTED, groups.names, agreement_of_groups(cells, len(groups.names), level), total)


def grouped_class_scores(cases: ClassScoreCases, groups: GroupedRows, level: float | None = None) -> Section:
    """Compare scores of each class with the right classes in each group of rows.  O(k n log n + groups k²).

    level: of intervals.
    """
    k, layout, count = len(cases.categories), groups.layout, len(groups.names)
    of_rows = groups_of_rows(layout)
    found = agreement_of_groups(cell_counts(of_rows, cases.codes, first_ranked(cases.ranks), k), count, level)
    areas = np.stack([
        retrieval.roc_area(GroupedRankings(of_rows, cases.scores[:, code], cases.codes == code, count))
        for code in range(k)
    ], axis=1)  # fmt: skip
    own_ranks = cases.ranks[cases.codes, np.arange(cases.codes.size)]
    for index, (items, areas_of_group) in enumerate(zip(found, areas, strict=True)):
        part = slice(*layout.starts[index : index + 2].tolist())
        rows = part if layout.order is None else layout.order[part]
        by_rank, by_class = (np.bincount(codes[rows], minlength=k) for codes in (own_ranks, cases.codes))
        items.extend(ranking_of_classes(by_rank, areas_of_group, by_class))
    total = class_scores_report(cases, level)[0].records[""]
    return grouped_section(CLASS_SCORES, CLASS_SCORES, groups.names, found, total)
