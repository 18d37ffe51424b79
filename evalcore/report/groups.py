"""Statistics of score columns for each group of rows: ``evalcore report --by``."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.errors import EvaluationError
from evalcore.label_codes import coded
from evalcore.report.binary import binary_report
from evalcore.report.inputs import group_labels
from evalcore.report.sections import Section, Whole
from evalcore.typing import BoolArray, IntArray

_MOST_GROUPS = 10_000
_CODE = np.int16
"""Holds the codes of the groups; NumPy's stable sort of it is a radix sort."""
_TOTAL = "total"


class Groups(NamedTuple):
    """Rows group after group, the largest group first."""

    order: IntArray
    """Rows, shape (n,); those of a group in the order they came."""
    parts: dict[str, slice]
    """Where in that order each group is, by its name."""


def groups_of(column: npt.NDArray[Any], name: str) -> Groups:
    """Put rows of equal labels together, the largest group first, groups of a size by their labels.

    column: (n,) strings, whole numbers, Booleans or dates.  O(n + g log g) for g groups.

    Raises EvaluationError for other columns, for NaN and for more than 10,000 groups.

    >>> groups_of(np.array(["b", "c", "a", "b"], object), "carrier")
    Groups(order=array([0, 3, 2, 1]), parts={'b': slice(0, 2, None), 'a': slice(2, 3, None), 'c': slice(3, 4, None)})
    """
    labels, codes = coded(group_labels(column, name))
    if labels.size > _MOST_GROUPS:
        raise EvaluationError(
            f"column {name!r} holds {labels.size:,} values, where groups are {_MOST_GROUPS:,} at most"
        )
    sizes = np.bincount(codes)
    by_size = (-sizes).argsort(kind="stable")
    places = np.empty(labels.size, _CODE)
    places[by_size] = np.arange(labels.size)
    ends = sizes[by_size].cumsum().tolist()
    parts = map(slice, [0, *ends], ends)
    return Groups(places[codes].argsort(kind="stable"), dict(zip(_names(labels[by_size]), parts, strict=True)))


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
    total = _TOTAL
    while total in groups.parts:
        total = f"({total})"
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


def _names(labels: npt.NDArray[Any]) -> list[str]:
    if labels.dtype.kind == "f":
        return [f"{label + 0.0:.0f}" for label in labels.tolist()]  # -0.0 becomes 0.0
    if labels.dtype.kind == "M":
        return list(map(str, np.datetime_as_string(labels, unit="auto").tolist()))
    return list(map(str, labels.tolist()))
