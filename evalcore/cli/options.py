"""How commands declare their options: each under a heading of the help, and given once unless it is repeatable."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from evalcore.cli.completion import completed_paths
from evalcore.cli.help_texts import write_examples, write_exit_codes

Decorator: TypeAlias = Callable[[Any], Any]

STYLE_OF_ENDING = {
    ".csv": "csv",
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".trec": "trec",
    ".txt": "table",
}
"""The format of a file by the ending of its name."""
SECTION_STYLES = "table", "json", "csv", "markdown"
REPORT_STYLES = *SECTION_STYLES, "html"
TREC_STYLES = *SECTION_STYLES, "trec"
"""The formats of each command, the default first."""

_OPTION_WIDTH = 22
"""Letters of an option and its value in the help; the text of longer ones begins on the next line."""


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
    """A command whose help lists options below their headings, in the order of their declaration, and then examples."""

    def __init__(self, *arguments: Any, examples: dict[str, str], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.examples = examples

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


def repeatable(*names: str, **settings: Any) -> Decorator:
    """Return an option that may be given several times."""
    return click.option(*names, multiple=True, cls=HeadedOption, **settings)


def single(*names: str, default: Any = None, **settings: Any) -> Decorator:
    """Return an option that may be given only once: click would take the last of several values without a word."""
    defaults: dict[str, Any] = {} if default is None else {"default": (default,), "show_default": True}
    return click.option(*names, multiple=True, callback=only_value, cls=HeadedOption, **defaults, **settings)


def switch(*names: str, **settings: Any) -> Decorator:
    """Return an option without a value."""
    return click.option(*names, is_flag=True, cls=HeadedOption, **settings)


_NAMES = 28
"""Letters of the names of measures in a list."""


def listing(described: Callable[[], Mapping[str, str]]) -> Decorator:
    """Return the option that prints the names and meanings of measures, and ends the program."""

    def list_measures(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            meanings = described()
            width = max(_NAMES, *(len(name) + 1 for name in meanings))
            for name, meaning in meanings.items():
                click.echo(f"{name:<{width}}{meaning}")
            context.exit()

    return switch(
        "--list-measures",
        is_eager=True,
        expose_value=False,
        callback=list_measures,
        help="List the names of --measure, and exit.",
    )


def under(heading: str, *options: Decorator) -> Decorator:
    """Return what adds options to a command, in this order, below a heading of its help."""

    def add(command: Any) -> Any:
        before = len(getattr(command, "__click_params__", ()))
        for option in reversed(options):
            command = option(command)
        for parameter in command.__click_params__[before:]:
            parameter.heading = heading
        return command

    return add


def endings_of(styles: Sequence[str]) -> list[str]:
    """Return the endings of names of files that stand for formats.  O(1).

    >>> endings_of(["table", "csv"])
    ['.csv', '.txt']
    """
    return [ending for ending, style in STYLE_OF_ENDING.items() if style in styles]


def output_options(*styles: str) -> Decorator:
    """Return the options that choose a format, the first one by default, and the file that is written in it."""
    endings = ", ".join(endings_of(styles))
    return under(
        "Output",
        single(
            "--format",
            "style",
            type=click.Choice(styles),
            unless=("output",),
            help="Format of the report. CSV has a line for each number, in the same columns for every report; JSON"
            " begins with schema_version."
            f"  [default: by the ending of --output FILE ({endings}), else {styles[0]}]",
        ),
        single(
            "-o",
            "--output",
            metavar="FILE",
            unless=("style",),
            shell_complete=completed_paths,
            help="Write the report to FILE, which is replaced as a whole, and not to standard output. FILE may be a"
            " pipe or device, such as >(gzip > out.gz).",
        ),
    )


def only_value(_context: click.Context, parameter: click.Parameter, values: Sequence[Any]) -> Any:
    """Return the one value, or None if the option was not given; raise UsageError for several."""
    if len(values) > 1:
        name = max(parameter.opts, key=len)
        raise click.UsageError(f"{name} may be given only once, got {' and '.join(map(repr, values))}.")
    return next(iter(values), None)


def is_single(parameter: click.Parameter) -> bool:
    """Whether an option may be given only once.  O(1)."""
    return parameter.callback is only_value
