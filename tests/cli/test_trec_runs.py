"""The command puts runs side by side, compares them query by query, and counts documents from a relevance level on."""

import csv
import json
import os
import threading
from functools import partial

import numpy as np
import pytest
from scipy import stats

from evalcore import inference, ranking
from evalcore.io import joined, read_qrels, read_run
from tests.cli.command import command, refused, reported
from tests.differences import every

QUERIES, DOCUMENTS = range(40), range(30)
RUNS = ["a.run", "b.run", "c.run"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write judgements with grades and three runs, a fourth that lacks two queries, and two of a single query."""
    folder, rng = tmp_path_factory.mktemp("trec"), np.random.default_rng(4)
    grades = rng.choice([0, 0, 0, 1, 2], (len(QUERIES), len(DOCUMENTS)))
    grades[5] = np.minimum(grades[5], 1)
    judged = [(query, document) for query in QUERIES for document in DOCUMENTS if rng.random() < 0.7]
    lines = [f"{query} 0 d{document} {grades[query, document]}\n" for query, document in judged]
    (folder / "qrels").write_text("".join(lines))
    for name, noise in zip(RUNS, (2.0, 1.5, 1.0), strict=True):
        scores = grades + noise * rng.normal(size=grades.shape)
        rows = [
            (query, f"{query} Q0 d{document} 1 {scores[query, document]:.6f} {name[0]}\n")
            for query in QUERIES
            for document in DOCUMENTS
        ]
        (folder / name).write_text("".join(line for _, line in rows))
        if name == "b.run":
            (folder / "gaps.run").write_text("".join(line for query, line in rows if query not in {3, 4}))
            (folder / "one.run").write_text("".join(line for query, line in rows if query == 3))
        if name == "c.run":
            (folder / "alone.run").write_text("".join(line for query, line in rows if query == 3))
    return folder


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return partial(command, "trec", "qrels")


@pytest.fixture
def results(folder):
    qrels = read_qrels(str(folder / "qrels"))
    return lambda name, measures="AP P@10 nDCG@10 RR": ranking.JudgedRankings(
        *joined(qrels, read_run(str(folder / name)))
    ).evaluate(measures)


def test_runs_stand_side_by_side_with_the_numbers_that_each_has_alone(run, results):
    lines = run(*RUNS, "-m", "map", "-m", "P_10").stdout.splitlines()
    assert lines[0] == "a.run and 2 more: qrels"
    assert lines[1].split() == ["run", "map", "P_10"]
    for name, line in zip(RUNS, lines[3:], strict=True):
        means = results(name).means()
        assert line.split() == [name, f"{means['AP']:.4f}", f"{means['P@10']:.4f}"]
    together = reported(run(*RUNS, "--format", "json"))
    assert (together["files"], together["qrels"]) == (RUNS, "qrels")
    for name in RUNS:
        alone = reported(run(name, "--format", "json"))
        assert together["runs"][name] == alone["queries"]["all"]
        assert list(alone) == ["schema_version", "file", "qrels", "queries", "notes"]
    found = reported(run(*RUNS[:2], "--per-query", "--format", "json"))["runs"]
    alone = reported(run("b.run", "--per-query", "--format", "json"))["queries"]
    assert found["b.run"] == alone
    rows = list(csv.DictReader(run(*RUNS[:2], "--per-query", "--format", "csv").stdout.splitlines()))
    keyed = {(row["section"], row["score"], row["group"], row["statistic"]): float(row["value"]) for row in rows}
    assert keyed["runs", "b.run", "7", "map"] == alone["7"]["map"]
    table = run(*RUNS[:2], "--per-query").stdout
    assert len([line for line in table.splitlines() if line.split()[:1] == ["39"]]) == 2  # none is left out
    expected = [f"{name}\t{line}" for name in RUNS for line in run(name, "--format", "trec").stdout.splitlines()]
    assert run(*RUNS, "--format", "trec").stdout.splitlines() == expected


def test_runs_may_be_named(run, folder):
    plain = reported(run("a.run", "b.run", "--format", "json"))["runs"]
    found = reported(run("BM25=a.run", "dense=b.run", "--ci", "0.95", "--format", "json"))
    assert list(found["runs"]) == found["files"] == ["BM25", "dense"]
    assert found["runs"]["BM25"]["map"] == plain["a.run"]["map"]
    assert list(found["comparisons"]) == ["BM25 - dense"]
    (folder / "x=y").write_text((folder / "a.run").read_text())
    assert run("x=y").stdout.startswith("x=y: qrels\n")
    assert run("./x=y").stdout.startswith("./x=y: qrels\n")
    assert run("z=x=y").stdout.startswith("z: qrels\n")
    repeated = run("first=a.run", "second=a.run", "--format", "trec")
    assert repeated.stderr == "evalcore: a.run is named twice; it is read once\n"
    assert run("m=nowhere").stderr == "evalcore: nowhere: no such file\n"


def test_pipes_have_the_names_of_their_runs(run, folder):
    pipes, ends = [], []
    for name in ("a.run", "one.run"):
        end, start = os.pipe()
        threading.Thread(target=write_all, args=(start, (folder / name).read_bytes())).start()
        pipes.append(f"/dev/fd/{end}")
        ends.append(end)
    found = reported(run(*pipes, "c.run", "--quiet", "--format", "json"))
    for end in ends:
        os.close(end)
    assert list(found["runs"]) == ["a", "b", "c.run"]


def write_all(descriptor, content):
    with os.fdopen(descriptor, "wb") as pipe:
        pipe.write(content)


def test_pairs_are_compared_by_students_paired_test(run, results):
    found = reported(run(*RUNS, "--ci", "0.9", "--versus", "all", "--format", "json"))
    assert (found["level"], found["compare"], found["test"]) == (0.9, "all", "t")
    pairs = [("a.run", "b.run"), ("a.run", "c.run"), ("b.run", "c.run")]
    assert list(found["comparisons"]) == [" - ".join(pair) for pair in pairs]
    for name, ours in (("map", "AP"), ("P_10", "P@10"), ("recip_rank", "RR"), ("ndcg_cut_10", "nDCG@10")):
        tests = [stats.ttest_rel(results(first)[ours], results(second)[ours]) for first, second in pairs]
        adjusted = inference.holm([test.pvalue for test in tests])
        for pair, test, corrected in zip(pairs, tests, adjusted, strict=True):
            record = found["comparisons"][" - ".join(pair)][name]
            bounds = test.confidence_interval(0.9)
            difference = found["runs"][pair[0]][name] - found["runs"][pair[1]][name]
            assert list(record.values()) == pytest.approx(
                [difference, bounds.low, bounds.high, test.pvalue, corrected], rel=1e-9
            )
    assert found["notes"] == [
        "Intervals are from Student's t distribution, with queries as the sample",
        "P-values are from Student's t test, paired by query",
        "P-values are adjusted by Holm's method for 3 comparisons of each measure",
    ]


def test_pairs_and_means_have_the_tests_and_intervals_of_inference(run, results):
    outcome = run(*RUNS[:2], "--ci", "0.95", "--method", "permutation", "-m", "map", "--format", "json")
    found = json.loads(outcome.stdout)
    expected = inference.permutation_test(results("b.run"), results("a.run"), measure="AP", seed=0)
    record = found["comparisons"]["a.run - b.run"]["map"]
    assert list(record.values()) == [expected.difference, expected.low, expected.high, expected.p_value]
    assert found["notes"] == [
        "Intervals are from Fisher's randomisation test (at most 10,000 patterns of signs, seed 0), "
        "with queries as the sample",
        "P-values are from Fisher's randomisation test, paired by query",
    ]
    asked = ["-m", "map", "-m", "num_rel", "-m", "gm_map", "--format", "json"]
    found = reported(run("a.run", "--ci", "0.95", *asked))
    values = results("a.run")["AP"]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    record = found["queries"]["all"]
    assert list(record) == ["map", "map_low", "map_high", "num_rel", "gm_map"]  # the others are no means of queries
    assert [record["map_low"], record["map_high"]] == pytest.approx([expected.low, expected.high], rel=1e-9)
    assert found["level"] == 0.95
    assert run("a.run", "--ci", "0.95").stdout.startswith("a.run: qrels, with 95% intervals\n")


def test_the_best_run_is_compared_in_a_table_for_each_pair(run):
    compared = ("--ci", "0.95", "--versus", "best", "--format", "json")
    found = reported(run(*RUNS, *compared))
    assert list(found["comparisons"]) == ["c.run - a.run", "c.run - b.run"]
    assert found["notes"][-1] == (
        "P-values are adjusted by Holm's method for 3 comparisons of each measure, "
        "because any run could have been the best"
    )
    found = reported(run(*RUNS, *compared, "-m", "num_q", "-m", "nDCG"))
    assert list(found["comparisons"]["c.run - a.run"]) == ["nDCG"]
    lines = run(*RUNS, "--ci", "0.95", "-m", "map").stdout.splitlines()
    assert [line for line in lines if " - " in line] == [
        "a.run - b.run, query by query",
        "a.run - c.run, query by query",
    ]
    assert lines[lines.index("a.run - b.run, query by query") + 1].split() == [
        "measure",
        "difference",
        "p",
        "p,",
        "Holm",
    ]
    markdown = run(*RUNS, "--ci", "0.95", "-m", "map", "--format", "markdown").stdout
    assert "### a.run - c.run, query by query" in markdown


def test_equal_runs_and_single_queries_have_the_p_value_that_is_left(run, folder):
    (folder / "same.run").write_text((folder / "a.run").read_text())
    found = reported(run("a.run", "same.run", "--ci", "0.95", "-m", "map", "--format", "json"))
    assert found["comparisons"]["a.run - same.run"]["map"] == {
        "difference": 0.0, "difference_low": None, "difference_high": None, "p_value": 1.0,
    }  # fmt: skip
    outcome = run("one.run", "one.run", "--ci", "0.95")
    assert outcome.stderr.startswith("evalcore: one.run is named twice; it is read once\n")
    found = reported(run("one.run", "--ci", "0.95", "-m", "map", "--format", "json"))
    assert found["queries"]["all"]["map_low"] is None
    found = reported(run("one.run", "alone.run", "--ci", "0.95", "-m", "map", "--format", "json"))
    assert found["comparisons"]["one.run - alone.run"]["map"]["p_value"] is None
    assert found["notes"][-1] == "p is NaN if there is a single query, or all differences are equal and not 0"


def test_what_no_query_or_not_every_query_has_is_not_compared_there(run, folder, results):
    outcome = run("a.run", "b.run", "--ci", "0.95", "-m", "map", "-m", "AUC(rel=9)", "--format", "json")
    found = json.loads(outcome.stdout)
    assert found["runs"]["a.run"]["AUC(rel=9)"] is None
    assert list(found["comparisons"]["a.run - b.run"]) == ["map"]
    assert found["notes"][0].startswith("AUC(rel=9) is NaN where")
    assert not any(note.startswith("differences in") for note in found["notes"])
    measures = ["--ci", "0.95", "-m", "AUC(rel=2)", "--format", "json"]
    found = reported(run("a.run", "b.run", *measures))
    first, second = (results(name, "AUC(rel=2)")["AUC(rel=2)"] for name in ("a.run", "b.run"))
    defined = ~np.isnan(first) & ~np.isnan(second)
    assert 0 < defined.sum() < defined.size
    expected = stats.ttest_rel(first[defined], second[defined])
    assert found["comparisons"]["a.run - b.run"]["AUC(rel=2)"]["p_value"] == pytest.approx(expected.pvalue)
    assert found["notes"][-1] == "differences in AUC(rel=2) are of the queries for which all runs have a value"


def test_missing_queries_are_said_and_compared_only_if_they_count(run):
    outcome = run("a.run", "gaps.run")
    said = "lacks 2 of the 40 judged queries (3 and 4): its means leave them out, and --complete counts them as 0"
    assert (outcome.exit_code, outcome.stderr) == (0, f"evalcore: gaps.run {said}\n")
    assert run("a.run", "gaps.run", "--quiet").stderr == ""
    assert refused(run("a.run", "gaps.run", "--ci", "0.95", "--quiet")) == (
        "runs must have the same queries to be compared, but gaps.run lacks 3 and 4; count them as 0 (--complete)"
    )
    complete = run("a.run", "gaps.run", "--ci", "0.95", "-c")
    assert (complete.exit_code, complete.stderr) == (0, "")
    assert "of the 40 judged queries (0, 1, 2, 4, 5, 6 and 33 more)" in run("one.run").stderr


def test_notes_say_what_levels_means_and_intervals_are_of(run):
    asked = ["-m", "AP(rel=1)", "-m", "AP(rel=2)", "-m", "map", "--format", "json"]
    plain, strict = (reported(run("a.run", *asked, *level))["queries"]["all"] for level in ([], ["-l", "2"]))
    assert strict["AP(rel=2)"] == strict["map"] == plain["AP(rel=2)"]
    assert strict["AP(rel=1)"] == plain["AP(rel=1)"] == plain["map"] != strict["map"]
    found = reported(run("a.run", "--per-query", "-m", "map gm_map", "--format", "json"))
    assert found["notes"] == ["gm_map is of all queries only"]
    assert found["queries"]["7"]["gm_map"] is None
    assert reported(run("a.run", "-m", "map gm_map", "--format", "json"))["notes"] == []
    for asked in (["a.run", "-m", "num_q gm_map"], ["one.run", "-m", "map"]):
        printed = run(*asked, "--ci", "0.95").stdout
        assert "ntervals" not in printed
    said = "RBP and RBP(p=0.5) may exceed 1: RBP takes grades as gains, RBP(rel=1) counts relevant documents"
    found = reported(run("a.run", "-m", "RBP RBP(p=0.5) RBP(rel=1)", "--format", "json"))
    assert found["notes"] == [said]
    assert reported(run("a.run", "-m", "RBP(rel=1)", "--format", "json"))["notes"] == []
    outcome = run("a.run", "b.run", "-l", "9")
    said = "evalcore: no grade is 9 or more (--relevance-level); the largest is 2\n"
    assert (outcome.exit_code, outcome.stderr) == (0, said)
    assert run("a.run", "-l", "2").stderr == ""


@every(
    ("conditions", "code", "said"),
    (["map < 1"], 1, ["map of a.run is", "map of b.run is"]),
    (
        ["b.run: 'P(rel=2)@10' < 1", "num_q < 0"],
        1,
        ["gate failed: 1 of 2 conditions is met", "P(rel=2)@10 of b.run"],
    ),
    (["a.run: AUC > 1"], 0, ["gate passed: the condition is not met"]),
    (["c: map < 1"], 2, ["model must be one of 'a.run', 'b.run', got 'c' in condition 'c: map < 1'"]),
    (["map drops by 0.1"], 2, ["condition must have an old value to compare with"]),
    (["mapp < 1"], 2, ["got 'mapp'; did you mean 'map'"]),
)
def test_a_gate_judges_runs(run, conditions, code, said):
    asked = *RUNS[:2], "-m", "ndcg", *(word for each in conditions for word in ("--fail-if", each))
    for style in ("trec", "json", "table"):
        outcome = run(*asked, "--format", style)
        assert outcome.exit_code == code
        assert all(text in outcome.stderr for text in said)
    assert reported(run(*RUNS, "--fail-if", "a.run: map > 2", "--format", "json"))["gate"]["passed"] is True
    tree = json.loads(run(*RUNS, "--fail-if", "map < 2", "--format", "json").stdout)
    assert tree["gate"]["conditions"][0]["failures"][0]["cases"] is None


def test_a_gate_of_runs_may_ask_for_certainty(run):
    asked = "a.run", "-m", "map", "--ci", "--per-query", "--format", "json"
    found = reported(run(*asked))["queries"]["all"]
    above, within = (found["map"] + found["map_high"]) / 2, found["map_high"] + 0.01
    assert run(*asked, "--confident", "--fail-if", f"map < {above}").exit_code == 0
    assert run(*asked, "--confident", "--fail-if", f"map < {within}").exit_code == 1
