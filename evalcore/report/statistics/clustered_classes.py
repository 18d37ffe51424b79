"""Intervals beside the statistics of classes in a report whose rows were drawn by clusters."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.inference import Interval
from evalcore.inference.decisions.agreement import kappa_interval_of_clusters
from evalcore.kernels.grouping import rows_of_groups
from evalcore.report.model import CLASSES, Section, Statistic
from evalcore.report.statistics.clustered_intervals import ClusteredRows
from evalcore.report.statistics.groups import GroupedRows
from evalcore.report.statistics.intervals import OF_ACCURACY, without_warnings
from evalcore.typing import ScoreArray
from evalcore.validation.categories import CodeArray


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
            return {name: self._at(groups, name).agreement(items) for name, items in records.items()}
        if section.name == CLASSES:
            each = enumerate(records.items())
            return {name: self.of_class(items, code) for code, (name, items) in each}
        return {name: self.agreement(items) for name, items in records.items()} if section.across else records

    def agreement(self, items: list[Statistic]) -> list[Statistic]:
        """Return what is said of all classes, with the intervals of accuracy and kappa.  O(n + k²)."""
        chosen, cases = self.rows.cases()
        codes = self.reference.astype(np.int64) * self.classes + self.response

        def interval_of(item: Statistic) -> Interval | None:
            if item.name in OF_ACCURACY:
                return self.rows.fraction("prevalence", self.rows.positive, chosen, cases)
            return kappa_interval_of_clusters(cases, codes, self.classes, self.rows.level)

        return [item if item.interval is None else item._replace(interval=interval_of(item)) for item in items]

    def of_class(self, items: list[Statistic], code: int) -> list[Statistic]:
        """Return what is said of a class against the rest, with its intervals.  O(n), with scores O(n log n)."""
        own = self.rows._replace(positive=self.reference == code)
        scores = np.zeros(self.reference.size) if self.scores is None else self.scores[code]
        return own.with_intervals_of(items, scores, self.response == code)

    def _at(self, groups: GroupedRows, name: str) -> "ClusteredClasses":
        index = groups.names.get(name)
        if index is None:
            return self
        rows = rows_of_groups(groups.layout, slice(index, index + 1))
        return self._replace(reference=self.reference[rows], response=self.response[rows], rows=self.rows.at(rows))
