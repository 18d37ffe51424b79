"""What the command writes: to standard output or to a file, and notes to standard error."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import click

from evalcore.cli.options import STYLE_OF_ENDING, endings_of
from evalcore.cli.quiet import tell
from evalcore.errors import EvaluationError
from evalcore.io.formats import STANDARD_INPUT, shown_name, spoken_name
from evalcore.report.model import Section
from evalcore.report.rendering import as_csv, as_json, as_markdown, as_table
from evalcore.report.table_columns import LINE_WIDTH
from evalcore.report.tables import DIGITS
from evalcore.saving.files import write_output

_NAMED_IN_JSON = (
    "file",
    "files",
    "sql",
    "label",
    "positive",
    "predicted",
    "assigned",
    "correct",
    "by",
    "min_cases",
    "sort",
    "nulls",
    "where",
    "sample",
    "seed",
    "level",
    "ci_method",
    "proportion_method",
    "weight",
    "weight_type",
    "target_prevalence",
    "cluster",
    "compare",
    "test",
    "qrels",
)

_EVALUATED = "label", "qrels", "correct"
"""What is compared with what the title names first."""


def each_once(files: Sequence[str]) -> list[str]:
    """Return the names without repeated files, which standard error lists."""
    first: dict[str, str] = {}
    for file in files:
        full = os.path.realpath(file)
        if full in first:
            again = "" if file == first[full] else f" (as {first[full]})"
            tell(f"{file} is named twice{again}; it is read once")
        first.setdefault(full, file)
    return list(first.values())


def title_of(files: Sequence[str]) -> str:
    """Return what people call the first file, and how many more there are.  O(1)."""
    return _and_more(spoken_name(files[0]), files)


def _and_more(first: str, files: Sequence[str]) -> str:
    return first if len(files) == 1 else f"{first} and {len(files) - 1:,} more"


def about(files: Sequence[str]) -> dict[str, Any]:
    """Return which files were read, by the names that JSON has, and what titles call them.  O(files)."""
    names = list(map(shown_name, files))
    return {"title": title_of(files), "file": _and_more(names[0], files), **({"files": names} if names[1:] else {})}


def _without_lines(text: str) -> str:
    """Replace the lines of tables by hyphens."""
    return text.replace("─", "-")


class Target(NamedTuple):
    """In which format a report is written, and where."""

    style: str
    file: str | None = None
    """None for standard output."""

    def write(self, content: str | bytes) -> None:
        """Write a report.  O(content).

        Bytes are written as they are; text ends its last line, in UTF-8 if it goes to a file.  Letters that the
        encoding lacks are replaced.
        """
        escaped = _escaped_json if self.style == "json" else _without_lines
        if self.file is None:
            _print(content if isinstance(content, bytes) else _encodable(content, sys.stdout.encoding, escaped))
        elif isinstance(content, bytes):
            write_output(self.file, content)
        else:
            write_output(self.file, f"{_encodable(content, 'utf-8', escaped)}\n".encode())


def target_of(style: str | None, output: str | None, styles: Sequence[str]) -> Target:
    """Return the format and the file that options name; the ending of the file decides a format that is not named.

    styles: the formats of the command, the default first, which names without an ending have.  Raises UsageError for an
    ending of no format of the command.

    >>> target_of(None, "report.json", ["table", "json"])
    Target(style='json', file='report.json')
    """
    file = None if output == STANDARD_INPUT else output
    if style is None:
        ending = os.path.splitext(file or "")[1].lower()
        style = STYLE_OF_ENDING.get(ending) if ending else styles[0]
        if style is None or style not in styles:
            *others, last = endings_of(styles)
            raise click.UsageError(
                f"--output FILE must end in {', '.join(others)} or {last}, got {file!r}; name the format of other files"
                f" (--format {'|'.join(styles)})."
            )
    return Target(style, file)


def _print(content: str | bytes) -> None:
    try:
        click.echo(content, nl=isinstance(content, str))
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise EvaluationError(f"standard output: cannot be written: {error.strerror}") from error


def _encodable(text: str, encoding: str | None, escaped: Callable[[str], str]) -> str:
    """Return a text without letters that an encoding lacks.  O(text)."""
    encoding = encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return escaped(text).encode(encoding, "backslashreplace").decode(encoding)
    return text


@contextmanager
def errors_kept() -> Iterator[list[Exception]]:
    """Yield a list for an error of printing, so that more is written although a reader such as `head` has ended."""
    errors: list[Exception] = []
    try:
        yield errors
    except (EvaluationError, OSError) as error:
        errors.append(error)


def discard_output() -> None:
    """Send standard output nowhere, or Python would try again at the end, and report the error again."""
    with suppress(OSError):  # it may not be a file of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _escaped_json(text: str) -> str:
    """Return JSON in ASCII.  O(text)."""
    return re.sub(r"[^\x00-\x7f]", lambda letter: json.dumps(letter[0])[1:-1], text)


def named_in_json(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what JSON says of the options that were given.  O(options)."""
    return {name: value for name, value in asked.items() if name in _NAMED_IN_JSON and value is not None}


def _title(asked: Mapping[str, Any], caption: str) -> str:
    title = f"{asked['title']}: {next(asked[name] for name in _EVALUATED if asked.get(name))}"
    if asked.get("level") is not None:
        title = f"{title}, with {100 * asked['level']:g}% intervals"
        title += f" by clusters of {asked['cluster']}" if asked.get("cluster") else ""
    title += asked.get("weighted", "")
    return f"{title}\n{caption}" if caption else title


def write_sections(
    target: Target,
    sections: Sequence[Section],
    asked: Mapping[str, Any],
    notes: Callable[[Collection[str]], Sequence[str]],
    caption: str = "",
    *,
    in_full: bool = False,
    headline: str = "",
    digits: int = DIGITS,
    every: bool = False,
    **more: Any,
) -> None:
    """Write a report in a format.  O(statistics).

    notes: returns them, in tables without those on statistics for which there is no room, which it is given;
    caption: how it was computed; in_full: show all groups, or all counts by class; headline: the answer in a
    sentence, for people; digits: decimals of tables; every: show all statistics
    of groups in tables, as those were chosen; more: further entries of JSON.
    """
    if target.style == "json":
        target.write(as_json(sections, notes(()), **named_in_json(asked), **more))
    elif target.style == "csv":
        target.write(as_csv(sections))
    elif target.style == "markdown":
        target.write(
            (f"{caption}\n\n" if caption else "") + as_markdown(sections, notes(()), in_full, headline, digits)
        )
    else:
        on_terminal = is_on_terminal(target)
        target.write(
            as_table(
                sections,
                _title(asked, caption),
                line_width(target),
                notes,
                in_full=in_full,
                headline=headline,
                digits=digits,
                wrapped=on_terminal,
                every=every,
            )
        )


def is_on_terminal(target: Target) -> bool:
    """Whether a person reads what is written as it comes.  O(1)."""
    return target.file is None and sys.stdout.isatty()


def is_read_with_errors(target: Target) -> bool:
    """Whether a person reads a table or Markdown and standard error on the same terminal.  O(1)."""
    return target.style in ("table", "markdown") and is_on_terminal(target) and sys.stderr.isatty()


def line_width(target: Target) -> int:
    """Return the letters of a line: those of the terminal, or what COLUMNS says, as for programs that page.  O(1)."""
    if is_on_terminal(target):
        return shutil.get_terminal_size().columns
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() and int(given) else LINE_WIDTH
