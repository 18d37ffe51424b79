"""Reports say which charts they lack, and why."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import evalcore
from evalcore.cli import main
from evalcore.report.charts.missing import missing
from evalcore.report.charts.plots import plots_of
from tests.differences import every

LATE = [0, 1, 1, 0]
FINE, INFINITE, LOGITS = [0.1, 0.2, 0.3, 0.4], [0.1, np.inf, 0.5, 0.2], [-1.0, 2.0, 3.0, 0.0]
NO_PROBABILITIES = "scores are not probabilities, which lie between 0 and 1"
CURVES = {"roc", "precision_recall", "gains"}


def lacking(columns, **asked):
    report = evalcore.evaluate(columns, **asked)
    plots = {plot.name: plot for plot in plots_of(report.answer, report.question)}
    return list(map(str, missing(report.answer, report.question))), plots


@every(
    ("late", "scores", "expected"),
    [
        (LATE, {"a": FINE}, []),
        (LATE, {"a": INFINITE}, ["no curves for a: some of its scores are infinite"]),
        (LATE, {"a": FINE, "b": LOGITS}, [f"no calibration chart or decision curve for b: its {NO_PROBABILITIES}"]),
        (LATE, {"a b": LOGITS, "c": LOGITS},
         [f"no calibration chart or decision curve for 'a b' and c: their {NO_PROBABILITIES}"]),
        (LATE, {"a": INFINITE, "b": LOGITS}, ["no curves for a: some of its scores are infinite",
                                              f"no calibration chart or decision curve for b: its {NO_PROBABILITIES}"]),
        ([0, 0, 0, 0], {"a": LOGITS}, ["no curves: all cases are negative"]),
        ([1, 1, 1, 1], {"a": INFINITE}, ["no curves: all cases are positive"]),
        (LATE, {"a": [0.5] * 4}, []),
    ],
)  # fmt: skip
def test_missing_charts_of_scores_are_named(late, scores, expected):
    assert lacking({"late": late, **scores}, label="late", score=list(scores))[0] == expected


def test_one_odd_model_takes_no_chart_from_the_others():
    columns = {"late": LATE, "a": FINE, "b": LOGITS, "c": INFINITE}
    said, plots = lacking(columns, label="late", score=["a", "b", "c"])
    assert len(said) == 2
    assert plots.keys() > {*CURVES, "calibration"}
    assert plots["roc"].text.startswith("ROC curves of a and b.")
    assert plots["calibration"].text.startswith("Calibration of a: ")
    assert "calibration" not in lacking(columns, label="late", score="b")[1]


def test_groups_without_both_classes_have_no_chart():
    said, _ = lacking({"y": [1, 1, 1], "s": [0.1, 0.2, 0.3], "g": list("abb")}, label="y", score="s", by="g")
    assert said == ["no curves: all cases are positive", "no chart of groups: no group has cases of both classes"]


def test_a_large_confusion_matrix_is_not_drawn(monkeypatch):
    monkeypatch.setattr("evalcore.report.charts.missing.MOST_DRAWN_CLASSES", 2)
    said, _ = lacking({"tree": list("abc"), "guess": list("abb")}, label="tree", predicted="guess")
    assert said == ["no chart of the confusion matrix: there are 3 classes, and at most 2 are drawn"]


def test_classes_with_infinite_scores_have_no_curve():
    columns = {"tree": list("abcabc"), "s": INFINITE + FINE[:2], "t": FINE + FINE[:2]}
    said, plots = lacking(columns, label="tree", score={"a": "t", "b": "s", "c": "t"})
    assert said == ["no ROC curves for b: some of its scores are infinite"]
    assert "Areas: a " in plots["roc_by_class"].alt
    assert " b " not in plots["roc_by_class"].alt
    assert lacking(columns, label="tree", score={"a": "s", "b": "s", "c": "t"})[0] == [
        "no ROC curves for a and b: some of their scores are infinite"
    ]


def test_groups_of_classes_have_their_chart():
    columns = {"tree": list("abab"), "guess": list("abba"), "g": list("xxyy")}
    assert lacking(columns, label="tree", predicted="guess", by="g")[0] == []


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"late": LATE, "x\ny": INFINITE}), "cases.parquet")
    asked = ["report", "cases.parquet", "--label", "late", "--score", "x\ny"]
    return lambda *options: CliRunner().invoke(main, [*asked, *options])


def test_standard_error_names_missing_charts_to_those_who_ask_for_charts(command, tmp_path):
    assert command().stderr == ""
    said = "evalcore: no curves for 'x\\ny': some of its scores are infinite\n"
    for options in (["--html", "out.html"], ["--plots", "charts"], ["--html", "out.html", "--plots", "charts"]):
        assert command(*options).stderr == said
    assert not (tmp_path / "charts").exists()


@pytest.mark.usefixtures("command")
def test_a_page_of_more_rows_than_fit_says_what_shows_curves(monkeypatch):
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_INTERVALS", 1 << 10)
    monkeypatch.setattr("evalcore.batched.memory_budget._MOST_WAITING", 1 << 14)
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *asked: 10**9)
    late, scores = np.arange(50_000) % 2, np.arange(50_000) / 1e5
    pq.write_table(pa.table({"late": late, "model": scores}), "many.parquet")
    asked = ["report", "many.parquet", "--label", "late", "--score", "model", "--memory", "256M", "--html", "out.html"]
    outcome = CliRunner().invoke(main, asked)
    assert "certified" in outcome.stdout
    assert outcome.stderr == "evalcore: no curves: they need all rows in memory; allow more (--memory SIZE)\n"
