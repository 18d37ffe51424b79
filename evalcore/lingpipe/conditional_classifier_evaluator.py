"""ConditionalClassifierEvaluator, spec 003: what probabilities a classifier gives to what is right."""

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from evalcore.lingpipe.classifications import Classification, ConditionalClassification
from evalcore.lingpipe.printing import histogram_lines, printed
from evalcore.lingpipe.scored_classifier_evaluator import ScoredClassifierEvaluator
from evalcore.lingpipe.scored_precision_recall_evaluation import ScoredPrecisionRecallEvaluation
from evalcore.measures.averages import mean_of_all, own_values
from evalcore.typing import ScoreArray
from evalcore.validation.rankings import check_distributions

_TOLERANCE = 0.01
"""How far the sum of a row of probabilities may be from 1, as in ConditionalClassification."""


class ConditionalClassifierEvaluator(ScoredClassifierEvaluator):
    """Collect rankings of categories with probabilities, and report on those of each category.

    `addScores` takes probabilities, in 0 .. 1 with a sum of about 1 in each row; they are the scores too.
    Constructor and all other statistics as in `ScoredClassifierEvaluator`.  Source: spec 003.

    >>> evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
    >>> evaluator.addScores(["wine", "beer"], [[0.75, 0.25], [0.5, 0.5]])
    >>> evaluator.averageConditionalProbabilityReference()
    0.625
    """

    _ANSWER: ClassVar[type[Classification]] = ConditionalClassification
    _COLUMNS = 2

    def averageConditionalProbability(self, refCategory: Hashable, responseCategory: Hashable) -> float:
        """Return the mean probability of a category over the cases of another that rank it; NaN without any.

        In 0 .. 1.  O(n).  Raises EvaluationError for an unknown category.

        >>> _example().averageConditionalProbability("wine", "beer")
        0.25
        """
        return self._average(self._probability_row, refCategory, responseCategory)

    def averageConditionalProbabilityReference(self) -> float:
        """Return the sum of the probabilities of the right categories, over all cases; NaN without cases.

        In 0 .. 1.  O(n).

        >>> _example().averageConditionalProbabilityReference()
        0.625
        """
        return mean_of_all(self._own_probabilities())

    def conditionalOneVersusAll(self, category: Hashable) -> ScoredPrecisionRecallEvaluation:
        """Return the ranking, by probability of a category, of the cases that rank it; the others are misses.

        Raises EvaluationError for an unknown category.  O(n).

        >>> _example().conditionalOneVersusAll("wine").areaUnderRocCurve(False)
        1.0
        """
        return self._one_versus_all(self._probability_row, category)

    def _probability_row(self, code: int) -> ScoreArray:
        """Probabilities of a category, shape (n,), NaN where a case lacks it."""
        row: ScoreArray = self._cases.columns[1].values[code]
        return row

    def _own_probabilities(self) -> ScoreArray:
        """Probability of the right category of each case, shape (n,)."""
        return own_values(self._cases.columns[1].values, self._cases.reference)

    def _numbers_of(self, answer: Any) -> tuple[tuple[float, ...], ...]:
        return answer._scores, answer._probabilities

    def _check_columns(self, columns: ScoreArray) -> None:
        check_distributions(columns, "scores", _TOLERANCE)

    def _global_lines(self) -> list[str]:
        average = printed(self.averageConditionalProbabilityReference())
        return [*super()._global_lines(), f"Average Conditional Probability Reference={average}"]

    def _category_lines(self, category: Hashable) -> list[str]:
        averages = [self.averageConditionalProbability(category, response) for response in self._categories]
        return [
            *super()._category_lines(category),
            f"Conditional One Versus All\n{self.conditionalOneVersusAll(category)}",
            histogram_lines("Average Conditional Probability Histogram", self._categories, averages),
        ]


def _example() -> ConditionalClassifierEvaluator:
    """Return two cases for the examples above."""
    evaluator = ConditionalClassifierEvaluator(None, ["wine", "beer"])
    evaluator.addScores(["wine", "beer"], np.array([[0.75, 0.25], [0.5, 0.5]]))
    return evaluator
