"""What each part of a page is made from, and what it is."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.report.charts.images import Plot
from evalcore.report.model import Answer
from evalcore.report.question import Question


class View(NamedTuple):
    """A report, and how it is shown on a page."""

    answer: Answer
    question: Question
    computed: Mapping[str, str]
    """How the report was computed, by headings."""
    in_full: bool = False
    """As for `tables`."""
    script: bool = True
    """Whether the page may hold a script."""


class Panel(NamedTuple):
    """A part of a page.

    Its template, `templates/{name}.html.jinja`, reads `content` and `plots`.  It has no `style` attributes and no
    handlers of events, which the page's policy forbids: styles stand in `page.css`.  If there is a
    `templates/{name}.js`, the page runs it once, after all panels.
    """

    name: str
    """Its anchor, and the name of its template and script."""
    heading: str
    content: Mapping[str, Any]
    plots: Sequence[Plot] = ()
    collapsed: bool = False
    """Whether only its heading is shown until a reader opens it."""
    template: str = ""
    """The name of a template that several panels share, in place of its own."""
