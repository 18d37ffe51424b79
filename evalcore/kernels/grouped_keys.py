"""Cases of many groups at once: brought together by group, then each group in order of its scores.

Groups of equal size are the rows of a matrix.  NumPy sorts them in one call, in less time than all cases together: rows
of ten take half as long, rows of a thousand two thirds.  Groups therefore stand by their size, unless they are so large
that a call for each costs nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evalcore.kernels import blocks
from evalcore.kernels.argsort import descending, sorted_words
from evalcore.kernels.blocks import map_blocks, map_parts
from evalcore.kernels.ordering import Ordering, sort
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sort_keys import code_of
from evalcore.typing import AnyArray, BoolArray, IntArray, KeyArray, ScoreArray

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
        present, starts, order = _layout_of_runs(groups, np.bincount(groups))
        return GroupLayout(present, starts, order)
    names, lengths = groups[heads], np.diff(heads, append=groups.size)
    together = heads.size <= count and np.bincount(names, minlength=1).max() <= 1
    if together and run_starts(lengths).size * _WORTH_A_CALL <= groups.size + _FEW_CALLS * _WORTH_A_CALL:
        return GroupLayout(names, np.append(heads, groups.size), None)
    present, starts, order = _layout_of_runs(names, np.bincount(groups))
    return GroupLayout(present, starts, _expanded(order, heads, lengths))


def groups_of_rows(layout: GroupLayout) -> IntArray:
    """Return the index in the layout of the group of each row, (n,).  O(n)."""
    groups = np.repeat(np.arange(layout.groups.size), np.diff(layout.starts))
    if layout.order is None:
        return groups
    of_rows = np.empty_like(groups)
    of_rows[layout.order] = groups
    return of_rows


def _layout_of_runs(names: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the fields of a layout, its order that of runs.

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
    words = sorted_words(lambda some: some, ranks, bits, level_bits=(sizes.size - 1).bit_length())
    words &= words.dtype.type((1 << bits) - 1)
    order = words.astype(np.int64, copy=False)
    return present, np.concatenate([[0], np.cumsum(sizes[present])]), order


def sorted_by_group(layout: GroupLayout, scores: ScoreArray, correct: BoolArray) -> Ordering:
    """Sort the cases of each group by descending score.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; both in the order in which the cases came.  Returns
    the keys of `evalcore.kernels.ordering`, (n,), sorted from each start of the layout to the next.  O(n log largest
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
        keys = _gathered(keys, layout.order)
    sortable = keys.view(code.sort_dtype)
    small, large = blocks_of_groups(layout.starts)
    map_parts(lambda block: _sort_each(sortable, layout.starts[block.start : block.stop + 1]), small, keys.size)
    for group in large:
        sort(sortable[layout.starts[group] : layout.starts[group + 1]])
    return Ordering(keys, code)


def _gathered(keys: KeyArray, order: IntArray) -> KeyArray:
    taken = np.empty_like(keys)
    map_blocks(lambda block: keys.take(order[block], mode="clip", out=taken[block]), keys.size)
    return taken


def _sort_each(keys: AnyArray, starts: IntArray) -> None:
    """Sort keys from each start to the next."""
    for rows in rows_of_equal_size(keys, starts):
        rows.sort(axis=1)


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


def _expanded(order: IntArray, heads: IntArray, lengths: IntArray) -> IntArray:
    """Return the indices of the cases of runs, in the order of these; heads, lengths: (r,) of each run.  O(n)."""
    lengths = lengths[order]
    ends = np.cumsum(lengths)
    indices = np.arange(ends[-1])
    indices += np.repeat(heads[order] - ends + lengths, lengths)
    return indices


def order_in_groups(scores: ScoreArray, sizes: IntArray) -> tuple[IntArray, AnyArray]:
    """Return the indices that sort the cases of each group, (n,), best first, and the group of each case, (n,) uint16.

    scores: (n,), no NaN, n at most `blocks.BLOCK`, group after group; sizes: (g,) of the groups, at least 1.
    O(n log n).

    >>> order_in_groups(np.array([0.1, 0.9, 0.2, 0.8]), np.array([2, 2]))
    (array([1, 0, 3, 2]), array([0, 0, 1, 1], dtype=uint16))
    """
    groups = np.arange(sizes.size, dtype=np.uint16).repeat(sizes)  # of 16 bits, which NumPy sorts without comparisons
    order = descending(scores)
    return order[groups[order].argsort(kind="stable")], groups
