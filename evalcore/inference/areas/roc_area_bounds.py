"""Bounds of ROC areas by each method, from areas, their variances, and the cases of the smaller class."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evalcore.inference.distributions import normal_reach, reach_of
from evalcore.inference.intervals import Interval, logit_bounds, logit_interval_at, normal_interval_at
from evalcore.inference.proportions import trials_of_wilson, wilson_centre
from evalcore.typing import Ratio, RocAreaMethod

DEFAULT_AREA_METHOD: RocAreaMethod = "delong-wilson"
LOGIT: RocAreaMethod = "delong-logit"
_TINY = float(np.finfo(np.float64).tiny)


class AreaMethod(NamedTuple):
    """A way from areas to bounds."""

    bounds: Callable[..., tuple[Ratio, Ratio]]
    """Of areas, variances, cases of the smaller class, numbers or (g,) each, a level, and degrees of freedom."""
    of_constant: bool
    """Whether areas whose variance is estimated as 0 have bounds too."""


def effective_trials_of_areas(areas: Ratio, variances: Ratio, smaller: Ratio) -> Ratio:
    """Return as many trials as would leave proportions as uncertain as ROC areas A: A (1 - A) / V, (g,).  O(g).

    areas: numbers or (g,); variances: DeLong's; smaller: effective cases of the smaller class.

    DeLong's variance v rests on the few cases that are misplaced, and is 0 where none is.  V is the mean of v, with the
    weight k, and of A (1 - A) / 2c, with the weight 1.  Hanley and McNeil's variance comes close to the latter for
    large areas.  k = c u √(u / (c v + u²)), where c is the number of cases of the smaller class and u = min(A, 1 - A),
    is the geometric mean of two numbers of misplaced cases: c u, if each is wholly misplaced, and Kish's effective
    number c u² / (c v + u²).  The more cases, the closer is V to v.  Source of the second variance: J. A. Hanley and B.
    J. McNeil, The meaning and use of the area under a receiver operating characteristic (ROC) curve, Radiology 143
    (1982) 29-36.  The weight is ours: benchmarks/README.md says how it was measured.

    >>> effective_trials_of_areas(np.array([1.0]), np.array([0.0]), 20)  # all of 20 positives are above all negatives
    array([40.])
    >>> variances = 0.12 / np.array([20, 1000, 100_000])
    >>> effective_trials_of_areas(0.75, variances, np.array([20, 1000, 100_000])) * variances / 0.1875
    array([1.03297752, 1.00074561, 1.00000748])
    """
    u = np.minimum(areas, 1 - areas)
    misplaced = misplaced_cases(areas, variances, smaller)
    scaled = np.divide(misplaced, u, out=np.zeros_like(u * smaller), where=u > 0)
    trials: Ratio = 2 * smaller * (1 + misplaced) / (1 + 2 * smaller * scaled * variances / (1 - u))
    return trials


def misplaced_cases(areas: Ratio, variances: Ratio, smaller: Ratio) -> Ratio:
    """Return about how many cases of the smaller class are misplaced, k of `effective_trials_of_areas`, (g,).  O(g)."""
    u = np.minimum(areas, 1 - areas)
    number: Ratio = smaller * u * np.sqrt(u / np.maximum(smaller * variances + u * u, _TINY))
    return number


def _wilson(
    areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: float = math.inf
) -> tuple[Ratio, Ratio]:
    t: Ratio = reach_of(level, freedom)
    if freedom == math.inf:
        t *= 1 + (t * t + 1) / (4 * smaller)  # Student's quantile, to the first order in 1 / c
    trials = effective_trials_of_areas(areas, variances, smaller)
    centre = wilson_centre(areas * trials, trials, t, np.sqrt)
    low, high = areas * trials * areas / centre, centre / (trials + t * t)
    # rounded bounds must hold the estimate
    return np.minimum(low, areas), np.maximum(np.minimum(high, 1.0), areas)


def _normal(
    areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: float = math.inf
) -> tuple[Ratio, Ratio]:
    reach = reach_of(level, freedom) * np.sqrt(variances)
    return np.maximum(areas - reach, 0.0), np.minimum(areas + reach, 1.0)


def _logit(
    areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: float = math.inf
) -> tuple[Ratio, Ratio]:
    with np.errstate(divide="ignore", invalid="ignore"):  # of weights far apart, 0 and 1 may have a variance: NaN
        return logit_bounds(areas, np.sqrt(variances), level, freedom)


AREA_METHODS: dict[str, AreaMethod] = {
    "delong-wilson": AreaMethod(_wilson, of_constant=True),
    "delong": AreaMethod(_normal, of_constant=False),
    LOGIT: AreaMethod(_logit, of_constant=False),
}
"""What users may ask for, by name."""


def area_interval_at(interval: Interval, level: float) -> Interval:
    """Return the interval of a ROC area at another level, by the method that it has, or as of a normal estimate.  O(1).

    >>> area_interval_at(Interval(1.0, 0.9, 1.0, 0.95, "delong-wilson"), 0.99).low.__round__(4)
    0.839
    """
    if interval.method == LOGIT:
        return logit_interval_at(interval, level)
    if interval.method != DEFAULT_AREA_METHOD:
        return normal_interval_at(interval, level)
    area = interval.estimate
    n = trials_of_wilson(interval)
    z = normal_reach(level)
    centre = float(wilson_centre(area * n, n, z, math.sqrt))
    return Interval(area, area * n * area / centre, min(centre / (n + z * z), 1.0), level, interval.method)
