"""What the command writes beside its table: checked before anything is read, written in the end."""

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from evalcore.errors import EvaluationError
from evalcore.io.formats import STANDARD_INPUT
from evalcore.optional import require
from evalcore.report.model import Answer
from evalcore.report.plots import Picture, pictures
from evalcore.saving.container import begins_container
from evalcore.saving.files import check_folder, check_writable, make_folder, write_output

_IMAGES = "png", "svg"
_BEGIN = 16
"""Bytes that tell a saved object."""
_OF = {"page": "--html OUT", "checkpoint": "--checkpoint FILE", "plots": "--plots DIR"}


class Outputs(NamedTuple):
    """The names of what is written, None for what nobody asked for."""

    page: str | None = None
    """An HTML page: a file, a pipe or a device."""
    plots: str | None = None
    """A folder of images, made if it is missing; images of other names that it holds stay."""
    checkpoint: str | None = None
    """A file."""

    def check(self, files: Sequence[str]) -> None:
        """Check that page and plots can be written and that nothing would be lost, before files are read.

        files: those to be read.  Names are compared by what they lead to, through links and other spellings.
        O(files + entries of the folder of plots).

        Raises MissingLibraryError for a library that a page or plots need, EvaluationError for a folder that is
        missing or may not be written to, where two outputs, or an output and a file to read, are the same file, and
        where a page would replace a saved object, such as a checkpoint.

        >>> Outputs(page="x.csv").check(["./x.csv"])
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: x.csv is one of the files to read; name another (--html OUT)
        """
        for option, name in self._asdict().items():
            if name == "":
                raise EvaluationError(f"{_OF[option]} must not be empty")
        self._check_libraries()
        self._check_inputs(files)
        self._check_each_other()
        if self.page is not None:
            if _holds_saved_object(self.page):
                raise EvaluationError(f"{self.page} is a saved evalcore object; name another ({_OF['page']})")
            check_writable(self.page, output=True)
        if self.plots is not None:
            check_folder(self.plots)

    def write(self, answer: Answer, page: Callable[[Sequence[Picture]], str]) -> bool:
        """Write page and plots, and return whether there is any plot, or none was asked for.

        page: makes the HTML from the plots.  O(n log n) for each plot.

        Raises EvaluationError for what cannot be written, BrokenPipeError where the reader of a page has gone.

        >>> from evalcore.report.model import Answer
        >>> Outputs().write(Answer([]), str)
        True
        """
        if self.page is None and self.plots is None:
            return True
        drawn = pictures(answer)
        if self.page is not None:
            write_output(self.page, page(drawn).encode("utf-8", "backslashreplace"))  # names of files may be no text
        if self.plots is None:
            return True
        if drawn:
            make_folder(self.plots)
        for plot in drawn:
            for kind in _IMAGES:
                write_output(os.path.join(self.plots, f"{plot.name}.{kind}"), plot.image(kind))
        return bool(drawn)

    def _check_libraries(self) -> None:
        if self.page is not None:
            require("jinja2", "html")
        if self.page is not None or self.plots is not None:
            require("matplotlib", "plots")

    def _check_inputs(self, files: Sequence[str]) -> None:
        if self == NOTHING:
            return
        read = {place for file in files for place in _places(file)}
        for option, name in self._files():
            if not read.isdisjoint(_places(name)):
                raise EvaluationError(f"{name} is one of the files to read; name another ({_OF[option]})")
        for image in self._images():
            if not read.isdisjoint(_places(image)):
                raise EvaluationError(f"{image} is one of the files to read; name another folder ({_OF['plots']})")

    def _check_each_other(self) -> None:
        names = dict(self._files())
        if len(names) == 2 and not _places(names["page"]).isdisjoint(_places(names["checkpoint"])):
            raise EvaluationError(f"{self.page} is the checkpoint too; name another ({_OF['page']})")
        if self.plots is None:
            return
        folder = os.path.realpath(self.plots)
        images = {place for image in self._images() for place in _places(image)}
        for option, name in names.items():
            file = os.path.realpath(name)
            in_folder = os.path.dirname(file) == folder and file.endswith(tuple(f".{kind}" for kind in _IMAGES))
            if file == folder or in_folder or not images.isdisjoint(_places(name)):
                raise EvaluationError(f"{name} may be a plot or their folder; name another ({_OF[option]})")

    def _files(self) -> Iterator[tuple[str, str]]:
        for option, name in (("page", self.page), ("checkpoint", self.checkpoint)):
            if name is not None:
                yield option, name

    def _images(self) -> Iterable[str]:
        """Return the images that are in the folder of plots now."""
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
            return begins_container(file.read(_BEGIN))
    return False


def _places(name: str) -> set[object]:
    """Return what tells a file from others: where its name leads, and its number on the disk if there is one."""
    try:
        found = os.fstat(sys.stdin.fileno()) if name == STANDARD_INPUT else os.stat(name)
        numbered: set[object] = {(found.st_dev, found.st_ino)} if stat.S_ISREG(found.st_mode) else set()
    except (
        OSError,
        ValueError,
        AttributeError,
    ):  # nothing yet, a null byte, a standard input that is closed or no file
        numbered = set()
    return numbered if name == STANDARD_INPUT else {os.path.realpath(name), *numbered}
