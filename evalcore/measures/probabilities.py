"""Probabilities from their logarithms, for many cases at once."""

import numpy as np

from evalcore.typing import FloatArray, ScoreArray


def total_probability(columns: ScoreArray) -> FloatArray:
    """Return the sum over the rows, for each column.

    columns: (r, n), NaN where there is nothing to add.  Returns (n,) float64.  The largest are added first, so that
    neither the order of the rows nor columns beside matter, to the last bit.  O(r log r n).
    """
    ordered = np.sort(np.where(np.isnan(columns), 0, columns).astype(np.float64), axis=0)[::-1]
    sums = np.zeros(ordered.shape[1])
    for row in ordered:
        sums += row
    return sums


def log2_parts(logs: ScoreArray) -> FloatArray:
    """Return the two parts of log2 Σ 2^x over the rows, for each column: the largest x, and what the others add.

    logs: (r, n), NaN where there is nothing to add, something finite in each column.  Returns (2, n) float64, whose
    sum over the rows is the logarithm; apart they keep what is small beside a large x.  O(r log r n).
    """
    largest = np.fmax.reduce(logs, axis=0).astype(np.float64)
    return np.stack([largest, np.log2(total_probability(np.exp2(logs - largest)))])


def normalised(logs: ScoreArray, parts: FloatArray) -> FloatArray:
    """Return 2^x / Σ 2^x: the conditional probabilities of joint ones, in 0 .. 1.

    logs: (r, n), or one row (n,); parts: (2, n), from `log2_parts` of all rows.  NaN where x is.  O(r n).
    """
    largest, rest = parts
    probabilities: FloatArray = np.exp2(logs - largest - rest)
    return probabilities
