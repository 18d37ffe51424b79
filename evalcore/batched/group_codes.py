"""Groups that are met batch after batch, numbered in the order in which they come."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.io.columns import arrays
from evalcore.optional import require
from evalcore.report.groups import check_number_of_groups, largest_first, names_of
from evalcore.report.inputs import group_labels
from evalcore.typing import IntArray
from evalcore.validation.labels import encode_labels


class GroupCodes:
    """The groups of a column, each with a code from 0 on.

    Parameters
    ----------
    name : str
        The column.
    most : int
        As many groups.

    Examples
    --------
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
        """What stands in the column, by the codes: strings, integers, Booleans or floats.

        >>> GroupCodes("carrier", 10).keys
        []
        """
        return list(self._codes)

    @property
    def dtype(self) -> str:
        """NumPy's name of what the keys are made of.

        >>> GroupCodes("carrier", 10).dtype
        '|O'
        """
        return self._dtype.str

    def restore(self, keys: list[Any], dtype: str) -> None:
        """Take the groups of another time.  O(g).

        >>> groups = GroupCodes("carrier", 10)
        >>> groups.restore(["b"], "|O")
        >>> groups.keys
        ['b']
        """
        self._codes = {key: code for code, key in enumerate(keys)}
        self._dtype = np.dtype(dtype)

    def codes(self, column: Any, first: int = 0) -> IntArray:
        """Return the codes of the rows of a pyarrow array without nulls, (n,) int32.  O(n).

        first: the index of the first row, for errors.  Raises EvaluationError for what makes no groups, and for more
        groups than were asked for.

        >>> import pyarrow
        >>> GroupCodes("month", 10).codes(pyarrow.array([0.5]), 70)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'month' holds 0.5 at index 70 (from 0), where groups are names, \
whole numbers or dates
        """
        pa = require("pyarrow", "report")
        name = self._name
        if pa.types.is_floating(column.type) or pa.types.is_nested(column.type):
            group_labels(arrays(pa.table({name: column}), [name])[name], name, first)
        encoded = column.dictionary_encode()
        labels = group_labels(arrays(pa.table({name: encoded.dictionary}), [name])[name], name, first)
        self._dtype = labels.dtype
        known = len(self._codes)
        places = np.fromiter((self._codes.setdefault(key, len(self._codes)) for key in _keys(labels)), np.int32)
        if len(self._codes) > known:
            check_number_of_groups(len(self._codes), name, self._most, "at least ")
        codes: IntArray = places[encoded.indices.to_numpy(zero_copy_only=False)]
        return codes

    def ordered(self, sizes: IntArray) -> dict[str, int]:
        """Return the codes by the names of the groups, the largest group first, groups of a size by their labels.

        sizes: rows of each group, (g,).  O(g log g).

        >>> GroupCodes("carrier", 10).ordered(np.array([], np.int64))
        {}
        """
        if not self._codes:
            return {}
        labels, places = encode_labels(_labels(self.keys, self._dtype))
        code_of = np.empty(places.size, np.int64)
        code_of[places] = np.arange(places.size)
        order = largest_first(sizes[code_of], labels)
        return dict(zip(names_of(labels[order]), code_of[order].tolist(), strict=True))


def _keys(labels: npt.NDArray[Any]) -> list[Any]:
    """Return labels as what can be hashed and saved."""
    keys: list[Any] = (labels.view(np.int64) if labels.dtype.kind == "M" else labels).tolist()
    return keys


def _labels(keys: list[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if dtype.kind == "M":
        return np.array(keys, np.int64).view(dtype)
    labels = np.empty(len(keys), dtype)
    labels[:] = keys
    return labels
