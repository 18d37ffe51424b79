"""`evalcore report --by`: each group has the report of its own rows, and the total that of all."""

import datetime
import itertools
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import EvaluationError, evaluate
from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.statistics.decisions import Asked
from evalcore.evaluation.statistics.groups import grouped_rows
from evalcore.evaluation.statistics.scores import grouped_sections, score_report
from evalcore.report.rendering import as_table
from tests.cli.command import command, refused, reported
from tests.differences import every

run = partial(command, "report")
FILES = {
    "cases.csv": "late,model,other,tree\n"
    "1,0.5,3,elm\n0,0.5,1,ash\n0,0.25,2,elm\n1,0.75,0,elm\n1,0.5,4,oak\n0,0.75,1,ash\n"
}


def test_table():
    outcome = run("cases.csv", "--label", "late", "--score", "model", "--score", "other", "--by", "tree")
    assert outcome.exit_code == 0
    lines = outcome.stdout.splitlines()
    assert lines.pop(1) == "other has the larger ROC AUC: 0.667 against 0.611 for model."
    assert lines[:3] == ["cases.csv: late", "", "model"]
    assert lines[3].split()[:5] == ["cases", "positives", "prevalence", "ROC", "AUC"]
    assert [line.split()[:5] for line in lines[5:9]] == [
        ["elm", "3", "2", "0.666667", "1.000000"],
        ["ash", "2", "0", "0.000000", "NaN"],
        ["oak", "1", "1", "1.000000", "NaN"],
        ["total", "6", "3", "0.500000", "0.611111"],
    ]
    assert lines[9:11] == ["", "other"]
    assert lines[17] == ""
    assert all(line.startswith("Note: ") for line in lines[18:])


def test_a_narrow_terminal_gets_the_columns_in_parts_that_fit():
    positive, scores = np.array([True, False, True]), np.array([0.5, 0.25, 0.75])
    groups = grouped_rows({"tree": np.array(["elm", "ash", "elm"])})
    cases = PairedCases(positive, {"model": scores})
    whole = score_report(cases, Asked(0.5))
    sections = grouped_sections(cases, groups, whole, Asked(0.5))
    cells = [line.split() for line in as_table(sections).splitlines()]
    for width in (40, 80):
        lines = as_table(sections, width=width, every=True).splitlines()
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
MISSING = "the first at index 1 (from 0); leave such rows out (--nulls drop)"
NO_NAMES = "column 'by' must hold names, whole numbers or dates, got {} at index {} (from 0)"
BAD_COLUMNS = {
    "NaN": (np.array([1.0, np.nan]), f"column 'by' holds 1 NaN, {MISSING}"),
    "NaT": (np.array(["2013-01-01", "NaT"], "M8[D]"), f"column 'by' holds 1 NaT, {MISSING}"),
    "fractions": (np.array([1.0, 0.5]), NO_NAMES.format(0.5, 1)),
    "infinity": (np.array([1.0, np.inf]), NO_NAMES.format("inf", 1)),
    "complex numbers": (np.array([1j, 2j]), NO_NAMES.format("1j", 0)),
    "null": (pa.array(["a", None]), f"nulls in column 'by': 1, {MISSING}"),
    "null of a dictionary": (pa.array(["a", None]).dictionary_encode(), f"nulls in column 'by': 1, {MISSING}"),
    "records": (pa.array([{"a": 1}, {"a": 2}]), NO_NAMES.format("{'a': 1}", 0)),
    "lists": (pa.array([[1], [2]]), NO_NAMES.format("[1]", 0)),
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


SHOWN = "the 50 largest of 60 groups are shown; --all-groups shows them all"


def test_a_table_shows_the_largest_groups_and_the_total(many_groups):
    text = run(*many_groups).stdout
    title, _, *lines = text.splitlines()
    lines.insert(0, title)
    assert [line.split()[0] for line in lines[5:55]] == [f"g{group}" for group in range(50)]
    assert lines[55].strip() == "... and 10 more"
    assert lines[56].split()[:2] == ["total", "1,830"]
    assert lines[-2] == f"Note: {SHOWN}"
    title, _, *whole = run(*many_groups, "--all-groups").stdout.splitlines()
    whole.insert(0, title)
    assert [line.split()[0] for line in whole[5:66]] == [*(f"g{group}" for group in range(60)), "total"]
    assert SHOWN not in "".join(whole)
    assert [line.split()[:6] for line in lines[5:55]] == [line.split()[:6] for line in whole[5:55]]


@pytest.mark.usefixtures("undrawn")
def test_reports_in_python_show_the_largest_groups_and_say_what_shows_all():
    columns = {"late": np.arange(102) % 2, "model": np.arange(102.0), "by": np.arange(102) // 2}
    report = evaluate(columns, label="late", score="model", by="by")
    hint = "the 50 largest of 51 groups are shown; all_groups=True in to_markdown or to_html shows them all"
    for text in (repr(report), report._repr_html_(), report.to_markdown(), report.to_html()):
        assert hint in text
    assert report["50"]["cases"] == 2
    for text in (report.to_markdown(all_groups=True), report.to_html(all_groups=True)):
        assert hint not in text
        assert "50" in text


@every(("count", "more"), [(49, ""), (50, ""), (51, "... and 1 more")])
def test_fifty_groups_are_shown_without_a_hint(count, more):
    columns = {"late": np.arange(count) % 2, "model": np.arange(count), "by": np.arange(count)}
    text = repr(evaluate(columns, label="late", score="model", by="by"))
    assert more in text
    assert ("... and" in text) == (" are shown" in text) == bool(more)
