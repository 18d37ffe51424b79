"""Items of many groups at once: each group in order of its scores, and where runs of equal scores start.

Groups are whole numbers 0 .. g-1.  Nothing here loops over groups: what belongs to a group is told by its number.
"""

import numpy as np

from evalcore.kernels.ordering import sort
from evalcore.kernels.permutations import descending
from evalcore.typing import FloatArray, IntArray, ScoreArray


def order_by_group(groups: IntArray, scores: ScoreArray) -> IntArray:
    """Return the indices that put items in order of their groups, and each group best score first.

    groups: (n,) from 0; scores: (n,) float32 or float64, no NaN.  Equal items stay in the order they came.  Returns
    (n,) int64.  O(n log n).

    >>> order_by_group(np.array([1, 0, 1]), np.array([0.1, 0.2, 0.3]))
    array([1, 2, 0])
    """
    order = descending(scores)
    bits = max(groups.size - 1, 0).bit_length()
    places = groups[order].astype(np.int64) << bits
    places |= np.arange(groups.size)
    sort(places)
    places &= (1 << bits) - 1
    by_group: IntArray = order[places]
    return by_group


def run_starts(groups: IntArray, scores: ScoreArray) -> IntArray:
    """Return where runs of equal group and score start among items in order.

    groups, scores: (n,), in the order of `order_by_group`.  Returns (t,).  O(n).

    >>> run_starts(np.array([0, 0, 1]), np.array([0.5, 0.5, 0.9]))
    array([0, 2])
    """
    starts = np.ones(groups.size, np.bool_)
    np.not_equal(scores[1:], scores[:-1], out=starts[1:])
    starts[1:] |= groups[1:] != groups[:-1]
    return np.flatnonzero(starts)


def first_of_each(group: IntArray) -> IntArray:
    """Return, for each place, the first place of the same group.

    group: (t,) rising.  Returns (t,).  O(t).

    >>> first_of_each(np.array([4, 4, 7]))
    array([0, 0, 2])
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return np.repeat(starts, np.diff(starts, append=group.size))


def sums_before(group: IntArray, values: FloatArray) -> FloatArray:
    """Add up, for each place, the values before it in the same group.

    group: (t,) rising; values: (t,).  Returns (t,).  O(t).

    >>> sums_before(np.array([4, 4, 7]), np.array([1.0, 2.0, 4.0]))
    array([0., 1., 0.])
    """
    before = np.cumsum(values) - values
    return before - before[first_of_each(group)]
