"""`evalcore report --by`: each group has the report of its own rows, however groups are chosen, ordered and shown."""

import datetime
import itertools
import re
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import EvaluationError, evaluate
from evalcore.document.documents import FULL, document_of_sections
from evalcore.document.page.report import groups_panel
from evalcore.document.shown import shown_groups
from evalcore.document.terminal import as_terminal
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.statistics.scores import score_sections
from evalcore.evaluation.statistics.tallies import Asked
from evalcore.evaluation.summaries import GroupedSummaries, SummaryLimits
from tests.cli.command import command, refused, reported
from tests.differences import check_output, every

run = partial(command, "report")
FILES = {
    "cases.csv": "late,model,other,tree\n"
    "1,0.5,3,elm\n0,0.5,1,ash\n0,0.25,2,elm\n1,0.75,0,elm\n1,0.5,4,oak\n0,0.75,1,ash\n"
}


def test_table():
    outcome = run("cases.csv", "--label", "late", "--score", "model", "--score", "other", "--by", "tree")
    assert outcome.exit_code == 0
    check_output("cli/outputs/report_of_groups.txt", outcome.stdout)


def test_a_narrow_terminal_gets_the_columns_in_parts_that_fit():
    positive, scores = np.array([True, False, True]), np.array([0.5, 0.25, 0.75])
    groups = grouped_rows({"tree": np.array(["elm", "ash", "elm"])})
    cases = PairedCases(positive, {"model": scores}, groups={"tree": groups})
    sections = score_sections(cases, Asked(0.5))[None]
    document = document_of_sections(sections, FULL)
    cells = [line.split() for line in as_terminal(document).splitlines()]
    for width in (40, 80):
        lines = as_terminal(document, width).splitlines()
        assert max(map(len, lines)) <= width
        elm = [line.split()[1:] for line in lines if line.startswith("  elm")]
        assert ["elm", *itertools.chain(*elm)] in cells  # no number is folded
        assert len(elm) > 1


COLUMNS = {
    "integers": (pa.array([10, 2, 10, -1]), ["10", "-1", "2"]),
    "dictionary": (pa.array(["b", "a", "b", ""]).dictionary_encode(), ["b", "", "a"]),
    "Booleans": (pa.array([True, False, True, True]), ["True", "False"]),
    "whole floats": (pa.array([3.0, 1e16, 3.0, -0.0]), ["3", "0", "10000000000000000"]),
    "dates": (pa.array([datetime.date(2013, 5, 1), datetime.date(2013, 4, 30)] * 2), ["2013-04-30", "2013-05-01"]),
    "times": (pa.array([datetime.datetime(2013, 5, 1, 6)] * 4, pa.timestamp("s")), ["2013-05-01T06:00"]),
    "bytes": (pa.array([b"x", b"y", b"x", b"y"]), ["x", "y"]),
    "the total's name": (pa.array(["total", "(total)", "total", "a"]), ["(total)", "((total))", "a"]),
    "bytes of NPZ": (np.array(["é".encode(), b"\xff"] * 2), ["\\xff", "é"]),
    "dates of CSV": ("2013-01-02\n2013-01-01\n2013-01-02\n2013-01-02", ["2013-01-02", "2013-01-01"]),
}
MISSING = "the first at index 1 (from 0); leave out the rows with nulls (--nulls drop)"
NO_NAMES = "column 'by' must hold names, whole numbers or dates, got {} at index {} (from 0)"
NESTED = "column 'by' must hold one value in each row, got {}; name a path below it: by.{}"
BAD_COLUMNS = {
    "NaN": (np.array([1.0, np.nan]), f"column 'by' holds 1 NaN, {MISSING}"),
    "NaT": (np.array(["2013-01-01", "NaT"], "M8[D]"), f"column 'by' holds 1 NaT, {MISSING}"),
    "fractions": (np.array([1.0, 0.5]), NO_NAMES.format(0.5, 1)),
    "infinity": (np.array([1.0, np.inf]), NO_NAMES.format("inf", 1)),
    "complex numbers": (np.array([1j, 2j]), NO_NAMES.format("1j", 0)),
    "null": (pa.array(["a", None]), f"nulls in column 'by': 1, {MISSING}"),
    "null of a dictionary": (pa.array(["a", None]).dictionary_encode(), f"nulls in column 'by': 1, {MISSING}"),
    "records": (pa.array([{"a": 1}, {"a": 2}]), NESTED.format("struct<a: int64>", "a")),
    "lists": (pa.array([[1], [2]]), NESTED.format("list<element: int64>", 0)),
}  # fmt: skip


def grouped_by(column):
    """Report on a file whose groups are a column: NPZ of NumPy's, CSV of a text, else Parquet."""
    table = {"late": [0, 1, 1, 0][: len(column)], "model": [1, 2, 3, 4][: len(column)], "by": column}
    if isinstance(column, np.ndarray):
        np.savez(name := "x.npz", **table)
    elif isinstance(column, str):
        Path(name := "x.csv").write_text("late,model,by\n0,1," + column.replace("\n", "\n1,2,"))
    else:
        pq.write_table(pa.table(table), name := "x.parquet")
    return name, run(name, "--label", "late", "--score", "model", "--by", "by", "--format", "json")


@every("kind", COLUMNS)
def test_groups_of_every_kind_go_by_size_and_then_in_their_order(kind):
    column, names = COLUMNS[kind]
    assert list(reported(grouped_by(column)[1])["scores"]["model"]) == [*names, "total"]


@every("mistake", BAD_COLUMNS)
def test_a_column_that_makes_no_groups_is_an_error(mistake):
    column, message = BAD_COLUMNS[mistake]
    name, outcome = grouped_by(column)
    assert refused(outcome) == f"{name}: {message}"


def test_groups_may_be_scores_labels_and_combinations_of_a_limited_number():
    for by, groups in (("late", ["0", "1"]), ("other", ["1", "0", "2", "3", "4"])):
        found = reported(run("cases.csv", "--label", "late", "--score", "other", "--by", by, "--format", "json"))
        assert list(found["scores"]["other"]) == [*groups, "total"]
    columns = {"late": [0, 1, 0, 1], "model": [1, 2, 3, 4], "x": ["a", "a, 1", "'a", "a"], "y": ["1, 1", "1", "1", "1"]}
    report = evaluate(columns, label="late", score="model", by=["x", "y"])
    assert list(report.sections[0].records) == ['"\'a", 1', "a, 1", "a, '1, 1'", "'a, 1', 1", "total"]
    assert len(grouped_rows({"user": np.arange(10_000)}).names) == 10_000
    with pytest.raises(EvaluationError) as raised:
        grouped_rows({"user": np.arange(10_001)})
    assert str(raised.value) == ("column 'user' must hold at most 10,000 groups, got 10,001; allow more (groups=N)")
    asked = ("cases.csv", "--label", "late", "--score", "model", "--by", "tree", "--by", "late")
    assert "columns 'tree' and 'late' must hold at most 3 groups, got 4" in run(*asked, "--max-groups", 3).stderr
    assert run(*asked, "--max-groups", 4).exit_code == 0
    assert "columns of groups must be distinct, got 'tree', 'tree'" in run(*asked[:-1], "tree").stderr


@pytest.fixture
def many_groups(tmp_path):
    """Write 60 groups of as many sizes, and return the options of a report on them."""
    names = [f"g{group}" for group in range(60) for _ in range(60 - group)]
    table = {"late": [row % 2 for row in range(len(names))], "model": [row / 7 for row in range(len(names))]}
    pq.write_table(pa.table({**table, "by": names}), tmp_path / "x.parquet")
    return "x.parquet", "--label", "late", "--score", "model", "--by", "by"


SHOWN = "some numbers are not shown; --full shows them all"


def test_a_table_shows_the_largest_groups_and_the_total(many_groups):
    lines = run(*many_groups).stdout.split("\nmodel\n")[1].splitlines()
    assert [line.split()[0] for line in lines[2:52]] == [f"g{group}" for group in range(50)]
    assert lines[52].strip() == "... and 10 more"
    assert lines[53].split()[:2] == ["total", "1,830"]
    assert lines[-1] == f"Note: {SHOWN}"
    whole = run(*many_groups, "--full").stdout.split("\nmodel\n")[1].splitlines()
    assert [line.split()[0] for line in whole[2:63]] == [*(f"g{group}" for group in range(60)), "total"]
    assert SHOWN not in "".join(whole)
    assert [line.split()[:6] for line in lines[2:52]] == [line.split()[:6] for line in whole[2:52]]


@pytest.mark.usefixtures("undrawn")
def test_reports_in_python_show_the_largest_groups_and_say_what_shows_all():
    columns = {"late": np.arange(102) % 2, "model": np.arange(102.0), "by": np.arange(102) // 2}
    report = evaluate(columns, label="late", score="model", by="by")
    hint = "some numbers are not shown; to_markdown(full=True) shows them all"
    for text in (repr(report), report._repr_html_(), report.to_markdown()):
        assert hint in text
    assert hint in report.to_html()
    assert report["50"]["cases"] == 2
    for text in (report.to_markdown(full=True), report.to_html(full=True)):
        assert "are not shown" not in text
        assert "50" in text


@every(("count", "more"), [(49, ""), (50, ""), (51, "... and 1 more")])
def test_fifty_groups_are_shown_without_a_gap(count, more):
    columns = {"late": np.arange(count) % 2, "model": np.arange(count), "by": np.arange(count)}
    text = repr(evaluate(columns, label="late", score="model", by="by"))
    assert more in text
    assert ("... and" in text) == bool(more)


CELLS = {
    "late": [1, 0, 0, 1, 1, 0, 1, 0, 1],
    "model": [0.9, 0.2, 0.5, 0.4, 0.7, 0.8, 0.6, 0.3, 0.1],
    "guess": [1, 0, 1, 1, 1, 0, 0, 0, 1],
    "month": [10, 10, 9, 9, 9, 9, 11, 11, 2],
    "a,b": list("xxyyyyzzx"),
}
FILES |= {"x.parquet": CELLS}
OF_MONTHS = "x.parquet", "--label", "late", "--score", "model"


def test_columns_of_groups_are_quoted_as_in_csv_and_shown_in_their_order(many):
    names = 'month, "a,b"'
    found = reported(run(*OF_MONTHS, "--by", names, "--format", "json"))
    assert found["by"] == ["month", "a,b"]
    assert list(found["scores"]["model"]) == ["9, y", "10, x", "11, z", "2, x", "total"]
    apart = run(*OF_MONTHS, "--by", "month", "--by", '"a,b"', "--format", "json")
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
    assert "Note: some numbers are not shown; " in repr(report)
    found = shown_groups(report.sections)
    assert found.names == sorted(found.names, key=int)
    assert found.rule.startswith("Groups are in the order of their numbers. There are 60 groups; the first 20 and the ")


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
    "size": (["9", "10", "11", "2"], "Groups are sorted by number of cases, the largest first."),
    "value": (["10", "11", "9", "2"], "Groups are sorted by the ROC AUC of model, the largest first."),
    "worst": (["9", "10", "11", "2"], "Groups are sorted by the ROC AUC of model, the worst first."),
    "AUC": (["10", "11", "9", "2"], "Groups are sorted by the ROC AUC of model, the largest first."),
    "prevalence": (["2", "9", "10", "11"], "Groups are sorted by the prevalence of model, the largest first."),
}


@every("sort", ORDERS)
def test_groups_are_sorted_everywhere(sort):
    names, rule = ORDERS[sort]
    asked = (*OF_MONTHS, "--by", "month", "--sort", sort)
    assert list(reported(run(*asked, "--format", "json"))["scores"]["model"]) == [*names, "total"]
    report = evaluate(CELLS, label="late", score="model", by="month", sort=sort)
    assert [row[0] for row in groups_panel(report.answer, report.question).tables[0].rows][:-1] == names
    assert shown_groups(report.sections).rule == rule
    assert re.findall(r"^  (\d+) ", run(*asked).stdout, re.MULTILINE) == names
    assert re.findall(r"\n\| (\d+) +\|", run(*asked, "--format", "markdown").stdout) == names


@every(
    ("groups", "names"),
    ({"x": ["b, c", "b, c", "a"], "y": [10, 9, 11]}, ["'b, c', 9", "'b, c', 10", "a, 11"]),
    ({"x": ["b, c", "a", "b"]}, ["a", "b", "b, c"]),
    ({"x": ["10.5", "9", "-1"]}, ["-1", "9", "10.5"]),
    ({"x": ["", "a", "a"]}, ["", "a"]),
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
        outcome = run(*OF_MONTHS, "--by", "month", f"--{name.replace('_', '-')}", value)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert f"--{message.replace('min_cases', 'min-cases')}" in outcome.stderr


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
    said = "labels that look alike count as different groups, because they are not all in Unicode's form NFC: 'Zo\xeb'"
    assert report.notes[0] == said
    columns["g"][0] = "x"
    assert not any("look alike" in note for note in evaluate(columns, label="y", score="s", by="g").notes)
