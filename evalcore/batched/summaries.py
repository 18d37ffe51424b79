"""Statistics of score columns after one pass, with bounds that certainly hold the exact values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Self

import numpy as np

from evalcore.inference import Interval
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.measures import binary
from evalcore.measures.certified import Certified
from evalcore.report.binary import decision_statistics
from evalcore.report.catalogue import statistic, statistics
from evalcore.report.model import CERTIFIED, Statistic
from evalcore.saving import Saved, Snapshot
from evalcore.state.binary_table import BinaryTable
from evalcore.state.score_sketch import ScoreCells
from evalcore.streaming import ScoreSummary
from evalcore.typing import BoolArray, ScoreArray

BYTES_OF_AN_INTERVAL = 40
"""Of a summary: 32, and 8 of the cut before it."""
BYTES_OF_A_SUMMARY = 8_000
"""Of a summary beside its intervals, of its statistics, and of the lines in which they are written."""
_CERTIFIED = "roc_area", "average_precision", "maximum_f1"


class Mark(NamedTuple):
    """What summaries knew at some time, to go back to."""

    cells: tuple[ScoreCells, ...]
    decisions: tuple[BinaryCounts, ...]


class Decisions(BinaryTable, Saved, kind="PrecisionRecallEvaluation"):
    """Counts of decisions, saved as the documented class of that name saves them.

    >>> decisions = Decisions(BinaryCounts(1, 2, 3, 4))
    >>> Decisions.from_bytes(decisions.to_bytes()).counts
    BinaryCounts(tp=1, fn=2, fp=3, tn=4)
    """

    __slots__ = ()

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._kind, self.counts._asdict(), {})

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        return cls(BinaryCounts(*map(snapshot.count, BinaryCounts._fields)))


class ColumnSummaries:
    """Summaries of score columns against one label, and the decisions at a threshold.

    Parameters
    ----------
    names : iterable of str
        The columns.
    capacity : int
        Intervals of each summary.
    threshold : float, optional
        Scores of at least this are taken for positive, and counted.

    Examples
    --------
    >>> summaries = ColumnSummaries(["model"], 16, threshold=0.5)
    >>> summaries.update(np.array([True, False]), {"model": np.array([0.9, 0.1])})
    >>> [statistic.value for statistic in summaries.statistics("model")][:4]
    [2, 1, 0.5, 1.0]
    """

    __slots__ = ("decisions", "scores", "threshold")

    def __init__(self, names: Iterable[str], capacity: int, threshold: float | None = None) -> None:
        self.threshold = threshold
        self.scores = {name: ScoreSummary(capacity) for name in names}
        decided = () if threshold is None else self.scores
        self.decisions = {name: Decisions(BinaryCounts(0, 0, 0, 0)) for name in decided}

    def update(self, positive: BoolArray, scores: Mapping[str, ScoreArray]) -> None:
        """Add rows: labels (n,) bool and a score for each in some columns, (n,) each.  O(n log n).

        >>> ColumnSummaries(["model"], 16).update(np.array([True]), {"model": np.array([0.9])})
        """
        for name, values in scores.items():
            self.scores[name].update(positive, values)
            if self.threshold is not None:
                with np.errstate(over="ignore"):  # beyond float32 is infinite
                    predicted = values >= values.dtype.type(self.threshold)
                self.decisions[name].add(binary_counts(positive, predicted))

    def settle(self) -> None:
        """Put rows that wait to be sorted into intervals, as summaries that are saved and read back have them.  O(k).

        >>> ColumnSummaries(["model"], 16).settle()
        """
        for summary in self.scores.values():
            summary._cases.settle()

    def settle_and_free(self, name: str) -> None:
        """Settle one column, and let go of the room where its rows waited.  O(k).

        >>> ColumnSummaries(["model"], 16).settle_and_free("model")
        """
        self._replace(name, self.scores[name]._cases.cells)

    @property
    def exact(self) -> bool:
        """Whether every statistic is the exact one.

        >>> ColumnSummaries(["model"], 16).exact
        True
        """
        return all(summary.exact for summary in self.scores.values())

    @property
    def rows(self) -> int:
        """Rows that were added.

        >>> ColumnSummaries(["model"], 16).rows
        0
        """
        return next(iter(self.scores.values())).size

    @property
    def capacity(self) -> int:
        """Intervals of each summary at most.

        >>> ColumnSummaries(["model"], 16).capacity
        16
        """
        return next(iter(self.scores.values())).capacity

    @property
    def intervals(self) -> int:
        """Intervals of all columns.

        >>> ColumnSummaries(["model"], 16).intervals
        0
        """
        return sum(summary.intervals.low.size for summary in self.scores.values())

    def shrink(self, capacity: int) -> None:
        """Go on with fewer intervals for each column.  O(k).

        >>> summaries = ColumnSummaries(["model"], 16)
        >>> summaries.shrink(8)
        >>> summaries.scores["model"].capacity
        8
        """
        for name, summary in self.scores.items():
            self.scores[name] = ScoreSummary(capacity)
            self.scores[name].merge(summary)

    def mark(self) -> Mark:
        """Return what is known now, once settled.  O(columns), for it is shared.

        >>> ColumnSummaries(["model"], 16).mark().decisions
        ()
        """
        cells = tuple(summary._cases.cells for summary in self.scores.values())
        return Mark(cells, tuple(decisions.counts for decisions in self.decisions.values()))

    def back_to(self, mark: Mark) -> None:
        """Forget what was added since.  O(columns).

        >>> summaries = ColumnSummaries(["model"], 16)
        >>> mark = summaries.mark()
        >>> summaries.update(np.array([True]), {"model": np.array([0.9])})
        >>> summaries.back_to(mark)
        >>> summaries.rows
        0
        """
        for name, cells in zip(self.scores, mark.cells, strict=True):
            self._replace(name, cells)
        for decisions, counts in zip(self.decisions.values(), mark.decisions, strict=True):
            decisions.counts = counts

    def saved(self) -> list[bytes]:
        """Return what is known as parts to be saved.  O(k).

        >>> len(ColumnSummaries(["model"], 16, threshold=0.5).saved())
        2
        """
        return [part.to_bytes() for part in (*self.scores.values(), *self.decisions.values())]

    def restore(self, parts: Iterator[bytes]) -> None:
        """Take back as many parts as were saved.  O(k).

        Raises EvaluationError for others.

        >>> summaries = ColumnSummaries(["model"], 16)
        >>> summaries.restore(iter(summaries.saved()))
        """
        for name in self.scores:
            self.scores[name] = ScoreSummary.from_bytes(next(parts))
        for name in self.decisions:
            self.decisions[name] = Decisions.from_bytes(next(parts))

    def statistics(self, name: str, bounded: bool = False) -> list[Statistic]:
        """Return what is reported of a column.  O(k log k).

        bounded: whether exact statistics, too, have bounds, which then are equal.

        >>> [statistic.title for statistic in ColumnSummaries(["model"], 16).statistics("model")][3:]
        ['ROC area', 'average precision', 'maximum F1']
        """
        summary = self.scores[name]
        found = list(certified_statistics((summary.positives, summary.negatives), measures_of(summary), bounded))
        summary._cases.settle()  # frees what the answers were read from
        if self.threshold is not None:
            decided = decision_statistics(self.decisions[name].counts)
            found += statistics({"threshold": self.threshold, **decided})
        return found

    def _replace(self, name: str, cells: ScoreCells) -> None:
        self.scores[name] = ScoreSummary(cells.capacity)
        self.scores[name]._cases.restore(cells)


def certified_statistics(
    counts: tuple[int, int], measures: tuple[Certified, Certified, Certified], bounded: bool
) -> Iterator[Statistic]:
    """Yield what is reported of a ranking of which bounds are known.  O(1).

    counts: positives and negatives; measures: ROC area, average precision and maximum F1; bounded: as in
    `ColumnSummaries.statistics`.

    >>> measures = Certified(0.5, 0.75), Certified(0.5, 0.5), Certified(0.5, 0.5)
    >>> [statistic.value for statistic in certified_statistics((1, 3), measures, bounded=True)]
    [4, 1, 0.25, 0.625, 0.5, 0.5]
    """
    positives, negatives = counts
    yield statistic("cases", positives + negatives)
    yield statistic("positives", positives)
    yield statistic("prevalence", float(binary.prevalence(positives, 0, 0, negatives)))
    for name, value in zip(_CERTIFIED, measures, strict=True):
        estimate = float(value)
        interval = Interval(estimate, value.low, value.high, 1.0, CERTIFIED) if bounded else None
        yield statistic(name, estimate, interval)


def measures_of(summary: ScoreSummary) -> tuple[Certified, Certified, Certified]:
    """Return the ROC area, the average precision and the maximum F1 that a summary knows.  O(k log k).

    >>> summary = ScoreSummary()
    >>> summary.update([1, 0], [0.9, 0.1])
    >>> measures_of(summary)
    (1.0, 1.0, 1.0)
    """
    return summary.roc_auc(), summary.average_precision(), summary.maximum_f_measure()
