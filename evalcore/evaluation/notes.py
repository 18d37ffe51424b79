"""Notes below the numbers of a report: which 0 stands for 0/0, and why a number is NaN, each reason once."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from evalcore.evaluation.catalogue import Entry, entry_of
from evalcore.evaluation.measure_choice import ALL_MEASURES, Measures
from evalcore.evaluation.model import AT_THRESHOLD, CLASSES, FOR_TARGET, Answer, CountRecords, Section, Statistic, Whole
from evalcore.evaluation.wording import listed
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import plain_number

_LISTED = 6
_DECISION_COUNTS = {*BinaryCounts._fields}
_OF_NO_THRESHOLD = "the threshold", "the statistics of its decisions"
"""What is NaN where no threshold reaches a target."""


class _Reason(NamedTuple):
    """Why statistics are 0 or NaN."""

    value: str
    text: str


class _Finding(NamedTuple):
    """Statistics that are 0 or NaN in a record, and why."""

    titles: tuple[str, ...]
    reason: _Reason


class _Found:
    """Where a reason holds."""

    def __init__(self) -> None:
        self.titles: dict[tuple[str, ...], None] = {}
        """Of the statistics in each record."""
        self.records: dict[str, None] = {}
        self.grouped: dict[str, list[Section]] = {}
        """The sections of larger ones, by the groups that they hold."""


def notes_of(answer: Answer, measures: Measures = ALL_MEASURES, hidden: Collection[str] = ()) -> list[str]:
    """Return the notes that came with a report, then those on the numbers that are shown.  O(statistics).

    hidden: names of statistics of these measures for which a table has no room.
    """
    return [*answer.notes, *notes(answer.sections, measures, hidden)]


def notes(sections: Iterable[Section], measures: Measures = ALL_MEASURES, hidden: Collection[str] = ()) -> list[str]:
    """Say where 0 stands for 0/0, and why numbers are NaN, of those that are shown.  O(statistics).

    >>> area = [Statistic("roc_area", "ROC area", math.nan)]
    >>> notes([Section("scores", "", "score", {"a": area, "b": area})])
    ["ROC area is NaN where all cases are of one class: 'a', 'b'"]
    """
    every = list(filter(measures.is_in, sections))
    several = any(_part_of(section).startswith(AT_THRESHOLD) for section in every)
    found: dict[_Reason, dict[str, _Found]] = {}

    @cache  # there are few names, and as many records as groups
    def is_shown(name: str) -> bool:
        return name not in hidden and measures.is_shown(name)

    for section in every:
        if isinstance(section.records, CountRecords):
            continue
        first = next(iter(section.records.values()), ())
        counted = section.name == CLASSES or {item.name for item in first} >= _DECISION_COUNTS
        for record, items in section.records.items():
            conventions = _conventions(section, items) if counted else ()
            shown = [item for item in items if is_shown(item.name)]
            named = (one for one in conventions if is_shown(one.titles[0].replace(" ", "_")))
            undefined = tuple((name, title) for name, title, value, _ in shown if math.isnan(value))
            findings, threshold = [*named, *(_findings_of(undefined) if undefined else ())], ""
            if several:
                findings, threshold = _at_threshold(findings, section, items)
            for titles, reason in findings:
                place = found.setdefault(reason, {}).setdefault(threshold if "predict" in reason.text else "", _Found())
                place.titles[titles] = None
                if section.whole:
                    place.grouped.setdefault(record, []).append(section)
                else:
                    place.records[record] = None
    alone = all(len(section.records) == 1 and section.whole is None for section in every)
    parts = Counter(section.whole for section in every)
    conventions_first = sorted(found, key=lambda reason: reason.value == "NaN")
    return [_sentence(reason, found[reason], None if alone else parts) for reason in conventions_first]


def _part_of(section: Section) -> str:
    """Return the name of a section, or of the larger one."""
    return section.whole.name if section.whole else section.name


def _at_threshold(findings: list[_Finding], section: Section, items: Sequence[Statistic]) -> tuple[list[_Finding], str]:
    """Return what was found in a record of a report with several thresholds, and the name of its threshold."""
    threshold = next((item.value for item in items if item.name == "threshold"), None)
    if threshold is None:
        return findings, ""
    name = _part_of(section)
    if math.isnan(threshold):
        reason = f"no threshold reaches {name.removeprefix(FOR_TARGET)}"
        return [_Finding(_OF_NO_THRESHOLD, _Reason("NaN", reason))], ""
    if not name.startswith(AT_THRESHOLD):
        name = f"{AT_THRESHOLD}{plain_number(threshold)}"
    return findings, f"the {name}" if name.startswith(FOR_TARGET) else name


def _places(found: _Found, parts: Mapping[Whole | None, int]) -> list[str]:
    """Name the records where a reason holds: a group alone if it does so in all sections that the group is in.

    parts: number of sections of each larger one.
    """
    named = [repr(record) for record in found.records if record]
    for group, sections in found.grouped.items():
        everywhere = len(sections) == parts[sections[0].whole]
        named += [repr(group)] if everywhere else [f"{section.name!r} in {group!r}" for section in sections]
    return named


@lru_cache
def _findings_of(undefined: tuple[tuple[str, str], ...]) -> list[_Finding]:
    """Return why statistics, given by their names and titles, are NaN."""
    titles: dict[str, list[str]] = {}
    for name, title in undefined:
        entry = entry_of(name) or Entry(title, "")
        titles.setdefault(entry.why_nan, []).append(entry.full_title or entry.title)
    return [_Finding(tuple(named), _Reason("NaN", reason)) for reason, named in titles.items()]


def _conventions(section: Section, items: Sequence[Statistic]) -> Iterator[_Finding]:
    """Yield where 0 stands for 0/0, in a record of decisions or of a class."""
    values = {item.name: item.value for item in items}
    if section.name == CLASSES:
        yield from _of_class(values["cases"], values["predicted"], ("precision", "recall"), None)
    else:
        positive, negative = values["tp"] + values["fn"], values["fp"] + values["tn"]
        predicted_positive, predicted_negative = values["tp"] + values["fp"], values["fn"] + values["tn"]
        yield from _of_class(positive, predicted_positive, ("precision", "recall"), "positive")
        yield from _of_class(negative, predicted_negative, ("negative predictive value", "specificity"), "negative")


def _of_class(cases: float, predicted: float, titles: tuple[str, str], kind: str | None) -> Iterator[_Finding]:
    if cases and not predicted:
        why = "a class is never predicted" if kind is None else f"no case is predicted {kind}"
        yield _Finding(titles[:1], _Reason("0", why))
    if predicted and not cases:
        why = "a class never occurs" if kind is None else f"there are no {kind}s"
        yield _Finding(titles[1:], _Reason("0", why))


def _sentence(reason: _Reason, found: Mapping[str, _Found], parts: Mapping[Whole | None, int] | None) -> str:
    """Say why statistics are 0 or NaN, and where.

    found: by the name of the threshold, which is empty if it does not matter; parts: as in `_places`, None where the
    report has one record.
    """
    of_records: dict[tuple[str, ...], None] = dict.fromkeys(chain(*(each.titles for each in found.values())))
    longest_first = sorted(of_records, key=len, reverse=True)
    titles = list(dict.fromkeys(chain.from_iterable(longest_first)))  # in the order of the longest
    thresholds: dict[str, list[str]] = {}
    for threshold, each in found.items():
        thresholds.setdefault("" if parts is None else _some(_places(each, parts)), []).append(threshold)
    verb = "are" if len(titles) > 1 else "is"
    because = f"{listed(titles, len(titles))} {verb} {reason.value} where {reason.text}"
    at = {places: f" at {listed(names, _LISTED)}" if all(names) else "" for places, names in thresholds.items()}
    if len(at) > 1:
        return f"{because}: {'; '.join(places + names for places, names in at.items())}"
    ((places, names),) = at.items()
    return f"{because}{names}" + (f": {places}" if places else "")


def _some(records: Sequence[str]) -> str:
    more = f" and {len(records) - _LISTED:,} more" if len(records) > _LISTED else ""
    return f"{', '.join(records[:_LISTED])}{more}"
