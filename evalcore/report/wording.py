"""Names and lists as they stand in sentences."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_PLAIN = re.compile(r"[^\W\d_](?:[\w.:/-]*\w)?")
"""Names that a sentence can hold as they are: one word that begins with a letter."""
_LONGEST, _KEPT = 40, 18
_LISTED = 6


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Return names as sentences show them: quoted unless they are one word, long ones without their middle.  O(names).

    Names that would look alike stay whole.

    >>> list(shown_names(["model", "my model", "", "7", "forest_" * 9]).values())
    ['model', "'my model'", "''", "'7'", 'forest_forest_fore...est_forest_forest_']
    """
    short = {name: _without_middle(name) for name in names}
    uses = Counter(short.values())
    return {name: _quoted(name if uses[text] > 1 else text) for name, text in short.items()}


def shown_value(name: str) -> str:
    """Return the name of a group or class after a word that says what it is, so that numbers need no quotes.  O(1).

    >>> shown_value("12"), shown_value("2013-01-01"), shown_value("late flights")
    ('12', '2013-01-01', "'late flights'")
    """
    short = _without_middle(name)
    return short if re.fullmatch(r"[\w.:/-]+", short) else _quoted(short)


def listed(parts: Sequence[str], most: int = _LISTED) -> str:
    """Join parts of a sentence; of many the first, and how many more there are.  O(parts).

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(list("abcd"), most=2)
    ('a', 'a and b', 'a, b and c', 'a, b and 2 more')
    """
    shown = list(parts) if len(parts) <= most else [*parts[:most], f"{len(parts) - most:,} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else repr(name)


def _without_middle(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_KEPT]}...{name[-_KEPT:]}"
