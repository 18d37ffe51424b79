"""Calibration in reports with intervals is that of the functions of inference."""

import numpy as np
import pytest

from evalcore import EvaluationError, evaluate
from evalcore.inference import calibration_error_interval, logistic_calibration
from evalcore.report.statistics.calibrations import CALIBRATION

RANDOM = np.random.default_rng(6)
LATE = RANDOM.random(500) < 0.3
COLUMNS = {
    "late": LATE.astype(np.int64),
    "p": np.round(1 / (1 + np.exp(-RANDOM.normal(2 * LATE - 1.5))), 3).clip(0.001, 0.999),
    "q": RANDOM.uniform(0.01, 0.99, 500).astype(np.float32),
    "margin": RANDOM.normal(LATE),
    "sure": LATE * 1.0,
    "site": RANDOM.integers(0, 3, 500),
    "w": np.round(RANDOM.random(500) * 4, 1) + 0.1,
    "times": RANDOM.integers(1, 4, 500),
    "day": RANDOM.integers(0, 40, 500),
}
PLAIN = {"label": "late", "score": ["p", "q"], "ci": 0.9}
ASKED = PLAIN | {"measures": CALIBRATION}


def items_of(report, model):
    return {item.name: item for item in report.sections[0].records[model] if item.name in CALIBRATION}


def check(found, expected):
    for name, interval in expected.items():
        assert found[name].value == found[name].interval.estimate
        assert [*found[name].interval] == pytest.approx([*interval], rel=1e-9)
        assert found[name].interval.method == interval.method
    assert [*found] == [*expected]


def expected_of(model, rows=slice(None), **weights):
    y, p = COLUMNS["late"][rows], COLUMNS[model][rows]
    found = logistic_calibration(y, p, level=0.9, **weights)
    return dict(zip(CALIBRATION, (found.slope, found.intercept, found.in_the_large), strict=False))


@pytest.mark.parametrize("models", [["p"], ["p", "q"]])
def test_it_is_that_of_the_functions_of_inference(models):
    report = evaluate(COLUMNS, **{**ASKED, "score": models})
    for model in models:
        error = calibration_error_interval(COLUMNS["late"], COLUMNS[model], level=0.9)
        check(items_of(report, model), expected_of(model) | {"debiased_calibration_error": error})


def test_frequencies_are_repeated_cases():
    report = evaluate(COLUMNS, **ASKED, weight="times", weight_type="frequency")
    rows = np.arange(500).repeat(COLUMNS["times"])
    error = calibration_error_interval(COLUMNS["late"][rows], COLUMNS["p"][rows], level=0.9)
    check(items_of(report, "p"), expected_of("p", rows) | {"debiased_calibration_error": error})


def test_sampling_weights_have_slopes_alone():
    report = evaluate(COLUMNS, **PLAIN, measures=CALIBRATION[:3], weight="w")
    check(items_of(report, "q"), expected_of("q", sample_weight=COLUMNS["w"]))


def test_they_are_there_by_name_alone_as_they_take_half_as_long_as_all_others():
    assert not items_of(evaluate(COLUMNS, **PLAIN), "p")


def test_reports_without_intervals_by_group_and_of_a_known_prevalence_have_none():
    for asked in ({"ci": None}, {"by": "site"}, {"target_prevalence": 0.1}):
        with pytest.raises(
            EvaluationError, match=r"'calibration_slope' .* it needs ci, no by, and no target_prevalence"
        ):
            evaluate(COLUMNS, **{**PLAIN, **asked}, measures="calibration_slope")
    with pytest.raises(EvaluationError, match="it needs ci, no by, and no weights but frequencies"):
        evaluate(COLUMNS, **PLAIN, weight="w", measures="debiased_calibration_error")


def test_a_report_may_hold_them_alone():
    assert [*evaluate(COLUMNS, **PLAIN, compare="none", measures=["calibration_slope"])["p"]] == [
        "cases", "positives", "calibration_slope",
    ]  # fmt: skip


def test_clusters_leave_the_bounds_out():
    found = items_of(evaluate(COLUMNS, **ASKED, cluster="day"), "p")
    assert {item.interval for item in found.values()} == {None}
    assert {name: item.value for name, item in found.items()} == {
        name: item.value for name, item in items_of(evaluate(COLUMNS, **ASKED), "p").items()
    }


@pytest.mark.parametrize("model", ["margin", "sure"])
def test_what_has_no_logit_has_no_slope(model):
    found = items_of(evaluate(COLUMNS, **ASKED | {"score": [model, "p"]}), model)
    assert np.isnan([found[name].value for name in CALIBRATION[:3]]).all()
    assert found["debiased_calibration_error"].value == pytest.approx(0 if model == "sure" else np.nan, nan_ok=True)
    assert [*found] == [*CALIBRATION]
