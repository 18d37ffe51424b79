"""Statistics of class labels against predicted ones, or against scores of each class."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.inference import proportion_interval
from evalcore.inference.interval_columns import (
    Intervals,
    f1_intervals_of_weights,
    kappa_intervals,
    kappa_intervals_of_weights,
    proportion_intervals,
    proportion_intervals_of_weights,
)
from evalcore.inference.roc_area_bounds import DEFAULT_AREA_METHOD
from evalcore.kernels.label_ranks import by_columns, first_ranked, rank_tallies, ranks_by_score
from evalcore.kernels.tables import BinaryCounts, sums_of_others
from evalcore.kernels.weights import WeightSums
from evalcore.measures import multiclass, ranks
from evalcore.measures.agreement import kappa as beyond_chance
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.measures.curves import areas_of_columns
from evalcore.measures.losses import are_probabilities
from evalcore.measures.multiclass import CategoryCounts
from evalcore.metrics.probabilities import total_log_loss, total_squared_error
from evalcore.report.catalogue import statistics
from evalcore.report.measure_choice import ALL_MEASURES, TOP_ACCURACY, Measures
from evalcore.report.model import (
    CLASSES,
    CONFUSION_MATRIX,
    RANK_COUNTS,
    ClassScoreCases,
    CountRecords,
    Section,
    Statistic,
)
from evalcore.report.options import SAMPLING
from evalcore.report.ranked_columns import ranked_cases
from evalcore.report.statistics.case_tallies import Tally, tallied_pairs
from evalcore.report.statistics.class_scores import (
    agreement_measures,
    agreement_of_classes,
    class_scores,
    macro_averages,
)
from evalcore.report.statistics.grouped_statistics import StatisticColumns, records_of_columns
from evalcore.report.statistics.intervals import OF_ACCURACY, agreement_intervals, decision_intervals, ranking_intervals
from evalcore.report.statistics.rankings import areas_of, ranking_of
from evalcore.report.weighting import COUNTED, Weighting
from evalcore.state.cases import CaseWeights
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.categories import CodedCases, as_categories, as_codes, as_score_rows
from evalcore.validation.scores import ClassProbabilities, sum_to_one

OF_AREAS = "roc_area", "average_precision", "macro_roc_area", "weighted_roc_area"
"""Statistics that need the cases sorted by the scores of each class."""
OF_PROBABILITIES = "log_loss", "brier_score"
"""Statistics of scores that are probabilities."""


_CELLS = -2, -1
"""Axes of a table."""


class Confusion(NamedTuple):
    """Cases by label and predicted class."""

    categories: tuple[Any, ...]
    """Names of the k classes."""
    counts: AnyArray
    """Shape (k, k), a row for each label; as in `Tally`."""
    weights: WeightSums | None = None
    """Shape (k, k) each, where cases have sampling weights."""
    divisor: FloatArray | float = 1.0
    """As in `Tally`."""

    @property
    def tally(self) -> Tally:
        """The counts with the sums of weights."""
        return Tally(self.counts, self.weights, self.divisor)


def matrix_report(matrix: Confusion, level: float | None = None, score: str | None = None) -> list[Section]:
    """Compare predicted classes with the right ones.  O(k²).

    level: of intervals; score: the name of the predicted column.
    """
    sections = [
        Section("statistics", "", "", {"": agreement(matrix.tally, level)}, across=True),
        Section(CLASSES, "by class", "class", _class_records(matrix, level)),
        confusion(matrix),
    ]
    return [section._replace(score=score) for section in sections]


def counted_pairs_report(cases: CodedCases, counts: IntArray, level: float | None, score: str | None) -> list[Section]:
    """Return what `matrix_report` does, but for what needs the cells: `OF_CELLS`, the interval of kappa, the matrix.

    counts: of each of m pairs of codes, which may repeat, (m,).  O(m + k).
    """
    labels, predicted, tp = np.zeros((3, len(cases.categories)), np.int64)
    np.add.at(labels, cases.reference, counts)
    np.add.at(predicted, cases.response, counts)
    np.add.at(tp, cases.reference, counts * (cases.reference == cases.response))
    total, correct = int(counts.sum()), int(tp.sum())
    table = np.array([tp, labels - tp, predicted - tp, total - labels - predicted + tp])
    kappa = beyond_chance(correct, labels.tolist(), predicted.tolist())
    values = _of_only_row(agreement_of_classes(CategoryCounts(*table[:, np.newaxis]), kappa))
    accuracy = {} if level is None else dict.fromkeys(OF_ACCURACY, proportion_interval(correct, total, level=level))
    records = _records_of_counts(cases.categories, CategoryCounts(*table), level)
    return [
        Section("statistics", "", "", {"": statistics({"cases": total, **values}, accuracy)}, across=True, score=score),
        Section(CLASSES, "by class", "class", records, score=score),
    ]


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


def class_scores_report(
    cases: ClassScoreCases,
    level: float | None = None,
    measures: Measures = ALL_MEASURES,
    area_method: str = DEFAULT_AREA_METHOD,
) -> list[Section]:
    """Compare scores of each class with the right classes.  O(n k log n), O(n k) without areas.

    level: of intervals; measures: which are computed; area_method: of the intervals of ROC areas.
    """
    categories = cases.categories
    firsts, own_ranks = rank_tables(cases)
    matrix = Confusion(categories, *firsts)
    records = _class_records(matrix, level)
    areas_of_classes: list[float] | None = None
    if measures.wants(*OF_AREAS):
        found = list(_areas(cases, level, area_method))
        for record, more in zip(records.values(), found, strict=True):
            record.extend(more)
        areas_of_classes = [more[0].value for more in found]
    by_rank, by_class = own_ranks.counts.sum(axis=0), own_ranks.counts.sum(axis=1)
    of_areas = None if areas_of_classes is None else np.array([areas_of_classes])
    ranking = ranking_of_classes(by_rank[np.newaxis], of_areas, by_class[np.newaxis], measures)
    items = [*agreement(firsts, level), *statistics(_of_only_row(ranking)), *_losses(cases, measures)]
    return [
        Section("statistics", "", "", {"": items}, across=True),
        Section(CLASSES, "by class, each against the rest", "class", records),
        confusion(matrix),
        _rank_section(categories, own_ranks),
    ]


def rank_tables(cases: ClassScoreCases) -> tuple[Tally, Tally]:
    """Count cases by label and first class, and by label and its rank among the scores, (k, k) each.  O(n k²)."""
    k, weights = len(cases.categories), cases.weights
    if weights.values is None:
        tallies = rank_tallies(cases.codes, cases.ranks)
        return Tally(tallies.firsts), Tally(tallies.counts)
    firsts, own = first_ranked(cases.ranks), cases.ranks[cases.codes, np.arange(cases.codes.size)].astype(np.int64)
    return tallied_pairs(cases.codes, firsts, k, weights), tallied_pairs(cases.codes, own, k, weights)


def _rank_section(categories: Sequence[Any], own_ranks: Tally) -> Section:
    what = "cases" if own_ranks.weights is None else "weight"
    counts = CountRecords(map(str, categories), map(str, range(len(categories))), own_ranks.shown)
    return Section(RANK_COUNTS, f"rank of the label among the scores, from 0: {what} by label", "label", counts)


def ranking_of_classes(
    cases_by_rank: AnyArray, roc_areas: FloatArray | None, cases: AnyArray, measures: Measures = ALL_MEASURES
) -> dict[str, AnyArray]:
    """Return how high the right classes rank, and averages of the classes' areas, in g groups, (g,) each, by name.

    cases_by_rank, cases: (g, k), or sums of weights; roc_areas: (g, k), or None if they are not wanted.  Top-k accuracy
    stands for fewer than all classes, unless it is asked for.  O(g k).
    """
    depths = measures.depths_of(TOP_ACCURACY)
    if measures == ALL_MEASURES:
        depths = [depth for depth in depths if depth < cases_by_rank.shape[1]]
    found = {
        "mean_reciprocal_rank": ranks.mean_reciprocal_rank(cases_by_rank),
        "mean_rank": ranks.mean_rank(cases_by_rank),
        **{f"top_{depth}_accuracy": ranks.top_accuracy(cases_by_rank, depth) for depth in depths},
    }
    if roc_areas is not None:
        found["macro_roc_area"] = macro_averages(roc_areas)
        found["weighted_roc_area"] = weighted_means_of_rows(roc_areas, cases)
    return {name: np.asarray(values) for name, values in found.items()}


def _losses(cases: ClassScoreCases, measures: Measures) -> list[Statistic]:
    """Return the log loss and the Brier score of probabilities, NaN for other scores; none if not wanted.  O(n k)."""
    if not measures.wants(*OF_PROBABILITIES):
        return []
    log_loss = brier_score = np.nan
    scores, weights = cases.scores, cases.weights.floats
    if are_probabilities(scores) and sum_to_one(scores).all():
        given, (size, width) = ClassProbabilities(scores, cases.codes, weights, 1.0), scores.shape
        total = size if weights is None else float(weights.sum())
        log_loss = total_log_loss(given, scores.dtype) / total
        brier_score = total_squared_error(given) / total / brier_scale(width)
    return statistics({"log_loss": log_loss, "brier_score": brier_score})


def brier_scale(classes: int) -> int:
    """Return by what Brier's sum over the classes is divided, as scikit-learn does.  O(1)."""
    return 2 if classes < 3 else 1


def _areas(cases: ClassScoreCases, level: float | None, method: str) -> Iterator[list[Statistic]]:
    """Yield the areas of each class against the rest.  O(k n log n)."""
    codes, scores, weights = cases.codes, cases.scores, cases.weights
    if weights.values is None and level is None:
        found = areas_of_columns(scores, codes[:, np.newaxis] == np.arange(scores.shape[1]))
        for row in np.transpose(found).tolist():
            yield statistics(dict(zip(found._fields, row, strict=True)))
        return
    weighting = weighting_of(weights)
    for code, column in enumerate(scores.T):
        own = ranked_cases(codes == code, column, weights.values)
        values = areas_of(ranking_of(own))
        intervals = {} if level is None else ranking_intervals(own, values, level, weighting, area_method=method)
        yield statistics(values, intervals)


def weighting_of(weights: CaseWeights) -> Weighting:
    """Return how cases with these weights are weighted.  O(1)."""
    return COUNTED if weights.values is None or weights.frequencies else Weighting(type=SAMPLING)


def _class_records(matrix: Confusion, level: float | None) -> dict[str, list[Statistic]]:
    if matrix.weights is not None:
        columns = columns_of_classes(matrix.tally, level)
        return dict(zip(map(str, matrix.categories), records_of_columns([columns], level), strict=True))
    return _records_of_counts(matrix.categories, multiclass.one_versus_all(matrix.counts), level)


def _records_of_counts(
    categories: Sequence[Any], counts: CategoryCounts, level: float | None
) -> dict[str, list[Statistic]]:
    scores = class_scores(counts.tp, counts.fn, counts.fp)
    columns_of_counts = *counts, scores.precision, scores.recall, scores.f1
    records = {}
    for name, tp, fn, fp, tn, precision, recall, f1 in zip(
        categories, *(np.asarray(column).tolist() for column in columns_of_counts), strict=True
    ):
        intervals = {} if level is None else decision_intervals(BinaryCounts(tp, fn, fp, tn), level)
        values = {"cases": tp + fn, "predicted": tp + fp, "precision": precision, "recall": recall, "f1": f1}
        records[str(name)] = statistics(values, intervals)
    return records


def agreement(tally: Tally, level: float | None) -> list[Statistic]:
    """Return how labels and predictions agree, (k, k), with intervals if a level is given.  O(k²)."""
    columns = agreement_columns(tally.reshaped(1, *tally.counts.shape), None if tally.weights is None else level)
    if tally.weights is not None:
        return next(records_of_columns([columns], level))
    # those of arrays are of small counts
    return statistics(_of_only_row(columns.values), {} if level is None else agreement_intervals(tally.counts, level))


def _of_only_row(columns: Mapping[str, AnyArray]) -> dict[str, Any]:
    """Return the numbers in columns of shape (1,), by name.  O(columns)."""
    return {name: column.item() for name, column in columns.items()}


def confusion(matrix: Confusion) -> Section:
    """Return the cases of a matrix, or their weights, as a section.  O(k²)."""
    names, what = list(map(str, matrix.categories)), "cases" if matrix.weights is None else "weight"
    records = CountRecords(names, names, matrix.tally.shown)
    return Section(CONFUSION_MATRIX, f"confusion matrix: {what} by label (rows) and prediction", "label", records)


def agreement_columns(tables: Tally, level: float | None) -> StatisticColumns:
    """Return how labels and predictions agree in each of the tables, (g, k, k), with intervals of a level.  O(g k²)."""
    every = tables.sums(_CELLS)
    values = every.described | agreement_measures(tables.counts)
    if level is None:
        return StatisticColumns(values, {})
    if tables.weights is None or every.weights is None:
        accuracy = proportion_intervals(tables.counts.trace(0, *_CELLS), every.counts, level)
        kappa = kappa_intervals(tables.counts, level)
    else:
        right = WeightSums(*(column.trace(0, *_CELLS) for column in tables.weights))
        accuracy = proportion_intervals_of_weights(right, every.weights, level)
        kappa = kappa_intervals_of_weights(tables.weights, level)
    return StatisticColumns(values, {**dict.fromkeys(OF_ACCURACY, accuracy), "kappa": kappa})


def columns_of_classes(table: Tally, level: float | None) -> StatisticColumns:
    """Return the statistics of each class of a table of weighted cases, (k, k), with intervals of a level.  O(k²)."""
    tp, fn, fp, _ = multiclass.one_versus_all(table.counts)
    scores = {name: np.asarray(score) for name, score in class_scores(tp, fn, fp)._asdict().items()}
    values = table.sums(1).described | {"predicted": table.sums(0).cases} | scores
    return StatisticColumns(values, {} if level is None or not table.weights else _intervals(table.weights, level))


def _intervals(table: WeightSums, level: float) -> dict[str, Intervals]:
    """Return the intervals of precision, recall and F1 of each class, (k,) each.  O(k²)."""

    def of_classes(column: Callable[[FloatArray], FloatArray]) -> WeightSums:
        return WeightSums(*map(column, table))

    tp, predicted = of_classes(np.diagonal), of_classes(lambda sums: sums.sum(axis=0))
    fn = of_classes(lambda sums: sums_of_others(sums, 1).diagonal())
    fp = of_classes(lambda sums: sums_of_others(sums, 0).diagonal())
    return {
        "precision": proportion_intervals_of_weights(tp, predicted, level),
        "recall": proportion_intervals_of_weights(tp, of_classes(lambda sums: sums.sum(axis=1)), level),
        "f1": f1_intervals_of_weights(tp, fn, fp, level),
    }
