"""Calibration, net benefit and fractions in reports have the numbers and intervals of the functions of inference."""

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from evalcore import PrecisionRecallEvaluation, ScoredPrecisionRecallEvaluation, evaluate
from evalcore.cli import main
from evalcore.document.shown import interval_methods
from evalcore.evaluation.answers import interval_by
from evalcore.evaluation.options import PROPORTION_METHODS
from evalcore.evaluation.statistics.scores import CALIBRATION
from evalcore.inference import (
    debiased_calibration_error_interval,
    decision_curve,
    logistic_calibration,
    proportion_interval,
)
from evalcore.inference.intervals import _PROPORTION_METHODS
from tests.differences import check_refusals, every

RANDOM = np.random.default_rng(6)
LATE = RANDOM.random(500) < 0.3
CASES = {
    "late": LATE.astype(np.int64),
    "p": np.round(1 / (1 + np.exp(-RANDOM.normal(2 * LATE - 1.5))), 3).clip(0.001, 0.999),
    "q": RANDOM.uniform(0.01, 0.99, 500).astype(np.float32),
    "margin": RANDOM.normal(LATE),
    "sure": LATE * 1.0,
    "site": RANDOM.integers(0, 3, 500),
    "w": np.round(RANDOM.random(500) * 4, 1) + 0.1,
    "times": RANDOM.integers(1, 4, 500),
    "day": RANDOM.integers(0, 40, 500),
    "said": LATE ^ (RANDOM.random(500) < 0.2),
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
    y, p = CASES["late"][rows], CASES[model][rows]
    found = logistic_calibration(y, p, level=0.9, **weights)
    return dict(zip(CALIBRATION, (found.slope, found.intercept, found.in_the_large), strict=False))


@every("models", [["p"], ["p", "q"]])
def test_it_is_that_of_the_functions_of_inference(models):
    report = evaluate(CASES, **{**ASKED, "score": models})
    for model in models:
        error = debiased_calibration_error_interval(CASES["late"], CASES[model], level=0.9)
        check(items_of(report, model), expected_of(model) | {"debiased_calibration_error": error})


def test_frequencies_are_repeated_cases_and_sampling_weights_have_slopes_alone():
    report = evaluate(CASES, **ASKED, weight="times", weight_type="frequency")
    rows = np.arange(500).repeat(CASES["times"])
    error = debiased_calibration_error_interval(CASES["late"][rows], CASES["p"][rows], level=0.9)
    check(items_of(report, "p"), expected_of("p", rows) | {"debiased_calibration_error": error})
    report = evaluate(CASES, **PLAIN, measures=CALIBRATION[:3], weight="w")
    check(items_of(report, "q"), expected_of("q", sample_weight=CASES["w"]))


def test_they_are_there_by_name_alone_with_clusters_too():
    assert not items_of(evaluate(CASES, **PLAIN), "p")
    assert [*evaluate(CASES, **PLAIN, compare="none", measures=["calibration_slope"])["p"]] == [
        "cases", "positives", "calibration_slope",
    ]  # fmt: skip
    report = evaluate(CASES, **ASKED, cluster="day")
    found, error = items_of(report, "p"), items_of(evaluate(CASES, **ASKED), "p")["debiased_calibration_error"].value
    assert np.isnan([*found["debiased_calibration_error"].interval]).all()
    assert found.pop("debiased_calibration_error").value == error
    check(found, expected_of("p", cluster=CASES["day"]))
    assert report.notes[-1] == "clusters leave debiased_calibration_error without an interval"


def test_groups_have_what_their_rows_alone_have():
    report = evaluate(CASES, **{**ASKED, "score": "p"}, by="site")
    for site in range(3):
        rows = CASES["site"] == site
        found = {item.name: item for item in report.sections[0].records[str(site)] if item.name in CALIBRATION}
        error = debiased_calibration_error_interval(CASES["late"][rows], CASES["p"][rows], level=0.9)
        check(found, expected_of("p", rows) | {"debiased_calibration_error": error})


@every("model", ["margin", "sure"])
def test_what_has_no_logit_has_no_slope(model):
    found = items_of(evaluate(CASES, **ASKED | {"score": [model, "p"]}), model)
    assert np.isnan([found[name].value for name in CALIBRATION[:3]]).all()
    assert found["debiased_calibration_error"].value == pytest.approx(0 if model == "sure" else np.nan, nan_ok=True)
    assert [*found] == [*CALIBRATION]


THRESHOLDS = {"label": "late", "score": ["p", "q"], "threshold": [0.2, 0.6], "ci": 0.9}


def item_of(report, section, record, name="net_benefit"):
    found = next(each for each in report.sections if each.name == section)
    return next(item for item in found.records[record] if item.name == name)


def check_benefit(item, rows, model, threshold, **options):
    curve = decision_curve(CASES["late"][rows], CASES[model][rows], [threshold], level=0.9, **options)
    expected = curve.net_benefit[0], curve.low[0], curve.high[0]
    assert (item.value, *item.interval) == pytest.approx((expected[0], *expected[1:]), rel=1e-12, abs=1e-15)


@every(
    ("asked", "options"),
    ({}, {}),
    ({"weight": "w"}, {"sample_weight": CASES["w"]}),
    ({"weight": "times", "weight_type": "frequency"}, {"sample_weight": CASES["times"],
                                                       "weight_type": "frequency"}),
    ({"target_prevalence": 0.05}, {"target_prevalence": 0.05}),
    ({"weight": "w", "target_prevalence": 0.05}, {"sample_weight": CASES["w"], "target_prevalence": 0.05}),
)  # fmt: skip
def test_net_benefits_and_their_intervals_are_those_of_decision_curves(asked, options):
    report = evaluate(CASES, **THRESHOLDS, **asked)
    for model in ("p", "q"):
        check_benefit(item_of(report, "scores", model), slice(None), model, 0.2, **options)
        check_benefit(item_of(report, "threshold 0.6", model), slice(None), model, 0.6, **options)


def test_a_known_prevalence_is_not_that_of_a_group_nor_goes_with_calibration():
    report = evaluate(CASES, **THRESHOLDS, by="site", target_prevalence=0.05)
    total = item_of(report, "p", "total")
    check_benefit(total, slice(None), "p", 0.2, target_prevalence=0.05)
    factors = [0.05 / LATE.mean(), 0.95 / (1 - LATE.mean())]
    rows = np.flatnonzero(CASES["site"] == 1)
    check_benefit(item_of(report, "p", "1"), rows, "p", 0.2, sample_weight=np.where(LATE, *factors)[rows])


def test_scores_that_are_no_probabilities_and_other_thresholds_have_none():
    report = evaluate(CASES, label="late", score=["p", "margin"], threshold=[0.5, 1.5], ci=0.9)
    assert math.isnan(item_of(report, "scores", "margin").value)
    assert item_of(report, "scores", "margin").interval is item_of(report, "threshold 1.5", "p").interval is None
    assert item_of(report, "scores", "p").interval
    assert "net_benefit" not in evaluate(CASES, label="late", score="p", threshold=1.5)["p"]
    target = evaluate(CASES, label="late", score="p", threshold_for={"precision": 1.1 - 0.1, "recall": 0.5})
    assert 0 < target["threshold for recall=0.5"]["net_benefit"] < 1
    assert [*evaluate(CASES, label="late", score="p", threshold=0.5, measures="net_benefit")["p"]] == [
        "cases", "positives", "threshold", "net_benefit",
    ]  # fmt: skip


OTHERS = PROPORTION_METHODS[1:]


def test_fractions_that_are_not_defined_have_no_bounds():
    assert tuple(_PROPORTION_METHODS) == PROPORTION_METHODS
    report = evaluate(CASES, label="late", score="margin", threshold=99, ci=0.9, proportion_method="clopper-pearson")
    assert np.isnan(intervals(report.sections[0].records["margin"])["precision"].low)


@given(st.integers(1, 10**12), st.floats(0, 1), st.sampled_from(OTHERS), st.sampled_from([0.5, 0.95, 0.999]))
def test_bounds_by_wilson_tell_the_trials(trials, fraction, method, level):
    successes = min(round(fraction * trials), trials)
    found = interval_by(proportion_interval(successes, trials, level=level), method)
    assert [*found] == pytest.approx([*proportion_interval(successes, trials, level=level, method=method)], rel=1e-7)
    assert found.method == method


def intervals(items):
    return {item.name: item.interval for item in items if item.interval is not None}


def test_outputs_say_which_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(CASES), "cases.parquet")
    note = "intervals of fractions are Clopper and Pearson's"
    report = evaluate(CASES, label="late", score="margin", ci=0.95, proportion_method="clopper-pearson")
    assert note in report.notes
    assert report.question.described()["Intervals of fractions"] == "clopper-pearson"
    assert "clopper-pearson: prevalence" in interval_methods(report.sections)
    weighted = evaluate(CASES, label="late", score="margin", ci=0.95, proportion_method="clopper-pearson", weight="w")
    assert note in weighted.notes
    assert "Wilson" not in " ".join(weighted.notes)
    asked = ["report", "cases.parquet", "--label", "late", "--predicted", "said", "--ci", "0.95"]
    (tmp_path / "evalcore.toml").write_text('proportion-method = "clopper-pearson"\n')
    outcome = CliRunner().invoke(main, [*asked, "--format", "json", "--config", "evalcore.toml"], prog_name="evalcore")
    assert "evalcore.toml sets --proportion-method clopper-pearson" in outcome.stderr
    found = json.loads(outcome.stdout)
    assert found["proportion_method"] == "clopper-pearson"
    assert note in found["notes"]


def test_what_changes_nothing_or_is_not_in_a_report_is_refused():
    check_refusals("document/outputs/refused_intervals.txt", lambda asked: evaluate(CASES, **{**PLAIN, **asked}), [
        {"ci": None, "proportion_method": "normal"}, {"proportion_method": "wald"},
        *({**asked, "measures": "calibration_slope"} for asked in ({"ci": None}, {"target_prevalence": 0.1})),
        {"weight": "w", "measures": "debiased_calibration_error"}, {"threshold": 1.5, "measures": "net_benefit"},
    ])  # fmt: skip


NAMED = {
    "tp": "truePositive", "fn": "falseNegative", "fp": "falsePositive", "tn": "trueNegative",
    "negative_predictive_value": "rejectionPrecision", "phi_squared": "phiSquared", "chi_squared": "chiSquared",
    "yules_q": "yulesQ",
}  # fmt: skip
"""What evaluations call the numbers of decisions."""


def test_numbers_of_ranks_and_of_decisions_are_those_of_evaluations():
    found, margin = evaluate(CASES, label="late", score="margin", threshold=0.5)["margin"], CASES["margin"]
    ranking = ScoredPrecisionRecallEvaluation()
    ranking.addCases(LATE, margin)
    expected = {"break_even_point": ranking.prBreakevenPoint(), "r_precision": ranking.rPrecision(),
                "reciprocal_rank": ranking.reciprocalRank()}  # fmt: skip
    expected |= {f"precision_at_{depth}": ranking.precisionAt(depth) for depth in (5, 10, 100)}
    called = PrecisionRecallEvaluation.fromCases(LATE, margin >= 0.5)
    expected |= {name: getattr(called, method)() for name, method in NAMED.items()}
    best = PrecisionRecallEvaluation.fromCases(LATE, margin >= found["maximum_f1_threshold"])
    expected |= {"maximum_f1": best.fMeasure(), "threshold": 0.5}
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
