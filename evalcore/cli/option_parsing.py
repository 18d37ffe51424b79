"""How commands declare their options, each under a heading of the help, and what the help says after them."""

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from typing import Any

import click
from click.core import ParameterSource

from evalcore.cli.completion import completed_columns, completed_paths

FORMERLY = {
    "--groups": "--max-groups",
    "--compare": "--versus",
    "--text": "--as-text",
    "--allow": "--allow-mismatch",
    "--test": "--method",
    "--html": "-o FILE.html",
    "--json-out": "-o FILE.json",
}
"""What options are called now, by names that some remember."""

CI = "--ci"
MEMORY = "EVALCORE_MEMORY"
"""The variable that limits memory where --memory is not given."""
OF_ONE_LABEL = "positive", "target_prevalence", "thresholds", "targets", "costs", "compare"
"""Parameters of reports that need scores of one label."""
_LEVEL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?%?|\w+", re.IGNORECASE)
"""A word that is a level or a slip, and no option; the name of a file may be one too."""
_OPTION_WIDTH = 22
"""Letters of an option and its value in the help; the text of longer ones begins on the next line."""
_EXAMPLES, _REQUIRED = "Examples", " [required]"
"""The heading of examples, and how the text of an option ends that must be given."""


class HeadedOption(click.Option):
    """An option that the help lists below a heading.

    unless: parameters beside which it makes no sense; if one of them is typed, a config file does not set this option.
    adds: whether the values of a config file are added to those that are typed, and not replaced by them.
    """

    def __init__(
        self, *arguments: Any, heading: str = "", unless: Sequence[str] = (), adds: bool = False, **more: Any
    ) -> None:
        super().__init__(*arguments, **more)
        self.heading = heading
        self.unless = unless
        self.adds = adds

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """Return the value and where it comes from."""
        value, source = super().consume_value(ctx, opts)
        if source == ParameterSource.DEFAULT_MAP and not opts.keys().isdisjoint(self.unless):
            return (), ParameterSource.DEFAULT
        if self.adds and source == ParameterSource.COMMANDLINE:
            value = (*(ctx.lookup_default(self.name or "") or ()), *value)
        return value, source

    def value_from_envvar(self, ctx: click.Context) -> Any:
        """Return the whole text of a variable: click would split it at blanks."""
        text = self.resolve_envvar_value(ctx)
        return None if text is None else (text,)


class HeadedCommand(click.Command):
    """A command whose help lists options below their headings, in the order of their declaration, and then examples.

    The docstring of its function has them behind the description, below headings of a word and a colon: lines as
    `option` takes them, which may go on in others that are indented, and examples, each below what it shows.  A line of
    flags alone has options as an earlier command declares them.  settings: what `option` takes besides.
    """

    def __init__(
        self, name: str | None, callback: Callable[..., Any], settings: Mapping[str, Mapping[str, Any]], **more: Any
    ) -> None:
        described = inspect.getdoc(callback) or _docstring_in_source(callback)
        help_text, *parts = re.split(r"^(\w+):\n", described, flags=re.MULTILINE)
        super().__init__(name, callback=callback, **{**more, "help": help_text})
        self.examples: dict[str, str] = {}
        for heading, text in zip(parts[::2], parts[1::2], strict=True):
            for line in filter(None, re.sub(r"\n +", " ", text).splitlines()):
                if heading == _EXAMPLES:
                    shown, _, command = line.partition(": ")
                    self.examples[shown] = command
                else:
                    lines = [line] if "  " in line else map(_DECLARED.__getitem__, line.split())
                    self.params += [option(each, heading, settings) for each in lines]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; an option of a level that no number follows has the usual one."""
        for index, (word, after) in enumerate(pairwise([*args, ""])):
            if word == CI and (not _LEVEL.fullmatch(after) or os.path.exists(after)):
                args[index] = f"{CI}={LEVEL}"
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each heading."""
        listed: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                listed.setdefault(getattr(parameter, "heading", "") or "Options", []).append(record)
        for heading, records in listed.items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=_OPTION_WIDTH)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples and exit codes."""
        write_examples(formatter, self.examples)
        write_exit_codes(formatter, gated=any(option.name == "conditions" for option in self.params))


def _docstring_in_source(function: Callable[..., Any]) -> str:
    """Return the docstring of a function where `python -OO` leaves it out.  O(letters of the function)."""
    import ast

    definition = ast.parse(inspect.getsource(function)).body[0]
    return (isinstance(definition, ast.FunctionDef) and ast.get_docstring(definition)) or ""


class Threshold(click.types.FloatParamType):
    """A number; errors say what to type for lists and per cent."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        try:
            return float(value)
        except ValueError:
            way_out = "; repeat --threshold for several" if "," in value else ""
            with suppress(ValueError):
                way_out = f"; {float(value.removesuffix('%')) / 100:g} is {value}" if value.endswith("%") else way_out
            raise click.UsageError(f"--threshold must be a number, got {value!r}{way_out}") from None


class Level(click.types.FloatParamType):
    """A level of confidence, such as 0.95, which 95 and 95% mean too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the level."""
        if value == _TRUE:
            return LEVEL
        number: Any = str(value).removesuffix("%")
        level: float = super().convert(number, param, ctx)
        in_percent = _LEAST_PERCENT <= level < 100 or str(value).endswith("%")
        return round(level / 100, _DECIMALS) if in_percent else level


LEVEL = 0.95
"""The level of --ci alone."""
_TRUE = "true"
"""How a config file gives a level without a number."""
_LEAST_PERCENT, _DECIMALS = 50, 12
"""Larger numbers are per cent; smaller ones may be slips."""
_TYPES = {"N": int, "S": int, "GRADE": int, "LEVEL": Level(), "[LEVEL]": Level(), "P": float, "T": Threshold()}
"""Types of values, by what the help calls them; others are texts."""
_COMPLETED = {"COL": completed_columns, "FILE": completed_paths, "OUT": completed_paths, "DIR": completed_paths}
"""What the shell completes of values, by words in what the help calls them."""


_DECLARED: dict[str, str] = {}
"""The lines that declare options, by their flags; the first command that has one declares it for others."""


def option(shown: str, heading: str, settings: Mapping[str, Mapping[str, Any]]) -> HeadedOption:
    """Return an option that is written as the help shows it: how it is typed, two blanks, and what it does.

    It may be given only once unless "..." follows its value, and is a switch without a value; a value such as [a|b] is
    one of these words.  The name of its parameter, if it is another one, stands before, with a colon: "style: --format
    NAME  The format."  settings: further arguments of click, by the names of parameters.
    """
    typed, _, text = shown.partition("  ")
    name, _, typed = typed.rpartition(": ")
    flags = [word for word in typed.split() if word.startswith("-")]
    value = next((word for word in typed.split() if not word.startswith("-")), "")
    name = name or max(flags, key=len).lstrip("-").replace("-", "_")
    called = value.removesuffix("...")
    help_text = text.removesuffix(_REQUIRED).replace(" [default:", "  [default:")
    own: dict[str, Any] = {"help": help_text, "heading": heading, "required": text.endswith(_REQUIRED)}
    if value:
        words = called.strip("[]").split("|")
        kind = click.Choice(words, case_sensitive=False) if words[1:] else _TYPES.get(called)
        own |= {"metavar": None if words[1:] else called, "type": kind, "multiple": True}
        own["callback"] = only_value if called == value else None
        own["shell_complete"] = next((complete for word, complete in _COMPLETED.items() if word in called), None)
    else:
        own["is_flag"] = True
    own |= settings.get(name, {})
    for flag in flags:
        _DECLARED.setdefault(flag, shown)
    if "default" in own:
        own |= {"default": (own["default"],), "show_default": True}
    return HeadedOption([*flags, name], **own)


_NAMES = 28
"""Letters of the names of measures in a list."""


def listing(described: str) -> dict[str, Any]:
    """Return the settings of an option that prints the names and meanings of measures, and ends the program.

    described: the module that has them and their name, or that of a function which returns them.
    """

    def list_measures(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            module, _, name = described.partition(":")
            found = getattr(import_module(module), name)
            meanings = found() if callable(found) else found
            width = max(_NAMES, *(len(measure) + 1 for measure in meanings))
            for measure, meaning in meanings.items():
                click.echo(f"{measure:<{width}}{meaning}")
            context.exit()

    return {"callback": list_measures, "is_eager": True, "expose_value": False}


def styles_of(command: click.Command) -> Sequence[str]:
    """Return the formats of a command, the default first; none if it has no --format.  O(options)."""
    kinds = (each.type for each in command.params if each.name == "style")
    return next((kind.choices for kind in kinds if isinstance(kind, click.Choice)), ())


def only_value(_context: click.Context, parameter: click.Parameter, values: Sequence[Any]) -> Any:
    """Return the one value, or None if the option was not given; raise UsageError for several."""
    if len(values) > 1:
        name = max(parameter.opts, key=len)
        raise click.UsageError(f"{name} may be given only once, got {' and '.join(map(repr, values))}.")
    return next(iter(values), None)


def is_single(parameter: click.Parameter) -> bool:
    """Whether an option may be given only once.  O(1)."""
    return parameter.callback is only_value


_EXIT_CODES = (
    ("0", "Success."),
    ("1", "A condition of --fail-if is true, or the reader of standard output, such as head, ended first."),
    ("2", "An error in the command or in the data, or an undecided gate; standard error says which, and what to do."),
    ("130", "Stopped by Ctrl-C."),
)
_UNGATED = (
    ("1", "The reader of standard output, such as head, ended first."),
    ("2", "An error in the command or in the data; standard error says which, and what to do."),
)
"""The same of commands without --fail-if."""
_ENVIRONMENT = (
    ("EVALCORE_MEMORY", "The memory limit of report and compare where --memory is not given."),
    ("NO_COLOR", "If set, the progress bar has no colors."),
)
_CONFIG = (
    "--config FILE sets options that are not typed, in TOML. Keys are the names of options:"
    ' label = "late", score = ["boosting", "logistic"], all-groups = true. Options of report stand at the top; those of'
    " another command in its table: [trec]. Conditions of fail-if are added to those that are typed. Paths are relative"
    " to the current folder. Standard error says what the file sets. No file is read that --config does not name."
)


def write_examples(formatter: click.HelpFormatter, examples: dict[str, str]) -> None:
    """Write examples, each below what it shows.  O(letters)."""
    with formatter.section("Examples"):
        for shown, command in examples.items():
            formatter.write(f"  {shown}:\n    {command}\n")


def write_exit_codes(formatter: click.HelpFormatter, *, gated: bool = True) -> None:
    """Write what the command returns; gated: whether it has --fail-if.  O(1)."""
    codes = _EXIT_CODES if gated else (_EXIT_CODES[0], *_UNGATED, _EXIT_CODES[-1])
    with formatter.section("Exit codes"):
        formatter.write_dl(codes)


def write_surroundings(formatter: click.HelpFormatter) -> None:
    """Write which variables and files the command reads beside its arguments.  O(1)."""
    with formatter.section("Environment"):
        formatter.write_dl(_ENVIRONMENT)
    with formatter.section("Config file"):
        formatter.write(f"{click.wrap_text(_CONFIG, formatter.width, '  ', '  ')}\n")
