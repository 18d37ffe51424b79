"""The models of a report, each with its statistics of all cases; of many those with the largest ROC areas."""

import math
from collections.abc import Mapping, Sequence

from evalcore.report.model import Section, Statistic

MOST_CURVES = 8
"""Models that one chart shows: as many as there are colours."""
MOST_TILES = 12
"""Models that a page shows one by one."""


def model_records(sections: Sequence[Section]) -> dict[str, dict[str, Statistic]]:
    """Return the statistics of all cases by their names, for each column of scores; empty for classes.  O(models).

    >>> from evalcore.report.model import Whole
    >>> area = [Statistic("roc_area", "ROC area", 0.75)]
    >>> list(model_records([Section("a", "", "group", {"x": area, "total": area}, whole=Whole("scores", "score"))]))
    ['a']
    """
    first = sections[0]
    if first.whole:
        found: Mapping[str, list[Statistic]] = {
            section.name: list(section.records.values())[-1] for section in sections if section.whole == first.whole
        }
    else:
        found = first.records
    records = {name: {item.name: item for item in items} for name, items in found.items()}
    return records if all("roc_area" in items for items in records.values()) else {}


def decisions_of(sections: Sequence[Section], model: str, name: str) -> dict[str, Statistic]:
    """Return the decisions of a model in all rows, by their names, of a section; none if there is none.  O(sections).

    name: as `section_name` makes it.
    """
    for section in sections:
        if section.whole is None and section.name == name:
            return {item.name: item for item in section.records[model]}
        if section.whole is not None and (section.whole.name, section.name) == (name, model):
            return {item.name: item for item in list(section.records.values())[-1]}  # the total
    return {}


def leading_models(sections: Sequence[Section], names: Sequence[str], most: int = MOST_CURVES) -> dict[int, str]:
    """Return at most so many models, those with the largest ROC areas, by their index in the report.

    names: of the models to choose among.  O(m log m) for m models.
    """
    records = model_records(sections)

    def order(name: str) -> float:
        area = records[name]["roc_area"].value
        return math.inf if math.isnan(area) else -area

    chosen = set(sorted(names, key=order)[:most])
    return {index: name for index, name in enumerate(records) if name in chosen}
