"""Intervals show themselves; at thresholds, beside those of single decisions and the R package pROC."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import inference
from evalcore.inference import Comparison, Interval
from tests.asah import POOR, S100B
from tests.differences import every


@every(
    ("interval", "shown"),
    (Interval(0.75, 0.5, 0.875, 0.95, "wilson"), "0.75 [0.5, 0.875] (95% wilson)"),
    (Interval(1.0, float("nan"), float("nan"), 0.9, "delong"), "1 [nan, nan] (90% delong)"),
    (Interval(1 - 1e-9, 1 - 1e-8, 1.0, 1 - 1e-9, "wilson"), "0.999999999 [0.99999999, 1] (99.9999999% wilson)"),
    (Interval(1e-9, 0.0, 1e-8, 0.5, "normal"), "1e-09 [0, 1e-08] (50% normal)"),
)
def test_numbers_that_are_rounded_do_not_become_certain(interval, shown):
    assert repr(interval) == shown


def test_p_values_that_are_too_small_for_floats_are_not_zero():
    comparison = Comparison((0.75, 0.5), 0.25, 0.125, 0.375, 0.95, 50.0, 0.0, "delong")
    assert repr(comparison) == "0.75 - 0.5 = 0.25 [0.125, 0.375] (95% delong), p < 1e-300"


def test_close_estimates_are_told_apart():
    for estimates, shown in (
        ((1e6 + 2.1e-6, 1e6), "1000000.000002 - 1000000 = "),
        ((0.1234567, 0.1234568), "0.1234567 - 0.1234568 = "),
        ((1e6, 1e6), "1e+06 - 1e+06 = 0 "),
        ((math.nan, 0.5), "nan - 0.5 = "),
    ):
        close = Comparison(estimates, estimates[0] - estimates[1], 0.0, 1.0, 0.95, 1.0, 0.5, "paired")
        assert repr(close).startswith(shown)


def test_an_interval_is_its_estimate_as_a_number_and_its_bounds_when_unpacked():
    interval = Interval(0.75, 0.5, 0.875, 0.95, "wilson")
    low, high = interval
    assert (float(interval), low, high) == (0.75, 0.5, 0.875)
    assert np.array([interval, interval], dtype=float).tolist() == [0.75, 0.75]


@every(
    ("result", "shown"),
    (Interval(0.73249, 0.7281, math.nan, 0.95, "delong"), ("0.732 [0.728, nan]", "73% [73%, nan%]")),
    (Comparison((0.75, 0.5), 0.25, 0.125, math.nan, 0.95, 2.5, 0.01234, "delong"),
     ("0.750 - 0.500 = 0.250 [0.125, nan], p = 0.0123", "75% - 50% = 25% [12%, nan%], p = 0.0123")),
)  # fmt: skip
def test_formats_apply_to_all_numbers(result, shown):
    assert (f"{result:.3f}", f"{result:.0%}") == shown
    assert f"{result}" == str(result) == repr(result)
    with pytest.raises(ValueError, match="format"):
        f"{result:wide}"


def test_intervals_and_comparisons_are_tables_in_notebooks():
    interval = Interval(0.75, 0.5, 1 - 1e-9, 0.95, "<b>")
    cells = "<td>0.75</td><td>0.5</td><td>0.999999999</td><td>95%</td><td>&lt;b&gt;</td>"
    assert cells in interval._repr_html_()
    comparison = Comparison((0.1234567, 0.1234568), -1e-7, -0.125, 0.125, 0.9, 50.0, 0.0, "<b>")
    cells = (
        "<td>0.1234567</td><td>0.1234568</td><td>-1e-07</td><td>-0.125</td><td>0.125</td>"
        "<td>90%</td><td>&lt;b&gt;</td><td>&lt; 1e-300</td>"
    )
    assert cells in comparison._repr_html_()
    assert "<td>0.0124</td>" in dataclasses.replace(comparison, p_value=0.0124)._repr_html_()


THRESHOLDS = [0.1, 0.2, 0.3, 0.5]
# pROC 1.18.0 of the scores s100b: coords(), and after set.seed(1), with boot.n = 4000, ci.thresholds() of recall and
# specificity and ci.coords(boot.stratified = FALSE) of the others
PRINTED = {
    "specificity": (
        [0.38888888888888890, 0.80555555555555558, 0.83333333333333337, 0.97222222222222221],
        [(0.27778, 0.50000), (0.70833, 0.88889), (0.73611, 0.91667), (0.93056, 1.00000)],
    ),
    "recall": (
        [0.82926829268292679, 0.63414634146341464, 0.51219512195121952, 0.29268292682926828],
        [(0.70732, 0.92683), (0.48780, 0.78049), (0.36585, 0.65854), (0.14634, 0.43902)],
    ),
    "precision": (
        [0.43589743589743590, 0.65, 0.63636363636363635, 0.85714285714285710],
        [(0.32467, 0.54931), (0.50000, 0.79414), (0.46667, 0.80000), (0.64286, 1.00000)],
    ),
    "negative_predictive_value": (
        [0.8, 0.79452054794520544, 0.75, 0.70707070707070707],
        [(0.65385, 0.92308), (0.69697, 0.88237), (0.65116, 0.84337), (0.61458, 0.79592)],
    ),
    "accuracy": (
        [0.54867256637168138, 0.74336283185840712, 0.71681415929203540, 0.72566371681415931],
        [(0.46018, 0.63717), (0.66372, 0.82301), (0.62832, 0.79646), (0.63717, 0.80531)],
    ),
}


@every("name", PRINTED)
def test_values_are_those_of_proc_and_bounds_near_those_that_it_resamples(name):
    found = getattr(inference.threshold_intervals(POOR, S100B, THRESHOLDS), name)
    values, bounds = PRINTED[name]
    np.testing.assert_allclose(found.y, values, rtol=1e-12)
    np.testing.assert_allclose(np.stack([found.low, found.high], axis=1), bounds, atol=0.05)


@every(
    ("measure", "value", "bounds"),
    ("precision_at_specificity@0.93", 0.73529411764705921, (0.6135, 0.8136)),
    ("negative_predictive_value_at_recall@0.77", 0.79566630552546047, (0.672, 0.858)),
)
def test_values_at_coordinates_are_those_of_proc(measure, value, bounds):
    # ci.coords(curve, x, input, ret = "ppv" or "npv", boot.n = 2000)
    found = inference.bootstrap_interval(POOR, S100B, measure, stratify=True, resamples=300, seed=1)
    assert found.estimate == pytest.approx(value, rel=1e-12)
    assert tuple(found) == pytest.approx(bounds, abs=0.04)


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([-np.inf, 0.1, 0.3, 0.5]), st.integers(1, 3)), min_size=2),
    st.lists(st.sampled_from([-np.inf, 0.05, 0.1, 0.3, 0.4, np.inf]), min_size=1, max_size=5),
    st.sampled_from(["sampling", "frequency"]),
)
@pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")
def test_each_threshold_has_the_intervals_of_its_decisions(cases, thresholds, weight_type):
    labels, scores, weights = map(np.array, zip(*cases, strict=True))
    single = {
        "accuracy": inference.accuracy_interval,
        "precision": inference.precision_interval,
        "recall": inference.recall_interval,
        "specificity": inference.specificity_interval,
    }
    for options in ({}, {"sample_weight": weights, "weight_type": weight_type}):
        found = inference.threshold_intervals(labels, scores, thresholds, **options)
        flipped = inference.threshold_intervals(
            ~labels, -scores, [np.nextafter(-each, np.inf) for each in thresholds], **options
        )
        for name, function in single.items():
            band = getattr(found, name)
            np.testing.assert_array_equal(band.x, thresholds)
            for index, threshold in enumerate(thresholds):
                expected = function(labels, scores >= threshold, **options)
                assert (band.y[index], band.low[index], band.high[index]) == pytest.approx(
                    (expected.estimate, *expected), rel=1e-9, abs=1e-12, nan_ok=True
                )
        finite = np.isfinite(thresholds)
        np.testing.assert_allclose(
            found.negative_predictive_value.low[finite], flipped.precision.low[finite], rtol=1e-9
        )


def test_thresholds_are_read_in_the_width_of_the_scores():
    scores = np.array([0.1, 0.7], np.float32)
    assert inference.threshold_intervals([0, 1], scores, [0.7]).recall.y == 1


def test_they_are_shown_as_a_table():
    found = inference.threshold_intervals([0, 1], [0.1, 0.2], [0.15])
    assert isinstance(found, inference.ThresholdIntervals)
    assert "recall low" in found._repr_html_()
