"""Statistics of sets of categories assigned to documents, which ``evalcore contingency`` reports."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.errors import EvaluationError, at_index
from evalcore.io.columns import Selection
from evalcore.io.datasets import expand_paths
from evalcore.io.formats import BY_NAME, Reading, naming
from evalcore.io.readers import read_columns
from evalcore.report.model import Section, Statistic
from evalcore.report.options import option
from evalcore.report.progress import Bar

LABEL_SET_AVERAGES = {
    f"{kind}_{name}": f"{name}, {kind} average"
    for kind in ("macro", "micro")
    for name in ("recall", "precision", "F1", "accuracy", "error")
}
"""Titles of the averages over all categories, by the methods of `Contingency`."""


def name_lists(cells: Sequence[Any], separator: str, column: str) -> list[list[str]]:
    """Split each cell into names: a list, a string with separators, or None.  O(characters).

    Drops blanks around names, and empty names.  Raises EvaluationError for a list written as text.

    >>> name_lists(["a, b", ["c"], None, ""], ",", "given")
    [['a', 'b'], ['c'], [], []]
    """
    written = next((row for row, cell in enumerate(cells) if isinstance(cell, str) and cell.startswith("[")), None)
    if written is not None:
        raise EvaluationError(
            f"column {column!r} must hold lists, or names with a separator, got a list written as text "
            f"{at_index(written)}, {cells[written]!r}; write lists to Parquet"
        )
    parts = (cell.split(separator) if isinstance(cell, str) else cell or () for cell in cells)
    names = ([str(part).strip() for part in cell if part is not None] for cell in parts)
    return [[name for name in cell if name] for cell in names]


def read_name_lists(
    paths: Sequence[str], columns: Sequence[str], separator: str, bar: Bar, reading: Reading = BY_NAME
) -> tuple[list[list[str]], ...]:
    """Return the names in each cell of some columns of files: a list of cells for each column.  O(bytes).

    Raises EvaluationError, with the file's name, for a file that cannot be read, and if no file has a row.
    """
    selection = Selection(tuple(columns), as_text=True, reading=reading)
    found: tuple[list[list[str]], ...] = tuple([] for _ in columns)
    files = expand_paths(paths, reading)
    for file in files:
        cells = read_columns(file, selection, bar, needs_rows=len(files) == 1)
        with naming(file):
            for lists, name in zip(found, columns, strict=True):
                lists.extend(name_lists(cells[name].tolist(), separator, name))
    if not found[0]:
        raise EvaluationError(f"{files[0]}: there are no rows in any file")
    return found


def other_separator(cells: Sequence[Sequence[str]], separator: str) -> str:
    """Say which sign seems to separate names where the separator never does; empty if there is none.  O(characters).

    >>> other_separator([["a;b"], ["b"]], ",")
    "no cell has several names between ',', but 'a;b' has ';'; if it separates names, give sep=';'"
    """
    alone = {name for names in cells for name in names}
    for other in ",;|":
        joined = min((name for name in alone if other in name), default=None)
        if joined is not None and other != separator and max(map(len, cells)) == 1:
            return (
                f"no cell has several names between {separator!r}, but {joined!r} has {other!r}; if it separates "
                f"names, give {option('sep', repr(other))}"
            )
    return ""


def contingency_sections(
    averages: Mapping[str, float], categories: Mapping[Any, Mapping[str, int | float]]
) -> list[Section]:
    """Return a section of `LABEL_SET_AVERAGES` and, if there are categories, one of them.  O(k)."""
    statistics = [Statistic(name, title, averages[name]) for name, title in LABEL_SET_AVERAGES.items()]
    sections = [Section("statistics", "", "", {"": statistics}, across=True)]
    if categories:
        records = {
            str(category): [Statistic(name, name, value) for name, value in values.items()]
            for category, values in categories.items()
        }
        sections.append(Section("categories", "by category", "category", records))
    return sections
