"""Precision, recall and F1 of reports are scikit-learn's with 0 for 0/0, and notes say where."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support as scikit_learn

import evalcore
from evalcore.batched.files import answer_files
from evalcore.batched.pair_counts import ClassPairCounts
from evalcore.cli import main
from evalcore.report.progress import Bar
from evalcore.report.question import Question
from evalcore.report.records import Records
from evalcore.report.statistics.class_scores import class_scores
from evalcore.report.statistics.multiclass import checked_class_scores, class_scores_report, matrix_report
from evalcore.report.words.notes import notes

KINDS = "precision", "recall", "f1"
LABELS = ["ash", "elm", "elm", "ash", "oak"]
GUESSES = ["ash", "elm", "ash", "fig", "elm"]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12),
    st.sampled_from(["macro", "micro"]),
)
def test_classes_and_averages_are_those_of_scikit_learn(pairs, average):
    label, guess = map(list, zip(*pairs, strict=True))
    report = evalcore.evaluate({"label": label, "guess": guess}, label="label", predicted="guess")
    counted = ClassPairCounts(Question("label", predicted="guess"))
    counted.update(pa.record_batch({"label": label, "guess": guess}), 0)
    batched = Records(matrix_report(counted.matrix()))
    for name, value in zip(KINDS, scikit_learn(label, guess, average=average, zero_division=0), strict=False):
        assert report["statistics", f"{average}_{name}"] == pytest.approx(value, rel=1e-14)
        assert batched["statistics", f"{average}_{name}"] == report["statistics", f"{average}_{name}"]
    names, of_classes = sorted(set(label) | set(guess)), scikit_learn(label, guess, zero_division=0)[:3]
    for place, name in enumerate(names):
        found = [report["classes", str(name)][kind] for kind in KINDS]
        assert found == pytest.approx([column[place] for column in of_classes])


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.25, 0.75])), min_size=1, max_size=6))
def test_decisions_at_a_threshold_are_those_of_scikit_learn(cases):
    label, score = map(np.array, zip(*cases, strict=True))
    report = evalcore.evaluate({"label": label, "score": score}, label="label", score="score", threshold=0.5)["score"]
    for positive, precision, recall in (
        (True, "precision", "recall"),
        (False, "negative_predictive_value", "specificity"),
    ):
        called = (score >= 0.5) == positive
        there = (label == positive) | called
        expected = scikit_learn(label == positive, called, average="binary", zero_division=0)[:3]
        expected = expected if there.any() else [np.nan] * 3
        found = [report[precision], report[recall], report["f1"] if positive else expected[2]]
        assert found == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_a_class_that_is_not_there_has_no_scores_and_no_weight():
    found = class_scores(np.array([2, 0]), np.array([0, 0]), np.array([0, 0]))
    assert np.array_equal(found, [[1, np.nan]] * 3, equal_nan=True)
    sections = class_scores_report(
        checked_class_scores(["ash", "elm"], ["ash", "elm", "fig"], np.array([[0.9, 0.5, 0], [0.1, 0.5, 0]]))
    )
    assert Records(sections)["statistics", "macro_f1"] == 1
    assert "precision, recall and F1 are NaN where the class neither occurs nor is predicted: 'fig'" in notes(sections)


def test_f1_is_zero_where_every_prediction_is_wrong():
    report = evalcore.evaluate({"y": ["a", "b"], "p": ["b", "a"]}, label="y", predicted="p", ci=0.95)
    assert {report["statistics", f"{average}_f1"] for average in ("macro", "micro")} == {0.0}
    assert report.notes == []


def test_notes_stand_in_every_format(tmp_path, monkeypatch):
    monkeypatch.setattr("evalcore.report.page.document.plots_of", lambda answer, question: [])
    path = str(tmp_path / "trees.parquet")
    pq.write_table(pa.table({"tree": LABELS, "guess": GUESSES}), path)
    expected = [
        "recall is 0 where a class never occurs: 'fig'",
        "precision is 0 where a class is never predicted: 'oak'",
        "Cramér's V is NaN where a class never occurs or is never predicted",
    ]
    report = evalcore.evaluate({"tree": LABELS, "guess": GUESSES}, label="tree", predicted="guess")
    assert report.notes == report.to_dict()["notes"] == json.loads(report.to_json())["notes"] == expected
    asked = ["report", path, "--label", "tree", "--predicted", "guess"]
    for style in ("table", "markdown"):
        shown = CliRunner().invoke(main, [*asked, "--format", style]).stdout
        assert [line for line in shown.splitlines() if "Note" in line] == [f"Note: {note}" for note in expected]
    assert json.loads(CliRunner().invoke(main, [*asked, "--format", "json"]).stdout)["notes"] == expected
    for page in (report.to_html(), report._repr_html_()):
        assert page.count("<p>Note: ") == 3


def test_notes_name_records_where_there_are_several_and_not_too_many(tmp_path, monkeypatch):
    count = 9
    columns = {"late": [0] * count, "a": np.arange(count) / count, "g": np.arange(count)}
    report = evalcore.evaluate(columns, label="late", score="a", by="g", threshold=0.0)
    listed = ", ".join(f"'{group}'" for group in range(6))
    assert f"recall is 0 where there are no positives: {listed} and 4 more" in (report.notes)
    alone = evalcore.evaluate(columns, label="late", score="a", threshold=2).notes
    assert "ROC area is NaN where all cases are of one class" in alone
    assert "recall, precision, F1 and Jaccard index are NaN where the class neither occurs nor is predicted" in alone
    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"late": np.zeros(10**4, bool), "a": np.arange(10**4) / 1e4}), path)
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_INTERVALS", 1 << 10)
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_WAITING", 1 << 14)
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    streamed = answer_files(
        Question("late", ("a",), thresholds=(0.5,)), [path], Bar(lambda *_: None), memory=190_000_000
    )
    assert streamed.computed == "certified"
    assert notes(streamed.answer.sections)[0] == "recall is 0 where there are no positives"
