"""The panel of all numbers of a report."""

from evalcore.report.notes import notes_of
from evalcore.report.page.panels import Panel, View
from evalcore.report.tables import remarks, tables


def numbers_panel(view: View) -> Panel:
    """Return the tables of a report, and its notes.  O(statistics)."""
    sections = view.answer.sections
    notes = [*notes_of(view.answer), *remarks(sections, view.in_full)]
    return Panel("numbers", "Numbers", {"tables": tables(sections, view.in_full), "notes": notes})
