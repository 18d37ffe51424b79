"""What an engine does with columns in partitions, for the statistics of this package."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from evalcore.distributed.partitions.range_counts import RangeContext
from evalcore.distributed.partitions.sorted_partitions import PartitionCases


class RangeMeasure(Protocol):
    """What is to be known of each range of scores, and of all of them."""

    @property
    def needs_context(self) -> bool:
        """Whether a range must know how many cases are in others."""

    def of_range(self, pieces: list[PartitionCases], context: RangeContext | None) -> Any:
        """Measure a range: its cases from all partitions, and its context if it needs one.  O(n log n)."""

    def merge(self, measured: list[Any]) -> Any:
        """Merge what was measured of all ranges, highest first.  O(ranges)."""


class PartitionedColumns(Protocol):
    """Columns of equal length in partitions: two, and weights if cases have some.

    Functions that are called with the columns of a partition take a list of them, (n,) each, their names, and `more`.
    They run where the partition is; an error of this package that one raises begins with the number of the partition,
    from 0, and is raised again here.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, for errors."""

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""

    def selected(self, select: Callable[[list[Any]], list[Any]], names: tuple[str, ...]) -> Self:
        """Return what a function makes of the columns of each partition; names: of the columns that it returns."""

    def samples(self, cases: int, function: Callable[..., Any], *more: Any) -> list[Any]:
        """Call a function with about so many cases in all, from all partitions; return what it returned."""

    def merged(self, name: str, function: Callable[..., Any], merge: Callable[[list[Any]], Any], *more: Any) -> Any:
        """Call a function with each partition, and merge what it returned, a few at a time.

        name: what dashboards show; merge: takes a list of results, merged or not.
        """

    def exchanged(
        self, name: str, buckets: int, part: Callable[..., list[Any]], join: Callable[[list[Any]], Any], *more: Any
    ) -> list[Any]:
        """Part each partition among buckets, and join what each bucket got; return what that returned, by bucket.

        part: called with each partition, returns an item for each bucket; join: takes the items of one bucket.
        """

    def measured(self, pos_label: Any, measure: RangeMeasure) -> Any:
        """Bring all cases into ranges of scores, measure each where it is, and merge what was measured."""

    def curve(self, pos_label: Any, measure: RangeMeasure, names: Sequence[str]) -> Any:
        """Return all points of a curve as a data frame of the engine, which computes them when it is computed.

        measure: of `CurvePoints`; names: of the frame's columns, in their order.
        """
