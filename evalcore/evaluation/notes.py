"""Notes below the numbers of a report: which 0 stands for 0/0, and why a number is NaN, each reason once."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from evalcore.evaluation.catalogue import Entry, entry_of
from evalcore.evaluation.measure_choice import ALL_MEASURES, Measures
from evalcore.evaluation.model import AT_THRESHOLD, CLASSES, FOLDS, FOR_TARGET, Answer, CountRecords, Section, Whole
from evalcore.evaluation.thresholds import notes_on_unreached
from evalcore.evaluation.wording import listed
from evalcore.kernels.tables import BinaryCounts
from evalcore.kernels.thresholds import plain_number
from evalcore.typing import AnyArray, BoolArray

_LISTED = 6
_OF_NO_THRESHOLD = "the threshold", "the statistics of its decisions"
"""What is NaN where no threshold reaches a target."""


class _Reason(NamedTuple):
    """Why statistics are 0 or NaN."""

    value: str
    text: str


class _Place(NamedTuple):
    """A record where a reason holds."""

    record: str
    threshold: str
    """Of its decisions; empty if it does not matter."""
    in_model: bool
    """Whether a model has several."""


def notes_of(answer: Answer, measures: Measures = ALL_MEASURES, hidden: Collection[str] = ()) -> list[str]:
    """Return the notes that came with a report, then those on the numbers that are shown.  O(statistics).

    hidden: names of statistics of these measures for which a table has no room.
    """
    return [*answer.notes, *notes(answer.sections, measures, hidden)]


def notes(sections: Iterable[Section], measures: Measures = ALL_MEASURES, hidden: Collection[str] = ()) -> list[str]:
    """Say where 0 stands for 0/0, and why numbers are NaN, of those that are shown.  O(statistics).

    >>> from evalcore.evaluation.model import ColumnRecords, Columns
    >>> area = Columns({"roc_auc": np.full(2, np.nan)})
    >>> notes([Section("scores", "", "score", ColumnRecords(["a", "b"], [area]))])
    ["ROC AUC is NaN where all cases are of one class: 'a', 'b'"]
    """
    of_cases = (each for each in sections if each.whole is None or not each.whole.name.startswith(FOLDS))
    every = list(filter(measures.is_in, of_cases))
    several = any(section.address("").section.startswith(AT_THRESHOLD) for section in every)
    alone = all(len(section.records) == 1 and section.whole is None for section in every)
    titles: dict[_Reason, dict[str, None]] = {}
    places: dict[_Reason, dict[_Place, dict[str, Whole | None]]] = {}
    for section in every:
        if isinstance(section.records, CountRecords) or not section.records:
            continue
        names, threshold, holds = list(section.records), "", dict[_Reason, BoolArray]()
        if several and "threshold" in section.statistics:
            threshold = _threshold_of(section)
        for name, title, reason, rows in _findings(section, threshold):
            is_shown = not name or (name not in hidden and measures.is_shown(name))
            if is_shown and rows.any():
                titles.setdefault(reason, {})[title] = None
                holds[reason] = holds.get(reason, False) | rows
        for reason, rows in holds.items():
            found, at = places.setdefault(reason, {}), threshold if "predict" in reason.text else ""
            for row in np.flatnonzero(rows).tolist():
                place = _Place("" if alone else names[row], at, section.whole is not None)
                found.setdefault(place, {})[section.name] = section.whole
    parts = Counter(section.whole for section in every)
    conventions_first = sorted(titles, key=lambda reason: reason.value == "NaN")
    said = [_sentence(reason, [*titles[reason]], places[reason], parts) for reason in conventions_first]
    return [*said, *dict.fromkeys(chain.from_iterable(map(_unreached, every)))]


def _unreached(section: Section) -> Iterator[str]:
    """Say that a threshold was perhaps meant in percent, where no score reaches it."""
    if {*section.statistics} >= {"threshold", "tp", "fp"} and not isinstance(section.records, CountRecords):
        thresholds, tp, fp = map(section.columns.column, ("threshold", "tp", "fp"))
        yield from notes_on_unreached(thresholds[:1].tolist() if not (tp + fp).any() else ())


def _threshold_of(section: Section) -> str:
    """Return the name of the threshold of a section of decisions, of a report with several."""
    name = section.address("").section
    if name.startswith(FOR_TARGET):
        return f"the {name}"
    return (
        name
        if name.startswith(AT_THRESHOLD)
        else f"{AT_THRESHOLD}{plain_number(section.columns.column('threshold')[0])}"
    )


def _findings(section: Section, threshold: str) -> Iterator[tuple[str, str, _Reason, BoolArray]]:
    """Yield the name of a statistic, empty for several, its title, why it is 0 or NaN, and in which records, (r,)."""
    columns, target = section.columns, threshold.removeprefix(f"the {FOR_TARGET}")
    unreached: BoolArray = np.zeros(len(section.records), np.bool_)
    if target != threshold:
        unreached = np.isnan(columns.column("threshold"))
        for title in _OF_NO_THRESHOLD:
            yield "", title, _Reason("NaN", f"no threshold reaches {target}"), unreached
    for of_predicted, of_cases, why_predicted, why_cases, cases, predicted in _conventions(section):
        yield of_predicted.replace(" ", "_"), of_predicted, _Reason("0", why_predicted), (cases != 0) & (predicted == 0)
        yield of_cases.replace(" ", "_"), of_cases, _Reason("0", why_cases), (predicted != 0) & (cases == 0)
    for name in columns.statistics:
        entry = entry_of(name) or Entry(columns.titles[name], "")
        nan = np.isnan(columns.column(name)) & ~unreached
        yield name, entry.full_title or entry.title, _Reason("NaN", entry.why_nan), nan


def _conventions(section: Section) -> Iterator[tuple[str, str, str, str, AnyArray, AnyArray]]:
    """Yield which statistics of decisions, or of classes, are 0 in place of 0/0, why, and the counts that decide."""
    column, both = section.columns.column, ("precision", "recall")
    if section.name == CLASSES and section.whole is None:  # else a model of that name
        yield (*both, "a class is never predicted", "a class never occurs", column("cases"), column("predicted"))
    elif {*section.statistics} >= {*BinaryCounts._fields}:
        tp, fn, fp, tn = map(column, BinaryCounts._fields)
        yield (*both, "no case is predicted positive", "there are no positives", tp + fn, tp + fp)
        both = "negative predictive value", "specificity"
        yield (*both, "no case is predicted negative", "there are no negatives", fp + tn, fn + tn)


def _sentence(
    reason: _Reason,
    titles: list[str],
    places: Mapping[_Place, Mapping[str, Whole | None]],
    parts: Mapping[Whole | None, int],
) -> str:
    """Say why statistics are 0 or NaN, and where: a group alone if it is so of all models.

    places: with the sections of each; parts: number of sections of each larger one.
    """
    texts: list[str] = []
    for place, sections in places.items():
        record = repr(place.record) if place.record else ""
        in_some = place.in_model and len(sections) < parts[next(iter(sections.values()))]
        names = [f"{model!r} in {record}" for model in sections] if in_some else [record]
        texts += (" at ".join(filter(None, (name, place.threshold))) for name in names)
    more = f" and {len(texts) - _LISTED:,} more" if len(texts) > _LISTED else ""
    where = f": {', '.join(texts[:_LISTED])}{more}" if any(texts) else ""
    return f"{listed(titles, len(titles))} {'are' if titles[1:] else 'is'} {reason.value} where {reason.text}{where}"
