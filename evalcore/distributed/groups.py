"""Groups of cases in partitions: which there are, and the statistics of each, counted where its cases are brought.

The cases of a group are brought together, in arrays, among those of other groups of its bucket.  Groups that are too
large for that are named, so that each may be evaluated as if it were all cases.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.distributed.partitions import checked_partition
from evalcore.errors import check
from evalcore.evaluation.inputs import coded_column, group_labels
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.model import Columns
from evalcore.evaluation.statistics.groups import GroupedRows, check_number_of_groups, columns_text, combinations
from evalcore.evaluation.statistics.scores import columns_of_groups
from evalcore.evaluation.statistics.tallies import Asked
from evalcore.evaluation.weighting import Weighting, weights_of_rows
from evalcore.kernels.grouping import group_layout, rows_of_groups
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray
from evalcore.validation.arrays import Cases, as_column
from evalcore.validation.labels import check_not_missing, encode_labels
from evalcore.validation.weights import as_case_weights

LARGEST_TOGETHER = 1 << 24
"""Rows of the largest group that one task takes: they and their labels are 144 MB."""
_CASES_OF_A_BUCKET = 1 << 19
_MOST_BUCKETS = 1 << 10
_MEASURED = Measures(("roc_auc", "average_precision", "maximum_f1"))


class GroupTable(NamedTuple):
    """Groups, and how many cases each has."""

    labels: tuple[npt.NDArray[Any], ...]
    """What each column of groups holds in each group, (g,) of each column."""
    sizes: IntArray
    """Cases of each group, or the sum of their frequencies, (g,)."""
    rows: IntArray
    """How many rows of the data these are, (g,)."""


class GroupsOfPartitions(NamedTuple):
    """What tells the groups of the cases in partitions, whose last columns are those of groups."""

    names: tuple[str, ...]
    """The columns of groups."""
    most: int
    """Number of groups allowed."""
    of_frequencies: bool = False
    """Whether the weights of cases are how often they occurred."""

    def counted(self, columns: Sequence[Any], names: Sequence[str]) -> GroupTable:
        """Count the cases of each group of a partition.  O(n log n).

        Raises EvaluationError for values that cannot be groups, and for too many groups.
        """
        cases, groups = self.parted(columns)
        ones = np.ones(groups[0].size, np.int64)
        if len(cases) < 3:
            return self._table(groups, ones, ones)
        weights = as_case_weights(cases[2], len(cases[2]), names[2], whole=self.of_frequencies, zeros=True)
        present = weights > 0
        rows = ones[present]
        return self._table([each[present] for each in groups], weights[present] if self.of_frequencies else rows, rows)

    def merge(self, tables: list[GroupTable]) -> GroupTable:
        """Add up the groups of several partitions; raises as `counted`.  O(g log g)."""
        present = [table for table in tables if table.sizes.size] or tables[:1]
        labels = list(map(np.concatenate, zip(*(table.labels for table in present), strict=True)))
        sizes, rows = (np.concatenate([table[field] for table in present]) for field in (1, 2))
        return self._table(labels, sizes, rows)

    def parted(self, columns: Sequence[Any]) -> tuple[list[Any], list[npt.NDArray[Any]]]:
        """Return the columns of cases and those of groups, (n,) each.  O(n)."""
        split = len(columns) - len(self.names)
        of_groups = zip(columns[split:], self.names, strict=True)
        return list(columns[:split]), [as_column(column, f"column {name!r}") for column, name in of_groups]

    def coded(self, groups: Sequence[npt.NDArray[Any]]) -> tuple[tuple[npt.NDArray[Any], ...], IntArray]:
        """Return the labels of the groups that occur, (g,) of each column, and the group of each row, (n,).

        O(n log n); raises as `counted`.
        """
        pairs = list(zip(groups, self.names, strict=True))
        for column, name in pairs:
            check_not_missing(column, f"column {name!r}")
        labels, codes = zip(*(coded_column(group_labels(column, name), name) for column, name in pairs), strict=True)
        numbers, of_columns = combinations(codes, [each.size for each in labels])
        return tuple(each[chosen] for each, chosen in zip(labels, of_columns, strict=True)), numbers

    def _table(self, groups: Sequence[npt.NDArray[Any]], *counts: IntArray) -> GroupTable:
        """Add up counts, (n,) each, of rows of equal groups."""
        if not groups[0].size:
            return GroupTable(tuple(groups), *np.zeros((2, 0), np.int64))
        labels, numbers = self.coded(groups)
        check_number_of_groups(labels[0].size, self.names, self.most, "at least ")
        sums = np.zeros((2, labels[0].size), np.int64)
        for total, each in zip(sums, counts, strict=True):
            np.add.at(total, numbers, each)  # bincount would add up floats
        return GroupTable(labels, *sums)


class GroupedCases(NamedTuple):
    """Cases of some groups."""

    groups: IntArray
    """Number of the group of each case, shape (n,)."""
    correct: BoolArray
    scores: ScoreArray
    weights: AnyArray | None


class GroupNumbers(NamedTuple):
    """The number of each group by its labels, and the bucket to which its cases go."""

    groups: GroupsOfPartitions
    dtypes: tuple[np.dtype[Any], ...]
    """Of the labels of each column: dates may have other units in some partitions."""
    number_of: dict[tuple[Any, ...], int]
    bucket_of: IntArray
    """By number, -1 for groups that no bucket takes, (g,)."""
    buckets: int

    def numbers(self, groups: Sequence[npt.NDArray[Any]]) -> IntArray:
        """Return the number of the group of each row, (n,); -1 where all its cases have weight zero.  O(n log n)."""
        labels, codes = self.groups.coded(groups)
        number_of: Any = np.array([self.number_of.get(key, -1) for key in _keys(labels, self.dtypes)], np.int32)
        return np.asarray(number_of[codes])

    def part(self, columns: Sequence[Any], names: Sequence[str], pos_label: Any) -> list[GroupedCases]:
        """Check the cases of a partition, and part them among buckets.  O(n log n)."""
        cases, groups = self.groups.parted(columns)
        correct, scores, weights = checked_partition(cases, names[: len(cases)], pos_label)
        if len(cases) > 2:
            present = np.asarray(cases[2]) > 0
            groups = [column[present] for column in groups]
        if not scores.size:
            return [GroupedCases(np.zeros(0, np.int32), correct, scores, weights)] * self.buckets
        numbers = self.numbers(groups)
        rule, unknown = "hold the same groups whenever the data are computed", "some that were not counted"
        check((numbers >= 0).all(), columns_text(self.groups.names), rule, f"{unknown}; write the data first")
        layout = group_layout(self.bucket_of[numbers] + 1, self.buckets + 1)
        place = {bucket - 1: index for index, bucket in enumerate(layout.groups.tolist())}

        def of_bucket(bucket: int) -> GroupedCases:
            index = place.get(bucket)
            own = slice(0) if index is None else rows_of_groups(layout, slice(index, index + 1))
            return GroupedCases(numbers[own], correct[own], scores[own], None if weights is None else weights[own])

        return list(map(of_bucket, range(self.buckets)))

    def of_group(self, columns: Sequence[Any], number: int) -> list[Any]:
        """Return the columns of the cases of one group, (m,) each.  O(n log n)."""
        cases, groups = self.groups.parted(columns)
        own = self.numbers(groups) == number if groups[0].size else np.zeros(0, np.bool_)
        return [np.asarray(column)[own] for column in cases]


def number_groups(table: GroupTable, groups: GroupsOfPartitions) -> GroupNumbers:
    """Share groups out among buckets of about equally many cases, the largest groups first.  O(g log g)."""
    together = table.rows <= LARGEST_TOGETHER
    count = max(min(-(-int(table.rows[together].sum()) // _CASES_OF_A_BUCKET), _MOST_BUCKETS), 1)
    forth = np.argsort(-np.where(together, table.rows, 0), kind="stable").argsort() % (2 * count)
    buckets = np.where(together, np.minimum(forth, 2 * count - 1 - forth), -1)  # there and back again
    dtypes = tuple(labels.dtype for labels in table.labels)
    number_of = {key: number for number, key in enumerate(_keys(table.labels, dtypes))}
    return GroupNumbers(groups, dtypes, number_of, buckets, count)


def _keys(labels: Sequence[npt.NDArray[Any]], dtypes: Sequence[np.dtype[Any]]) -> list[tuple[Any, ...]]:
    """Return the labels of each group, (g,) of each column, as keys; dates in the units of the dtypes.  O(g)."""
    columns = (each.astype(dtype) if dtype.kind == "M" else each for each, dtype in zip(labels, dtypes, strict=True))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def measure_groups(weighting: Weighting, parts: list[GroupedCases]) -> tuple[IntArray, Columns]:
    """Return the numbers of the groups of a bucket, (m,), and their statistics; parts: some cases each.  O(n log n)."""
    filled = [part for part in parts if part.groups.size]
    if not filled:
        return np.zeros(0, np.int64), Columns({})
    groups, correct, scores = map(np.concatenate, list(zip(*filled, strict=True))[:3])
    given = [part.weights for part in filled if part.weights is not None]
    numbers, codes = encode_labels(groups)
    asked, cases = Asked(measures=_MEASURED), Cases(correct, scores)
    weights = weights_of_rows(correct, np.concatenate(given) if given else None, weighting)
    return numbers, Columns(columns_of_groups(cases, GroupedRows(codes, numbers.size, {}), asked, weights).values)
