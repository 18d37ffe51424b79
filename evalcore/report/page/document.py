"""A report as one HTML file: which panels it has, those of numbers and of few lines, and which plots stand in them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np

from evalcore._version import __version__
from evalcore.evaluation import model
from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.measure_choice import OF_BOTH_CLASSES
from evalcore.evaluation.model import Answer, Section, Statistic
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import spelled
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, listed
from evalcore.report.charts.images import OTHERS, Plot
from evalcore.report.charts.plots import missing, plots_of
from evalcore.report.page.groups import classes_panel, groups_panel
from evalcore.report.page.panels import Panel, Part, View, cell_of, html_page, threshold_cell
from evalcore.report.page.thresholds import thresholds_panel
from evalcore.report.rendering import as_csv
from evalcore.report.shown import MOST_TILES, interval_methods, leading_models, meanings, model_records, side_by_side
from evalcore.report.tables import AnyCell, Cell, Table, remarks, tables
from evalcore.report.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.report.words.summary import sentences
from evalcore.typing import ScoreArray

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
    left_out = []
    if len(shown) < len(records):
        tiles.sort(key=lambda tile: -records[tile.name]["roc_auc"].value)
        left_out = [
            f"These are the {len(shown)} models with the largest ROC AUCs, the best first. "
            f"The numbers of all {count(len(records))} stand below."
        ]
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


_SELDOM_READ = {"phi_squared", "chi_squared", "yules_q", "precision_at_5"}
_OF_THE_DATA = {"cases", "positives", "weight", "effective_cases", "prevalence"}
"""The same for all models."""
_SHOWN_ABOVE = {model.CLASSES, model.CONFUSION_MATRIX}
"""Sections that other panels show."""
_SCORES_OF_CASES = {STATISTIC_OF[LOWEST_COST], STATISTIC_OF[BEST_F1]}
_SAFE = ",._-:/()"
_MOST_IN_A_FILE = 4000
"""Numbers of a report that a page holds as a file too."""


def numbers_panel(view: View) -> Panel:
    """Return the tables of a report, its notes, and its numbers in full as a file.  O(statistics)."""
    sections = [*view.question.shown(view.answer.sections), *view.answer.changes]
    arranged = side_by_side(sections)
    said = notes_of(view.answer, view.question.measures)
    # notes on the p-values of groups stand beside them
    notes = [*(note for note in said if not note.startswith(model.NOTES_ON_GROUPS)), *remarks(sections, view.in_full)]
    shown = zip(arranged, tables(arranged, view.in_full), strict=True)
    scores = view.answer.scores
    leading = leading_models(view.answer.sections, list(scores), MOST_TILES).values() if scores else ()
    of_leading = {name: scores[name] for name in leading}
    parts = [_part(section, table, of_leading if section.across else {}) for section, table in shown]
    content = {"parts": parts, "after": [f"Note: {note}" for note in notes], **_file(sections)}
    return Panel("numbers", "Numbers", content)


def _part(section: Section, table: Table, scores: Mapping[str, ScoreArray]) -> Part:
    first, *names = table.head
    heading = [first or table.corner or "statistic", *(name or "value" for name in names)]
    moved = _SELDOM_READ | (OF_BOTH_CLASSES if section.record else set())  # of two classes few readers need them
    moved |= _OF_THE_DATA if len(section.records) > 1 else set()
    kept: list[Sequence[AnyCell]] = []
    more: list[Sequence[AnyCell]] = []
    for row in table.rows:
        last = row[-1]
        own = more if section.across and isinstance(last, Statistic) and last.name in moved else kept
        own.append([_number(cell, scores.get(name)) for cell, name in zip(row, table.head, strict=True)])
    shown = table._replace(title=table.heading or "Numbers", head=heading)
    rest = shown._replace(title=f"{shown.title}: more", rows=more) if more else None
    repeats = _has_groups(section) or section.name in _SHOWN_ABOVE
    return Part(_heading(section, table), shown._replace(rows=kept), repeats, rest)


def _heading(section: Section, table: Table) -> str:
    """Return the heading of a table, which says what it holds where nobody sees it at first.  O(1)."""
    if not _has_groups(section):
        return table.heading and f"{table.heading[0].upper()}{table.heading[1:]}"
    groups = len(section.groups)
    total = " and the total" if section.whole and section.whole.has_total else ""
    of_groups = f"{count(groups)} {'group' if groups == 1 else 'groups'}{total}"
    return f"{table.heading}: all numbers of {of_groups}" if table.heading else f"All numbers of {of_groups}"


def _has_groups(section: Section) -> bool:
    return section.whole is not None and section.whole.name != model.CHANGES_SINCE_BASELINE


def _number(cell: AnyCell, scores: ScoreArray | None) -> AnyCell:
    """Return a threshold as it is written everywhere on the page, where the scores of its model are at hand."""
    if isinstance(cell, Statistic) and cell.name in _SCORES_OF_CASES and scores is not None:
        return threshold_cell(cell.value, threshold_text(cell.value, scores))
    return cell


def _file(sections: Sequence[Section]) -> dict[str, str]:
    """Return the address of a CSV file with all numbers, or what writes one too large for a page.  O(statistics)."""
    numbers = sum(len(section.records) * len(section.statistics) for section in sections)
    if numbers > _MOST_IN_A_FILE:
        writer = spelled("--format csv", "to_csv()")
        return {"instead": f"{writer} writes all {count(numbers)} numbers with all digits, as CSV."}
    return {"file": f"data:text/csv;charset=utf-8,{quote(as_csv(sections), safe=_SAFE)}"}


def summary_panel(view: View) -> Panel:
    """Return the sentences of a report, and why charts are missing.  O(n)."""
    said = list(sentences(view.answer, view.question))
    content: dict[str, Any] = {"notes": [f"N{each[1:]}." for each in missing(view.answer, view.question)]}
    if said:
        claim, details = said[0]
        ending = "".join(f", {detail}" for detail in details)
        content |= {"claim": claim, "details": f"{ending}.", "before": [*filter(None, [" ".join(map(str, said[1:]))])]}
    return Panel("summary", "Summary", content)


_PANELS: tuple[Callable[[View], Panel | None], ...] = (
    summary_panel,
    models_panel,
    thresholds_panel,
    groups_panel,
    classes_panel,
    lambda view: Panel(OTHERS, "More charts", {}),
    numbers_panel,
)
"""Makers of panels from the top of a page, without those that close it; None where a report has nothing for them."""


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
    panels = [panel for make in _PANELS if (panel := make(view))]
    closing = {"computed": _computed(view), "meanings": meanings(question.shown(answer.sections))}
    return html_page(_title(question), panels, plots, closing, models=len(answer.scores), script=script)


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or question.predicted
    shown = listed(models, most=4) if models else "scores of classes"
    by = f", by {listed(question.by)}" if question.by else ""
    return f"{question.label}: {shown}{by}{question.weighting.in_titles}"
