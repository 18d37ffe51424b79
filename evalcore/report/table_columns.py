"""Which columns of a table fit on a line: of groups those that matter most, of other tables all, in parts."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from evalcore.evaluation.model import Statistic
from evalcore.report.tables import Table

LINE_WIDTH = 120
"""Letters of a line where there is no terminal: in files, pipes and notebooks."""
_BETWEEN = 3
"""Letters between two columns; a line has one more at its end."""
_CASES = "cases"
_MOST_WANTED = (
    _CASES,
    "roc_area",
    "difference_to_rest",
    "accuracy_difference_to_rest",
    "roc_area_difference",
    "p_value_holm",
    "minimum_expected_cost",
    "minimum_expected_cost_score",
    "expected_cost",
    "precision",
    "recall",
    "f1",
    "accuracy",
    "macro_f1",
    "macro_roc_area",
    "average_precision",
    "positives",
    "prevalence",
    "p_value",
    "specificity",
)
"""The statistics of groups that are shown first where there is no room for all; others follow in their order."""


def parts_that_fit(table: Table, width: int | None) -> list[list[list[str]]]:
    """Return the rows of a table in parts: so many columns of numbers as fit on a line after the names.  O(cells)."""
    rows, names = table.rows, table.names
    if not width:
        return [rows]
    widths = _widths(rows)
    ends = [names]
    used = before = sum(widths[:names]) + 1
    for index, wide in enumerate(widths[names:], names):
        used += wide
        if used > width and index > ends[-1]:
            ends.append(index)
            used = before + wide
    parts = map(slice, ends, [*ends[1:], len(widths)])
    return [[[*row[:names], *row[part]] for row in rows] for part in parts]


def on_one_line(table: Table, width: int | None) -> Table:
    """Return a table of groups with as many of the statistics that matter most as fit on a line, at least one.

    Those that are kept stay in their order.  O(cells).
    """
    if not width or not table.of_groups or len(table.cells) < 2:
        return table
    widths, names = _widths(table.rows), table.names
    wanted = [names + index for index in _by_want(table.cells[1][names:])]
    before = sum(widths[:names]) + 1
    ends = list(accumulate((widths[index] for index in wanted), initial=before))[1:]
    fitting = max(1, bisect_right(ends, width))
    kept = wanted[:fitting]
    if fitting == 1 < len(wanted) and _name(table.cells[1][kept[0]]) == _CASES and before + widths[wanted[1]] <= width:
        kept = [wanted[1]]  # a measure says more than how many cases it is of
    chosen = [*range(names), *sorted(kept)]
    return table._replace(cells=[[row[index] for index in chosen] for row in table.cells])


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) + _BETWEEN for column in zip(*rows, strict=True)]


def _by_want(cells: Sequence[str | Statistic]) -> list[int]:
    """Return the indices of columns, those that matter most first.  O(columns log columns)."""
    ranks = {name: rank for rank, name in enumerate(_MOST_WANTED)}
    wanted = [ranks.get(_name(cell), len(ranks)) for cell in cells]
    return sorted(range(len(cells)), key=wanted.__getitem__)


def _name(cell: str | Statistic) -> str:
    return cell.name if isinstance(cell, Statistic) else ""
