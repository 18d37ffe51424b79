"""The panels of parts of the cases: groups, with the models side by side, and classes."""

import math
from collections.abc import Iterator, Mapping, Sequence

from evalcore.evaluation.grouping import has_interval
from evalcore.evaluation.model import NOTES_ON_GROUPS, Section, Statistic
from evalcore.evaluation.wording import count, listed, percent, shortened_names, times
from evalcore.report.charts.plots import missing_matrices
from evalcore.report.page.panels import Panel, Part, View, cell_of
from evalcore.report.shown import ShownGroups, shown_groups
from evalcore.report.tables import (
    MOST_LISTED,
    AnyCell,
    Cell,
    Confused,
    Table,
    class_sections,
    listed_classes,
    most_confused,
    most_frequent,
)

_COUNTS = "cases", "weight", "positives"
_DIFFERENCES = "roc_auc_difference", "difference_to_rest", "accuracy_difference_to_rest"
_ADJUSTED = "p_value_holm"
_NO_INTERVAL = "no interval"
_HOLLOW = (
    "A group without an interval has a hollow dot in the chart: it has fewer than two cases of a class, or all its "
    "pairs of a positive and a negative are ranked alike. Do not rely on its value, high or low."
)


def groups_panel(view: View) -> Panel | None:
    """Return a table of the groups, for the chart above it; none for a report without groups.  O(statistics)."""
    shown = shown_groups(view.answer.sections, view.in_full)
    if shown is None:
        return None
    rows = [_row(shown, name) for name in [*shown.names, shown.total]]
    by = listed(view.question.by) if view.question.by else "group"
    table = Table(f"Groups by {by}", _head(shown, by), rows, marked=len(rows) - 1)
    notes = [note for note in view.answer.notes if note.startswith(NOTES_ON_GROUPS)]
    if any(cell.below == _NO_INTERVAL for row in rows for cell in row if isinstance(cell, Cell)):
        notes.append(_HOLLOW)
    after = [note if note.endswith(".") else f"{note}." for note in notes]
    return Panel("groups", f"By {by}", {"before": [shown.rule], "parts": [Part("", table)], "after": after})


def _head(shown: ShownGroups, by: str) -> list[str]:
    first = shown.items(shown.models[0], shown.total)
    title = first[shown.measure].title
    models = shortened_names([section.title for section in shown.models])
    pairs = shortened_names([section.name for section in shown.pairs])
    rests = shortened_names([section.name for section in shown.rests])
    differences = [
        *pairs.values(),
        *("to the rest" if len(rests) == 1 else f"of {model} to the rest" for model in rests.values()),
    ]
    return [
        by,
        *(f"{title} of {model}" for model in models.values()),
        *(head for what in differences for head in (f"difference {what}", "p, Holm")),
        *(first[name].title for name in _COUNTS if name in first),
    ]


def _row(shown: ShownGroups, name: str) -> list[AnyCell]:
    first = shown.items(shown.models[0], name)
    measured = [_measured_cell(shown.measured(section, name)) for section in shown.models]
    differences = [cell for section in (*shown.pairs, *shown.rests) for cell in _of_difference(section, name)]
    return [name, *measured, *differences, *(first[name] for name in _COUNTS if name in first)]


def _measured_cell(item: Statistic) -> AnyCell:
    """Return the cell of a measure, which says where an interval that others have is missing.  O(1)."""
    if item.interval is None or has_interval(item) or math.isnan(item.value):
        return item
    return cell_of(item)._replace(below=_NO_INTERVAL)


def _of_difference(section: Section, name: str) -> Sequence[AnyCell]:
    """Return the cells of a difference and of its adjusted p-value, empty ones of all cases, which have no rest."""
    return [item for item in section.records.get(name, ()) if item.name in (*_DIFFERENCES, _ADJUSTED)] or ["", ""]


_MOST_CONFUSIONS = 15
_AVERAGES = "macro", "weighted", "micro"
_MEASURES = "precision", "recall", "f1", "roc_auc"
_LEAST_FRACTION = 0.001


def classes_panel(view: View) -> Panel | None:
    """Return the largest confusions, averages over the classes, and the measures of each class.  O(k²)."""
    found = class_sections(view.answer.sections)
    if found is None:
        return None
    tables = [_averages(found.overall), *_of_classes(found.classes, view.in_full)]
    content = {
        "undrawn": [f"{what[0].upper()}{what[1:]}." for what in missing_matrices(view.answer, view.question)],
        "confusions": list(map(_in_words, most_confused(found.matrix, _MOST_CONFUSIONS))),
        "parts": [Part(table.title, table) for table in tables],
    }
    return Panel("classes", "Classes", content)


def _in_words(confused: Confused) -> Mapping[str, str]:
    """Return the parts of a sentence on a confusion.

    >>> _in_words(Confused("elm", "ash", 1234, 0.0452))
    {'label': 'elm', 'predicted': 'ash', 'times': '1,234 times', 'fraction': '4.5%'}
    """
    small = confused.fraction < _LEAST_FRACTION
    fraction = f"less than {percent(_LEAST_FRACTION)}" if small else percent(confused.fraction)
    return {
        "label": confused.label,
        "predicted": confused.predicted,
        "times": times(confused.cases),
        "fraction": fraction,
    }


def _averages(overall: Section) -> Table:
    """Return precision, recall, F1 and ROC AUC, averaged over the classes, of the statistics of all cases."""
    items = {item.name: item for item in overall.records[""]}
    measures = [name for name in _MEASURES if f"macro_{name}" in items]
    rows = [
        [
            "micro (= accuracy)" if average == "micro" else average,
            *(items.get(f"{average}_{name}", "") for name in measures),
        ]
        for average in _AVERAGES
    ]
    titles = [items[f"macro_{name}"].title.removesuffix(", macro average") for name in measures]
    return Table("Averages over the classes", ["average", *titles], rows)


def _of_classes(classes: Section, in_full: bool) -> Iterator[Table]:
    """Yield the measures of each class, of many those of the most frequent and of those with the lowest F1."""
    total = len(classes.records)
    shown = {"Each class": most_frequent(classes)}
    if total > 2 * MOST_LISTED and not in_full:
        found = listed_classes(classes, MOST_LISTED)
        shown = {
            f"The {MOST_LISTED} most frequent of {count(total)} classes": found.frequent,
            f"The {MOST_LISTED} classes with the lowest F1": found.worst,
        }
    for title, names in shown.items():
        items = [classes.records[name] for name in names]
        rows: list[list[AnyCell]] = [[name, *own] for name, own in zip(names, items, strict=True)]
        yield Table(title, ["class", *(item.title for item in items[0])], rows)
