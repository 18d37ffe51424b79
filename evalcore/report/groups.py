"""Statistics of score columns for each group of rows: ``evalcore report --by``."""

from collections.abc import Container, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.report.binary import binary_report
from evalcore.report.inputs import coded_column, group_labels, in_order
from evalcore.report.model import Section, Whole
from evalcore.report.options import option
from evalcore.typing import BoolArray, IntArray

MOST_GROUPS = 10_000
"""Unless more are asked for."""
_TOTAL = "total"


class Groups(NamedTuple):
    """Rows group after group, the largest group first."""

    order: IntArray
    """Rows, shape (n,); those of a group in the order they came."""
    parts: dict[str, slice]
    """Where in that order each group is, by its name."""


def groups_of(column: npt.NDArray[Any], name: str, most: int = MOST_GROUPS) -> Groups:
    """Put rows of equal labels together, the largest group first, groups of a size by their labels.

    column: (n,) strings, whole numbers, Booleans or dates; most: as many groups.  O(n + g log g) for g groups up to
    some 30,000, O(n log n) for more.

    Raises EvaluationError for other columns, for NaN and for more groups.

    >>> groups_of(np.array(["b", "c", "a", "b"], object), "carrier")
    Groups(order=array([0, 3, 2, 1]), parts={'b': slice(0, 2, None), 'a': slice(2, 3, None), 'c': slice(3, 4, None)})
    """
    labels, codes = coded_column(group_labels(column, name), name)
    check_number_of_groups(labels.size, name, most)
    sizes = np.bincount(codes)
    by_size = largest_first(sizes, labels)
    # NumPy's stable sort of 16 bits is a radix sort
    places = np.empty(labels.size, np.int16 if labels.size <= np.iinfo(np.int16).max else np.int32)
    places[by_size] = np.arange(labels.size)
    ends = sizes[by_size].cumsum().tolist()
    parts = map(slice, [0, *ends], ends)
    return Groups(places[codes].argsort(kind="stable"), dict(zip(names_of(labels[by_size]), parts, strict=True)))


def check_number_of_groups(count: int, name: str, most: int, yet: str = "") -> None:
    """Raise EvaluationError for more groups than were asked for.  O(1).

    yet: "at least " where there may be more to come.

    >>> check_number_of_groups(3, "month", 2)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'month' holds 3 values, where groups are 2 at most; allow more (groups=N)
    """
    if count > most:
        raise EvaluationError(
            f"column {name!r} holds {yet}{count:,} values, where groups are {most:,} at most; "
            f"allow more ({option('groups', 'N')})"
        )


def largest_first(sizes: IntArray, labels: npt.NDArray[Any]) -> IntArray:
    """Return the indices of groups by size, the largest first, those of a size by their labels.  O(g log g).

    sizes: (g,); labels: (g,), ascending.

    >>> largest_first(np.array([1, 3, 1]), np.array(["10", "2", "9"], object))
    array([1, 2, 0])
    """
    order = in_order(labels)
    return order[(-sizes[order]).argsort(kind="stable")]


def name_of_total(groups: Container[str]) -> str:
    """Return "total" in as many brackets as tell it from the groups.

    >>> name_of_total(["total"])
    '(total)'
    """
    total = _TOTAL
    while total in groups:
        total = f"({total})"
    return total


def grouped_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    groups: Groups,
    threshold: float | None = None,
    level: float | None = None,
) -> list[Section]:
    """Evaluate score columns against one label column, for each group of rows and for all.

    Parameters
    ----------
    positive : (n,) bool
        Positive rows.
    scores : mapping of str to (n,) array
        Score columns.
    groups : Groups
        What `groups_of` makes of a column of the same rows.
    threshold, level : float, optional
        As in `binary_report`.

    Returns
    -------
    list of Section
        A section for each score column: a record for each group and, last, one for all rows, "total" in as many
        brackets as tell it from the groups.  O(n log n) for each.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a column holds NaN or what are no numbers.

    Examples
    --------
    >>> groups = groups_of(np.array([2, 1, 1]), "month")
    >>> sections = grouped_report(np.array([True, False, True]), {"model": np.array([0.9, 0.1, 0.3])}, groups)
    >>> [(group, statistics[3].value) for group, statistics in sections[0].records.items()]
    [('1', 1.0), ('2', nan), ('total', 1.0)]
    """
    total = name_of_total(groups.parts)
    whole = binary_report(positive, scores, threshold, level)  # first, so that errors tell rows of the file
    ordered = positive[groups.order]
    sections = []
    for name, column in scores.items():
        values = np.asarray(column)[groups.order]
        records = {
            group: binary_report(ordered[rows], {name: values[rows]}, threshold, level).records[name]
            for group, rows in groups.parts.items()
        }
        records[total] = whole.records[name]
        sections.append(Section(name, name, "group", records, whole=Whole(whole.name, whole.record)))
    return sections


def names_of(labels: npt.NDArray[Any]) -> list[str]:
    """Return labels of groups as text: whole numbers without fractions, dates no longer than they need.  O(g).

    >>> names_of(np.array([3.0, -0.0]))
    ['3', '0']
    """
    if labels.dtype.kind == "f":
        return [f"{label + 0.0:.0f}" for label in labels.tolist()]  # -0.0 becomes 0.0
    if labels.dtype.kind == "M":
        return list(map(str, np.datetime_as_string(labels, unit="auto").tolist()))
    return list(map(str, labels.tolist()))
