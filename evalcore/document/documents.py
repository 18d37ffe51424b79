"""Reports as documents for readers of text: the verdict, where models do worst, tables and notes."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from evalcore.document import tables
from evalcore.document.model import Document, Part, Verdict, few_warning, verdict_of_report, with_gate
from evalcore.document.shown import by_titles, side_by_side, sorting_key
from evalcore.document.tables import DIGITS, LINE_WIDTH, AnyCell, Table, item_of
from evalcore.document.words.classes import have_enough_cases, without_small
from evalcore.evaluation.measure_choice import ALL_MEASURES, Measures
from evalcore.evaluation.model import CHANGES_SINCE_BASELINE, CLASSES, VALUES, Answer, Section, Statistic
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import MOST_LISTED, shows_all
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import main_measure
from evalcore.evaluation.wording import FEWEST, count, decimals, percent, shown_value, weight
from evalcore.gate.checks import GateResult

_MOST_WORST = 3
"""Groups or classes that are named as those where a model does worst."""
_COUNTS = {"cases", "positives", "prevalence", "weight", "effective_cases", "classes"}
"""Numbers of all models, which a document says once."""
MAIN = {
    "roc_auc", "average_precision", "maximum_f1", "maximum_f1_threshold", "minimum_expected_cost",
    "minimum_expected_cost_threshold", "log_loss", "brier_score", "calibration_error", "threshold", "tp", "fn", "fp",
    "tn", "accuracy", "recall", "precision", "specificity", "f1", "net_benefit", "expected_cost",
}  # fmt: skip
"""Statistics of scores that are shown unless all are asked for."""
_AT_DEPTHS = "precision_at_", "recall_at_"
"""How the names of statistics begin that are shown where depths are asked for."""
_OF_SCORES = "score", "threshold", ""
"""What the columns of tables are, of which few readers need all; of classes there is one without a name."""
NOT_SHOWN = "some numbers are not shown; {} shows them all"
_MOST_BESIDE = 3
"""Models whose numbers of groups stand in one table."""


class Shown(NamedTuple):
    """How much of the numbers a reader sees."""

    full: bool = False
    """Whether all statistics, lists, groups, classes and counts are shown, not only those that most readers need."""
    digits: int = DIGITS
    """Decimals of numbers."""
    width: int | None = LINE_WIDTH
    """Letters of a line, on which tables of groups fit; None for any number."""
    folds: bool = False
    """Whether a reader can open long lists, which are whole then."""
    page: bool = False
    """Whether it is a page, which also lists cases by their ids; a comment in public does so only where it is asked."""
    sentences: bool = False
    """Whether further sentences follow the claim."""

    @property
    def most_cases(self) -> int | None:
        """Cases of each list; None for all."""
        return MOST_LISTED if self.folds else None if self.full else tables.MOST_CASES


BRIEF, FULL, PAGE = Shown(), Shown(full=True), Shown(width=None, folds=True, page=True)


def document_of_report(
    answer: Answer, question: Question, shown: Shown = BRIEF, *, title: str = "", gate: GateResult | None = None
) -> Document:  # fmt: skip
    """Return a report for readers of text.  O(statistics).

    title: by default what is evaluated.
    """
    sections = [*question.shown(answer.sections), *answer.changes]
    notes, by = partial(notes_of, answer, question.measures), by_titles(question)
    own = document_of_sections(sections, shown, notes, question.measures, by)
    brief = not shown.sentences or bool(question.measures.names)  # else it needs statistics that nobody asked for
    with decimals(shown.digits):
        front = front_of_report(answer._replace(sections=sections), question, gate, brief=brief)
    rows = next((each for each in sections if each.name == CLASSES), sections[0])
    many = len(rows.groups) > _MOST_WORST  # else the tables of all say it
    mistakes = [
        table._replace(rows=table.rows[: shown.most_cases]) for table in tables.mistake_tables(answer, question)
    ]
    parts = [*own.parts, *(Part(table.title, [table], folded=True) for table in mistakes)]
    worst = front.worst if many and not shown.full else None
    verdict = front.verdict._replace(more=[*front.verdict.more, *filter(None, [answer.caption])])
    title = title or question.title
    return front._replace(title=title, verdict=verdict, worst=worst, parts=parts, notes=own.notes)


def front_of_report(answer: Answer, question: Question, gate: GateResult | None = None, *, brief: bool) -> Document:
    """Return what a report begins with, in whatever format.  O(statistics).

    brief: whether the claim is enough, which needs the fewest statistics.
    """
    section, verdict = answer.sections[0], verdict_of_report(answer, question, gate, brief=brief)
    values = {item.name: int(item.value) for item in section.last if item.name in ("cases", "positives")}
    cases, positives = values.get("cases", FEWEST), values.get("positives")
    kinds = {"case": cases} if positives is None else {"positive case": positives, "negative case": cases - positives}
    if warning := few_warning(kinds):  # which says it already
        verdict = verdict._replace(more=[each for each in verdict.more if not each.startswith("Fewer than ")])
    facts, worst = facts_of_report(section, question), worst_of_report(answer.sections, question)
    return Document("", facts, verdict, worst, warning=warning)


def document_of_sections(
    sections: Sequence[Section],
    shown: Shown = FULL,
    notes: Callable[[Collection[str]], Sequence[str]] = lambda hidden: (),
    measures: Measures = ALL_MEASURES,
    by: Sequence[str] = (),
    *,
    title: str = "",
    gate: GateResult | None = None,
) -> Document:
    """Return sections as tables.  O(statistics).

    notes: returns them without those on statistics that are not shown, which it is given; measures: that were asked
    for; by: the columns of groups.
    """
    every = shown.full or bool(measures.names)
    arranged = side_by_side(sections)
    whole = tables.tables(arranged, shown.full, shown.digits)
    brief = whole if shown.full else [_brief(*each, measures) for each in zip(arranged, whole, strict=True)]
    beside = [*_beside(arranged, brief, by)]
    several = len(beside) < len(brief)  # models beside each other, for which Markdown has room: readers can scroll it
    width = shown.width and shown.width * (2 if several and shown.folds else 1)
    fitting = beside if every else [table.fitted(width) for table in beside]
    hidden = {name for table in whole for name in table.statistics}
    hidden -= {name for table in fitting for name in table.statistics}
    said = [*notes(hidden)]
    several = len([each for each in sections if each.whole and each.whole == sections[0].whole]) > 1
    if several and (key := sorting_key(sections[0])):
        said.append(f"groups are sorted by {key}")
    if hidden - _COUNTS or not (shown.full or tables.are_whole(sections)):
        said.append(NOT_SHOWN.format(shows_all()))
    verdict = with_gate(Verdict("", ""), gate)
    return Document(
        title, {}, verdict, parts=[Part(each.heading, [each._replace(title="")]) for each in fitting], notes=said
    )


def _brief(section: Section, table: Table, measures: Measures) -> Table:
    """Return a table of models without counts, which the document says once, and without what few readers need."""

    def is_kept(row: Sequence[AnyCell]) -> bool:
        cell = row[-1]
        if not isinstance(cell, Statistic) or cell.name in measures.names:
            return True
        if measures.names or not section.record:
            return cell.name not in _COUNTS
        return cell.name in MAIN or (bool(measures.depths) and cell.name.startswith(_AT_DEPTHS))

    is_change = section.whole is not None and section.whole.name == CHANGES_SINCE_BASELINE
    if is_change and "roc_auc" in section.records and not measures.names:
        return table._replace(rows=[row for row in table.rows if str(row[0]).partition("@")[0] in {"cases", *MAIN}])
    if not section.across or section.record not in _OF_SCORES:
        return table
    return table._replace(rows=[*filter(is_kept, table.rows)] or table.rows)


def _beside(sections: Sequence[Section], found: Sequence[Table], by: Sequence[str]) -> Iterator[Table]:
    """Yield tables whose rows have a name in the head, those of the groups of a few models beside each other."""
    pairs = zip(sections, found, strict=True)
    for whole, own in groupby(pairs, key=lambda pair: pair[0].whole):
        alike = [*own]
        names = [section.title for section, _ in alike]
        heads = [", ".join(by)] if by else []
        named = [
            table._replace(head=[*heads, *table.head[len(heads) :]]) if table.of_groups else table for _, table in alike
        ]
        if whole and whole.has_total and 1 < len(alike) <= _MOST_BESIDE and alike[0][0].record == "group":
            yield tables.wide_table(named, names, _COUNTS)
        else:
            yield from named


def facts_of_report(section: Section, question: Question) -> Mapping[str, str]:
    """Return how many cases a report is of, and how many of them are positive.  O(statistics)."""
    values = {item.name: item.value for item in section.last}
    if section.name == VALUES and len({*section.columns.column("cases").tolist()}) > 1:
        del values["cases"]  # some columns lack values of some cases
    facts = {"Cases": count(int(values["cases"]))} if "cases" in values else {}
    if "positives" in values and "cases" in values:
        weighted = question.weighting.asked and "prevalence" in values
        part = values["prevalence"] if weighted else values["positives"] / values["cases"]
        of = " of the weight" if "weight" in values else ""
        facts["Positive"] = f"{count(int(values['positives']))} ({percent(part)}{of})"
    if "classes" in values:
        facts["Classes"] = count(int(values["classes"]))
    for name, heading in (("weight", "Weight"), ("effective_cases", "Effective cases")):
        if name in values:
            facts[heading] = weight(float(values[name]))
    return facts


def worst_of_report(sections: Sequence[Section], question: Question) -> Table | None:
    """Return the three groups below all cases, or the classes, with the lowest values among those with enough cases.

    O(groups).
    """
    section, classes, measure, limit, what = sections[0], tables.class_sections(sections), "f1", math.inf, "F1"
    if section.whole is not None and (measure := main_measure(section.statistics)):
        total = item_of(section.last, measure)
        limit, what = total.value, f"{total.title} of {shown_value(section.title)}"
    elif section.whole is None and classes is not None:
        section = classes.classes
    else:
        return None
    columns, groups = section.columns.only(["cases", "positives", measure]), section.groups
    values, enough_cases = columns.column(measure), have_enough_cases(columns, measure)
    values, limit = (-values, -limit) if section.lower_is_better else (values, limit)
    below = np.flatnonzero(enough_cases & (values < limit))
    lowest = below[np.argsort(values[below], kind="stable")][: min(_MOST_WORST, len(groups) - 1)].tolist()
    if not lowest:
        return None
    kept = columns.ordered([groups[index] for index in lowest]).in_turn()
    rows: list[list[AnyCell]] = [[name, item_of(items, measure), item_of(items, "cases")] for name, items in kept]
    by, kind = " and ".join(by_titles(question)) or "class", "classes" if section.whole is None else "groups"
    left_out = without_small(int((~enough_cases).sum()), of_classes="positives" in columns.statistics)
    end = "Highest" if section.lower_is_better else "Lowest"
    return Table(f"{end} {kind}: {what}{left_out}", [by, what, "cases"], rows)
