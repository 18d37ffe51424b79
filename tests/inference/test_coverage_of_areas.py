"""Of 2,000 simulated samples, intervals of areas hold the true one as often as their docstrings say.

Scores of either class are normal with variance 1, so that areas are known; each sample has 200 cases, half or a tenth
of them positive.
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy import integrate
from scipy.special import ndtr, ndtri

from evalcore.inference import average_precision_interval, compare_roc_auc, compare_unpaired_roc_auc, roc_auc_interval

pytestmark = pytest.mark.slow
SAMPLES, CASES = 2_000, 200
AREAS = [0.6, 0.75, 0.9, 0.95]
PREVALENCES = [0.5, 0.1]


def labels(prevalence):
    return np.arange(CASES) < CASES * prevalence


def distance(area):
    """Give how far the means of two normal classes are apart."""
    return math.sqrt(2) * float(ndtri(area))


def true_average_precision(area, prevalence):
    """Average the precision over the scores of the positives."""
    shift = distance(area)

    def weighted_precision(score):
        true, false = prevalence * ndtr(shift - score), (1 - prevalence) * ndtr(-score)
        return true / (true + false) * math.exp(-((score - shift) ** 2) / 2) / math.sqrt(2 * math.pi)

    return integrate.quad(weighted_precision, shift - 9, shift + 9)[0]


def held(intervals, truth):
    return sum(interval.low <= truth <= interval.high for interval in intervals) / SAMPLES


@cache
def coverage(interval, area, prevalence, **options):
    """Give how often the intervals of simulated scores hold the true value."""
    rng = np.random.default_rng(1)
    truth = true_average_precision(area, prevalence) if interval is average_precision_interval else area
    drawn = (rng.normal(size=CASES) + distance(area) * labels(prevalence) for _ in range(SAMPLES))
    return held((interval(labels(prevalence), scores, **options) for scores in drawn), truth)


@pytest.mark.parametrize("area", AREAS[:2])
def test_delong_covers_about_the_level(area):
    assert 0.93 <= coverage(roc_auc_interval, area, 0.5, method="delong") <= 0.97


@pytest.mark.parametrize(("area", "prevalence"), [(0.9, 0.5), (0.95, 0.5), (0.9, 0.1), (0.95, 0.1)])
def test_delong_covers_too_little_of_large_areas_and_few_positives(area, prevalence):
    assert 0.83 <= coverage(roc_auc_interval, area, prevalence, method="delong") <= 0.935


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("area", AREAS)
def test_delong_logit_covers_more_of_large_areas(area, prevalence):
    covered = coverage(roc_auc_interval, area, prevalence, method="delong-logit")
    assert 0.89 <= covered <= 0.97
    assert covered > coverage(roc_auc_interval, area, prevalence, method="delong")


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("area", AREAS)
def test_the_default_covers_at_least_about_the_level(area, prevalence):
    assert 0.94 <= coverage(roc_auc_interval, area, prevalence) <= 0.99


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("area", AREAS)
def test_average_precision_covers_more_than_the_level(area, prevalence):
    assert 0.96 <= coverage(average_precision_interval, area, prevalence) <= 0.995


@cache
def coverage_of_paired(areas, prevalence):
    rng = np.random.default_rng(1)
    correct, shifts = labels(prevalence), [distance(area) for area in areas]

    def drawn():
        """Draw two models whose scores have a correlation of 1/2."""
        shared, *own = math.sqrt(0.5) * rng.normal(size=(3, CASES))
        return [shared + noise + shift * correct for noise, shift in zip(own, shifts, strict=True)]

    found = (compare_roc_auc(correct, *drawn(), method="delong") for _ in range(SAMPLES))
    return held(found, areas[0] - areas[1])


@cache
def coverage_of_unpaired(areas):
    rng = np.random.default_rng(1)

    def drawn(prevalence, area):
        return labels(prevalence), rng.normal(size=CASES) + distance(area) * labels(prevalence)

    samples = ((*drawn(0.5, areas[0]), *drawn(0.1, areas[1])) for _ in range(SAMPLES))
    return held((compare_unpaired_roc_auc(*sample) for sample in samples), areas[0] - areas[1])


@pytest.mark.parametrize("prevalence", PREVALENCES)
@pytest.mark.parametrize("areas", [(0.75, 0.75), (0.9, 0.75)])
def test_paired_comparison_covers_about_the_level(areas, prevalence):
    assert 0.93 <= coverage_of_paired(areas, prevalence) <= 0.97


@pytest.mark.parametrize("areas", [(0.75, 0.75), (0.9, 0.75)])
def test_unpaired_comparison_covers_about_the_level(areas):
    assert 0.93 <= coverage_of_unpaired(areas) <= 0.97
