"""Runs of equal scores that hold a correct case, of many groups at once: all that measures of their rankings need."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.operating_points import correct_bits
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import run_starts
from evalcore.typing import AnyArray, FloatArray, IntArray, KeyArray


class GroupedRuns(NamedTuple):
    """The t runs of equal scores that hold a correct case, of g groups: group after group, best score first.

    Counts are within the group of the run.
    """

    group: IntArray
    """Number of the group, from 0 on, shape (t,)."""
    before: IntArray
    """Cases above the run, shape (t,)."""
    tp_before: IntArray
    """Correct cases above the run, shape (t,)."""
    size: IntArray
    """Cases of the run, shape (t,)."""
    correct: IntArray
    """Correct cases of the run, shape (t,)."""
    sizes: IntArray
    """Cases of each group, shape (g,)."""
    positives: IntArray
    """Correct cases of each group, shape (g,)."""

    @property
    def tp(self) -> IntArray:
        """Correct cases at or above the score of each run, shape (t,).  O(t)."""
        return self.tp_before + self.correct

    @property
    def fp(self) -> IntArray:
        """Incorrect cases at or above the score of each run, shape (t,).  O(t)."""
        return self.before + self.size - self.tp

    def add_up(self, values: AnyArray) -> FloatArray:
        """Add up the values of the runs, (t,), of each group, (g,): exact for whole numbers below 2**53.  O(t + g)."""
        return np.bincount(self.group, values, self.sizes.size).astype(np.float64, copy=False)

    def largest(self, values: FloatArray) -> FloatArray:
        """Return the largest of the values of the runs, (t,) at least 0, of each group, (g,); 0 of none.  O(t + g)."""
        found = np.zeros(self.sizes.size)
        if values.size:
            starts = run_starts(self.group)
            found[self.group[starts]] = np.maximum.reduceat(values, starts)
        return found

    def last_above(self, depths: IntArray) -> IntArray:
        """Return the last run of each group that begins above a rank; -1 for none.

        depths: (..., g) ranks, from 1 on.  Returns the same shape.  O(ranks log t).
        """
        starts = self.sizes.cumsum() - self.sizes
        above = (starts[self.group] + self.before).searchsorted(starts + np.minimum(depths, self.sizes))
        return np.where(np.append(-1, self.group)[above] == np.arange(self.sizes.size), above - 1, -1)


def grouped_runs(keys: KeyArray, sizes: IntArray) -> GroupedRuns:
    """Find the runs of equal scores that hold a correct case.

    keys: (n,) of `evalcore.kernels.grouped_keys.sorted_by_group`, n at most `blocks.BLOCK`; sizes: (g,) of the groups,
    at least 1.  O(n).

    >>> runs = grouped_runs(np.array([2, 3, 3, 4, 7]), np.array([3, 2]))
    >>> runs.group, runs.before, runs.size, runs.correct
    (array([0, 1]), array([0, 1]), array([3, 1]), array([2, 1]))
    """
    starts = sizes.cumsum() - sizes
    begins = np.ones(keys.size, np.bool_)
    np.not_equal(keys[1:] >> 1, keys[:-1] >> 1, out=begins[1:])
    begins[starts] = True
    rows = np.flatnonzero(correct_bits(keys).view(np.bool_))
    runs = running_counts(begins.view(np.uint8))[rows]
    heads = run_starts(runs)  # the first correct case of each run
    edges = np.append(np.flatnonzero(begins), keys.size)
    start, end = edges[runs[heads] - 1], edges[runs[heads]]
    group = starts.searchsorted(start, side="right") - 1
    correct_before = rows.searchsorted(starts)
    return GroupedRuns(
        group,
        start - starts[group],
        heads - correct_before[group],
        end - start,
        np.diff(heads, append=rows.size),
        sizes,
        np.diff(correct_before, append=rows.size),
    )
