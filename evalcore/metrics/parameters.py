"""The options of the functions: each is refused, in its function's name, where the function has none such."""

import math
from numbers import Real
from typing import Any

import numpy as np

from evalcore.checks import shown
from evalcore.errors import InvalidParameterError
from evalcore.metrics.target_types import is_array_like, is_sparse

AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


def choice(value: Any, allowed: tuple[Any, ...], name: str, function: str) -> None:
    """Raise InvalidParameterError for none of the allowed strings, or None where that is allowed.  O(1).

    >>> choice("all", ("true", "pred", "all", None), "normalize", "confusion_matrix")
    """
    if not any(value is one or (isinstance(value, str) and value == one) for one in allowed):
        raise _invalid(name, function, f"one of {', '.join(map(repr, allowed))}", value)


def array_likes(function: str, *, sparse: bool = False, **values: Any) -> None:
    """Raise InvalidParameterError for what is neither None nor an array-like, sparse only where that is said.  O(1).

    >>> array_likes("accuracy_score", sample_weight=[1, 2])
    """
    for name, value in values.items():
        if value is not None and not is_array_like(value):
            raise _invalid(name, function, "an array-like", value)
        if not sparse and is_sparse(value):
            raise _invalid(name, function, "a dense array-like", value)


def flag(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError for what is not Boolean.  O(1).

    >>> flag(True, "normalize", "accuracy_score")
    """
    if not isinstance(value, bool | np.bool_):
        raise _invalid(name, function, "a bool", value)


def one_label(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError for what is no number, string, Boolean or None.  O(1).

    >>> one_label("spam", "pos_label", "f1_score")
    """
    if value is not None and not isinstance(value, Real | str | bool | np.bool_):
        raise _invalid(name, function, "a number, a string or None", value)


def real(value: Any, low: float, high: float, name: str, function: str, *, nan: bool = False) -> None:
    """Raise InvalidParameterError for no number in low .. high, or NaN where that is allowed.  O(1).

    >>> real(0.5, 0, math.inf, "beta", "fbeta_score")
    """
    if isinstance(value, Real) and (low <= float(value) <= high or (nan and math.isnan(value))):
        return
    raise _invalid(name, function, f"a number in {low} .. {high}{' or NaN' if nan else ''}", value)


def whole(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError for no whole number of at least 0.  O(1).

    >>> whole(2, "digits", "classification_report")
    """
    if not isinstance(value, int | np.integer) or value < 0:
        raise _invalid(name, function, "an integer of at least 0", value)


def replacement(value: Any, function: str, *, nan: bool = True) -> None:
    """Raise InvalidParameterError for a `zero_division` other than "warn", 0, 1, and NaN where that is allowed.  O(1).

    >>> replacement("warn", "f1_score")
    """
    if isinstance(value, str) and value == "warn":
        return
    if isinstance(value, Real) and (value in (0, 1) or (nan and isinstance(value, float) and math.isnan(value))):
        return
    raise _invalid("zero_division", function, f"'warn', 0{', 1 or NaN' if nan else ' or 1'}", value)


def _invalid(name: str, function: str, allowed: str, value: Any) -> InvalidParameterError:
    return InvalidParameterError(f"The '{name}' parameter of {function} must be {allowed}, got {shown(value)}")
