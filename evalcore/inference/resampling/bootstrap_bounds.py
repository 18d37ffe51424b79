"""Bounds from resamples: quantiles, mirrored quantiles, and quantiles corrected for bias and skewness."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.inference.distributions import normal_probability, normal_quantile, normal_reach
from evalcore.typing import FloatArray


class Resampled(NamedTuple):
    """Values of one measure, or of the difference of two models."""

    estimate: float
    """Of the cases."""
    values: FloatArray
    """Of each resample, shape (b,)."""
    without_blocks: FloatArray
    """Of the cases without each block of a jackknife, shape (j,); used by "bca" alone."""


class BootstrapBounds(NamedTuple):
    """The bounds of an interval, or NaN and why there are none."""

    low: float
    high: float
    why: str = ""


def bootstrap_bounds(sample: Resampled, method: str, level: float) -> BootstrapBounds:
    """Return the bounds by one of `METHODS`; resamples for which the measure is NaN are left out.  O(b log b)."""
    values = sample.values[~np.isnan(sample.values)]
    if np.isnan(sample.estimate) or not values.size:
        return BootstrapBounds(np.nan, np.nan, "the measure is not defined for these cases")
    if np.isinf(values).any():
        return BootstrapBounds(np.nan, np.nan, "the measure is infinite for some resamples")
    if values.min() == values.max():
        return BootstrapBounds(np.nan, np.nan, "all resamples have the same value")
    return METHODS[method](sample._replace(values=values), level)


def _percentile(sample: Resampled, level: float) -> BootstrapBounds:
    return _quantiles(sample.values, (1 - level) / 2, (1 + level) / 2)


def _basic(sample: Resampled, level: float) -> BootstrapBounds:
    low, high, _ = _percentile(sample, level)
    return BootstrapBounds(2 * sample.estimate - high, 2 * sample.estimate - low)


def _bca(sample: Resampled, level: float) -> BootstrapBounds:
    """Return corrected quantiles: Efron and Tibshirani (1993), 14.10, 14.14, 14.15; equal resamples are half below."""
    below = np.mean(sample.values < sample.estimate) + np.mean(sample.values == sample.estimate) / 2
    if below in (0, 1):
        return BootstrapBounds(np.nan, np.nan, "all resamples lie on one side of the estimate")
    if np.isnan(sample.without_blocks).any():
        return BootstrapBounds(np.nan, np.nan, "the measure is not defined without some block of cases")
    bias, acceleration = normal_quantile(float(below)), _acceleration(sample.without_blocks)
    fractions = []
    for reach in (-normal_reach(level), normal_reach(level)):
        shift = bias + reach
        if acceleration * shift >= 1:
            return BootstrapBounds(np.nan, np.nan, "the resamples are too skewed for this level")
        fractions.append(normal_probability(bias + shift / (1 - acceleration * shift)))
    return _quantiles(sample.values, *fractions)


def _acceleration(without_blocks: FloatArray) -> float:
    """Return a sixth of the skewness of a jackknife, 0.0 for equal values.  O(j)."""
    deviations = without_blocks.mean() - without_blocks
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6 * spread**1.5) if spread else 0.0


def _quantiles(values: FloatArray, low: float, high: float) -> BootstrapBounds:
    return BootstrapBounds(*np.quantile(values, [low, high]).tolist())


METHODS: dict[str, Callable[[Resampled, float], BootstrapBounds]] = {
    "percentile": _percentile,
    "basic": _basic,
    "bca": _bca,
}
