"""Columns of a table, found by name and turned into arrays."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError, at_index, did_you_mean
from evalcore.optional import require

Columns = dict[str, npt.NDArray[Any]]
"""One array of shape (n,) per name."""


class Selection(NamedTuple):
    """Columns to read: some by their names, and those whose names begin with a prefix."""

    names: tuple[str, ...]
    prefix: str | None = None
    as_text: bool = False
    """Whether cells are strings or lists of them, and nothing is no names rather than an error."""
    scores: tuple[str, ...] = ()
    """Those of the names that hold scores."""
    text: tuple[str, ...] = ()
    """Those of the names that are read as text, whatever their types; in CSV all are but scores."""

    def holds_scores(self, name: str) -> bool:
        """Whether a column holds scores: it is named so, or has the prefix.  O(names).

        >>> selection = Selection(("late", "model"), "p_", scores=("model",))
        >>> [selection.holds_scores(name) for name in ("late", "model", "p_a")]
        [False, True, True]
        """
        prefixed = self.prefix is not None and name.startswith(self.prefix) and name not in self.names
        return name in self.scores or prefixed


def chosen(selection: Selection, present: Sequence[str]) -> list[str]:
    """Return the names of the columns to read, each once.

    Raises EvaluationError if a name is not there exactly once, naming the near ones, or none has the prefix.

    >>> chosen(Selection(("late",), "p_"), ["p_a", "late", "p_b"])
    ['late', 'p_a', 'p_b']
    >>> chosen(Selection(("lat",)), ["late", "logistic"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: no column 'lat'; did you mean 'late'?
    >>> chosen(Selection(("a",)), ["a", "a"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: 2 columns are called 'a'
    """
    names = list(selection.names)
    if selection.prefix is not None:
        prefixed = [name for name in present if name.startswith(selection.prefix)]
        if not prefixed:
            raise EvaluationError(f"no column begins with {selection.prefix!r}; {_there_are(present)}")
        names += prefixed
    for name in names:
        found = present.count(name)
        if found > 1:
            raise EvaluationError(f"{found} columns are called {name!r}")
        if found == 0:
            raise EvaluationError(f"no column {name!r}{did_you_mean(name, present) or '; ' + _there_are(present)}")
    return list(dict.fromkeys(names))


def _there_are(present: Sequence[str]) -> str:
    return f"there are: {', '.join(map(repr, present[:20]))}"


def arrays(table: Any, names: Sequence[str]) -> Columns:
    """Return columns of a pyarrow Table as arrays of shape (n,).  O(n).

    Raises EvaluationError for nulls, with their numbers and first indices.

    >>> import pyarrow
    >>> arrays(pyarrow.table({"a": [0.5, None, None]}), ["a"])
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nulls in column 'a': 2, the first at index 1 (from 0)
    """
    nulls = [
        f"column {name!r}: {column.null_count:,}, the first {at_index(int(np.argmax(column.is_null().to_numpy())))}"
        for name, column in zip(names, map(table.column, names), strict=True)
        if column.null_count
    ]
    if nulls:
        raise EvaluationError(f"nulls in {'; '.join(nulls)}")
    return {name: _array(table.column(name)) for name in names}


def text_arrays(table: Any, names: Sequence[str]) -> Columns:
    """Return columns of a pyarrow Table as arrays of strings or lists, None for nulls; shape (n,).  O(n).

    >>> import pyarrow
    >>> text_arrays(pyarrow.table({"a": [["x", "y"], None], "b": [1, 2]}), ["a", "b"])
    {'a': array([list(['x', 'y']), None], dtype=object), 'b': array(['1', '2'], dtype=object)}
    """
    pa = require("pyarrow", "report")
    columns = {}
    for name in names:
        column = table.column(name)
        if pa.types.is_struct(column.type) or pa.types.is_map(column.type):
            raise EvaluationError(f"column {name!r} holds {column.type}, where cells are strings or lists of them")
        cells = (column if pa.types.is_nested(column.type) else spelled(column)).to_pylist()
        columns[name] = np.fromiter(cells, object, len(cells))
    return columns


def spelled(column: Any) -> Any:
    """Return a pyarrow array or chunked array as strings.  O(n).

    >>> import pyarrow
    >>> spelled(pyarrow.array([1, 20]).dictionary_encode()).to_pylist()
    ['1', '20']
    """
    pa = require("pyarrow", "report")

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string())


def _array(column: Any) -> npt.NDArray[Any]:
    pa = require("pyarrow", "report")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        column = column.cast(pa.string())  # what is not UTF-8 raises
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _strings(column)
    values: npt.NDArray[Any] = column.to_numpy()
    return values


def _strings(column: Any) -> npt.NDArray[Any]:
    """Return a chunked array of strings as objects, one for equal strings: labels and groups are few."""
    encoded = column.dictionary_encode().unify_dictionaries()
    values = np.empty(len(encoded), object)
    if encoded.num_chunks:
        strings = encoded.chunk(0).dictionary.to_numpy(zero_copy_only=False)
        ends = np.cumsum([len(chunk) for chunk in encoded.chunks])
        for chunk, end in zip(encoded.chunks, ends, strict=True):
            values[end - len(chunk) : end] = strings[chunk.indices.to_numpy()]
    return values
