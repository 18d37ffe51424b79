"""Which classes of a report are listed and drawn."""

from collections.abc import Sequence
from typing import NamedTuple

from evalcore.report.model import CLASSES, CONFUSION_MATRIX, CountRecords, Section, Statistic
from evalcore.report.tables import most_frequent

MOST_LISTED = 20
"""Classes that are listed of many: so many frequent ones, and so many with the lowest F1."""


class ClassSections(NamedTuple):
    """The sections of a report on classes."""

    overall: Section
    classes: Section
    matrix: CountRecords


def class_sections(sections: Sequence[Section]) -> ClassSections | None:
    """Return the sections of a report on classes; None for other reports, and for groups.  O(sections)."""
    named = {section.name: section for section in sections if not section.whole}
    matrix = named.get(CONFUSION_MATRIX)
    if matrix is None or not isinstance(matrix.records, CountRecords):
        return None
    return ClassSections(named["statistics"], named[CLASSES], matrix.records)


class ListedClasses(NamedTuple):
    """Names of classes."""

    frequent: list[str]
    """The most frequent, the most frequent first."""
    worst: list[str]
    """Those with the lowest F1, the lowest first."""


def listed_classes(classes: Section, most: int) -> ListedClasses:
    """Return the most frequent classes, and those with the lowest F1, at most so many of each.  O(k log k).

    Classes that never occur have no F1 that a model could raise: they are not among the worst.
    """
    frequent = most_frequent(classes)
    scores = {name: item_of(items, "f1").value for name, items in classes.records.items()}
    occurring = [name for name in frequent if item_of(classes.records[name], "cases").value]
    return ListedClasses(frequent[:most], sorted(occurring, key=lambda name: scores[name])[:most])


def item_of(items: Sequence[Statistic], name: str) -> Statistic:
    """Return the statistic of a name.  O(statistics)."""
    return next(item for item in items if item.name == name)
