"""Runs of equal neighbours."""

import numpy as np

from evalcore.typing import AnyArray, IntArray


def run_starts(*columns: AnyArray) -> IntArray:
    """Return the indices where a run of equal rows starts, of columns (n,) without NaN, at least one.  O(n)."""
    starts = np.ones(columns[0].size, np.bool_)
    np.not_equal(columns[0][1:], columns[0][:-1], out=starts[1:])
    for column in columns[1:]:
        starts[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(starts)


def ranges(starts: IntArray, stops: IntArray) -> IntArray:
    """Join the whole numbers from each start, (r,), up to its stop, (r,).  O(r + their number).

    >>> ranges(np.array([3, 7]), np.array([5, 8]))
    array([3, 4, 7])
    """
    sizes = stops - starts
    joined: IntArray = np.repeat(stops - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
    return joined
