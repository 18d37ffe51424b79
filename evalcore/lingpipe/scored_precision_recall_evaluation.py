"""ScoredPrecisionRecallEvaluation, spec 000: statistics of a ranking by score."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.lingpipe.ranking_statistics import RankingStatistics
from evalcore.lingpipe.saving import SavedScores
from evalcore.state.cases import MOST_MISSES
from evalcore.typing import BoolArray, ScoreArray
from evalcore.validation.arrays import as_cases
from evalcore.validation.values import as_label, as_score, check_cases, check_count, check_instance, takes_no_weights

_MOST_WAITING = 2_000
"""Scores and labels of single cases that wait until they become arrays together."""


class ScoredPrecisionRecallEvaluation(
    SavedScores, RankingStatistics, live="addCase addCases addMisses addNegativeMisses merge"
):
    """Collect scored cases, and report statistics of their ranking.

    Higher scores are more confident.  Cases with equal scores enter a curve together; a statistic of a rank is the mean
    over all their orders.  No result depends on the order of the cases, and two evaluations are equal if they hold the
    same cases and misses.  Cases have no weights here: `evalcore.metrics.roc_auc_score` and `evalcore.evaluate`
    take them.

    The first statistic after adding cases costs one sort, O(n log n), every later one O(n). Source: spec 000 (LingPipe
    3.9.2), which also describes later versions.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

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
        waiting = self._waiting
        if len(waiting) > _MOST_WAITING:
            with self._lock:
                self._settle()
        # A lock for each case would double its price, and a call to check the plain one add a quarter.
        if score.__class__ is float and score == score and (correct is True or correct is False):  # noqa: PLR0124
            waiting.extend((score, correct))
        elif isinstance(score, np.float16 | np.float32):  # narrow scores stay so
            label, number = as_label(correct, "correct"), as_score(score, "score")
            self._extend(np.array([label]), np.array([number], np.float32))
        else:
            label = as_label(correct, "correct")
            waiting.extend((as_score(score, "score"), label))

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
        self._extend(*as_cases(correct, scores))

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
        self._miss("misses", count)

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
        self._miss("negative_misses", count)

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
        theirs, cases = checked._now()._cases, self._cases
        with self._lock:
            check_count(theirs.misses, "other's misses", MOST_MISSES - cases.misses)
            check_count(theirs.negative_misses, "other's negative misses", MOST_MISSES - cases.negative_misses)
            self._settle()
            self._moment = None
            cases.merge(theirs)

    def _miss(self, kind: str, count: int) -> None:
        misses = check_cases(count, "count")
        with self._lock:
            earlier = getattr(self._cases, kind)
            more = check_count(misses, "count", MOST_MISSES - earlier)
            if self._moment is not None:
                self._cases._ordering, self._moment = self._moment._cases._ordering, None  # a miss has no place in it
            setattr(self._cases, kind, earlier + more)

    def _extend(self, correct: BoolArray, scores: ScoreArray) -> None:
        with self._lock:
            self._settle()
            self._moment = None
            self._cases.extend(correct, scores)

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
