"""Shapes of curves: where they bend, which of their points a drawing needs, their concave hull, isotonic regression."""

from typing import NamedTuple

import numpy as np

from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.runs import LazyRuns, Runs, lazy_runs, run_starts
from evalcore.kernels.sorting import order
from evalcore.kernels.weights import WeightWalk, sort_weights, walk_of_weights
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, KeyArray, ScoreArray


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
        mask[block.start + 1 : block.stop + 1] = (np.diff(x[near], 2) != 0) | (np.diff(y[near], 2) != 0)

    map_blocks(fill, x.size - 2)
    return mask


def not_level(y: FloatArray) -> BoolArray:
    """Return a mask of the points, (p,), that differ in height from a neighbour, and of both ends.  O(p)."""
    mask, changes = np.ones(y.size, np.bool_), y[1:] != y[:-1]
    mask[1:-1] = changes[:-1] | changes[1:]
    return mask


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


def thinned(x: FloatArray, y: FloatArray, width: float, height: float, start: float | None = None) -> Line:
    """Return a curve with fewer of its points, both ends among them.

    x: (p,) float64, not falling; y: (p,) float64; both finite, p > 0; width, height: of the axes, in the units of x and
    y.  Between points the curve is straight or, with a start that is not above x, it has steps of height y[i] from
    x[i - 1] to x[i], the first from there.  At most four points a column, 16,000 for each `width` of x; 50 or so of a
    smooth curve.  O(p), without a loop over points.

    >>> thinned(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), width=1.0, height=1.0)
    Line(x=array([0., 1.]), y=array([0., 1.]))
    """
    kept = column_extremes(x, y, column_edges(float(x[0]) if start is None else start, float(x[-1]), width))
    line = Line(x[kept], y[kept]) if start is None else steps(x[kept], y[kept], start)
    kept = chords(line.x / (width or 1.0), line.y / (height or 1.0), CHORD)
    return Line(line.x[kept], line.y[kept])


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
    O(p + c log p).

    >>> column_extremes(np.array([0.1, 0.2, 0.3, 0.4, 0.9]), np.array([0.5, 0.7, 0.6, 0.6, 0.1]), np.array([0.5]))
    array([0, 1, 3, 4])
    """
    starts = np.unique(np.concatenate([[0], np.searchsorted(x, edges)]))
    starts = starts[starts < x.size]
    lengths = np.diff(starts, append=x.size)
    held = [starts, starts + lengths - 1]
    for extreme in (np.minimum, np.maximum):
        found = np.flatnonzero(y == extreme.reduceat(y, starts).repeat(lengths))
        held.append(found[run_starts(starts.searchsorted(found, side="right"))])
    return np.unique(np.concatenate(held))


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
    return np.asarray(np.hypot(dx - along * across, dy - along * up))


_PASSES = 8
_WORTHWHILE = 8
"""Passes over neighbours go on while each drops at least one point in this many."""


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


class Pools(NamedTuple):
    """Cases by rising probability, cut so that the fraction of positives rises from pool to pool."""

    positives: FloatArray
    """Weight of the positive cases, shape (k,)."""
    negatives: FloatArray
    """Weight of the negative cases, shape (k,)."""
    low: ScoreArray
    """The least probability of each pool, shape (k,)."""
    high: ScoreArray
    """The largest probability of each pool, shape (k,)."""


def isotonic_pools(probabilities: ScoreArray, positive: BoolArray, weights: FloatArray | None = None) -> Pools:
    """Return the pools of the isotonic regression of outcomes on probabilities.

    probabilities, positive: (n,), n > 0; weights: (n,) above zero, or None for one each.  O(n log n).

    >>> isotonic_pools(np.array([0.1, 0.3, 0.3, 0.6]), np.array([True, False, False, True]))
    Pools(positives=array([1., 1.]), negatives=array([2., 0.]), low=array([0.1, 0.6]), high=array([0.3, 0.6]))
    """
    runs: LazyRuns | WeightWalk
    if weights is None:
        ordering = order(probabilities, positive)
        runs, scores_of = lazy_runs(ordering.keys), ordering.scores
    else:
        cases = sort_weights(probabilities, positive, weights)
        runs = walk_of_weights(cases)

        def scores_of(ranks: KeyArray | slice) -> ScoreArray:
            return np.asarray(probabilities[cases.order[ranks]] + probabilities.dtype.type(0))  # -0.0 becomes 0.0

    def candidates(part: Runs) -> tuple[AnyArray, AnyArray, IntArray]:
        if not part.positives.size:
            return part.tp, part.fp, np.empty(0, np.int64)
        kept = hull_candidates(part.fp, part.tp)
        return kept.y, kept.x, part.last_case(kept.indices)

    columns = zip(*runs.map(candidates), strict=True)
    tp, fp, last = (np.concatenate([[start], *parts]) for start, parts in zip((0, 0, -1), columns, strict=True))
    # all positives are in runs; sums of weights are rounded, so that the end may have two places
    before, end = last < probabilities.size - 1, max(fp[-1], runs.totals[1, 0])
    tp, fp = np.append(tp[before], tp[-1]), np.append(fp[before], end)
    last = np.append(last[before], probabilities.size - 1)
    vertices = hull_vertices(fp, tp)
    tp, fp, last = tp[vertices], fp[vertices], last[vertices]
    positives, negatives = (np.diff(each)[::-1].astype(np.float64) for each in (tp, fp))
    return Pools(positives, negatives, scores_of(last[1:])[::-1], scores_of(last[:-1] + 1)[::-1])
