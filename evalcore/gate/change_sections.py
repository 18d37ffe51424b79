"""What changed since an earlier report, as sections of the new one."""

import math
from collections.abc import Iterator, Sequence

from evalcore.evaluation.catalogue import entry_of, measure_name
from evalcore.evaluation.model import CERTIFIED, CHANGES_OF_GROUPS, CHANGES_SINCE_BASELINE, Section, Statistic, Whole
from evalcore.gate.numbers import GatedNumber
from evalcore.inference import Interval
from evalcore.kernels.tables import BinaryCounts

_UNPAIRED = "unpaired"
"""The method of intervals of changes where the old predictions are gone."""
_COUNTS = "cases", "positives", "classes"
_OF_SIZE = frozenset((*_COUNTS[1:], "weight", "effective_cases", "prevalence"))
"""What says how large groups are, beside their numbers of cases."""


def change_sections(numbers: Sequence[GatedNumber], level: float | None, *, certified: bool) -> list[Section]:
    """Return what changed: for each model a row for each measure, and a row for each group.  O(numbers).

    numbers: with their changes; level: of the intervals; certified: whether these certainly hold the exact changes.
    Measures without an old value are left out.

    >>> area = GatedNumber("boosting", "roc_area", 0.75, old=0.5, change=0.25)
    >>> [(item.name, item.value) for item in change_sections([area], None, certified=False)[0].records["roc_area"]]
    [('baseline', 0.5), ('now', 0.75), ('change', 0.25)]
    """
    made = math.nan if level is None else level, CERTIFIED if certified else _UNPAIRED
    compared = [number for number in numbers if measure_name(number.measure).stem not in BinaryCounts._fields]
    sections = [
        Section(
            model,
            f"changes of {model} since the baseline, unpaired",
            "measure",
            {number.measure: _statistics(number, *made) for number in own},
            whole=Whole(CHANGES_SINCE_BASELINE, "score", has_total=False),
        )
        for model, own in _by_model([each for each in compared if each.grouping is None and _has_old_value(each)])
    ]
    return sections + [
        Section(
            model,
            f"changes of {model} by {own[0].grouping} since the baseline, unpaired",
            "group",
            _of_groups(own, *made),
            whole=Whole(CHANGES_OF_GROUPS, "score", has_total=False),
        )
        for model, own in _by_model([each for each in compared if each.grouping is not None])
        if any(map(_has_old_value, own))
    ]


def _has_old_value(number: GatedNumber) -> bool:
    return not math.isnan(number.change)


def _by_model(numbers: Sequence[GatedNumber]) -> Iterator[tuple[str, list[GatedNumber]]]:
    """Yield the numbers of each model.  O(numbers models)."""
    for model in dict.fromkeys(number.model for number in numbers):
        yield model, [number for number in numbers if number.model == model]


def _of_groups(numbers: Sequence[GatedNumber], level: float, method: str) -> dict[str, list[Statistic]]:
    """Return by group the changes of all measures that some group has an old value of.  O(groups measures)."""
    found = {(str(number.group), number.measure): number for number in numbers}
    groups = dict.fromkeys(group for group, _ in found)
    changed = dict.fromkeys(measure for (_, measure), number in found.items() if _has_old_value(number))
    measures = sorted((name for name in changed if name not in _OF_SIZE), key=_COUNTS.__contains__)
    nothing = GatedNumber("", "", math.nan)
    return {
        group: [
            item._replace(name=f"{measure}_{item.name}", title=f"{_title(measure)} {item.title}")
            for measure in measures
            for item in _statistics(found.get((group, measure), nothing)._replace(measure=measure), level, method)
        ]
        for group in groups
    }


def _statistics(number: GatedNumber, level: float, method: str) -> list[Statistic]:
    """Return the old value, the new one and the change of a measure.  O(1)."""
    values = number.old, number.value, number.change
    if number.measure in _COUNTS and not math.isnan(number.change):
        old, new, change = map(round, values)
        return _named(old, new, change, None)
    bounded = not math.isnan(number.change_low)
    bounds = Interval(number.change, number.change_low, number.change_high, level, method) if bounded else None
    return _named(*values, bounds)


def _named(old: float, new: float, change: float, interval: Interval | None) -> list[Statistic]:
    return [
        Statistic("baseline", "baseline", old),
        Statistic("now", "now", new),
        Statistic("change", "change", change, interval),
    ]


def _title(measure: str) -> str:
    """Return the name of a measure in headings, with its threshold.  O(letters)."""
    name = measure_name(measure)
    entry = entry_of(name.stem)
    at = "" if name.name == name.stem else f"@{measure.partition('@')[2]}"
    return measure if entry is None else f"{entry.title.strip()}{at}"
