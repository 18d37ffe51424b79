"""The only door: what callers hand in becomes checked typed arrays and numbers, or a named error."""

import operator
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, at_index, shortened, shown
from evalcore.kernels.blocks import blocks
from evalcore.kernels.tables import BinaryCounts, binary_counts
from evalcore.typing import BoolArray, FloatArray, ScoreArray

_EXACT_IN_FLOAT64 = 2**53
_LARGEST = int(np.finfo(np.float64).max)
DATES = date, timedelta, np.datetime64, np.timedelta64
_DROP_AND_CONVERT = "; drop or fill missing values and call .astype(float), for a table's column .to_numpy(dtype=float)"


class Cases(NamedTuple):
    """Labels and scores of as many cases."""

    correct: BoolArray
    scores: ScoreArray


def cases(correct: Any, scores: Any, names: tuple[str, str] = ("correct", "scores")) -> Cases:
    """Return labels and scores of equal length.

    Raises EvaluationError or EvaluationTypeError as `labels` and `scores` do, and where the lengths differ.
    O(n); copies only what has to be converted.

    >>> cases([1, 0], [0.5, 2])
    Cases(correct=array([ True, False]), scores=array([0.5, 2. ]))
    """
    checked = Cases(labels_of(correct, names[0]), scores_of(scores, names[1]))
    check_equal_lengths(checked.correct, checked.scores, *names)
    return checked


def score(value: Any, name: str) -> float:
    """Return one score.

    Raises EvaluationError for NaN and for a number that float64 cannot hold, EvaluationTypeError for no number.
    O(1).

    >>> score(np.int64(3), "score")
    3.0
    """
    if not _is_number(value) or isinstance(value, bool):
        raise EvaluationTypeError(f"{name} must be a number, got {shown(value)}")
    if value != value:  # noqa: PLR0124  NaN alone differs from itself
        raise EvaluationError(f"{name} is NaN; a score is finite or infinite")
    try:
        number = float(value)
    except OverflowError:
        raise not_kept(value, name) from None
    if number != _python_number(value):  # Python compares its own integers with floats exactly
        raise not_kept(value, name)
    return number


def scores_of(values: Any, name: str) -> ScoreArray:
    """Return scores as a float32 or float64 array, shape (n,).

    float16 widens to float32, integers and wider floats become float64.  Raises EvaluationError for a NaN, for
    a number that float64 cannot hold and for other than one dimension, EvaluationTypeError for what is not
    numbers; both name the first bad index.  O(n).

    >>> scores_of([1, 2], "scores")
    array([1., 2.])
    >>> scores_of([0.5, float("nan")], "scores")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: scores[1] is NaN; a score is finite or infinite
    """
    array = column(values, name)
    if array.dtype.kind == "O" and _are_plain_numbers(values):
        array = _floats_of(values, name)  # integers of more than 64 bits among them
    kind, width = array.dtype.kind, array.dtype.itemsize
    if kind == "b":
        raise EvaluationTypeError(
            f"{name} holds Booleans, which are labels; if they are meant as scores, call .astype(float)"
        )
    if kind not in "iuf":
        raise _not_numbers(values, array, name, "float64 or float32 numbers")
    if kind == "f" and width <= 8:
        scores = array.astype(np.promote_types(array.dtype, np.float32), copy=False)  # also to native order
        # min is NaN if anything is; it is several times faster than isnan
        if scores.size and np.isnan(scores.min()):
            raise EvaluationError(f"{item(name, int(np.isnan(scores).argmax()))} is NaN; a score is finite or infinite")
    else:
        scores = _as_exact_float64(array, name)
    if isinstance(values, list | tuple):
        if {bool, np.bool_} & set(map(type, values)):
            index = next(index for index, value in enumerate(values) if isinstance(value, bool | np.bool_))
            raise EvaluationTypeError(f"{name} must hold numbers, got {item(name, index)} = {shown(values[index])}")
        _check_integers_kept(values, scores, name)
    return scores


def labels_of(values: Any, name: str) -> BoolArray:
    """Return labels as a Boolean array, shape (n,).

    Takes Booleans, and numbers that are exactly 0 or 1.  Raises EvaluationError naming the first other number
    and for other than one dimension, EvaluationTypeError for what is neither.  O(n).

    >>> labels_of([1.0, 0.0], "correct")
    array([ True, False])
    >>> labels_of([1, 0, 2], "correct")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: correct[2] is 2; a label is True or False, 1 or 0
    """
    array = column(values, name)
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind == "O" and _are_plain_numbers(values):
        array = _floats_of(values, name)  # integers of more than 64 bits among them
    if array.dtype.kind not in "iuf":
        raise _not_numbers(values, array, name, "Booleans, or the numbers 0 and 1")
    labels = np.empty(array.size, np.bool_)
    for block in blocks(array.size):
        np.equal(array[block], 1, out=labels[block])
        allowed = labels[block] | (array[block] == 0)
        if not allowed.all():
            index = block.start + int(allowed.argmin())
            bad = values[index] if isinstance(values, list | tuple) else array[index]
            raise EvaluationError(f"{item(name, index)} is {shortened(str(bad))}; a label is True or False, 1 or 0")
    return labels


def label(value: Any, name: str) -> bool:
    """Return one label.  Raises EvaluationError or EvaluationTypeError for other than 0, 1 and Booleans.

    >>> label(np.True_, "correct")
    True
    """
    if not isinstance(value, np.bool_) and not _is_number(value):
        raise EvaluationTypeError(f"{name} must be True or False, 1 or 0, got {shown(value)}")
    if value not in (0, 1):
        raise EvaluationError(f"{name} must be True or False, 1 or 0, got {value}")
    return bool(value)


def count(value: Any, name: str, maximum: int | None = None) -> int:
    """Return a number of cases, at most `maximum` if that is given.

    Raises EvaluationTypeError for no integer, EvaluationError for one out of range.

    >>> count(np.int32(3), "count")
    3
    """
    number = integer(value, name)
    if number < 0:
        raise EvaluationError(f"{name} must not be negative, got {number}")
    if maximum is not None and number > maximum:
        raise EvaluationError(f"{name} must be at most {maximum}, got {number}")
    return number


def integer(value: Any, name: str) -> int:
    """Return a whole number of any sign.  Raises EvaluationTypeError for no integer.

    >>> integer(np.int32(-3), "n")
    -3
    """
    try:
        return operator.index(value)
    except TypeError:
        raise EvaluationTypeError(f"{name} must be an integer, got {shown(value)}") from None


def number(value: Any, name: str) -> float:
    """Return a real number.  Raises EvaluationTypeError for anything else.

    >>> number(2, "beta")
    2.0
    """
    if not _is_number(value):
        raise EvaluationTypeError(f"{name} must be a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise EvaluationError(f"{name} must be a float64 number, got {shown(value)}") from None


def curve(values: Any, name: str) -> FloatArray:
    """Return a curve as (p, 2) float64.  Raises EvaluationError for another shape or what are no numbers.

    >>> curve([[0.5, 1.0]], "prCurve")
    array([[0.5, 1. ]])
    """
    try:
        rows = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"{name} must hold two numbers in each row: {error}") from None
    if rows.size and (rows.ndim != 2 or rows.shape[1] != 2):
        raise EvaluationError(f"{name} must hold two numbers in each row, got shape {rows.shape}")
    return rows.reshape(-1, 2)


def with_attribute(value: Any, attribute: str, name: str, hint: str = "") -> Any:
    """Return `value` if it has an attribute.  Raises EvaluationTypeError otherwise, ending in a hint.

    >>> with_attribute("wine", "classify", "classifier")
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: classifier must have classify, got 'wine' (str)
    """
    if not hasattr(value, attribute):
        raise EvaluationTypeError(f"{name} must have {attribute}, got {shown(value)}{hint}")
    return value


def instance(value: Any, kind: type, name: str) -> Any:
    """Return `value` if it is of that class.  Raises EvaluationTypeError otherwise.

    >>> instance(3, int, "other")
    3
    """
    if not isinstance(value, kind):
        raise EvaluationTypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def binary_cases(reference: Any, response: Any, names: tuple[str, str]) -> BinaryCounts:
    """Count two label columns of equal length into a table.

    Raises EvaluationError or EvaluationTypeError as `labels_of` does, and where the lengths differ.  O(n).

    >>> binary_cases([1, 1, 0], [1, 0, 0], ("reference", "response"))
    BinaryCounts(tp=1, fn=1, fp=0, tn=1)
    """
    first, second = (labels_of(*pair) for pair in zip((reference, response), names, strict=True))
    check_equal_lengths(first, second, *names)
    return binary_counts(first, second)


def binary_cases_or_sets(reference: Any, response: Any, names: tuple[str, str]) -> BinaryCounts:
    """Count two sets of positives by membership (no tn), or two label columns as `binary_cases`.  O(n).

    >>> binary_cases_or_sets({"a", "b"}, {"b", "c"}, ("reference", "response"))
    BinaryCounts(tp=1, fn=1, fp=1, tn=0)
    """
    sets = [isinstance(values, AbstractSet) for values in (reference, response)]
    if all(sets):
        tp = len(reference & response)
        return BinaryCounts(tp, len(reference) - tp, len(response) - tp, 0)
    if any(sets):
        other = sets.index(False)
        raise EvaluationTypeError(
            f"{names[other]} must be a set like {names[1 - other]}, got {shown((reference, response)[other])}"
        )
    return binary_cases(reference, response, names)


def column(values: Any, name: str) -> npt.NDArray[Any]:
    """Return a one-dimensional array of whatever NumPy reads.

    Raises EvaluationError for masked cases and for other than one dimension, EvaluationTypeError where the
    conversion fails.  O(n).

    >>> column(["a", "b"], "reference")
    array(['a', 'b'], dtype='<U1')
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise EvaluationError(
            f"{item(name, int(np.ma.getmaskarray(values).ravel().argmax()))} is masked; drop or fill masked cases first"
        )
    try:
        array = np.asarray(values)
    except Exception as error:  # whatever the foreign object's own conversion raises
        if isinstance(values, list | tuple):
            raise EvaluationTypeError(f"{name} cannot be read as an array: {error}") from error
        raise EvaluationTypeError(
            f"{name} cannot be read as an array ({type(values).__module__}.{type(values).__qualname__}: "
            f"{error}); for a tensor call .detach().float().cpu().numpy(), for a column .to_numpy()"
        ) from error
    if array.ndim != 1:
        raise EvaluationError(
            f"{name} must be one-dimensional, got {shown(values) if array.ndim == 0 else f'shape {array.shape}'}"
        )
    return array if array.size else array.astype(np.float64 if array.dtype.kind == "O" else array.dtype)


def _not_numbers(values: Any, array: npt.NDArray[Any], name: str, allowed: str) -> EvaluationTypeError:
    """Error that names the first value that is none of the allowed."""
    if isinstance(values, list | tuple):
        array = np.array(values, dtype=object)  # NumPy has made strings of numbers among strings
    if array.size == 0:
        return EvaluationTypeError(f"{name} must hold {allowed}, got dtype {array.dtype}")
    if array.dtype.kind != "O":
        return EvaluationTypeError(
            f"{name} must hold {allowed}, got dtype {array.dtype}, first {item(name, 0)} = {shown(array[0])}"
        )
    plain = _plain_numbers(array)
    if plain.all():
        return EvaluationTypeError(f"{name} must hold {allowed}, got objects; call .astype(float)")
    index = int(plain.argmin())
    return EvaluationTypeError(
        f"{name} must hold {allowed}, got objects, {item(name, index)} = {shown(array[index])}"
        + ("" if isinstance(array[index], DATES) else _DROP_AND_CONVERT)
    )


def _is_number(value: Any) -> bool:
    """Whether a value is real: NumPy counts time differences among the integers."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, np.timedelta64)


def _plain_numbers(values: Any) -> BoolArray:
    return np.fromiter((_is_number(value) or isinstance(value, np.bool_) for value in values), np.bool_, len(values))


def _are_plain_numbers(values: Any) -> bool:
    return isinstance(values, list | tuple) and bool(_plain_numbers(values).all())


def _floats_of(values: Any, name: str) -> FloatArray:
    try:
        return np.fromiter(map(float, values), np.float64, len(values))
    except OverflowError:
        index = next(index for index, value in enumerate(values) if abs(value) > _LARGEST)
        raise not_kept(values[index], item(name, index)) from None


def item(name: str, index: int) -> str:
    """Return how an error names a value of an array or, where its name is in words, of a column.

    >>> item("scores", 3), item("column 'model'", 3)
    ('scores[3]', "column 'model' at index 3 (from 0)")
    """
    return f"{name} {at_index(index)}" if " " in name else f"{name}[{index}]"


def not_kept(value: Any, name: str) -> EvaluationError:
    """Return the error for a number that float64 would round.

    >>> not_kept(2**53 + 1, "score")
    EvaluationError('score = 9007199254740993 is an integer that float64 cannot hold; scale or round the scores first')
    """
    kind = "an integer that float64 cannot hold" if isinstance(value, int | np.integer) else "not a float64 number"
    return EvaluationError(f"{name} = {shortened(str(value))} is {kind}; scale or round the scores first")


def float64_and_kept(array: npt.NDArray[Any]) -> tuple[FloatArray, BoolArray]:
    """Return integers or wide floats as float64, and where they are the same numbers, or NaN still.  O(n).

    >>> float64_and_kept(np.array([3, 2**53 + 1]))[1]
    array([ True, False])
    """
    with np.errstate(over="ignore"):
        scores = array.astype(np.float64)
    if array.dtype.kind == "f":
        return scores, (scores == array) | np.isnan(array)
    # float64 values at the upper limit of the type come from rounding up, and do not convert back
    below = scores < 2.0 ** (8 * array.dtype.itemsize - (array.dtype.kind == "i"))
    return scores, below & (np.where(below, scores, 0).astype(array.dtype) == array)


def _as_exact_float64(array: npt.NDArray[Any], name: str) -> ScoreArray:
    """Float64 scores of integers or wide floats, refused where they are not the same numbers."""
    scores, kept = float64_and_kept(array)
    if not kept.all():
        index = int(kept.argmin())
        raise not_kept(array[index], item(name, index))
    if np.isnan(scores).any():
        return scores_of(scores, name)
    return scores


def _check_integers_kept(values: Any, scores: ScoreArray, name: str) -> None:
    """Refuse a list whose integers were rounded when NumPy mixed them with floats."""
    if scores.size and max(abs(scores.max()), abs(scores.min())) >= _EXACT_IN_FLOAT64:
        # Python compares its own integers with floats exactly
        kept = np.fromiter(map(operator.eq, map(_python_number, values), scores.tolist()), np.bool_, scores.size)
        if not kept.all():
            index = int(kept.argmin())
            raise not_kept(values[index], item(name, index))


def _python_number(value: Any) -> Any:
    return int(value) if isinstance(value, np.integer) else value


def check_equal_lengths(first: Any, second: Any, first_name: str, second_name: str) -> None:
    """Raise EvaluationError for columns of different lengths.

    >>> check_equal_lengths([1], [0], "reference", "response")
    """
    if len(first) != len(second):
        raise EvaluationError(
            f"{first_name} and {second_name} must be equally long, got {len(first)} and {len(second)}"
        )
