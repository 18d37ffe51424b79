"""Bounds from resamples: quantiles, mirrored quantiles, and quantiles corrected for bias and skewness."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.inference.distributions import normal_probability, normal_quantile, normal_reach
from evalcore.typing import FloatArray


class Sample(NamedTuple):
    """One measure, or the difference of two."""

    estimate: float
    """Of the cases."""
    values: FloatArray
    """Of each resample, shape (b,)."""
    without_blocks: FloatArray
    """Of the cases without each block of a jackknife, shape (j,); used by "bca" alone."""


class Bounds(NamedTuple):
    """The bounds of an interval, or NaN and why there are none."""

    low: float
    high: float
    why: str = ""


def bounds(sample: Sample, method: str, level: float) -> Bounds:
    """Return the bounds by one of `METHODS`; there are none where resamples do not tell.

    Resamples for which the measure is NaN are left out.  O(b log b).

    >>> bounds(Sample(0.5, np.arange(101) / 128, np.empty(0)), "percentile", 0.5)
    Bounds(low=0.1953125, high=0.5859375, why='')
    """
    values = sample.values[~np.isnan(sample.values)]
    if np.isnan(sample.estimate) or not values.size:
        return Bounds(np.nan, np.nan, "the measure is not defined for these cases")
    if np.isinf(values).any():
        return Bounds(np.nan, np.nan, "the measure is infinite for some resamples")
    if values.min() == values.max():
        return Bounds(np.nan, np.nan, "all resamples have the same value")
    return METHODS[method](sample._replace(values=values), level)


def _percentile(sample: Sample, level: float) -> Bounds:
    return _quantiles(sample.values, (1 - level) / 2, (1 + level) / 2)


def _basic(sample: Sample, level: float) -> Bounds:
    low, high, _ = _percentile(sample, level)
    return Bounds(2 * sample.estimate - high, 2 * sample.estimate - low)


def _bca(sample: Sample, level: float) -> Bounds:
    """Correct the quantiles: Efron and Tibshirani (1993), 14.10, 14.14 and 14.15; an equal resample is half below."""
    below = np.mean(sample.values < sample.estimate) + np.mean(sample.values == sample.estimate) / 2
    if below in (0, 1):
        return Bounds(np.nan, np.nan, "all resamples lie on one side of the estimate")
    if np.isnan(sample.without_blocks).any():
        return Bounds(np.nan, np.nan, "the measure is not defined without some block of cases")
    bias, acceleration = normal_quantile(float(below)), _acceleration(sample.without_blocks)
    shares = []
    for reach in (-normal_reach(level), normal_reach(level)):
        shift = bias + reach
        if acceleration * shift >= 1:
            return Bounds(np.nan, np.nan, "the resamples are too skewed for this level")
        shares.append(normal_probability(bias + shift / (1 - acceleration * shift)))
    return _quantiles(sample.values, *shares)


def _acceleration(without_blocks: FloatArray) -> float:
    """Return a sixth of the skewness of a jackknife; 0.0 of equal values."""
    deviations = without_blocks.mean() - without_blocks
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6 * spread**1.5) if spread else 0.0


def _quantiles(values: FloatArray, low: float, high: float) -> Bounds:
    return Bounds(*np.quantile(values, [low, high]).tolist())


METHODS: dict[str, Callable[[Sample, float], Bounds]] = {"percentile": _percentile, "basic": _basic, "bca": _bca}
