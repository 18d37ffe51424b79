"""Comparisons of two estimates by the differences of resamples.

Percentiles of few units are too close together: resamples vary less than samples by √((n - 1) / n), and have normal
tails where Student's are due.  For clusters and queries they are expanded as far as Student's interval of a mean is
wider than the percentiles of its resamples, and p-values are raised as much.  Source: T. C. Hesterberg, What teachers
should know about the bootstrap: resampling in the undergraduate statistics curriculum, The American Statistician 69
(2015) 371-386.
"""

import math

import numpy as np

from evalcore.inference.intervals import Comparison, normal_reach, normal_tails, student_reach, student_tails
from evalcore.inference.resampling.bootstrap import two_sided_p_value
from evalcore.inference.resampling.resampled_measures import BootstrapBounds, Resampled, bootstrap_bounds
from evalcore.typing import FloatArray

METHOD = "percentile bootstrap"
_LEAST_BEYOND = 2
"""Resamples beyond the bounds, below or above them: with fewer these would be the least and the largest of all."""


def compare_resampled(
    estimates: tuple[float, float],
    drawn: FloatArray,
    level: float,
    largest: float = 1.0,
    *,
    units: float = math.inf,
    lack: str = "",
) -> Comparison:
    """Compare the estimates of the new model and the old one, by differences of resamples, (b,), NaN left out.  O(b).

    largest: the largest difference that is possible; bounds are cut to it.  units: the number of what was drawn, for
    expanded percentiles; infinite for cases.  lack: why there are no bounds, if that is known.  Without bounds the
    p-value is NaN, or 1 if no resample differs; but where bounds lack alone because percentiles expand beyond all
    resamples, it stays.

    >>> drawn = np.linspace(0.05, 0.45, 999)
    >>> compare_resampled((0.75, 0.5), drawn, 0.95)
    0.75 - 0.5 = 0.25 [0.06, 0.44] (95% percentile bootstrap), p = 0.002
    >>> compare_resampled((0.75, 0.5), drawn, 0.95, units=10)
    0.75 - 0.5 = 0.25 [0.0534203, 0.44658] (95% percentile bootstrap), p = 0.0167
    """
    difference, defined = estimates[0] - estimates[1], drawn[~np.isnan(drawn)]
    sample, expanded = Resampled(difference, drawn, drawn[:0]), expanded_level(level, units)
    low, high, why = bootstrap_bounds(sample, "percentile", expanded)
    if lack:
        low, high, why = BootstrapBounds(np.nan, np.nan, lack)
    p_value = expanded_p_value(two_sided_p_value(drawn), units)
    if why:
        p_value = 1.0 if defined.size and not defined.any() else np.nan
    if expanded > level and defined.size * (1 - expanded) < _LEAST_BEYOND:
        low, high = np.nan, np.nan
    low, high = max(low, -largest), min(high, largest)
    return Comparison(estimates, difference, low, high, level, np.nan, p_value, METHOD)


def expanded_level(level: float, units: float) -> float:
    """Return the level of percentiles that expands those of so many units.  O(1).

    >>> round(expanded_level(0.95, 25), 4), expanded_level(0.95, math.inf)
    (0.9648, 0.95)
    """
    if not 1 < units < math.inf:
        return level
    return 1 - normal_tails(student_reach(level, units - 1) * error_factor(units))


def expanded_p_value(p_value: float, units: float) -> float:
    """Return a p-value of percentiles as that of expanded ones.  O(1).

    >>> round(expanded_p_value(1 - expanded_level(0.95, 25), 25), 4)
    0.05
    """
    if not 1 < units < math.inf:
        return p_value
    return student_tails(normal_reach(1 - p_value) / error_factor(units), units - 1)


def error_factor(units: float) -> float:
    """Return how many times as much samples of so many units vary as their resamples do; 1 for cases.  O(1)."""
    return math.sqrt(units / (units - 1)) if 1 < units < math.inf else 1.0
