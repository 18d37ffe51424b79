"""Arrays that grow at their end, doubling their capacity."""

from typing import Any

import numpy as np
import numpy.typing as npt


class GrowingColumns:
    """Rows of equal length, (r, n), that take more columns, and widen their type if these need it."""

    __slots__ = ("_buffer", "size")

    def __init__(self, rows: int, dtype: npt.DTypeLike) -> None:
        self._buffer: npt.NDArray[Any] = np.empty((rows, 0), dtype)
        self.size = 0

    @property
    def values(self) -> npt.NDArray[Any]:
        """What is kept, shape (r, n).  O(1), a view."""
        return self._buffer[:, : self.size]

    def extend(self, columns: npt.NDArray[Any]) -> None:
        """Take the columns of (r, m).  The first ones are kept as they are, without a copy.  O(r m) amortised."""
        if columns.shape[1] == 0:
            return  # what is not there widens nothing
        self.reserve(columns)
        end = self.size + columns.shape[1]
        if self._buffer is not columns:
            self._buffer[:, self.size : end] = columns
        self.size = end

    def reserve(self, columns: npt.NDArray[Any]) -> None:
        """Get ready to take some columns, so that taking them cannot fail.  O(r n) where there is no capacity."""
        if columns.shape[1] == 0:
            return
        if self.size == 0:
            self._buffer = columns
            return
        end, capacity = self.size + columns.shape[1], self._buffer.shape[1]
        dtype = np.result_type(self._buffer, columns)
        if end > capacity or dtype != self._buffer.dtype:
            self._buffer = with_capacity(self.values, max(end, 2 * capacity) if end > capacity else capacity, dtype)

    def frozen(self) -> "GrowingColumns":
        """Return a view of what is kept now, which stays as it is.  O(1)."""
        view = GrowingColumns.__new__(GrowingColumns)
        view.__setstate__(self.values)
        return view

    def __getstate__(self) -> npt.NDArray[Any]:
        return self.values.copy()

    def __setstate__(self, values: npt.NDArray[Any]) -> None:
        self._buffer, self.size = values, values.shape[1]


def with_capacity(values: npt.NDArray[Any], capacity: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Copy an array (..., n) into one with capacity for more along its last axis.  O(n)."""
    grown = np.empty((*values.shape[:-1], capacity), dtype)
    grown[..., : values.shape[-1]] = values
    return grown
