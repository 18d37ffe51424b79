"""How evaluations turn into snapshots and back."""

from typing import Any, Self

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError
from evalcore.kernels.tables import BinaryCounts
from evalcore.saving import Saved, Snapshot, names_of_plain, plain_names
from evalcore.state.cases import MOST_MISSES, ScoredCases
from evalcore.state.tables import BinaryTable, CategoryTable
from evalcore.validation.arrays import as_cases


@equal_by_content
class SavedScores(Saved, kind="ScoredPrecisionRecallEvaluation"):
    """Save scored cases in the order they came, and misses."""

    __slots__ = ()

    _cases: ScoredCases

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


@equal_by_content
class SavedDecisions(Saved, kind="PrecisionRecallEvaluation"):
    """Save four counts of any size."""

    __slots__ = ()

    _table: BinaryTable

    def _compared(self) -> tuple[Any, ...]:
        return (self._table.counts,)

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._kind, self._table.counts._asdict(), {})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        counts = BinaryCounts(*map(snapshot.count, BinaryCounts._fields))
        evaluation = cls()
        evaluation._table.add(counts)  # not checked against a maximum: merging has none either
        return evaluation


@equal_by_content
class SavedCounts(Saved, kind="ConfusionMatrix"):
    """Names of categories, and counts by reference and response.

    Names are strings, integers, floats, Booleans, bytes, or tuples of these; saving others is an EvaluationTypeError.
    """

    __slots__ = ()

    _codes: dict[Any, int]
    _table: CategoryTable

    def _compared(self) -> tuple[Any, ...]:
        return tuple(self._codes), self._table.counts

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._kind, {"categories": plain_names(self._codes)}, {"count": self._table.counts.ravel()})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        names = names_of_plain(snapshot.fact("categories"))
        counts = snapshot.column("count", np.int64)
        if counts.size != len(names) ** 2:
            raise EvaluationError(
                f"there must be {len(names) ** 2} counts, for {len(names)} categories, got {counts.size}"
            )
        make: Any = cls
        matrix: Self = make(names, counts.reshape(len(names), len(names)))
        return matrix
