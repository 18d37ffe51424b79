"""The report on columns of scores against one label, with or without weights and groups."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from evalcore.evaluation.inputs import OtherLabels, coded_column, group_labels, numeric_scores, positive_rows
from evalcore.evaluation.model import Answer, Section
from evalcore.evaluation.options import COMPARED
from evalcore.evaluation.question import Question
from evalcore.evaluation.ranked_columns import RankedColumns
from evalcore.evaluation.statistics.clusters import ClusteredRows
from evalcore.evaluation.statistics.comparisons import (
    PlacedColumns,
    compared_pairs,
    comparisons,
)
from evalcore.evaluation.statistics.decisions import Asked, section_of, without_undefined_net_benefits
from evalcore.evaluation.statistics.group_comparisons import compare_groups, differences_to_rest
from evalcore.evaluation.statistics.groups import GroupedRows, columns_text, grouped_rows
from evalcore.evaluation.statistics.scores import CALIBRATION, decision_sections, grouped_sections, score_report
from evalcore.evaluation.weighting import RowWeights, weights_of_rows
from evalcore.io.columns import ColumnArrays
from evalcore.io.memory import check_room
from evalcore.typing import AnyArray, BoolArray, IntArray

_WITHOUT_INTERVALS = {"calibration": CALIBRATION, "net benefit": ("net_benefit",)}
"""Statistics whose intervals treat the rows as drawn, by what they are called together."""
_BYTES_OF_A_GROUP = 2_000
"""Of a column of scores: its statistics, and the lines that show them."""


def answer_on_scores(question: Question, columns: ColumnArrays, given: AnyArray | None) -> Answer:
    """Return the report on the columns that were read; given: the weights of their rows.  O(n log n) for each."""
    positive = positive_rows(
        columns[question.label], question.label, question.positive, weighted=question.weighting.column is not None
    )
    others = OtherLabels()
    if question.positive is not None:
        others.add(columns[question.label], positive)
    scores = {name: numeric_scores(columns[name], name) for name in question.scores}
    weights = weights_of_rows(positive, given, question.weighting)
    groups = groups_of(question, columns, weights and weights.frequencies) if question.by else None
    found = scores_answer(question, positive, scores, weights, groups, clusters=clusters_of(question, columns))
    return found._replace(notes=(*others.notes(question.label, question.positive), *found.notes))


def clusters_of(question: Question, columns: ColumnArrays) -> IntArray | None:
    """Return the cluster of each row, (n,).  O(n log n)."""
    name = question.cluster
    return None if name is None else coded_column(group_labels(columns[name], name), name)[1]


def groups_of(question: Question, columns: ColumnArrays, frequencies: IntArray | None) -> GroupedRows:
    """Return the rows of each group; frequencies: how many cases each row stands for, (n,), if not one.  O(n)."""
    named = {name: columns[name] for name in question.by}
    found = grouped_rows(named, question.most_groups, question.grouping.min_cases, frequencies)
    needed = len(found.names) * max(1, len(question.scores)) * _BYTES_OF_A_GROUP
    check_room(needed, question.memory, f"{columns_text(question.by)}: {len(found.names):,} groups take at least")
    return found


def scores_answer(
    question: Question,
    positive: BoolArray,
    scores: Mapping[str, Any],
    weights: RowWeights | None = None,
    groups: GroupedRows | None = None,
    *,
    clusters: IntArray | None = None,
) -> Answer:
    """Return the report on columns of scores, (n,) each, and what it notes.  O(n log n) for each column."""
    level, measures, compare = question.level, question.computed, question.compare or COMPARED[0]
    compares = level is not None and measures.wants("roc_area")
    decides = False if question.thresholds or question.targets else None
    asked = Asked(question.threshold, level, question.costs, measures, question.area_method, decides)
    columns: PlacedColumns | None = None
    if compares and compare != "none" and len(scores) > 1:
        frequencies = weights is not None and weights.weighting.of_frequencies
        columns = PlacedColumns(frequencies=frequencies)
    rows = None
    if clusters is not None and level is not None:
        rows = ClusteredRows(positive, scores, clusters, weights, level, question.area_method)
    of_whole = score_report(positive, scores, asked, weights, columns, clusters=rows, with_calibration=groups is None)
    whole = section_of(None, of_whole, level)
    sections, adjusted, notes = [whole], 0, question.weighting.notes(level, by_group=groups is not None)
    if groups is not None:
        sections = grouped_sections(positive, scores, groups, of_whole, asked, weights=weights, clusters=rows)
        notes = [*groups.notes, *notes]
    if rows is not None:
        notes.append(rows.note(question.cluster))
    if columns is not None and level is not None:
        placed = columns.areas if rows is None else rows.areas
        if groups is None:
            chosen = compared_pairs(whole, compare)
            sections = comparisons(whole, placed, chosen, level, question.area_method)
            adjusted, found = chosen.adjusted(sections[-1]), chosen.notes(sections[-1])
        else:
            sections, found, adjusted = compare_groups(
                positive, scores, groups, sections, weights=weights, placed=placed, compare=compare, level=level,
                area_method=question.area_method, clustered=rows,
            )  # fmt: skip
        notes += found
    if groups is not None and question.grouping.compare_groups and compares and level is not None:
        differences = differences_to_rest(positive, scores, groups, level, weights and weights.frequencies)
        sections, notes = [*sections, *differences.sections], [*notes, *differences.notes]
    sections += decision_sections(
        positive, scores, question.more_thresholds, asked, groups, weights=weights, clusters=rows
    )
    if decides is not None:
        sections = without_undefined_net_benefits(sections)
    values = None if weights is None else weights.values
    if rows is not None:
        notes += notes_of_no_intervals(sections)
    return Answer(
        sections,
        positive,
        scores,
        notes,
        values,
        adjusted=adjusted,
        ranked=RankedColumns(positive, scores, values),
    )


def notes_of_no_intervals(sections: Iterable[Section]) -> list[str]:
    """Say which statistics have no intervals of clusters, if sections hold some.  O(numbers)."""
    items = chain.from_iterable(items for section in sections for items in section.records.values())
    shown = {item.name for item in items if not np.isnan(item.value)}
    found = [what for what, names in _WITHOUT_INTERVALS.items() if shown.intersection(names)]
    return [f"clusters leave {' and '.join(found)} without intervals"] if found else []
