"""Intervals beside the statistics of scores and classes whose rows were drawn by clusters.

They stand in place of those that take each row for a draw of its own, and have the same names and methods.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.model import Columns
from evalcore.evaluation.statistics.case_tallies import OF_ACCURACY, joined
from evalcore.evaluation.statistics.decisions import Asked
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference.cells import FRACTIONS, cells_of_rows, decision_intervals, intervals_of, kappa_intervals
from evalcore.inference.curve_areas import intervals_of_areas, intervals_of_precisions
from evalcore.inference.intervals import DEFAULT_AREA_METHOD, Intervals
from evalcore.inference.rankings import AREA, PRECISION, rankings
from evalcore.inference.resampled_measures import without_warnings
from evalcore.inference.units import Units
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.typing import BoolArray, ScoreArray
from evalcore.validation.categories import CodeArray
from evalcore.validation.weights import extent_of_weights

_OF_DECISIONS = *FRACTIONS, "f1", "kappa"


def note_of_clusters(cases: PairedCases, column: str | None) -> str:
    """Say what intervals of cases in clusters treat as drawn.  O(n)."""
    assert cases.clusters is not None
    count = int(cases.clusters.max(initial=-1)) + 1
    return f"intervals and p-values treat the clusters of {column}, {count:,} in all, as drawn at random, not the rows"


@without_warnings()
def drawn(
    cases: PairedCases, asked: Asked, found: Columns, scores: ScoreArray, groups: GroupedRows | None = None
) -> Columns:
    """Return the statistics of scores, (n,), with intervals of clusters, if these and intervals are there.  O(n log n).

    groups: those that the statistics are of; None for all rows.
    """
    if cases.clusters is None or asked.level is None:
        return found
    threshold = float(found.values["threshold"][0]) if "threshold" in found.values else np.inf
    predicted = are_at_or_above(scores, threshold)
    return found._replace(intervals=_intervals(cases, asked, found.intervals, predicted, scores=scores, groups=groups))


def _units(cases: PairedCases) -> Units:
    """Return the clusters of all cases; raises EvaluationError for weights that are too far apart.  O(n)."""
    if cases.weights.values is not None:
        extent_of_weights(cases.weights.values, f"column {cases.weights.weighting.column!r}")
    return cases.units()


def _intervals(
    cases: PairedCases,
    asked: Asked,
    names: Collection[str],
    predicted: BoolArray,
    *,
    scores: ScoreArray | None,
    groups: GroupedRows | None = None,
) -> dict[str, Intervals]:
    """Return the intervals of statistics of scores and of decisions, (n,) each, in the order of groups.  O(n log n).

    names: of the statistics, others than those of decisions only with scores.
    """
    level, layout = asked.level, None if groups is None else groups.layout
    units = _units(cases) if groups is None else cases.units(groups.of_rows, groups.count)
    assert level is not None
    found: dict[str, Intervals] = {}
    if decided := [name for name in _OF_DECISIONS if name in names]:
        codes = binary_codes(cases.positive, predicted)
        found = decision_intervals(cells_of_rows(units, codes, (2, 2)), level, decided)
    ranked = [] if scores is None else [name for name in (AREA, PRECISION) if name in names]
    for name, each in rankings(cases.positive, [] if scores is None else [scores], units, ranked, layout).items():
        if name == AREA:
            found[name] = intervals_of_areas(each, level, asked.area_method or DEFAULT_AREA_METHOD)
        else:
            found[name] = intervals_of_precisions(each, level)
    return found if groups is None else dict(Columns({}, found).at(groups.indices).intervals)


class ClusteredClasses(NamedTuple):
    """Cases of k classes that were drawn by clusters, (n,) each."""

    reference: CodeArray
    response: CodeArray
    scores: Sequence[ScoreArray | None]
    """Of each of the k classes, if there are any."""
    cases: PairedCases
    """With clusters and weights, the right cases as the positive ones."""
    asked: Asked

    @without_warnings()
    def agreement(self, found: Columns, groups: GroupedRows | None = None) -> Columns:
        """Return what is said of all classes together, with the intervals of accuracy and kappa.  O(n + k²).

        groups: those that the statistics are of; None for all rows.
        """
        level, k = self.asked.level, len(self.scores)
        assert level is not None
        parts = []
        for rows in [slice(None)] if groups is None else map(groups.rows_of, groups.labels):
            own = self.cases.where(rows)
            units, codes = _units(own), self.reference[rows].astype(np.int64) * k + self.response[rows]
            cells = cells_of_rows(units, binary_codes(own.positive, own.positive), (2, 2))
            intervals = dict.fromkeys(OF_ACCURACY, intervals_of("prevalence", cells, level))
            intervals["kappa"] = kappa_intervals(cells_of_rows(units, codes, (k, k)), level)
            parts.append(Columns({}, intervals))
        return found._replace(intervals=joined(parts).intervals)

    @without_warnings()
    def of_classes(self, found: Columns) -> Columns:
        """Return what is said of each class against the rest, with its intervals.  O(k n), with scores O(k n log n)."""
        parts = []
        for code, scores in enumerate(self.scores):
            own = self.cases._replace(positive=self.reference == code)
            each = _intervals(own, self.asked, found.intervals, self.response == code, scores=scores)
            parts.append(Columns({}, each))
        return found._replace(intervals=joined(parts).intervals)
