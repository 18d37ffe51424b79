"""Equality by content: `==` of objects that hold arrays returns one Boolean, and NaN equals NaN."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
_WITH_NAN = "fc"
"""Kinds of arrays."""


def equal_by_content(cls: type[T]) -> type[T]:
    """Make objects of a class equal where their contents are, after pickling too.

    The contents are those of a NamedTuple or a mapping, the fields of a dataclass, or what `_compared` returns.
    Objects can be hashed only if their class says so, by ``__hash__ = content_hash``.  O(content).

    >>> from typing import NamedTuple
    >>> @equal_by_content
    ... class Column(NamedTuple):
    ...     values: np.ndarray
    >>> Column(np.array([1.0, np.nan])) == Column(np.array([1.0, np.nan]))
    True
    """
    methods: dict[str, Any] = {"__eq__": _equal, "__ne__": _unequal}
    if cls.__hash__ is not content_hash:
        methods["__hash__"] = None
    for name, method in methods.items():
        setattr(cls, name, method)
    return cls


def same(first: Any, second: Any) -> bool:
    """Whether two values are equal: arrays in every element, mappings in any order, NaN and NaN too.  O(size).

    Values whose own `==` gives no Boolean are not equal.
    """
    if first is second or (is_nan(first) and is_nan(second)):
        return True
    arrays = isinstance(first, np.ndarray), isinstance(second, np.ndarray)
    if any(arrays):
        return all(arrays) and _same_arrays(first, second)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return len(first) == len(second) and all(key in second and same(first[key], second[key]) for key in first)
    if any(isinstance(first, kind) and isinstance(second, kind) for kind in (tuple, list)):
        return len(first) == len(second) and all(map(same, first, second))
    try:
        return bool(first == second)
    except (TypeError, ValueError):
        return False


def content_hash(self: Any) -> int:
    """Return the hash of an immutable object by its content, one for every NaN.  O(content)."""
    return hash((type(self).__name__, _hashable(_content_of(self))))


def _equal(self: Any, other: object) -> Any:
    if isinstance(other, np.ndarray):  # which would compare its elements
        return False
    if not isinstance(other, next((kind for kind in (tuple, dict) if isinstance(self, kind)), type(self))):
        return NotImplemented
    return same(_content_of(self), _content_of(other))


def _unequal(self: Any, other: object) -> Any:
    equal = _equal(self, other)
    return equal if equal is NotImplemented else not equal


def _content_of(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return tuple(value)  # whose own comparison is not asked again
    if isinstance(value, dict):
        return (dict(value),)  # neither
    if hasattr(value, "_compared"):
        content: tuple[Any, ...] = value._compared()
        return content
    assert is_dataclass(value)
    return tuple(getattr(value, field.name) for field in fields(value))


def _same_arrays(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> bool:
    if "O" in (first.dtype.kind, second.dtype.kind):
        return first.shape == second.shape and all(map(same, first.ravel().tolist(), second.ravel().tolist()))
    has_nan = first.dtype.kind in _WITH_NAN and second.dtype.kind in _WITH_NAN
    return np.array_equal(first, second, equal_nan=has_nan)


def _hashable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    return None if is_nan(value) else value


def is_nan(value: Any) -> bool:
    """Whether a value is a float that is NaN.  O(1)."""
    return isinstance(value, float | np.floating) and math.isnan(value)
