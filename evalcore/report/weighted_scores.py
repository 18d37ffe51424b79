"""The report on score columns against one label where rows have weights."""

from collections.abc import Mapping, Sequence
from typing import Any

from evalcore.report.asked_thresholds import AskedThreshold
from evalcore.report.costs import Costs, with_expected_costs
from evalcore.report.measure_choice import ALL_MEASURES, Measures
from evalcore.report.model import Answer
from evalcore.report.ranked_columns import RankedColumns
from evalcore.report.statistics.group_comparisons import compare_groups as compare_models_by_group
from evalcore.report.statistics.group_differences import differences_to_rest
from evalcore.report.statistics.grouped_report import grouped_report
from evalcore.report.statistics.groups import GroupedRows
from evalcore.report.statistics.intervals import compared_pairs
from evalcore.report.statistics.weighted_binary import weighted_decision_sections, weighted_report
from evalcore.report.statistics.weighted_group_decisions import weighted_group_decisions
from evalcore.report.statistics.weighted_intervals import WeightedModels, weighted_comparisons
from evalcore.report.weighting import RowWeights, Weighting
from evalcore.typing import BoolArray


def weighted_scores(
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    thresholds: tuple[float | None, Sequence[AskedThreshold]] = (None, ()),
    level: float | None = None,
    *,
    compare: str = "none",
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
) -> Answer:
    """Return the sections of the report on columns of scores, (n,) each.  O(n log n) for each column.

    thresholds: the first, whose decisions stand beside the ranking, and those that have sections of their own;
    compare: one of `COMPARED`.
    """
    first, more = thresholds
    compares = level is not None and measures.wants("roc_area") and len(scores) > 1 and compare != "none"
    models = WeightedModels(frequencies=weights.weighting.of_frequencies) if compares else None
    sections = [weighted_report(positive, scores, weights, first, level, models=models, costs=costs, measures=measures)]
    notes, adjusted = notes_on_weights(weights.weighting, level), 0
    if models is not None and level is not None:
        chosen = compared_pairs(sections[0], compare)
        sections = weighted_comparisons(sections[0], models, chosen, level)
        adjusted, notes = chosen.adjusted(sections[-1]), [*notes, *chosen.notes(sections[-1])]
    sections += weighted_decision_sections(positive, scores, weights, more, level)
    complete = with_expected_costs(sections, costs)
    ranked = RankedColumns(positive, scores, weights.values)
    return Answer(complete, positive, scores, notes, weights.values, adjusted=adjusted, ranked=ranked)


def weighted_scores_by_group(
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights,
    groups: GroupedRows,
    thresholds: tuple[float | None, Sequence[AskedThreshold]] = (None, ()),
    *,
    level: float | None = None,
    compare: str = "none",
    compare_groups: bool = False,
    costs: Costs | None = None,
    measures: Measures = ALL_MEASURES,
) -> Answer:
    """Return the sections of the report on columns of scores, (n,) each, in groups of rows; see `weighted_scores`.

    compare_groups: whether each group is compared with all other rows, whose weights must then be frequencies.
    """
    first, more = thresholds
    compares = level is not None and measures.wants("roc_area")
    of_models = compares and len(scores) > 1 and compare != "none"
    models = WeightedModels(frequencies=weights.weighting.of_frequencies) if of_models else None
    sections = grouped_report(
        positive, scores, groups, first, level, weights=weights, placed=models, costs=costs, measures=measures
    )
    notes, adjusted = [*groups.notes, *notes_on_weights(weights.weighting, level, by_group=True)], 0
    if models is not None and level is not None:
        compared = compare_models_by_group(
            positive, scores, groups, sections, weights=weights, placed=models, compare=compare, level=level
        )
        sections, adjusted, notes = compared.sections, compared.adjusted, [*notes, *compared.notes]
    if compare_groups and compares and level is not None:
        differences = differences_to_rest(positive, scores, groups, level, weights.frequencies)
        sections, notes = [*sections, *differences.sections], [*notes, *differences.notes]
    sections += weighted_group_decisions(positive, scores, weights, more, groups, level=level)
    complete = with_expected_costs(sections, costs)
    ranked = RankedColumns(positive, scores, weights.values)
    return Answer(complete, positive, scores, notes, weights.values, adjusted=adjusted, ranked=ranked)


def notes_on_weights(weighting: Weighting, level: float | None, *, by_group: bool = False) -> list[str]:
    """Say what weights mean for the numbers of a report, if that is not what they mean without weights.  O(1)."""
    notes = []
    if weighting.target_prevalence is not None:
        notes.append(
            f"positives and negatives are weighed to a prevalence of {weighting.target_prevalence:g}; what depends on "
            "the prevalence is what it would be there"
        )
        if by_group:
            notes.append("all rows together have this prevalence: that of a group may be higher or lower")
    if level is not None and weighting.of_samples:
        notes.append(
            "intervals are those of sampling weights: DeLong's of weighted placements, Wilson's of the effective "
            "number of cases"
        )
    return notes
