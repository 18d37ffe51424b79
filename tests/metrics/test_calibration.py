"""Isotonic calibration, parts of losses and calibration errors of classes, beside other packages."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalcore import metrics
from tests.differences import every
from tests.strategies import close_to

PROBABILITIES = np.array(
    [0.05, 0.1, 0.15, 0.2, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.97]
)
OUTCOMES = np.array([0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1])
WEIGHTS = np.array([1, 2, 1, 3, 1, 2, 1, 1, 2, 1, 1, 3, 1, 2, 1, 1, 2, 1, 4, 1])
OF_CLASSES = np.array(
    [
        [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.4, 0.35, 0.25], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4],
        [0.05, 0.9, 0.05], [0.25, 0.45, 0.3], [0.7, 0.1, 0.2], [0.15, 0.25, 0.6], [0.33, 0.32, 0.35], [0.1, 0.65, 0.25],
    ]
)  # fmt: skip
CLASSES = np.array([0, 1, 2, 1, 0, 0, 1, 2, 0, 2, 1, 1])
CASES = st.lists(st.tuples(st.integers(0, 8), st.booleans(), st.integers(1, 3)), min_size=1, max_size=30)


@every(
    ("loss", "weights", "parts"),
    ("brier", None, (0.21674, 0.03173999999999999, 0.065, 0.25)),
    ("brier", WEIGHTS, (0.24340625, 0.06283764097744357, 0.06845482847744358, 0.2490234375)),
    ("log_loss", None, (0.636208598812898, 0.10439218810107143, 0.16133076984811867, 0.6931471805599453)),
    ("log_loss", WEIGHTS, (0.7359072902685615, 0.21211984175425136, 0.16740533348889053, 0.6911927820032007)),
)
def test_parts_of_losses_are_those_of_model_diagnostics(loss, weights, parts):
    """Constants of `decompose` in model-diagnostics 1.5.0."""
    found = metrics.loss_decomposition(OUTCOMES, PROBABILITIES, loss=loss, sample_weight=weights)
    assert list(found) == close_to(list(parts))


@given(CASES, st.sampled_from(["brier", "log_loss"]))
def test_parts_of_losses_add_up_and_are_not_negative(cases, loss):
    probabilities, outcomes, weights = (np.array(column) for column in zip(*cases, strict=True))
    probabilities = (1 + probabilities) / 10
    found = metrics.loss_decomposition(outcomes, probabilities, loss=loss, sample_weight=weights)
    assert found.loss == close_to(found.miscalibration - found.discrimination + found.uncertainty, abs=1e-14)
    assert min(found) >= -1e-14
    repeated = metrics.loss_decomposition(outcomes.repeat(weights), probabilities.repeat(weights), loss=loss)
    assert list(found) == close_to(list(repeated), abs=1e-14)
    pools = metrics.isotonic_calibration_curve(outcomes, probabilities, sample_weight=weights)
    recalibrated = pools.prob_true[pools.high.searchsorted(probabilities)]
    again = metrics.loss_decomposition(outcomes, recalibrated, loss=loss, sample_weight=weights)
    assert again.miscalibration == close_to(0, abs=1e-14)
    assert again.discrimination == close_to(found.discrimination, abs=1e-14)


def test_losses_are_those_of_the_measures():
    for loss, measure in (("brier", metrics.brier_score_loss), ("log_loss", metrics.log_loss)):
        found = metrics.loss_decomposition(OUTCOMES, PROBABILITIES, loss=loss, sample_weight=WEIGHTS)
        assert found.loss == close_to(measure(OUTCOMES, PROBABILITIES, sample_weight=WEIGHTS))
    parts = metrics.brier_decomposition(OUTCOMES, PROBABILITIES, sample_weight=WEIGHTS)
    assert parts.brier == close_to(metrics.brier_score_loss(OUTCOMES, PROBABILITIES, sample_weight=WEIGHTS))
    of_one = metrics.brier_decomposition(OUTCOMES, PROBABILITIES.round(1), n_bins=20, strategy="uniform")
    assert of_one.within_bins == close_to(0, abs=1e-15)  # bins of one probability each


def test_an_isotonic_curve_names_its_pools():
    words = np.array(["no", "yes"])[OUTCOMES]
    curve = metrics.isotonic_calibration_curve(words, PROBABILITIES, pos_label="yes")
    assert curve == metrics.isotonic_calibration_curve(OUTCOMES, PROBABILITIES)
    assert curve.prob_true == close_to([0, 0.25, 0.5, 0.6, 0.75, 1])
    assert (curve.low[1], curve.high[1], curve.cases.sum()) == (0.15, 0.3, 20)
    assert curve.prob_true.dtype == curve.cases.dtype == np.float64


@given(CASES)
def test_parts_of_brier_scores_are_their_definitions(cases):
    probabilities, outcomes, weights = (np.array(column) for column in zip(*cases, strict=True))
    probabilities = probabilities / 8
    found = metrics.brier_decomposition(outcomes, probabilities, n_bins=4, sample_weight=weights)
    bins = np.maximum(np.ceil(probabilities * 4), 1)
    overall = np.average(outcomes, weights=weights)
    reliability = resolution = 0.0
    for each in np.unique(bins):
        own = bins == each
        mean, rate = (np.average(column[own], weights=weights[own]) for column in (probabilities, outcomes))
        fraction = weights[own].sum() / weights.sum()
        reliability += fraction * (mean - rate) ** 2
        resolution += fraction * (rate - overall) ** 2
    assert [found.reliability, found.resolution] == close_to([reliability, resolution], abs=1e-14)
    assert found.uncertainty == close_to(overall * (1 - overall), abs=1e-14)
    parts = found.reliability - found.resolution + found.uncertainty + found.within_bins
    assert found.brier == close_to(parts, abs=1e-14)


@every(
    ("error", "norm", "value"),
    (metrics.classwise_calibration_error, "l1", 0.18777777777777774),
    (metrics.classwise_calibration_error, "l2", 0.2155752425144993),
    (metrics.top_label_calibration_error, "l1", 0.2708333333333333),
    (metrics.top_label_calibration_error, "l2", 0.2839148444320742),
)
def test_errors_of_classes_are_those_of_uncertainty_calibration(error, norm, value):
    """Constants of `calibration.utils._get_ce` in uncertainty-calibration 0.1.4, 4 bins, without debiasing."""
    options = {"n_bins": 4, "strategy": "quantile", "norm": norm}
    assert error(CLASSES, OF_CLASSES, **options) == close_to(value)
    names = np.array(["ash", "elm", "oak"])
    assert error(names[CLASSES], OF_CLASSES, **options, labels=names) == close_to(value)
    assert error(np.eye(3, dtype=int)[CLASSES], OF_CLASSES, **options) == close_to(value)


@every("norm", ["l1", "l2", "max"])
@every("strategy", ["uniform", "quantile"])
def test_errors_of_classes_are_those_of_each_class_and_one_column_stands_for_two(norm, strategy):
    options = {"strategy": strategy, "norm": norm, "n_bins": 3}
    weights = np.array([1, 2, 0, 1, 3, 1, 2, 1, 1, 4, 1, 2])
    each = [
        metrics.expected_calibration_error(index == CLASSES, OF_CLASSES[:, index], sample_weight=weights, **options)
        for index in range(3)
    ]
    whole = {"l1": np.mean, "l2": lambda errors: np.sqrt(np.mean(np.square(errors))), "max": np.max}[norm](each)
    assert metrics.classwise_calibration_error(CLASSES, OF_CLASSES, sample_weight=weights, **options) == close_to(whole)
    top = OF_CLASSES.argmax(axis=1)
    options["sample_weight"] = weights
    of_top = metrics.expected_calibration_error(top == CLASSES, OF_CLASSES.max(axis=1), **options)
    assert metrics.top_label_calibration_error(CLASSES, OF_CLASSES, **options) == close_to(of_top)
    both = np.stack([1 - PROBABILITIES, PROBABILITIES], axis=1)
    for error in (metrics.classwise_calibration_error, metrics.top_label_calibration_error):
        assert error(OUTCOMES, PROBABILITIES) == close_to(error(OUTCOMES, both))
