"""The command: its numbers and formats, and one line for each mistake in what is typed or in the data."""

import json
import sys
from functools import partial
from unittest import mock

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import __main__, __version__
from evalcore.cli import main
from evalcore.document.documents import document_of_sections
from evalcore.document.terminal import as_terminal
from evalcore.evaluation.model import Section, Statistic
from tests.cli.command import command, refused
from tests.differences import check_output, every

run = partial(command, "report")

FILES = {"cases.csv": 'late,model,other,class\n1,0.5,3,yes\n0,0.5,1,no\n0,0.25,2,"no"\n1,0.75,0,yes\n'}


def reported(outcome):
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["scores"]


def test_table():
    outcome = run("cases.csv", "--label", "late", "--score", "model", "--score", "other")
    assert outcome.exit_code == 0
    check_output("cli/outputs/report.txt", outcome.stdout)


def test_names_with_bars_and_markup_are_shown_and_folded(tmp_path):
    (tmp_path / "x.csv").write_text("late,a|b\n1,1e-9\n0,1e9\n")
    outcome = run("x.csv", "--label", "late", "--score", "a|b", "--format", "markdown")
    _, _, headline, _, *lines = outcome.stdout.splitlines()
    assert headline == r"**'a\|b' has a ROC AUC of 0.000.**"
    assert lines[0].replace(" ", "") == "||a\\|b|"
    assert set(lines[1]) == {"|", "-"}
    assert "| maximum F1        | 0.6667 |" in lines
    assert "| at the threshold  |  1e-09 |" in lines
    (tmp_path / "x.csv").write_text("late,[red]a[/red]\n1,1\n0,0\n")
    assert "[red]a[/red]" in run("x.csv", "--label", "late", "--score", "[red]a[/red]").stdout
    section = Section("scores", "", "score", {"m" * 100: [Statistic("cases", "cases", 3)]}, across=True)
    lines = as_terminal(document_of_sections([section]), 40).splitlines()
    assert max(map(len, lines)) <= 40
    assert sum(line.count("m") for line in lines) == 100


@every(("column", "positive"), [("class", "yes"), ("late", "1"), ("late", "1.0"), ("flag", "TRUE"), ("flag", "1")])
def test_the_positive_label_can_be_named(tmp_path, column, positive):
    table = pa.csv.read_csv(tmp_path / "cases.csv")
    table = table.append_column("flag", pa.array([True, False, False, True]))
    pq.write_table(table, tmp_path / "x.parquet")
    outcome = run("x.parquet", "--label", column, "--positive", positive, "--score", "model", "--format", "json")
    assert reported(outcome)["model"]["roc_auc"] == 0.875
    assert json.loads(outcome.stdout)["positive"] == positive


def test_any_value_can_be_the_positive_label_and_no_row_need_have_it(tmp_path):
    outcome = run("cases.csv", "--label", "other", "--positive", "3", "--score", "model", "--format", "json")
    assert reported(outcome)["model"]["positives"] == 1
    np.savez(tmp_path / "x.npz", late=[2**53, 2**53 + 1, 2**53 + 1], model=[1.0, 2.0, 3.0])
    arguments = ["--label", "late", "--positive", str(2**53), "--score", "model", "--format", "json"]
    assert reported(run("x.npz", *arguments))["model"]["positives"] == 1
    (tmp_path / "x.csv").write_text("late,model\n0,0.5\n0,0.25\n")
    found = reported(run("x.csv", "--label", "late", "--score", "model", "--format", "json"))["model"]
    undefined = ("roc_auc", "average_precision", "maximum_f1_threshold", "r_precision")
    assert [found[name] for name in undefined] == [None] * 4
    assert [found[name] for name in ("positives", "maximum_f1", "break_even_point", "reciprocal_rank")] == [0] * 4


@every(
    ("columns", "message"),

        ({"late": [0, 1], "model": [0.5, np.nan]},
         "column 'model' is NaN at index 1 (from 0); a score is finite or infinite"),
        ({"late": [0, np.nan, 1, np.nan], "model": [1.0, 2.0, 3.0, 4.0]},
         "column 'late' holds 2 NaN, the first at index 1 (from 0)"),
)  # fmt: skip
@every("more", [[], ["--positive", "1"]])
def test_nan_in_a_binary_file_is_refused(columns, message, more):
    np.savez("x.npz", **columns)
    outcome = run("x.npz", "--label", "late", "--score", "model", *more)
    assert refused(outcome) == f"x.npz: {message}; leave out the rows with nulls (--nulls drop)"


def test_the_entry_runs_the_command_or_says_in_one_line_why_it_cannot(monkeypatch, capsys):
    def ended():
        with pytest.raises(SystemExit) as stopped:
            __main__.main()
        return stopped.value.code, *capsys.readouterr()

    monkeypatch.setattr(sys, "argv", ["evalcore", "--version"])
    code, printed, told = ended()  # click keeps the name of the program by which it was first asked
    assert (code, printed.split(" ", 1)[1], told) == (0, f"version {__version__}\n", "")
    with monkeypatch.context() as patch:
        patch.setattr(__main__, "_NEEDED", ("click", "no_such_library"))
        needs = "this command needs no_such_library: pip install 'evalcore-metrics[report]'"
        assert ended() == (2, "", f"evalcore: {needs}\n")
    with monkeypatch.context() as patch:
        patch.setattr(__main__, "_main", mock.Mock(side_effect=KeyboardInterrupt))
        assert ended() == (130, "", "evalcore: stopped\n")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        assert ended() == (2, "", "evalcore: standard output is closed\n")


def test_options_of_all_commands_are_repeatable_or_single():
    for known in main.commands.values():
        options = [each for each in known.params if isinstance(each, click.Option) and not each.is_flag]
        repeatable = {each.name for each in options if "Repeatable" in (each.help or "")}
        of_comparisons = {"score", "predicted", "allow", "margin"} if known.name == "compare" else set()
        of_all = {"outputs", "thresholds", "targets", "scores", "by", "text", "measures", "conditions", "show"}
        of_all |= {"values", "lower_is_better", "quantiles", "on", "fold"}
        assert repeatable <= of_all | of_comparisons
        for each in options:
            assert each.multiple
            assert (each.callback is None) == (each.name in repeatable)
