"""Statistics of sets of categories assigned to documents: what ``evalcore contingency`` reports."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.errors import EvaluationError, at_index
from evalcore.io.columns import Selection
from evalcore.io.formats import naming
from evalcore.io.paths import expanded
from evalcore.io.readers import read_columns
from evalcore.report.model import Section, Statistic
from evalcore.report.progress import Bar

AVERAGES = {
    f"{kind}_{name}": f"{name}, {kind} average"
    for kind in ("macro", "micro")
    for name in ("recall", "precision", "F1", "accuracy", "error")
}
"""Titles of what is reported of all categories, by the methods of `Contingency`."""


def name_lists(cells: Sequence[Any], separator: str, column: str) -> list[list[str]]:
    """Read the names in each cell: a list of them, a string with separators, or None.  O(letters).

    Blanks around names are dropped, and so are empty names.  Raises EvaluationError for lists written as text.

    >>> name_lists(["a, b", ["c"], None, ""], ",", "given")
    [['a', 'b'], ['c'], [], []]
    """
    written = next((row for row, cell in enumerate(cells) if isinstance(cell, str) and cell.startswith("[")), None)
    if written is not None:
        raise EvaluationError(
            f"column {column!r} holds a list written as text {at_index(written)}, {cells[written]!r}; write lists to "
            "Parquet, or names with a separator"
        )
    parts = (cell.split(separator) if isinstance(cell, str) else cell or () for cell in cells)
    names = ([str(part).strip() for part in cell if part is not None] for cell in parts)
    return [[name for name in cell if name] for cell in names]


def read_name_lists(
    paths: Sequence[str], columns: Sequence[str], separator: str, bar: Bar
) -> tuple[list[list[str]], ...]:
    """Read the names in each cell of some columns of files, one list of cells for each column.

    paths: as `evalcore.io.paths.expanded` takes them.  O(bytes).

    Raises EvaluationError that names the file for what cannot be read, and for files without rows.

    >>> read_name_lists(["nowhere.csv"], ["given", "right"], ",", Bar(print))
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.csv: no such file
    """
    selection = Selection(tuple(columns), as_text=True)
    found: tuple[list[list[str]], ...] = tuple([] for _ in columns)
    files = expanded(paths)
    for file in files:
        cells = read_columns(file, selection, bar.of(file), needs_rows=len(files) == 1)
        with naming(file):
            for lists, name in zip(found, columns, strict=True):
                lists.extend(name_lists(cells[name].tolist(), separator, name))
    if not found[0]:
        raise EvaluationError(f"{files[0]}: there are no rows in any file")
    return found


def contingency_sections(
    averages: Mapping[str, float], categories: Mapping[Any, Mapping[str, int | float]]
) -> list[Section]:
    """Put macro and micro statistics into a section, and those of each category, if there are any, into another.  O(k).

    averages: by the names of `AVERAGES`; categories: statistics by their names, by category.

    >>> sections = contingency_sections(dict.fromkeys(AVERAGES, 0.5), {"sports": {"a": 1}})
    >>> sections[0].records[""][0]
    Statistic(name='macro_recall', title='recall, macro average', value=0.5, interval=None)
    >>> sections[1].records["sports"]
    [Statistic(name='a', title='a', value=1, interval=None)]
    """
    statistics = [Statistic(name, title, averages[name]) for name, title in AVERAGES.items()]
    sections = [Section("statistics", "", "", {"": statistics}, across=True)]
    if categories:
        records = {str(name): _statistics(values) for name, values in categories.items()}
        sections.append(Section("categories", "by category", "category", records))
    return sections


def _statistics(values: Mapping[str, int | float]) -> list[Statistic]:
    return [Statistic(name, name, value) for name, value in values.items()]
