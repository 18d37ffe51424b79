"""A comparison as tables: measures, groups, what changed hands, and notes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from evalcore.document.case_tables import case_tables
from evalcore.document.model import Part
from evalcore.document.tables import AnyCell, Cell, Table
from evalcore.document.words import comparison as words
from evalcore.evaluation import differences
from evalcore.evaluation.differences import ComparisonAnswer, GroupDifferences, MeasureDifference, ModelDifferences
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, listed, p_text
from evalcore.kernels.thresholds import given_number, plain_number

MOST_FROM_EACH_END = 20
"""Groups that are shown from each end of more than twice as many."""
VERDICT = "verdict"
DETECTABLE, P_VALUE, HOLM, BENJAMINI_HOCHBERG = "detectable", "p", "p, Holm", "p, B-H"
_DROPPED = DETECTABLE, BENJAMINI_HOCHBERG, HOLM, P_VALUE
"""Heads of columns that a narrow table leaves out, the first of them first."""
_IN_FULL = P_VALUE, BENJAMINI_HOCHBERG, DETECTABLE
"""Heads of columns that few readers need: one adjusted p-value says enough."""


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
    return _droppable(Table(f"{model.model} against {old}", head, rows), _DROPPED)


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
    missing = words.MISSING if np.isnan(value) else ""
    return Cell(text or missing or p_text(value), "" if missing else repr(float(value)))


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
    return _droppable(Table(title, head, rows, others=more), (*reversed(more), P_VALUE, HOLM))


def _droppable(table: Table, heads: Iterable[str]) -> Table:
    """Return a table that may leave columns out, the first of them first."""
    return table._replace(optional=[table.head.index(head) for head in heads if head in table.head])


def ends_of_groups(groups: Sequence[GroupDifferences]) -> Sequence[GroupDifferences]:
    """Return the groups, or of more than 40 the first and the last 20 of them.  O(1)."""
    most = MOST_FROM_EACH_END
    return groups if len(groups) <= 2 * most else [*groups[:most], *groups[-most:]]


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


DETECTABLE_NOTE = "the detectable difference"
"""How the note on a column begins that is shown where all are."""


def parts_of(model: ModelDifferences, old: str, question: Question, most: int | None, *, full: bool) -> Iterator[Part]:
    """Yield the tables of a model for readers of text: its measures, groups and what changed hands.  O(shown numbers).

    most: cases of each list, None for all; full: whether all p-values, detectable differences and lists are among them.
    """
    measured = measure_table(model, old, question.confidence)
    yield Part(measured.title, [_in_text(measured if full else measured.without(*_IN_FULL))])
    for table in group_tables(model, question.confidence):
        yield Part(table.title, [table if full else table.without(P_VALUE)])
    for changes in model.changes:
        counts = changed_counts(changes, "", "old", "new")
        yield Part(counts.title, [counts])
        order = "" if changes.threshold is None else ", the largest changes first"
        lists = case_tables(changed_cases(changes), question, most, order) if full or question.show else ()
        yield from (Part(table.title, [table], folded=True) for table in lists)
    if full or (question.show and not model.changes):
        lists = case_tables(moved_cases(model, question), question, most)
        yield from (Part(table.title, [table], folded=True) for table in lists)
