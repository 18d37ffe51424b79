"""Several thresholds, and thresholds that reach a target: in records, groups, summaries, and errors."""

import csv
import io
import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef, precision_score, recall_score

import evalcore
from evalcore.batched.files import answer_files
from evalcore.cli import main
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.metrics import threshold_at
from evalcore.report.asked_thresholds import Target
from evalcore.report.progress import Bar
from evalcore.report.question import Question
from evalcore.report.records import number_rows
from tests.differences import every

RANDOM = np.random.default_rng(22)
LATE = RANDOM.random(600) < 0.3
COLUMNS = {
    "late": LATE.astype(np.int64),
    "a": np.round(RANDOM.normal(LATE * 1.0, 1.0), 1),
    "b": RANDOM.random(600).astype(np.float32),
    "month": RANDOM.integers(1, 4, 600),
}
ASKED = {"label": "late", "score": ["a", "b"]}
TARGETS = {"precision": 0.6, "recall": [0.5, 0.9], "specificity": 0.9, "fpr": 0.05, "flagged": 0.1}


@pytest.fixture
def path(tmp_path):
    name = tmp_path / "flights.parquet"
    pq.write_table(pa.table({**COLUMNS, "late": LATE}), name)
    return str(name)


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_INTERVALS", 1 << 10)
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_WAITING", 1 << 14)
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)


def command(path, *more):
    found = CliRunner().invoke(main, ["report", path, "--label", "late", *more], prog_name="evalcore")
    assert found.exit_code == 0, found.stderr
    return found.stdout


def test_one_threshold_has_the_names_that_it_always_had():
    one, several = (evalcore.evaluate(COLUMNS, **ASKED, threshold=each, ci=0.9) for each in (0.5, [0.5, 0.25]))
    assert evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5], ci=0.9) == one
    rows = list(number_rows(several.sections))
    assert repr(rows[: len(list(number_rows(one.sections)))]) == repr(list(number_rows(one.sections)))
    assert list(several.to_dict()) == ["scores", "comparisons", "threshold 0.25", "notes"]


@every("given", [[0.5, 0.25], (0.5, 0.25), np.array([0.5, 0.25]), [np.float32(0.5), np.float64(0.25)]])
def test_thresholds_come_in_any_sequence_and_kind_of_number(given):
    expected = evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5, 0.25])
    assert evalcore.evaluate(COLUMNS, **ASKED, threshold=given).to_json() == expected.to_json()


def test_each_further_threshold_has_a_section_whose_numbers_are_those_of_scikit_learn():
    report = evalcore.evaluate(COLUMNS, **ASKED, threshold=[2, 0.5, 0.25])
    for name in ("a", "b"):
        for threshold in (0.5, 0.25):
            predicted, found = COLUMNS[name] >= threshold, report[f"threshold {threshold}", name]
            assert found["threshold"] == threshold
            assert found["precision"] == precision_score(LATE, predicted)
            assert found["recall"] == recall_score(LATE, predicted)
            assert found["f1"] == pytest.approx(f1_score(LATE, predicted), rel=1e-15)
            assert found["matthews_correlation"] == pytest.approx(matthews_corrcoef(LATE, predicted), rel=1e-12)
    assert report["a"]["threshold"] == 2  # other names mean what they mean with one threshold


def test_a_further_threshold_has_the_statistics_and_intervals_of_a_first_one():
    several = evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5, 0.25], costs=(1, 5), by="month", ci=0.9)
    alone = evalcore.evaluate(COLUMNS, **ASKED, threshold=0.25, costs=(1, 5), by="month", ci=0.9)
    wanted = [*alone["a", "total"]][[*alone["a", "total"]].index("threshold") :]
    further = {row[1:4]: row[4:] for row in number_rows(several.sections) if row.section == "threshold 0.25"}
    first = {row[1:4]: row[4:] for row in number_rows(alone.sections) if row.section == "scores" and row[3] in wanted}
    assert repr(further) == repr(first)


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, np.inf]), st.sampled_from("abc")),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from(["precision", "recall", "specificity", "fpr", "flagged"]),
    st.sampled_from([0.0, 0.3, 0.75, 1.0]),
)
def test_each_model_has_the_threshold_of_the_metrics(cases, measure, value):
    late, scores, groups = (np.array(column) for column in zip(*cases, strict=True))
    columns = {"late": late, "model": scores, "by": groups}
    report = evalcore.evaluate(columns, label="late", score="model", by="by", threshold_for={measure: value})
    section = f"threshold for {measure}={value:g}"
    expected = threshold_at(late, np.minimum(scores, 1e300), **{measure: value})
    expected = math.inf if expected == 1e300 else expected
    for group in {"total", *groups.tolist()}:
        rows = (groups == group) | (group == "total")
        found = report[section, "model", group]
        assert repr(found["threshold"]) == repr(float(expected))
        if math.isnan(expected):
            assert np.isnan([*found.values()]).all()
        else:
            assert found["tp"] == np.count_nonzero(late[rows] & (scores[rows] >= expected))
            assert found["tp"] + found["fp"] == np.count_nonzero(scores[rows] >= expected)


def test_models_have_their_own_thresholds_for_targets():
    report = evalcore.evaluate(COLUMNS, **ASKED, threshold_for=TARGETS)
    found = report["threshold for recall=0.9", "a"], report["threshold for recall=0.9", "b"]
    assert found[0]["threshold"] != found[1]["threshold"]
    assert min(each["recall"] for each in found) >= 0.9
    assert report["threshold for fpr=0.05", "a"]["specificity"] >= 0.95
    assert report["threshold for flagged=0.1", "b"]["tp"] + report["threshold for flagged=0.1", "b"]["fp"] == 60
    assert "threshold" not in report["a"]


def test_a_target_that_no_threshold_reaches():
    columns = {"late": [0, 1, 0, 1], "model": [0.9, 0.8, 0.7, 0.6]}
    report = evalcore.evaluate(columns, label="late", score="model", threshold_for={"precision": 0.75}, costs=(1, 1))
    found = report["threshold for precision=0.75"]
    assert np.isnan([*found.values()]).all()
    assert json.loads(report.to_json())["threshold for precision=0.75"]["model"]["tp"] is None


def test_formats_of_the_command(path):
    options = "--score", "a", "--threshold", "0.5", "--threshold", "0.25", "--threshold-for", "precision=0.6"
    report = evalcore.evaluate(
        COLUMNS, label="late", score="a", threshold=[0.5, 0.25], threshold_for={"precision": 0.6}
    )
    found = json.loads(command(path, *options, "--format", "json"))
    assert [*found][-4:] == ["scores", "threshold 0.25", "threshold for precision=0.6", "notes"]
    assert found["threshold 0.25"] == json.loads(report.to_json())["threshold 0.25"]
    rows = list(csv.DictReader(io.StringIO(command(path, *options, "--format", "csv"))))
    thresholds = {row["section"]: float(row["value"]) for row in rows if row["statistic"] == "threshold"}
    own = report["threshold for precision=0.6"]["threshold"]
    assert thresholds == {"scores": 0.5, "threshold 0.25": 0.25, "threshold for precision=0.6": own}


@pytest.mark.parametrize("by", [(), ("month",)])
def test_summaries_count_decisions_exactly(path, by, little_memory):
    question = Question("late", ("a", "b"), thresholds=(0.5, 0.25, 0.1), by=by)
    whole = evalcore.evaluate(COLUMNS, **ASKED, threshold=[0.5, 0.25, 0.1], by=by)
    batched = answer_files(question, [path], Bar(lambda *_: None), memory=190_000_000)
    assert batched.answer.positive is None
    expected = {row[:4]: row.value for row in number_rows(whole.sections)}
    found = {row[:4]: row.value for row in number_rows(batched.answer.sections) if row.section != "scores"}
    assert {key: expected[key] for key in found} == pytest.approx(found, nan_ok=True)
    assert {section for section, *_ in found} == {"threshold 0.25", "threshold 0.1"}


@every(
    ("asked", "why"),
    [
        ({"threshold": [0.5, math.nan]}, "threshold must be a number, got nan"),
        ({"threshold": [0.5, "high"]}, "threshold must be a number, got 'high' (str)"),
        ({"threshold": "0.5"}, "threshold must be a number, got '0.5' (str)"),
        ({"threshold": [0.5, 0.50]}, "thresholds must be distinct, got threshold 0.5 twice"),
        (
            {"threshold_for": {"recall": [0.5, 0.5]}},
            "thresholds must be distinct, got threshold for recall=0.5 twice",
        ),
        (
            {"threshold_for": {"recal": 0.5}},
            "threshold_for must name one of precision, recall, specificity, fpr, flagged, got 'recal'; "
            "did you mean 'recall'?",
        ),
        ({"threshold_for": {"recall": -1}}, "threshold_for recall must be a number between 0 and 1, got -1"),
        ({"threshold_for": {"recall": "x"}}, "threshold_for recall must be a number between 0 and 1, got 'x'"),
        ({"threshold_for": {"fpr": 5}}, "threshold_for fpr must be a number between 0 and 1, got 5; write 0.05 for 5%"),
        (
            {"threshold_for": "precision=0.9"},
            "threshold_for must be a mapping of measures to values, such as {'precision': 0.9}, got 'precision=0.9'",
        ),
    ],
)
def test_errors_from_python(asked, why):
    with pytest.raises((EvaluationError, EvaluationTypeError)) as raised:
        evalcore.evaluate(COLUMNS, **ASKED, **asked)
    assert str(raised.value) == why


def test_targets_of_classes():
    with pytest.raises(EvaluationError, match=r"^threshold_for needs columns of scores of one label$"):
        evalcore.evaluate({"a": [1], "b": [1]}, label="a", predicted="b", threshold_for={"recall": 0.5})


@every(
    ("options", "why"),
    [
        (
            ["--score", "a", "--threshold-for", "0.9"],
            "evalcore: --threshold-for must be a measure and a value, such as precision=0.9, got '0.9'\n",
        ),
        (
            ["--score", "a", "--threshold-for", "precision=high"],
            "evalcore: --threshold-for must be a measure and a value, such as precision=0.9, got 'precision=high'\n",
        ),
        (
            ["--score", "a", "--threshold-for", "fallout=0.1"],
            "evalcore: --threshold-for must name one of precision, recall, specificity, fpr, flagged, got 'fallout'\n",
        ),
        (["--predicted", "b", "--threshold-for", "fpr=0.1"], "evalcore: --threshold-for needs --score COL.\n"),
        (
            ["--score", "a", "--threshold", "1", "--threshold", "1.0"],
            "evalcore: thresholds must be distinct, got threshold 1 twice\n",
        ),
    ],
)
def test_errors_of_the_command(options, why):
    refused = CliRunner().invoke(main, ["report", "x.csv", "--label", "late", *options], prog_name="evalcore")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.endswith(why)


def test_targets_need_all_rows(path, little_memory):
    question = Question("late", ("a",), targets=(Target("precision", 0.9),))
    with pytest.raises(EvaluationError) as raised:
        answer_files(question, [path], Bar(lambda *_: None), memory=190_000_000)
    assert str(raised.value).startswith("thresholds that reach a target (--threshold-for) need all rows in memory: 600")
