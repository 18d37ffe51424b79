"""The command on sets of categories: the documented table, and the same numbers for programs."""

import json
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore import Contingency
from tests.cli.command import command
from tests.differences import every

ASSIGNED = [["sports", "finance"], [], ["politics"], ["7"]]
CORRECT = [["sports"], ["politics"], ["politics"], []]


LISTS = zip(range(4), ASSIGNED, CORRECT, strict=True)
FILES = {
    "texts.csv": "id,given,right\n" + "".join(f'{row},"{", ".join(a)}","{",".join(c)}"\n' for row, a, c in LISTS),
    "texts.tsv": "given\tright\nsports|finance\tsports\n\tpolitics\npolitics\tpolitics\n7\t\n",
    "texts.parquet": {"given": ASSIGNED, "right": [*CORRECT[:3], None]},
}
run = partial(command, "contingency", "--assigned", "given", "--correct", "right")


@pytest.fixture
def experiment():
    tallied = Contingency(["7", "finance", "politics", "sports"])
    for assigned, correct in zip(ASSIGNED, CORRECT, strict=True):
        tallied.add_result(assigned, correct)
    return tallied


@every("arguments", [["texts.csv"], ["texts.tsv", "--sep", "|"], ["texts.parquet"]])
def test_the_table_is_the_documented_one(experiment, arguments):
    outcome = run(*arguments)
    assert (outcome.stdout, outcome.stderr, outcome.exit_code) == (experiment.stats_table(), "", 0)


def test_every_format_holds_the_numbers_of_all_and_of_each_category(experiment, tmp_path):
    table = run("texts.csv", "--per-category").stdout
    assert table.startswith(experiment.stats_table() + "\nby category\n")
    assert [line.split()[:5] for line in table.splitlines()[-4:]] == [
        [name, *(str(stats[cell]) for cell in "abcd")] for name, stats in experiment.category_stats().items()
    ]
    found = json.loads(run("texts.parquet", "--per-category", "--format", "json").stdout)
    assert found["categories"] == experiment.category_stats()
    assert found["statistics"] == {
        f"{kind}_{name}": getattr(experiment, f"{kind}_{name}")()
        for kind in ("macro", "micro")
        for name in ("recall", "precision", "F1", "accuracy", "error")
    }
    assert (found["file"], found["assigned"], found["correct"]) == ("texts.parquet", "given", "right")
    lines = run("texts.csv", "--per-category", "--format", "csv").stdout.splitlines()
    assert f"statistics,,,micro_F1,{experiment.micro_F1()},,,exact" in lines
    name, values = next(iter(experiment.category_stats().items()))
    assert f"categories,,{name},recall,{values['recall']},,,exact" in lines
    assert "| recall, micro average    | 0.6667 |" in run("texts.csv", "--format", "markdown").stdout.splitlines()
    (tmp_path / "x.csv").write_text("given,right\n1,1\n2,1\n")
    found = json.loads(run("x.csv", "--per-category", "--format", "json").stdout)
    assert list(found["categories"]) == ["1", "2"]


@every(
    ("text", "sep", "said"),

        ("given,right\na;b,a\nb,b;c\n", ",", "no cell has several names between ',', but 'a;b' has ';'; if it "
         "separates names, give --sep ';'"),
        ('given,right\n"a,b",a\nb,\n', "|", "no cell has several names between '|', but 'a,b' has ','; if it "
         "separates names, give --sep ','"),
        ("given,right\na;b,a\nb,b;c\n", ";", ""),
        ('given,right\n"a,b",a\nb,b;c\n', ",", ""),
        ("given,right\na b,a\nb,a/b\n", ",", ""),
)  # fmt: skip
def test_another_separator_of_names_is_noted(tmp_path, text, sep, said):
    (tmp_path / "x.csv").write_text(text)
    outcome = run("x.csv", "--sep", sep)
    assert (outcome.exit_code, outcome.stderr) == (0, said and f"evalcore: {said}\n")
    assert run("x.csv", "--sep", sep, "--quiet").stderr == ""


def test_several_files_are_one_table(tmp_path):
    (tmp_path / "k1.csv").write_text('given,right\n"a,b",a\n')
    (tmp_path / "k2.csv").write_text("given,right\n")
    (tmp_path / "k3.csv").write_text("given,right\nb,b\n,\n")
    (tmp_path / "all.csv").write_text('given,right\n"a,b",a\nb,b\n,\n')
    (tmp_path / "folder").mkdir()
    pq.write_table(
        pa.table({"given": [["a", "b"], ["b"], []], "right": [["a"], ["b"], []]}), tmp_path / "folder/x.parquet"
    )
    expected = run("all.csv").stdout
    assert [run(*files).stdout for files in (["k?.csv"], ["k3.csv", "k1.csv"], ["folder"])] == [expected] * 3
    found = json.loads(run("k1.csv", "k3.csv", "--format", "json").stdout)
    assert (found["file"], found["files"]) == ("k1.csv and 1 more", ["k1.csv", "k3.csv"])
    (tmp_path / "k3.csv").write_text('given,right\nb,b\n"[a]",b\n')
    assert run("k?.csv").stderr.startswith(
        "evalcore: k3.csv: column 'given' must hold lists, or names with a separator, got a list written as text at "
        "index 1"
    )
    assert run("k2.csv", "k2.csv").stderr == (
        "evalcore: k2.csv is named twice; it is read once\nevalcore: k2.csv: there are no rows\n"
    )


@every(
    ("condition", "code", "said"),
    ("macro_F1 < 2", 1, "macro_F1 of given is "),
    ("recall[politics] < 0.6", 1, "recall[politics] of given is 0.5, below 0.6 (no interval)"),
    ("recall[politics] < 0.5", 0, "gate passed: the condition is not met"),
    ("recall[poetry] < 0.5", 2, "measure must be one of 'macro_recall', "),
)
def test_a_gate_judges_averages_and_categories(condition, code, said):
    for style in ("table", "json"):
        outcome = run("texts.csv", "--fail-if", condition, "--format", style, "--junit", "gate.xml")
        assert (outcome.exit_code, said in outcome.stderr) == (code, True)
        assert ("Gate " in outcome.stdout or '"gate"' in outcome.stdout) == (code < 2)
        with open("gate.xml") as file:
            assert "<testsuites" in file.read()
