"""Statistics of score columns for each group of rows, ``evalcore report --by``, where all rows are in memory.

`evalcore.batched.group_codes` numbers groups as batches of rows come.
"""

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.kernels.grouped_keys import GroupLayout, group_layout
from evalcore.report.binary import binary_report
from evalcore.report.grouped_statistics import statistics_of_groups
from evalcore.report.inputs import coded_column, group_labels, in_order
from evalcore.report.model import Section, Whole
from evalcore.report.options import MOST_GROUPS, option
from evalcore.typing import BoolArray, IntArray
from evalcore.validation.arrays import as_cases


class GroupedRows(NamedTuple):
    """The rows of each group, and the groups from the largest on."""

    names: dict[str, int]
    """By the name of a group, its index in the layout."""
    layout: GroupLayout
    """Which rows each group has."""


def grouped_rows(column: npt.NDArray[Any], name: str, most: int = MOST_GROUPS) -> GroupedRows:
    """Put rows of equal labels together, the largest group first, groups of a size by their labels.

    column: (n,) strings, whole numbers, Booleans or dates; most: number of groups allowed.  O(n log n).  Raises
    EvaluationError for other columns, for NaN and for more groups.

    >>> grouped_rows(np.array(["b", "c", "a", "b"], object), "carrier").names
    {'b': 2, 'a': 0, 'c': 1}
    """
    labels, codes = coded_column(group_labels(column, name), name)
    check_number_of_groups(labels.size, name, most)
    layout = group_layout(codes, labels.size)
    sizes, indices = np.empty((2, labels.size), np.int64)
    sizes[layout.groups], indices[layout.groups] = np.diff(layout.starts), np.arange(labels.size)
    by_size = largest_first(sizes, labels)
    return GroupedRows(dict(zip(group_names(labels[by_size]), indices[by_size].tolist(), strict=True)), layout)


def check_number_of_groups(count: int, name: str, most: int, yet: str = "") -> None:
    """Raise EvaluationError for more groups than are allowed; yet: "at least " if more may come.  O(1)."""
    if count > most:
        raise EvaluationError(
            f"column {name!r} must hold at most {most:,} groups, got {yet}{count:,}; "
            f"allow more ({option('groups', 'N')})"
        )


def largest_first(sizes: IntArray, labels: npt.NDArray[Any]) -> IntArray:
    """Return the indices of groups by size, (g,), the largest first, then by their ascending labels, (g,).  O(g log g).

    >>> largest_first(np.array([1, 3, 1]), np.array(["10", "2", "9"], object))
    array([1, 2, 0])
    """
    order = in_order(labels)
    return order[(-sizes[order]).argsort(kind="stable")]


def name_of_total(groups: Container[str]) -> str:
    """Return "total", in as many brackets as it takes to differ from every group.  O(1)."""
    total = "total"
    while total in groups:
        total = f"({total})"
    return total


def grouped_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    groups: GroupedRows,
    threshold: float | None = None,
    level: float | None = None,
) -> list[Section]:
    """Evaluate score columns against one label column, for each group of rows and for all of them.

    positive, scores, threshold, level: as in `binary_report`.  Returns a section for each score column, with a record
    for each group and, last, one for all rows.  O(n log n) for each.

    Raises EvaluationError or EvaluationTypeError as `binary_report` does.
    """
    total = name_of_total(groups.names)
    whole = binary_report(positive, scores, threshold, level)  # first, so that errors name rows of the file
    sections = []
    for name, column in scores.items():
        found = statistics_of_groups(as_cases(positive, column), groups.layout, threshold, level)
        records = {group: found[index] for group, index in groups.names.items()} | {total: whole.records[name]}
        sections.append(Section(name, name, "group", records, whole=Whole(whole.name, whole.record)))
    return sections


def group_names(labels: npt.NDArray[Any]) -> list[str]:
    """Return labels of groups, (g,), as text: whole numbers without decimals, dates as short as they can be.  O(g)."""
    if labels.dtype.kind == "f":
        return [f"{label + 0.0:.0f}" for label in labels.tolist()]  # -0.0 becomes 0.0
    if labels.dtype.kind == "M":
        return list(map(str, np.datetime_as_string(labels, unit="auto").tolist()))
    return list(map(str, labels.tolist()))
