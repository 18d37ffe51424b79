"""The least concave curve above another one, whose sides are the pools of an isotonic regression."""

from typing import NamedTuple

import numpy as np

from evalcore.typing import AnyArray, BoolArray, IntArray

_PASSES = 8
_WORTHWHILE = 8
"""Passes over neighbours go on while each drops at least one point in so many."""


class HullPoints(NamedTuple):
    """Points of curves that may be vertices of their hulls, (m,) each, and which of them surely are."""

    x: AnyArray
    y: AnyArray
    indices: IntArray
    """Those of the points that were given."""
    fixed: BoolArray

    def at(self, chosen: BoolArray) -> "HullPoints":
        """Return the points of a mask, (m,).  O(m)."""
        places = np.flatnonzero(chosen)  # faster than a mask for four columns
        return HullPoints(self.x[places], self.y[places], self.indices[places], self.fixed[places])


def hull_vertices(x: AnyArray, y: AnyArray, fixed: IntArray | None = None) -> IntArray:
    """Return the indices of the vertices, (v,) rising, of the least concave curve that is nowhere below a curve.

    x: (p,) not falling, and y, (p,), rising where x does not; both int64 whose products fit, or float64; p > 0.  Of
    equal points one must be fixed.  fixed: rising indices of the ends of curves that follow each other, the first and
    the last index among them.  Points on a straight side are no vertices.  O(p log p); few points of random curves are
    left after the first passes.

    >>> hull_vertices(np.array([0, 1, 2, 3, 4]), np.array([0, 1, 1, 3, 3]))
    array([0, 3, 4])
    """
    points = hull_candidates(x, y, fixed)
    while points.x.size > np.count_nonzero(points.fixed):
        points = _with_highest(points)
    return points.indices


def hull_candidates(x: AnyArray, y: AnyArray, fixed: IntArray | None = None) -> HullPoints:
    """Return the points of curves but for most that are not above the line between their neighbours.  O(p).

    x, y, fixed: as for `hull_vertices`.
    """
    ends = np.zeros(x.size, np.bool_)
    ends[[0, -1] if fixed is None else fixed] = True
    points = HullPoints(x, y, np.arange(x.size), ends)
    for _ in range(_PASSES):
        width, rise = np.diff(points.x), np.diff(points.y)
        bends = points.fixed.copy()
        bends[1:-1] |= rise[:-1] * width[1:] > rise[1:] * width[:-1]
        size = points.x.size
        points = points.at(bends)
        if (size - points.x.size) * _WORTHWHILE < size:
            break
    return points


def _with_highest(points: HullPoints) -> HullPoints:
    """Fix the highest point above each line between two fixed ones, and drop what is not above such a line.  O(m)."""
    x, y, _, fixed = points
    ends = np.flatnonzero(fixed)
    lines = np.minimum(np.cumsum(fixed) - 1, ends.size - 2)
    starts, stops = ends[lines], ends[lines + 1]
    height = (y - y[starts]) * (x[stops] - x[starts]) - (x - x[starts]) * (y[stops] - y[starts])
    above = height > 0
    tops = np.flatnonzero(above & (height == np.maximum.reduceat(height, ends[:-1])[lines]))
    highest = fixed.copy()
    highest[tops[np.unique(lines[tops], return_index=True)[1]]] = True
    return points._replace(fixed=highest).at(above | fixed)
