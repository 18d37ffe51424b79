"""The door for categories: their names, columns of labels, and tables of counts by category."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.kernels.blocks import blocks
from evalcore.typing import IntArray
from evalcore.validation.arrays import as_column, check_equal_lengths, read_array
from evalcore.validation.single_values import (
    check_hashable,
    check_integer,
    first_not_hashable_error,
    is_missing,
    not_hashable_error,
)

CodeArray: TypeAlias = npt.NDArray[np.intp]
MOST_CASES = int(np.iinfo(np.int64).max)
"""Cases of a table: no sum of its cells overflows."""
_LARGEST_LOOKUP = 1 << 16
_NAMES_SHOWN = 6


class CodedCases(NamedTuple):
    """Names of categories, and the codes of as many references and responses."""

    categories: tuple[Any, ...]
    reference: CodeArray
    response: CodeArray


def as_categories(values: Any, name: str) -> tuple[Any, ...]:
    """Return distinct names of categories in the order given, NumPy's scalars as Python's.

    Raises EvaluationError for no names, for a repeated one and for one that is missing (None, NaN),
    EvaluationTypeError for one that cannot be hashed, for a string, which would be read letter by letter, and for a
    set, which has no order.  O(k).

    >>> as_categories(["spam", "ham"], "categories")
    ('spam', 'ham')
    >>> as_categories(["a", "b", "a"], "categories")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: categories[2] = 'a' (str) repeats categories[0]
    """
    names = [value.item() if isinstance(value, np.generic) else value for value in _sequence(values, name)]
    if not names:
        raise EvaluationError(f"{name} must not be empty")
    first: dict[Any, int] = {}
    for index, value in enumerate(names):
        check_hashable(value, f"{name}[{index}]")
        if is_missing(value):
            raise EvaluationError(f"{name}[{index}] is missing, {shown(value)}")
        if first.setdefault(value, index) != index:
            raise EvaluationError(f"{name}[{index}] = {shown(value)} repeats {name}[{first[value]}]")
    return tuple(names)


def as_codes(labels: Any, categories: Sequence[Any], name: str) -> CodeArray:
    """Return the index of each label among the categories, shape (n,) intp.

    labels: (n,) names of categories: a list, or a column of NumPy, pandas, Polars or Arrow.  Raises EvaluationError
    naming the first label that is missing or no category, EvaluationTypeError for one that cannot be hashed.  O(n + k).

    >>> as_codes(["b", "a", "b"], ("a", "b"), "reference")
    array([1, 0, 1])
    >>> as_codes(["b", "c"], ("a", "b"), "reference")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: reference[1] must be one of 'a', 'b', got 'c' (str)
    """
    return _codes(_labels(labels, name), _index(categories), name)


def as_coded_cases(reference: Any, response: Any, given: Any, names: tuple[str, str]) -> CodedCases:
    """Return the codes of two columns of labels; without categories given, the sorted labels of both are theirs.

    Raises EvaluationError or EvaluationTypeError as `codes` and `categories` do, where the lengths differ, and where
    no category is given and there is no label, or labels cannot be sorted.  O(n), O(n + k log k) without categories.

    >>> as_coded_cases(["b", "a"], ["a", "a"], None, ("reference", "response"))
    CodedCases(categories=('a', 'b'), reference=array([1, 0]), response=array([0, 0]))
    """
    labels = [_labels(*pair) for pair in zip((reference, response), names, strict=True)]
    found = _sorted_labels(labels, names) if given is None else as_categories(given, "categories")
    first, second = (_codes(each, _index(found), name) for each, name in zip(labels, names, strict=True))
    check_equal_lengths(first, second, *names)
    return CodedCases(found, first, second)


def find_code(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a name, -1 if it is no category.  Raises EvaluationTypeError for what cannot be hashed.

    >>> find_code("b", {"a": 0, "b": 1}, "category")
    1
    """
    try:
        return index.get(value, -1)
    except TypeError:
        raise not_hashable_error(value, name) from None


def as_category_index(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a category, given by its name or, if no category has that name, by an index.

    Raises EvaluationError for what is neither, EvaluationTypeError for what cannot be hashed.  O(1).

    >>> as_category_index("b", {"a": 0, "b": 1}, "reference"), as_category_index(1, {"a": 0, "b": 1}, "reference")
    (1, 1)
    >>> as_category_index(2, {"a": 0, "b": 1}, "reference")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: reference must be one of 'a', 'b', or an index in 0 .. 1, got 2 (int)
    """
    code = find_code(value, index, name)
    if code >= 0:
        return code
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < len(index):
        return int(value)
    raise EvaluationError(f"{name} must be {_one_of(index)}, or an index in 0 .. {len(index) - 1}, got {shown(value)}")


def as_count_matrix(values: Any, size: int, name: str) -> IntArray:
    """Return counts by reference and response as a new (k, k) int64 array; zeros for None.

    Raises EvaluationError for another shape, a negative or masked cell, or a sum beyond int64, EvaluationTypeError for
    a cell that is no whole number; each names the cell.  O(k²).

    >>> as_count_matrix([[1, 2.0], [0, 3]], 2, "matrix")
    array([[1, 2],
           [0, 3]])
    """
    if values is None:
        return np.zeros((size, size), np.int64)
    cells = read_array(values, name)
    if cells.dtype.kind not in "iu":
        cells = read_array(values, name, object)  # NumPy rounds large integers beside floats
    if cells.shape != (size, size):
        raise EvaluationError(f"{name} must have shape {(size, size)}, for {size} categories, got {cells.shape}")
    if cells.dtype.kind == "O":
        whole = [_whole(cell, f"{name}[{i}, {j}]") for (i, j), cell in np.ndenumerate(cells)]
        cells = np.array(whole, dtype=object).reshape(size, size)
    if cells.min() < 0:
        i, j = divmod(int((cells < 0).argmax()), size)
        raise EvaluationError(f"{name}[{i}, {j}] must not be negative, got {cells[i, j]}")
    if int(cells.max()) * cells.size > MOST_CASES:
        check_total(int(cells.sum(dtype=object)), 0, name)
    return cells.astype(np.int64)


def check_cell_change(value: Any, cell: int, total: int, name: str) -> int:
    """Return how many cases to add to a cell, or with a minus sign to take from it.

    Raises EvaluationTypeError for no integer, EvaluationError where the cell would become negative or the total leave
    int64.

    >>> check_cell_change(-1, 3, 10, "n")
    -1
    >>> check_cell_change(-4, 3, 10, "n")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: n must be at least -3, the count there being 3, got -4
    """
    change = check_integer(value, name)
    if cell + change < 0:
        raise EvaluationError(f"{name} must be at least {-cell}, the count there being {cell}, got {change}")
    check_total(change, total, name)
    return change


def check_total(added: int, total: int, name: str) -> None:
    """Raise EvaluationError where a table would hold more cases than int64 can count.

    >>> check_total(1, 2**63 - 1, "n")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: n must leave at most 9223372036854775807 cases, got 9223372036854775808
    """
    if added + total > MOST_CASES:
        raise EvaluationError(f"{name} must leave at most {MOST_CASES} cases, got {added + total}")


def check_same_categories(theirs: Sequence[Any], ours: Sequence[Any], name: str) -> None:
    """Raise EvaluationError for other categories, or the same in another order.  O(k).

    >>> check_same_categories(("b", "a"), ("a", "b"), "other")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: other must have the categories 'a', 'b', in that order, got 'b', 'a'
    """
    if tuple(theirs) != tuple(ours):
        raise EvaluationError(f"{name} must have the categories {listed(ours)}, in that order, got {listed(theirs)}")


def reorder_columns(values: Any, categories: Sequence[Any]) -> Any:
    """Return the columns of a data frame in the order of the categories, if these are their names; all else as it is.

    O(k), and the frame's own copying.

    >>> reorder_columns([[1, 2]], ["a", "b"])
    [[1, 2]]
    """
    columns = getattr(values, "columns", None)
    if columns is None or set(columns) != set(categories) or list(columns) == list(categories):
        return values
    return values[list(categories)]


def listed(names: Sequence[Any]) -> str:
    """Write the first names for an error's text, and how many more there are.  O(1).

    >>> listed(("a", "b")), listed(range(9))
    ("'a', 'b'", '0, 1, 2, 3, 4, 5 and 3 more')
    """
    first = ", ".join(map(repr, names[:_NAMES_SHOWN]))
    return first if len(names) <= _NAMES_SHOWN else f"{first} and {len(names) - _NAMES_SHOWN} more"


def _sequence(values: Any, name: str) -> Sequence[Any]:
    if isinstance(values, str | bytes):
        raise EvaluationTypeError(f"{name} must be a list of names, got {shown(values)}")
    if isinstance(values, set | frozenset):
        raise EvaluationTypeError(f"{name} must be in an order, got a {type(values).__name__}; call sorted() on it")
    if hasattr(values, "__array__"):
        names: list[Any] = as_column(values, name).tolist()
        return names
    try:
        return list(values)
    except TypeError:
        raise EvaluationTypeError(f"{name} must be a list of names, got {shown(values)}") from None


def _labels(values: Any, name: str) -> Sequence[Any] | npt.NDArray[Any]:
    """Labels as Python's objects, or as an array of integers."""
    if isinstance(values, list | tuple):
        return values  # NumPy would make strings of numbers among strings
    array = as_column(values, name)
    if array.dtype.kind in "iu":
        return array
    labels: list[Any] = array.tolist()
    return labels


def _index(categories: Sequence[Any]) -> dict[Any, int]:
    return {category: index for index, category in enumerate(categories)}


def _codes(labels: Sequence[Any] | npt.NDArray[Any], index: Mapping[Any, int], name: str) -> CodeArray:
    objects = labels
    if isinstance(labels, np.ndarray):
        found = _codes_by_lookup(labels, index)
        if found is not None:
            return _checked(found, labels, index, name)
        objects = labels.tolist()
    try:
        found = np.fromiter(map(index.get, objects, itertools.repeat(-1)), np.intp, len(objects))
    except TypeError:
        raise first_not_hashable_error(objects, name) from None
    return _checked(found, objects, index, name)


def _codes_by_lookup(labels: npt.NDArray[Any], index: Mapping[Any, int]) -> CodeArray | None:
    """Codes of integers that lie close together; None for others."""
    if labels.size == 0:
        return np.empty(0, np.intp)
    low, high = labels.min(), labels.max()
    span = int(high) - int(low) + 1
    if span > min(labels.size, _LARGEST_LOOKUP):
        return None
    lookup = np.fromiter(map(index.get, range(int(low), int(high) + 1), itertools.repeat(-1)), np.intp, span)
    found = np.empty(labels.size, np.intp)
    for block in blocks(labels.size):
        found[block] = lookup[np.subtract(labels[block], low, dtype=np.int64)]  # of uint64 too: it wraps around
    return found


def _checked(
    found: CodeArray, labels: Sequence[Any] | npt.NDArray[Any], index: Mapping[Any, int], name: str
) -> CodeArray:
    if found.size and found.min() < 0:
        bad = int(found.argmin())
        label = labels[bad].item() if isinstance(labels, np.ndarray) else labels[bad]
        if is_missing(label):
            raise EvaluationError(f"{name}[{bad}] is missing, {shown(label)}; drop or fill missing labels first")
        raise EvaluationError(f"{name}[{bad}] must be {_one_of(index)}, got {shown(label)}")
    return found


def _sorted_labels(columns: Sequence[Sequence[Any] | npt.NDArray[Any]], names: tuple[str, str]) -> tuple[Any, ...]:
    """Names of the categories that two columns speak of."""
    both = " and ".join(names)
    distinct: set[Any] = set()
    for labels, name in zip(columns, names, strict=True):
        try:
            distinct.update(np.unique(labels).tolist() if isinstance(labels, np.ndarray) else labels)
        except TypeError:
            raise first_not_hashable_error(labels, name) from None
    if not distinct:
        raise EvaluationError(f"{both} hold no label; pass the categories")
    named = [label for label in distinct if not is_missing(label)]
    try:
        named.sort()
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in named}))
        raise EvaluationTypeError(
            f"{both} hold labels that cannot be sorted ({kinds}); pass the categories in their order"
        ) from None
    return as_categories(named, both) if named else ()


def _whole(cell: Any, name: str) -> int:
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return int(cell)
    return check_integer(cell, name)


def _one_of(index: Mapping[Any, int]) -> str:
    return f"one of {listed(tuple(index))}"


def as_code(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the code of a category given by its name.

    Raises EvaluationError for an unknown one, EvaluationTypeError for what cannot be hashed.  O(1).

    >>> as_code("beer", {"wine": 0, "beer": 1}, "reference")
    1
    """
    code = find_code(value, index, name)
    if code < 0:
        raise EvaluationError(f"{name} must be one of {listed(tuple(index))}, got {shown(value)}")
    return code
