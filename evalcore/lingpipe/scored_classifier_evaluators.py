"""Evaluators of classifiers, spec 003: of scores, of probabilities, and of joint probabilities."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from evalcore.kernels.label_ranks import by_columns, ranks_by_score
from evalcore.lingpipe import classifications
from evalcore.lingpipe.classifier_evaluators import RankedClassifierEvaluator
from evalcore.lingpipe.precision_recall_evaluation import histogram_lines, printed
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation
from evalcore.measures.agreement import mean_of_all, means_of_rows
from evalcore.measures.losses import log2_parts, normalised
from evalcore.state.tables import CaseBatch
from evalcore.typing import FloatArray, IntArray, ScoreArray
from evalcore.validation import categories
from evalcore.validation.arrays import check_equal_lengths
from evalcore.validation.values import takes_no_weights

Values = Callable[[Any, Any], ScoreArray]
"""Returns numbers by codes of categories and indices of cases, as an array (k, n) would; NaN where a case lacks one."""
_ALL = slice(None)


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

    _ANSWER: ClassVar[type[classifications.Classification]] = classifications.ScoredClassification
    _KEPT: ClassVar[Sequence[str]] = ("_scores",)
    _PRINTED: ClassVar[Sequence[tuple[str, ...]]] = (("_scores", "Score", "Scored", "Score"),)
    """Methods of values, and how their averages, one versus all evaluations if printed, and histograms are called."""

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
        reference = categories.as_reference_codes(references, self._codes, "references")
        rows = categories.as_score_rows(scores, self._categories, "scores")
        check_equal_lengths(reference, rows, "references", "scores")
        columns = by_columns(rows)
        self._check_columns(columns)
        objects = self._checked_inputs(inputs, len(rows))
        batch = self._scored(reference, columns)
        with self._lock:
            kept = self._cases.columns[0]
            added = classifications.ScoredRows(objects, kept, kept.size, self._categories, self._ANSWER)
            self._add(self._cases, batch, added)

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
        >>> evaluator = ScoredClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.125]])
        >>> evaluator.averageScore("wine", "beer")
        0.25
        """
        return self._average(self._scores, refCategory, responseCategory)

    def averageScoreReference(self) -> float:
        """Return the mean score of the right category over all cases; NaN without cases.  O(n).

        Notes
        -----
        A case that lacks its right category counts as 0.

        Examples
        --------
        >>> evaluator = ScoredClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.125]])
        >>> evaluator.averageScoreReference()
        0.4375
        """
        return self._mean_of_right(self._scores)

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
        >>> evaluator = ScoredClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.125]])
        >>> evaluator.scoredOneVersusAll("wine").areaUnderRocCurve(False)
        1.0
        """
        return self._one_versus_all(self._scores, self._code(category))

    def _check_columns(self, columns: ScoreArray) -> None:
        """Raise for scores that are invalid for this kind of classification."""

    def _scored(self, reference: IntArray, columns: ScoreArray) -> CaseBatch:
        return CaseBatch(reference, ranks_by_score(columns), (columns,) * len(self._KEPT))

    def _scores(self, codes: Any, cases: Any) -> ScoreArray:
        return np.asarray(self._cases.columns[0].values[codes, cases])

    def _mean_of_right(self, values: Values) -> float:
        """Return the mean value of the right category over all cases."""
        reference = self._cases.reference
        return mean_of_all(values(reference, np.arange(reference.size)))

    def _averages(self, values: Values, code: int) -> FloatArray:
        """Return the mean value of each category over the cases of one, (k,)."""
        return means_of_rows(values(_ALL, np.flatnonzero(self._cases.reference == code)))

    def _average(self, values: Values, refCategory: Hashable, responseCategory: Hashable) -> float:
        code = categories.as_code(refCategory, self._codes, "refCategory")
        response = categories.as_code(responseCategory, self._codes, "responseCategory")
        return float(means_of_rows(values(response, _ALL)[np.newaxis, self._cases.reference == code])[0])

    def _one_versus_all(self, values: Values, code: int) -> ScoredPrecisionRecallEvaluation:
        evaluation = ScoredPrecisionRecallEvaluation()
        evaluation._cases = self._cases.one_versus_all(code, values(code, _ALL))
        return evaluation

    def _global_lines(self) -> list[str]:
        averages = ((title, self._mean_of_right(getattr(self, values))) for values, title, *_ in self._PRINTED)
        return [*super()._global_lines(), *(f"Average {title} Reference={printed(mean)}" for title, mean in averages)]

    def _category_lines(self, code: int, names: str) -> list[str]:
        lines = super()._category_lines(code, names)
        for name, _, one_versus_all, title in self._PRINTED:
            values = getattr(self, name)
            if one_versus_all:
                lines.append(f"{one_versus_all} One Versus All\n{self._one_versus_all(values, code)}")
            lines.append(histogram_lines(f"Average {title} Histogram", names, self._averages(values, code)))
        return lines


_TOLERANCE = 0.01
"""How far the sum of a row of probabilities may be from 1, as in ConditionalClassification."""


class ConditionalClassifierEvaluator(ScoredClassifierEvaluator):
    """Collect rankings of categories with probabilities, and report on those of each category.

    `addScores` takes probabilities, in 0 .. 1 with a sum of about 1 in each row; they are the scores too.
    Constructor and all other statistics as in `ScoredClassifierEvaluator`.  Source: spec 003.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    >>> evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
    >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.5]])
    >>> evaluator.averageConditionalProbabilityReference()
    0.625
    """

    _ANSWER: ClassVar[type[classifications.Classification]] = classifications.ConditionalClassification
    _KEPT = "_scores", "_probabilities"
    _PRINTED = (
        *ScoredClassifierEvaluator._PRINTED,
        ("_probabilities", "Conditional Probability", "Conditional", "Conditional Probability"),
    )

    def averageConditionalProbability(self, refCategory: Hashable, responseCategory: Hashable) -> float:
        """Return the mean probability of a category over the cases of another that rank it, in 0 .. 1.  O(n).

        NaN without such cases.

        Parameters
        ----------
        refCategory, responseCategory : hashable
            The category of the cases, and the one whose probability is averaged.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.5]])
        >>> evaluator.averageConditionalProbability("wine", "beer")
        0.25
        """
        return self._average(self._probabilities, refCategory, responseCategory)

    def averageConditionalProbabilityReference(self) -> float:
        """Return the mean probability of the right category over all cases, in 0 .. 1; NaN without cases.  O(n).

        Notes
        -----
        A case that lacks its right category counts as 0.

        Examples
        --------
        >>> evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.5]])
        >>> evaluator.averageConditionalProbabilityReference()
        0.625
        """
        return self._mean_of_right(self._probabilities)

    def conditionalOneVersusAll(self, category: Hashable) -> ScoredPrecisionRecallEvaluation:
        """Return the ranking of the cases by the probability of a category, with cases that lack it as misses.  O(n).

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
        >>> evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.5]])
        >>> evaluator.conditionalOneVersusAll("wine").areaUnderRocCurve(False)
        1.0
        """
        return self._one_versus_all(self._probabilities, self._code(category))

    def _probabilities(self, codes: Any, cases: Any) -> ScoreArray:
        return np.asarray(self._cases.columns[1].values[codes, cases])

    def _check_columns(self, columns: ScoreArray) -> None:
        categories.check_distributions(columns, "scores", _TOLERANCE)


class JointClassifierEvaluator(ConditionalClassifierEvaluator):
    """Collect rankings of categories with joint probabilities, and report on those of each category.

    `addScores` takes logarithms to base 2 of joint probabilities, at most 0; they are the scores too.
    Constructor and all other statistics as in `ConditionalClassifierEvaluator`.  Source: spec 003.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    >>> evaluator = JointClassifierEvaluator(None, ["wine", "beer"])
    >>> evaluator.addScores(["wine", "beer"], [[-1.0, -2.0], [-3.0, -3.0]])
    >>> evaluator.averageLog2JointProbabilityReference()
    -2.0
    """

    _ANSWER: ClassVar[type[classifications.Classification]] = classifications.JointClassification
    _KEPT = "_scores", "_logs"
    _PRINTED = (*ConditionalClassifierEvaluator._PRINTED, ("_logs", "Log2 Joint Probability", "", "Joint Probability"))

    def averageLog2JointProbability(self, refCategory: Hashable, responseCategory: Hashable) -> float:
        """Return the mean logarithm of a category over the cases of another that rank it, at most 0.  O(n).

        NaN without such cases.

        Parameters
        ----------
        refCategory, responseCategory : hashable
            The category of the cases, and the one whose logarithm is averaged.

        Raises
        ------
        EvaluationError
            If a category is unknown.

        Examples
        --------
        >>> evaluator = JointClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[-1.0, -2.0], [-3.0, -3.0]])
        >>> evaluator.averageLog2JointProbability("wine", "beer")
        -2.0
        """
        return self._average(self._logs, refCategory, responseCategory)

    def averageLog2JointProbabilityReference(self) -> float:
        """Return the mean logarithm of the right category over all cases, at most 0; NaN without cases.  O(n).

        Notes
        -----
        A case that lacks its right category counts as 0.

        Examples
        --------
        >>> evaluator = JointClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[-1.0, -2.0], [-3.0, -3.0]])
        >>> evaluator.averageLog2JointProbabilityReference()
        -2.0
        """
        return self._mean_of_right(self._logs)

    def corpusLog2JointProbability(self) -> float:
        """Return the sum over all cases of log2 Σ 2^joint over their rankings; 0.0 without cases.  O(n).

        >>> evaluator = JointClassifierEvaluator(None, ["wine", "beer"])
        >>> evaluator.addScores(["wine", "beer"], [[-1.0, -2.0], [-3.0, -3.0]])
        >>> round(evaluator.corpusLog2JointProbability(), 12)
        -2.415037499279
        """
        return float(self._cases.totals.values.sum())

    def _logs(self, codes: Any, cases: Any) -> ScoreArray:
        return super()._probabilities(codes, cases)

    def _probabilities(self, codes: Any, cases: Any) -> ScoreArray:
        return normalised(self._logs(codes, cases), self._cases.totals.values[:, cases])

    def _check_columns(self, columns: ScoreArray) -> None:
        categories.check_log_probabilities(columns, "scores")

    def _scored(self, reference: IntArray, columns: ScoreArray) -> CaseBatch:
        return super()._scored(reference, columns)._replace(totals=log2_parts(columns))

    def _single(self, reference: int, answer: Any) -> CaseBatch:
        # The answer may rank names that are not categories here; its own total counts them.
        return super()._single(reference, answer)._replace(totals=answer._log2_parts)
