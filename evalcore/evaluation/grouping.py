"""How groups of rows are reported: what is asked of them, which are shown, and in which order."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.catalogue import MEASURES, entry_of
from evalcore.evaluation.model import COMPARISONS, DIFFERENCES_TO_REST, Section, Statistic
from evalcore.evaluation.options import display_option, option
from evalcore.evaluation.wording import BETWEEN, shown_value
from evalcore.optional import require
from evalcore.validation.values import check_integer

NAME, SIZE, VALUE, WORST = "name", "size", "value", "worst"
SORTED = NAME, SIZE, VALUE, WORST
"""How groups are sorted, beside names of statistics."""


_MEASURES = "roc_area", "accuracy"
"""The first of these that groups have is shown."""
_BEST = 20
"""Groups that a page shows from either end of more than twice as many."""
_NAMES, _NUMBERS, _DATES = "names", "numbers", "dates"
_PATTERNS = {
    _NUMBERS: re.compile(r"-?\d{1,18}(?:\.\d{1,18})?"),
    _DATES: re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d(?::\d\d){0,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?)?"),
}
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)\Z")
_ORDERS = {_NUMBERS: "the order of their numbers", _DATES: "the order of time", _NAMES: "the order of their names"}
_MIXED_ORDER = "the order of their names, numbers and dates"
_LARGEST_FIRST = "The largest groups come first."
_PART = re.compile(rf"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.*?)(?:{BETWEEN}|\Z)""", re.DOTALL)
_Key: TypeAlias = list[Decimal | str]


class Grouping(NamedTuple):
    """What is asked of groups."""

    min_cases: int | None = None
    """Smaller groups are left out."""
    sort: str | None = None
    """One of `SORTED`, or the name of a statistic, the largest first."""
    compare_groups: bool = False
    """Whether each group is compared with all other cases."""


EVERY_GROUP = Grouping()


def check_grouping(grouping: Grouping, by: tuple[str, ...], scores: tuple[str, ...], level: float | None) -> None:
    """Raise EvaluationError for invalid options of groups, and for options without what they need.  O(options).

    by: columns of groups; scores: columns of scores of one label; level: of intervals.
    """
    given = grouping._asdict()
    for name, value in given.items():
        if value is not EVERY_GROUP._field_defaults[name] and not by:
            raise EvaluationError(f"{option(name)} needs {option('by')}, which names the column of groups")
    if grouping.compare_groups and level is None:
        raise EvaluationError(f"{option('compare_groups')} needs {option('ci')}, the level of the intervals")
    if grouping.compare_groups and scores:
        require("scipy.special", "inference")  # before files are read
    least, sort = grouping.min_cases, grouping.sort
    if least is not None and check_integer(least, option("min_cases")) < 1:
        raise EvaluationError(f"{option('min_cases')} must be at least 1, got {least}")
    if sort is not None and sort not in SORTED and entry_of(sort) is None:
        known, near = f"{', '.join(SORTED)} or the name of a statistic", did_you_mean(sort, [*SORTED, *MEASURES])
        raise EvaluationError(f"{option('sort')} must be {known}, got {sort!r}{near}")


class ShownGroups(NamedTuple):
    """Groups as they are shown, and the statistic that is shown of them."""

    models: list[Section]
    """The sections of the report that are of models."""
    pairs: list[Section]
    """Those of differences between models."""
    rests: list[Section]
    """Those of differences between a group and all other cases, without the total."""
    measure: str
    """The name of the statistic."""
    names: list[str]
    """Without the total."""
    total: str
    rule: str
    """Says which groups are shown, in which order."""

    def items(self, section: Section, name: str) -> dict[str, Statistic]:
        """Return the statistics of a group, or of the total, by their names.  O(statistics)."""
        return {item.name: item for item in section.records[name]}

    def measured(self, section: Section, name: str) -> Statistic:
        """Return the statistic that is shown of a group, or of the total.  O(statistics)."""
        return next(item for item in section.records[name] if item.name == self.measure)


def shown_groups(sections: Sequence[Section], in_full: bool = False) -> ShownGroups | None:
    """Choose groups: all, or of more than 40 the best and worst 20; None for a report without groups.  O(g log g).

    in_full: whether all are shown in any case.
    """
    if sections[0].whole is None:
        return None
    pairs = [section for section in sections if section.whole and section.whole.name == COMPARISONS]
    models = [section for section in sections if section.whole == sections[0].whole]
    rests = [section for section in sections if section.whole and section.whole.name == DIFFERENCES_TO_REST]
    *names, total = models[0].records
    found = ShownGroups(models, pairs, rests, _main_measure(models[0].statistics), names, total, "")
    if len(names) > 2 * _BEST and not in_full:
        return _best_and_worst(found)
    names, rule = in_shown_order(models[0])
    return found._replace(names=names, rule=rule)


def _main_measure(names: Sequence[str]) -> str:
    return next((name for name in _MEASURES if name in names), "")


def in_shown_order(groups: Section) -> tuple[list[str], str]:
    """Return the names of groups, without the total, in the order in which they are shown, and a sentence on it.

    Groups that were sorted on request stay as they are.  Otherwise, where a column of groups holds numbers or dates
    alone, groups are in their order, and in that of the names beside them; other names are the largest first, as they
    are in the report.  O(g log g).
    """
    names = groups.groups
    if groups.sort:
        key = sorting_key(groups)
        first = "worst" if groups.sort == WORST else "largest"
        rule = f"Groups are sorted by {key}, the {first} first." if key else _sorted_rule(groups.sort, names)
        return names, rule
    order = _NameOrder(names)
    if {*order.kinds} <= {_NAMES}:
        return names, _LARGEST_FIRST
    return sorted(names, key=order.key), order.rule


def sorting_key(groups: Section) -> str:
    """Return the statistic that groups were sorted by on request, and whose it is; empty for others.  O(statistics)."""
    name = _main_measure(groups.statistics) if groups.sort == WORST else groups.sort
    title = groups.columns.titles.get(name)
    return "" if title is None else f"the {title.strip()} of {shown_value(groups.title)}"


def _sorted_rule(sort: str, names: Sequence[str]) -> str:
    return _LARGEST_FIRST if sort == SIZE else _NameOrder(names).rule


class _NameOrder:
    """The order of the names of groups: of numbers and dates by their values, part by part for several columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self._parts = {name: _PART.findall(name)[:-1] or [""] for name in names}
        if len({*map(len, self._parts.values())}) > 1:  # the commas stand in labels of one column
            self._parts = {name: [name] for name in names}
        self.kinds = [
            next((kind for kind, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, column))), _NAMES)
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
    (('roc_area', 'accuracy'), (), ('recall',))
    """
    return _MEASURES if sort in (VALUE, WORST) else () if sort in SORTED else (sort,)


def sorted_groups(sections: Sequence[Section], sort: str | None) -> list[Section]:
    """Return the sections of a report on groups with the groups sorted, before the total; others as they are.

    sort: "name", "size", "value" (the ROC area, or else the accuracy) or the name of a statistic, of which the largest
    of the first model comes first, and NaN last; "worst", as "value" but the smallest first; None for the order that
    sections have.  O(g log g).

    Raises EvaluationError for a statistic that groups do not have.
    """
    if sort is None or sections[0].whole is None:
        return [*sections]
    first = sections[0]
    *names, total = first.records
    if sort == VALUE:
        sort = _main_measure(first.statistics)
    if sort == WORST:
        names = _ordered(names, first, _main_measure(first.statistics), 1)
    elif sort not in SORTED:
        names = _ordered(names, first, sort, -1)
    elif sort != SIZE:
        names = sorted(names, key=_NameOrder(names).key)
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


def _best_and_worst(found: ShownGroups) -> ShownGroups:
    """Choose the best and the worst groups of the first model, among those with an interval if any has one."""
    first = found.models[0]
    alone = first.columns.only([found.measure])
    measured = {name: alone[name][0] for name in found.names}
    known = [name for name, item in measured.items() if not math.isnan(item.value)]
    certain = [name for name in known if has_interval(measured[name])]
    chosen = certain if len(certain) >= 2 * _BEST else known
    ranked = sorted(chosen, key=lambda name: measured[name].value, reverse=True)
    title = measured[found.names[0]].title
    among = " with an interval" if len(chosen) < len(known) else ""
    best_first = first.sort in ("", SIZE, found.measure)
    order = "the best first" if best_first else "in the order of the report"
    rule = (
        f"There are {len(found.names):,} groups. The {_BEST} best and the {_BEST} worst{among} are shown, by the "
        f"{title} of {shown_value(first.title)}, {order}. {display_option('all_groups')} shows all in the table."
    )
    shown = ranked if len(ranked) <= 2 * _BEST else [*ranked[:_BEST], *ranked[-_BEST:]]
    if not best_first:
        ends = {*shown}
        shown = [name for name in found.names if name in ends]
    return found._replace(names=shown, rule=rule)
