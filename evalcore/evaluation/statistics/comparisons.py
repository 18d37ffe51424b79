"""Comparisons of the score columns of a report, and p-values adjusted for their number."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.evaluation.cases import RankedCases
from evalcore.evaluation.model import COMPARISONS, ColumnRecords, Columns, Section
from evalcore.evaluation.statistics.columns import stacked
from evalcore.inference import holm
from evalcore.inference.curve_areas import check_comparable, intervals_of_areas
from evalcore.inference.intervals import Comparison, Intervals
from evalcore.inference.rankings import RankedSample, RankingEstimates, areas_of_placed
from evalcore.inference.resamples import without_warnings
from evalcore.inference.roc_auc_bounds import compare_areas, difference_method
from evalcore.inference.units import units_of
from evalcore.kernels.placements import Placements, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import FloatArray, KeyArray

OF_ACCURACY = "accuracy", "micro_precision", "micro_recall", "micro_f1"
"""Statistics that all are the accuracy, where each case has one class."""


def pair_naming(names: Sequence[str]) -> Callable[[str, str], str]:
    """Return what names pairs of score columns, each pair unlike all others.  O(names).

    >>> pair_naming(["a", "b"])("a", "b"), pair_naming(["a - b", "c"])("a - b", "c")
    ('a - b', "'a - b' - 'c'")
    """
    shown: Callable[[str], str] = repr if any(" - " in name for name in names) else str
    return lambda first, second: f"{shown(first)} - {shown(second)}"


class ComparedPairs(NamedTuple):
    """Which score columns are compared."""

    pairs: list[tuple[int, int]]
    """Indices of columns."""
    baseline: str
    """The column that all others are compared with; empty if there is none."""
    family: int
    """Number of comparisons that p-values are adjusted for, if each has one."""

    def adjusted(self, compared: Section) -> int:
        """Return how many comparisons p-values are adjusted for: undefined ones are left out.  O(pairs)."""
        p_values = compared.columns.column("p_value")
        defined = int(np.count_nonzero(~np.isnan(p_values)))
        return self.family - len(p_values) + defined if defined else 0

    def notes(self, compared: Section) -> list[str]:
        """Say how many comparisons p-values are adjusted for, if there are several.  O(pairs)."""
        adjusted = self.adjusted(compared)
        if adjusted < 2:
            return []
        why = ", because any model could have been the best" if self.family > len(self.pairs) else ""
        return [f"P-values are adjusted by Holm's method for {adjusted:,} comparisons{why}"]


def compared_pairs(ranked: Section, compare: str, measure: str = "roc_auc") -> ComparedPairs:
    """Choose pairs of columns; ranked: a record for each column; compare: one of `COMPARED` but "none".  O(pairs).

    The best column has the largest value of the measure.  If the same cases choose it, p-values are adjusted for all
    pairs: another could have been the best.
    """
    names, every = list(ranked.records), list(combinations(range(len(ranked.records)), 2))
    if compare == "all":
        return ComparedPairs(every, "", len(every))
    baseline = int(np.argmax(ranked.columns.column(measure))) if compare == "best" else 0
    pairs = [(baseline, other) for other in range(len(names)) if other != baseline]
    return ComparedPairs(pairs, names[baseline], len(every) if compare == "best" else len(pairs))


ComparableAreas: TypeAlias = Callable[[Sequence[float]], RankingEstimates]
"""Returns the ROC AUCs, which have these values, of k score columns on the same cases, in their order."""


class PlacedColumns:
    """The placements of score columns in their order, or what cases with weights lose: nothing is sorted again."""

    def __init__(self, *, frequencies: bool) -> None:
        self._frequencies = frequencies
        self._placed: list[Placements | FloatArray] = []

    _memory: KeyArray | None = None
    """For the keys of the next column: new memory costs the system half as much as the sort of it."""

    @contextmanager
    def ranked(self, cases: RankedCases) -> Iterator[RankedCases]:
        """Lend the state of the sorted cases of a column; on exit its placements replace it.  O(n log n)."""
        check_comparable(cases.size, "label")
        self._correct, self._weights = cases.correct, None
        if isinstance(cases, WeightedRanking):
            yield cases
            self._weights = cases.weights
            self._placed.append(cases.losses())
        else:
            found = indexed_order(cases.scores, cases.correct, self._memory)
            yield ScoredCases.of(cases.correct, cases.scores, found.ordering)
            self._memory = found.keys
            self._placed.append(placements(found))

    def areas(self, values: Sequence[float]) -> RankingEstimates:
        """Return the ROC AUCs, which have these values.  O(n)."""
        self._memory = None
        units = units_of(self._correct.size, weights=self._weights, are_frequencies=self._frequencies)
        cases = RankedSample(self._correct, units)
        return areas_of_placed(np.array(values)[:, np.newaxis], self._placed, cases)


@without_warnings()
def comparisons(
    ranked: Section, areas_of: ComparableAreas, chosen: ComparedPairs, level: float, area_method: str
) -> list[Section]:
    """Give the ROC AUCs of score columns intervals by a method, and compare pairs of them.  O(pairs n).

    ranked: a record for each column, without these intervals: both need the placements, which are added up once.
    If there is more than one comparison, p-values adjusted by Holm's method are added.
    """
    names = list(ranked.records)
    name_of = pair_naming(names)
    areas = areas_of(ranked.columns.column("roc_auc").tolist())
    intervals, method = intervals_of_areas(areas, level, area_method), difference_method(area_method)
    found = [compare_areas(*pair, level, method, freedom=areas.freedom)[0] for pair in areas.pairs(chosen.pairs)]
    of_models = zip(ranked.columns.parts, intervals.each(level), strict=True)  # each part is of one model
    whole = [part._replace(intervals={**part.intervals, "roc_auc": stacked([own])}) for part, own in of_models]
    p_values = np.array([comparison.p_value for comparison in found])
    adjusted = adjusted_p_values(p_values, chosen.family - p_values.size) if chosen.family > 1 else None
    pairs = [name_of(names[first], names[second]) for first, second in chosen.pairs]
    records = ColumnRecords(pairs, [difference_columns(found, adjusted)], level)
    baseline = f" with that of {chosen.baseline!r}" if chosen.baseline and len(records) > 1 else ""
    compared = Section(COMPARISONS, f"ROC AUCs compared{baseline}, on the same cases", "pair", records)
    return [ranked._replace(records=ColumnRecords(names, whole, level)), compared]


def adjusted_p_values(
    p_values: FloatArray, unseen: int = 0, method: Callable[[FloatArray], FloatArray] = holm
) -> FloatArray:
    """Adjust p-values, (k,), as if there were so many unseen ones more, by Holm's method or another; NaN stays.

    O(k log k).

    >>> adjusted_p_values(np.array([0.25, np.nan, 0.125]), 1)
    array([0.5  ,   nan, 0.375])
    """
    defined = ~np.isnan(p_values)
    adjusted = np.full(p_values.size, np.nan)
    ones = np.ones(unseen)  # with a p-value of 1 nothing is rejected
    adjusted[defined] = method(np.concatenate([p_values[defined], ones]))[: np.count_nonzero(defined)]
    return adjusted


def difference_columns(
    found: Sequence[Comparison], adjusted: FloatArray | None = None, name: str = "roc_auc_difference"
) -> Columns:
    """Return what is reported of comparisons by one method, (m,) each; adjusted: p-values corrected for others.  O(m).

    name: of the difference.
    """
    rows = [(each.difference, each.low, each.high, each.p_value) for each in found]
    differences, low, high, p_values = np.array(rows, np.float64).reshape(-1, 4).T
    values = {name: differences, "p_value": p_values}
    if adjusted is not None:
        values["p_value_holm"] = adjusted
    return Columns(values, {name: Intervals(differences, low, high, found[0].method)} if found else {})
