"""Statistics of class labels against predicted ones, or against scores of each class."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.kernels.rankings import by_columns, rank_tallies, ranks_by_score
from evalcore.kernels.tables import BinaryCounts, category_counts
from evalcore.measures import binary, multiclass, ranks
from evalcore.measures.averages import weighted_means_of_rows
from evalcore.measures.column_areas import areas_of_columns
from evalcore.measures.probability_losses import are_probabilities
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
from evalcore.report.statistics.binary import areas
from evalcore.report.statistics.class_scores import class_averages, class_scores, macro_averages
from evalcore.report.statistics.intervals import agreement_intervals, decision_intervals, ranking_intervals
from evalcore.state.scored_cases import ScoredCases
from evalcore.typing import AnyArray, FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.categories import as_categories, as_coded_cases, as_codes
from evalcore.validation.probabilities import ClassProbabilities, sum_to_one
from evalcore.validation.rankings import as_score_rows

OF_AREAS = "roc_area", "average_precision", "macro_roc_area", "weighted_roc_area"
"""Statistics that need the cases sorted by the scores of each class."""
OF_PROBABILITIES = "log_loss", "brier_score"
"""Statistics of scores that are probabilities."""


class Confusion(NamedTuple):
    """Cases by label and predicted class."""

    categories: tuple[Any, ...]
    """Names of the k classes."""
    counts: IntArray
    """Shape (k, k), a row for each label."""


def predicted_report(
    labels: Any, predicted: Any, *, level: float | None = None, score: str | None = None
) -> list[Section]:
    """Compare predicted classes with the right ones.  O(n + k²) for k classes.

    labels, predicted: (n,) strings or integers; level: of intervals; score: the name of the predicted column.

    Raises EvaluationError or EvaluationTypeError for invalid labels.
    """
    cases = as_coded_cases(labels, predicted, None, ("reference", "response"))
    counts = category_counts(cases.reference, cases.response, len(cases.categories))
    return matrix_report(Confusion(cases.categories, counts), level, score)


def matrix_report(matrix: Confusion, level: float | None = None, score: str | None = None) -> list[Section]:
    """Return what `predicted_report` does, from counts.  O(k²)."""
    sections = [
        Section("statistics", "", "", {"": agreement(matrix.counts, level)}, across=True),
        Section(CLASSES, "by class", "class", _class_records(matrix, level)),
        confusion(matrix),
    ]
    return [section._replace(score=score) for section in sections]


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
    cases: ClassScoreCases, level: float | None = None, measures: Measures = ALL_MEASURES
) -> list[Section]:
    """Compare scores of each class with the right classes.  O(n k log n), O(n k) without areas.

    level: of intervals; measures: which are computed.
    """
    categories = cases.categories
    tallies = rank_tallies(cases.codes, cases.ranks)
    matrix = Confusion(categories, tallies.firsts)
    records = _class_records(matrix, level)
    areas_of_classes: list[float] | None = None
    if measures.wants(*OF_AREAS):
        found = list(_areas(cases.codes, cases.scores, level))
        for record, more in zip(records.values(), found, strict=True):
            record.extend(more)
        areas_of_classes = [more[0].value for more in found]
    by_rank, by_class = tallies.counts.sum(axis=0), tallies.counts.sum(axis=1)
    of_areas = None if areas_of_classes is None else np.array([areas_of_classes])
    ranking = ranking_of_classes(by_rank[np.newaxis], of_areas, by_class[np.newaxis], measures)
    losses = _losses(cases.codes, cases.scores, measures)
    counts = CountRecords(map(str, categories), map(str, range(len(categories))), tallies.counts)
    items = [*agreement(matrix.counts, level), *statistics(_of_only_row(ranking)), *losses]
    return [
        Section("statistics", "", "", {"": items}, across=True),
        Section(CLASSES, "by class, each against the rest", "class", records),
        confusion(matrix),
        Section(RANK_COUNTS, "rank of the label among the scores, from 0: cases by label", "label", counts),
    ]


def ranking_of_classes(
    cases_by_rank: IntArray, roc_areas: FloatArray | None, cases: IntArray, measures: Measures = ALL_MEASURES
) -> dict[str, AnyArray]:
    """Return how high the right classes rank, and averages of the classes' areas, in g groups, (g,) each, by name.

    cases_by_rank, cases: (g, k); roc_areas: (g, k), or None if they are not wanted.  Top-k accuracy stands for fewer
    than all classes, unless it is asked for.  O(g k).
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


def _losses(codes: IntArray, scores: ScoreArray, measures: Measures) -> list[Statistic]:
    """Return the log loss and the Brier score of probabilities of k classes, NaN for other scores; none if not wanted.

    codes: (n,), the right classes; scores: (n, k).  O(n k).
    """
    if not measures.wants(*OF_PROBABILITIES):
        return []
    log_loss = brier_score = np.nan
    if are_probabilities(scores) and sum_to_one(scores):
        cases, (size, width) = ClassProbabilities(scores, codes, None, 1.0), scores.shape
        log_loss = total_log_loss(cases, scores.dtype) / size
        brier_score = total_squared_error(cases) / size / brier_scale(width)
    return statistics({"log_loss": log_loss, "brier_score": brier_score})


def brier_scale(classes: int) -> int:
    """Return by what Brier's sum over the classes is divided, as scikit-learn does.  O(1)."""
    return 2 if classes < 3 else 1


def _areas(codes: IntArray, scores: ScoreArray, level: float | None) -> Iterator[list[Statistic]]:
    """Yield the areas of each class against the rest; codes: (n,), scores: (n, k).  O(k n log n)."""
    if level is None:
        found = areas_of_columns(scores, codes[:, np.newaxis] == np.arange(scores.shape[1]))
        for row in np.transpose(found).tolist():
            yield statistics(dict(zip(found._fields, row, strict=True)))
        return
    for code, column in enumerate(scores.T):
        cases = ScoredCases()
        cases.extend(codes == code, column)
        values = areas(cases)
        yield statistics(values, ranking_intervals(cases, values, level))


def _class_records(matrix: Confusion, level: float | None) -> dict[str, list[Statistic]]:
    counts = multiclass.one_versus_all(matrix.counts)
    scores = class_scores(counts.tp, counts.fn, counts.fp)
    columns = *counts, scores.precision, scores.recall, scores.f1
    records = {}
    for name, tp, fn, fp, tn, precision, recall, f1 in zip(
        matrix.categories, *(np.asarray(column).tolist() for column in columns), strict=True
    ):
        intervals = {} if level is None else decision_intervals(BinaryCounts(tp, fn, fp, tn), level)
        values = {"cases": tp + fn, "predicted": tp + fp, "precision": precision, "recall": recall, "f1": f1}
        records[str(name)] = statistics(values, intervals)
    return records


def agreement(counts: IntArray, level: float | None) -> list[Statistic]:
    """Return how labels and predictions agree, with intervals if a level is given.  O(k²)."""
    values = _of_only_row(agreement_measures(counts[np.newaxis]))
    return statistics(values, {} if level is None else agreement_intervals(counts, level))


def _of_only_row(columns: Mapping[str, AnyArray]) -> dict[str, Any]:
    """Return the numbers in columns of shape (1,), by name.  O(columns)."""
    return {name: column.item() for name, column in columns.items()}


def agreement_measures(tables: IntArray) -> dict[str, AnyArray]:
    """Return how labels and predictions agree, by name, of each of the tables of counts, (g, k, k).  O(g k²)."""
    tp, fn, fp, tn = multiclass.one_versus_all(tables)
    right, cases = tp.sum(axis=1), tables.sum(axis=(1, 2))
    wrong = cases - right
    micro = class_scores(right, wrong, wrong)
    return {
        "cases": cases,
        "classes": np.full(cases.size, tables.shape[-1]),
        "accuracy": np.asarray(binary.accuracy(right, wrong, 0, 0)),
        **class_averages(tp, fn, fp),
        **{f"micro_{name}": np.asarray(score) for name, score in micro._asdict().items()},
        "kappa": np.asarray(multiclass.kappa(tables)),
        "matthews_correlation": np.array([*map(multiclass.matthews, tp, fn, fp, tn)]),
        "cramers_v": np.asarray(multiclass.cramers_v(tables)),
        "mutual_information": np.asarray(multiclass.mutual_information(tables)),
    }


def confusion(matrix: Confusion) -> Section:
    """Return the counts of a matrix as a section.  O(k²)."""
    names = list(map(str, matrix.categories))
    records = CountRecords(names, names, matrix.counts)
    return Section(CONFUSION_MATRIX, "confusion matrix: cases by label (rows) and prediction", "label", records)
