"""The order of groups of rows: by their names, sizes or statistics."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.catalogue import catalogue_name
from evalcore.evaluation.model import Section, Statistic
from evalcore.evaluation.options import option
from evalcore.evaluation.wording import BETWEEN

NAME, SIZE, VALUE, WORST = "name", "size", "value", "worst"
SORTED = NAME, SIZE, VALUE, WORST
"""How groups are sorted, beside names of statistics."""


_MEASURES = "roc_auc", "accuracy"
"""The first of these that groups have is shown."""
NAMES, _NUMBERS, _DATES = "names", "numbers", "dates"
_PATTERNS = {
    _NUMBERS: re.compile(r"-?\d{1,18}(?:\.\d{1,18})?"),
    _DATES: re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d(?::\d\d){0,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?)?"),
}
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)\Z")
_ORDERS = {_NUMBERS: "the order of their numbers", _DATES: "the order of time", NAMES: "the order of their names"}
_MIXED_ORDER = "the order of their names, numbers and dates"
_PART = re.compile(rf"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.*?)(?:{BETWEEN}|\Z)""", re.DOTALL)
_Key: TypeAlias = list[Decimal | str]


def main_measure(names: Sequence[str]) -> str:
    """Return the measure that is shown of groups which have statistics of these names; empty for none.  O(names)."""
    return next((name for name in _MEASURES if name in names), "")


class NameOrder:
    """The order of the names of groups: of numbers and dates by their values, part by part for several columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self._parts = {name: _PART.findall(name)[:-1] or [""] for name in names}
        if len({*map(len, self._parts.values())}) > 1:  # the commas stand in labels of one column
            self._parts = {name: [name] for name in names}
        self.kinds = [
            next((kind for kind, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, column))), NAMES)
            for column in zip(*self._parts.values(), strict=True)
        ]
        """What each part of the names is."""

    @property
    def rule(self) -> str:
        """A sentence on the order."""
        order = _ORDERS[self.kinds[0]] if len({*self.kinds}) == 1 else _MIXED_ORDER
        return f"Groups are in {order}."

    def key(self, name: str) -> _Key:
        """Return what sorts a name among the others.  O(parts)."""
        parts = zip(self._parts[name], self.kinds, strict=True)
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
    (('roc_auc', 'accuracy'), (), ('recall',))
    """
    return _MEASURES if sort in (VALUE, WORST) else () if sort in SORTED else (catalogue_name(sort),)


def sorted_groups(sections: Sequence[Section], sort: str | None) -> list[Section]:
    """Return the sections of a report on groups with the groups sorted, before the total; others as they are.

    sort: "name", "size", "value" (the ROC AUC, or else the accuracy) or the name of a statistic, of which the largest
    of the first model comes first, and NaN last; "worst", as "value" but the smallest first; None for the order that
    sections have.  O(g log g).

    Raises EvaluationError for a statistic that groups do not have.
    """
    if sort is None or sections[0].whole is None:
        return [*sections]
    first = sections[0]
    *names, total = first.records
    if sort == VALUE:
        sort = main_measure(first.statistics)
    if sort == WORST:
        names = _ordered(names, first, main_measure(first.statistics), 1)
    elif sort not in SORTED:
        sort = catalogue_name(sort)
        names = _ordered(names, first, sort, -1)
    elif sort != SIZE:
        names = sorted(names, key=NameOrder(names).key)
    return [
        section._replace(
            records=section.columns.ordered([name for name in (*names, total) if name in section.records]), sort=sort
        )
        if section.whole
        else section
        for section in sections
    ]


def _ordered(names: Sequence[str], groups: Section, measure: str, sign: int) -> list[str]:
    """Return the names of groups by a statistic, the smallest times the sign first, and NaN last.  O(g log g)."""
    known = groups.statistics
    if measure not in known:
        near = did_you_mean(measure, known) or f"; these are {', '.join(known)}"
        raise EvaluationError(f"{option('sort')} must be a statistic of the groups, got {measure!r}{near}")
    order = (sign * groups.columns.column(measure)[:-1].astype(np.float64)).argsort(kind="stable")
    return [names[index] for index in order.tolist()]


def has_interval(item: Statistic) -> bool:
    """Whether the interval of a statistic is defined.  O(1)."""
    return item.interval is not None and not math.isnan(item.interval.low)
