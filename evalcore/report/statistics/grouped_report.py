"""Statistics of score columns for each group of rows, where all rows are in memory."""

from collections.abc import Mapping
from typing import Any

from evalcore.report.model import Section, Whole
from evalcore.report.statistics.grouped_statistics import Asked, statistics_of_groups
from evalcore.report.statistics.groups import TOTAL, GroupedRows
from evalcore.report.statistics.weighted_groups import statistics_of_weighted_groups
from evalcore.report.weighting import RowWeights
from evalcore.typing import BoolArray
from evalcore.validation.arrays import as_cases


def grouped_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    groups: GroupedRows,
    whole: Section,
    asked: Asked,
    *,
    weights: RowWeights | None = None,
) -> list[Section]:
    """Return a section for each score column, with a record for each group of rows and, last, one for all rows.

    positive, scores: (n,) each; whole: the statistics of all rows, as of `binary_report`; weights: of the rows.
    O(n log n) for each column.
    """
    total, sections = TOTAL, []
    for name, column in scores.items():
        cases = as_cases(positive, column)
        if weights is None:
            found = statistics_of_groups(cases, groups.layout, asked)
        else:
            found = statistics_of_weighted_groups(cases, weights, groups.layout, asked)
        records = {group: found[index] for group, index in groups.names.items()} | {total: whole.records[name]}
        sections.append(Section(name, name, "group", records, whole=Whole(whole.name, whole.record)))
    return sections
