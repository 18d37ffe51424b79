"""Rankings of categories, of one case or of many, with their scores and probabilities, become checked arrays."""

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, shown
from evalcore.measures.probabilities import total_probability
from evalcore.typing import AnyArray, ScoreArray
from evalcore.validation.arrays import as_column, as_exact_scores, read_array
from evalcore.validation.categories import CodeArray, as_codes, find_code, listed, reorder_columns
from evalcore.validation.single_values import check_integer, check_number


def as_ranking(values: Any, name: str) -> tuple[Hashable, ...]:
    """Return the hashable names of one ranking, best first, at least one.  O(r)."""
    if isinstance(values, str | bytes | set | frozenset):
        raise EvaluationTypeError(f"{name} must be a list of names, got {shown(values)}")
    given = _tuple(values, f"{name} must be a list of names")
    names = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
    if not names:
        raise EvaluationError(f"{name} must not be empty")
    for index, value in enumerate(names):
        find_code(value, {}, f"{name}[{index}]")
    return names


def check_descending(scores: Sequence[float], name: str) -> None:
    """Raise EvaluationError for a score above the one before it.  O(r)."""
    rising = next((index for index in range(1, len(scores)) if scores[index] > scores[index - 1]), None)
    if rising is not None:
        raise EvaluationError(
            f"{name} must not increase, got {name}[{rising}] = {scores[rising]} after {scores[rising - 1]}"
        )


def check_rank(value: Any, name: str, size: int) -> int:
    """Return a rank in 0 .. size - 1.  O(1)."""
    number = check_integer(value, name)
    if not 0 <= number < size:
        raise EvaluationError(f"{name} must be in 0 .. {size - 1}, got {number}")
    return number


def as_rank(value: Any, names: Sequence[Hashable], name: str) -> int:
    """Return the rank of a category given by its name or, if no category has that name, by its rank.  O(r)."""
    if value in names:
        return names.index(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < len(names):
        return int(value)
    raise EvaluationError(
        f"{name} must be one of {listed(names)}, or a rank in 0 .. {len(names) - 1}, got {shown(value)}"
    )


def as_reference_codes(labels: Any, index: Mapping[Any, int], name: str) -> CodeArray:
    """Return the codes of a column of names, or of codes unless names are numbers, (n,) intp.  O(n)."""
    given = labels if isinstance(labels, list | tuple) else as_column(labels, name)
    if _are_codes(given, index):
        return as_codes(given, range(len(index)), name)
    return as_codes(given, tuple(index), name)


class Rankings(NamedTuple):
    """Many rankings of categories."""

    codes: CodeArray
    """Codes of the categories, shape (n, r), -1 where a place names none."""
    names: AnyArray | None
    """Names as they were given, shape (n, r); None if codes were."""


def as_rankings(values: Any, index: Mapping[Any, int], name: str) -> Rankings:
    """Return rankings (n, r) of names or codes, None or -1 where a rank is empty, as codes.  O(n r)."""
    array = _matrix(values, name, None if hasattr(values, "dtype") else object)
    given = None if _are_codes(array[:, 0], index) else array
    codes = _codes_of(array, len(index), name) if given is None else _codes_of_names(array, index, name)
    missing = np.flatnonzero(codes[:, 0] < 0)
    if missing.size:
        row = missing[0]
        bad = shown(array[row, 0])
        raise EvaluationError(f"{name}[{row}, 0] must be one of {listed(tuple(index))}, got {bad}")
    return Rankings(codes, given)


def _codes_of(array: AnyArray, categories: int, name: str) -> CodeArray:
    if array.dtype.kind == "O":
        cells = [-1 if cell is None else cell for cell in array.ravel().tolist()]
        plain = np.fromiter(map(_is_integer, cells), np.bool_, len(cells))
        if not plain.all():
            row, column = divmod(int(plain.argmin()), array.shape[1])
            bad = shown(array[row, column])
            raise EvaluationTypeError(f"{name}[{row}, {column}] must be a code or None, got {bad}")
        array = np.array(cells, object).reshape(array.shape)
    outside = (array < -1) | (array >= categories)
    if outside.any():
        row, column = divmod(int(outside.argmax()), array.shape[1])
        raise EvaluationError(
            f"{name}[{row}, {column}] must be a code in -1 .. {categories - 1}, got {array[row, column]}"
        )
    return array.astype(np.intp)


def _codes_of_names(array: AnyArray, index: Mapping[Any, int], name: str) -> CodeArray:
    try:
        codes = np.fromiter(map(index.get, array.ravel().tolist(), itertools.repeat(-1)), np.intp, array.size)
    except TypeError as error:
        raise EvaluationTypeError(f"{name} must hold names: {error}") from None
    return codes.reshape(array.shape)


def check_class_columns(columns: ScoreArray, classes: int, name: str) -> None:
    """Raise EvaluationError if there is not a column for each class.  O(1)."""
    if columns.ndim != 2 or columns.shape[1] != classes:
        raise EvaluationError(f"{name} must have a column for each of {classes} classes, got shape {columns.shape}")


def as_inputs(values: Any, cases: int, name: str) -> tuple[Any, ...]:
    """Return the objects that were classified, one for each case.  O(n)."""
    if isinstance(values, str | bytes) or hasattr(values, "columns"):
        kind = type(values).__name__
        raise EvaluationTypeError(f"{name} must be a list of objects, got a {kind}; pass the rows of a frame as a list")
    if values is None:
        raise EvaluationError(f"{name} must be given, {cases} of them, because this evaluator stores them")
    objects = _tuple(values, f"{name} must be a list of objects")
    if len(objects) != cases:
        raise EvaluationError(f"{name} must have one object for each of {cases} cases, got {len(objects)}")
    return objects


def as_score_rows(values: Any, categories: Sequence[Hashable], name: str) -> ScoreArray:
    """Return scores by category, (n, k), NaN where a case lacks one; each case has at least one.  O(n k)."""
    rows = _matrix(reorder_columns(values, categories), name, width=len(categories))
    if rows.shape[1] != len(categories):
        raise EvaluationError(
            f"{name} must have a column for each of {len(categories)} categories, got {rows.shape[1]}"
        )
    if rows.dtype.kind not in "iuf":
        raise EvaluationTypeError(
            f"{name} must hold float64 or float32 numbers, NaN for absent categories, got dtype {rows.dtype}"
        )
    scores = as_exact_scores(rows, name)
    if np.isnan(np.min(scores, initial=0)):
        empty = np.isnan(scores).all(axis=1)
        if empty.any():
            raise EvaluationError(f"{name}[{empty.argmax()}] is all NaN; a case must have a score for some category")
    return scores


def _tuple(values: Any, rule: str) -> tuple[Any, ...]:
    try:
        return tuple(values)
    except TypeError:
        raise EvaluationTypeError(f"{rule}, got {shown(values)}") from None


def check_distributions(columns: ScoreArray, name: str, tolerance: float) -> None:
    """Raise EvaluationError unless probabilities (r, n), or NaN, are in 0 .. 1 and sum to about 1.  O(r n)."""
    margin = check_number(tolerance, "tolerance")
    if not margin >= 0:
        raise EvaluationError(f"tolerance must be at least 0, got {margin}")
    _refuse((columns < 0) | (columns > 1), columns, name, "must be in 0 .. 1")
    totals = total_probability(columns)[np.newaxis]
    _refuse(~(np.abs(totals - 1) <= margin), totals, name, f"must sum to 1 within {margin}")


def check_log_probabilities(columns: ScoreArray, name: str) -> None:
    """Raise EvaluationError unless logarithms (r, n), or NaN, are at most 0 and not all -inf.  O(r n)."""
    _refuse(columns > 0, columns, name, "must be at most 0")
    largest = np.fmax.reduce(columns, axis=0, keepdims=True)
    _refuse(largest == -np.inf, largest, name, "must not all be -inf")


def _refuse(bad: Any, columns: ScoreArray, name: str, rule: str) -> None:
    """Raise EvaluationError for the first case with a bad value; the text of a single case has no index."""
    if bad.any():
        case = int(bad.any(axis=0).argmax())
        value = columns[int(bad[:, case].argmax()), case]
        where = f"{name}[{case}]" if columns.shape[1] > 1 else name
        raise EvaluationError(f"{where} {rule}, got {value}")


def _matrix(values: Any, name: str, dtype: Any = None, width: int = 1) -> AnyArray:
    """Return a two-dimensional array with at least one column, of `width` columns if it has no rows."""
    array = read_array(values, name, dtype)
    if array.ndim == 1 and array.size == 0:
        return array.reshape(0, width)
    if array.ndim == 1 and isinstance(array[0], list | tuple | np.ndarray):
        raise EvaluationError(f"{name} must have rows of one length; pad them with None, or NaN for scores")
    if array.ndim != 2 or array.shape[1] == 0:
        raise EvaluationError(f"{name} must have a row for each case and at least one column, got shape {array.shape}")
    return array


def _are_codes(labels: Any, index: Mapping[Any, int]) -> bool:
    """Whether integers stand for codes: no category's name is a number."""
    first = labels[0] if len(labels) else None
    return _is_integer(first) and not any(isinstance(name, int | float) for name in index)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
