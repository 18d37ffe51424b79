"""A report as one HTML file that needs no network and no other file, and can be read without its script."""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from evalcore.optional import require
from evalcore.plots.axes import nth_style
from evalcore.report.charts.images import EMBEDDED, Plot, as_address
from evalcore.report.charts.plots import plots_of
from evalcore.report.model import Answer
from evalcore.report.page.classes import classes_panel
from evalcore.report.page.explanations import computation_panel, meanings_panel
from evalcore.report.page.groups import groups_panel
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
_TEMPLATES = resources.files("evalcore.report.page").joinpath("templates")


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
    style = _read("page.css") + _model_colours(len(answer.scores))
    run = "".join(map(_script_of, panels)) if script else ""
    return str(
        _environment(require("jinja2", "html"))
        .get_template("page.html.jinja")
        .render(
            title=_title(question),
            panels=panels,
            policy=_policy(style, run),
            style=style,
            script=run,
        )
    )


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or tuple(filter(None, [question.predicted]))
    shown = listed(models, most=4) if models else "scores of classes"
    by = f", by {listed(question.by)}" if question.by else ""
    return f"{question.label}: {shown}{by}{question.weighting.in_titles}"


def _policy(style: str, script: str) -> str:
    """Return the rule by which a browser loads nothing, and applies and runs these texts alone.  O(size)."""
    allowed = _hash_of(script) if script else "'none'"
    return (
        f"default-src 'none'; img-src data:; style-src {_hash_of(style)}; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _model_colours(models: int) -> str:
    """Return the rules of the classes `model-0`, `model-1` and so on, by the colours that plots give models."""
    to_hex = require("matplotlib.colors", "plots").to_hex
    colours = [to_hex(nth_style(index)["color"]) for index in range(models)]
    return "".join(f".model-{index} {{ --model: {colour}; }}\n" for index, colour in enumerate(colours))


def _script_of(panel: Panel) -> str:
    """Return the script of a panel; empty if it has none."""
    file = _TEMPLATES.joinpath(f"{panel.name}.js")
    return file.read_text("utf-8") if file.is_file() else ""


def _read(name: str) -> str:
    return _TEMPLATES.joinpath(name).read_text("utf-8")


@cache
def _environment(jinja2: Any) -> Any:
    """Return what compiles each template once."""
    environment = jinja2.Environment(autoescape=True, loader=jinja2.FunctionLoader(_read))
    environment.globals["source"] = lambda plot: as_address(plot.image(EMBEDDED))
    return environment
