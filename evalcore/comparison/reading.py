"""The tables of a comparison are read: each model's columns from its own, what describes a case from where it is."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from evalcore.comparison.comparing import answer_comparison
from evalcore.comparison.model import ComparisonAnswer
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.question_checks import check_compare_question
from evalcore.io.columns import ColumnArrays, Selection

ReadTable: TypeAlias = Callable[[str, Selection], ColumnArrays]
"""Returns the selected columns of a table, which its name tells."""


def answer_tables(question: CompareQuestion, names: Sequence[str], read: ReadTable) -> ComparisonAnswer:
    """Read the tables and compare their models.  O(n log n) for each.

    names: of the tables, the old one first, which are also those of the models; of one table, it holds all models.
    Raises EvaluationError as `read` and `answer_comparison` do.
    """
    check_compare_question(question, len(names))
    old_name, *others = names
    if not others:
        selection = question.selection
        old = read(old_name, selection)
        return answer_comparison(
            question, old, {}, old_name=old_name, notes=_notes(question, old_name, selection, True)
        )
    selections = dict(zip(others, (question.new_selection for _ in others), strict=True))  # each counts its own rows
    new = {name: read(name, selection) for name, selection in selections.items()}
    filtered = any(selection.is_filtered for selection in selections.values())
    found = {column for columns in new.values() for column in columns}
    selections = {old_name: question.old_selection(found, filtered=filtered), **selections}
    old = read(old_name, selections[old_name])
    return answer_comparison(
        question,
        old,
        new,
        old_name=old_name,
        whole=whole_tables(question, selections),
        notes=notes_of_rows(question, selections),
    )


def whole_tables(question: CompareQuestion, selections: Mapping[str, Selection]) -> list[str]:
    """Return the tables that a condition on the rows of others left whole, after all were read.  O(tables)."""
    if question.rows.where is None:
        return []
    return [name for name, selection in selections.items() if not selection.is_filtered]


def notes_of_rows(question: CompareQuestion, selections: Mapping[str, Selection]) -> list[str]:
    """Say which rows of which table were left out, after all were read.  O(columns)."""
    return [note for name, selection in selections.items() for note in _notes(question, name, selection)]


def _notes(question: CompareQuestion, name: str, selection: Selection, single: bool = False) -> list[str]:
    """Say which rows of a table were left out, after it was read.  O(columns)."""
    if selection.rows is None:
        return []
    found = selection.rows.notes(intervals=True, weighted=question.weighting.column is not None)
    return [note if single else f"{name}: {note}" for note in found]
