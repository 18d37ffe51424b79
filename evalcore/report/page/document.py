"""A report as one HTML file: which panels it has, those of few lines, and which plots stand in them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore._version import __version__
from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.model import Answer, Statistic
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, listed
from evalcore.report.charts.images import Plot
from evalcore.report.charts.missing import missing
from evalcore.report.charts.plots import plots_of
from evalcore.report.model_records import MOST_TILES, leading_models, model_records
from evalcore.report.page.groups import classes_panel, groups_panel
from evalcore.report.page.numbers import numbers_panel
from evalcore.report.page.panels import Panel, View, cell_of, closing_panels, html_page, with_plots
from evalcore.report.page.thresholds import thresholds_panel
from evalcore.report.tables import Cell
from evalcore.report.words.definitions import interval_methods, meanings
from evalcore.report.words.summary import sentences

_TILED = "roc_auc", "average_precision"
_OF_PROBABILITIES = "calibration_error"


class _Tile(NamedTuple):
    """A model, and its numbers by their titles."""

    colour: int
    """Its index in the report."""
    name: str
    numbers: Mapping[str, Cell]
    """The first is the main one."""


def models_panel(view: View) -> Panel | None:
    """Return a tile for each model; none for classes.  O(models)."""
    records = model_records(view.answer.sections)
    if not records:
        return None
    shown = leading_models(view.answer.sections, list(records), MOST_TILES)
    tiles = [_Tile(index, name, _numbers(records[name])) for index, name in shown.items()]
    left_out = ""
    if len(shown) < len(records):
        tiles.sort(key=lambda tile: -records[tile.name]["roc_auc"].value)
        left_out = (
            f"These are the {len(shown)} models with the largest ROC AUCs, the best first. "
            f"The numbers of all {count(len(records))} stand below."
        )
    heading = "The model" if len(records) == 1 else "Models"
    return Panel("models", heading, {"tiles": tiles, "left_out": left_out})


def _numbers(items: Mapping[str, Statistic]) -> dict[str, Cell]:
    shown = [items[name] for name in _TILED]
    if not math.isnan(items[_OF_PROBABILITIES].value):
        shown.append(items[_OF_PROBABILITIES])
    return {item.title: _cell(item) for item in shown}


def _cell(item: Statistic) -> Cell:
    """Return the cell of a number, or why it is not defined, in small type.  O(1)."""
    entry = entry_of(item.name)
    if entry is None or not math.isnan(item.value):
        return cell_of(item)
    return Cell("", below=f"not defined, because {entry.why_nan}")


def _computed(view: View) -> dict[str, str]:
    """Return what decides the numbers, by headings.  O(statistics)."""
    answer, entries = view.answer, {**view.computed, **view.question.described()}
    if answer.positive is not None:
        entries |= {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}
    entries["Program"] = f"evalcore {__version__}, NumPy {np.__version__}"
    if methods := interval_methods(view.question.shown(answer.sections)):
        entries["Intervals"] = methods
    return entries


def summary_panel(view: View) -> Panel | None:
    """Return the sentences of a report, and why charts are missing; None where there is neither.  O(n)."""
    said = list(sentences(view.answer, view.question))
    absent = [f"N{each[1:]}." for each in missing(view.answer, view.question)]
    if not (said or absent):
        return None
    more = " ".join(map(str, said[1:]))
    return Panel("summary", "Summary", {"answer": said[:1], "sentences": more, "missing": absent})


_PANELS: tuple[Callable[[View], Panel | None], ...] = (
    summary_panel,
    models_panel,
    thresholds_panel,
    groups_panel,
    classes_panel,
    numbers_panel,
)
"""Makers of panels from the top of a page, without those that close it; None where a report has nothing for them."""
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

    >>> from evalcore.evaluation.model import Section, Statistic
    >>> section = Section("scores", "", "score", {"<b>": [Statistic("accuracy", "correct", 0.5)]})
    >>> page = as_html(Answer([section]), Question("late"))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    view = View(answer, question, computed or {}, in_full, script)
    plots = plots_of(answer, question) if drawn is None else drawn
    found = [panel for make in _PANELS if (panel := make(view))]
    closing = closing_panels(_computed(view), meanings(question.shown(answer.sections)))
    panels = with_plots([*found, *closing], plots)
    names = {panel.name for panel in panels}
    others = [plot for plot in plots if plot.panel not in names]
    if others:
        before = next(index for index, panel in enumerate(panels) if panel.name == _AFTER_PLOTS)
        panels.insert(before, Panel("plots", "More charts" if len(others) < len(plots) else "Charts", {}, others))
    return html_page(_title(question), panels, models=len(answer.scores), script=script)


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or question.predicted
    shown = listed(models, most=4) if models else "scores of classes"
    by = f", by {listed(question.by)}" if question.by else ""
    return f"{question.label}: {shown}{by}{question.weighting.in_titles}"
