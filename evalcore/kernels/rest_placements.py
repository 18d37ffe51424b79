"""Placements of the cases inside and outside each of many groups, added up without a pass over all cases for each.

A case outside a group has the placement that it has among all cases, D, less d, that of it among the cases of the
group.  So the sums over the cases outside come from sums over all cases and over those of the group: Σ (D - d)² over
all cases is Σ D² - 2 Σ D d + Σ d², and both last terms are sums over the cases of the group of the other class.
Everything is a whole number, so nothing is lost in the differences.  See `evalcore.kernels.placements`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouped_keys import GroupLayout, blocks_of_groups, group_layout
from evalcore.kernels.indexed_ordering import indexed_order
from evalcore.kernels.placements import WholeNumbers
from evalcore.kernels.runs import run_starts
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray

_LOW = 31
"""Bits of a number that are added up apart from those above, so that no sum takes more than 64 bits."""


class GroupMoments(NamedTuple):
    """Sums over the placements of the cases of each of m samples, Python's integers of shape (m,) each."""

    correct: WholeNumbers
    """Correct cases."""
    incorrect: WholeNumbers
    """Incorrect cases."""
    sums: WholeNumbers
    """Sums of the placements of the correct cases."""
    squares: WholeNumbers
    """Sums of their squares."""
    incorrect_squares: WholeNumbers
    """Sums of the squares of the placements of the incorrect cases."""


class InsideAndOutside(NamedTuple):
    """Sums over the placements of cases among those inside each group, and among those outside."""

    inside: GroupMoments
    outside: GroupMoments


class _Side(NamedTuple):
    """The cases of one class in r runs of equal scores, best first, shape (r,) each."""

    cases: IntArray
    below: IntArray
    """Cases of the class below the run."""
    placements: IntArray
    """Placement of a case of the class in the run."""
    facing: IntArray
    """Sum of the placements of the cases of the other class below the run, less those above."""
    size: int
    """Cases of the class."""
    sum: int
    """Sum of their placements."""
    squares: int
    """Sum of the squares of their placements."""


class _Part(NamedTuple):
    """The cases of one class in the r runs of some groups, best first."""

    cases: IntArray
    """Shape (r,)."""
    above: IntArray
    """Cases above the run in its group, shape (r,)."""
    total: IntArray
    """Cases of each group, shape (g,)."""


class _Sums(NamedTuple):
    """Sums over the placements of cases of one class, shape (g,) each."""

    sums: WholeNumbers
    squares: WholeNumbers


def placements_by_group(
    scores: ScoreArray, correct: BoolArray, layout: GroupLayout, frequencies: IntArray | None = None
) -> InsideAndOutside:
    """Add up the placements of cases inside and outside each group, in the order of the layout.

    scores: (n,) float32 or float64, no NaN; correct: (n,); frequencies: (n,), how many cases each stands for, by
    default 1, together fewer than 2**30; all in the order in which the cases came.  O(n log n), for any number of
    groups.

    >>> layout = group_layout(np.array([0, 0, 1, 1, 1]), 2)
    >>> scores, correct = np.array([0.9, 0.1, 0.8, 0.2, 0.1]), np.array([False, True, False, True, True])
    >>> placements_by_group(scores, correct, layout).outside.sums
    array([2, 1], dtype=object)
    """
    order = indexed_order(scores, correct)
    heads = run_starts(order.keys >> 1)
    runs = np.repeat(np.arange(heads.size, dtype=np.int32), np.diff(heads, append=scores.size))
    mask = (order.keys & 1).astype(np.bool_)
    groups = _groups_of_cases(layout)[order.cases]
    counts = np.ones(scores.size, np.int8) if frequencies is None else frequencies[order.cases]
    whole = _sides(*_class_counts(counts, mask, heads))
    by_group = group_layout(groups, layout.groups.size)

    def add_up(first: int, after: int) -> InsideAndOutside:
        part = slice(*by_group.starts[[first, after]].tolist())
        rows = part if by_group.order is None else by_group.order[part]
        starts = by_group.starts[first : after + 1] - by_group.starts[first]
        return _moments(whole, runs[rows], mask[rows], counts[rows], starts)

    small, large = blocks_of_groups(by_group.starts)
    parts = [slice(group, group + 1) for group in large]
    found = [*map_parts(lambda block: add_up(block.start, block.stop), small, scores.size)]
    found += [add_up(part.start, part.stop) for part in parts]
    indices = by_group.groups[np.concatenate([np.arange(part.start, part.stop) for part in (*small, *parts)])]
    return InsideAndOutside(*(_joined(side, indices) for side in zip(*found, strict=True)))


def _groups_of_cases(layout: GroupLayout) -> AnyArray:
    """Return for each case, (n,), the index of its group in the layout.  O(n)."""
    groups = np.repeat(np.arange(layout.groups.size, dtype=np.int32), np.diff(layout.starts))
    if layout.order is None:
        return groups
    of_cases = np.empty_like(groups)
    of_cases[layout.order] = groups
    return of_cases


def _class_counts(counts: AnyArray, mask: BoolArray, heads: IntArray) -> tuple[IntArray, IntArray]:
    """Return the correct and the incorrect cases of the runs that start at `heads`, (r,).  O(n).

    counts, mask: (n,), how many cases each stands for, and whether it is correct.
    """
    correct, sizes = (np.add.reduceat(each, heads, dtype=np.int64) for each in (counts * mask, counts))
    return correct, sizes - correct


def _sides(*counts: IntArray) -> tuple[_Side, _Side]:
    """Return both classes of runs with so many correct and incorrect cases, (r,).  O(r)."""
    above = [count.cumsum() - count for count in counts]
    placed = [2 * above[other] + counts[other] - counts[other].sum() for other in (1, 0)]
    sums = [count * each for count, each in zip(counts, placed, strict=True)]
    facing = [sums[other].sum() - 2 * (sums[other].cumsum() - sums[other]) - sums[other] for other in (1, 0)]
    below = [count.sum() - high - count for count, high in zip(counts, above, strict=True)]
    first, second = (
        _Side(*parts, int(parts[0].sum()), _total(parts[0], parts[2]), _total(parts[0], parts[2] * parts[2]))
        for parts in zip(counts, below, placed, facing, strict=True)
    )
    return first, second


def _moments(
    whole: tuple[_Side, _Side], runs: AnyArray, mask: BoolArray, cases: AnyArray, starts: IntArray
) -> InsideAndOutside:
    """Return the moments of some groups of rows, (k,), that stand group after group, best first.

    whole: both classes of all cases; runs, cases: the run of each row and how many cases it stands for, (k,); starts:
    of the groups, and k, (g + 1,).  O(k).
    """
    groups = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    heads = run_starts(groups, runs)
    first = heads.searchsorted(starts[:-1])
    counts = _class_counts(cases, mask, heads)
    parts = [_Part(count, *_above_and_total(count, first, groups[heads])) for count in counts]
    of_correct = _sums_of_class(whole, parts, runs[heads], first)
    of_incorrect = _sums_of_class(whole[::-1], parts[::-1], runs[heads], first)
    m, n = (part.total.astype(object) for part in parts)
    sizes = (m, n), (whole[0].size - m, whole[1].size - n)
    return InsideAndOutside(*(
        GroupMoments(positives, negatives, *correct_sums, others.squares)
        for (positives, negatives), correct_sums, others in zip(sizes, of_correct, of_incorrect, strict=True)
    ))  # fmt: skip


def _above_and_total(count: IntArray, first: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
    """Return the cases of a class above each run in its group, (r,), and those of each group, (g,).  O(r)."""
    above = count.cumsum() - count
    return above - above[first][groups], np.add.reduceat(count, first)


def _sums_of_class(
    whole: Sequence[_Side], parts: Sequence[_Part], runs: AnyArray, first: IntArray
) -> tuple[_Sums, _Sums]:
    """Return the sums over the cases of the first of two classes inside and outside of groups.  O(r).

    whole, parts: both classes of all cases, and of the groups; runs: those of the groups, (r,), among all; first: the
    first run of each group, (g,).
    """
    (side, others), (part, theirs) = whole, parts
    size = theirs.total.astype(object)
    among = 2 * theirs.above + theirs.cases - theirs.total.repeat(np.diff(first, append=runs.size))
    inside = _Sums(_sums(part.cases, among, first), _sums(part.cases, among * among, first))
    # all cases of the class have these placements among the cases of the group
    lost = _sums(theirs.cases, others.placements[runs], first)
    products = _sums(theirs.cases, others.facing[runs], first)
    squares = _sums(theirs.cases, _increments(side, runs, theirs), first)
    squares += size * (2 * lost - side.size * size)
    placed = side.placements[runs]
    return inside, _Sums(
        side.sum + lost - _sums(part.cases, placed - among, first),
        side.squares - 2 * products + squares - _sums(part.cases, (placed - among) ** 2, first),
    )


def _increments(side: _Side, runs: AnyArray, theirs: _Part) -> IntArray:
    """Return what a case of a group adds to the sum of the squares of twice the cases that are above others, (r,).

    side: the class of these others; theirs: that of the cases above.  A square is a sum of increments, one for each
    case above: a case in a run of t, with a above them, adds 4a + t for a case beside it, and 8a + 4t for one below.
    """
    return side.cases[runs] * (4 * theirs.above + theirs.cases) + side.below[runs] * (
        8 * theirs.above + 4 * theirs.cases
    )


def _sums(counts: IntArray, values: IntArray, starts: IntArray) -> WholeNumbers:
    """Add up numbers, (r,), each so many times, from each start, (g,), to the next, exactly.  O(r)."""
    high = np.add.reduceat(counts * (values >> _LOW), starts)
    low = np.add.reduceat(counts * (values & ((1 << _LOW) - 1)), starts)
    sums: WholeNumbers = high.astype(object) * (1 << _LOW) + low.astype(object)
    return sums


def _total(counts: IntArray, values: IntArray) -> int:
    return int(_sums(counts, values, np.zeros(1, np.int64))[0])


def _joined(parts: tuple[GroupMoments, ...], indices: IntArray) -> GroupMoments:
    """Put the moments of parts in the order of the groups, whose indices are those of the parts.  O(m)."""
    joined = []
    for columns in zip(*parts, strict=True):
        column = np.empty(indices.size, object)
        column[indices] = np.concatenate(columns)
        joined.append(column)
    return GroupMoments(*joined)
