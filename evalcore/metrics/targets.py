"""The door for labels: two columns of targets, and weights, become arrays of one kind or a named error."""

import itertools
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, InvalidParameterError
from evalcore.kernels.tables import pair_counts
from evalcore.metrics.target_types import Array, array_of, check_finite, is_array_like, is_sparse, type_of_target
from evalcore.typing import BoolArray, IntArray

__all__ = ["Targets", "binarize", "check_lengths", "check_targets", "sample_weights", "type_of_target"]

_SMALL = 1 << 31
_FEW = 64
_LIMIT = np.uint64(2**63)
MOST_CELLS = 1 << 20
"""Cells of a table that is counted without being asked for."""
_INDICATOR = "multilabel-indicator"


class Targets(NamedTuple):
    """References and responses of as many cases."""

    kind: str
    """'binary', 'multiclass' or 'multilabel-indicator'."""
    classes: Array
    """The labels of both, ascending, shape (k,); of indicators the columns' numbers."""
    y_true: Array
    """Whole numbers in `low` .. `low + span - 1`, shape (n,); of indicators the matrix, shape (n, k)."""
    y_pred: Array
    """As many."""
    weights: Array | None
    """Finite int64 or float64, shape (n,); None if all count as one."""
    places: IntArray
    """What stands for each class, less `low`, ascending, shape (k,)."""
    low: int
    """The smallest of the whole numbers."""
    span: int
    """How many there are, some of them perhaps no class."""
    pairs: IntArray | None
    """Cases, without weights, by class and by response if counted already, shape (k, k)."""

    @property
    def is_indicator(self) -> bool:
        """Whether each case has a column for each label.

        >>> check_targets([[0, 1]], [[1, 1]]).is_indicator
        True
        """
        return self.kind == _INDICATOR


def check_targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Return references, responses and weights of one kind of target.

    Whole numbers that lie close together are counted as they are, strings and objects hashed once, other labels sorted.
    O(n), O(n log n) for labels that are far apart, O(n k) for indicators.

    Raises EvaluationError for different lengths, no case, NaN or infinity, kinds that do not go together or are not
    supported, and labels that are strings on one side and numbers on the other; EvaluationTypeError for bytes, for
    sparse columns, and for labels that cannot be hashed or sorted.

    >>> check_targets(["b", "a"], ["b", "c"])[:4]
    ('multiclass', array(['a', 'b', 'c'], dtype='<U1'), array([1, 0]), array([1, 2]))
    >>> check_targets([0, 1], [0.5, 1])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: Classification metrics can't handle a mix of binary and continuous targets
    """
    true, pred = _of_one_width(array_of(y_true, "y_true"), array_of(y_pred, "y_pred"))
    check_lengths(true, pred, sample_weight)
    whole = _whole_numbers(true, pred)
    kind = "" if whole else _common_kind(true, pred)
    weights = sample_weights(sample_weight, true.shape[0])
    if whole:
        return _counted(*whole, weights=weights, dtype=np.result_type(true, pred))
    if kind == _INDICATOR:
        return _indicators(true, pred, weights)
    if is_sparse(true) or is_sparse(pred):
        raise EvaluationTypeError("Sparse input is only supported when targets are of multilabel type")
    return _coded(kind, true.ravel(), pred.ravel(), weights)


def check_lengths(*columns: Any) -> None:
    """Raise EvaluationError where columns differ in length, EvaluationTypeError for what has none.  O(1).

    >>> check_lengths([1, 2], [3])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: Found input variables with inconsistent numbers of samples: [2, 1]
    """
    lengths = [_length(column) for column in columns if column is not None]
    if len(set(lengths)) > 1:
        raise EvaluationError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def sample_weights(sample_weight: Any, n: int) -> Array | None:
    """Return the weights of n cases, int64 or float64, shape (n,); None for None.  O(n).

    Negative weights are left to the measures.  Raises EvaluationError for another length or dimension, NaN, infinity
    and nothing but zeros, EvaluationTypeError for what are no numbers.

    >>> sample_weights([1, 2], 2), sample_weights([0.5], 1), sample_weights(None, 2)
    (array([1, 2]), array([0.5]), None)
    """
    if sample_weight is None:
        return None
    if not is_array_like(sample_weight):
        raise InvalidParameterError(
            f"The 'sample_weight' parameter must be an array-like or None, got {sample_weight!r}"
        )
    weights = array_of(sample_weight, "sample_weight")
    if is_sparse(weights):
        raise EvaluationTypeError("sample_weight must be dense; call .toarray() on it")
    if weights.dtype.kind == "O":
        weights = _numbers(weights)
    if weights.dtype.kind not in "biuf":
        raise EvaluationTypeError(f"sample_weight must hold numbers, got dtype {weights.dtype}")
    check_finite(weights, "sample_weight")
    if weights.ndim != 1:
        raise EvaluationError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array; expected one weight for each of "
            f"{n} cases"
        )
    check_lengths(range(n), weights)
    if n and not weights.any():
        raise EvaluationError("Sample weights must contain at least one non-zero number.")
    whole = weights.dtype.kind != "f" and (weights.dtype != np.uint64 or bool(np.all(weights < _LIMIT)))
    return weights.astype(np.int64 if whole else np.float64, copy=False)


def binarize(y: Any, classes: Any) -> BoolArray:
    """Mark the class of each case: (n,) labels and (k,) classes become (n, k) bool.  O(n k).

    A label that is no class gives a row of False.

    >>> binarize(["a", "c", "a"], ["a", "b"])
    array([[ True, False],
           [False, False],
           [ True, False]])
    """
    labels, columns = np.asarray(y), np.asarray(classes)
    marks = np.empty((labels.shape[0], columns.shape[0]), np.bool_)
    for column, label in enumerate(columns):
        marks[:, column] = labels == label
    return marks


def _length(column: Any) -> int:
    shape = getattr(column, "shape", None)
    if shape is not None and len(shape) == 0:
        raise EvaluationTypeError(f"Input should have at least 1 dimension, got scalar {column!r} instead.")
    try:
        return int(shape[0]) if shape is not None else len(column)
    except TypeError:
        raise EvaluationTypeError(f"Expected sequence or array-like, got {type(column)}") from None


def _common_kind(true: Array, pred: Array) -> str:
    kinds = type_of_target(true, "y_true"), type_of_target(pred, "y_pred")
    if true.shape[0] == 0:
        raise EvaluationError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        )
    if set(kinds) == {"binary", "multiclass"}:
        return "multiclass"
    if kinds[0] != kinds[1]:
        raise EvaluationError(f"Classification metrics can't handle a mix of {kinds[0]} and {kinds[1]} targets")
    if kinds[0] not in ("binary", "multiclass", _INDICATOR):
        raise EvaluationError(f"{kinds[0]} is not supported")
    return kinds[0]


def _of_one_width(true: Array, pred: Array) -> tuple[Array, Array]:
    """Bring integers with and without signs together: NumPy would make floats of them, and round."""
    if {true.dtype.kind, pred.dtype.kind} == {"i", "u"} and np.result_type(true, pred).kind == "f":
        fit = [column.size == 0 or int(column.max()) < _LIMIT for column in (true, pred)]
        kind = np.int64 if all(fit) else np.object_
        return true.astype(kind), pred.astype(kind)
    return true, pred


def _whole_numbers(true: Array, pred: Array) -> tuple[Array, Array, int, int] | None:
    """Columns of whole numbers, the smallest of them and how far they span; None unless that is a short way."""
    columns = [_as_integers(column) for column in (true, pred)]
    first, second = columns
    if first is None or second is None:
        return None
    bits = int(np.bitwise_or.reduce(first)) | int(np.bitwise_or.reduce(second))
    if 0 <= bits < _FEW:  # at least the largest number, in half the time
        return first, second, 0, bits + 1
    low = min(int(first.min()), int(second.min()))
    high = max(int(first.max()), int(second.max()))
    span = high - low + 1
    if low < -_SMALL or high > _SMALL or span * span > min(max(4 * first.size, 4096), MOST_CELLS):
        return None
    return first, second, low, span


def _as_integers(column: Array) -> Array | None:
    if is_sparse(column) or column.size == 0 or column.ndim not in (1, 2) or column.size != column.shape[0]:
        return None
    flat = column.ravel()
    if flat.dtype.kind == "b":
        return flat.view(np.uint8)
    if flat.dtype.kind == "f" and max(abs(flat.min()), abs(flat.max())) < _SMALL:
        integers = flat.astype(np.int64)
        return integers if np.array_equal(integers, flat) else None
    return flat if flat.dtype.kind in "iu" else None


def _counted(true: Array, pred: Array, low: int, span: int, *, weights: Array | None, dtype: Any) -> Targets:
    table = pair_counts(true, pred, low, span)
    of_true, of_pred = table.any(axis=1), table.any(axis=0)
    places = np.flatnonzero(of_true | of_pred)
    kind = "binary" if places.size <= 2 else "multiclass"
    pairs = table if places.size == span else table[np.ix_(places, places)]
    return Targets(kind, (places + low).astype(dtype), true, pred, weights, places, low, span, pairs)


def _indicators(true: Any, pred: Any, weights: Array | None) -> Targets:
    if true.shape[1] != pred.shape[1]:
        raise EvaluationError("Multi-label binary indicator input with different numbers of labels")
    dense = [column.toarray() if is_sparse(column) else column for column in (true, pred)]
    columns = np.arange(true.shape[1])
    return Targets(_INDICATOR, columns, dense[0], dense[1], weights, columns, 0, columns.size, None)


def _coded(kind: str, true: Array, pred: Array, weights: Array | None) -> Targets:
    texts = [column.dtype.kind in "OUT" for column in (true, pred)]
    if any(texts) and not all(texts):
        raise EvaluationError(
            f"Mix of label input types (string and number); Got {np.unique(true)} and {np.unique(pred)}."
        )
    classes, codes = _hashed(true, pred) if any(texts) else _sorted(true, pred)
    if classes.size > 2:
        kind = "multiclass"
    places = np.arange(classes.size)
    n = true.size
    return Targets(kind, classes, codes[:n], codes[n:], weights, places, 0, classes.size, None)


def _hashed(true: Array, pred: Array) -> tuple[Array, IntArray]:
    """Distinct objects, ascending, and the code of each among them; first those of the references."""
    first_seen: defaultdict[Any, int] = defaultdict(itertools.count().__next__)
    try:
        columns = itertools.chain(true.tolist(), pred.tolist())
        found = np.fromiter(map(first_seen.__getitem__, columns), np.intp, true.size + pred.size)
        ascending = sorted(first_seen)
    except TypeError as error:
        raise EvaluationTypeError(f"labels must be hashable and in an order: {error}") from None
    codes = np.empty(len(ascending), np.intp)
    codes[[first_seen[label] for label in ascending]] = np.arange(len(ascending))
    return np.asarray(ascending), codes[found]


def _sorted(true: Array, pred: Array) -> tuple[Array, IntArray]:
    """Distinct numbers, ascending, and the code of each among them; first those of the references."""
    try:
        labels = np.concatenate([true, pred])
    except TypeError as error:
        raise EvaluationTypeError(f"y_true and y_pred hold labels that do not compare: {error}") from None
    if labels.dtype.kind in "iu":
        low = int(labels.min())
        span = int(labels.max()) - low + 1
        if low >= -_SMALL and span <= min(4 * labels.size, _SMALL):
            offsets = np.subtract(labels, low, dtype=np.int64)
            present = np.zeros(span, np.bool_)
            present[offsets] = True
            return np.flatnonzero(present).astype(labels.dtype) + labels.dtype.type(low), (np.cumsum(present) - 1)[
                offsets
            ]
    classes = np.unique(labels)
    return classes, classes.searchsorted(labels)


def _numbers(weights: Array) -> Array:
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluationTypeError(f"sample_weight must hold numbers: {error}") from None
