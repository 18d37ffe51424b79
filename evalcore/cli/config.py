"""The config file that --config names: options by their names, in TOML."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import click
from click.core import ParameterSource

from evalcore.cli.errors import JUNIT, one_line
from evalcore.cli.option_parsing import HeadedCommand, is_single, only_value
from evalcore.errors import EvaluationError, check, did_you_mean

_MAIN = "report"
"""The command whose options need no table of their own."""
_FOUND = "evalcore.config"


class ConfiguredCommand(HeadedCommand):
    """A command that takes options which are not typed from the config file.

    It says so on standard error, also with --quiet: the file may change what is read, judged and written.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        ctx.meta[JUNIT] = _typed_junit(self, args)  # also if others are wrong
        try:
            rest = super().parse_args(ctx, args)
        except click.BadParameter as error:
            if error.param is None or ctx.get_parameter_source(error.param.name or "") != ParameterSource.DEFAULT_MAP:
                raise
            raise EvaluationError(f"{ctx.meta[_FOUND]}: {_key(error.param)}: {error.message}") from error
        ctx.meta[JUNIT] = ctx.params.get("junit")
        if _FOUND in ctx.meta:
            values, source = ctx.default_map or {}, ctx.get_parameter_source
            from_file = {option for option in self.params if source(option.name or "") == ParameterSource.DEFAULT_MAP}
            options = [each for each in self.params if each in from_file or getattr(each, "adds", False)]
            taken = [word for option in options for word in _typed(option, values.get(option.name, ()))]
            said = f"sets {shlex.join(taken)}" if taken else f"sets no option of evalcore {self.name}"
            click.echo(one_line(f"evalcore: {ctx.meta[_FOUND]} {said}"), err=True)
        return rest


def _typed_junit(command: click.Command, words: Sequence[str]) -> str | None:
    """Return the file that --junit names among words which may hold errors.  O(words)."""
    if not any(option.name == "junit" for option in command.params):
        return None
    after = dict(pairwise(words)).get("--junit")
    return after or next((word.partition("=")[2] for word in words if word.startswith("--junit=")), None)


def configure(context: click.Context, parameter: click.Parameter, files: Sequence[str]) -> None:
    """Let options that are not typed have the values of the config file."""
    file = only_value(context, parameter, files)
    if file is None or context.resilient_parsing:
        return
    import tomllib

    with open(file, encoding="utf-8-sig") as opened:
        try:
            table = tomllib.loads(opened.read())
        except ValueError as error:
            raise EvaluationError(f"{file}: cannot be read: {error}") from error
    at_top = {key: value for key, value in table.items() if not isinstance(value, dict)}
    commands = context.find_root().command
    known = commands.commands if isinstance(commands, click.Group) else {}
    for name, command in known.items():
        typed = table.get(name)
        given = {**(at_top if name == _MAIN else {}), **(typed if isinstance(typed, dict) else {})}
        values = dict(_values(file, name, known, given))
        if command is context.command:
            context.default_map, context.meta[_FOUND] = values, file
            context.meta[JUNIT] = context.meta[JUNIT] or next(iter(values.get("junit", ())), None)
    for key, value in table.items():
        is_known, rule = key in known or not isinstance(value, dict), f"have the names of commands ({', '.join(known)})"
        check(is_known, f"{file}: tables", rule, f"[{key}]{did_you_mean(key, known)}")
    own = context.command.name
    is_given = not at_top or own == _MAIN or own in table
    check(is_given, f"{file}: options of evalcore {own}", f"be in a table [{own}]", "none")


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command that a config may hold, by the names that they have there."""
    known = (each for each in command.params if isinstance(each, click.Option) and not each.is_eager)
    return {flag.lstrip("-"): each for each in known for flag in each.opts if flag.startswith("--")}


def _key(option: click.Parameter) -> str:
    return max(option.opts, key=len).lstrip("-")


def _values(
    file: str, name: str, commands: Mapping[str, click.Command], given: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield names of parameters and their values, as click takes them; name: of the command that they are of.

    A list is given to an option that is repeatable or takes several values with commas.  Raises EvaluationError for
    values that do not fit, and for a key that is no option of the command.
    """
    options = {each: _options(command) for each, command in commands.items()}
    for key, value in given.items():
        typed = key.replace("_", "-")
        if (option := options[name].get(typed)) is None:
            others = [each for each in options if typed in options[each]]
            near = f"; did you mean {typed!r} in [{others[0]}]?" if others else did_you_mean(key, options[name])
            raise EvaluationError(f"{file}: keys must be options of evalcore {name}, got {key!r}{near}")
        if option.is_flag:
            check(isinstance(value, bool), f"{file}: {key}", "be true or false", repr(value))
            yield str(option.name), value
            continue
        if value is False and (option.metavar or "").startswith("["):  # whose value may lack
            continue
        items = value if isinstance(value, list) else [value]
        is_plain = not any(isinstance(item, dict | list) for item in items)
        check(is_plain, f"{file}: {key}", "be a string, a number or a list of them", repr(value))
        words = [str(item).lower() if isinstance(item, bool) else str(item) for item in items]
        if is_single(option) and "," in (option.metavar or ""):
            words = [",".join(words)]
        else:
            check(not (is_single(option) and isinstance(value, list)), f"{file}: {key}", "be one value", repr(value))
        yield str(option.name), tuple(words)


def _typed(option: click.Parameter, value: Any) -> list[str]:
    """Return an option and its value as they are typed.  O(values)."""
    flag = max(option.opts, key=len)
    if isinstance(value, bool):
        return [flag] if value else []
    return [word for item in value for word in (flag, item)]
