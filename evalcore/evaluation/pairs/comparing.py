"""Answers to questions of comparison: tables are joined, their columns checked, and the differences measured."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from evalcore.evaluation.differences.changes import class_changes, score_changes
from evalcore.evaluation.differences.class_differences import class_differences, class_group_differences
from evalcore.evaluation.differences.judging import check_margin_names
from evalcore.evaluation.differences.score_differences import group_differences, score_differences
from evalcore.evaluation.pairs.cases import PairedCases, PairedClasses
from evalcore.evaluation.pairs.checked_cases import CheckedCases, checked_cases
from evalcore.evaluation.pairs.joining import compared_models, joined_tables
from evalcore.evaluation.pairs.model import ComparisonAnswer, ModelDifferences
from evalcore.evaluation.pairs.score_notes import score_notes
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_paired_question
from evalcore.io.columns import ColumnArrays, Selection

OLD = "old"
"""The name of a table that has no other."""


ReadTable: TypeAlias = Callable[[str, Selection], ColumnArrays]
"""Returns the selected columns of a table, which its name tells."""


def answer_tables(question: Question, names: Sequence[str], read: ReadTable) -> ComparisonAnswer:
    """Read tables, each model's columns from its own, and compare their models.  O(n log n) for each.

    names: of the tables, the old one first, which are also those of the models; of one table, it holds all models.
    Raises EvaluationError as `read` and `check_paired_question` do, and for tables that cannot be joined or columns
    that are invalid.
    """
    check_paired_question(question, len(names))
    checked, old = _joined_cases(question, names, read)  # other columns take no memory while differences are measured
    cases = checked.cases
    found = differences_of_models(cases, question)
    if isinstance(cases, PairedClasses):
        changes = class_changes(cases, question)
        found = [model._replace(changes=[changed]) for model, changed in zip(found, changes, strict=True)]
        answer = ComparisonAnswer(old, found, checked.joins, checked.notes, classes=cases)
    else:
        moved = score_changes(cases, question)
        found = [model._replace(**each._asdict()) for model, each in zip(found, moved, strict=True)]
        notes = *checked.notes, *score_notes(cases, question, found)
        kept = cases._replace(labels=None)  # which hold all rows of a table
        answer = ComparisonAnswer(old, found, checked.joins, notes, kept)
    # whether losses are compared is known only after all scores were read
    check_margin_names(question.margin, (item.measure for model in found for item in model.differences))
    return answer


def differences_of_models(cases: PairedCases | PairedClasses, question: Question) -> list[ModelDifferences]:
    """Return the differences of each new model, in all cases and in groups.  O(n log n) for each, or O(n + k²)."""
    if isinstance(cases, PairedClasses):
        found = zip(class_differences(cases, question), class_group_differences(cases, question), strict=True)
    else:
        found = zip(score_differences(cases, question), group_differences(cases, question), strict=True)
    return [ModelDifferences(model, *of_model) for model, of_model in zip(cases.new, found, strict=True)]


def _joined_cases(question: Question, names: Sequence[str], read: ReadTable) -> tuple[CheckedCases, str]:
    """Read and join tables, and return their cases and the name of the old model.  O(n log n)."""
    old_name, *others = names
    selections = dict(zip(others, (question.new_selection for _ in others), strict=True))  # each counts its own rows
    new = {name: read(name, selection) for name, selection in selections.items()}
    filtered = any(selection.is_filtered for selection in selections.values())
    found = {column for columns in new.values() for column in columns}
    of_old = question.old_selection(found, filtered=filtered) if others else question.paired_selection
    old = read(old_name, of_old)
    selections = {old_name: of_old, **selections}
    whole = [name for name, selection in selections.items() if not selection.is_filtered]
    tables = joined_tables(question, old, new, old_name, whole if question.rows.where is not None else ())
    models = compared_models(question, old_name, new)
    checked = checked_cases(question, tables, models)
    notes = [
        f"{name}: {note}" if others else note
        for name, selection in selections.items()
        if selection.rows is not None
        for note in selection.rows.notes(intervals=True, weighted=question.weighting.column is not None)
    ]
    return checked._replace(notes=(*notes, *checked.notes)), models[0].name
