"""Intervals beside the statistics of scores and classes whose rows were drawn by clusters.

They stand in place of those that take each row for a draw of its own, and have the same names and methods.
"""

import numpy as np

from evalcore.evaluation.cases import PairedCases, PairedClasses
from evalcore.evaluation.model import ClassScoreCases, Columns
from evalcore.evaluation.statistics.case_tallies import joined, measure_intervals
from evalcore.evaluation.statistics.decisions import Asked
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.inference.cells import cells_of_rows
from evalcore.inference.curve_areas import intervals_of_areas, intervals_of_precisions
from evalcore.inference.intervals import Intervals
from evalcore.inference.ranked_samples import AREA, PRECISION
from evalcore.inference.rankings import rankings
from evalcore.inference.resampled_measures import without_warnings
from evalcore.inference.units import Units
from evalcore.kernels.blocks import BLOCK
from evalcore.kernels.grouping import rows_of_groups
from evalcore.kernels.tables import binary_codes
from evalcore.kernels.thresholds import are_at_or_above
from evalcore.typing import BoolArray, IntArray, ScoreArray
from evalcore.validation.weights import extent_of_weights


def note_of_clusters(clusters: IntArray, column: str | None) -> str:
    """Say what intervals of cases in clusters, (n,), treat as drawn.  O(n)."""
    count = int(clusters.max(initial=-1)) + 1
    return f"intervals and p-values treat the clusters of {column}, {count:,} in all, as drawn at random, not the rows"


@without_warnings()
def drawn(
    cases: PairedCases,
    asked: Asked,
    found: Columns,
    scores: ScoreArray | None,
    groups: GroupedRows | None = None,
    *,
    predicted: BoolArray | None = None,
) -> Columns:
    """Return the statistics of scores, (n,), with intervals of clusters, if these and intervals are there.  O(n log n).

    groups: those that the statistics are of; None for all rows; predicted: the decisions, (n,), where they are not
    those at the threshold among the statistics.
    """
    level, intervals, chosen = asked.level, dict[str, Intervals](), () if scores is None else (AREA, PRECISION)
    if cases.clusters is None or level is None:
        return found
    units = _units(cases) if groups is None else cases.units(groups.of_rows, groups.count)
    if found.intervals:
        threshold = float(found.values.get("threshold", [np.inf])[0])
        if predicted is None:
            assert scores is not None
            predicted = are_at_or_above(scores, threshold)
        cells = cells_of_rows(units, binary_codes(cases.positive, predicted), (2, 2))
        intervals = measure_intervals(found.intervals, cells, level, threshold=threshold, costs=asked.costs)
    ranked, columns = [name for name in chosen if name in found.intervals], [] if scores is None else [scores]
    layout = None if groups is None else groups.layout
    for name, each in rankings(cases.positive, columns, units, ranked, layout).items():
        if name == AREA:
            intervals[name] = intervals_of_areas(each, level, asked.area_method)
        else:
            intervals[name] = intervals_of_precisions(each, level)
    own = Columns({}, intervals)
    return found._replace(intervals=(own if groups is None else own.at(groups.indices)).intervals)


def _units(cases: PairedCases) -> Units:
    """Return the clusters of all cases; raises EvaluationError for weights that are too far apart.  O(n)."""
    if cases.weights.values is not None:
        extent_of_weights(cases.weights.values, f"column {cases.weights.weighting.column!r}")
    return cases.units()


@without_warnings()
def drawn_agreement(
    cases: PairedClasses, level: float | None, found: Columns, groups: GroupedRows | None = None
) -> Columns:
    """Return what is said of all classes together, with intervals of clusters, as `drawn`.  O(n log n + g k²)."""
    if cases.clusters is None or level is None:
        return found
    rows_of, k = PairedCases(cases.labels >= 0, {}, cases.weights, cases.clusters), len(cases.categories)
    codes, parts = cases.labels.astype(np.int64) * k + cases.response, list[Columns]()
    count, step = 1 if groups is None else groups.count, max(BLOCK // k**2, 1)
    for first in range(0, count, step):
        rows: slice | IntArray = slice(None)
        if groups is None:
            units = _units(rows_of)
        else:
            some = slice(first, min(first + step, count))
            rows, sizes = rows_of_groups(groups.layout, some), np.diff(groups.layout.starts[first : some.stop + 1])
            units = rows_of.where(rows).units(np.arange(sizes.size).repeat(sizes), sizes.size)
        parts.append(Columns({}, measure_intervals(found.intervals, cells_of_rows(units, codes[rows], (k, k)), level)))
    every = joined(parts)
    return found._replace(intervals=(every if groups is None else every.at(groups.indices)).intervals)


def drawn_classes(cases: PairedClasses, asked: Asked, found: Columns, scored: ClassScoreCases | None) -> Columns:
    """Return what is said of each class against the rest, with intervals of clusters, as `drawn`.

    scored: the scores of each class, if there are some.  O(k n), with scores O(k n log n).
    """
    if cases.clusters is None or asked.level is None:
        return found
    parts = []
    for code in range(len(cases.categories)):
        own, scores = cases.labels == code, None if scored is None else scored.scores[:, code]
        drawn_cases = PairedCases(own, {}, cases.weights, cases.clusters)
        each = found.at(slice(code, code + 1))
        parts.append(drawn(drawn_cases, asked, each, scores, predicted=cases.response == code))
    return joined(parts)
