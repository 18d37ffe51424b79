"""Statistics of sets of categories assigned to documents: what ``evalcore contingency`` reports."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore import Contingency, EvaluationError
from evalcore.errors import at_index
from evalcore.io.columns import Selection
from evalcore.io.formats import naming
from evalcore.io.paths import expanded
from evalcore.io.readers import read_columns
from evalcore.report.model import Section, Statistic
from evalcore.report.progress import Bar

_STATISTICS = ("recall", "precision", "F1", "accuracy", "error")


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


def contingency_of(assigned: list[list[str]], correct: list[list[str]]) -> Contingency:
    """Tally lists of names; all names are categories, sorted.  O(names log names).

    Raises EvaluationError if there is no name at all.

    >>> contingency_of([["a"], ["b"]], [["a"], ["a", "b"]])
    Contingency(categories=2, results=2, a=2, b=0, c=1, d=1)
    """
    categories = sorted(set().union(*assigned, *correct))
    if not categories:
        raise EvaluationError("no document has a category, assigned or correct")
    experiment = Contingency(categories)
    experiment.add_results(assigned, correct)
    return experiment


def contingency_sections(experiment: Contingency, per_category: bool) -> list[Section]:
    """Put micro and macro statistics into a section, and those of each category into another if wanted.  O(k).

    >>> sections = contingency_sections(contingency_of([["a"]], [["a"]]), per_category=True)
    >>> sections[0].records[""][0]
    Statistic(name='macro_recall', title='recall, macro', value=1.0, interval=None)
    >>> sections[1].records["a"][0]
    Statistic(name='a', title='a', value=1, interval=None)
    """
    averages = [
        Statistic(f"{kind}_{name}", f"{name}, {kind}", getattr(experiment, f"{kind}_{name}")())
        for kind in ("macro", "micro")
        for name in _STATISTICS
    ]
    sections = [Section("statistics", "", "", {"": averages}, across=True)]
    if per_category:
        records = {str(name): _statistics(values) for name, values in experiment.category_stats().items()}
        sections.append(Section("categories", "by category", "category", records))
    return sections


def _statistics(values: Mapping[str, int | float]) -> list[Statistic]:
    return [Statistic(name, name, value) for name, value in values.items()]
