"""What the README shows is what happens."""

import doctest
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from evalcore.cli import main
from tests.differences import every

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_examples_print_what_they_say():
    outcome = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 5
    assert outcome.failed == 0


def test_the_report_is_the_one_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    command = re.search(r"^python3 .* && evalcore (report .*)$", README, re.MULTILINE)[1]
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)[1]
    assert CliRunner().invoke(main, shlex.split(command)).stdout == shown


@every("path", re.findall(r"\]\(([^:)]+)\)", README))
def test_links_lead_somewhere(path):
    assert (ROOT / path).exists()
