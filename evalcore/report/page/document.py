"""A report as one HTML file that needs no network, no script and no other file."""

import base64
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from evalcore.optional import require
from evalcore.report.model import Answer
from evalcore.report.page.explanations import computation_panel, meanings_panel
from evalcore.report.page.numbers import numbers_panel
from evalcore.report.page.panels import Panel, View
from evalcore.report.plots import Plot, plots_of
from evalcore.report.question import Question

_PANELS: tuple[Callable[[View], Panel | None], ...] = (numbers_panel, computation_panel, meanings_panel)
"""Makers of panels from the top of a page to its end; None where a report has nothing for them."""
_AFTER = "numbers"
"""The panel that plots without a panel of their own follow."""


def as_html(
    answer: Answer,
    question: Question,
    *,
    title: str | None = None,
    computed: Mapping[str, str] | None = None,
    drawn: Sequence[Plot] | None = None,
    in_full: bool = False,
    script: bool = True,
) -> str:
    """Write a report as an HTML page: its numbers, plots, how they were computed, and what they mean.

    title: by default that of the question; computed: how the report was computed, by headings; drawn: the plots, if
    they exist already; in_full: as for `tables`; script: whether the page may hold a script.  All names are escaped.
    O(n log n) for each plot.  Raises MissingLibraryError if Jinja2 or matplotlib is missing.

    >>> from evalcore.report.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"<b>": [Statistic("accuracy", "correct", 0.5)]})
    >>> page = as_html(Answer([section]), Question("late"))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    view = View(answer, question, computed or {}, in_full, script)
    plots = plots_of(answer, question) if drawn is None else drawn
    panels = []
    for make in _PANELS:
        panel = make(view)
        if panel is not None:
            panels.append(panel._replace(plots=[plot for plot in plots if plot.panel == panel.name]))
        if panel is not None and panel.name == _AFTER and any(not plot.panel for plot in plots):
            panels.append(Panel("plots", "Plots", {}, [plot for plot in plots if not plot.panel]))
    return str(_template().render(title=title or question.title, panels=panels, source=_source))


def _source(plot: Plot) -> str:
    """Return a plot as the address of an image.  O(size)."""
    return f"data:image/svg+xml;base64,{base64.b64encode(plot.image('svg')).decode()}"


def _template() -> Any:
    jinja2 = require("jinja2", "html")

    def read(name: str) -> str:
        return resources.files("evalcore.report.page").joinpath("templates", name).read_text("utf-8")

    environment = jinja2.Environment(autoescape=True, trim_blocks=False, loader=jinja2.FunctionLoader(read))
    return environment.get_template("page.html.jinja")
