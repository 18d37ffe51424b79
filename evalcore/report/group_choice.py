"""Which groups of a report a page and its chart show, and in which order."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from evalcore.report.model import COMPARISONS, Section, Statistic
from evalcore.report.options import display_option
from evalcore.report.wording import BETWEEN, shown_value

_MEASURES = "roc_area", "accuracy"
"""The first of these that groups have is shown."""
_BEST = 20
"""Groups that are shown from either end of more than twice as many."""
_NAMES, _NUMBERS, _DATES = "names", "numbers", "dates"
_PATTERNS = {
    _NUMBERS: re.compile(r"-?\d{1,18}"),
    _DATES: re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d(?::\d\d){0,2}(?:\.\d+)?)?)?"),
}
_ORDERS = {_NUMBERS: "the order of their numbers", _DATES: "the order of time"}
_MIXED_ORDER = "the order of their names, numbers and dates"


class ShownGroups(NamedTuple):
    """Groups as they are shown, and the statistic that is shown of them."""

    models: list[Section]
    """The sections of the report that are of models."""
    pairs: list[Section]
    """Those of differences between models."""
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

    in_full: whether all are shown in any case.  Where a column of groups holds numbers or dates alone, groups are in
    their order, and in that of the names beside them; other names are as in the report, the largest first.
    """
    if sections[0].whole is None:
        return None
    pairs = [section for section in sections if section.whole and section.whole.name == COMPARISONS]
    models = [section for section in sections if section not in pairs]
    *names, total = models[0].records
    measure = next(name for name in _MEASURES for item in models[0].records[total] if item.name == name)
    found = ShownGroups(models, pairs, measure, names, total, "")
    if len(names) > 2 * _BEST and not in_full:
        return _best_and_worst(found)
    kinds = _kinds(names)
    if {*kinds} <= {_NAMES}:
        return found._replace(rule="The largest groups come first.")
    rule = f"Groups are in {_ORDERS.get(kinds[0]) if len({*kinds}) == 1 else _MIXED_ORDER}."
    return found._replace(names=sorted(names, key=lambda name: _sort_key(name, kinds)), rule=rule)


def _kinds(names: Sequence[str]) -> list[str]:
    """Return what the parts of names are, for groups of several columns more than one part.  O(g).

    >>> _kinds(["AA, 3", "UA, 12"]), _kinds(["2013-01", "2013-02"])
    (['names', 'numbers'], ['dates'])
    """
    parts = [name.split(BETWEEN) for name in names]
    if len({*map(len, parts)}) != 1:
        return [_NAMES]
    return [
        next((kind for kind, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, column))), _NAMES)
        for column in zip(*parts, strict=True)
    ]


def _sort_key(name: str, kinds: Sequence[str]) -> list[int | str]:
    parts = zip(name.split(BETWEEN), kinds, strict=True)
    return [int(part) if kind == _NUMBERS else part for part, kind in parts]


def has_interval(item: Statistic) -> bool:
    """Whether the interval of a statistic is defined.  O(1)."""
    return item.interval is not None and not math.isnan(item.interval.low)


def _best_and_worst(found: ShownGroups) -> ShownGroups:
    """Choose the best and the worst groups of the first model, among those with an interval if any has one."""
    first = found.models[0]
    measured = {name: found.measured(first, name) for name in found.names}
    known = [name for name, item in measured.items() if not math.isnan(item.value)]
    certain = [name for name in known if has_interval(measured[name])]
    chosen = certain if len(certain) >= 2 * _BEST else known
    ranked = sorted(chosen, key=lambda name: measured[name].value, reverse=True)
    title = measured[found.names[0]].title
    among = " with an interval" if len(chosen) < len(known) else ""
    rule = (
        f"There are {len(found.names):,} groups. The {_BEST} best and the {_BEST} worst{among} are shown, by the "
        f"{title} of {shown_value(first.title)}, the best first. {display_option('all_groups')} shows all in the table."
    )
    shown = ranked if len(ranked) <= 2 * _BEST else [*ranked[:_BEST], *ranked[-_BEST:]]
    return found._replace(names=shown, rule=rule)
