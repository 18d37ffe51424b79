"""Pairs of a correct and an incorrect case of the same group, for many groups at once."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_parts
from evalcore.kernels.grouped_keys import GroupLayout, blocks_of_groups
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import correct_bits
from evalcore.typing import IntArray, KeyArray


class GroupedPairCounts(NamedTuple):
    """Cases and pairs of each of g groups; a pair is a correct and an incorrect case of the same group."""

    won: IntArray
    """Pairs in which the correct case has the higher score, shape (g,)."""
    tied: IntArray
    """Pairs in which both have the same score, shape (g,)."""
    correct: IntArray
    """Correct cases, shape (g,)."""
    incorrect: IntArray
    """Incorrect cases, shape (g,)."""

    @property
    def pairs(self) -> IntArray:
        """Pairs of each group, (g,).  O(g)."""
        return self.correct * self.incorrect


def grouped_pair_counts(layout: GroupLayout, keys: KeyArray, groups: int) -> GroupedPairCounts:
    """Count the pairs of each group, from the sum of the ranks of its correct cases, and those that are tied.

    keys: (n,) of `sorted_by_group`; groups: their number; those without cases have zeros.  O(n), a few blocks of
    memory.  The ROC area of each group is (won + tied / 2) / pairs.

    >>> from evalcore.kernels.grouped_keys import group_layout, sorted_by_group
    >>> layout = group_layout(np.array([1, 0, 1, 0, 1]), 2)  # once for any number of score columns
    >>> scores, correct = np.array([0.9, 0.1, 0.5, 0.8, 0.5]), np.array([True, False, True, True, False])
    >>> counts = grouped_pair_counts(layout, sorted_by_group(layout, scores, correct).keys, 2)
    >>> counts.won, counts.tied, counts.pairs
    (array([1, 1]), array([0, 1]), array([1, 2]))
    """
    counts = np.zeros((4, groups), np.int64)

    def count(block: slice) -> None:
        counts[:, layout.groups[block]] = pair_counts_of_block(keys, layout.starts[block.start : block.stop + 1])

    small, large = blocks_of_groups(layout.starts)
    map_parts(count, small, keys.size)
    for group in large:
        part = keys[layout.starts[group] : layout.starts[group + 1]]
        correct, lost, tied = pair_counts(part)
        incorrect = part.size - correct
        counts[:, layout.groups[group]] = correct * incorrect - lost, tied, correct, incorrect
    return GroupedPairCounts(*counts)


def pair_counts_of_block(keys: KeyArray, starts: IntArray) -> GroupedPairCounts:
    """Count the pairs of groups of at most one block of cases; starts: (m + 1,) within all keys.  O(n)."""
    keys, starts = keys[starts[0] : starts[-1]], starts - starts[0]
    bits = correct_bits(keys)
    before = np.zeros(starts.size, np.int64)
    before[1:] = running_counts(bits)[starts[1:] - 1]
    correct = before[1:] - before[:-1]
    incorrect = starts[1:] - starts[:-1] - correct
    # a correct case at this rank of its group, the j-th of its kind, has rank - j incorrect ones at or above it
    ranks = np.concatenate([[0], bits.view(np.bool_).nonzero()[0].cumsum()])[before]
    lost = ranks[1:] - ranks[:-1] - correct * starts[:-1] - correct * (correct - 1) // 2
    return GroupedPairCounts(correct * incorrect - lost, _tied_of_groups(keys, starts), correct, incorrect)


def _tied_of_groups(keys: KeyArray, starts: IntArray) -> IntArray:
    """Count the tied pairs of each group, in runs of one score, where incorrect cases come first."""
    first_correct = np.flatnonzero((keys[1:] ^ keys[:-1]) == 1) + 1
    group = starts.searchsorted(first_correct, side="right") - 1
    inside = first_correct != starts[group]
    first_correct, group = first_correct[inside], group[inside]
    if not group.size:
        return np.zeros(starts.size - 1, np.int64)
    changes = np.empty(keys.size + 1, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=changes[1:-1])
    changes[starts] = True
    edges = np.flatnonzero(changes)
    run = edges.searchsorted(first_correct)
    tied = (first_correct - edges[run - 1]) * (edges[run + 1] - first_correct)
    return np.bincount(group, weights=tied, minlength=starts.size - 1).astype(np.int64)
