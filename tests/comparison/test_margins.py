"""Margins of some measures: which verdict each measure gets, and where its margin is said."""

import json

import numpy as np
import pandas as pd
import pytest

import evalcore
from evalcore.comparison.output.rendering import as_comparison_table
from evalcore.comparison.output.summary import margin_sentences
from evalcore.errors import EvaluationError

DRAW = np.random.default_rng(11)
LATE = DRAW.random(400) < 0.4
TABLE = pd.DataFrame(
    {
        "late": LATE,
        "base": DRAW.random(400),
        "ash": DRAW.random(400) + 0.5 * LATE,
        "day": DRAW.choice(["Mon", "Tue"], 400),
        "tree": DRAW.choice(["ash", "elm"], 400),
        "guess": DRAW.choice(["ash", "elm"], 400),
        "better": DRAW.choice(["ash", "elm"], 400),
    }
)
MARGINS = {"AUC": 0.005, "recall": 0.3, "recall@0.50": 0.02}


def compared(margin, **more):
    return evalcore.compare(
        TABLE, label="late", score="ash", old_score="base", threshold=[0.3, 0.5], margin=margin, **more
    )


@pytest.fixture(scope="module")
def report():
    return compared(MARGINS, by="day")


def test_each_measure_gets_the_verdict_of_its_own_margin(report):
    expected = {"roc_area": 0.005, "recall@0.3": 0.3, "recall@0.5": 0.02}
    plain = compared(None)
    for differences in (report.models[0].differences, report.models[0].groups["day"][0].differences):
        for item in differences:
            assert item.margin == pytest.approx(expected.get(item.measure, np.nan), nan_ok=True)
    for item in report.models[0].differences:
        same = compared(expected[item.measure]) if item.measure in expected else plain
        assert item.verdict == same[item.measure].verdict
    assert report["roc_area"].verdict == "superior"
    assert report["accuracy@0.3"].verdict == plain["accuracy@0.3"].verdict


@pytest.mark.usefixtures("undrawn")
def test_every_output_says_each_margin(report):
    table = str(report)
    assert "verdict, margin" in table
    assert "superior, 0.005" in table
    assert "verdict, margin" in table.partition("by day")[2]
    assert "better, " not in table.partition("verdict")[2]
    assert "| verdict, margin |" in " ".join(report.to_markdown().split())
    tree = json.loads(report.to_json())
    assert tree["margin"] == MARGINS
    measures = tree["models"]["ash"]["measures"]
    assert (measures["recall@0.5"]["margin"], measures["accuracy@0.5"]["margin"]) == (0.02, None)
    frame = report.to_pandas()
    assert frame.loc[frame["measure"] == "recall@0.3", "margin"].tolist() == [0.3] * 3
    page = report.to_html(script=False)
    assert "margin 0.005" in page
    assert "AUC 0.005, recall 0.3, recall@0.50 0.02" in page
    said = margin_sentences(report.answer, report.question)
    assert said["verdict on roc_area of ash"] == "superior, with a margin of 0.005"
    assert said["verdict on f1@0.5 of ash"].endswith(", without a margin")


def test_margins_are_of_measures_that_are_compared_classes_too():
    report = compared(None)
    assert "margin" not in as_comparison_table(report.answer, report.question)
    assert margin_sentences(report.answer, report.question) == {}
    assert json.loads(report.to_json())["margin"] is None
    asked = {"label": "tree", "predicted": "better", "old_predicted": "guess"}
    report = evalcore.compare(TABLE, **asked, margin={"recall": 0.5, "recall[ash]": 0.25})
    assert [report[f"recall[{name}]"].margin for name in ("ash", "elm")] == [0.25, 0.5]
    with pytest.raises(EvaluationError) as caught:
        evalcore.compare(TABLE, **asked, margin={"recall[oak]": 0.1})
    assert str(caught.value).startswith("margin must name measures that are compared (accuracy, macro_f1, kappa, ")
    with pytest.raises(EvaluationError) as caught:
        compared({"log_loss": 0.1}, measures=())
    assert str(caught.value).startswith("margin must name measures that are compared (roc_area, average_precision, acc")
