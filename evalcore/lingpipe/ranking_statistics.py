"""The statistics of ScoredPrecisionRecallEvaluation, spec 000, each computed by one measure."""

from collections.abc import Iterable

import numpy as np

from evalcore.kernels.runs import Runs
from evalcore.kernels.shapes import undominated
from evalcore.lingpipe.printing import printed_in_columns, read_only_rows, statistic_lines
from evalcore.measures import binary, curves, ranks
from evalcore.state.cases import ScoredCases
from evalcore.state.shared import Shared
from evalcore.typing import FloatArray, SupportsWrite
from evalcore.validation.arrays import as_curve
from evalcore.validation.values import check_count, check_number

_PRINTED_DEPTHS = 5, 10, 25, 100, 500


class RankingStatistics(Shared):
    """Report curves and statistics of scored cases; `ScoredPrecisionRecallEvaluation` adds the cases."""

    __slots__ = ("_cases",)

    def __init__(self) -> None:
        self._cases = ScoredCases()

    def scored_cases(self) -> ScoredCases:
        """Return the cases as they are now, for plots and reports: not a copy, so do not change them.  O(1).

        >>> _example().scored_cases().positives
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

        >>> _example().numPositiveRef()
        4
        """
        return self._cases.positives

    def numNegativeRef(self) -> int:
        """Return the number of negative references: incorrect cases and negative misses.  O(n).

        >>> _example().numNegativeRef()
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
        >>> _example().prCurve(True)
        array([[0.75      , 0.6       ],
               [1.        , 0.44444444]])
        """
        runs = self._pr_runs(interpolate)
        return read_only_rows(_recalls(runs), _precisions(runs))

    def prScoreCurve(self, interpolate: bool) -> FloatArray:
        """Return the precision-recall curve with scores: recall, precision and score per operating point.  O(n).

        Parameters
        ----------
        interpolate : bool
            As in `prCurve`.

        Returns
        -------
        (p, 3) float64
            Read-only.

        Examples
        --------
        >>> _example().prScoreCurve(True)
        array([[ 0.75      ,  0.6       , -1.6       ],
               [ 1.        ,  0.44444444, -2.01      ]])
        """
        runs = self._pr_runs(interpolate)
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
        >>> _example().rocCurve(True)
        array([[0.25      , 0.83333333],
               [0.75      , 0.66666667],
               [1.        , 0.16666667]])
        """
        runs = self._roc_runs(interpolate)
        return read_only_rows(_recalls(runs), _specificities(runs))

    def areaUnderPrCurve(self, interpolate: bool) -> float:
        """Return the area under the steps of the precision-recall curve, in 0 .. 1.  O(n).

        0.0 without correct cases.

        Parameters
        ----------
        interpolate : bool
            As in `prCurve`.

        Examples
        --------
        >>> round(_example().areaUnderPrCurve(False), 12), round(_example().areaUnderPrCurve(True), 12)
        (0.511111111111, 0.561111111111)
        """
        return self._or_zero(float(curves.average_precisions(self._pr_runs(interpolate))[0]))

    def areaUnderRocCurve(self, interpolate: bool) -> float:
        """Return the area under the steps of the ROC curve, in 0 .. 1.  O(n).

        0.0 without correct cases, else NaN without negatives.  Incorrect cases count as ranked above the correct cases
        they tie with.

        Parameters
        ----------
        interpolate : bool
            As in `rocCurve`.

        Examples
        --------
        >>> _example().areaUnderRocCurve(False)
        0.5833333333333334
        """
        return self._or_zero(curves.roc_step_area(self._roc_runs(interpolate)))

    def averagePrecision(self) -> float:
        """Return the sum of the precisions at each correct case over the number of positives, in 0 .. 1.  O(n).

        The same as ``areaUnderPrCurve(False)``, but NaN without positives.

        >>> round(_example().averagePrecision(), 12)
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
        >>> round(_example().maximumFMeasure(), 12), _example().maximumFMeasure(2.0)
        (0.666666666667, 0.8)
        """
        checked = check_number(beta, "beta")
        value = float(curves.maximum_f_measures(self._cases.runs, checked).values[0])
        return self._or_zero(np.nan if np.isnan(checked) else value)

    def prBreakevenPoint(self) -> float:
        """Return the precision of the first interpolated point whose recall reaches its precision, in 0 .. 1.  O(n).

        0.0 if there is no such point.

        >>> _example().prBreakevenPoint()
        0.6
        """
        return float(curves.break_even_points(self._cases.runs)[0])

    def elevenPtInterpPrecision(self) -> FloatArray:
        """Return the largest precision at recall >= 0.0, 0.1, .. 1.0, in 0 .. 1; 0.0 beyond the last recall.

        Returns (11,) float64, read-only.  O(n).

        >>> _example().elevenPtInterpPrecision()[[0, 7, 8]]
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
        >>> _example().precisionAt(5), _example().precisionAt(100)
        (0.6, nan)
        """
        depth = check_count(rank, "rank")
        return self._precision_at(depth) if 0 < depth <= self._cases.size else np.nan

    def rPrecision(self) -> float:
        """Return the fraction of correct cases among the best R, in 0 .. 1, where R is the number of positives.  O(n).

        If there are fewer than R cases, the rest count as incorrect.  NaN without positives.

        >>> _example().rPrecision()
        0.5
        """
        positives = self._cases.positives
        return self._precision_at(positives) if positives else np.nan

    def reciprocalRank(self) -> float:
        """Return 1 / rank (from 1) of the first correct case, in 0 .. 1; 0.0 without correct cases.  O(rank).

        If it is tied, the mean over the orders of its tie group.

        >>> _example().reciprocalRank()
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
        >>> _example().printPrecisionRecallCurve(_example().prCurve(True), sys.stdout)
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

        >>> print(_example().toString().splitlines()[-1].strip())
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

    def _pr_runs(self, interpolate: bool) -> Runs:
        runs = self._cases.runs
        return runs.at(undominated(_precisions(runs))) if interpolate else runs

    def _roc_runs(self, interpolate: bool) -> Runs:
        runs = self._cases.runs
        return runs.at(undominated(_specificities(runs))) if interpolate else runs

    def _precision_at(self, depth: int) -> float:
        return float(ranks.precisions_at(self._cases.runs, np.array([depth]))[0])

    def _or_zero(self, value: float) -> float:
        """Return the documented 0.0 if there is no correct case."""
        return value if self._cases.runs.positives.size else 0.0


def _precisions(runs: Runs) -> FloatArray:
    return np.asarray(binary.precision(runs.tp, runs.fp))


def _recalls(runs: Runs) -> FloatArray:
    return np.asarray(binary.recall(runs.tp, runs.totals[0] - runs.tp))


def _specificities(runs: Runs) -> FloatArray:
    return np.asarray(binary.specificity(runs.fp, runs.totals[1] - runs.fp))


def _example() -> RankingStatistics:
    """Return the ten cases of the class documentation."""
    evaluation = RankingStatistics()
    correct = np.array([0, 1, 0, 1, 1, 0, 0, 0, 1, 0], np.bool_)
    evaluation._cases.extend(correct, np.array([-1.21, -1.27, -1.39, -1.47, -1.6, -1.65, -1.79, -1.8, -2.01, -3.7]))
    return evaluation
