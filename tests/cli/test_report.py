"""The command: its numbers and formats, and one line for each mistake in what is typed or in the data."""

import json
import os
import shlex
import subprocess
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
from evalcore.evaluation.model import Section, Statistic
from evalcore.report.rendering import as_table
from tests.cli.command import FLIGHTS, command, refused
from tests.differences import every

run = partial(command, "report")

FILES = {"cases.csv": 'late,model,other,class\n1,0.5,3,yes\n0,0.5,1,no\n0,0.25,2,"no"\n1,0.75,0,yes\n'}


def reported(outcome):
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["scores"]


def test_a_last_line_without_an_end_is_noted(tmp_path):
    (tmp_path / "cut.csv").write_text("late,model\n1,0.5\n0,0.7")
    asked = ("--label", "late", "--score", "model")
    said = "there is no line break at the end, so the last cell may be cut off; check that the file is whole"
    for file, name in (("cut.csv", "cut.csv"), ("-", "standard input")):
        outcome = run(file, *asked, input=(tmp_path / "cut.csv").read_text())
        assert (outcome.exit_code, outcome.stderr) == (0, f"evalcore: {name}: {said}\n")
        assert run(file, *asked, "--quiet", input="late,model\n1,0.5\n0,0.7").stderr == ""


def test_table():
    outcome = run("cases.csv", "--label", "late", "--score", "model", "--score", "other")
    assert outcome.exit_code == 0
    table = """\
cases.csv: late
model has the larger ROC AUC: 0.875 against 0.500 for other.
                          model      other
 ──────────────────────────────────────────
  cases                       4          4
  positives                   2          2
  prevalence           0.500000   0.500000
  ROC AUC              0.875000   0.500000
  average precision    0.833333   0.750000
  maximum F1           0.800000   0.666667
    at the threshold   0.500000   3.000000
  break-even point     0.666667   0.500000
  R-precision          0.750000   0.500000
  precision at 5            NaN        NaN
  precision at 10           NaN        NaN
  precision at 100          NaN        NaN
  precision at 1,000        NaN        NaN
  reciprocal rank      1.000000   1.000000
  log loss             0.490415        NaN
  Brier score          0.156250        NaN
  calibration error    0.125000        NaN

Note: precision at 5, precision at 10, precision at 100 and precision at 1,000 are NaN where there are fewer cases \
than ranks: 'model', 'other'
Note: log loss, Brier score and calibration error are NaN where scores are not probabilities, which lie between 0 and \
1 (of classes, with the sum 1): 'other'
"""
    assert outcome.stdout == table


def test_names_with_bars_and_markup_are_shown_and_folded(tmp_path):
    (tmp_path / "x.csv").write_text("late,a|b\n1,1e-9\n0,1e9\n")
    outcome = run("x.csv", "--label", "late", "--score", "a|b", "--format", "markdown")
    headline, _, *lines = outcome.stdout.splitlines()
    assert headline == r"'a\|b' has a ROC AUC of 0.000."
    assert lines[0].replace(" ", "") == "||a\\|b|"
    assert set(lines[1]) == {"|", "-"}
    assert "| maximum F1         | 0.666667 |" in lines
    assert "|   at the threshold |    1e-09 |" in lines
    (tmp_path / "x.csv").write_text("late,[red]a[/red]\n1,1\n0,0\n")
    assert "[red]a[/red]" in run("x.csv", "--label", "late", "--score", "[red]a[/red]").stdout
    section = Section("scores", "", "score", {"m" * 100: [Statistic("cases", "cases", 3)]}, across=True)
    lines = as_table([section], "x", width=40).splitlines()
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
    [
        ({"late": [0, 1], "model": [0.5, np.nan]},
         "column 'model' is NaN at index 1 (from 0); a score is finite or infinite"),
        ({"late": [0, np.nan, 1, np.nan], "model": [1.0, 2.0, 3.0, 4.0]},
         "column 'late' holds 2 NaN, the first at index 1 (from 0)"),
    ],
)  # fmt: skip
@every("more", [[], ["--positive", "1"]])
def test_nan_in_a_binary_file_is_refused(columns, message, more):
    np.savez("x.npz", **columns)
    outcome = run("x.npz", "--label", "late", "--score", "model", *more)
    assert refused(outcome) == f"x.npz: {message}; leave such rows out (--nulls drop)"


def process(*arguments, code=None, **more):
    start = ["-c", code] if code else ["-m", "evalcore"]
    return subprocess.run(
        [sys.executable, *start, *arguments], capture_output=True, text=True, encoding="utf-8", check=False, **more
    )


@pytest.mark.process
def test_python_m_evalcore_reads_standard_input():
    outcome = process("report", "-", "--label", "late", "--score", "model", "--format", "csv", input=FILES["cases.csv"])
    assert outcome.stdout.splitlines()[4] == "scores,model,,roc_auc,0.875,,,exact"
    assert (outcome.returncode, outcome.stderr) == (0, "")


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="no shell that closes standard input")
def test_closed_standard_input_is_one_line():
    command = f"{sys.executable} -m evalcore report - --label late --score model <&-"
    outcome = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stderr) == (2, "evalcore: -: standard input is closed\n")


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
        of_comparisons = {"on", "score", "predicted", "allow", "margin"} if known.name == "compare" else set()
        assert (
            repeatable
            <= {"outputs", "thresholds", "targets", "scores", "by", "text", "measures", "conditions"} | of_comparisons
        )
        for each in options:
            assert each.multiple
            assert (each.callback is None) == (each.name in repeatable)


FILES |= {
    "cases.csv": 'late,model,other,class\n1,0.5,3,yes\n0,0.5,1,no\n0,0.25,2,"no"\n1,0.75,0,yes\n',
    "odd.csv": "y,a=b,e\u0301\n1.0,0.5,0.5\n0.0,0.2,0.5\n",
    "v1.feather": "FEA1" + "x" * 100,
    "trees.csv": "tree,guess,s_ash,s_elm\nash,ash,2,1\nelm,ash,1,2\nash,ash,3,0\n",
}
POSITIVE = "; name the positive one (--positive VALUE)"
OF_SCORES = {  # after: report cases.csv --label late --score model
    "--threshold nan": "--threshold must be a number, got nan",
    "--threshold 0.5,0.2": "--threshold must be a number, got '0.5,0.2'; repeat --threshold for several",
    "--threshold 50%": "--threshold must be a number, got '50%'; 0.5 is 50%",
    "--threshold half": "--threshold must be a number, got 'half'",
    "--costs 1,-5": "--costs must be two numbers of at least 0, the costs of a false positive and of a false negative,"
    " got '1,-5'",
    "--costs 1,2,3": "--costs must be two numbers of at least 0, the costs of a false positive and of a false negative,"
    " got '1,2,3'",
    "--ci 0": "--ci must be above 0 and below 1, got 0.0",
    "--ci 1": "--ci must be above 0 and below 1, got 1.0…",
    "--ci nan": "--ci must be above 0 and below 1, got nan",
    "--versus all": "--versus needs --ci, the level of the intervals",
    "--versus all --ci 0.9 --measure average_precision": "--versus compares models by roc_auc; name this measure too",
    "--ci 0.95 --versus each": "Invalid value for '--versus': 'each' is not one of 'first', 'best', 'all', 'none'.",
    "--ci-method delong": "--ci-method needs --ci, the level of the intervals",
    "--measure roc_aera": "--measure must be one of the names of --list-measures, got 'roc_aera'; did you mean 'roc_a…",
    "--measure recall": "measure 'recall' is not in this report: it needs --threshold",
    "--measure expected_cost": "measure 'expected_cost' is not in this report: it needs --costs",
    "--measure confusion_matrix": "measure 'confusion_matrix' is not in this report: it needs --predicted or scores of"
    " classes",
    "--at-k 10,x": "--at-k must be whole numbers from 1 on, got '10,x'",
    "--at-k 0": "--at-k must be whole numbers from 1 on, got '0'",
    "--digits 0": "--digits must be between 1 and 15, got 0",
    "--digits 16": "--digits must be between 1 and 15, got 16",
    "--digits -1": "--digits must be between 1 and 15, got -1",
    "--by ''": "--by must name columns, got ''.",
    "--by class,": "--by must name columns, got 'class,'.",
    "--by ,class": "--by must name columns, got ',class'.",
    "--by clas": "cases.csv: no column 'clas'; did you mean 'class'?",
    "--groups=9": "No such option: --groups; it is --max-groups now. See evalcore report --help.",
    "--html x": "No such option: --html; it is -o FILE.html now. See evalcore report --help.",
    "--text class": "No such option: --text; it is --as-text now. See evalcore report --help.",
    "--all-groups": "--all-groups needs --by COL.",
    "--full-matrix": "--full-matrix needs --predicted COL or scores of classes.",
    "--no-matrix": "--no-matrix needs --predicted COL or scores of classes.",
    "--no-script": "--no-script needs --output FILE.html or --format html.",
    "--sample 0": "--sample must be at least 1, got 0",
    "--sample 1 --seed -1": "--seed must be from 0 to 18446744073709551615, got -1",
    "--seed 1": "--seed needs --sample N.",
    "--weight late": "--weight must be a column of its own, got 'late', which has another role",
    "--weight model": "--weight must be a column of its own, got 'model', which has another role",
    "--weight class --by class": "--weight must be a column of its own, got 'class', which has another role",
    "--weight-type frequency": "--weight-type needs --weight, which names the column of weights",
    "--weight other --target-prevalence 1": "--target-prevalence must be above 0 and below 1, got 1.0; write 0.01 for"
    " 1%",
    "--weight other --weight-type frequency --target-prevalence 0.1": "--target-prevalence needs sampling weights"
    " (--weight-type sampling), got 'frequency'",
    "--weight weights": "cases.csv: no column 'weights'; the columns are 'late', 'model', 'other', 'class'",
    "--label class": "--label may be given only once, got 'late' and 'class'.",
    "--predicted a --predicted b": "--predicted may be given only once, got 'a' and 'b'.",
    "--digits 2 --digits 3": "--digits may be given only once, got 2 and 3.",
    "--format csv --format json": "--format may be given only once, got 'csv' and 'json'.",
    "--ci 0.9 --ci 0.9": "--ci may be given only once, got 0.9 and 0.9.",
}
OF_CLASSES = {  # after: report trees.csv --label tree
    "": "Give one of --score COL, --score CLASS=COL, --scores PREFIX and --predicted COL.",
    "--score s_ash --predicted guess": "Give only one of --score s_ash and --predicted guess.",
    "--scores s_ --predicted guess": "Give only one of --scores s_ and --predicted guess.",
    "--score ash=s_ash --score ash=s_elm": "Give only one --score for each class.",
    "--score ash=s_elm --scores s_": "trees.csv: each class must have one column of scores, got two for 'ash'…",
    "--score ash=s_ash --score s_elm": "Give all --score options as CLASS=COL, or none.",
    "--predicted guess --threshold 0.5": "--threshold needs --score COL.",
    "--predicted guess --versus all --ci 0.95": "--versus needs --score COL.",
    "--scores s_ --positive ash": "--positive needs --score COL.",
    "--predicted guess --at-k 3": "--at-k needs scores, got predicted classes",
    "--predicted guess --measure rank_counts": "measure 'rank_counts' is not in this report: it needs scores of"
    " classes",
    "--predicted guess --measure confusion_matrix --measure accuracy --no-matrix": "measure 'confusion_matrix' is not"
    " in this report: --no-matrix leaves it out",
    "--scores s_ --full-matrix --no-matrix": "--no-matrix leaves out what --full-matrix shows; give only one of them.",
}
COMMANDS = {
    "rport": "No such command 'rport'.…",
    "report": "Missing argument 'FILES...'. See evalcore report --help.",
    "report x.csv": "Missing option '--label'. See evalcore report --help.",
    "--config x.toml report": "No such option: --config; it stands behind the command: evalcore report --config ... See"
    " evalcore --help.",
    "--qrels x": "No such option: --qrels; it stands behind the command: evalcore compare --qrels ... See evalcore"
    " --help.",
    "report cases.csv --label late --score a=other": "cases.csv: class '1' of column 'late' must have a column of"
    " scores, got columns for 'a'; for scores of one label give --score other; a column whose name holds = must be"
    " renamed",
    "report x.csv --labl a": "No such option '--labl'.…",
    "report x.csv --label a --ci x": "Invalid value for '--ci': 'x' is not a valid float.",
    "trec x": "Missing argument 'RUN…",
    "compare": "Missing argument 'OLD'. See evalcore compare --help.",
    "contingency x.csv --assigned a --correct b --weight w": "No such option '--weight'. See evalcore contingency"
    " --help. evalcore report takes weights of scores and of predicted classes.",
    "contingency x.csv --assigned a --correct b --sep ''": "--sep must not be empty.",
    "report odd.csv --label y --score a=b": "odd.csv: no column 'b'; the table has 'a=b', but what precedes = in"
    " --score is a class: rename the column",
    "report odd.csv --label y --score \u00e9": "odd.csv: no column '\u00e9'; the table spells it with other code"
    " points for the same letters (Unicode NFC and NFD); copy the name from the table",
    "report odd.csv --label y --positive 1 --score e\u0301": "odd.csv: no row of column 'y' equals '1': it holds 2"
    " values (0.0, 1.0); did you mean '1.0'?",
    "report v1.feather --label y --score p": "v1.feather: is Feather V1, which is not read; write it as Feather V2,"
    " Arrow or Parquet",
    "report cases.csv --label late --score model --measure AUCC": "--measure must be one of the names of"
    " --list-measures, got 'AUCC'; did you mean 'roc_auc' or 'average_precision'?",
    "report nope.csv --label late --score model": "nope.csv: no such file",
    "report cases.csv --label lat --score model": "cases.csv: no column 'lat'; did you mean 'late'?",
    "report cases.csv --label class --score model": "cases.csv: column 'class' must hold 0 and 1, or Booleans, got 2"
    f" values (no, yes){POSITIVE}",
    "report cases.csv --label other --score model": "cases.csv: column 'other' must hold 0 and 1, or Booleans, got 4"
    f" values (0, 1, 2, 3){POSITIVE}",
    f"report {FLIGHTS} --label month --score boosting": f"{FLIGHTS}: column 'month' must hold 0 and 1, or Booleans, got"
    f" 12 values (1, 2, 3, 4, 5, 6, ...){POSITIVE}",
    "report cases.csv --label class --positive Yes --score model": "cases.csv: no row of column 'class' equals 'Yes':"
    " it holds 2 values (no, yes); did you mean 'yes'?",
    "report cases.csv --label late --positive yes --score model": "cases.csv: no row of column 'late' equals 'yes': it"
    " holds 2 values (0, 1)",
    f"report {FLIGHTS} --label late --positive yes --score boosting": f"{FLIGHTS}: no row of column 'late' equals"
    " 'yes': it holds 2 values (False, True)",
    "report cases.csv --label late --score class": "cases.csv: line 2: column 'class' must hold numbers, got 'yes'",
}
ALL = {
    **COMMANDS,
    **{f"report cases.csv --label late --score model {typed}": said for typed, said in OF_SCORES.items()},
    **{f"report trees.csv --label tree {typed}": said for typed, said in OF_CLASSES.items()},
}


@every("typed", ALL)
def test_a_wrong_command_is_told_in_one_line(typed):
    said, (told, more, _) = refused(command(*shlex.split(typed))), ALL[typed].partition("…")
    assert said == told or (more and said.startswith(told)), said
