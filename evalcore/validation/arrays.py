"""Columns of labels and scores that callers hand in become checked arrays, or an error that names the argument."""

import operator
import sys
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, shortened, shown
from evalcore.kernels.blocks import blocks
from evalcore.typing import BoolArray, FloatArray, ScoreArray
from evalcore.validation.single_values import DATES, as_python_number, inexact_number_error, is_number, item_name

_EXACT_IN_FLOAT64 = 2**53
_LARGEST = int(np.finfo(np.float64).max)
_DROP_AND_CONVERT = "; drop or fill missing values and call .astype(float), for a table's column .to_numpy(dtype=float)"


class Cases(NamedTuple):
    """Labels and scores of as many cases."""

    correct: BoolArray
    scores: ScoreArray


def as_cases(correct: Any, scores: Any, names: tuple[str, str] = ("correct", "scores")) -> Cases:
    """Return labels and scores of equal length.  Copies only what has to be converted.  O(n)."""
    checked = Cases(as_labels(correct, names[0]), as_scores(scores, names[1]))
    check_equal_lengths(checked.correct, checked.scores, *names)
    return checked


def as_scores(values: Any, name: str) -> ScoreArray:
    """Return scores as float32 or float64, (n,), each the same number, not NaN.  O(n)."""
    array = as_column(values, name)
    if array.dtype.kind == "O" and _are_plain_numbers(values):
        array = _floats_of(values, name)  # integers of more than 64 bits among them
    kind = array.dtype.kind
    if kind == "b":
        raise EvaluationTypeError(
            f"{name} holds Booleans, which are labels; if they are meant as scores, call .astype(float)"
        )
    if kind not in "iuf":
        raise _not_numbers(values, array, name, "float64 or float32 numbers")
    scores = as_exact_scores(array, name)
    if scores.size and np.isnan(scores.min()):  # several times faster than isnan of all
        raise EvaluationError(
            f"{item_name(name, int(np.isnan(scores).argmax()))} is NaN; a score is finite or infinite"
        )
    if isinstance(values, list | tuple):
        if {bool, np.bool_} & set(map(type, values)):
            index = next(index for index, value in enumerate(values) if isinstance(value, bool | np.bool_))
            raise EvaluationTypeError(
                f"{name} must hold numbers, got {item_name(name, index)} = {shown(values[index])}"
            )
        _check_integers_kept(values, scores, name)
    return scores


def as_labels(values: Any, name: str) -> BoolArray:
    """Return Booleans, or numbers that are exactly 0 or 1, as (n,) bool.  O(n)."""
    array = as_column(values, name)
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
            raise EvaluationError(
                f"{item_name(name, index)} is {shortened(str(bad))}; a label is True or False, 1 or 0"
            )
    return labels


def as_curve(values: Any, name: str) -> FloatArray:
    """Return a curve as (p, 2) float64.  Raises EvaluationError unless it holds two numbers in each row.  O(p)."""
    try:
        rows = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"{name} must hold two numbers in each row: {error}") from None
    if rows.size and (rows.ndim != 2 or rows.shape[1] != 2):
        raise EvaluationError(f"{name} must hold two numbers in each row, got shape {rows.shape}")
    return rows.reshape(-1, 2)


def as_label_pair(reference: Any, response: Any, names: tuple[str, str]) -> tuple[BoolArray, BoolArray]:
    """Return two label columns of equal length.  O(n)."""
    first, second = as_labels(reference, names[0]), as_labels(response, names[1])
    check_equal_lengths(first, second, *names)
    return first, second


def are_sets(reference: Any, response: Any, names: tuple[str, str]) -> bool:
    """Whether both are sets.  Raises EvaluationTypeError if only one is.  O(1)."""
    sets = [isinstance(values, AbstractSet) for values in (reference, response)]
    if any(sets) and not all(sets):
        other = sets.index(False)
        raise EvaluationTypeError(
            f"{names[other]} must be a set like {names[1 - other]}, got {shown((reference, response)[other])}"
        )
    return all(sets)


def as_column(values: Any, name: str) -> npt.NDArray[Any]:
    """Return a one-dimensional array of whatever NumPy reads, none of it masked.  O(n)."""
    array = read_array(values, name)
    if array.dtype.kind == "U" and isinstance(values, list | tuple) and {*map(type, values)} - {str, np.str_}:
        array = read_array(values, name, object)  # NumPy has made texts of what stood beside texts: 1 is not "1"
    if array.ndim != 1:
        raise EvaluationError(
            f"{name} must be one-dimensional, got {shown(values) if array.ndim == 0 else f'shape {array.shape}'}"
        )
    return array if array.size else array.astype(np.float64 if array.dtype.kind == "O" else array.dtype)


def read_array(values: Any, name: str, dtype: Any = None) -> npt.NDArray[Any]:
    """Return an array of any shape of what NumPy reads.  Raises EvaluationTypeError where it cannot.  O(n)."""
    check_not_masked(values, name)
    try:
        array = np.asarray(values, dtype)
    except Exception as error:  # whatever the foreign object's own conversion raises
        raise unreadable_error(values, name, error) from error
    check_not_foreign(array, name)
    return array


def check_not_foreign(array: npt.NDArray[Any], name: str) -> None:
    """Raise EvaluationTypeError for a type that is none of NumPy's, such as bfloat16 of jax.  O(1)."""
    if array.dtype.kind == "V" and array.dtype.fields is None:
        raise EvaluationTypeError(
            f"{name} must have a NumPy dtype, got {array.dtype}; convert it with .astype(numpy.float32)"
        )


def unreadable_error(values: Any, name: str, error: Exception) -> EvaluationTypeError:
    """Return the error for values that NumPy cannot convert."""
    if isinstance(values, list | tuple):
        return EvaluationTypeError(f"{name} cannot be read as an array: {error}")
    return EvaluationTypeError(
        f"{name} cannot be read as an array ({type(values).__module__}.{type(values).__qualname__}: "
        f"{error}); for a tensor call .detach().float().cpu().numpy(), for a column .to_numpy()"
    )


def check_not_masked(values: Any, name: str) -> None:
    """Raise EvaluationError for masked cells.  O(1), O(n) for a masked array."""
    # what has not been imported has made no masked array; NumPy imports it late, and that takes a tenth of a start
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        if values.ndim != 1:
            raise EvaluationError(f"{name} holds masked cells; drop or fill them first")
        first = int(np.ma.getmaskarray(values).argmax())
        raise EvaluationError(f"{item_name(name, first)} is masked; drop or fill masked cases first")


def _not_numbers(values: Any, array: npt.NDArray[Any], name: str, allowed: str) -> EvaluationTypeError:
    """Return the error that names the first value that is not allowed."""
    if isinstance(values, list | tuple):
        array = np.array(values, dtype=object)  # NumPy has made strings of numbers among strings
    if array.size == 0:
        return EvaluationTypeError(f"{name} must hold {allowed}, got dtype {array.dtype}")
    if array.dtype.kind != "O":
        return EvaluationTypeError(
            f"{name} must hold {allowed}, got dtype {array.dtype}, first {item_name(name, 0)} = {shown(array[0])}"
        )
    plain = _plain_numbers(array)
    if plain.all():
        return EvaluationTypeError(f"{name} must hold {allowed}, got objects; call .astype(float)")
    index = int(plain.argmin())
    return EvaluationTypeError(
        f"{name} must hold {allowed}, got objects, {item_name(name, index)} = {shown(array[index])}"
        + ("" if isinstance(array[index], DATES) else _DROP_AND_CONVERT)
    )


def _plain_numbers(values: Any) -> BoolArray:
    return np.fromiter((is_number(value) or isinstance(value, np.bool_) for value in values), np.bool_, len(values))


def _are_plain_numbers(values: Any) -> bool:
    return isinstance(values, list | tuple) and bool(_plain_numbers(values).all())


def _floats_of(values: Any, name: str) -> FloatArray:
    try:
        return np.fromiter(map(float, values), np.float64, len(values))
    except OverflowError:
        index = next(index for index, value in enumerate(values) if abs(value) > _LARGEST)
        raise inexact_number_error(values[index], item_name(name, index)) from None


def as_exact_scores(numbers: npt.NDArray[Any], name: str) -> ScoreArray:
    """Return numbers of any shape as float32 or float64, each the same number or still NaN.  O(n)."""
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize <= 8:
        return numbers.astype(np.promote_types(numbers.dtype, np.float32), copy=False)  # also to native order
    scores, kept = round_to_float64(numbers)
    if not kept.all():
        index = np.unravel_index(int(kept.argmin()), kept.shape)
        raise inexact_number_error(numbers[index], item_name(name, *map(int, index)))
    return scores


def round_to_float64(array: npt.NDArray[Any]) -> tuple[FloatArray, BoolArray]:
    """Return integers or wide floats as float64, and where they are the same numbers, or still NaN.  O(n)."""
    with np.errstate(over="ignore"):
        scores = array.astype(np.float64)
    if array.dtype.kind == "f":
        return scores, (scores == array) | np.isnan(array)
    # float64 values at the upper limit of the type come from rounding up, and do not convert back
    below = scores < 2.0 ** (8 * array.dtype.itemsize - (array.dtype.kind == "i"))
    return scores, below & (np.where(below, scores, 0).astype(array.dtype) == array)


def _check_integers_kept(values: Any, scores: ScoreArray, name: str) -> None:
    """Raise EvaluationError for a list whose integers NumPy rounded beside floats.  O(n)."""
    if scores.size and max(abs(scores.max()), abs(scores.min())) >= _EXACT_IN_FLOAT64:
        # Python compares its own integers with floats exactly
        kept = np.fromiter(map(operator.eq, map(as_python_number, values), scores.tolist()), np.bool_, scores.size)
        if not kept.all():
            index = int(kept.argmin())
            raise inexact_number_error(values[index], item_name(name, index))


def check_indices(**columns: Any) -> None:
    """Raise EvaluationError for equally long columns of pandas with different indices; arrays have none.  O(1), O(n).

    Labels in another order are another index: NumPy would match the rows by position.
    """
    # a list has a method `index`
    indexed = [(name, one.index) for name, one in columns.items() if hasattr(one, "reindex") and hasattr(one, "index")]
    for name, index in indexed[1:]:
        first, other = indexed[0]
        if index is not other and len(index) == len(other) and not index.equals(other):
            raise EvaluationError(
                f"{name} must have the same index as {first}; align them with .reindex, or pass "
                ".to_numpy() of each to match them by position"
            )


def check_equal_lengths(first: Any, second: Any, first_name: str, second_name: str) -> None:
    """Raise EvaluationError for columns of different lengths.  O(1)."""
    if len(first) != len(second):
        raise EvaluationError(
            f"{first_name} and {second_name} must be equally long, got {len(first)} and {len(second)}"
        )
