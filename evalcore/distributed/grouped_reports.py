"""Reports on groups of partitioned cases: which there are, and the statistics of each."""

from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter

import numpy as np

from evalcore.distributed.model_statistics import ModelStatistics
from evalcore.distributed.partitions.columns import PartitionedColumns
from evalcore.distributed.partitions.groups import GroupNumbers, GroupsOfPartitions, measured_groups, number_groups
from evalcore.report.catalogue import statistic
from evalcore.report.model import Answer, Section, Statistic, Whole
from evalcore.report.question import Question
from evalcore.report.statistics.groups import TOTAL, group_names, large_groups


def grouped_answer(
    columns: Mapping[str, PartitionedColumns], question: Question, whole: Section, asked: ModelStatistics
) -> Answer:
    """Return a section for each model with a record for each group and, last, one for all cases.

    columns: of each model, with those of groups; whole: the statistics of all cases.
    """
    groups = GroupsOfPartitions(question.by, question.most_groups, question.weighting.of_frequencies)
    table = next(iter(columns.values())).merged("count", groups.counted, groups.merge)
    order, notes = large_groups(table.sizes, table.columns, question.grouping.min_cases)
    names, numbers = group_names(table.columns, order), number_groups(table, groups)
    sections = []
    for model, each in columns.items():
        found = _statistics_of_groups(each, numbers, asked, [item.name for item in whole.records[model]])
        records = {name: found[number] for name, number in zip(names, order.tolist(), strict=True)}
        records[TOTAL] = whole.records[model]
        sections.append(Section(model, model, "group", records, whole=Whole(whole.name, whole.record)))
    return Answer(sections, notes=tuple(notes))


def _statistics_of_groups(
    columns: PartitionedColumns, numbers: GroupNumbers, asked: ModelStatistics, names: Sequence[str]
) -> dict[int, list[Statistic]]:
    """Return the statistics of these names of each group, by its number."""
    found: dict[int, list[Statistic]] = {}
    for part in measured_groups(columns, numbers, asked.pos_label, asked.weighting):
        values = [part.values[name].tolist() for name in names] if part.numbers.size else []
        for number, *row in zip(part.numbers.tolist(), *values, strict=True):
            found[number] = list(map(statistic, names, row))
    for number in np.flatnonzero(numbers.bucket_of < 0).tolist():
        own = columns.selected(partial(numbers.of_group, number=number), columns.names[: -len(numbers.groups.names)])
        classes = None
        if own.weighted:
            classes = asked.class_weights(own.selected(itemgetter(0, 2), (own.names[0], own.names[2])))
        found[number] = asked.of_model(own, classes)
    return found
