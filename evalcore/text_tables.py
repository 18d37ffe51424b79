"""Tables of text: aligned columns for a terminal, Markdown, and HTML for a notebook."""

import html
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple


class TableStyle(NamedTuple):
    """The letters between the cells of a table."""

    bar: str
    """Between two cells, and at both ends of a line."""
    rule: str
    """Below the heading."""
    crossing: str
    """Where the rule meets a bar between two cells."""


_MOST_WHOLE = 1e15
"""Larger numbers are not written as counts."""
TERMINAL, MARKDOWN = TableStyle(" ", "─", "─"), TableStyle("|", "-", "|")


def ruled_lines(
    rows: Sequence[Sequence[str]], style: TableStyle, names: int = 1, width_of: Callable[[str], int] = len
) -> list[str]:
    """Return one line per row, and a rule below the first, which is the heading.  O(cells).

    names: number of first columns that are aligned to the left; width_of: how wide a cell is in a terminal.

    >>> ruled_lines([["group", "AP"], ["a", "0.5"]], MARKDOWN)
    ['| group |  AP |', '|-------|-----|', '| a     | 0.5 |']
    """
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    between = f" {style.bar} "
    if width_of is len:  # each row in one call
        form = between.join(f"%{'-' if index < names else ''}{width}s" for index, width in enumerate(widths))
        texts = [form % tuple(row) for row in rows]
    else:

        def padded(index: int, cell: str) -> str:
            blanks = " " * (widths[index] - width_of(cell))
            return cell + blanks if index < names else blanks + cell

        texts = [between.join(padded(*each) for each in enumerate(row)) for row in rows]
    rule = style.crossing.join(style.rule * (width + 2) for width in widths)
    heading, *lines = (f"{style.bar} {text} {style.bar}" for text in texts)
    return [heading, f"{style.bar}{rule}{style.bar}", *lines]


def aligned_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Right-align the cells of each column, and return one line per row.  O(cells).

    >>> aligned_lines([["group", "AP"], ["a", "0.5"]])
    ['group   AP', '    a  0.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells, of which the first is the heading, as an HTML table.  O(cells).

    >>> html_table([["a<b"], ["1"]])
    '<table><tr><th>a&lt;b</th></tr><tr><td>1</td></tr></table>'
    """
    lines = [_html_row(row, "td" if index else "th") for index, row in enumerate(rows)]
    return f"<table>{''.join(lines)}</table>"


def html_columns(columns: Mapping[str, Sequence[float]], ends: int = 5) -> str:
    """Return columns of p numbers as an HTML table: all rows, or the first and the last of many.  O(ends).

    >>> html_columns({"tp": [1.0, 2.0, 3456.0]}, ends=1)
    '<table><tr><th>tp</th></tr><tr><td>1</td></tr><tr><td>1 more</td></tr><tr><td>3,456</td></tr></table>'
    """
    rows = min(map(len, columns.values()))
    left_out = max(rows - 2 * ends, 0)
    first, last = range(ends if left_out else rows), range(rows - ends if left_out else rows, rows)
    cells = [[_cell(column[row]) for column in columns.values()] for row in (*first, *last)]
    if left_out:
        cells.insert(ends, [f"{left_out:,} more", *[""] * (len(columns) - 1)])
    return html_table([list(columns), *cells])


def number_text(number: float, digits: int = 6) -> str:
    """Write a number with `digits` digits, or more if it would look like a whole number although it is none.  O(1).

    >>> number_text(0.12345678), number_text(0.99999999)
    ('0.123457', '0.99999999')
    """
    text = f"{number:.{digits}g}"
    return repr(float(number)) if text.lstrip("-").isdigit() and number != int(text) else text


def _cell(value: float) -> str:
    return f"{value:,.0f}" if abs(value) < _MOST_WHOLE and value == int(value) else number_text(value)


def _html_row(cells: Sequence[str], tag: str) -> str:
    return "".join(["<tr>", *(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells), "</tr>"])
