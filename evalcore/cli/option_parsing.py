"""How commands declare their options, each under a heading of the help, and what the shell completes of them."""

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from typing import Any

import click
from click.core import ParameterSource

from evalcore.errors import EvaluationError, EvaluationTypeError

CI, COMPARE_GROUPS = "--ci", "--compare-groups"
MEMORY = "EVALCORE_MEMORY"
"""The variable that limits memory where --memory is not given."""
OF_ONE_LABEL = "positive", "target_prevalence", "thresholds", "targets", "costs", "compare"
"""Parameters of reports that need scores of one label."""
_NEW = "score", "predicted"
"""Parameters of columns of new models."""
_LEVEL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?%?|\w+", re.IGNORECASE)
"""A word that is a level or a slip, and no option; the name of a file may be one too."""
_OPTION_WIDTH = 22
"""Letters of an option and its value in the help; the text of longer ones begins on the next line."""
EXIT_CODES, _EXAMPLES, _REQUIRED = "Exit codes", "Examples", " [required]"
"""Headings of the help, and how the text of an option ends that must be given."""


class HeadedOption(click.Option):
    """An option that the help lists below a heading.

    unless: parameters beside which it makes no sense; if one of them is typed, a config file does not set this option.
    adds: whether the values of a config file are added to those that are typed, and not replaced by them.
    """

    def __init__(
        self, *arguments: Any, heading: str = "", unless: Sequence[str] = (), adds: bool = False, **more: Any
    ) -> None:
        super().__init__(*arguments, **more)
        self.heading, self.unless, self.adds = heading, unless, adds

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """Return the value and where it comes from."""
        value, source = super().consume_value(ctx, opts)
        if source == ParameterSource.DEFAULT_MAP and not opts.keys().isdisjoint(self.unless):
            return (), ParameterSource.DEFAULT
        if self.adds and source == ParameterSource.COMMANDLINE:
            value = (*(ctx.lookup_default(self.name or "") or ()), *value)
        return value, source


class HeadedCommand(click.Command):
    """A command whose help lists options below their headings, in the order of their declaration, and then examples.

    The docstring of its function has them behind the description, below headings of one or two words and a colon:
    lines as `option` takes them, which may go on in others that are indented, examples, each below what it shows, and
    exit codes, if they are not those of all commands.  A line of flags alone has options as an earlier command declares
    them.  settings: what `option` takes besides.
    """

    def __init__(
        self, name: str | None, callback: Callable[..., Any], settings: Mapping[str, Mapping[str, Any]], **more: Any
    ) -> None:
        help_text, sections = parted(callback)
        super().__init__(name, callback=callback, **{**more, "help": help_text})
        self.examples = dict(line.split(": ", 1) for line in sections.pop(_EXAMPLES))
        self.exit_codes = sections.pop(EXIT_CODES, [])
        for heading, lines in sections.items():
            for line in lines:
                declared = [line] if "  " in line else map(_DECLARED.__getitem__, line.split())
                self.params += [option(each, heading, settings) for each in declared]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; options whose value may lack have the usual one where no such value follows."""
        for index, (word, after) in enumerate(pairwise([*args, ""])):
            if word == CI and (not _LEVEL.fullmatch(after) or os.path.exists(after)):
                args[index] = f"{CI}={LEVEL}"
            elif word == COMPARE_GROUPS and (_NO_GROUP.match(after) or os.path.exists(after)):
                args[index] = f"{COMPARE_GROUPS}={_REST}"
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
        write_section(formatter, EXIT_CODES, self.exit_codes or parted(ctx.find_root().command.callback)[1][EXIT_CODES])


def parted(function: Any) -> tuple[str, dict[str, list[str]]]:
    """Return the description in a docstring, and the lines below each heading.  O(letters)."""
    help_text, *parts = re.split(r"^(\w+(?: \w+)?):\n", _docstring(function), flags=re.MULTILINE)
    texts = (re.sub(r"\n +", " ", text).splitlines() for text in parts[1::2])
    return help_text, {heading: [*filter(None, lines)] for heading, lines in zip(parts[::2], texts, strict=True)}


def _docstring(function: Any) -> str:
    """Return the docstring of a function; from its source where `python -OO` leaves it out.  O(letters)."""
    if found := inspect.getdoc(function):
        return found
    import ast

    definition: Any = ast.parse(inspect.getsource(function)).body[0]
    return ast.get_docstring(definition) or ""


def _threshold(text: str) -> float:
    """Return a number; errors say what to type for lists and per cent."""
    try:
        return float(text)
    except ValueError:
        way_out = "; repeat --threshold for several" if "," in text else ""
        with suppress(ValueError):
            way_out = f"; {float(text.removesuffix('%')) / 100:g} is {text}" if text.endswith("%") else way_out
        raise click.UsageError(f"--threshold must be a number, got {text!r}{way_out}") from None


def _level(value: Any) -> float:
    """Return a level of confidence, such as 0.95, which 95 and 95% mean too."""
    number: Any = str(value).removesuffix("%")
    level = LEVEL if value == _TRUE else float(click.FLOAT.convert(number, None, None))
    in_percent = _LEAST_PERCENT <= level < 100 or str(value).endswith("%")
    return round(level / 100, _DECIMALS) if in_percent else level


completed_paths = click.Path().shell_complete
"""Lets the shell complete the name of a file or folder."""


def completed_columns(context: click.Context, parameter: click.Parameter, typed: str) -> list[Any]:
    """Return the columns that begin with what is typed, of the first file; new models are in the last.  O(columns)."""
    files, compares = _local_files(context), any(each.name == "old" for each in context.command.params)
    of_new = compares and parameter.name in _NEW
    return completions(_columns_of(files[-1:] if of_new else files[:1], context.params), typed)


def completions(names: Iterable[str], typed: str) -> list[str]:
    """Return the names that begin with what is typed, for the shell.  O(names)."""
    return [name for name in names if name.startswith(typed)]


def _local_files(context: click.Context) -> list[str]:
    """Return the files that are typed, as far as they can be opened."""
    named = [context.params.get(name) or () for name in ("files", "old", "new")]
    files = [file for of_name in named for file in ([of_name] if isinstance(of_name, str) else of_name)]
    typed = files or context.args  # not yet arguments if an option lacks its value
    return [file for file in typed if os.path.exists(file) or "*" in file]


def _columns_of(files: Sequence[str], options: Mapping[str, Any]) -> Sequence[str]:
    """Return the columns of the first file; none if it cannot be read, for a completion must not end in an error.

    A pipe, which would wait, is not opened.
    """
    with suppress(EvaluationError, EvaluationTypeError, ImportError, OSError):
        from evalcore.io.columns import Selection
        from evalcore.io.datasets import expand_paths, inspect_files
        from evalcore.io.formats import reading_of

        how = reading_of(options)
        if files and os.path.isfile(first := expand_paths(files, how)[0]):
            names: list[str] = inspect_files([first], Selection((), prefixes=("",), reading=how))[0].schema.names
            return names
    return []


LEVEL = 0.95
"""The level of --ci alone."""
_REST = "rest"
"""What groups are compared with where --compare-groups stands alone."""
_NO_GROUP = re.compile(r"-|\Z|.*(\*|://)")
"""What follows it then: an option, nothing, or files; others are told by their existence."""
_TRUE = "true"
"""How a config file gives a level without a number."""
_LEAST_PERCENT, _DECIMALS = 50, 12
"""Larger numbers are per cent; smaller ones may be slips."""
_TYPES = {
    "N": int, "Q": float, "S": int, "GRADE": int, "LEVEL": _level, "[LEVEL]": _level, "P": float, "T": _threshold,
    "[WHAT]": lambda text: _REST if text == _TRUE else text,
}  # fmt: skip
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


def naming_measures(described: str) -> dict[str, dict[str, Any]]:
    """Return the settings of options that complete names of measures, and print them with their meanings.

    described: the module that has them and their name, or that of a function which returns them.
    """

    def meanings() -> Mapping[str, str]:
        module, _, name = described.partition(":")
        found = getattr(import_module(module), name)
        known: Mapping[str, str] = found() if callable(found) else found
        return known

    def complete(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[Any]:
        names = (re.sub("THRESHOLD|RATE", "0.5", name) for name in meanings() if "[" not in name)
        return completions(names, typed)

    def list_measures(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            known = meanings()
            width = max(_NAMES, *(len(measure) + 1 for measure in known))
            for measure, meaning in known.items():
                click.echo(f"{measure:<{width}}{meaning}")
            context.exit()

    listed = {"callback": list_measures, "is_eager": True, "expose_value": False}
    return {"measures": {"shell_complete": complete}, "list_measures": listed}


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


def write_examples(formatter: click.HelpFormatter, examples: dict[str, str]) -> None:
    """Write examples, each below what it shows.  O(letters)."""
    with formatter.section("Examples"):
        for shown, command in examples.items():
            formatter.write(f"  {shown}:\n    {command}\n")


def write_section(formatter: click.HelpFormatter, heading: str, lines: Sequence[str]) -> None:
    """Write lines of words and their meanings, behind two blanks, or else a paragraph, below a heading.  O(letters)."""
    with formatter.section(heading):
        if "  " in lines[0]:
            formatter.write_dl([(word, meaning) for word, _, meaning in (line.partition("  ") for line in lines)])
        else:
            formatter.write(f"{click.wrap_text(' '.join(lines), formatter.width, '  ', '  ')}\n")
