"""A progress bar on standard error, for those who wait."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

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

    console = Console(stderr=True)
    begin = time.monotonic()
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, visible=False)

        def show(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total, visible=time.monotonic() - begin > _PATIENCE)

        yield show
