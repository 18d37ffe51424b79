"""Assertions on models: when they fail, and what they and pytest then print."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from evalcore import inference
from evalcore.errors import EvaluationError
from evalcore.testing import assert_at_least, assert_not_worse
from tests.differences import check_refusals, every

RANDOM = np.random.default_rng(7)
LABELS = RANDOM.integers(0, 2, 600)
GOOD = np.clip(0.4 * LABELS + 0.6 * RANDOM.random(600), 0, 1)
LESS = np.clip(GOOD + 0.05 * RANDOM.normal(size=600), 0, 1)
POOR = RANDOM.random(600)
CARRIERS = np.where(np.arange(600) % 3, "UA", "AA")
MIXED = np.where(CARRIERS == "UA", GOOD, POOR)
"""Poor in one group alone."""


def message(assertion, *arguments, **asked):
    with pytest.raises(AssertionError) as failed:
        assertion(*arguments, **asked)
    return str(failed.value).splitlines()


@every("asked", [{}, {"level": None}, {"measure": "log_loss"}, {"margin": 0.01, "proven": True}, {"by": CARRIERS}])
def test_an_equal_model_and_a_better_one_are_not_worse(asked):
    assert_not_worse(LABELS, GOOD, GOOD, **asked)
    assert_not_worse(LABELS, POOR, GOOD, **asked)


@every(
    ("asked", "new", "fails"),
    ({}, POOR, True),
    ({"margin": 0.9}, POOR, False),
    ({"measure": "recall@0.5"}, POOR, True),
    ({"measure": "maximum_f1"}, POOR, True),
    ({"measure": "brier_score"}, POOR, True),
    ({"measure": "log_loss", "margin": 3.0}, POOR, False),
    ({"sample_weight": LABELS + 0.5}, POOR, True),
    ({"sample_weight": LABELS + 1, "weight_type": "frequency"}, POOR, True),
    ({"cluster": np.arange(600) // 3}, POOR, True),
    ({"margin": 0.01, "proven": True}, LESS, True),
    ({"margin": 0.05, "proven": True}, LESS, False),
    ({"margin": 0.05}, LESS, False),
    ({"margin": 0.2}, MIXED, False),
    ({"margin": 0.2, "by": CARRIERS}, MIXED, True),
    ({"margin": 0.2, "by": {"carrier": CARRIERS}, "min_cases": 300}, MIXED, False),
)
def test_a_model_is_worse_if_its_interval_proves_it_or_is_not_proven_otherwise(asked, new, fails):
    if fails:
        assert message(assert_not_worse, LABELS, GOOD, new, **asked)[0].startswith("new is ")
    else:
        assert_not_worse(LABELS, GOOD, new, **asked)


@every("measure", ["average_precision", "kappa@0.5", "maximum_f1"])
def test_a_perfect_model_on_few_cases_proves_nothing(measure):
    labels, old, new = [1, 1, 0, 0], [0.9, 0.8, 0.1, 0.2], [0.8, 0.9, 0.2, 0.1]
    assert_not_worse(labels, old, new, measure=measure, margin=0.001)
    said = message(assert_not_worse, labels, old, new, measure=measure, margin=0.001, proven=True)
    assert said[0] == "new is not proven not to be worse than old"
    assert said[1].startswith(f"  {measure}: old 1, new 1, change 0 ")
    assert message(assert_at_least, labels, new, 0.5, measure=measure, level=0.95, proven=True)[1].startswith(
        f"  {measure}: 1"
    )


def test_point_estimates_decide_without_a_level_and_rows_of_no_weight_are_absent():
    new = GOOD - 1e-3 * (np.arange(600) == np.flatnonzero(LABELS)[0])
    drop = inference.compare_roc_auc(LABELS, LESS, GOOD).difference
    assert_not_worse(LABELS, GOOD, LESS, margin=abs(drop) + 1e-9, level=None)
    assert message(assert_not_worse, LABELS, GOOD, LESS, margin=abs(drop) - 1e-9, level=None)
    assert_not_worse(LABELS, GOOD, new)
    weights = (CARRIERS == "UA").astype(float)
    assert_not_worse(LABELS, GOOD, MIXED, sample_weight=weights, by=CARRIERS, cluster=np.arange(600) // 5)
    assert message(assert_not_worse, LABELS, GOOD, MIXED, sample_weight=1 - weights)


@every("level", [None, 0.95])
@every("measure", ["roc_auc", "f1@0.5", "log_loss"])
def test_a_large_factor_of_weights_changes_no_message(measure, level):
    weights = 1 + np.arange(600) % 7
    small, large = (
        message(assert_not_worse, LABELS, GOOD, POOR, measure=measure, level=level, sample_weight=each, by=CARRIERS)
        for each in (weights.astype(float), weights * 2.0**900)
    )
    assert small == large


def test_the_message_has_values_interval_and_what_is_required():
    found = inference.compare_roc_auc(LABELS, GOOD, POOR)
    numbers = f"old {found.estimates[1]:.6g}, new {found.estimates[0]:.6g}, change {found.difference:.6g}"
    assert message(assert_not_worse, LABELS, GOOD, POOR, margin=0.01) == [
        "new is worse than old",
        f"  roc_auc: {numbers} [{found.low:.6g}, {found.high:.6g}]",
        "  required: a change of at least -0.01, or not certainly worse at level 0.95",
    ]
    assert message(assert_not_worse, LABELS, GOOD, POOR, measure="log_loss", margin=0.1, level=None)[2] == (
        "  required: a change of at most 0.1"
    )
    proven = message(assert_not_worse, LABELS, GOOD, LESS, margin=0.01, proven=True)
    assert proven[0] == "new is not proven not to be worse than old"
    assert proven[2] == "  required: a change of at least -0.01, proven at level 0.95"
    printed = inference.compare_roc_auc(LABELS, GOOD, LESS)
    assert proven[1].endswith(f"[{printed.low:.6g}, {printed.high:.6g}]")


def test_the_message_lists_the_worst_groups():
    lines = message(assert_not_worse, LABELS, GOOD, MIXED, margin=0.2, by={"carrier": CARRIERS})
    assert lines[0] == "new is worse than old in 1 of 2 groups"
    assert lines[3] == "  worst groups, intervals at level 0.975:"
    rows = CARRIERS == "AA"
    found = inference.compare_roc_auc(LABELS[rows], GOOD[rows], POOR[rows], level=0.975)
    assert lines[4:] == [
        f"    carrier=AA (200 cases): old {found.estimates[1]:.6g}, new {found.estimates[0]:.6g}, change"
        f" {found.difference:.6g} [{found.low:.6g}, {found.high:.6g}]"
    ]
    many = message(assert_not_worse, LABELS, GOOD, POOR, by=np.arange(600) % 12)
    assert many[0] == "new is worse than old"
    assert re.fullmatch(r"    by=\d+ \(50 cases\): old .*", many[4])
    assert re.fullmatch(r"    and \d more", many[-1])


@every(
    ("asked", "minimum", "fails"),
    ({}, 0.6, False),
    ({}, 0.999, True),
    ({"level": 0.95}, 0.999, True),
    ({"measure": "recall@0.3"}, 0.5, False),
    ({"measure": "recall@0.9"}, 0.5, True),
    ({"measure": "maximum_f1", "level": 0.9}, 0.5, False),
    ({"measure": "kappa@0.5", "level": 0.9}, 0.99, True),
    ({"cluster": np.arange(600) // 3, "level": 0.9, "proven": True}, 0.6, False),
    ({"sample_weight": LABELS + 0.5}, 0.6, False),
    ({"by": CARRIERS}, 0.6, False),
)
def test_a_measure_must_reach_its_minimum(asked, minimum, fails):
    if fails:
        assert message(assert_at_least, LABELS, GOOD, minimum, **asked)[0] == "scores are not good enough"
    else:
        assert_at_least(LABELS, GOOD, minimum, **asked)


def test_levels_decide_what_is_certain():
    area = inference.roc_auc_interval(LABELS, GOOD)
    between = (area.estimate + area.high) / 2
    assert_at_least(LABELS, GOOD, between, level=0.95)
    assert message(assert_at_least, LABELS, GOOD, between) == [
        "scores are not good enough",
        f"  roc_auc: {area.estimate:.6g} [{area.low:.6g}, {area.high:.6g}]",
        f"  required: at least {between}",
    ]
    below = (area.estimate + area.low) / 2
    assert_at_least(LABELS, GOOD, below)
    assert message(assert_at_least, LABELS, GOOD, below, level=0.95, proven=True)[2] == (
        f"  required: at least {below}, proven at level 0.95"
    )
    assert message(assert_at_least, LABELS, GOOD, 0.999, level=0.95)[2] == (
        "  required: at least 0.999, or not certainly less at level 0.95"
    )


def test_groups_must_reach_the_minimum_too():
    lines = message(assert_at_least, LABELS, MIXED, 0.7, by=CARRIERS)
    assert lines[0] == "scores are not good enough in 1 of 2 groups"
    rows = CARRIERS == "AA"
    area = inference.roc_auc_interval(LABELS[rows], POOR[rows], level=0.975)
    assert message(assert_at_least, LABELS, MIXED, 0.7, by=pd.Series(CARRIERS, name="carrier"))[4].startswith(
        "    carrier=AA (200 cases): "
    )
    assert lines[4:] == [f"    by=AA (200 cases): {area.estimate:.6g} [{area.low:.6g}, {area.high:.6g}]"]


REFUSED = [
    {"minimum": np.nan}, {"minimum": 0.5, "proven": True}, {"minimum": 0.5, "measure": "log_loss"},
    {"minimum": 0.5, "measure": "jaccard@0.5", "level": 0.95, "cluster": np.zeros(600)},
    {"minimum": 0.5, "measure": "precision@2"}, {"margin": -1.0}, {"cluster": np.zeros(600)},
    {"margin": np.nan}, {"margin": np.inf}, {"sample_weight": np.zeros(600)}, {"level": 95}, {"proven": True},
    {"proven": True, "margin": 1.0, "level": None}, {"measure": "partial_auc@0.1", "by": CARRIERS},
    {"weight_type": "size"},
    {"sample_weight": [1.0]}, {"cluster": [1]}, {"by": CARRIERS[:, np.newaxis]}, {"by": {"carrier": ["UA"]}},
    {"new": [0.5]}, {"pos_label": 7}, {"measure": "precision@2"},
    {"minimum": 0.5, "y_true": [], "y_score": [], "sample_weight": np.zeros(0, np.bool_)},
    {"minimum": 0.5, "y_true": [], "y_score": [], "by": np.array([], object)},
    {"y_true": [], "old": [], "new": [], "by": {"day": np.array([], str), "size": np.array([], complex)}},
]  # fmt: skip


def test_invalid_input_is_no_assertion():
    def ask(asked):
        of_one, of_two = (assert_at_least, {"y_score": GOOD}), (assert_not_worse, {"old": GOOD, "new": LESS})
        assertion, given = of_one if "minimum" in asked else of_two
        assertion(**{"y_true": LABELS, **given, **asked})

    check_refusals("testing/outputs/refused.txt", ask, REFUSED)
    with pytest.raises(EvaluationError, match=r"^measure must be one of .* got 'roc_aera'; did you mean 'roc_auc'"):
        ask({"measure": "roc_aera"})


@pytest.mark.process
def test_pytest_shows_the_line_of_the_test_and_the_message(tmp_path):
    (tmp_path / "test_model.py").write_text(
        "from evalcore.testing import assert_at_least\n\n\ndef test_model():\n"
        "    assert_at_least([1, 0, 1, 0], [0.1, 0.9, 0.2, 0.3], 0.7)\n\n\ndef test_error():\n"
        "    assert_at_least([1, 0, 1, 0], [0.1, 0.9, 0.2], 0.7)\n"
    )
    (tmp_path / "none.ini").write_text("[pytest]\n")
    command = f"-m pytest -p no:cacheprovider -c {tmp_path / 'none.ini'} {tmp_path}".split()
    run = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert ">       assert_at_least([1, 0, 1, 0]".replace("    ", " ") in run.stdout.replace("    ", " ")
    assert re.search(r"E +AssertionError: scores are not good enough", run.stdout)
    assert re.search(r"E +required: at least 0.7", run.stdout)
    assert re.search(r"E +evalcore.errors.EvaluationError: y_true and y_score must be equally long", run.stdout)
    assert set(re.findall(r"\w+\.py", run.stdout)) == {"test_model.py"}


def test_a_group_without_a_value_is_refused():
    labels, scores, groups = [1, 0, 1, 1], [0.9, 0.1, 0.8, 0.7], ["a", "a", "b", "b"]
    message = (
        r"^roc_auc must be defined in every group, got nan in by=b; leave out small groups \(min_cases=N\), "
        "or pass another measure$"
    )
    with pytest.raises(EvaluationError, match=message):
        assert_not_worse(labels, scores, scores, by=groups)
    with pytest.raises(EvaluationError, match=message):
        assert_at_least(labels, scores, 0.5, by=groups)


@every("column", ["old", "new", "by", "sample_weight", "cluster"])
def test_columns_of_pandas_must_have_one_index(column):
    columns = {"y_true": LABELS, "old": GOOD, "new": GOOD, "by": CARRIERS, "sample_weight": GOOD, "cluster": CARRIERS}
    columns = {name: pd.Series(values) for name, values in columns.items()}
    assert_not_worse(**columns)
    columns[column] = columns[column][::-1]
    with pytest.raises(EvaluationError, match=rf"^{column}.* must have the same index as y_true; align"):
        assert_not_worse(**columns)
