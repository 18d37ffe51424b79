"""Measures of decision values: how far they are on the right side of the boundary."""

import numpy as np

from evalcore.typing import BoolArray, FloatArray, IntArray


def margins_of_two(scores: FloatArray, positive: BoolArray) -> FloatArray:
    """Return the score of each case, its sign changed where the case is negative.  scores, positive: (n,).  O(n)."""
    return np.where(positive, scores, -scores)


def margins_of_several(scores: FloatArray, truth: IntArray) -> FloatArray:
    """Return by how much the score of the true class exceeds the largest of the others.

    scores: (n, c), c >= 2; truth: (n,), the index of the true class.  O(n c).
    Source: K. Crammer and Y. Singer, On the algorithmic implementation of multiclass kernel-based vector machines,
    Journal of Machine Learning Research 2 (2001) 265-292.
    """
    cases = np.arange(truth.size)
    others = scores.copy()
    others[cases, truth] = -np.inf
    best: FloatArray = others.max(axis=1)
    return scores[cases, truth] - best


def hinge_losses(margins: FloatArray) -> FloatArray:
    """Return max(0, 1 - margin) of each case.  O(n)."""
    losses: FloatArray = np.maximum(1 - margins, 0)
    return losses
