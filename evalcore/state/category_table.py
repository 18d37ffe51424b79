"""The table of counts by category."""

import copy

import numpy as np

from evalcore.typing import IntArray


class CategoryTable:
    """Counts by reference (rows) and response (columns) that grow; validation keeps the total within int64."""

    __slots__ = ("counts", "total")

    def __init__(self, counts: IntArray) -> None:
        self.counts = counts
        self.total = int(counts.sum())

    def add(self, counts: IntArray) -> None:
        """Add the counts of more cases, shape (k, k): of a batch, or of another table.  O(k²)."""
        self.total += int(counts.sum())
        np.add(self.counts, counts, out=self.counts)

    def add_to_cell(self, cell: tuple[int, int], change: int) -> None:
        """Add cases of one reference and response, or take some away.  O(1)."""
        self.total += change
        self.counts[cell] += change

    def snapshot(self) -> IntArray:
        """Return a copy of the counts that cannot be written to.  O(k²)."""
        counts = self.counts.copy()
        counts.flags.writeable = False
        return counts

    def frozen(self) -> "CategoryTable":
        """Return this table as it is now.  O(k²)."""
        view = copy.copy(self)
        view.counts = self.counts.copy()
        return view
