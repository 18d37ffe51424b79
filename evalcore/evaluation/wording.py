"""Sentences of reports, with names, lists, numbers and intervals as readers like them; full values stand elsewhere."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import NamedTuple

from evalcore.errors import held

_LEAST_P_VALUE = 0.001
"""Smaller ones are not told apart."""
_LEAST_IN_FULL, _LARGEST_IN_FULL = 1e-4, 1e15
"""Weights that are written without an exponent."""
_MOST_DECIMALS = 3
_DECIMALS = ContextVar("decimals", default=_MOST_DECIMALS)


def number(value: float) -> str:
    """Return a number with three decimals, small ones with two significant digits; whole numbers as `count`.

    With fewer decimals where `decimals` says so.  What is almost 1 or almost 0 is never shown as 1 or 0.  Numbers
    beyond 10 have three significant digits.  O(1).

    >>> [number(value) for value in (0.73249, 1.0, 0.99996, 0.01234, 0.00764, 0.0000012, -0.5)]
    ['0.732', '1.000', '>0.999', '0.012', '0.0076', '1.2e-06', '-0.500']
    >>> [number(value) for value in (12.3456, 41253.75, 327346, float("nan"), float("-inf"))]
    ['12.3', '41,254', '327,346', 'NaN', '-inf']
    """
    if isinstance(value, int):
        return count(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    size, places = abs(value), _DECIMALS.get()
    if round(size, places) == 1 != size:
        return f"{'>' if value > 0 else '<-'}{1 - (size < 1) * 10.0**-places:.{places}f}"
    if size >= 9.9995:
        return f"{value:.2e}" if size >= 1e9 else f"{value:,.{max(2 - _exponent(size, 2), 0)}f}"
    if size >= 10.0 ** (1 - places) or not size:
        return f"{value + 0.0:.{places}f}"  # which drops the sign of -0.0
    return f"{value:.1e}" if size < 1e-5 else f"{value:.{max(1 - _exponent(size, 1), places)}f}"


def decimals(most: int) -> AbstractContextManager[None]:
    """Write the numbers of sentences with at most this many decimals, and at most three.  O(1).

    >>> with decimals(2):
    ...     [number(value) for value in (0.73249, 0.99996, 0.01234, 12.3456)]
    ['0.73', '>0.99', '0.012', '12.3']
    """
    return held(_DECIMALS, min(most, _MOST_DECIMALS))


def _exponent(size: float, decimals: int) -> int:
    """Return the power of ten of a number that is rounded to some decimals after its first digit.  O(1)."""
    return int(f"{size:.{decimals}e}".partition("e")[2])


def count(cases: int) -> str:
    """Return a whole number with separators.  O(1).

    >>> count(327346)
    '327,346'
    """
    return f"{cases:,}"


def weight(total: float, digits: int = 6) -> str:
    """Return a sum of weights: whole without decimals, any other with at most this many significant digits.  O(1).

    >>> [weight(total) for total in (1250.0, 0.0, 1234.5678, 0.30000000000000004, 41253755.5, 0.00012345678)]
    ['1,250', '0', '1,234.57', '0.3', '41,253,756', '0.000123457']
    """
    if total.is_integer() and abs(total) < _LARGEST_IN_FULL:
        return count(int(total))
    if not 0 < abs(total) < _LARGEST_IN_FULL or abs(total) < _LEAST_IN_FULL:
        return f"{total:.{digits}g}"
    text = f"{total:,.{max(digits - 1 - _exponent(total, digits - 1), 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def times(cases: int | float) -> str:
    """Say how often something happens: a number of cases, or the weight of some.  O(1).

    >>> times(1), times(1234), times(35.25)
    ('once', '1,234 times', 'weight 35.25')
    """
    if isinstance(cases, float):
        return f"weight {weight(cases, 4)}"
    return "once" if cases == 1 else f"{count(cases)} times"


def percent(fraction: float, decimals: int = 1) -> str:
    """Return a fraction in percent; one that is almost 1 or almost 0 is never shown as 100% or 0%.  O(1).

    >>> percent(0.23712), percent(0.5, 0), percent(0.9999), percent(0.0001, 0)
    ('23.7%', '50%', '>99.9%', '<1%')
    """
    text, least = f"{100 * fraction:.{decimals}f}%", 10.0**-decimals
    if 0 < fraction < 1 and text in (f"{0:.{decimals}f}%", f"{100:.{decimals}f}%"):
        return f"<{least:.{decimals}f}%" if fraction < 0.5 else f">{100 - least:.{decimals}f}%"
    return text


def p_text(value: float) -> str:
    """Return a p-value with four decimals; small ones by the bound below which nobody needs them.  O(1).

    >>> p_text(5.3e-201), p_text(0.0321), p_text(1.0)
    ('< 0.001', '0.0321', '1.0000')
    """
    return f"< {_LEAST_P_VALUE}" if value < _LEAST_P_VALUE else f"{value:.4f}"


def p_value(value: float) -> str:
    """Return a p-value as it stands in a sentence.  O(1).

    >>> p_value(5.3e-201), p_value(0.0321)
    ('p < 0.001', 'p = 0.0321')
    """
    return f"p {'' if value < _LEAST_P_VALUE else '= '}{p_text(value)}"


_PLAIN = re.compile(r"[^\W\d_](?:[\w.:/-]*\w)?")
"""Names that a sentence can hold as they are: one word that begins with a letter."""
_LONGEST, _KEPT = 40, 18
LISTED = 6
"""Parts of a sentence that are listed of many."""
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


def few_notes(numbers: Mapping[str, int], rough: str = "intervals are") -> list[str]:
    """Say which numbers, by what each is of, are too few for more than rough results.  O(numbers).

    >>> few_notes({"positive case": 1, "negative case": 0, "cluster": 30})
    ['with one positive case, fewer than 30, intervals are rough']
    """
    few = {what: number for what, number in numbers.items() if 0 < number < FEWEST}
    shown = (f"one {what}" if number == 1 else f"{number} {what}s" for what, number in few.items())
    return [f"with {each}, fewer than {FEWEST}, {rough} rough" for each in shown]


def rows_text(cases: int, weight: float | None) -> str:
    """Return how many cases a sentence is about: rows and what they stand for, if these have a weight.  O(1).

    >>> rows_text(1, None)
    '1 case'
    >>> rows_text(2_000, None), rows_text(2_000, 131_000.0), rows_text(2_000, 1.0)
    ('2,000 cases', '2,000 rows that stand for 131,000 cases', '2,000 weighted rows')
    """
    if weight is None:
        return f"{count(cases)} case{'s' * (cases != 1)}"
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


def grouping_title(name: str, every: Mapping[str, str]) -> str:
    """Return what readers know a grouping by: of dates their period, by the columns of every.  O(columns).

    >>> grouping_title("carrier, day", {"day": "week"})
    'carrier, week'
    """
    return BETWEEN.join(every.get(each, each) for each in name.split(BETWEEN))


def listed(parts: Sequence[str], most: int = LISTED) -> str:
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
