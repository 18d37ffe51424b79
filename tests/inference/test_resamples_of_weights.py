"""Resamples of weighted cases: measures of weights times draws, and of rows that frequencies stand for."""

import re

import numpy as np
import pytest

from evalcore import metrics
from evalcore.errors import EvaluationError, UndefinedMetricWarning
from evalcore.inference import bootstrap_comparison, bootstrap_interval, bootstrap_intervals
from evalcore.inference.point_measures import parse_measure
from evalcore.inference.resampled_measures import measure_without_rows
from evalcore.inference.resampled_models import resampled_models
from evalcore.kernels.draws import draw_repeated
from tests.differences import every

close = pytest.approx
MEASURES = {
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "ks": metrics.ks_statistic,
    "precision@1": lambda y_true, y_score, sample_weight: metrics.precision_score(
        y_true, y_score >= 1, sample_weight=sample_weight
    ),
    "f1@0": lambda y_true, y_score, sample_weight: metrics.f1_score(y_true, y_score >= 0, sample_weight=sample_weight),
}


def made(size=60, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(size) < 0.4
    return y_true, np.round(rng.normal(size=size) + y_true, 1), rng.lognormal(size=size)


def frequencies(size=60):
    return np.random.default_rng(9).integers(0, 4, size)


@every("name", MEASURES)
def test_a_resample_has_the_measures_of_weights_times_draws(name):
    y_true, y_score, weights = made()
    draws = np.random.default_rng(1).integers(0, 3, 60)
    found = resampled_models(y_true, {"y_score": y_score}, [parse_measure(name)], sample_weight=weights)
    ranked = np.argsort(-y_score, kind="stable")
    numbering = np.concatenate([ranked[y_true[ranked]], ranked[~y_true[ranked]]])
    expected = MEASURES[name](y_true, y_score, sample_weight=weights * draws)
    assert found.measured(draws[numbering])[0, 0] == close(expected, abs=2e-14)
    assert found.estimates[0, 0] == close(MEASURES[name](y_true, y_score, sample_weight=weights), abs=2e-14)


@every("options", [{}, {"stratify": True}, {"method": "bca"}, {"cluster": np.arange(60) // 3}])
def test_equal_weights_draw_what_none_draw(options):
    y_true, y_score, _ = made()
    options = {"resamples": 60, "seed": 1, **options}
    expected = bootstrap_interval(y_true, y_score, **options)
    assert bootstrap_interval(y_true, y_score, sample_weight=np.full(60, 0.3), **options) == expected
    some = np.arange(60) % 6 != 0
    rest = {name: value[some] if name == "cluster" else value for name, value in options.items()}
    expected = bootstrap_interval(y_true[some], y_score[some], **rest)
    assert bootstrap_interval(y_true, y_score, sample_weight=0.3 * some, **options) == expected


@every("options", [{}, {"stratify": True}, {"method": "bca"}, {"cluster": np.arange(60) // 3}])
@every("name", ["roc_auc", "f1@0"])
def test_names_and_functions_have_the_same_weighted_intervals(name, options):
    y_true, y_score, weights = made()
    options = {"resamples": 40, "seed": 1, **options}
    for weight in ({"sample_weight": weights}, {"sample_weight": frequencies(), "weight_type": "frequency"}):
        both = bootstrap_intervals(y_true, y_score, [name, MEASURES[name]], **options, **weight)
        named, called = both.values()
        assert [called.estimate, called.low, called.high] == close([named.estimate, named.low, named.high], abs=1e-13)


def test_a_common_factor_changes_nothing():
    y_true, y_score, weights = made()
    expected = bootstrap_interval(y_true, y_score, sample_weight=weights, resamples=60, seed=1)
    for factor in (1e-250, 1e250):
        found = bootstrap_interval(y_true, y_score, sample_weight=factor * weights, resamples=60, seed=1)
        assert [found.estimate, found.low, found.high] == close([expected.estimate, *expected], rel=1e-12)


@every("method", ["percentile", "bca"])
@every("stratify", [False, True])
def test_frequencies_have_the_bounds_of_repeated_rows(method, stratify):
    y_true, y_score, _ = made()
    options = {"method": method, "stratify": stratify, "resamples": 400, "seed": 2}
    found = bootstrap_interval(y_true, y_score, sample_weight=frequencies(), weight_type="frequency", **options)
    repeated = bootstrap_interval(y_true.repeat(frequencies()), y_score.repeat(frequencies()), **options)
    assert found.estimate == repeated.estimate
    assert [found.low, found.high] == close([repeated.low, repeated.high], abs=0.03)


@every("strata", [np.zeros(60, int), np.arange(60) % 3])
def test_as_many_rows_are_drawn_as_cases_stand_for(strata):
    rows, generator = frequencies(), np.random.default_rng(3)
    draw = draw_repeated(rows, strata, int(strata.max()) + 1)
    draws = np.array([draw(generator) for _ in range(2000)])
    for stratum in np.unique(strata):
        assert (draws[:, strata == stratum].sum(axis=1) == rows[strata == stratum].sum()).all()
    assert draws.mean(axis=0) == close(rows, abs=0.15)
    assert draws.var(axis=0) == close(rows, abs=0.5)  # as Poisson's, nearly
    assert not draws[:, rows == 0].any()


@every("strata", [np.zeros(5, int), np.array([0, 0, 1, 1, 1])])
def test_each_row_is_left_out_with_one_block(strata):
    rows = np.array([100, 300, 0, 50, 250])
    left = measure_without_rows(lambda counts: rows - counts, rows, np.random.default_rng(4), strata)
    assert (left.sum(axis=0) == rows).all()
    assert (left >= 0).all()
    for stratum in np.unique(strata):
        sizes = left[:, strata == stratum].sum(axis=1)
        assert sizes.max() - sizes.min() <= 1


def test_a_positive_row_that_stands_for_several_varies():
    y_true, y_score = [True, False, False, False], [0.5, 0.3, 0.6, 0.7]
    with pytest.warns(UndefinedMetricWarning, match="one positive case alone does not vary"):
        found = bootstrap_interval(y_true, y_score, sample_weight=[3, 1, 2, 1], stratify=True, resamples=40, seed=0)
    assert np.isnan(found.low)
    found = bootstrap_interval(
        y_true, y_score, sample_weight=[3, 1, 2, 1], weight_type="frequency", stratify=True, resamples=40, seed=0
    )
    assert found.low < found.high


def test_models_are_compared_by_their_weights():
    y_true, first, weights = made()
    second = made(seed=2)[1]
    found = bootstrap_comparison(y_true, first, second, sample_weight=weights, resamples=100, seed=1)
    areas = [metrics.roc_auc_score(y_true, scores, sample_weight=weights) for scores in (first, second)]
    assert found.estimates == close(areas, abs=1e-13)
    assert found.low < found.difference < found.high


def no_weights(y_true, y_score):
    return float(np.mean(y_true == (y_score > 0)))


def test_functions_without_weights_get_repeated_rows_of_frequencies_alone():
    y_true, y_score, weights = made()
    found = bootstrap_interval(
        y_true, y_score, no_weights, sample_weight=frequencies(), weight_type="frequency", resamples=40, seed=0
    )
    assert found.estimate == no_weights(y_true.repeat(frequencies()), y_score.repeat(frequencies()))
    message = "measure must take sample_weight where cases have sampling weights, got <function no_weights"
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}.*; give it that argument$"):
        bootstrap_interval(y_true, y_score, no_weights, sample_weight=weights)
