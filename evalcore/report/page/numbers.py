"""The panel of all numbers of a report."""

from collections.abc import Sequence

from evalcore.report.model import Statistic
from evalcore.report.notes import notes_of
from evalcore.report.page.cells import Cell, Grid, Row, cell_of
from evalcore.report.page.panels import Panel, View
from evalcore.report.tables import Table, remarks, tables


def numbers_panel(view: View) -> Panel:
    """Return the tables of a report, and its notes.  O(statistics)."""
    sections = view.answer.sections
    notes = [*notes_of(view.answer), *remarks(sections, view.in_full)]
    grids = [(table.title, _grid(table)) for table in tables(sections, view.in_full)]
    return Panel("numbers", "Numbers", {"grids": grids, "notes": notes})


def _grid(table: Table) -> Grid:
    head, *rows = table.cells
    names = [cell for cell in head if isinstance(cell, str)]
    heading = [names[0] or table.corner, *names[1:]]
    return Grid(table.title or "Numbers", heading, [_row(row, table.names) for row in rows], table.names)


def _row(cells: Sequence[str | Statistic], names: int) -> Row:
    return [
        (cell if index < names else Cell(cell)) if isinstance(cell, str) else cell_of(cell)
        for index, cell in enumerate(cells)
    ]
