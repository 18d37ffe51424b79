"""The door for rankings of categories: their places, scores and probabilities, of one case or of many."""

import itertools
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore import checks
from evalcore.category_checks import CodeArray, codes, listed, position
from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.typing import FloatArray, ScoreArray


def ranking(values: Any, name: str) -> tuple[Hashable, ...]:
    """Return the categories of one ranking, best first.

    Raises EvaluationError for none, EvaluationTypeError for a string, which would be read letter by letter, for
    what has no order, and for what cannot be hashed.  O(r).

    >>> ranking(["wine", "beer"], "categories")
    ('wine', 'beer')
    """
    if isinstance(values, str | bytes | set | frozenset) or not isinstance(values, Iterable):
        raise EvaluationTypeError(f"{name} must be a list of names, got {checks.shown(values)}")
    names = tuple(values)
    if not names:
        raise EvaluationError(f"{name} must not be empty")
    for place, value in enumerate(names):
        position(value, {}, f"{name}[{place}]")
    return names


def rank(value: Any, name: str, size: int) -> int:
    """Return a rank of a ranking of `size` categories.

    Raises EvaluationTypeError for no integer, EvaluationError for one outside 0 .. size - 1.

    >>> rank(1, "rank", 2)
    1
    """
    number = checks.integer(value, name)
    if not 0 <= number < size:
        raise EvaluationError(f"{name} must be in 0 .. {size - 1}, got {number}")
    return number


def category(value: Any, index: Mapping[Any, int], name: str) -> int:
    """Return the code of a category given by its name.

    Raises EvaluationError for an unknown one, EvaluationTypeError for what cannot be hashed.  O(1).

    >>> category("beer", {"wine": 0, "beer": 1}, "reference")
    1
    """
    code = position(value, index, name)
    if code < 0:
        raise EvaluationError(f"{name} must be one of {listed(tuple(index))}, got {checks.shown(value)}")
    return code


def references(labels: Any, index: Mapping[Any, int], name: str) -> CodeArray:
    """Return the codes of a column of labels, shape (n,): names of categories, or, unless names are integers, codes.

    Raises EvaluationError or EvaluationTypeError as `category_checks.codes` does.  O(n).

    >>> references(["beer", "wine"], {"wine": 0, "beer": 1}, "references")
    array([1, 0])
    >>> references(np.array([1, 0]), {"wine": 0, "beer": 1}, "references")
    array([1, 0])
    """
    given = labels if isinstance(labels, list | tuple) else checks.column(labels, name)
    if _are_codes(given, index):
        return codes(given, range(len(index)), name)
    return codes(given, tuple(index), name)


def rankings(values: Any, index: Mapping[Any, int], name: str) -> CodeArray:
    """Return the codes of many rankings, shape (n, r), -1 where a place names no category.

    values: (n, r) names, None where there is none; or, unless names are integers, codes, -1 where there is none.
    Unknown names count as none, but the first of each ranking must be known.

    Raises EvaluationError for a first place that is none, for codes outside -1 .. k - 1 and for another shape.
    O(n r).

    >>> rankings([["beer", "wine"], ["wine", None]], {"wine": 0, "beer": 1}, "rankings")
    array([[ 1,  0],
           [ 0, -1]])
    """
    array = _matrix(values, name, None if hasattr(values, "dtype") else object)
    if _are_codes(array[:, 0], index):
        found = array.astype(np.intp)
        bad = np.argwhere((found < -1) | (found >= len(index)))
        if bad.size:
            i, j = bad[0]
            raise EvaluationError(f"{name}[{i}, {j}] must be a code in -1 .. {len(index) - 1}, got {array[i, j]}")
    else:
        try:
            found = np.fromiter(map(index.get, array.ravel().tolist(), itertools.repeat(-1)), np.intp, array.size)
        except TypeError as error:
            raise EvaluationTypeError(f"{name} must hold names: {error}") from None
        found = found.reshape(array.shape)
    missing = np.flatnonzero(found[:, 0] < 0)
    if missing.size:
        i = missing[0]
        shown = checks.shown(array[i, 0])
        raise EvaluationError(f"{name}[{i}, 0] must be one of {listed(tuple(index))}, got {shown}")
    return found


def same_class(value: Any, model: Any, name: str) -> Any:
    """Return `value` if it is of the very class of `model`.  Raises EvaluationTypeError otherwise.

    >>> same_class(3, 4, "other")
    3
    """
    if type(value) is not type(model):
        raise EvaluationTypeError(f"{name} must be a {type(model).__name__}, got {checks.shown(value)}")
    return value


def with_attribute(value: Any, attribute: str, name: str) -> Any:
    """Return `value` if it has an attribute.  Raises EvaluationTypeError otherwise.

    >>> with_attribute("wine", "classify", "classifier")
    Traceback (most recent call last):
    evalcore.errors.EvaluationTypeError: classifier must have classify, got 'wine' (str)
    """
    if not hasattr(value, attribute):
        raise EvaluationTypeError(f"{name} must have {attribute}, got {checks.shown(value)}")
    return value


def inputs(values: Any, cases: int, name: str) -> list[Any]:
    """Return the objects that were classified, one for each case.  Raises EvaluationError for another number.  O(n).

    >>> inputs(None, 2, "inputs")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: inputs must be given, 2 of them, because this evaluator stores them
    """
    if values is None:
        raise EvaluationError(f"{name} must be given, {cases} of them, because this evaluator stores them")
    objects = list(values)
    if len(objects) != cases:
        raise EvaluationError(f"{name} must be one for each of {cases} cases, got {len(objects)}")
    return objects


def score_rows(values: Any, categories: int, name: str) -> ScoreArray:
    """Return scores of many cases by category, shape (n, k), float32 or float64, NaN where a case lacks one.

    Raises EvaluationError for another shape and for a case without any score, EvaluationTypeError for what are no
    numbers.  O(n k).

    >>> score_rows([[0.5, np.nan], [1, 2]], 2, "scores")
    array([[0.5, nan],
           [1. , 2. ]])
    """
    rows = _matrix(values, name)
    if rows.shape[1] != categories:
        raise EvaluationError(f"{name} must have a column for each of {categories} categories, got {rows.shape[1]}")
    if rows.dtype.kind not in "iuf":
        raise EvaluationTypeError(f"{name} must hold float64 or float32 numbers, got dtype {rows.dtype}")
    scores = rows.astype(np.result_type(rows.dtype, np.float32), copy=False)
    if np.isnan(np.min(scores, initial=0)):
        empty = np.isnan(scores).all(axis=1)
        if empty.any():
            raise EvaluationError(f"{name}[{empty.argmax()}] is all NaN; a case must have a score for some category")
    return scores


def distribution(columns: ScoreArray, name: str, tolerance: float) -> None:
    """Check probabilities of cases, (r, n), NaN where there is none: in 0 .. 1, with sums of about 1.

    Raises EvaluationError naming the first that is not, and for a tolerance that is negative or no number.  O(r n).

    >>> distribution(np.array([[0.5], [0.75]]), "probabilities", 0.01)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: probabilities must sum to 1 within 0.01, got 1.25
    """
    margin = checks.number(tolerance, "tolerance")
    if not margin >= 0:
        raise EvaluationError(f"tolerance must not be negative, got {margin}")
    _refuse((columns < 0) | (columns > 1), columns, name, "must be in 0 .. 1")
    totals: FloatArray = np.asarray(np.nansum(columns, axis=0, dtype=np.float64, keepdims=True))
    _refuse(~(np.abs(totals - 1) <= margin), totals, name, f"must sum to 1 within {margin}")


def log_probabilities(columns: ScoreArray, name: str) -> None:
    """Check logarithms of probabilities of cases, (r, n), NaN where there is none: none above 0, not all -inf.

    Raises EvaluationError naming the first that is not.  O(r n).

    >>> log_probabilities(np.array([[0.5], [-1.0]]), "log2JointProbs")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: log2JointProbs must be at most 0, got 0.5
    """
    _refuse(columns > 0, columns, name, "must be at most 0")
    largest = np.fmax.reduce(columns, axis=0, keepdims=True)
    _refuse(largest == -np.inf, largest, name, "must not all be -inf")


def _refuse(bad: Any, columns: ScoreArray, name: str, rule: str) -> None:
    """Raise for the first case with a bad value; a single case needs no index."""
    if bad.any():
        case = int(bad.any(axis=0).argmax())
        value = columns[int(bad[:, case].argmax()), case]
        where = f"{name}[{case}]" if columns.shape[1] > 1 else name
        raise EvaluationError(f"{where} {rule}, got {value}")


def _matrix(values: Any, name: str, dtype: Any = None) -> npt.NDArray[Any]:
    """Two-dimensional array with a column at least."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise EvaluationError(f"{name} holds masked cells; fill them first")
    try:
        array = np.asarray(values, dtype)
    except Exception as error:  # whatever the foreign object's own conversion raises
        raise EvaluationTypeError(f"{name} cannot be read as an array: {error}") from error
    if array.ndim != 2 or array.shape[1] == 0:
        raise EvaluationError(f"{name} must have a row for each case and at least one column, got shape {array.shape}")
    return array


def _are_codes(labels: Any, index: Mapping[Any, int]) -> bool:
    """Whether integers stand for codes: names are no integers then."""
    first = labels[0] if len(labels) else None
    return isinstance(first, int | np.integer) and not any(isinstance(name, int) for name in index)
