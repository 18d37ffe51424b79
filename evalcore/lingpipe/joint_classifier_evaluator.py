"""JointClassifierEvaluator, spec 003: the joint probabilities of objects and their right categories."""

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from evalcore.lingpipe.classifications import Classification, JointClassification
from evalcore.lingpipe.conditional_classifier_evaluator import ConditionalClassifierEvaluator
from evalcore.lingpipe.printing import histogram_lines, printed
from evalcore.measures.agreement import mean_of_all, own_values
from evalcore.measures.losses import log2_parts, normalised
from evalcore.state.tables import CaseBatch
from evalcore.typing import IntArray, ScoreArray
from evalcore.validation.categories import check_log_probabilities


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

    _ANSWER: ClassVar[type[Classification]] = JointClassification

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
        >>> _example().averageLog2JointProbability("wine", "beer")
        -2.0
        """
        return self._average(self._log_row, refCategory, responseCategory)

    def averageLog2JointProbabilityReference(self) -> float:
        """Return the mean logarithm of the right category over all cases, at most 0; NaN without cases.  O(n).

        Notes
        -----
        A case that lacks its right category counts as 0.

        Examples
        --------
        >>> _example().averageLog2JointProbabilityReference()
        -2.0
        """
        return mean_of_all(self._own_logs())

    def corpusLog2JointProbability(self) -> float:
        """Return the sum over all cases of log2 Σ 2^joint over their rankings; 0.0 without cases.  O(n).

        >>> round(_example().corpusLog2JointProbability(), 12)
        -2.415037499279
        """
        return float(self._cases.totals.values.sum())

    def _log_row(self, code: int) -> ScoreArray:
        """Return the logarithms of a category, shape (n,), NaN where a case lacks it."""
        row: ScoreArray = self._cases.columns[1].values[code]
        return row

    def _own_logs(self) -> ScoreArray:
        """Return the logarithm of the right category of each case, shape (n,)."""
        return own_values(self._cases.columns[1].values, self._cases.reference)

    def _logs_of(self, cases: IntArray) -> ScoreArray:
        """Return the logarithms of all categories in some cases, (k, m), NaN where a case lacks one."""
        return super()._probabilities_of(cases)

    def _probabilities_of(self, cases: IntArray) -> ScoreArray:
        return normalised(self._logs_of(cases), self._cases.totals.values[:, cases])

    def _probability_row(self, code: int) -> ScoreArray:
        return normalised(self._log_row(code), self._cases.totals.values)

    def _own_probabilities(self) -> ScoreArray:
        return normalised(self._own_logs(), self._cases.totals.values)

    def _numbers_of(self, answer: Any) -> tuple[tuple[float, ...], ...]:
        return answer._scores, answer._logs

    def _check_columns(self, columns: ScoreArray) -> None:
        check_log_probabilities(columns, "scores")

    def _scored(self, reference: IntArray, columns: ScoreArray) -> CaseBatch:
        return super()._scored(reference, columns)._replace(totals=log2_parts(columns))

    def _single(self, reference: int, answer: Any) -> CaseBatch:
        # The answer may rank names that are not categories here; its own total counts them.
        return super()._single(reference, answer)._replace(totals=answer._log2_parts)

    def _global_lines(self) -> list[str]:
        average = printed(self.averageLog2JointProbabilityReference())
        return [*super()._global_lines(), f"Average Log2 Joint Probability Reference={average}"]

    def _category_lines(self, code: int, names: str) -> list[str]:
        return [
            *super()._category_lines(code, names),
            histogram_lines("Average Joint Probability Histogram", names, self._averages(self._logs_of, code)),
        ]


def _example() -> JointClassifierEvaluator:
    """Return two cases for the examples above."""
    evaluator = JointClassifierEvaluator(None, ["wine", "beer"])
    evaluator.addScores(["wine", "beer"], np.array([[-1.0, -2.0], [-3.0, -3.0]]))
    return evaluator
