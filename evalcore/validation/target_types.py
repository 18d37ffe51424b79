"""What targets are: arrays of whatever callers hand in, and the kind of question that their labels answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.kernels.blocks import blocks
from evalcore.validation.array_likes import Array, _holds_other_objects, as_array, check_finite, is_sparse


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
    array = as_array(y, input_name or "y")
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
