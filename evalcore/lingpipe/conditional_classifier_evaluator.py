"""ConditionalClassifierEvaluator, spec 003: the probabilities that a classifier gives to the right categories."""

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from evalcore.lingpipe.classifications import Classification, ConditionalClassification
from evalcore.lingpipe.printing import histogram_lines, printed
from evalcore.lingpipe.scored_classifier_evaluator import ScoredClassifierEvaluator
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation
from evalcore.measures.agreement import mean_of_all, own_values
from evalcore.typing import IntArray, ScoreArray
from evalcore.validation.categories import check_distributions

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

    _ANSWER: ClassVar[type[Classification]] = ConditionalClassification
    _COLUMNS = 2

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
        >>> _example().averageConditionalProbability("wine", "beer")
        0.25
        """
        return self._average(self._probability_row, refCategory, responseCategory)

    def averageConditionalProbabilityReference(self) -> float:
        """Return the mean probability of the right category over all cases, in 0 .. 1; NaN without cases.  O(n).

        Notes
        -----
        A case that lacks its right category counts as 0.

        Examples
        --------
        >>> _example().averageConditionalProbabilityReference()
        0.625
        """
        return mean_of_all(self._own_probabilities())

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
        >>> _example().conditionalOneVersusAll("wine").areaUnderRocCurve(False)
        1.0
        """
        return self._one_versus_all(self._probability_row, self._code(category))

    def _probability_row(self, code: int) -> ScoreArray:
        """Return the probabilities of a category, shape (n,), NaN where a case lacks it."""
        row: ScoreArray = self._cases.columns[1].values[code]
        return row

    def _probabilities_of(self, cases: IntArray) -> ScoreArray:
        """Return the probabilities of all categories in some cases, (k, m), NaN where a case lacks one."""
        return np.take(self._cases.columns[1].values, cases, axis=1)

    def _own_probabilities(self) -> ScoreArray:
        """Return the probability of the right category of each case, shape (n,)."""
        return own_values(self._cases.columns[1].values, self._cases.reference)

    def _numbers_of(self, answer: Any) -> tuple[tuple[float, ...], ...]:
        return answer._scores, answer._probabilities

    def _check_columns(self, columns: ScoreArray) -> None:
        check_distributions(columns, "scores", _TOLERANCE)

    def _global_lines(self) -> list[str]:
        average = printed(self.averageConditionalProbabilityReference())
        return [*super()._global_lines(), f"Average Conditional Probability Reference={average}"]

    def _category_lines(self, code: int, names: str) -> list[str]:
        averages = self._averages(self._probabilities_of, code)
        return [
            *super()._category_lines(code, names),
            f"Conditional One Versus All\n{self._one_versus_all(self._probability_row, code)}",
            histogram_lines("Average Conditional Probability Histogram", names, averages),
        ]


def _example() -> ConditionalClassifierEvaluator:
    """Return two cases for the examples above."""
    evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
    evaluator.addScores(["wine", "beer"], np.array([[0.75, 0.25], [0.5, 0.5]]))
    return evaluator
