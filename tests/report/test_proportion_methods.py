"""Fractions of reports have the interval that is asked for: that of the functions with the same method."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError, evaluate
from evalcore.cli import main
from evalcore.inference import (
    accuracy_interval,
    precision_interval,
    prevalence_interval,
    proportion_interval,
    recall_interval,
    roc_auc_interval,
)
from evalcore.inference.proportions import _PROPORTION_METHODS
from evalcore.report.answers import interval_by
from evalcore.report.catalogue import interval_methods
from evalcore.report.options import PROPORTION_METHODS

GENERATOR = np.random.default_rng(4)
LATE = (GENERATOR.random(120) < 0.4).astype(int)
TABLE = {
    "late": LATE,
    "a": LATE + GENERATOR.normal(size=120),
    "said": LATE ^ (GENERATOR.random(120) < 0.2),
    "site": np.where(np.arange(120) % 3, "x", "y"),
    "day": GENERATOR.integers(0, 15, 120),
    "w": GENERATOR.random(120) + 0.5,
    "n": GENERATOR.integers(1, 4, 120),
}
OTHERS = PROPORTION_METHODS[1:]


def test_the_names_are_those_of_the_function():
    assert tuple(_PROPORTION_METHODS) == PROPORTION_METHODS


@given(st.integers(1, 10**12), st.floats(0, 1), st.sampled_from(OTHERS), st.sampled_from([0.5, 0.95, 0.999]))
def test_bounds_by_wilson_tell_the_trials(trials, fraction, method, level):
    successes = min(round(fraction * trials), trials)
    found = interval_by(proportion_interval(successes, trials, level=level), method)
    assert [*found] == pytest.approx([*proportion_interval(successes, trials, level=level, method=method)], rel=1e-7)
    assert found.method == method


def intervals(items):
    return {item.name: item.interval for item in items if item.interval is not None}


@pytest.mark.parametrize("method", OTHERS)
@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ({}, {}),
        ({"weight": "w"}, {"sample_weight": TABLE["w"]}),
        ({"weight": "n", "weight_type": "frequency"}, {"sample_weight": TABLE["n"], "weight_type": "frequency"}),
        ({"cluster": "day"}, {"cluster": TABLE["day"]}),
    ],
)
def test_fractions_have_the_interval_of_the_function(method, asked, given):
    report = evaluate(TABLE, label="late", score="a", threshold=0.5, ci=0.9, proportion_method=method, **asked)
    found, decided = intervals(report.sections[0].records["a"]), (TABLE["a"] >= 0.5).astype(int)
    own = {"level": 0.9, "method": method, **given}
    functions = {"accuracy": accuracy_interval, "recall": recall_interval, "precision": precision_interval}
    for name, function in functions.items():
        assert [*found[name]] == pytest.approx([*function(LATE, decided, **own)], rel=1e-9)
        assert found[name].method == method
    assert [*found["prevalence"]] == pytest.approx([*prevalence_interval(LATE, **own)], rel=1e-9)
    area = roc_auc_interval(LATE, TABLE["a"], level=0.9, **given)
    assert [*found["roc_area"]] == pytest.approx([*area], rel=1e-9)


@pytest.mark.parametrize("method", OTHERS)
def test_groups_and_classes_have_it_too(method):
    of_groups = evaluate(TABLE, label="late", score="a", threshold=0.5, ci=0.9, by="site", proportion_method=method)
    rows = TABLE["site"] == "y"
    expected = accuracy_interval(LATE[rows], (TABLE["a"] >= 0.5)[rows].astype(int), level=0.9, method=method)
    assert [*intervals(of_groups.sections[0].records["y"])["accuracy"]] == pytest.approx([*expected], rel=1e-9)
    of_classes = evaluate(TABLE, label="late", predicted="said", ci=0.9, proportion_method=method)
    expected = accuracy_interval(LATE, TABLE["said"], level=0.9, method=method)
    assert [*intervals(of_classes.sections[0].records[""])["micro_f1"]] == pytest.approx([*expected], rel=1e-9)


def test_undefined_fractions_stay_without_bounds():
    report = evaluate(TABLE, label="late", score="a", threshold=99, ci=0.9, proportion_method="clopper-pearson")
    assert np.isnan(intervals(report.sections[0].records["a"])["precision"].low)


def test_outputs_say_which_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table(TABLE), "cases.parquet")
    note = "intervals of fractions are Clopper and Pearson's"
    report = evaluate(TABLE, label="late", score="a", ci=0.95, proportion_method="clopper-pearson")
    assert note in report.notes
    assert report.question.described()["Intervals of fractions"] == "clopper-pearson"
    assert "Clopper and Pearson: prevalence" in interval_methods(report.sections)
    weighted = evaluate(TABLE, label="late", score="a", ci=0.95, proportion_method="clopper-pearson", weight="w")
    assert note in weighted.notes
    assert "Wilson" not in " ".join(weighted.notes)
    asked = ["report", "cases.parquet", "--label", "late", "--predicted", "said", "--ci", "0.95"]
    (tmp_path / "evalcore.toml").write_text('proportion-method = "clopper-pearson"\n')
    outcome = CliRunner().invoke(main, [*asked, "--format", "json", "--config", "evalcore.toml"], prog_name="evalcore")
    assert "evalcore.toml sets --proportion-method clopper-pearson" in outcome.stderr
    found = json.loads(outcome.stdout)
    assert found["proportion_method"] == "clopper-pearson"
    assert note in found["notes"]


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"ci": None}, "proportion_method needs ci, the level of the intervals"),
        (
            {"proportion_method": "wald"},
            "proportion_method must be one of wilson, clopper-pearson, jeffreys, agresti-coull, normal, got 'wald'",
        ),
    ],
)
def test_it_is_refused_where_it_changes_nothing(asked, error):
    with pytest.raises(EvaluationError, match=f"^{error}$"):
        evaluate(TABLE, **{"label": "late", "score": "a", "ci": 0.95, "proportion_method": "normal", **asked})
