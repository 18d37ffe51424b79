"""How a summary turns into a snapshot and back."""

import copy
from typing import Any, Self

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError
from evalcore.kernels.score_bins import ScoreIntervals
from evalcore.saving import Saved, Snapshot
from evalcore.state.cases import WaitingCases
from evalcore.state.score_sketch import ScoreCells, ScoreSketch
from evalcore.streaming.certified_statistics import MOST_CASES_AND_MISSES, CertifiedStatistics, check_size
from evalcore.streaming.cuts import checked_capacity, checked_cuts
from evalcore.validation.arrays import as_scores, check_equal_lengths
from evalcore.validation.weights import as_added_weights

_SUMS = np.int64, np.float64
_DTYPES = {"low": (np.float64,), "high": (np.float64,), "positives": _SUMS, "negatives": _SUMS}


@equal_by_content
class SavedSummary(Saved, CertifiedStatistics, kind="ScoreSummary"):
    """Save intervals of scores, the cuts between them, waiting cases, and misses."""

    __slots__ = ()

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
        >>> from evalcore.streaming import ScoreSummary
        >>> summary = ScoreSummary(capacity=4)
        >>> summary.update([1, 0], [0.9, 0.1])
        >>> summary.to_arrow().to_pylist()[0]
        {'low': 0.1, 'high': 0.1, 'positives': 0, 'negatives': 1}
        """
        settled = copy.deepcopy(self)
        settled._cases.settle()
        return super(SavedSummary, settled).to_arrow()

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
        misses, negative_misses = (
            snapshot.count("misses", MOST_CASES_AND_MISSES),
            snapshot.count("negative_misses", MOST_CASES_AND_MISSES),
        )
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
    if cases + misses > MOST_CASES_AND_MISSES:
        raise EvaluationError(f"cases and misses must be at most {MOST_CASES_AND_MISSES}, got {cases + misses}")


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
    value: Any = snapshot.fact(name)
    if type(value) is not bool:
        raise EvaluationError(f"{name} must be true or false, got {value!r}")
    return value
