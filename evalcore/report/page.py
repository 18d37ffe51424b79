"""A report as one HTML file that needs no network, no script and no other file."""

import base64
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np

from evalcore._version import __version__
from evalcore.optional import require
from evalcore.report.catalogue import interval_methods, meanings
from evalcore.report.model import Answer
from evalcore.report.notes import notes_of
from evalcore.report.plots import Plot, plots_of
from evalcore.report.tables import remarks, tables


def as_html(
    answer: Answer,
    title: str,
    computed: Mapping[str, str],
    drawn: Sequence[Plot] | None = None,
    in_full: bool = False,
) -> str:
    """Write a report as an HTML page: its numbers, plots, how they were computed, and what they mean.

    computed: what decides the numbers, by headings; drawn: the plots, if they exist already; in_full: as for `tables`.
    All names are escaped.  O(n log n) for each plot.  Raises MissingLibraryError if Jinja2 or matplotlib is missing.

    >>> from evalcore.report.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"<b>": [Statistic("accuracy", "correct", 0.5)]})
    >>> page = as_html(Answer([section]), "Late", {})
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    sections = answer.sections
    images = [
        {"text": plot.text, "source": f"data:image/svg+xml;base64,{base64.b64encode(plot.image('svg')).decode()}"}
        for plot in (plots_of(answer) if drawn is None else drawn)
    ]
    methods = interval_methods(sections)
    plots = {"plots": "Plots"} if images else {}
    contents = {"numbers": "Numbers", **plots, "computed": "How it was computed", "meanings": "What the numbers mean"}
    return str(
        _template().render(
            title=title,
            tables=tables(sections, in_full),
            notes=[*notes_of(answer), *remarks(sections, in_full)],
            plots=images,
            computed={**computed, **_sizes(answer), **_programs(), **({"Intervals": methods} if methods else {})},
            meanings=meanings(sections),
            contents=contents.items(),
        )
    )


def _sizes(answer: Answer) -> dict[str, str]:
    if answer.positive is None:
        return {}
    return {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}


def _programs() -> dict[str, str]:
    return {"Program": f"evalcore {__version__}, NumPy {np.__version__}"}


def _template() -> Any:
    environment = require("jinja2", "html").Environment
    text = resources.files("evalcore.report").joinpath("templates", "page.html.jinja").read_text("utf-8")
    return environment(autoescape=True, trim_blocks=False).from_string(text)
