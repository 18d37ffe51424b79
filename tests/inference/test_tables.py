"""Intervals of every measure of tables, of decisions and of classes, by one step from value and derivatives."""

import numpy as np
from numpy.testing import assert_allclose

from evalcore.inference.cells import cells_of_counts, cells_of_rows, intervals_of
from evalcore.inference.units import units_of
from tests.differences import every

MEASURES = (
    *("accuracy", "balanced_accuracy", "kappa", "matthews_correlation"),
    *(f"{kind}_{name}" for kind in ("macro", "weighted", "micro") for name in ("precision", "recall", "f1")),
)
LEVEL = 0.95
GENERAL = "balanced_accuracy", "matthews_correlation", "macro_f1", "weighted_precision"
COSTS = np.array([[0.0, 5.0], [1.0, 0.0]])


@every("name", [*MEASURES, "f1", "net_benefit", "expected_cost"])
def test_no_estimate_is_certain(name):
    asked = {"net_benefit": {"threshold": 0.2}, "expected_cost": {"costs": COSTS}}.get(name, {})
    tables = np.array([[[10, 0], [0, 90]], [[2, 0], [0, 2]], [[0, 10], [5, 0]], [[1, 0], [0, 1]], [[9, 1], [2, 88]]])
    found = intervals_of(name, cells_of_counts(tables), LEVEL, **asked)
    assert np.all((found.low <= found.estimates) & (found.estimates <= found.high))
    widths = found.high - found.low
    assert widths[1] > 0.45 * np.ptp(COSTS if name == "expected_cost" else [0, 1])  # four cases prove nothing
    assert 0 < widths[0] < widths[1] <= widths[3]


@every("name", GENERAL)
def test_a_cluster_for_each_case_leaves_it_about_as_uncertain(name):
    codes = np.repeat(np.arange(9), [90, 5, 5, 4, 80, 6, 1, 0, 40])
    of_cases, of_clusters = (
        intervals_of(name, cells_of_rows(units_of(codes.size, clusters=each), codes, (3, 3)), LEVEL)
        for each in (None, np.arange(codes.size))
    )
    assert_allclose(of_clusters.estimates, of_cases.estimates)
    assert_allclose(of_clusters[1:3], of_cases[1:3], atol=0.02)
    perfect = np.repeat([0, 4, 8], [60, 30, 10])
    whole = units_of(perfect.size, clusters=np.arange(perfect.size) % 20)
    [bounds] = intervals_of(name, cells_of_rows(whole, perfect, (3, 3)), LEVEL).each(LEVEL)
    assert 0.7 < bounds.low < 0.95 < bounds.high == 1
