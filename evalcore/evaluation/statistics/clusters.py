"""Intervals beside the statistics of scores and classes whose rows were drawn by clusters, and comparisons of columns.

They stand in place of those that take each row for a draw of its own, and have the same names and methods.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.evaluation.model import Columns
from evalcore.evaluation.statistics.case_tallies import OF_ACCURACY, joined, stacked
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.weighting import RowWeights
from evalcore.inference.cells import (
    FRACTIONS,
    cells_of_decisions,
    cells_of_rows,
    decision_intervals,
    intervals_of,
    kappa_intervals,
)
from evalcore.inference.curve_areas import average_precision_interval_of_cases, intervals_of_areas
from evalcore.inference.intervals import DEFAULT_AREA_METHOD, Intervals
from evalcore.inference.rankings import AREA, RankingEstimates, rankings, roc_aucs
from evalcore.inference.resamples import without_warnings
from evalcore.inference.units import Units, checked_units
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.typing import BoolArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_scores
from evalcore.validation.categories import CodeArray


class ClusteredRows(NamedTuple):
    """The rows of a report, (n,) each, and what is drawn by chance."""

    positive: BoolArray
    scores: Mapping[str, Any]
    """Of each model."""
    clusters: IntArray
    weights: RowWeights
    level: float
    area_method: str = DEFAULT_AREA_METHOD

    def at(self, rows: Any) -> "ClusteredRows":
        """Return some of the rows, without scores; rows: their indices, or a slice.  O(r)."""
        return self._replace(
            positive=self.positive[rows], scores={}, clusters=self.clusters[rows], weights=self.weights.at(rows)
        )

    def note(self, column: str | None) -> str:
        """Say what intervals treat as drawn.  O(n)."""
        count = int(self.clusters.max(initial=-1)) + 1
        return (
            f"intervals and p-values treat the clusters of {column}, {count:,} in all, as drawn at random, not the rows"
        )

    def areas(self, values: Sequence[float]) -> RankingEstimates:
        """Return the ROC AUCs, which have these values.  O(k n log n)."""
        columns = [as_scores(column, name) for name, column in self.scores.items()]
        return rankings(self.positive, columns, self.units(), [AREA])[AREA]

    def intervals(self, names: Iterable[str], scores: ScoreArray | None, predicted: BoolArray) -> dict[str, Intervals]:
        """Return the intervals of statistics of scores and of decisions, (n,) each, as of one group.  O(n log n).

        names: of the statistics, others than those of decisions only with scores.
        """
        units, asked = self.units(), {*names}
        found: dict[str, Intervals] = {}
        if decided := asked.intersection((*FRACTIONS, "f1", "kappa")):
            found = decision_intervals(cells_of_decisions(units, self.positive, predicted), self.level, decided)
        if scores is not None and "roc_auc" in asked:
            areas = roc_aucs(self.positive, [scores], units)
            found["roc_auc"] = intervals_of_areas(areas, self.level, self.area_method)
        if scores is not None and "average_precision" in asked:
            mean = average_precision_interval_of_cases(self.positive, scores, units, self.level)
            found["average_precision"] = stacked([mean])
        return found

    def units(self) -> Units:
        """Return the clusters with the weights of the rows.  O(n)."""
        weights = self.weights
        name = "sample_weight" if weights.weighting.column is None else f"column {weights.weighting.column!r}"
        kind = "sampling" if weights.frequencies is None else "frequency"
        return checked_units(weights.values, kind, self.positive.size, "report", self.clusters, name=name)


@without_warnings()
def drawn(
    clusters: ClusteredRows | None, found: Columns, scores: ScoreArray, groups: GroupedRows | None = None
) -> Columns:
    """Return the statistics of scores, (n,), with intervals of clusters, if there are any.  O(n log n).

    groups: those that the statistics are of; None for all rows.
    """
    if clusters is None:
        return found
    threshold = float(found.values["threshold"][0]) if "threshold" in found.values else np.inf

    def of(rows: slice | IntArray) -> dict[str, Intervals]:
        return clusters.at(rows).intervals(found.intervals, scores[rows], are_at_or_above(scores[rows], threshold))

    return found._replace(intervals=_of_groups(groups, of))


def _of_groups(
    groups: GroupedRows | None, of: Callable[[slice | IntArray], dict[str, Intervals]]
) -> Mapping[str, Intervals]:
    """Return the intervals of groups, in the order of their names, from those of the rows of each.  O(groups)."""
    if groups is None:
        return of(slice(None))
    return joined([Columns({}, of(groups.rows_of(name))) for name in groups.labels]).intervals


class ClusteredClasses(NamedTuple):
    """Cases of k classes that were drawn by clusters, (n,) each."""

    reference: CodeArray
    response: CodeArray
    scores: Sequence[ScoreArray | None]
    """Of each of the k classes, if there are any."""
    rows: ClusteredRows
    """Clusters and weights, with the right cases as the positive ones."""

    @without_warnings()
    def agreement(self, found: Columns, groups: GroupedRows | None = None) -> Columns:
        """Return what is said of all classes together, with the intervals of accuracy and kappa.  O(n + k²).

        groups: those that the statistics are of; None for all rows.
        """
        level, k = self.rows.level, len(self.scores)

        def of(rows: slice | IntArray) -> dict[str, Intervals]:
            own = self.rows.at(rows)
            units, codes = own.units(), self.reference[rows].astype(np.int64) * k + self.response[rows]
            right = intervals_of("prevalence", cells_of_decisions(units, own.positive, own.positive), level)
            return {
                **dict.fromkeys(OF_ACCURACY, right),
                "kappa": kappa_intervals(cells_of_rows(units, codes, (k, k)), level),
            }

        return found._replace(intervals=_of_groups(groups, of))

    @without_warnings()
    def of_classes(self, found: Columns) -> Columns:
        """Return what is said of each class against the rest, with its intervals.  O(k n), with scores O(k n log n)."""
        parts = []
        for code, scores in enumerate(self.scores):
            own = self.rows._replace(positive=self.reference == code)
            parts.append(Columns({}, own.intervals(found.intervals, scores, self.response == code)))
        return found._replace(intervals=joined(parts).intervals)
