"""Items of many groups, ranked by score: what measures of rankings are computed from."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evalcore.kernels.grouped_keys import group_layout, sorted_by_group
from evalcore.kernels.grouped_pairs import GroupedPairCounts, grouped_pair_counts
from evalcore.kernels.runs import run_starts
from evalcore.kernels.segments import GroupedOrder, order_by_group, sums_before
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray


class _Runs(NamedTuple):
    """Runs of equal scores that hold relevant items; see the properties of `GroupedRankings`."""

    group: IntArray
    before: IntArray
    size: IntArray
    relevant: FloatArray
    relevant_before: FloatArray
    unjudged: FloatArray
    unjudged_before: FloatArray
    grades: FloatArray


class GroupedRankings:
    """Items of g groups.  What a measure asks for is computed when it is first asked for.

    Relevant items are known by the t runs of equal scores that hold any: group after group, best first.

    >>> ranked = GroupedRankings(np.array([0, 1, 0]), np.array([0.1, 0.2, 0.3]), np.array([1, 0, 0]), groups=2)
    >>> ranked.sizes, ranked.all_relevant, ranked.group, ranked.before
    (array([2, 1]), array([1., 0.]), array([0]), array([1]))
    """

    def __init__(
        self,
        codes: IntArray,
        scores: ScoreArray,
        grades: AnyArray,
        groups: int,
        *,
        missed: tuple[IntArray, FloatArray] | None = None,
        recall_slack: float = 0.0,
        same_order: "GroupedRankings | None" = None,
    ) -> None:
        """Keep checked columns.

        codes: (n,) of 0 .. groups-1; scores: (n,), no NaN; grades: (n,) numbers or Booleans, above 0 for relevant
        items, 0 for irrelevant ones, below 0 for items that nobody judged.  missed: groups and grades, (m,) each, of
        items that were not retrieved.  same_order: rankings of the same groups and scores, which are sorted once.
        """
        self.groups = groups
        """Number of groups."""
        self.recall_slack = recall_slack
        """What is added to a recall times the relevant items before the number is cut; 0.0 for as many as it takes."""
        self._codes, self._scores, self._grades = codes, scores, grades
        self._missed_codes, self._missed_grades = (codes[:0], np.empty(0)) if missed is None else missed
        self._same_order = same_order
        self._by_level: dict[float, GroupedRankings] = {}

    def at_level(self, level: float) -> "GroupedRankings":
        """Return the same items, relevant with grade 1 if their grade is at least a level, 0 or more.  O(n) once.

        At level 0 all judged items are relevant.

        >>> codes, grades = np.array([0, 0, 0]), np.array([2, 1, -1])
        >>> GroupedRankings(codes, np.array([0.3, 0.2, 0.1]), grades, groups=1).at_level(2).all_relevant
        array([1.])
        """
        if level not in self._by_level:
            self._by_level[level] = self._regraded(lambda grades: _grades_at(level, grades))
        return self._by_level[level]

    def with_gains(self, gains: Mapping[float, float]) -> "GroupedRankings":
        """Return the same items, with other grades in place of some, by the grades they replace.  O(n log gains).

        >>> codes, grades = np.array([0, 0]), np.array([2, 1])
        >>> GroupedRankings(codes, np.array([0.3, 0.2]), grades, groups=1).with_gains({2: 5.0}).wanted_grades
        array([5., 1.])
        """
        replaced, by = map(np.array, zip(*sorted(gains.items()), strict=True))
        return self._regraded(lambda grades: _grades_replaced(replaced, by, grades))

    @cached_property
    def judged(self) -> "GroupedRankings":
        """The same rankings without the items that nobody judged.  O(n)."""
        rows = np.flatnonzero(self._grades >= 0)
        return GroupedRankings(
            self._codes[rows],
            self._scores[rows],
            self._grades[rows],
            self.groups,
            missed=(self._missed_codes, self._missed_grades),
            recall_slack=self.recall_slack,
        )

    @cached_property
    def sizes(self) -> IntArray:
        """Items retrieved of each group, (g,).  O(n)."""
        return self._counts(self._codes)

    @cached_property
    def relevant_retrieved(self) -> IntArray:
        """Relevant items that were retrieved of each group, (g,).  O(n)."""
        return self._counts(self._codes[self._relevant_rows])

    @cached_property
    def all_relevant(self) -> FloatArray:
        """Relevant items of each group, retrieved or not, (g,).  O(n)."""
        missed = self._counts(self._missed_codes[self._missed_grades > 0])
        return (self.relevant_retrieved + missed).astype(np.float64)

    @cached_property
    def all_irrelevant(self) -> FloatArray:
        """Items of each group that are judged irrelevant, retrieved or not, (g,).  O(n)."""
        retrieved, missed = self._codes[self._grades == 0], self._missed_codes[self._missed_grades == 0]
        return (self._counts(retrieved) + self._counts(missed)).astype(np.float64)

    @cached_property
    def wanted_groups(self) -> IntArray:
        """Groups of the relevant items, retrieved or not, (w,).  O(n)."""
        return np.concatenate([self._codes[self._relevant_rows], self._missed_codes[self._missed_grades > 0]])

    @cached_property
    def wanted_grades(self) -> FloatArray:
        """Grades of `wanted_groups`, (w,).  O(n)."""
        missed = self._missed_grades[self._missed_grades > 0]
        return np.concatenate([self._grades[self._relevant_rows], missed]).astype(np.float64, copy=False)

    @cached_property
    def pairs(self) -> GroupedPairCounts:
        """Pairs of a relevant and another item that were retrieved, of each group.  O(n log largest group)."""
        layout = group_layout(self._codes, self.groups)
        keys = sorted_by_group(layout, self._scores, self._is_relevant).keys
        return grouped_pair_counts(layout, keys, self.groups)

    @property
    def group(self) -> IntArray:
        """Group of each run, rising, (t,).  O(n log n)."""
        return self._runs.group

    @property
    def before(self) -> IntArray:
        """Items of its group with a higher score, (t,).  O(n log n)."""
        return self._runs.before

    @property
    def size(self) -> IntArray:
        """Its items, (t,).  O(n log n)."""
        return self._runs.size

    @property
    def relevant(self) -> FloatArray:
        """Its relevant items, (t,).  O(n log n)."""
        return self._runs.relevant

    @property
    def relevant_before(self) -> FloatArray:
        """Relevant items of its group with a higher score, (t,).  O(n log n)."""
        return self._runs.relevant_before

    @property
    def unjudged(self) -> FloatArray:
        """Its items that nobody judged, (t,).  O(n log n)."""
        return self._runs.unjudged

    @property
    def unjudged_before(self) -> FloatArray:
        """Items of its group with a higher score that nobody judged, (t,).  O(n log n)."""
        return self._runs.unjudged_before

    @property
    def grades(self) -> FloatArray:
        """Grades of the r relevant items that were retrieved, run after run, (r,).  O(n log n)."""
        return self._runs.grades

    def per_group(self, values: FloatArray) -> FloatArray:
        """Add up a value of the runs over each group: (t,) to (g,).  O(t + g)."""
        return np.bincount(self.group, weights=values, minlength=self.groups).astype(np.float64, copy=False)

    @cached_property
    def _is_relevant(self) -> BoolArray:
        return self._grades if self._grades.dtype == np.bool_ else self._grades > 0

    @cached_property
    def _relevant_rows(self) -> IntArray:
        """Rows of the relevant items that were retrieved: with these others are chosen faster than with a mask."""
        return np.flatnonzero(self._is_relevant)

    def _regraded(self, change: Callable[[AnyArray], AnyArray]) -> "GroupedRankings":
        """Return the same items in the same order with changed grades."""
        return GroupedRankings(
            self._codes,
            self._scores,
            change(self._grades),
            self.groups,
            missed=(self._missed_codes, change(self._missed_grades)),
            recall_slack=self.recall_slack,
            same_order=self,
        )

    @cached_property
    def _order(self) -> GroupedOrder:
        if self._same_order is not None:
            return self._same_order._order
        return order_by_group(self._codes, self._scores)

    @cached_property
    def _runs(self) -> _Runs:
        """Sort the items, and find the runs of equal scores that hold relevant ones.  O(n log n)."""
        order, starts = self._order
        rows = np.flatnonzero(self._is_relevant[order])
        start, end, relevant = _runs_holding(rows, starts, order.size)
        group = self._codes[order[start]]
        first = np.cumsum(self.sizes) - self.sizes
        unjudged = self._grades < 0
        unjudged_before = np.flatnonzero(unjudged[order] if unjudged.any() else unjudged[:0]).searchsorted
        return _Runs(
            group,
            start - first[group],
            end - start,
            relevant,
            sums_before(group, relevant),
            (unjudged_before(end) - unjudged_before(start)).astype(np.float64),
            (unjudged_before(start) - unjudged_before(first[group])).astype(np.float64),
            self._grades[order[rows]].astype(np.float64, copy=False),
        )

    def _counts(self, codes: IntArray) -> IntArray:
        return np.bincount(codes, minlength=self.groups)


def _grades_at(level: float, grades: AnyArray) -> AnyArray:
    """Return 1 for grades of at least a level, 0 for lower ones, -1 for unjudged items, (n,) int8.  O(n)."""
    return np.where(grades >= level, np.int8(1), np.where(grades < 0, np.int8(-1), np.int8(0)))


def _grades_replaced(replaced: FloatArray, by: FloatArray, grades: AnyArray) -> AnyArray:
    """Return grades (n,), with others in place of the replaced ones (k,), which rise.  O(n log k)."""
    places = np.minimum(replaced.searchsorted(grades), replaced.size - 1)
    return np.where(replaced[places] == grades, by[places], grades)


def _runs_holding(rows: IntArray, starts: IntArray, size: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return where the runs that hold some rows, ascending, start and end, and how many of the rows each holds."""
    runs = starts.searchsorted(rows, side="right") - 1
    heads = run_starts(runs)
    held = np.diff(heads, append=rows.size).astype(np.float64)
    chosen = runs[heads]
    return starts[chosen], np.append(starts, size)[chosen + 1], held
