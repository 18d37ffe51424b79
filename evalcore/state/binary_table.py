"""The 2x2 table of counts."""

from evalcore.kernels.tables import BinaryCounts


class BinaryTable:
    """Counts tp, fn, fp, tn that grow.  They are Python's integers: nothing overflows."""

    __slots__ = ("counts",)

    def __init__(self, counts: BinaryCounts) -> None:
        self.counts = counts

    def add(self, counts: BinaryCounts) -> None:
        """Add the counts of more cases: of a batch, or of another table.  O(1)."""
        tp, fn, fp, tn = self.counts
        self.counts = BinaryCounts(tp + counts.tp, fn + counts.fn, fp + counts.fp, tn + counts.tn)
