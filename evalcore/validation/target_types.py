"""The kind of question that labels answer: of two classes, of several, or of several labels at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.kernels.blocks import blocks
from evalcore.typing import AnyArray
from evalcore.validation.array_likes import as_array, check_finite, holds_other_objects
from evalcore.validation.single_values import is_sparse

INDICATOR = "multilabel-indicator"
"""The kind of targets that have a column for each label."""


def type_of_target(y: Any, input_name: str = "") -> str:
    """Return scikit-learn's name for the kind of labels (n,) or (n, k).  O(n)."""
    array = as_array(y, input_name or "y")
    if is_sparse(array):
        return _type_of_sparse(array, input_name)
    _refuse_bytes_and_sequences(array)
    if array.ndim not in (1, 2):
        return "unknown"
    if array.size == 0:
        return "binary" if array.ndim == 1 else "unknown"
    if holds_other_objects(array):
        return "unknown"
    return _type_of_labels(array, input_name)


def is_whole(values: AnyArray) -> bool:
    """Whether every number is whole; NaN and infinities are not.  O(n)."""
    if values.dtype.kind != "f":
        return values.dtype.kind in "biu"
    flat = values.ravel()
    with np.errstate(invalid="ignore"):
        return all(
            bool(np.all(np.floor(flat[block]) == flat[block]) and np.isfinite(flat[block]).all())
            for block in blocks(flat.size)
        )


def _refuse_bytes_and_sequences(array: AnyArray) -> None:
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


def _type_of_labels(array: AnyArray, name: str) -> str:
    several = array.ndim == 2 and array.shape[1] > 1
    whole = is_whole(array)
    two = None
    if several and whole:
        two = _at_most_two(array)
        if two:
            return INDICATOR
    suffix = "-multioutput" if several else ""
    if array.dtype.kind == "f" and not whole:
        check_finite(array, name)
        return "continuous" + suffix
    return "multiclass" + suffix if several or not _at_most_two(array) else "binary"


def _at_most_two(array: AnyArray) -> bool:
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
    nonzero = stored[stored != 0]
    if several and is_whole(stored) and (nonzero.size == 0 or bool(np.all(nonzero == nonzero[0]))):
        return INDICATOR
    suffix = "-multioutput" if several else ""
    if stored.dtype.kind == "f" and not is_whole(stored):
        check_finite(stored, name)
        return "continuous" + suffix
    return "multiclass" + suffix if several or not _at_most_two(matrix.toarray()) else "binary"
