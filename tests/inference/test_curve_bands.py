"""Bands of ROC and precision-recall curves, beside their definitions and the R package pROC."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.inference import precision_recall_curve_band, roc_curve_band, sensitivity_intervals, specificity_intervals
from evalcore.inference.curve_bands import simultaneous_reach
from evalcore.inference.intervals import normal_reach
from evalcore.metrics import partial_auc, precision_recall_curve
from tests.differences import every
from tests.reference import curve_bounds as slow

ASAH = Path(__file__).parents[1] / "data" / "asah.csv"
BANDS = roc_curve_band, precision_recall_curve_band
few_scores = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]), min_size=1, max_size=9)
# what rounding parts from 0 or 1 counts as that
rates = st.floats(0, 1).filter(lambda rate: rate in (0, 1) or 1e-12 < rate < 1 - 1e-12)

# set.seed(1); pROC 1.18: ci.se(curve, c(.5, .7, .8, .9, .95), boot.n = 4000), ci.sp(curve, c(.3, .5, .7, .9), ...)
PRINTED_SENSITIVITIES = [(0.5999, 0.9024), (0.4902, 0.7935), (0.3415, 0.7561), (0.2195, 0.6341), (0.1951, 0.4878)]
PRINTED_SPECIFICITIES = [(0.8194, 1.0), (0.6909, 0.9444), (0.3715, 0.8611), (0.1125, 0.5084)]


def asah():
    with ASAH.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["outcome"] == "Poor" for row in rows], [float(row["s100b"]) for row in rows]


def cases(positives, negatives):
    return [1] * len(positives) + [0] * len(negatives), [*positives, *negatives]


@given(few_scores, few_scores, rates, st.sampled_from([0.5, 0.95]))
@example([0.3], [0.3], 0.0, 0.95)
@example([0.3], [0.3], 1.0, 0.95)
def test_bounds_of_a_roc_curve_are_what_their_definition_says(positives, negatives, rate, level):
    found = roc_curve_band(*cases(positives, negatives), fpr=[rate], level=level)
    expected = slow.roc_bounds(positives, negatives, rate, normal_reach(level))
    assert (found.y[0], found.low[0], found.high[0]) == pytest.approx(expected, abs=1e-6)


@given(few_scores, few_scores, st.sampled_from(BANDS))
def test_bands_hold_the_curve_and_the_pointwise_band(positives, negatives, band):
    pointwise, whole = (band(*cases(positives, negatives), simultaneous=each) for each in (False, True))
    np.testing.assert_array_equal(pointwise.x, np.linspace(0, 1, 201))
    np.testing.assert_array_equal(pointwise.y, whole.y)
    for found in (pointwise, whole):
        assert (found.low >= 0).all()
        assert (found.low <= found.y).all()
        assert (found.y <= found.high).all()
        assert (found.high <= 1).all()
    assert (whole.low <= pointwise.low + 1e-12).all()
    assert (whole.high >= pointwise.high - 1e-12).all()


@given(few_scores, few_scores)
def test_specificities_are_the_sensitivities_of_reversed_scores(positives, negatives):
    labels, scores = cases(positives, negatives)
    given_rates = [0.2, 0.5, 1.0]
    found = specificity_intervals(labels, scores, given_rates)
    reversed_ = sensitivity_intervals(labels, [-score for score in scores], given_rates, pos_label=0)
    for ours, theirs in zip(found[1:4], reversed_[1:4], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_the_area_below_a_roc_band_curve_is_the_roc_area():
    labels, scores = asah()
    fpr = np.arange(73) / 72  # all negatives, so that no corner is between two rates
    found = roc_curve_band(labels, scores, fpr=fpr)
    steps = partial_auc(labels, scores, fpr_range=(0, 1))
    assert found.y.mean() == pytest.approx(steps, abs=0.02)


def test_precisions_are_those_of_the_curve_of_all_thresholds():
    labels, scores = asah()
    found = precision_recall_curve_band(labels, scores, recall=np.arange(1, 42) / 41)
    precisions, recalls, _ = precision_recall_curve(labels, scores)
    for recall, precision in zip(found.x, found.y, strict=True):
        assert precision == precisions[np.flatnonzero(recalls >= recall - 1e-12)[-1]]


@every(
    ("function", "given_rates", "printed"),
    [
        (sensitivity_intervals, [0.5, 0.7, 0.8, 0.9, 0.95], PRINTED_SENSITIVITIES),
        (specificity_intervals, [0.3, 0.5, 0.7, 0.9], PRINTED_SPECIFICITIES),
    ],
)
def test_intervals_are_near_those_that_proc_resamples(function, given_rates, printed):
    found = function(*asah(), given_rates)
    np.testing.assert_allclose(np.stack([found.low, found.high], axis=1), printed, atol=0.12)


def test_rounded_rates_mean_whole_numbers_of_cases():
    labels, scores = [0] * 20 + [1] * 10, [*range(20), *range(10, 20)]
    (exact,) = sensitivity_intervals(labels, scores, [0.95]).y
    assert exact == roc_curve_band(labels, scores, fpr=[1 / 20]).y[0]


def test_simultaneous_bands_reach_as_far_as_a_bridge():
    # P(sup |B| / sqrt(t (1 - t)) > c), t from 0.05 to 0.95: Miller and Siegmund's approximation solved by hand for c
    assert simultaneous_reach(0.95) == pytest.approx(3.1496, abs=2e-3)
    levels = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]
    reaches = [simultaneous_reach(level) for level in levels]
    assert reaches == sorted(reaches)
    assert all(reach > normal_reach(level) for reach, level in zip(reaches, levels, strict=True))


def test_bands_shrink_as_cases_grow():
    labels, scores = asah()
    repeated = roc_curve_band(labels * 100, scores * 100)
    once = roc_curve_band(labels, scores)
    inner = slice(20, 180)
    assert np.median((repeated.high - repeated.low)[inner] / (once.high - once.low)[inner]) == pytest.approx(
        0.1, abs=0.04
    )


def test_bands_are_shown_as_tables():
    html = roc_curve_band([0, 1], [0.1, 0.2], fpr=[0.5])._repr_html_()
    assert "<table" in html
    assert "low" in html
