"""Groups of the rows of a report, ``evalcore report --by``, where all rows are in memory.

`evalcore.evaluation.batches` numbers groups as batches of rows come.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import is_normalized, normalize

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.evaluation.inputs import coded_column, group_labels, in_order
from evalcore.evaluation.model import ColumnRecords, Columns
from evalcore.evaluation.options import MOST_GROUPS, option
from evalcore.evaluation.wording import BETWEEN, listed
from evalcore.kernels.grouping import GroupLayout, group_layout, rows_of_groups
from evalcore.typing import AnyArray, IntArray
from evalcore.validation.labels import encode_labels

TOTAL = "total"
"""The name of all groups together, which no group has."""
_QUOTES = "'", '"'
_MOST_NUMBERS = 1 << 62


@dataclass
class GroupedRows:
    """The rows of each group, and the groups from the largest on."""

    numbers: AnyArray
    """As `codes`, in as few bytes as hold them: of many rows they stand beside all else."""
    count: int
    labels: dict[str, int]
    """By the name of a group, its code."""
    notes: Sequence[str] = ()
    """What is said of groups that are left out: the codes have them, the names do not."""

    @property
    def codes(self) -> IntArray:
        """The group of each row, (n,) of 0 .. count - 1."""
        return self.numbers.astype(np.int64, copy=False)

    @cached_property
    def layout(self) -> GroupLayout:
        """Which rows each group has."""
        return group_layout(self.numbers, self.count)

    @cached_property
    def places(self) -> IntArray:
        """The index in the layout of each code."""
        return self.layout.groups.argsort()

    @property
    def of_rows(self) -> IntArray:
        """The index in the layout of the group of each row, (n,)."""
        return self.places[self.codes]

    @cached_property
    def names(self) -> dict[str, int]:
        """By the name of a group, its index in the layout."""
        return dict(zip(self.labels, self.indices.tolist(), strict=True))

    @property
    def named(self) -> IntArray:
        """The codes of the groups with a name."""
        return np.array([*self.labels.values()], np.int64)

    @property
    def indices(self) -> IntArray:
        """Their indices in the layout."""
        return self.places[self.named]

    def rows_of(self, name: str) -> slice | IntArray:
        """Return the rows of a group, or all rows for the total.  O(rows of the group)."""
        index = self.names.get(name)
        return slice(None) if index is None else rows_of_groups(self.layout, slice(index, index + 1))


class LargeGroups(NamedTuple):
    """The groups that are reported, and notes on those that are left out because they are small, or look alike."""

    indices: IntArray
    """The largest first, then by their labels, shape (k,)."""
    notes: Sequence[str] = ()


class GroupColumn(NamedTuple):
    """What one column holds in each of g groups."""

    labels: npt.NDArray[Any]
    """Its distinct labels, ascending, shape (k,)."""
    codes: IntArray
    """The index of the label of each group, shape (g,)."""


def grouped_rows(
    columns: Mapping[str, npt.NDArray[Any]],
    most: int = MOST_GROUPS,
    min_cases: int | None = None,
    frequencies: IntArray | None = None,
) -> GroupedRows:
    """Put rows of equal labels in all columns together, the largest group first, groups of a size by their labels.

    columns: (n,) strings, whole numbers, Booleans or dates each; most: number of groups allowed; min_cases: groups of
    fewer have no name; frequencies: (n,), how many cases each row stands for, by default 1.  O(n log n).  Raises
    EvaluationError for other columns, for NaN, for more groups, and if all are too small.

    >>> grouped_rows({"carrier": np.array(["b", "c", "a", "b"], object)}).labels
    {'b': 1, 'a': 0, 'c': 2}
    >>> grouped_rows({"carrier": np.array(["b", "a", "b"], object), "month": np.array([2, 1, 1])}).labels
    {'a, 1': 0, 'b, 1': 1, 'b, 2': 2}
    """
    labels, of_rows = zip(*(coded_column(group_labels(columns[name], name), name) for name in columns), strict=True)
    codes, of_groups = combinations(of_rows, [each.size for each in labels])
    count = of_groups[0].size
    check_number_of_groups(count, columns, most)
    sizes = np.bincount(codes, frequencies, count).astype(np.int64)
    found = list(map(GroupColumn, labels, of_groups))
    large = large_groups(sizes, found, min_cases)
    names = dict(zip(group_names(found, large.indices), large.indices.tolist(), strict=True))
    return GroupedRows(codes.astype(np.min_scalar_type(count)), count, names, large.notes)


def named_records(names: Iterable[str], found: Columns, total: Columns, level: float | None) -> ColumnRecords:
    """Return the records of groups, in the order of their names, and, last, of all rows; level: of intervals.  O(g)."""
    return ColumnRecords((*names, TOTAL), [found, total], level)


def combinations(codes: Sequence[IntArray], counts: Sequence[int]) -> tuple[IntArray, list[IntArray]]:
    """Count through the combinations of the codes of columns that occur, in ascending order.

    codes: (n,) of each column; counts: how many codes it may have.  Returns the number of each row, (n,), and the codes
    of each column by number, (g,).  Of a single column all codes are returned.  O(n), O(n log n) for many combinations.

    >>> combinations([np.array([1, 0, 1]), np.array([2, 0, 2])], [2, 3])
    (array([1, 0, 1]), [array([0, 1]), array([0, 2])])
    """
    if len(codes) == 1:
        return codes[0], [np.arange(counts[0])]
    if math.prod(counts) <= _MOST_NUMBERS:
        occurring, numbers = encode_labels(np.ravel_multi_index(list(codes), list(counts)))
        return numbers, list(np.unravel_index(occurring, list(counts)))
    before, found = combinations(codes[:-1], counts[:-1])
    numbers, (own, last) = combinations([before, codes[-1]], [found[0].size, counts[-1]])
    return numbers, [*(each[own] for each in found), last]


def check_number_of_groups(count: int, names: Iterable[str], most: int, yet: str = "") -> None:
    """Raise EvaluationError for more groups than are allowed; yet: "at least " if more may come.  O(1)."""
    if count > most:
        raise EvaluationError(
            f"{columns_text(names)} must hold at most {most:,} groups, got {yet}{count:,}; "
            f"allow more ({option('groups', 'N')})"
        )


def columns_text(names: Iterable[str]) -> str:
    """Name the columns of groups in an error.  O(columns).

    >>> columns_text(["carrier"]), columns_text(["carrier", "month"])
    ("column 'carrier'", "columns 'carrier' and 'month'")
    """
    *others, last = map(repr, names)
    return f"columns {', '.join(others)} and {last}" if others else f"column {last}"


def largest_first(sizes: IntArray, columns: Sequence[GroupColumn]) -> IntArray:
    """Return the indices of groups by size, (g,), the largest first, then by their labels.  O(g log g).

    >>> largest_first(np.array([1, 3, 1]), [GroupColumn(np.array(["10", "2", "9"], object), np.arange(3))])
    array([1, 2, 0])
    """
    ranks = [in_order(labels).argsort()[codes] for labels, codes in columns]
    return np.lexsort([*reversed(ranks), -sizes])


def large_groups(sizes: IntArray, columns: Sequence[GroupColumn], min_cases: int | None) -> LargeGroups:
    """Return the groups of at least so many cases, in the order of `largest_first`.  O(g log g).

    Raises EvaluationError if there are groups and all of them have fewer.

    >>> large_groups(np.array([1, 3, 1]), [GroupColumn(np.array([1, 2, 3]), np.arange(3))], 2)
    LargeGroups(indices=array([1]), notes=['2 groups of fewer than 2 cases, with 2 cases together, are left out; the \
total is of all cases'])
    """
    indices, notes = largest_first(sizes, columns), [note for each in columns for note in _notes_on_forms(each.labels)]
    if min_cases is None or not indices.size:
        return LargeGroups(indices, notes)
    if (largest := int(sizes[indices[0]])) < min_cases:
        raise EvaluationError(
            f"{option('min_cases')} must be at most {largest:,}, the cases of the largest group, got {min_cases:,}"
        )
    kept = int(np.count_nonzero(sizes >= min_cases))
    count, cases = indices.size - kept, int(sizes[indices[kept:]].sum())
    if not count:
        return LargeGroups(indices, notes)
    groups, are = ("group", "is") if count == 1 else ("groups", "are")
    together = f"{cases:,} case{'s' * (cases > 1)}" + " together" * (count > 1)
    few = f"{min_cases:,} case{'s' * (min_cases > 1)}"
    note = f"{count:,} {groups} of fewer than {few}, with {together}, {are} left out; the total is of all cases"
    return LargeGroups(indices[:kept], [note, *notes])


def _notes_on_forms(labels: npt.NDArray[Any]) -> list[str]:
    """Note a label that looks like another one, but is made of other characters.  O(k)."""
    if labels.dtype.kind not in "OU" or (texts := "".join(map(str, labels.tolist()))).isascii():
        return []
    if is_normalized("NFC", texts):
        return []
    composed = Counter(normalize("NFC", str(label)) for label in labels.tolist())
    alike = [repr(text) for text, count in composed.items() if count > 1]
    said = "count as different groups, for they are not all in Unicode's form NFC"
    return [f"labels that look alike {said}: {listed(alike)}"] if alike else []


def beside_total(name: str, total: str = TOTAL) -> str:
    """Return a name that cannot be the total's: one that is, in brackets or not, gets another pair.  O(1).

    >>> beside_total("total"), beside_total("(total)"), beside_total("totals")
    ('(total)', '((total))', 'totals')
    """
    return f"({name})" if name.strip("()") == total else name


def group_names(columns: Sequence[GroupColumn], groups: IntArray) -> list[str]:
    """Return the names of groups by their indices, (m,): the labels of all columns.  O(m).

    Where there are several columns, labels with a comma, or with a quote in front, are in quotes.

    >>> labels = np.array(["Ash", "Elm, old"], object)
    >>> group_names([GroupColumn(labels, np.array([0, 1])), GroupColumn(np.array([3]), np.array([0, 0]))], np.arange(2))
    ['Ash, 3', "'Elm, old', 3"]
    """
    written = [_written(labels) for labels, _ in columns]
    if len(columns) > 1:
        written = [[repr(text) if BETWEEN.strip() in text or text.startswith(_QUOTES) else text for text in texts]
                   for texts in written]  # fmt: skip
    each = [
        [texts[code] for code in codes[groups].tolist()] for texts, (_, codes) in zip(written, columns, strict=True)
    ]
    return [beside_total(BETWEEN.join(texts)) for texts in zip(*each, strict=True)]


def _written(labels: npt.NDArray[Any]) -> list[str]:
    """Return labels, (k,), as text: whole numbers without decimals, dates as short as they can be.  O(k)."""
    if labels.dtype.kind == "f":
        return [f"{label + 0.0:.0f}" for label in labels.tolist()]  # -0.0 becomes 0.0
    if labels.dtype.kind == "M":
        return list(map(str, np.datetime_as_string(labels, unit="auto").tolist()))
    return list(map(str, labels.tolist()))
