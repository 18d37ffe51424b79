"""Tables of single cases: those that changed between two models, and the mistakes of one."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter

import numpy as np

from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.errors import shortened
from evalcore.evaluation.differences import ChangedCase
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.kernels.thresholds import given_number

MISTAKES = "most confident mistakes"
MOST_CASES = 5
"""Cases of each list that a table for a terminal has."""


def case_tables(
    lists: Mapping[str, Sequence[ChangedCase]], question: Question, most: int | None, end: str = "", whole: bool = False
) -> list[Table]:
    """Return changed cases or queries, at most so many of each list.  O(cases).

    end: of titles; whole: whether texts that are shown beside cases are whole.
    """
    head = [*(("query", "relevant") if question.of_runs else ("id", "label")), "old", "new"]
    return [
        _table(f"{title}{end}", head, [(case[:-1], case.shown) for case in cases[:most]], whole=whole)
        for title, cases in lists.items()
        if cases
    ]


def mistake_tables(answer: Answer, question: Question, *, whole: bool = False) -> list[Table]:
    """Return the most confident mistakes of each model, whose texts are whole if asked for.  O(cases)."""
    kept = "" if question.rows.are_all and question.weighting.column is None else "kept "
    tables, place = [], "" if question.threshold is None else f" at threshold {given_number(question.threshold)}"
    for model, found in groupby(answer.mistakes, attrgetter("model")):
        cases = [*found]
        scored = cases[0].score is not None
        head = [f"{kept}row", "label", "predicted", *["score"] * scored]
        rows = [(case[1 : 4 + scored], case.shown) for case in cases]
        tables.append(_table(f"{MISTAKES} of {model}{place}", head, rows, whole=whole))
    return tables


def _table(
    title: str, head: Sequence[str], cases: Sequence[tuple[Sequence[object], Mapping[str, str]]], *, whole: bool
) -> Table:
    """Return a row for each case: its values, the first of them its name, and the texts that are shown beside them."""
    shown, rows = [*cases[0][1]], list[list[AnyCell]]()
    texts = [[each if whole else _in_one_line(each) for each in own.values()] for _, own in cases]
    widths = [0 if whole else max(map(len, column)) for column in zip(*texts, strict=True)]
    for ((name, *values), _), own in zip(cases, texts, strict=True):
        aligned = (text.ljust(width) for text, width in zip(own, widths, strict=True))
        rows.append([_case_text(name), *map(_cell, values), *aligned])
    return Table(title, [*head, *shown], rows, shown=len(shown))


def _in_one_line(text: str) -> str:
    r"""Return the first letters of a text in one line, without those that cannot be printed, such as colours.

    >>> _in_one_line("one\n two \x1b[31m" + "long " * 20)
    'one two [31mlong long long long long long long long long ...'
    """
    return shortened("".join(filter(str.isprintable, " ".join(text.split()))))


def _cell(value: object) -> Cell:
    text = _case_text(value)
    full = repr(float(value)) if isinstance(value, float | np.floating) else ""
    return Cell(text, "" if full == text else full)


def _case_text(value: object) -> str:
    """Return an id, a label, a score or a class as text; an id of several columns as a list.  O(1)."""
    if isinstance(value, tuple):
        return ", ".join(map(_case_text, value))
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
