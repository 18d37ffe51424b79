"""Reports on values of cases in words: their means, and the group that does worst where chance cannot explain it."""

from collections.abc import Iterator, Sequence

from evalcore.document.tables import item_of
from evalcore.document.words.classes import independent, worst_group_sentences
from evalcore.document.words.scored_models import cases_text, confidence_interval, within
from evalcore.evaluation.model import VALUES, Section
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import Sentence, number, shown_names

_MOST = 3
"""Columns whose means one sentence has."""


def outcome_sentences(sections: Sequence[Section], question: Question) -> Iterator[Sentence]:
    """Yield a report on values in words, the means first.  O(groups)."""
    names, first = shown_names(question.values), sections[0]
    groups = [each for each in sections if each.whole and each.whole.name == VALUES]
    records = {each.name: each.last for each in groups} or dict(first.records)
    means = {name: item_of(items, "mean") for name, items in records.items()}
    parts = [
        f"of {names[name]}{' is' * (not place)} {number(item.value)}{within(item)}"
        for place, (name, item) in enumerate(means.items())
    ]
    more = [f"{len(parts) - _MOST:,} more are in the table"] if parts[_MOST:] else []
    cases = {cases_text({item.name: item for item in items}): None for items in records.values()}
    yield Sentence(
        f"The {question.repeats or 'mean'} {', '.join(parts[:_MOST])}",
        [*more, *(f"on {each}" for each in cases if len(cases) == 1)],
    )
    for section in groups:
        yield from worst_group_sentences(section, question, "mean", names[section.name])
    if any(map(confidence_interval, means.values())):
        yield independent("Intervals", question)
