"""Means over chosen cases, and of values some of which are missing."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.kernels.ratios import ratio
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray, ScoreArray

_FEW = 1 << 16


def mean_where(values: ScoreArray, rows: BoolArray) -> float:
    """Return the mean of (n,) values, NaN where missing, over the rows of a mask; NaN without values.  O(n)."""
    chosen = values[rows & ~np.isnan(values)].astype(np.float64)
    return _mean(chosen, chosen.size)


def means_of_rows(values: ScoreArray) -> FloatArray:
    """Return the mean of each row of (k, m) values, NaN where missing, as `mean_where` adds it up; NaN without values.

    Returns (k,).  O(k m): rows with as many values are added up together, so that each sum is that of its row alone.
    """
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        sums = sums_of_chosen(values[defined].astype(np.float64), defined)
    return np.asarray(ratio(sums, np.count_nonzero(defined, axis=1)))


def sums_of_chosen(values: AnyArray, chosen: BoolArray) -> Any:
    """Return the sums along the last axis of the values that a mask, (g, m) or (m,), chooses, each as of its row alone.

    values: (c,), those that are chosen, in the order of the mask.  Returns (g,), or a number.  O(size): rows with as
    many values are added up together.

    >>> sums_of_chosen(np.array([1.0, 2.0, 4.0]), np.array([[True, True], [False, True]]))
    array([3., 4.])
    """
    if chosen.ndim == 1:
        return values.sum()
    counts = np.count_nonzero(chosen, axis=1)
    distinct = np.unique(counts).tolist()
    if len(distinct) == 1:
        return values.reshape(counts.size, distinct[0]).sum(axis=1)
    sums, of_values = np.empty(counts.shape, values.dtype), np.repeat(counts, counts)
    for count in distinct:
        rows = counts == count
        sums[rows] = values[of_values == count].reshape(np.count_nonzero(rows), count).sum(axis=1)
    return sums


def own_values(columns: ScoreArray, reference: IntArray) -> ScoreArray:
    """Return the value of the reference category, (n,) codes, of each column of (k, n).  O(n)."""
    values: ScoreArray = np.take_along_axis(columns, reference[np.newaxis].astype(np.intp), axis=0)[0]
    return values


def mean_of_all(values: ScoreArray) -> float:
    """Return the mean of (n,) values, of which missing ones (NaN) count as 0; NaN without cases.  O(n)."""
    return _mean(values[~np.isnan(values)].astype(np.float64), values.size)


def mean_of_defined(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted mean of the values that are defined; the plain one if their weights sum to 0.

    values, weights: (n,), NaN where there is no value.  NaN if there is none at all.  O(n).  Of up to 2**16 values, as
    of categories, no digit depends on their order.
    """
    defined = ~np.isnan(values)
    if weights is not None and (total := _sum(weights[defined])) != 0:
        return float(ratio(_sum(values[defined] * weights[defined]), total))
    return float(ratio(_sum(values[defined]), np.count_nonzero(defined)))


def weighted_mean_of_defined(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted mean of (n,) values that are not NaN; NaN if they have no weight.  O(n)."""
    defined = ~np.isnan(values)
    if weights is not None and weights[defined].sum() == 0:
        return np.nan
    return mean_of_defined(values, weights)


def weighted_means_of_rows(values: FloatArray, weights: IntArray) -> FloatArray:
    """Return `weighted_mean_of_defined` of each row of (g, k) values and whole weights, k up to 2**16.  O(g k)."""
    defined = ~np.isnan(values)
    totals = np.where(defined, weights, 0).sum(axis=1)
    return np.asarray(ratio([*map(math.fsum, np.where(defined, values * weights, 0.0).tolist())], totals))


def mean_in_turn(values: FloatArray) -> float:
    """Return the mean of (n,) values added up in turn, as in a plain loop; NaN without values.  O(n)."""
    return float(np.cumsum(values)[-1]) / values.size if values.size else np.nan


def geometric_mean(values: FloatArray, weights: FloatArray | IntArray | None = None) -> float:
    """Return the weighted geometric mean of (n,) values above 0, NaN without weight; without weights in turn.  O(n)."""
    logarithms = np.log(values)
    mean = mean_in_turn(logarithms) if weights is None else weighted_mean_of_defined(logarithms, weights)
    return float(np.exp(mean))


def _sum(values: npt.NDArray[Any]) -> float:
    """Add up with one rounding; many values, those of cases, as NumPy does, in a tenth of the time."""
    with np.errstate(over="ignore"):
        rough = float(values.sum())
    return math.fsum(values.tolist()) if values.size <= _FEW and math.isfinite(rough) else rough


def _mean(values: FloatArray, cases: int) -> float:
    with np.errstate(invalid="ignore", over="ignore"):  # infinities of both signs have no mean
        return float(ratio(values.sum(), cases))
