"""`evalcore report --by`: several columns at once, small groups left out, and the order of groups."""

import re
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import EvaluationError, evaluate
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_question
from evalcore.evaluation.summaries import GroupedSummaries, SummaryLimits
from evalcore.report.page.groups import groups_panel
from evalcore.report.page.panels import View
from evalcore.report.shown_groups import shown_groups
from tests.cli.command import command, reported
from tests.differences import every

run = partial(command, "report")

CELLS = {
    "late": [1, 0, 0, 1, 1, 0, 1, 0, 1],
    "model": [0.9, 0.2, 0.5, 0.4, 0.7, 0.8, 0.6, 0.3, 0.1],
    "guess": [1, 0, 1, 1, 1, 0, 0, 0, 1],
    "month": [10, 10, 9, 9, 9, 9, 11, 11, 2],
    "a,b": list("xxyyyyzzx"),
}
FILES = {"x.parquet": CELLS}
ASKED = "x.parquet", "--label", "late", "--score", "model"


def test_columns_of_groups_are_quoted_as_in_csv_and_shown_in_their_order(many):
    names = 'month, "a,b"'
    found = reported(run(*ASKED, "--by", names, "--format", "json"))
    assert found["by"] == ["month", "a,b"]
    assert list(found["scores"]["model"]) == ["9, y", "10, x", "11, z", "2, x", "total"]
    apart = run(*ASKED, "--by", "month", "--by", '"a,b"', "--format", "json")
    assert reported(apart) == found
    report = evaluate(CELLS, label="late", score="model", by="month")
    assert re.findall(r"^  (\d+) ", repr(report), re.MULTILINE) == shown_groups(report.sections).names
    assert shown_groups(report.sections).names == ["2", "9", "10", "11"]
    assert list(report.to_dict()["scores"]["model"]) == ["9", "10", "11", "2", "total"]
    columns = {**CELLS, "other": CELLS["model"][::-1]}
    report = evaluate(columns, label="late", score=["model", "other"], by="month", sort="value", ci=0.9)
    assert {tuple(section.records) for section in report.sections} == {(*ORDERS["value"][0], "total")}
    report = evaluate(many, label="late", score="model", by="group", sort="name")
    assert re.findall(r"^  (\d+) ", repr(report), re.MULTILINE) == list(map(str, range(50)))
    assert "Note: the first 50 of 60 groups are shown; " in repr(report)
    found = shown_groups(report.sections)
    assert found.names == sorted(found.names, key=int)
    assert "by the ROC AUC of model, in the order of the report. " in found.rule


WAYS = {"scores": ["--score", "model"], "predicted": ["--predicted", "guess"]}
NOTE = "2 groups of fewer than 4 cases, with 4 cases together, are left out; the total is of all cases"


@every(("way", "batches"), [(way, batches) for way in WAYS for batches in (False, True)])
def test_small_groups_are_left_out_with_a_note(tmp_path, way, batches):
    pq.write_table(pa.table(CELLS).slice(0, 8), "y.parquet")
    if batches:
        (tmp_path / "day").mkdir(exist_ok=True)
        for part in range(2):
            pq.write_table(pa.table(CELLS).slice(4 * part, 4), f"day/{part}.parquet")
    asked = ("day" if batches else "y.parquet", "--label", "late", *WAYS[way], "--by", "month", "--format", "json")
    found, whole = reported(run(*asked, "--min-cases", 4)), reported(run(*asked))
    name, score = ("scores", "model") if way == "scores" else ("statistics", "guess")
    assert NOTE in found["notes"]
    assert found["min_cases"] == 4
    assert found[name][score] == {group: whole[name][score][group] for group in ("9", "total")}


def test_notes_and_tests_count_the_groups_that_are_left_out():
    report = evaluate(CELLS, label="late", score="model", by="month", min_cases=2)
    assert report.notes[0] == "1 group of fewer than 2 cases, with 1 case, is left out; the total is of all cases"
    assert evaluate(CELLS, label="late", score="model", by="month", min_cases=1) == evaluate(
        CELLS, label="late", score="model", by="month"
    )
    rng = np.random.default_rng(1)
    columns = {"late": rng.random(200) < 0.5, "a": rng.random(200), "b": rng.random(200)}
    columns["group"] = np.array([0] * 80 + [1] * 80 + [2] * 40)
    few = evaluate(columns, label="late", score=["a", "b"], by="group", ci=0.9, min_cases=50)
    rows = columns["group"] < 2
    alone = evaluate({name: column[rows] for name, column in columns.items()}, label="late", score=["a", "b"],
                     by="group", ci=0.9)  # fmt: skip
    assert list(few.to_dict()["comparisons"]["a - b"]) == ["0", "1", "total"]
    for group in "01":
        assert few["comparisons", "a - b", group] == alone["comparisons", "a - b", group]
    table = pa.table(CELLS)
    question = Question("late", ("model",), by=("month",), min_cases=2)
    state = GroupedSummaries(question, SummaryLimits(16, 1000))
    for batch in table.to_batches(max_chunksize=4):
        state.update(batch, 0)
    assert [section.groups for section in state.sections()] == [["9", "10", "11"]]
    assert state.notes == ("1 group of fewer than 2 cases, with 1 case, is left out; the total is of all cases",)


ORDERS = {
    "name": (["2", "9", "10", "11"], "Groups are in the order of their numbers."),
    "size": (["9", "10", "11", "2"], "The largest groups come first."),
    "value": (["10", "11", "9", "2"], "Groups are sorted by the ROC AUC of model, the largest first."),
    "worst": (["9", "10", "11", "2"], "Groups are sorted by the ROC AUC of model, the worst first."),
    "AUC": (["10", "11", "9", "2"], "Groups are sorted by the ROC AUC of model, the largest first."),
    "prevalence": (["2", "9", "10", "11"], "Groups are sorted by the prevalence of model, the largest first."),
}


@every("sort", ORDERS)
def test_groups_are_sorted_everywhere(sort):
    names, rule = ORDERS[sort]
    asked = (*ASKED, "--by", "month", "--sort", sort)
    assert list(reported(run(*asked, "--format", "json"))["scores"]["model"]) == [*names, "total"]
    report = evaluate(CELLS, label="late", score="model", by="month", sort=sort)
    assert [row[0] for row in groups_panel(View(report.answer, report.question, {})).content["parts"][0].table.rows][
        :-1
    ] == names
    assert shown_groups(report.sections).rule == rule
    assert re.findall(r"^  (\d+) ", run(*asked).stdout, re.MULTILINE) == names
    assert re.findall(r"\| (\d+) +\| cases", run(*asked, "--format", "markdown").stdout) == names


@every(
    ("groups", "names"),
    [
        ({"x": ["b, c", "b, c", "a"], "y": [10, 9, 11]}, ["'b, c', 9", "'b, c', 10", "a, 11"]),
        ({"x": ["b, c", "a", "b"]}, ["a", "b", "b, c"]),
        ({"x": ["10.5", "9", "-1"]}, ["-1", "9", "10.5"]),
        ({"x": ["", "a", "a"]}, ["", "a"]),
    ],
)
def test_names_are_sorted_part_by_part(groups, names):
    columns = {"late": [1, 0, 1], "model": [1, 2, 3], **groups}
    found = evaluate(columns, label="late", score="model", by=list(groups), sort="name")
    assert list(found.sections[0].records)[:-1] == names


@pytest.fixture
def many():
    rng = np.random.default_rng(2)
    return {"late": rng.random(3000) < 0.5, "model": rng.random(3000), "group": np.arange(3000) % 60}


BAD = {
    "few": ({"min_cases": 0}, "min_cases must be at least 1, got 0"),
    "fraction": ({"min_cases": 1.5}, "min_cases must be an integer, got 1.5"),
    "many": ({"min_cases": 5000}, "min_cases must be at most 4, the cases of the largest group, got 5,000"),
    "key": ({"sort": "sizes"},
            "sort must be name, size, value, worst or the name of a statistic, got 'sizes'; did you mean"),
    "statistic": (
        {"sort": "roc_are"},
        "sort must be name, size, value, worst or the name of a statistic, got 'roc_are'; did you mean 'roc_auc'",
    ),
    "absent": ({"sort": "recall"}, "sort must be a statistic of the groups, got 'recall'; these are cases, positives"),
}  # fmt: skip


@every("mistake", BAD)
def test_bad_options_of_groups_are_errors(mistake):
    asked, message = BAD[mistake]
    with pytest.raises((EvaluationError, TypeError), match=re.escape(message)):
        evaluate(CELLS, label="late", score="model", by="month", **asked)
    if mistake != "fraction":
        name, value = next(iter(asked.items()))
        outcome = run(*ASKED, "--by", "month", f"--{name.replace('_', '-')}", value)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert f"--{message.replace('min_cases', 'min-cases')}" in outcome.stderr


@every("asked", [{"min_cases": 2}, {"sort": "name"}])
def test_options_of_groups_need_groups(asked):
    with pytest.raises(EvaluationError, match=f"^{next(iter(asked))} needs by, which names the column of groups$"):
        check_question(Question("late", ("model",), **asked))


@every("options", [["--sort", "accuracy"], ["--min-cases", "2"], ["--sort", "name"]])
def test_scores_of_classes_are_grouped_as_other_scores(options):
    rng = np.random.default_rng(3)
    table = {"tree": list("aabbab") * 5, "p_a": rng.random(30), "p_b": rng.random(30), "day": [0] * 9 + [1] * 20 + [2]}
    pq.write_table(pa.table(table), "trees.parquet")
    asked = ("trees.parquet", "--label", "tree", "--scores", "p_", "--by", "day", "--format", "json")
    found, whole = (reported(run(*asked, *more))["statistics"]["class scores"] for more in (options, []))
    assert all(found[name] == whole[name] for name in found)
    days = [name for name in found if name != "total"]
    expected = {
        "accuracy": sorted("102", key=lambda day: -whole[day]["accuracy"]), "2": ["1", "0"], "name": ["0", "1", "2"],
    }  # fmt: skip
    assert days == expected[options[1]]


def test_labels_of_groups_that_look_alike_are_noted():
    columns = {
        "y": [1, 0, 1],
        "s": [0.9, 0.1, 0.8],
        "g": ["Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "Zoe\u0308", "b"],
    }
    report = evaluate(columns, label="y", score="s", by="g")
    said = "labels that look alike count as different groups, for they are not all in Unicode's form NFC: 'Zo\xeb'"
    assert report.notes[0] == said
    columns["g"][0] = "x"
    assert not any("look alike" in note for note in evaluate(columns, label="y", score="s", by="g").notes)
