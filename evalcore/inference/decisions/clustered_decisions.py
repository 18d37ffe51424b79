"""McNemar's test of cases that were drawn by clusters: of what each cluster gains by the first of two classifiers."""

import math

import numpy as np

from evalcore.inference.clustered_cases import ClusteredCases
from evalcore.inference.distributions import normal_tails, reach_of
from evalcore.inference.intervals import ROUNDING, Comparison, undefined_interval
from evalcore.inference.sampling_units import ONE_CLUSTER
from evalcore.typing import AnyArray, BoolArray

CLUSTERED_TESTS = "obuchowski", "durkalski"
"""Tests of clusters by name, the default first."""


def mcnemar_test_of_clusters(
    cases: ClusteredCases, right: tuple[BoolArray, BoolArray], level: float, method: str, stacklevel: int = 3
) -> Comparison:
    """Compare the fractions of clustered cases that two classifiers get right; right: (m,) each.  O(m).

    As `mcnemar_test`.

    >>> from evalcore.inference.clustered_cases import clustered_cases
    >>> first, second = np.array([[1, 1, 1, 1, 0, 1], [0, 1, 0, 1, 1, 1]], bool)
    >>> cases = clustered_cases(np.array([0, 0, 1, 1, 2, 2]), np.ones(6))
    >>> mcnemar_test_of_clusters(cases, (first, second), 0.95, "obuchowski").statistic.__round__(6)  # of gains 1, 1, -1
    0.222222
    """
    gains = cases.weights * np.subtract(*right, dtype=np.float64)
    total = float(cases.weights.sum())
    estimates = tuple(float(cases.weights[mask].sum()) / total for mask in right)
    difference = float(gains.sum()) / total
    variance = cases.variance((gains - cases.weights * difference) / total)
    low = high = statistic = p_value = math.nan
    why = ONE_CLUSTER if cases.number < 2 else ""
    if not why:
        statistic = _statistic(cases, gains, method)
        p_value = normal_tails(math.sqrt(statistic))
        if variance <= ROUNDING and gains.any():
            why = "all clusters gain alike, so that the variance is 0"
    if why:
        undefined_interval(difference, level, method, why, stacklevel + 1)
    else:
        reach = reach_of(level, cases.freedom) * math.sqrt(variance)
        low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    return Comparison(
        (estimates[0], estimates[1]), difference, low, high, level, statistic, p_value, f"mcnemar-{method}"
    )


def _statistic(cases: ClusteredCases, gains: AnyArray, method: str) -> float:
    """Return the statistic, chi-squared with one degree of freedom for equal classifiers; gains: (m,).  O(m)."""
    own, factor = np.bincount(cases.clusters, gains).astype(np.float64), 1 - 1 / cases.number
    if method == "durkalski":
        own, factor = own / np.bincount(cases.clusters, cases.weights), 1.0
    squares = float(np.square(own).sum())
    return factor * float(own.sum()) ** 2 / squares if squares else 0.0
