"""Files that the command writes beside its table: checked before anything is read, written at the end."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from typing import NamedTuple

from evalcore.errors import EvaluationError
from evalcore.io.formats import STANDARD_INPUT, local_name
from evalcore.optional import require
from evalcore.report.charts.images import Plot
from evalcore.saving.container import begins_container
from evalcore.saving.files import check_folder, check_writable, make_folder, write_output

_IMAGES = "png", "svg"
_SIGNATURE_SIZE = 16
"""Bytes that identify a saved object."""
_FLAGS = {
    "page": "--html OUT",
    "plots": "--plots DIR",
    "report": "--output FILE",
    "json": "--json-out FILE",
    "junit": "--junit FILE",
}
_WORDS = {"page": "the page", "report": "the report", "json": "the JSON report"}
"""Outputs that others may not replace."""


class Outputs(NamedTuple):
    """The names of files to write; None for those that nobody asked for."""

    page: str | None = None
    """An HTML page: a file, a pipe or a device."""
    plots: str | None = None
    """A folder of images, made if it is missing; other images in it stay."""
    report: str | None = None
    """What is printed otherwise: a file, a pipe or a device."""
    style: str = "table"
    """The format of what is printed."""
    json: str | None = None
    """The report as JSON, whatever is printed."""
    junit: str | None = None
    """The result of a gate."""

    @property
    def has_page(self) -> bool:
        """Whether an HTML page is written, to any place.  O(1)."""
        return self.page is not None or self.style == "html"

    @property
    def draws(self) -> bool:
        """Whether plots are written, on a page or alone.  O(1)."""
        return self.has_page or self.plots is not None

    def check(self, files: Sequence[str]) -> None:
        """Check that all can be written, and would replace no file that is read or must stay.

        files: those to be read.  Links and other spellings of a name are followed.  O(files + images in the folder).

        Raises MissingLibraryError for a library that an output needs; EvaluationError for a folder that is missing
        or cannot be written to, if two outputs, or an output and a file to read, are the same file, and if a page would
        replace a saved object.

        >>> Outputs(page="x.csv").check(["./x.csv"])
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: x.csv is one of the files to read; name another (--html OUT)
        """
        for option, flag in _FLAGS.items():
            if getattr(self, option) == "":
                raise EvaluationError(f"{flag} must not be empty")
        self._check_libraries()
        self._check_inputs(files)
        self._check_each_other()
        for option, name in self._files():
            if _holds_saved_object(name):
                raise EvaluationError(f"{name} is a saved evalcore object; name another ({_FLAGS[option]})")
            check_writable(name)
        if self.plots is not None:
            check_folder(self.plots)

    def write(self, page: Callable[[], bytes], plots: Callable[[], Sequence[Plot]]) -> None:
        """Write page and plots, which are made if they are asked for.  O(n log n) for each plot.

        Raises EvaluationError if a file cannot be written, BrokenPipeError if the reader of a page has gone.
        """
        if self.page is not None:
            write_output(self.page, page())
        if self.plots is not None:
            self._write_plots(self.plots, plots())

    def _write_plots(self, folder: str, drawn: Sequence[Plot]) -> None:
        if drawn:
            make_folder(folder)
        for plot in drawn:
            for kind in _IMAGES:
                write_output(os.path.join(folder, f"{plot.name}.{kind}"), plot.image(kind))

    def _check_libraries(self) -> None:
        if self.has_page:
            require("jinja2", "html")
        if self.draws:
            require("matplotlib", "plots")

    def _check_inputs(self, files: Sequence[str]) -> None:
        if self == NOTHING:
            return
        read = {identity for file in files for identity in _identities(local_name(file))}
        for option, name in self._files():
            if not read.isdisjoint(_identities(name)):
                raise EvaluationError(f"{name} is one of the files to read; name another ({_FLAGS[option]})")
        for image in self._images():
            if not read.isdisjoint(_identities(image)):
                raise EvaluationError(f"{image} is one of the files to read; name another folder ({_FLAGS['plots']})")

    def _check_each_other(self) -> None:
        names = dict(self._files())
        for (other, taken), (option, name) in combinations(names.items(), 2):
            if not _identities(name).isdisjoint(_identities(taken)):
                raise EvaluationError(f"{name} is also {_WORDS[other]}; name another ({_FLAGS[option]})")
        if self.plots is None:
            return
        folder = os.path.realpath(self.plots)
        images = {identity for image in self._images() for identity in _identities(image)}
        for option, name in names.items():
            file = os.path.realpath(name)
            in_folder = os.path.dirname(file) == folder and file.endswith(tuple(f".{kind}" for kind in _IMAGES))
            if file == folder or in_folder or not images.isdisjoint(_identities(name)):
                raise EvaluationError(f"{name} may be a plot or the plot folder; name another ({_FLAGS[option]})")

    def _files(self) -> Iterator[tuple[str, str]]:
        for option in (*_WORDS, "junit"):
            if (name := getattr(self, option)) is not None:
                yield option, name

    def _images(self) -> Iterable[str]:
        """Return the images in the folder of plots."""
        if self.plots is None or not os.path.isdir(self.plots):
            return []
        return [
            os.path.join(self.plots, name)
            for name in os.listdir(self.plots)
            if name.endswith(tuple(f".{kind}" for kind in _IMAGES))
        ]


NOTHING = Outputs()


def _holds_saved_object(name: str) -> bool:
    if os.path.isfile(name):  # opening a pipe would wait
        with suppress(OSError), open(name, "rb") as file:
            return begins_container(file.read(_SIGNATURE_SIZE))
    return False


def _identities(name: str) -> set[object]:
    """Return the real path of a file and, if there is one, its device and inode number."""
    try:
        found = os.fstat(sys.stdin.fileno()) if name == STANDARD_INPUT else os.stat(name)
        numbered: set[object] = {(found.st_dev, found.st_ino)} if stat.S_ISREG(found.st_mode) else set()
    except (OSError, ValueError, AttributeError):  # no file yet, a null byte, a standard input that is not a file
        numbered = set()
    return numbered if name == STANDARD_INPUT else {os.path.realpath(name), *numbered}
