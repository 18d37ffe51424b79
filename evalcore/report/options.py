"""What errors call the options of a report: `positive=` where Python asked, `--positive` where the command did."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_DASHES = ContextVar("dashes", default="")
"""Before the names of options."""


@contextmanager
def spelled_for_a_shell() -> Iterator[None]:
    """Have errors inside speak of the command's options.

    >>> with spelled_for_a_shell():
    ...     option("positive", "VALUE")
    '--positive VALUE'
    """
    before = _DASHES.set("--")
    try:
        yield
    finally:
        _DASHES.reset(before)


def option(name: str, value: str = "") -> str:
    """Return an option, with a value if one is given, as who asked would write it.

    >>> option("positive", "VALUE"), option("by")
    ('positive=VALUE', 'by')
    """
    dashes = _DASHES.get()
    between = " " if dashes else "="
    return f"{dashes}{name}{between}{value}" if value else f"{dashes}{name}"
