"""The command on judgements and runs prints what trec_eval does."""

import csv
import json

import numpy as np
import pytest
import pytrec_eval
from click.testing import CliRunner

from evalcore.cli import main

MEASURES = ["map", "recip_rank", "P_5", "P_10", "recall_20", "ndcg", "ndcg_cut_10", "Rprec", "bpref", "success_1"]
ASKED = [part for measure in MEASURES for part in ("-m", measure)]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, ["trec", *arguments], prog_name="evalcore")


@pytest.fixture(params=[0, 1, 2])
def files(request, tmp_path):
    """Write judgements and a run with ties; queries 0 and 1 were not retrieved, 28 and 29 were not judged."""
    rng = np.random.default_rng(request.param)
    qrels, scores = {}, {}
    for query in map(str, range(30)):
        for number in rng.permutation(40).tolist():
            if int(query) < 28 and rng.random() < 0.6:
                qrels.setdefault(query, {})[f"d{number}"] = int(rng.choice([0, 0, 0, 1, 2]) * (query != "5"))
            if int(query) > 1 and rng.random() < 0.7:
                scores.setdefault(query, {})[f"d{number}"] = float(rng.integers(6)) / 4
    (tmp_path / "qrels").write_text(
        "".join(f"{query}\t0 {name}  {grade}\n" for query, grades in qrels.items() for name, grade in grades.items())
    )
    (tmp_path / "run").write_text(
        "".join(f"{query} Q0 {name} 1 {score} t\n" for query, some in scores.items() for name, score in some.items())
    )
    return qrels, scores


def lines_of_trec_eval(qrels, scores, per_query, complete=False):
    values = pytrec_eval.RelevanceEvaluator(qrels, set(pytrec_eval.supported_measures)).evaluate(scores)
    count = len(qrels) if complete else len(values)
    lines = [f"{name:<22}\t{query}\t{values[query][name]:6.4f}" for query in sorted(values) for name in MEASURES]
    means = {name: sum(one[name] for one in values.values()) / count for name in MEASURES}
    return [*(lines if per_query else []), *(f"{name:<22}\tall\t{means[name]:6.4f}" for name in MEASURES)]


@pytest.mark.parametrize("options", [[], ["--per-query"], ["-c"], ["-c", "--per-query"]])
def test_lines_are_those_of_trec_eval(run, files, options):
    outcome = run("qrels", "run", *ASKED, "--format", "trec", "--ties", "trec", *options)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    assert outcome.stdout.splitlines() == lines_of_trec_eval(*files, "--per-query" in options, "-c" in options)


def test_measures_are_spelled_as_trec_eval_takes_them(run, files):
    outcome = run("qrels", "run", "-m", "P.5,10", "-m", "map", "--format", "trec", "--ties", "trec")
    expected = [line for line in lines_of_trec_eval(*files, False) if line.split()[0] in ("P_5", "P_10", "map")]
    assert sorted(outcome.stdout.splitlines()) == sorted(expected)


def test_ties_count_as_their_mean_unless_asked(run, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n")
    for ties, value in (("mean", 0.75), ("trec", 0.5)):
        outcome = run("qrels", "run", "-m", "recip_rank", "--ties", ties, "--format", "json")
        assert json.loads(outcome.stdout)["queries"] == {"all": {"recip_rank": value}}


def test_every_format_holds_the_same_numbers(run, files):
    as_json = json.loads(run("qrels", "run", "--per-query", "--format", "json").stdout)["queries"]
    assert list(as_json["all"]) == ["map", "recip_rank", "P_10", "ndcg_cut_10"]
    rows = list(csv.DictReader(run("qrels", "run", "--per-query", "--format", "csv").stdout.splitlines()))
    assert {row.pop("query"): {name: float(value) for name, value in row.items()} for row in rows} == as_json
    assert f"{as_json['all']['map']:.6f}" in run("qrels", "run").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels", "run", "-m", "elephants"], "evalcore: measure 'elephants' is none of P@k"),
        (["qrels", "run", "-m", "P"], "evalcore: measure 'P' must be written P@k"),
        (["qrels", "nowhere"], "evalcore: nowhere: no such file"),
        (["run", "run"], "evalcore: run, line 1: must have 4 fields"),
        (["qrels", "other"], "evalcore: other, qrels: no query of the run has judgements"),
    ],
)
def test_errors_are_one_line(run, tmp_path, arguments, message):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 t\n")
    (tmp_path / "other").write_text("2 Q0 a 1 0.5 t\n")
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert outcome.stderr.startswith(message)
    assert outcome.stderr.count("\n") == 1
