"""AnyArray-likes of any library and shape, as scikit-learn's functions take them, become checked NumPy arrays."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, shown
from evalcore.kernels.sort_keys import extent
from evalcore.typing import AnyArray, ScoreArray
from evalcore.validation.arrays import as_exact_scores, check_not_foreign, check_not_masked, unreadable_error
from evalcore.validation.single_values import DATES, is_sparse

_PARSED = str, bytes, *DATES


def as_array(values: Any, name: str) -> AnyArray:
    """Return an array-like as an array of any shape, and a sparse matrix as it is.  Copies no array.  O(n)."""
    if isinstance(values, np.ndarray):
        check_not_masked(values, name)
        if isinstance(values, np.matrix):
            raise EvaluationTypeError(
                f"{name} must be an array, got an np.matrix, which is not supported; "
                "call np.asarray on it, and .ravel() for a single column"
            )
        array: AnyArray = np.asarray(values)
    elif is_sparse(values):
        return values  # type: ignore[no-any-return]  # SciPy is no dependency, so neither are its types
    else:
        array = _converted(values, name)
    check_not_foreign(array, name)
    if array.dtype.kind == "V":
        raise EvaluationTypeError(f"{name} must hold labels or numbers, got records of dtype {array.dtype}")
    if array.dtype.kind == "c":
        raise EvaluationError(f"Complex data not supported: {name} has dtype {array.dtype}")
    return array


def as_dense(values: Any, name: str) -> AnyArray:
    """Return an array-like as an array of any shape.  Raises as `as_array`, and for a sparse matrix.  O(n)."""
    array = as_array(values, name)
    check_dense(array, name)
    return array


def check_dense(array: Any, name: str) -> None:
    """Raise InvalidParameterError for a sparse matrix.  O(1)."""
    if not isinstance(array, np.ndarray) and is_sparse(array):
        raise InvalidParameterError(f"{name} must be dense, got a sparse matrix; call .toarray() on it")


def check_finite(values: AnyArray, name: str) -> tuple[float, float] | None:
    """Raise EvaluationError for NaN or infinity; return the least and the largest float, None for others.  O(n)."""
    if values.dtype.kind != "f" or values.size == 0:
        return None
    low, high = extent(values.ravel(order="K"))
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    subject = f"Input {name} contains" if name else "Input contains"
    if math.isnan(low):
        raise EvaluationError(f"{subject} NaN.")
    raise EvaluationError(f"{subject} infinity or a value too large for {values.dtype!r}.")


def holds_text(objects: AnyArray, kinds: tuple[type, ...] = _PARSED) -> bool:
    """Whether some of the objects are strings, bytes or dates, which NumPy would parse into numbers.  O(n)."""
    return any(issubclass(kind, kinds) for kind in set(map(type, objects.ravel().tolist())))


def what_is_parsed(objects: AnyArray) -> str:
    """Name the objects for which `holds_text` is true, with advice if they may be written numbers.  O(n)."""
    return "strings; call .astype(float)" if holds_text(objects, (str, bytes)) else "dates"


def _converted(values: Any, name: str) -> AnyArray:
    if not (isinstance(values, Sequence) or hasattr(values, "__array__")) or isinstance(values, str | bytes):
        raise InvalidParameterError(
            f"Expected array-like (array or non-string sequence), got {shown(values)} for {name}"
        )
    try:
        array: AnyArray = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = _objects(values)
    except Exception as error:  # whatever the foreign object's own conversion raises
        raise unreadable_error(values, name, error) from error
    foreign = hasattr(values, "dtypes") or not isinstance(getattr(values, "dtype", array.dtype), np.dtype)
    if foreign and array.size and holds_other_objects(array):
        return np.array(array.tolist())  # a column of nullable numbers without a missing one
    return array


def _objects(values: Any) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def holds_other_objects(array: AnyArray) -> bool:
    """Tell whether an array holds objects, of which the first is no string.  O(1)."""
    return array.dtype.kind == "O" and not isinstance(array.flat[0], str)


def as_1d(values: Any, name: str) -> AnyArray:
    """Return an array-like of shape (n,), or a single column (n, 1), as (n,).  O(n)."""
    return squeeze_column(as_array(values, name), name)


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
    check_dense(array, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        two = array.shape[1:] == (2,) and name != "y_true"
        hint = f" Of two columns of probabilities pass that of the positive class, {name}[:, 1]." if two else ""
        raise EvaluationError(f"{name} should be a 1d array, got an array of shape {array.shape} instead.{hint}")
    return array


def as_finite_scores(values: AnyArray, name: str) -> ScoreArray:
    """Return finite numbers as float32 or float64, each the same number.  O(n)."""
    return as_scores_with_extent(values, name)[0]


def as_scores_with_extent(values: AnyArray, name: str) -> tuple[ScoreArray, tuple[float, float] | None]:
    """Return finite numbers as float32 or float64, and their least and largest if that costs no pass.  O(n)."""
    if values.dtype.kind in "USMm":
        raise EvaluationTypeError(f"{name} must hold numbers, got dtype {values.dtype}")
    if values.dtype.kind == "O":
        if holds_text(values):
            raise InvalidParameterError(f"{name} must hold numbers, got {what_is_parsed(values)}")
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise EvaluationError(f"{name} must hold numbers: {error}") from error
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
    return as_finite_scores(as_real_matrix(values, name), name)


def as_real_matrix(values: Any, name: str) -> AnyArray:
    """Return real numbers, perhaps not finite, (n,) or (n, k), not empty.  O(1), O(n k) for objects."""
    array = as_dense(values, name)
    if array.ndim not in (1, 2):
        raise EvaluationError(f"{name} must be an array of shape (n,) or (n, k), got one of dim {array.ndim}")
    if array.size == 0:
        missing = "feature(s)" if len(array) else "sample(s)"
        raise EvaluationError(
            f"Found array with 0 {missing} (shape={array.shape}) while a minimum of 1 is required: {name} is empty"
        )
    if array.dtype.kind == "c":
        raise EvaluationError(f"Complex data not supported: {name}")
    if array.dtype.kind not in "biufO":
        raise EvaluationError(f"{name} must hold numbers, got dtype {array.dtype}")
    return as_finite_scores(array, name) if array.dtype.kind == "O" else array
