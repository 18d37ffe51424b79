"""``evalcore contingency``: a report on sets of categories in files."""

from collections.abc import Sequence
from typing import Any

from evalcore.cli.asking import gate_of
from evalcore.cli.errors import is_quiet, tell
from evalcore.cli.output import Outputs, Target, about, line_width, read_once, targets_of, title_of, written
from evalcore.contingency import Contingency
from evalcore.document.documents import document_of_sections
from evalcore.document.evaluations import LABEL_SET_AVERAGES, contingency_sections
from evalcore.document.exports import as_tree
from evalcore.document.terminal import as_terminal
from evalcore.errors import EvaluationError, at_index, refuse
from evalcore.evaluation.notes import notes
from evalcore.evaluation.options import option
from evalcore.evaluation.progress import Bar, progress_bar
from evalcore.gate.numbers import numbers_of_record
from evalcore.io.columns import Selection
from evalcore.io.datasets import expand_paths
from evalcore.io.formats import BY_NAME, Reading, naming, reading_of
from evalcore.io.readers import read_columns


def write_contingency(
    *, files: Sequence[str], assigned: str, correct: str, sep: str, per_category: bool, **asked: Any
) -> None:
    """Count the categories in files, write what the options ask for, and end with code 1 if the gate fails."""
    refuse({"--sep must not be empty.": not sep})
    reading, targets, files = reading_of(asked), targets_of(asked), read_once(files)
    gate = gate_of(asked, as_typed=True)
    Outputs(targets, junit=gate.junit).check(files)
    title = title_of(files)
    with progress_bar(f"reading {title}", shown=not is_quiet()) as bar:
        given, right = read_name_lists(files, (assigned, correct), sep, bar, reading)
    if said := other_separator([*given, *right], sep):
        tell(said)
    categories = sorted(set().union(*given, *right))
    refuse({"no document has a category, assigned or correct": not categories})
    experiment = Contingency(categories)
    experiment.add_results(given, right)
    averages = {name: getattr(experiment, name)() for name in LABEL_SET_AVERAGES}
    sections = contingency_sections(averages, experiment.category_stats() if per_category or gate.conditions else {})
    tree = as_tree(sections)
    records = {"": tree["statistics"], **{f"[{name}]": each for name, each in tree.get("categories", {}).items()}}
    gate = gate.judged([each for at, record in records.items() for each in numbers_of_record(assigned, record, at)])
    sections = sections if per_category else sections[:1]

    def write(target: Target) -> None:
        if target.style == "table":
            document = document_of_sections(sections[1:], gate=gate.result)
            target.write("".join([experiment.stats_table(), as_terminal(document, line_width(target))]).rstrip("\n"))
        else:
            in_json = {**about(files), "assigned": assigned, "correct": correct}
            gate.write(target, sections, notes(sections), f"{title}: {correct}", in_json)

    gate.end(title, targets, written(targets, write))


def name_lists(cells: Sequence[Any], separator: str, column: str) -> list[list[str]]:
    """Split each cell into names: a list, a string with separators, or None.  O(characters).

    Drops blanks around names, and empty names.  Raises EvaluationError for a list written as text.

    >>> name_lists(["a, b", ["c"], None, ""], ",", "given")
    [['a', 'b'], ['c'], [], []]
    """
    written = next((row for row, cell in enumerate(cells) if isinstance(cell, str) and cell.startswith("[")), None)
    if written is not None:
        got = f"a list written as text {at_index(written)}, {cells[written]!r}; write lists to Parquet"
        raise EvaluationError(f"column {column!r} must hold lists, or names with a separator, got {got}")
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
    refuse({f"{files[0]}: there are no rows in any file": not found[0]})
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
            way_out = f"if it separates names, give {option('sep', repr(other))}"
            return f"no cell has several names between {separator!r}, but {joined!r} has {other!r}; {way_out}"
    return ""
