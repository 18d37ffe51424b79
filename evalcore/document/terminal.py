"""A document as text for a terminal, and as HTML for a notebook: the verdict first, then tables and notes."""

import html
import io
import textwrap
from collections.abc import Iterator, Sequence

from evalcore.document.model import FAIL, INCONCLUSIVE, PASS, Document
from evalcore.document.tables import Table, parts_that_fit
from evalcore.optional import require
from evalcore.text_tables import MARKDOWN, TERMINAL, TableStyle, html_table, ruled_lines

_UNLIMITED = 100_000
_JOINERS = "\u200c\u200d"
_ESCAPE, _BOLD, _PLAIN = "\x1b[", "1", "\x1b[0m"
_COLOURS = {PASS: "1;32", FAIL: "1;31", INCONCLUSIVE: "1;33"}
"""Bold green, red and yellow, by the codes of ECMA-48."""


def as_terminal(document: Document, width: int | None = None, *, folded: bool = True, colour: bool = False) -> str:
    """Return a document for a terminal.  O(cells).

    width: letters of a line, on which the columns of a part of a table fit, None for any number; folded: whether long
    names take several lines; colour: whether outcomes have one, and the claim is bold.

    >>> from evalcore.document.model import Verdict
    >>> print(as_terminal(Document("late", {"Cases": "3"}, Verdict("PASS", "a is right."))))
    PASS: a is right.
    late
    Cases: 3
    """
    verdict, facts = document.verdict, "; ".join(f"{name}: {text}" for name, text in document.facts.items())
    said = [text for text in (*verdict.more, *document.title.split("\n"), facts) if text]
    lines = [_painted(line, "", bold=colour) for line in _broken(document.warning, width)]
    lines += [_painted(line, verdict.outcome if colour else "", bold=colour) for line in _broken(verdict.line, width)]
    lines += [line for text in said for line in _broken(text, width)]
    for heading, table, _ in tables_of(document):
        if table is verdict.conditions:
            drawn = drawn_table(table.fitted(width).texts, TERMINAL, table.names, width)
            outcomes = [next((each for each in _COLOURS if each in line.split()), "") for line in drawn.split("\n")]
            rows = [_painted(*each) if colour else each[0] for each in zip(drawn.split("\n"), outcomes, strict=True)]
        else:
            parts = parts_that_fit(table, width)
            rows = ["\n\n".join(drawn_table(part, TERMINAL, table.names, width if folded else None) for part in parts)]
        lines += ["", *_broken(heading, width)] if heading or (document.worst or verdict.conditions) else []
        lines += rows
    lines += [""] if document.notes else []
    lines += [line for note in document.notes for line in _broken(f"Note: {note}", width, "  ")]
    return "\n".join(lines)


def tables_of(document: Document) -> Iterator[tuple[str, Table, bool]]:
    """Yield the tables of a document in their order, each with its heading, and whether it is folded.  O(tables)."""
    for table in (document.verdict.conditions, document.worst):
        if table is not None:
            yield table.title, table, False
    for part in document.parts:
        for number, table in enumerate(part.tables):
            yield table.title or ("" if number else part.heading), table, part.folded or table.folded


def _painted(line: str, outcome: str, *, bold: bool = False) -> str:
    """Return a line with its outcome in colour, and perhaps all of it bold."""
    start, code = f"{_ESCAPE}{_BOLD}m" if bold else "", _COLOURS.get(outcome, "")
    coloured = line.replace(outcome, f"{_ESCAPE}{code}m{outcome}{_PLAIN}{start}", 1) if code else line
    return f"{start}{coloured}{_PLAIN if bold else ''}"


def _broken(sentence: str, width: int | None, indent: str = "") -> list[str]:
    """Break a sentence at blanks into lines of a terminal, for which names and paths hold no commands."""
    sentence = printable(sentence)
    return textwrap.wrap(sentence, width, subsequent_indent=indent) if width else [sentence] if sentence else []


def printable(text: str) -> str:
    r"""Return a text with the codes of letters that cannot be printed, such as colours and other directions of writing.

    Joiners stay, which Persian, scripts of India and emoji need.  O(letters).

    >>> printable("a\n\x1b[31mb\u202e")
    'a\n\\x1b[31mb\\u202e'
    """
    hidden = (each for each in {*text} - {*_JOINERS} if not (each.isprintable() or each.isspace()))
    codes = {ord(each): repr(each)[1:-1] for each in hidden}
    return text.translate(codes) if codes else text


def as_notebook(document: Document) -> str:
    """Return a document as HTML for a notebook.  O(cells)."""
    verdict = document.verdict
    claim = f"{verdict.claim.removesuffix('.')}{verdict.details}." if verdict.details else verdict.claim
    claim = verdict._replace(claim=claim).line
    said = " ".join(filter(None, [claim, *verdict.more]))
    texts = {"<p><strong>{}</strong></p>": document.warning, "<h3>{}</h3>": document.title, "<p>{}</p>": said}
    parts = [form.format(html.escape(text)) for form, text in texts.items() if text]
    for heading, table, _ in tables_of(document):
        parts += [f"<h4>{html.escape(heading)}</h4>"] if heading else []
        parts.append(f'<div style="overflow-x: auto">{html_table(table.texts)}</div>')
    return printable("".join([*parts, *(f"<p>Note: {html.escape(note)}</p>" for note in document.notes)]))


def drawn_table(rows: Sequence[Sequence[str]], style: TableStyle, names: int = 1, width: int | None = None) -> str:
    """Return a table; with rich, a hundred times slower, only if cells need several lines.  O(cells)."""
    texts = ["".join(row) for row in rows]
    if all(map(str.isprintable, texts)):
        width_of = len if all(map(str.isascii, texts)) else require("rich.cells", "report").cell_len
        lines = ruled_lines(rows, style, names, width_of)
        if not width or width_of(lines[1]) <= width:
            return "\n".join(line.rstrip() for line in lines if line.strip())
    return _folded([[*map(printable, row)] for row in rows], style, names, width)


def _folded(rows: Sequence[Sequence[str]], style: TableStyle, names: int, width: int | None) -> str:
    """Return a table whose cells may take several lines."""
    console, tables = require("rich.console", "report"), require("rich.table", "report")
    boxes, cell = require("rich.box", "report"), require("rich.text", "report").Text
    table = tables.Table(box=boxes.MARKDOWN if style is MARKDOWN else boxes.SIMPLE_HEAD)
    heading, *body = rows
    for index, name in enumerate(heading):
        table.add_column(cell(name), justify="left" if index < names else "right", overflow="fold")
    for row in body:
        table.add_row(*map(cell, row))
    text = io.StringIO()
    # in a notebook rich would display the table and return nothing
    console.Console(file=text, width=width or _UNLIMITED, color_system=None, force_jupyter=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip())
