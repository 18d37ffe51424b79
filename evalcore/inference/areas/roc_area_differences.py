"""Comparisons of the ROC areas of two models on the same cases, from the areas and DeLong's variances."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.inference.areas.roc_area_bounds import effective_trials_of_areas, misplaced_cases
from evalcore.inference.distributions import reach_of, tails_of
from evalcore.inference.intervals import Comparison
from evalcore.inference.paired_estimates import ROUNDING
from evalcore.typing import BoolArray, FloatArray, RocDifferenceMethod

DIFFERENCE_METHODS: tuple[RocDifferenceMethod, ...] = ("delong-score", "delong")
"""What users may ask for, the default first."""
DEFAULT_DIFFERENCE_METHOD, DELONG = DIFFERENCE_METHODS
AREA_PAIR = [[1, -1], [1, 0], [0, 1]]
"""The difference of two areas, and each of them, as weighted sums of both."""
_UNSEEN = 0.5
"""Cases that models move which rank all alike, as in `measures.net_benefits`."""
_NOTHING = 1e-6
"""A difference that matters to nobody: many cases that models rank alike have bounds of 0."""
_ROUNDED = 1e-24
"""A variance of a difference up to so much of those of both areas is that of rounded sums."""


class PairedAreas(NamedTuple):
    """The ROC areas of two models on the same cases, in g groups."""

    areas: FloatArray
    """Shape (2, g)."""
    variances: FloatArray
    """DeLong's, of the difference and of both areas, (3, g); NaN where they are not known."""
    smaller: FloatArray
    """Effective cases of the smaller class, (g,)."""


def paired_areas(areas: npt.ArrayLike, covariance: npt.ArrayLike, smaller: float) -> PairedAreas:
    """Return the areas of a single group; areas: (2,); covariance: (3, 3), of `AREA_PAIR`.  O(1)."""
    variances = np.diagonal(np.asarray(covariance, np.float64))
    return PairedAreas(np.asarray(areas, np.float64)[:, np.newaxis], variances[:, np.newaxis], np.array([smaller]))


def difference_method(area_method: str) -> RocDifferenceMethod:
    """Return the interval of differences that goes with an interval of areas: DeLong's with DeLong's.  O(1)."""
    return DELONG if area_method == DELONG else DEFAULT_DIFFERENCE_METHOD


def compare_areas(
    found: PairedAreas, level: float, method: str = DEFAULT_DIFFERENCE_METHOD, freedom: FloatArray | None = None
) -> list[Comparison]:
    """Compare the areas of each group by a method of `DIFFERENCE_METHODS`.  O(g).

    freedom: degrees of freedom of the variances, (g,), for Student's t; by default the normal distribution serves.
    'delong-score' inverts the test of the statistic (d - δ) / √(v + w |d - δ|), where v is the variance of the
    difference d.  w is how fast it grows with the distance, as A (1 - A) / n does of proportions: the mean of 1 / n,
    for n effective trials of each area, times √(v / (v1 + v2)), for similar models differ by less, and 2 / (3 + k), for
    many misplaced cases, k, tell the variance.  The numbers 2 and 3 are ours: benchmarks/README.md says how they were
    measured.  With w = 0 it is DeLong's test.  Where models rank all cases alike, √(v / (v1 + v2)) is taken for that of
    models that move half a case of the c of the smaller class, √(1 / 2c), and bounds below 1e-6 are 0; by 'delong' they
    have no bounds.

    >>> compare_areas(paired_areas((1.0, 1.0), np.zeros((3, 3)), 20), 0.95)
    [1 - 1 = 0 [-0.0640243, 0.0640243] (95% delong-score), p = 1]
    """
    differences = found.areas[0] - found.areas[1]
    alike = np.abs(differences) <= ROUNDING
    own, of_both = found.variances[0], found.variances[1:].sum(axis=0)
    variances = np.where(own <= _ROUNDED * of_both, 0.0, own)
    growth = np.zeros(own.shape)
    with np.errstate(invalid="ignore", divide="ignore"):  # a class may be empty, and models may rank cases alike
        if method != DELONG:
            growth = _growth(found, variances, alike)
        scattered = variances + growth * np.abs(differences)
        statistics = np.where(alike & (scattered >= 0), 0.0, differences / np.sqrt(scattered))
    reaches = _score_reaches(np.array([reach_of(level, each) for each in _each(freedom, own)]), variances, growth)
    equal = alike & (variances == 0)
    reaches = np.where(equal & (reaches < _NOTHING), 0.0, reaches)
    if method == DELONG:
        reaches, statistics = (np.where(variances > 0, column, np.nan) for column in (reaches, statistics))
    low, high = np.maximum(differences - reaches, -1.0), np.minimum(differences + reaches, 1.0)
    p_values = map(tails_of, statistics.tolist(), _each(freedom, own))
    columns = (*found.areas, differences, low, high, statistics, equal)
    rows = zip(*(each.tolist() for each in columns), p_values, strict=True)
    return [
        Comparison((first, second), difference, least, most, level, statistic, 1.0 if equal else p_value, method)
        for first, second, difference, least, most, statistic, equal, p_value in rows
    ]


def score_reach_at(reach: float, variance: float, z: float, other: float) -> float:
    """Return how far bounds of 'delong-score' are from the difference at another level; z, other: the quantiles.  O(1).

    >>> found = paired_areas((0.9, 0.8), np.diag([4e-3, 3e-3, 5e-3]), 20)
    >>> [wide], [narrow] = (compare_areas(found, level) for level in (0.95, 0.9))
    >>> round(score_reach_at(0.1 - wide.low, 4e-3, 1.959964, 1.644854) - (0.1 - narrow.low), 6)
    0.0
    """
    growth = (reach / z**2 - variance / reach) if reach else 0.0
    return float(_score_reaches(np.array(other), np.array(variance), np.array(growth)))


def _score_reaches(z: FloatArray, variances: FloatArray, growth: FloatArray) -> FloatArray:
    """Return the distances r where r² = z² (v + w r).  O(g)."""
    squares = z * z
    reaches: FloatArray = (squares * growth + np.sqrt((squares * growth) ** 2 + 4 * squares * variances)) / 2
    return reaches


def _growth(found: PairedAreas, variances: FloatArray, alike: BoolArray) -> FloatArray:
    """Return w of `compare_areas`, (g,), for variances that may have been rounded to 0.  O(g)."""
    own, of_both = found.variances[1:], found.variances[1:].sum(axis=0)
    likeness = np.where(of_both > 0, np.sqrt(variances / of_both), 1.0)
    # nothing tells how like models are that moved all cases by as much; of few cases, none may be moved by chance
    unmoved = np.where(alike, np.sqrt(_UNSEEN / np.maximum(found.smaller, _UNSEEN)), 1.0)
    likeness = np.where(likeness == 0, unmoved, likeness)
    trials = effective_trials_of_areas(found.areas, own, found.smaller)
    misplaced = misplaced_cases(found.areas, own, found.smaller)
    growth: FloatArray = np.mean(1 / trials, axis=0) * likeness * 2 / (3 + np.mean(misplaced, axis=0))
    return growth


def _each(freedom: FloatArray | None, of: FloatArray) -> list[float]:
    """Return the degrees of freedom of each group; those without a variance have at least 1.  O(g)."""
    return [math.inf] * of.size if freedom is None else np.maximum(freedom, 1.0).tolist()
