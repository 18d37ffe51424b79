"""Statistics of scores of each class: where the right class ranks, losses, and areas of each class against the rest."""

from collections.abc import Callable
from functools import partial

import numpy as np

from evalcore.evaluation.cases import PairedClasses, ranked_cases
from evalcore.evaluation.catalogue import DEPTH, WILSON, entry_of
from evalcore.evaluation.measure_choice import ALL_MEASURES, TOP_ACCURACY, Measures
from evalcore.evaluation.model import ClassScoreCases, Columns
from evalcore.evaluation.statistics.case_tallies import joined, tallied
from evalcore.evaluation.statistics.decisions import Asked
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.statistics.scores import columns_of_groups, columns_of_whole
from evalcore.inference.cells import cells_of_rows, intervals_of
from evalcore.inference.curve_areas import intervals_of_areas
from evalcore.inference.intervals import Intervals
from evalcore.inference.means import intervals_of_means, means_and_spread
from evalcore.inference.rankings import MACRO, WEIGHTED, averages_of_areas
from evalcore.inference.resampled_measures import without_warnings
from evalcore.inference.units import ValuesOfRows
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.grouping import sorted_by_group
from evalcore.kernels.tables import binary_codes
from evalcore.measures import losses
from evalcore.measures.agreement import weighted_means_of_rows
from evalcore.measures.curves import areas_of_rows, of_columns, roc_aucs_of_groups
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.arrays import Cases
from evalcore.validation.scores import rows_of_probabilities

_AREAS = "roc_auc", "average_precision"
OF_AREAS = *_AREAS, MACRO, WEIGHTED
"""Statistics that need the cases sorted by the scores of each class."""
OF_PROBABILITIES = "log_loss", "brier_score"
"""Statistics of scores that are probabilities."""


def columns_of_scores(
    cases: ClassScoreCases, every: Columns, areas: FloatArray | None, measures: Measures, groups: IntArray | None = None
) -> Columns:
    """Add how high the right classes rank, averages of areas, and losses to what agrees in g groups.  O(n k).

    areas: (g, k), or (k,) of a single group, if they are wanted; groups: of each case, (n,) of 0 .. g - 1, None for a
    single group.  Top-k accuracy stands for fewer than all classes, unless it is asked for.
    """
    k, count, size = len(cases.categories), every.size, cases.codes.size
    of_rows = np.zeros(size, np.int64) if groups is None else groups
    codes = cases.own_ranks, cases.codes
    tallies = (tallied(of_rows * k + each, cases.weights, count * k) for each in codes)
    by_rank, by_class = (tally.counts.reshape(count, k) for tally in tallies)
    depths = measures.depths_of(TOP_ACCURACY)
    if measures == ALL_MEASURES:
        depths = [depth for depth in depths if depth < k]
    names = "mean_reciprocal_rank", "mean_rank", *(TOP_ACCURACY.replace(DEPTH, str(depth)) for depth in depths)
    found = {name: formula_of_ranks(name)(by_rank) for name in names}
    if areas is not None:
        areas = areas.reshape(count, k)
        found[MACRO] = weighted_means_of_rows(areas, np.ones(areas.shape, np.int64))
        found[WEIGHTED] = weighted_means_of_rows(areas, by_class)
    ranked = Columns({name: np.asarray(values) for name, values in found.items()})
    return every.plus(ranked).plus(_losses(cases, of_rows, count, measures))


def formula_of_ranks(name: str) -> Callable[[AnyArray], FloatArray]:
    """Return what finds a measure from cases counted by the rank of their class, (g, k), by the catalogue.  O(1)."""
    entry = entry_of(name)
    assert entry is not None
    assert entry.of_ranks is not None
    return partial(entry.of_ranks, depth=entry.depth)


def values_of_cases(name: str, cases: ClassScoreCases) -> ValuesOfRows:
    """Return what finds the values of cases whose mean a measure of scores is.  O(k), and O(rows), of losses O(k rows).

    A measure of ranks is what it is of a single case of each.
    """
    if name in OF_PROBABILITIES:
        return lambda rows: losses_of_cases(cases, rows)[OF_PROBABILITIES.index(name)]
    of_ranks = formula_of_ranks(name)(np.eye(len(cases.categories), dtype=np.int64))
    own = cases.own_ranks
    return lambda rows: of_ranks[own[rows]]


def losses_of_cases(cases: ClassScoreCases, rows: slice | IntArray) -> FloatArray:
    """Return the log loss and the Brier score of some cases, (2, m), NaN without probabilities.  O(m k)."""
    scores, codes = cases.scores[rows], cases.codes[rows]
    least, scale = np.finfo(cases.scores.dtype).eps, 2 if len(cases.categories) < 3 else 1  # as in scikit-learn
    own = scores[np.arange(codes.size), codes].clip(least, 1 - least)
    lost = np.array([losses.log_loss(own), losses.squared_errors(scores, codes) / scale])
    lost[:, ~rows_of_probabilities(scores)] = np.nan
    return lost


def _losses(cases: ClassScoreCases, groups: IntArray, count: int, measures: Measures) -> Columns:
    """Return the log loss and the Brier score of each group, (g,), NaN without probabilities; none if not wanted.

    groups: of each case, (n,) of 0 .. count - 1.  O(n k).
    """
    if not measures.wants(*OF_PROBABILITIES):
        return Columns({})
    weights = cases.weights.values

    def sums_of(block: slice) -> FloatArray:
        codes = groups[block]
        lost = np.array([*losses_of_cases(cases, block), np.ones(codes.size)])
        if weights is not None:
            lost *= weights[block]
        return np.array([np.bincount(codes, each, count) for each in lost])

    log_loss, brier_score, totals = np.sum(map_blocks(sums_of, cases.codes.size, len(cases.categories)), axis=0)
    return Columns({"log_loss": log_loss / totals, "brier_score": brier_score / totals})


def areas_of_classes(cases: ClassScoreCases, asked: Asked) -> Columns:
    """Return the areas of each class against the rest, (k,), if they are wanted.  O(k n log n)."""
    if not asked.measures.wants(*OF_AREAS):
        return Columns({})
    codes, weights = cases.codes, cases.weights
    if weights.values is None and asked.level is None:
        found = of_columns(areas_of_rows, cases.scores, codes[:, np.newaxis] == np.arange(cases.scores.shape[1]))
        return Columns(dict(zip(_AREAS, found, strict=True)))
    asked = asked._replace(measures=Measures(names=_AREAS))
    each = (ranked_cases(codes == code, column, weights.values) for code, column in enumerate(cases.scores.T))
    return joined([columns_of_whole(of_class, asked, weights).only(_AREAS) for of_class in each])


def areas_of_groups(cases: ClassScoreCases, groups: GroupedRows) -> FloatArray:
    """Return the ROC AUCs of the classes in each group, (g, k).  O(k n log n)."""
    weights, layout, columns = cases.weights, groups.layout, []
    for code, scores in enumerate(cases.scores.T):
        correct = cases.codes == code
        if weights.values is None:
            areas = roc_aucs_of_groups(sorted_by_group(layout, scores, correct).keys, layout.starts)
            columns.append(areas[groups.places])
        else:
            asked = Asked(measures=Measures(names=_AREAS[:1]))
            columns.append(columns_of_groups(Cases(correct, scores), groups, asked, weights).values["roc_auc"])
    return np.stack(columns, axis=1)


def largest_of_case(name: str, classes: int) -> float:
    """Return the largest value that a measure of scores of k classes can have.  O(1)."""
    entry = entry_of(name)
    assert entry is not None
    return 2.0 if name == "brier_score" and classes > 2 else entry.largest  # of several classes a sum


@without_warnings()
def with_score_intervals(
    cases: PairedClasses, scored: ClassScoreCases, asked: Asked, found: Columns, groups: GroupedRows | None = None
) -> Columns:
    """Return the statistics of scores with intervals of means over cases and of averages of areas.  O(k n log n).

    groups: those that the statistics are of; None for all rows.
    """
    level, intervals = asked.level, dict[str, Intervals]()
    if level is None:
        return found
    units = cases.units() if groups is None else cases.units(groups.of_rows, groups.count)
    for name in found.values:
        if (entry := entry_of(name)) is None or not (entry.of_ranks or name in OF_PROBABILITIES):
            continue
        values = values_of_cases(name, scored)
        if entry.method == WILSON:
            hit = values(slice(None)) > 0
            intervals[name] = intervals_of("prevalence", cells_of_rows(units, binary_codes(hit, hit), (2, 2)), level)
        else:
            largest = largest_of_case(name, len(scored.categories))
            unseen = largest if name in OF_PROBABILITIES else None
            means, spread = means_and_spread(units, values, largest_loss=unseen)
            intervals[name] = intervals_of_means(means, spread, level, largest)
    if averaged := [name for name in OF_AREAS if name in found.values]:
        layout = None if groups is None else groups.layout
        estimates = averages_of_areas(scored.codes, [scored.scores.T], units, layout)
        with np.errstate(invalid="ignore"):  # a class may hold all cases
            intervals |= {name: intervals_of_areas(estimates[name], level, asked.area_method) for name in averaged}
    own = Columns({}, intervals)
    return found.plus(own if groups is None else own.at(groups.indices))
