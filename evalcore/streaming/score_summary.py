"""ScoreSummary: statistics of scored cases after one pass, in constant memory, saved and restored."""

from __future__ import annotations  # keeps `ArrayLike` short in help()

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, check
from evalcore.kernels.bins import ScoreIntervals
from evalcore.kernels.blocks import blocks
from evalcore.saving.container import Snapshot
from evalcore.saving.saved import Saved
from evalcore.state.cases import WaitingCases
from evalcore.state.score_sketch import ScoreCells, ScoreSketch
from evalcore.streaming.certified_statistics import (
    DEFAULT_CAPACITY,
    MOST_CASES_AND_MISSES,
    CertifiedStatistics,
    check_size,
    checked_capacity,
    checked_cuts,
)
from evalcore.text_tables import html_table
from evalcore.typing import AnyArray, BoolArray, Label, ScoreArray
from evalcore.validation.arrays import as_scores, check_equal_lengths, check_indices
from evalcore.validation.positive_class import as_scored_cases
from evalcore.validation.values import check_count, check_instance
from evalcore.validation.weights import as_added_weights, total_weight

_SUMS = np.int64, np.float64
_DTYPES = {"low": (np.float64,), "high": (np.float64,), "positives": _SUMS, "negatives": _SUMS}


@equal_by_content
class ScoreSummary(Saved, CertifiedStatistics, live="merge update"):
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

    __slots__ = ()

    def __init__(self, capacity: int = DEFAULT_CAPACITY, cuts: ArrayLike | None = None) -> None:
        checked = checked_capacity(capacity)
        super().__init__(ScoreSketch(checked, None if cuts is None else checked_cuts(cuts, checked)))

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
            How much each case counts: finite, not negative; by default 1.  A case of weight 0 counts as absent.  Whole
            numbers count as so many equal cases; see the notes of the class on other weights.
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
                whole = self._cases.whole
                weights = as_added_weights(sample_weight, scores.size, self._room if whole else None)
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
        checked: ScoreSummary = check_instance(other, ScoreSummary, "other")
        theirs = checked._now()
        with self._lock:
            if self._cases.whole and theirs._cases.whole:
                check_count(MOST_CASES_AND_MISSES - theirs._room, "other's cases and misses", self._room)
            else:
                check_count(theirs.misses + theirs.negative_misses, "other's misses", self._room)
                check_size(float(self._cases.size) + float(theirs.size), "the weights of both summaries")
            self._moment = None
            self._cases.merge(theirs._cases)

    def __copy__(self) -> ScoreSummary:
        return copy.deepcopy(self)  # a copy that shared waiting cases would miss some of those added later

    def __repr__(self) -> str:
        kept = "exact" if self.exact else f"intervals={self.intervals.low.size} of {self.capacity}"
        return f"ScoreSummary(cases={self.size}, positives={self.positives}, negatives={self.negatives}, {kept})"

    def _repr_html_(self) -> str:
        counts = {"cases": self.size, "positives": self.positives, "negatives": self.negatives, "misses": self.misses}
        answers = {
            "ROC AUC": self.roc_auc(),
            "average precision": self.average_precision(),
            "maximum F": self.maximum_f_measure(),
        }
        rows = [[name, f"{value:.6g}", repr(value.low), repr(value.high)] for name, value in answers.items()]
        return html_table([list(counts), [f"{count:,}" for count in counts.values()]]) + html_table(
            [["measure", "value", "low", "high"], *rows]
        )

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
        cells = ScoreCells(capacity, cuts, _truth(snapshot, "given"), intervals)
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


def _truth(snapshot: Snapshot, name: str) -> bool:
    value: bool = snapshot.fact(name)
    check(type(value) is bool, name, "be true or false", f"{value!r}")
    return value


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
