"""Columns and matrices of any library become checked arrays, or an error that names the argument."""

import math
import sys
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, check, refuse, shortened, shown
from evalcore.kernels.blocks import map_blocks
from evalcore.kernels.sorting import extent
from evalcore.typing import AnyArray, BoolArray, FloatArray, ScoreArray
from evalcore.validation.values import DATES, as_float, is_number, is_sparse, item_name, percent_advice

_EXACT_IN_FLOAT64 = 2**53

_DROP_AND_CONVERT = "; drop or fill missing values and call .astype(float), for a table's column .to_numpy(dtype=float)"

_CONVERT_A_TENSOR = "for a tensor call .detach().float().cpu().numpy(), for a column .to_numpy()"
_A_MATRIX = "an np.matrix, which is not supported; call np.asarray on it, and .ravel() for a single column"


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
    array = as_numbers(values, name, "float64 or float32 numbers")
    if array.dtype.kind == "b":
        why = f"{name} holds Booleans, which are labels; if they are meant as scores, call .astype(float)"
        raise EvaluationTypeError(why)
    scores = as_exact_scores(array, name)
    if scores.size and np.isnan(scores.min()):  # several times faster than isnan of all
        refuse_first(np.isnan(scores), scores, name, "is NaN; a score is finite or infinite")
    return scores


def as_unit_probabilities(values: Any, name: str) -> ScoreArray:
    """Return `as_scores`.  Raises EvaluationError unless all are in 0 .. 1.  O(n)."""
    numbers = as_scores(values, name)
    if numbers.size and not 0 <= numbers.min() <= numbers.max() <= 1:
        wrong = (numbers < 0) | (numbers > 1)
        refuse_first(wrong, numbers, name, f"must be in 0 .. 1, got {{}}{percent_advice(numbers[wrong][0])}")
    return numbers


def as_finite_numbers(values: Any, name: str, rule: str = "be a finite number") -> AnyArray:
    """Return finite numbers or Booleans, (n,), such as grades; rule: what errors say that each must.  O(n)."""
    array = as_numbers(values, name, "numbers or Booleans")
    if array.dtype.kind == "f":
        refuse_first(~np.isfinite(array), array, name, f"must {rule}, got {{}}")
    return array


def refuse_first(wrong: BoolArray, values: AnyArray, name: str, text: str, first: int = 0) -> None:
    """Raise EvaluationError for the first of some values, of any shape, that is wrong, if there is one.  O(n).

    text: what follows its name, with {} for the value; first: the index of the first row.

    >>> refuse_first(np.array([False, True]), np.array([1, -2]), "counts", "must not be negative, got {}")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: counts[1] must not be negative, got -2
    """
    if wrong.any():
        row, *rest = map(int, np.unravel_index(int(wrong.argmax()), wrong.shape))
        shown_value = shortened(str(values[row, *rest]))
        raise EvaluationError(f"{item_name(name, first + row, *rest)} {text.format(shown_value)}")


def as_labels(values: Any, name: str) -> BoolArray:
    """Return Booleans, or numbers that are exactly 0 or 1, as (n,) bool.  O(n)."""
    array = as_numbers(values, name, "Booleans, or the numbers 0 and 1")
    return as_mask(array, name, "is {}; a label is True or False, 1 or 0")


def as_mask(numbers: AnyArray, name: str, text: str) -> BoolArray:
    """Return Booleans, or numbers that are exactly 0 or 1, (n,) or (n, k), as bool; text: for others.  O(n k)."""
    mask = ones_among(numbers, 0)
    if mask is None:
        refuse_first((numbers != 0) & (numbers != 1), numbers, name, text)
    return np.asarray(mask)


def ones_among(numbers: AnyArray, *others: int) -> BoolArray | None:
    """Mark the ones of Booleans, or of numbers that are all 1 or one of the others, (n,) or (n, k); else None.  O(n k).

    >>> ones_among(np.array([1, -1]), 0, -1), ones_among(np.array([0, -1]), 0, -1)
    (array([ True, False]), None)
    """
    if numbers.dtype.kind == "b":
        return numbers
    if numbers.dtype.kind not in "iuf":
        return None
    ones = np.empty_like(numbers, np.bool_)

    def mark(rows: slice) -> int | None:
        """Return which number is beside the ones of a block, 1 if none is, None if several are, or another."""
        part = numbers[rows]
        left = part.size - np.count_nonzero(np.equal(part, 1, out=ones[rows]))
        for other in others if left else ():
            if np.count_nonzero(part == other) == left:
                return other
        return None if left else 1

    beside = set(map_blocks(mark, *numbers.shape)) - {1}
    return ones if len(beside) <= 1 and None not in beside else None


def as_class_labels(values: Any, name: str) -> AnyArray:
    """Return a column of labels of any kind; objects become numbers if all are that NumPy holds exactly.  O(n)."""
    column = as_column(values, name)
    if column.dtype.kind == "O":
        with suppress(EvaluationError, EvaluationTypeError):
            return as_numbers(column, name)
    return column


def as_numbers(values: Any, name: str, allowed: str = "numbers") -> AnyArray:
    """Return a column of numbers or Booleans; objects, such as Decimal, as the floats that they are.  O(n).

    Raises EvaluationTypeError, which says what is allowed, for missing values and for text, even if it is of digits.

    >>> as_numbers([Decimal("0.5"), 1], "y_score")
    array([0.5, 1. ])
    """
    array = as_column(values, name)
    if isinstance(values, list | tuple) and array.dtype.kind == "f" and not np.all(np.abs(array) < _EXACT_IN_FLOAT64):
        array = as_column(np.array(values, object), name)  # NumPy has rounded large integers beside floats
    if array.dtype.kind == "O":
        array = _numbers_of(array, name, allowed)
    if array.dtype.kind not in "biuf":
        first = f", first {item_name(name, 0)} = {shown(array[0])}" if array.size else ""
        raise EvaluationTypeError(f"{name} must hold {allowed}, got dtype {array.dtype}{first}")
    return array


def as_curve(values: Any, name: str) -> FloatArray:
    """Return a curve as (p, 2) float64.  Raises EvaluationError unless it holds two numbers in each row.  O(p)."""
    try:
        rows = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"{name} must hold two numbers in each row: {error}") from None
    check(not rows.size or rows.shape[1:] == (2,), name, "hold two numbers in each row", f"shape {rows.shape}")
    return rows.reshape(-1, 2)


def as_label_pair(reference: Any, response: Any, names: tuple[str, str]) -> tuple[BoolArray, BoolArray]:
    """Return two label columns of equal length.  O(n)."""
    first, second = as_labels(reference, names[0]), as_labels(response, names[1])
    check_equal_lengths(first, second, *names)
    return first, second


def are_sets(reference: Any, response: Any, names: tuple[str, str]) -> bool:
    """Whether both are sets.  Raises EvaluationTypeError if only one is.  O(1)."""
    first, second = (isinstance(values, AbstractSet) for values in (reference, response))
    if first != second:
        wrong, like, other = (*names, reference) if second else (*names[::-1], response)
        raise EvaluationTypeError(f"{wrong} must be a set like {like}, got {shown(other)}")
    return first


def as_column(values: Any, name: str) -> AnyArray:
    """Return a one-dimensional array of whatever NumPy reads, none of it masked.  O(n)."""
    array = read_array(values, name)
    if array.dtype.kind == "U" and isinstance(values, list | tuple) and {*map(type, values)} - {str, np.str_}:
        array = read_array(values, name, object)  # NumPy has made texts of what stood beside texts: 1 is not "1"
    if array.ndim != 1:
        found = f"shape {array.shape}" if array.ndim else shown(values)
        raise EvaluationError(f"{name} must be one-dimensional, got {found}")
    return array if array.size else array.astype(np.float64 if array.dtype.kind == "O" else array.dtype)


def read_array(values: Any, name: str, dtype: Any = None) -> AnyArray:
    """Return an array of any shape of what NumPy reads.  Raises EvaluationTypeError where it cannot.  O(n)."""
    if type(values) is np.ndarray and dtype is None and values.dtype.kind != "V":
        return values
    check_not_masked(values, name)
    try:
        array = _as_numpy(values, dtype)
    except Exception as error:  # whatever the foreign object's own conversion raises
        kind = f"{type(values).__module__}.{type(values).__qualname__}"
        why = f": {error}" if isinstance(values, list | tuple) else f" ({kind}: {error}); {_CONVERT_A_TENSOR}"
        raise EvaluationTypeError(f"{name} cannot be read as an array{why}") from error
    if array.dtype.kind == "V" and array.dtype.fields is None:  # none of NumPy's types
        if np.can_cast(array.dtype, np.float32):  # such as bfloat16 of jax
            return array.astype(np.float32)
        advice = "convert it with .astype(numpy.float32)"
        raise EvaluationTypeError(f"{name} must have a NumPy dtype, got {array.dtype}; {advice}")
    return array


def _as_numpy(values: Any, dtype: Any) -> AnyArray:
    """Return what NumPy reads; tensors on a GPU, with gradients or of bfloat16 are copied, once.  O(n)."""
    try:
        return np.asarray(values, dtype)
    except Exception:
        if hasattr(values, "get") and hasattr(values, "device"):  # of CuPy
            return np.asarray(values.get(), dtype)
        if not hasattr(values, "detach"):
            raise
    tensor = values.detach().cpu()  # of torch
    with suppress(TypeError):
        return np.asarray(tensor, dtype)
    return np.asarray(tensor.float(), dtype)  # NumPy lacks its type


def check_not_masked(values: Any, name: str) -> None:
    """Raise EvaluationError for masked cells.  O(1), O(n) for a masked array."""
    # what has not been imported has made no masked array; NumPy imports it late, and that takes a tenth of a start
    if not isinstance(values, np.ndarray) or "numpy.ma" not in sys.modules:
        return
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        refuse({f"{name} holds masked cells; drop or fill them first": values.ndim != 1})
        first = int(np.ma.getmaskarray(values).argmax())
        raise EvaluationError(f"{item_name(name, first)} is masked; drop or fill masked cases first")


def _numbers_of(objects: AnyArray, name: str, allowed: str) -> AnyArray:
    """Return objects (n,) as Booleans or integers if all are, else as floats that are no other whole number.  O(n)."""
    for index, value in enumerate(objects):
        if not (is_number(value) or isinstance(value, Decimal | Fraction | np.bool_)):
            found = f"{item_name(name, index)} = {shown(value)}"
            advice = "" if isinstance(value, DATES) else _DROP_AND_CONVERT
            raise EvaluationTypeError(f"{name} must hold {allowed}, got objects, {found}{advice}")
    whole = np.asarray(objects.tolist())
    if whole.dtype.kind in "biu":
        return whole
    floats = (as_float(value, item_name(name, index)) for index, value in enumerate(objects))
    return np.fromiter(floats, np.float64, objects.size)


def as_exact_scores(numbers: AnyArray, name: str, first: int = 0) -> ScoreArray:
    """Return numbers of any shape as float32 or float64, each the same number or still NaN.  O(n).

    first: the index of the first row, for errors.
    """
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize <= 8:
        return numbers.astype(np.float64 if numbers.dtype.itemsize > 4 else np.float32, copy=False)  # in native order
    with np.errstate(over="ignore"):
        scores = numbers.astype(np.float64)
    if numbers.dtype.kind == "f":
        kept = (scores == numbers) | np.isnan(numbers)
    else:  # float64 values at the upper limit of the type come from rounding up, and do not convert back
        below = scores < 2.0 ** (8 * numbers.dtype.itemsize - (numbers.dtype.kind == "i"))
        kept = below & (np.where(below, scores, 0).astype(numbers.dtype) == numbers)
    if not kept.all():
        row, *rest = map(int, np.unravel_index(int(kept.argmin()), kept.shape))
        as_float(numbers[row, *rest], item_name(name, first + row, *rest))  # raises
    return scores


def check_indices(**columns: Any) -> None:
    """Raise EvaluationError for equally long columns of pandas with different indices; arrays have none.  O(1), O(n).

    Labels in another order are another index: NumPy would match the rows by position.
    """
    # a list has a method `index`
    indexed = [(name, one.index) for name, one in columns.items() if hasattr(one, "reindex") and hasattr(one, "index")]
    for name, index in indexed[1:]:
        first, other = indexed[0]
        if index is not other and len(index) == len(other) and not index.equals(other):
            advice = "align them with .reindex, or pass .to_numpy() of each to match them by position"
            raise EvaluationError(f"{name} must have the same index as {first}; {advice}")


def check_equal_lengths(first: Any, second: Any, first_name: str, second_name: str) -> None:
    """Raise EvaluationError for columns of different lengths.  O(1)."""
    sizes = len(first), len(second)
    check(sizes[0] == sizes[1], f"{first_name} and {second_name}", "be equally long", " and ".join(map(str, sizes)))


def as_array(values: Any, name: str) -> AnyArray:
    """Return an array-like as an array of any shape, and a sparse matrix as it is.  Copies no array.  O(n)."""
    if isinstance(values, np.ndarray):
        check(not isinstance(values, np.matrix), name, "be an array", _A_MATRIX, EvaluationTypeError)
        array = read_array(values, name)
    elif is_sparse(values):
        return values  # type: ignore[no-any-return]  # SciPy is no dependency, so neither are its types
    else:
        array = _converted(values, name)
    if array.dtype.kind == "V":
        raise EvaluationTypeError(f"{name} must hold labels or numbers, got records of dtype {array.dtype}")
    if array.dtype.kind == "c":
        raise EvaluationError(f"Complex data not supported: {name} has dtype {array.dtype}")
    return array


def as_dense(values: Any, name: str) -> AnyArray:
    """Return an array-like as an array of any shape.  Raises as `as_array`, and for a sparse matrix.  O(n)."""
    array = as_array(values, name)
    advice = "a sparse matrix; call .toarray() on it"
    check(isinstance(array, np.ndarray), name, "be dense", advice, InvalidParameterError)
    return array


def check_finite(values: AnyArray, name: str) -> tuple[float, float] | None:
    """Raise EvaluationError for NaN or infinity; return the least and the largest float, None for others.  O(n)."""
    if values.dtype.kind != "f" or values.size == 0:
        return None
    low, high = extent(values)
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    subject = f"Input {name} contains" if name else "Input contains"
    what = "NaN" if math.isnan(low) else f"infinity or a value too large for {values.dtype!r}"
    raise EvaluationError(f"{subject} {what}.")


def floats_of_objects(objects: AnyArray, name: str) -> FloatArray:
    """Return objects of any shape as float64; raise InvalidParameterError for text and dates, which NumPy parses."""
    kinds = set(map(type, objects.ravel().tolist()))
    for parsed, what in (((str, bytes), "strings; call .astype(float)"), (DATES, "dates")):
        check(not any(issubclass(kind, parsed) for kind in kinds), name, "hold numbers", what, InvalidParameterError)
    try:
        return objects.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"{name} must hold numbers: {error}") from None


def _converted(values: Any, name: str) -> AnyArray:
    if not (isinstance(values, Sequence) or hasattr(values, "__array__")) or isinstance(values, str | bytes):
        why = f"Expected array-like (array or non-string sequence), got {shown(values)} for {name}"
        raise InvalidParameterError(why)
    try:
        array = read_array(values, name)
    except EvaluationTypeError as error:
        if not isinstance(error.__cause__, ValueError):
            raise
        array = np.empty(len(values), dtype=object)  # of rows of different lengths
        array[:] = list(values)
    foreign = hasattr(values, "dtypes") or not isinstance(getattr(values, "dtype", array.dtype), np.dtype)
    if foreign and array.size and holds_other_objects(array):
        return np.array(array.tolist())  # a column of nullable numbers without a missing one
    return array


def holds_other_objects(array: AnyArray) -> bool:
    """Tell whether an array holds objects, of which the first is no string.  O(1)."""
    return array.dtype.kind == "O" and not isinstance(array.flat[0], str)


def as_1d(values: Any, name: str) -> AnyArray:
    """Return an array-like of shape (n,), or a single column (n, 1), as (n,).  O(n)."""
    return squeeze_column(as_dense(values, name), name)


def check_several(values: Any, name: str) -> None:
    """Raise InvalidParameterError for a number where an array of thresholds or rates is expected.  O(1).

    >>> check_several(0.9, "specificity")
    Traceback (most recent call last):
    evalcore.errors.InvalidParameterError: specificity must be array-like, got 0.9 (float); write [0.9]
    """
    if isinstance(values, int | float):
        raise InvalidParameterError(f"{name} must be array-like, got {shown(values)}; write [{values}]")


def squeeze_column(array: AnyArray, name: str) -> AnyArray:
    """Return a column (n, 1) of `as_array` as (n,), and (n,) as it is.  Raises EvaluationError for others.  O(1)."""
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        two = array.shape[1:] == (2,) and name != "y_true"
        hint = f" Of two columns of probabilities pass that of the positive class, {name}[:, 1]." if two else ""
        raise EvaluationError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.{hint}")
    return array


def as_finite_scores(values: Any, name: str) -> ScoreArray:
    """Return a column of finite numbers, (n,) or (n, 1), as float32 or float64, each the same number.  O(n)."""
    return as_scores_with_extent(as_1d(values, name), name)[0]


def as_scores_with_extent(values: AnyArray, name: str) -> tuple[ScoreArray, tuple[float, float] | None]:
    """Return finite numbers as float32 or float64, and their least and largest if that costs no pass.  O(n)."""
    if values.dtype.kind in "USMm":
        raise EvaluationTypeError(f"{name} must hold numbers, got dtype {values.dtype}")
    if values.dtype.kind == "O":
        values = floats_of_objects(values, name)
    if values.dtype.kind == "b":
        return values.astype(np.float64), None
    extent = check_finite(values, name)
    return as_exact_scores(values, name), extent if values.dtype.itemsize <= 8 else None


def as_matrix(values: Any, name: str) -> AnyArray:
    """Return finite real numbers, (n,) or (n, k), not empty.  O(n k)."""
    array = as_real_matrix(values, name)
    check_finite(array, name)
    return array


def as_score_matrix(values: Any, name: str) -> ScoreArray:
    """Return finite numbers as float32 or float64, (n,) or (n, k), not empty.  O(n k)."""
    return as_scores_with_extent(as_real_matrix(values, name), name)[0]


def as_real_matrix(values: Any, name: str) -> AnyArray:
    """Return real numbers, perhaps not finite, (n,) or (n, k), not empty.  O(1), O(n k) for objects."""
    array = as_dense(values, name)
    check(array.ndim in (1, 2), name, "be an array of shape (n,) or (n, k)", f"one of dim {array.ndim}")
    if array.size == 0:
        found = f"array with 0 {'feature(s)' if len(array) else 'sample(s)'} (shape={array.shape})"
        raise EvaluationError(f"Found {found} while a minimum of 1 is required: {name} is empty")
    if array.dtype.kind not in "biufO":  # NumPy takes long to name a dtype
        raise EvaluationError(f"{name} must hold numbers, got dtype {array.dtype}")
    return as_scores_with_extent(array, name)[0] if array.dtype.kind == "O" else array
