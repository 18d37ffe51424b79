"""What the command prints."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from evalcore.cli.errors import one_line
from evalcore.errors import EvaluationError
from evalcore.report.model import Section
from evalcore.report.rendering import as_csv, as_json, as_markdown, as_table
from evalcore.report.tables import DIGITS

_NAMED_IN_JSON = (
    "file",
    "files",
    "label",
    "positive",
    "predicted",
    "assigned",
    "correct",
    "by",
    "min_cases",
    "sort",
    "level",
    "compare",
    "qrels",
)


def each_once(files: Sequence[str]) -> list[str]:
    """Return the names without repeated files, which standard error lists."""
    first: dict[str, str] = {}
    for file in files:
        full = os.path.realpath(file)
        if full in first:
            again = "" if file == first[full] else f" (as {first[full]})"
            click.echo(one_line(f"evalcore: {file} is named twice{again}; it is read once"), err=True)
        first.setdefault(full, file)
    return list(first.values())


def title_of(files: Sequence[str]) -> str:
    """Return the name of the first file, and how many more there are.  O(1)."""
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1:,} more"


def about(files: Sequence[str]) -> dict[str, Any]:
    """Return which files were read, by the names that JSON has.  O(files)."""
    return {"file": title_of(files), **({} if len(files) == 1 else {"files": files})}


def echo(text: str, escaped: Callable[[str], str] = lambda text: text.replace("─", "-")) -> None:
    """Print; if the encoding of standard output lacks letters, lines become hyphens and others escapes.  O(text)."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = escaped(text).encode(encoding, "backslashreplace").decode(encoding)
    try:
        click.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard_output()
        raise EvaluationError(f"standard output: cannot be written: {error.strerror}") from error


def _discard_output() -> None:
    """Send standard output nowhere, or Python would try again at the end, and report the error again."""
    with suppress(OSError):  # it may not be a file of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _escaped_json(text: str) -> str:
    return re.sub(r"[^\x00-\x7f]", lambda letter: json.dumps(letter[0])[1:-1], text)


def _given(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name in _NAMED_IN_JSON and value is not None}


def _title(asked: Mapping[str, Any], caption: str) -> str:
    title = f"{asked['file']}: {asked.get('label') or asked['qrels']}"
    if asked.get("level") is not None:
        title = f"{title}, with {100 * asked['level']:g}% intervals"
    return f"{title}\n{caption}" if caption else title


def write_sections(
    style: str,
    sections: Sequence[Section],
    asked: Mapping[str, Any],
    notes: Sequence[str],
    caption: str = "",
    *,
    in_full: bool = False,
    headline: str = "",
    digits: int = DIGITS,
    **more: str,
) -> None:
    """Print a report in a format.  O(statistics).

    caption: how it was computed; in_full: show all groups, or all counts by class; headline: the answer in a
    sentence, for people; digits: decimals of tables; more: further entries of JSON.
    """
    if style == "json":
        echo(as_json(sections, notes, **_given(asked), **more), _escaped_json)
    elif style == "csv":
        echo(as_csv(sections))
    elif style == "markdown":
        echo((f"{caption}\n\n" if caption else "") + as_markdown(sections, notes, in_full, headline, digits))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        title = _title(asked, caption)
        echo(as_table(sections, title, width, notes, in_full=in_full, headline=headline, digits=digits))
