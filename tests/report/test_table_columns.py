"""Tables that fit a line: of groups the statistics that matter most, of models all, in parts."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

import evalcore
from evalcore.cli import main
from evalcore.report.rendering import as_table
from evalcore.report.table_columns import on_one_line
from evalcore.report.tables import tables
from tests.differences import every

NOTE = "Note: some statistics of groups do not fit on a line and are not shown; {} writes them all"
SIZE = 60
RNG = np.random.default_rng(4)
COLUMNS = {
    "late": np.arange(SIZE) % 3 == 0,
    **{f"model{number}": RNG.random(SIZE) for number in range(6)},
    "group": np.arange(SIZE) % 2,
}


def report_of(**asked):
    return evalcore.evaluate(COLUMNS, label="late", **{"score": "model0", "by": "group", **asked})


def heading(text):
    return next(line for line in text.splitlines() if re.search("cases|ROC area", line)).split()


FITTING = {
    18: (False, ["cases"]),
    20: (False, ["ROC", "area"]),
    40: (False, ["cases", "ROC", "area"]),
    80: (False, ["cases", "positives", "prevalence", "ROC", "area", "average", "precision"]),
    81: (True, ["cases", "ROC", "area", "accuracy", "recall", "precision", "F1"]),
}


@every("width", FITTING)
def test_of_groups_the_statistics_that_matter_most_fit_on_a_line(width):
    with_threshold, titles = FITTING[width]
    report = report_of(threshold=0.5 if with_threshold else None)
    text = as_table(report.sections, "", width)
    assert heading(text)[: len(titles)] == titles
    tables_of = text.split("Note:", maxsplit=1)[0].splitlines()
    assert max(map(len, tables_of)) <= width
    assert sum(titles[0] in line for line in tables_of) == 1  # in one part
    assert " ".join(text.split()).endswith(NOTE.format("to_csv()"))


def test_costs_of_groups_that_were_asked_for_fit_on_a_line():
    rng = np.random.default_rng(0)
    columns = {"late": np.arange(200) % 2, "model": rng.random(200), "month": np.arange(200) // 100}
    report = evalcore.evaluate(columns, label="late", score="model", by="month", costs=(1, 5), ci=0.95)
    assert "lowest expected cost     reached at score" in repr(report)


def test_of_one_statistic_that_fits_the_measure_is_shown_not_the_number_of_cases():
    _, _, heads, _, *rows = as_table(report_of(ci=0.9).sections, "", 45).split("\n\nNote")[0].splitlines()
    assert heads.split() == ["ROC", "area"]
    assert max(map(len, rows)) <= 45


def test_tables_that_fit_whole_have_no_note():
    report = report_of()
    assert heading(as_table(report.sections, "", 400)) == heading(as_table(report.sections))
    assert "do not fit" not in as_table(report.sections, "", 400)
    assert "do not fit" not in as_table(report.sections)
    parts = as_table(report.sections, "", 80, every=True)
    assert "do not fit" not in parts
    assert "reciprocal rank" in parts


def test_statistics_that_were_named_are_all_shown_in_parts(run):
    names = ["r_precision", "average_precision", "roc_area", "prevalence", "maximum_f1"]
    for text in (
        run("--score", "model0", "--by", "group", "--ci", "0.9", *(f"--measure={name}" for name in names)),
        repr(report_of(ci=0.9, measures=names)),
    ):
        assert "do not fit" not in text
        assert "R-precision" in text
        assert max(map(len, text.splitlines())) <= 120


def test_the_first_column_stays_although_it_is_too_wide():
    (table,) = tables(report_of().sections)
    assert [len(row) for row in on_one_line(table, 1).cells] == [2] * 4


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    names = list(COLUMNS)
    rows = np.column_stack([np.asarray(column, dtype=float) for column in COLUMNS.values()])
    np.savetxt("x.csv", rows, delimiter=",", header=",".join(names), comments="")
    asked = ("report", "x.csv", "--label", "late")
    return lambda *more, **settings: CliRunner().invoke(main, [*asked, *more], **settings).stdout


@every("columns", ["", "0", "many", "70", "120", "1000"])
def test_lines_of_pipes_are_as_long_as_columns_says(run, columns):
    text = run("--score", "model0", "--by", "group", "--threshold", "0.5", env={"COLUMNS": columns})
    lines = [line for line in text.splitlines() if not line.startswith("Note:")]
    width = int(columns) if columns.isdecimal() and int(columns) else 120
    assert max(map(len, lines)) <= width
    assert (NOTE.format("--format csv") in text) == (width < 1000)


def test_models_stand_in_parts_and_sentences_in_one_line(run):
    text = run(*(part for number in range(6) for part in ("--score", f"model{number}")), "--ci", "0.95")
    every_model = re.findall(r"model\d(?= |$)", " ".join(line for line in text.splitlines() if line.startswith("   ")))
    assert every_model[:6] == [f"model{number}" for number in range(6)]
    tables_of = [line for line in text.splitlines() if line.startswith(" ")]
    assert max(map(len, tables_of)) <= 120
    assert any(len(line) > 120 for line in text.splitlines() if not line.startswith(" "))


def test_notebooks_and_consoles_have_lines_of_the_same_length():
    text = repr(report_of(threshold=0.5, ci=0.9))
    assert max(len(line) for line in text.splitlines() if line.startswith("  ")) <= 120
    assert NOTE.format("to_csv()") in text


def test_tables_have_notes_on_the_columns_that_they_show():
    columns = {"late": [1, 0, 1, 0], "rf": [0.9, 0.1, 0.4, 0.5], "month": [1, 1, 2, 2]}
    report = evalcore.evaluate(columns, label="late", score="rf", by="month")
    said = "precision at 1,000"
    assert any(said in note for note in report.notes)
    assert said in report.to_json()
    assert said in report.to_markdown().split("Note: ")[1]
    assert said not in repr(report)
    asked = evalcore.evaluate(columns, label="late", score="rf", by="month", measures="precision_at_1000")
    assert repr(asked).count(said) == 2
