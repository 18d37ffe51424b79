"""Which groups of a report are shown, and in which order."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from evalcore.evaluation.grouping import NAMES, SIZE, WORST, NameOrder, has_interval, main_measure
from evalcore.evaluation.model import COMPARISONS, DIFFERENCES_TO_REST, Section, Statistic
from evalcore.evaluation.options import display_option
from evalcore.evaluation.wording import shown_value

_BEST = 20
"""Groups that a page shows from either end of more than twice as many."""
_LARGEST_FIRST = "The largest groups come first."


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
    found = ShownGroups(models, pairs, rests, main_measure(models[0].statistics), names, total, "")
    if len(names) > 2 * _BEST and not in_full:
        return _best_and_worst(found)
    names, rule = in_shown_order(models[0])
    return found._replace(names=names, rule=rule)


def in_shown_order(groups: Section) -> tuple[list[str], str]:
    """Return the names of groups, without the total, in the order in which they are shown, and a sentence on it.

    Groups that were sorted on request stay as they are.  Otherwise, where a column of groups holds numbers or dates
    alone, groups are in their order, and in that of the names beside them; other names are the largest first, as they
    are in the report.  O(g log g).
    """
    names = groups.groups
    if key := groups.sort and sorting_key(groups):
        return names, f"Groups are sorted by {key}, the {'worst' if groups.sort == WORST else 'largest'} first."
    order = NameOrder(names)
    if groups.sort == SIZE or (not groups.sort and {*order.kinds} <= {NAMES}):
        return names, _LARGEST_FIRST
    return names if groups.sort else sorted(names, key=order.key), order.rule


def sorting_key(groups: Section) -> str:
    """Return the statistic that groups were sorted by on request, and whose it is; empty for others.  O(statistics)."""
    name = main_measure(groups.statistics) if groups.sort == WORST else groups.sort
    title = groups.columns.titles.get(name)
    return "" if title is None else f"the {title.strip()} of {shown_value(groups.title)}"


def _best_and_worst(found: ShownGroups) -> ShownGroups:
    """Choose the best and the worst groups of the first model, among those with an interval if any has one."""
    first = found.models[0]
    measured = {name: item for name, (item,) in first.columns.only([found.measure]).in_turn()}
    known = [name for name in found.names if not math.isnan(measured[name].value)]
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
