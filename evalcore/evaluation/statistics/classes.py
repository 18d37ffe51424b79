"""Statistics of class labels against predicted ones, or against scores of each class: of one group as of many."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.evaluation import model
from evalcore.evaluation.cases import PairedClasses, ranked_cases
from evalcore.evaluation.measure_choice import (
    ALL_MEASURES,
    OF_ALL_CLASSES,
    OF_EACH_CLASS,
    TOP_ACCURACY,
    Measures,
)
from evalcore.evaluation.model import ClassScoreCases, ColumnRecords, Columns, CountRecords, Section, Whole
from evalcore.evaluation.statistics.case_tallies import (
    OF_ACCURACY,
    OF_AGREEMENT,
    OF_CELLS,
    ClassTables,
    Tally,
    class_scores,
    joined,
    measure_intervals,
    occurring_cells,
    tallied,
    tallied_pairs,
)
from evalcore.evaluation.statistics.clusters import drawn_agreement, drawn_classes
from evalcore.evaluation.statistics.decisions import EVERYTHING, Asked
from evalcore.evaluation.statistics.groups import GroupedRows, named_records
from evalcore.evaluation.statistics.scores import columns_of_groups, columns_of_whole
from evalcore.inference.cells import cells_of_sums
from evalcore.inference.intervals import proportion_intervals
from evalcore.kernels.blocks import BLOCK, map_blocks
from evalcore.kernels.grouping import sorted_by_group
from evalcore.kernels.label_ranks import by_columns, ranks_by_score
from evalcore.kernels.tables import category_weights
from evalcore.measures import losses, multiclass, ranks
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.measures.curves import areas_of_rows, of_columns, roc_aucs_of_groups
from evalcore.measures.multiclass import CategoryCounts
from evalcore.typing import FloatArray, IntArray
from evalcore.validation.arrays import Cases, check_equal_lengths
from evalcore.validation.categories import as_categories, as_codes, as_score_rows
from evalcore.validation.scores import rows_of_probabilities

_AREAS = "roc_auc", "average_precision"
OF_AREAS = *_AREAS, "macro_roc_auc", "weighted_roc_auc"
"""Statistics that need the cases sorted by the scores of each class."""
OF_PROBABILITIES = "log_loss", "brier_score"
"""Statistics of scores that are probabilities."""
CLASS_SCORES, PREDICTED = "class scores", "predicted"
"""What is compared with labels; the first is the name of a section too, for it is of many columns."""
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
    table = tallied_pairs(cases.labels, cases.response, len(names), cases.weights)
    every = agreement_columns(table.of_one_group, level, asked.measures)
    of_classes = class_columns(table.map(lambda column: np.array(multiclass.one_versus_all(column))), level)
    if scored is not None:
        of_labels = scored.ranks[scored.codes, np.arange(scored.codes.size)].astype(np.int64)
        own_ranks, areas = tallied_pairs(scored.codes, of_labels, len(names), scored.weights), _areas(scored, asked)
        every, of_classes = _of_scores(scored, every, _in_a_row(areas), asked.measures), of_classes.plus(areas)
        title, what = "by class, each against the rest", "cases" if own_ranks.weights is None else "weight"
        counts = CountRecords(map(str, names), map(str, range(len(names))), own_ranks.shown)
        about = f"rank of the label among the scores, from 0: {what} by label"
        more = [Section(model.RANK_COUNTS, about, "label", counts)]
    every, of_classes = drawn_agreement(cases, level, every), drawn_classes(cases, asked, of_classes, scored)
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
    names = {*OF_AGREEMENT}.difference(OF_CELLS)
    values = {"cases": total, **ClassTables(CategoryCounts(*table[:, np.newaxis]), names=names).measures}
    accuracy = {} if level is None else dict.fromkeys(OF_ACCURACY, proportion_intervals(correct, total, level))
    return _sections(cases, Columns(values, accuracy), class_columns(Tally(table), level), level, score)


def checked_class_scores(labels: Any, classes: Sequence[Any], scores: npt.NDArray[Any]) -> ClassScoreCases:
    """Check and rank scores of each class.  O(n k²), for many classes O(n k log k).

    labels: (n,) strings or integers, each one of the k classes; scores: (n, k), no NaN.

    Raises EvaluationError or EvaluationTypeError for unknown labels and invalid scores.
    """
    categories = as_categories(classes, "categories")
    codes = as_codes(labels, categories, "label")
    rows = as_score_rows(scores, categories, "scores")
    check_equal_lengths(codes, rows, "references", "scores")
    return ClassScoreCases(categories, codes, rows, ranks_by_score(by_columns(rows)))


def _of_scores(
    cases: ClassScoreCases,
    agreement: Columns,
    roc_aucs: FloatArray | None,
    measures: Measures,
    groups: IntArray | None = None,
) -> Columns:
    """Add how high the right classes rank, averages of areas, and losses to the agreement in g groups.  O(n k).

    roc_aucs: (g, k), if they are wanted; groups: of each case, (n,) of 0 .. g - 1, None for a single group.  Top-k
    accuracy stands for fewer than all classes, unless it is asked for.
    """
    k, count, size = len(cases.categories), agreement.size, cases.codes.size
    of_rows = np.zeros(size, np.int64) if groups is None else groups
    own_ranks = cases.ranks[cases.codes, np.arange(size)]
    by_rank, by_class = (
        tallied(of_rows * k + codes, cases.weights, count * k).counts.reshape(count, k)
        for codes in (own_ranks, cases.codes)
    )
    depths = measures.depths_of(TOP_ACCURACY)
    if measures == ALL_MEASURES:
        depths = [depth for depth in depths if depth < k]
    found = {
        "mean_reciprocal_rank": ranks.mean_reciprocal_rank(by_rank),
        "mean_rank": ranks.mean_rank(by_rank),
        **{f"top_{depth}_accuracy": ranks.top_accuracy(by_rank, depth) for depth in depths},
    }
    if roc_aucs is not None:
        found["macro_roc_auc"] = weighted_means_of_rows(roc_aucs, np.ones(roc_aucs.shape, np.int64))
        found["weighted_roc_auc"] = weighted_means_of_rows(roc_aucs, by_class)
    ranked = Columns({name: np.asarray(values) for name, values in found.items()})
    return agreement.plus(ranked).plus(_losses(cases, of_rows, count, measures))


def _losses(cases: ClassScoreCases, groups: IntArray, count: int, measures: Measures) -> Columns:
    """Return the log loss and the Brier score of each group, (g,), NaN without probabilities; none if not wanted.

    groups: of each case, (n,) of 0 .. count - 1.  O(n k).
    """
    if not measures.wants(*OF_PROBABILITIES):
        return Columns({})
    k, least, weights = len(cases.categories), np.finfo(cases.scores.dtype).eps, cases.weights.values

    def sums_of(block: slice) -> FloatArray:
        scores, codes = cases.scores[block], cases.codes[block]
        own = scores[np.arange(codes.size), codes].clip(least, 1 - least)
        lost = np.array([losses.log_loss(own), losses.squared_errors(scores, codes), np.ones(codes.size)])
        lost[:2, ~rows_of_probabilities(scores)] = np.nan
        if weights is not None:
            lost *= weights[block]
        return np.array([np.bincount(groups[block], each, count) for each in lost])

    log_loss, brier_score, totals = np.sum(map_blocks(sums_of, cases.codes.size, k), axis=0)
    scale = 2 if k < 3 else 1  # of Brier's sum over the classes, as in scikit-learn
    return Columns({"log_loss": log_loss / totals, "brier_score": brier_score / totals / scale})


def _areas(cases: ClassScoreCases, asked: Asked) -> Columns:
    """Return the areas of each class against the rest, (k,), if they are wanted.  O(k n log n)."""
    if not asked.measures.wants(*OF_AREAS):
        return Columns({})
    codes, weights = cases.codes, cases.weights
    if weights.values is None and asked.level is None:
        found = of_columns(areas_of_rows, cases.scores, codes[:, np.newaxis] == np.arange(cases.scores.shape[1]))
        return Columns(dict(zip(_AREAS, found, strict=True)))
    asked = asked._replace(measures=Measures(names=_AREAS))
    return joined(
        [
            columns_of_whole(ranked_cases(codes == code, column, weights.values), asked, weights).only(_AREAS)
            for code, column in enumerate(cases.scores.T)
        ]
    )


def _in_a_row(areas: Columns) -> FloatArray | None:
    """Return the ROC AUCs of k classes, (1, k), if they are wanted.  O(1)."""
    return areas.values["roc_auc"][np.newaxis] if areas.values else None


def confusion(categories: Sequence[Any], table: Tally) -> Section:
    """Return the cases of a table, (k, k), or their weights, as a section.  O(k²)."""
    names, what = list(map(str, categories)), "cases" if table.weights is None else "weight"
    records = CountRecords(names, names, table.shown)
    return Section(model.CONFUSION_MATRIX, f"confusion matrix: {what} by label (rows) and prediction", "label", records)


def agreement_columns(tables: Tally, level: float | None, measures: Measures = ALL_MEASURES) -> Columns:
    """Return how labels and predictions agree in each of the tables, (g, k, k), with intervals of a level.  O(g k²).

    measures: of which intervals are wanted.
    """
    every = tables.along(_CELLS)
    values = (
        every.described | ClassTables(multiclass.one_versus_all(tables.counts), tables.counts, OF_AGREEMENT).measures
    )
    if level is None:
        return Columns(values)
    names = [name for name in OF_ALL_CLASSES if measures.wants(name) or name in OF_ACCURACY]
    return Columns(values, measure_intervals(names, cells_of_sums(tables.sums), level, values=values))


def class_columns(cells: Tally, level: float | None) -> Columns:
    """Return the statistics of each class, with intervals of a level; cells: tp, fn, fp and tn, (4, k).  O(k)."""
    labelled, predicted = (cells.at(slice(0, 2 + step, 1 + step)).along(0) for step in (0, 1))
    scores = class_scores(*cells.counts[:3])._asdict()
    values = (
        labelled.described | {"predicted": predicted.cases} | {name: np.asarray(each) for name, each in scores.items()}
    )
    if level is None:
        return Columns(values)
    tables = cells.map(lambda column: column.T.reshape(-1, 2, 2))
    names = [name for name in OF_EACH_CLASS if name in values]
    return Columns(values, measure_intervals(names, cells_of_sums(tables.sums), level, values=values))


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
    cells, tally = occurring_cells([groups.codes, *pairs], weights.by_group(groups.numbers, groups.count))
    divisors, tables = np.broadcast_to(tally.divisor, groups.count), [*_tables(cells, tally, groups.count)]
    parts = [agreement_columns(each._replace(divisor=divisors[own]), level, measures) for own, each in tables]
    found = joined(parts, [own for own, _ in tables])
    total = agreement_columns(tallied_pairs(*pairs, k, weights).of_one_group, level, measures)
    if scored is not None:
        areas = _areas_of_groups(scored, groups) if measures.wants(*OF_AREAS) else None
        found = _of_scores(scored, found, areas, measures, groups.codes)
        total = _of_scores(scored, total, _in_a_row(_areas(scored, Asked(measures=measures))), measures)
    found, total = drawn_agreement(cases, level, found.at(groups.named), groups), drawn_agreement(cases, level, total)
    what = PREDICTED if scored is None else CLASS_SCORES
    records = named_records(groups.labels, found, total, level)
    return Section(name, name, "group", records, whole=Whole("statistics", what))


def _areas_of_groups(cases: ClassScoreCases, groups: GroupedRows) -> FloatArray:
    """Return the ROC AUCs of the classes in each group, (g, k).  O(k n log n)."""
    weights, layout, columns = cases.weights, groups.layout, []
    for code, scores in enumerate(cases.scores.T):
        correct = cases.codes == code
        if weights.values is None:
            areas = roc_aucs_of_groups(sorted_by_group(layout, scores, correct).keys, layout.starts)
            columns.append(areas[groups.places])
        else:
            asked = Asked(measures=Measures(names=_AREAS[:1]))
            columns.append(columns_of_groups(Cases(correct, scores), groups, asked, weights).values["roc_auc"])
    return np.stack(columns, axis=1)
