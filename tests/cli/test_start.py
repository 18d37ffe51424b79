"""Help, the version and shell completion start fast: they import click, and of the package only the options."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import evalcore

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
    "__main__",
    "_version",
    "errors",
    "cli",
    "cli.commands",
    "cli.completion",
    "cli.config",
    "cli.errors",
    "cli.option_parsing",
    "cli.options",
    "evaluation",
    "evaluation.options",
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
@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("report --sco", "plain,--score\nplain,--scores\n"),
        ("report fli", "file,fli\n"),
        ("report -o out", "file,out\n"),
        ("trec qr", "file,qr\n"),
        ("contingency doc", "file,doc\n"),
        ("compare old.csv ne", "file,ne\n"),
        ("compare old.csv --old-s", "plain,--old-score\n"),
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
    assert not [name for name in modules if name.startswith(("evalcore.plots", "evalcore.report.page"))]


def check_loaded(modules):
    third_party = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names
    assert third_party == {"click", "evalcore"}
    own = {name.partition(".")[2] for name in modules if name.startswith("evalcore.")}
    assert own <= OPTIONS
    assert len(modules) <= MOST_MODULES
