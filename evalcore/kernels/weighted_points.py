"""Operating points of weighted cases: how much correct and incorrect weight stands at or above each score."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.permutations import descending
from evalcore.typing import BoolArray, FloatArray, ScoreArray


class WeightedPoints(NamedTuple):
    """Weights of the cases at or above every distinct score, best score first."""

    tp: FloatArray
    """Weight of the correct cases, shape (p,)."""
    fp: FloatArray
    """Weight of the incorrect cases, shape (p,)."""
    scores: ScoreArray
    """The distinct scores, shape (p,)."""


def weighted_points(scores: ScoreArray, correct: BoolArray, weights: FloatArray) -> WeightedPoints:
    """Add up the weights of the cases at or above every distinct score.

    scores: (n,) float32 or float64, no NaN; correct: (n,) bool; weights: (n,) float64.  Whole weights add up exactly
    below 2**53.  O(n log n).

    >>> weighted_points(np.array([0.5, 0.9, 0.9]), np.array([True, True, False]), np.array([1.0, 2.0, 3.0]))
    WeightedPoints(tp=array([2., 3.]), fp=array([3., 3.]), scores=array([0.9, 0.5]))
    """
    order = descending(scores)
    ranked = scores[order]
    signed = np.where(correct, weights, -weights)[order]  # one gather carries weight and label
    ends = np.ones(ranked.size, np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=ends[:-1])
    places = np.flatnonzero(ends)
    # Each sum by itself: a difference of sums could fall where weights are zero
    tp, fp = np.cumsum(np.maximum(signed, 0.0)), np.cumsum(np.maximum(-signed, 0.0))
    if places.size == ranked.size:
        return WeightedPoints(tp, fp, ranked)
    return WeightedPoints(tp[places], fp[places], ranked[places])
