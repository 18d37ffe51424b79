"""Labels of any kind: the question that they answer, their classes, and the index of each among them."""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, refuse, shown
from evalcore.kernels import matching
from evalcore.kernels.blocks import blocks
from evalcore.kernels.runs import run_starts
from evalcore.kernels.sorting import WORD, sorted_words
from evalcore.typing import AnyArray, BoolArray, IntArray
from evalcore.validation.arrays import as_1d, as_array, as_column, check_finite, holds_other_objects, refuse_first
from evalcore.validation.values import is_missing, is_sparse

ClassesAndCodes: TypeAlias = tuple[AnyArray, IntArray]
"""The distinct labels of a column, ascending, and the code of each case, (n,)."""
_TEXTS = "OUST"
_LOOKED_AT = 1 << 10
_LARGEST_SPAN = 1 << 31
_WORTH_RUNS = 1 << 14
_LONG_RUN = 3
"""Average length of the runs of one label from which only one label of each is looked at."""


def is_text(labels: AnyArray) -> bool:
    """Whether labels are strings or objects, not numbers.  O(1)."""
    return labels.dtype.kind in _TEXTS


def encode_labels(labels: AnyArray) -> ClassesAndCodes:
    """Return the distinct labels of (n,), ascending, and the code of each.  O(n), O(n log n) for many numbers."""
    if labels.size == 0:
        return labels, np.empty(0, np.int64)
    lanes = _LANES_OF_TEXTS if is_text(labels) else _LANES_OF_NUMBERS
    return next(found for lane in lanes if (found := lane(labels)) is not None)


def encode_together(first: AnyArray, second: AnyArray) -> tuple[AnyArray, IntArray, IntArray]:
    """Return the distinct labels of two columns of one kind, ascending, and the codes of each.  As `encode_labels`."""
    (classes, codes), (others, other_codes) = encode_labels(first), encode_labels(second)
    if classes.dtype == others.dtype and np.array_equal(classes, others):
        return classes, codes, other_codes
    try:
        merged = np.concatenate([classes, others])
    except TypeError as error:
        raise EvaluationTypeError(f"labels must be comparable: {error}") from None
    every, ranks = _ascending(merged)
    return every, ranks[codes], ranks[classes.size :][other_codes]


def encode_groups(groups: AnyArray, others: AnyArray, names: tuple[str, str]) -> tuple[AnyArray, IntArray, IntArray]:
    """Return the distinct names of groups in two columns, perhaps empty, ascending, and the codes of each."""
    columns = tuple(zip((groups, others), names, strict=True))
    for column, name in columns:
        _check_names(column, name)
    try:
        found = _coded_of_either(groups, others, names)
    except EvaluationTypeError:
        for column, name in (*columns, (np.concatenate([groups, others]), " and ".join(names))):
            check_not_missing(column, name)
            check_one_type(column, name)
        raise
    if found[0].dtype.kind == "O" and any(map(is_missing, found[0].tolist())):
        for column, name in columns:
            check_not_missing(column, name)
    return found


def as_group_names(values: Any, name: str) -> AnyArray:
    """Return names of groups or clusters, (n,): strings, whole numbers, Booleans or dates, none missing.  O(n)."""
    column = as_column(values, name)
    check_not_missing(column, name)
    _check_names(column, name)
    return column


def are_missing(labels: AnyArray) -> BoolArray:
    """Mark the labels of any shape that are None, NaN and the like.  O(n)."""
    if labels.dtype.kind == "O":
        return np.fromiter(map(is_missing, labels.ravel().tolist()), np.bool_, labels.size).reshape(labels.shape)
    return np.isnan(labels) if labels.dtype.kind in "fcmM" else np.zeros(labels.shape, np.bool_)


def check_not_missing(labels: AnyArray, name: str) -> None:
    """Raise EvaluationError for the first missing label of (n,), if there is one.  O(n)."""
    refuse_first(are_missing(labels), labels, name, "is missing ({})")


def check_one_type(labels: AnyArray, name: str, advice: str = "") -> None:
    """Raise EvaluationTypeError if texts and other labels, such as '1' and 1, are in one column, (n,).  O(n)."""
    examples = {isinstance(label, str): label for label in labels.tolist()}
    if len(examples) > 1:
        found = f"{shown(examples[True])} and {shown(examples[False])}"
        raise EvaluationTypeError(f"{name} must hold values of one type, got {found}{advice}")


def codes_among(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return the index of each label among sorted, distinct classes, -1 for none of them.  Costs as `encode_labels`."""
    found, codes = encode_labels(labels)
    if np.array_equal(found, classes):
        return codes
    index = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in found.tolist()], np.intp)[codes]


def codes_of_passed(labels: AnyArray, classes: AnyArray, passed: Any) -> IntArray:
    """Return `codes_among` classes that were passed.  Raises EvaluationError for a label that is none of them."""
    codes = codes_among(labels, classes)
    if codes.min() < 0:
        unknown = set(encode_labels(labels[codes < 0])[0].tolist())
        raise EvaluationError(f"y_true contains values {unknown} not belonging to the passed labels {passed}.")
    return codes


def as_sorted_labels(passed: Any, labels: AnyArray, columns: int | None = None) -> AnyArray:
    """Return the passed classes, (k,), which must be distinct, ascending, and hold each of the labels, (n,).

    columns: of scores, if there must be as many classes.
    """
    given = as_1d(passed, "labels")
    classes = encode_labels(given)[0]
    refuse({"Parameter 'labels' must be unique.": classes.size != given.size})
    refuse({"Parameter 'labels' must be ordered.": not np.array_equal(classes, given)})
    numbers = f"{classes.size}, not equal to the number of columns in 'y_score', {columns}"
    refuse({f"Number of given labels, {numbers}": columns is not None and classes.size != columns})
    refuse({"'y_true' contains labels not in parameter 'labels'.": codes_among(labels, classes).min() < 0})
    return classes


def _check_names(column: AnyArray, name: str) -> None:
    kind = column.dtype.kind
    check(kind not in "cV", name, "be strings, whole numbers or dates", column.dtype, EvaluationTypeError)
    if kind == "f":
        broken = (column != np.floor(column)) | np.isinf(column)
        refuse_first(broken, column, name, "is {}; names are strings, whole numbers or dates")
    if kind in "mM":
        check_not_missing(column, name)


def _coded_of_either(groups: AnyArray, others: AnyArray, names: tuple[str, str]) -> tuple[AnyArray, IntArray, IntArray]:
    if not (groups.size and others.size):
        distinct, codes = encode_labels(groups if groups.size else others)
        return distinct, codes[: groups.size], codes[groups.size :]
    if is_text(groups) != is_text(others):
        found = f"{groups.dtype} and {others.dtype}"
        raise EvaluationTypeError(f"{' and '.join(names)} must both hold strings or both other names, got {found}")
    if groups.dtype.kind != others.dtype.kind:  # no common number type might hold both
        groups, others = groups.astype(object), others.astype(object)
    return encode_together(groups, others)


def _coded_by_runs(labels: AnyArray) -> ClassesAndCodes | None:
    """Return the codes of labels of which most repeat the one before, None for others."""
    if labels.size < _WORTH_RUNS or labels.dtype.kind not in "iuUSO":
        return None
    # the same object is an equal one, and asking for its address takes no time
    words = matching.addresses(np.ascontiguousarray(labels)) if labels.dtype.kind == "O" else labels
    if run_starts(words[:_LOOKED_AT]).size * _LONG_RUN > _LOOKED_AT:
        return None
    heads = run_starts(words)
    if heads.size * _LONG_RUN > labels.size:
        return None
    classes, codes = encode_labels(labels[heads])
    return classes, np.repeat(codes, np.diff(heads, append=labels.size))


def _coded_as_two(labels: AnyArray) -> ClassesAndCodes | None:
    """Return the codes of at most two distinct numbers, None for more."""
    if (found := _two(labels)) is None:
        return None
    low, high, second = found
    if low == high:
        return np.array([low]), np.zeros(labels.size, np.intp)
    return np.array([low, high]), second.astype(np.intp)


def _two(labels: AnyArray) -> tuple[Any, Any, BoolArray] | None:
    """Return the lower and the higher of at most two distinct numbers, and a mask of the higher, None for more."""
    # most columns of more show it at the beginning
    for part in (labels[:_LOOKED_AT], labels) if labels.size > _LOOKED_AT else (labels,):
        low, high = np.minimum.reduce(part, axis=None), np.maximum.reduce(part, axis=None)
        second = part == high
        between = low != high and (part.dtype.kind not in "iu" or int(high) - int(low) > 1)  # there may be others
        if between and np.count_nonzero(second) + np.count_nonzero(part == low) != part.size:
            return None
    return low, high, second


def _coded_by_lookup(labels: AnyArray) -> ClassesAndCodes | None:
    """Return the codes of integers that lie close together, None for others."""
    if labels.dtype.kind not in "iu":
        return None
    low, span = int(labels.min()), _span(labels)
    if abs(low) > _LARGEST_SPAN or span > min(4 * labels.size, _LARGEST_SPAN):
        return None
    offsets = np.subtract(labels, low, dtype=np.int64)
    present = np.zeros(span, np.bool_)
    present[offsets] = True
    classes = np.flatnonzero(present).astype(labels.dtype) + labels.dtype.type(low)
    return classes, offsets if classes.size == span else (np.cumsum(present) - 1).take(offsets)


def _coded_by_sort(labels: AnyArray) -> ClassesAndCodes:
    """Return the codes of numbers or dates; of integers that fit a word beside their index ten times as fast."""
    bits = labels.size.bit_length()
    if labels.dtype.kind not in "iu" or _span(labels).bit_length() + bits > WORD:
        classes = np.unique(labels)
        return classes, classes.searchsorted(labels)
    low = labels.min()
    words = sorted_words(lambda block: np.subtract(labels[block], low, dtype=np.int64), labels.size, bits)
    order = words & ((1 << bits) - 1)
    words >>= bits
    heads = run_starts(words)
    codes = np.empty(labels.size, np.int64)
    codes[order] = np.repeat(np.arange(heads.size), np.diff(heads, append=labels.size))
    return labels[order[heads]], codes


def _span(numbers: AnyArray) -> int:
    return int(numbers.max()) - int(numbers.min()) + 1


def _coded_by_words(labels: AnyArray) -> ClassesAndCodes | None:
    """Return the codes of few labels, by a word for each, None for many; equal objects may have several words."""
    found = matching.code_few(labels)
    if found is None:
        return None
    classes, ranks = _ascending(labels[found.first])
    return classes, ranks[found.codes]


def _ascending(labels: AnyArray) -> ClassesAndCodes:
    """Return the distinct labels of a short column, ascending, and the code of each."""
    if labels.dtype.kind != "O":
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes
    return _coded_by_hash(labels)


def _coded_by_hash(labels: AnyArray) -> ClassesAndCodes:
    first_seen: defaultdict[Any, int] = defaultdict(itertools.count().__next__)
    try:
        found = np.fromiter(map(first_seen.__getitem__, labels.tolist()), np.intp, labels.size)
        ascending = sorted(first_seen)
    except TypeError as error:
        raise EvaluationTypeError(f"labels must be hashable and sortable: {error}") from None
    codes = np.empty(len(ascending), np.intp)
    codes[[first_seen[label] for label in ascending]] = np.arange(len(ascending))
    return np.fromiter(ascending, labels.dtype, len(ascending)), codes[found]


_LANES_OF_TEXTS = _coded_by_runs, _coded_by_words, _coded_by_hash
_LANES_OF_NUMBERS = _coded_by_runs, _coded_as_two, _coded_by_lookup, _coded_by_words, _coded_by_sort
"""Ways to codes, the quickest first; the last takes any labels."""


INDICATOR = "multilabel-indicator"
"""The kind of targets that have a column for each label."""


def type_of_target(y: Any, input_name: str = "") -> str:
    """Return scikit-learn's name for the kind of labels (n,) or (n, k).  O(n)."""
    array: Any = as_array(y, input_name or "y")
    if is_sparse(array):
        if not min(array.shape):
            return "unknown"
        several = array.shape[1] > 1
        stored = np.asarray(array.tocsr().data)
        labels = np.append(stored, stored.dtype.type(0)) if several else array.toarray()
        return _type_of_labels(labels, several, input_name)
    _refuse_bytes_and_sequences(array)
    if array.ndim == 1 and array.size == 0:
        return "binary"
    if array.ndim not in (1, 2) or array.size == 0 or holds_other_objects(array):
        return "unknown"
    return _type_of_labels(array, array.ndim == 2 and array.shape[1] > 1, input_name)


def check_format(kind: str, holds: bool) -> None:
    """Raise EvaluationError for targets of a kind that a function does not take.  O(1)."""
    refuse({f"{kind} format is not supported": not holds})


def is_whole(values: AnyArray) -> bool:
    """Whether every number is whole; NaN and infinities are not.  O(n)."""
    if values.dtype.kind != "f":
        return values.dtype.kind in "biu"
    flat = values.ravel()
    with np.errstate(invalid="ignore"):
        return all(bool(np.all(np.rint(flat[block]) - flat[block] == 0)) for block in blocks(flat.size))


def _refuse_bytes_and_sequences(array: AnyArray) -> None:
    first = array[0] if array.ndim and len(array) else None
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


def _type_of_labels(array: AnyArray, several: bool, name: str) -> str:
    """Return the kind of these labels, not empty; several: whether there are several to a case."""
    whole = is_whole(array)
    if several and whole and _at_most_two(array.ravel()):
        return INDICATOR
    suffix = "-multioutput" if several else ""
    if array.dtype.kind == "f" and not whole:
        check_finite(array, name)
        return "continuous" + suffix
    return "multiclass" + suffix if several or not _at_most_two(array.ravel()) else "binary"


def _at_most_two(labels: AnyArray) -> bool:
    """Whether there are at most two classes.  O(n), O(1) if the first labels hold more, as most do."""
    if labels.dtype.kind in "biuf":
        return labels.dtype.kind == "b" or _two(labels) is not None
    return all(encode_labels(part)[0].size <= 2 for part in (labels[:_LOOKED_AT], labels))
