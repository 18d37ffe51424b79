"""Decision curves are those of the package dcurves, and their bounds are what their definitions say."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.inference import compare_decision_curves, decision_curve, proportion_interval
from evalcore.inference.intervals import normal_reach
from evalcore.metrics import net_benefit
from tests.differences import every
from tests.strategies import columns_of

ASAH = Path(__file__).parents[1] / "data" / "asah.csv"
THRESHOLDS = [0.1, 0.25, 0.4, 0.6, 0.9]
# dcurves 1.1.7: dca(data, "poor", ["marker", "grade"], thresholds); marker = s100b / (s100b + 0.5), grade = wfns / 8
OF_DCURVES = {
    None: {
        "marker": [0.2910521140609636, 0.17404129793510326, 0.10029498525073746, 0.04424778761061947, 0.0],
        "grade": [0.2920353982300885, 0.24188790560471976, 0.15929203539823006, 0.10619469026548672, 0.0],
        "all": [0.2920353982300885, 0.1504424778761062, -0.0619469026548673, -0.5929203539823007, -5.371681415929205],
    },
    0.1: {  # with prevalence=0.1
        "marker": [0.008672086720867209, -0.0157520325203252, -0.039430894308943094, 0.012195121951219513, 0.0],
        "grade": [0.0, -0.05071138211382112, -0.03658536585365854, -0.031097560975609735, 0.0],
        "all": [0.0, -0.19999999999999998, -0.5000000000000001, -1.2499999999999998, -8.000000000000002],
    },
}
ROWS = [(label, *scores) for label in (0, 1) for scores in ((0.1, 0.3), (0.3, 0.3), (0.5, 0.1), (0.8, 0.5), (0.8, 0.9))]
CASES = columns_of(ROWS, 4, 30).filter(lambda rows: 0 < sum(row[0] for row in rows) < len(rows))


def asah():
    with ASAH.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    marker, grade = (np.array([float(row[name]) for row in rows]) for name in ("s100b", "wfns"))
    return np.array([row["outcome"] == "Poor" for row in rows]), {"marker": marker / (marker + 0.5), "grade": grade / 8}


@every("prevalence", [None, 0.1])
def test_net_benefits_are_those_of_dcurves(prevalence):
    poor, models = asah()
    expected, options = OF_DCURVES[prevalence], {"target_prevalence": prevalence}
    for name, scores in models.items():
        found = decision_curve(poor, scores, THRESHOLDS, **options)
        np.testing.assert_allclose(found.net_benefit, expected[name], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found.net_benefit, net_benefit(poor, scores, THRESHOLDS, **options), atol=1e-15)
        np.testing.assert_allclose(found.treat_all, expected["all"], rtol=1e-12, atol=1e-15)
    compared = compare_decision_curves(poor, *models.values(), THRESHOLDS, **options)
    np.testing.assert_allclose(compared.first, expected["marker"], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(compared.difference, compared.first - compared.second, atol=1e-15)


def gains(y_true, scores, threshold):
    return (np.asarray(scores) >= threshold) * np.where(y_true, 1, -threshold / (1 - threshold))


def squared_errors(values, weights, classes):
    """The variances and covariances of weighted means of the columns of values, (n, t), each class apart."""
    found = 0
    for own in classes:
        deviations = weights[own, None] * (values[own] - np.average(values[own], axis=0, weights=weights[own]))
        found = found + deviations.T @ deviations * own.sum() / max(own.sum() - 1, 1)
    return found / weights.sum() ** 2


@settings(max_examples=15)
@given(CASES, st.sampled_from([None, 0.2]), st.booleans())
def test_differences_vary_as_means_over_the_cases_do(rows, prevalence, weighted):
    y_true, first, second = map(np.array, zip(*rows, strict=True))
    positive = y_true == 1
    weights = 1.0 + np.arange(y_true.size) % 3 if weighted else np.ones(y_true.size)
    if min(positive.sum(), (~positive).sum()) < 2:
        return
    found = compare_decision_curves(
        y_true, first, second, [0.2, 0.3, 0.6], sample_weight=weights, target_prevalence=prevalence
    )
    if prevalence is not None:
        weights = weights * np.where(
            positive, prevalence / weights[positive].sum(), (1 - prevalence) / weights[~positive].sum()
        )
    values = np.column_stack([gains(y_true, first, t) - gains(y_true, second, t) for t in found.thresholds])
    classes = [np.ones_like(positive)] if prevalence is None else [positive, ~positive]
    variances = np.diag(squared_errors(values, weights, classes)).copy()
    for own, gain in ((positive, 1), (~positive, found.thresholds / (1 - found.thresholds))):
        variances += (gain * np.square(weights[own]).sum() / weights[own].sum() / weights.sum()) ** 2
    np.testing.assert_allclose(found.difference, np.average(values, axis=0, weights=weights), atol=1e-12)
    np.testing.assert_allclose((found.high - found.low) / 2 / normal_reach(0.95), np.sqrt(variances), rtol=1e-9)


def test_runs_of_thresholds_where_a_model_is_better():
    y_true, first = [0, 1] * 100, [0.2, 0.75] * 100
    found = compare_decision_curves(y_true, first, [0.5] * 200, [0.1, 0.3, 0.4, 0.6, 0.7, 0.8])
    assert found.first_better == ((0.3, 0.7),)  # to treat all is as good below 0.2, to treat none above 0.75
    assert found.second_better == ()
    assert compare_decision_curves(y_true, [0.5] * 200, first, [0.1, 0.3, 0.7, 0.8]).second_better == ((0.3, 0.7),)
    assert "first" in found._repr_html_()
    treat_all = compare_decision_curves(y_true, first, np.ones(200), [0.1, 0.3])
    np.testing.assert_allclose(treat_all.second, decision_curve(y_true, first, [0.1, 0.3]).treat_all)


def test_bounds_combine_those_of_both_fractions():
    y_true, scores, t = [1] * 10 + [0] * 30, [0.9] * 6 + [0.1] * 4 + [0.8] * 5 + [0.2] * 25, 0.4
    tp, fp, cost = proportion_interval(6, 40), proportion_interval(5, 40), t / (1 - t)
    variances = [p * (1 - p) for p in (6 / 40, 5 / 40)]
    correlation = -(6 / 40) * (5 / 40) / np.sqrt(variances[0] * variances[1])
    below, above = tp.estimate - tp.low, cost * (fp.high - fp.estimate)
    estimate = tp.estimate - cost * fp.estimate
    found = decision_curve(y_true, scores, [t])
    low = estimate - np.sqrt(below**2 + above**2 - 2 * correlation * below * above)
    assert found.low[0] == pytest.approx(low, rel=1e-12)
    prevalence = proportion_interval(10, 40)
    assert found.treat_all_high[0] == pytest.approx(prevalence.high - (1 - prevalence.high) * cost)
    known = decision_curve(y_true, scores, [t], target_prevalence=0.1)
    rates = proportion_interval(6, 10), proportion_interval(5, 30)
    high = np.hypot(0.1 * (rates[0].high - 0.6), 0.9 * cost * (5 / 30 - rates[1].low))
    assert known.high[0] == pytest.approx(0.06 - 0.9 * cost * 5 / 30 + high, rel=1e-12)
    assert known.treat_all_low == known.treat_all_high == known.treat_all
    assert "treat_all" in found._repr_html_()


def test_weights_are_frequencies_or_stand_for_the_population():
    y_true, first, second = [0, 1, 1, 0, 1], [0.1, 0.4, 0.8, 0.6, 0.7], [0.3, 0.2, 0.9, 0.1, 0.6]
    times = [3, 2, 1, 2, 4]
    repeated = [np.repeat(column, times) for column in (y_true, first, second)]
    options = {"thresholds": [0.25, 0.5], "target_prevalence": 0.3}
    for compared in ({"target_prevalence": None}, {}):
        own = {**options, **compared}
        found = decision_curve(y_true, first, sample_weight=times, weight_type="frequency", **own)
        for column, expected in zip(found, decision_curve(*repeated[:2], **own), strict=True):
            np.testing.assert_allclose(column, expected, rtol=1e-12, atol=1e-15)
        pair = compare_decision_curves(y_true, first, second, sample_weight=times, weight_type="frequency", **own)
        for column, expected in zip(pair, compare_decision_curves(*repeated, **own), strict=True):
            np.testing.assert_allclose(column, expected, rtol=1e-12, atol=1e-15)
    wide = decision_curve(y_true, first, sample_weight=times, thresholds=[0.5])
    assert wide.low[0] < decision_curve(*repeated[:2], thresholds=[0.5]).low[0]


def test_bounds_hold_where_nothing_is_flagged():
    found = decision_curve([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], [0.9])
    assert found.low[0] < found.net_benefit[0] == 0 < found.high[0]
    pair = compare_decision_curves([0, 0, 1, 1], [0.1] * 4, [0.2] * 4, [0.9])
    assert pair.low[0] < pair.difference[0] == 0 < pair.high[0]
