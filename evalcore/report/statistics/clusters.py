"""Intervals beside the statistics of scores and classes whose rows were drawn by clusters, and comparisons of columns.

They replace those that take each row for a draw of its own, and have the same names and methods.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.cells import (
    FRACTIONS,
    cells_of_decisions,
    cells_of_rows,
    decision_intervals,
    intervals_of,
    kappa_intervals,
)
from evalcore.inference.curve_areas import (
    area_of_clusters,
    average_precision_interval_of_clusters,
    interval_of_area,
)
from evalcore.inference.intervals import Comparison
from evalcore.inference.roc_area_bounds import DEFAULT_AREA_METHOD, difference_method
from evalcore.inference.roc_area_comparisons import PlacedAreas, compare_roc_auc
from evalcore.inference.units import Units, checked_units
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.report.model import CLASSES, Section, Statistic
from evalcore.report.statistics.calibrations import CALIBRATION
from evalcore.report.statistics.groups import GroupedRows
from evalcore.report.statistics.intervals import OF_ACCURACY, without_warnings
from evalcore.report.weighting import RowWeights
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray, WeightType
from evalcore.validation.categories import CodeArray

_WITHOUT_INTERVALS = {"calibration": CALIBRATION, "net benefit": ("net_benefit",)}
"""Statistics whose intervals treat the rows as drawn, by what they are called together."""


class ClusteredRows(NamedTuple):
    """The rows of a report, (n,) each, and what is drawn by chance."""

    positive: BoolArray
    scores: Mapping[str, ScoreArray]
    clusters: IntArray
    weights: RowWeights | None
    level: float
    area_method: str = DEFAULT_AREA_METHOD

    def at(self, rows: Any) -> "ClusteredRows":
        """Return some of the rows; rows: their indices, or a slice.  O(r) for each column."""
        weights = self.weights
        if weights is not None:
            weights = weights._replace(values=weights.values[rows])
        scores = {name: column[rows] for name, column in self.scores.items()}
        return self._replace(positive=self.positive[rows], scores=scores, clusters=self.clusters[rows], weights=weights)

    def note(self, column: str | None) -> str:
        """Say what intervals treat as drawn.  O(n)."""
        count = int(self.clusters.max(initial=-1)) + 1
        return (
            f"intervals and p-values treat the clusters of {column}, {count:,} in all, as drawn at random, not the rows"
        )

    def areas(self, values: Sequence[float], pairs: Sequence[tuple[int, int]], level: float) -> PlacedAreas:
        """Return the intervals of the ROC areas, and compare pairs of columns, by index.  O((k + pairs) n log n)."""
        units = self.units()
        columns = list(self.scores.values())
        intervals = [self._of_area(column, units) for column in columns]
        return PlacedAreas(intervals, [self.compared(columns[one], columns[other]) for one, other in pairs])

    def compared(self, first: ScoreArray, second: ScoreArray) -> Comparison:
        """Compare the ROC areas of two columns.  O(n log n)."""
        values, kind = self._weights()
        return compare_roc_auc(
            self.positive, first, second, sample_weight=values, weight_type=kind, cluster=self.clusters,
            level=self.level, method=difference_method(self.area_method),
        )  # fmt: skip

    def compared_in_groups(self, pair: tuple[int, int], groups: GroupedRows, found: list[Comparison]) -> None:
        """Compare the ROC areas of two columns, by index, in place of what was found, (g,), in groups with a name.

        O(n log n).
        """
        for name, index in groups.names.items():
            own = self.at(groups.rows_of(name))
            columns = list(own.scores.values())
            found[index] = own.compared(columns[pair[0]], columns[pair[1]])

    def with_intervals(self, items: list[Statistic], name: str) -> list[Statistic]:
        """Return the statistics of a column with intervals of clusters, where they have any.  O(n log n)."""
        threshold = next((item.value for item in items if item.name == "threshold"), np.nan)
        scores = self.scores[name]
        return self.with_intervals_of(items, scores, are_at_or_above(scores, threshold))

    def with_intervals_of(self, items: list[Statistic], scores: ScoreArray, predicted: BoolArray) -> list[Statistic]:
        """Return the statistics of scores and of decisions, (n,) each, with intervals of clusters.  O(n log n)."""
        units, asked = self.units(), {item.name for item in items if item.interval is not None}
        decided = asked.intersection((*FRACTIONS, "f1", "kappa"))
        found: dict[str, Interval] = {}
        if decided:
            columns = decision_intervals(cells_of_decisions(units, self.positive, predicted), self.level, decided)
            found = {name: column.each(self.level)[0] for name, column in columns.items()}
        if "roc_area" in asked:
            found["roc_area"] = self._of_area(scores, units)
        if "average_precision" in asked:
            found["average_precision"] = average_precision_interval_of_clusters(
                self.positive, scores, units, self.level
            )
        return [item._replace(interval=found.get(item.name)) for item in items]

    def _of_area(self, scores: ScoreArray, units: Units) -> Interval:
        return interval_of_area(area_of_clusters(self.positive, scores, units), self.level, self.area_method)

    def _weights(self) -> tuple[AnyArray | None, WeightType]:
        weights = self.weights
        if weights is None:
            return None, "sampling"
        return weights.values, "frequency" if weights.weighting.of_frequencies else "sampling"

    def units(self) -> Units:
        """Return the clusters with the weights of the rows.  O(n)."""
        column = None if self.weights is None else self.weights.weighting.column
        name = "sample_weight" if column is None else f"column {column!r}"
        return checked_units(*self._weights(), self.positive.size, "report", self.clusters, name=name)


@without_warnings()
def with_clustered_intervals(
    sections: Iterable[Section], rows: ClusteredRows, groups: GroupedRows | None
) -> list[Section]:
    """Return sections on columns of scores with intervals of clusters.  O(n log n) for each column and section."""
    found = []
    for section in sections:
        if section.whole is None:
            records = {name: rows.with_intervals(items, name) for name, items in section.records.items()}
        else:
            assert groups is not None
            records = {
                name: rows.at(groups.rows_of(name)).with_intervals(items, section.name)
                for name, items in section.records.items()
            }
        found.append(section._replace(records=records))
    return found


def notes_of_no_intervals(sections: Iterable[Section]) -> list[str]:
    """Say which statistics have no intervals of clusters, if sections hold some.  O(numbers)."""
    items = chain.from_iterable(items for section in sections for items in section.records.values())
    shown = {item.name for item in items if not np.isnan(item.value)}
    found = [what for what, names in _WITHOUT_INTERVALS.items() if shown.intersection(names)]
    return [f"clusters leave {' and '.join(found)} without intervals"] if found else []


class ClusteredClasses(NamedTuple):
    """Cases of k classes that were drawn by clusters, (n,) each."""

    reference: CodeArray
    response: CodeArray
    classes: int
    scores: ScoreArray | None
    """Of each class, (k, n), if there are any."""
    rows: ClusteredRows
    """Clusters and weights, with the right cases as the positive ones."""

    @without_warnings()
    def with_intervals(self, sections: Sequence[Section], groups: GroupedRows | None) -> list[Section]:
        """Return sections on classes with intervals of clusters.  O(k n log n), in groups O(n log n)."""
        return [section._replace(records=self._records(section, groups)) for section in sections]

    def _records(self, section: Section, groups: GroupedRows | None) -> Mapping[str, list[Statistic]]:
        records = section.records
        if section.whole is not None:
            assert groups is not None
            return {name: self._at(groups.rows_of(name)).agreement(items) for name, items in records.items()}
        if section.name == CLASSES:
            each = enumerate(records.items())
            return {name: self.of_class(items, code) for code, (name, items) in each}
        return {name: self.agreement(items) for name, items in records.items()} if section.across else records

    def agreement(self, items: list[Statistic]) -> list[Statistic]:
        """Return what is said of all classes, with the intervals of accuracy and kappa.  O(n + k²)."""
        units, level = self.rows.units(), self.rows.level
        codes = self.reference.astype(np.int64) * self.classes + self.response
        right = cells_of_decisions(units, self.rows.positive, self.rows.positive)
        agreed = cells_of_rows(units, codes, (self.classes, self.classes))
        [accuracy] = intervals_of("prevalence", right, level).each(level)
        [kappa] = kappa_intervals(agreed, level).each(level)
        found = {**dict.fromkeys(OF_ACCURACY, accuracy), "kappa": kappa}
        return [item._replace(interval=item.interval and found[item.name]) for item in items]

    def of_class(self, items: list[Statistic], code: int) -> list[Statistic]:
        """Return what is said of a class against the rest, with its intervals.  O(n), with scores O(n log n)."""
        own = self.rows._replace(positive=self.reference == code)
        scores = np.zeros(self.reference.size) if self.scores is None else self.scores[code]
        return own.with_intervals_of(items, scores, self.response == code)

    def _at(self, rows: slice | IntArray) -> "ClusteredClasses":
        return self._replace(reference=self.reference[rows], response=self.response[rows], rows=self.rows.at(rows))
