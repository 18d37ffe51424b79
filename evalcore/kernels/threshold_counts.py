"""Counts at a few thresholds of sorted cases: how many are predicted positive, and how many of them are correct.

A threshold predicts the first k of the sorted cases positive, where k divides no tie group.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from evalcore.kernels.ordering import Ordering
from evalcore.kernels.runs import correct_bits
from evalcore.typing import BoolArray, FloatArray, IntArray, KeyArray, ScoreArray


def are_at_or_above(scores: ScoreArray, threshold: float) -> BoolArray:
    """Whether scores, (n,), are at or above a threshold, which is read in their width.  O(n)."""
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        return np.asarray(scores >= scores.dtype.type(threshold))


def cases_at_or_above(ordering: Ordering, thresholds: FloatArray) -> IntArray:
    """Return how many cases score at least each threshold, read in the width of the scores.  O(t log n).

    thresholds: (t,), no NaN.  Returns (t,), in 0 .. n.

    >>> from evalcore.kernels.ordering import order
    >>> cases_at_or_above(order(np.array([0.5, 0.9, 0.9]), np.array([True, True, False])), np.array([0.6, 0.5, 1.0]))
    array([2, 3, 0])
    """
    cases = ordering.keys.size
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        least = thresholds.astype(ordering.code.score_dtype)
    counts = np.zeros(least.size, np.int64)
    for bit in reversed(range(cases.bit_length())):  # all searches take their next step at once
        more = counts + (1 << bit)
        inside = more <= cases
        inside[inside] = ordering.scores(more[inside] - 1) >= least[inside]
        counts[inside] = more[inside]
    return counts


def rounded_up(edges: FloatArray, dtype: np.dtype[Any]) -> ScoreArray:
    """Return edges, (e,), in the type of some scores, with the same scores at or above them.  O(e).

    >>> rounded_up(np.array([0.5, 0.1]), np.dtype(np.float32)) >= np.array([0.5, 0.1])
    array([ True,  True])
    """
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        rounded = edges.astype(dtype)
        return np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)


def nearest_between_ties(keys: KeyArray, sizes: IntArray) -> IntArray:
    """Return for each number of cases the nearest one, not 0, that divides no tie group; of two the smaller.

    keys: (n,) sorted; sizes: (s,) in 1 .. n.  Returns (s,) in 1 .. n.  O(s log n).

    >>> nearest_between_ties(np.array([2, 4, 5, 5, 5, 8]), np.array([1, 2, 3, 4, 6]))
    array([1, 1, 1, 5, 6])
    """
    highest = keys[sizes - 1] | keys.dtype.type(1)
    starts, ends = keys.searchsorted(highest - 1), keys.searchsorted(highest, side="right")
    return np.where((sizes - starts <= ends - sizes) & (starts > 0), starts, ends)


def correct_among_first(keys: KeyArray, sizes: IntArray) -> IntArray:
    """Return how many of the first cases are correct, for each of some ascending numbers of cases.

    keys: (n,) sorted; sizes: (s,) in 0 .. n.  Returns (s,).  O(n + s), a byte of memory for each case.

    >>> correct_among_first(np.array([2, 5, 7, 8]), np.array([0, 2, 4]))
    array([0, 1, 2])
    """
    correct = correct_bits(keys).view(np.bool_)
    gained = [np.count_nonzero(correct[start:end]) for start, end in pairwise([0, *sizes.tolist()])]
    return np.cumsum(gained, dtype=np.int64)
