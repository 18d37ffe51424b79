"""Answers to questions: columns are read, rows are weighted, and the sections of their report computed."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TypeAlias, cast

from evalcore.errors import counting_kept_rows
from evalcore.evaluation.cases import PairedClasses, checked_cases
from evalcore.evaluation.column_answers import check_groups, classes_answer, predictions_answer, scores_answer
from evalcore.evaluation.grouping import sorted_groups
from evalcore.evaluation.joining import JoinedTables
from evalcore.evaluation.model import Answer, Columns, CountRecords
from evalcore.evaluation.question import Question
from evalcore.evaluation.question_checks import check_question
from evalcore.evaluation.statistics.columns import stacked
from evalcore.evaluation.statistics.group_comparisons import accuracy_differences
from evalcore.inference import Interval
from evalcore.inference.intervals import interval_of_trials, trials_of_wilson
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.rows import RowFilter
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

_WILSON = "wilson"

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
        found = _answer(question, columns)
    found = completed(question, found, rows)
    if question.ci_method is not None:
        said = f"intervals of ROC areas are {_SAID_OF_METHODS[question.ci_method]}"
        found = found._replace(notes=(*found.notes, said))
    if not question.measures.names:
        return found
    whole = question._replace(measures=question.measures.whole)
    return found._replace(complete=lambda: answer_on(whole, columns, rows))


def completed(question: Question, found: Answer, rows: RowFilter | None) -> Answer:
    """Complete what was computed of all rows by what is made of finished records.  O(statistics).

    Groups of classes are compared with the rest, and sorted; fractions get the intervals that are asked for; notes say
    which rows were left out.
    """
    found = _with_chosen_fractions(question, _with_accuracy_differences(question, found))
    found = found._replace(sections=sorted_groups(found.sections, question.sort))
    if rows is None:
        return found
    left_out = rows.notes(intervals=question.level is not None, weighted=question.weighting.column is not None)
    return found._replace(notes=(*left_out, *found.notes))


def _with_chosen_fractions(question: Question, found: Answer) -> Answer:
    """Give fractions the intervals that are asked for, and say which.  O(statistics)."""
    method = question.proportion_method
    if method is None:
        return found

    def by_method(part: Columns, level: float) -> Columns:
        chosen = {
            name: stacked([interval_by(each, cast("ProportionMethod", method)) for each in intervals.each(level)])
            for name, intervals in part.intervals.items()
            if intervals.method == _WILSON != method
        }
        return part._replace(intervals={**part.intervals, **chosen})

    sections = [
        section
        if isinstance(section.records, CountRecords)
        else section._replace(records=section.columns.map(partial(by_method, level=section.columns.level)))
        for section in found.sections
    ]
    said = f"intervals of fractions are {_SAID_OF_FRACTIONS[method]}"
    return found._replace(sections=sections, notes=(*found.notes, said))


def _with_accuracy_differences(question: Question, found: Answer) -> Answer:
    """Add the comparison of each group of classes with all other cases if it is asked for.  O(groups log groups)."""
    if not question.compare_groups or question.scores or question.level is None:
        return found
    differences = accuracy_differences(found.sections[0], question.level)
    return found._replace(sections=[*found.sections, *differences.sections], notes=(*found.notes, *differences.notes))


def _answer(question: Question, columns: ColumnArrays) -> Answer:
    tables = JoinedTables.alone(question, columns)
    if not (question.scores or question.predicted):
        return classes_answer(question, tables)
    cases, _, notes = checked_cases(question, tables)
    check_groups(question, cases.groups)
    found = predictions_answer(question, cases) if isinstance(cases, PairedClasses) else scores_answer(question, cases)
    return found._replace(notes=(*notes, *found.notes))


def interval_by(interval: Interval, method: ProportionMethod) -> Interval:
    """Return the interval of a fraction by a method, from that by Wilson; without bounds where it has none.  O(1).

    >>> interval_by(Interval(0.9, 0.595849973, 0.982124, 0.95, "wilson"), "clopper-pearson")
    0.9 [0.554984, 0.997471] (95% clopper-pearson)
    """
    if math.isnan(interval.low):
        return Interval(interval.estimate, interval.low, interval.high, interval.level, method)
    trials = _whole(trials_of_wilson(interval))
    successes = _whole(interval.estimate * trials)
    found = successes, trials, interval.estimate
    return interval_of_trials(found, interval.level, method, function="", empty="")


def _whole(number: float) -> float:
    """Return a number as the whole one that differs from it by rounding alone, if there is one.  O(1)."""
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-9) else number
