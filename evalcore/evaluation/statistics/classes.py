"""Statistics of class labels against predicted ones, or against scores of each class: of one group as of many."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from evalcore.evaluation import measure_choice, model
from evalcore.evaluation.cases import AnyCases, PairedCases, PairedClasses, ranked_cases
from evalcore.evaluation.catalogue import DEPTH, WILSON, entry_of
from evalcore.evaluation.measure_choice import ALL_MEASURES, LOSSES, OF_EACH_CLASS, TOP_ACCURACY, Measures
from evalcore.evaluation.model import ClassScoreCases, ColumnRecords, Columns, CountRecords, Section, Whole
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics import tallies
from evalcore.evaluation.statistics.groups import WHOLE, GroupedRows, named_records
from evalcore.evaluation.statistics.scores import columns_of_groups, columns_of_whole, with_intervals_of_rows
from evalcore.evaluation.statistics.tallies import EVERYTHING, OF_ACCURACY, OF_AGREEMENT, Asked, ClassTables, Tally
from evalcore.inference.bootstrap import without_warnings
from evalcore.inference.cells import cells_of_rows, cells_of_sums, intervals_of, tables_of
from evalcore.inference.curve_areas import intervals_of_areas
from evalcore.inference.intervals import Intervals, intervals_of_means, proportion_intervals
from evalcore.inference.rankings import MACRO, WEIGHTED, averages_of_areas
from evalcore.inference.units import ValuesOfRows, means_and_spread
from evalcore.kernels.blocks import BLOCK, map_blocks
from evalcore.kernels.grouping import rows_of_groups, sorted_by_group
from evalcore.kernels.tables import binary_codes, category_weights
from evalcore.measures import losses, multiclass
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.measures.curves import areas_of_rows, of_columns, roc_aucs_of_groups
from evalcore.measures.multiclass import CategoryCounts
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.arrays import Cases
from evalcore.validation.scores import rows_of_probabilities

PREDICTED = "predicted"
"""What is compared with labels where there are no scores."""
_CELLS = -2, -1
"""Axes of a table."""
_AREAS = "roc_auc", "average_precision"
OF_AREAS = *_AREAS, MACRO, WEIGHTED
"""Statistics that need the cases sorted by the scores of each class."""


def classes_report(cases: PairedClasses, asked: Asked = EVERYTHING) -> list[Section]:
    """Compare predicted classes, or scores of each class, with the right classes.  O(n + k²), of scores O(k n log n).

    asked: the level of intervals, and of scores which measures are computed, and the method of the intervals of ROC
    AUCs.
    """
    level, title, more, names, areas = asked.level, "by class", list[Section](), cases.categories, Columns({})
    scored = cases.scored.get(cases.old)
    table = tallies.tallied_pairs(cases.labels, cases.response, len(names), cases.weights)
    of_classes = class_columns(table.map(lambda column: np.array(multiclass.one_versus_all(column))), level)
    if scored is not None:
        areas = areas_of_classes(scored, asked)
        own_ranks = tallies.tallied_pairs(scored.codes, scored.own_ranks, len(names), scored.weights)
        of_classes = of_classes.plus(areas)
        title, what = "by class, each against the rest", "cases" if own_ranks.weights is None else "weight"
        counts = CountRecords(map(str, names), map(str, range(len(names))), own_ranks.shown)
        about = f"rank of the label among the scores, from 0: {what} by label"
        more = [Section(model.RANK_COUNTS, about, "label", counts)]
    every = agreement_columns(table.at(np.newaxis), level, asked.measures)
    every = _completed(cases, asked, every, areas.values.get("roc_auc"), WHOLE)
    of_classes = drawn_classes(cases, asked, of_classes)
    return _sections(cases, every, of_classes, level, confusion(names, table), *more, title=title)


def _sections(
    cases: PairedClasses, every: Columns, each: Columns, level: float | None, *more: Section, title: str = "by class"
) -> list[Section]:
    sections = [
        Section("statistics", "", "", ColumnRecords([""], [every], level), across=True),
        Section(model.CLASSES, title, "class", ColumnRecords(map(str, cases.categories), [each], level)),
        *more,
    ]
    return [section._replace(score=None if cases.scored else cases.old) for section in sections]


def counted_pairs_report(cases: PairedClasses, level: float | None) -> list[Section]:
    """Return what `classes_report` does, but for what needs the cells: `OF_CELLS`, the interval of kappa, the matrix.

    cases: without sampling weights.  O(n + k log k).
    """
    counts = category_weights(cases.labels, cases.response, len(cases.categories), cases.weights.values)
    table = np.array(counts).astype(np.int64)
    total, correct = table[:, :1].sum(axis=0), table[0].sum(keepdims=True)
    names = {*OF_AGREEMENT}.difference(tallies.OF_CELLS)
    values = {"cases": total, **ClassTables(CategoryCounts(*table[:, np.newaxis]), names=names).measures}
    accuracy = {} if level is None else dict.fromkeys(OF_ACCURACY, proportion_intervals(correct, total, level))
    return _sections(cases, Columns(values, accuracy), class_columns(Tally(table), level), level)


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
    names = [name for name in measure_choice.OF_ALL_CLASSES if measures.wants(name) or name in OF_ACCURACY]
    return Columns(values, tallies.measure_intervals(names, cells_of_sums(tables.sums), level, values=values))


def class_columns(cells: Tally, level: float | None) -> Columns:
    """Return the statistics of each class, with intervals of a level; cells: tp, fn, fp and tn, (4, k).  O(k)."""
    labelled, predicted = (cells.at(slice(0, 2 + step, 1 + step)).along(0) for step in (0, 1))
    found = tallies.class_scores(*cells.counts[:3])._asdict()
    scores = {name: np.asarray(each) for name, each in found.items()}
    values = labelled.described | {"predicted": predicted.cases} | scores
    if level is None:
        return Columns(values)
    names = [name for name in OF_EACH_CLASS if name in values]
    return Columns(values, tallies.measure_intervals(names, cells_of_sums(tables_of(cells.sums)), level, values=values))


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


def grouped_classes(cases: PairedClasses, asked: Asked = EVERYTHING) -> Section:
    """Compare predicted classes, or scores of each class, with the right classes in each group of rows.

    asked: as of `classes_report`.  O(n log n + groups k²), of scores O(k n log n).
    """
    k, level, measures, weights = len(cases.categories), asked.level, asked.measures, cases.weights
    [groups], scored, name = cases.groups.values(), cases.scored.get(cases.old), cases.old
    pairs = cases.labels, cases.response
    cells, tally = tallies.occurring_cells([groups.codes, *pairs], weights.by_group(groups.numbers, groups.count))
    divisors, tables = np.broadcast_to(tally.divisor, groups.count), [*_tables(cells, tally, groups.count)]
    parts = [agreement_columns(each._replace(divisor=divisors[own]), level, measures) for own, each in tables]
    found = tallies.joined(parts, [own for own, _ in tables])
    total = agreement_columns(tallies.tallied_pairs(*pairs, k, weights).at(np.newaxis), level, measures)
    areas, of_groups = Columns({}), None
    if scored is not None and measures.wants(*OF_AREAS):
        areas = areas_of_classes(scored, Asked(measures=measures))
        of_groups = areas_of_groups(scored, groups)
    found = _completed(cases, asked, found, of_groups, groups)
    total = _completed(cases, asked, total, areas.values.get("roc_auc"), WHOLE)
    what = PREDICTED if scored is None else model.CLASS_SCORES
    records = named_records(groups.labels, found, total, level)
    return Section(name, name, "group", records, whole=Whole("statistics", what))


def _completed(
    cases: PairedClasses, asked: Asked, found: Columns, areas: FloatArray | None, groups: GroupedRows
) -> Columns:
    """Return agreement, in the order of codes of groups, with measures of scores, and intervals of both.  O(k n)."""
    if (scored := cases.scored.get(cases.old)) is not None:
        found = columns_of_scores(scored, found, areas, asked.measures, groups)
    found = drawn_agreement(cases, asked.level, found if groups.is_whole else found.at(groups.named), groups)
    return found if scored is None else with_score_intervals(cases, scored, asked, found, groups)


def notes_of_clusters(cases: AnyCases, question: Question) -> list[str]:
    """Say what intervals of cases in clusters treat as drawn, if there are any.  O(n)."""
    if cases.clusters is None or question.level is None:
        return []
    number = int(cases.clusters.max(initial=-1)) + 1
    clusters = f"the {number:,} cluster{'s' * (number != 1)} of {question.cluster}"
    return [f"intervals and p-values treat {clusters}, not the rows, as independent"]


@without_warnings()
def drawn_agreement(cases: PairedClasses, level: float | None, found: Columns, groups: GroupedRows) -> Columns:
    """Return what is said of all classes together, with intervals of clusters.  O(n log n + g k²)."""
    if cases.clusters is None or level is None:
        return found
    rows_of = PairedCases(cases.labels >= 0, {}, weights=cases.weights, clusters=cases.clusters)
    k = len(cases.categories)
    codes, parts = cases.labels.astype(np.int64) * k + cases.response, list[Columns]()
    step = max(BLOCK // k**2, 1)
    for first in range(0, groups.count, step):
        rows: slice | IntArray = slice(None)
        if groups.is_whole:
            units = rows_of.units()
        else:
            some = slice(first, min(first + step, groups.count))
            rows, sizes = rows_of_groups(groups.layout, some), np.diff(groups.layout.starts[first : some.stop + 1])
            units = rows_of.where(rows).units(np.arange(sizes.size).repeat(sizes), sizes.size)
        cells = cells_of_rows(units, codes[rows], (k, k))
        parts.append(Columns({}, tallies.measure_intervals(found.intervals, cells, level)))
    return found._replace(intervals=tallies.joined(parts).at(groups.indices).intervals)


def drawn_classes(cases: PairedClasses, asked: Asked, found: Columns) -> Columns:
    """Return what is said of each class against the rest, with intervals of clusters.

    scored: the scores of each class, if there are some.  O(k n), with scores O(k n log n).
    """
    if cases.clusters is None or asked.level is None:
        return found
    parts, scored = list[Columns](), cases.scored.get(cases.old)
    for code in range(len(cases.categories)):
        scores = {} if scored is None else {"": scored.scores[:, code]}
        own = PairedCases(cases.labels == code, scores, weights=cases.weights, clusters=cases.clusters)
        of_class, chosen = found.at(slice(code, code + 1)), cases.response == code
        parts.append(with_intervals_of_rows(own, asked, of_class, chosen=chosen))
    return tallies.joined(parts)


def columns_of_scores(
    cases: ClassScoreCases, every: Columns, areas: FloatArray | None, measures: Measures, groups: GroupedRows
) -> Columns:
    """Add how high the right classes rank, averages of areas, and losses to what agrees in g groups.  O(n k).

    areas: (g, k), or (k,) of a single group, if they are wanted.  Top-k accuracy stands for fewer than all
    classes, unless it is asked for.
    """
    k, count, of_rows = len(cases.categories), groups.count, np.broadcast_to(groups.codes, cases.codes.size)
    codes = cases.own_ranks, cases.codes
    found_by = (tallies.tallied(of_rows * k + each, cases.weights, count * k) for each in codes)
    by_rank, by_class = (tally.counts.reshape(count, k) for tally in found_by)
    depths = measures.depths_of(TOP_ACCURACY)
    if measures == ALL_MEASURES:
        depths = [depth for depth in depths if depth < k]
    names = "mean_reciprocal_rank", "mean_rank", *(TOP_ACCURACY.replace(DEPTH, str(depth)) for depth in depths)
    found = {name: formula_of_ranks(name)(by_rank) for name in names}
    if areas is not None:
        areas = areas.reshape(count, k)
        found[MACRO] = weighted_means_of_rows(areas, np.ones(areas.shape, np.int64))
        found[WEIGHTED] = weighted_means_of_rows(areas, by_class)
    ranked = Columns({name: np.asarray(values) for name, values in found.items()})
    return every.plus(ranked).plus(_losses(cases, of_rows, count, measures))


def formula_of_ranks(name: str) -> Callable[[AnyArray], FloatArray]:
    """Return what finds a measure from cases counted by the rank of their class, (g, k), by the catalogue.  O(1)."""
    entry = entry_of(name)
    assert entry is not None
    assert entry.of_ranks is not None
    return partial(entry.of_ranks, depth=entry.depth)


def values_of_cases(name: str, cases: ClassScoreCases) -> ValuesOfRows:
    """Return what finds the values of cases whose mean a measure of scores is.  O(k), and O(rows), of losses O(k rows).

    A measure of ranks is what it is of a single case of each.
    """
    if name in LOSSES:
        return lambda rows: losses_of_cases(cases, rows)[LOSSES.index(name)]
    of_ranks = formula_of_ranks(name)(np.eye(len(cases.categories), dtype=np.int64))
    own = cases.own_ranks
    return lambda rows: of_ranks[own[rows]]


def losses_of_cases(cases: ClassScoreCases, rows: slice | IntArray) -> FloatArray:
    """Return the log loss and the Brier score of some cases, (2, m), NaN without probabilities.  O(m k)."""
    scores, codes = cases.scores[rows], cases.codes[rows]
    least, scale = np.finfo(cases.scores.dtype).eps, 2 if len(cases.categories) < 3 else 1  # as in scikit-learn
    own = scores[np.arange(codes.size), codes].clip(least, 1 - least)
    lost = np.array([losses.log_loss(own), losses.squared_errors(scores, codes) / scale])
    lost[:, ~rows_of_probabilities(scores)] = np.nan
    return lost


def _losses(cases: ClassScoreCases, groups: IntArray, count: int, measures: Measures) -> Columns:
    """Return the log loss and the Brier score of each group, (g,), NaN without probabilities; none if not wanted.

    groups: of each case, (n,) of 0 .. count - 1.  O(n k).
    """
    if not measures.wants(*LOSSES):
        return Columns({})
    weights = cases.weights.values

    def sums_of(block: slice) -> FloatArray:
        codes = groups[block]
        lost = np.array([*losses_of_cases(cases, block), np.ones(codes.size)])
        if weights is not None:
            lost *= weights[block]
        return np.array([np.bincount(codes, each, count) for each in lost])

    log_loss, brier_score, totals = np.sum(map_blocks(sums_of, cases.codes.size, len(cases.categories)), axis=0)
    return Columns({"log_loss": log_loss / totals, "brier_score": brier_score / totals})


def areas_of_classes(cases: ClassScoreCases, asked: Asked) -> Columns:
    """Return the areas of each class against the rest, (k,), if they are wanted.  O(k n log n)."""
    if not asked.measures.wants(*OF_AREAS):
        return Columns({})
    codes, weights = cases.codes, cases.weights
    if weights.values is None and asked.level is None:
        found = of_columns(areas_of_rows, cases.scores, codes[:, np.newaxis] == np.arange(cases.scores.shape[1]))
        return Columns(dict(zip(_AREAS, found, strict=True)))
    asked = asked._replace(measures=Measures(names=_AREAS))
    each = (ranked_cases(codes == code, column, weights.values) for code, column in enumerate(cases.scores.T))
    return tallies.joined([columns_of_whole(of_class, asked, weights).only(_AREAS) for of_class in each])


def areas_of_groups(cases: ClassScoreCases, groups: GroupedRows) -> FloatArray:
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


def largest_of_case(name: str, classes: int) -> float:
    """Return the largest value that a measure of scores of k classes can have.  O(1)."""
    entry = entry_of(name)
    assert entry is not None
    return 2.0 if name == "brier_score" and classes > 2 else entry.largest  # of several classes a sum


@without_warnings()
def with_score_intervals(
    cases: PairedClasses, scored: ClassScoreCases, asked: Asked, found: Columns, groups: GroupedRows
) -> Columns:
    """Return the statistics of scores in groups with intervals of means and of averages of areas.  O(k n log n)."""
    level, intervals = asked.level, dict[str, Intervals]()
    if level is None:
        return found
    units = cases.units(groups.of_rows, groups.count)
    for name in found.values:
        if (entry := entry_of(name)) is None or not (entry.of_ranks or name in LOSSES):
            continue
        values = values_of_cases(name, scored)
        if entry.method == WILSON:
            hit = values(slice(None)) > 0
            intervals[name] = intervals_of("prevalence", cells_of_rows(units, binary_codes(hit, hit), (2, 2)), level)
        else:
            largest = largest_of_case(name, len(scored.categories))
            unseen = largest if name in LOSSES else None
            means, spread = means_and_spread(units, values, largest_loss=unseen)
            intervals[name] = intervals_of_means(means, spread, level, largest)
    if averaged := [name for name in OF_AREAS if name in found.values]:
        estimates = averages_of_areas(scored.codes, [scored.scores.T], units, groups.layout)
        with np.errstate(invalid="ignore"):  # a class may hold all cases
            intervals |= {name: intervals_of_areas(estimates[name], level, asked.area_method) for name in averaged}
    return found.plus(Columns({}, intervals).at(groups.indices))
