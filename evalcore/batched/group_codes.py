"""Groups of rows that come in batches, numbered in the order of their first batches."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.batched.rows import batch_values
from evalcore.io.columns import numbers_of_array
from evalcore.io.libraries import pa
from evalcore.report.inputs import group_labels
from evalcore.report.statistics.groups import (
    GroupColumn,
    check_number_of_groups,
    combinations,
    group_names,
    large_groups,
)
from evalcore.typing import IntArray
from evalcore.validation.labels import encode_labels


class GroupCodes:
    """The groups of some columns, at most `most`, each with a code from 0 on.

    >>> import pyarrow
    >>> groups = GroupCodes(["carrier"], 10)
    >>> groups.codes([pyarrow.array(["b", "a", "b"])]), groups.codes([pyarrow.array(["c", "a"])])
    (array([0, 1, 0], dtype=int32), array([2, 1], dtype=int32))
    >>> groups.ordered(np.array([2, 2, 1]))
    {'a': 1, 'b': 0, 'c': 2}
    """

    def __init__(self, names: Sequence[str], most: int) -> None:
        self._names = names
        self._most = most
        self._columns = list(map(_ColumnCodes, names))
        self._codes: dict[tuple[int, ...], int] = {}
        """By the codes of the columns."""
        self.notes: Sequence[str] = ()
        """What a reader must know of the groups that were ordered."""

    def __len__(self) -> int:
        return len(self._codes)

    def codes(self, columns: Sequence[Any], first: int = 0) -> IntArray:
        """Return the codes of the rows of pyarrow arrays without nulls, (n,) int32.  O(n), several O(n log n).

        first: the index of the first row, for errors.  Raises EvaluationError for values that cannot be groups, and for
        too many groups.
        """
        known = len(self._codes)
        of_rows = [codes.codes(column, first) for codes, column in zip(self._columns, columns, strict=True)]
        numbers, of_columns = combinations(of_rows, list(map(len, self._columns)))
        combined = zip(*(codes.tolist() for codes in of_columns), strict=True)
        code_of: Any = np.fromiter((self._codes.setdefault(codes, len(self._codes)) for codes in combined), np.int32)
        if len(self._codes) > known:
            check_number_of_groups(len(self._codes), self._names, self._most, "at least ")
        codes: IntArray = code_of[numbers]
        return codes

    def ordered(self, sizes: IntArray, min_cases: int | None = None) -> dict[str, int]:
        """Return codes by name, the largest of the sizes (g,) first, equal ones by their labels.  O(g log g).

        min_cases: groups of fewer are left out, as `large_groups` does; `notes` then says so.
        """
        if not self._codes:
            return {}
        columns = [
            GroupColumn(labels, ranks[list(codes)])
            for (labels, ranks), codes in zip(
                (column.ascending() for column in self._columns), zip(*self._codes, strict=True), strict=True
            )
        ]
        order, self.notes = large_groups(sizes, columns, min_cases)
        return dict(zip(group_names(columns, order), order.tolist(), strict=True))


class _ColumnCodes:
    """The values of one column, each with a code from 0 on."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._codes: dict[Any, int] = {}
        """By values: strings, integers, Booleans or floats."""
        self._dtype = np.dtype(np.object_)
        """The type that the values come from."""

    def __len__(self) -> int:
        return len(self._codes)

    def codes(self, column: Any, first: int) -> IntArray:
        """Return the codes of the rows of a pyarrow array, (n,) int32; see `GroupCodes.codes`.  O(n)."""
        name = self._name
        if pa.types.is_floating(column.type) or pa.types.is_nested(column.type):
            group_labels(batch_values(column, name), name, first)
        encoded = column.dictionary_encode()
        labels = group_labels(batch_values(encoded.dictionary, name), name, first)
        self._dtype = labels.dtype
        code_of = np.fromiter(
            (self._codes.setdefault(key, len(self._codes)) for key in _hashable_labels(labels)), np.int32
        )
        codes: IntArray = code_of[numbers_of_array(encoded.indices)]
        return codes

    def ascending(self) -> tuple[npt.NDArray[Any], IntArray]:
        """Return the values, (k,), ascending, and the rank of each by code, (k,).  O(k log k)."""
        return encode_labels(_labels_from(list(self._codes), self._dtype))


def _hashable_labels(labels: npt.NDArray[Any]) -> list[Any]:
    """Return labels as objects that can be hashed.  O(g)."""
    keys: list[Any] = (labels.view(np.int64) if labels.dtype.kind == "M" else labels).tolist()
    return keys


def _labels_from(keys: list[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return keys as the labels that they come from, (g,).  O(g)."""
    if dtype.kind == "M":
        return np.array(keys, np.int64).view(dtype)
    labels = np.empty(len(keys), dtype)
    labels[:] = keys
    return labels
