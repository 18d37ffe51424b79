"""What targets are: arrays of whatever callers hand in, and the kind of question that their labels answer."""

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError, shown
from evalcore.kernels.blocks import blocks
from evalcore.kernels.sort_keys import extent
from evalcore.validation.arrays import DATES

Array = npt.NDArray[Any]
_NO_ARRAYS = str, bytes, np.generic
_PARSED = str, bytes, *DATES


def is_sparse(values: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy's kind.  O(1).

    >>> is_sparse(np.eye(2))
    False
    """
    return all(hasattr(values, name) for name in ("toarray", "tocsr", "nnz"))


def array_of(values: Any, name: str) -> Array:
    """Return an array-like as a NumPy array of any shape, and a sparse matrix as it is.

    Raises EvaluationError for strings, sets, scalars, masked cells and complex numbers, EvaluationTypeError where the
    conversion fails, for records, and for an np.matrix, whose columns would count as rows.  O(n); no array is copied.

    >>> array_of(["a", "b"], "y_true")
    array(['a', 'b'], dtype='<U1')
    """
    if isinstance(values, np.ndarray):
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            raise EvaluationError(f"{name} holds masked cells; drop or fill them first")
        if isinstance(values, np.matrix):
            raise EvaluationTypeError(
                f"{name} must be an array, got an np.matrix, which is not supported; "
                "call np.asarray on it, and .ravel() for a single column"
            )
        array: Array = np.asarray(values)
    elif is_sparse(values):
        return values  # type: ignore[no-any-return]  # SciPy is no dependency, so neither are its types
    else:
        array = _converted(values, name)
    if array.dtype.kind == "V":
        raise EvaluationTypeError(f"{name} must hold labels or numbers, got records of dtype {array.dtype}")
    if array.dtype.kind == "c":
        raise EvaluationError(f"Complex data not supported: {name} has dtype {array.dtype}")
    return array


def type_of_target(y: Any, input_name: str = "") -> str:
    """Return what kind of target this is: how many labels, and how many of them to a case.

    O(n); labels that are objects or strings are hashed, no others are sorted.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, k), or a sparse matrix
        Labels of n cases.
    input_name : str, optional
        What error texts call it.

    Returns
    -------
    str
        'binary' for at most two distinct labels, 'multiclass' for more; 'multilabel-indicator' for two or more columns
        of at most two distinct whole numbers; 'continuous' for floats that are not whole; for several columns
        'multiclass-multioutput' and 'continuous-multioutput'; else 'unknown'.

    Raises
    ------
    EvaluationError
        For what is no array-like, for NaN or infinity, and for sequences of sequences.
    EvaluationTypeError
        For labels that are bytes.

    Examples
    --------
    >>> type_of_target([1, -1, 1]), type_of_target(["a", "b", "c"]), type_of_target([0.5, 1])
    ('binary', 'multiclass', 'continuous')
    >>> type_of_target([[0, 1], [1, 1]]), type_of_target([[0, 1], [2, 1]])
    ('multilabel-indicator', 'multiclass-multioutput')
    """
    array = array_of(y, input_name or "y")
    if is_sparse(array):
        return _type_of_sparse(array, input_name)
    _refuse_bytes_and_sequences(array)
    if array.ndim not in (1, 2):
        return "unknown"
    if array.size == 0:
        return "binary" if array.ndim == 1 else "unknown"
    if _holds_other_objects(array):
        return "unknown"
    return _type_of_labels(array, input_name)


def is_whole(values: Array) -> bool:
    """Whether every number is a whole one; NaN and infinities are not.  O(n).

    >>> is_whole(np.array([1.0, -2.0])), is_whole(np.array([0.5])), is_whole(np.array([np.inf]))
    (True, False, False)
    """
    if values.dtype.kind != "f":
        return values.dtype.kind in "biu"
    flat = values.ravel()
    with np.errstate(invalid="ignore"):
        return all(
            bool(np.all(np.floor(flat[block]) == flat[block]) and np.isfinite(flat[block]).all())
            for block in blocks(flat.size)
        )


def holds_text(objects: Array, kinds: tuple[type, ...] = _PARSED) -> bool:
    """Whether some of the objects are strings, bytes or dates, which NumPy would parse into numbers.  O(n).

    >>> holds_text(np.array(["0.5", 1], dtype=object)), holds_text(np.array([0.5, 1], dtype=object))
    (True, False)
    """
    return any(issubclass(kind, kinds) for kind in set(map(type, objects.ravel().tolist())))


def what_is_parsed(objects: Array) -> str:
    """Name the objects for which `holds_text` is true, with advice where they may be written numbers.  O(n).

    >>> what_is_parsed(np.array(["0.5", 1], dtype=object))
    'strings; call .astype(float)'
    """
    return "strings; call .astype(float)" if holds_text(objects, (str, bytes)) else "dates"


def check_finite(values: Array, name: str) -> tuple[float, float] | None:
    """Raise EvaluationError for NaN and for infinities among floats; return the least and the largest float.  O(n).

    >>> check_finite(np.array([1.0, np.nan]), "y_true")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: Input y_true contains NaN.
    """
    if values.dtype.kind != "f" or values.size == 0:
        return None
    low, high = extent(values.ravel(order="K"))
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    subject = f"Input {name} contains" if name else "Input contains"
    if math.isnan(low):
        raise EvaluationError(f"{subject} NaN.")
    raise EvaluationError(f"{subject} infinity or a value too large for {values.dtype!r}.")


def is_array_like(values: Any) -> TypeGuard[Any]:
    """Whether this has several elements in an order: no string, no scalar.  O(1).

    >>> is_array_like([1]), is_array_like("ab"), is_array_like(3)
    (True, False, False)
    """
    if values is None or isinstance(values, _NO_ARRAYS):
        return False
    return hasattr(values, "__len__") or hasattr(values, "shape") or hasattr(values, "__array__")


def _converted(values: Any, name: str) -> Array:
    if not (isinstance(values, Sequence) or hasattr(values, "__array__")) or isinstance(values, str | bytes):
        raise InvalidParameterError(
            f"Expected array-like (array or non-string sequence), got {shown(values)} for {name}"
        )
    try:
        array: Array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = _objects(values)
    except Exception as error:  # whatever the foreign object's own conversion raises
        raise EvaluationTypeError(f"{name} cannot be read as an array: {error}") from error
    foreign = hasattr(values, "dtypes") or not isinstance(getattr(values, "dtype", array.dtype), np.dtype)
    if foreign and array.size and _holds_other_objects(array):
        return np.array(array.tolist())  # a column of nullable numbers without a missing one
    return array


def _objects(values: Any) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def _refuse_bytes_and_sequences(array: Array) -> None:
    if array.ndim == 0 or len(array) == 0:
        return
    first = array[0]
    if isinstance(first, bytes):
        raise EvaluationTypeError(
            "Support for labels represented as bytes is not supported. Convert the labels to a string or integer "
            "format."
        )
    if isinstance(first, Sequence) and not isinstance(first, str) and not hasattr(first, "__array__"):
        raise EvaluationError(
            "You appear to be using a legacy multi-label data representation. Sequence of sequences are no longer "
            "supported; use a binary array or sparse matrix instead - the MultiLabelBinarizer transformer can convert "
            "to this format."
        )


def _holds_other_objects(array: Array) -> bool:
    return array.dtype.kind == "O" and not isinstance(array.flat[0], str)


def _type_of_labels(array: Array, name: str) -> str:
    several = array.ndim == 2 and array.shape[1] > 1
    whole = is_whole(array)
    two = None
    if several and whole:
        two = _at_most_two(array)
        if two:
            return "multilabel-indicator"
    suffix = "-multioutput" if several else ""
    if array.dtype.kind == "f" and not whole:
        check_finite(array, name)
        return "continuous" + suffix
    return "multiclass" + suffix if several or not _at_most_two(array) else "binary"


def _at_most_two(array: Array) -> bool:
    """Whether there are at most two distinct values."""
    flat = array.ravel()
    if flat.dtype.kind in "OUT":
        distinct: set[Any] = set()
        for block in blocks(flat.size):
            distinct.update(flat[block].tolist())
            if len(distinct) > 2:
                return False
        return True
    if flat.dtype.kind == "b":
        return True
    low, high = flat.min(), flat.max()
    return all(bool(np.all((flat[block] == low) | (flat[block] == high))) for block in blocks(flat.size))


def _type_of_sparse(matrix: Any, name: str) -> str:
    if not min(matrix.shape):
        return "unknown"
    stored = np.asarray(matrix.tocsr().data)
    several = matrix.shape[1] > 1
    marks = stored[stored != 0]
    if several and is_whole(stored) and (marks.size == 0 or bool(np.all(marks == marks[0]))):
        return "multilabel-indicator"
    suffix = "-multioutput" if several else ""
    if stored.dtype.kind == "f" and not is_whole(stored):
        check_finite(stored, name)
        return "continuous" + suffix
    return "multiclass" + suffix if several or not _at_most_two(matrix.toarray()) else "binary"
