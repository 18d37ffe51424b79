"""Answers to questions of comparison: tables are joined, their columns checked, and the differences measured."""

from collections.abc import Collection, Mapping, Sequence

from evalcore.comparison.compared_models import compared_models
from evalcore.comparison.differences.changes import class_changes, score_changes
from evalcore.comparison.differences.class_differences import class_differences, class_group_differences
from evalcore.comparison.differences.group_differences import group_differences
from evalcore.comparison.differences.score_differences import score_differences
from evalcore.comparison.differences.score_notes import score_notes
from evalcore.comparison.margins import check_margins_of
from evalcore.comparison.model import ComparisonAnswer, ModelDifferences
from evalcore.comparison.pairing.cases import PairedCases, PairedClasses
from evalcore.comparison.pairing.checked_cases import checked_cases
from evalcore.comparison.pairing.joining import joined_tables
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.question_checks import check_compare_question
from evalcore.io.columns import ColumnArrays

OLD = "old"
"""The name of a table that has no other."""


def answer_comparison(
    question: CompareQuestion,
    old: ColumnArrays,
    new: Mapping[str, ColumnArrays],
    *,
    old_name: str = OLD,
    whole: Collection[str] = (),
    notes: Sequence[str] = (),
) -> ComparisonAnswer:
    """Compare models whose columns were read.  O(n log n) for each.

    old: the columns of the old model, of all models if there is no new table; new: those of new tables, by name;
    whole: tables that lack the columns of a condition on rows, so that they may have other rows; notes: what is said of
    rows that were left out.  Raises EvaluationError for tables that cannot be joined or columns that are invalid, and
    as `check_compare_question` does.
    """
    check_compare_question(question, 1 + len(new))
    tables = joined_tables(question, old, new, old_name, whole)
    models = compared_models(question, old_name, new)
    checked = checked_cases(question, tables, models, {None: old_name, **{name: name for name in new}})
    cases = checked.cases
    said: Sequence[str] = ()
    if isinstance(cases, PairedClasses):
        found = _of_classes(question, cases)
    else:
        found = _of_scores(question, cases)
        said = score_notes(cases, question, found)
    check_margins_of(found, question.margin)
    return ComparisonAnswer(
        models[0].name,
        found,
        checked.joins,
        (*notes, *checked.notes, *said),
        None if isinstance(cases, PairedClasses) else cases._replace(labels=None),  # which hold all rows of a table
        cases if isinstance(cases, PairedClasses) else None,
    )


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
