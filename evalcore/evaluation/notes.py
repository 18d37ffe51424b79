"""Notes below the numbers of a report: which 0 stands for 0/0, and why a number is NaN, each reason once."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, compress, islice
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.catalogue import Entry, entry_of
from evalcore.evaluation.measure_choice import ALL_MEASURES, Measures
from evalcore.evaluation.model import AT_THRESHOLD, CLASSES, FOR_TARGET, Address, Answer, CountRecords, Section, Whole
from evalcore.evaluation.wording import listed
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import plain_number
from evalcore.typing import AnyArray, BoolArray

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


class _Found(NamedTuple):
    """Where a reason holds."""

    titles: dict[tuple[str, ...], None]
    """Of the statistics in each record."""
    rows: dict[Address, tuple[Section, list[int]]]
    """By their addresses, sections and the indices of records."""


def notes_of(answer: Answer, measures: Measures = ALL_MEASURES, hidden: Collection[str] = ()) -> list[str]:
    """Return the notes that came with a report, then those on the numbers that are shown.  O(statistics).

    hidden: names of statistics of these measures for which a table has no room.
    """
    return [*answer.notes, *notes(answer.sections, measures, hidden)]


def notes(sections: Iterable[Section], measures: Measures = ALL_MEASURES, hidden: Collection[str] = ()) -> list[str]:
    """Say where 0 stands for 0/0, and why numbers are NaN, of those that are shown.  O(statistics).

    >>> from evalcore.evaluation.model import ColumnRecords, Columns
    >>> area = Columns({"roc_auc": np.array([math.nan, math.nan])})
    >>> notes([Section("scores", "", "score", ColumnRecords(["a", "b"], [area]))])
    ["ROC AUC is NaN where all cases are of one class: 'a', 'b'"]
    """
    every = list(filter(measures.is_in, sections))
    several = any(section.address("").section.startswith(AT_THRESHOLD) for section in every)
    found: dict[_Reason, dict[str, _Found]] = {}

    def is_shown(name: str) -> bool:
        return name not in hidden and measures.is_shown(name)

    for section in every:
        if isinstance(section.records, CountRecords) or not section.records:
            continue
        columns, conventions = section.columns, dict(_conventions(section))
        shown = [name for name in columns.statistics if is_shown(name)]
        named = [one for one in conventions if is_shown(one.titles[0].replace(" ", "_"))]
        undefined = (np.isnan(columns.column(name)) for name in shown)
        every_one = [*map(conventions.__getitem__, named), *undefined]
        holds = np.array(every_one, np.bool_).reshape(-1, len(section.records))
        for rows in _alike(holds):
            pattern = holds[:, rows[0]].tolist()
            nan = tuple((name, columns.titles[name]) for name in compress(shown, pattern[len(named) :]))
            findings, threshold = [*compress(named, pattern), *_findings_of(nan)], ""
            if several:
                findings, threshold = _at_threshold(findings, section, rows[0])
            for titles, reason in findings:
                own = threshold if "predict" in reason.text else ""
                place = found.setdefault(reason, {}).setdefault(own, _Found({}, {}))
                place.titles[titles] = None
                place.rows.setdefault(section.address(""), (section, []))[1].extend(rows)
    alone = all(len(section.records) == 1 and section.whole is None for section in every)
    parts = Counter(section.whole for section in every)
    conventions_first = sorted(found, key=lambda reason: reason.value == "NaN")
    return [_sentence(reason, found[reason], None if alone else parts) for reason in conventions_first]


def _alike(holds: BoolArray) -> Iterable[list[int]]:
    """Return the records, by their indices, of which the same holds, if anything does; holds: (findings, r).  O(r)."""
    size, found = -(-len(holds) // 8), dict[bytes, list[int]]()
    packed = np.packbits(holds, axis=0).T.tobytes()
    for row in np.flatnonzero(holds.any(axis=0)).tolist():
        found.setdefault(packed[row * size : (row + 1) * size], []).append(row)
    return found.values()


def _at_threshold(findings: list[_Finding], section: Section, row: int) -> tuple[list[_Finding], str]:
    """Return what was found in a record of a report with several thresholds, and the name of its threshold."""
    if "threshold" not in section.statistics:
        return findings, ""
    threshold, name = float(section.columns.column("threshold")[row]), section.address("").section
    if math.isnan(threshold):
        reason = f"no threshold reaches {name.removeprefix(FOR_TARGET)}"
        return [_Finding(_OF_NO_THRESHOLD, _Reason("NaN", reason))], ""
    if not name.startswith(AT_THRESHOLD):
        name = f"{AT_THRESHOLD}{plain_number(threshold)}"
    return findings, f"the {name}" if name.startswith(FOR_TARGET) else name


def _places(found: _Found, parts: Mapping[Whole | None, int]) -> str:
    """Name the first records where a reason holds: a group alone if it does so in all sections that the group is in.

    parts: number of sections of each larger one.
    """
    held: dict[tuple[bool, str], list[Section]] = {}
    for section, rows in found.rows.values():
        names, in_parts = list(section.records), section.whole is not None
        for row in sorted(rows):
            held.setdefault((in_parts, names[row]), []).extend([section] if in_parts else [])
    places = [
        (name, [] if sections and len(sections) == parts[sections[0].whole] else sections)
        for (_, name), sections in sorted(held.items(), key=lambda item: item[0][0])
        if name or sections
    ]
    count = sum(max(len(sections), 1) for _, sections in places)
    texts = (
        f"{where}{name!r}" for name, sections in places for where in [f"{each.name!r} in " for each in sections] or [""]
    )
    more = f" and {count - _LISTED:,} more" if count > _LISTED else ""
    return f"{', '.join(islice(texts, _LISTED))}{more}"


@lru_cache
def _findings_of(undefined: tuple[tuple[str, str], ...]) -> list[_Finding]:
    """Return why statistics, given by their names and titles, are NaN."""
    titles: dict[str, list[str]] = {}
    for name, title in undefined:
        entry = entry_of(name) or Entry(title, "")
        titles.setdefault(entry.why_nan, []).append(entry.full_title or entry.title)
    return [_Finding(tuple(named), _Reason("NaN", reason)) for reason, named in titles.items()]


def _conventions(section: Section) -> Iterator[tuple[_Finding, BoolArray]]:
    """Yield how 0 stands for 0/0 in records of decisions or of classes, and where, (r,)."""
    column = section.columns.column
    if section.name == CLASSES:
        yield from _of_class(column("cases"), column("predicted"), ("precision", "recall"), None)
    elif {*section.statistics} >= _DECISION_COUNTS:
        tp, fn, fp, tn = map(column, BinaryCounts._fields)
        yield from _of_class(tp + fn, tp + fp, ("precision", "recall"), "positive")
        yield from _of_class(fp + tn, fn + tn, ("negative predictive value", "specificity"), "negative")


def _of_class(
    cases: AnyArray, predicted: AnyArray, titles: tuple[str, str], kind: str | None
) -> Iterator[tuple[_Finding, BoolArray]]:
    why = "a class is never predicted" if kind is None else f"no case is predicted {kind}"
    yield _Finding(titles[:1], _Reason("0", why)), (cases != 0) & (predicted == 0)
    why = "a class never occurs" if kind is None else f"there are no {kind}s"
    yield _Finding(titles[1:], _Reason("0", why)), (predicted != 0) & (cases == 0)


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
        thresholds.setdefault("" if parts is None else _places(each, parts), []).append(threshold)
    verb = "are" if len(titles) > 1 else "is"
    because = f"{listed(titles, len(titles))} {verb} {reason.value} where {reason.text}"
    at = {places: f" at {listed(names, _LISTED)}" if all(names) else "" for places, names in thresholds.items()}
    if len(at) > 1:
        return f"{because}: {'; '.join(places + names for places, names in at.items())}"
    ((places, names),) = at.items()
    return f"{because}{names}" + (f": {places}" if places else "")
