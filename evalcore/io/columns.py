"""Columns of a table, found by name and turned into arrays."""

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError

Columns = dict[str, npt.NDArray[Any]]
"""One array of shape (n,) per name."""


def check_present(names: Sequence[str], present: Sequence[str]) -> None:
    """Raise EvaluationError if a name is not there exactly once, naming the near ones.

    >>> check_present(["lat"], ["late", "logistic"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: no column 'lat'; near names: 'late'
    >>> check_present(["a"], ["a", "a"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: 2 columns are called 'a'
    """
    for name in names:
        found = present.count(name)
        if found > 1:
            raise EvaluationError(f"{found} columns are called {name!r}")
        if found == 0:
            near = difflib.get_close_matches(name, present, n=5)
            hint = (
                f"near names: {', '.join(map(repr, near))}"
                if near
                else f"there are: {', '.join(map(repr, present[:20]))}"
            )
            raise EvaluationError(f"no column {name!r}; {hint}")


def arrays(table: Any, names: Sequence[str]) -> Columns:
    """Return columns of a pyarrow Table as arrays of shape (n,).  O(n).

    Raises EvaluationError for nulls, with their numbers and first indices.

    >>> import pyarrow
    >>> arrays(pyarrow.table({"a": [0.5, None, None]}), ["a"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nulls in column 'a': 2, the first at index 1
    """
    nulls = [
        f"column {name!r}: {column.null_count:,}, the first at index {int(np.argmax(column.is_null().to_numpy()))}"
        for name, column in zip(names, map(table.column, names), strict=True)
        if column.null_count
    ]
    if nulls:
        raise EvaluationError(f"nulls in {'; '.join(nulls)}")
    return {name: _array(table.column(name)) for name in names}


def _array(column: Any) -> npt.NDArray[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values: npt.NDArray[Any] = column.to_numpy()
    return values
