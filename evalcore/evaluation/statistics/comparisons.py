"""Comparisons of the score columns of a report, and p-values adjusted for their number."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.cases import PairedCases, RankedCases
from evalcore.evaluation.model import COMPARISONS, HOLM_OF_GROUPS, Answer, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.statistics.groups import named_records
from evalcore.evaluation.statistics.tallies import Asked
from evalcore.inference import holm
from evalcore.inference.bootstrap import without_warnings
from evalcore.inference.curve_areas import check_comparable
from evalcore.inference.intervals import DEFAULT_DIFFERENCE_METHOD, DELONG, Comparisons, Intervals, compare_areas
from evalcore.inference.ranked_samples import AREA, RankedSample
from evalcore.inference.rankings import RankingEstimates, areas_of_placed, rankings
from evalcore.inference.units import units_of
from evalcore.kernels.placements import Placements, placements
from evalcore.kernels.sorting import indexed_order
from evalcore.state.cases import ScoredCases, WeightedRanking
from evalcore.typing import AnyArray, FloatArray, KeyArray
from evalcore.validation.weights import scale_weights


def pair_naming(names: Sequence[str]) -> Callable[[str, str], str]:
    """Return what names pairs of score columns, each pair unlike all others.  O(names).

    >>> pair_naming(["a", "b"])("a", "b"), pair_naming(["a - b", "c"])("a - b", "c")
    ('a - b', "'a - b' - 'c'")
    """
    shown: Callable[[str], str] = repr if any(" - " in name for name in names) else str
    return lambda first, second: f"{shown(first)} - {shown(second)}"


class ComparedPairs(NamedTuple):
    """Which score columns, or runs, are compared."""

    pairs: list[tuple[int, int]]
    """Their indices."""
    names: list[str]
    """Of the pairs."""
    baseline: str
    """The column that all others are compared with; empty if there is none."""
    family: int
    """Number of comparisons that p-values are adjusted for, if each has one."""

    def why(self, what: str) -> str:
        """Say why p-values are adjusted for more comparisons than there are; empty if they are not.  O(1)."""
        return f", because any {what} could have been the best" if self.family > len(self.pairs) else ""


def compared_pairs(names: Sequence[str], values: AnyArray, compare: str) -> ComparedPairs:
    """Choose pairs of columns; values: of the measure that the best has the largest of, (k,).  O(pairs).

    compare: one of `COMPARED` but "none".  If the same cases choose the best, p-values are adjusted for all pairs:
    another could have been the best.
    """
    pairs, baseline = list(combinations(range(len(names)), 2)), ""
    family = len(pairs)
    if compare != "all":
        best = int(np.argmax(values)) if compare == "best" else 0
        pairs, baseline = [(best, other) for other in range(len(names)) if other != best], names[best]
        family = family if compare == "best" else len(pairs)
    name_of = pair_naming(names)
    return ComparedPairs(pairs, [name_of(names[first], names[second]) for first, second in pairs], baseline, family)


class PlacedColumns:
    """The placements of score columns in their order, or what cases with weights lose: nothing is sorted again.

    Cases in clusters are.
    """

    def __init__(self, cases: PairedCases) -> None:
        self._cases = cases
        self._placed: list[Placements | FloatArray] = []

    found: RankingEstimates
    """The ROC AUCs, once `areas` was asked for them."""
    _memory: KeyArray | None = None
    """For the keys of the next column: new memory costs the system half as much as the sort of it."""

    @contextmanager
    def ranked(self, cases: RankedCases) -> Iterator[RankedCases]:
        """Lend the state of the sorted cases of a column; on exit its placements replace it.  O(n log n)."""
        check_comparable(cases.size, "label")
        if self._cases.clusters is not None:
            yield cases
        elif isinstance(cases, WeightedRanking):
            yield cases
            self._placed.append(cases.losses())
        else:
            found = indexed_order(cases.scores, cases.correct, self._memory)
            yield ScoredCases.of(cases.correct, cases.scores, found.ordering)
            self._memory = found.keys
            self._placed.append(placements(found))

    def areas(self, values: AnyArray) -> RankingEstimates:
        """Return the ROC AUCs, which have these values, (k,).  O(n)."""
        self._memory, cases = None, self._cases
        if cases.clusters is not None:
            self.found = rankings(RankedSample(cases.positive, cases.units()), [*cases.scores.values()], [AREA])[AREA]
        else:  # groups may have weights of orders of magnitude of their own
            weights, counted = scale_weights(cases.weights.values)[0], cases.weights.frequencies is not None
            units = units_of(cases.positive.size, weights=weights, are_frequencies=counted)
            self.found = areas_of_placed(values[:, np.newaxis], self._placed, RankedSample(cases.positive, units))
        return self.found


def adjusted_p_values(
    p_values: FloatArray, unseen: int = 0, method: Callable[[FloatArray], FloatArray] = holm
) -> FloatArray:
    """Adjust p-values, (k,), as if there were more of them, unseen, by Holm's method or another; NaN stays.

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
    found: Comparisons, adjusted: FloatArray | None = None, name: str = "roc_auc_difference"
) -> Columns:
    """Return what is reported of differences by one method, (m,) each; adjusted: p-values corrected for others.  O(m).

    name: of the difference.
    """
    values = {name: found.differences, "p_value": found.p_values}
    values |= {} if adjusted is None else {"p_value_holm": adjusted}
    method = np.ravel(found.methods)[0].item()
    return Columns(values, {name: Intervals(found.differences, found.low, found.high, method)})


@without_warnings()
def comparisons(cases: PairedCases, whole: RankingEstimates, compare: str, asked: Asked) -> Answer:
    """Compare the ROC AUCs of pairs of score columns, in all rows and in each group.

    whole: the ROC AUCs in all rows, as of `PlacedColumns`; compare: as for `compared_pairs`.  The method of intervals
    decides that of differences.  With groups, a section for each pair has a record for each group and, last, one for
    all rows.  If there is more than one comparison, p-values adjusted by Holm's method are added: those of groups for
    all groups and pairs, those of all rows for the pairs alone.  O(pairs n), with groups O(k n log n) for k columns.
    """
    level, groups = asked.level, cases.grouping
    assert level is not None
    chosen = compared_pairs([*cases.scores], whole.values[:, 0], compare)

    def compared(areas: RankingEstimates) -> list[Comparisons]:
        method = DELONG if asked.area_method == DELONG else DEFAULT_DIFFERENCE_METHOD
        return [compare_areas(*pair, level, method) for pair in areas.pairs(chosen.pairs)]

    found = Comparisons.joined(compared(whole))
    p_values = found.p_values
    adjusted = adjusted_p_values(p_values, chosen.family - p_values.size) if chosen.family > 1 else None
    lacking, pairs, why = int(np.count_nonzero(np.isnan(p_values))), chosen.names, chosen.why("model")
    count = chosen.family - lacking if lacking < p_values.size else 0  # undefined ones are left out
    if groups.is_whole:
        baseline = f" with that of {chosen.baseline!r}" if chosen.baseline and len(pairs) > 1 else ""
        records = ColumnRecords(pairs, [difference_columns(found, adjusted)], level)
        of_pairs = Section(COMPARISONS, f"ROC AUCs compared{baseline}, on the same cases", "pair", records)
        notes = [f"P-values are adjusted by Holm's method for {count:,} comparisons{why}"] if count > 1 else []
        return Answer([of_pairs], notes=notes, adjusted=count)
    sample = RankedSample(cases.positive, cases.units(groups.of_rows, groups.count), groups.layout)
    areas = rankings(sample, [*cases.scores.values()], [AREA])[AREA]
    areas.values[:, np.isin(np.arange(groups.count), groups.indices, invert=True)] = np.nan
    in_groups = compared(areas)
    own = np.array([of_pair.p_values for of_pair in in_groups])
    defined = ~np.isnan(own)
    unseen = (chosen.family - len(pairs)) * int(np.count_nonzero(defined.any(axis=0)))
    corrected = adjusted_p_values(own.ravel(), unseen).reshape(own.shape)
    total, made = difference_columns(found, p_values if adjusted is None else adjusted), list[Section]()
    for index, pair in enumerate(pairs):
        each = difference_columns(in_groups[index], corrected[index]).at(groups.indices)
        records = named_records(groups.names, each, total.at(slice(index, index + 1)), level)
        title = f"ROC AUCs compared: {pair}, on the same cases"
        made.append(Section(pair, title, "group", records, whole=Whole(COMPARISONS, "pair")))
    tested, and_pair = int(np.count_nonzero(defined)) + unseen, " and pair" if chosen.family > 1 else ""
    of_each = f"one for each group{and_pair}{why}; intervals are for each group alone"
    note = f"{HOLM_OF_GROUPS} are adjusted by Holm's method for {tested:,} comparisons, {of_each}"
    return Answer(made, notes=[note] if tested > 1 else [], adjusted=count)
