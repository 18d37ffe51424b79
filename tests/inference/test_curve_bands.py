"""Bands of ROC and precision-recall curves, and decision curves, beside definitions and R packages."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import (
    bootstrap_interval,
    compare_decision_curves,
    decision_curve,
    optimal_threshold_interval,
    precision_recall_curve_band,
    proportion_interval,
    roc_curve_band,
    sensitivity_at_specificity_intervals,
    specificity_at_sensitivity_intervals,
)
from evalcore.inference.intervals import reach_of
from evalcore.inference.thresholds import simultaneous_reach
from evalcore.metrics import net_benefit, optimal_threshold, precision_recall_curve
from tests.asah import POOR, S100B, WFNS
from tests.differences import every
from tests.reference import curves as slow
from tests.strategies import close_to, columns_of

BANDS = roc_curve_band, precision_recall_curve_band
few_scores = st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]), min_size=1, max_size=9)
# what rounding parts from 0 or 1 counts as that
rates = st.floats(0, 1).filter(lambda rate: rate in (0, 1) or 1e-12 < rate < 1 - 1e-12)

# set.seed(1); pROC 1.18: ci.se(curve, c(.5, .7, .8, .9, .95), boot.n = 4000), ci.sp(curve, c(.3, .5, .7, .9), ...)
PRINTED_SENSITIVITIES = [(0.5999, 0.9024), (0.4902, 0.7935), (0.3415, 0.7561), (0.2195, 0.6341), (0.1951, 0.4878)]
PRINTED_SPECIFICITIES = [(0.8194, 1.0), (0.6909, 0.9444), (0.3715, 0.8611), (0.1125, 0.5084)]


def cases(positives, negatives):
    return [1] * len(positives) + [0] * len(negatives), [*positives, *negatives]


@given(few_scores, few_scores, rates, st.sampled_from([0.5, 0.95]))
@example([0.3], [0.3], 0.0, 0.95)
@example([0.3], [0.3], 1.0, 0.95)
@example([0.3, 0.5], [0.3, 0.1], 0.5, 0.95)  # at one case
def test_bounds_of_a_roc_curve_are_what_their_definition_says(positives, negatives, rate, level):
    found = roc_curve_band(*cases(positives, negatives), fpr=[rate], level=level)
    expected = slow.roc_bounds(positives, negatives, rate, reach_of(level))
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
    found = specificity_at_sensitivity_intervals(labels, scores, given_rates)
    reversed_ = sensitivity_at_specificity_intervals(labels, [-score for score in scores], given_rates, pos_label=0)
    for ours, theirs in zip(found[1:4], reversed_[1:4], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_precisions_are_those_of_the_curve_of_all_thresholds():
    found = precision_recall_curve_band(POOR, S100B, recall=np.arange(1, 42) / 41)
    precisions, recalls, _ = precision_recall_curve(POOR, S100B)
    for recall, precision in zip(found.x, found.y, strict=True):
        assert precision == precisions[np.flatnonzero(recalls >= recall - 1e-12)[-1]]


@every(
    ("function", "given_rates", "printed"),
    (sensitivity_at_specificity_intervals, [0.5, 0.7, 0.8, 0.9, 0.95], PRINTED_SENSITIVITIES),
    (specificity_at_sensitivity_intervals, [0.3, 0.5, 0.7, 0.9], PRINTED_SPECIFICITIES),
)
def test_intervals_are_near_those_that_proc_resamples(function, given_rates, printed):
    found = function(POOR, S100B, given_rates)
    np.testing.assert_allclose(np.stack([found.low, found.high], axis=1), printed, atol=0.12)


def test_rounded_rates_mean_whole_numbers_of_cases():
    labels, scores = [0] * 20 + [1] * 10, [*range(20), *range(10, 20)]
    (exact,) = sensitivity_at_specificity_intervals(labels, scores, [0.95]).y
    assert exact == roc_curve_band(labels, scores, fpr=[1 / 20]).y[0]


def test_simultaneous_bands_reach_as_far_as_a_bridge():
    # P(sup |B| / sqrt(t (1 - t)) > c), t from 0.05 to 0.95: Miller and Siegmund's approximation solved by hand for c
    assert simultaneous_reach(0.95) == pytest.approx(3.1496, abs=2e-3)
    levels = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]
    reaches = [simultaneous_reach(level) for level in levels]
    assert reaches == sorted(reaches)
    assert all(reach > reach_of(level) for reach, level in zip(reaches, levels, strict=True))


def test_bands_are_shown_as_tables():
    html = roc_curve_band([0, 1], [0.1, 0.2], fpr=[0.5])._repr_html_()
    assert "<table" in html
    assert "low" in html


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


MODELS = {"marker": S100B / (S100B + 0.5), "grade": WFNS / 8}


@every("prevalence", [None, 0.1])
def test_net_benefits_are_those_of_dcurves(prevalence):
    expected, options = OF_DCURVES[prevalence], {"target_prevalence": prevalence}
    for name, scores in MODELS.items():
        found = decision_curve(POOR, scores, THRESHOLDS, **options)
        np.testing.assert_allclose(found.net_benefit, expected[name], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found.net_benefit, net_benefit(POOR, scores, THRESHOLDS, **options), atol=1e-15)
        np.testing.assert_allclose(found.treat_all, expected["all"], rtol=1e-12, atol=1e-15)
    compared = compare_decision_curves(POOR, *MODELS.values(), THRESHOLDS, **options)
    np.testing.assert_allclose(compared.old, expected["marker"], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(compared.difference, compared.new - compared.old, atol=1e-15)


def gains(y_true, scores, threshold):
    return (np.asarray(scores) >= threshold) * np.where(y_true, 1, -threshold / (1 - threshold))


def squared_errors(values, weights, classes):
    """The variances and covariances of weighted means of the columns of values, (n, t), each class apart."""
    found = 0
    for own in classes:
        deviations = weights[own, None] * (values[own] - np.average(values[own], axis=0, weights=weights[own]))
        found = found + deviations.T @ deviations * own.sum() / max(own.sum() - 1, 1)
    return found / weights.sum() ** 2


@given(CASES, st.sampled_from([None, 0.2]), st.booleans())
def test_differences_vary_as_means_over_the_cases_do(rows, prevalence, weighted):
    y_true, first, second = map(np.array, zip(*rows, strict=True))
    positive = y_true == 1
    weights = 1.0 + np.arange(y_true.size) % 3 if weighted else np.ones(y_true.size)
    if min(positive.sum(), (~positive).sum()) < 2:
        return
    found = compare_decision_curves(
        y_true, second, first, [0.2, 0.3, 0.6], sample_weight=weights, target_prevalence=prevalence
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
    np.testing.assert_allclose((found.high - found.low) / 2 / reach_of(0.95), np.sqrt(variances), rtol=1e-9)


def test_runs_of_thresholds_where_a_model_is_better():
    y_true, first = [0, 1] * 100, [0.2, 0.75] * 100
    found = compare_decision_curves(y_true, [0.5] * 200, first, [0.1, 0.3, 0.4, 0.6, 0.7, 0.8])
    assert found.new_better == ((0.3, 0.7),)  # to treat all is as good below 0.2, to treat none above 0.75
    assert found.old_better == ()
    assert compare_decision_curves(y_true, first, [0.5] * 200, [0.1, 0.3, 0.7, 0.8]).old_better == ((0.3, 0.7),)
    assert "old" in found._repr_html_()
    levels = np.linspace(0.1, 0.3, 1000)  # as many as are compared
    treat_all = compare_decision_curves(y_true, np.ones(200), first, levels)
    np.testing.assert_allclose(treat_all.old, decision_curve(y_true, first, levels).treat_all)


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
    for bound, own in ((found.treat_all_low, prevalence.low), (found.treat_all_high, prevalence.high)):
        assert bound[0] == pytest.approx(own - (1 - own) * cost)
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
    pair = compare_decision_curves([0, 0, 1, 1], [0.2] * 4, [0.1] * 4, [0.9])
    assert pair.low[0] < pair.difference[0] == 0 < pair.high[0]


CRITERIA = "youden", "balanced_accuracy", "ks", "mcc", "accuracy", "eer", "f1", "f0.5"


ASAH = POOR, S100B


def test_bounds_are_those_of_proc():
    # pROC 1.18: ci.coords(roc(outcome ~ s100b), "best", best.method = "youden", boot.n = 10000)
    found = optimal_threshold_interval(*ASAH, resamples=1000, seed=1)
    assert found.value.low == pytest.approx(0.279472, abs=0.02)
    assert found.value.high == pytest.approx(0.610095, abs=0.02)
    assert found.threshold.low in (0.12, 0.13, 0.14)  # halfway to the next lower score it is 0.12
    assert 0.49 <= found.threshold.high <= 0.52  # 0.51
    # ci.se(roc, specificities = c(0.8, 0.9), boot.n = 10000)
    for name, low, high in (("0.8", 0.3415, 0.7561), ("0.9", 0.2195, 0.6098)):
        interval = bootstrap_interval(*ASAH, f"recall_at_specificity@{name}", stratify=True, seed=1, resamples=500)
        assert [*interval] == pytest.approx([low, high], abs=0.05)


@every("criterion", CRITERIA)
def test_estimates_are_those_of_the_metrics(criterion):
    found = optimal_threshold_interval(*ASAH, criterion, resamples=40, seed=1)
    best = optimal_threshold(*ASAH, criterion)
    assert (found.threshold.estimate, found.value.estimate) == (best.threshold, close_to(best.value))
    assert found.value.low <= found.value.high
    assert found.threshold.low <= best.threshold <= found.threshold.high
    sign = -1 if criterion == "eer" else 1
    assert found.corrected.estimate == close_to(found.value.estimate - sign * found.optimism)
    assert "optimism" in found._repr_html_()


def test_optimism_is_what_resamples_have_over_all_cases():
    """As Efron and Tibshirani (1993), 17.6, over the same draws."""
    generator = np.random.default_rng(5)
    y_true = np.arange(40) % 3 == 0
    scores = generator.normal(size=40) + y_true
    found = optimal_threshold_interval(y_true, scores, "accuracy", resamples=16, seed=2, stratify=False)
    rows = np.concatenate([np.flatnonzero(own)[np.argsort(-scores[own])] for own in (y_true, ~y_true)])
    source = np.random.default_rng(2).spawn(2)[0]
    gaps, fixed = [], []
    for _ in range(16):
        drawn = rows[source.integers(0, 40, 40)]
        best = optimal_threshold(y_true[drawn], scores[drawn], "accuracy")
        gaps.append(best.value - np.mean((scores >= best.threshold) == y_true))
        fixed.append(np.mean((scores[drawn] >= found.threshold.estimate) == y_true[drawn]))
    assert found.optimism == pytest.approx(np.mean(gaps), abs=1e-9)
    assert found.corrected.estimate == pytest.approx(found.value.estimate - np.mean(gaps), abs=1e-9)
    bounds = np.quantile(fixed, [0.025, 0.975]) - np.mean(gaps)
    assert [*found.corrected] == pytest.approx(bounds.clip(0, 1).tolist(), abs=1e-9)


def test_weights_groups_and_costs():
    y_true, scores = ASAH
    times = 1 + np.arange(scores.size) % 3
    options = {"resamples": 400, "seed": 3}
    repeated = np.repeat(y_true, times), np.repeat(scores, times)
    frequent = optimal_threshold_interval(*ASAH, sample_weight=times, weight_type="frequency", **options)
    assert frequent == optimal_threshold_interval(*repeated, **options)
    of_many = optimal_threshold_interval(*ASAH, sample_weight=times * 10**9, weight_type="frequency", **options)
    assert of_many.value.estimate == frequent.value.estimate
    assert 0 < of_many.value.high - of_many.value.low < 1e-3  # 2 * 10**11 rows, none of which is built
    weighted = optimal_threshold_interval(*ASAH, sample_weight=times * 0.1, **options)
    assert weighted.value.estimate == close_to(frequent.value.estimate)
    grouped = optimal_threshold_interval(*ASAH, cluster=np.arange(scores.size) // 4, stratify=False, **options)
    assert grouped.value.low < grouped.value.estimate
    costly = optimal_threshold_interval(*ASAH, "cost", cost=(1, 3), **options)
    assert costly.optimism > 0
    assert costly.corrected.estimate > costly.value.estimate
    unused = optimal_threshold_interval(
        [*y_true, True], [*scores, 9.0], sample_weight=[*[2] * len(scores), 0], **options
    )
    assert unused == optimal_threshold_interval(*ASAH, **options)


def test_corrected_values_are_within_the_range_of_the_criterion():
    options = {"stratify": False, "seed": 1, "level": 0.99}
    cases = [0, 1, 0, 1], [0.3, 0.2, 0.1, 0.4]
    found = optimal_threshold_interval(*cases, "accuracy", **options)
    assert found.corrected.low == 0 < found.corrected.estimate < found.corrected.high < 1
    assert 0 < optimal_threshold_interval(*cases, "youden", **options).optimism < 1  # of the resamples of both classes


def test_perfect_scores_have_no_bounds_of_the_value():
    with pytest.warns(UndefinedMetricWarning, match="all resamples have the same value") as caught:
        found = optimal_threshold_interval([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], seed=0, resamples=40)
    assert {each.filename for each in caught} == {__file__}
    assert math.isnan(found.value.low)
    assert math.isnan(found.corrected.low)
    assert found.value.estimate == 1
    assert found.corrected.estimate < 1  # a threshold between other cases would have failed on some of these
    assert 0.2 < found.threshold.low <= found.threshold.high == 0.8
