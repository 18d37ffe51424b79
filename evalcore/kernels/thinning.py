"""Curves of fewer points that look the same: neither is further from the other than 1/2000 of an axis.

Two passes share that distance.  The first keeps the first, lowest, highest and last point of every narrow column: what
it drops differs within the column only.  The second, on the few thousand that are left, replaces what is nearly
straight.  Sources: U. Jugel, Z. Jerzak, G. Hackenbroich and V. Markl, M4: a visualization-oriented time series data
aggregation, PVLDB 7 (2014) 797-808; D. H. Douglas and T. K. Peucker, Algorithms for the reduction of the number of
points required to represent a digitized line, Cartographica 10 (1973) 112-122.
"""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.runs import run_starts
from evalcore.typing import FloatArray, IntArray

TOLERANCE = 1 / 2000
"""How far a thinned curve and the full one may be apart, in parts of an axis."""
COLUMN = 0.5 * TOLERANCE
"""The width of a column, in parts of an axis: the most that the first pass moves a curve."""
CHORD = 0.5 * TOLERANCE
"""The most that the second pass moves a curve: more would make noise dear, which fills its columns, less the random
walks that curves of many cases are."""
_ROUNDS = 32
"""Of halving; curves that people draw need ten."""


class Line(NamedTuple):
    """A curve as the points between which straight lines are drawn."""

    x: FloatArray
    """Shape (q,)."""
    y: FloatArray
    """Shape (q,)."""


def thinned(x: FloatArray, y: FloatArray, width: float, height: float) -> Line:
    """Return a curve with fewer of its points, both ends among them.

    x: (p,) float64, not falling; y: (p,) float64; both finite, p > 0; width, height: of the axes, in the units of x and
    y.  Between points the curve is straight.  At most four points a column, 16,000 for each `width` of x; 50 or so of
    a smooth curve.  O(p), without a loop over points.

    >>> thinned(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), width=1.0, height=1.0)
    Line(x=array([0., 1.]), y=array([0., 1.]))
    """
    kept = column_extremes(x, y, column_edges(float(x[0]), float(x[-1]), width))
    return _without_straight_parts(Line(x[kept], y[kept]), width, height)


def thinned_steps(x: FloatArray, y: FloatArray, start: float, width: float, height: float) -> Line:
    """Return a curve of steps with fewer points: of height y[i] from x[i - 1] to x[i], the first from `start`.

    x: (p,) float64, not falling and not below `start`, and the others as in `thinned`.  O(p).
    """
    kept = column_extremes(x, y, column_edges(start, float(x[-1]), width))
    return _without_straight_parts(steps(x[kept], y[kept], start), width, height)


def steps(x: FloatArray, y: FloatArray, start: float) -> Line:
    """Return steps of height y[i] from x[i - 1] to x[i], the first from `start`, as a line of 2 p points.  O(p)."""
    return Line(np.concatenate([[start], np.repeat(x, 2)[:-1]]), np.repeat(y, 2))


def column_edges(start: float, stop: float, width: float) -> FloatArray:
    """Return the inner edges of columns of `COLUMN` of an axis.  Empty of an axis without width."""
    columns = int(np.ceil((stop - start) / (width * COLUMN))) if width > 0 else 1
    return start + width * COLUMN * np.arange(1, columns, dtype=np.float64)


def column_extremes(x: FloatArray, y: FloatArray, edges: FloatArray) -> IntArray:
    """Return the indices of the first, a lowest, a highest and the last point of each column, ascending.

    x: (p,) float64, not falling; y: (p,) float64, no NaN; edges: (c,) rising.  A point on an edge is in the column to
    its right.  Within a column both curves pass the same heights; between columns they are the same.
    O(p + c log p): a loop over columns, none over points.

    >>> column_extremes(np.array([0.1, 0.2, 0.3, 0.4, 0.9]), np.array([0.5, 0.7, 0.6, 0.6, 0.1]), np.array([0.5]))
    array([0, 1, 3, 4])
    """
    starts = np.unique(np.concatenate([[0], np.searchsorted(x, edges)]))
    starts = starts[starts < x.size]
    stops = np.append(starts[1:], x.size)
    wide = stops - starts > 2
    columns = list(zip(starts[wide].tolist(), stops[wide].tolist(), strict=True))
    lowest = [start + int(y[start:stop].argmin()) for start, stop in columns]
    highest = [start + int(y[start:stop].argmax()) for start, stop in columns]
    return np.unique(np.concatenate([starts, stops - 1, lowest, highest]).astype(np.int64))


def chords(x: FloatArray, y: FloatArray, tolerance: float) -> IntArray:
    """Return the indices of the points to keep so that no other is further from the straight lines between them.

    x, y: (p,) float64, finite, p > 0; tolerance: a distance.  Both ends are kept.  Each round splits every part that
    strays too far where it strays most; what still does after 32 rounds is kept whole.  O(p).

    >>> chords(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.01, 0.0, 1.0]), tolerance=0.1)
    array([0, 2, 3])
    """
    kept = np.zeros(x.size, np.bool_)
    kept[[0, -1]] = True
    inner = np.arange(1, x.size - 1)
    left, right = np.zeros(inner.size, np.int64), np.full(inner.size, x.size - 1)
    for _ in range(_ROUNDS):
        if not inner.size:
            break
        strays = _distances(x, y, inner, left, right)
        parts = run_starts(left)
        lengths = np.diff(parts, append=inner.size)
        furthest = np.repeat(np.maximum.reduceat(strays, parts), lengths)
        open_ = furthest > tolerance
        numbers = np.repeat(np.arange(parts.size), lengths)
        peaks = np.flatnonzero(open_ & (strays == furthest))
        firsts = peaks[run_starts(numbers[peaks])]
        splits = np.zeros(parts.size, np.int64)
        splits[numbers[firsts]] = inner[firsts]
        kept[inner[firsts]] = True
        inner, left, right, split = inner[open_], left[open_], right[open_], splits[numbers[open_]]
        left, right = np.where(inner > split, split, left), np.where(inner < split, split, right)
        rest = inner != split
        inner, left, right = inner[rest], left[rest], right[rest]
    kept[inner] = True
    return np.flatnonzero(kept)


def _distances(x: FloatArray, y: FloatArray, inner: IntArray, left: IntArray, right: IntArray) -> FloatArray:
    """Return how far points are from the straight lines between two others."""
    across, up = x[right] - x[left], y[right] - y[left]
    dx, dy = x[inner] - x[left], y[inner] - y[left]
    squares = across**2 + up**2
    along = np.clip((dx * across + dy * up) / np.where(squares > 0, squares, 1.0), 0.0, 1.0)
    distances: FloatArray = np.hypot(dx - along * across, dy - along * up)
    return distances


def _without_straight_parts(line: Line, width: float, height: float) -> Line:
    kept = chords(line.x / (width or 1.0), line.y / (height or 1.0), CHORD)
    return Line(line.x[kept], line.y[kept])
