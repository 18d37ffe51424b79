"""Options of the functions in scikit-learn's style: an error names the option and its function."""

import math
from numbers import Real
from typing import Any

import numpy as np

from evalcore.errors import InvalidParameterError, shown
from evalcore.typing import FloatArray
from evalcore.validation.single_values import is_array_like, is_sparse

_LABELS = int, str, float, np.bool_, Real
"""What a label may be; the common types are asked first."""
AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


def check_choice(value: Any, allowed: tuple[Any, ...], name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is one of the allowed strings, or an allowed None.  O(1)."""
    if not (value is None or isinstance(value, str)) or value not in allowed:
        raise _invalid(name, function, f"one of {', '.join(map(repr, allowed))}", value)


def check_array_likes(function: str, *, sparse: bool = False, **values: Any) -> None:
    """Raise InvalidParameterError unless each value is None or array-like, sparse only if that is allowed.  O(1)."""
    for name, value in values.items():
        if value is None or type(value) is np.ndarray:
            continue
        if not is_array_like(value):
            raise _invalid(name, function, "an array-like", value)
        if not sparse and is_sparse(value):
            raise _invalid(name, function, "a dense array-like", value)


def check_flag(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is a Boolean.  O(1)."""
    if not isinstance(value, bool | np.bool_):
        raise _invalid(name, function, "a bool", value)


def check_label(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is a number, a string, a Boolean or None.  O(1)."""
    if value is not None and not isinstance(value, _LABELS):
        raise _invalid(name, function, "a number, a string or None", value)


def check_real(value: Any, low: float, high: float, name: str, function: str, *, nan: bool = False) -> None:
    """Raise InvalidParameterError unless the value is a number in low .. high, or NaN if that is allowed.  O(1)."""
    number = _float_of(value)
    if number is not None and (low <= number <= high or (nan and math.isnan(number))):
        return
    raise _invalid(name, function, f"a number in {low} .. {high}{' or NaN' if nan else ''}", value)


def check_rate_above_zero(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is a number above 0, at most 1.  O(1)."""
    number = _float_of(value)
    if number is None or not 0 < number <= 1:
        raise _invalid(name, function, "None or a number above 0, at most 1", value)


def check_finite_number(value: Any, name: str, function: str) -> float:
    """Return a finite number.  Raises InvalidParameterError for another value.  O(1)."""
    number = _float_of(value)
    if number is None or not math.isfinite(number):
        raise _invalid(name, function, "a finite number", value)
    return number


def check_rising_numbers(
    value: Any, name: str, function: str, low: float = -math.inf, high: float = math.inf
) -> tuple[float, float]:
    """Return two rising numbers in low .. high.  Raises InvalidParameterError for other values.  O(1)."""
    numbers = [_float_of(number) for number in value] if is_array_like(value) else []
    match numbers:
        case [float(first), float(second)] if low <= first < second <= high:
            return first, second
    raise _invalid(name, function, "two rising numbers" + (f" in {low} .. {high}" if high < math.inf else ""), value)


def check_costs(value: Any, name: str, function: str) -> FloatArray:
    """Return the costs of tp, fn, fp and tn, (4,), from those of a false positive and of a false negative.  O(1).

    Raises InvalidParameterError unless these are two finite numbers of at least 0.
    """
    match [_float_of(number) for number in value] if is_array_like(value) else []:
        case [float(of_fp), float(of_fn)] if 0 <= of_fp < math.inf and 0 <= of_fn < math.inf:
            return np.array([0.0, of_fn, of_fp, 0.0])
    wanted = "two finite numbers of at least 0, the costs of a false positive and of a false negative"
    raise _invalid(name, function, wanted, value)


def check_whole_number(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is an integer of at least 0.  O(1)."""
    if not isinstance(value, int | np.integer) or value < 0:
        raise _invalid(name, function, "an integer of at least 0", value)


def check_zero_division(value: Any, function: str, *, nan: bool = True) -> None:
    """Raise InvalidParameterError unless `zero_division` is "warn", 0, 1, or NaN if that is allowed.  O(1)."""
    if isinstance(value, str) and value == "warn":
        return
    if isinstance(value, Real) and (value in (0, 1) or (nan and isinstance(value, float) and math.isnan(value))):
        return
    raise _invalid("zero_division", function, f"'warn', 0{', 1 or NaN' if nan else ' or 1'}", value)


def _float_of(value: Any) -> float | None:
    """Return a number as float, infinite if it is too large; None for anything else."""
    number: Any = value
    if not isinstance(value, Real):
        return None
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _invalid(name: str, function: str, allowed: str, value: Any) -> InvalidParameterError:
    return InvalidParameterError(f"The '{name}' parameter of {function} must be {allowed}, got {shown(value)}")


def check_positive_integer(value: Any, name: str, function: str) -> int:
    """Return an integer of at least 1.  Raises InvalidParameterError for another value.  O(1)."""
    if not isinstance(value, int | np.integer) or value < 1:
        raise _invalid(name, function, "an int in the range [1, inf)", value)
    return int(value)


def check_above_zero(value: Any, name: str, function: str) -> float:
    """Return a number above 0.  Raises InvalidParameterError for another value.  O(1)."""
    if not isinstance(value, Real) or not float(value) > 0:
        raise _invalid(name, function, "a float in the range (0.0, inf)", value)
    return float(value)
