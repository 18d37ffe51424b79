"""ScoreSummary: scored cases after one pass in constant memory; statistics and curves with certain bounds."""

from __future__ import annotations  # keeps signatures short in help()

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, check
from evalcore.kernels.bins import ScoreCounts, ScoreIntervals, cut_points
from evalcore.kernels.blocks import blocks
from evalcore.kernels.sums import most_roundings, total
from evalcore.measures import binary, bounds
from evalcore.measures.bounds import Certified
from evalcore.saving.container import Snapshot
from evalcore.saving.saved import Saved
from evalcore.state.cases import WaitingCases
from evalcore.state.score_sketch import ScoreCells, ScoreSketch, ranked_batch
from evalcore.state.shared import Shared
from evalcore.text_tables import html_table
from evalcore.typing import AnyArray, BoolArray, FloatArray, Label, ScoreArray
from evalcore.validation.arrays import as_scores, check_equal_lengths, check_indices
from evalcore.validation.positive_class import as_scored_cases
from evalcore.validation.values import as_score, check_count, check_instance, check_number
from evalcore.validation.weights import as_added_weights, as_case_weights, total_weight

DEFAULT_CAPACITY = 65_536
_LEAST_CAPACITY = 4


def learn_cuts(
    y_true: ArrayLike,
    y_score: ArrayLike,
    capacity: int = DEFAULT_CAPACITY,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
) -> FloatArray:
    """Return the cuts that a first batch of cases suggests, for summaries that will merge.  O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes: at least one case, better ten for each interval.
    y_score : array-like of shape (n,)
        Finite or infinite scores.
    capacity : int
        Of the summaries.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases, not negative, and not all of them zero.
    pos_label : int, float, bool or str, optional
        The positive class; if left out, labels are in {0, 1} or {-1, 1}.

    Returns
    -------
    (c,) float64
        Ascending, c < capacity.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `ScoreSummary`, and if there are no cases.

    Notes
    -----
    Use it before summaries are made in several places, on a sample of what they will see; a single summary learns
    its own.

    Examples
    --------
    >>> cuts = learn_cuts([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], capacity=4)
    >>> cuts
    array([0.3, 0.5])
    """
    check_indices(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    labels, scores = as_scored_cases(y_true, y_score, pos_label, "learn_cuts")
    check(scores.size, "y_true", "hold at least one case to learn cuts from", "none")
    if sample_weight is not None:
        labels, scores = _weighted(labels, scores, as_case_weights(sample_weight, scores.size))
    return cut_points(ranked_batch(labels, scores).points, checked_capacity(capacity))


def checked_capacity(capacity: Any) -> int:
    """Return a valid number of intervals.  Raises as `ScoreSummary`.  O(1)."""
    number = check_count(capacity, "capacity")
    check(number >= _LEAST_CAPACITY, "capacity", f"be at least {_LEAST_CAPACITY}", number)
    return number


def checked_cuts(cuts: Any, capacity: int) -> FloatArray:
    """Return valid cuts as (c,) float64, read-only.  Raises as `ScoreSummary`.  O(c)."""
    ascending = as_scores(cuts, "cuts").astype(np.float64) + 0.0
    if np.any(ascending[1:] <= ascending[:-1]):
        index = int(np.argmax(ascending[1:] <= ascending[:-1])) + 1
        why = f"cuts must be ascending, got {ascending[index]} at index {index} after {ascending[index - 1]}"
        raise EvaluationError(why)
    check(ascending.size < capacity, "cuts", f"be fewer than the capacity {capacity}", ascending.size)
    ascending.flags.writeable = False
    return ascending


@equal_by_content
class RocCurve(NamedTuple):
    """Points of a ROC curve whose counts are certain, by descending threshold."""

    fpr: FloatArray
    """Shape (p + 1,), ascending from 0; NaN without negatives."""
    tpr: FloatArray
    """Shape (p + 1,), ascending from 0; NaN without positives."""
    thresholds: FloatArray
    """Shape (p + 1,), descending from infinity, or from NaN if a score is infinite.  The rates count the cases with
    ``score >= threshold``: none at the first one."""


@equal_by_content
class PrecisionRecallCurve(NamedTuple):
    """Points of a precision-recall curve whose counts are certain, by ascending threshold."""

    precision: FloatArray
    """Shape (p + 1,); the last is 1, where nothing is predicted positive."""
    recall: FloatArray
    """Shape (p + 1,), descending to 0; NaN without positives."""
    thresholds: FloatArray
    """Shape (p,), ascending."""


MOST_CASES_AND_MISSES = 2**62
"""Cases and misses together, so that every count is int64."""
_LARGEST_SUM = 2.0**1023
"""Of weights, so that sums of them are finite in whatever order they are added."""


@equal_by_content
class SummaryIntervals(NamedTuple):
    """Intervals of scores in a summary, in the order of their low ends, and the cases in them."""

    low: FloatArray
    """Shape (k,), ascending."""
    high: FloatArray
    """Shape (k,), none below its low."""
    positives: AnyArray
    """Shape (k,), int64, or float64 where some weight is no whole number."""
    negatives: AnyArray
    """Shape (k,), of the same type."""


def check_size(size: float, name: str) -> None:
    """Raise EvaluationError for a sum of weights that float64 cannot hold.  O(1)."""
    check(size <= _LARGEST_SUM, name, f"have a sum of at most {_LARGEST_SUM:.3g}", f"{size:.3g}")


def _checked_fraction(value: Any, name: str) -> float:
    fraction = check_number(value, name)
    check(0 <= fraction <= 1, name, "be in 0 .. 1", fraction)
    return fraction


_SUMS = np.int64, np.float64
_DTYPES = {"low": (np.float64,), "high": (np.float64,), "positives": _SUMS, "negatives": _SUMS}


@equal_by_content
class ScoreSummary(Saved, Shared, live="merge update"):
    """Summarise scored cases in constant memory, and answer with bounds that always contain the exact value.

    Exact while there are at most `capacity` distinct scores.  Beyond that, neighbouring scores share an interval, and
    every answer is bounded by the worst and the best arrangement of the cases in their intervals.  The bounds of the
    ROC AUC are about 1 / capacity apart, further if scores drift in time or summaries with other cuts are merged.
    Misses have no score and count as ranked last, as in `ScoredPrecisionRecallEvaluation`.  All answers are in 0 .. 1,
    and NaN if the measure is undefined.  An answer costs O(k log k) for k intervals, and the first one after an update
    O(w log w) for w waiting cases.  Two summaries are equal if they hold the same intervals, misses, capacity and cuts.

    Threads may add to one object and ask it at once: no case is lost, and an answer is of one moment.

    Parameters
    ----------
    capacity : int
        Largest number of intervals, at least 4.  Each takes 32 bytes.
    cuts : array-like of shape (c,), optional
        The lowest scores of all intervals but the first, ascending, fewer than the capacity: from `learn_cuts` or from
        another summary.  Summaries with the same cuts and capacity merge in any order to the same bits (sums of
        weights that are not whole but for rounding), and their intervals do not overlap.  By default cuts are learnt
        when they are needed, and again if many later scores fall into few intervals.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If the capacity is below 4 or not an integer, or the cuts are too many or not ascending scores.

    Notes
    -----
    Positives and negatives have equal weight in choosing the intervals.  Up to 2**21 cases of 9 bytes each wait to be
    sorted together, with weights 16; with them and the last answers a summary takes 2 to 40 MB, with weights 60.  An
    update takes up to 80 MB while they are sorted, with weights 150.  At most 2**62 cases and misses.

    Whole weights, also floats such as 2.0, are counts: they equal repeated cases to the last bit wherever these are
    exact or the cuts are given.  From the first other weight on, sums are float64, and every answer is bounded for the
    rounding of these sums too: by about 1e-12, a little more for each batch and merge, where each distinct score has
    its own interval.  `size`, `positives` and `negatives` are then sums of weights; a miss has a weight of 1.

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

    __slots__ = ("_cases",)

    def __init__(self, capacity: int = DEFAULT_CAPACITY, cuts: ArrayLike | None = None) -> None:
        checked = checked_capacity(capacity)
        self._cases = ScoreSketch(checked, None if cuts is None else checked_cuts(cuts, checked))

    @property
    def capacity(self) -> int:
        """Largest number of intervals.

        >>> ScoreSummary().capacity
        65536
        """
        return self._cases.capacity

    @property
    def cuts(self) -> FloatArray | None:
        """Lowest scores of all intervals but the first, shape (c,) ascending, read-only; None if there are none yet.

        >>> ScoreSummary(cuts=[0.25, 0.5]).cuts
        array([0.25, 0.5 ])
        """
        return self._cases.cells.cuts

    @property
    def intervals(self) -> SummaryIntervals:
        """Low and high scores of the intervals, ascending, with their positives and negatives, shape (k,) each.

        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.intervals.low
        array([0.1, 0.4, 0.8, 0.9])
        """
        return SummaryIntervals(*self._intervals.columns)

    @property
    def exact(self) -> bool:
        """Whether every answer is exact, because each distinct score has its own interval.

        If a weight was no whole number, the rounding of sums still is unknown: bounds are about 1e-12 apart.

        >>> ScoreSummary().exact
        True
        """
        return self._intervals.are_points

    @property
    def size(self) -> int | float:
        """Number of cases with a score, or the sum of their weights: an integer while all of them are whole.

        >>> ScoreSummary().size
        0
        """
        return self._cases.size

    @property
    def positives(self) -> int | float:
        """Number of positive cases and misses; of cases with weights their sum, as `size`.

        >>> ScoreSummary().positives
        0
        """
        return total(self._intervals.positives) + self.misses

    @property
    def negatives(self) -> int | float:
        """Number of negative cases and negative misses; of cases with weights their sum, as `size`.

        >>> ScoreSummary().negatives
        0
        """
        return total(self._intervals.negatives) + self.negative_misses

    @property
    def misses(self) -> int:
        """Number of positives that were not retrieved and so have no score, with a weight of 1 each; can be set.

        Set it in one thread: ``+=`` reads it before it sets it.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If it is set to a negative number or not to an integer, or cases and misses exceed 2**62.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.misses += 2
        >>> summary.positives
        2
        """
        return self._cases.misses

    @misses.setter
    def misses(self, count: int) -> None:
        self._set_misses("misses", count)

    @property
    def negative_misses(self) -> int:
        """Number of negatives that were not retrieved and so have no score; can be set, as `misses`.

        >>> summary = ScoreSummary()
        >>> summary.negative_misses = 3
        >>> summary.negatives
        3
        """
        return self._cases.negative_misses

    @negative_misses.setter
    def negative_misses(self, count: int) -> None:
        self._set_misses("negative_misses", count)

    def roc_auc(self) -> Certified:
        """Return the chance that a positive ranks above a negative, ties counting half; NaN without both classes.

        Pairs are uncertain if their intervals overlap.  Misses and negative misses tie below all scores.  Source:
        Hanley and McNeil (1982).

        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.roc_auc()
        0.75
        """
        return self._certified(lambda counts: bounds.roc_auc(counts, self.misses, self.negative_misses))

    def average_precision(self) -> Certified:
        """Return the precision at each positive, averaged over all positives; NaN without positives.

        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.average_precision()
        0.8333333333333333
        """
        if self.exact:
            return self._certified(lambda counts: bounds.average_precision(counts, self.misses))
        return bounds.outward(*bounds.average_precision_bounds(self._intervals, self.positives), self._roundings)

    def maximum_f_measure(self, beta: float = 1.0) -> Certified:
        """Return the largest F measure of any threshold; 0.0 without positives.

        Parameters
        ----------
        beta : float, default 1.0
            Weight of recall.

        Raises
        ------
        EvaluationTypeError
            If `beta` is not a number.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.maximum_f_measure()
        0.8
        """
        checked = check_number(beta, "beta")
        return self._certified(lambda counts: bounds.maximum_f_measure(counts, self.misses, checked))

    def precision_at_threshold(self, t: float) -> Certified:
        """Return the fraction of positives among scores of at least `t`; NaN if there are none.

        Parameters
        ----------
        t : float
            Scores at or above it are predicted positive.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.precision_at_threshold(0.4)
        0.6666666666666666
        """
        return self._at_threshold(t, lambda tp, _, fp: binary.precision(tp, fp))

    def recall_at_threshold(self, t: float) -> Certified:
        """Return the fraction of positives with a score of at least `t`; NaN without positives.

        Parameters
        ----------
        t : float
            Scores at or above it are predicted positive.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.recall_at_threshold(0.5)
        0.5
        """
        return self._at_threshold(t, lambda tp, fn, _: binary.recall(tp, fn))

    def f_measure_at_threshold(self, t: float, beta: float = 1.0) -> Certified:
        """Return the F measure if scores of at least `t` are predicted positive; NaN if precision is undefined.

        Parameters
        ----------
        t : float
            Scores at or above it are predicted positive.
        beta : float, default 1.0
            Weight of recall.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.f_measure_at_threshold(0.4)
        0.8
        """
        checked = check_number(beta, "beta")
        return self._at_threshold(t, lambda tp, fn, fp: bounds.f_measure(tp, fn, fp, checked))

    def recall_at_precision(self, precision: float) -> Certified:
        """Return the largest recall of a threshold with at least a given precision; 0.0 if there is none.

        NaN without positives.  Precisions are compared as float64.

        Parameters
        ----------
        precision : float
            In 0 .. 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If `precision` is out of range or not a number.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.recall_at_precision(0.6)
        1.0
        """
        return self._largest(bounds.largest_recall, _checked_fraction(precision, "precision"))

    def precision_at_recall(self, recall: float) -> Certified:
        """Return the largest precision of a threshold with at least a given recall; 0.0 if there is none.

        NaN without positives.

        Parameters
        ----------
        recall : float
            In 0 .. 1.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If `recall` is out of range or not a number.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.precision_at_recall(0.75)
        0.6666666666666666
        """
        return self._largest(bounds.largest_precision, _checked_fraction(recall, "recall"))

    def roc_curve(self) -> RocCurve:
        """Return the points of the ROC curve whose counts are certain.

        Between two points lie the cases of one interval, or of a few that overlap.  Misses are never predicted
        positive.

        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.roc_curve().tpr
        array([0. , 0.5, 0.5, 1. , 1. ])
        """
        certain, highest = self._intervals.certain, self._intervals.high.max(initial=0)
        sides = (certain.fp, self.negative_misses), (certain.tp, self.misses)
        fpr, tpr = (bounds.rates(np.append(np.zeros_like(sums, shape=1), sums), unranked) for sums, unranked in sides)
        return RocCurve(fpr, tpr, np.append(np.nan if highest == np.inf else np.inf, certain.scores))

    def precision_recall_curve(self) -> PrecisionRecallCurve:
        """Return the points of the precision-recall curve whose counts are certain.

        >>> summary = ScoreSummary()
        >>> summary.update([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1])
        >>> summary.precision_recall_curve().recall
        array([1. , 1. , 0.5, 0.5, 0. ])
        """
        certain = self._intervals.certain
        precisions, recalls = (np.asarray(each)[::-1] for each in bounds.precisions_and_recalls(certain, self.misses))
        return PrecisionRecallCurve(np.append(precisions, 1.0), np.append(recalls, 0.0), certain.scores[::-1].copy())

    def _set_misses(self, kind: str, count: int) -> None:
        with self._lock:
            misses = check_count(count, kind, self._room + getattr(self._cases, kind))
            self._moment = None
            setattr(self._cases, kind, misses)

    @property
    def _intervals(self) -> ScoreIntervals:
        return self._cases.cells.intervals

    @property
    def _room(self) -> int:
        """How many more misses there may be, and cases while all weights are whole."""
        cases = int(self._cases.size) if self._cases.whole else 0
        return MOST_CASES_AND_MISSES - cases - self._cases.misses - self._cases.negative_misses

    @property
    def _roundings(self) -> int:
        """Roundings of the sums that an answer is made of; 0 of whole numbers."""
        intervals = self._intervals
        return 0 if intervals.whole else intervals.roundings + most_roundings(2 * intervals.low.size)

    def _certified(self, *measures: Callable[[ScoreCounts], float]) -> Certified:
        """Bound a measure that rises with the scores of positives and falls with those of negatives.

        measures: the measure, or its least value but for rounding, its largest, and the measure.
        """
        worst, best = self._cases.arrangements
        at_worst, at_best, measure = measures[0], measures[len(measures) // 2], measures[-1]
        if worst is not best:
            return bounds.outward(at_worst(worst), at_best(best), self._roundings)
        value = measure(worst)
        if worst.whole:
            return Certified(value, value)
        if len(measures) == 1:
            return bounds.outward(value, value, self._roundings, value)
        return bounds.outward(at_worst(worst), at_best(worst), self._roundings, value)

    def _at_threshold(self, t: float, measure: Callable[..., Any]) -> Certified:
        threshold = as_score(t, "t")
        tables = (counts.at_threshold(threshold) for counts in self._cases.arrangements)
        low, high = ((tp, below + self.misses, fp) for tp, below, fp in tables)
        value = float(measure(*low))
        if low != high:
            return bounds.outward(value, float(measure(*high)), self._roundings)
        return bounds.outward(value, value, self._roundings, value) if self._roundings else Certified(value, value)

    def _largest(self, of: Callable[..., float], least: float) -> Certified:
        if self.misses and not self._intervals.low.size:
            return Certified(0.0, 0.0)  # misses alone
        margin = bounds.margin_of(self._roundings)
        sides = (partial(of, misses=self.misses, least=least, margin=each) for each in (-margin, margin, 0.0))
        return self._certified(*sides)

    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> None:
        """Add a batch of cases, all of them or, on an error, none.  O(n log n).

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels, in {0, 1} or {-1, 1} unless `pos_label` is given.  Each batch is checked on its own.
        y_score : array-like of shape (n,)
            Finite or infinite scores.
        sample_weight : array-like of shape (n,), optional
            How much each case counts: finite, not negative; by default 1.  A case of weight 0 counts as absent.  A
            whole number counts as that many equal cases; see the notes of the class on other weights.
        pos_label : int, float, bool or str, optional
            The positive class, which a batch may lack.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If labels, scores or weights are invalid, a column is not one-dimensional, lengths differ, cases and misses,
            or the sum of integer weights, exceed 2**62, or the sum of all weights is infinite.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0], [0.9, 0.1])
        >>> summary.update(["spam", "ham"], [0.8, 0.2], pos_label="spam")
        >>> summary.size, summary.positives
        (4, 2)
        >>> summary.update([1, 0], [0.7, 0.3], sample_weight=[0.5, 2])
        >>> summary.size, summary.positives
        (6.5, 2.5)
        """
        check_indices(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
        labels, scores = as_scored_cases(y_true, y_score, pos_label, "update")
        weight = None
        with self._lock:
            if sample_weight is None:
                check_count(scores.size, "the number of cases in y_score", self._room)
            else:
                weights = as_added_weights(sample_weight, scores.size, self._room if self._cases.whole else None)
                total = total_weight(weights)
                check_size(self._cases.size + total, "sample_weight and earlier weights")
                weight = total if weights.dtype.kind == "f" else None  # the sum of whole numbers is exact
                labels, scores = _weighted(labels, scores, weights)
            self._moment = None
            self._cases.extend(labels, scores, weight)

    def merge(self, other: ScoreSummary) -> None:
        """Add the cases and misses of another summary; the capacity stays.  O(k log k + w log w) for w waiting cases.

        Parameters
        ----------
        other : ScoreSummary
            Unchanged.

        Raises
        ------
        EvaluationTypeError
            If `other` is not a ScoreSummary.
        EvaluationError
            If both together have more than 2**62 cases and misses, or an infinite sum of weights.

        Examples
        --------
        >>> summary = ScoreSummary()
        >>> summary.update([1, 0], [0.9, 0.1])
        >>> summary.merge(summary)
        >>> summary.size
        4
        """
        theirs: ScoreSummary = check_instance(other, ScoreSummary, "other")._now()
        with self._lock:
            if self._cases.whole and theirs._cases.whole:
                check_count(MOST_CASES_AND_MISSES - theirs._room, "other's cases and misses", self._room)
            else:
                check_count(theirs.misses + theirs.negative_misses, "other's misses", self._room)
                check_size(float(self._cases.size) + float(theirs.size), "the weights of both summaries")
            self._moment = None
            self._cases.merge(theirs._cases)

    def __repr__(self) -> str:
        kept = "exact" if self.exact else f"intervals={self.intervals.low.size} of {self.capacity}"
        return f"ScoreSummary(cases={self.size}, positives={self.positives}, negatives={self.negatives}, {kept})"

    def _repr_html_(self) -> str:
        counts = {"cases": self.size, "positives": self.positives, "negatives": self.negatives, "misses": self.misses}
        names = "ROC AUC", "average precision", "maximum F"
        answers = zip(names, (self.roc_auc(), self.average_precision(), self.maximum_f_measure()), strict=True)
        rows = [[name, f"{value:.6g}", repr(value.low), repr(value.high)] for name, value in answers]
        table = html_table([["measure", "value", "low", "high"], *rows])
        return html_table([list(counts), [f"{count:,}" for count in counts.values()]]) + table

    def _compared(self) -> tuple[Any, ...]:
        return self._cases.cells, self._cases.misses, self._cases.negative_misses

    def _snapshot(self) -> Snapshot:
        cells, waiting = self._cases.kept
        columns = dict(zip(cells.intervals._fields, cells.intervals.columns, strict=False))
        if waiting.size:
            labels = "waiting_correct" if waiting.labels.dtype.kind == "b" else "waiting_weight"
            columns |= {"waiting_score": waiting.scores, labels: waiting.labels}
        if cells.cuts is not None:
            columns["cuts"] = cells.cuts
        facts = {
            "capacity": cells.capacity,
            "misses": self._cases.misses,
            "negative_misses": self._cases.negative_misses,
            "given": cells.given,
        }
        if not cells.intervals.whole:
            facts["roundings"] = cells.intervals.roundings
        return Snapshot(self._kind, facts, columns)

    def to_arrow(self) -> Any:
        """Return the intervals as a pyarrow Table of low, high, positives, negatives and cuts.

        Waiting cases are sorted into their intervals first, O(k + w log w) for w of them.  The metadata of the schema
        hold the rest, and a checksum.

        Raises
        ------
        MissingLibraryError
            If pyarrow is missing.

        Examples
        --------
        >>> summary = ScoreSummary(capacity=4)
        >>> summary.update([1, 0], [0.9, 0.1])
        >>> summary.to_arrow().to_pylist()[0]
        {'low': 0.1, 'high': 0.1, 'positives': 0, 'negatives': 1}
        """
        settled = copy.deepcopy(self)
        settled._cases.settle()
        return super(ScoreSummary, settled).to_arrow()

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        capacity = checked_capacity(snapshot.count("capacity"))
        cuts = checked_cuts(snapshot.column("cuts", np.float64), capacity) if "cuts" in snapshot.columns else None
        roundings = snapshot.count("roundings") if "roundings" in snapshot.facts else 0
        columns = (snapshot.column(name, *dtypes) for name, dtypes in _DTYPES.items())
        intervals = ScoreIntervals._make([*columns, roundings])
        given = snapshot.fact("given")
        check(type(given) is bool, "given", "be true or false", f"{given!r}")
        cells = ScoreCells(capacity, cuts, given, intervals)
        flaw = cells.flaw
        if flaw is not None:
            raise EvaluationError(flaw)
        waiting = _waiting(snapshot)
        kinds = "misses", "negative_misses"
        misses, negative_misses = (snapshot.count(kind, MOST_CASES_AND_MISSES) for kind in kinds)
        _check_sums(intervals, waiting, misses + negative_misses)
        summary = cls.__new__(cls)
        summary._cases = ScoreSketch(capacity, None)
        summary._cases.restore(cells, waiting)
        summary._cases.misses, summary._cases.negative_misses = misses, negative_misses
        return summary


def _check_sums(intervals: ScoreIntervals, waiting: WaitingCases, misses: int) -> None:
    """Raise EvaluationError for cases whose sum is more than a summary may hold."""
    # Python's integers: the counts of a nonsensical file may be more than int64 holds
    cases = sum(intervals.positives.tolist()) + sum(intervals.negatives.tolist()) + waiting.weight
    if isinstance(cases, float):
        check_size(cases, "positives and negatives")
        cases = 0
    number = cases + misses
    check(number <= MOST_CASES_AND_MISSES, "cases and misses", f"be at most {MOST_CASES_AND_MISSES}", number)


def _waiting(snapshot: Snapshot) -> WaitingCases:
    waiting = WaitingCases()
    if "waiting_score" not in snapshot.columns:
        return waiting
    name = "waiting_weight" if "waiting_weight" in snapshot.columns else "waiting_correct"
    if name == "waiting_correct":
        labels = snapshot.column(name, np.bool_)
    else:
        labels = snapshot.column(name, np.int64, np.float64)
        as_added_weights(np.abs(labels), labels.size, MOST_CASES_AND_MISSES, "waiting_weight")
        if not np.all(labels):
            raise EvaluationError(f"waiting_weight must not be 0, got 0 at index {int(np.argmin(labels != 0))}")
    scores = as_scores(snapshot.column("waiting_score", np.float32, np.float64), "waiting_score")
    check_equal_lengths(labels, scores, name, "waiting_score")
    waiting.extend(labels, scores)
    return waiting


def _weighted(correct: BoolArray, scores: ScoreArray, weights: AnyArray) -> tuple[AnyArray, ScoreArray]:
    """Return the cases of weight above 0 with labels that carry the weights, as `ScoreSketch.extend` takes them."""
    present = weights > 0
    if not present.all():
        correct, scores, weights = correct[present], scores[present], weights[present]
    if weights.dtype.kind != "f" and weights.max(initial=0) <= 1:
        return correct, scores  # as without weights, which is faster
    signed = np.empty(weights.size, weights.dtype)
    for block in blocks(weights.size):  # in cache
        np.multiply(weights[block], 2 * correct[block].view(np.int8) - 1, out=signed[block])
    return signed, scores
