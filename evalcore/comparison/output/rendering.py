"""A comparison as text: a table for a terminal, Markdown for a pull request, JSON and CSV."""

import csv
import html
import io
import math
from collections.abc import Iterable, Sequence

from evalcore.comparison.output.summary import comparison_sentences, gate_sentences, is_certain
from evalcore.comparison.output.tables import (
    BENJAMINI_HOCHBERG,
    DETECTABLE,
    HOLM,
    P_VALUE,
    TextTable,
    change_tables,
    comparison_notes,
    comparison_title,
    group_table,
    group_tables,
    measure_table,
    moved_tables,
    worse_groups,
)
from evalcore.comparison.output.tree import DifferenceRow, comparison_tree, difference_rows
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, ModelDifferences
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count
from evalcore.gate.checks import GateResult
from evalcore.report.rendering import drawn_table, json_text, without_markup, wrapped_sentence
from evalcore.text_tables import MARKDOWN, TERMINAL, html_table

_MOST_CASES = 5
"""Changed cases of each kind that a table for a terminal lists."""
_IN_DETAILS = HOLM, BENJAMINI_HOCHBERG, DETECTABLE
"""Heads of columns that a comment has in its details alone."""
_MOST_LETTERS = 60_000
"""Of a comment with its details; GitHub takes 65,536."""
_MOST_WORSE = 10
"""Groups that got worse that a comment shows before its details."""


def as_comparison_table(
    answer: ComparisonAnswer,
    question: Question,
    *,
    gate: GateResult | None = None,
    width: int | None = None,
) -> str:
    """Return a comparison for a terminal: the answer in words, the gate, tables and notes.  O(shown numbers).

    width: letters of a line, for which tables leave out columns that matter less.
    """
    lines = [wrapped_sentence(comparison_title(answer, question), width)]
    lines += [wrapped_sentence(sentence, width) for sentence in comparison_sentences(answer, question)]
    if gate is not None:
        outcome, *reasons = gate_sentences(gate)
        said = [outcome, *(f"  {reason}" for reason in reasons)]
        lines += ["", *(wrapped_sentence(line, width, "    ") for line in said)]
    left_out: set[str] = set()
    for model in answer.models:
        for table in _tables_of(model, answer, question):
            fitted = table.fitted(width)
            left_out |= {*table.rows[0]} - {*fitted.rows[0]}
            lines += ["", wrapped_sentence(fitted.title, width)] if fitted.title else []
            parts = fitted.parts(width)
            lines.append("\n\n".join(drawn_table(part, TERMINAL, fitted.names, width) for part in parts))
    notes = comparison_notes(answer, question)
    if left_out:
        heads = "; ".join(head for head in (P_VALUE, *_IN_DETAILS) if head in left_out)
        which = f" ({heads})" if heads else ""
        notes += [f"columns that do not fit on a line are left out{which}; JSON and CSV have all numbers"]
    lines += ["", *(wrapped_sentence(f"Note: {note}", width, "  ") for note in notes)] if notes else []
    return "\n".join(lines)


def _tables_of(model: ModelDifferences, answer: ComparisonAnswer, question: Question) -> Iterable[TextTable]:
    alone = len(answer.models) == 1
    whole = measure_table(model, answer.old, question.confidence)
    tables = [whole._replace(title="") if alone else whole, *group_tables(model, question.confidence)]
    for changes in model.changes:
        tables += change_tables(changes, question, _MOST_CASES)
    if not model.changes and (question.on or question.of_runs):  # an index of a row says nothing on a terminal
        tables += moved_tables(model, question, _MOST_CASES)
    yield tables[0]
    yield from tables[1:] if alone else (each._replace(title=f"{model.model}: {each.title}") for each in tables[1:])


def as_comparison_markdown(answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None) -> str:
    """Return a comparison as Markdown for a comment: the answer, the gate, measures and groups that got worse, details.

    O(shown numbers).
    """
    first, *rest = map(without_markup, comparison_sentences(answer, question))
    parts, alone = [f"**{first}**", " ".join(rest)], len(answer.models) == 1
    if gate is not None:
        outcome, *reasons = map(without_markup, gate_sentences(gate))
        mark = "\N{WHITE HEAVY CHECK MARK}" if gate.passed else "\N{CROSS MARK}"
        parts += [f"{mark} **{outcome}**", "\n".join(f"- {reason}" for reason in reasons)]
    more = []
    for model in answer.models:
        parts += _of_model(model, answer, question)
        what = "All numbers, groups and cases that changed"
        title = what if alone else f"{model.model}: {what[0].lower()}{what[1:]}"
        more.append(_details(title, _more_of(model, answer.old, question)))
    about = [comparison_title(answer, question), *comparison_notes(answer, question)]
    notes = _details("Notes", [f"- {without_markup(note)}" for note in about], "\n")
    if sum(map(len, [*parts, *more, notes])) > _MOST_LETTERS:
        more = ["The tables of groups and cases are too long for a comment; JSON and CSV have all numbers."]
    return "\n\n".join(filter(None, [*parts, *more, notes]))


def _of_model(model: ModelDifferences, answer: ComparisonAnswer, question: Question) -> list[str]:
    """Return the measures of a model, below its name if there are several, and the groups that got worse."""
    table = measure_table(model, answer.old, question.confidence).without(*_IN_DETAILS)
    title = [f"### {without_markup(table.title)}"] if len(answer.models) > 1 else []
    worse = {by: worse_groups(groups) for by, groups in model.groups.items()}
    lost = [_of_worse(by, found, len(model.groups[by]), question) for by, found in worse.items() if found]
    return [*title, _markdown(table), *lost]


def _of_worse(by: str, worse: Sequence[GroupDifferences], groups: int, question: Question) -> str:
    """Return the groups whose intervals say that they got worse, and how many do so among so many."""
    certain = sum(is_certain(group.differences[0], question.confidence) for group in worse)
    adjusted = f"{count(certain) if certain else 'none'} of them also after Holm's adjustment"
    shown = worse[:_MOST_WORSE]
    most = f"; the {len(shown)} that lost most" if len(shown) < len(worse) else ""
    what = f"{count(len(worse))} of {count(groups)} groups by {by} got worse in {worse[0].differences[0].title}"
    head = f"{what} by their intervals, {adjusted}{most}:"
    table = group_table(by, shown, question.confidence)
    return f"{without_markup(head)}\n\n{_markdown(table.without(P_VALUE, *table.others))}"


def _more_of(model: ModelDifferences, old: str, question: Question) -> list[str]:
    groups = (table.without(*table.others) for table in group_tables(model, question.confidence))
    tables = [measure_table(model, old, question.confidence), *groups]
    for changes in model.changes:
        tables += change_tables(changes, question, question.changed)
    tables += moved_tables(model, question, question.changed)
    return [f"**{without_markup(table.title)}**\n\n{_markdown(table)}" for table in tables]


def _details(title: str, parts: Sequence[str], between: str = "\n\n") -> str:
    """Return what GitHub shows when a reader opens it."""
    return f"<details>\n<summary>{html.escape(title)}</summary>\n\n{between.join(parts)}\n\n</details>"


def _markdown(table: TextTable) -> str:
    return drawn_table([list(map(_markdown_cell, row)) for row in table.rows], MARKDOWN, table.names)


def _markdown_cell(text: str) -> str:
    """Return a cell in one line; only what has letters can hold markup: intervals need no escapes."""
    return " ".join((without_markup(text) if any(map(str.isalpha, text)) else text).split())


def as_comparison_html_tables(answer: ComparisonAnswer, question: Question) -> str:
    """Return a comparison for a notebook: the answer in words, HTML tables, and notes.  O(shown numbers)."""
    said = [f"<p>{html.escape(sentence)}</p>" for sentence in comparison_sentences(answer, question)]
    tables = [
        f"<h4>{html.escape(table.title)}</h4>{html_table(table.without(*table.others).rows)}"
        for model in answer.models
        for table in _tables_of(model, answer, question)
    ]
    notes = [f"<p>Note: {html.escape(note)}</p>" for note in comparison_notes(answer, question)]
    return "".join([f"<h3>{html.escape(comparison_title(answer, question))}</h3>", *said, *tables, *notes])


def as_comparison_json(answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None) -> str:
    """Return a comparison as strict JSON, as `comparison_tree` has it.  O(numbers)."""
    tree = comparison_tree(answer, question)
    return json_text(tree if gate is None else {**tree, "gate": gate.as_tree()})


def as_comparison_csv(answer: ComparisonAnswer) -> str:
    """Return a line for each model, grouping, group and measure, in all digits; empty cells for NaN.  O(numbers)."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(DifferenceRow._fields)
    rows.writerows([_cell(value) for value in row] for row in difference_rows(answer))
    return text.getvalue().removesuffix("\n")


def _cell(value: object) -> object:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value
