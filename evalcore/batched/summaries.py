"""Statistics of score columns after one pass, with bounds that certainly contain the exact values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Self

import numpy as np

from evalcore.inference import Interval
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.measures import binary
from evalcore.measures.certified import Certified
from evalcore.measures.probability_losses import NO_LOSSES, ProbabilityLosses, probability_losses
from evalcore.report.catalogue import statistic, statistics
from evalcore.report.model import CERTIFIED, Statistic
from evalcore.report.statistics.decisions import decision_record
from evalcore.saving import Saved, Snapshot
from evalcore.state.binary_table import BinaryTable
from evalcore.streaming import ScoreSummary
from evalcore.typing import BoolArray, ScoreArray

BYTES_OF_AN_INTERVAL = 40
"""32 for an interval of a summary, 8 for the cut before it."""
BYTES_OF_A_SUMMARY = 8_000
"""For a summary without its intervals, its statistics, and the lines that show them."""
_CERTIFIED = "roc_area", "average_precision", "maximum_f1"


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
    """Summaries of score columns against one label, and counts of decisions at thresholds.

    >>> summaries = ColumnSummaries(["model"], 16, thresholds=[0.5])
    >>> summaries.update(np.array([True, False]), {"model": np.array([0.9, 0.1])})
    >>> [statistic.value for statistic in summaries.statistics("model")][:4]
    [2, 1, 0.5, 1.0]
    """

    __slots__ = ("decisions", "losses", "scores", "thresholds")

    def __init__(self, names: Iterable[str], capacity: int, thresholds: Iterable[float] = ()) -> None:
        self.thresholds = tuple(thresholds)
        self.scores = {name: ScoreSummary(capacity) for name in names}
        self.losses = dict.fromkeys(self.scores, NO_LOSSES)
        self.decisions = {
            (name, threshold): Decisions(BinaryCounts(0, 0, 0, 0))
            for name in self.scores
            for threshold in self.thresholds
        }

    def update(self, positive: BoolArray, scores: Mapping[str, ScoreArray]) -> None:
        """Add labels (n,) bool and the scores (n,) of some columns.  O(n log n)."""
        for name, values in scores.items():
            self.scores[name].update(positive, values)
            self.losses[name] = self.losses[name].plus(probability_losses(values, positive))
            for threshold in self.thresholds:
                with np.errstate(over="ignore"):  # beyond float32 is infinite
                    predicted = values >= values.dtype.type(threshold)
                self.decisions[name, threshold].add(binary_counts(positive, predicted))

    def settle(self, name: str) -> None:
        """Sort the waiting rows of a column into intervals, and free their memory.  O(w log w + k)."""
        self.scores[name]._cases.settle()

    def copy(self) -> Self:
        """Return a copy that shares the intervals, which never change; settle both first.  O(columns)."""
        other = type(self)(self.scores, self.capacity, self.thresholds)
        for name, summary in self.scores.items():
            self.settle(name)
            other.scores[name]._cases.restore(summary._cases.cells)
        for key, decisions in self.decisions.items():
            other.decisions[key].add(decisions.counts)
        other.losses |= self.losses
        return other

    @property
    def exact(self) -> bool:
        """Whether every statistic is exact.  O(w log w + k)."""
        return all(summary.exact for summary in self.scores.values())

    @property
    def rows(self) -> int:
        """Rows so far."""
        return int(next(iter(self.scores.values())).size)

    @property
    def capacity(self) -> int:
        """Intervals of each summary at most."""
        return next(iter(self.scores.values())).capacity

    @property
    def intervals(self) -> int:
        """Intervals of all columns."""
        return sum(summary.intervals.low.size for summary in self.scores.values())

    def exceeds(self, capacity: int) -> bool:
        """Whether `shrunk` would change the intervals of a column.  O(columns)."""
        cells = (summary._cases.cells for summary in self.scores.values())
        return any(each.parted or each.intervals.low.size > capacity for each in cells)

    def shrunk(self, capacity: int) -> Self:
        """Return summaries of the same rows with fewer intervals for each column.  O(k)."""
        other = type(self)(self.scores, capacity, self.thresholds)
        for name, summary in self.scores.items():
            other.scores[name].merge(summary)
        for key, decisions in self.decisions.items():
            other.decisions[key].add(decisions.counts)
        other.losses |= self.losses
        return other

    def saved(self) -> list[bytes]:
        """Return the parts to save.  O(k)."""
        losses = (np.array([loss, error, *gaps]) for loss, error, gaps in self.losses.values())
        return [
            *(part.to_bytes() for part in (*self.scores.values(), *self.decisions.values())),
            *(sums.tobytes() for sums in losses),
        ]

    def restore(self, parts: Iterator[bytes]) -> None:
        """Take back as many parts as were saved; raise EvaluationError for other bytes.  O(k)."""
        for name in self.scores:
            self.scores[name] = ScoreSummary.from_bytes(next(parts))
        for key in self.decisions:
            self.decisions[key] = Decisions.from_bytes(next(parts))
        for name in self.losses:
            loss, error, *gaps = np.frombuffer(next(parts)).tolist()
            self.losses[name] = ProbabilityLosses(loss, error, np.array(gaps))

    def statistics(self, name: str, bounded: bool = False) -> list[Statistic]:
        """Return the statistics of a column; if `bounded`, exact ones too have bounds.  O(k log k)."""
        summary = self.scores[name]
        counts = int(summary.positives), int(summary.negatives)
        found = list(certified_statistics(counts, measures_of(summary), bounded))
        losses = self.losses[name].statistics(sum(counts))
        found += statistics({key: float(value) for key, value in losses.items()})
        self.settle(name)  # frees what the answers were read from
        return found + self.decided(name, self.thresholds[0]) if self.thresholds else found

    def decided(self, name: str, threshold: float) -> list[Statistic]:
        """Return the statistics of the decisions of a column at a threshold.  O(1)."""
        return decision_record(threshold, self.decisions[name, threshold].counts)


def certified_statistics(
    counts: tuple[int, int], measures: tuple[Certified, Certified, Certified], bounded: bool
) -> Iterator[Statistic]:
    """Yield the statistics of (positives, negatives) and of (ROC area, average precision, maximum F1).  O(1)."""
    positives, negatives = counts
    yield statistic("cases", positives + negatives)
    yield statistic("positives", positives)
    yield statistic("prevalence", float(binary.prevalence(positives, 0, 0, negatives)))
    for name, value in zip(_CERTIFIED, measures, strict=True):
        estimate = float(value)
        interval = Interval(estimate, value.low, value.high, 1.0, CERTIFIED) if bounded else None
        yield statistic(name, estimate, interval)


def measures_of(summary: ScoreSummary) -> tuple[Certified, Certified, Certified]:
    """Return the ROC area, the average precision and the maximum F1 of a summary, with bounds.  O(k log k)."""
    return summary.roc_auc(), summary.average_precision(), summary.maximum_f_measure()
