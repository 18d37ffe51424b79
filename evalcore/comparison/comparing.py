"""Answers to questions of comparison: tables are joined, their columns checked, and the differences measured."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from evalcore.comparison.compared_models import compared_models
from evalcore.comparison.differences.changes import class_changes, score_changes
from evalcore.comparison.differences.class_differences import class_differences, class_group_differences
from evalcore.comparison.differences.group_differences import group_differences
from evalcore.comparison.differences.score_differences import score_differences
from evalcore.comparison.differences.score_notes import score_notes
from evalcore.comparison.margins import check_margins_of
from evalcore.comparison.model import ComparisonAnswer, ModelDifferences
from evalcore.comparison.pairing.cases import PairedCases, PairedClasses
from evalcore.comparison.pairing.checked_cases import CheckedCases, checked_cases
from evalcore.comparison.pairing.joining import joined_tables
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.question_checks import check_compare_question
from evalcore.io.columns import ColumnArrays, Selection

OLD = "old"
"""The name of a table that has no other."""


ReadTable: TypeAlias = Callable[[str, Selection], ColumnArrays]
"""Returns the selected columns of a table, which its name tells."""


def answer_tables(question: CompareQuestion, names: Sequence[str], read: ReadTable) -> ComparisonAnswer:
    """Read tables, each model's columns from its own, and compare their models.  O(n log n) for each.

    names: of the tables, the old one first, which are also those of the models; of one table, it holds all models.
    Raises EvaluationError as `read` and `check_compare_question` do, and for tables that cannot be joined or columns
    that are invalid.
    """
    check_compare_question(question, len(names))
    checked, old = _joined_cases(question, names, read)  # other columns take no memory while differences are measured
    cases = checked.cases
    if isinstance(cases, PairedClasses):
        found = _of_classes(question, cases)
        check_margins_of(found, question.margin)
        return ComparisonAnswer(old, found, checked.joins, checked.notes, classes=cases)
    found = _of_scores(question, cases)
    said = score_notes(cases, question, found)
    check_margins_of(found, question.margin)
    kept = cases._replace(labels=None)  # which hold all rows of a table
    return ComparisonAnswer(old, found, checked.joins, (*checked.notes, *said), kept)


def _joined_cases(question: CompareQuestion, names: Sequence[str], read: ReadTable) -> tuple[CheckedCases, str]:
    """Read and join tables, and return their cases and the name of the old model.  O(n log n)."""
    old_name, *others = names
    selections = dict(zip(others, (question.new_selection for _ in others), strict=True))  # each counts its own rows
    new = {name: read(name, selection) for name, selection in selections.items()}
    filtered = any(selection.is_filtered for selection in selections.values())
    found = {column for columns in new.values() for column in columns}
    of_old = question.old_selection(found, filtered=filtered) if others else question.selection
    old = read(old_name, of_old)
    selections = {old_name: of_old, **selections}
    whole = [name for name, selection in selections.items() if not selection.is_filtered]
    tables = joined_tables(question, old, new, old_name, whole if question.rows.where is not None else ())
    models = compared_models(question, old_name, new)
    checked = checked_cases(question, tables, models, {None: old_name, **{name: name for name in new}})
    notes = [
        f"{name}: {note}" if others else note
        for name, selection in selections.items()
        if selection.rows is not None
        for note in selection.rows.notes(intervals=True, weighted=question.weighting.column is not None)
    ]
    return checked._replace(notes=(*notes, *checked.notes)), models[0].name


def _of_scores(question: CompareQuestion, cases: PairedCases) -> list[ModelDifferences]:
    """Return what differs between columns of scores.  O(n log n) for each."""
    differences = score_differences(cases, question)
    of_groups = group_differences(cases, question)
    changes = score_changes(cases, question)
    return [
        ModelDifferences(model, found, groups, *changed)
        for model, found, groups, changed in zip(cases.new, differences, of_groups, changes, strict=True)
    ]


def _of_classes(question: CompareQuestion, cases: PairedClasses) -> list[ModelDifferences]:
    """Return what differs between columns of predicted classes.  O(n + k²) for each."""
    found = class_differences(cases, question), class_group_differences(cases, question), class_changes(cases, question)
    return [
        ModelDifferences(model, differences, groups, [changes])
        for model, differences, groups, changes in zip(cases.new, *found, strict=True)
    ]
