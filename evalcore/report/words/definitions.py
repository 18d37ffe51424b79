"""What the numbers of a report mean, and how their intervals are computed."""

from collections.abc import Iterable, Sequence

from evalcore.evaluation.catalogue import WILSON, entry_of
from evalcore.evaluation.model import CERTIFIED, CountRecords, Section, Statistic

_MICRO = "micro_precision", "micro_recall", "micro_f1"
_OF_AREA_METHODS = {"delong": "DeLong", "delong-logit": "DeLong, logit"}
"""In place of the default, where the interval of an area or of a difference has such a method."""
_OF_FRACTIONS = {
    "clopper-pearson": "Clopper and Pearson",
    "jeffreys": "Jeffreys",
    "agresti-coull": "Agresti and Coull",
    "normal": "normal",
}
"""The same of fractions."""


def without_repeats(items: Sequence[Statistic]) -> Sequence[Statistic]:
    """Return statistics without the micro averages, which all equal the accuracy before them.  O(statistics).

    Averages over sets of categories, which have no one accuracy, stay.

    >>> items = [Statistic("accuracy", "accuracy", 0.5), Statistic("micro_f1", "F1, micro average", 0.5)]
    >>> [item.title for item in without_repeats(items)]
    ['accuracy (= micro averages)']
    """
    names = {item.name for item in items}
    if "accuracy" not in names or names.isdisjoint(_MICRO):
        return items
    kept = (item for item in items if item.name not in _MICRO)
    return [
        item._replace(title=f"{item.title} (= micro averages)") if item.name == "accuracy" else item for item in kept
    ]


def meanings(sections: Iterable[Section]) -> dict[str, str]:
    """Return what the statistics of a report mean, by their titles, each once, in their order.  O(statistics)."""
    described = (section.records for section in sections if not isinstance(section.records, CountRecords))
    items = (item for records in described for item in without_repeats(next(iter(records.values()))))
    found = ((item.title.strip(), entry_of(item.name)) for item in items)
    return {title: entry.meaning for title, entry in found if entry}


def interval_methods(sections: Iterable[Section]) -> str:
    """Say how the intervals of a report are computed; empty where it has none.  O(statistics of a record)."""
    titles: dict[str, dict[str, None]] = {}
    for section in sections:
        for part in () if isinstance(section.records, CountRecords) else section.columns.parts:
            items = next(part.records(0.0, section.columns.titles), ())
            for item in without_repeats(items):
                if item.interval and item.interval.method != CERTIFIED and (entry := entry_of(item.name)):
                    is_of_areas = item.name in ("roc_auc", "roc_auc_difference")
                    others = _OF_AREA_METHODS if is_of_areas else _OF_FRACTIONS if entry.method == WILSON else {}
                    titles.setdefault(others.get(item.interval.method, entry.method), {})[item.title] = None
    return ". ".join(f"{method}: {'; '.join(named)}" for method, named in titles.items())
