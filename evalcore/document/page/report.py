"""A report as one HTML file: its panels, but for that of thresholds, and the plots that stand in them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import numpy as np

from evalcore._version import __version__
from evalcore.document import shown, tables
from evalcore.document.charts.images import OTHERS, Plot
from evalcore.document.charts.plots import missing, missing_matrices, plots_of
from evalcore.document.page.panels import Panel, Part, View, cell_of, html_page, threshold_cell
from evalcore.document.page.thresholds import thresholds_panel
from evalcore.document.rendering import as_csv
from evalcore.document.tables import AnyCell, Cell, Confused, Table
from evalcore.document.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.document.words.summary import sentences
from evalcore.evaluation import model
from evalcore.evaluation.catalogue import ENTRIES
from evalcore.evaluation.measure_choice import OF_BOTH_CLASSES
from evalcore.evaluation.model import Section, Statistic
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import spelled
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import has_interval
from evalcore.evaluation.wording import count, listed, percent, shortened_names, times
from evalcore.typing import ScoreArray

_OF_PROBABILITIES = "calibration_error"
_TILED = "roc_auc", "average_precision", _OF_PROBABILITIES


def models_panel(view: View) -> Panel | None:
    """Return a tile for each model; none for classes.  O(models)."""
    records = shown.model_records(view.answer.sections)
    if not records:
        return None
    leading = shown.leading_models(view.answer.sections, list(records), shown.MOST_TILES)
    tiles = [SimpleNamespace(colour=at, name=name, numbers=_numbers(records[name])) for at, name in leading.items()]
    left_out = []
    if len(leading) < len(records):
        tiles.sort(key=lambda tile: -records[tile.name]["roc_auc"].value)
        which = f"These are the {len(leading)} models with the largest ROC AUCs, the best first."
        left_out = [f"{which} The numbers of all {count(len(records))} stand below."]
    return Panel("models", "The model" if len(records) == 1 else "Models", {"tiles": tiles, "left_out": left_out})


def _numbers(items: Mapping[str, Statistic]) -> dict[str, Cell]:
    tiled = [items[name] for name in _TILED if name != _OF_PROBABILITIES or not math.isnan(items[name].value)]
    return {item.title: _undefined(item) if math.isnan(item.value) else cell_of(item) for item in tiled}


def _undefined(item: Statistic) -> Cell:
    """Say why a number is not defined, in small type.  O(1)."""
    return Cell("", below=f"not defined, because {ENTRIES[item.name].why_nan}")


def _computed(view: View) -> dict[str, str]:
    """Return what decides the numbers, by headings.  O(statistics)."""
    answer, entries = view.answer, {**view.computed, **view.question.described()}
    if answer.positive is not None:
        entries |= {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}
    entries["Program"] = f"evalcore {__version__}, NumPy {np.__version__}"
    if methods := shown.interval_methods(view.question.shown(answer.sections)):
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
    arranged = shown.side_by_side(sections)
    notes = [*notes_of(view.answer, view.question.measures), *tables.remarks(sections, view.in_full)]
    pairs = zip(arranged, tables.tables(arranged, view.in_full), strict=True)
    leading = shown.leading_models(view.answer.sections, list(view.answer.scores), shown.MOST_TILES)
    of_leading = {name: view.answer.scores[name] for name in leading.values()}
    parts = [_part(section, table, of_leading if section.across else {}) for section, table in pairs]
    # notes on the p-values of groups stand beside them
    after = [f"Note: {note}" for note in notes if not note.startswith(model.NOTES_ON_GROUPS)]
    return Panel("numbers", "Numbers", {"parts": parts, "after": after, **_file(sections)})


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
    whole = table._replace(title=table.heading or "Numbers", head=heading)
    rest = whole._replace(title=f"{whole.title}: more", rows=more) if more else None
    repeats = _has_groups(section) or section.name in _SHOWN_ABOVE
    return Part(_heading(section, table), whole._replace(rows=kept), repeats, rest)


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
    if numbers <= _MOST_IN_A_FILE:
        return {"file": f"data:text/csv;charset=utf-8,{quote(as_csv(sections), safe=_SAFE)}"}
    writer = spelled("--format csv", "to_csv()")
    return {"instead": f"{writer} writes all {count(numbers)} numbers with all digits, as CSV."}


def summary_panel(view: View) -> Panel:
    """Return the sentences of a report, and why charts are missing.  O(n)."""
    said = list(sentences(view.answer, view.question))
    content: dict[str, Any] = {"notes": [f"N{each[1:]}." for each in missing(view.answer, view.question)]}
    if said:
        claim, details = said[0]
        ending = "".join(f", {detail}" for detail in details)
        content |= {"claim": claim, "details": f"{ending}.", "before": [*filter(None, [" ".join(map(str, said[1:]))])]}
    return Panel("summary", "Summary", content)


_COUNTS = "cases", "weight", "positives"
_COMPARED = "roc_auc_difference", "difference_to_rest", "accuracy_difference_to_rest", "p_value_holm"
_NO_INTERVAL = "no interval"
_HOLLOW = (
    "A group without an interval has a hollow dot in the chart: it has fewer than two cases of a class, or all its "
    "pairs of a positive and a negative are ranked alike. Do not rely on its value, high or low."
)


def groups_panel(view: View) -> Panel | None:
    """Return a table of the groups, for the chart above it; none for a report without groups.  O(statistics)."""
    groups = shown.shown_groups(view.answer.sections, view.in_full)
    if groups is None:
        return None
    by = listed(view.question.by) if view.question.by else "group"
    table = _of_groups(groups, by)
    notes = [note for note in view.answer.notes if note.startswith(model.NOTES_ON_GROUPS)]
    if any(cell.below == _NO_INTERVAL for row in table.rows for cell in row if isinstance(cell, Cell)):
        notes.append(_HOLLOW)
    after = [note if note.endswith(".") else f"{note}." for note in notes]
    return Panel("groups", f"By {by}", {"before": [groups.rule], "parts": [Part("", table)], "after": after})


def _of_groups(groups: shown.ShownGroups, by: str) -> Table:
    """Return a row for each group and one for all: the measure of each model, differences, and numbers of cases."""
    total = groups.items(groups.models[0], groups.total)
    title, counts = total[groups.measure].title, [name for name in _COUNTS if name in total]
    models = shortened_names(section.title for section in groups.models).values()
    rests = shortened_names(section.name for section in groups.rests).values()
    to_rest = ("to the rest" if len(rests) == 1 else f"of {each} to the rest" for each in rests)
    differences = *shortened_names(section.name for section in groups.pairs).values(), *to_rest
    heads = [head for what in differences for head in (f"difference {what}", "p, Holm")]
    head = [by, *(f"{title} of {each}" for each in models), *heads, *(total[name].title for name in counts)]
    rows = list[list[AnyCell]]()
    for name in [*groups.names, groups.total]:
        measured = [_measured_cell(groups.measured(section, name)) for section in groups.models]
        compared = [cell for section in (*groups.pairs, *groups.rests) for cell in _of_difference(section, name)]
        rows.append([name, *measured, *compared, *map(groups.items(groups.models[0], name).__getitem__, counts)])
    return Table(f"Groups by {by}", head, rows, marked=len(rows) - 1)


def _measured_cell(item: Statistic) -> AnyCell:
    """Return the cell of a measure, which says where an interval that others have is missing.  O(1)."""
    is_missing = item.interval is not None and not has_interval(item) and not math.isnan(item.value)
    return cell_of(item)._replace(below=_NO_INTERVAL) if is_missing else item


def _of_difference(section: Section, name: str) -> Sequence[AnyCell]:
    """Return the cells of a difference and of its adjusted p-value, empty ones of all cases, which have no rest."""
    return [item for item in section.records.get(name, ()) if item.name in _COMPARED] or ["", ""]


_MOST_CONFUSIONS = 15
_AVERAGES = {"macro": "macro", "weighted": "weighted", "micro": "micro (= accuracy)"}
_MEASURES = "precision", "recall", "f1", "roc_auc"
_LEAST_FRACTION = 0.001


def classes_panel(view: View) -> Panel | None:
    """Return the largest confusions, averages over the classes, and the measures of each class.  O(k²)."""
    found = tables.class_sections(view.answer.sections)
    if found is None:
        return None
    measured = [_averages(found.overall), *_of_classes(found.classes, view.in_full)]
    undrawn = [f"{what[0].upper()}{what[1:]}." for what in missing_matrices(view.answer, view.question)]
    confusions = list(map(_in_words, tables.most_confused(found.matrix, _MOST_CONFUSIONS)))
    parts = [Part(table.title, table) for table in measured]
    return Panel("classes", "Classes", {"undrawn": undrawn, "confusions": confusions, "parts": parts})


def _in_words(confused: Confused) -> Mapping[str, str]:
    """Return the parts of a sentence on a confusion.

    >>> _in_words(Confused("elm", "ash", 1234, 0.0452))
    {'label': 'elm', 'predicted': 'ash', 'cases': '1,234 times', 'fraction': '4.5%'}
    """
    less = "less than " * (confused.fraction < _LEAST_FRACTION)
    fraction = f"{less}{percent(max(confused.fraction, _LEAST_FRACTION))}"
    return {**confused._asdict(), "cases": times(confused.cases), "fraction": fraction}


def _averages(overall: Section) -> Table:
    """Return precision, recall, F1 and ROC AUC, averaged over the classes, of the statistics of all cases."""
    items = {item.name: item for item in overall.records[""]}
    measures = [name for name in _MEASURES if f"macro_{name}" in items]
    rows = [[shown, *(items.get(f"{kind}_{name}", "") for name in measures)] for kind, shown in _AVERAGES.items()]
    titles = [items[f"macro_{name}"].title.removesuffix(", macro average") for name in measures]
    return Table("Averages over the classes", ["average", *titles], rows)


def _of_classes(classes: Section, in_full: bool) -> Iterator[Table]:
    """Yield the measures of each class, of many those of the most frequent and of those with the lowest F1."""
    total = len(classes.records)
    listed_in = {"Each class": tables.most_frequent(classes)}
    if total > 2 * tables.MOST_LISTED and not in_full:
        most = tables.MOST_LISTED
        titles = f"The {most} most frequent of {count(total)} classes", f"The {most} classes with the lowest F1"
        listed_in = dict(zip(titles, tables.listed_classes(classes, most), strict=True))
    for title, names in listed_in.items():
        items = [classes.records[name] for name in names]
        rows: list[list[AnyCell]] = [[name, *own] for name, own in zip(names, items, strict=True)]
        yield Table(title, ["class", *(item.title for item in items[0])], rows)


def as_html(view: View, drawn: Sequence[Plot] | None = None) -> str:
    """Write a report as an HTML page: its numbers, plots, how they were computed, and what they mean.

    drawn: the plots, if they exist already.  All names are escaped.  O(n log n) for each plot.  Raises
    MissingLibraryError if Jinja2 or matplotlib is missing.

    >>> from evalcore.evaluation.model import Answer, Section, Statistic
    >>> section = Section("scores", "", "score", {"<b>": [Statistic("accuracy", "correct", 0.5)]})
    >>> page = as_html(View(Answer([section]), Question("late")))
    >>> "&lt;b&gt;" in page, "<b>" in page
    (True, False)
    """
    answer, question, script = view.answer, view.question, view.script
    plots = plots_of(answer, question) if drawn is None else drawn
    panels = [make(view) for make in (summary_panel, models_panel, thresholds_panel, groups_panel, classes_panel)]
    panels += [Panel(OTHERS, "More charts", {}), numbers_panel(view)]
    closing = {"computed": _computed(view), "meanings": shown.meanings(question.shown(answer.sections))}
    return html_page(_title(question), filter(None, panels), plots, closing, models=len(answer.scores), script=script)


def _title(question: Question) -> str:
    """Return what is evaluated, and by what: the name of a page.  O(columns).

    >>> _title(Question("late", ("boosting", "logistic"), by=("carrier",)))
    'late: boosting and logistic, by carrier'
    """
    models = question.scores or question.predicted
    shown = listed(models, most=4) if models else "scores of classes"
    by = f", by {listed(question.by)}" if question.by else ""
    return f"{question.label}: {shown}{by}{question.weighting.in_titles}"
