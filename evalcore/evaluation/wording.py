"""Sentences of reports, and names, lists and intervals as they stand in them."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalcore.evaluation.formats import count

_PLAIN = re.compile(r"[^\W\d_](?:[\w.:/-]*\w)?")
"""Names that a sentence can hold as they are: one word that begins with a letter."""
_LONGEST, _KEPT = 40, 18
_LISTED = 6
BETWEEN = ", "
"""Between the labels of several columns in the name of a group."""
FEWEST = 30
"""Cases of a class below which intervals and tests are rough."""


class Sentence(NamedTuple):
    """One sentence of a summary."""

    claim: str
    details: Sequence[str] = ()
    """What a short form of the sentence leaves out."""

    def __str__(self) -> str:
        return f"{', '.join([self.claim, *self.details])}."


def enough(positives: int, negatives: int) -> bool:
    """Whether both classes have enough cases for intervals and tests.  O(1)."""
    return min(positives, negatives) >= FEWEST


def rows_text(cases: int, weight: float | None) -> str:
    """Return how many cases a sentence is about: rows and what they stand for, if these have a weight.  O(1).

    >>> rows_text(2_000, None), rows_text(2_000, 131_000.0), rows_text(2_000, 1.0)
    ('2,000 cases', '2,000 rows that stand for 131,000 cases', '2,000 weighted rows')
    """
    if weight is None:
        return f"{count(cases)} cases"
    if weight <= cases:
        return f"{count(cases)} weighted rows"
    return f"{count(cases)} rows that stand for {count(round(weight))} cases"


def interval_text(level: float, low: str, high: str) -> str:
    """Return an interval as it stands in brackets.  O(1).

    >>> interval_text(0.95, "0.017", "0.019")
    '95% interval 0.017 to 0.019'
    """
    return f"{100 * level:g}% interval {low} to {high}"


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Return names as sentences show them: quoted unless they are one word, long ones without their middle.  O(names).

    Names that would look alike stay whole.

    >>> list(shown_names(["model", "my model", "", "7", "forest_" * 9]).values())
    ['model', "'my model'", "''", "'7'", 'forest_forest_fore...est_forest_forest_']
    """
    return {name: _quoted(text) for name, text in shortened_names(names).items()}


def shortened_names(names: Iterable[str]) -> dict[str, str]:
    """Return names, long ones without their middle unless they would look alike.  O(names).

    >>> list(shortened_names(["my model", "forest_" * 9]).values())
    ['my model', 'forest_forest_fore...est_forest_forest_']
    """
    short = {name: _without_middle(name) for name in names}
    uses = Counter(short.values())
    return {name: name if uses[text] > 1 else text for name, text in short.items()}


def shown_value(name: str) -> str:
    """Return the name of a group or class after a word that says what it is, so that numbers need no quotes.  O(1).

    >>> shown_value("12"), shown_value("2013-01-01"), shown_value("late flights")
    ('12', '2013-01-01', "'late flights'")
    """
    short = _without_middle(name)
    return short if re.fullmatch(r"[\w.:/-]+", short) else _quoted(short)


def group_text(name: str, by: Sequence[str]) -> str:
    """Return the name of a group, and the columns that decide it.  O(columns).

    >>> group_text("UA", ["carrier"]), group_text("UA, 3", ["carrier", "month"])
    ('carrier UA', 'carrier UA, month 3')
    >>> group_text("'Bonn, Rhein', 3", ["city", "month"])
    "'Bonn, Rhein', 3 (city and month)"
    """
    columns = list(shown_names(by).values())
    parts = [name] if len(by) == 1 else name.split(BETWEEN)
    if len(parts) != len(columns):
        return f"{name} ({listed(columns)})"
    return ", ".join(f"{column} {shown_value(part)}" for column, part in zip(columns, parts, strict=True))


def listed(parts: Sequence[str], most: int = _LISTED) -> str:
    """Join parts of a sentence; of many the first, and how many more there are.  O(parts).

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(list("abcd"), most=2)
    ('a', 'a and b', 'a, b and c', 'a, b and 2 more')
    """
    shown = list(parts) if len(parts) <= most else [*parts[:most], f"{len(parts) - most:,} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else repr(str(name))  # NumPy's strings have their own repr


def _without_middle(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_KEPT]}...{name[-_KEPT:]}"
