"""Reports on classes in words: how many cases are right, which class is worst, and what is mistaken for what."""

import math
from collections.abc import Iterator, Mapping, Sequence

from evalcore.inference import Interval
from evalcore.report.formats import count, number, percent
from evalcore.report.model import CONFUSION_MATRIX, CountRecords, Section, Statistic
from evalcore.report.question import Question
from evalcore.report.tables import largest_off_diagonal
from evalcore.report.wording import FEWEST, Sentence, interval_text, listed, shown_names, shown_value


def class_sentences(sections: Sequence[Section], question: Question) -> list[Sentence]:
    """Return a report on classes in words, the answer first.  O(k²)."""
    named = {section.name: section for section in sections}
    if not {"statistics", "classes", CONFUSION_MATRIX} <= named.keys():
        return []
    items = {item.name: item for item in named["statistics"].records[""]}
    matrix = named[CONFUSION_MATRIX].records
    return [
        _answer(items, question),
        *_chance(items),
        *_most_frequent_error(matrix),
        *_worst_class(named["classes"].records),
        *_independent(items),
    ]


def _answer(items: Mapping[str, Statistic], question: Question) -> Sentence:
    accuracy, cases = items["accuracy"], count(int(items["cases"].value))
    if question.predicted is None:
        subject = "The class with the highest score"
    else:
        subject = shown_names([question.predicted])[question.predicted]
    if accuracy.value == 1:
        claim = f"{subject} is right for all {cases} cases"
    else:
        claim = f"{subject} is right for {percent(accuracy.value)} of {cases} cases{_within(accuracy.interval)}"
    measures = (("Cohen's kappa", items["kappa"]), ("macro F1", items["macro_f1"]))
    defined = [f"{title} {number(item.value)}" for title, item in measures if not math.isnan(item.value)]
    classes, label = int(items["classes"].value), shown_names([question.label])[question.label]
    return Sentence(claim, [f"{count(classes)} {'class' if classes == 1 else 'classes'} of {label}", *defined])


def _chance(items: Mapping[str, Statistic]) -> Iterator[Sentence]:
    """Yield that as many cases could be right by chance, where the interval of kappa holds 0."""
    interval = items["kappa"].interval
    if interval and interval.low <= 0 <= interval.high:
        within = interval_text(interval.level, number(interval.low), number(interval.high))
        yield Sentence(f"That is not told apart from agreement by chance: the {within} of kappa holds 0")


def _within(interval: Interval | None) -> str:
    if interval is None or math.isnan(interval.low):
        return ""
    return f" ({interval_text(interval.level, percent(interval.low), percent(interval.high))})"


def _most_frequent_error(matrix: object) -> Iterator[Sentence]:
    """Yield which class is most often taken for which other."""
    if not isinstance(matrix, CountRecords):
        return
    labels, predicted = largest_off_diagonal(matrix.counts, 2)
    if not labels.size:
        return
    cases = matrix.counts[labels, predicted].tolist()
    label, other = (shown_value(matrix.columns[index]) for index in (labels[0], predicted[0]))
    times = "once" if cases[0] == 1 else f"{count(cases[0])} times"
    alone = len(cases) == 1 or cases[0] > cases[1]
    which = "The most frequent error" if alone else "One of the most frequent errors"
    yield Sentence(f"{which}: {label} is taken for {other}, {times}")


def _worst_class(records: Mapping[str, Sequence[Statistic]]) -> Iterator[Sentence]:
    """Yield the class with the lowest F1 among those with enough cases, if there are three or more."""
    found = {name: {item.name: item for item in items} for name, items in records.items()}
    large = {name: items["f1"].value for name, items in found.items() if items["cases"].value >= FEWEST}
    if len(large) < 3 or any(map(math.isnan, large.values())):
        return
    lowest = min(large.values())
    worst = [shown_value(name) for name, value in large.items() if value == lowest]
    if len(worst) < len(large):
        verb = "has" if len(worst) == 1 else "have"
        yield Sentence(
            f"{listed(worst)} {verb} the lowest F1 of the classes with at least {FEWEST} cases, {number(lowest)}"
        )


def _independent(items: Mapping[str, Statistic]) -> Iterator[Sentence]:
    if _within(items["accuracy"].interval):
        yield Sentence("Intervals treat cases as independent")
