"""Sums of the weights of each class at or above thresholds, of one model or of two together, without a sort."""

import numpy as np

from evalcore.kernels.weight_sums import WeightSums, weight_sums
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray


def weights_from_thresholds(
    positive: BoolArray,
    scores: tuple[ScoreArray, ...],
    thresholds: FloatArray,
    weights: AnyArray | None = None,
    *,
    frequencies: bool = False,
) -> WeightSums:
    """Add up the weights of the cases that score at least each of t rising thresholds, of k models together.

    positive: (n,); scores: (n,) of each of the k models; weights: (n,) above 0, by default 1.  Returns (2, t+1, ..)
    with an axis of t+1 for each model, positives first.  Along such an axis, 0 stands for all cases, and i + 1 for
    those at or above the i-th threshold, which is read in the width of the scores.  O(n log t + t^k).

    >>> positive, scores = np.array([True, False, True]), np.array([0.1, 0.4, 0.8])
    >>> weights_from_thresholds(positive, (scores,), np.array([0.3, 0.5])).sums
    array([[2., 1., 1.],
           [1., 1., 0.]])
    """
    cells = thresholds.size + 1
    codes = (~positive).astype(np.int64)
    for own in scores:
        codes *= cells
        codes += np.searchsorted(thresholds.astype(own.dtype), own, side="right")
    each = np.ones(positive.size, np.int64) if weights is None else weights
    shape = 2, *[cells] * len(scores)
    found = weight_sums(codes, each, 2 * cells ** len(scores), frequencies=frequencies or weights is None)
    return WeightSums(*(_sums_from(column.reshape(shape)) for column in found))


def _sums_from(table: FloatArray) -> FloatArray:
    """Return the sums of the cells at or beyond each along all axes but the first."""
    for axis in range(1, table.ndim):
        table = np.flip(np.cumsum(np.flip(table, axis), axis), axis)
    return table
