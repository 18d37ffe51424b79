"""Groups of rows that come in batches, numbered in the order of their first rows."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.io.columns import column_arrays, numbers_of_array
from evalcore.optional import require
from evalcore.report.groups import check_number_of_groups, group_names, largest_first
from evalcore.report.inputs import group_labels
from evalcore.typing import IntArray
from evalcore.validation.labels import encode_labels


class GroupCodes:
    """The groups of a column, at most `most`, each with a code from 0 on.

    >>> import pyarrow
    >>> groups = GroupCodes("carrier", 10)
    >>> groups.codes(pyarrow.array(["b", "a", "b"])), groups.codes(pyarrow.array(["c", "a"]))
    (array([0, 1, 0], dtype=int32), array([2, 1], dtype=int32))
    >>> groups.ordered(np.array([2, 2, 1]))
    {'a': 1, 'b': 0, 'c': 2}
    """

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._codes: dict[Any, int] = {}
        self._dtype = np.dtype(np.object_)

    @property
    def keys(self) -> list[Any]:
        """The values of the groups, by code: strings, integers, Booleans or floats."""
        return list(self._codes)

    @property
    def dtype(self) -> str:
        """NumPy's name of the type that the keys come from."""
        return self._dtype.str

    def restore(self, keys: list[Any], dtype: str) -> None:
        """Take keys and their type in place of all groups.  O(g)."""
        self._codes = {key: code for code, key in enumerate(keys)}
        self._dtype = np.dtype(dtype)

    def codes(self, column: Any, first: int = 0) -> IntArray:
        """Return the codes of the rows of a pyarrow array without nulls, (n,) int32.  O(n).

        first: the index of the first row, for errors.  Raises EvaluationError for values that cannot be groups, and for
        too many groups.
        """
        pa = require("pyarrow", "report")
        name = self._name
        if pa.types.is_floating(column.type) or pa.types.is_nested(column.type):
            group_labels(column_arrays(pa.table({name: column}), [name])[name], name, first)
        encoded = column.dictionary_encode()
        labels = group_labels(column_arrays(pa.table({name: encoded.dictionary}), [name])[name], name, first)
        self._dtype = labels.dtype
        known = len(self._codes)
        code_of = np.fromiter(
            (self._codes.setdefault(key, len(self._codes)) for key in _hashable_labels(labels)), np.int32
        )
        if len(self._codes) > known:
            check_number_of_groups(len(self._codes), name, self._most, "at least ")
        codes: IntArray = code_of[numbers_of_array(encoded.indices)]
        return codes

    def ordered(self, sizes: IntArray) -> dict[str, int]:
        """Return codes by name, the largest of the sizes (g,) first, equal ones by their labels.  O(g log g)."""
        if not self._codes:
            return {}
        labels, indices = encode_labels(_labels_from(self.keys, self._dtype))
        code_of = np.empty(indices.size, np.int64)
        code_of[indices] = np.arange(indices.size)
        order = largest_first(sizes[code_of], labels)
        return dict(zip(group_names(labels[order]), code_of[order].tolist(), strict=True))


def _hashable_labels(labels: npt.NDArray[Any]) -> list[Any]:
    """Return labels as objects that can be hashed and saved.  O(g)."""
    keys: list[Any] = (labels.view(np.int64) if labels.dtype.kind == "M" else labels).tolist()
    return keys


def _labels_from(keys: list[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return keys as the labels that they come from, (g,).  O(g)."""
    if dtype.kind == "M":
        return np.array(keys, np.int64).view(dtype)
    labels = np.empty(len(keys), dtype)
    labels[:] = keys
    return labels
