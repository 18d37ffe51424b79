"""The option that limits memory, which several commands share."""

from typing import Any

import click
from click.core import ParameterSource

from evalcore.cli.options import single
from evalcore.errors import EvaluationError

_VARIABLE = "EVALCORE_MEMORY"
_SIZES = "Memory limit, such as 500M or 2G, at least 256M."
_DEFAULT = "  [default: EVALCORE_MEMORY, else half of the machine]"


def memory_option(help_text: str) -> Any:
    """Return the option; help_text: what happens to what does not fit.  O(1)."""
    return single("--memory", metavar="SIZE", envvar=_VARIABLE, help=f"{_SIZES} {help_text}{_DEFAULT}")


def is_typed(parameter: str) -> bool:
    """Whether a parameter was given on the command line, rather than by its variable.  O(1)."""
    return click.get_current_context().get_parameter_source(parameter) == ParameterSource.COMMANDLINE


def memory_limit(memory: str | None) -> int | None:
    """Return the bytes of a memory limit; an error names the variable that it comes from, if any.  O(1)."""
    if memory is None:
        return None
    from evalcore.io.formats import naming  # now: help and completion need click alone
    from evalcore.io.memory import memory_size

    if click.get_current_context().get_parameter_source("memory") == ParameterSource.ENVIRONMENT:
        with naming(_VARIABLE):
            return memory_size(memory)
    try:
        return memory_size(memory)
    except EvaluationError as error:
        raise EvaluationError(f"--{error}") from None
