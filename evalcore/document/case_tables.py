"""Tables of single cases: those that changed between two models, and the mistakes of one."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

import numpy as np

from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.evaluation.differences import ChangedCase
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.kernels.thresholds import given_number

MISTAKES = "most confident mistakes"
MOST_CASES = 5
"""Cases of each list that a table for a terminal has."""


def case_tables(lists: Mapping[str, Sequence[ChangedCase]], question: Question, most: int | None) -> list[Table]:
    """Return changed cases or queries, of each list the first `most`.  O(cases)."""
    head = [*(("query", "relevant") if question.of_runs else ("id", "label")), "old", "new"]
    kept = [0, 2, 3] if question.values else [*range(4)]  # values have no labels
    return [
        _table(title, [head[at] for at in kept], [([case[at] for at in kept], case.shown) for case in cases[:most]])
        for title, cases in lists.items()
        if cases
    ]


def mistake_tables(answer: Answer, question: Question) -> list[Table]:
    """Return the most confident mistakes of each model.  O(cases)."""
    kept = "" if question.rows.are_all and question.weighting.column is None else "kept "
    tables, place = [], "" if question.threshold is None else f" at threshold {given_number(question.threshold)}"
    for model, found in groupby(answer.mistakes, attrgetter("model")):
        cases = [*found]
        scored = cases[0].score is not None
        head = [f"{kept}row", "label", "predicted", *["score"] * scored]
        rows = [(case[1 : 4 + scored], case.shown) for case in cases]
        tables.append(_table(f"{MISTAKES} of {model}{place}", head, rows))
    return tables


def _table(title: str, head: Sequence[str], cases: Sequence[tuple[Sequence[object], Mapping[str, str]]]) -> Table:
    """Return a row for each case: its values, the first of them its name, and the texts that are shown beside them."""
    rows: list[list[AnyCell]] = [
        [_case_text(name), *map(_cell, values), *texts.values()] for (name, *values), texts in cases
    ]
    shown = [*cases[0][1]]
    return Table(title, [*head, *shown], rows, shown=len(shown))


def _cell(value: object) -> Cell:
    text = _case_text(value)
    full = repr(float(value)) if isinstance(value, float | np.floating) else ""
    return Cell(text, "" if full == text else full)


def _case_text(value: object) -> str:
    """Return an id, a label, a score or a class as text; an id of several columns as a list.  O(1)."""
    if isinstance(value, tuple):
        return ", ".join(map(_case_text, value))
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
