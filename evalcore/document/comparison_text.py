"""A comparison as text: tables of measures, groups and what changed hands, Markdown, JSON and CSV.

`tests/document/comparison/comparison.schema.json` describes the tree of JSON.  Its schema_version grows when an entry
loses its name or its meaning; entries may be added within a version.
"""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from evalcore.document import rendering
from evalcore.document.case_tables import MOST_CASES, case_tables
from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.document.words import comparison as words
from evalcore.equality import is_nan
from evalcore.evaluation import differences
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, MeasureDifference, ModelDifferences
from evalcore.evaluation.measure_choice import plain_margin
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, listed
from evalcore.gate.checks import GateResult
from evalcore.kernels.thresholds import given_number, plain_number

MOST_FROM_EACH_END = 20
"""Groups that are shown from each end of more than twice as many."""
VERDICT = "verdict"
DETECTABLE, P_VALUE, HOLM, BENJAMINI_HOCHBERG = "detectable", "p", "p, Holm", "p, B-H"
"""Heads of columns that a narrow table leaves out, the first of them first."""
_DROPPED = DETECTABLE, BENJAMINI_HOCHBERG, HOLM, P_VALUE


COMPARISON_SCHEMA_VERSION = 2
ROW = (
    "model", "grouping", "group", "cases", "measure", "old", "new", "difference", "low", "high", "p_value",
    "p_value_holm", "p_value_benjamini_hochberg", "margin", "verdict", "detectable", "method",
)  # fmt: skip
"""The columns of CSV."""


def comparison_title(answer: ComparisonAnswer, question: Question) -> str:
    """Return what is compared with what: the title of a comparison.  O(models).

    >>> comparison_title(ComparisonAnswer("logistic", [ModelDifferences("boosting", [])]), Question("late"))
    'late: boosting (new) against logistic (old)'
    >>> comparison_title(ComparisonAnswer("old", [ModelDifferences("new", [])]), Question("late"))
    'late: new against old'
    """
    names = [each.model for each in answer.models]
    new, old = listed(names, most=4), answer.old
    new, old = new if names == ["new"] else f"{new} (new)", old if old == "old" else f"{old} (old)"
    return f"{question.label}: {new} against {old}{question.weighting.in_titles}"


def measure_table(model: ModelDifferences, old: str, level: float) -> Table:
    """Return a row for each measure of a model.  O(measures)."""
    head = ["measure", *_compared_heads(level), P_VALUE, HOLM, BENJAMINI_HOCHBERG, DETECTABLE]
    rows = list[list[AnyCell]]()
    for item in model.differences:
        tested = map(_cell, (item.found.p_value, item.holm, item.benjamini_hochberg))
        detectable = _cell(item.detectable, words.plain_text(item.detectable))
        rows.append([item.title, *_compared_cells(item), *tested, detectable])
    return Table(f"{model.model} against {old}", head, rows, optional=_DROPPED)


def _compared_heads(level: float) -> list[str]:
    return ["old", "new", f"difference, {100 * level:g}% interval", VERDICT]


def _compared_cells(item: MeasureDifference) -> list[Cell]:
    """Return the cells of both models, of their difference with its interval, and of the verdict with its margin."""
    texts = words.difference_texts(item)
    margin = f"{plain_number(item.margin)}{words.judging_interval(item)}" if item.margin > 0 else ""
    return [
        _cell(item.old, texts.old),
        _cell(item.new, texts.new),
        difference_cell(item),
        Cell(item.verdict, "", margin and f"margin {margin}", f"{item.verdict}, {margin}" if margin else ""),
    ]


def difference_cell(item: MeasureDifference) -> Cell:
    """Return the cell of a difference with its interval.  O(1)."""
    texts, found = words.difference_texts(item), item.found
    full = _cell(found.difference).full
    interval = f", {found.low!r} to {found.high!r}" if texts.bounds else ""
    return Cell(texts.difference, f"{full}{interval}", texts.bounds, texts.bounded)


def _cell(value: float, text: str = "") -> Cell:
    """Return the cell of a number as a text, by default as that of a p-value."""
    return Cell(text or words.p_text(value), "" if np.isnan(value) else repr(float(value)))


def _in_text(table: Table) -> Table:
    """Return a table whose head says whether margins stand behind verdicts, without columns that have no number."""
    verdicts = [cell for row in table.rows for head, cell in zip(table.head, row, strict=True) if head == VERDICT]
    margin = f"{VERDICT}, margin" if any(isinstance(cell, Cell) and cell.below for cell in verdicts) else VERDICT
    table = table._replace(head=[margin if head == VERDICT else head for head in table.head])
    may_go, empty, columns = {margin, *_DROPPED}, {"", words.MISSING}, zip(*table.texts, strict=True)
    kept = [index for index, (name, *texts) in enumerate(columns) if name not in may_go or not empty.issuperset(texts)]
    return table.columns(kept)


def group_tables(model: ModelDifferences, level: float) -> Iterator[Table]:
    """Yield a table for each grouping: the main measure of each group, and differences of the others.  O(groups)."""
    for by, groups in model.groups.items():
        if kept := ends_of_groups(groups):
            table = _in_text(group_table(by, kept, level))
            more = [f"... and {count(len(groups) - len(kept))} more", *[""] * (len(table.head) - 1)]
            between = [more] if len(kept) < len(groups) else []
            yield table._replace(rows=[*table.rows[:MOST_FROM_EACH_END], *between, *table.rows[MOST_FROM_EACH_END:]])


def group_table(by: str, groups: Sequence[GroupDifferences], level: float, others: str = "{}, difference") -> Table:
    """Return a row for each of some groups of a column; others: the head of the difference of another measure.

    O(groups).
    """
    more = [others.format(item.title) for item in groups[0].differences[1:]]
    head = [by, "cases", *_compared_heads(level), P_VALUE, HOLM, *more]
    title = f"{groups[0].differences[0].title} by {by}, the groups that got worse first"
    rows = list[list[AnyCell]]()
    for name, cases, (main, *rest) in ((group.group, group.cases, group.differences) for group in groups):
        tested = map(_cell, (main.found.p_value, main.holm))
        further = (difference_cell(item)._replace(line="") for item in rest)
        rows.append([name, Cell(count(cases)), *_compared_cells(main), *tested, *further])
    return Table(title, head, rows, optional=(*reversed(more), P_VALUE, HOLM), others=more)


def ends_of_groups(groups: Sequence[GroupDifferences]) -> Sequence[GroupDifferences]:
    """Return the groups, or of more than 40 the first and the last 20 of them.  O(1)."""
    most = MOST_FROM_EACH_END
    return groups if len(groups) <= 2 * most else [*groups[:most], *groups[-most:]]


def worse_groups(groups: Sequence[GroupDifferences]) -> list[GroupDifferences]:
    """Return the groups whose main measure got worse, as its interval shows.  O(groups)."""
    bounded = [group for group in groups if words.is_bounded(group.differences[0])]
    mains = [group.differences[0] for group in bounded]
    worse = [item.found.low > 0 if item.lower_is_better else item.found.high < 0 for item in mains]
    return [*compress(bounded, worse)]


def comparison_notes(answer: ComparisonAnswer, question: Question) -> list[str]:
    """Say which rows were compared, and what a reader must know beside the numbers.  O(models)."""
    joined = []
    for model, counts in answer.joins.items():
        left_out = {
            "that only the old side has were left out": counts.only_old,
            "that only the new side has were left out": counts.only_new,
            "rows repeat an id and were left out": counts.repeated_old + counts.repeated_new,
            "have another label on the new side, which counts": counts.other_labels,
        }
        parts = [f"{count(counts.cases)} {question.units} were compared"]
        parts += [f"{count(number)} {what}" for what, number in left_out.items() if number]
        joined.append(f"{f'{model}: ' if len(answer.joins) > 1 else ''}{'; '.join(parts)}")
    return [*joined, *answer.notes]


def changed_counts(changes: differences.Changes, corner: str, old: str, new: str) -> Table:
    """Return how many decisions each of two models has right and wrong.  O(1)."""
    counts = {name: count(number) for name, number in changes.counts.items()}
    rows = [
        [f"{old} right", counts["right_in_both"], counts["newly_wrong"]],
        [f"{old} wrong", counts["newly_right"], counts["wrong_in_both"]],
    ]
    return Table(f"decisions {_place_of(changes)}", [corner, f"{new} right", f"{new} wrong"], rows)


def changed_cases(changes: differences.Changes) -> Mapping[str, Sequence[differences.ChangedCase]]:
    """Return the cases that are newly wrong and newly right, by title.  O(1)."""
    where = _place_of(changes)
    return {f"newly wrong {where}": changes.newly_wrong, f"newly right {where}": changes.newly_right}


def _place_of(changes: differences.Changes) -> str:
    """Say at which threshold decisions are.  O(1)."""
    return "by predicted class" if changes.threshold is None else f"at threshold {given_number(changes.threshold)}"


def moved_cases(model: ModelDifferences, question: Question) -> Mapping[str, Sequence[differences.ChangedCase]]:
    """Return the cases whose score, or the queries whose first measure, rose and fell most, by title.  O(1)."""
    what = f"queries whose {model.differences[0].title}" if question.of_runs and model.differences else "scores that"
    return {f"{what} rose most": model.risen, f"{what} fell most": model.fallen}


_IN_DETAILS = HOLM, BENJAMINI_HOCHBERG, DETECTABLE
"""Heads of columns that a comment has in its details alone."""
_MOST_LETTERS = 60_000
"""Of a comment with its details; GitHub takes 65,536."""
_MOST_WORSE = 10
"""Groups that got worse that a comment shows before its details."""


def as_comparison_table(
    answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None, width: int | None = None
) -> str:
    """Return a comparison for a terminal: the answer in words, the gate, tables and notes.  O(shown numbers).

    width: letters of a line, for which tables leave out columns that matter less.
    """
    said = comparison_title(answer, question), *words.comparison_sentences(answer, question)
    lines = [rendering.wrapped_sentence(sentence, width) for sentence in said]
    if gate is not None:
        outcome, *reasons = words.gate_sentences(gate)
        found = outcome, *(f"  {reason}" for reason in reasons)
        lines += ["", *(rendering.wrapped_sentence(line, width, "    ") for line in found)]
    whole = [*_titled_tables(answer, question)]
    fitted = [table.fitted(width) for table in whole]
    left_out = {head for table, kept in zip(whole, fitted, strict=True) for head in {*table.head} - {*kept.head}}
    notes = comparison_notes(answer, question)
    if left_out:
        heads = "; ".join(head for head in (P_VALUE, *_IN_DETAILS) if head in left_out)
        which = f" ({heads})" if heads else ""
        notes += [f"columns that do not fit on a line are left out{which}; JSON and CSV have all numbers"]
    titled = (table._replace(title=table.title and rendering.wrapped_sentence(table.title, width)) for table in fitted)
    return rendering.text_document(lines, titled, notes, width, width)


def _titled_tables(answer: ComparisonAnswer, question: Question) -> Iterator[Table]:
    """Yield tables for a person, which name the model where there are several."""
    alone = len(answer.models) == 1
    shown = question.on or question.of_runs or question.show  # else an index of a row says nothing
    for model in answer.models:
        first, *tables = _tables_of(model, answer.old, question, MOST_CASES, moved=bool(shown) and not model.changes)
        yield first._replace(title="") if alone else first
        yield from tables if alone else (each._replace(title=f"{model.model}: {each.title}") for each in tables)


def _tables_of(model: ModelDifferences, old: str, question: Question, most: int, *, moved: bool) -> Iterator[Table]:
    """Yield the tables of a model; most: cases of each list; moved: whether scores that changed are among them."""
    yield _in_text(measure_table(model, old, question.confidence))
    yield from group_tables(model, question.confidence)
    for changes in model.changes:
        yield changed_counts(changes, "", "old", "new")
        order = "" if changes.threshold is None else ", the largest changes first"
        yield from case_tables(changed_cases(changes), question, most, order)
    if moved:
        yield from case_tables(moved_cases(model, question), question, most)


def as_comparison_markdown(answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None) -> str:
    """Return a comparison as Markdown for a comment: the answer, the gate, measures and groups that got worse, details.

    O(shown numbers).
    """
    first, *rest = map(rendering.without_markup, words.comparison_sentences(answer, question))
    parts, alone = [f"**{first}**", " ".join(rest)], len(answer.models) == 1
    if gate is not None:
        outcome, *reasons = map(rendering.without_markup, words.gate_sentences(gate))
        mark = "\N{WHITE HEAVY CHECK MARK}" if gate.passed else "\N{CROSS MARK}"
        parts += [f"{mark} **{outcome}**", "\n".join(f"- {reason}" for reason in reasons)]
    more = []
    for model in answer.models:
        table = _in_text(measure_table(model, answer.old, question.confidence)).without(*_IN_DETAILS)
        title = "" if alone else f"### {rendering.without_markup(table.title)}"
        worse = {by: worse_groups(groups) for by, groups in model.groups.items()}
        lost = (_of_worse(by, found, len(model.groups[by]), question) for by, found in worse.items() if found)
        parts += [title, _markdown(table), *lost]
        what = "All numbers, groups and cases that changed"
        title = what if alone else f"{model.model}: {what[0].lower()}{what[1:]}"
        tables = _tables_of(model, answer.old, question, question.changed, moved=True)
        parted = ((rendering.without_markup(each.title), each.without(*each.others)) for each in tables)
        more.append(_details(title, [f"**{heading}**\n\n{_markdown(table)}" for heading, table in parted]))
    about = [comparison_title(answer, question), *comparison_notes(answer, question)]
    notes = _details("Notes", [f"- {rendering.without_markup(note)}" for note in about], "\n")
    if sum(map(len, [*parts, *more, notes])) > _MOST_LETTERS:
        more = ["The tables of groups and cases are too long for a comment; JSON and CSV have all numbers."]
    return "\n\n".join(filter(None, [*parts, *more, notes]))


def _of_worse(by: str, worse: Sequence[GroupDifferences], groups: int, question: Question) -> str:
    """Return the groups whose intervals say that they got worse, and how many do so among so many."""
    certain = sum(words.is_certain(group.differences[0], question.confidence) for group in worse)
    adjusted = f"{count(certain) if certain else 'none'} of them also after Holm's adjustment"
    shown = worse[:_MOST_WORSE]
    most = f"; the {len(shown)} that lost most" if len(shown) < len(worse) else ""
    what = f"{count(len(worse))} of {count(groups)} groups by {by} got worse in {worse[0].differences[0].title}"
    head = f"{what} by their intervals, {adjusted}{most}:"
    table = _in_text(group_table(by, shown, question.confidence))
    return f"{rendering.without_markup(head)}\n\n{_markdown(table.without(P_VALUE, *table.others))}"


def _details(title: str, parts: Sequence[str], between: str = "\n\n") -> str:
    """Return what GitHub shows when a reader opens it."""
    return f"<details>\n<summary>{html.escape(title)}</summary>\n\n{between.join(parts)}\n\n</details>"


def _markdown_cell(text: str) -> str:
    """Return a cell in one line; only what has letters can hold markup: intervals need no escapes."""
    return " ".join((rendering.without_markup(text) if any(map(str.isalpha, text)) else text).split())


_markdown = partial(rendering.markdown_table, escaped=_markdown_cell)


def as_comparison_html_tables(answer: ComparisonAnswer, question: Question) -> str:
    """Return a comparison for a notebook: the answer in words, HTML tables, and notes.  O(shown numbers)."""
    said = words.comparison_sentences(answer, question)
    begin: dict[str, Iterable[str]] = {"h3": [comparison_title(answer, question)], "p": said}
    tables = (table.without(*table.others) for table in _titled_tables(answer, question))
    return rendering.html_document(begin, tables, comparison_notes(answer, question))


def as_comparison_json(answer: ComparisonAnswer, question: Question, *, gate: GateResult | None = None) -> str:
    """Return a comparison as strict JSON, as `comparison_tree` has it.  O(numbers)."""
    tree = comparison_tree(answer, question)
    return rendering.json_text(tree if gate is None else {**tree, "gate": gate.as_tree()})


def comparison_tree(answer: ComparisonAnswer, question: Question) -> dict[str, Any]:
    """Return a comparison as nested dictionaries and lists of plain values.  O(measures x groups)."""
    what = {"schema_version": COMPARISON_SCHEMA_VERSION, "label": question.label, "old": answer.old}
    margin_level = None if question.margin is None else question.margin_level or question.confidence
    judged = {"level": question.confidence, "margin": plain_margin(question.margin), "margin_level": margin_level}
    drawn = {"resamples": question.resamples, "seed": question.seed} if question.method != "analytic" else {}
    where = {"on": list(question.on), "by": list(question.groupings), "cluster": question.cluster}
    asked = {**where, "ci_method": question.ci_method, **question.weighting.as_json}
    how = {"method": question.method, **drawn, **{name: value for name, value in asked.items() if value}}
    found = {"cases": cases_of(answer), "models": {model.model: _tree_of(model) for model in answer.models}}
    return {**what, **judged, **how, **found, "joins": rendering.plain_value(answer.joins), "notes": list(answer.notes)}


def _tree_of(model: ModelDifferences) -> dict[str, Any]:
    def of_group(group: GroupDifferences) -> dict[str, Any]:
        return {"cases": group.cases, "positives": group.positives, "measures": _values_of(group.differences)}

    groups = {by: {each.group: of_group(each) for each in found} for by, found in model.groups.items()}
    lists = {name: rendering.plain_value(getattr(model, name)) for name in ("changes", "risen", "fallen")}
    return {"measures": _values_of(model.differences), "groups": groups, **lists}


def _values_of(items: Sequence[MeasureDifference]) -> dict[str, dict[str, Any]]:
    def margin_of(item: MeasureDifference) -> dict[str, Any]:
        own = (item.margin, *item.decisive) if item.margin > 0 else (np.nan,) * 3
        return dict(zip(("margin", "margin_low", "margin_high"), map(rendering.plain_value, own), strict=True))

    return {item.measure: _values(item) | margin_of(item) for item in items}


def _values(item: MeasureDifference) -> dict[str, Any]:
    """Return what JSON says of a difference, in its order."""
    found = item.found
    return {
        "title": item.title, "old": item.old, "new": item.new, "difference": found.difference, "low": found.low,
        "high": found.high, "standard_error": item.error, "statistic": found.statistic, "p_value": found.p_value,
        "p_value_holm": item.holm, "p_value_benjamini_hochberg": item.benjamini_hochberg, "margin": item.margin,
        "verdict": item.verdict, "detectable": item.detectable, "lower_is_better": item.lower_is_better,
        "method": found.method,
    }  # fmt: skip


def differences_in_turn(answer: ComparisonAnswer) -> Iterator[tuple[str, str, str, int | None, MeasureDifference]]:
    """Yield every difference, those of all cases of a model and then those of groups, behind where it was found.

    That is the model, the grouping and the group, empty for all cases, and their number, None if it is not known.
    O(measures x groups).
    """
    every = cases_of(answer)
    for model in answer.models:
        yield from ((model.model, "", "", every, item) for item in model.differences)
        for by, groups in model.groups.items():
            for group in groups:
                yield from ((model.model, by, group.group, group.cases, item) for item in group.differences)


def difference_rows(answer: ComparisonAnswer) -> Iterator[tuple[Any, ...]]:
    """Yield every difference as a row of `ROW`.  O(measures x groups)."""
    for *where, item in differences_in_turn(answer):
        values = _values(item)
        yield (*where, item.measure, *(values[name] for name in ROW[5:]))


def cases_of(answer: ComparisonAnswer) -> int | None:
    """Return how many cases were compared, rows counting by their frequencies; None if that is not known.  O(n)."""
    if (cases := answer.cases or answer.classes) is not None:
        return sum(cases.kinds.values())
    joined = {counts.cases for counts in answer.joins.values()}
    return joined.pop() if len(joined) == 1 else None


def as_comparison_csv(answer: ComparisonAnswer) -> str:
    """Return a line for each model, grouping, group and measure, in all digits; empty cells for NaN.  O(numbers)."""
    rows = (["" if is_nan(cell) else cell for cell in row] for row in difference_rows(answer))
    return rendering.csv_text([ROW, *rows])
