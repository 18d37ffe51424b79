"""The gate of a command: the conditions that it asks, and how it ends where one of them is met."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import click

from evalcore.cli.errors import one_line
from evalcore.gate.checks import GateResult, check_conditions
from evalcore.gate.conditions import Condition, parse_conditions
from evalcore.gate.junit import as_junit
from evalcore.gate.numbers import GatedNumber
from evalcore.io.formats import STANDARD_INPUT
from evalcore.saving.files import write_output


class Gate(NamedTuple):
    """What a command is asked to check."""

    conditions: tuple[Condition, ...]
    confident: bool
    """Whether only what is certain makes the command fail."""
    junit: str | None
    """The file of the result; None for none."""
    begin: float
    """When the command began, in seconds."""

    def checked(self, numbers: Sequence[GatedNumber]) -> GateResult | None:
        """Return which numbers meet which conditions, None without conditions.  O(conditions x numbers)."""
        return check_conditions(self.conditions, numbers, self.confident) if self.conditions else None

    def end(self, result: GateResult | None, title: str, *, shown: bool) -> None:
        """Write the result and, if the gate failed, end with exit code 1; shown: whether a person reads it already."""
        if result is None:
            return
        if self.junit is not None:
            write_output(self.junit, as_junit(result, title, time.monotonic() - self.begin))
        if not result.passed:
            for line in () if shown else result.lines:
                click.echo(one_line(f"evalcore: {line}"), err=True)
            click.get_current_context().exit(1)


def gate_of(conditions: Sequence[str], *, confident: bool, junit: str | None) -> Gate:
    """Return what options ask; raise UsageError for one that would change nothing, EvaluationError for a condition."""
    if junit == STANDARD_INPUT:
        raise click.UsageError("--junit FILE must be a file, got -; standard output is /dev/stdout.")
    for flag, given in (("--confident", confident), ("--junit FILE", junit is not None)):
        if given and not conditions:
            raise click.UsageError(f"{flag} needs --fail-if CONDITION.")
    return Gate(parse_conditions(conditions), confident, junit, time.monotonic())
