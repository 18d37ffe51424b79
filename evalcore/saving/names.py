"""Names of categories as JSON values, so that 1, 1.0 and true stay apart."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, shown

_EXACT_IN_JSON = 2**53
_DEEPEST = 100
"""Levels of tuples within tuples: Python's own limit is near 1000 calls."""
_ALLOWED = "a string, an integer, a float that is a number, True or False, bytes, None, or a tuple of these"


def plain_names(names: Iterable[Any]) -> list[Any]:
    """Return JSON values for names of categories, NumPy scalars as Python's.  O(k).

    Strings, Booleans, None and integers below 2**53 stay as they are; other names become a mapping from their type.

    Parameters
    ----------
    names : iterable of hashable
        The names.

    Returns
    -------
    list
        For the facts of a snapshot.

    Raises
    ------
    EvaluationTypeError
        If a name has another type.

    Examples
    --------
    >>> plain_names(["spam", 1, 1.5, None, (b"x",)])
    ['spam', 1, {'float': '0x1.8000000000000p+0'}, None, {'tuple': [{'bytes': '78'}]}]
    >>> plain_names([{1}])
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: category {1} (set) cannot be saved; a name that can is a string, an integer, \
a float that is a number, True or False, bytes, None, or a tuple of these
    """
    plain = []
    for name in names:
        try:
            plain.append(_plain(name, _DEEPEST))
        except TypeError:
            raise EvaluationTypeError(
                f"category {shown(name)} cannot be saved; a name that can is {_ALLOWED}"
            ) from None
    return plain


def names_of_plain(values: Any) -> list[Any]:
    """Return the names of categories from their JSON values.  O(k).

    Parameters
    ----------
    values : list
        From `plain_names`.

    Returns
    -------
    list
        The names.

    Raises
    ------
    EvaluationError
        If a value does not represent a name.

    Examples
    --------
    >>> names_of_plain(plain_names(["spam", 1, True, (2.5, b"x")]))
    ['spam', 1, True, (2.5, b'x')]
    """
    if not isinstance(values, list):
        raise EvaluationError(f"categories must be a list, got {shown(values)}")
    try:
        return [_name(value) for value in values]
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EvaluationError(f"categories must hold valid names: {error}") from None


def _plain(name: Any, deepest: int) -> Any:
    value = name.item() if isinstance(name, np.generic) else name
    kind = type(value)
    if kind in (str, bool, type(None)) or (kind is int and abs(value) < _EXACT_IN_JSON):
        return value
    if kind is int:
        return {"int": hex(value)}
    if kind is float and value == value:  # noqa: PLR0124  NaN is no name: it does not equal itself
        return {"float": value.hex()}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is tuple and deepest:
        return {"tuple": [_plain(part, deepest - 1) for part in value]}
    raise TypeError


def _name(value: Any) -> Any:
    match value:
        case str() | int() | None:
            return value
        case {"int": str(digits), **rest} if not rest:
            return int(digits, 16)
        case {"float": str(digits), **rest} if not rest:
            number = float.fromhex(digits)
            if number == number:  # noqa: PLR0124
                return number
        case {"bytes": str(digits), **rest} if not rest:
            return bytes.fromhex(digits)
        case {"tuple": list(parts), **rest} if not rest:
            return tuple(map(_name, parts))
    raise ValueError(shown(value))
