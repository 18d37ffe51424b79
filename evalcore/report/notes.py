"""Notes below the numbers of a report: which 0 stands for 0/0, and why a number is NaN."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from evalcore.kernels.tables import BinaryCounts
from evalcore.report.catalogue import Entry, entry_of
from evalcore.report.model import CLASSES, Answer, CountRecords, Section, Statistic

_LISTED = 6
_DECISION_COUNTS = {*BinaryCounts._fields}


class _Finding(NamedTuple):
    """Statistics that are 0 or NaN in a record, and why."""

    titles: str
    value: str
    reason: str


def notes_of(answer: Answer) -> list[str]:
    """Return the notes that came with a report, then those on its numbers.  O(statistics)."""
    return [*answer.notes, *notes(answer.sections)]


def notes(sections: Iterable[Section]) -> list[str]:
    """Say where 0 stands for 0/0, and why numbers are NaN.  O(statistics).

    >>> area = [Statistic("roc_area", "ROC area", math.nan)]
    >>> notes([Section("scores", "", "score", {"a": area, "b": area})])
    ["ROC area is NaN where all cases are of one class: 'a', 'b'"]
    """
    found: dict[_Finding, list[str | tuple[str, str]]] = {}
    alone = True
    for section in sections:
        alone = alone and len(section.records) == 1 and section.whole is None
        if isinstance(section.records, CountRecords):
            continue
        for record, items in section.records.items():
            name = (section.name, record) if section.whole else record
            for finding in (*_conventions(section, items), *_findings(items)):
                found.setdefault(finding, []).append(name)
    conventions_first = sorted(found, key=lambda finding: finding.value == "NaN")
    return [_sentence(finding, [] if alone else list(filter(None, found[finding]))) for finding in conventions_first]


def _findings(items: Sequence[Statistic]) -> Iterable[_Finding]:
    undefined = tuple(
        (name, title) for name, title, value, _ in items if isinstance(value, float) and math.isnan(value)
    )
    return _findings_of(undefined) if undefined else ()


@lru_cache
def _findings_of(undefined: tuple[tuple[str, str], ...]) -> list[_Finding]:
    """Return why statistics, given by their names and titles, are NaN."""
    titles: dict[str, list[str]] = {}
    for name, title in undefined:
        entry = entry_of(name) or Entry(title, "")
        titles.setdefault(entry.why_nan, []).append(entry.full_title or entry.title)
    return [_Finding(_joined(named), "NaN", reason) for reason, named in titles.items()]


def _conventions(section: Section, items: Sequence[Statistic]) -> Iterator[_Finding]:
    """Yield where 0 stands for 0/0, in a record of decisions or of a class."""
    values = {item.name: item.value for item in items}
    if section.name == CLASSES:
        yield from _of_class(values["cases"], values["predicted"], ("precision", "recall"), None)
    elif values.keys() >= _DECISION_COUNTS:
        positive, negative = values["tp"] + values["fn"], values["fp"] + values["tn"]
        predicted_positive, predicted_negative = values["tp"] + values["fp"], values["fn"] + values["tn"]
        yield from _of_class(positive, predicted_positive, ("precision", "recall"), "positive")
        yield from _of_class(negative, predicted_negative, ("negative predictive value", "specificity"), "negative")


def _of_class(cases: float, predicted: float, titles: tuple[str, str], kind: str | None) -> Iterator[_Finding]:
    if cases and not predicted:
        why = "a class is never predicted" if kind is None else f"no case is predicted {kind}"
        yield _Finding(titles[0], "0", why)
    if predicted and not cases:
        why = "a class never occurs" if kind is None else f"there are no {kind}s"
        yield _Finding(titles[1], "0", why)


def _sentence(finding: _Finding, records: Sequence[str | tuple[str, str]]) -> str:
    shown = ", ".join(
        repr(each) if isinstance(each, str) else " in ".join(map(repr, each)) for each in records[:_LISTED]
    )
    more = f" and {len(records) - _LISTED:,} more" if len(records) > _LISTED else ""
    verb = "are" if " and " in finding.titles else "is"
    return f"{finding.titles} {verb} {finding.value} where {finding.reason}{': ' if shown else ''}{shown}{more}"


def _joined(titles: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(titles[:-1]), titles[-1]]))
