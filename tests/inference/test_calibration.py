"""How sure calibration is, beside R's glm, survey and rms, uncertainty-calibration, and slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import f
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression

from evalcore import inference, metrics
from evalcore.inference.calibration import range_tail
from evalcore.inference.units import checked_units, spread_of_cases
from tests.differences import every
from tests.strategies import block_size, close_to

PROBABILITIES = np.array(
    [0.05, 0.1, 0.15, 0.2, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.97]
)
OUTCOMES = np.array([0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
WEIGHTS = np.array([1, 2, 1, 3, 1, 2, 1, 1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 4, 1])
FREQUENCIES = {"sample_weight": WEIGHTS, "weight_type": "frequency"}
REPEATED = OUTCOMES.repeat(WEIGHTS), PROBABILITIES.repeat(WEIGHTS)
NUMBERS = np.arange(20)
CLUSTERS = NUMBERS**2 // 40
CASES = st.lists(st.tuples(st.integers(1, 7), st.booleans(), st.integers(1, 3)), min_size=1, max_size=25)


def parts(found):
    return found.slope, found.intercept, found.in_the_large


def estimates(found):
    return [*map(float, parts(found))]


@every(
    ("options", "numbers"),
    ({}, [0.584469201578170727, -0.065700609341903582, -0.10103031590835157]),
    ({"sample_weight": WEIGHTS}, [0.39580891914936667, -0.22472653107031801, -0.39853674388826016]),
)
def test_recalibration_is_that_of_r(options, numbers):
    """Constants of `glm(y ~ qlogis(p))`, with `offset(qlogis(p))` for the last, and `svyglm`, in R 4.2.2."""
    found = inference.logistic_calibration(OUTCOMES, PROBABILITIES, **options)
    assert estimates(found) == close_to(numbers, rel=1e-11)
    assert (found.slope.level, found.slope.method) == (0.95, "wald")


def test_frequencies_of_recalibration_are_repeated_cases():
    found = inference.logistic_calibration(OUTCOMES, PROBABILITIES, **FREQUENCIES, level=0.9)
    repeated = inference.logistic_calibration(*REPEATED, level=0.9)
    for own, other in zip(parts(found), parts(repeated), strict=True):
        assert [float(own), *own] == close_to([float(other), *other], rel=1e-9)
    assert found.p_value == close_to(repeated.p_value, rel=1e-9)


@every(
    "options",
    [
        {},
        {"sample_weight": WEIGHTS},
        {"cluster": NUMBERS // 4},
        {"cluster": CLUSTERS, "sample_weight": WEIGHTS},
    ],
)
def test_errors_are_those_of_a_step_of_newton_without_each_unit(options):
    found, x = inference.logistic_calibration(OUTCOMES, PROBABILITIES, **options), logit(PROBABILITIES)
    weights, numbers = options.get("sample_weight", np.ones(20)), options.get("cluster", NUMBERS)
    units, changes = checked_units(options.get("sample_weight"), "sampling", 20, "", options.get("cluster")), []
    for line, terms in ((found.intercept, found.slope), 2), ((found.in_the_large, 1), 1):
        fitted, columns = expit(float(line[0]) + float(line[1]) * x), np.column_stack([np.ones(20), x])[:, :terms]
        steps = []
        for kept in (numbers != unit for unit in np.unique(numbers)):
            own = columns[kept].T * weights[kept]
            information = own * (fitted * (1 - fitted))[kept] @ columns[kept]
            steps.append(np.linalg.solve(information, own @ (OUTCOMES - fitted)[kept]))
        changes += [*np.transpose(steps)[::-1]]
    for interval, own in zip(parts(found), changes, strict=True):
        spread = units.left_out(own) if "cluster" in options else spread_of_cases(units, own.__getitem__)
        reach = student.ppf(0.975, spread.freedom[0]) * spread.errors[0]
        assert [*interval] == close_to([float(interval) - reach, float(interval) + reach], rel=1e-8)


def test_the_test_of_slope_and_intercept_is_that_of_f():
    found, x = inference.logistic_calibration(OUTCOMES, PROBABILITIES), logit(PROBABILITIES)
    fitted = expit(float(found.intercept) + float(found.slope) * x)
    columns, missed = np.column_stack([np.ones(20), x]), OUTCOMES - fitted
    inverse = np.linalg.inv(columns.T * (fitted * (1 - fitted)) @ columns)
    leverages = np.einsum("ij,jk,ik,i->i", columns, inverse, columns, fitted * (1 - fitted))
    changes = columns @ inverse * (missed / (1 - leverages))[:, np.newaxis]
    freedom = np.min(1.5 * np.sum(changes**2, axis=0) ** 2 / np.sum(changes**4, axis=0))
    away = np.array([float(found.intercept), float(found.slope) - 1])
    squared = away @ np.linalg.solve(changes.T @ changes * 20 / 19, away)
    assert found.p_value == close_to(f.sf(squared / 2, 2, min(freedom, 19)), rel=1e-9)


@pytest.mark.parametrize("spread", [0.05, 1.0, 8.0])
def test_recalibration_is_that_of_scikit_learn(spread, monkeypatch):
    monkeypatch.setattr(inference.logits, "_MANY", 500)
    monkeypatch.setattr(inference.logits, "_CELLS", 100)
    random = np.random.default_rng(3)
    x = spread * random.standard_normal(2000)
    positive = random.random(2000) < 1 / (1 + np.exp(-0.5 - x / spread))
    found = inference.logistic_calibration(positive, 1 / (1 + np.exp(-x)))
    fitted = LogisticRegression(C=np.inf, tol=1e-12, solver="newton-cholesky").fit(x[:, np.newaxis], positive)
    assert estimates(found)[:2] == close_to([fitted.coef_[0, 0], fitted.intercept_[0]], rel=1e-6)


@given(CASES)
def test_tests_are_their_definitions(cases):
    p, y, w = (np.array(column) for column in zip(*cases, strict=True))
    p = p / 8
    for weights, squares, options in (
        (np.ones(p.size), np.ones(p.size), {}),
        (w, w**2, {"sample_weight": w}),
        (w, w, {"sample_weight": w, "weight_type": "frequency"}),
    ):
        with block_size(4):
            found = inference.cumulative_calibration_test(y, p, **options)
        sums = [0.0, *(np.sum((weights * (y - p))[p <= score]) for score in np.unique(p))]
        expected = (max(sums) - min(sums)) / math.sqrt(np.sum(squares * p * (1 - p)))
        assert found.statistic == close_to(expected, rel=1e-9, abs=1e-12)
        assert found.p_value == range_tail(found.statistic)
        variance = np.sum(squares * p * (1 - p) * (1 - 2 * p) ** 2)
        if variance > 0:
            excess = np.sum(weights * (y - p) * (1 - 2 * p))
            statistic = inference.spiegelhalter_test(y, p, **options).statistic
            assert statistic == close_to(excess / math.sqrt(variance), rel=1e-9, abs=1e-12)


def test_tails_of_the_range_are_those_of_its_density():
    """The density is that of W. Feller (1951), equation 3.7: 8 Σ (-1)^(k-1) k² φ(k r)."""
    grid = np.linspace(0.2, 6, 3001)  # it vanishes near 0, where the series does not converge
    k = np.arange(1, 60)[:, np.newaxis]
    density = 8 * np.sum((-1.0) ** (k - 1) * k**2 * np.exp(-((k * grid) ** 2) / 2), axis=0) / math.sqrt(2 * math.pi)
    below = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(grid))])
    assert [range_tail(size) for size in grid[::50].tolist()] == pytest.approx((1 - below[::50]).tolist(), abs=1e-6)
    assert range_tail(0.0) == 1.0


@every("strategy", ["uniform", "quantile"])
@every("method", ["clopper-pearson", "wilson"])
def test_intervals_of_bins_are_those_of_their_counts(strategy, method):
    bins = inference.calibration_curve_intervals(
        OUTCOMES, PROBABILITIES, n_bins=6, strategy=strategy, method=method, level=0.9
    )
    for rate, low, high, cases in zip(bins.prob_true, bins.low, bins.high, bins.cases, strict=True):
        expected = inference.proportion_interval(round(rate * cases), int(cases), level=0.9, method=method)
        assert [rate, low, high] == close_to([expected.estimate, *expected])
    if strategy == "uniform":
        curve = metrics.calibration_curve(OUTCOMES, PROBABILITIES, n_bins=6)
        assert [bins.prob_true.tolist(), bins.prob_pred.tolist()] == [column.tolist() for column in curve]
    assert (bins.level, bins.method) == (0.9, method)


def test_weighted_bins_have_intervals_of_effective_cases():
    whole = inference.calibration_curve_intervals(*REPEATED, n_bins=4, strategy="quantile")
    assert (
        inference.calibration_curve_intervals(OUTCOMES, PROBABILITIES, n_bins=4, strategy="quantile", **FREQUENCIES)
        == whole
    )
    sampled = inference.calibration_curve_intervals(OUTCOMES, PROBABILITIES, n_bins=4, sample_weight=WEIGHTS)
    alike = inference.calibration_curve_intervals(OUTCOMES, PROBABILITIES, n_bins=4, **FREQUENCIES)
    assert sampled.prob_true.tolist() == alike.prob_true.tolist()
    assert ((sampled.high - sampled.low) > (alike.high - alike.low)).all()


@every(("n_bins", "error"), [(2, 0.4204339028511695), (4, 0.44903897380962376), (5, 0.41372696310489604)])
def test_debiased_errors_are_those_of_uncertainty_calibration(n_bins, error):
    """Constants of `lower_bound_scaling_ce` in uncertainty-calibration 0.1.4."""
    found = inference.debiased_calibration_error_interval(1 - OUTCOMES, PROBABILITIES, n_bins=n_bins)
    assert found.estimate == close_to(error)
    assert 0 < found.low < found.estimate < found.high < 1
    assert inference.debiased_calibration_error_interval(OUTCOMES, PROBABILITIES, n_bins=n_bins).estimate == 0


def test_bounds_of_the_error_are_where_it_is_z_deviations_away():
    near = [inference.proportion_interval(positives, 10, level=math.erf(math.sqrt(0.5))) for positives in (7, 3)]
    means = PROBABILITIES[:10].mean(), PROBABILITIES[10:].mean()
    rates = np.array([np.clip(mean, each.low, each.high) for mean, each in zip(means, near, strict=True)])
    mixed = np.array([0.7, 0.3]) - means, np.maximum(0.7 * 0.3, rates * (1 - rates)) / 9
    # of one class each: the first rate is within a standard error of none, the second is that of all
    of_one_class = np.array([0.02, 0.6]), np.array([0.02 * 0.98, 10 / 121]) / 9
    cases = [0] * 10 + [1] * 10, [0.02] * 10 + [0.4] * 10
    for asked, (gaps, variances) in (((1 - OUTCOMES, PROBABILITIES), mixed), (cases, of_one_class)):
        found = inference.debiased_calibration_error_interval(*asked, n_bins=2)
        slope = np.sum(variances * gaps**2 / 4) / np.sum(gaps**2 / 2)
        for bound in found:
            deviation = math.sqrt(4 * slope * bound**2 + np.sum(2 * variances**2 / 4))
            assert abs(found.estimate**2 - bound**2) == close_to(student.ppf(0.975, np.inf) * deviation, rel=1e-9)
    assert found.estimate == close_to(math.sqrt(np.mean(gaps**2)))


def test_a_band_holds_the_curves_of_calibrated_outcomes():
    random = np.random.default_rng(11)
    probabilities = random.integers(1, 100, 4000) / 100
    band = inference.consistency_band(probabilities, level=0.9, seed=5)
    assert band == inference.consistency_band(probabilities, level=0.9, seed=5)
    inside = []
    for _ in range(40):
        curve = metrics.isotonic_calibration_curve(random.random(4000) < probabilities, probabilities)
        fitted = curve.prob_true[curve.high.searchsorted(band.probabilities)]
        inside.append((band.low <= fitted) & (fitted <= band.high))
    assert np.mean(inside) == pytest.approx(0.9, abs=0.03)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert ((band.low < band.probabilities) & (band.probabilities < band.high)).all()


def test_bands_of_many_probabilities_are_close_to_those_of_each(monkeypatch):
    probabilities = np.random.default_rng(2).random(2000)
    exact = inference.consistency_band(probabilities, seed=1, resamples=300)
    monkeypatch.setattr("evalcore.inference.calibration._MOST_CELLS", 200)
    cells = inference.consistency_band(probabilities, seed=1, resamples=300)
    assert (exact.probabilities.size, cells.probabilities.size) == (2000, 200)
    inner = cells.probabilities[5:-5]
    for side in ("low", "high"):
        bounds = [np.interp(inner, band.probabilities, getattr(band, side)) for band in (exact, cells)]
        assert np.abs(bounds[0] - bounds[1]).max() < 0.05


def test_weights_widen_a_band():
    values, weights = np.array([0.25, 0.5, 0.75]), np.array([100, 200, 100])
    whole = inference.consistency_band(values.repeat(weights), seed=1)
    assert inference.consistency_band(values, sample_weight=weights, weight_type="frequency", seed=1) == whole
    alone = inference.consistency_band(values, sample_weight=weights, seed=1)
    assert (alone.high - alone.low).tolist() == [1.0, 1.0, 1.0]
