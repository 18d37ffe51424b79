"""Ratings of subjects by several raters, some of them missing, become codes of categories."""

from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, shown
from evalcore.typing import AnyArray, BoolArray, FloatArray, IntArray
from evalcore.validation.arrays import read_array
from evalcore.validation.categories import as_categories
from evalcore.validation.labels import encode_labels, is_text
from evalcore.validation.single_values import is_missing, is_number

_LARGEST = 2.0**200


class Ratings(NamedTuple):
    """What r raters said of n subjects."""

    codes: IntArray
    """The category of each rating, (n, r), -1 where it is missing."""
    categories: AnyArray
    """In their order, (q,)."""

    def finite_values(self, option: str) -> FloatArray:
        """Return the numbers that categories are, or 1, 2 … of texts, (q,).  O(q).

        Raises EvaluationError, which names the option that computes with them, for infinite numbers and those whose
        squares might leave float64.
        """
        numbers = numbers_of(self.categories)
        if not np.isfinite(numbers).all():
            first = numbers[~np.isfinite(numbers)][0]
            raise EvaluationError(f"ratings must be finite numbers for {option}, got {first}")
        if np.abs(numbers).max(initial=0) > _LARGEST:
            raise EvaluationError(
                f"ratings must be in -2**200 .. 2**200 for {option}, got {numbers[np.abs(numbers).argmax()]:g}; change "
                "their unit"
            )
        return numbers


def numbers_of(categories: AnyArray) -> FloatArray:
    """Return the numbers that categories (q,) are, or 1, 2 … if some are none.  O(q)."""
    if is_text(categories) and not (categories.dtype.kind == "O" and all(map(is_number, categories.tolist()))):
        return np.arange(1.0, categories.size + 1)
    return categories.astype(np.float64)


def as_ratings(values: Any, categories: Any) -> Ratings:
    """Return ratings as codes; None, NaN and the like are missing.  O(n r), of many numbers O(n r log n r).

    values: (n, r) of numbers or texts; categories: all that there are in their order, or None for those given.
    """
    array = _read(values)
    rated = ~_missing(array)
    found, codes_of_rated = encode_labels(array[rated])
    codes = np.full(array.shape, -1, np.int64)
    if categories is None:
        codes[rated] = codes_of_rated
        return Ratings(codes, found)
    names = as_categories(categories, "categories")
    index = {name: code for code, name in enumerate(names)}
    codes[rated] = np.array([index.get(label, -1) for label in found.tolist()], np.int64)[codes_of_rated]
    unknown = rated & (codes < 0)
    if unknown.any():
        row, column = divmod(int(unknown.argmax()), array.shape[1])
        raise EvaluationError(
            f"ratings[{row}, {column}] must be one of categories, got {shown(array.item(row, column))}; add it to them"
        )
    column_of_names = np.empty(len(names), object)
    column_of_names[:] = names
    return Ratings(codes, column_of_names)


def _read(values: Any) -> AnyArray:
    """Return the array (n, r), r at least 2."""
    array = read_array(values, "ratings")
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = read_array(values, "ratings", object)  # NumPy has made texts of NaN and of numbers beside texts
    if array.ndim != 2 or array.shape[1] < 2:
        raise EvaluationError(
            "ratings must have a row for each subject and a column for each of at least two raters, got shape "
            f"{array.shape}"
        )
    if array.dtype.kind not in "biufUSO":
        raise EvaluationError(f"ratings must hold numbers or texts, got dtype {array.dtype}")
    return array


def _missing(array: AnyArray) -> BoolArray:
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype.kind == "O":
        return np.fromiter(map(is_missing, array.ravel().tolist()), np.bool_, array.size).reshape(array.shape)
    return np.zeros(array.shape, np.bool_)
