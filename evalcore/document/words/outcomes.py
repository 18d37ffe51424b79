"""Reports on values of cases in words: their means, and the group that does worst where chance cannot explain it."""

from collections.abc import Iterator, Sequence
from itertools import compress

from evalcore.document.tables import item_of
from evalcore.document.words.classes import have_enough_cases, independent
from evalcore.document.words.scored_models import cases_text, confidence_interval, within
from evalcore.evaluation.model import VALUES, Section, Statistic
from evalcore.evaluation.options import option
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import Sentence, count, group_text, number, shown_names
from evalcore.inference.intervals import interval_at

_MOST = 3
"""Columns whose means one sentence has."""


def outcome_sentences(sections: Sequence[Section], question: Question) -> Iterator[Sentence]:
    """Yield a report on values in words, the means first.  O(groups)."""
    names, first = shown_names(question.values), sections[0]
    groups = [each for each in sections if each.whole and each.whole.name == VALUES]
    records = {each.name: each.last for each in groups} or dict(first.records)
    means = {name: item_of(items, "mean") for name, items in records.items()}
    parts = [f"of {names[name]} {number(item.value)}{within(item)}" for name, item in means.items()]
    first_part, *others = parts[:_MOST]
    claim = ", ".join(
        [first_part.replace(f"{names[next(iter(means))]} ", f"{names[next(iter(means))]} is ", 1), *others]
    )
    more = f"{len(parts) - _MOST:,} more are in the table" if parts[_MOST:] else ""
    cases = {cases_text({item.name: item for item in items}): None for items in records.values()}
    yield Sentence(
        f"The mean {claim}", [*filter(None, [more]), *([f"on {next(iter(cases))}"] if len(cases) == 1 else [])]
    )
    for section in groups:
        yield from _worst_group(section, question, names[section.name])
    if any(map(confidence_interval, means.values())):
        yield independent("Intervals", question)


def _worst_group(section: Section, question: Question, column: str) -> Iterator[Sentence]:
    """Yield which group is worse than all cases, by intervals that are adjusted for picking the worst.  O(groups)."""
    columns, sign = section.columns, -1 if section.lower_is_better else 1
    *records, (_, every) = columns.in_turn()
    large = {name: item_of(items, "mean") for name, items in compress(records, have_enough_cases(columns, "mean"))}
    total, lowest = item_of(every, "mean"), "highest" if section.lower_is_better else "lowest"
    if len({item.value for item in large.values()}) < 2:
        return
    worst = min(large, key=lambda name: sign * large[name].value)
    shown = group_text(worst, question.by)
    value, against = number(large[worst].value), f"against {number(total.value)} for all cases"
    among = f"{count(len(large))} groups"
    if question.level is None:
        hint = f"; {option('ci', '0.95')} shows whether that could be chance"
        yield Sentence(f"The {lowest} mean of {column} of {among} is {value}, of {shown}, {against}{hint}")
    elif _is_apart(large[worst], total, sign, len(large)):
        adjusted = f"a difference that remains after adjustment for picking the worst of {count(len(large))}"
        claim = f"Of {among}, {shown} does worst: mean of {column} {value}{within(large[worst])}"
        yield Sentence(claim, [against, adjusted])
    else:
        named = f"after adjustment for picking the worst of {count(len(large))}; the {lowest} is {value}, of {shown}"
        worse = f"to have a worse mean of {column} than all cases ({number(total.value)})"
        yield Sentence(f"None of {among} was found {worse} {named}")


def _is_apart(item: Statistic, total: Statistic, sign: int, groups: int) -> bool:
    """Whether a group is worse than all cases at a level that is adjusted for the number of groups.  O(1)."""
    interval = confidence_interval(item)
    if interval is None:
        return False
    found = interval_at(interval, 1 - (1 - interval.level) / groups)
    return found.high < total.value if sign > 0 else found.low > total.value
