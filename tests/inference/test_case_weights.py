"""Weights of cases in intervals and tests: the same laws for every function, and what each of them refuses."""

import dataclasses
import re
from statistics import NormalDist

import numpy as np
import pytest

from evalcore import inference, metrics
from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning
from evalcore.inference import Comparison, RocAreas, mcnemar_test, roc_auc_covariance
from evalcore.inference.intervals import logit_bounds

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


def scored(size=80, seed=0):
    """Draw labels, and scores of two models with ties."""
    y_true, _ = labelled(size, seed)
    rng = np.random.default_rng(seed + 1)
    return y_true, *(np.round(rng.normal(size=size) + shift * y_true, 1) for shift in (1, 1.5))


def function_of_rows(name, size=80):
    """Return a function of the indices of rows, and of options, that calls one of `TAKING_WEIGHTS` with these rows."""
    y_true, y_pred = labelled(size)
    columns = {
        "prevalence_interval": (y_true,),
        "mcnemar_test": (y_true, y_pred, labelled(size, seed=1)[1]),
        **dict.fromkeys(OF_SCORES, scored(size)[:2]),
        "compare_roc_auc": scored(size),
    }

    def called(rows, **options):
        return getattr(inference, name)(*(column[rows] for column in columns.get(name, (y_true, y_pred))), **options)

    if name == "roc_auc_covariance":
        return lambda rows, **options: roc_auc_covariance(
            scored()[0][rows], list(np.array(scored()[1:])[:, rows]), **options
        )
    return called


def numbers(result):
    """Return all numbers of a result in one array."""
    fields = result if isinstance(result, RocAreas) else vars_of(result)
    return np.concatenate([np.ravel(each) for each in fields if not isinstance(each, str)])


def vars_of(result):
    return [getattr(result, field.name) for field in dataclasses.fields(result)]


OF_SCORES = ["roc_auc_interval", "average_precision_interval"]
TAKING_WEIGHTS = [
    *(f"{name}_interval" for name in FRACTIONS),
    "prevalence_interval",
    "mcnemar_test",
    *OF_SCORES,
    "compare_roc_auc",
    "roc_auc_covariance",
]


@pytest.mark.parametrize("name", TAKING_WEIGHTS)
def test_frequencies_count_as_repeated_rows(name):
    called, weights = function_of_rows(name), np.random.default_rng(3).integers(0, 4, 80)
    rows = np.arange(80)
    expected, found = called(rows.repeat(weights)), called(rows, sample_weight=weights, weight_type="frequency")
    if "roc_auc" in name:  # the placements of repeated rows are whole numbers
        assert numbers(found) == close(numbers(expected), rel=1e-12)
    else:
        assert found == expected
    assert called(rows, sample_weight=weights.astype(float), weight_type="frequency") == found


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
    for factor in (1e-250, 3.0, 1e250):
        assert numbers(called(rows, sample_weight=factor * weights)) == close(numbers(expected), rel=1e-12, nan_ok=True)
    kept = rows[weights > 0]
    assert called(kept, sample_weight=weights[kept]) == expected
    reversed_rows = called(rows[::-1], sample_weight=weights[::-1])
    assert numbers(reversed_rows) == close(numbers(expected), rel=1e-12)


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
    "short": ([1, 2], "sampling", "sample_weight must hold one weight for each of 4 cases, got 2"),
    "a number": (2.0, "sampling", "sample_weight must be one-dimensional, got 2.0"),
    "broken": (
        [1, 1.5, 1, 1],
        "frequency",
        "sample_weight[1] is 1.5; frequencies must be whole numbers (for other weights: weight_type='sampling')",
    ),
    "many": ([2**53, 1, 1, 1], "frequency", "sample_weight must have a sum below 2**53, got weights up to"),
    "type": ([1, 1, 1, 1], "repeats", "weight_type"),
    "text": (["a", "b", "c", "d"], "sampling", "sample_weight must hold numbers"),
    "far apart": (
        [1e-160, 0, 2, 1],
        "sampling",
        "sample_weight must hold weights above 0 that differ by less than a factor of 2**480, got 1e-160 and 2; set "
        "weights that say nothing to 0",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_weights_are_named(name):
    weights, weight_type, message = INVALID[name]
    for function in (inference.recall_interval, inference.f1_interval, inference.kappa_interval):
        with pytest.raises((EvaluationError, EvaluationTypeError), match=f"^.*{re.escape(message)}"):
            function([0, 1, 1, 0], [0, 1, 0, 1], sample_weight=weights, weight_type=weight_type)


@pytest.mark.parametrize("weight", [1e20, 1e140])
def test_a_case_that_holds_all_the_weight_leaves_a_logit_unless_the_area_is_1(weight):
    labels, scores = [1, 1, 0, 0, 0], [0.1, 0.5, 0.4, 0.3, 0.2]
    options = {"sample_weight": [weight, 1, 1, 1, 1], "cluster": [0, 1, 2, 3, 4]}
    found = inference.roc_auc_interval(labels, scores, **options)
    assert 0 <= found.low <= found.estimate < found.high
    assert found.estimate == pytest.approx(1 / weight, rel=1e-15)
    found = inference.roc_auc_interval(labels, scores, method="delong-logit", **options)
    assert 0 < found.low < found.estimate < found.high < 1e-18
    with pytest.warns(UndefinedMetricWarning, match="the area is the largest one, whose logit is infinite"):
        found = inference.roc_auc_interval(np.subtract(1, labels), scores, method="delong-logit", **options)
    assert np.isnan([found.low, found.high]).all()


def test_normal_bounds_of_many_effective_trials_hold_the_fraction():
    found = inference.accuracy_interval([1, 1, 0, 0], [1, 0, 0, 0], sample_weight=[1, 1e140, 1, 1], method="normal")
    assert 0 <= found.low <= found.estimate <= found.high < 1e-60


def test_estimates_of_rankings_are_those_of_the_metrics():
    y_true, first, second = scored()
    weights = np.random.default_rng(5).lognormal(size=80)
    areas = [metrics.roc_auc_score(y_true, scores, sample_weight=weights) for scores in (first, second)]
    assert inference.roc_auc_interval(y_true, first, sample_weight=weights).estimate == close(areas[0], rel=1e-14)
    assert inference.compare_roc_auc(y_true, first, second, sample_weight=weights).estimates == close(areas, rel=1e-14)
    found = inference.average_precision_interval(y_true, first, sample_weight=weights)
    assert found.estimate == close(metrics.average_precision_score(y_true, first, sample_weight=weights), rel=1e-14)


def test_the_methods_of_an_area_share_its_variance():
    y_true, scores, other = scored()
    weights = np.random.default_rng(6).lognormal(size=80)
    found = roc_auc_covariance(y_true, [scores, other], sample_weight=weights)
    interval = inference.roc_auc_interval(y_true, scores, sample_weight=weights, method="delong")
    deviation = np.sqrt(found.covariance[0, 0])
    assert interval.high - interval.estimate == close(1.959963984540054 * deviation, rel=1e-10)
    logit = inference.roc_auc_interval(y_true, scores, sample_weight=weights, method="delong-logit")
    assert [logit.low, logit.high] == close(logit_bounds(interval.estimate, deviation, 0.95), rel=1e-10)
    compared = inference.compare_roc_auc(y_true, scores, other, sample_weight=weights, method="delong")
    variance = np.array([1, -1]) @ found.covariance @ [1, -1]
    assert compared.difference / compared.statistic == close(np.sqrt(variance), rel=1e-10)


def test_areas_of_different_cases_take_weights_of_both():
    generator = np.random.default_rng(3)
    samples = [scored(60, 1)[:2], scored(40, 2)[:2]]
    counts = [generator.integers(0, 4, size) for size in (60, 40)]

    def compared(samples, weights=(None, None), **options):
        return inference.compare_unpaired_roc_auc(
            *samples[0], *samples[1], sample_weight1=weights[0], sample_weight2=weights[1], **options
        )

    repeated = [[column.repeat(own) for column in sample] for sample, own in zip(samples, counts, strict=True)]
    found = compared(samples, counts, weight_type="frequency")
    assert numbers(found) == close(numbers(compared(repeated)), rel=1e-12)
    assert compared(samples, [np.full(60, 0.3), None]) == compared(samples)
    weights = [generator.lognormal(size=size) for size in (60, 40)]
    heavier = [weights[0], 5 * weights[1]]
    assert numbers(compared(samples, heavier)) == close(numbers(compared(samples, weights)), rel=1e-12)


def test_welch_takes_the_effective_number_of_cases():
    stats = pytest.importorskip("scipy.stats")
    first, second = scored(60, 1)[:2], scored(40, 2)[:2]
    weights = np.random.default_rng(3).lognormal(size=60)
    variances = [
        roc_auc_covariance(first[0], [first[1]], sample_weight=weights).covariance[0, 0],
        roc_auc_covariance(second[0], [second[1]]).covariance[0, 0],
    ]
    sizes = np.array([weights.sum() ** 2 / np.sum(weights**2), 40])
    freedom = sum(variances) ** 2 / np.sum(np.square(variances) / (sizes - 1))
    found = inference.compare_unpaired_roc_auc(*first, *second, sample_weight1=weights)
    assert found.p_value == close(2 * stats.t.sf(abs(found.difference) / np.sqrt(sum(variances)), freedom), rel=1e-10)


@pytest.mark.parametrize(
    ("weights", "lack"),
    [
        ([0, 1, 0, 2], "there is no positive case"),
        ([1, 1, 2, 0], "one negative case alone has no variance"),
        ([1, 1, 2, 3], "all pairs of a positive and a negative case are ranked alike"),
    ],
)
def test_areas_without_variance_say_why(weights, lack):
    y_true, scores = [1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2]
    with pytest.warns(UndefinedMetricWarning, match=f"^The delong interval is not defined: {lack}.$") as caught:
        interval = inference.roc_auc_interval(y_true, scores, sample_weight=weights, method="delong")
    assert np.isnan([interval.low, interval.high]).all()
    assert caught[0].filename == __file__
    if lack.startswith("all"):
        return
    with pytest.warns(UndefinedMetricWarning, match=f"^The delong interval is not defined: {lack}.$") as caught:
        comparison = inference.compare_roc_auc(y_true, scores, scores, sample_weight=weights, method="delong")
    assert np.isnan([comparison.low, comparison.p_value]).all()
    assert caught[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning, match=f"^The covariances of the ROC areas are not defined: {lack}.$"):
        found = roc_auc_covariance(y_true, [scores], sample_weight=weights)
    assert np.isnan(found.covariance).all()


def test_frequencies_of_one_positive_row_have_a_variance():
    found = roc_auc_covariance([1, 0, 0], [[0.5, 0.3, 0.7]], sample_weight=[3, 1, 2], weight_type="frequency")
    expected = roc_auc_covariance([1, 1, 1, 0, 0, 0], [[0.5, 0.5, 0.5, 0.3, 0.7, 0.7]])
    assert found.covariance == close(expected.covariance, rel=1e-13)


def test_a_model_compared_with_itself_differs_in_nothing():
    y_true, scores, _ = scored()
    weights = np.random.default_rng(8).lognormal(size=80)
    with pytest.warns(UndefinedMetricWarning, match="the difference has no variance"):
        comparison = inference.compare_roc_auc(y_true, scores, scores, sample_weight=weights, method="delong")
    assert comparison.p_value == 1
    comparison = inference.compare_roc_auc(y_true, scores, scores, sample_weight=weights)
    assert comparison.low < comparison.difference == 0 < comparison.high < 0.01
    assert comparison.p_value == 1


def test_errors_name_the_weights_of_either_sample():
    first, second = ([0, 1], [0.1, 0.2]), ([0, 1], [0.1, 0.2])
    with pytest.raises(EvaluationError, match=r"^sample_weight2 must hold one weight for each of 2 cases, got 3$"):
        inference.compare_unpaired_roc_auc(*first, *second, sample_weight2=[1, 2, 3])


def test_a_class_whose_cases_all_weigh_nothing_is_absent():
    with pytest.warns(match="no case is positive"):
        interval = inference.recall_interval([0, 1, 1, 0], [0, 1, 0, 1], sample_weight=[1, 0, 0, 2])
    assert np.isnan([interval.estimate, interval.low, interval.high]).all()


@pytest.mark.parametrize("missing", ["fp", "tp"])
def test_what_a_sample_lacks_may_weigh_as_much_as_its_class(missing):
    """One negative stands for 100 cases: without one among 80 alarms, precision is not sure to be near 1."""
    y_true, weights = np.array([1] * 100 + [0] * 400), np.array([1.0] * 100 + [100.0] * 400)
    alarms = np.isin(np.arange(500), np.arange(80) if missing == "fp" else np.arange(100, 180))
    found = inference.precision_interval(y_true, alarms.astype(int), sample_weight=weights)
    trials = 80 / 100 if missing == "fp" else 80 * 100 / 1  # the weight of the alarms by that of a missing case
    z = NormalDist().inv_cdf(0.975)
    bound = trials / (trials + z * z)
    assert found.estimate == (missing == "fp")
    assert (found.low if missing == "fp" else 1 - found.high) == pytest.approx(bound, rel=1e-12)
    recall = inference.recall_interval(y_true, y_true, sample_weight=weights)
    assert recall.low == pytest.approx(100 / (100 + z * z), rel=1e-12)


@pytest.mark.parametrize("name", TAKING_WEIGHTS)
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({}, EvaluationError, "weight_type needs sample_weight, which it describes; pass it, or no weight_type"),
        (
            {"sample_weight": np.ones(80, bool)},
            EvaluationTypeError,
            "sample_weight must hold numbers, got Booleans; select the rows instead: y_true[keep]",
        ),
        (
            {"sample_weight": ["2"] * 80},
            EvaluationTypeError,
            "sample_weight must hold numbers, got dtype <U1, first sample_weight[0] = '2' (str)",
        ),
        (
            {"sample_weight": np.array(["2"] * 80, object)},
            EvaluationTypeError,
            "sample_weight must hold numbers, got objects, sample_weight[0] = '2' (str); drop or fill missing values "
            "and call .astype(float), for a table's column .to_numpy(dtype=float)",
        ),
    ],
)
def test_what_are_no_weights_is_refused_with_a_remedy(name, weights, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        function_of_rows(name)(np.arange(80), weight_type="frequency", **weights)


@pytest.mark.parametrize("name", [name for name in TAKING_WEIGHTS if name != "mcnemar_test"])
@pytest.mark.parametrize("row", [0, 79])
@pytest.mark.filterwarnings("ignore::evalcore.errors.UndefinedMetricWarning")
def test_one_weight_that_dominates_leaves_an_estimate(name, row):
    weights = np.full(80, 1e20)
    weights[row] = 1e160  # its square leaves float64
    found = function_of_rows(name)(np.arange(80), sample_weight=weights)
    estimates = found.areas if isinstance(found, RocAreas) else getattr(found, "estimates", None) or found.estimate
    assert np.isfinite(estimates).all()


def test_one_weight_that_dominates_leaves_a_comparison_of_samples():
    y_true, first, second = scored()
    weights = np.r_[1e160, np.full(79, 1e20)]
    found = inference.compare_unpaired_roc_auc(y_true, first, y_true, second, sample_weight1=weights)
    assert np.isfinite([found.difference, found.low, found.high, found.p_value]).all()
    counts = np.arange(80) % 3 + 1
    of_one = inference.compare_unpaired_roc_auc(
        y_true, first, y_true, second, sample_weight1=counts, weight_type="frequency"
    )
    repeated = [column.repeat(counts) for column in (y_true, first)]
    assert of_one.p_value == close(inference.compare_unpaired_roc_auc(*repeated, y_true, second).p_value, rel=1e-12)
    with pytest.raises(EvaluationError, match="weight_type needs sample_weight1, which it describes"):
        inference.compare_unpaired_roc_auc(y_true, first, y_true, second, weight_type="frequency")
