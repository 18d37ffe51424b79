"""Comparisons of two estimates by the differences of resamples."""

import numpy as np

from evalcore.inference.bootstrap import two_sided_p_value
from evalcore.inference.bootstrap_bounds import Resampled, bootstrap_bounds
from evalcore.inference.intervals import Comparison
from evalcore.typing import FloatArray


def compare_resampled(
    estimates: tuple[float, float], drawn: FloatArray, level: float, largest: float = 1.0
) -> Comparison:
    """Compare the estimates of the new model and the old one, by differences of resamples, (b,), NaN left out.  O(b).

    largest: the largest difference that is possible; bounds are cut to it.  Without bounds the p-value is NaN, or 1 if
    no resample differs.

    >>> compare_resampled((0.75, 0.5), np.linspace(0.05, 0.45, 999), 0.95)
    0.75 - 0.5 = 0.25 [0.06, 0.44] (95% percentile bootstrap), p = 0.002
    """
    difference, defined = estimates[0] - estimates[1], drawn[~np.isnan(drawn)]
    low, high, why = bootstrap_bounds(Resampled(difference, drawn, drawn[:0]), "percentile", level)
    p_value = two_sided_p_value(drawn)
    if why:
        p_value = 1.0 if defined.size and not defined.any() else np.nan
    low, high = max(low, -largest), min(high, largest)
    return Comparison(estimates, difference, low, high, level, np.nan, p_value, "percentile bootstrap")
