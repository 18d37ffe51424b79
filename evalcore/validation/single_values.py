"""Single values that callers hand in: numbers, counts, labels and instances, checked, or an error that names them."""

import operator
from datetime import date, timedelta
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index, shortened, shown

DATES = date, timedelta, np.datetime64, np.timedelta64


def check_count(value: Any, name: str, maximum: int | None = None) -> int:
    """Return a number of cases, at most `maximum` if that is given.

    Raises EvaluationTypeError for no integer, EvaluationError for one out of range.

    >>> check_count(np.int32(3), "count")
    3
    """
    number = check_integer(value, name)
    if number < 0:
        raise EvaluationError(f"{name} must not be negative, got {number}")
    if maximum is not None and number > maximum:
        raise EvaluationError(f"{name} must be at most {maximum}, got {number}")
    return number


def check_integer(value: Any, name: str) -> int:
    """Return a whole number of any sign.  Raises EvaluationTypeError for no integer.

    >>> check_integer(np.int32(-3), "n")
    -3
    """
    try:
        return operator.index(value)
    except TypeError:
        raise EvaluationTypeError(f"{name} must be an integer, got {shown(value)}") from None


def check_number(value: Any, name: str) -> float:
    """Return a real number.  Raises EvaluationTypeError for anything else.

    >>> check_number(2, "beta")
    2.0
    """
    if not is_number(value):
        raise EvaluationTypeError(f"{name} must be a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise EvaluationError(f"{name} must be a float64 number, got {shown(value)}") from None


def as_score(value: Any, name: str) -> float:
    """Return one score.

    Raises EvaluationError for NaN and for a number that float64 cannot hold, EvaluationTypeError for no number.
    O(1).

    >>> as_score(np.int64(3), "score")
    3.0
    """
    if not is_number(value) or isinstance(value, bool):
        raise EvaluationTypeError(f"{name} must be a number, got {shown(value)}")
    if value != value:  # noqa: PLR0124  NaN alone differs from itself
        raise EvaluationError(f"{name} is NaN; a score is finite or infinite")
    try:
        number = float(value)
    except OverflowError:
        raise inexact_number_error(value, name) from None
    if number != as_python_number(value):  # Python compares its own integers with floats exactly
        raise inexact_number_error(value, name)
    return number


def as_label(value: Any, name: str) -> bool:
    """Return one label.  Raises EvaluationError or EvaluationTypeError for other than 0, 1 and Booleans.

    >>> as_label(np.True_, "correct")
    True
    """
    if not isinstance(value, np.bool_) and not is_number(value):
        raise EvaluationTypeError(f"{name} must be True or False, 1 or 0, got {shown(value)}")
    if value not in (0, 1):
        raise EvaluationError(f"{name} must be True or False, 1 or 0, got {value}")
    return bool(value)


def check_attribute(value: Any, attribute: str, name: str, hint: str = "") -> Any:
    """Return `value` if it has an attribute.  Raises EvaluationTypeError otherwise, ending in a hint.

    >>> check_attribute("wine", "classify", "classifier")
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: classifier must have classify, got 'wine' (str)
    """
    if not hasattr(value, attribute):
        raise EvaluationTypeError(f"{name} must have {attribute}, got {shown(value)}{hint}")
    return value


def check_instance(value: Any, kind: type, name: str) -> Any:
    """Return `value` if it is of that class.  Raises EvaluationTypeError otherwise.

    >>> check_instance(3, int, "other")
    3
    """
    if not isinstance(value, kind):
        raise EvaluationTypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def item_name(name: str, index: int) -> str:
    """Return how an error names a value of an array or, where its name is in words, of a column.

    >>> item_name("scores", 3), item_name("column 'model'", 3)
    ('scores[3]', "column 'model' at index 3 (from 0)")
    """
    return f"{name} {at_index(index)}" if " " in name else f"{name}[{index}]"


def inexact_number_error(value: Any, name: str) -> EvaluationError:
    """Return the error for a number that float64 would round.

    >>> inexact_number_error(2**53 + 1, "score")
    EvaluationError('score = 9007199254740993 is an integer that float64 cannot hold; scale or round the scores first')
    """
    kind = "an integer that float64 cannot hold" if isinstance(value, int | np.integer) else "not a float64 number"
    return EvaluationError(f"{name} = {shortened(str(value))} is {kind}; scale or round the scores first")


def is_number(value: Any) -> bool:
    """Whether a value is real: NumPy counts time differences among the integers."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, np.timedelta64)


def as_python_number(value: Any) -> Any:
    """Return NumPy's integers as Python's, which compare with floats exactly, all else as it is.  O(1)."""
    return int(value) if isinstance(value, np.integer) else value


def check_same_class(value: Any, model: Any, name: str) -> Any:
    """Return `value` if it is of the very class of `model`.  Raises EvaluationTypeError otherwise.

    >>> check_same_class(3, 4, "other")
    3
    """
    if type(value) is not type(model):
        raise EvaluationTypeError(f"{name} must be a {type(model).__name__}, got {shown(value)}")
    return value


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT, or pandas' NA.  O(1)."""
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
    """Return the error for a value that cannot be hashed.  O(1)."""
    return EvaluationTypeError(f"{name} must be hashable, such as a string or an integer, got {shown(value)}")


def first_not_hashable_error(labels: Any, name: str) -> EvaluationTypeError:
    """Return the error for the first label that cannot be hashed.  O(n)."""
    bad = next(index for index, label in enumerate(labels) if not _is_hashable(label))
    return not_hashable_error(labels[bad], f"{name}[{bad}]")
