"""The report on score columns against one label where rows have weights."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.report.asked_thresholds import AskedThreshold
from evalcore.report.costs import Costs, with_expected_costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Answer
from evalcore.report.statistics.weighted_binary import weighted_decision_sections, weighted_report
from evalcore.report.weighting import RowWeights
from evalcore.typing import BoolArray


def weighted_scores(
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    thresholds: tuple[float | None, Sequence[AskedThreshold]] = (None, ()),
    level: float | None = None,
    *,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
) -> Answer:
    """Return the sections of the report on columns of scores, (n,) each.  O(n log n) for each column.

    thresholds: the first, whose decisions stand beside the ranking, and those that have sections of their own.
    """
    first, more = thresholds
    sections = [
        weighted_report(positive, scores, weights, first, level, costs=costs, measures=measures),
        *weighted_decision_sections(positive, scores, weights, more, level),
    ]
    return Answer(with_expected_costs(sections, costs), positive, scores, weights=weights.values)
