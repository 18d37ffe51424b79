"""The help: examples that run, exit codes, and what the command reads; help and completion import click alone."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.shell_completion import ShellComplete

import evalcore
from evalcore._version import __version__
from evalcore.cli import main
from evalcore.evaluation import options
from tests.cli.command import command, refused
from tests.differences import every

COMMANDS = main.commands
EXAMPLES = [example for command in COMMANDS.values() for example in command.examples.values()]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write the files that the examples name."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    late = rng.random(200) < 0.5
    probability = np.round(np.clip(rng.normal(0.4 + 0.2 * late, 0.2), 0, 1), 3)
    countries = np.array(["CH", "FR"])[rng.integers(2, size=200)]
    flights = {"late": late, "boosting": probability, "logistic": rng.random(200)}
    pq.write_table(pa.table(flights), "flights.parquet")
    rows = zip(late.astype(int), probability, countries, strict=True)
    write("scores.csv", "paid,p,country", rows)
    Path("runs").mkdir()
    species = np.array(["ash", "elm"])
    trees = species[late.astype(int)]
    for name in ("runs/1.csv", "runs/2.csv"):
        write(name, "species,guess", zip(trees, species[rng.integers(2, size=200)], strict=True))
    scored = [*3 * (1 - probability, probability)]
    write("species.csv", "species,p_ash,p_elm,new_ash,new_elm,old_ash,old_elm", zip(trees, *scored, strict=True))
    days, guesses = rng.integers(20, size=200), species[rng.integers(2, size=(3, 200))]
    for index, name in enumerate(("old.csv", "new.csv", "newer.csv")):
        rows = zip(range(200), late.astype(int), probability, countries, days, trees, guesses[index], strict=True)
        write(name, "case,paid,p,country,day,species,guess", rows)
    for name in ("old.jsonl", "new.jsonl", "runs.jsonl"):
        rows = (
            {"id": row, "passed": True, "cost": row % 7, "task": "ab"[row % 2], "question": row // 4}
            for row in range(99)
        )
        Path(name).write_text("\n".join(map(json.dumps, rows)) + "\n")
    write("topics.csv", "found,true", [("a;b", "a"), ("b", "b;c")])
    Path("qrels.txt").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    for name in ("run.txt", "bm25.txt", "dense.txt", "hybrid.txt"):
        Path(name).write_text("1 Q0 a 1 0.5 x\n1 Q0 b 2 0.25 x\n2 Q0 a 1 0.5 x\n")


def write(name, heading, rows):
    Path(name).write_text("\n".join([heading, *(",".join(map(str, row)) for row in rows)]) + "\n")


@pytest.mark.usefixtures("files", "undrawn")
@every("example", EXAMPLES)
def test_the_examples_of_the_help_run(example):
    words, given = shlex.split(example), None
    if "<" in words:
        words, given = words[:-2], Path(words[-1]).read_text()
    outcome = command(*words[1:], input=given)
    told = "evalcore: gate passed: the condition is not met\n" if "--fail-if" in words else ""
    assert (outcome.exit_code, outcome.stderr) == (0, told)
    written = Path(words[-1]) if "-o" in words else None
    assert (outcome.stdout == "") == (written is not None)
    assert written is None or written.stat().st_size > 0


@every("name", COMMANDS)
def test_every_help_has_examples_and_exit_codes(name):
    text = command(name, "-h").stdout
    assert text == command(name, "--help").stdout
    for example in COMMANDS[name].examples.values():
        assert f"    {example}\n" in text
    assert f"Exit codes:\n  0    Success{'.' if name == 'columns' else '. With --confident, also if'}" in text
    assert "-q, --quiet" in text
    assert "--quiet  " in text
    assert "--config FILE" in text
    assert ("-o, --output FILE" in text) == (name != "columns")


def test_the_help_fits_a_screen_and_says_what_commands_share(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = command("report", "--help").stdout.splitlines()
    assert lines.index("Columns:") <= 25
    of_examples = range(lines.index("Examples:"), lines.index("Exit codes:"))
    assert max(len(line) for index, line in enumerate(lines) if index not in of_examples) <= 80
    text = command("-h").stdout
    for heading in ("Examples", "Environment", "Config file", "Exit codes"):
        assert f"\n{heading}:\n" in text
    for name in ("EVALCORE_MEMORY", "NO_COLOR", "FORCE_COLOR", "NPY_DISABLE_CPU_FEATURES", "--config FILE", "[trec]"):
        assert name in text
    assert text.count("    evalcore ") == len(COMMANDS)
    assert command("-V").stdout == command("--version").stdout == f"evalcore, version {__version__}\n"
    assert command().output == command("--help").output


@every(
    ("name", "parameter", "words"),
    ("report", "ci_method", options.CI_METHODS),
    ("report", "proportion_method", options.PROPORTION_METHODS),
    ("report", "weight_type", options.WEIGHT_TYPES),
    ("report", "compare", options.COMPARED),
    ("report", "groups", f"{options.MOST_GROUPS}"),
    ("compare", "ci_method", options.DIFFERENCE_METHODS),
    ("compare", "method", (*options.METHODS_OF_CLASSES, options.WILCOXON)),
    ("compare", "resamples", f"{options.RESAMPLES}"),
    ("compare", "changed", f"{options.CHANGED}"),
)
def test_the_help_names_the_choices_and_the_defaults_that_python_has(name, parameter, words):
    found = next(each for each in COMMANDS[name].params if each.name == parameter)
    assert getattr(found.type, "choices", words) == words
    assert found.help.endswith(f"[default: {words if isinstance(words, str) else words[0]}]")


@pytest.mark.usefixtures("files")
def test_words_of_a_choice_are_understood_in_any_case():
    asked = "report", "flights.parquet", "--label", "late", "--score", "boosting", "--format"
    assert command(*asked, "JSON").stdout == command(*asked, "json").stdout
    said = "Invalid value for '--format': 'pdf' is not one of 'table', 'json', 'csv', 'markdown', 'html'."
    assert refused(command(*asked, "pdf")) == said


@every("name", COMMANDS)
def test_only_commands_with_gates_speak_of_them(name):
    text = command(name, "-h").stdout
    has_gate = any(option.name == "conditions" for option in COMMANDS[name].params)
    assert ("--fail-if" in text) == ("MEASURE RELATION NUMBER" in " ".join(text.split())) == has_gate


@pytest.mark.usefixtures("files")
def test_the_memory_limit_may_come_from_the_environment(monkeypatch):
    asked = ["report", "flights.parquet", "--label", "late", "--score", "boosting"]
    taken = []

    def answer_files(question, *given, **more):
        taken.append(question.memory)
        raise KeyboardInterrupt

    monkeypatch.setattr("evalcore.cli.report.answer_files", answer_files)
    monkeypatch.setenv("EVALCORE_MEMORY", "1.5 GiB")
    command(*asked)
    command(*asked, "--memory", "1G")
    Path("limit.toml").write_text('memory = "2G"\n')
    command(*asked, "--config", "limit.toml")
    monkeypatch.setenv("EVALCORE_MEMORY", "")
    command(*asked)
    assert taken == [1_610_612_736, 1_000_000_000, 2_000_000_000, None]
    monkeypatch.setenv("EVALCORE_MEMORY", "much")
    outcome = command(*asked)
    assert refused(outcome) == "EVALCORE_MEMORY: memory must be a size such as 500M, 2G or 1.5GiB, got 'much'"


def completed(name, *words):
    """Return what the shell offers for the last word."""
    *before, typed = words
    completion = ShellComplete(main, {}, "evalcore", "_EVALCORE_COMPLETE")
    return [item.value for item in completion.get_completions([name, *before], typed) if item.type == "plain"]


@pytest.mark.usefixtures("files")
@every(
    ("words", "columns"),
    (("report", "flights.parquet", "--label", ""), ["late", "boosting", "logistic"]),
    (("report", "flights.parquet", "--label", "late", "--score", "b"), ["boosting"]),
    (("report", "scores.csv", "--by", "c"), ["country"]),
    (("report", "scores.csv", "--as-text", ""), ["paid", "p", "country"]),
    (("report", "runs/*.csv", "--predicted", "g"), ["guess"]),
    (("report", "species.csv", "scores.csv", "--predicted", "p_"), ["p_ash", "p_elm"]),
    (("contingency", "topics.csv", "--assigned", "f"), ["found"]),
    (("contingency", "topics.csv", "--correct", ""), ["found", "true"]),
    (("report", "semicolons.txt", "--input-format", "csv", "--delimiter", ";", "--label", ""), ["a", "b"]),
    (("report", "lines.txt", "--input-format", "json", "--label", ""), ["a", "b"]),
    (("compare", "flights.parquet", "--old-score", "l"), ["late", "logistic"]),
    (("compare", "species.csv", "scores.csv", "--score", "p"), ["paid", "p"]),
    (("compare", "species.csv", "scores.csv", "--old-score", "p"), ["p_ash", "p_elm"]),
    (("compare", "species.csv", "--score", "p"), ["p_ash", "p_elm"]),
    (("report", "none.csv", "--label", ""), []),
    (("report", "*.tsv", "--label", ""), []),
    (("report", "-", "--label", ""), []),
    (("report", "broken.parquet", "--label", ""), []),
    (("report", "https://localhost/x.csv", "--label", ""), []),
    (("report", "--label", ""), []),
)
def test_the_shell_completes_columns_of_the_first_file(words, columns):
    Path("broken.parquet").write_text("x")
    Path("semicolons.txt").write_text("a;b\n1;2\n")
    Path("lines.txt").write_text('{"a": 1, "b": 2}\n')
    assert completed(*words) == columns


@pytest.mark.skipif(os.name == "nt", reason="no named pipes")
def test_a_completion_does_not_wait_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert completed("report", str(tmp_path / "pipe"), "--label", "") == []


def test_measures_of_comparisons_are_completed_and_listed_with_their_meanings():
    asked = "compare", "old.csv", "new.csv", "--threshold", "0.25", "--measure"
    assert completed(*asked, "re") == ["recall@0.5", "recall_at_precision@0.5"]
    assert completed("compare", "old.csv", "--measure", "accuracy@") == ["accuracy@0.5"]
    assert completed(*asked, "k") == ["ks", "kappa@0.5", "kappa"]
    assert completed("trec", "qrels.txt", "run.txt", "--measure", "R") == ["Rprec", "RR@K", "RBP"]
    lines = command("compare", "--list-measures").stdout.splitlines()
    assert {line[35] for line in lines} == {" "}  # after the longest name
    assert " " not in {line[36] for line in lines}
    names = [line.split()[0] for line in lines]
    assert names[0] == "roc_auc"
    assert {"recall@THRESHOLD", "recall[CLASS]", "partial_auc@RATE", "ks", "macro_f1"} < set(names)
    assert all(line.endswith(".") for line in lines)


SCRIPT = """
import json, sys
before = set(sys.modules)
from evalcore.__main__ import main
try:
    main()
finally:
    print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""
MOST_MODULES = 130
"""Of all libraries: there are some 100, and NumPy alone has more."""
OPTIONS = {
    *("__main__", "_version", "configuration", "errors", "evaluation", "evaluation.options", "cli"),
    *(f"cli.{name}" for name in ("commands", "config", "errors", "option_parsing")),
}


def modules_of(*arguments, **environment):
    """Return what the command prints in a process of its own, and the modules that it loads."""
    environment = {**os.environ, "PYTHONPATH": str(Path(evalcore.__file__).parents[1]), **environment}
    command = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout, set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--help"], "Commands:"),
        (["report", "--help"], "--score"),
        (["compare", "--help"], "--fail-if"),
        (["contingency", "--help"], "--assigned"),
        (["trec", "--help"], "QRELS"),
        (["--version"], evalcore.__version__),
    ],
)
def test_help_and_version_load_click_and_the_options(arguments, words):
    printed, modules = modules_of(*arguments)
    assert words in printed
    check_loaded(modules)


@pytest.mark.process
def test_help_is_the_same_without_docstrings():
    asked = [[sys.executable, optimized, "-m", "evalcore", "compare", "-h"] for optimized in ("-O", "-OO")]
    with_them, without = (subprocess.run(each, capture_output=True, check=True).stdout for each in asked)
    assert with_them == without


@pytest.mark.process
@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("report --sco", "plain,--score\nplain,--scores\n"),
        ("report fli", "file,fli\n"),
        ("report -o out", "file,out\n"),
        ("trec qr", "file,qr\n"),
        ("contingency doc", "file,doc\n"),
        ("compare old.csv ne", "file,ne\n"),
        ("compare old.csv --old-s", "plain,--old-score\nplain,--old-scores\n"),
    ],
)
def test_completion_knows_options_and_files_and_loads_click_alone(typed, printed):
    words = f"evalcore {typed}"
    asked = {"_EVALCORE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    completions, modules = modules_of(**asked)
    assert completions == printed
    check_loaded(modules)


@pytest.mark.process
def test_a_table_needs_no_plots(tmp_path):
    (tmp_path / "trees.csv").write_text("tree,guess\nash,ash\nelm,ash\n")
    printed, modules = modules_of("report", str(tmp_path / "trees.csv"), "--label", "tree", "--predicted", "guess")
    assert "accuracy" in printed
    assert not [name for name in modules if name.startswith(("evalcore.plots", "evalcore.document.page"))]


def check_loaded(modules):
    third_party = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names
    assert third_party == {"click", "evalcore"}
    own = {name.partition(".")[2] for name in modules if name.startswith("evalcore.")}
    assert own <= OPTIONS
    assert len(modules) <= MOST_MODULES
