"""Answers to questions: columns are read, rows are weighted, and the sections of their report computed."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeAlias, cast

from evalcore.errors import counting_kept_rows
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.rows import RowFilter
from evalcore.report.class_answers import classes_answer, predictions_answer
from evalcore.report.group_choice import sorted_groups
from evalcore.report.model import Answer
from evalcore.report.question import Question
from evalcore.report.question_checks import check_question
from evalcore.report.score_answers import answer_on_scores
from evalcore.report.statistics.group_differences import accuracy_differences
from evalcore.report.statistics.proportion_methods import with_proportion_method
from evalcore.report.weighting import case_weights, present_rows
from evalcore.typing import ProportionMethod

_SAID_OF_METHODS = {
    "delong-wilson": "Wilson's, with DeLong's variance",
    "delong": "DeLong's",
    "delong-logit": "DeLong's, of the logit",
}

_SAID_OF_FRACTIONS = {
    "wilson": "Wilson's",
    "clopper-pearson": "Clopper and Pearson's",
    "jeffreys": "Jeffreys'",
    "agresti-coull": "Agresti and Coull's",
    "normal": "normal ones",
}

Read: TypeAlias = Callable[[Selection], ColumnArrays]
"""Returns the selected columns."""


def answer(question: Question, read: Read) -> Answer:
    """Read the columns and return the sections of their report.  O(n log n) for each column of scores.

    Raises EvaluationError as `check_question`, `read` and the reports do.
    """
    check_question(question)
    selection = question.selection
    return answer_on(question, read(selection), selection.rows)


def answer_on(question: Question, columns: ColumnArrays, rows: RowFilter | None) -> Answer:
    """Return the sections of the report on columns that were read; rows: what left rows out, if anything did.

    O(n log n) for each column of scores.
    """
    with nullcontext() if rows is None else counting_kept_rows():
        found = with_chosen_fractions(question, with_accuracy_differences(question, _answer(question, columns)))
    found = found._replace(sections=sorted_groups(found.sections, question.grouping.sort))
    if rows is not None:
        found = found._replace(notes=(*notes_of_rows(question, rows), *found.notes))
    if question.ci_method is not None:
        said = f"intervals of ROC areas are {_SAID_OF_METHODS[question.ci_method]}"
        found = found._replace(notes=(*found.notes, said))
    if not question.measures.names:
        return found
    whole = question._replace(measures=question.measures.whole)
    return found._replace(complete=lambda: answer_on(whole, columns, rows))


def notes_of_rows(question: Question, rows: RowFilter) -> tuple[str, ...]:
    """Say which rows were left out, after all were read.  O(columns)."""
    return rows.notes(intervals=question.level is not None, weighted=question.weighting.column is not None)


def with_chosen_fractions(question: Question, found: Answer) -> Answer:
    """Give fractions the intervals that are asked for, and say which.  O(statistics)."""
    method = question.proportion_method
    if method is None:
        return found
    sections = with_proportion_method(found.sections, cast("ProportionMethod", method))
    said = f"intervals of fractions are {_SAID_OF_FRACTIONS[method]}"
    return found._replace(sections=sections, notes=(*found.notes, said))


def with_accuracy_differences(question: Question, found: Answer) -> Answer:
    """Add the comparison of each group of classes with all other cases if it is asked for.  O(groups log groups)."""
    if not question.grouping.compare_groups or question.scores or question.level is None:
        return found
    differences = accuracy_differences(found.sections[0], question.level)
    return found._replace(sections=[*found.sections, *differences.sections], notes=(*found.notes, *differences.notes))


def _answer(question: Question, columns: ColumnArrays) -> Answer:
    present, weights = present_rows(columns, question.weighting)
    with nullcontext() if present is columns else counting_kept_rows():
        if question.scores:
            return answer_on_scores(question, present, weights)
        own = case_weights(weights, frequencies=question.weighting.of_frequencies)
        if question.predicted is not None:
            return predictions_answer(question, question.predicted, present, own)
        return classes_answer(question, present, own)
