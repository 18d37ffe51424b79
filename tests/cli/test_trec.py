"""The command on judgements and runs prints what trec_eval does."""

import csv
import functools
import itertools
import json
import re
from functools import partial

import numpy as np
import pytest
import pytrec_eval

from tests.cli.command import command, reported

run = partial(command, "trec")

MEASURES = ["map", "Rprec", "bpref", "recip_rank", "P_5", "P_10", "recall_20", "ndcg", "ndcg_cut_10", "success_1"]
ASKED = [part for measure in reversed(MEASURES) if measure != "P_10" for part in ("-m", measure)] + ["-m", "P_10"]
COUNTS = ["num_ret", "num_rel", "num_rel_ret"]


@functools.cache
def judged(seed):
    """Draw judgements and a run with ties; queries 0 and 1 were not retrieved, 28 and 29 were not judged."""
    rng = np.random.default_rng(seed)
    qrels, scores = {}, {}
    for query in map(str, range(30)):
        names = [f"d{number}" for number in rng.permutation(40).tolist()]
        grades = rng.choice([0, 0, 0, 1, 2], 40) * (query != "5")
        if int(query) < 28:
            qrels[query] = dict(itertools.compress(zip(names, grades.tolist(), strict=True), rng.random(40) < 0.6))
        if int(query) > 1:
            values = rng.integers(6, size=40) / 4
            scores[query] = dict(itertools.compress(zip(names, values.tolist(), strict=True), rng.random(40) < 0.7))
    return qrels, scores


@pytest.fixture
def files(request, tmp_path):
    """Write judgements and a run, by the seed that the test names, and return them."""
    qrels, scores = judged(getattr(request, "param", 0))
    (tmp_path / "qrels").write_text(
        "".join(f"{query}\t0 {name}  {grade}\n" for query, grades in qrels.items() for name, grade in grades.items())
    )
    (tmp_path / "run").write_text(
        "".join(f"{query} Q0 {name} 1 {score} t\n" for query, some in scores.items() for name, score in some.items())
    )
    return qrels, scores


def lines_of_trec_eval(qrels, scores, per_query, complete=False):
    values = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES)).evaluate(scores)
    count = len(qrels) if complete else len(values)
    lines = [f"{name:<22}\t{query}\t{values[query][name]:6.4f}" for query in sorted(values) for name in MEASURES]
    means = {name: sum(one[name] for one in values.values()) / count for name in MEASURES}
    return [*(lines if per_query else []), *(f"{name:<22}\tall\t{means[name]:6.4f}" for name in MEASURES)]


@pytest.mark.parametrize(
    ("files", "options"),
    [(0, []), (1, ["--per-query"]), (2, ["-c"]), (3, ["-c", "--per-query"])],
    indirect=["files"],
)
def test_lines_are_those_of_trec_eval(files, options):
    outcome = run("qrels", "run", *ASKED, "--format", "trec", "--ties", "trec", *options)
    said = "run lacks 2 of the 28 judged queries (0 and 1): its means leave them out, and --complete counts them as 0"
    assert (outcome.stderr, outcome.exit_code) == ("" if "-c" in options else f"evalcore: {said}\n", 0)
    assert outcome.stdout.splitlines() == lines_of_trec_eval(*files, "--per-query" in options, "-c" in options)


def test_measures_and_families_are_those_of_trec_eval_in_its_order(files):
    outcome = run("qrels", "run", "-m", "P.5,10", "-m", "map", "--format", "trec", "--ties", "trec")
    expected = [line for line in lines_of_trec_eval(*files, False) if line.split()[0] in ("P_5", "P_10", "map")]
    assert sorted(outcome.stdout.splitlines()) == sorted(expected)
    outcome = run("qrels", "run", "-m", "P.10,5", "-m", "iprec_at_recall.1,.5,0.1", "--format", "trec")
    names = [line.split()[0] for line in outcome.stdout.splitlines()]
    assert names == [*(f"iprec_at_recall_{level}" for level in ("0.10", "0.50", "1.00")), "P_5", "P_10"]
    for family in ("P", "recall", "ndcg_cut", "map_cut", "success", "iprec_at_recall"):
        values = pytrec_eval.RelevanceEvaluator(files[0], {family}).evaluate(files[1])
        outcome = run("qrels", "run", "-m", family, "--format", "trec", "--ties", "trec", "--per-query")
        expected = [(name, query, f"{one[name]:.4f}") for query, one in sorted(values.items()) for name in one]
        found = [tuple(line.split()) for line in outcome.stdout.splitlines() if "\tall\t" not in line]
        assert sorted(found) == sorted(expected)
        names = [name for name, query, _ in found if query == "2"]
        assert names == sorted(names, key=lambda name: float(name.rpartition("_")[2]))


@pytest.mark.parametrize("files", [0, 1], indirect=True)
def test_official_measures_are_those_of_trec_eval(files):
    qrels, scores = files
    values = pytrec_eval.RelevanceEvaluator(qrels, {"official"}).evaluate(scores)
    names = list(next(iter(values.values())))
    for complete in ([], ["-c"]):
        outcome = run("qrels", "run", "-m", "official", "--format", "trec", "--ties", "trec", "--per-query", *complete)
        lines = [line.split() for line in outcome.stdout.splitlines()]
        of_queries = {(query, name): value for name, query, value in lines if query != "all"}
        of_all = {name: value for name, query, value in lines if query == "all"}
        assert (of_all.pop("runid"), of_all.pop("num_q")) == ("t", str(len(qrels) if complete else len(values)))
        assert {*of_all} == {*names} - {"runid", "num_q"}
        assert [name for name, query, _ in lines if query == "2"] == [name for name in of_all if name != "gm_map"]
        for (query, name), value in of_queries.items():
            assert value == f"{values[query][name]:.{0 if name in COUNTS else 4}f}"
        if not complete:
            for name in set(of_all) - {*COUNTS}:
                mean = pytrec_eval.compute_aggregated_measure(name, [one[name] for one in values.values()])
                assert of_all[name] == f"{mean:.4f}", name
        retrieved = [value["num_rel_ret"] for value in values.values()]
        assert of_all["num_rel_ret"] == f"{sum(retrieved):.0f}"
    # trec_eval counts the relevant documents of all topics where it averages over all
    assert of_all["num_rel"] == str(sum(grade > 0 for grades in qrels.values() for grade in grades.values()))


def test_runs_come_by_standard_input_and_lack_queries_that_are_shown_but_for_trec(files, tmp_path):
    records = reported(run("qrels", "run", "-c", "--per-query", "--format", "json"))["queries"]
    assert records["0"] == {"map": 0.0, "recip_rank": 0.0, "P_10": 0.0, "ndcg_cut_10": 0.0}
    assert "28" not in records
    whole = run("qrels", "run", "--format", "trec").stdout
    content = (tmp_path / "run").read_bytes()
    assert run("qrels", "-", "--format", "trec", input=content).stdout == whole
    with (tmp_path / "run").open("a") as file:
        file.write("5 Q0 other 1 0.1 last words\n")
    outcome = run("qrels", "run", "-m", "runid", "--format", "trec")
    assert outcome.stdout == "runid                 \tall\tlast\n"
    refused = run("qrels", "run", "-m", "runid")
    assert (refused.exit_code, "runid is not a number" in refused.stderr) == (2, True)


def test_a_query_may_be_named_all(tmp_path):
    (tmp_path / "qrels").write_text("all 0 a 1\n1 0 a 0\n")
    (tmp_path / "run").write_text("all Q0 a 1 0.5 t\n1 Q0 a 1 0.5 t\n")
    outcome = run("qrels", "run", "-m", "map", "--per-query", "--format", "json")
    assert json.loads(outcome.stdout)["queries"] == {
        "1": {"map": 0.0},
        "(all)": {"map": 1.0},
        "all": {"map": 0.5},
    }
    refused = run("qrels", "run", "-m", "map", "--per-query", "--format", "trec")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "queries must not be named 'all', as the total is in lines of trec_eval; take JSON" in refused.stderr


def test_ties_count_as_their_mean_unless_asked_and_are_said_beside_lines(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n")
    for ties, value in (("mean", 0.75), ("trec", 0.5)):
        outcome = run("qrels", "run", "-m", "recip_rank", "--ties", ties, "--format", "json")
        assert json.loads(outcome.stdout)["queries"] == {"all": {"recip_rank": value}}
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "tied").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n2 Q0 a 1 0.5 t\n")
    (tmp_path / "near").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.500000001 t\n2 Q0 a 1 0.5 t\n")  # equal as float32
    (tmp_path / "apart").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.4 t\n2 Q0 a 1 0.5 t\n")
    said = "documents of equal score: these numbers may differ from trec_eval's, which --ties trec prints\n"
    lines = ("qrels", "tied", "near", "apart", "--format", "trec")
    assert run(*lines).stderr == f"evalcore: tied and near have {said}"
    assert run("qrels", "tied", "--format", "trec").stderr == f"evalcore: tied has {said}"
    for others in ((*lines, "--ties", "trec"), (*lines, "--quiet"), lines[:-2], ("qrels", "apart", *lines[-2:])):
        assert run(*others).stderr == ""


def test_every_way_to_name_measures_gives_the_same_numbers_in_every_format(files):
    as_json = reported(run("qrels", "run", "--per-query", "--format", "json"))["queries"]
    assert list(as_json["all"]) == ["map", "recip_rank", "P_10", "ndcg_cut_10"]
    rows = list(csv.DictReader(run("qrels", "run", "--per-query", "--format", "csv").stdout.splitlines()))
    found = {(row["group"], row["statistic"]): float(row["value"]) for row in rows}
    assert found == {(query, name): value for query, items in as_json.items() for name, value in items.items()}
    assert f"{as_json['all']['map']:.4f}" in run("qrels", "run").stdout
    separate = run("qrels", "run", "-m", "map", "-m", "P_5", "-m", "P_10", "--format", "json").stdout
    for names in ("map P_5 P_10", "map,P_5, P_10", "map P.5,10"):
        assert run("qrels", "run", "-m", names, "--format", "json").stdout == separate
    found = reported(run("qrels", "run", "-m", "AP,P(rel=2,judged_only=True)@5,10", "--format", "json"))
    assert list(found["queries"]["all"]) == ["AP", "P(rel=2,judged_only=True)@5", "P(rel=2,judged_only=True)@10"]
    lines = run("--list-measures").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    assert "set_P" in names
    assert all(line[28:].endswith(".") and line[27] == " " for line in lines)
    written = [re.sub("K$", "5", re.sub("X$", "0.1", name)) for name in names]
    outcome = run("qrels", "run", *(part for name in written for part in ("-m", name)), "--format", "trec")
    assert outcome.exit_code == 0
    printed = {line.split()[0] for line in outcome.stdout.splitlines()}
    assert printed >= {name for name in written if name not in ("official", "iprec_at_recall_0.1")}
