"""What each part of a page is made from, and what it is."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalcore.report.model import Answer
from evalcore.report.plots import Plot
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
    """A part of a page."""

    name: str
    """Its anchor, and the name of its template, `templates/{name}.html.jinja`, which reads `content` and `plots`."""
    heading: str
    content: Mapping[str, Any]
    plots: Sequence[Plot] = ()
