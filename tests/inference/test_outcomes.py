"""Means of values of cases: intervals, comparisons, quantiles, judges and repeated samples, beside slow formulas."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from evalcore.inference import accuracy_interval, mcnemar_test, mean_interval
from evalcore.inference.outcomes import (
    outcome_differences,
    outcome_intervals,
    prediction_powered,
    quantile_intervals,
    variance_within_and_between,
)
from evalcore.inference.units import units_of
from evalcore.measures.retrieval import pass_at_k
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
    once = {"sample_weight": np.ones(SIZE, int), "weight_type": "frequency"}
    assert mean_interval(values, cluster=np.arange(SIZE), **once) == plain
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
    [found] = outcome_differences(units_of(SIZE), PASSED, new, 0.95, binary=True).each()
    assert found == mcnemar_test(ones, PASSED, new)
    [found] = outcome_differences(units, PASSED, new, 0.95, binary=True).each()
    expected = mcnemar_test(ones, PASSED, new, cluster=CLUSTERS)
    assert [found.difference, found.low, found.high, found.p_value] == pytest.approx(
        [expected.difference, expected.low, expected.high, expected.p_value]
    )


def test_differences_are_those_of_the_paired_t_test():
    new = GRADES + RNG.normal(0.1, 0.3, SIZE)
    compared = outcome_differences(units_of(SIZE), GRADES, new, LEVEL, binary=False)
    [found] = compared.each()
    expected = stats.ttest_rel(new, GRADES)
    bounds = expected.confidence_interval(LEVEL)
    assert [found.p_value, found.low, found.high] == pytest.approx([expected.pvalue, *bounds], rel=1e-9)
    assert compared.errors.item() == pytest.approx(stats.sem(new - GRADES))
    for old in (1e9 * GRADES, 1e-9 * GRADES):
        [alike] = outcome_differences(units_of(SIZE), old, old, LEVEL, binary=False).each()
        [moved] = outcome_differences(units_of(SIZE), old, old + old.max(), LEVEL, binary=False).each()
        assert (alike.p_value, np.isnan(alike.low)) == (1.0, True)
        assert np.isnan([moved.p_value, moved.low]).all()


@every(
    ("values", "asked", "why"),
    [
        ([0.3], {}, "there is a single case"),
        ([], {}, "there are no cases"),
        ([0.1] * 1000, {}, "all values are equal"),
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


@every("probability", [0.5, 0.9, 0.03])
def test_quantiles_lie_between_the_order_statistics_of_the_binomial_test(probability):
    for size in (1, 5, 6, 11, 60, 20_000):
        values = RNG.lognormal(size=size)
        [found] = quantile_intervals(units_of(size), values, probability, LEVEL).each(LEVEL)
        expected = stats.quantile_test(values, p=probability).confidence_interval(LEVEL)
        bounds = [*expected] if np.isfinite([*expected]).all() else [np.nan, np.nan]
        assert [*found] == pytest.approx(bounds, nan_ok=True)
        assert found.estimate == np.quantile(values, probability, method="averaged_inverted_cdf")


def test_quantiles_of_frequencies_groups_weights_and_clusters():
    def of_units(values, **asked):
        return [*zip(*quantile_intervals(units_of(len(values), **asked), values, 0.4, LEVEL)[:3], strict=True)]

    frequent = of_units(GRADES, weights=WEIGHTS, are_frequencies=True, groups=GROUPS, count=3)
    clusters = np.unique(CLUSTERS, return_inverse=True)[1]
    weighted = of_units(GRADES, weights=WEIGHTS.astype(float), clusters=clusters, groups=GROUPS, count=3)
    for group in range(3):
        own = group == GROUPS
        assert frequent[group] == of_units(np.repeat(GRADES[own], WEIGHTS[own]))[0]
        values, weights = GRADES[own], WEIGHTS[own]
        estimate, low, high = weighted[group]
        assert estimate == np.quantile(values, 0.4, method="inverted_cdf", weights=weights)
        below = mean_interval(values <= estimate, sample_weight=weights, cluster=CLUSTERS[own], level=LEVEL)
        p, z = below.estimate, stats.norm.ppf((1 + LEVEL) / 2)
        trials = z**2 * below.low * (1 - below.low) / (p - below.low) ** 2
        fractions = 0.4 + np.array([-1, 1]) * z * np.sqrt(0.24 / trials)
        assert [low, high] == [*np.quantile(values, fractions, method="inverted_cdf", weights=weights)]


LOOKED_AT = RNG.random(SIZE) < 0.4
JUDGED = GRADES + RNG.normal(0.2, 0.4, SIZE)


def powered(people, judged, binary=False, **asked):
    """Return estimate, bounds, weight, bias and worth of a single group."""
    found = prediction_powered(units_of(len(people), **asked), people, judged, LEVEL, binary=binary)
    [interval] = found.intervals.each(LEVEL)
    return [*of(interval), found.judge_weights[0], found.biases[0], found.worth[0]]


def test_a_judge_is_worth_what_the_formula_in_plain_loops_says():
    pairs = [(y, f) for y, f, known in zip(GRADES, JUDGED, LOOKED_AT, strict=True) if known]
    others = [f for f, known in zip(JUDGED, LOOKED_AT, strict=True) if not known]
    n, rest = len(pairs), len(others)
    people, judge, of_all = sum(y for y, _ in pairs) / n, sum(f for _, f in pairs) / n, sum(JUDGED) / SIZE
    covariance = sum((y - people) * (f - judge) for y, f in pairs) / n
    weight = covariance / ((1 + n / rest) * sum((f - of_all) ** 2 for f in JUDGED) / (SIZE - 1))
    left = [y - weight * f for y, f in pairs]
    mean = sum(left) / n + weight * sum(others) / rest
    parts = [np.var(left, ddof=1) / n, weight**2 * np.var(others, ddof=1) / rest]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (rest - 1))
    reach = stats.t.ppf((1 + LEVEL) / 2, freedom) * sum(parts) ** 0.5
    alone = np.var([y for y, _ in pairs], ddof=1) / n
    expected = [mean, mean - reach, mean + reach, weight, judge - people, n * alone / sum(parts)]
    assert powered(np.where(LOOKED_AT, GRADES, np.nan), JUDGED) == pytest.approx(expected, rel=1e-9)


@every("binary", [False, True])
def test_a_judge_who_says_nothing_leaves_the_plain_mean_and_units_are_what_they_say(binary):
    values, judged = (PASSED, (JUDGED > 1.5).astype(float)) if binary else (GRADES, JUDGED)
    people, one = np.where(LOOKED_AT, values, np.nan), np.ones(SIZE)
    clusters = np.unique(CLUSTERS, return_inverse=True)[1]
    for asked, given in (({}, {}), ({"clusters": clusters}, {"cluster": CLUSTERS})):
        known = {name: column[LOOKED_AT] for name, column in given.items()}
        plain = of(mean_interval(values[LOOKED_AT], level=LEVEL, **known))
        labelled = np.count_nonzero(LOOKED_AT)
        assert powered(people, one, binary, **asked)[:4] == pytest.approx([*plain, 0.0])
        assert powered(people, one, binary, **asked)[5] == pytest.approx(labelled)
        every_one = of(mean_interval(values, level=LEVEL, **given))
        assert powered(values, judged, binary, **asked)[:4] == pytest.approx([*every_one, 0.0])
    found = powered(people, judged, binary)
    assert powered(people, judged, binary, clusters=np.arange(SIZE)[::-1]) == found
    repeated = powered(*(np.repeat(each, WEIGHTS) for each in (people, judged)), binary)
    assert powered(people, judged, binary, weights=WEIGHTS, are_frequencies=True) == pytest.approx(repeated)
    groups = units_of(SIZE, weights=WEIGHTS.astype(float), clusters=clusters, groups=GROUPS, count=3)
    together = prediction_powered(groups, people, judged, LEVEL, binary=binary).intervals.each(LEVEL)
    for group in range(3):
        own = group == GROUPS
        codes = np.unique(clusters[own], return_inverse=True)[1]
        alone = powered(people[own], judged[own], binary, weights=WEIGHTS[own].astype(float), clusters=codes)
        assert of(together[group]) == pytest.approx(alone[:3])


def test_clusters_of_a_judge_are_left_out_one_by_one():
    clusters, people = np.unique(CLUSTERS, return_inverse=True)[1], np.where(LOOKED_AT, GRADES, np.nan)
    found = prediction_powered(units_of(SIZE, clusters=clusters), people, JUDGED, LEVEL, binary=False)
    [weight], number = found.judge_weights, clusters.max() + 1

    def mean(kept):
        ours, rest = kept & LOOKED_AT, kept & ~LOOKED_AT
        return np.mean(GRADES[ours] - weight * JUDGED[ours]) + weight * np.mean(JUDGED[rest])

    changes = [mean(clusters != one) - mean(np.ones(SIZE, bool)) for one in range(number)]
    assert found.spread.variances[0] == pytest.approx((number - 1) / number * np.square(changes).sum())


def test_a_cluster_with_all_that_people_left_leaves_no_interval():
    people = np.where(np.arange(60) < 30, np.arange(60) % 3 > 0, np.nan)
    judged, alone = (np.arange(60) % 4 > 0).astype(float), np.where(np.arange(60) < 30, np.arange(60) // 5, 6)
    for binary in (True, False):
        found = prediction_powered(units_of(60, clusters=alone), people, judged, 0.95, binary=binary)
        assert np.isnan([found.intervals.low, found.intervals.high, found.worth]).all()
        assert not np.isnan(found.intervals.estimates).any()
    both = np.arange(60) // 2 % 10
    worth = [
        prediction_powered(units_of(60, clusters=both), people, judged, 0.95, binary=b).worth for b in (True, False)
    ]
    np.testing.assert_allclose(*worth)


def test_variance_between_ids_is_the_same_in_clusters():
    ids = np.array([0.5, 1.0, 0.0, 0.25]), np.array([0.5, 0.0, 0.0, 0.5]), np.full(4, 4)
    alone, clustered = (
        variance_within_and_between(units_of(4, **each), *ids) for each in ({}, {"clusters": np.array([0, 0, 1, 2])})
    )
    assert (clustered.within, clustered.between) == (alone.within, alone.between)
    assert clustered.of_ids != alone.of_ids


def test_repeated_samples_tell_variance_within_and_between_ids():
    """Beside one-way analysis of variance, with as many samples of each id, and with others."""
    truth = RNG.normal(size=400)
    for samples in (np.full(400, 5), RNG.integers(1, 9, 400)):
        drawn = [one + RNG.normal(0, 2, count) for one, count in zip(truth, samples, strict=True)]
        means, squares = np.array([each.mean() for each in drawn]), np.array([each.var() * each.size for each in drawn])
        found = variance_within_and_between(units_of(400), means, squares, samples)
        within = squares.sum() / (samples - 1).sum()
        assert found.within[0] == pytest.approx(within)
        assert found.of_samples[0] == pytest.approx(within * (1 / samples).sum() / 400**2)
        assert found.of_samples[0] + found.of_ids[0] == pytest.approx(means.var(ddof=1) / 400)
        assert found.between[0] == pytest.approx(1, rel=0.3)
        if samples.min() == samples.max():  # Fisher's F is the quotient of mean squares
            f = stats.f_oneway(*drawn).statistic
            assert found.between[0] == pytest.approx((f - 1) * within / 5)


def test_pass_at_k_is_the_mean_over_all_subsets():
    for samples, k in ((5, 1), (5, 3), (6, 6)):
        for right in range(samples + 1):
            drawn = [any(subset) for subset in combinations([True] * right + [False] * (samples - right), k)]
            assert pass_at_k(np.array([right]), np.array([samples]), k) == pytest.approx([np.mean(drawn)])
    assert np.isnan(pass_at_k(np.array([1]), np.array([2]), 3)).all()
