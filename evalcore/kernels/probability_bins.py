"""Bins of probabilities, what is in them, and sums over cases block by block."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.blocks import blocks, map_blocks
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray

_MOST_COMPARED = 96
"""Up to here comparing with every edge beats a binary search for each probability."""
_FEW = 1 << 8
"""Probabilities for which a call for each edge takes longer than their searches."""


class Bins(NamedTuple):
    """Sums over the cases of each bin, weighted if the cases are."""

    weights: FloatArray
    """Cases, shape (b,)."""
    positives: FloatArray
    """Cases of the positive class, shape (b,)."""
    probabilities: FloatArray
    """Probabilities, shape (b,)."""


def equal_widths(bins: int) -> FloatArray:
    """Return the b - 1 inner edges of b equally wide bins of 0 .. 1.  O(b)."""
    edges: FloatArray = np.linspace(0.0, 1.0, bins + 1)[1:-1]
    return edges


def quantiles(probabilities: ScoreArray, bins: int) -> ScoreArray:
    """Return the b - 1 inner edges at the interpolated quantiles 1/b, 2/b .. of (n,), n > 0.  O(n log n)."""
    positions = np.linspace(0.0, 1.0, bins + 1)[1:-1] * 100 / 100 * (probabilities.size - 1)
    before = positions.astype(np.int64)
    ordered = np.sort(probabilities)
    low, high = ordered[before], ordered[np.minimum(before + 1, ordered.size - 1)]
    fraction = positions - before
    # from the nearer neighbour, so that rounding does not carry an edge past it
    return np.where(fraction < 0.5, low + (high - low) * fraction, high - (high - low) * (1 - fraction))


def equal_masses(probabilities: ScoreArray, weights: FloatArray | None, bins: int) -> ScoreArray:
    """Return the b - 1 inner edges that are the least probabilities with i/b of the weight at or below them.

    probabilities: (n,), not empty; weights: (n,) positive, or None for one each.  Exact for integer weights, which
    give what repeated cases give.  O(n log n).

    >>> equal_masses(np.array([0.1, 0.2, 0.6, 0.8]), None, 2)
    array([0.2])
    """
    if weights is None:
        return np.asarray(np.sort(probabilities)[mass_ranks(probabilities.size, bins)])
    order = np.argsort(probabilities, kind="stable")
    mass = np.cumsum(weights[order])
    least = np.searchsorted(mass * bins, np.arange(1, bins) * mass[-1])
    edges: ScoreArray = probabilities[order[least]]
    return edges


def mass_ranks(cases: int, bins: int) -> IntArray:
    """Return the ranks, least probability first, of the edges of `equal_masses` of equal weights, (b - 1,).  O(b).

    >>> mass_ranks(4, 2)
    array([1])
    """
    return -(-np.arange(1, bins) * cases // bins) - 1


def binned(
    probabilities: ScoreArray, positive: BoolArray, edges: ScoreArray, weights: FloatArray | None = None
) -> Bins:
    """Add up the cases of each bin; a probability equal to an edge is in the bin below.

    probabilities, positive: (n,); edges: (b - 1,) rising; weights: (n,), or None for one each.  O(b n), O(n log b) for
    many bins.

    >>> binned(np.array([0.2, 0.5, 0.9]), np.array([False, True, True]), np.array([0.5]))
    Bins(weights=array([2., 1.]), positives=array([1., 1.]), probabilities=array([0.7, 0.9]))
    """
    count = edges.size + 1

    def add_up(block: slice) -> tuple[FloatArray, FloatArray]:
        part = probabilities[block]
        codes = bin_codes(part, edges)
        own = None if weights is None else weights[block]
        sums = np.bincount(codes, part if own is None else part * own, count).astype(np.float64, copy=False)
        codes += count * positive[block]
        return sums, np.bincount(codes, own, 2 * count).astype(np.float64, copy=False)

    sums, totals = np.zeros(count), np.zeros(2 * count)
    for own_sums, own_totals in map_blocks(add_up, probabilities.size):
        sums += own_sums
        totals += own_totals
    negatives, positives = totals.reshape(2, count)
    return Bins(negatives + positives, positives, sums)


def bin_codes(probabilities: ScoreArray, edges: ScoreArray) -> IntArray:
    """Count the edges, (b - 1,), below each probability, (n,).  O(b n), O(n log b) for many bins."""
    if edges.size > _MOST_COMPARED or probabilities.size < _FEW:
        return np.searchsorted(edges, probabilities)
    codes, above = np.zeros(probabilities.shape, np.uint8), np.empty(probabilities.shape, np.bool_)
    for edge in _rounded_down(edges, probabilities.dtype):
        np.greater(probabilities, edge, out=above)
        np.add(codes, above.view(np.uint8), out=codes)
    return codes.astype(np.int64)


def _rounded_down(edges: ScoreArray, dtype: np.dtype[Any]) -> ScoreArray:
    """Return edges in the type of probabilities, with the same ones below them: two types compare slower.  O(b)."""
    rounded = edges.astype(dtype)
    return np.where(rounded > edges, np.nextafter(rounded, dtype.type(-np.inf)), rounded)


def sum_over_cases(
    terms: Callable[[slice], ScoreArray], cases: int, weights: FloatArray | None = None, width: int = 1
) -> float:
    """Add up one term for each case, in blocks that stay in cache.

    terms: gives the (m,) terms of a slice of the cases; weights: (n,), or None for one each; width: elements that a
    term is made of.  O(n width).
    """
    parts = ((terms(block), block) for block in blocks(cases, width))
    # no dot product: its threads cost more than they save here, and change the last bits
    return sum(float(np.add.reduce(part if weights is None else part * weights[block])) for part, block in parts)
