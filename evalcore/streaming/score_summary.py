"""ScoreSummary: what can be said of a ranking by score after one pass in constant memory."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evalcore.errors import EvaluationError
from evalcore.kernels.score_bins import ScoreIntervals
from evalcore.kernels.score_counts import ScoreCounts
from evalcore.measures import binary, curves, thresholds
from evalcore.measures.certified import Certified, outward
from evalcore.measures.interval_bounds import average_precision_bounds
from evalcore.state.score_sketch import ScoreSketch
from evalcore.streaming.curves import (
    PrecisionRecallCurve,
    RocCurve,
    precision_recall_points,
    precisions_and_recalls,
    roc_points,
)
from evalcore.streaming.cuts import DEFAULT_CAPACITY, checked_capacity, checked_cuts
from evalcore.streaming.saving import MOST_CASES, SavedSummary
from evalcore.typing import FloatArray, Label
from evalcore.validation.arrays import as_cases
from evalcore.validation.positive_labels import as_positive_mask
from evalcore.validation.single_values import as_score, check_count, check_instance, check_number


class ScoreSummary(SavedSummary):
    """Summarise scored cases in constant memory, and answer with bounds that certainly hold the exact value.

    Exact while there are no more distinct scores than the capacity.  Beyond that neighbouring scores share an interval,
    and every answer lies between that of the worst arrangement of the cases in their intervals and that of the best:
    for the ROC area about 1 / capacity wide, more where scores drift in time or summaries with other cuts are merged.
    Misses have no score and count as ranked last, as in `ScoredPrecisionRecallEvaluation`.  All answers are in 0 .. 1,
    and NaN where the measure is not defined; O(k log k) for k intervals, the first one after cases came O(w log w) for
    w cases that wait.  Two are equal that hold the same intervals, misses, capacity and cuts.

    Parameters
    ----------
    capacity : int
        Intervals at most, at least 4: of 32 bytes each.
    cuts : (c,) array-like, optional
        The lowest scores of all intervals but the first, ascending, fewer than the capacity: from `learn_cuts`, or from
        another summary.  Summaries that all are given the same cuts and capacity merge in any order to the same bits,
        and no interval overlaps another.  If left out they are learnt as soon as they are needed, and again where many
        later scores fall into few intervals.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If the capacity is no integer or below 4, or the cuts are no ascending scores, or too many.

    Notes
    -----
    Positives and negatives have equal shares in deciding where intervals end.  Up to 2**21 cases, of 9 bytes each, wait
    to be sorted together; with them and the last answers a summary takes 2 to 40 MB.  At most 2**62 cases and misses.

    Examples
    --------
    >>> summary = ScoreSummary(capacity=4)
    >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
    >>> summary.roc_auc()
    0.75
    >>> summary.update([1, 1, 0, 0], [0.7, 0.6, 0.3, 0.2])
    >>> summary
    ScoreSummary(cases=8, positives=4, negatives=4, intervals=3 of 4)
    >>> summary.roc_auc().low <= 0.8125 <= summary.roc_auc().high
    True
    """

    __slots__ = ()

    def __init__(self, capacity: int = DEFAULT_CAPACITY, cuts: ArrayLike | None = None) -> None:
        checked = checked_capacity(capacity)
        self._cases = ScoreSketch(checked, None if cuts is None else checked_cuts(cuts, checked))

    @property
    def capacity(self) -> int:
        """Intervals at most.

        >>> ScoreSummary().capacity
        65536
        """
        return self._cases.capacity

    @property
    def cuts(self) -> FloatArray | None:
        """Lowest scores of the intervals but the first, (c,) ascending, read-only; None where there are none yet.

        >>> ScoreSummary(cuts=[0.25, 0.5]).cuts
        array([0.25, 0.5 ])
        """
        return self._cases.cells.cuts

    @property
    def intervals(self) -> ScoreIntervals:
        """Low and high scores of the intervals, ascending, and their positives and negatives, (k,) each.

        >>> _example().intervals.low
        array([0.1, 0.4, 0.8, 0.9])
        """
        return self._cases.cells.intervals

    @property
    def exact(self) -> bool:
        """Whether every answer is the exact value, for all distinct scores have an interval each.

        >>> ScoreSummary().exact
        True
        """
        return self.intervals.are_points

    @property
    def size(self) -> int:
        """Cases with a score.

        >>> ScoreSummary().size
        0
        """
        return self._cases.size

    @property
    def positives(self) -> int:
        """Positive cases, and misses.

        >>> ScoreSummary().positives
        0
        """
        return int(self.intervals.positives.sum()) + self.misses

    @property
    def negatives(self) -> int:
        """Negative cases, and negative misses.

        >>> ScoreSummary().negatives
        0
        """
        return int(self.intervals.negatives.sum()) + self.negative_misses

    @property
    def misses(self) -> int:
        """Positives that were never retrieved, and so have no score; can be set.

        Raises EvaluationError, EvaluationTypeError for a negative count, for no integer, for more than 2**62 in all.

        >>> summary = ScoreSummary()
        >>> summary.misses += 2
        >>> summary.positives
        2
        """
        return self._cases.misses

    @misses.setter
    def misses(self, count: int) -> None:
        self._cases.misses = check_count(count, "misses", self._room + self._cases.misses)

    @property
    def negative_misses(self) -> int:
        """Negatives that were never retrieved, and so have no score; can be set.  As `misses`.

        >>> summary = ScoreSummary()
        >>> summary.negative_misses = 3
        >>> summary.negatives
        3
        """
        return self._cases.negative_misses

    @negative_misses.setter
    def negative_misses(self, count: int) -> None:
        self._cases.negative_misses = check_count(count, "negative_misses", self._room + self._cases.negative_misses)

    def update(self, y: ArrayLike, s: ArrayLike, *, pos_label: Label | None = None) -> None:
        """Add a batch of cases, all of them or, on an error, none.

        y: (n,) labels, in {0, 1} or {-1, 1} unless `pos_label`, a number or string, is the positive one, which a batch
        may lack; s: (n,) scores, finite or infinite.  Labels are checked batch by batch.  O(n log n).

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If the labels are not what `evalcore.metrics.roc_curve` takes, the scores no numbers, one is not
            one-dimensional, their lengths differ, or there are more than 2**62 cases and misses then.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0], [0.9, 0.1])
        >>> summary.update(["spam", "ham"], [0.8, 0.2], pos_label="spam")
        >>> summary.size, summary.positives
        (4, 2)
        """
        cases = as_cases(as_positive_mask(y, pos_label, "update", "y"), s, ("y", "s"))
        check_count(cases.scores.size, "the number of cases in s", self._room)
        self._cases.extend(*cases)

    def merge(self, other: ScoreSummary) -> None:
        """Add the cases and misses of another summary; the capacity stays.  O(k log k), and O(w log w) for what waits.

        Raises
        ------
        EvaluationTypeError
            If `other` is not a ScoreSummary.
        EvaluationError
            If both together have more than 2**62 cases and misses.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0], [0.9, 0.1])
        >>> summary.merge(summary)
        >>> summary.size
        4
        """
        checked: ScoreSummary = check_instance(other, ScoreSummary, "other")
        check_count(MOST_CASES - checked._room, "other's cases and misses", self._room)
        self._cases.merge(checked._cases)

    def roc_auc(self) -> Certified:
        """Return the chance that a positive is ranked above a negative, ties counting half; NaN of one class.

        The pairs in doubt are those whose intervals overlap.  Misses rank behind all scores, a miss and a negative miss
        side by side.  Source: Hanley and McNeil (1982).

        >>> _example().roc_auc()
        0.75
        """
        positives, negatives, unranked = self.positives, self.negatives, self.misses * self.negative_misses

        def area(counts: ScoreCounts) -> float:
            pairs = counts.pairs
            return curves.roc_area(pairs._replace(tied=pairs.tied + unranked), positives, negatives)

        return self._certified(area)

    def average_precision(self) -> Certified:
        """Return the precision after each positive, averaged over all positives; NaN without positives.

        >>> _example().average_precision()
        0.8333333333333333
        """
        if self.exact:
            return self._certified(lambda counts: curves.average_precision(counts.points, self.positives))
        return outward(*average_precision_bounds(self.intervals, self.positives))

    def maximum_f_measure(self, beta: float = 1.0) -> Certified:
        """Return the largest F measure of a threshold; 0.0 without positives.

        Raises EvaluationTypeError if `beta` is no number.

        >>> _example().maximum_f_measure()
        0.8
        """
        checked, positives = check_number(beta, "beta"), self.positives

        def largest(counts: ScoreCounts) -> float:
            best = curves.maximum_f_measure(counts.points, positives, checked)
            return best.value if best.predicted_positive else 0.0

        return self._certified(largest)

    def precision_at_threshold(self, t: float) -> Certified:
        """Return the share of positives among the scores of at least `t`; NaN where there are none.

        >>> _example().precision_at_threshold(0.4)
        0.6666666666666666
        """
        return self._at_threshold(t, binary.precision)

    def recall_at_threshold(self, t: float) -> Certified:
        """Return the share of the positives that have a score of at least `t`; NaN without positives.

        >>> _example().recall_at_threshold(0.5)
        0.5
        """
        positives = self.positives
        return self._at_threshold(t, lambda tp, _: binary.recall(tp, positives - tp))

    def f_measure_at_threshold(self, t: float, beta: float = 1.0) -> Certified:
        """Return the F measure of taking scores of at least `t` for positive; NaN where nothing is.

        >>> _example().f_measure_at_threshold(0.4)
        0.8
        """
        positives, checked = self.positives, check_number(beta, "beta")
        return self._at_threshold(t, lambda tp, fp: binary.f_measure_of_counts(tp, positives - tp, fp, checked))

    def recall_at_precision(self, precision: float) -> Certified:
        """Return the largest recall of a threshold whose precision is at least this; 0.0 if none has it.

        Precisions are compared as float64, at any number of cases.  NaN without positives.  Raises EvaluationError for
        a precision outside 0 .. 1.

        >>> _example().recall_at_precision(0.6)
        1.0
        """
        return self._largest(
            lambda precisions, recalls, least: thresholds.largest_where(recalls, precisions, least),
            _checked_share(precision, "precision"),
        )

    def precision_at_recall(self, recall: float) -> Certified:
        """Return the largest precision of a threshold whose recall is at least this; 0.0 if none has it.

        NaN without positives.  Raises EvaluationError for a recall outside 0 .. 1.

        >>> _example().precision_at_recall(0.75)
        0.6666666666666666
        """
        return self._largest(thresholds.largest_where, _checked_share(recall, "recall"))

    def roc_curve(self) -> RocCurve:
        """Return the false and true positive rates at every threshold whose counts are certain: points of the curve.

        Between two of them lie the cases of one interval, or of a few that overlap.  Misses are never accepted.

        >>> _example().roc_curve().tpr
        array([0. , 0.5, 0.5, 1. , 1. ])
        """
        infinite = bool(np.any(self.intervals.high == np.inf))
        return roc_points(self.intervals.certain, self.positives, self.negatives, infinite)

    def precision_recall_curve(self) -> PrecisionRecallCurve:
        """Return precision and recall at every threshold whose counts are certain: points of the curve.

        >>> _example().precision_recall_curve().recall
        array([1. , 1. , 0.5, 0.5, 0. ])
        """
        return precision_recall_points(self.intervals.certain, self.positives)

    def __copy__(self) -> ScoreSummary:
        return copy.deepcopy(self)  # a copy that shared what waits would count only some of what comes later

    def __repr__(self) -> str:
        kept = "exact" if self.exact else f"intervals={self.intervals.low.size} of {self.capacity}"
        return f"ScoreSummary(cases={self.size}, positives={self.positives}, negatives={self.negatives}, {kept})"

    @property
    def _room(self) -> int:
        return MOST_CASES - self._cases.size - self._cases.misses - self._cases.negative_misses

    def _certified(
        self, measure: Callable[[ScoreCounts], float], at_best: Callable[[ScoreCounts], float] | None = None
    ) -> Certified:
        """Ask a measure that rises with the scores of positives and falls with those of negatives."""
        worst, best = self._cases.arrangements
        if worst is best:
            value = measure(worst)
            return Certified(value, value)
        return outward(measure(worst), (at_best or measure)(best))

    def _at_threshold(self, t: float, measure: Callable[[int, int], Any]) -> Certified:
        threshold = as_score(t, "t")
        low, high = (counts.at_or_above(threshold) for counts in self._cases.arrangements)
        value = float(measure(*low))
        return Certified(value, value) if low == high else outward(value, float(measure(*high)))

    def _largest(self, of: Callable[[FloatArray, FloatArray, float], float], least: float) -> Certified:
        positives = self.positives

        def largest(counts: ScoreCounts) -> float:
            if positives and not counts.scores.size:
                return 0.0  # misses alone
            return of(*precisions_and_recalls(counts, positives), least)

        return self._certified(largest)


def _checked_share(value: Any, name: str) -> float:
    share = check_number(value, name)
    if not 0 <= share <= 1:
        raise EvaluationError(f"{name} must be in 0 .. 1, got {share}")
    return share


def _example() -> ScoreSummary:
    summary = ScoreSummary()
    summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
    return summary
