"""The command in this process, and what it printed."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from evalcore.cli import main

FLIGHTS = str(Path(__file__).parents[2] / "notebooks" / "data" / "flights.parquet")

needs_unix = pytest.mark.skipif(os.name == "nt", reason="no named pipes, no /dev/fd, no shell, other words for errors")


def command(*arguments, **more):
    return CliRunner().invoke(main, [*map(str, arguments)], prog_name="evalcore", **more)


def reported(outcome):
    """Return the JSON that a command printed."""
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def refused(outcome):
    """Return the line of a command that ended with an error."""
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1), outcome.output
    return outcome.stderr.removeprefix("evalcore: ").removesuffix("\n")


def check_refused(outcome, said):
    """Compare an error with what was recorded, where … stands for an end that other versions say otherwise."""
    found = refused(outcome).replace(FLIGHTS, "FLIGHTS")
    assert found == said or (said.endswith("…") and found.startswith(said[:-1])), found


def unread(monkeypatch):
    """Let reading fail, so that an error must come before."""
    for name in ("answer_on", "inspect_files"):
        monkeypatch.setattr(f"evalcore.evaluation.files.{name}", lambda *asked: pytest.fail("something was read"))
