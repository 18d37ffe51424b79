"""ScoredPrecisionRecallEvaluation, spec 000: scored cases, and statistics of their ranking."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.kernels.runs import Runs
from evalcore.kernels.shapes import undominated
from evalcore.lingpipe.precision_recall_evaluation import printed_in_columns, read_only_rows, statistic_lines
from evalcore.measures import binary, curves, ranks
from evalcore.saving.container import Snapshot
from evalcore.saving.saved import Saved
from evalcore.state.cases import MOST_MISSES, ScoredCases
from evalcore.state.shared import Shared
from evalcore.typing import BoolArray, FloatArray, ScoreArray, SupportsWrite
from evalcore.validation import values
from evalcore.validation.arrays import as_cases, as_curve

_PRINTED_DEPTHS = 5, 10, 25, 100, 500


def _precisions(runs: Runs) -> FloatArray:
    return np.asarray(binary.precision(runs.tp, runs.fp))


def _recalls(runs: Runs) -> FloatArray:
    return np.asarray(binary.recall(runs.tp, runs.totals[0] - runs.tp))


def _specificities(runs: Runs) -> FloatArray:
    return np.asarray(binary.specificity(runs.fp, runs.totals[1] - runs.fp))


_MOST_WAITING = 2_000
"""Scores and labels of single cases that wait until they become arrays together."""


@equal_by_content
class ScoredPrecisionRecallEvaluation(Saved, Shared, live="addCase addCases addMisses addNegativeMisses merge"):
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

    __slots__ = ("_cases",)

    def __init__(self) -> None:
        self._cases = ScoredCases()

    def scored_cases(self) -> ScoredCases:
        """Return the cases as they are now, for plots and reports: not a copy, so do not change them.  O(1).

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.scored_cases().positives
        4
        """
        return self._cases

    def numCases(self) -> int:
        """Return the number of cases, without misses.  O(1).

        >>> ScoredPrecisionRecallEvaluation().numCases()
        0
        """
        return self._cases.size

    def numPositiveRef(self) -> int:
        """Return the number of positive references: correct cases and misses.  O(n).

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.numPositiveRef()
        4
        """
        return self._cases.positives

    def numNegativeRef(self) -> int:
        """Return the number of negative references: incorrect cases and negative misses.  O(n).

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.numNegativeRef()
        6
        """
        return self._cases.negatives

    def prCurve(self, interpolate: bool) -> FloatArray:
        """Return the precision-recall curve: one row of recall and precision per operating point.  O(n).

        An operating point is a distinct score of a correct case, best first, at or above which all cases are predicted
        positive.

        Parameters
        ----------
        interpolate : bool
            Whether to drop a point if a later one is at least as precise.

        Returns
        -------
        (p, 2) float64
            In 0 .. 1, read-only.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.prCurve(True)
        array([[0.75      , 0.6       ],
               [1.        , 0.44444444]])
        """
        runs = self._runs(interpolate, _precisions)
        return read_only_rows(_recalls(runs), _precisions(runs))

    def prScoreCurve(self, interpolate: bool) -> FloatArray:
        """Return the precision-recall curve with scores: recall, precision and score per operating point.  O(n).

        Parameters
        ----------
        interpolate : bool
            Whether to drop a point if a later one is at least as precise.

        Returns
        -------
        (p, 3) float64
            Read-only.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.prScoreCurve(True)
        array([[0.75      , 0.6       , 6.        ],
               [1.        , 0.44444444, 2.        ]])
        """
        runs = self._runs(interpolate, _precisions)
        scores = self._cases.ordering.scores(runs.tp + runs.fp - 1)
        return read_only_rows(_recalls(runs), _precisions(runs), scores)

    def rocCurve(self, interpolate: bool) -> FloatArray:
        """Return the ROC curve: one row of recall and rejection recall per operating point.  O(n).

        Rejection recall is 1 - fp / negatives, NaN without negatives.

        Parameters
        ----------
        interpolate : bool
            Whether to drop a point if a later one has at least the same rejection recall.

        Returns
        -------
        (p, 2) float64
            In 0 .. 1, read-only.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.rocCurve(True)
        array([[0.25      , 0.83333333],
               [0.75      , 0.66666667],
               [1.        , 0.16666667]])
        """
        runs = self._runs(interpolate, _specificities)
        return read_only_rows(_recalls(runs), _specificities(runs))

    def areaUnderPrCurve(self, interpolate: bool) -> float:
        """Return the area under the steps of the precision-recall curve, in 0 .. 1.  O(n).

        0.0 without correct cases.

        Parameters
        ----------
        interpolate : bool
            Whether to drop a point if a later one is at least as precise.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> round(evaluation.areaUnderPrCurve(False), 12), round(evaluation.areaUnderPrCurve(True), 12)
        (0.511111111111, 0.561111111111)
        """
        return self._or_zero(float(curves.average_precisions(self._runs(interpolate, _precisions))[0]))

    def areaUnderRocCurve(self, interpolate: bool) -> float:
        """Return the area under the steps of the ROC curve, in 0 .. 1.  O(n).

        0.0 without correct cases, else NaN without negatives.  Incorrect cases count as ranked above the correct cases
        they tie with.

        Parameters
        ----------
        interpolate : bool
            Whether to drop a point if a later one has at least the same rejection recall.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.areaUnderRocCurve(False)
        0.5833333333333334
        """
        return self._or_zero(curves.roc_step_area(self._runs(interpolate, _specificities)))

    def averagePrecision(self) -> float:
        """Return the sum of the precisions at each correct case over the number of positives, in 0 .. 1.  O(n).

        The same as ``areaUnderPrCurve(False)``, but NaN without positives.

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> round(evaluation.averagePrecision(), 12)
        0.511111111111
        """
        return float(curves.average_precisions(self._cases.runs)[0])

    def maximumFMeasure(self, beta: float = 1.0) -> float:
        """Return the largest F measure of an uninterpolated operating point, in 0 .. 1.  O(n).

        0.0 without correct cases.

        Parameters
        ----------
        beta : float, default 1.0
            Weight of recall.  If beta² is infinite, recall alone counts.

        Raises
        ------
        EvaluationTypeError
            If `beta` is not a number.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> round(evaluation.maximumFMeasure(), 12), evaluation.maximumFMeasure(2.0)
        (0.666666666667, 0.8)
        """
        checked = values.check_number(beta, "beta")
        value = float(curves.maximum_f_measures(self._cases.runs, checked).values[0])
        return self._or_zero(np.nan if np.isnan(checked) else value)

    def prBreakevenPoint(self) -> float:
        """Return the precision of the first interpolated point whose recall reaches its precision, in 0 .. 1.  O(n).

        0.0 if there is no such point.

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.prBreakevenPoint()
        0.6
        """
        return float(curves.break_even_points(self._cases.runs)[0])

    def elevenPtInterpPrecision(self) -> FloatArray:
        """Return the largest precision at recall >= 0.0, 0.1, .. 1.0, in 0 .. 1; 0.0 beyond the last recall.

        Returns (11,) float64, read-only.  O(n).

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.elevenPtInterpPrecision()[[0, 7, 8]]
        array([0.6       , 0.6       , 0.44444444])
        """
        levels = curves.interpolated_precisions(self._cases.runs)
        levels.flags.writeable = False
        return levels

    def precisionAt(self, rank: int) -> float:
        """Return the fraction of correct cases among the `rank` best, in 0 .. 1.  O(rank).

        NaN for 0 and beyond the last case.  If tied cases straddle the rank, the mean over their orders.

        Parameters
        ----------
        rank : int
            From 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the rank is negative or not an integer.

        Examples
        --------
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.precisionAt(5), evaluation.precisionAt(100)
        (0.6, nan)
        """
        depth = values.check_count(rank, "rank")
        return self._precision_at(depth) if 0 < depth <= self._cases.size else np.nan

    def rPrecision(self) -> float:
        """Return the fraction of correct cases among the best R, in 0 .. 1, where R is the number of positives.  O(n).

        If there are fewer than R cases, the rest count as incorrect.  NaN without positives.

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.rPrecision()
        0.5
        """
        positives = self._cases.positives
        return self._precision_at(positives) if positives else np.nan

    def reciprocalRank(self) -> float:
        """Return 1 / rank (from 1) of the first correct case, in 0 .. 1; 0.0 without correct cases.  O(rank).

        If it is tied, the mean over the orders of its tie group.

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.reciprocalRank()
        0.5
        """
        return float(ranks.reciprocal_ranks(self._cases.runs)[0])

    @staticmethod
    def printPrecisionRecallCurve(prCurve: FloatArray, writer: SupportsWrite) -> None:
        """Write a curve of recall and precision as lines of precision, recall and F1.  O(p).

        Parameters
        ----------
        prCurve : array-like of shape (p, 2)
            From `prCurve`.
        writer : object with ``write``
            Such as an open file or `sys.stdout`.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the curve is invalid.

        Examples
        --------
        >>> import sys
        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> evaluation.printPrecisionRecallCurve(evaluation.prCurve(True), sys.stdout)
          PRECI.   RECALL        F
        0.600000 0.750000 0.666667
        0.444444 1.000000 0.615385
        """
        recalls, precisions = as_curve(prCurve, "prCurve").T
        rows = zip(precisions, recalls, np.asarray(binary.f_measure(precisions, recalls)), strict=True)
        writer.write(f"{'PRECI.':>8} {'RECALL':>8} {'F':>8}\n")
        writer.write("".join(f"{' '.join(map(printed_in_columns, row))}\n" for row in rows))

    def toString(self) -> str:
        """Return the documented statistics, one per line.  O(n).

        >>> evaluation = ScoredPrecisionRecallEvaluation()
        >>> evaluation.addCases([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], range(10, 0, -1))
        >>> print(evaluation.toString().splitlines()[-1].strip())
        Precision at 10=0.4
        """
        return statistic_lines(self._printed())

    __str__ = toString

    def _settle(self) -> None:
        end = len(self._waiting)
        if end:  # what other threads add meanwhile comes behind it
            self._moment = None
            scores, correct = self._waiting[:end:2], self._waiting[1:end:2]
            self._cases.extend(np.array(correct, np.bool_), np.array(scores, np.float64))
            del self._waiting[:end]

    def _printed(self) -> Iterable[tuple[str, float]]:
        average_precision = self.averagePrecision()
        yield "Area Under PR Curve (interpolated)", self.areaUnderPrCurve(True)
        yield "Area Under PR Curve (uninterpolated)", self._or_zero(average_precision)
        yield "Area Under ROC Curve (interpolated)", self.areaUnderRocCurve(True)
        yield "Area Under ROC Curve (uninterpolated)", self.areaUnderRocCurve(False)
        yield "Average Precision", average_precision
        yield "Maximum F(1) Measure", self.maximumFMeasure()
        yield "BEP (Precision-Recall break even point)", self.prBreakevenPoint()
        yield "Reciprocal Rank", self.reciprocalRank()
        depths = [depth for depth in _PRINTED_DEPTHS if depth <= self._cases.size]
        found = ranks.precisions_at(self._cases.runs, np.array(depths, np.int64)[:, np.newaxis])
        for depth, precision in zip(depths, found.ravel().tolist(), strict=True):
            yield f"Precision at {depth}", precision

    def _runs(self, interpolate: bool, height: Callable[[Runs], FloatArray]) -> Runs:
        runs = self._cases.runs
        return runs.at(undominated(height(runs))) if interpolate else runs

    def _precision_at(self, depth: int) -> float:
        return float(ranks.precisions_at(self._cases.runs, np.array([depth]))[0])

    def _or_zero(self, value: float) -> float:
        """Return the documented 0.0 if there is no correct case."""
        return value if self._cases.runs.positives.size else 0.0

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
            label, number = values.as_label(correct, "correct"), values.as_score(score, "score")
            self._extend(np.array([label]), np.array([number], np.float32))
        else:
            label = values.as_label(correct, "correct")
            waiting.extend((values.as_score(score, "score"), label))

    @values.takes_no_weights("roc_auc_score")
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
        theirs: ScoredCases = values.check_instance(other, ScoredPrecisionRecallEvaluation, "other")._now()._cases
        cases = self._cases
        with self._lock:
            values.check_count(theirs.misses, "other's misses", MOST_MISSES - cases.misses)
            values.check_count(theirs.negative_misses, "other's negative misses", MOST_MISSES - cases.negative_misses)
            self._settle()
            self._moment = None
            cases.merge(theirs)

    def _miss(self, kind: str, count: int) -> None:
        misses = values.check_cases(count, "count")
        with self._lock:
            earlier = getattr(self._cases, kind)
            more = values.check_count(misses, "count", MOST_MISSES - earlier)
            if self._moment is not None:
                self._cases._ordering, self._moment = self._moment._cases._ordering, None  # a miss has no place in it
            setattr(self._cases, kind, earlier + more)

    def _extend(self, correct: BoolArray, scores: ScoreArray) -> None:
        with self._lock:
            self._settle()
            self._moment = None
            self._cases.extend(correct, scores)

    def _compared(self) -> tuple[Any, ...]:
        return self._cases.misses, self._cases.negative_misses, *self._cases.ranked

    def _snapshot(self) -> Snapshot:
        cases = self._cases
        facts = {"misses": cases.misses, "negative_misses": cases.negative_misses}
        return Snapshot(self._kind, facts, {"score": cases.scores, "correct": cases.correct})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        correct, scores = snapshot.column("correct", np.bool_), snapshot.column("score", np.float32, np.float64)
        evaluation = cls()
        evaluation._cases.extend(*as_cases(correct, scores, ("correct", "score")))
        evaluation._cases.misses = snapshot.count("misses", MOST_MISSES)
        evaluation._cases.negative_misses = snapshot.count("negative_misses", MOST_MISSES)
        return evaluation

    def __repr__(self) -> str:
        cases = self._cases
        missed = f"misses={cases.misses}, negativeMisses={cases.negative_misses}"
        correct = cases.positives - cases.misses
        return f"ScoredPrecisionRecallEvaluation(cases={cases.size}, correct={correct}, {missed})"

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
        from evalcore.document.evaluations import scores_html

        return scores_html(self._cases)
