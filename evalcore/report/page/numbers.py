"""The panel of all numbers of a report."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from evalcore.evaluation.measure_choice import OF_BOTH_CLASSES
from evalcore.evaluation.model import (
    CHANGES_SINCE_BASELINE,
    CLASSES,
    CONFUSION_MATRIX,
    NOTES_ON_GROUPS,
    Section,
    Statistic,
)
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import csv_option
from evalcore.evaluation.wording import count
from evalcore.report.model_records import MOST_TILES, leading_models, side_by_side
from evalcore.report.page.panels import Panel, Part, View, grid_of, threshold_cell
from evalcore.report.rendering import as_csv
from evalcore.report.tables import AnyCell, Table, remarks, tables
from evalcore.report.thresholds import BEST_F1, LOWEST_COST, STATISTIC_OF, threshold_text
from evalcore.typing import ScoreArray

_SELDOM_READ = {"phi_squared", "chi_squared", "yules_q", "precision_at_5"}
_OF_THE_DATA = {"cases", "positives", "weight", "effective_cases", "prevalence"}
"""The same for all models."""
_SHOWN_ABOVE = {CLASSES, CONFUSION_MATRIX}
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
    notes = [*(note for note in said if not note.startswith(NOTES_ON_GROUPS)), *remarks(sections, view.in_full)]
    shown = zip(arranged, tables(arranged, view.in_full), strict=True)
    scores = view.answer.scores
    leading = leading_models(view.answer.sections, list(scores), MOST_TILES).values() if scores else ()
    of_leading = {name: scores[name] for name in leading}
    parts = [_part(section, table, of_leading if section.across else {}) for section, table in shown]
    return Panel("numbers", "Numbers", {"parts": parts, "notes": notes, **_file(sections)})


def _part(section: Section, table: Table, scores: Mapping[str, ScoreArray]) -> Part:
    names = [str(name) for name in table.cells[0]]
    heading = [names[0] or table.corner or "statistic", *(name or "value" for name in names[1:])]
    moved = _SELDOM_READ | (OF_BOTH_CLASSES if section.record else set())  # of two classes few readers need them
    moved |= _OF_THE_DATA if len(section.records) > 1 else set()
    kept: list[Sequence[AnyCell]] = [heading]
    more: list[Sequence[AnyCell]] = [heading]
    for row in table.cells[1:]:
        last = row[-1]
        own = more if section.across and isinstance(last, Statistic) and last.name in moved else kept
        own.append([_number(cell, scores.get(name)) for cell, name in zip(row, names, strict=True)])
    label = table.heading or "Numbers"
    rest = grid_of(table._replace(cells=more), f"{label}: more") if len(more) > 1 else None
    repeats = _has_groups(section) or section.name in _SHOWN_ABOVE
    return Part(_title(section, table), grid_of(table._replace(cells=kept), label), repeats, rest)


def _title(section: Section, table: Table) -> str:
    """Return the heading of a table, which says what it holds where nobody sees it at first.  O(1)."""
    if not _has_groups(section):
        return table.heading and f"{table.heading[0].upper()}{table.heading[1:]}"
    groups = len(section.groups)
    total = " and the total" if section.whole and section.whole.has_total else ""
    of_groups = f"{count(groups)} {'group' if groups == 1 else 'groups'}{total}"
    return f"{table.heading}: all numbers of {of_groups}" if table.heading else f"All numbers of {of_groups}"


def _has_groups(section: Section) -> bool:
    return section.whole is not None and section.whole.name != CHANGES_SINCE_BASELINE


def _number(cell: AnyCell, scores: ScoreArray | None) -> AnyCell:
    """Return a threshold as it is written everywhere on the page, where the scores of its model are at hand."""
    if isinstance(cell, Statistic) and cell.name in _SCORES_OF_CASES and scores is not None:
        return threshold_cell(cell.value, threshold_text(cell.value, scores))
    return cell


def _file(sections: Sequence[Section]) -> dict[str, str]:
    """Return the address of a CSV file with all numbers, or what writes one too large for a page.  O(statistics)."""
    numbers = sum(len(section.records) * len(section.statistics) for section in sections)
    if numbers > _MOST_IN_A_FILE:
        return {"instead": f"{csv_option()} writes all {count(numbers)} numbers with all digits, as CSV."}
    return {"file": f"data:text/csv;charset=utf-8,{quote(as_csv(sections), safe=_SAFE)}"}
