"""Names of categories, columns of labels, and tables of counts by category become codes and checked arrays."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.kernels.blocks import blocks
from evalcore.typing import AnyArray, IntArray
from evalcore.validation.arrays import as_column, check_equal_lengths, read_array
from evalcore.validation.labels import distinct_labels
from evalcore.validation.single_values import (
    check_hashable,
    first_not_hashable_error,
    is_missing,
    not_hashable_error,
)
from evalcore.validation.whole_cases import check_cases

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
    """Return distinct, hashable names of categories in the order given, NumPy's scalars as Python's.  O(k)."""
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
    """Return the index of each label, (n,) of any library's column, among the categories, (n,) intp.  O(n + k)."""
    return _codes(_labels(labels, name), _index(categories), name)


def as_coded_cases(reference: Any, response: Any, given: Any, names: tuple[str, str]) -> CodedCases:
    """Return two columns as codes; if no categories are given, they are the sorted labels of both.  O(n + k log k)."""
    labels = [_labels(*pair) for pair in zip((reference, response), names, strict=True)]
    found = _sorted_labels(labels, names) if given is None else as_categories(given, "categories")
    first, second = (_codes(each, _index(found), name) for each, name in zip(labels, names, strict=True))
    check_equal_lengths(first, second, *names)
    return CodedCases(found, first, second)


def find_code(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a hashable name, -1 if it is not a category.  O(1)."""
    try:
        return index.get(value, -1)
    except TypeError:
        raise not_hashable_error(value, name) from None


def as_category_index(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a category, given by its name or, if no category has that name, by its index.  O(1)."""
    code = find_code(value, index, name)
    if code >= 0:
        return code
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < len(index):
        return int(value)
    raise EvaluationError(f"{name} must be {_one_of(index)}, or an index in 0 .. {len(index) - 1}, got {shown(value)}")


def as_count_matrix(values: Any, size: int, name: str) -> IntArray:
    """Return counts by reference and response as a new (k, k) int64 array, zeros for None.  O(k²)."""
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
    """Return how many cases to add to a cell.  Raises EvaluationError if the cell would become negative.  O(1)."""
    change = check_cases(value, name)
    if cell + change < 0:
        raise EvaluationError(f"{name} must be at least {-cell}, as the cell counts {cell}, got {change}")
    check_total(change, total, name)
    return change


def check_total(added: int, total: int, name: str) -> None:
    """Raise EvaluationError if a table would hold more cases than int64 can count.  O(1)."""
    if added + total > MOST_CASES:
        raise EvaluationError(f"{name} must leave at most {MOST_CASES} cases, got {added + total}")


def check_same_categories(theirs: Sequence[Any], ours: Sequence[Any], name: str) -> None:
    """Raise EvaluationError for other categories, or the same in another order.  O(k)."""
    if tuple(theirs) != tuple(ours):
        raise EvaluationError(f"{name} must have the categories {listed(ours)}, in that order, got {listed(theirs)}")


def reorder_columns(values: Any, categories: Sequence[Any]) -> Any:
    """Return the columns of a data frame in the order of the categories, if it names them; all else as it is.  O(k)."""
    columns = getattr(values, "columns", None)
    if columns is None or set(columns) != set(categories) or list(columns) == list(categories):
        return values
    return values[list(categories)]


def listed(names: Sequence[Any]) -> str:
    """Write the first names for an error's text, and how many more there are.  O(1)."""
    first = ", ".join(map(repr, names[:_NAMES_SHOWN]))
    return first if len(names) <= _NAMES_SHOWN else f"{first} and {len(names) - _NAMES_SHOWN} more"


def _sequence(values: Any, name: str) -> Sequence[Any]:
    if isinstance(values, str | bytes):
        raise EvaluationTypeError(f"{name} must be a list of names, got {shown(values)}")
    if isinstance(values, set | frozenset):
        raise EvaluationTypeError(f"{name} must be ordered, got a {type(values).__name__}; call sorted() on it")
    if hasattr(values, "__array__"):
        names: list[Any] = as_column(values, name).tolist()
        return names
    try:
        return list(values)
    except TypeError:
        raise EvaluationTypeError(f"{name} must be a list of names, got {shown(values)}") from None


def _labels(values: Any, name: str) -> Sequence[Any] | AnyArray:
    """Return labels as Python's objects, or as an array of integers."""
    if isinstance(values, list | tuple):
        return values  # NumPy would make strings of numbers among strings
    array = as_column(values, name)
    if array.dtype.kind in "iu":
        return array
    labels: list[Any] = array.tolist()
    return labels


def _index(categories: Sequence[Any]) -> dict[Any, int]:
    return {category: index for index, category in enumerate(categories)}


def _codes(labels: Sequence[Any] | AnyArray, index: Mapping[Any, int], name: str) -> CodeArray:
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


def _codes_by_lookup(labels: AnyArray, index: Mapping[Any, int]) -> CodeArray | None:
    """Return the codes of integers that lie close together, None for others."""
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


def _checked(found: CodeArray, labels: Sequence[Any] | AnyArray, index: Mapping[Any, int], name: str) -> CodeArray:
    if found.size and found.min() < 0:
        bad = int(found.argmin())
        label = labels[bad].item() if isinstance(labels, np.ndarray) else labels[bad]
        if is_missing(label):
            raise EvaluationError(f"{name}[{bad}] is missing, {shown(label)}; drop or fill missing labels first")
        raise EvaluationError(f"{name}[{bad}] must be {_one_of(index)}, got {shown(label)}")
    return found


def _distinct(labels: AnyArray) -> list[Any]:
    """Return the distinct labels of a column.  O(n) for whole numbers that lie close together."""
    found = distinct_labels(labels) if labels.dtype.kind in "biu" else np.unique(labels)
    distinct: list[Any] = found.tolist()
    return distinct


def _sorted_labels(columns: Sequence[Sequence[Any] | AnyArray], names: tuple[str, str]) -> tuple[Any, ...]:
    """Return the sorted labels of two columns."""
    both = " and ".join(names)
    distinct: set[Any] = set()
    for labels, name in zip(columns, names, strict=True):
        try:
            distinct.update(_distinct(labels) if isinstance(labels, np.ndarray) else labels)
        except TypeError:
            raise first_not_hashable_error(labels, name) from None
    if not distinct:
        raise EvaluationError(f"{both} must hold a label, got none; pass the categories")
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
    return check_cases(cell, name)


def _one_of(index: Mapping[Any, int]) -> str:
    return f"one of {listed(tuple(index))}"


def as_code(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the index of a category given by its name.  O(1)."""
    code = find_code(value, index, name)
    if code < 0:
        raise EvaluationError(f"{name} must be one of {listed(tuple(index))}, got {shown(value)}")
    return code
