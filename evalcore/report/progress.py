"""A progress bar on standard error, for those who wait."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from evalcore.io.counting import Progress

_PATIENCE = 1.0
"""Seconds before a bar is worth its line."""


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Yield what to call with the amount done and the total: it draws a bar if a terminal waits over a second.

    >>> with progress_bar("reading") as progress:
    ...     progress(1, 10)
    """
    from rich.console import Console
    from rich.progress import Progress as Bar

    begin = time.monotonic()
    wanted = sys.stderr is not None and sys.stderr.isatty()
    bar = Bar(console=Console(stderr=True), transient=True)
    task = bar.add_task(title, total=None)
    with ExitStack() as drawn:

        def show(done: int, total: int | None) -> None:
            if wanted and not bar.live.is_started and time.monotonic() - begin > _PATIENCE:
                drawn.enter_context(bar)
            bar.update(task, completed=done, total=total)

        yield show
