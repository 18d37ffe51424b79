"""ScoredPrecisionRecallEvaluation, spec 000: statistics of a ranking by score."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.lingpipe.ranking_statistics import RankingStatistics
from evalcore.lingpipe.saving import SavedScores
from evalcore.state.scored_cases import MOST_MISSES
from evalcore.validation.arrays import as_cases
from evalcore.validation.single_values import as_label, as_score, check_count, check_instance
from evalcore.validation.whole_cases import check_cases, takes_no_weights


class ScoredPrecisionRecallEvaluation(SavedScores, RankingStatistics):
    """Collect scored cases, and report statistics of their ranking.

    Higher scores are more confident.  Cases with equal scores enter a curve together; a statistic of a rank is the mean
    over all their orders.  No result depends on the order of the cases, and two evaluations are equal if they hold the
    same cases and misses.  Cases have no weights here: `evalcore.metrics.roc_auc_score` and `evalcore.evaluate`
    take them.

    The first statistic after adding cases costs one sort, O(n log n), every later one O(n). Source: spec 000 (LingPipe
    3.9.2), which also describes later versions.

    >>> evaluation = ScoredPrecisionRecallEvaluation()
    >>> evaluation.addCases([False, True, True, False], [0.9, 0.8, 0.7, 0.1])
    >>> evaluation.averagePrecision()
    0.5833333333333333
    >>> evaluation.prCurve(False)
    array([[0.5       , 0.5       ],
           [1.        , 0.66666667]])
    """

    __slots__ = ()

    def addCase(self, correct: bool, score: float) -> None:
        """Add one case.  O(1) amortised; `addCases` is far cheaper per case.

        Parameters
        ----------
        correct : bool
            Whether the case is positive.
        score : float
            Finite or infinite.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If `correct` is not a truth value, or the score is NaN or not a number.  Nothing is added.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCase(True, -1.27)
        >>> evaluation.numCases()
        1
        """
        # The plain case is checked in place: a call would cost a quarter of this method's time.
        if score.__class__ is float and score == score and (correct is True or correct is False):  # noqa: PLR0124
            self._cases.add(correct, score)
        elif isinstance(score, np.float16 | np.float32):  # narrow scores stay so
            label, number = as_label(correct, "correct"), as_score(score, "score")
            self._cases.extend(np.array([label]), np.array([number], np.float32))
        else:
            self._cases.add(as_label(correct, "correct"), as_score(score, "score"))

    @takes_no_weights("roc_auc_score")
    def addCases(self, correct: ArrayLike, scores: ArrayLike) -> None:
        """Add a batch of cases, all of them or, on an error, none.  O(n) amortised.

        Parameters
        ----------
        correct : array-like of shape (n,)
            Booleans, or numbers that are 0 or 1.
        scores : array-like of shape (n,)
            Finite or infinite numbers.  float32 stays float32 until a wider type comes.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If a label or score is invalid, a column is not one-dimensional, or their lengths differ.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([True, False], np.array([0.9, 0.1], dtype=np.float32))
        >>> evaluation
        ScoredPrecisionRecallEvaluation(cases=2, correct=1, misses=0, negativeMisses=0)
        """
        self._cases.extend(*as_cases(correct, scores))

    def addMisses(self, count: int) -> None:
        """Add positive cases that were not retrieved and so have no score.  O(1).

        Parameters
        ----------
        count : int
            How many.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the count is negative, not an integer, or makes more than 2**62 in all.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addMisses(3)
        >>> evaluation.numPositiveRef(), evaluation.numCases()
        (3, 0)
        """
        misses = check_cases(count, "count")
        self._cases.misses += check_count(misses, "count", MOST_MISSES - self._cases.misses)

    def addNegativeMisses(self, count: int) -> None:
        """Add negative cases that were not retrieved and so have no score.  O(1).

        Parameters
        ----------
        count : int
            How many.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the count is negative, not an integer, or makes more than 2**62 in all.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addNegativeMisses(3)
        >>> evaluation.numNegativeRef(), evaluation.numCases()
        (3, 0)
        """
        self._cases.negative_misses += check_count(
            check_cases(count, "count"), "count", MOST_MISSES - self._cases.negative_misses
        )

    def merge(self, other: ScoredPrecisionRecallEvaluation) -> None:
        """Add the cases and misses of another evaluation, as if filled with both.  O(cases of the other) amortised.

        Parameters
        ----------
        other : ScoredPrecisionRecallEvaluation
            Unchanged.

        Raises
        ------
        EvaluationTypeError
            If `other` is not a ScoredPrecisionRecallEvaluation.
        EvaluationError
            If both together have more than 2**62 misses of a kind.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCase(True, 0.5)
        >>> evaluation.merge(evaluation)
        >>> evaluation.numCases()
        2
        """
        checked: ScoredPrecisionRecallEvaluation = check_instance(other, ScoredPrecisionRecallEvaluation, "other")
        check_count(checked._cases.misses, "other's misses", MOST_MISSES - self._cases.misses)
        check_count(
            checked._cases.negative_misses, "other's negative misses", MOST_MISSES - self._cases.negative_misses
        )
        self._cases.merge(checked._cases)

    def __copy__(self) -> ScoredPrecisionRecallEvaluation:
        return copy.deepcopy(self)  # a copy that shared the cases would count only some of those added later

    def __repr__(self) -> str:
        cases = self._cases
        return (
            f"ScoredPrecisionRecallEvaluation(cases={cases.size}, correct={cases.positives - cases.misses}, "
            f"misses={cases.misses}, negativeMisses={cases.negative_misses})"
        )

    def plot_roc(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw the ROC curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; if left out, in a new figure.
        **options
            As `evalcore.plots.plot_roc` takes them.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([True, False, True], [0.9, 0.5, 0.1])
        >>> from matplotlib.figure import Figure
        >>> evaluation.plot_roc(ax=Figure().add_subplot()).get_xlabel()
        'false positive rate'
        """
        from evalcore.plots import plot_roc

        return plot_roc(self, ax=ax, **options)

    def plot_precision_recall(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw the precision-recall curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; if left out, in a new figure.
        **options
            As `evalcore.plots.plot_precision_recall` takes them.

        Returns
        -------
        matplotlib.axes.Axes

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([True, False, True], [0.9, 0.5, 0.1])
        >>> from matplotlib.figure import Figure
        >>> evaluation.plot_precision_recall(ax=Figure().add_subplot()).get_xlabel()
        'recall'
        """
        from evalcore.plots import plot_precision_recall

        return plot_precision_recall(self, ax=ax, **options)

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import scores_html

        return scores_html(self._cases)
