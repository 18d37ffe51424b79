"""Statistics of class labels against predicted ones, or against scores of each class."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy.typing as npt

from evalcore import category_checks, checks
from evalcore.lingpipe import ConfusionMatrix, PrecisionRecallEvaluation, ScoredClassifierEvaluator
from evalcore.report.binary import areas, counts_of
from evalcore.report.intervals import (
    agreement_intervals,
    decision_intervals,
    ranking_intervals,
    with_intervals,
)
from evalcore.report.sections import Section, Statistic
from evalcore.state.scored_cases import ScoredCases


def predicted_report(labels: Any, predicted: Any, *, level: float | None = None) -> list[Section]:
    """Compare predicted classes with the right ones.

    labels, predicted: (n,) strings or integers; level: as in `binary_report`.  O(n + k²) for k classes, O(n k) with a
    level.

    Raises EvaluationError or EvaluationTypeError for what cannot be read as labels.

    >>> sections = predicted_report(["a", "b", "b"], ["a", "b", "a"])
    >>> [section.name for section in sections]
    ['statistics', 'classes', 'confusion_matrix']
    >>> sections[0].records[""][2]
    Statistic(name='accuracy', title='accuracy', value=0.6666666666666666, interval=None)
    """
    return matrix_report(ConfusionMatrix.fromLabels(labels, predicted), level)


def matrix_report(matrix: ConfusionMatrix, level: float | None = None) -> list[Section]:
    """Report what `predicted_report` does of cases that are counted already.  O(k²).

    >>> [section.name for section in matrix_report(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]))]
    ['statistics', 'classes', 'confusion_matrix']
    """
    return [
        Section("statistics", "", "", {"": agreement(matrix, level)}, across=True),
        Section("classes", "by class", "class", _classes(matrix, level)),
        confusion(matrix),
    ]


def scored_report(
    labels: Any, classes: Sequence[Any], scores: npt.NDArray[Any], level: float | None = None
) -> list[Section]:
    """Compare scores of each class with the right classes.

    labels: (n,) strings or integers, each one of the k classes; scores: (n, k), no NaN; level: as in `binary_report`.
    O(n (k² + k log n)).

    Raises EvaluationError or EvaluationTypeError for an unknown label, or what are no scores.

    >>> import numpy as np
    >>> sections = scored_report(["a", "b"], ["a", "b"], np.array([[0.9, 0.1], [0.7, 0.3]]))
    >>> [section.name for section in sections]
    ['statistics', 'classes', 'confusion_matrix', 'rank_counts']
    >>> sections[0].records[""][-2]
    Statistic(name='mean_reciprocal_rank', title='mean reciprocal rank', value=0.75, interval=None)
    """
    evaluator = ScoredClassifierEvaluator(None, classes)
    codes = category_checks.codes(labels, evaluator.categories(), "label")
    evaluator.addScores(labels, scores)
    matrix = evaluator.confusionMatrix()
    ranking = [
        Statistic("mean_reciprocal_rank", "mean reciprocal rank", evaluator.meanReciprocalRank()),
        Statistic("mean_rank", "mean rank, from 0", evaluator.averageRankReference()),
    ]
    decisions = _classes(matrix, level)
    for code, name in enumerate(decisions):
        cases = _one_versus_rest(codes == code, scores[:, code])
        intervals = {} if level is None else ranking_intervals(cases.correct, cases.scores, level)
        decisions[name] += with_intervals(areas(cases), intervals)
    ranks = range(evaluator.numCategories())
    counts = {
        str(name): [Statistic(str(rank), str(rank), evaluator.rankCount(name, rank)) for rank in ranks]
        for name in evaluator.categories()
    }
    return [
        Section("statistics", "", "", {"": [*agreement(matrix, level), *ranking]}, across=True),
        Section("classes", "by class, each against the rest", "class", decisions),
        confusion(matrix),
        Section("rank_counts", "rank of the label among the scores, from 0: cases by label", "label", counts),
    ]


def _one_versus_rest(correct: Any, scores: Any) -> ScoredCases:
    cases = ScoredCases()
    cases.extend(*checks.cases(correct, scores))
    return cases


def _classes(matrix: ConfusionMatrix, level: float | None) -> dict[str, list[Statistic]]:
    records = {}
    for index, name in enumerate(matrix.categories()):
        decisions = matrix.oneVsAll(index)
        intervals = {} if level is None else decision_intervals(counts_of(decisions), level)
        records[str(name)] = with_intervals(_decisions(decisions), intervals)
    return records


def agreement(matrix: ConfusionMatrix, level: float | None) -> list[Statistic]:
    """Return how labels and predictions agree, with intervals if a level is given.  O(k²).

    >>> agreement(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]]), None)[2].value
    0.7
    """
    intervals = {} if level is None else agreement_intervals(matrix.matrix(), level)
    return with_intervals(_agreement_statistics(matrix), intervals)


def _agreement_statistics(matrix: ConfusionMatrix) -> Iterator[Statistic]:
    yield Statistic("cases", "cases", matrix.totalCount())
    yield Statistic("classes", "classes", matrix.numCategories())
    yield Statistic("accuracy", "accuracy", matrix.totalAccuracy())
    yield Statistic("macro_precision", "precision, macro average", matrix.macroAvgPrecision())
    yield Statistic("macro_recall", "recall, macro average", matrix.macroAvgRecall())
    yield Statistic("macro_f1", "F1, macro average", matrix.macroAvgFMeasure())
    pooled = matrix.microAverage()
    yield Statistic("micro_precision", "precision, micro average", pooled.precision())
    yield Statistic("micro_recall", "recall, micro average", pooled.recall())
    yield Statistic("micro_f1", "F1, micro average", pooled.fMeasure())
    yield Statistic("kappa", "Cohen's kappa", matrix.kappa())
    yield Statistic("cramers_v", "Cramér's V", matrix.cramersV())
    yield Statistic("mutual_information", "mutual information, bits", matrix.mutualInformation())


def _decisions(decisions: PrecisionRecallEvaluation) -> Iterator[Statistic]:
    yield Statistic("cases", "cases", decisions.positiveReference())
    yield Statistic("predicted", "predicted", decisions.positiveResponse())
    yield Statistic("precision", "precision", decisions.precision())
    yield Statistic("recall", "recall", decisions.recall())
    yield Statistic("f1", "F1", decisions.fMeasure())


def confusion(matrix: ConfusionMatrix) -> Section:
    """Return the counts of a matrix as a section.  O(k²).

    >>> confusion(ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])).records["a"][0].value
    3
    """
    names = list(map(str, matrix.categories()))
    records = {
        name: [Statistic(response, response, count) for response, count in zip(names, row, strict=True)]
        for name, row in zip(names, matrix.matrix().tolist(), strict=True)
    }
    return Section("confusion_matrix", "confusion matrix: cases by label (rows) and prediction", "label", records)
