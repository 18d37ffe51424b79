"""The sections of a report and single cases as tables of text.

Of many classes and groups the first are shown, and the largest counts.  Of groups the columns that matter most are
shown where not all fit on a line; other tables show all, in parts.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.document.shown import first_threshold, in_shown_order, without_repeats
from evalcore.document.thresholds import STATISTIC_OF
from evalcore.errors import check, shortened
from evalcore.evaluation import model
from evalcore.evaluation.differences import ChangedCase
from evalcore.evaluation.measure_choice import OF_DECISIONS
from evalcore.evaluation.model import Answer, CountRecords, Section, Statistic
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import p_text, weight
from evalcore.inference import Interval
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import given_number, plain_number, rounded_down
from evalcore.typing import Amount
from evalcore.validation.values import check_integer

MOST_SHOWN_CLASSES = 30
"""Number of classes up to which counts are shown as a matrix."""
MOST_DRAWN_CLASSES = 100
"""Number of classes up to which a matrix is drawn."""
_LISTED = 30
"""Pairs of classes, or ranks, that are shown in place of a larger matrix."""
MOST_SHOWN_GROUPS = 50
"""Number of groups that are shown of more, beside the total."""
DIGITS = 4
"""Decimals of numbers, unless others are asked for."""
_THRESHOLD_DIGITS = 6
"""Decimals of thresholds: with fewer they would decide otherwise."""
_MOST_DIGITS = 15
"""Those that float64 certainly holds."""


THRESHOLDS = frozenset(STATISTIC_OF.values())
"""Statistics that are rounded down, so that no case is lost."""


WEIGHT = "weight"
_SUMS_OF_WEIGHTS = frozenset({WEIGHT, "effective_cases", *BinaryCounts._fields})
"""Statistics that are sums of weights, or as large, where they are no whole numbers."""


class Cell(NamedTuple):
    """A number of a table as text."""

    text: str
    full: str = ""
    """All its digits, if the text lacks some."""
    below: str = ""
    """Its interval, in small type."""
    line: str = ""
    """The text with what stands below, where a cell is one line."""


AnyCell: TypeAlias = str | Statistic | Cell
"""A name, or a number with its interval."""


MOST_LISTED = 20
"""Classes that are listed of many: this many of the most frequent ones, and as many with the lowest F1."""


class Table(NamedTuple):
    """A section, or a part of a comparison, as a table."""

    title: str
    """Its heading; empty where the title of the report says enough."""
    head: Sequence[str]
    rows: Sequence[Sequence[AnyCell]]
    names: int = 1
    """Number of first columns that hold names, not numbers."""
    digits: int = DIGITS
    of_groups: bool = False
    decided: str = ""
    """How the heading ends where numbers of decisions are shown, but not of decisions alone."""
    optional: Sequence[int] = ()
    """Columns that may be left out, by their indices, the first of them first."""
    marked: int | None = None
    """The index of a row that stands out on a page."""
    shown: int = 0
    """Number of last columns that hold texts of the data, of any length and content."""
    label: str = ""
    """What screen readers call it on a page, if not its title."""
    folded: bool = False
    """Whether only its title is shown until a reader opens it."""
    anchor: str = ""
    """How the ids of its rows begin on a page, to which links lead; readers may sort a table that has one."""
    apart: frozenset[str] = frozenset()
    """Names of the rows that stand out, because they differ from all cases."""
    links: Mapping[str, str] = {}
    """The ids to which names of rows lead."""

    @property
    def ids(self) -> dict[str, str]:
        """The ids of its rows by their names, as a page makes them; none without an anchor.  O(rows)."""
        names = (row[0] for row in self.rows if self.anchor)
        return {str(name): f"{self.anchor}-{index}" for index, name in enumerate(names)}

    @property
    def heading(self) -> str:
        """The title, with the threshold of the decisions that are shown, if it does not say it.  O(columns)."""
        decided = self.decided if self.decided and OF_DECISIONS.intersection(self.statistics) else ""
        return f"{self.title}{decided}" if self.title else decided.removeprefix(", ")

    @property
    def statistics(self) -> set[str]:
        """The names of the statistics.  O(cells)."""
        return {cell.name for row in self.rows for cell in row if isinstance(cell, Statistic)}

    @property
    def texts(self) -> list[list[str]]:
        """The heads, and the cells as text with all the decimals that tables have, each in one line.  O(cells)."""
        rows = [[cell_text(cell, self.digits) for cell in row] for row in self.rows]
        for row in rows:
            row[: self.names] = (name.replace("\t", r"\t") for name in row[: self.names])  # as sentences have names
        for index in range(len(self.head) - self.shown, len(self.head)):
            lines = [_in_one_line(row[index]) for row in rows]
            width = max(map(len, lines), default=0)
            for row, line in zip(rows, lines, strict=True):
                row[index] = line.ljust(width)
        return [[*self.head], *rows]

    def columns(self, kept: Sequence[int]) -> "Table":
        """Return the table with some of its columns.  O(cells)."""
        rows, places = [[row[index] for index in kept] for row in self.rows], {at: to for to, at in enumerate(kept)}
        optional = [places[index] for index in self.optional if index in places]
        return self._replace(head=[self.head[index] for index in kept], rows=rows, optional=optional)

    def without(self, *heads: str) -> "Table":
        """Return the table without the columns of numbers that have these heads.  O(cells)."""
        return self.columns([at for at, head in enumerate(self.head) if at < self.names or head not in heads])

    def fitted(self, width: int | None) -> "Table":
        """Return the table without as many of its optional columns as do not fit on a line.  O(cells).

        A statistic of several models goes as a whole.
        """
        if not width or not self.rows:
            return self
        widths = dict(enumerate(_widths(self.texts)))
        held = [cell.name if isinstance(cell, Statistic) else index for index, cell in enumerate(self.rows[0])]
        for index in self.optional:
            if sum(widths.values()) < width:
                break
            for alike in [each for each in self.optional if held[each] == held[index]]:
                widths.pop(alike, None)
        return self.columns([*widths])


def tables(sections: Sequence[Section], full: bool = False, digits: int = DIGITS) -> list[Table]:
    """Return a table for each section.  O(statistics).

    full: show all counts of more than 30 classes, not only the largest, and all of more than 50 groups or classes,
    not only the largest of them and the total; digits: decimals of numbers.
    """
    return [_table(section, full, digits)._replace(digits=digits) for section in sections]


def checked_digits(digits: int | None) -> int:
    """Return the decimals of numbers in tables; raise EvaluationError unless they are in 1 .. 15, or None.  O(1)."""
    if digits is None:
        return DIGITS
    fits = 1 <= check_integer(digits, option("digits")) <= _MOST_DIGITS
    check(fits, option("digits"), f"be between 1 and {_MOST_DIGITS}", digits)
    return digits


def are_whole(sections: Sequence[Section]) -> bool:
    """Whether tables show all groups, classes and counts of some sections.  O(sections)."""
    return not any(_left_out(each, False) or _has_many_classes(each, False) for each in sections)


def most_frequent(classes: Section) -> list[str]:
    """Return the names of classes, those with most cases, or weight, first, equal ones in their order.  O(k log k)."""
    columns = classes.columns
    sizes = columns.column(WEIGHT if WEIGHT in columns.statistics else "cases").tolist()
    return [name for _, name in sorted(zip(sizes, columns, strict=True), key=lambda each: -each[0])]


def _left_out(section: Section, full: bool) -> int:
    """Return how many groups or classes of a section are not shown; the last record of groups is the total."""
    if full or not (section.whole or section.name == model.CLASSES):
        return 0
    return max(len(section.groups) - MOST_SHOWN_GROUPS, 0)


def _has_many_classes(section: Section, full: bool) -> bool:
    """Whether the largest counts stand for the whole matrix."""
    records = section.records
    return isinstance(records, CountRecords) and len(records) > MOST_SHOWN_CLASSES and not full


def _table(section: Section, full: bool, digits: int) -> Table:
    """Return a section as a table, without numbers that repeat others.

    Of more than 50 groups, the first 50 and the total are shown; of more than 50 classes, the most frequent.
    """
    records = section.records
    if isinstance(records, CountRecords) and _has_many_classes(section, full):
        return confusions(records) if section.name == model.CONFUSION_MATRIX else _first_ranks(records)
    names, left_out = list(records), _left_out(section, full)
    if section.whole and not left_out:
        names[: len(section.groups)] = in_shown_order(section)[0]
    if left_out and not section.whole:
        names = most_frequent(section)
    del names[MOST_SHOWN_GROUPS : MOST_SHOWN_GROUPS + left_out]
    shown: Mapping[str, Sequence[AnyCell]]
    if isinstance(records, CountRecords):
        counts = records.counts.tolist()
        lines = {each: cell_text(Statistic(WEIGHT, WEIGHT, each), digits) for each in {*chain(*counts)}}
        cells = {each: amount_cell(each)._replace(line=line) for each, line in lines.items()}
        shown = {record: [cells[each] for each in row] for record, row in zip(records, counts, strict=True)}
        titles = records.statistics
    else:
        shown = found = {name: without_repeats(items) for name, items in section.columns.ordered(names).in_turn()}
        titles = [item.title for item in next(iter(found.values()))]
    head = titles
    rows: list[list[AnyCell]] = [[record, *items] for record, items in shown.items()]
    if section.across:
        head, rows = [*shown], [[*row] for row in zip(titles, *shown.values(), strict=True)]
    elif left_out:
        rows.insert(MOST_SHOWN_GROUPS, [f"... and {left_out:,} more", *([""] * len(titles))])
    decided = f", decisions at threshold {threshold}" if (threshold := first_threshold(section)) else ""
    head = ["" if section.across else section.record, *head]
    of_groups = section.whole is not None and not section.across
    table = Table(section.title, head, rows, of_groups=of_groups, decided=decided)
    return table._replace(optional=_least_wanted(table)) if table.of_groups else table


def _least_wanted(table: Table) -> list[int]:
    """Return the columns of a table of groups that may be left out: all but one, the numbers of cases last."""
    held = [cell.name if isinstance(cell, Statistic) else "" for cell in table.rows[0]]
    wanted = sorted(range(table.names, len(held)), key=lambda index: _RANKS.get(held[index], len(_RANKS)))
    cases = [index for index in wanted if held[index] == _CASES]
    return [*(index for index in wanted[:0:-1] if held[index] != _CASES), *(cases if len(wanted) > 1 else [])]


def wide_table(found: Sequence[Table], models: Sequence[str], shared: Container[str]) -> Table:
    """Return the tables of the groups of several models as one: their numbers beside each other.  O(cells).

    shared: names of statistics that are the same of all models, which stand once.
    """
    first, places = found[0], list[tuple[str, int, int]]()
    for index, (head, cell) in enumerate(zip(first.head, first.rows[0], strict=True)):
        once = not isinstance(cell, Statistic) or cell.name in shared
        own = [head] if once else [f"{head}, {model}" for model in models]
        places += [(name, at, index) for at, name in enumerate(own)]
    rows = [[row[at][index] for _, at, index in places] for row in zip(*(each.rows for each in found), strict=True)]
    table = first._replace(title="", head=[head for head, _, _ in places], rows=rows)
    return table._replace(optional=_least_wanted(table))


def most_confused(records: CountRecords, most: int) -> Iterator[tuple[str, str, int | float, float]]:
    """Yield pairs of label and other prediction, those with most cases first, equal ones in class order.  O(k²).

    Behind them are their cases, or the weight of these, and which fraction of the label they are.

    >>> list(most_confused(CountRecords(["ash", "elm"], ["ash", "elm"], np.array([[9, 0], [1, 3]])), 30))
    [('elm', 'ash', 1, 0.25)]
    """
    wrong, names = records.counts.copy(), records.statistics
    np.fill_diagonal(wrong, 0)
    cells = np.flatnonzero(wrong)
    largest = cells[np.argsort(-wrong.ravel()[cells], kind="stable")[:most]]
    labels, predicted = np.divmod(largest, len(names))
    cases = wrong[labels, predicted]
    fractions = np.asarray(ratio(cases, records.counts.sum(axis=1)[labels]))
    named = ([names[code] for code in codes] for codes in (labels, predicted))
    return zip(*named, cases.tolist(), fractions.tolist(), strict=True)


def confusions(records: CountRecords, most: int = _LISTED) -> Table:
    """List the pairs of label and other prediction with most cases, and which fraction of it they are.  O(k²)."""
    title = f"most confused pairs of {len(records):,} classes"
    return _counts(title, ["label", "predicted"], "fraction of label", records, most_confused(records, most))


def _first_ranks(records: CountRecords) -> Table:
    """List the first ranks of the label among the scores, with the cases up to each.  O(k)."""
    cases = records.counts.sum(axis=0)
    columns = cases[:_LISTED].tolist(), np.asarray(ratio(cases.cumsum(), cases.sum()))[:_LISTED].tolist()
    title = f"rank of the label among the scores of {cases.size:,} classes, from 0: the first ranks"
    found = zip(records.statistics[:_LISTED], *columns, strict=True)
    return _counts(title, ["rank"], "fraction up to here", records, found)


def _counts(
    title: str, names: Sequence[str], fraction: str, records: CountRecords, found: Iterable[tuple[Any, ...]]
) -> Table:
    what = WEIGHT if records.weighted else "cases"
    rows: list[list[AnyCell]] = [
        [*own, Statistic(what, what, cases), Statistic("fraction", fraction, part)] for *own, cases, part in found
    ]
    return Table(title, [*names, what, fraction], rows, names=len(names))


def is_weight(statistic: Statistic) -> bool:
    """Whether a statistic is a sum of weights.  O(1)."""
    return statistic.name in _SUMS_OF_WEIGHTS and isinstance(statistic.value, float) and math.isfinite(statistic.value)


def _in_one_line(text: str) -> str:
    r"""Return the first letters of a text in one line, without those that cannot be printed, such as colours.

    >>> _in_one_line("one\n two \x1b[31m" + "long " * 20)
    'one two [31mlong long long long long long long long long ...'
    """
    return shortened("".join(filter(str.isprintable, " ".join(text.split()))))


def is_p_value(statistic: Statistic) -> bool:
    """Whether a statistic is a p-value; a class may have the name of one.  O(1)."""
    return statistic.name.startswith("p_value") and isinstance(statistic.value, float)


_DIGITS_OF_WEIGHTS = 4


def amount_cell(cases: Amount) -> Cell:
    """Return the cell of a number of cases, or of the sum of their weights.  O(1).

    >>> amount_cell(1234), amount_cell(35.25)
    (Cell(text='1,234', full='1234', below='', line=''), Cell(text='35.25', full='', below='', line=''))
    """
    of_sum = isinstance(cases, float)
    text, full = (weight(cases, _DIGITS_OF_WEIGHTS), plain_number(cases)) if of_sum else (f"{cases:,}", str(cases))
    return Cell(text, "" if full == text else full)


def cell_text(cell: AnyCell, digits: int) -> str:
    """Write a number and its bounds; a threshold has six decimals, for with fewer it would decide otherwise.  O(1)."""
    if not isinstance(cell, Statistic):
        return cell if isinstance(cell, str) else cell.line or cell.text
    value, interval = cell.value, cell.interval
    if isinstance(value, float):
        if is_weight(cell):
            return weight(value, digits)
        if cell.name in THRESHOLDS:
            return number_text(rounded_down(value), _THRESHOLD_DIGITS)
        if is_p_value(cell) and not math.isnan(value):
            return p_text(value)
    text, bounds = number_text(value, digits), bound_texts(interval, digits) if interval else ()
    return f"{text} [{', '.join(bounds)}]" if bounds else text


def bound_texts(
    interval: Interval | None, digits: int = DIGITS, write: Callable[[float], str] | None = None
) -> Sequence[str]:
    """Write the bounds of an interval; none if there are none, or if they are certainly the value.  O(1).

    Those that certainly hold the exact value are rounded outward, others written as numbers, or by `write`.
    """
    if interval is None or math.isnan(interval.low):
        return ()
    low, high = interval.low, interval.high
    if interval.method == model.CERTIFIED:
        if low == high:
            return ()
        low, high, write = _shortened(low, ROUND_FLOOR, digits), _shortened(high, ROUND_CEILING, digits), None
    return [write(end) if write else number_text(end, digits) for end in (low, high)]


def _shortened(bound: float, rounding: str, digits: int) -> float:
    """Round a bound outward to the digits that are written, so that the written bounds hold the exact value too."""
    if _is_plain(bound, digits):
        return float(Decimal(bound).quantize(Decimal(10) ** -digits, rounding))
    return float(Context(digits, rounding).create_decimal_from_float(bound))


def number_text(value: int | float, digits: int = DIGITS) -> str:
    """Write a number, with separators of thousands or with decimals; small and large ones with as many digits.  O(1).

    >>> number_text(1234), number_text(0.5), number_text(0.00123456789, 3), number_text(0.000123456789, 3)
    ('1,234', '0.5000', '0.001', '0.000123')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if _is_plain(value, digits):
        return f"{value:.{digits}f}"
    return "NaN" if math.isnan(value) else f"{value:.{digits}g}"


def _is_plain(value: float, digits: int) -> bool:
    """Whether a number of decimals is enough."""
    return 10.0 ** -min(digits, 3) <= abs(value) < 1e6 or value == 0


class ClassSections(NamedTuple):
    """The sections of a report on classes."""

    overall: Section
    classes: Section
    matrix: CountRecords


def class_sections(sections: Sequence[Section]) -> ClassSections | None:
    """Return the sections of a report on classes; None for others, for groups and for some of them.  O(sections)."""
    named, matrix = {section.name: section for section in sections if not section.whole}, confusion_counts(sections)
    of_all, of_each = named.get("statistics"), named.get(model.CLASSES)
    return None if matrix is None or of_all is None or of_each is None else ClassSections(of_all, of_each, matrix)


def confusion_counts(sections: Iterable[Section]) -> CountRecords | None:
    """Return the confusion matrix of a report; None if it has none.  O(sections)."""
    found = (section.records for section in sections if section.name == model.CONFUSION_MATRIX)
    return next((records for records in found if isinstance(records, CountRecords)), None)


def listed_classes(classes: Section, most: int) -> tuple[list[str], list[str]]:
    """Return the most frequent classes, and those with the lowest F1, the lowest first.  O(k log k).

    most: how many of each at most.  Classes that never occur have no F1 that a model could raise: they are not among
    the worst.
    """
    frequent = most_frequent(classes)
    measured = zip(*(classes.columns.column(name).tolist() for name in ("cases", "f1")), strict=True)
    values = dict(zip(classes.records, measured, strict=True))
    occurring = [name for name in frequent if values[name][0]]
    return frequent[:most], sorted(occurring, key=lambda name: values[name][1])[:most]


def item_of(items: Sequence[Statistic], name: str) -> Statistic:
    """Return the statistic of a name.  O(statistics)."""
    return next(item for item in items if item.name == name)


LINE_WIDTH = 120
"""Letters of a line where there is no terminal: in files, pipes and notebooks."""
_BETWEEN = 3
"""Letters between two columns; a line has one more at its end."""
_MOST_WANTED = (
    "roc_auc", "difference_to_rest", "accuracy_difference_to_rest", "roc_auc_difference", "p_value_holm",
    "minimum_expected_cost", "minimum_expected_cost_threshold", "expected_cost", "precision", "recall", "f1",
    "accuracy", "macro_f1", "macro_roc_auc", "average_precision", "positives", "prevalence", "p_value", "specificity",
)  # fmt: skip
"""The statistics of groups that are shown first where there is no room for all; others follow in their order."""
_RANKS = {name: rank for rank, name in enumerate(_MOST_WANTED)}
_CASES = "cases"


def parts_that_fit(table: Table, width: int | None) -> list[list[list[str]]]:
    """Return the rows of a table in parts, each with the columns that fit on a line after the names.  O(cells)."""
    rows, names = table.texts, table.names
    if not width:
        return [rows]
    widths = _widths(rows)
    ends = [names]
    used = before = sum(widths[:names]) + 1
    for index, wide in enumerate(widths[names:], names):
        used += wide
        if used > width and index > ends[-1]:
            ends.append(index)
            used = before + wide
    parts = map(slice, ends, [*ends[1:], len(widths)])
    return [[[*row[:names], *row[part]] for row in rows] for part in parts]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) + _BETWEEN for column in zip(*rows, strict=True)]


MISTAKES = "most confident mistakes"
MOST_CASES = 5
"""Cases of each list that a table for a terminal has."""


def case_tables(lists: Mapping[str, Sequence[ChangedCase]], question: Question, most: int | None) -> list[Table]:
    """Return changed cases or queries, of each list the first `most`.  O(cases)."""
    head = [*(("query", "relevant") if question.of_runs else ("id", "label")), "old", "new"]
    kept = [0, 2, 3] if question.values else [*range(4)]  # values have no labels
    return [
        _of_cases(title, [head[at] for at in kept], [([case[at] for at in kept], case.shown) for case in cases[:most]])
        for title, cases in lists.items()
        if cases
    ]


def mistake_tables(answer: Answer, question: Question) -> list[Table]:
    """Return the most confident mistakes of each model.  O(cases)."""
    kept = "" if question.rows.are_all and question.weighting.column is None else "kept "
    tables, place = [], "" if question.threshold is None else f" at threshold {given_number(question.threshold)}"
    for name, found in groupby(answer.mistakes, attrgetter("model")):
        cases = [*found]
        scored = cases[0].score is not None
        head = [f"{kept}row", "label", "predicted", *["score"] * scored]
        rows = [(case[1 : 4 + scored], case.shown) for case in cases]
        tables.append(_of_cases(f"{MISTAKES} of {name}{place}", head, rows))
    return tables


def _of_cases(title: str, head: Sequence[str], cases: Sequence[tuple[Sequence[object], Mapping[str, str]]]) -> Table:
    """Return a row for each case: its values, the first of them its name, and the texts that are shown beside them."""
    rows: list[list[AnyCell]] = [
        [_case_text(name), *map(_case_cell, values), *texts.values()] for (name, *values), texts in cases
    ]
    shown = [*cases[0][1]]
    return Table(title, [*head, *shown], rows, shown=len(shown))


def _case_cell(value: object) -> Cell:
    text = _case_text(value)
    full = repr(float(value)) if isinstance(value, float | np.floating) else ""
    return Cell(text, "" if full == text else full)


def _case_text(value: object) -> str:
    """Return an id, a label, a score or a class as text; an id of several columns as a list.  O(1)."""
    if isinstance(value, tuple):
        return ", ".join(map(_case_text, value))
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
