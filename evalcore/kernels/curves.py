"""Shapes of curves."""

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.typing import BoolArray, FloatArray


def undominated(height: FloatArray) -> BoolArray:
    """Return a mask of the points of a curve that stand above every later point.

    height: (p,) float64; NaN neither dominates nor is dominated.  Returns (p,) bool.  O(p).

    >>> undominated(np.array([0.5, 0.5, 0.6, 0.4]))
    array([False, False,  True,  True])
    """
    ceiling = np.full(height.shape, -np.inf)  # nothing comes after the last point
    ceiling[:-1] = np.fmax.accumulate(height[:0:-1])[::-1]
    return ~(ceiling >= height)


def corners(x: FloatArray, y: FloatArray) -> BoolArray:
    """Return a mask of the points of a curve where the curve bends, and both ends.

    x, y: (p,) float64.  Returns (p,) bool.  O(p).

    >>> corners(np.array([0.0, 1.0, 2.0, 2.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    array([ True, False,  True,  True])
    """
    mask = np.ones(x.size, np.bool_)

    def fill(block: slice) -> None:
        near = slice(block.start, block.stop + 2)
        turns = (np.diff(x[near], 2) != 0) | (np.diff(y[near], 2) != 0)
        mask[block.start + 1 : block.stop + 1] = turns

    map_blocks(fill, x.size - 2)
    return mask


def not_level(y: FloatArray) -> BoolArray:
    """Return a mask of the points, (p,), that differ in height from a neighbour, and of both ends.  O(p)."""
    mask = np.ones(y.size, np.bool_)

    def fill(block: slice) -> None:
        changes = np.diff(y[block.start : block.stop + 2]) != 0
        mask[block.start + 1 : block.stop + 1] = changes[:-1] | changes[1:]

    map_blocks(fill, y.size - 2)
    return mask
