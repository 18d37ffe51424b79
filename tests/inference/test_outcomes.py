"""Means of values of cases: intervals, comparisons, quantiles, judges and repeated samples, beside slow formulas."""

import warnings

import numpy as np
import pytest
from scipy import stats

from evalcore.inference import accuracy_interval, mcnemar_test, mean_interval
from evalcore.inference.outcomes import outcome_differences, outcome_intervals
from evalcore.inference.units import units_of
from evalcore.metrics import UndefinedMetricWarning
from tests.differences import every

RNG = np.random.default_rng(11)
SIZE, LEVEL = 60, 0.9
GRADES = RNG.lognormal(size=SIZE)
PASSED = (RNG.random(SIZE) < 0.8).astype(float)
WEIGHTS = RNG.integers(1, 6, SIZE)
CLUSTERS = np.minimum(RNG.geometric(0.15, SIZE), 12)
GROUPS = RNG.integers(0, 3, SIZE)


def written_out(values, weights, clusters=None):
    """Return the bounds of a weighted mean of cases as R's survey has them, or of clusters by leaving each out."""
    total, mean, n = sum(weights), sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights), len(values)
    changes, sizes, factor = (
        [w * (x - mean) / total for w, x in zip(weights, values, strict=True)],
        weights,
        n / (n - 1),
    )
    if clusters is not None:
        names = sorted(set(clusters))
        left = [np.average(values[clusters != one], weights=weights[clusters != one]) for one in names]
        changes, sizes = [each - mean for each in left], [weights[clusters == one].sum() for one in names]
        factor = (len(names) - 1) / len(names)
    squares, fourths = sum(u**2 for u in changes), sum(u**4 for u in changes)
    effective = sum(sizes) ** 2 / sum(size**2 for size in sizes)
    freedom = n - 1 if clusters is None and len(set(weights)) == 1 else min(3 * squares**2 / fourths, effective) - 1
    reach = stats.t.ppf((1 + LEVEL) / 2, freedom) * (factor * squares) ** 0.5
    return [mean, mean - reach, mean + reach]


def of(interval):
    return [interval.estimate, interval.low, interval.high]


@every("scale", [1.0, 1e-140, 1e140, -3.0])
def test_means_have_the_bounds_written_out_in_any_unit(scale):
    values, plain, one = GRADES * scale, GRADES * np.sign(scale), np.ones(SIZE)
    near = {"rel": 1e-9, "abs": 1e-9}

    def scaled(**asked):
        return [each / abs(scale) for each in of(mean_interval(values, level=LEVEL, **asked))]

    own = stats.ttest_1samp(plain, 0).confidence_interval(LEVEL)
    assert scaled() == pytest.approx([plain.mean(), *own], **near)
    assert scaled(sample_weight=WEIGHTS) == pytest.approx(written_out(plain, WEIGHTS), **near)
    for asked, weights in (({}, one), ({"sample_weight": WEIGHTS}, WEIGHTS)):
        assert scaled(cluster=CLUSTERS, **asked) == pytest.approx(written_out(plain, weights, CLUSTERS), **near)


@every("column", ["grades", "passes"])
def test_frequencies_equal_weights_single_clusters_and_groups_are_what_they_say(column):
    values = {"grades": GRADES, "passes": PASSED}[column]
    plain, binary = mean_interval(values), column == "passes"
    assert mean_interval(values, sample_weight=np.full(SIZE, 2.5)) == plain
    assert mean_interval(values, cluster=np.arange(SIZE)[::-1]) == plain
    repeated = mean_interval(np.repeat(values, WEIGHTS))
    assert of(mean_interval(values, sample_weight=WEIGHTS, weight_type="frequency")) == pytest.approx(of(repeated))
    joined = mean_interval(np.repeat(values, WEIGHTS), cluster=np.repeat(CLUSTERS, WEIGHTS))
    frequent = mean_interval(values, sample_weight=WEIGHTS, weight_type="frequency", cluster=CLUSTERS)
    assert of(frequent) == pytest.approx(of(joined))
    for clusters in (None, CLUSTERS):
        units = units_of(SIZE, weights=WEIGHTS.astype(float), clusters=clusters, groups=GROUPS, count=3)
        for group, found in enumerate(outcome_intervals(units, values, 0.95, binary=binary).each(0.95)):
            own = group == GROUPS
            alone = None if clusters is None else clusters[own]
            expected = mean_interval(values[own], sample_weight=WEIGHTS[own], cluster=alone)
            assert of(found) == pytest.approx(of(expected), rel=1e-9)


def test_passes_are_fractions_and_are_compared_as_decisions_are():
    units = units_of(SIZE, clusters=np.unique(CLUSTERS, return_inverse=True)[1])
    ones, new = np.ones(SIZE), (RNG.random(SIZE) < 0.5).astype(float)
    for asked in ({}, {"sample_weight": WEIGHTS}, {"cluster": CLUSTERS}):
        assert mean_interval(PASSED, **asked) == accuracy_interval(ones, PASSED, **asked)
    [found], _ = outcome_differences(units_of(SIZE), PASSED, new, 0.95, binary=True)
    assert found == mcnemar_test(ones, PASSED, new)
    [found], _ = outcome_differences(units, PASSED, new, 0.95, binary=True)
    expected = mcnemar_test(ones, PASSED, new, cluster=CLUSTERS)
    assert [found.difference, found.low, found.high, found.p_value] == pytest.approx(
        [expected.difference, expected.low, expected.high, expected.p_value]
    )


def test_differences_are_those_of_the_paired_t_test():
    new = GRADES + RNG.normal(0.1, 0.3, SIZE)
    [found], spread = outcome_differences(units_of(SIZE), GRADES, new, LEVEL, binary=False)
    expected = stats.ttest_rel(new, GRADES)
    bounds = expected.confidence_interval(LEVEL)
    assert [found.p_value, found.low, found.high] == pytest.approx([expected.pvalue, *bounds], rel=1e-9)
    assert spread.errors.item() == pytest.approx(stats.sem(new - GRADES))
    for old in (1e9 * GRADES, 1e-9 * GRADES):
        [alike], _ = outcome_differences(units_of(SIZE), old, old, LEVEL, binary=False)
        [moved], _ = outcome_differences(units_of(SIZE), old, old + old.max(), LEVEL, binary=False)
        assert (alike.p_value, np.isnan(alike.low)) == (1.0, True)
        assert np.isnan([moved.p_value, moved.low]).all()


@every(
    ("values", "asked", "why"),
    [
        ([0.3], {}, "there is a single case"),
        ([], {}, "there are no cases"),
        ([0.1] * 1000, {}, "all values are alike"),
        ([0.1, 0.7, 1e9], {"cluster": ["a"] * 3}, "one cluster"),
    ],
)
def test_means_without_a_variance_have_no_bounds_and_say_why(values, asked, why):
    with pytest.warns(UndefinedMetricWarning, match=why) as caught:
        found = mean_interval(values, **asked)
    assert np.isnan([*found]).all()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mean_interval([1]).high == 1
