"""The panel of groups: the models side by side in each, and their differences."""

import math

from evalcore.evaluation.grouping import has_interval
from evalcore.evaluation.model import NOTES_ON_GROUPS, Section, Statistic
from evalcore.evaluation.wording import listed, shortened_names
from evalcore.report.page.cells import Cell, Grid, Row, cell_of
from evalcore.report.page.panels import Panel, View
from evalcore.report.shown_groups import ShownGroups, shown_groups

_COUNTS = "cases", "weight", "positives"
_DIFFERENCES = "roc_area_difference", "difference_to_rest", "accuracy_difference_to_rest"
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
    table = Grid(f"Groups by {by}", _head(shown, by), rows, marked=len(rows) - 1)
    notes = [note for note in view.answer.notes if note.startswith(NOTES_ON_GROUPS)]
    if any(cell.below == _NO_INTERVAL for row in rows for cell in row if isinstance(cell, Cell)):
        notes.append(_HOLLOW)
    return Panel("groups", f"By {by}", {"rule": shown.rule, "table": table, "notes": notes})


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


def _row(shown: ShownGroups, name: str) -> Row:
    first = shown.items(shown.models[0], name)
    measured = [_measured_cell(shown.measured(section, name)) for section in shown.models]
    differences = [cell for section in (*shown.pairs, *shown.rests) for cell in _of_difference(section, name)]
    return [name, *measured, *differences, *(cell_of(first[count]) for count in _COUNTS if count in first)]


def _measured_cell(item: Statistic) -> Cell:
    """Return the cell of a measure, which says where an interval that others have is missing.  O(1)."""
    if item.interval is None or has_interval(item) or math.isnan(item.value):
        return cell_of(item)
    return cell_of(item)._replace(below=_NO_INTERVAL)


def _of_difference(section: Section, name: str) -> list[Cell]:
    """Return the cells of a difference and of its adjusted p-value, empty ones of all cases, which have no rest."""
    items = section.records.get(name, ())
    return [cell_of(item) for item in items if item.name in (*_DIFFERENCES, _ADJUSTED)] or [Cell(""), Cell("")]
