"""Statistics of score columns for each group of rows, where all rows are in memory."""

from collections.abc import Mapping
from typing import Any

from evalcore.report.costs import Costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Section, Whole
from evalcore.report.statistics.binary import binary_report
from evalcore.report.statistics.grouped_statistics import Asked, statistics_of_groups
from evalcore.report.statistics.groups import GroupedRows, name_of_total
from evalcore.report.statistics.intervals import PlacedColumns
from evalcore.report.statistics.weighted_binary import weighted_report
from evalcore.report.statistics.weighted_groups import statistics_of_weighted_groups
from evalcore.report.statistics.weighted_intervals import WeightedModels
from evalcore.report.weighting import RowWeights
from evalcore.typing import BoolArray
from evalcore.validation.arrays import as_cases


def grouped_report(
    positive: BoolArray,
    scores: Mapping[str, Any],
    groups: GroupedRows,
    threshold: float | None = None,
    level: float | None = None,
    *,
    weights: RowWeights | None = None,
    placed: PlacedColumns | WeightedModels | None = None,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
) -> list[Section]:
    """Evaluate score columns against one label column, for each group of rows and for all of them.

    positive, scores, threshold, level, costs, measures: as in `binary_report`; weights: of the rows; placed: takes what
    comparisons of models need of each column.  Returns a
    section for each score column, with a record for each group and, last, one for all rows.  O(n log n) for each.

    Raises EvaluationError or EvaluationTypeError as `binary_report` does.
    """
    total, asked = name_of_total(groups.names), Asked(threshold, level, costs, measures)
    # first, so that errors name rows of the file
    if weights is None:
        columns = placed if isinstance(placed, PlacedColumns) else None
        whole = binary_report(positive, scores, threshold, level, columns, costs=costs, measures=measures)
    else:
        models = placed if isinstance(placed, WeightedModels) else None
        whole = weighted_report(
            positive, scores, weights, threshold, level, models=models, costs=costs, measures=measures
        )
    sections = []
    for name, column in scores.items():
        cases = as_cases(positive, column)
        if weights is None:
            found = statistics_of_groups(cases, groups.layout, asked)
        else:
            found = statistics_of_weighted_groups(cases, weights, groups.layout, asked)
        records = {group: found[index] for group, index in groups.names.items()} | {total: whole.records[name]}
        sections.append(Section(name, name, "group", records, whole=Whole(whole.name, whole.record)))
    return sections
