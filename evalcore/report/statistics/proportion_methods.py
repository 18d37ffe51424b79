"""Intervals of fractions by another method than Wilson's, in a report that has his.

Wilson's bounds tell the number of trials, effective ones where rows are weighted or drawn by clusters.
"""

import math
from collections.abc import Iterable

from evalcore.inference import Interval
from evalcore.inference.proportions import interval_of_trials, trials_of_wilson
from evalcore.report.model import CountRecords, Section
from evalcore.typing import ProportionMethod

_WILSON = "wilson"


def with_proportion_method(sections: Iterable[Section], method: ProportionMethod) -> list[Section]:
    """Return sections with the intervals of fractions by a method.  O(statistics)."""
    return [_of_section(section, method) for section in sections]


def _of_section(section: Section, method: ProportionMethod) -> Section:
    if method == _WILSON or isinstance(section.records, CountRecords):
        return section
    records = {
        name: [
            item._replace(interval=interval_by(item.interval, method))
            if item.interval is not None and item.interval.method == _WILSON
            else item
            for item in items
        ]
        for name, items in section.records.items()
    }
    return section._replace(records=records)


def interval_by(interval: Interval, method: ProportionMethod) -> Interval:
    """Return the interval of a fraction by a method, from that by Wilson; without bounds where it has none.  O(1).

    >>> interval_by(Interval(0.9, 0.595849973, 0.982124, 0.95, "wilson"), "clopper-pearson")
    0.9 [0.554984, 0.997471] (95% clopper-pearson)
    """
    if math.isnan(interval.low):
        return Interval(interval.estimate, interval.low, interval.high, interval.level, method)
    trials = _whole(trials_of_wilson(interval))
    successes = _whole(interval.estimate * trials)
    return interval_of_trials(successes, trials, interval.level, method, "", empty="", estimate=interval.estimate)


def _whole(number: float) -> float:
    """Return a number as the whole one that differs from it by rounding alone, if there is one.  O(1)."""
    nearest = round(number)
    return nearest if math.isclose(number, nearest, rel_tol=1e-9) else number
