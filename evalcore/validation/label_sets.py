"""Sets of categories, assigned to one document or to many, become counts of decisions."""

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, check_type, refuse, shown
from evalcore.kernels.tables import DecisionCounts, listed_counts, matrix_counts
from evalcore.typing import BoolArray, IntArray
from evalcore.validation.arrays import as_mask, check_equal_lengths, check_not_masked
from evalcore.validation.categories import check_width, codes_of_names, reorder_columns
from evalcore.validation.values import check_number

Names = Sequence[Hashable]


class CodedNames(NamedTuple):
    """Names of n documents, each distinct name once."""

    names: Sequence[Any]
    codes: IntArray
    """Index of each name of the documents, one document after the other, shape (m,)."""
    lengths: IntArray
    """How many names each document has, shape (n,)."""


_LISTS = (list, tuple, set, frozenset)
_LARGEST_ENTRY = 2**128
"""So that products stay float64."""


def as_names(values: Any, name: str, may_be_numbers: bool = True) -> Names:
    """Return the names of one document: a name, a list or set, a mapping's true keys, or None for none.  O(names)."""
    given = given_names(values)
    if given is None:
        raise EvaluationTypeError(f"{name} must be a name, a list or set of names, or a mapping, got {shown(values)}")
    for value in given:
        _check_name(value, name, may_be_numbers)
    if isinstance(values, Mapping):
        try:
            return tuple(key for key, value in values.items() if value)
        except (TypeError, ValueError) as error:
            raise EvaluationTypeError(f"{name} must have values that are true or false: {error}") from None
    return given


def given_names(values: Any) -> Names | None:
    """Return the names of one document, each once, a mapping's false keys too; None for anything else.  O(names)."""
    if values is None:
        return ()
    if isinstance(values, str | bytes | int | float | np.generic) and not isinstance(values, bool | np.bool_):
        return (values,)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, Mapping | list | tuple | AbstractSet):
        return None
    try:
        return tuple(dict.fromkeys(values))
    except TypeError:
        return tuple(values)


def _check_name(value: Any, name: str, may_be_number: bool) -> None:
    try:
        hash(value)
        is_name = value is None or (not isinstance(value, bool | np.bool_) and value == value)  # noqa: PLR0124  NaN
    except TypeError:
        is_name = False
    is_number = isinstance(value, int | float | np.number)
    check_type(is_name and (may_be_number or not is_number), name, "hold names", value)


def count_document(assigned: Any, correct: Any, index: Mapping[Any, int]) -> tuple[DecisionCounts, int]:
    """Return the decisions on one document, except for names that are not categories, and 1.  O(names + k)."""
    given = ("assigned", assigned), ("correct", correct)
    # an array of numbers is a row of a matrix, unless numbers are names
    names = (as_names(each, name, not isinstance(each, np.ndarray) or _numbers_in(index)) for name, each in given)
    first, second = (np.array([index[name] for name in each if name in index], np.int64) for each in names)
    return listed_counts(first, second, len(index)), 1


def count_documents(assigned: Any, correct: Any, index: Mapping[Any, int]) -> tuple[DecisionCounts, int]:
    """Count decisions and documents: of two matrices (n, k), sparse too, or lists of names.  O(n k)."""
    given = {"assigned": assigned, "correct": correct}
    kinds = [_kind(values) for values in given.values()]
    found = f"a {kinds[0]} and a {kinds[1]}"
    check(kinds[0] == kinds[1], "assigned and correct", "be of one kind", found, EvaluationTypeError)
    if kinds[0] == "matrix":
        rows, other_rows = (_membership(values, index, name) for name, values in given.items())
        check_equal_lengths(rows, other_rows, "assigned", "correct")
        return matrix_counts(rows, other_rows), len(rows)
    read = {"sparse matrix": _sparse_keys, "column of names": _coded_keys}.get(kinds[0], _listed_keys)
    (first, size), (second, other_size) = (read(values, index, name) for name, values in given.items())
    check_equal_lengths(range(size), range(other_size), "assigned", "correct")
    return listed_counts(first, second, len(index)), size


def check_entries(values: Mapping[str, Any]) -> list[int | float]:
    """Return the numbers of a pooled table as Python's, each in 0 .. 2**128.  O(1)."""
    numbers = []
    for name, value in values.items():
        number = check_number(value, name)
        check_type(0 <= number < np.inf, name, "be a number of at least 0", value, EvaluationError)
        check_type(number <= _LARGEST_ENTRY, name, "be at most 2**128", value, EvaluationError)
        numbers.append(int(value) if number.is_integer() else number)
    return numbers


def check_pooled_entries(values: Any) -> list[int | float]:
    """Return the four cells of a pooled table as they were saved, each a number of at least 0.  O(1)."""
    check_type(isinstance(values, list) and len(values) == 4, "pooled", "hold four numbers", values, EvaluationError)
    for value in values:
        valid = type(value) in (int, float) and value >= 0
        check_type(valid, "pooled", "hold numbers of at least 0", value, EvaluationError)
    return list(values)


def as_decision_counts(tables: Mapping[str, IntArray], documents: int, size: int) -> DecisionCounts:
    """Return the counts of tables tp, fn, fp and tn, (k,) each, that count all documents.  O(k)."""
    rest = np.full(size, documents, np.int64)
    for name, cells in tables.items():
        check(len(cells) == size, name, f"have a cell for each of {size} categories", len(cells))
        check(cells.min(initial=0) >= 0, name, "not be negative", cells.min(initial=0))
        rest = np.where(rest < cells, -1, rest - cells)  # no step leaves int64, nor comes back from below 0
    refuse({f"the cells of each category must add up to {documents} documents": rest.any()})
    return DecisionCounts(tables["tp"], tables["tp"] + tables["fp"], tables["tp"] + tables["fn"])


def _kind(values: Any) -> str:
    if isinstance(values, CodedNames):
        return "column of names"
    if hasattr(values, "tocsr"):
        return "sparse matrix"
    return "matrix" if len(getattr(values, "shape", ())) == 2 else "list of lists"


def _membership(values: Any, index: Mapping[Any, int], name: str) -> BoolArray:
    check_not_masked(values, name)
    cells = np.asarray(reorder_columns(values, tuple(index)))
    check_width(cells.shape[1], len(index), name)
    found = f"dtype {cells.dtype}"
    check(cells.dtype.kind in "biuf", name, "hold Booleans, or the numbers 0 and 1", found, EvaluationTypeError)
    return as_mask(cells, name, "must be True or False, 1 or 0, got {}")


def _sparse_keys(values: Any, index: Mapping[Any, int], name: str) -> tuple[IntArray, int]:
    check(len(values.shape) == 2, name, "have two dimensions", f"shape {values.shape}")
    rows = values.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    check_width(rows.shape[1], len(index), name)
    documents = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    marked = rows.data != 0
    bad = np.flatnonzero(marked & (rows.data != 1))
    if bad.size:
        cell = f"{name}[{documents[bad[0]]}, {rows.indices[bad[0]]}]"
        raise EvaluationError(f"{cell} must be True or False, 1 or 0, got {rows.data[bad[0]]}")
    return (documents * len(index) + rows.indices)[marked], rows.shape[0]


def _listed_keys(values: Any, index: Mapping[Any, int], name: str) -> tuple[IntArray, int]:
    lists = _as_list(values, name)
    first = next((each for names in lists if type(names) in _LISTS for each in names), None)
    # a number or a Boolean may begin a row of a matrix
    if not set(map(type, lists)).issubset(_LISTS) or isinstance(first, int | float | np.number | np.bool_):
        lists = _names_of_each(lists, index, name)
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    flat = itertools.chain.from_iterable(lists)
    try:
        codes = np.fromiter(map(index.get, flat, itertools.repeat(-1)), np.int64, int(lengths.sum()))
    except TypeError as error:
        _names_of_each(lists, index, name)  # names the document
        raise EvaluationTypeError(f"{name} must hold lists of names: {error}") from None
    keys = np.repeat(np.arange(len(lists)) * len(index), lengths) + codes
    return keys[codes >= 0], len(lists)


def _coded_keys(values: CodedNames, index: Mapping[Any, int], name: str) -> tuple[IntArray, int]:
    may_be_number = _numbers_in(index)
    for each in values.names:
        _check_name(each, name, may_be_number)
    places = codes_of_names(values.names, index)[values.codes]
    documents = np.repeat(np.arange(values.lengths.size), values.lengths)
    return (documents * len(index) + places)[places >= 0], values.lengths.size


def _names_of_each(values: list[Any], index: Mapping[Any, int], name: str) -> list[Any]:
    """Return the names of each document, in whatever way they are given."""
    numbers = _numbers_in(index)
    return [as_names(value, f"{name}[{row}]", numbers) for row, value in enumerate(values)]


def _numbers_in(index: Mapping[Any, int]) -> bool:
    """Whether some category is a number."""
    return any(isinstance(category, int | float | np.number) for category in index)


def _as_list(values: Any, name: str) -> list[Any]:
    """Return any sequence or column as a list of Python's objects."""
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping | AbstractSet)
    check_type(is_list, name, "be a list with names for each document", values)
    shape = getattr(values, "shape", (1,))
    check(len(shape) == 1, name, "be one-dimensional", f"shape {shape}")
    methods = (getattr(values, method, None) for method in ("to_pylist", "to_list", "tolist"))
    return next((method() for method in methods if method), None) or list(values)
