"""How many decimals the command prints."""

import pytest
from click.testing import CliRunner

from evalcore import EvaluationError, evaluate
from evalcore.cli import main

CASES = "late,model\n1,0.5123456789\n0,0.3123456789\n0,0.25\n1,0.75\n1,0.2315829123\n"
COLUMNS = {"late": [1, 0, 0, 1, 1], "model": [0.5123456789, 0.3123456789, 0.25, 0.75, 0.2315829123]}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.csv").write_text(CASES)
    columns = "cases.csv", "--label", "late", "--score", "model"
    return lambda *arguments: CliRunner().invoke(main, ["report", *columns, *arguments], prog_name="evalcore")


def line_of(outcome, begin):
    assert outcome.exit_code == 0, outcome.stderr
    return next(line for line in outcome.stdout.splitlines() if line.strip(" |").startswith(begin)).split()


@pytest.mark.parametrize(("style", "last"), [("table", -1), ("markdown", -2)])
def test_digits_of_tables(run, style, last):
    assert line_of(run("--format", style), "ROC area")[last] == "0.666667"
    found = run("--format", style, "--digits", "2", "--ci", "0.95")
    assert line_of(found, "ROC area")[2 if style == "table" else 4] == "0.67"
    assert line_of(found, "prevalence")[-4 + (last == -1) :][:3] == ["0.60", "[0.23,", "0.88]"]


def test_thresholds_keep_their_decimals_so_that_they_lose_no_case(run):
    assert line_of(run("--digits", "2"), "at score")[-1] == "0.512345"


def test_digits_from_python():
    report = evaluate(COLUMNS, label="late", score="model")
    assert "0.667 |" in report.to_markdown(digits=3)
    with pytest.raises(EvaluationError, match=r"^digits must be between 1 and 15, got 0$"):
        report.to_markdown(digits=0)


def test_digits_of_groups_in_markdown():
    report = evaluate({**COLUMNS, "month": [1, 1, 1, 1, 1]}, label="late", score="model", by="month")
    assert "ROC area           |     0.67 |" in report.to_markdown(digits=2)


@pytest.mark.parametrize("digits", ["0", "16", "-1"])
def test_other_numbers_of_digits(run, digits):
    refused = run("--digits", digits)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"evalcore: --digits must be between 1 and 15, got {digits}\n"


@pytest.mark.parametrize("style", ["json", "csv"])
def test_digits_where_all_are_written(run, style):
    assert run("--digits", "2", "--format", style).stdout == run("--format", style).stdout
