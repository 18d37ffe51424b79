"""The tables of a comparison are read: each model's columns from its own, what describes a case from where it is."""

from collections.abc import Callable, Sequence
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
    selections = dict(zip(others, (question.new_selection for _ in others), strict=True))  # each counts its own rows
    new = {name: read(name, selection) for name, selection in selections.items()}
    filtered = any(selection.is_filtered for selection in selections.values())
    found = {column for columns in new.values() for column in columns}
    of_old = question.old_selection(found, filtered=filtered) if others else question.selection
    old = read(old_name, of_old)
    selections = {old_name: of_old, **selections}
    whole = [name for name, selection in selections.items() if not selection.is_filtered]
    notes = [
        f"{name}: {note}" if others else note
        for name, selection in selections.items()
        if selection.rows is not None
        for note in selection.rows.notes(intervals=True, weighted=question.weighting.column is not None)
    ]
    filtering = question.rows.where is not None
    return answer_comparison(question, old, new, old_name=old_name, whole=whole if filtering else (), notes=notes)
