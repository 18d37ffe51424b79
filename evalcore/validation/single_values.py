"""Single values that callers hand in: numbers, counts, labels and instances, checked, or an error that names them."""

import math
import operator
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index, shortened, shown

DATES = date, timedelta, np.datetime64, np.timedelta64


def check_count(value: Any, name: str, maximum: int | None = None) -> int:
    """Return an integer of at least 0, and at most `maximum` if that is given.  O(1)."""
    number = check_integer(value, name)
    if number < 0:
        raise EvaluationError(f"{name} must not be negative, got {number}")
    if maximum is not None and number > maximum:
        raise EvaluationError(f"{name} must be at most {maximum}, got {number}")
    return number


def check_integer(value: Any, name: str) -> int:
    """Return an integer of any sign.  O(1)."""
    try:
        return operator.index(value)
    except TypeError:
        raise EvaluationTypeError(f"{name} must be an integer, got {shown(value)}") from None


def check_number(value: Any, name: str) -> float:
    """Return a real number as float.  O(1)."""
    if not is_number(value):
        raise EvaluationTypeError(f"{name} must be a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise EvaluationError(f"{name} must be a float64 number, got {shown(value)}") from None


def check_open_fraction(value: Any, name: str, least_percent: float = 1.0) -> float:
    """Return a number above 0 and below 1; least_percent: from which on another number is one of per cent.  O(1)."""
    number = check_number(value, name)
    if not 0 < number < 1:
        raise EvaluationError(
            f"{name} must be above 0 and below 1, got {value!r}{percent_advice(number, least_percent)}"
        )
    return number


def percent_advice(number: float, least_percent: float = 2.0) -> str:
    """Say how to write a number of per cent, if it may be one, as a fraction; least_percent: from which on.  O(1).

    >>> percent_advice(95.0), percent_advice(1.5)
    ('; write 0.95 for 95%', '')
    """
    return f"; write {number / 100:g} for {number:g}%" if least_percent <= number < 100 else ""


def as_score(value: Any, name: str) -> float:
    """Return one score as the same float64 number, not NaN.  O(1)."""
    if not is_number(value) or isinstance(value, bool):
        raise EvaluationTypeError(f"{name} must be a number, got {shown(value)}")
    if value != value:  # noqa: PLR0124  NaN alone differs from itself
        raise EvaluationError(f"{name} is NaN; a score is finite or infinite")
    return as_float(value, name)


def as_float(value: Any, name: str) -> float:
    """Return a number as the same float64 number, or NaN; of Decimal and Fraction the nearest.  O(1)."""
    try:
        number = float(value)
    except OverflowError:
        raise inexact_number_error(value, name) from None
    exact = int(value) if isinstance(value, np.integer) else value  # Python compares its own integers exactly
    if not (number == exact or math.isnan(number)) and not isinstance(value, Decimal | Fraction):
        raise inexact_number_error(value, name)
    return number


def as_label(value: Any, name: str) -> bool:
    """Return one label, 0, 1 or a Boolean, as bool.  O(1)."""
    if value is True or value is False:
        return value
    if not isinstance(value, np.bool_) and not is_number(value):
        raise EvaluationTypeError(f"{name} must be True or False, 1 or 0, got {shown(value)}")
    if value not in (0, 1):
        raise EvaluationError(f"{name} must be True or False, 1 or 0, got {value}")
    return bool(value)


def check_attribute(value: Any, attribute: str, name: str, hint: str = "") -> Any:
    """Return a value that has the attribute; `hint` ends the error's text.  O(1)."""
    if not hasattr(value, attribute):
        raise EvaluationTypeError(f"{name} must have {attribute}, got {shown(value)}{hint}")
    return value


def check_instance(value: Any, kind: type, name: str) -> Any:
    """Return a value of that class.  O(1)."""
    if not isinstance(value, kind):
        raise EvaluationTypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def item_name(name: str, *index: int) -> str:
    """Return how an error names an item: `scores[3]`, or of a name in words `column 'x' at index 3 (from 0)`.  O(1)."""
    return f"{name} {at_index(*index)}" if " " in name else f"{name}[{', '.join(map(str, index))}]"


def inexact_number_error(value: Any, name: str) -> EvaluationError:
    """Return the error for a number that float64 would round."""
    kind = "an integer that float64 cannot hold" if isinstance(value, int | np.integer) else "not a float64 number"
    return EvaluationError(f"{name} = {shortened(str(value))} is {kind}; scale or round the scores first")


def is_number(value: Any) -> bool:
    """Whether a value is a real number; NumPy counts time differences among the integers.  O(1)."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, np.timedelta64)


def check_same_class(value: Any, model: Any, name: str) -> Any:
    """Return a value of the very class of `model`.  O(1)."""
    if type(value) is not type(model):
        raise EvaluationTypeError(f"{name} must be a {type(model).__name__}, got {shown(value)}")
    return value


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA.  O(1)."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124  NaN alone differs from itself
    except (TypeError, ValueError):  # pandas' NA is neither equal to itself nor not
        return True


def check_hashable(value: Any, name: str) -> None:
    """Raise EvaluationTypeError for a value that cannot be hashed.  O(1)."""
    if not _is_hashable(value):
        raise not_hashable_error(value, name)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def not_hashable_error(value: Any, name: str) -> EvaluationTypeError:
    """Return the error for a value that cannot be hashed."""
    return EvaluationTypeError(f"{name} must be hashable, such as a string or an integer, got {shown(value)}")


def first_not_hashable_error(labels: Any, name: str) -> EvaluationTypeError:
    """Return the error for the first label that cannot be hashed.  O(n)."""
    bad = next(index for index, label in enumerate(labels) if not _is_hashable(label))
    return not_hashable_error(labels[bad], f"{name}[{bad}]")


def is_sparse(values: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy's kind.  O(1)."""
    return all(hasattr(values, name) for name in ("toarray", "tocsr", "nnz"))


def is_array_like(values: Any) -> TypeGuard[Any]:
    """Whether this has several elements in an order: neither a string nor a scalar.  O(1)."""
    if values is None or isinstance(values, str | bytes | np.generic):
        return False
    return hasattr(values, "__len__") or hasattr(values, "shape") or hasattr(values, "__array__")
