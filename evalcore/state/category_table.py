"""The table of counts by category."""

import numpy as np

from evalcore.typing import IntArray


class CategoryTable:
    """Counts by reference (rows) and response (columns) that grow, and their total.

    The total stays within int64, so that no sum of cells overflows: the door sees to that.

    >>> table = CategoryTable(np.array([[3, 1], [2, 4]]))
    >>> table.add_to_cell((0, 1), 5)
    >>> table.total
    15
    """

    __slots__ = ("counts", "total")

    def __init__(self, counts: IntArray) -> None:
        self.counts = counts
        self.total = int(counts.sum())

    def add(self, counts: IntArray) -> None:
        """Add the counts of more cases, shape (k, k): of a batch, or of another table.  O(k²).

        >>> CategoryTable(np.zeros((1, 1), np.int64)).add(np.array([[3]]))
        """
        self.total += int(counts.sum())
        np.add(self.counts, counts, out=self.counts)

    def add_to_cell(self, cell: tuple[int, int], change: int) -> None:
        """Add cases of one reference and response, or take some away.  O(1).

        >>> CategoryTable(np.array([[3]])).add_to_cell((0, 0), -1)
        """
        self.total += change
        self.counts[cell] += change

    def snapshot(self) -> IntArray:
        """Return a copy of the counts that cannot be written to.  O(k²).

        >>> CategoryTable(np.array([[3]])).snapshot()
        array([[3]])
        """
        counts = self.counts.copy()
        counts.flags.writeable = False
        return counts
