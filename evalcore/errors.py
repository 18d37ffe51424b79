"""Errors about arguments, and the names and values that their messages show."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from inspect import currentframe
from typing import Any, TypeVar

_LEAST_BEGUN = 3
"""Letters of a name that suggest one that begins with them."""
_Value = TypeVar("_Value")

_AMONG = ContextVar("among", default="")
_OF_TEXT = ContextVar("of_text", default=False)
"""Which rows indices in errors count, where not all."""
_TAKE: ContextVar[Callable[[str], object]] = ContextVar("take", default=str)
"""Takes notes; without a command nobody does."""


class EvaluationError(ValueError):
    """Report an argument with an invalid value.

    The message names the argument, the value and what is allowed; the evaluation is left unchanged.

    >>> from evalcore import ScoredPrecisionRecallEvaluation
    >>> ScoredPrecisionRecallEvaluation().addMisses(-1)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: count must not be negative, got -1
    """


class EvaluationTypeError(TypeError):
    """Report an argument of the wrong type.

    >>> from evalcore import ScoredPrecisionRecallEvaluation
    >>> ScoredPrecisionRecallEvaluation().addMisses("two")
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: count must be an integer, got 'two' (str)
    """


class UnsupportedOperationError(RuntimeError):
    """Report a request for inputs that the evaluation was told not to keep.

    >>> from evalcore import BaseClassifierEvaluator
    >>> BaseClassifierEvaluator(None, ["wine", "beer"], storeInputs=False).truePositives("wine")
    Traceback (most recent call last):
    evalcore.errors.UnsupportedOperationError: inputs are not stored; construct the evaluator with storeInputs=True
    """


class MissingLibraryError(ImportError, EvaluationError):
    """Report an optional library that is not installed, and what to install.

    >>> from evalcore.optional import require
    >>> require("pyarow")
    Traceback (most recent call last):
    evalcore.errors.MissingLibraryError: pyarow is not installed; pip install pyarow
    """


class InvalidParameterError(EvaluationError, EvaluationTypeError):
    """Report an option of the wrong type, or with a value that the function does not know.

    >>> from evalcore.metrics import f1_score
    >>> f1_score([1, 0], [1, 1], average="mean")
    Traceback (most recent call last):
    evalcore.errors.InvalidParameterError: The 'average' parameter of f1_score must be one of 'binary', 'micro', \
'macro', 'weighted', 'samples', None, got 'mean' (str)
    """


class ZeroWeightsError(EvaluationError, ZeroDivisionError):
    """Report weights that sum to zero, so that there is no weighted mean."""


class UndefinedMetricWarning(UserWarning):
    """Warn that a measure divides by zero, and say which value replaces it.

    >>> import warnings
    >>> from evalcore.metrics import precision_score
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     precision_score([1, 0], [0, 0])
    0.0
    >>> caught[0].category.__name__
    'UndefinedMetricWarning'
    """


def warn(message: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Warn at the line that called this package, whichever of its functions knows why.  O(depth of the call)."""
    frame, level = currentframe(), 1
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "evalcore":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def check(holds: object, name: str, rule: str, got: object, error: type[Exception] = EvaluationError) -> None:
    """Raise an error unless something holds: that `name` must do as the rule says, and what it is instead.  O(1).

    >>> check(2 > 3, "k", "be above 3", 2)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: k must be above 3, got 2
    """
    if not holds:
        raise error(f"{name} must {rule}, got {got}")


def refuse(reasons: Mapping[str, object]) -> None:
    """Raise EvaluationError with the first text whose condition holds.  O(reasons).

    >>> refuse({"ids must be given": False, "ids must be distinct": True})
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: ids must be distinct
    """
    for why, applies in reasons.items():
        if applies:
            raise EvaluationError(why)


def check_type(
    holds: object, name: str, rule: str, value: object, error: type[Exception] = EvaluationTypeError
) -> None:
    """Raise as `check` does, but of a value that is shown with its type.  O(1).

    >>> check_type(isinstance("3", int), "k", "be an integer", "3")
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: k must be an integer, got '3' (str)
    """
    if not holds:
        raise error(f"{name} must {rule}, got {shown(value)}")


def did_you_mean(name: object, names: Iterable[object], written: Callable[[str], str] = str) -> str:
    """Return the end of an error text that suggests the nearest allowed names; "" if none is near.

    Case does not matter.  At most three names, nearest first, as they are `written`.  O(names).

    >>> did_you_mean("roc_aera", ["cases", "roc_auc"])
    "; did you mean 'roc_auc'?"
    >>> did_you_mean("kappa", ["cases", "roc_auc"]), did_you_mean(7, ["cases"])
    ('', '')
    >>> did_you_mean("acc", ["jaccard", "accuracy"])
    "; did you mean 'accuracy' or 'jaccard'?"
    """
    import difflib  # here: most programs never need it

    lowered: dict[str, list[str]] = {}
    for each in map(str, names):
        lowered.setdefault(each.lower(), []).append(each)
    typed = str(name).lower()
    begun = [each for each in lowered if len(typed) >= _LEAST_BEGUN and each.startswith(typed)]
    near = [*begun[:1], *difflib.get_close_matches(typed, lowered, n=3)]
    shown = list(dict.fromkeys(repr(written(each)) for match in near for each in lowered[match]))
    return f"; did you mean {' or '.join(shown[:3])}?" if shown else ""


def listed_names(names: Iterable[object], most: int = 6) -> str:
    """Return names as an error lists them: of many the first, and how many more there are.  O(names).

    >>> listed_names(["a", "b"]), listed_names(["a", 1, "c"], most=2)
    ("'a', 'b'", "'a', 1 and 1 more")
    """
    every = [*map(repr, names)]
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def at_index(index: int) -> str:
    """Return the words for an index in an error about a file."""
    if _OF_TEXT.get() and not _AMONG.get():
        return f"in row {index + 1:,} below the header"
    return f"at index {index} (from 0{_AMONG.get()})"


@contextmanager
def held(variable: ContextVar[_Value], value: _Value) -> Iterator[None]:
    """Let a variable of the context have a value inside.  O(1)."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def counting_kept_rows() -> AbstractContextManager[None]:
    """Make errors inside say that their indices count only the rows that are kept.

    >>> with counting_kept_rows():
    ...     at_index(3)
    'at index 3 (from 0, of the rows that are kept)'
    """
    return held(_AMONG, ", of the rows that are kept")


def counting_rows_of_text() -> AbstractContextManager[None]:
    """Make errors inside count rows as they stand in a text file.

    >>> with counting_rows_of_text():
    ...     at_index(3)
    'in row 4 below the header'
    """
    return held(_OF_TEXT, True)


def note(text: str) -> None:
    """Say what does not stop a reader, but may be wrong.  O(1)."""
    _TAKE.get()(text)


def taking_notes(take: Callable[[str], object]) -> AbstractContextManager[None]:
    """Call a function with each note inside.

    >>> with taking_notes(print):
    ...     note("the last cell may be cut off")
    the last cell may be cut off
    """
    return held(_TAKE, take)


def shown(value: Any) -> str:
    """Return a value and its type as an error text shows them, cut where they are long."""
    import numpy as np

    value = value.item() if isinstance(value, np.generic) and value.dtype.kind in "USb" else value
    return f"{shortened(repr(value))} ({type(value).__name__})"


def shortened(text: str) -> str:
    """Cut a text that is longer than 60 letters."""
    return text if len(text) <= 60 else f"{text[:57]}..."
