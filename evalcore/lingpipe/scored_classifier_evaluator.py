"""ScoredClassifierEvaluator, spec 003: the scores that a classifier gives to the right and to the other categories."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from evalcore.kernels.label_ranks import by_columns, ranks_by_score
from evalcore.lingpipe.classifications import Classification, ScoredClassification, ScoredRows
from evalcore.lingpipe.printing import histogram_lines, printed
from evalcore.lingpipe.ranked_classifier_evaluator import RankedClassifierEvaluator
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation
from evalcore.measures.agreement import mean_of_all, mean_where, means_of_rows, own_values
from evalcore.state.tables import CaseBatch
from evalcore.typing import FloatArray, IntArray, ScoreArray
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.categories import as_code, as_reference_codes, as_score_rows
from evalcore.validation.values import takes_no_weights

RowOf = Callable[[int], ScoreArray]
"""Returns the values of a category, shape (n,), by its code."""
OfCases = Callable[[IntArray], ScoreArray]
"""Returns the values of all categories, shape (k, m), for the indices of m cases."""


class ScoredClassifierEvaluator(RankedClassifierEvaluator, live="addScores"):
    """Collect rankings of categories with scores, and report on the scores of each category.

    Keeps n x k scores, in the width they come in.  Constructor as in `BaseClassifierEvaluator`, first-best statistics
    and ranks as in `RankedClassifierEvaluator`.  Source: spec 003.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    >>> evaluator = ScoredClassifierEvaluator(None, ["wine", "beer"])
    >>> evaluator.addScores(["wine", "beer"], np.array([[0.75, 0.25], [0.5, 0.125]]))
    >>> evaluator.averageScore("beer", "wine"), evaluator.averageScoreReference()
    (0.5, 0.4375)
    """

    _ANSWER: ClassVar[type[Classification]] = ScoredClassification
    _COLUMNS = 1

    @takes_no_weights("roc_auc_score")
    def addScores(self, references: ArrayLike, scores: ArrayLike, inputs: Sequence[Any] | None = None) -> None:
        """Add the scores of many cases, as one `addClassification` for each would.  O(k² n).

        Parameters
        ----------
        references : array-like of shape (n,)
            Names of categories, or codes as in `addRankings`.
        scores : array-like of shape (n, k), or data frame
            In the order of `categories`, or with these as names of columns.  NaN where a case lacks a category.  Each
            row must be valid for the evaluator's kind of classification.
        inputs : sequence of n objects, optional
            For evaluators that store inputs.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If a reference is unknown, a case has invalid scores or none, or shapes differ.  Nothing is added.

        Notes
        -----
        Equal scores rank in the order of `categories`.

        Examples
        --------
        >>> evaluator = ScoredClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "wine"], [[0.5, np.nan], [0.5, 0.5]])
        >>> evaluator.rankCount("wine", 0)
        2
        """
        reference = as_reference_codes(references, self._codes, "references")
        rows = as_score_rows(scores, self._categories, "scores")
        check_equal_lengths(reference, rows, "references", "scores")
        columns = by_columns(rows)
        self._check_columns(columns)
        objects = self._checked_inputs(inputs, len(rows))
        batch = self._scored(reference, columns)
        with self._lock:
            kept = self._cases.columns[0]
            self._add(self._cases, batch, ScoredRows(objects, kept, kept.size, self._categories, self._ANSWER))

    def averageScore(self, refCategory: Hashable, responseCategory: Hashable) -> float:
        """Return the mean score of a category over the cases of another that score it; NaN without any.  O(n).

        Parameters
        ----------
        refCategory, responseCategory : hashable
            The category of the cases, and the one whose score is averaged.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> _example().averageScore("wine", "beer")
        0.25
        """
        return self._average(self._score_row, refCategory, responseCategory)

    def averageScoreReference(self) -> float:
        """Return the mean score of the right category over all cases; NaN without cases.  O(n).

        Notes
        -----
        A case that lacks its right category counts as 0.

        Examples
        --------
        >>> _example().averageScoreReference()
        0.4375
        """
        return mean_of_all(own_values(self._cases.columns[0].values, self._cases.reference))

    def scoredOneVersusAll(self, category: Hashable) -> ScoredPrecisionRecallEvaluation:
        """Return the ranking of the cases by the score of a category, with cases that lack it as misses.  O(n).

        Parameters
        ----------
        category : hashable
            One of `categories`.

        Raises
        ------
        EvaluationError
            If the category is unknown.

        Examples
        --------
        >>> _example().scoredOneVersusAll("wine").areaUnderRocCurve(False)
        1.0
        """
        return self._one_versus_all(self._score_row, self._code(category))

    def _numbers_of(self, answer: Any) -> tuple[tuple[float, ...], ...]:
        return (answer._scores,)

    def _check_columns(self, columns: ScoreArray) -> None:
        """Raise for scores that are invalid for this kind of classification."""

    def _scored(self, reference: IntArray, columns: ScoreArray) -> CaseBatch:
        return CaseBatch(reference, ranks_by_score(columns), (columns,) * self._COLUMNS)

    def _score_row(self, code: int) -> ScoreArray:
        """Return the scores of a category, shape (n,), NaN where a case lacks it."""
        row: ScoreArray = self._cases.columns[0].values[code]
        return row

    def _scores_of(self, cases: IntArray) -> ScoreArray:
        """Return the scores of all categories in some cases, (k, m), NaN where a case lacks one."""
        return np.take(self._cases.columns[0].values, cases, axis=1)

    def _averages(self, of_cases: OfCases, code: int) -> FloatArray:
        """Return the mean value of each category over the cases of one, (k,)."""
        return means_of_rows(of_cases(np.flatnonzero(self._cases.reference == code)))

    def _average(self, row_of: RowOf, refCategory: Hashable, responseCategory: Hashable) -> float:
        code = as_code(refCategory, self._codes, "refCategory")
        response = as_code(responseCategory, self._codes, "responseCategory")
        return mean_where(row_of(response), self._cases.reference == code)

    def _one_versus_all(self, row_of: RowOf, code: int) -> ScoredPrecisionRecallEvaluation:
        row = row_of(code)
        cases = self._cases.one_versus_all(code, row)
        evaluation = ScoredPrecisionRecallEvaluation()
        evaluation.addCases(cases.correct, row[cases.rows])
        evaluation.addMisses(cases.misses)
        return evaluation

    def _global_lines(self) -> list[str]:
        return [*super()._global_lines(), f"Average Score Reference={printed(self.averageScoreReference())}"]

    def _category_lines(self, code: int, names: str) -> list[str]:
        return [
            *super()._category_lines(code, names),
            f"Scored One Versus All\n{self._one_versus_all(self._score_row, code)}",
            histogram_lines("Average Score Histogram", names, self._averages(self._scores_of, code)),
        ]


def _example() -> ScoredClassifierEvaluator:
    """Return two cases for the examples above."""
    evaluator = ScoredClassifierEvaluator(None, ["wine", "beer"])
    evaluator.addScores(["wine", "beer"], np.array([[0.75, 0.25], [0.5, 0.125]]))
    return evaluator
