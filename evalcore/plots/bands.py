"""Pointwise bands around curves: intervals of proportions at some of the thresholds."""

import numpy as np

from evalcore.inference.proportions import proportion_interval
from evalcore.inference.weighted_intervals import proportion_intervals_of_weights
from evalcore.kernels.thinning import steps
from evalcore.kernels.weight_sums import WeightSums
from evalcore.typing import FloatArray, IntArray

_POINTS = 200
"""More would not be told apart."""


def along(positions: FloatArray, length: float) -> IntArray:
    """Return the indices of at most 200 points that are evenly spaced along a curve.

    positions: (p,) float64, not falling, within 0 .. length.  O(p).
    """
    indices = np.arange(positions.size)
    if positions.size > _POINTS:
        indices = np.unique(np.searchsorted(positions, np.linspace(0, length, _POINTS)).clip(max=positions.size - 1))
    return indices


def wilson_bounds(counts: FloatArray, totals: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of Wilson's intervals of counts among totals, (p,) float64 each.  O(p), slow per point."""
    pairs = zip(counts.tolist(), totals.tolist(), strict=True)
    intervals = [proportion_interval(int(count), int(total), level=level) for count, total in pairs]
    return np.array([each.low for each in intervals]), np.array([each.high for each in intervals])


def weighted_bounds(successes: WeightSums, trials: WeightSums, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of Wilson's intervals with the effective number of weighted trials, (p,) each.  O(p)."""
    found = proportion_intervals_of_weights(successes, trials, level)
    return found.low, found.high


def outline_of_steps(x: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the outline of a band of steps from 0: low[i] to high[i] from x[i - 1] to x[i].  O(p)."""
    top, bottom = steps(x, high, 0.0), steps(x, low, 0.0)
    return np.concatenate([top.x, bottom.x[::-1]]), np.concatenate([top.y, bottom.y[::-1]])
