"""Cases of many groups at once: brought together by group, then each group in order of its scores.

Groups of equal size are the rows of a matrix.  NumPy sorts them in one call, in less time than all cases together: rows
of ten take half as long, rows of a thousand two thirds.  Groups therefore stand by their size, unless they are so large
that a call for each costs nothing.

Weights are added up in each group by itself: a running sum over several groups, less what it was before a group, would
keep the rounding errors of groups whose weights may be far larger.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.kernels import blocks, sorting
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.runs import Runs, run_starts
from evalcore.kernels.sorting import Ordering, code_of, descending, exact_levels, sort, sorted_words, upper_levels
from evalcore.kernels.sums import EXACT_IN_FLOAT64
from evalcore.kernels.weights import LARGEST, SMALLEST, SortedWeights, WeightSums, sums_at_scores
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_WORTH_A_CALL = 128
"""Cases whose move costs as much as a call that sorts a group by itself."""
_FEW_CALLS = 32
"""Calls that cost no more than to lay out any groups anew."""
_LONG_RUN = 3
"""Average length of the runs of one group from which runs are sorted instead of cases."""


class GroupLayout(NamedTuple):
    """How the cases of groups stand: group after group."""

    groups: IntArray
    """Groups that have cases, in the order in which they stand, shape (m,)."""
    starts: IntArray
    """Where each of them starts, and the number of cases, shape (m + 1,)."""
    order: IntArray | None
    """Indices of the cases in that order, shape (n,); None if they came in it."""


def group_layout(groups: IntArray, count: int) -> GroupLayout:
    """Lay out cases by group, those of a group in the order they came.

    groups: (n,) of 0 .. count - 1.  O(n + count) if the cases of each group come together, else O(n log n).

    >>> group_layout(np.array([2, 1, 2]), 3)
    GroupLayout(groups=array([1, 2]), starts=array([0, 1, 3]), order=array([1, 0, 2]))
    >>> group_layout(np.array([2, 2, 1, 1]), 3)
    GroupLayout(groups=array([2, 1]), starts=array([0, 2, 4]), order=None)
    """
    heads = run_starts(groups)
    if heads.size > count and heads.size * _LONG_RUN > groups.size:
        return _layout_of_runs(groups, np.bincount(groups))
    names, lengths = groups[heads], np.diff(heads, append=groups.size)
    together = heads.size <= count and np.bincount(names, minlength=1).max() <= 1
    if together and run_starts(lengths).size * _WORTH_A_CALL <= groups.size + _FEW_CALLS * _WORTH_A_CALL:
        return GroupLayout(names, np.append(heads, groups.size), None)
    present, starts, runs = _layout_of_runs(names, np.bincount(groups))
    lengths = lengths[runs]
    ends = np.cumsum(lengths)
    order = np.arange(groups.size)
    order += np.repeat(heads[runs] - ends + lengths, lengths)
    return GroupLayout(present, starts, order)


def groups_of_rows(layout: GroupLayout) -> IntArray:
    """Return the index in the layout of the group of each row, (n,).  O(n)."""
    groups = np.repeat(np.arange(layout.groups.size), np.diff(layout.starts))
    if layout.order is None:
        return groups
    of_rows = np.empty_like(groups)
    of_rows[layout.order] = groups
    return of_rows


def _layout_of_runs(names: IntArray, sizes: IntArray) -> GroupLayout:
    """Return the layout of groups, its order that of runs.

    names: (r,) groups of runs; sizes: (g,) cases of groups.  O(r log r).
    """
    present = np.flatnonzero(sizes)
    ranks = names  # in any order of groups that rises
    if present.size * _WORTH_A_CALL > sizes.sum() and np.any(sizes[present] != sizes[present[0]]):
        present = present[np.argsort(sizes[present], kind="stable")]
        ranks = np.empty(sizes.size, np.int64)
        ranks[present] = np.arange(present.size)
        ranks = ranks[names]
    bits = (names.size - 1).bit_length()
    words = sorted_words(ranks.__getitem__, ranks.size, bits, (sizes.size - 1).bit_length())
    words &= words.dtype.type((1 << bits) - 1)
    return GroupLayout(present, np.append(0, np.cumsum(sizes[present])), words.astype(np.int64, copy=False))


def sorted_by_group(layout: GroupLayout, scores: ScoreArray, correct: BoolArray) -> Ordering:
    """Sort the cases of each group by descending score.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; both in the order in which the cases came.  Returns
    the keys of `evalcore.kernels.sorting`, (n,), sorted from each start of the layout to the next.  O(n log largest
    group).

    >>> layout = group_layout(np.array([0, 0, 1, 1]), 2)
    >>> scores, correct = np.array([0.1, 0.9, 0.8, 0.2]), np.array([False, True, False, True])
    >>> ordering = sorted_by_group(layout, scores, correct)
    >>> ordering.scores(np.arange(4)), ordering.keys & 1
    (array([0.9, 0.1, 0.8, 0.2]), array([1, 0, 0, 1], dtype=uint64))
    """
    code = code_of(scores)
    keys = np.empty(scores.size, code.key_dtype)
    map_blocks(lambda block: code.pack(scores[block], correct[block], keys[block]), scores.size)
    if layout.order is not None:
        keys, packed, order = np.empty_like(keys), keys, layout.order
        map_blocks(lambda block: packed.take(order[block], mode="clip", out=keys[block]), keys.size)
    sortable = keys.view(code.sort_dtype)

    def sort_each(block: slice) -> None:
        for rows in rows_of_equal_size(sortable, layout.starts[block.start : block.stop + 1]):
            rows.sort(axis=1)

    small, large = blocks_of_groups(layout.starts)
    map_parts(sort_each, small, keys.size)
    for group in large:
        sort(sortable[layout.starts[group] : layout.starts[group + 1]])
    return Ordering(keys, code)


def rows_of_equal_size(values: AnyArray, starts: IntArray) -> Iterator[AnyArray]:
    """Yield the groups of values, (n,), as rows of matrices: neighbours of equal size together.  O(matrices).

    starts: (g + 1,) of groups of at least one value.

    >>> [rows.shape for rows in rows_of_equal_size(np.zeros(5), np.array([0, 1, 3, 5]))]
    [(1, 1), (2, 2)]
    """
    sizes = starts[1:] - starts[:-1]
    heads = run_starts(sizes)
    edges = starts[np.append(heads, sizes.size)].tolist()
    for size, start, end in zip(sizes[heads].tolist(), edges, edges[1:], strict=False):
        yield values[start:end].reshape(-1, size)


def blocks_of_groups(starts: IntArray) -> tuple[list[slice], list[int]]:
    """Cut groups into slices of as many as fit a block of cases, and list those that are larger by themselves.

    starts: (m + 1,) of a layout.  O(blocks log m).

    >>> blocks_of_groups(np.array([0, 30_000, 60_000, 90_000, 900_000]))
    ([slice(0, 2, None), slice(2, 3, None)], [3])
    """
    small, large = [], []
    first, groups = 0, starts.size - 1
    while first < groups:
        after = int(starts.searchsorted(starts[first] + blocks.BLOCK, side="right")) - 1
        if after > first:
            small.append(slice(first, after))
        else:
            large.append(first)
        first = max(after, first + 1)
    return small, large


def rows_of_groups(layout: GroupLayout, groups: slice) -> slice | IntArray:
    """Return the rows of neighbouring groups of a layout, one group after the other: indices, or a slice.  O(rows)."""
    part = slice(int(layout.starts[groups.start]), int(layout.starts[groups.stop]))
    return part if layout.order is None else layout.order[part]


def part_of_layout(layout: GroupLayout, chosen: BoolArray) -> GroupLayout:
    """Return the layout of some groups alone; chosen: (m,) of the layout.  O(n).

    >>> part_of_layout(GroupLayout(np.array([4, 2]), np.array([0, 1, 3]), None), np.array([False, True]))
    GroupLayout(groups=array([2]), starts=array([0, 2]), order=array([1, 2]))
    """
    sizes = np.diff(layout.starts)
    rows = np.flatnonzero(np.repeat(chosen, sizes))
    order = rows if layout.order is None else layout.order[rows]
    return GroupLayout(layout.groups[chosen], np.append(0, sizes[chosen].cumsum()), order)


_LEVEL = 32
"""Bits of a float32 score."""


class GroupedOrder(NamedTuple):
    """Items group after group, best score first."""

    order: IntArray
    """Indices of the items, shape (n,)."""
    starts: IntArray
    """Indices in that order where runs of one group and score start, shape (t,)."""


def order_by_group(groups: IntArray, scores: ScoreArray) -> GroupedOrder:
    """Sort items by group, and within a group best score first; equal items keep their order.

    groups: (n,) from 0; scores: (n,) float32 or float64, no NaN.  O(n log n): one sort for float32 scores if group,
    score and index fit 62 bits, or nearly 63, else two.

    >>> order_by_group(np.array([1, 0, 1]), np.array([0.1, 0.2, 0.3]))
    GroupedOrder(order=array([1, 2, 0]), starts=array([0, 1, 2]))
    """
    size = groups.size
    if size == 0:
        return GroupedOrder(np.empty(0, np.int64), np.empty(0, np.int64))
    bits = (size - 1).bit_length()
    if scores.dtype == np.float32 and int(groups.max()) + 1 << _LEVEL + bits <= sorting.INFINITE:
        words = sorted_words(lambda block: groups[block] << _LEVEL | exact_levels(scores[block]), size, bits)
        order = words & ((1 << bits) - 1)
        words >>= bits
        return GroupedOrder(order, run_starts(words))
    order = descending(scores)
    words = sorted_words(groups[order].__getitem__, size, bits, int(groups.max()).bit_length())
    order = order[words & words.dtype.type((1 << bits) - 1)]
    return GroupedOrder(order, run_starts(words >> bits, scores[order]))


def order_in_groups(scores: ScoreArray, sizes: IntArray) -> GroupedOrder:
    """Sort items that stand group after group, as `order_by_group`, but each group by itself.

    scores: (n,), n at most `blocks.BLOCK`; sizes: (g,) of the groups, at least 1.  O(n log largest group).

    >>> order_in_groups(np.array([0.1, 0.3, 0.2]), np.array([2, 1]))
    GroupedOrder(order=array([1, 0, 2]), starts=array([0, 1, 2]))
    """
    edges, bits = np.append(0, sizes.cumsum()), (scores.size - 1).bit_length()
    words = upper_levels(scores, sorting.WORD - bits)(scores) << bits
    words |= np.arange(scores.size)
    for rows in rows_of_equal_size(sorting.as_sorted(words), edges):
        rows.sort(axis=1)
    order = words & ((1 << bits) - 1)
    words >>= bits
    ranked, begins = scores.take(order), np.ones(scores.size, np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=begins[1:])
    if (begins[1:] & (words[1:] == words[:-1])).any():  # scores that share a level may be in any order
        return order_by_group(np.arange(sizes.size).repeat(sizes), scores)
    begins[edges[:-1]] = True
    return GroupedOrder(order, np.flatnonzero(begins))


class GroupedWeights(NamedTuple):
    """Cases at p distinct scores in g groups: group after group, best score first."""

    cases: SortedWeights
    """In order; scores end with their group."""
    scores: Runs
    """All p of them, those without a correct case too."""
    at_scores: WeightSums
    """Sums over the correct and over the incorrect cases of each distinct score, shape (2, p)."""
    of_groups: WeightSums
    """Sums over the cases of both classes of each group, shape (2, g)."""

    @property
    def runs(self) -> Runs:
        """Their runs.  O(p)."""
        return self.scores.held

    def of_cases(self, correct: AnyArray, incorrect: AnyArray) -> AnyArray:
        """Return the value of the score of each case, (n,) as they came, from those of both classes, (p,).  O(n)."""
        sizes = np.diff(np.flatnonzero(self.cases.ends), prepend=-1)
        values = np.empty(self.cases.order.size, correct.dtype)
        values[self.cases.order] = np.where(self.cases.weights > 0, correct.repeat(sizes), incorrect.repeat(sizes))
        return values


def grouped_weights(
    scores: ScoreArray, correct: BoolArray, weights: AnyArray, sizes: IntArray, *, frequencies: bool = False
) -> GroupedWeights:
    """Add up the weights of both classes at each distinct score of each group.

    scores: (n,), no NaN, n at most `blocks.BLOCK`; correct: (n,); weights: (n,) above zero; all of them stand group
    after group; sizes: (g,) of the groups, at least 1; frequencies: as for `weight_sums`.  O(n log n).

    >>> columns = np.array([0.5, 0.9, 0.5]), np.array([True, False, False]), np.array([2.0, 1.0, 0.5])
    >>> found = grouped_weights(*columns, sizes=np.array([3]))
    >>> found.at_scores.sums[1], found.scores.fp, found.cases.order
    (array([1. , 0.5]), array([1. , 1.5]), array([1, 0, 2]))
    """
    edges = np.append(0, sizes.cumsum())
    order, heads = order_in_groups(scores, sizes)
    starts, lasts = heads.searchsorted(edges), np.append(heads[1:], scores.size) - 1
    ends = np.zeros(scores.size, np.bool_)
    ends[lasts] = True
    own = weights[order].astype(np.float64)
    cases = SortedWeights(order, ends, np.where(correct[order], own, -own))
    found = sums_at_scores(cases, frequencies=frequencies)
    incorrect = np.maximum(-cases.weights, 0.0)
    through = np.maximum(cases.weights, 0.0) + 1j * incorrect  # two running sums take the time of one
    onwards = np.append(incorrect, 0.0)
    for rows, back in zip(rows_of_equal_size(through, edges), rows_of_equal_size(onwards, edges), strict=True):
        np.cumsum(rows, axis=1, out=rows)
        np.cumsum(back[:, ::-1], axis=1, out=back[:, ::-1])
    below, through = onwards[lasts + 1], through[lasts]
    below[starts[1:] - 1] = 0.0
    # all that comes before the end of a group is all of it, to the last bit
    upto = np.stack([through.real, through.imag])
    totals = upto.take(starts[1:] - 1, axis=1)
    rest = [totals, totals] if frequencies else [np.add.reduceat(each, starts[:-1], axis=1) for each in found[1:]]
    all_scores = Runs._make([starts, *found.sums, *upto, totals, lasts, below, None])
    return GroupedWeights(cases, all_scores, found, WeightSums(totals, *rest))


def scaled_by_group(weights: FloatArray, groups: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return weights, (n,) above zero, with the `scaled_weights` of each group, and the divisors of these, (count,).

    groups: (n,) in 0 .. count - 1.  O(n + count).
    """
    divisors = np.ones(count)
    if weights.min(initial=1.0) >= SMALLEST and weights.max(initial=1.0) <= LARGEST:
        return weights, divisors
    largest = np.zeros(count)
    np.maximum.at(largest, groups, weights)
    exponents = np.where((largest < SMALLEST) | (largest > LARGEST), np.frexp(largest)[1] - 1, 0)
    with np.errstate(under="ignore"):
        return np.ldexp(weights, -exponents[groups]), np.ldexp(divisors, exponents)


def whole_groups(weights: AnyArray, layout: GroupLayout) -> tuple[BoolArray, FloatArray]:
    """Mark the groups all of whose weights, (n,), are whole numbers, with sums that float64 holds exactly.

    Returns the mask, and the weight of each group, (m,) both.  O(n).

    >>> from evalcore.kernels.grouping import group_layout
    >>> whole_groups(np.array([1.0, 2.0, 0.5]), group_layout(np.array([0, 0, 1]), 2))
    (array([ True, False]), array([3. , 0.5]))
    """
    starts = layout.starts[:-1]
    own = weights if layout.order is None else weights[layout.order]
    totals = np.add.reduceat(own, starts, dtype=np.float64)
    whole = totals < EXACT_IN_FLOAT64
    if own.dtype.kind == "f":
        whole &= np.logical_and.reduceat(own == np.rint(own), starts)
    return whole, totals
