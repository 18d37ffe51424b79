"""Averages of what answers said of categories, over chosen cases."""

import numpy as np

from evalcore.kernels.ratios import ratio
from evalcore.typing import BoolArray, FloatArray, IntArray, ScoreArray


def mean_where(values: ScoreArray, rows: BoolArray) -> float:
    """Return the mean over the rows that have a value, NaN if there are none.

    values: (n,), NaN where there is none; rows: (n,) bool.  O(n).

    >>> mean_where(np.array([1.0, 2.0, np.nan]), np.array([False, True, True]))
    2.0
    """
    chosen = values[rows & ~np.isnan(values)].astype(np.float64)
    return _mean(chosen, chosen.size)


def mean_of_reference(columns: ScoreArray, reference: IntArray) -> float:
    """Return the mean over all cases of the value of the reference category, 0 where a case lacks it.

    columns: (k, n), NaN where a case lacks the category; reference: (n,) codes.  NaN without cases.  O(n).

    >>> mean_of_reference(np.array([[1.0, np.nan], [2.0, 3.0]]), np.array([0, 0]))
    0.5
    """
    own = np.take_along_axis(columns, reference[np.newaxis], axis=0).astype(np.float64)
    return _mean(own[~np.isnan(own)], reference.size)


def _mean(values: FloatArray, cases: int) -> float:
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        return float(ratio(values.sum(), cases))
