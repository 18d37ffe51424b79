"""The permutation that sorts scores, for what must move along with them: weights, groups, several columns.

A value sort of ``place << bits | index``, where the place of a score is a whole number that falls as the score rises:
the place of float32 scores is exact, and of float64 scores a linear map to the bits that the index leaves, after
which the few neighbours that share a place are put right.  A million float64 scores take a quarter of the time of
``np.argsort(kind="stable")``.
"""

import numpy as np
import numpy.typing as npt

from evalcore.typing import BoolArray, IntArray, ScoreArray

_SHORT = 1 << 10
"""Below this the passes cost more than they save."""
_WORD = 63
_CROWDED = 8
"""If more than one in so many cases shares its place with another score, a plain sort is cheaper."""


def descending(scores: ScoreArray) -> IntArray:
    """Return the indices that sort scores, best first, equal ones in the order they came.

    scores: (n,) float32 or float64, no NaN.  Returns (n,) int64.  O(n log n).

    >>> descending(np.array([0.5, 0.9, 0.5]))
    array([1, 0, 2])
    """
    if scores.size < _SHORT:
        return _by_argsort(scores)
    bits = (scores.size - 1).bit_length()
    places = _exact_places(scores) if scores.dtype == np.float32 and bits < 32 else _linear_places(scores, _WORD - bits)
    if places is None:
        return _by_argsort(scores)
    np.left_shift(places, bits, out=places)
    np.bitwise_or(places, np.arange(scores.size), out=places)
    places.sort()
    order = places & ((1 << bits) - 1)
    if scores.dtype == np.float32:
        return order
    np.right_shift(places, bits, out=places)
    return _put_right(order, places, scores)


def _by_argsort(scores: ScoreArray) -> IntArray:
    return np.argsort(-scores, kind="stable").astype(np.int64, copy=False)


def _exact_places(scores: ScoreArray) -> IntArray:
    """Places of float32 scores, 32 bits each."""
    patterns = (scores + np.float32(0)).view(np.int32)  # -0.0 becomes 0.0
    rising = patterns ^ ((patterns >> 31) & np.int32(0x7FFFFFFF))
    places: IntArray = np.subtract(np.int64(0x7FFFFFFF), rising, dtype=np.int64)
    return places


def _linear_places(scores: ScoreArray, bits: int) -> IntArray | None:
    """Whole numbers of so many bits that fall as the scores rise; None for infinite scores, and for equal ones."""
    low, high = float(scores.min()), float(scores.max())
    span = high - low
    if not 0 < span < np.inf or span < 1e-290:
        return None
    steps = np.subtract(high, scores, dtype=np.float64)
    steps *= (2**bits - 2) / span / (1 + 2**-40)
    return steps.astype(np.int64)


def _put_right(order: IntArray, places: IntArray, scores: ScoreArray) -> IntArray:
    """Sort the cases that share a place with another score."""
    ordered = scores[order]
    mixed = np.flatnonzero((places[1:] == places[:-1]) & (ordered[1:] != ordered[:-1]))
    if mixed.size == 0:
        return order
    shared = _within(places, np.unique(places[mixed]))
    if np.count_nonzero(shared) * _CROWDED > order.size:
        return _by_argsort(scores)
    rows = np.flatnonzero(shared)
    fixed = np.lexsort((order[rows], -ordered[rows], places[rows]))
    order[rows] = order[rows][fixed]
    return order


def _within(places: IntArray, chosen: IntArray) -> BoolArray:
    """Mark the places that are among the chosen; both sorted."""
    changes = np.zeros(places.size + 1, np.int64)
    np.add.at(changes, places.searchsorted(chosen, "left"), 1)
    np.add.at(changes, places.searchsorted(chosen, "right"), -1)
    marks: npt.NDArray[np.bool_] = np.cumsum(changes[:-1]) > 0
    return marks
