"""The 2x2 table of counts."""

from evalcore.kernels.tables import BinaryCounts


class BinaryTable:
    """Counts tp, fn, fp, tn that grow.  They are Python's integers: nothing overflows.

    >>> table = BinaryTable(BinaryCounts(1, 2, 3, 4))
    >>> table.add(BinaryCounts(tp=1, fn=0, fp=0, tn=0))
    >>> table.counts
    BinaryCounts(tp=2, fn=2, fp=3, tn=4)
    """

    __slots__ = ("counts",)

    def __init__(self, counts: BinaryCounts) -> None:
        self.counts = counts

    def add(self, counts: BinaryCounts) -> None:
        """Add the counts of more cases: of a batch, or of another table.  O(1).

        >>> BinaryTable(BinaryCounts(0, 0, 0, 0)).add(BinaryCounts(1, 0, 0, 0))
        """
        tp, fn, fp, tn = self.counts
        self.counts = BinaryCounts(tp + counts.tp, fn + counts.fn, fp + counts.fp, tn + counts.tn)
