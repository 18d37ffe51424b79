"""Files that the command writes beside its table: checked before anything is read, written at the end."""

import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import combinations
from typing import NamedTuple

from evalcore.document.charts.images import Plot
from evalcore.errors import refuse
from evalcore.io.formats import STANDARD_INPUT, local_name
from evalcore.optional import require
from evalcore.saving.files import check_folder, check_writable, make_folder, write_output

_IMAGES = "png", "svg"
_REPORT, _PLOTS, _JUNIT = "--output FILE", "--plots DIR", "--junit FILE"


class Outputs(NamedTuple):
    """The names of files to write; None for those that nobody asked for."""

    reports: Sequence[tuple[str, str | None]] = ()
    """The format and the file, pipe or device of each; None for standard output."""
    plots: str | None = None
    """A folder of images, made if it is missing; other images in it stay."""
    junit: str | None = None
    """The result of a gate."""

    @property
    def has_page(self) -> bool:
        """Whether an HTML page is written, to any place.  O(1)."""
        return any(style == "html" for style, _ in self.reports)

    @property
    def draws(self) -> bool:
        """Whether plots are written, on a page or alone.  O(1)."""
        return self.has_page or self.plots is not None

    def check(self, files: Sequence[str]) -> None:
        """Check that all can be written, and would replace no file that is read or written.

        files: those to be read.  Links and other spellings of a name are followed.  O(files).

        Raises MissingLibraryError for a library that an output needs; EvaluationError for a folder that is missing
        or cannot be written to, and if two outputs, or an output and a file to read, are the same file.

        >>> Outputs([("csv", "x.csv")]).check(["./x.csv"])
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: x.csv is one of the files to read; name another (--output FILE)
        """
        typed = *((_REPORT, file) for _, file in self.reports), (_JUNIT, self.junit), (_PLOTS, self.plots)
        named = [(flag, name) for flag, name in typed if name is not None]
        written = [(flag, name) for flag, name in named if flag != _PLOTS]
        refuse({f"{flag} must not be empty": name == "" for flag, name in named})
        if self.has_page:
            require("jinja2", "html")
        if self.draws:
            require("matplotlib", "plots")
        read = _identities(*map(local_name, files))
        for flag, name in written:
            refuse({f"{name} is one of the files to read; name another ({flag})": read & _identities(name)})
        for (_, taken), (flag, name) in combinations(named, 2):
            refuse({f"{name} is also the report; name another ({flag})": _identities(name) & _identities(taken)})
        for _, name in written:
            check_writable(name)
        if self.plots is not None:
            check_folder(self.plots)

    def write_plots(self, plots: Callable[[], Sequence[Plot]]) -> None:
        """Write plots, which are made if they are asked for.  O(n log n) for each plot.

        Raises EvaluationError if a file cannot be written.
        """
        if self.plots is None:
            return
        if drawn := plots():
            make_folder(self.plots)
        for plot in drawn:
            for kind in _IMAGES:
                write_output(os.path.join(self.plots, f"{plot.name}.{kind}"), plot.image(kind))


def _identities(*names: str) -> set[object]:
    """Return the real path of each file and, if there is one, its device and inode number."""
    found: set[object] = {os.path.realpath(name) for name in names if name != STANDARD_INPUT}
    for name in names:
        with suppress(OSError, ValueError, AttributeError):  # no file yet, a null byte, standard input that is no file
            seen = os.fstat(sys.stdin.fileno()) if name == STANDARD_INPUT else os.stat(name)
            if stat.S_ISREG(seen.st_mode):
                found.add((seen.st_dev, seen.st_ino))
    return found
