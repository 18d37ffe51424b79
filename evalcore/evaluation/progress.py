"""A progress bar on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from evalcore.io.memory import shown_size
from evalcore.optional import require

_PATIENCE = 1.0
"""Seconds before the bar is drawn."""


class Bar:
    """Reports how many rows or bytes were read, of how many, and how many per second.

    show: takes the number that is done, the total or None, and both in words.

    >>> Bar(print).rows(1_000_000, 10_000_000)
    1000000 10000000 1,000,000 of 10,000,000 rows
    """

    def __init__(self, show: Callable[[int, int | None, str], None]) -> None:
        self._show = show
        self._first: dict[str, tuple[float, int]] = {}

    def rows(self, done: int, total: int | None) -> None:
        """Report rows that were read.  O(1)."""
        self._report(done, total, "{:,.0f}".format, " rows")

    def bytes(self, done: int, total: int | None) -> None:
        """Report bytes that were read.  O(1)."""
        self._report(done, total, shown_size)

    def _report(self, done: int, total: int | None, shown: Callable[[float], str], unit: str = "") -> None:
        """Report what was read, and how much of it per second since the first call."""
        now = time.monotonic()
        begin, before = self._first.setdefault(unit, (now, done))
        rate = (done - before) / (now - begin) if now > begin else 0.0
        of, per_second = "" if total is None else f" of {shown(total)}", f", {shown(rate)}{unit}/s" if rate else ""
        self._show(done, total, f"{shown(done)}{of}{unit}{per_second}")


@contextmanager
def progress_bar(title: str, *, shown: bool = True) -> Iterator[Bar]:
    """Yield a `Bar` that draws on standard error if that is a terminal and reading takes over a second."""
    begin = time.monotonic()
    wanted = shown and sys.stderr is not None and sys.stderr.isatty()
    with ExitStack() as drawn:
        started: list[Callable[..., object]] = []

        def show(done: int, total: int | None, words: str) -> None:
            if wanted and not started and time.monotonic() - begin > _PATIENCE:
                started.append(drawn.enter_context(_drawing(title)))
            for update in started:
                update(completed=done, total=total, words=words)

        yield Bar(show)


@contextmanager
def _drawing(title: str) -> Iterator[Callable[..., object]]:
    """Draw a bar, and yield what updates it; rich is imported now, for most commands end sooner."""
    console, progress = require("rich.console", "report"), require("rich.progress", "report")
    text = require("rich.text", "report").Text
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[words]}"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        yield partial(bar.update, bar.add_task(text(title).markup, total=None, words=""))
