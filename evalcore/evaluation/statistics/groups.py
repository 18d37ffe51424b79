"""Groups of the rows of a report, ``evalcore report --by``: their rows in memory, their names, and their order.

`evalcore.evaluation.batches` numbers groups as batches of rows come.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any
from unicodedata import is_normalized, normalize

import numpy as np

from evalcore.errors import check, did_you_mean
from evalcore.evaluation.catalogue import catalogue_name
from evalcore.evaluation.inputs import coded_column, group_labels, in_order
from evalcore.evaluation.model import ColumnRecords, Columns, Section, Statistic
from evalcore.evaluation.options import MOST_GROUPS, option
from evalcore.evaluation.wording import BETWEEN, listed
from evalcore.kernels.grouping import group_layout, rows_of_groups
from evalcore.typing import AnyArray, BoolArray, IntArray
from evalcore.validation.labels import ClassesAndCodes, encode_labels

TOTAL = "total"
"""The name of all groups together, which no group has."""
_QUOTES = "'", '"'
_MOST_NUMBERS = 1 << 62
SORTED = NAME, SIZE, VALUE, WORST = "name", "size", "value", "worst"
"""How groups are sorted, beside names of statistics."""
MAIN_MEASURES = "roc_auc", "accuracy", "mean"
"""What groups are shown and compared by unless measures are named: of scores, of predicted classes, and of values."""
NAMES, _NUMBERS, _DATES = "names", "numbers", "dates"
_PATTERNS = {
    _NUMBERS: re.compile(r"-?\d{1,18}(?:\.\d{1,18})?"),
    _DATES: re.compile(r"\d{4}-Q[1-4]|\d{4}-\d\d(?:-\d\d(?:T\d\d(?::\d\d){0,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?)?"),
}
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)\Z")
_ORDERS = {_NUMBERS: "the order of their numbers", _DATES: "the order of time", NAMES: "the order of their names"}
_MIXED_ORDER = "the order of their names, numbers and dates"
_WRITTEN: dict[str, Any] = {"Y": "Y", "M": "M", "h": "m"}
"""In which unit years, months and hours are written, of other dates and times the shortest that tells all apart."""
_PART = re.compile(rf"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.*?)(?:{BETWEEN}|\Z)""", re.DOTALL)


@dataclass
class GroupedRows:
    """The rows of each group, and the groups from the largest on.

    All rows together are one group, `WHOLE`.
    """

    numbers: Any
    """As `codes`, in as few bytes as hold them: of many rows they stand beside all else."""
    count: int
    labels: dict[str, int]
    """By the name of a group, its code."""
    notes: Sequence[str] = ()
    """What is said of groups that are left out: the codes have them, the names do not."""

    @property
    def is_whole(self) -> bool:
        """Whether all rows are one group."""
        return isinstance(self.numbers, int)

    @property
    def codes(self) -> Any:
        """The group of each row, (n,) of 0 .. count - 1, or 0 for all."""
        return self.numbers if self.is_whole else self.numbers.astype(np.int64, copy=False)

    @cached_property
    def layout(self) -> Any:
        """Which rows each group has, as `GroupLayout`; None for all rows."""
        return None if self.is_whole else group_layout(self.numbers, self.count)

    @cached_property
    def places(self) -> IntArray:
        """The index in the layout of each code."""
        return np.zeros(1, np.int64) if self.is_whole else self.layout.groups.argsort()

    @property
    def of_rows(self) -> Any:
        """The index in the layout of the group of each row, (n,), or 0 for all."""
        return self.codes if self.is_whole else self.places[self.codes]

    @cached_property
    def names(self) -> dict[str, int]:
        """By the name of a group, its index in the layout."""
        return dict(zip(self.labels, self.indices.tolist(), strict=True))

    @property
    def named(self) -> IntArray:
        """The codes of the groups with a name."""
        return np.array([*self.labels.values()], np.int64)

    @property
    def indices(self) -> IntArray:
        """Their indices in the layout."""
        return self.places[self.named]

    def where(self, rows: slice | BoolArray) -> "GroupedRows":
        """Return the same groups of some of the rows.  O(n)."""
        return self if self.is_whole else GroupedRows(self.numbers[rows], self.count, self.labels)

    def rows_of(self, name: str) -> slice | IntArray:
        """Return the rows of a group, or all rows for the total.  O(rows of the group)."""
        index = self.names.get(name)
        return slice(None) if index is None else rows_of_groups(self.layout, slice(index, index + 1))


WHOLE = GroupedRows(0, 1, {"": 0})
"""All rows as one group."""


def grouped_rows(
    columns: Mapping[str, AnyArray],
    most: int = MOST_GROUPS,
    min_cases: int | None = None,
    frequencies: IntArray | None = None,
    periods: Mapping[str, str] = {},
) -> GroupedRows:
    """Put rows of equal labels in all columns together, the largest group first, groups of a size by their labels.

    columns: (n,) strings, whole numbers, Booleans or dates each; most: number of groups allowed; min_cases: groups of
    fewer have no name; frequencies: (n,), how many cases each row stands for, by default 1; periods: as of
    `group_labels`.  O(n log n).  Raises EvaluationError for other columns, for NaN, for more groups, and if all are too
    small.

    >>> grouped_rows({"carrier": np.array(["b", "c", "a", "b"], object)}).labels
    {'b': 1, 'a': 0, 'c': 2}
    >>> grouped_rows({"carrier": np.array(["b", "a", "b"], object), "month": np.array([2, 1, 1])}).labels
    {'a, 1': 0, 'b, 1': 1, 'b, 2': 2}
    """
    found = (coded_column(group_labels(columns[name], name, 0, periods), name) for name in columns)
    labels, of_rows = zip(*found, strict=True)
    codes, of_groups = combinations(of_rows, [each.size for each in labels])
    count = of_groups[0].size
    check_number_of_groups(count, columns, most)
    sizes = np.bincount(codes, frequencies, count).astype(np.int64)
    names, notes = named_groups(sizes, list(zip(labels, of_groups, strict=True)), min_cases)
    return GroupedRows(codes.astype(np.min_scalar_type(count)), count, names, notes)


def named_records(names: Iterable[str], found: Columns, total: Columns, level: float | None) -> ColumnRecords:
    """Return the records of groups, in the order of their names, and, last, of all rows; level: of intervals.  O(g)."""
    return ColumnRecords((*names, TOTAL), [found, total], level)


def combinations(codes: Sequence[IntArray], counts: Sequence[int]) -> tuple[IntArray, list[IntArray]]:
    """Count through the combinations of the codes of columns that occur, in ascending order.

    codes: (n,) of each column; counts: how many codes it may have.  Returns the number of each row, (n,), and the codes
    of each column by number, (g,).  Of a single column all codes are returned.  O(n), O(n log n) for many combinations.

    >>> combinations([np.array([1, 0, 1]), np.array([2, 0, 2])], [2, 3])
    (array([1, 0, 1]), [array([0, 1]), array([0, 2])])
    """
    if len(codes) == 1:
        return codes[0], [np.arange(counts[0])]
    if math.prod(counts) <= _MOST_NUMBERS:
        occurring, numbers = encode_labels(np.ravel_multi_index(list(codes), list(counts)))
        return numbers, list(np.unravel_index(occurring, list(counts)))
    before, found = combinations(codes[:-1], counts[:-1])
    numbers, (own, last) = combinations([before, codes[-1]], [found[0].size, counts[-1]])
    return numbers, [*(each[own] for each in found), last]


def check_number_of_groups(count: int, names: Iterable[str], most: int, yet: str = "") -> None:
    """Raise EvaluationError for more groups than are allowed; yet: "at least " if more may come.  O(1)."""
    found = f"{yet}{count:,}; allow more ({option('groups', 'N')})"
    check(count <= most, columns_text(names), f"hold at most {most:,} groups", found)


def columns_text(names: Iterable[str]) -> str:
    """Name the columns of groups in an error.  O(columns).

    >>> columns_text(["carrier"]), columns_text(["carrier", "month"])
    ("column 'carrier'", "columns 'carrier' and 'month'")
    """
    *others, last = map(repr, names)
    return f"columns {', '.join(others)} and {last}" if others else f"column {last}"


def named_groups(
    sizes: IntArray, columns: Sequence[ClassesAndCodes], min_cases: int | None = None
) -> tuple[dict[str, int], list[str]]:
    """Return the indices of groups by their names, the largest first, then by their labels, and notes.  O(g log g).

    sizes: (g,); columns: the labels of each, distinct and ascending, and the index of that of each group, (g,);
    min_cases: smaller groups are left out, and a note says so.  Names are the labels of all columns; where there are
    several, labels with a comma, or with a quote in front, are in quotes.  Raises EvaluationError if there are groups
    and all of them are smaller.

    >>> labels = np.array(["10", "2", "9"], object)
    >>> named_groups(np.array([1, 3, 1]), [(labels, np.arange(3))])
    ({'2': 1, '9': 2, '10': 0}, [])
    >>> labels = np.array(["Ash", "Elm, old"], object)
    >>> named_groups(np.array([3, 1]), [(labels, np.array([1, 0])), (np.array([3]), np.array([0, 0]))], 2)
    ({"'Elm, old', 3": 0}, ['1 group of fewer than 2 cases, with 1 case, is left out; the total is of all cases'])
    """
    ranks = [in_order(labels).argsort()[codes] for labels, codes in columns]
    indices, notes = np.lexsort([*reversed(ranks), -sizes]), [note for each, _ in columns for note in _alike(each)]
    if min_cases is not None and indices.size:
        largest, kept = int(sizes[indices[0]]), int(np.count_nonzero(sizes >= min_cases))
        rule = f"be at most {largest:,}, the cases of the largest group"
        check(kept, option("min_cases"), rule, f"{min_cases:,}")
        if count := indices.size - kept:
            cases = int(sizes[indices[kept:]].sum())
            groups, are = ("group", "is") if count == 1 else ("groups", "are")
            together = f"{cases:,} case{'s' * (cases > 1)}" + " together" * (count > 1)
            few = f"{min_cases:,} case{'s' * (min_cases > 1)}"
            note = f"{count:,} {groups} of fewer than {few}, with {together}, {are} left out; the total is of all cases"
            indices, notes = indices[:kept], [note, *notes]
    written = []
    for labels, codes in columns:
        texts = _written(labels)
        if len(columns) > 1:
            texts = [repr(text) if BETWEEN.strip() in text or text.startswith(_QUOTES) else text for text in texts]
        written.append([texts[code] for code in codes[indices].tolist()])
    names = (beside_total(BETWEEN.join(texts)) for texts in zip(*written, strict=True))
    return dict(zip(names, indices.tolist(), strict=True)), notes


def _alike(labels: AnyArray) -> list[str]:
    """Note a label that looks like another one, but is made of other characters.  O(k)."""
    if labels.dtype.kind not in "OU" or (texts := "".join(map(str, labels.tolist()))).isascii():
        return []
    if is_normalized("NFC", texts):
        return []
    composed = Counter(normalize("NFC", str(label)) for label in labels.tolist())
    alike = [repr(text) for text, count in composed.items() if count > 1]
    said = "count as different groups, because they are not all in Unicode's form NFC"
    return [f"labels that look alike {said}: {listed(alike)}"] if alike else []


def beside_total(name: str, total: str = TOTAL) -> str:
    """Return a name that cannot be the total's: one that is, in brackets or not, gets another pair.  O(1).

    >>> beside_total("total"), beside_total("(total)"), beside_total("totals")
    ('(total)', '((total))', 'totals')
    """
    return f"({name})" if name.strip("()") == total else name


def _written(labels: AnyArray) -> list[str]:
    """Return labels, (k,), as text: whole numbers without decimals, dates as short as they can be.  O(k)."""
    if labels.dtype.kind == "f":
        return [f"{label + 0.0:.0f}" for label in labels.tolist()]  # -0.0 becomes 0.0
    if labels.dtype.kind == "M":
        unit = np.datetime_data(labels.dtype)[0]
        return list(map(str, np.datetime_as_string(labels, unit=_WRITTEN.get(unit, "auto")).tolist()))
    return list(map(str, labels.tolist()))


def main_measure(names: Sequence[str]) -> str:
    """Return the measure that is shown of groups which have statistics of these names; empty for none.  O(names)."""
    return next((name for name in MAIN_MEASURES if name in names), "")


class NameOrder:
    """The order of the names of groups: of numbers and dates by their values, part by part for several columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self.parts = {name: _PART.findall(name)[:-1] if BETWEEN in name else [name] for name in names}
        if len({*map(len, self.parts.values())}) > 1:  # the commas stand in labels of one column
            self.parts = {name: [name] for name in names}
        """By name, the label of each column as it stands there."""
        self.kinds = [
            next((kind for kind, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, column))), NAMES)
            for column in zip(*self.parts.values(), strict=True)
        ]
        """What each part of the names is."""

    @property
    def is_time(self) -> bool:
        """Whether the names are dates or numbers of one column."""
        return len(self.kinds) == 1 and self.kinds != [NAMES]

    @property
    def rule(self) -> str:
        """A sentence on the order."""
        order = _ORDERS[self.kinds[0]] if len({*self.kinds}) == 1 else _MIXED_ORDER
        return f"Groups are in {order}."

    def key(self, name: str) -> list[Decimal | str]:
        """Return what sorts a name among the others.  O(parts)."""
        parts = zip(self.parts[name], self.kinds, strict=True)
        return [
            Decimal(part) if kind == _NUMBERS else _in_utc(part) if kind == _DATES else part for part, kind in parts
        ]


def _in_utc(date: str) -> str:
    """Return a date or time, without its offset from UTC if it has one, as a text that sorts by time.  O(1).

    >>> _in_utc("2013-11-03T01:30-04:00"), _in_utc("2013-11")
    ('2013-11-03T05:30', '2013-11')
    """
    offset = _OFFSET.search(date)
    if offset is None:
        return date.removesuffix("Z")
    minutes = int(f"{offset[1]}{60 * int(offset[2]) + int(offset[3])}")
    return str(np.datetime64(date[: offset.start()]) - np.timedelta64(minutes, "m"))


def sorting_measures(sort: str) -> tuple[str, ...]:
    """Return the statistics that groups may be sorted by.  O(1).

    >>> sorting_measures("value"), sorting_measures("name"), sorting_measures("recall")
    (('roc_auc', 'accuracy', 'mean'), (), ('recall',))
    """
    return MAIN_MEASURES if sort in (VALUE, WORST) else () if sort in SORTED else (catalogue_name(sort),)


def sorted_groups(sections: Sequence[Section], sort: str | None) -> list[Section]:
    """Return the sections of a report on groups with the groups sorted, before the total; others as they are.

    sort: "name", "size", "value" (the ROC AUC, or else the accuracy or the mean) or the name of a statistic, of which
    the largest of the first model comes first, and NaN last; "worst", as "value" but the worst first; None for the
    order that sections have.  O(g log g).

    Raises EvaluationError for a statistic that groups do not have.
    """
    if sort is None or sections[0].whole is None:
        return [*sections]
    first = sections[0]
    *names, total = first.records
    if sort == NAME:
        names = sorted(names, key=NameOrder(names).key)
    elif sort != SIZE:
        known = first.statistics
        measure = main_measure(known) if sort in (VALUE, WORST) else catalogue_name(sort)
        near = did_you_mean(measure, known) or f"; these are {', '.join(known)}"
        check(measure in known, option("sort"), "be a statistic of the groups", f"{measure!r}{near}")
        values = first.columns.column(measure)[:-1].astype(np.float64)
        ascending = sort == WORST and not first.lower_is_better
        order = (values if ascending else -values).argsort(kind="stable")  # NaN comes last
        names, sort = [names[index] for index in order.tolist()], sort if sort == WORST else measure

    def with_order(section: Section) -> Section:
        if not section.whole or section.record != first.record:
            return section
        own = [name for name in (*names, total) if name in section.records]
        return section._replace(records=section.columns.ordered(own), sort=sort)

    return [*map(with_order, sections)]


def has_interval(item: Statistic) -> bool:
    """Whether the interval of a statistic is defined.  O(1)."""
    return item.interval is not None and not math.isnan(item.interval.low)
