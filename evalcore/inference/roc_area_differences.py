"""Comparisons of two ROC areas on the same cases whose difference has few cases behind it."""

import math

import numpy as np

from evalcore.inference.distributions import reach_of, tails_of
from evalcore.inference.intervals import Comparison
from evalcore.inference.roc_area_bounds import effective_trials_of_areas, misplaced_cases


def compare_areas_by_score(
    areas: tuple[float, float],
    variances: tuple[float, float, float],
    smaller: float,
    level: float,
    freedom: float = math.inf,
) -> Comparison:
    """Compare two areas by inverting the test of the statistic (d - δ) / √(v + w |d - δ|).  O(1).

    variances: DeLong's of the difference d, not 0 unless the others are, and of both areas; smaller: effective cases of
    the smaller class.  v is the variance of d.  w is how fast it grows with the distance, as A (1 - A) / n does of
    proportions: the mean of 1 / n, for n effective trials of each area, times √(v / (v1 + v2)), for similar models
    differ by less, and 2 / (3 + k), for many misplaced cases, k, tell the variance.  The numbers 2 and 3 are ours:
    benchmarks/README.md says how they were measured.

    >>> compare_areas_by_score((1.0, 1.0), (0.0, 0.0, 0.0), 20, 0.95)
    1 - 1 = 0 [-0.0640243, 0.0640243] (95% delong-score), p = 1
    """
    difference, own = areas[0] - areas[1], np.array(variances[1:])
    both = np.array(areas)
    alike = math.sqrt(variances[0] / own.sum()) if own.any() else 1.0
    growth = float(np.mean(1 / effective_trials_of_areas(both, own, smaller))) * alike
    growth *= 2 / (3 + float(np.mean(misplaced_cases(both, own, smaller))))
    z = reach_of(level, freedom)
    reach = (z * z * growth + z * math.sqrt(z * z * growth**2 + 4 * variances[0])) / 2
    statistic = difference / math.sqrt(variances[0] + growth * abs(difference)) if difference else 0.0
    low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    return Comparison(areas, difference, low, high, level, statistic, tails_of(statistic, freedom), "delong-score")
