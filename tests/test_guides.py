"""The guides and the README print what they say."""

import doctest
import inspect
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.metrics as sklearn_metrics
import yaml
from click.testing import CliRunner

import evalcore
from evalcore import inference
from evalcore.cli import main
from evalcore.gate.conditions import parse_conditions
from tests.differences import every

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
GUIDE = (NOTEBOOKS / "compare-in-ci.md").read_text("utf-8")
CLUSTER = re.sub(r"## Spark\n.*?(?=## dask)", "", (NOTEBOOKS / "on-a-cluster.md").read_text("utf-8"), flags=re.DOTALL)
"""Without what needs a session of Spark: `tests/distributed/test_spark.py` runs it."""
WORKFLOW = yaml.safe_load(re.search(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)[1])
STEPS = WORKFLOW["jobs"]["compare"]["steps"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Write predictions of two models that are as good as each other."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    late = rng.random(4000) < 0.3
    columns = {"id": np.arange(late.size), "late": late, "carrier": np.array(["AA", "UA"])[rng.integers(2, size=4000)]}
    Path("old").mkdir()
    for index, name in enumerate(("old.parquet", "new.parquet")):
        scores = (0.2 * late + 0.8 * np.random.default_rng(7 + index).random(late.size)).round(3)
        pq.write_table(pa.table({**columns, "score": scores}).take(rng.permutation(late.size)), name)
    Path("old/new.parquet").write_bytes(Path("old.parquet").read_bytes())


def run(command):
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "evalcore"
    return CliRunner().invoke(main, words[1:], prog_name="evalcore")


@pytest.mark.usefixtures("undrawn")
def test_the_workflow_and_the_commands_of_continuous_integration_run():
    (step,) = (step for step in STEPS if step.get("name") == "Compare")
    outcome = run(f"evalcore compare {step['with']['arguments']} -o comparison.html")
    assert (outcome.exit_code, outcome.stdout) == (0, ""), outcome.stderr
    assert [each["with"]["path"] for each in STEPS if "path" in each.get("with", {})] == ["new.parquet"]
    commands = "".join(re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)).replace("\\\n", " ")
    found = [command for command in commands.splitlines() if command.startswith("evalcore ")]
    assert len(found) == 4
    for command in found:
        outcome = run(command)
        assert outcome.exit_code in (0, 1), outcome.stderr  # 1 is a difference by chance
        assert "evalcore: " not in outcome.stdout
    Path("gate.toml").write_text(re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[1])
    outcome = run("evalcore compare old.parquet new.parquet --config gate.toml")
    assert outcome.exit_code == 0
    assert outcome.stderr.startswith("evalcore: gate.toml sets --label late --new-score score --id id --by carrier ")
    conditions = re.findall(r"^\| `(.*?)` \|", GUIDE.partition("| Condition |")[2], re.MULTILINE)
    assert len(conditions) == len(parse_conditions(conditions)) == 9


@every(
    ("page", "least"),
    {
        "choosing-a-threshold": 10,
        "compare-in-ci": 5,
        "evaluating-language-models": 8,
        "from-python": 30,
        "groups": 10,
        "is-it-calibrated": 12,
        "more-than-memory": 15,
        "on-a-cluster": 15,
        "ranking-and-retrieval": 15,
        "speed-and-exactness": 15,
        "weights-and-prevalence": 12,
        "which-interval-when": 20,
        "which-measure-when": 15,
    }.items(),
)
def test_guides_print_what_they_say(page, least, monkeypatch):
    guide = CLUSTER if page == "on-a-cluster" else (NOTEBOOKS / f"{page}.md").read_text("utf-8")
    if "notebooks/data/" in guide:
        monkeypatch.chdir(NOTEBOOKS.parent)
    examples = "\n".join(re.findall(r"```python\n(.*?)```", guide, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "guide", None, 0)
    printed = []
    failed, tried = doctest.DocTestRunner().run(test, out=printed.append)
    assert (failed, tried > least) == (0, True), "".join(printed)


def test_guides_name_options_and_functions_that_exist_and_all_of_them():
    functions = [name for name in inference.__all__ if name[0].islower()]
    named = re.findall(r"`(\w+)`", inference.__doc__.partition("\n- ")[2])
    assert sorted(named) == sorted(functions)
    rows = [row for row in rows_of("which-interval-when") if len(row) > 2]
    for kind, options in re.findall(r"`(report|compare)( [^`]*)`", " ".join(row[2] for row in rows)):
        known = {name for option in main.commands[kind].params for name in option.opts}
        assert set(re.findall(r"--[\w-]+", options)) <= known
    documented = inspect.getsource(sklearn_metrics).partition("_classification import (")[2].partition(")")[0]
    functions = re.findall(r"\w+", documented)
    assert len(functions) > 20
    assert set(functions) <= set(evalcore.metrics.__all__)


def rows_of(page):
    return [line.split(" | ") for line in (NOTEBOOKS / f"{page}.md").read_text("utf-8").splitlines() if " | " in line]


@every(
    ("page", "column", "pattern", "package", "least"),
    ("which-interval-when", 1, r"`(\w+)[`(]", "inference", 20),
    ("which-measure-when", 2, r"`([a-z]\w+_\w+)`", "metrics", 12),
    ("coming-from", 1, r"`((?:metrics|inference|plots|ranking|io)\.\w+)", "", 30),
)
def test_guides_name_functions_that_exist(page, column, pattern, package, least):
    rows = [row for row in rows_of(page) if len(row) > column]
    named = [name for row in rows[1:] for name in re.findall(pattern, row[column])]
    assert len(named) > least
    for name in named:
        own, _, function = name.rpartition(".")
        assert hasattr(getattr(evalcore, own or package), function), name


ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = (ROOT / "notebooks/command.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("notebooks/*.md"))]


def test_the_examples_print_what_they_say():
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_commands_on_logs_of_harnesses_print_what_is_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = (NOTEBOOKS / "evaluating-language-models.md").read_text("utf-8")
    shown = re.findall(r"```console\n\$ (evalcore .*)\n((?s:.)*?)```", page)
    assert len(shown) == 2
    for command, text in shown:
        outcome = run(command)
        assert (outcome.exit_code, outcome.stdout) == (0, text), outcome.stderr


@pytest.mark.usefixtures("undrawn")
def test_the_first_command_prints_what_is_shown_and_writes_a_page(tmp_path):
    (tmp_path / "notebooks").symlink_to(NOTEBOOKS)
    (command,) = re.findall(r"^evalcore compare .*", README, re.MULTILINE)
    shown, rest = re.search(r"```text\n(.*?)…\n(.*?)```", README, re.DOTALL).groups()
    outcome = run(command)
    assert (outcome.exit_code, outcome.stdout[: len(shown)], rest) == (0, shown, ""), outcome.stderr
    assert "superior" in Path("page.html").read_text("utf-8")


def test_the_config_file_does_what_is_shown(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evalcore.toml").write_text(re.search(r"```toml\n(.*?)```", COMMAND, re.DOTALL)[1])
    command, said = re.search(r"```console\n\$ evalcore (report .*)\n(.*)\n```", COMMAND).groups()
    words = shlex.split(command)
    words[1] = str(ROOT / words[1])
    outcome = CliRunner().invoke(main, words)
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (0, "", f"{said}\n")
    assert (tmp_path / words[-1]).read_text().startswith("section,score,")


@pytest.mark.process
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_that_are_installed_accept_the_completion(shell):
    line = re.search(rf"^\| {shell} \| `(.*?)` \|", COMMAND, re.MULTILINE)[1].replace("\\|", "|")
    assert f"_EVALCORE_COMPLETE={shell}_source evalcore" in line
    program = shutil.which(shell)
    if program is None or shutil.which("evalcore") is None:
        pytest.skip(f"no {shell}, or no command evalcore")
    setup = "autoload -Uz compinit && compinit -u; " if shell == "zsh" else ""
    done = subprocess.run([program, "-c", setup + line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@every(
    ("page", "path"),
    [(page, path) for page in PAGES for path in re.findall(r"\]\(([^:)#]+)\)", page.read_text("utf-8"))],
)
def test_links_between_pages_lead_somewhere(page, path):
    assert (page.parent / path).exists()


def test_the_readme_is_short_and_lists_of_pages_are_whole():
    listed = re.findall(r"\]\(([^:)]+)\)", (ROOT / "notebooks/README.md").read_text("utf-8"))
    pages = [*ROOT.glob("notebooks/*.md"), *ROOT.glob("notebooks/*.ipynb")]
    assert {page.name for page in pages} - {"README.md"} == {path for path in listed if "/" not in path}
    assert len(README.splitlines()) <= 110
