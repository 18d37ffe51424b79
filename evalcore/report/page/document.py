"""A report as one HTML file: which panels it has, and which plots stand in them."""

from collections.abc import Callable, Mapping, Sequence

from evalcore.report.charts.images import Plot
from evalcore.report.charts.plots import plots_of
from evalcore.report.model import Answer
from evalcore.report.page.classes import classes_panel
from evalcore.report.page.explanations import computation_panel, meanings_panel
from evalcore.report.page.groups import groups_panel
from evalcore.report.page.html_page import html_page
from evalcore.report.page.models import models_panel
from evalcore.report.page.numbers import numbers_panel
from evalcore.report.page.panels import Panel, View
from evalcore.report.page.summary import summary_panel
from evalcore.report.page.thresholds import thresholds_panel
from evalcore.report.question import Question
from evalcore.report.wording import listed

_PANELS: tuple[Callable[[View], Panel | None], ...] = (
    summary_panel,
    models_panel,
    thresholds_panel,
    groups_panel,
    classes_panel,
    numbers_panel,
    computation_panel,
    meanings_panel,
)
"""Makers of panels from the top of a page to its end; None where a report has nothing for them."""
_AFTER_PLOTS = "numbers"
"""The panel that follows plots without a panel of their own."""


def as_html(
    answer: Answer,
    question: Question,
    *,
    computed: Mapping[str, str] | None = None,
    drawn: Sequence[Plot] | None = None,
    in_full: bool = False,
    script: bool = True,
) -> str:
    """Write a report as an HTML page: its numbers, plots, how they were computed, and what they mean.

    computed: how the report was computed, by headings; drawn: the plots, if they exist already; in_full: as for
    `tables`; script: whether the page may hold a script.  All names are escaped.  O(n log n) for each plot.  Raises
    MissingLibraryError if Jinja2 or matplotlib is missing.

    >>> from evalcore.report.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"<b>": [Statistic("accuracy", "correct", 0.5)]})
    >>> page = as_html(Answer([section]), Question("late"))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    view = View(answer, question, computed or {}, in_full, script)
    plots = plots_of(answer, question) if drawn is None else drawn
    panels = [panel for make in _PANELS if (panel := make(view))]
    names = {panel.name for panel in panels}
    others = [plot for plot in plots if plot.panel not in names]
    panels = [panel._replace(plots=[plot for plot in plots if plot.panel == panel.name]) for panel in panels]
    if others:
        before = next(index for index, panel in enumerate(panels) if panel.name == _AFTER_PLOTS)
        panels.insert(before, Panel("plots", "More charts" if len(others) < len(plots) else "Charts", {}, others))
    return html_page(_title(question), panels, models=len(answer.scores), script=script)


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or tuple(filter(None, [question.predicted]))
    shown = listed(models, most=4) if models else "scores of classes"
    by = f", by {listed(question.by)}" if question.by else ""
    return f"{question.label}: {shown}{by}{question.weighting.in_titles}"
