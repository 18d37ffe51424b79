"""Tables of text: aligned columns for a terminal, and HTML for a notebook."""

import html
from collections.abc import Sequence


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


def _html_row(cells: Sequence[str], tag: str) -> str:
    return "".join(["<tr>", *(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells), "</tr>"])
