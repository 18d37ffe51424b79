"""Several thresholds in tables, notes and sentences."""

import numpy as np
import pytest

import evalcore
from evalcore.report.model import Statistic
from evalcore.report.page.cells import cell_of
from tests.differences import every

LATE = np.array([1] * 40 + [0] * 60)
FORTY = {"late": LATE, "a": np.linspace(1, 0, 100), "b": np.linspace(0, 1, 100)}
FEW = {"late": [0, 1, 0, 1], "a": [0.9, 0.8, 0.7, 0.6], "b": [0.1, 0.9, 0.2, 0.8], "by": ["x", "x", "y", "y"]}


def test_the_thresholds_of_a_model_stand_side_by_side():
    report = evalcore.evaluate(
        FEW, label="late", score=["a", "b"], threshold=[0.5, 0.75], threshold_for={"fpr": 0}, costs=(1, 1)
    )
    lines = [line.split() for line in repr(report).splitlines()]
    begin = lines.index(["decisions", "of", "b"])
    assert lines[begin + 1] == ["0.5", "0.75", "for", "fpr=0"]
    assert lines[begin + 3] == ["at", "threshold", "0.500000", "0.750000", "0.800000"]
    assert lines[begin + 4] == ["true", "positives", "2", "2", "2"]
    assert ["expected", "cost", "0.000000", "0.000000", "0.000000"] in lines[begin:]
    assert not any(line[:2] == ["at", "threshold"] for line in lines[: lines.index(["decisions", "of", "a"])])
    assert "### decisions of a" in report.to_markdown()
    assert "<h4>decisions of b</h4>" in report._repr_html_()
    one = evalcore.evaluate(FEW, label="late", score=["a", "b"], threshold=0.5)
    assert "decisions of" not in repr(one)


def test_markdown_of_groups_names_the_threshold():
    targets = {"flagged": 0.5, "precision": 1}
    report = evalcore.evaluate(
        FEW, label="late", score=["b", "a"], by="by", threshold=[0.5, 0.85], threshold_for=targets
    )
    rows = [[cell.strip() for cell in line.split("|")] for line in report.to_markdown().splitlines()]
    assert ["", "b at threshold 0.5", "x", "true positives", "1", ""] in rows
    assert ["", "b at threshold 0.85", "total", "true positives", "1", ""] in rows
    assert ["", "b at the threshold for flagged=0.5, 0.8", "total", "true positives", "2", ""] in rows
    assert ["", "a at the threshold for precision=1, none", "total", "true positives", "NaN", ""] in rows


def test_notes_say_at_which_threshold():
    report = evalcore.evaluate(
        FEW, label="late", score=["a", "b"], threshold=[0.5, 2], threshold_for={"precision": 0.9}
    )
    assert "precision is 0 where no case is predicted positive at threshold 2: 'a', 'b'" in report.notes
    why = "the threshold and the statistics of its decisions are NaN where no threshold reaches precision=0.9: 'a'"
    assert why in report.notes
    of_one_class = (
        "Matthews correlation (MCC), phi squared, chi squared and Yule's Q are NaN where labels or predictions are all "
        "of one class"
    )
    several = evalcore.evaluate(FEW, label="late", score=["a", "b"], threshold=[0.5, 2, 3]).notes
    assert f"{of_one_class}: 'a' at threshold 0.5; 'a', 'b' at threshold 2 and threshold 3" in several
    first = evalcore.evaluate(FEW, label="late", score="a", threshold=[2, 0.5]).notes
    assert "precision is 0 where no case is predicted positive at threshold 2" in first
    twice = evalcore.evaluate(FEW, label="late", score="a", threshold=[2, 3]).notes
    assert f"{of_one_class} at threshold 2 and threshold 3" in twice
    alone = evalcore.evaluate(FEW, label="late", score="a", threshold=2).notes
    assert {"precision is 0 where no case is predicted positive", of_one_class} <= {*alone}


@every(
    ("asked", "said"),
    [
        ({"threshold": [0.9, 0.5]}, "At threshold 0.5, a finds 100% of the positives; 80% of its alarms are right."),
        ({"threshold": [0.9, 2]}, "At threshold 2, a predicts no case positive."),
        (
            {"threshold_for": {"precision": 0.8}},
            "At threshold 0.505, the lowest with a precision of at least 0.8, a finds 100% of the positives; 80% of "
            "its alarms are right.",
        ),
        (
            {"threshold_for": {"recall": 0.5}},
            "At threshold 0.808, the highest with a recall of at least 0.5, a finds 50% of the positives; 100% of its "
            "alarms are right.",
        ),
        (
            {"threshold_for": {"fpr": 0.05}},
            "At threshold 0.575, the lowest with a false positive rate of at most 0.05, a finds 100% of the positives; "
            "93% of its alarms are right.",
        ),
        (
            {"threshold_for": {"specificity": 0}},
            "At threshold 0, the lowest with a specificity of at least 0, a predicts every case positive.",
        ),
        ({"threshold_for": {"flagged": 0.001}}, "a has a flagged fraction of at most 0.001 only if it flags no case."),
    ],
)
@every("by", [None, "by"])
def test_sentences_on_further_thresholds(asked, said, by):
    columns = {**FORTY, "by": np.arange(100) % 2}
    report = evalcore.evaluate(columns, label="late", score=["a", "b"], by=by, **asked)
    assert f" {said}" in report.summary
    chosen = "Thresholds that reach a target were chosen on these same cases."
    assert (chosen in report.summary) == ("threshold_for" in asked)


def test_the_sentence_where_no_threshold_reaches_the_target():
    report = evalcore.evaluate(FEW, label="late", score="a", threshold_for={"precision": 0.9})
    assert " No threshold of a has a precision of at least 0.9." in report.summary


@pytest.mark.parametrize("threshold", [0.5, [0.5, 0.9]])
def test_plots_show_the_first_threshold(threshold):
    report = evalcore.evaluate(FORTY, label="late", score="a", threshold=threshold)
    assert report.plot_confusion_matrix().images[0].get_array().tolist() == [
        pytest.approx([50 / 60, 10 / 60]),
        pytest.approx([0, 1]),
    ]


def test_pages_write_six_decimals_of_a_threshold():
    cell = cell_of(Statistic("threshold", "at threshold", 0.9137844433))
    assert (cell.text, cell.full) == ("0.913784", "0.9137844433")


GROUPED = {"late": [1, 0, 1, 0], "rf": [0.9, 0.1, 0.4, 0.5], "month": [1, 1, 2, 2]}


def test_every_table_of_groups_says_the_threshold_of_its_decisions():
    report = evalcore.evaluate(GROUPED, label="late", score="rf", by="month", threshold=[0.5, 0.25])
    lines = repr(report).splitlines()
    assert lines.index("rf, decisions at threshold 0.5") < lines.index("rf at threshold 0.25")
    assert "<h4>rf, decisions at threshold 0.5</h4>" in report._repr_html_()
    of_total = [line.split("|")[1:5:2] for line in report.to_markdown().splitlines() if "| total |" in line]
    named = {statistic.strip(): model.strip() for model, statistic in reversed(of_total)}
    assert named["ROC area"] == "rf"
    assert named["recall"] == "rf at threshold 0.5"
    alone = evalcore.evaluate(GROUPED, label="late", score="rf", by="month", threshold=0.5, measures="roc_area")
    assert "rf, decisions at threshold 0.5" in repr(alone)  # which adds recall and the like
    assert "decisions" not in repr(evalcore.evaluate(GROUPED, label="late", score="rf", by="month"))
