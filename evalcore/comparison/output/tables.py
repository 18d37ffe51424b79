"""The tables of a comparison: measures, groups and what changed hands, as rows of text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evalcore.comparison.output.number_texts import MISSING, difference_texts, is_bounded, p_text, plain_text
from evalcore.evaluation.differences import (
    ChangedCase,
    Changes,
    ComparisonAnswer,
    GroupDifferences,
    MeasureDifference,
    ModelDifferences,
)
from evalcore.evaluation.joining import JoinCounts
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, listed
from evalcore.kernels.thresholds import given_number, plain_number
from evalcore.report.table_columns import parts_that_fit
from evalcore.report.tables import Table

MOST_FROM_EACH_END = 20
"""Groups that are shown from each end of more than twice as many."""
VERDICT = "verdict"
DETECTABLE, P_VALUE, HOLM, BENJAMINI_HOCHBERG = "detectable", "p", "p, Holm", "p, B-H"
"""Heads of columns that a narrow table leaves out, the first of them first."""
_DROPPED = DETECTABLE, BENJAMINI_HOCHBERG, HOLM, P_VALUE
_BETWEEN = 3
"""Letters between two columns; a line has one more at its end."""


class TextTable(NamedTuple):
    """A table as text."""

    title: str
    rows: list[list[str]]
    """The first is the heading."""
    optional: Sequence[str] = ()
    """Heads of columns that may be left out, the first of them first."""
    names: int = 1
    """Number of first columns that hold names."""
    others: Sequence[str] = ()
    """Heads of the columns of other measures than the main one."""

    def without(self, *heads: str) -> "TextTable":
        """Return the table without the columns of these heads.  O(cells)."""
        kept = [index for index, head in enumerate(self.rows[0]) if head not in heads]
        return self._replace(rows=[[row[index] for index in kept] for row in self.rows])

    def fitted(self, width: int | None) -> "TextTable":
        """Return the table without optional columns that do not fit, or whole if others do not either.  O(cells)."""
        fitting = (self.without(*self.optional[:dropped]) for dropped in range(len(self.optional) + 1))
        return next((table for table in fitting if width is None or table.width <= width), self)

    @property
    def width(self) -> int:
        """Letters of its lines.  O(cells)."""
        return sum(max(map(len, column)) + _BETWEEN for column in zip(*self.rows, strict=True)) + 1

    def parts(self, width: int | None) -> list[list[list[str]]]:
        """Return the rows in parts that fit on a line, each with the names.  O(cells)."""
        return parts_that_fit(Table("", [[*row] for row in self.rows], "", self.names), width)


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


def measure_table(model: ModelDifferences, old: str, level: float) -> TextTable:
    """Return a row for each measure of a model.  O(measures)."""
    head = measure_heads(level, verdict_head(model.differences))
    rows = [head, *(_row_of_measure(item) for item in model.differences)]
    return TextTable(f"{model.model} against {old}", _without_empty_columns(rows, {head[4], *_DROPPED}), _DROPPED)


def measure_heads(level: float, verdict: str = VERDICT) -> list[str]:
    """Return the heads of a table of measures; verdict: that of verdicts.  O(1)."""
    return ["measure", *_compared_heads(level, verdict), P_VALUE, HOLM, BENJAMINI_HOCHBERG, DETECTABLE]


def group_heads(by: str, level: float, verdict: str = VERDICT) -> list[str]:
    """Return the heads of a table of groups, without those of other measures than the main one.  O(1)."""
    return [by, "cases", *_compared_heads(level, verdict), P_VALUE, HOLM]


def _compared_heads(level: float, verdict: str) -> list[str]:
    return ["old", "new", f"difference, {100 * level:g}% interval", verdict]


def verdict_head(items: Iterable[MeasureDifference]) -> str:
    """Return the head of a column of verdicts, which says whether margins stand behind some of them.  O(items)."""
    return f"{VERDICT}, margin" if any(item.margin > 0 for item in items) else VERDICT


def _verdict_text(item: MeasureDifference) -> str:
    """Return a verdict with its margin, if it has one.  O(1)."""
    return f"{item.verdict}, {plain_number(item.margin)}" if item.verdict and item.margin > 0 else item.verdict


def _row_of_measure(item: MeasureDifference) -> list[str]:
    texts = difference_texts(item)
    return [
        item.title, texts.old, texts.new, texts.bounded, _verdict_text(item), p_text(item.found.p_value),
        p_text(item.holm), p_text(item.benjamini_hochberg), plain_text(item.detectable),
    ]  # fmt: skip


def _without_empty_columns(rows: list[list[str]], may_go: set[str]) -> list[list[str]]:
    """Leave out columns without any text or number in them, if they may go.  O(cells)."""
    columns = zip(*rows, strict=True)
    empty = {"", MISSING}
    kept = [index for index, (head, *cells) in enumerate(columns) if head not in may_go or not empty.issuperset(cells)]
    return [[row[index] for index in kept] for row in rows]


def group_tables(model: ModelDifferences, level: float) -> Iterator[TextTable]:
    """Yield a table for each grouping: the main measure of each group, and differences of the others.  O(groups)."""
    for by, groups in model.groups.items():
        if groups:
            yield group_table(by, ends_of_groups(groups), level, len(groups))


def group_table(by: str, groups: Sequence[GroupDifferences], level: float, every: int = 0) -> TextTable:
    """Return a row for each of some groups of a column; every: how many groups there are, if more.  O(groups)."""
    main, *others = groups[0].differences
    more = [f"{item.title}, difference" for item in others]
    verdict = verdict_head([main])
    head = [*group_heads(by, level, verdict), *more]
    rows = [head]
    for index, group in enumerate(groups):
        if index == MOST_FROM_EACH_END < len(groups) < every:
            rows.append([f"... and {count(every - len(groups))} more", *[""] * (len(head) - 1)])
        rows.append(_row_of_group(group))
    kept = _without_empty_columns(rows, {verdict, P_VALUE, HOLM})
    title = f"{main.title} by {by}, the groups that got worse first"
    return TextTable(title, kept, (*reversed(more), P_VALUE, HOLM), others=more)


def ends_of_groups(groups: Sequence[GroupDifferences], most: int = MOST_FROM_EACH_END) -> Sequence[GroupDifferences]:
    """Return the groups, or of more than twice `most` the first and the last of them.  O(most)."""
    return groups if len(groups) <= 2 * most else [*groups[:most], *groups[-most:]]


def worse_groups(groups: Sequence[GroupDifferences]) -> list[GroupDifferences]:
    """Return the groups whose main measure got worse, as its interval shows.  O(groups)."""
    mains = ((group, group.differences[0], group.differences[0].found) for group in groups)
    return [
        group
        for group, item, found in mains
        if is_bounded(item) and (found.low > 0 if item.lower_is_better else found.high < 0)
    ]


def _row_of_group(group: GroupDifferences) -> list[str]:
    main, *others = group.differences
    texts = difference_texts(main)
    return [
        group.group, count(group.cases), texts.old, texts.new, texts.bounded, _verdict_text(main),
        p_text(main.found.p_value), p_text(main.holm), *(difference_texts(item).difference for item in others),
    ]  # fmt: skip


def comparison_notes(answer: ComparisonAnswer, question: Question) -> list[str]:
    """Say which rows were compared, and what a reader must know beside the numbers.  O(models)."""
    several = len(answer.joins) > 1
    joined = [
        f"{f'{model}: ' if several else ''}{_joined(counts, question.units)}" for model, counts in answer.joins.items()
    ]
    return [*joined, *answer.notes]


def _joined(counts: JoinCounts, units: str) -> str:
    left_out = {
        "only the old side has": counts.only_old,
        "only the new side has": counts.only_new,
    }
    parts = [f"{count(counts.cases)} {units} were compared"]
    parts += [f"{count(number)} that {who} were left out" for who, number in left_out.items() if number]
    repeated = counts.repeated_old + counts.repeated_new
    parts += [f"{count(repeated)} rows repeat an id and were left out"] if repeated else []
    parts += [f"{count(counts.other_labels)} have another label on the new side, which counts"] * bool(
        counts.other_labels
    )
    return "; ".join(parts)


def change_tables(changes: Changes, question: Question, most: int) -> Iterator[TextTable]:
    """Yield how many decisions changed, and at most so many of the cases newly wrong and newly right.  O(most)."""
    counts = changes.counts
    order = "" if changes.threshold is None else ", the largest changes first"
    yield TextTable(
        f"decisions {place_of(changes)}",
        [
            ["", "new right", "new wrong"],
            ["old right", count(counts["right_in_both"]), count(counts["newly_wrong"])],
            ["old wrong", count(counts["newly_right"]), count(counts["wrong_in_both"])],
        ],
    )
    for title, cases in changed_cases(changes).items():
        yield _case_table(f"{title}{order}", cases[:most], case_heads(question))


def changed_cases(changes: Changes) -> Mapping[str, Sequence[ChangedCase]]:
    """Return the cases that are newly wrong and newly right, by title.  O(1)."""
    where = place_of(changes)
    lists = {f"newly wrong {where}": changes.newly_wrong, f"newly right {where}": changes.newly_right}
    return {title: cases for title, cases in lists.items() if cases}


def place_of(changes: Changes) -> str:
    """Say at which threshold decisions are.  O(1)."""
    return "by predicted class" if changes.threshold is None else f"at threshold {given_number(changes.threshold)}"


def moved_tables(model: ModelDifferences, question: Question, most: int) -> Iterator[TextTable]:
    """Yield at most so many of the cases or queries that rose and that fell most.  O(most)."""
    for title, cases in moved_cases(model, question).items():
        yield _case_table(title, cases[:most], case_heads(question))


def moved_cases(model: ModelDifferences, question: Question) -> Mapping[str, Sequence[ChangedCase]]:
    """Return the cases whose score, or the queries whose first measure, rose and fell most, by title.  O(1)."""
    what = f"queries whose {model.differences[0].title}" if question.of_runs and model.differences else "scores that"
    lists = {f"{what} rose most": model.risen, f"{what} fell most": model.fallen}
    return {title: cases for title, cases in lists.items() if cases}


def case_heads(question: Question) -> list[str]:
    """Return the heads of a table of changed cases or queries.  O(1)."""
    return [*(("query", "relevant") if question.of_runs else ("id", "label")), "old", "new"]


def _case_table(title: str, cases: Sequence[ChangedCase], heads: list[str]) -> TextTable:
    return TextTable(title, [heads, *([case_text(each) for each in case] for case in cases)])


def case_text(value: object) -> str:
    """Return an id, a label, a score or a class as text; an id of several columns as a list.  O(1)."""
    if isinstance(value, tuple):
        return ", ".join(map(case_text, value))
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
