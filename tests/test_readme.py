"""What the README shows is what happens."""

import doctest
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalcore.cli import main
from tests.differences import every

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND = (ROOT / "notebooks/command.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("notebooks/*.md"))]


def test_the_examples_print_what_they_say():
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_the_report_and_the_comparison_are_those_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    command = re.search(r"^python3 .* && evalcore (report .*)$", README, re.MULTILINE)[1]
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)[1]
    assert CliRunner().invoke(main, shlex.split(command)).stdout == shown
    monkeypatch.chdir(ROOT)
    command, shown = re.search(r"```console\n\$ evalcore (compare .*)\n((?s:.)*?)```", README).groups()
    outcome = CliRunner().invoke(main, shlex.split(command))
    assert (outcome.exit_code, outcome.stdout) == (0, shown)


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
    assert len(README.splitlines()) <= 120
