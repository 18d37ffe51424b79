"""Where resamples tell too little there are no bounds, and what cannot be resampled is refused."""

import numpy as np
import pytest

from evalcore import metrics
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import bootstrap_interval, bootstrap_intervals
from evalcore.inference.resampled_measures import Resampled, bootstrap_bounds
from tests.differences import every
from tests.strategies import close_to


def test_resamples_without_a_class_are_left_out_with_a_warning():
    with pytest.warns(UndefinedMetricWarning, match=r"\d+ of 200 resamples have no value") as caught:
        found = bootstrap_interval([0, 1, 0, 1], [0.1, 0.2, 0.15, 0.12], resamples=200, seed=0)
    assert caught[0].filename == __file__
    assert 0 <= found.low < found.high <= 1


@every("measure", ["roc_auc", "recall@0.5"])
@every(
    ("cases", "groups", "why"),
    [
        (1, None, "one positive case alone does not vary"),
        (2, [0, 0, *range(1, 29)], "all positive cases are in one cluster"),
    ],
)
def test_a_class_in_one_unit_has_no_bounds(measure, cases, groups, why):
    y_true = np.arange(30) < cases
    y_score = np.random.default_rng(1).random(30)
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = bootstrap_interval(y_true, y_score, measure, cluster=groups, seed=0, resamples=50)
    assert why in str(caught[-1].message)
    assert np.isnan([found.low, found.high]).all()
    with pytest.warns(UndefinedMetricWarning):
        turned = bootstrap_interval(~y_true, -y_score, "roc_auc", cluster=groups, seed=0, resamples=50)
    assert np.isnan([turned.low, turned.high]).all()


def test_functions_see_the_rows_that_are_drawn():
    y_true = np.array(["a"] * 3 + ["b"] * 12)
    y_pred = np.array(["b"] + ["a"] * 2 + ["b"] * 12)
    seen = []

    def with_weights(y_true, y_pred, sample_weight=None):
        assert sample_weight is None or sample_weight.min() > 0
        return metrics.f1_score(y_true, y_pred, average="macro", sample_weight=sample_weight)

    def without_weights(y_true, y_pred):
        seen.append(y_true.size)
        return metrics.f1_score(y_true, y_pred, average="macro")

    found = bootstrap_intervals(y_true, y_pred, [with_weights, without_weights], resamples=40, seed=0)
    weighted, repeated = found["with_weights"], found["without_weights"]
    assert (weighted.low, weighted.high) == (close_to(repeated.low), close_to(repeated.high))
    assert {*seen} == {15}


def test_thresholds_are_read_in_the_width_of_the_scores():
    y_score = np.array([0.7, 0.3, 0.2, 0.9], np.float32)
    found = bootstrap_interval([1, 0, 1, 0], y_score, "recall@0.7", stratify=True, resamples=100, seed=0)
    assert (found.estimate, found.low, found.high) == (0.5, 0.0, 1.0)


def test_infinite_values_have_no_bounds():
    def reciprocal(y_true, y_score, sample_weight=None):
        tp = np.average(y_true, weights=sample_weight)
        return np.inf if tp < 0.4 else 1 / tp

    with pytest.warns(UndefinedMetricWarning, match="the measure is infinite for some resamples"):
        found = bootstrap_interval([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], reciprocal, resamples=100, seed=0)
    assert np.isnan([found.low, found.high]).all()


def test_corrected_intervals_need_both_sides_and_every_block():
    sample = Resampled(1.0, np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2]))
    assert bootstrap_bounds(sample, "bca", 0.95).why == "all resamples lie on one side of the estimate"
    wide = Resampled(0.2, np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.4]))
    assert bootstrap_bounds(wide, "bca", 1 - 1e-16)[:2] == (pytest.approx(0.1), pytest.approx(0.3))
    skewed = Resampled(0.5, np.linspace(0, 0.5001, 1000), np.r_[np.zeros(199), -1.0])
    assert bootstrap_bounds(skewed, "bca", 0.999).why == "the resamples are too skewed for this level"
    broken = Resampled(0.2, np.array([0.1, 0.2, 0.3]), np.array([0.1, np.nan]))
    assert bootstrap_bounds(broken, "bca", 0.95).why == "the measure is not defined without some block of cases"
    level = Resampled(0.2, np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.1]))
    assert bootstrap_bounds(level, "bca", 0.5)[:2] == (close_to(0.15), close_to(0.25))


def test_bounds_of_named_measures_stay_in_their_range():
    y_true, y_score = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.55, 0.5, 0.6, 0.7]
    found = bootstrap_interval(y_true, y_score, method="basic", seed=0, stratify=True, resamples=200)
    assert found.high == 1.0
