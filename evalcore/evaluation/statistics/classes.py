"""Statistics of class labels against predicted ones, or against scores of each class: of one group as of many."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from evalcore.evaluation import model
from evalcore.evaluation.cases import AnyCases, PairedCases, PairedClasses
from evalcore.evaluation.measure_choice import ALL_MEASURES, OF_ALL_CLASSES, OF_EACH_CLASS, Measures
from evalcore.evaluation.model import ClassScoreCases, ColumnRecords, Columns, CountRecords, Section, Whole
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics import case_tallies, class_scores
from evalcore.evaluation.statistics.case_tallies import OF_ACCURACY, OF_AGREEMENT, ClassTables, Tally, measure_intervals
from evalcore.evaluation.statistics.decisions import EVERYTHING, Asked
from evalcore.evaluation.statistics.groups import GroupedRows, named_records
from evalcore.evaluation.statistics.scores import with_intervals_of_rows
from evalcore.inference.cells import cells_of_rows, cells_of_sums, tables_of
from evalcore.inference.intervals import proportion_intervals
from evalcore.inference.resampled_measures import without_warnings
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouping import rows_of_groups
from evalcore.kernels.tables import category_weights
from evalcore.measures import multiclass
from evalcore.measures.multiclass import CategoryCounts
from evalcore.typing import IntArray

PREDICTED = "predicted"
"""What is compared with labels where there are no scores."""
_CELLS = -2, -1
"""Axes of a table."""


def classes_report(
    cases: PairedClasses, asked: Asked = EVERYTHING, scored: ClassScoreCases | None = None, score: str | None = None
) -> list[Section]:
    """Compare predicted classes, or scores of each class, with the right classes.  O(n + k²), of scores O(k n log n).

    scored: the same cases with their scores, if there are some; asked: the level of intervals, and of scores which
    measures are computed, and the method of the intervals of ROC AUCs; score: the name of the predicted column.
    """
    level, title, more, names = asked.level, "by class", list[Section](), cases.categories
    table = case_tallies.tallied_pairs(cases.labels, cases.response, len(names), cases.weights)
    every = agreement_columns(table.at(np.newaxis), level, asked.measures)
    of_classes = class_columns(table.map(lambda column: np.array(multiclass.one_versus_all(column))), level)
    if scored is not None:
        areas = class_scores.areas_of_classes(scored, asked)
        own_ranks = case_tallies.tallied_pairs(scored.codes, scored.own_ranks, len(names), scored.weights)
        every = class_scores.columns_of_scores(scored, every, areas.values.get("roc_auc"), asked.measures)
        of_classes = of_classes.plus(areas)
        title, what = "by class, each against the rest", "cases" if own_ranks.weights is None else "weight"
        counts = CountRecords(map(str, names), map(str, range(len(names))), own_ranks.shown)
        about = f"rank of the label among the scores, from 0: {what} by label"
        more = [Section(model.RANK_COUNTS, about, "label", counts)]
    every, of_classes = drawn_agreement(cases, level, every), drawn_classes(cases, asked, of_classes, scored)
    if scored is not None:
        every = class_scores.with_score_intervals(cases, scored, asked, every)
    return _sections(cases, every, of_classes, level, score, confusion(names, table), *more, title=title)


def _sections(
    cases: PairedClasses, every: Columns, each: Columns, level: float | None, score: str | None, *more: Section,
    title: str = "by class",
) -> list[Section]:  # fmt: skip
    sections = [
        Section("statistics", "", "", ColumnRecords([""], [every], level), across=True),
        Section(model.CLASSES, title, "class", ColumnRecords(map(str, cases.categories), [each], level)),
        *more,
    ]
    return [section._replace(score=score) for section in sections]


def counted_pairs_report(cases: PairedClasses, level: float | None, score: str | None) -> list[Section]:
    """Return what `classes_report` does, but for what needs the cells: `OF_CELLS`, the interval of kappa, the matrix.

    cases: without sampling weights.  O(n + k log k).
    """
    counts = category_weights(cases.labels, cases.response, len(cases.categories), cases.weights.values)
    table = np.array(counts).astype(np.int64)
    total, correct = table[:, :1].sum(axis=0), table[0].sum(keepdims=True)
    names = {*OF_AGREEMENT}.difference(case_tallies.OF_CELLS)
    values = {"cases": total, **ClassTables(CategoryCounts(*table[:, np.newaxis]), names=names).measures}
    accuracy = {} if level is None else dict.fromkeys(OF_ACCURACY, proportion_intervals(correct, total, level))
    return _sections(cases, Columns(values, accuracy), class_columns(Tally(table), level), level, score)


def confusion(categories: Sequence[Any], table: Tally) -> Section:
    """Return the cases of a table, (k, k), or their weights, as a section.  O(k²)."""
    names, what = list(map(str, categories)), "cases" if table.weights is None else "weight"
    records = CountRecords(names, names, table.shown)
    return Section(model.CONFUSION_MATRIX, f"confusion matrix: {what} by label (rows) and prediction", "label", records)


def agreement_columns(tables: Tally, level: float | None, measures: Measures = ALL_MEASURES) -> Columns:
    """Return how labels and predictions agree in each of the tables, (g, k, k), with intervals of a level.  O(g k²).

    measures: of which intervals are wanted.
    """
    agreed = ClassTables(multiclass.one_versus_all(tables.counts), tables.counts, OF_AGREEMENT)
    values = tables.along(_CELLS).described | agreed.measures
    if level is None:
        return Columns(values)
    names = [name for name in OF_ALL_CLASSES if measures.wants(name) or name in OF_ACCURACY]
    return Columns(values, measure_intervals(names, cells_of_sums(tables.sums), level, values=values))


def class_columns(cells: Tally, level: float | None) -> Columns:
    """Return the statistics of each class, with intervals of a level; cells: tp, fn, fp and tn, (4, k).  O(k)."""
    labelled, predicted = (cells.at(slice(0, 2 + step, 1 + step)).along(0) for step in (0, 1))
    found = case_tallies.class_scores(*cells.counts[:3])._asdict()
    scores = {name: np.asarray(each) for name, each in found.items()}
    values = labelled.described | {"predicted": predicted.cases} | scores
    if level is None:
        return Columns(values)
    names = [name for name in OF_EACH_CLASS if name in values]
    return Columns(values, measure_intervals(names, cells_of_sums(tables_of(cells.sums)), level, values=values))


def _tables(cells: Sequence[IntArray], tally: Tally, groups: int) -> Iterator[tuple[IntArray, Tally]]:
    """Yield groups, (g,) ascending, and their confusion matrices, (g, k, k), of the k classes that occur in each.

    cells: the group, ascending, the label and the predicted class of each cell of the tally, (m,) each.  O(m log m +
    groups k²).
    """
    of_cells, *labels_and_predictions = cells
    classes = 1 + max(each.max(initial=0) for each in labels_and_predictions)
    keys = np.concatenate([of_cells * classes + each for each in labels_and_predictions])
    present, codes = np.unique(keys, return_inverse=True)
    sizes = np.bincount(present // classes, minlength=groups)
    codes -= np.tile((sizes.cumsum() - sizes)[of_cells], 2)  # from 0 in each group
    rows, columns = np.split(codes, 2)
    order = sizes[of_cells].argsort(kind="stable")
    edges = np.concatenate([[0], np.bincount(sizes[of_cells]).cumsum()])
    for size in np.unique(sizes).tolist():
        own, of_size = np.flatnonzero(sizes == size), order[edges[size] : edges[size + 1]]
        step = max(BLOCK // max(size**2, 1), 1)
        for some in (own[start : start + step] for start in range(0, own.size, step)):
            chosen = of_size[slice(*of_cells[of_size].searchsorted([some[0], some[-1] + 1]))]
            index = some.searchsorted(of_cells[chosen]), rows[chosen], columns[chosen]
            yield some, tally.at(chosen).spread(index, (some.size, size, size))


def grouped_classes(
    cases: PairedClasses, name: str, asked: Asked = EVERYTHING, scored: ClassScoreCases | None = None
) -> Section:
    """Compare predicted classes with the right ones in each group of rows.  O(n log n + groups k²).

    name: of the predicted column, or `CLASS_SCORES`; asked, scored: as of `classes_report`, scored O(k n log n).
    """
    k, level, measures, weights = len(cases.categories), asked.level, asked.measures, cases.weights
    [groups] = cases.groups.values()
    pairs = cases.labels, cases.response
    cells, tally = case_tallies.occurring_cells([groups.codes, *pairs], weights.by_group(groups.numbers, groups.count))
    divisors, tables = np.broadcast_to(tally.divisor, groups.count), [*_tables(cells, tally, groups.count)]
    parts = [agreement_columns(each._replace(divisor=divisors[own]), level, measures) for own, each in tables]
    found = case_tallies.joined(parts, [own for own, _ in tables])
    total = agreement_columns(case_tallies.tallied_pairs(*pairs, k, weights).at(np.newaxis), level, measures)
    if scored is not None:
        areas = class_scores.areas_of_groups(scored, groups) if measures.wants(*class_scores.OF_AREAS) else None
        found = class_scores.columns_of_scores(scored, found, areas, measures, groups.codes)
        of_all = class_scores.areas_of_classes(scored, Asked(measures=measures))
        total = class_scores.columns_of_scores(scored, total, of_all.values.get("roc_auc"), measures)
    found, total = drawn_agreement(cases, level, found.at(groups.named), groups), drawn_agreement(cases, level, total)
    if scored is not None:
        found = class_scores.with_score_intervals(cases, scored, asked, found, groups)
        total = class_scores.with_score_intervals(cases, scored, asked, total)
    what = PREDICTED if scored is None else model.CLASS_SCORES
    records = named_records(groups.labels, found, total, level)
    return Section(name, name, "group", records, whole=Whole("statistics", what))


def notes_of_clusters(cases: AnyCases, question: Question) -> list[str]:
    """Say what intervals of cases in clusters treat as drawn, if there are any.  O(n)."""
    if cases.clusters is None or question.level is None:
        return []
    clusters = f"the clusters of {question.cluster}, {int(cases.clusters.max(initial=-1)) + 1:,} in all"
    return [f"intervals and p-values assume that {clusters}, not the rows, are independent"]


@without_warnings()
def drawn_agreement(
    cases: PairedClasses, level: float | None, found: Columns, groups: GroupedRows | None = None
) -> Columns:
    """Return what is said of all classes together, with intervals of clusters.  O(n log n + g k²)."""
    if cases.clusters is None or level is None:
        return found
    rows_of = PairedCases(cases.labels >= 0, {}, weights=cases.weights, clusters=cases.clusters)
    k = len(cases.categories)
    codes, parts = cases.labels.astype(np.int64) * k + cases.response, list[Columns]()
    count, step = 1 if groups is None else groups.count, max(BLOCK // k**2, 1)
    for first in range(0, count, step):
        rows: slice | IntArray = slice(None)
        if groups is None:
            units = rows_of.units()
        else:
            some = slice(first, min(first + step, count))
            rows, sizes = rows_of_groups(groups.layout, some), np.diff(groups.layout.starts[first : some.stop + 1])
            units = rows_of.where(rows).units(np.arange(sizes.size).repeat(sizes), sizes.size)
        parts.append(Columns({}, measure_intervals(found.intervals, cells_of_rows(units, codes[rows], (k, k)), level)))
    every = case_tallies.joined(parts)
    return found._replace(intervals=(every if groups is None else every.at(groups.indices)).intervals)


def drawn_classes(cases: PairedClasses, asked: Asked, found: Columns, scored: ClassScoreCases | None) -> Columns:
    """Return what is said of each class against the rest, with intervals of clusters.

    scored: the scores of each class, if there are some.  O(k n), with scores O(k n log n).
    """
    if cases.clusters is None or asked.level is None:
        return found
    parts = list[Columns]()
    for code in range(len(cases.categories)):
        scores = {} if scored is None else {"": scored.scores[:, code]}
        own = PairedCases(cases.labels == code, scores, weights=cases.weights, clusters=cases.clusters)
        of_class, chosen = found.at(slice(code, code + 1)), cases.response == code
        parts.append(with_intervals_of_rows(own, asked, of_class, chosen=chosen))
    return case_tallies.joined(parts)
