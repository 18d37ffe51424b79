"""Shapes of curves, whatever they are curves of."""

import numpy as np

from evalcore.typing import BoolArray, FloatArray


def undominated(height: FloatArray) -> BoolArray:
    """Mark the points of a curve that stand above every later point.

    height: (p,) float64; NaN neither dominates nor is dominated.  Returns (p,) bool.  O(p).

    >>> undominated(np.array([0.5, 0.5, 0.6, 0.4]))
    array([False, False,  True,  True])
    """
    ceiling = np.full(height.shape, -np.inf)  # nothing comes after the last point
    ceiling[:-1] = np.fmax.accumulate(height[:0:-1])[::-1]
    return ~(ceiling >= height)
