"""`evalcore report --measure`, `--at-k` and `--list-measures`."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click import Context
from click.testing import CliRunner

from evalcore.cli import main
from evalcore.cli.completion import completed_measures
from evalcore.report.catalogue import _CATALOGUE, NOT_ASKED
from tests.differences import every

CASES = "late,model,tree\n1,0.5,ash\n0,0.5,elm\n0,0.25,elm\n1,0.75,ash\n"
TABLE = """\
x.csv: late
                   model
 ────────────────────────
  cases                4
  positives            2
  ROC area      0.875000
  Brier score   0.156250
"""
SCORES = ("x.csv", "--label", "late", "--score", "model")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text(CASES)
    return lambda *arguments: CliRunner().invoke(main, ["report", *arguments], prog_name="evalcore")


def test_the_table_holds_the_measures_that_were_asked_for(run):
    outcome = run(*SCORES, "--measure", "roc_area", "--measure", "brier_score")
    assert outcome.stdout == TABLE


def test_depths_take_the_place_of_others(run):
    found = json.loads(run(*SCORES, "--at-k", "1,2", "--format", "json").stdout)["scores"]["model"]
    at = {name: value for name, value in found.items() if "_at_" in name}
    assert at == {"precision_at_1": 1, "precision_at_2": 0.75, "recall_at_1": 0.5, "recall_at_2": 0.75}


def test_names_are_listed_with_their_meanings():
    outcome = CliRunner().invoke(main, ["report", "--list-measures"])
    assert outcome.exit_code == 0
    lines = outcome.stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert names == [*(name for name in _CATALOGUE if name not in NOT_ASKED), "confusion_matrix", "rank_counts"]
    assert "roc_area                    Probability that a positive scores higher than a negative" in outcome.stdout


def test_the_shell_completes_names():
    found = completed_measures(Context(main), main, "macro_r")
    assert [item.value for item in found] == ["macro_recall", "macro_roc_area"]


@every(
    "arguments, error",
    [
        (
            ("--measure", "auc"),
            "--measure must be one of the names of --list-measures, got 'auc'; did you mean 'roc_area'?",
        ),
        (("--measure", "recall"), "measure 'recall' is not in this report: it needs --threshold"),
        (("--measure", "expected_cost"), "measure 'expected_cost' is not in this report: it needs --costs"),
        (("--at-k", "10,x"), "--at-k must be whole numbers from 1 on, got '10,x'"),
        (("--at-k", "0"), "--at-k must be whole numbers from 1 on, got '0'"),
    ],
)
def test_errors(run, arguments, error):
    outcome = run(*SCORES, *arguments)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr == f"evalcore: {error}\n"


def test_depths_need_scores(run):
    outcome = run("x.csv", "--label", "tree", "--predicted", "tree", "--at-k", "3")
    assert outcome.stderr == "evalcore: --at-k needs scores, got predicted classes\n"


@pytest.fixture
def large(tmp_path):
    rng = np.random.default_rng(3)
    model = rng.random(200_000)
    pq.write_table(pa.table({"late": rng.random(model.size) < model, "model": model}), tmp_path / "large.parquet")
    return ("large.parquet", "--label", "late", "--score", "model", "--memory", "256M", "--format", "json")


def test_what_does_not_fit_in_memory_has_the_measures_of_summaries(run, large, monkeypatch):
    monkeypatch.setattr("evalcore.batched.files.exact_bytes", lambda *_: 1 << 40)
    names = ("roc_area", "log_loss", "recall")
    asked = [word for name in names for word in ("--measure", name)]
    found = json.loads(run(*large, *asked, "--threshold", "0.5").stdout)
    names = {name for name in found["scores"]["model"] if not name.endswith(("_low", "_high"))}
    assert names == {"cases", "positives", "roc_area", "log_loss", "threshold", "recall"}
    found = json.loads(run(*large, "--measure", "roc_area", "--threshold", "0.5", "--costs", "1,5").stdout)
    names = {name for name in found["scores"]["model"] if not name.endswith(("_low", "_high"))}
    shown = {"threshold", "tp", "fn", "fp", "tn", "precision", "recall", "f1", "expected_cost"}
    assert names == {"cases", "positives", "roc_area", *shown}
    for more in (("--measure", "precision_at_10"), ("--at-k", "10")):
        outcome = run(*large, *more)
        assert outcome.exit_code == 2
        assert outcome.stderr.startswith("evalcore: measures of single ranks (precision_at_10) need all rows in memory")
