"""What counts whole cases refuses weights, and names what takes them."""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from evalcore.errors import EvaluationTypeError, shown
from evalcore.validation.single_values import check_integer, is_number

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
    return refuses_weights(
        f"counts whole cases and takes no sample_weight; for weights use evalcore.metrics.{instead}"
        f"(..., sample_weight=...) or {_OF_COLUMNS}"
    )


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
    if is_number(value) and math.isfinite(value) and value % 1:
        raise EvaluationTypeError(
            f"{name} must be an integer, got {shown(value)}; for weights use {_OF_TABLES} or {_OF_COLUMNS}"
        )
    return check_integer(value, name)
