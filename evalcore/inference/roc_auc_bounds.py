"""Bounds of ROC AUCs, and of the differences of two, by each method, from areas and their variances."""

import math
from collections.abc import Callable

import numpy as np

from evalcore.inference.intervals import (
    ROUNDED_VARIANCE,
    ROUNDING,
    Bounds,
    Comparison,
    Interval,
    Intervals,
    comparisons_of,
    logit_bounds,
    normal_bounds,
    reach_of,
    reaches_of,
    trials_of_wilson,
    wilson_bounds,
)
from evalcore.typing import AnyArray, BoolArray, FloatArray, Ratio, RocAucMethod, RocDifferenceMethod

DEFAULT_AREA_METHOD: RocAucMethod = "delong-wilson"
LOGIT: RocAucMethod = "delong-logit"
_TINY = float(np.finfo(np.float64).tiny)
DIFFERENCE_METHODS: tuple[RocDifferenceMethod, ...] = ("delong-score", "delong")
"""What users may ask for, the default first."""
DEFAULT_DIFFERENCE_METHOD, DELONG = DIFFERENCE_METHODS
_UNSEEN = 0.5
"""Cases that models move which rank all alike, as in `measures.thresholds`."""
_NOTHING = 1e-6
"""A difference that matters to nobody: many cases that models rank alike have bounds of 0."""
_ROUNDED = 1e-24
"""A variance of a difference up to so much of those of both areas is that of rounded sums."""


def effective_trials_of_areas(areas: Ratio, variances: Ratio, smaller: Ratio) -> Ratio:
    """Return as many trials as would leave proportions as uncertain as ROC AUCs A: A (1 - A) / V, (g,).  O(g).

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


def _wilson(areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: Ratio = math.inf) -> Bounds:
    t = reaches_of(level, freedom)
    t = np.where(np.isinf(freedom), t * (1 + (t * t + 1) / (4 * smaller)), t)  # Student's, to the first order in 1 / c
    trials = effective_trials_of_areas(areas, variances, smaller)
    return wilson_bounds(areas * trials, trials, t, areas)


def _normal(areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: Ratio = math.inf) -> Bounds:
    return normal_bounds(areas, np.sqrt(variances), level, freedom)


def _logit(areas: Ratio, variances: Ratio, smaller: Ratio, level: float, freedom: Ratio = math.inf) -> Bounds:
    return logit_bounds(areas, np.sqrt(variances), level, freedom)


AREA_METHODS: dict[str, Callable[..., Bounds]] = {"delong-wilson": _wilson, "delong": _normal, LOGIT: _logit}
"""What users may ask for, by name: bounds of areas, variances, cases of the smaller class, and a level.

Numbers or (g,) each; only the first also takes areas whose variance is estimated as 0.
"""


def roc_auc_intervals(
    areas: FloatArray,
    area_variances: FloatArray,
    smaller: AnyArray,
    level: float,
    method: str = DEFAULT_AREA_METHOD,
    *,
    freedom: Ratio = math.inf,
    rounded: float = ROUNDED_VARIANCE,
) -> Intervals:
    """Return the intervals of areas with DeLong's variances, (g,) each, as `roc_auc_interval`.  O(g).

    smaller: effective cases of the smaller class, (g,); freedom: as of `compare_areas`; rounded: the largest variance
    that tells nothing.
    """
    defined = ~np.isnan(area_variances) if method == DEFAULT_AREA_METHOD else area_variances > rounded
    if method == LOGIT:
        defined &= (areas > 0) & (areas < 1)  # of weights far apart, 0 and 1 may have a variance
    columns = areas, area_variances, smaller, np.broadcast_to(freedom, areas.shape)
    *known, own = (column[defined] for column in columns)
    return Intervals.where(defined, areas, AREA_METHODS[method](*known, level, own), method)


def interval_at(interval: Interval, level: float) -> Interval:
    """Return an interval at another level, by the method of ROC AUCs that it has, or as of a normal estimate.  O(1).

    Of a side that was cut, or of a logit that was rounded, the other side's error counts.

    >>> interval_at(Interval(1.0, 0.9, 1.0, 0.95, "delong-wilson"), 0.99).low.__round__(4)
    0.839
    >>> interval_at(Interval(0.5, 0.25, 0.75, 0.95, "delong-logit"), 0.99).low.__round__(4)
    0.191
    >>> interval_at(Interval(0.95, 0.9, 1.0, 0.95, "delong"), 0.99).low.__round__(4)
    0.8843
    """
    estimate, z = interval.estimate, reach_of(interval.level)
    if interval.method == LOGIT:
        bounds = np.array([interval.low, estimate, interval.high])
        with np.errstate(divide="ignore"):  # a bound may be as good as 0 or 1
            below, above = np.diff(np.log(bounds) - np.log1p(-bounds))
        low, high = logit_bounds(estimate, float(min(below, above)) / z * estimate * (1 - estimate), level)
    elif interval.method == DEFAULT_AREA_METHOD:
        trials = trials_of_wilson(interval)
        low, high = wilson_bounds(estimate * trials, trials, reach_of(level), estimate)
    else:
        low, high = normal_bounds(estimate, max(estimate - interval.low, interval.high - estimate) / z, level)
    return Interval(estimate, float(low), float(high), level, interval.method)


def difference_method(area_method: str) -> RocDifferenceMethod:
    """Return the interval of differences that goes with an interval of areas: DeLong's with DeLong's.  O(1)."""
    return DELONG if area_method == DELONG else DEFAULT_DIFFERENCE_METHOD


def compare_areas(
    areas: FloatArray,
    area_variances: FloatArray,
    smaller: FloatArray,
    level: float,
    method: str = DEFAULT_DIFFERENCE_METHOD,
    *,
    freedom: Ratio = math.inf,
) -> list[Comparison]:
    """Compare two areas in each group, (2, g), by a method of `DIFFERENCE_METHODS`.  O(g).

    area_variances: of the difference and of both areas, (3, g), NaN where they are not known; smaller: effective cases
    of the smaller class, (g,).
    freedom: degrees of freedom of the variances, (g,), for Student's t; by default the normal distribution serves.
    'delong-score' inverts the test of the statistic (d - δ) / √(v + w |d - δ|), where v is the variance of the
    difference d.  w is how fast it grows with the distance, as A (1 - A) / n does of proportions: the mean of 1 / n,
    for n effective trials of each area, times √(v / (v1 + v2)), for similar models differ by less, and 2 / (3 + k), for
    many misplaced cases, k, tell the variance.  The numbers 2 and 3 are ours: benchmarks/README.md says how they were
    measured.  With w = 0 it is DeLong's test.  Where models rank all cases alike, √(v / (v1 + v2)) is taken for that of
    models that move half a case of the c of the smaller class, √(1 / 2c), and bounds below 1e-6 are 0; by 'delong' they
    have no bounds.

    >>> compare_areas(np.ones((2, 1)), np.zeros((3, 1)), np.array([20]), 0.95)
    [1 - 1 = 0 [-0.0640243, 0.0640243] (95% delong-score), p = 1]
    """
    differences = areas[0] - areas[1]
    alike = np.abs(differences) <= ROUNDING
    own, of_both = area_variances[0], area_variances[1:].sum(axis=0)
    variances = np.where(own <= _ROUNDED * of_both, 0.0, own)
    growth = np.zeros(own.shape)
    with np.errstate(invalid="ignore", divide="ignore"):  # a class may be empty, and models may rank cases alike
        if method != DELONG:
            growth = _growth(areas, np.array([variances, *area_variances[1:]]), smaller, alike)
        scattered = variances + growth * np.abs(differences)
        statistics = np.where(alike & (scattered >= 0), 0.0, differences / np.sqrt(scattered))
    reaches = _score_reaches(reaches_of(level, freedom), variances, growth)
    equal = alike & (variances == 0)
    reaches = np.where(equal & (reaches < _NOTHING), 0.0, reaches)
    if method == DELONG:
        reaches, statistics = (np.where(variances > 0, column, np.nan) for column in (reaches, statistics))
    bounds = np.maximum(differences - reaches, -1.0), np.minimum(differences + reaches, 1.0)
    return comparisons_of((*areas, *bounds, statistics), level, method, freedom=freedom, equal=equal)


def score_reach_at(reach: float, variance: float, z: float, other: float) -> float:
    """Return how far bounds of 'delong-score' are from the difference at another level; z, other: the quantiles.  O(1).

    >>> found = np.array([[0.9], [0.8]]), np.array([[4e-3], [3e-3], [5e-3]]), np.array([20])
    >>> [wide], [narrow] = (compare_areas(*found, level) for level in (0.95, 0.9))
    >>> round(score_reach_at(0.1 - wide.low, 4e-3, 1.959964, 1.644854) - (0.1 - narrow.low), 6)
    0.0
    """
    growth = (reach / z**2 - variance / reach) if reach else 0.0
    return float(_score_reaches(np.array(other), np.array(variance), np.array(growth)))


def _score_reaches(z: Ratio, variances: FloatArray, growth: FloatArray) -> FloatArray:
    """Return the distances r where r² = z² (v + w r).  O(g)."""
    squares = z * z
    reaches: FloatArray = (squares * growth + np.sqrt((squares * growth) ** 2 + 4 * squares * variances)) / 2
    return reaches


def _growth(areas: FloatArray, area_variances: FloatArray, smaller: FloatArray, alike: BoolArray) -> FloatArray:
    """Return w of `compare_areas`, (g,), where a variance that was rounded may be 0.  O(g)."""
    own, of_both = area_variances[1:], area_variances[1:].sum(axis=0)
    likeness = np.where(of_both > 0, np.sqrt(area_variances[0] / of_both), 1.0)
    # nothing tells how like models are that moved all cases by as much; of few cases, none may be moved by chance
    unmoved = np.where(alike, np.sqrt(_UNSEEN / np.maximum(smaller, _UNSEEN)), 1.0)
    likeness = np.where(likeness == 0, unmoved, likeness)
    trials = effective_trials_of_areas(areas, own, smaller)
    misplaced = misplaced_cases(areas, own, smaller)
    growth: FloatArray = np.mean(1 / trials, axis=0) * likeness * 2 / (3 + np.mean(misplaced, axis=0))
    return growth
