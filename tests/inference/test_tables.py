"""Intervals of every measure of tables, of decisions and of classes, by one step from value and derivatives."""

import numpy as np
from numpy.testing import assert_allclose

from evalcore.evaluation.catalogue import ENTRIES, MeasureName
from evalcore.evaluation.statistics.tallies import decision_measure, measure_intervals
from evalcore.evaluation.thresholds import Costs
from evalcore.inference.cells import cells_of_counts, cells_of_rows
from evalcore.inference.decisions import compare_decisions, measure_of_decisions, paired_decisions
from evalcore.inference.units import mean_sample, units_of
from tests.differences import every

MEASURES = (
    *("accuracy", "balanced_accuracy", "kappa", "matthews_correlation"),
    *(f"{kind}_{name}" for kind in ("macro", "weighted", "micro") for name in ("precision", "recall", "f1")),
)
LEVEL = 0.95
GENERAL = "balanced_accuracy", "matthews_correlation", "macro_f1", "weighted_precision"


@every("name", [*MEASURES, "f1", "net_benefit", "expected_cost"])
def test_no_estimate_is_certain(name):
    tables = np.array([[[10, 0], [0, 90]], [[2, 0], [0, 2]], [[0, 10], [5, 0]], [[1, 0], [0, 1]], [[9, 1], [2, 88]]])
    found = measure_intervals([name], cells_of_counts(tables), LEVEL, threshold=0.2, costs=Costs(1, 5))[name]
    assert np.all((found.low <= found.estimates) & (found.estimates <= found.high))
    widths = found.high - found.low
    assert widths[1] > 0.45 * (5 if name == "expected_cost" else 1)  # four cases prove nothing
    assert 0 < widths[0] < widths[1] <= widths[3]


def test_bounds_of_a_group_do_not_depend_on_how_many_others_have_clusters():
    codes, clusters = np.array([0, 0, 0, 3, 1, 1, 1, 3, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    found = []
    for count in (1, 6000):
        groups, each = np.arange(count).repeat(10), (3 * np.arange(count)[:, np.newaxis] + clusters).ravel()
        units = units_of(10 * count, clusters=each, groups=groups, count=count)
        cells = cells_of_rows(units, np.tile(codes, count), (2, 2))
        found.append(measure_intervals(["recall"], cells, LEVEL)["recall"].low)
    assert_allclose(found[1], found[0].repeat(6000))


def test_few_heavy_cases_leave_few_degrees_of_freedom():
    codes, weights = np.repeat([0, 1, 3, 4, 5, 6, 7], [50, 10, 9, 30, 3, 2, 40]), np.repeat([1.0, 100.0], [69, 75])
    cells = cells_of_rows(units_of(codes.size, weights=weights), codes, (2, 2, 2))
    compared = compare_decisions(cells, measure_of_decisions("specificity"), LEVEL)
    contributions = 100 * np.where(codes == 5, 1, np.where(codes == 6, -1, 0)) - 100 * compared.differences * (
        codes > 3
    )
    expected = 1.5 * (contributions**2).sum() ** 2 / (contributions**4).sum()
    assert_allclose(compared.freedom, expected)


@every("name", GENERAL)
def test_a_cluster_for_each_case_leaves_it_about_as_uncertain(name):
    codes = np.repeat(np.arange(9), [90, 5, 5, 4, 80, 6, 1, 0, 40])
    of_cases, of_clusters = (
        measure_intervals([name], cells_of_rows(units_of(codes.size, clusters=each), codes, (3, 3)), LEVEL)[name]
        for each in (None, np.arange(codes.size))
    )
    assert_allclose(of_clusters.estimates, of_cases.estimates)
    assert_allclose(of_clusters[1:3], of_cases[1:3], atol=0.02)
    perfect = np.repeat([0, 4, 8], [60, 30, 10])
    whole = units_of(perfect.size, clusters=np.arange(perfect.size) % 20)
    [bounds] = measure_intervals([name], cells_of_rows(whole, perfect, (3, 3)), LEVEL)[name].each(LEVEL)
    assert 0.7 < bounds.low < 0.95 < bounds.high == 1


@every("name", ["f1", "precision", "kappa", "negative_predictive_value"])
def test_models_that_decide_alike_may_differ_on_unseen_cases(name):
    positive = np.arange(100) < 30
    for clusters, size in ((None, 100), (np.arange(100) % 20, 100), (None, 4)):
        label = positive[-size:] if size == 100 else np.array([True, True, False, False])
        cells = paired_decisions(label, label, label, units_of(size, clusters=clusters))
        [found] = compare_decisions(cells, measure_of_decisions(name), LEVEL).each()
        assert (found.difference, found.p_value) == (0, 1)
        assert -2 <= found.low < -0.01 < 0.01 < found.high == -found.low, (size, clusters)
        assert size == 100 or found.high > 0.4  # four cases prove nothing


@every("name", ["f1", "recall", "jaccard", "kappa"])
@every("clustered", [False, True])
def test_models_that_are_exchanged_differ_by_as_much_the_other_way(name, clustered):
    label, units = np.arange(20) < 8, units_of(20, clusters=np.arange(20) if clustered else None)
    none, measure = np.zeros(20, dtype=bool), measure_of_decisions(name)  # each positive is decided otherwise
    each = (paired_decisions(label, *models, units) for models in ((none, label), (label, none)))
    better, worse = (compare_decisions(cells, measure, LEVEL).each()[0] for cells in each)
    assert 0 < better.low < 0.9
    assert_allclose([better.difference, better.low, better.p_value], [-worse.difference, -worse.high, worse.p_value])


@every("name", ["matthews_correlation", "yules_q", "kappa", "balanced_accuracy", "f1", "expected_cost"])
def test_bounds_of_a_difference_lie_within_the_largest_one(name):
    label, old, new = np.array([[1, 1, 0, 0], [1, 0, 1, 1], [1, 1, 0, 0]], dtype=bool)
    costs = Costs(2.0, 1.0) if name == "expected_cost" else None
    measure = decision_measure(MeasureName(name, 0.5), costs)
    [found] = compare_decisions(paired_decisions(label, old, new, units_of(4)), measure, LEVEL).each()
    least, largest = {"expected_cost": (-2, 2)}.get(name, (-1, 1) if ENTRIES[name].least == 0 else (-2, 2))
    assert least <= found.low <= found.difference <= found.high <= largest
    assert found.low <= 0 <= found.high  # four cases prove nothing


@every("weighted", [False, True])
@every("clustered", [False, True])
def test_bounds_of_perfect_classes_do_not_depend_on_their_order(weighted, clustered):
    codes, rng = np.repeat(np.arange(5), [3, 60, 7, 31, 12]), np.random.default_rng(1)
    weights, clusters = rng.lognormal(size=codes.size), np.arange(codes.size) % 9
    units = units_of(codes.size, weights=weights if weighted else None, clusters=clusters if clustered else None)
    name, orders = "matthews_correlation", [*map(rng.permutation, [5] * 6)]
    cells = [cells_of_rows(units, 6 * order[codes], (5, 5)) for order in orders]
    bounds = [measure_intervals([name], each, LEVEL)[name][1:3] for each in cells]
    assert_allclose(bounds, bounds[:1] * 6, rtol=1e-12)


def test_a_class_of_a_known_prevalence_within_one_cluster_leaves_no_variance_of_a_mean():
    clusters, classes = np.arange(8) // 2, np.array([1, 1, 0, 0, 0, 0, 0, 0])
    values = np.array([0.5, 0.4, 0.1, 0.3, 0.2, 0.2, 0.1, 0.4])
    for known, defined in ((classes, False), (1 - classes, False), (np.arange(8) % 2, True), (None, True)):
        sample = mean_sample(units_of(8, clusters=clusters), known)
        [variance], _ = sample.spread(values.__getitem__, sample.sums(values.__getitem__))
        assert np.isfinite(variance) == defined
