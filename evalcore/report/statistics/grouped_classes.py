"""How labels and predicted classes agree in each group of rows, ``evalcore report --by`` with classes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import BLOCK, map_blocks
from evalcore.kernels.grouping import GroupLayout, groups_of_rows, scaled_by_group
from evalcore.kernels.label_ranks import first_ranked
from evalcore.kernels.weights import WeightSums
from evalcore.measures import losses, retrieval
from evalcore.measures.retrieval import GroupedRankings
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import ClassScoreCases, Section, Statistic, Whole
from evalcore.report.statistics.binary import Asked
from evalcore.report.statistics.case_tallies import Tally, tallied, tallied_pairs
from evalcore.report.statistics.grouped_statistics import StatisticColumns, records_of_columns, statistics_of_groups
from evalcore.report.statistics.groups import TOTAL, GroupedRows
from evalcore.report.statistics.multiclass import (
    OF_AREAS,
    OF_PROBABILITIES,
    agreement,
    agreement_columns,
    brier_scale,
    class_scores_report,
    ranking_of_classes,
    weighting_of,
)
from evalcore.report.weighting import RowWeights
from evalcore.state.cases import EQUAL_WEIGHTS, CaseWeights
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.arrays import as_cases
from evalcore.validation.categories import CodedCases
from evalcore.validation.scores import rows_of_probabilities

_AREAS = Asked(measures=Measures(names=("roc_area",)))
CLASS_SCORES, PREDICTED = "class scores", "predicted"
"""What is compared with labels; the first is the name of a section too, for it is of many columns."""


class CellCounts(NamedTuple):
    """Cases of the m combinations of group, label and predicted class that occur, shape (m,) each."""

    groups: IntArray
    """Ascending."""
    reference: IntArray
    response: IntArray
    counts: AnyArray
    """As in `Tally`."""
    weights: WeightSums | None = None
    """Where cases have sampling weights."""
    divisors: FloatArray | float = 1.0
    """What the weights of each group were divided by, shape (groups,)."""


def cell_counts(
    groups: IntArray, reference: IntArray, response: IntArray, classes: int, weights: CaseWeights = EQUAL_WEIGHTS
) -> CellCounts:
    """Count cases by group, label and predicted class, codes of shape (n,) each.

    O(n) if a table of all combinations is not much larger than the cases, else O(n log n) in as much memory as the
    cases take.

    >>> cell_counts(np.array([1, 0, 1]), np.array([0, 1, 0]), np.array([1, 1, 1]), 2).counts
    array([1, 2])
    """
    cells = (groups.astype(np.int64) * classes + reference) * classes + response
    count, divisors = int(groups.max(initial=0)) + 1, np.ones(1)
    if weights.values is not None and not weights.frequencies:
        own, divisors = scaled_by_group(weights.values.astype(np.float64), groups, count)
        weights, divisors = weights._replace(values=own), divisors * weights.divisor
    possible = count * classes**2
    if possible <= max(2 * cells.size, BLOCK):
        table = tallied(cells, weights, possible)
        occurring = np.flatnonzero(table.counts)
        tally = table.at(occurring)
    elif weights.values is None:
        occurring, counts = np.unique(cells, return_counts=True)
        tally = Tally(counts)
    else:
        occurring, index = np.unique(cells, return_inverse=True)
        tally = tallied(index, weights, occurring.size)
    codes = occurring // classes**2, occurring // classes % classes, occurring % classes
    return CellCounts(*codes, *tally._replace(divisor=divisors))


def agreement_of_groups(cells: CellCounts, groups: int, level: float | None) -> list[list[Statistic]]:
    """Return the agreement in each group, of the classes that occur in it.  O(m log m + k²) for k classes of a group.

    groups: their number; level: of intervals.
    """
    records: list[list[Statistic]] = [[]] * groups
    divisors = np.broadcast_to(cells.divisors, groups)
    for own, counts in _tables(cells, groups):
        tally = counts._replace(divisor=divisors[own])
        if tally.weights is None and tally.counts.sum(axis=(1, 2)).max() > BLOCK:
            # intervals of arrays are of small counts
            found = [agreement(Tally(table), level) for table in tally.counts]
        else:
            found = [*records_of_columns([agreement_columns(tally, level)], level)]
        for group, items in zip(own.tolist(), found, strict=True):
            records[group] = items
    return records


def _tables(cells: CellCounts, groups: int) -> Iterator[tuple[IntArray, Tally]]:
    """Yield groups, (g,) ascending, and their confusion matrices, (g, k, k), of the k classes that occur in each.

    O(m log m + groups k²).
    """
    classes = 1 + max(cells.reference.max(initial=0), cells.response.max(initial=0))
    keys = np.concatenate([cells.groups * classes + cells.reference, cells.groups * classes + cells.response])
    present, codes = np.unique(keys, return_inverse=True)
    sizes = np.bincount(present // classes, minlength=groups)
    codes -= np.tile((sizes.cumsum() - sizes)[cells.groups], 2)  # from 0 in each group
    rows, columns = np.split(codes, 2)
    order = sizes[cells.groups].argsort(kind="stable")
    edges = np.concatenate([[0], np.bincount(sizes[cells.groups]).cumsum()])
    for size in np.unique(sizes).tolist():
        own, of_size = np.flatnonzero(sizes == size), order[edges[size] : edges[size + 1]]
        step = max(BLOCK // max(size**2, 1), 1)
        for some in (own[start : start + step] for start in range(0, own.size, step)):
            chosen = of_size[slice(*cells.groups[of_size].searchsorted([some[0], some[-1] + 1]))]
            index = some.searchsorted(cells.groups[chosen]), rows[chosen], columns[chosen]
            tally = Tally(cells.counts, cells.weights).at(chosen)
            yield some, tally.spread(index, (some.size, size, size))


def grouped_section(
    name: str, what: str, names: Mapping[str, int], found: Sequence[list[Statistic]], total: list[Statistic]
) -> Section:
    """Return the statistics of each group, by name its index, and of all rows as a section.  O(groups).

    name: the column of predicted classes, or `CLASS_SCORES`; what: what that is.
    """
    records = {group: found[index] for group, index in names.items()} | {TOTAL: total}
    return Section(name, name, "group", records, whole=Whole("statistics", what))


def grouped_predictions(
    cases: CodedCases,
    groups: GroupedRows,
    name: str,
    level: float | None = None,
    weights: CaseWeights = EQUAL_WEIGHTS,
) -> Section:
    """Compare predicted classes with the right ones in each group of rows.  O(n log n + groups k²).

    name: the predicted column; level: of intervals.
    """
    k = len(cases.categories)
    cells = cell_counts(groups_of_rows(groups.layout), cases.reference, cases.response, k, weights)
    total = agreement(tallied_pairs(cases.reference, cases.response, k, weights), level)
    found = agreement_of_groups(cells, groups.layout.groups.size, level)
    return grouped_section(name, PREDICTED, groups.names, found, total)


def grouped_class_scores(
    cases: ClassScoreCases, groups: GroupedRows, level: float | None = None, measures: Measures = ALL_MEASURES
) -> Section:
    """Compare scores of each class with the right classes in each group of rows.  O(k n log n + groups k²).

    level: of intervals; measures: which are computed.
    """
    k, layout, count = len(cases.categories), groups.layout, groups.layout.groups.size
    of_rows = groups_of_rows(layout)
    cells = cell_counts(of_rows, cases.codes, first_ranked(cases.ranks), k, cases.weights)
    found = agreement_of_groups(cells, count, level)
    areas = _areas_of_groups(cases, of_rows, layout) if measures.wants(*OF_AREAS) else None
    own_ranks = cases.ranks[cases.codes, np.arange(cases.codes.size)]
    by_rank, by_class = (
        tallied(of_rows * k + codes, cases.weights, count * k).counts.reshape(count, k)
        for codes in (own_ranks, cases.codes)
    )
    more = ranking_of_classes(by_rank, areas, by_class, measures) | _losses_of_groups(cases, layout, measures)
    for items, others in zip(found, records_of_columns([StatisticColumns(more, {})], None), strict=True):
        items.extend(others)
    total = class_scores_report(cases, level, measures)[0].records[""]
    return grouped_section(CLASS_SCORES, CLASS_SCORES, groups.names, found, total)


def _areas_of_groups(cases: ClassScoreCases, of_rows: IntArray, layout: GroupLayout) -> FloatArray:
    """Return the ROC areas of the classes in each group, (g, k).  O(k n log n)."""
    weights = cases.weights.values
    rows = None if weights is None else RowWeights(weighting_of(cases.weights), weights, weights)
    columns = []
    for code, scores in enumerate(cases.scores.T):
        correct = cases.codes == code
        if rows is None:
            columns.append(retrieval.roc_area(GroupedRankings(of_rows, scores, correct, layout.groups.size)))
        else:
            found = statistics_of_groups(as_cases(correct, scores), layout, _AREAS, rows)
            columns.append(np.array([item.value for items in found for item in items if item.name == "roc_area"]))
    return np.stack(columns, axis=1)


def _losses_of_groups(cases: ClassScoreCases, layout: GroupLayout, measures: Measures) -> dict[str, AnyArray]:
    """Return the log loss and the Brier score of each group, (g,), NaN without probabilities; none if not wanted.

    O(n k).
    """
    if not measures.wants(*OF_PROBABILITIES):
        return {}
    size, k = cases.scores.shape
    logarithms, errors = of_cases = np.empty((2, size))
    least = np.finfo(cases.scores.dtype).eps

    def fill(block: slice) -> None:
        scores, codes = cases.scores[block], cases.codes[block]
        own = scores[np.arange(codes.size), codes].clip(least, 1 - least)
        logarithms[block], errors[block] = losses.log_loss(own), losses.squared_errors(scores, codes)
        of_cases[:, block][:, ~rows_of_probabilities(scores)] = np.nan

    map_blocks(fill, size, k)
    weights, totals = cases.weights.floats, np.diff(layout.starts)
    if weights is not None:
        of_cases *= weights
        totals = np.add.reduceat(weights if layout.order is None else weights[layout.order], layout.starts[:-1])
    ordered = of_cases if layout.order is None else of_cases[:, layout.order]
    log_loss, brier_score = np.add.reduceat(ordered, layout.starts[:-1], axis=1) / totals
    return {"log_loss": log_loss, "brier_score": brier_score / brier_scale(k)}
