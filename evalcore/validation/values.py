"""Single values that callers hand in: numbers, counts, labels and options, checked, or an error that names them."""

import math
import operator
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from numbers import Real
from typing import Any, ParamSpec, TypeGuard, TypeVar

import numpy as np

from evalcore import errors
from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, check, check_type, shown
from evalcore.typing import FloatArray

DATES = date, timedelta, np.datetime64, np.timedelta64
_SCALARS = str, bytes, np.generic


def check_count(value: Any, name: str, maximum: int | None = None) -> int:
    """Return an integer of at least 0, and at most `maximum` if that is given.  O(1)."""
    number = check_integer(value, name)
    rule = "not be negative" if number < 0 else f"be at most {maximum}"
    check(number >= 0 and (maximum is None or number <= maximum), name, rule, number)
    return number


def check_integer(value: Any, name: str) -> int:
    """Return an integer of any sign.  O(1)."""
    try:
        return operator.index(value)
    except TypeError:
        raise EvaluationTypeError(f"{name} must be an integer, got {shown(value)}") from None


def check_number(value: Any, name: str) -> float:
    """Return a real number as float.  O(1)."""
    check_type(is_number(value), name, "be a number", value)
    try:
        return float(value)
    except OverflowError:
        raise EvaluationError(f"{name} must be a float64 number, got {shown(value)}") from None


def check_open_fraction(value: Any, name: str, least_percent: float = 1.0) -> float:
    """Return a number above 0 and below 1; least_percent: from which on another number is one of per cent.  O(1)."""
    number = check_number(value, name)
    check(0 < number < 1, name, "be above 0 and below 1", f"{value!r}{percent_advice(number, least_percent)}")
    return number


def percent_advice(number: float, least_percent: float = 2.0) -> str:
    """Say how to write a number of per cent, if it may be one, as a fraction; least_percent: from which on.  O(1).

    >>> percent_advice(95.0), percent_advice(1.5)
    ('; write 0.95 for 95%', '')
    """
    return f"; write {number / 100:g} for {number:g}%" if least_percent <= number < 100 else ""


def as_score(value: Any, name: str) -> float:
    """Return one score as the same float64 number, not NaN.  O(1)."""
    check_type(is_number(value) and not isinstance(value, bool), name, "be a number", value)
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
    rule = "be True or False, 1 or 0"
    check_type(isinstance(value, np.bool_) or is_number(value), name, rule, value)
    check(value in (0, 1), name, rule, value)
    return bool(value)


def check_attribute(value: Any, attribute: str, name: str, hint: str = "") -> Any:
    """Return a value that has the attribute; `hint` ends the error's text.  O(1)."""
    if not hasattr(value, attribute):
        raise EvaluationTypeError(f"{name} must have {attribute}, got {shown(value)}{hint}")
    return value


def check_instance(value: Any, kind: type, name: str) -> Any:
    """Return a value of that class.  O(1)."""
    check_type(isinstance(value, kind), name, f"be a {kind.__name__}", value)
    return value


def item_name(name: str, *index: int) -> str:
    """Return how an error names an item: `scores[3]`, or of a name in words `column 'x' at index 3 (from 0)`.  O(1)."""
    return f"{name} {errors.at_index(*index)}" if " " in name else f"{name}[{', '.join(map(str, index))}]"


def inexact_number_error(value: Any, name: str) -> EvaluationError:
    """Return the error for a number that float64 would round."""
    kind = "an integer that float64 cannot hold" if isinstance(value, int | np.integer) else "not a float64 number"
    return EvaluationError(f"{name} = {errors.shortened(str(value))} is {kind}; scale or round the scores first")


def is_number(value: Any) -> bool:
    """Whether a value is a real number; NumPy counts time differences among the integers.  O(1)."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, np.timedelta64)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA.  O(1)."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124  NaN alone differs from itself
    except (TypeError, ValueError):  # pandas' NA is neither equal to itself nor not
        return True


def check_hashable(value: Any, name: str) -> None:
    """Raise EvaluationTypeError for a value that cannot be hashed.  O(1)."""
    try:
        hash(value)
    except TypeError:
        rule = "hashable, such as a string or an integer"
        raise EvaluationTypeError(f"{name} must be {rule}, got {shown(value)}") from None


def is_sparse(values: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy's kind.  O(1)."""
    return hasattr(values, "tocsr") and hasattr(values, "toarray") and hasattr(values, "nnz")


def is_array_like(values: Any) -> TypeGuard[Any]:
    """Whether this has several elements in an order: neither a string nor a scalar.  O(1)."""
    if values is None or isinstance(values, _SCALARS):
        return False
    return hasattr(values, "__len__") or hasattr(values, "shape") or hasattr(values, "__array__")


_LABELS = int, str, float, np.bool_, Real
"""What a label may be; the common types are asked first."""
AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)


def check_choice(value: Any, allowed: tuple[Any, ...], name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is one of the allowed strings, or an allowed None.  O(1)."""
    if not (value is None or isinstance(value, str)) or value not in allowed:
        raise invalid_parameter(name, function, f"one of {', '.join(map(repr, allowed))}", value)


def check_array_likes(function: str, *, sparse: bool = False, **values: Any) -> None:
    """Raise InvalidParameterError unless each value is None or array-like, sparse only if that is allowed.  O(1)."""
    for name, value in values.items():
        if value is None or type(value) is np.ndarray:
            continue
        _check_parameter(is_array_like(value), name, function, "an array-like", value)
        _check_parameter(sparse or not is_sparse(value), name, function, "a dense array-like", value)


def check_flag(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is a Boolean.  O(1)."""
    _check_parameter(isinstance(value, bool | np.bool_), name, function, "a bool", value)


def check_label(value: Any, name: str, function: str) -> None:
    """Raise InvalidParameterError unless the value is a number, a string, a Boolean or None.  O(1)."""
    _check_parameter(value is None or isinstance(value, _LABELS), name, function, "a number, a string or None", value)


def check_real(value: Any, low: float, high: float, name: str, function: str, *, nan: bool = False) -> None:
    """Raise InvalidParameterError unless the value is a number in low .. high, or NaN if that is allowed.  O(1)."""
    number = _float_of(value)
    if not (low <= number <= high or (nan and isinstance(value, Real) and math.isnan(number))):
        raise invalid_parameter(name, function, f"a number in {low} .. {high}{' or NaN' if nan else ''}", value)


def check_finite_number(value: Any, name: str, function: str) -> float:
    """Return a finite number.  Raises InvalidParameterError for another value.  O(1)."""
    number = _float_of(value)
    _check_parameter(math.isfinite(number), name, function, "a finite number", value)
    return number


def check_rising_numbers(
    value: Any, name: str, function: str, low: float = -math.inf, high: float = math.inf
) -> tuple[float, float]:
    """Return two rising numbers in low .. high.  Raises InvalidParameterError for other values.  O(1)."""
    numbers = _two_numbers(value)
    wanted = "two rising numbers" + (f" in {low} .. {high}" if high < math.inf else "")
    _check_parameter(low <= numbers[0] < numbers[1] <= high, name, function, wanted, value)
    return numbers


def check_costs(value: Any, name: str, function: str) -> FloatArray:
    """Return the costs of tp, fn, fp and tn, (4,), from those of a false positive and of a false negative.  O(1).

    Raises InvalidParameterError unless these are two finite numbers of at least 0.
    """
    of_fp, of_fn = _two_numbers(value)
    wanted = "two finite numbers of at least 0, the costs of a false positive and of a false negative"
    _check_parameter(0 <= of_fp < math.inf and 0 <= of_fn < math.inf, name, function, wanted, value)
    return np.array([0.0, of_fn, of_fp, 0.0])


def _two_numbers(value: Any) -> tuple[float, float]:
    """Return two numbers, NaN for what is none; two NaN in place of anything else."""
    numbers = [_float_of(number) for number in value] if is_array_like(value) else []
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (math.nan, math.nan)


def check_zero_division(value: Any, function: str, *, nan: bool = True) -> None:
    """Raise InvalidParameterError unless `zero_division` is "warn", 0, 1, or NaN if that is allowed.  O(1)."""
    is_warn = isinstance(value, str) and value == "warn"
    is_nan = nan and isinstance(value, float) and math.isnan(value)
    holds = is_warn or (isinstance(value, Real) and (value in (0, 1) or is_nan))
    _check_parameter(holds, "zero_division", function, f"'warn', 0{', 1 or NaN' if nan else ' or 1'}", value)


def _float_of(value: Any) -> float:
    """Return a number as float, infinite if it is too large; NaN for anything else."""
    number: Any = value
    try:
        return float(number) if isinstance(value, Real) else math.nan
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _check_parameter(holds: object, name: str, function: str, allowed: str, value: Any) -> None:
    if not holds:
        raise invalid_parameter(name, function, allowed, value)


def invalid_parameter(name: str, function: str, allowed: str, value: Any) -> InvalidParameterError:
    """Return the error for an option; allowed: what it must be."""
    return InvalidParameterError(f"The '{name}' parameter of {function} must be {allowed}, got {shown(value)}")


def check_positive_integer(value: Any, name: str, function: str) -> int:
    """Return an integer of at least 1.  Raises InvalidParameterError for another value.  O(1)."""
    holds = isinstance(value, int | np.integer) and value >= 1
    _check_parameter(holds, name, function, "an int in the range [1, inf)", value)
    return int(value)


_P = ParamSpec("_P")
_T = TypeVar("_T")
_OF_TABLES = "evalcore.metrics.confusion_matrix(..., sample_weight=...)"
_OF_COLUMNS = "evalcore.evaluate(..., weight=...)"


def takes_no_weights(instead: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Make a method raise EvaluationTypeError for `sample_weight`; instead: the function of metrics that takes it.

    O(1) for each call.

    >>> @takes_no_weights("roc_auc_score")
    ... def addCases(correct, scores): ...
    >>> addCases([True], [0.5], sample_weight=[2.0])
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: addCases counts whole cases and takes no sample_weight; for weights use \
evalcore.metrics.roc_auc_score(..., sample_weight=...) or evalcore.evaluate(..., weight=...)
    """
    takes = f"evalcore.metrics.{instead}(..., sample_weight=...) or {_OF_COLUMNS}"
    return refuses_weights(f"counts whole cases and takes no sample_weight; for weights use {takes}")


def refuses_weights(why: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Make a function raise EvaluationTypeError for `sample_weight`; why: follows its name.  O(1) for each call."""

    def refusing(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def unweighted(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            if "sample_weight" in kwargs:
                raise EvaluationTypeError(f"{function.__name__} {why}")
            return function(*args, **kwargs)

        return unweighted

    return refusing


def check_cases(value: Any, name: str) -> int:
    """Return a number of cases, of any sign; a fraction is told what takes weights.  O(1).

    >>> check_cases(0.5, "n")
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: n must be an integer, got 0.5 (float); for weights use \
evalcore.metrics.confusion_matrix(..., sample_weight=...) or evalcore.evaluate(..., weight=...)
    """
    if not isinstance(value, int) and is_number(value) and math.isfinite(value) and value % 1:
        why = f"{name} must be an integer, got {shown(value)}; for weights use {_OF_TABLES} or {_OF_COLUMNS}"
        raise EvaluationTypeError(why)
    return check_integer(value, name)
