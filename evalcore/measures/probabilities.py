"""Probabilities from their logarithms, for many cases at once."""

import numpy as np

from evalcore.typing import FloatArray, ScoreArray


def log2_total(logs: ScoreArray) -> FloatArray:
    """Return log2 Σ 2^x over the rows, for each column.

    logs: (r, n), NaN where there is nothing to add, something finite in each column.  Returns (n,) float64.
    The largest are added first, so that neither the order of the rows nor columns beside matter.
    O(r log r n).

    >>> log2_total(np.array([[-1.0, -np.inf], [-2.0, np.nan], [-2.0, -3.0]]))
    array([ 0., -3.])
    """
    ordered = np.sort(np.where(np.isnan(logs), -np.inf, logs).astype(np.float64), axis=0)[::-1]
    total = np.zeros(ordered.shape[1])
    for row in ordered:
        total += np.exp2(row - ordered[0])
    logarithms: FloatArray = ordered[0] + np.log2(total)
    return logarithms


def normalised(logs: ScoreArray, totals: FloatArray) -> FloatArray:
    """Return 2^(x - total): the conditional probabilities of joint ones, in 0 .. 1.

    logs: (r, n) or (n,); totals: (n,), from `log2_total`.  NaN where x is.  O(r n).

    >>> normalised(np.array([-1.0, -2.0]), np.array([0.0, -1.0]))
    array([0.5, 0.5])
    """
    probabilities: FloatArray = np.exp2(logs - totals)
    return probabilities
