"""Notes on standard error, and the option that leaves them out."""

import click

from evalcore.cli.options import Decorator, switch

_ASKED = "evalcore.quiet"
_HELP = "On standard error, print nothing but errors and what --config sets."


def is_quiet() -> bool:
    """Whether the command was asked to print nothing but errors on standard error.  O(1)."""
    return bool(click.get_current_context().meta.get(_ASKED))


def tell(text: str) -> None:
    """Print a line on standard error, unless --quiet is given.  O(text)."""
    if not is_quiet():
        click.echo(one_line(f"evalcore: {text}"), err=True)


def one_line(text: str) -> str:
    """Escape letters that break a line or control a terminal: names of files may contain them."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _ask(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    context.meta[_ASKED] = given


def _quiet(*names: str) -> Decorator:
    """Return the switch by its names."""
    return switch(*names, expose_value=False, callback=_ask, help=_HELP)


QUIET, LONG_QUIET = _quiet("-q", "--quiet"), _quiet("--quiet")
