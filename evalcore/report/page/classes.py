"""The panel of several classes: what is mistaken for what, and how well each class is found."""

from collections.abc import Mapping, Sequence

from evalcore.evaluation.model import Section
from evalcore.evaluation.wording import count, percent, times
from evalcore.report.charts.missing import missing_matrices
from evalcore.report.page.cells import Cell, Grid, Row, cell_of
from evalcore.report.page.panels import Panel, View
from evalcore.report.tables import MOST_LISTED, Confused, class_sections, listed_classes, most_confused

_MOST_CONFUSIONS = 15
_AVERAGES = "macro", "weighted", "micro"
_MEASURES = "precision", "recall", "f1", "roc_area"
_LEAST_FRACTION = 0.001


def classes_panel(view: View) -> Panel | None:
    """Return the largest confusions, averages over the classes, and the measures of each class.  O(k²)."""
    found = class_sections(view.answer.sections)
    if found is None:
        return None
    confusions = most_confused(found.matrix, _MOST_CONFUSIONS)
    tables = {title: _of_each(found.classes, names, title) for title, names in _shown(found.classes, view.in_full)}
    content = {
        "confusions": list(map(_in_words, confusions)),
        "averages": _averages(found.overall),
        "tables": tables,
        "missing": [f"{what[0].upper()}{what[1:]}." for what in map(str, missing_matrices(view.answer, view.question))],
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


def _averages(overall: Section) -> Grid:
    """Return precision, recall, F1 and ROC area, averaged over the classes, of the statistics of all cases."""
    items = {item.name: item for item in overall.records[""]}
    measures = [name for name in _MEASURES if f"macro_{name}" in items]
    rows: list[Row] = [
        [
            "micro (= accuracy)" if average == "micro" else average,
            *(cell_of(items[key]) if (key := f"{average}_{name}") in items else Cell("") for name in measures),
        ]
        for average in _AVERAGES
    ]
    titles = [items[f"macro_{name}"].title.removesuffix(", macro average") for name in measures]
    return Grid("Averages over the classes", ["average", *titles], rows)


def _shown(classes: Section, in_full: bool) -> list[tuple[str, Sequence[str]]]:
    """Return which classes are in which table, by its title."""
    total = len(classes.records)
    if in_full or total <= 2 * MOST_LISTED:
        return [("Each class", listed_classes(classes, total).frequent)]
    found = listed_classes(classes, MOST_LISTED)
    return [
        (f"The {MOST_LISTED} most frequent of {count(total)} classes", found.frequent),
        (f"The {MOST_LISTED} classes with the lowest F1", found.worst),
    ]


def _of_each(classes: Section, names: Sequence[str], title: str) -> Grid:
    items = classes.records
    head = [item.title for item in items[names[0]]] if names else []
    return Grid(title, ["class", *head], [[name, *map(cell_of, items[name])] for name in names])
