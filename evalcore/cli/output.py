"""Names of the files that the command reads, and what it writes: to standard output or to files, checked before."""

import glob
import json
import os
import re
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any, NamedTuple

import click

from evalcore.cli.errors import tell
from evalcore.cli.option_parsing import styles_of
from evalcore.document.charts.images import Plot
from evalcore.document.documents import FULL, Shown
from evalcore.document.formats import Formats
from evalcore.document.markdown import as_markdown
from evalcore.document.tables import LINE_WIDTH
from evalcore.document.terminal import as_terminal
from evalcore.errors import EvaluationError, check, refuse
from evalcore.io.formats import STANDARD_INPUT, local_name, shown_name, spoken_name
from evalcore.optional import require
from evalcore.saving.files import check_folder, check_writable, make_folder, write_output

_ENDINGS = ".csv", ".html", ".json", ".md", ".markdown", ".trec", ".txt"
_STYLES = {ending: {".md": "markdown", ".txt": "table"}.get(ending, ending[1:]) for ending in _ENDINGS}
"""The format of a file by the ending of its name."""
_IMAGES = "png", "svg"
_REPORT, _PLOTS, _JUNIT = "--output FILE", "--plots DIR", "--junit FILE"
_PRINTED_AT_ONCE = 1 << 22
"""Letters or bytes."""
_ENDING = re.compile(r"\.[A-Za-z]\w*(\.(gz|bz2|zst|xz))?$", re.ASCII)


def read_once(files: Sequence[str]) -> list[str]:
    """Return the names without repeated files, which standard error lists."""
    first: dict[str, str] = {}
    for file in files:
        full = os.path.realpath(file)
        if full in first:
            again = "" if file == first[full] else f" (as {first[full]})"
            tell(f"{file} is named twice{again}; it is read once")
        first.setdefault(full, file)
    return list(first.values())


def named_file(typed: str) -> tuple[str, str]:
    """Return the name and the file of NAME=FILE; what is called so itself is a file, and its own name.  O(1).

    >>> named_file("bm25=runs/1.txt"), named_file("data/month=1")
    (('bm25', 'runs/1.txt'), ('data/month=1', 'data/month=1'))
    """
    name, _, file = typed.partition("=")
    is_named = name and file and "/" not in name and not os.path.exists(typed) and not glob.glob(typed)
    return (name, file) if is_named else (typed, typed)


def files_of_models(typed: Sequence[str]) -> dict[str, str]:
    """Return files by the names of their models: those of NAME=FILE, else of the files without folder and ending.

    Files of one name keep their folders.  Raises EvaluationError for a file or a name that is typed twice.  O(files).

    >>> files_of_models(["old/scores.csv", "new/scores.csv", "new/v1.5.csv.gz", "best=x.parquet"])
    {'old/scores': 'old/scores.csv', 'new/scores': 'new/scores.csv', 'v1.5': 'new/v1.5.csv.gz', 'best': 'x.parquet'}
    """
    named = list(map(named_file, typed))
    _refuse_repeated("files", [os.path.realpath(file) for _, file in named], [file for _, file in named])
    whole = [_ENDING.sub("", shown_name(file)) if name == file else name for name, file in named]
    short = [_short_name(file) if name == file else name for name, file in named]
    uses = Counter(short)
    names = [brief if uses[brief] == 1 else full for brief, full in zip(short, whole, strict=True)]
    _refuse_repeated("names of models", names, names, "; name them, such as new=FILE")
    return {name: file for name, (_, file) in zip(names, named, strict=True)}


def _short_name(file: str) -> str:
    """Return the name of a file without its folder and ending, of a glob with them."""
    name = spoken_name(file)
    return name if glob.has_magic(name) else _ENDING.sub("", os.path.basename(name.rstrip("/")) or name)


def _refuse_repeated(what: str, keys: Sequence[str], shown: Sequence[str], way_out: str = "") -> None:
    """Raise UsageError if a key stands twice."""
    uses = Counter(keys)
    for key, text in zip(keys, shown, strict=True):
        check(uses[key] == 1, "OLD and NEW", f"have different {what}", f"{text!r} twice{way_out}.")


def title_of(files: Sequence[str]) -> str:
    """Return what people call the first file, and how many more there are.  O(1)."""
    return spoken_name(files[0]) + _more(files)


def _more(files: Sequence[str]) -> str:
    return f" and {len(files) - 1:,} more" if files[1:] else ""


def about(files: Sequence[str]) -> dict[str, Any]:
    """Return which files were read, by the names that JSON has.  O(files)."""
    names = list(map(shown_name, files))
    return {"file": names[0] + _more(files), **({"files": names} if names[1:] else {})}


class Target(NamedTuple):
    """In which format a report is written, and where."""

    style: str
    file: str | None = None
    """None for standard output."""

    def write(self, content: str | bytes) -> None:
        """Write a report as it is, with the codes of colours, and of names, that it holds.  O(content).

        Bytes are written as they are; text ends its last line, in UTF-8 if it goes to a file.  Letters that the
        encoding lacks are replaced.
        """
        if isinstance(content, str):
            content = _encodable(content, (sys.stdout.encoding if self.file is None else None) or "utf-8", self.style)
        if self.file is None:
            _print(content)
        else:
            write_output(self.file, content if isinstance(content, bytes) else f"{content}\n".encode())


def targets_of(asked: dict[str, Any]) -> list[Target]:
    """Take --format and --output out of options, and return what they ask for: the ending of a file says its format.

    The chosen format is that of standard output, which is written too then, and of files without an ending, such as
    pipes, which take its place.  Raises UsageError for an ending of no format of the command.
    """
    style, files = asked.pop("style"), asked.pop("outputs")
    styles = styles_of(click.get_current_context().command)
    printed = style or styles[0]
    targets = []
    for file in files:
        ending = os.path.splitext(file)[1].lower()
        known = _STYLES.get(ending, style) if ending else printed
        if known is None or known not in styles:
            *others, last = (ending for ending, named in _STYLES.items() if named in styles)
            way_out = f"name the format of other files (--format {'|'.join(styles)})"
            raise click.UsageError(f"--output FILE must end in {', '.join(others)} or {last}, got {file!r}; {way_out}.")
        targets.append(Target(known, None if file == STANDARD_INPUT else file))
    in_its_place = any(os.path.splitext(file)[1].lower() not in _STYLES for file in files)
    return targets if in_its_place or (files and style is None) else [Target(printed), *targets]


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


def _print(content: str | bytes) -> None:
    try:
        for start in range(0, len(content), _PRINTED_AT_ONCE):  # what is printed at once is copied thrice
            click.echo(content[start : start + _PRINTED_AT_ONCE], nl=False, color=True)
        if isinstance(content, str):
            click.echo()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise EvaluationError(f"standard output: cannot be written: {error.strerror}") from error


def _encodable(text: str, encoding: str, style: str) -> str:
    """Return a text without letters that an encoding lacks: JSON in ASCII, the lines of tables as hyphens.  O(text)."""
    try:
        if not text.isascii():
            text.encode(encoding)
    except UnicodeEncodeError:
        if style == "json":
            text = re.sub(r"[^\x00-\x7f]", lambda letter: json.dumps(letter[0])[1:-1], text)
        return text.replace("─", "-").encode(encoding, "backslashreplace").decode(encoding)
    return text


def written(targets: Iterable[Target], write: Callable[[Target], None]) -> list[Exception]:
    """Write a report to all targets; return errors, so that more is written although a reader such as `head` ended."""
    errors: list[Exception] = []
    for target in targets:
        try:
            write(target)
        except (EvaluationError, OSError) as error:
            errors.append(error)
    return errors


def discard_output() -> None:
    """Send standard output nowhere, or Python would try again at the end, and report the error again."""
    with suppress(OSError):  # it may not be a file of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def write_answer(target: Target, formats: Formats, shown: Shown = FULL, *, script: bool = True) -> None:
    """Write an answer in the format of its target, on lines as long as those of the terminal.  O(content).

    shown: all, and Markdown may be of any length, or what readers of a comment need; script: whether a page has one.
    """
    if target.style == "html" and formats.html is not None:
        # names of files on a page may hold bytes that are not text
        target.write(formats.html(shown, script).encode("utf-8", "backslashreplace"))
    elif target.style in ("json", "csv"):
        target.write(formats.json() if target.style == "json" else formats.csv())
    else:
        in_markdown, width = target.style == "markdown", line_width(target)
        document = formats.document(shown._replace(width=width, folds=in_markdown))
        how: dict[str, Any] = {"folded": is_on_terminal(target), "colour": has_colour(target)}
        target.write(as_markdown(document, full=shown.full) if in_markdown else as_terminal(document, width, **how))


def has_colour(target: Target) -> bool:
    """Whether a table is coloured: on a terminal, or where FORCE_COLOR asks for it, and never where NO_COLOR is set.

    O(1).
    """
    forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    return target.file is None and not os.environ.get("NO_COLOR") and (forced or is_on_terminal(target))


def is_on_terminal(target: Target) -> bool:
    """Whether a person reads what is written as it comes.  O(1)."""
    return target.file is None and sys.stdout.isatty()


def are_read_with_errors(targets: Iterable[Target]) -> bool:
    """Whether a person reads a table or Markdown and standard error on the same terminal.  O(1)."""
    shown = any(target.style in ("table", "markdown") and is_on_terminal(target) for target in targets)
    return shown and sys.stderr.isatty()


def line_width(target: Target) -> int:
    """Return the letters of a line: those of the terminal, or what COLUMNS says, as for programs that page.  O(1)."""
    if is_on_terminal(target):
        return shutil.get_terminal_size().columns
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) else LINE_WIDTH
