"""Weights of cases in intervals and tests: the same laws for every function, and what each of them refuses."""

import re

import numpy as np
import pytest

from evalcore import inference, metrics
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.inference import Comparison, mcnemar_test

close = pytest.approx
FRACTIONS = {
    "accuracy": metrics.accuracy_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "specificity": lambda y_true, y_pred, sample_weight: metrics.recall_score(
        y_true, y_pred, pos_label=0, sample_weight=sample_weight
    ),
    "f1": metrics.f1_score,
    "kappa": metrics.cohen_kappa_score,
}
"""Of labels and predictions."""


def labelled(size=80, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(size) < 0.4).astype(int)
    return y_true, (rng.random(size) < np.where(y_true, 0.8, 0.3)).astype(int)


def interval_of(name):
    return getattr(inference, f"{name}_interval")


def function_of_rows(name, size=80):
    """Return a function of the indices of rows, and of options, that calls one of `TAKING_WEIGHTS` with these rows."""
    y_true, y_pred = labelled(size)
    columns = {"prevalence_interval": (y_true,), "mcnemar_test": (y_true, y_pred, labelled(size, seed=1)[1])}

    def called(rows, **options):
        return getattr(inference, name)(*(column[rows] for column in columns.get(name, (y_true, y_pred))), **options)

    return called


TAKING_WEIGHTS = [*(f"{name}_interval" for name in FRACTIONS), "prevalence_interval", "mcnemar_test"]


@pytest.mark.parametrize("name", TAKING_WEIGHTS)
def test_frequencies_count_as_repeated_rows(name):
    called, weights = function_of_rows(name), np.random.default_rng(3).integers(0, 4, 80)
    rows = np.arange(80)
    expected = called(rows.repeat(weights))
    assert called(rows, sample_weight=weights, weight_type="frequency") == expected
    assert called(rows, sample_weight=weights.astype(float), weight_type="frequency") == expected


@pytest.mark.parametrize("name", TAKING_WEIGHTS)
def test_equal_weights_count_as_none(name):
    called, rows = function_of_rows(name), np.arange(80)
    for weight in (0.1, 7, 1e-300, 1e300):
        assert called(rows, sample_weight=np.full(80, weight)) == called(rows)
    some = np.where(rows % 3, 0.3, 0)
    assert called(rows, sample_weight=some) == called(rows[some > 0])


@pytest.mark.parametrize("name", [name for name in TAKING_WEIGHTS if name != "mcnemar_test"])
def test_a_common_factor_rows_of_weight_zero_and_the_order_of_rows_change_nothing(name):
    called, rows = function_of_rows(name), np.arange(80)
    weights = np.random.default_rng(4).lognormal(size=80)
    weights[::7] = 0
    expected = called(rows, sample_weight=weights)
    numbers = [expected.estimate, expected.low, expected.high]
    assert expected.method == called(rows).method
    for factor in (1e-250, 3.0, 1e250):
        found = called(rows, sample_weight=factor * weights)
        assert [found.estimate, found.low, found.high] == close(numbers, rel=1e-12)
    kept = rows[weights > 0]
    assert called(kept, sample_weight=weights[kept]) == expected
    found = called(rows[::-1], sample_weight=weights[::-1])
    assert [found.estimate, found.low, found.high] == close(numbers, rel=1e-12)


@pytest.mark.parametrize("name", FRACTIONS)
def test_estimates_are_those_of_the_metrics(name):
    y_true, y_pred = labelled()
    weights = np.random.default_rng(5).lognormal(size=80)
    interval = interval_of(name)(y_true, y_pred, sample_weight=weights)
    assert interval.estimate == close(FRACTIONS[name](y_true, y_pred, sample_weight=weights), rel=1e-14)
    assert interval.low < interval.estimate < interval.high


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "normal"])
def test_every_method_takes_the_effective_number_of_trials(method):
    y_true, y_pred = labelled()
    weights = np.random.default_rng(6).lognormal(size=80)
    share = weights / weights.sum()
    mean = np.sum(share * (y_true == y_pred))
    variance = np.sum(np.square(share * ((y_true == y_pred) - mean)))
    found = inference.accuracy_interval(y_true, y_pred, sample_weight=weights, method=method)
    if method == "normal":
        assert found.high - found.low == close(2 * 1.959963984540054 * np.sqrt(variance), rel=1e-12)
        return
    number = mean * (1 - mean) / variance
    # the whole numbers of trials on both sides have bounds on both sides
    low, high = (
        inference.proportion_interval(round(mean * trials), trials, method=method)
        for trials in (int(number * 0.9), int(number * 1.1))
    )
    assert high.high - high.low < found.high - found.low < low.high - low.low


def test_mcnemar_refuses_sampling_weights_by_name():
    y_true, first = labelled()
    weights = np.arange(1, 81)
    message = (
        "sample_weight must hold frequencies for McNemar's test (weight_type='frequency'), got sampling weights; "
        "bootstrap_comparison(..., measure=metrics.accuracy_score) takes them"
    )
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        mcnemar_test(y_true, first, 1 - first, sample_weight=weights)
    assert isinstance(
        mcnemar_test(y_true, first, 1 - first, sample_weight=weights, weight_type="frequency"), Comparison
    )


INVALID = {
    "negative": ([1, -1, 1, 1], "sampling", "sample_weight[1] is -1; weights must not be negative"),
    "NaN": ([1, np.nan, 1, 1], "sampling", "sample_weight[1] is NaN; weights must be finite"),
    "infinite": ([1, np.inf, 1, 1], "sampling", "sample_weight[1] is inf; weights must be finite"),
    "infinite sum": ([1e308] * 4, "sampling", "sample_weight must have a finite sum, got weights up to 1e+308"),
    "zero": ([0, 0, 0, 0], "sampling", "sample_weight must hold a weight above 0, got only zeros"),
    "short": ([1, 2], "sampling", "y_true and sample_weight must be equally long, got 4 and 2"),
    "a number": (2.0, "sampling", "sample_weight must be one-dimensional, got 2.0"),
    "broken": (
        [1, 1.5, 1, 1],
        "frequency",
        "sample_weight[1] is 1.5; frequencies must be whole numbers (for other weights: weight_type='sampling')",
    ),
    "many": ([2**53, 1, 1, 1], "frequency", "sample_weight must have a sum below 2**53, got weights up to"),
    "type": ([1, 1, 1, 1], "repeats", "weight_type"),
    "text": (["a", "b", "c", "d"], "sampling", "sample_weight must hold numbers"),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_weights_are_named(name):
    weights, weight_type, message = INVALID[name]
    for function in (inference.recall_interval, inference.f1_interval, inference.kappa_interval):
        with pytest.raises((EvaluationError, EvaluationTypeError), match=f"^.*{re.escape(message)}"):
            function([0, 1, 1, 0], [0, 1, 0, 1], sample_weight=weights, weight_type=weight_type)


def test_a_class_whose_cases_all_weigh_nothing_is_absent():
    with pytest.warns(match="no case is positive"):
        interval = inference.recall_interval([0, 1, 1, 0], [0, 1, 0, 1], sample_weight=[1, 0, 0, 2])
    assert np.isnan([interval.estimate, interval.low, interval.high]).all()
