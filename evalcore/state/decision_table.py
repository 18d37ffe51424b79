"""Decisions on categories, counted per category and pooled."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evalcore.kernels.decisions import DecisionCounts
from evalcore.kernels.tables import BinaryCounts, counts_from_margins
from evalcore.typing import IntArray


class PooledTable(NamedTuple):
    """The four cells of the table of all categories, which may be fractions where people set them."""

    tp: int | float
    fn: int | float
    fp: int | float
    tn: int | float


class DecisionTable:
    """Counts per category that grow, and a pooled table that grows with them but can be set by itself.

    What it holds is replaced, not changed, so that a shallow copy stays as it is.

    The pooled table holds Python's numbers, tp, fn, fp, tn: nothing overflows, and fractions may be set.
    """

    __slots__ = ("counts", "documents", "pooled")

    def __init__(self, categories: int) -> None:
        self.counts = DecisionCounts(*np.zeros((3, categories), np.int64))
        self.documents = 0
        self.pooled = PooledTable(0, 0, 0, 0)

    def add(self, counts: DecisionCounts, documents: int) -> None:
        """Add the decisions on some documents.  O(k)."""
        both, assigned, correct = (int(count.sum()) for count in counts)
        self._pool(counts_from_margins(both, correct, assigned, documents * counts.both.size))
        self._count(counts, documents)

    def merge(self, other: "DecisionTable", codes: list[int]) -> None:
        """Add another table, whose categories have the codes `codes` here.  O(k)."""
        self._pool(other.pooled)
        ours = np.argsort(codes)
        self._count(DecisionCounts(*(count[ours] for count in other.counts)), other.documents)

    def of_category(self, code: int) -> BinaryCounts:
        """Return the table of one category.  O(1)."""
        both, assigned, correct = (int(count[code]) for count in self.counts)
        return counts_from_margins(both, correct, assigned, self.documents)

    def of_categories(self) -> dict[str, IntArray]:
        """Return the cells tp, fn, fp, tn of all categories, (k,) int64 each.  O(k)."""
        both, assigned, correct = self.counts
        tables = counts_from_margins(both, correct, assigned, self.documents)
        return tables._asdict()

    def _pool(self, counts: Sequence[int | float]) -> None:
        self.pooled = PooledTable(*(kept + more for kept, more in zip(self.pooled, counts, strict=True)))

    def _count(self, counts: DecisionCounts, documents: int) -> None:
        self.counts = DecisionCounts(*(kept + more for kept, more in zip(self.counts, counts, strict=True)))
        self.documents += documents
