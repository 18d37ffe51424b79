"""Notes and errors of the command: lines on standard error, and an exit code."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from evalcore.cli import option_parsing as options
from evalcore.errors import EvaluationError, EvaluationTypeError, taking_notes
from evalcore.evaluation.options import spelled_for_a_shell

_XML = b"<?xml"
_ASKED, JUNIT = "evalcore.quiet", "evalcore.junit"
"""Where the context of a command keeps whether --quiet is given, and the file of --junit."""


def is_quiet() -> bool:
    """Whether the command was asked to print nothing but errors on standard error.  O(1)."""
    return bool(click.get_current_context().meta.get(_ASKED))


def tell(text: str, *, quietly: bool = True) -> None:
    """Print a line on standard error; quietly: unless --quiet is given.  O(text)."""
    if not (quietly and is_quiet()):
        click.echo(one_line(f"evalcore: {text}"), err=True)


def one_line(text: str) -> str:
    """Escape letters that break a line or control a terminal: names of files may contain them."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def ask_quiet(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    """Keep whether --quiet is given."""
    context.meta[_ASKED] = given


class DataError(click.ClickException):
    """Report an error in the command or in the data in one line, with exit code 2."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """Print the message on standard error."""
        click.echo(f"evalcore: {one_line(self.message)}", err=True)


class _StoppedDataError(DataError):
    exit_code = 130  # by convention for a program that Ctrl-C ended


class OneLineErrors(click.Group):
    """Commands that print one line and exit with code 2 for errors, with code 130 for Ctrl-C."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the arguments."""
        with _errors_in_one_line():
            return super().make_context(*arguments, **more)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description alone."""
        self.help, self.sections = options.parted(self.callback)
        super().format_help_text(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write an example of each command, and what all commands have."""
        firsts = (command.examples for command in self.commands.values() if isinstance(command, options.HeadedCommand))
        options.write_examples(formatter, dict(next(iter(examples.items())) for examples in firsts))
        for heading, lines in self.sections.items():
            options.write_section(formatter, heading, lines)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _errors_in_junit(ctx), _errors_in_one_line(), spelled_for_a_shell(), taking_notes(tell):
            return super().invoke(ctx)


@contextmanager
def _errors_in_junit(ctx: click.Context) -> Iterator[None]:
    """Write an error with exit code 2 to the file of --junit too, or a service would show no test at all.

    The options may be wrong, so no file is replaced but one of XML: it might be one to read.
    """
    try:
        yield
    except DataError as error:
        file = ctx.meta.get(JUNIT)
        if file and error.exit_code == DataError.exit_code:
            from evalcore.gate.checks import as_junit  # now: help needs click alone
            from evalcore.io.formats import STANDARD_INPUT
            from evalcore.saving.files import write_output

            with suppress(EvaluationError, OSError):
                if file != STANDARD_INPUT and (not os.path.isfile(file) or _is_xml(file)):
                    write_output(file, as_junit(error.message, f"{ctx.command_path} {ctx.invoked_subcommand}"))
        raise


def _is_xml(file: str) -> bool:
    with open(file, "rb") as opened:
        return opened.read(len(_XML)) in (_XML, b"")


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except (EvaluationError, EvaluationTypeError, ImportError) as error:  # ImportError: an installed library is broken
        raise DataError(str(error)) from error
    except click.UsageError as error:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            raise  # it prints the help
        says_enough = type(error) in (click.UsageError, click.BadParameter)
        where = "" if says_enough or error.ctx is None else f" See {error.ctx.command_path} --help."
        raise DataError(f"{error.format_message()}{where}") from error
    except KeyboardInterrupt as stopped:
        raise _StoppedDataError("stopped") from stopped
    except MemoryError as error:
        way_out = "--memory SIZE sets a limit: data beyond it is summarised or refused"
        raise DataError(f"memory ran out; {way_out}") from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # click ends quietly
        if error.filename is None and isinstance(error, FileNotFoundError):
            raise DataError("the current folder no longer exists") from error
        named = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        raise DataError(f"{named}{error.strerror or error}") from error
