"""Comparisons of runs, adjusted p-values, sample sizes and power: beside R's pROC and statsmodels, and as laws."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evalcore import EvaluationError, inference
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import benjamini_hochberg, holm, paired_t_test, permutation_test, significance_tests
from evalcore.ranking import evaluate
from tests.differences import every
from tests.reference import inference as slow
from tests.strategies import close_to, columns_of

WHOLE = columns_of(range(-4, 7), 1, 8)
"""Differences of runs, in hundredths."""
RUNS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20)
TESTS = (paired_t_test, permutation_test)


def runs(hundredths):
    """Two runs that differ by so many hundredths, give or take a rounding."""
    old = np.random.default_rng(1).random(len(hundredths))
    return old, old + np.array(hundredths) / 100


def evaluation(groups, measures="AP"):
    """An evaluation of rankings of two items, the relevant one first in groups of even length of name."""
    names = np.repeat(groups, 2)
    relevance = np.array([[len(group) % 2 == 0, len(group) % 2] for group in groups]).ravel()
    return evaluate(names, relevance, np.tile([0.9, 0.1], len(groups)), measures=measures)


@given(RUNS, st.sampled_from([0.5, 0.95, 0.999]))
def test_t_is_that_of_scipy(pairs, level):
    new, old = np.array(pairs).T
    assume(np.ptp(new - old) > 1e-3)
    result, expected = paired_t_test(old, new, level=level), stats.ttest_rel(new, old)
    bounds = expected.confidence_interval(level)
    assert [result.statistic, result.p_value] == close_to([expected.statistic, expected.pvalue], rel=1e-9, abs=1e-12)
    assert [result.low, result.high] == close_to([bounds.low, bounds.high], rel=1e-9, abs=1e-12)
    assert result.estimates == close_to([new.mean(), old.mean()])
    assert result.difference == close_to(new.mean() - old.mean(), abs=1e-14)
    assert (result.level, result.method) == (level, "paired-t")


@given(WHOLE)
def test_exact_permutation_is_the_share_of_all_patterns(hundredths):
    old, new = runs(hundredths)
    result = permutation_test(old, new)
    assert result.p_value == float(slow.sign_flips(hundredths))
    assert result.difference == result.statistic == close_to(np.mean(hundredths) / 100, abs=1e-14)
    assert result.estimates == close_to([new.mean(), old.mean()])
    assert (result.level, result.method) == (0.95, "permutation")


@given(columns_of(range(-4, 7), 1, 6), st.sampled_from([0.5, 0.75, 0.9, 0.95]))
def test_exact_bounds_are_the_differences_that_are_not_rejected(hundredths, level):
    result = permutation_test(*runs(hundredths), level=level)
    low, high = slow.not_rejected(hundredths, (1 - level) / 2)
    assert [result.low, result.high] == close_to([low / 100, high / 100], rel=1e-9, abs=1e-12)
    assert result.low - 1e-12 <= result.difference <= result.high + 1e-12


LARGE_AND_CLOSE = (0.0, 2.0**900), (0.0, 1e-200), (1e6, 1e-6), (1e9, 0.1), (0.3, 1e-9), (1e6, np.float32(1))
"""Where the values of the old run begin, and how far those of the new one are from them, times a whole number."""


@given(WHOLE, st.sampled_from(LARGE_AND_CLOSE))
def test_slack_is_that_of_the_rounding_whatever_the_size_of_values_and_differences(wholes, sizes):
    base, step = sizes
    differences, old = np.array(wholes), base + step * np.arange(len(wholes))
    new = old + differences * step
    result = permutation_test(old, new)
    assert result.p_value == float(slow.sign_flips(wholes))
    assert result.difference == close_to(np.mean(wholes) * float(step), rel=1e-2, abs=1e-2 * float(step))
    if np.ptp(differences):
        assert paired_t_test(old, new).p_value == close_to(stats.ttest_1samp(differences, 0).pvalue, rel=1e-2)


@given(st.lists(st.integers(-(2**48), 2**48), min_size=1, max_size=7))
def test_whole_numbers_are_compared_exactly(wholes):
    differences = [*wholes, sum(wholes) + 1]  # apart from that sum by one
    assert permutation_test([0] * len(differences), differences).p_value == float(slow.sign_flips(differences))


@every("queries", [14, 50, 400])
def test_random_permutation_is_near_t_and_between_all_its_patterns(queries):
    old = np.random.default_rng(1).random(queries)
    new = old + np.random.default_rng(2).normal(0.1, 0.3, queries)
    drawn, student = permutation_test(old, new, seed=1), paired_t_test(old, new)
    assert drawn.p_value == close_to(student.p_value, rel=0.2, abs=0.01)
    width = student.high - student.low
    assert [drawn.low, drawn.high] == close_to([student.low, student.high], abs=0.06 * width)
    if queries == 14:
        every = permutation_test(old, new, resamples=2**queries)
        assert drawn.p_value == close_to(every.p_value, abs=0.01)
        assert [drawn.low, drawn.high] == close_to([every.low, every.high], abs=0.02 * width)


@given(RUNS, st.sampled_from(TESTS), st.integers(0, 99))
def test_swapping_the_runs_negates_and_the_order_of_queries_does_not_matter(pairs, test, seed):
    new, old = np.array(pairs).T
    assume(np.ptp(new - old) > 1e-3)
    options = {"seed": 3, "resamples": 200} if test is permutation_test else {}
    result, swapped = test(old, new, **options), test(new, old, **options)
    assert swapped.p_value == result.p_value
    assert [swapped.difference, swapped.low, swapped.high] == [-result.difference, -result.high, -result.low]
    assert swapped.statistic == -result.statistic
    if len(pairs) < 8 or test is paired_t_test:
        shuffled = test(*np.random.default_rng(seed).permutation(pairs).T[::-1], **options)
        assert shuffled.p_value == close_to(result.p_value, rel=1e-9)
        assert [shuffled.low, shuffled.high] == close_to([result.low, result.high], rel=1e-9, abs=1e-12)


def test_the_same_seed_gives_the_same_in_blocks_of_any_size(monkeypatch):
    new, old = np.random.default_rng(1).random((2, 130))
    whole = permutation_test(old, new, seed=7, resamples=601)
    assert permutation_test(old, new, seed=np.random.default_rng(7), resamples=601) == whole
    assert permutation_test(old, new, seed=8, resamples=601) != whole
    exact = permutation_test(old[:10], new[:10])
    for block in (1, 130 * 7, 7777):
        monkeypatch.setattr(significance_tests, "_SIGNS_AT_ONCE", block)
        parts = permutation_test(old, new, seed=7, resamples=601)
        assert parts.p_value == whole.p_value
        assert [parts.low, parts.high] == close_to([whole.low, whole.high])
        assert permutation_test(old[:10], new[:10]).p_value == exact.p_value


def test_the_least_p_value_counts_what_was_observed():
    new, old = np.arange(1, 41) / 40, np.zeros(40)
    assert permutation_test(old, new, resamples=99, seed=1).p_value == 1 / 100
    assert permutation_test(old[:3], new[:3]).p_value == 2 / 8
    assert permutation_test(old[:3], new[:3], resamples=7, seed=1).p_value >= 1 / 8


def test_patterns_that_flip_nothing_reject_nothing():
    sums, sizes = np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 0.0, 1.0, 1.0])
    assert significance_tests._bounds_not_rejected(sums, sizes, 0.4) == (-math.inf, math.inf)
    assert significance_tests._bounds_not_rejected(sums[1:], sizes[1:], 0.5) == (1.0, 2.0)


@every(("queries", "bounded"), [(1, False), (5, False), (6, True)])
def test_bounds_of_too_few_queries_are_infinite(queries, bounded):
    result = permutation_test(np.zeros(queries), np.arange(1, queries + 1))
    assert [math.isfinite(bound) for bound in (result.low, result.high)] == [bounded, bounded]


@every("queries", [2, 7, 60])
def test_equal_runs_are_no_evidence(queries):
    values = np.random.default_rng(1).random(queries)
    with pytest.warns(UndefinedMetricWarning, match="the differences are all equal, except for rounding"):
        student = paired_t_test(values, values)
    flipped = permutation_test(values, values, seed=1)
    assert (student.p_value, flipped.p_value) == (1, 1)
    assert flipped.statistic == 0
    below_rounding = permutation_test([2.0**900, 0.0], [2.0**900, 1e-300])
    assert below_rounding.p_value == permutation_test([0.25], [0.5]).p_value == 1
    assert paired_t_test([0, 0], [2**52 + 2, 2**52 + 1]).p_value < 1e-15  # whole numbers are not rounded
    assert np.isnan([student.low, student.high, student.statistic]).all()
    if queries > 5:
        assert (flipped.low, flipped.high) == (0, 0)


@every("test", TESTS)
def test_evaluations_are_matched_by_group(test):
    new, old = evaluation(["a", "bb", "cc", "dd", "ee", "ffff"]), evaluation(["a", "bb", "cc", "dd", "ee", "ffff"])
    values = np.array([0.5, 1.0, 0.75, 0.25, 0.5, 1.0])
    old = replace(old, values={"AP": values})
    expected = test(values, new.values["AP"])
    assert test(old, new, measure="AP") == expected
    turned = replace(old, groups=old.groups[::-1], values={"AP": values[::-1]})
    assert test(turned, new, measure="AP") == expected


@every("test", TESTS)
def test_measures_have_all_names_of_evaluations(test):
    new, old = evaluation(["a", "bb", "cc"]), replace(evaluation(["a", "bb", "cc"]), values={"AP": np.zeros(3)})
    assert test(old, new, measure="map") == test(old, new, measure="AP")


@every("test", TESTS)
def test_geometric_means_are_compared_by_logarithms(test):
    new, old = (evaluation(groups, "gm_map AP") for groups in (["a", "bb"], ["a", "bb"]))
    with pytest.raises(
        EvaluationError,
        match=r"measure must not be 'GMAP', whose mean is geometric; compare np.log\(new\['GMAP'\]\) and "
        r"np.log\(old\['GMAP'\]\), the values it averages",
    ):
        test(old, new, measure="GMAP")
    assert np.exp(np.log(new["GMAP"]).mean()) == pytest.approx(new.mean("gm_map"))


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
def test_adjusted_p_values_are_those_of_scipy_and_statsmodels(p_values):
    assert holm(p_values).tolist() == close_to(multipletests(p_values, method="holm")[1].tolist())
    adjusted = benjamini_hochberg(p_values)
    assert holm(p_values).dtype == adjusted.dtype == np.float64
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
