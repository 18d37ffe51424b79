"""A document as Markdown, made for a comment on a pull request: what is long is folded, and names are no markup."""

import html
import re
from itertools import chain

from evalcore.document.model import FAIL, INCONCLUSIVE, PASS, Document
from evalcore.document.tables import Table
from evalcore.document.terminal import drawn_table, printable, tables_of
from evalcore.text_tables import MARKDOWN

_MARKUP = re.compile(r"[\\`*<>\[\]|~]|\b_|_\b|&(?=#?\w+;)")
"""Letters that Markdown would read as markup; not those inside a word with underscores, nor in AT&T."""
_MENTION = re.compile(r"(?<!\w)@(?=\w)")
"""What begins the name of somebody who would be told of a comment; not recall@0.5."""
_MARKS = {PASS: "\N{WHITE HEAVY CHECK MARK}", FAIL: "\N{CROSS MARK}", INCONCLUSIVE: "\N{WARNING SIGN}"}
_MOST_ROWS = 20
"""Rows of a table beyond which a reader has to open it."""
_MOST_LETTERS = 60_000
"""Of a comment with what a reader has to open; GitHub takes 65,536."""
_TOO_LONG = "Further tables are too long for a comment; JSON and CSV have all numbers."


def as_markdown(document: Document, *, full: bool = False) -> str:
    """Return a document as Markdown.  O(cells).

    full: whether it is no comment, and may be of any length.

    >>> from evalcore.document.model import Verdict
    >>> print(as_markdown(Document("late", {}, Verdict("", "a is better than b."))).splitlines()[0])
    **a is better than b.**
    """
    verdict = document.verdict
    said = without_markup(verdict.line)
    parts = [f"**{without_markup(document.warning)}**"] if document.warning else []
    parts.append(" ".join(filter(None, [_MARKS.get(verdict.outcome), said and f"**{said}**"])))
    parts.append(without_markup(" ".join(verdict.more)))
    more = list[str]()
    for heading, table, folded in tables_of(document):
        drawn = markdown_table(table)
        if not full and (folded or len(table.rows) > _MOST_ROWS):
            more.append(_details(heading, drawn))
        else:
            parts.append(f"### {without_markup(heading)}\n\n{drawn}" if heading else drawn)
    facts = (f"{name}: {text}" for name, text in document.facts.items())
    about = [text for text in (*document.title.split("\n"), "; ".join(facts), *document.notes) if text]
    notes = _details("Notes", "\n".join(f"- {without_markup(text)}" for text in about)) if about else ""
    if not full and sum(map(len, [*parts, *more, notes])) > _MOST_LETTERS:
        more = [_TOO_LONG]
    return "\n\n".join(filter(None, [*parts, *more, notes]))


def markdown_table(table: Table) -> str:
    """Return a table as Markdown.  O(cells)."""
    known = len(table.head) - table.shown
    texts = table.texts
    cells = {text: _cell(text) for text in {*chain(*(row[:known] for row in texts))}}
    rows = [[*map(cells.__getitem__, row[:known]), *map(without_markup, row[known:])] for row in texts]
    return drawn_table(rows, MARKDOWN, table.names)


def without_markup(text: str) -> str:
    r"""Return a text that Markdown shows as it is, and by which nobody is mentioned.  O(letters).

    >>> print(without_markup("a_b *c* <d> AT&T &lt;"))
    a_b \*c\* \<d\> AT&T \&lt;
    """
    return _MENTION.sub("@<!-- -->", _MARKUP.sub(r"\\\g<0>", printable(text)))


def _cell(text: str) -> str:
    """Return a cell in one line; only what has letters can hold markup: intervals need no escapes."""
    return " ".join((without_markup(text) if any(map(str.isalpha, text)) else text).split())


def _details(title: str, content: str) -> str:
    """Return what GitHub shows when a reader opens it."""
    return f"<details>\n<summary>{html.escape(title)}</summary>\n\n{content}\n\n</details>"
