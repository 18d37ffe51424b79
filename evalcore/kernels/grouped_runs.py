"""Runs of equal scores that hold a correct case, of many groups at once: all that measures of their rankings need."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.operating_points import correct_bits
from evalcore.kernels.running_counts import running_counts
from evalcore.kernels.runs import run_starts
from evalcore.typing import AnyArray, FloatArray, IntArray, KeyArray


class GroupedRuns(NamedTuple):
    """The t runs of equal scores that hold a correct case, of g groups: group after group, best score first.

    All but indices are numbers of cases of the group, int64, or sums of their weights, int64 or float64.
    """

    group: IntArray
    """Index of the group, from 0 on, shape (t,)."""
    tp_before: AnyArray
    """Correct cases above the run, shape (t,)."""
    fp_before: AnyArray
    """Incorrect cases above the run, shape (t,)."""
    correct: AnyArray
    """Correct cases of the run, shape (t,)."""
    incorrect: AnyArray
    """Incorrect cases of the run, shape (t,)."""
    last: IntArray
    """Index of the last case of the run among those of all groups, shape (t,)."""
    positives: AnyArray
    """Correct cases of each group, shape (g,)."""
    negatives: AnyArray
    """Incorrect cases of each group, shape (g,)."""
    fp_after: AnyArray | None = None
    """Incorrect cases below the run, shape (t,), where a difference would lose digits: weights that are not whole."""

    @property
    def tp(self) -> AnyArray:
        """Correct cases at or above the score of each run, shape (t,).  O(t)."""
        return self.tp_before + self.correct

    @property
    def fp(self) -> AnyArray:
        """Incorrect cases at or above the score of each run, shape (t,).  O(t)."""
        return self.fp_before + self.incorrect

    @property
    def before(self) -> AnyArray:
        """Cases above the run, shape (t,).  O(t)."""
        return self.tp_before + self.fp_before

    @property
    def size(self) -> AnyArray:
        """Cases of the run, shape (t,).  O(t)."""
        return self.correct + self.incorrect

    @property
    def sizes(self) -> AnyArray:
        """Cases of each group, shape (g,).  O(g)."""
        return self.positives + self.negatives

    @property
    def are_counts(self) -> bool:
        """Whether these are whole numbers, in int64."""
        return self.correct.dtype.kind == "i"

    def add_up(self, values: AnyArray) -> AnyArray:
        """Add up the values of the runs, (t,), of each group, (g,), in their type.  O(t + g)."""
        found = np.zeros(self.positives.size, values.dtype)
        if values.size:
            starts = run_starts(self.group)
            found[self.group[starts]] = np.add.reduceat(values, starts)
        return found

    def largest(self, values: FloatArray) -> FloatArray:
        """Return the largest of the values of the runs, (t,) at least 0, of each group, (g,); 0 of none.  O(t + g)."""
        found = np.zeros(self.sizes.size)
        if values.size:
            starts = run_starts(self.group)
            found[self.group[starts]] = np.maximum.reduceat(values, starts)
        return found

    def last_above(self, depths: IntArray) -> IntArray:
        """Return the last run of each group that begins above a rank; -1 for none.

        depths: (..., g) ranks, from 1 on; of weights (g,), above 0.  Returns the same shape.  O(ranks log t), of
        weights O(t).
        """
        if not self.are_counts:  # sums of the weights of several groups would be rounded
            begun = self.add_up((self.before < depths[self.group]).astype(np.int64))
            return np.where(begun > 0, self.group.searchsorted(np.arange(begun.size)) + begun - 1, -1)
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
    tp_before, correct = heads - correct_before[group], np.diff(heads, append=rows.size)
    positives = np.diff(correct_before, append=rows.size)
    return GroupedRuns(
        group,
        tp_before,
        start - starts[group] - tp_before,
        correct,
        end - start - correct,
        end - 1,
        positives,
        sizes - positives,
    )
