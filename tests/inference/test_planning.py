"""Sample sizes, power and adjusted p-values: beside R's pROC and statsmodels, and as laws."""

import math
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evalcore import inference
from evalcore.inference import benjamini_hochberg, holm
from tests.differences import every
from tests.reference import inference as slow
from tests.strategies import close_to

FRACTIONS = st.floats(0.05, 0.95)


def test_of_one_area_are_those_of_proc():
    # pROC 1.19.0.1: power.roc.test(auc=0.75, ncases=40, ncontrols=60); power.roc.test(auc=0.8, power=0.9, kappa=4)
    design = inference.roc_auc_design(0.75, prevalence=0.4, variance="obuchowski")
    assert inference.power(design, 100) == pytest.approx(0.994614118215757, abs=1e-14)
    design = inference.roc_auc_design(0.8, prevalence=0.2, variance="obuchowski")
    assert inference.sample_size(design, power=0.9) == math.ceil(5 * 10.8981488336493)


def test_of_a_pilot_are_those_of_proc():
    rng = np.random.default_rng(1)
    y_true = np.repeat([0, 1], [80, 40])
    old = np.round(rng.normal(size=120) + y_true, 2)
    new = np.round(old * 0.6 + rng.normal(size=120) * 0.8 + y_true * 0.8, 2)
    design = inference.pilot_design(y_true, old, new)
    # pROC 1.19.0.1: power.roc.test(roc1, roc2, method = "delong") of these columns, and with power = 0.8
    assert inference.power(design, 120) == pytest.approx(0.0939198547288, abs=1e-12)
    assert inference.sample_size(design) == math.ceil(3 * 366.3708)
    comparison = inference.compare_roc_auc(y_true, old, new)
    assert design.difference == comparison.difference


def test_of_a_proportion_are_those_of_the_score_test():
    normal = NormalDist()
    expected = normal.cdf((0.03 * 500**0.5 - normal.inv_cdf(0.975) * 0.3) / (0.93 * 0.07) ** 0.5)
    assert inference.power(inference.proportion_design(0.93, null=0.9), 500) == pytest.approx(expected, abs=1e-14)


def test_the_variance_of_an_area_is_the_integral_of_its_placements():
    # the variance of the fraction of negatives below a positive: of Phi(x + d) for a standard normal x
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights /= weights.sum()
    distance = math.sqrt(2) * NormalDist().inv_cdf(0.9)
    placements = np.array([NormalDist().cdf(node + distance) for node in nodes])
    spread = (weights * placements**2).sum() - 0.9**2
    assert inference.roc_auc_design(0.9, prevalence=0.25).deviation ** 2 == pytest.approx(
        spread / 0.25 / 0.75, rel=1e-7
    )


@given(FRACTIONS, FRACTIONS, FRACTIONS, st.floats(-0.9, 0.9), st.floats(0.5, 0.99))
def test_a_sample_size_is_the_least_with_its_power(old, new, prevalence, correlation, wanted):
    if abs(old - new) < 1e-3:
        new = old + 0.01
    design = inference.paired_roc_auc_design(old, new, correlation=correlation, prevalence=prevalence)
    cases = inference.sample_size(design, wanted)
    assert inference.power(design, cases) >= wanted - 1e-9
    assert cases == 1 or inference.power(design, cases - 1) < wanted + 1e-9
    swapped = inference.paired_roc_auc_design(1 - old, 1 - new, correlation=correlation, prevalence=prevalence)
    assert swapped.deviation == pytest.approx(design.deviation)
    assert swapped.difference == pytest.approx(-design.difference)


def test_models_that_always_agree_need_one_difference():
    design = inference.paired_roc_auc_design(0.7, 0.8, correlation=0.999999)
    assert design.null_deviation == pytest.approx(0, abs=1e-2)
    assert inference.power(inference.StudyDesign(0.1, 0.0, 0.0), 1) == 1.0
    assert inference.power(inference.StudyDesign(0.1, 0.0, 0.0), 0) == 0.0


P_VALUES = st.lists(
    st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]) | st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12
)


@given(P_VALUES)
def test_holm_is_what_its_definition_says(p_values):
    adjusted = holm(p_values)
    assert adjusted.dtype == np.float64
    assert adjusted.tolist() == close_to(slow.holm(p_values))


def test_holm_is_that_of_statsmodels():
    p_values = np.random.default_rng(1).integers(0, 40, 50) / 4000
    assert holm(p_values).tolist() == close_to(multipletests(p_values, method="holm")[1].tolist())


@given(P_VALUES)
def test_benjamini_hochberg_is_that_of_scipy_and_statsmodels(p_values):
    adjusted = benjamini_hochberg(p_values)
    assert adjusted.dtype == np.float64
    assert adjusted.tolist() == close_to(scipy.stats.false_discovery_control(p_values).tolist())
    assert adjusted.tolist() == close_to(multipletests(p_values, method="fdr_bh")[1].tolist())
    assert np.all(adjusted <= holm(p_values) * (1 + 1e-12))


@pytest.mark.parametrize("method", [holm, benjamini_hochberg])
@given(P_VALUES, st.integers(0, 99))
def test_each_test_keeps_its_place_and_gets_no_smaller(method, p_values, seed):
    pairs = list(zip(p_values, method(p_values).tolist(), strict=True))
    assert all(p <= adjusted <= 1 for p, adjusted in pairs)
    shuffled, expected = np.random.default_rng(seed).permutation(pairs).T
    assert method(shuffled).tolist() == expected.tolist()


@every("method", [holm, benjamini_hochberg])
def test_a_single_test_stays_and_none_gives_none(method):
    assert method([0.03]).tolist() == [0.03]
    assert method([]).shape == (0,)
    given = np.array([0.5, 0.25], np.float32)
    assert holm(given).dtype == np.float64
    assert given.tolist() == [0.5, 0.25]
