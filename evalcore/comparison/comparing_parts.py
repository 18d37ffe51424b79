"""Answers about tables that exceed the memory limit, from parts of them that fit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import BinaryIO

import numpy as np

from evalcore.batched.grouped_summaries import SummaryLimits
from evalcore.batched.memory_budget import free_bytes, program_bytes
from evalcore.comparison.compared_models import ComparedModel, compared_models
from evalcore.comparison.differences.added_groups import AddedGroups
from evalcore.comparison.differences.certified_differences import AddedDifferences
from evalcore.comparison.differences.changes import ScoreChanges, score_changes
from evalcore.comparison.differences.class_moments import PartClusters, PartGroups
from evalcore.comparison.differences.cluster_sums import ClusterSums
from evalcore.comparison.differences.judging import judged
from evalcore.comparison.differences.score_notes import few_cases_notes, notes_of_differences
from evalcore.comparison.differences.undefined_precisions import as_reported
from evalcore.comparison.margins import check_margins_of
from evalcore.comparison.measure_names import RANKED, RESAMPLED, ComparedMeasure, score_measures
from evalcore.comparison.model import ChangedCase, Changes, ComparisonAnswer, ModelDifferences
from evalcore.comparison.pairing.inspected_tables import InspectedTable, comparison_bytes, inspected_tables
from evalcore.comparison.pairing.joined_parts import TableParts, split_tables
from evalcore.comparison.pairing.part_cases import JoinedParts, PartCases
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.question_checks import check_compare_question
from evalcore.comparison.reading import notes_of_rows, whole_tables
from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.memory import default_memory, shown_size
from evalcore.io.readers import is_read_in_batches
from evalcore.report.inputs import coded_column, group_labels
from evalcore.report.weighting import class_factors
from evalcore.saving.files import temporary_files

_MOST_PARTS = 256
_OF_A_PART = 0.25
"""What part of the memory beside the program a part of the tables takes; summaries and batches need the rest."""
_OF_GROUPS = 0.35
"""What part of it the summaries of groups take."""
_CAPACITY = 1 << 16
"""Intervals of a summary of scores, whose bounds are then about 1e-5 apart."""
_MOST_CLUSTER_FILES = 128
"""Beside those of the parts, which are open too."""
_COPIES = 2
"""Of the bytes of an interval: beside the counts there is what its cases add to each measure."""


def answer_in_parts(
    question: CompareQuestion, files: Mapping[str, str], memory: int | None, progress: Progress
) -> ComparisonAnswer | None:
    """Compare models in files that exceed a memory limit; None if they fit, or if that is not known.  O(n log n).

    files: by name, the old one first; memory: in bytes, by default half of the machine's.  Raises EvaluationError for
    questions that need all rows at once, and as `answer_comparison` does.
    """
    memory = default_memory() if memory is None else memory
    found = None if memory is None else inspected_tables(question, list(files.values()))
    if memory is None or found is None:
        return None
    needed = comparison_bytes(question, [(table.schema, table.rows) for table in found])
    if needed <= memory:
        return None
    free = free_bytes(memory, question.rows)
    rows = needed - program_bytes(question.rows)
    count = 1 << max(int(np.ceil(np.log2(rows / (free * _OF_A_PART)))), 1)
    _refuse_what_needs_all_rows(question, found, count, needed, memory)
    tables = dict(zip(files, found, strict=True))
    return compared_parts(question, tables, count, progress, int(free * _OF_GROUPS))


def _refuse_what_needs_all_rows(
    question: CompareQuestion, tables: Sequence[InspectedTable], parts: int, needed: int, memory: int
) -> None:
    named = [measure.title for measure in _measures(question) if measure.measure in RESAMPLED]
    one_file = "name the file twice, with a column of ids (--id)"
    files = [file.path for table in tables for file in table.files]
    asked = {
        "NPZ files need": (not all(is_read_in_batches(file, question.reading) for file in files), "write Parquet"),
        "models in one table need": (len(tables) == 1, one_file),
        "predicted classes (--predicted) need": (question.of_classes, ""),
        f"--method {question.method} needs": (question.method != "analytic", "take --method analytic"),
        f"intervals by the bootstrap ({', '.join(named)}) need": (named, "name other measures (--measure)"),
        f"more than {_MOST_PARTS} parts need": (parts > _MOST_PARTS, ""),
    }
    for name, (given, way_out) in asked.items():
        if given:
            raise EvaluationError(
                f"{name} all rows in memory, about {shown_size(needed)}, and the limit is {shown_size(memory)}; "
                f"{way_out}{way_out and ', or '}allow more (--memory SIZE)"
            )


def _measures(question: CompareQuestion) -> list[ComparedMeasure]:
    if question.of_classes:
        return []
    return score_measures(question.measures, question.thresholds, question.conditions, probabilities=True)


def compared_parts(
    question: CompareQuestion,
    tables: Mapping[str, InspectedTable],
    count: int,
    progress: Progress,
    of_groups: int = 1 << 62,
) -> ComparisonAnswer:
    """Compare models in tables, the old one first, in so many parts, a power of two.  O(n log n).

    of_groups: bytes that the summaries of all groups may take.
    """
    check_compare_question(question, len(tables))
    old_name, *others = tables
    models = compared_models(question, old_name, others)
    selections = {name: table.selection for name, table in tables.items()}
    with ExitStack() as opened:
        parts = opened.enter_context(split_tables(question, tables, count, progress))
        of_clusters = 0 if question.cluster is None else min(count, _MOST_CLUSTER_FILES)
        files = opened.enter_context(temporary_files(of_clusters))
        whole = whole_tables(question, selections)
        state = _State(question, models, of_groups, files)
        joined = JoinedParts(question, old_name, models, whole)
        _pass(parts, count, joined, state.add)
        positives = state.total.classes.cases.sum(axis=0)[:1].sum()
        joined.check(float(positives))
        if state.measure():
            _pass(parts, count, JoinedParts(question, old_name, models, whole), state.add_errors)
        state.finish()
    found = state.answer(joined, notes_of_rows(question, selections))
    check_margins_of(found.models, question.margin)
    return found


def _pass(parts: TableParts, count: int, joined: JoinedParts, add: Callable[[PartCases], None]) -> None:
    """Join the rows of one part after the other, and add them."""
    for number, (old, new) in enumerate(parts.read(), 1):
        try:
            cases = joined.add(old, new)
            if cases is not None:
                add(cases)
        except EvaluationError as error:
            raise type(error)(f"{error} (found in part {number} of {count}, in which the tables are read)") from None


class _State:
    """What is known of the parts so far."""

    def __init__(
        self, question: CompareQuestion, models: Sequence[ComparedModel], of_groups: int, files: Sequence[BinaryIO]
    ) -> None:
        self._question, self._models, measures = question, models, _measures(question)
        limits = SummaryLimits(_CAPACITY, 0)
        self.total = AddedDifferences(measures, question, limits)
        limits = limits._replace(groups=of_groups // max(len(question.groupings), 1), copies=_COPIES)
        self._groups = {
            name: AddedGroups(columns, measures, question, limits) for name, columns in question.groupings.items()
        }
        self._clusters = ClusterSums(files)
        self._changes: list[list[ScoreChanges]] = [[] for _ in models[1:]]

    def add(self, part: PartCases) -> None:
        """Add what the cases of a part say.  O(n log n)."""
        self.total.add(part.cases, PartGroups(None))
        for groups in self._groups.values():
            groups.add(part)
        for known, changes in zip(self._changes, score_changes(part.cases, self._question), strict=True):
            known.append(changes)

    def measure(self) -> bool:
        """Measure what all parts say together; return whether they are needed again.  O(groups k log k)."""
        factors = class_factors(self.total.classes.sums[0], self._question.weighting)
        for each in (self.total, *(groups.added for groups in self._groups.values())):
            each.measure(factors)
        return bool(self.total.ranks.names) or self._question.cluster is not None

    def add_errors(self, part: PartCases) -> None:
        """Add what standard errors need of the cases of a part.  O(n log n)."""
        families = self._families(part)
        if self._question.cluster is None:
            for added, groups in families:
                added.add_errors(part.cases, groups)
            return
        name = self._question.cluster
        clusters = PartClusters(*coded_column(group_labels(part.described[name], name), name))
        for family, (added, groups) in enumerate(families):
            self._clusters.add(family, groups, clusters, added.add_clusters(part.cases, groups, clusters))

    def _families(self, part: PartCases) -> list[tuple[AddedDifferences, PartGroups]]:
        """Return all cases and each grouping, with the groups of the cases of a part."""
        of_groups = [(groups.added, groups.groups_of(part)) for groups in self._groups.values()]
        return [(self.total, PartGroups(None)), *of_groups]

    def finish(self) -> None:
        """Measure what the second pass has added up.  O(clusters)."""
        if self._question.cluster is None:
            return
        every = [self.total, *(groups.added for groups in self._groups.values())]
        found = self._clusters.squares([added.sizes.size for added in every])
        for added, squares in zip(every, found, strict=True):
            added.take_clusters(squares, [model.name for model in self._models[1:]])

    def answer(self, joined: JoinedParts, notes: Sequence[str]) -> ComparisonAnswer:
        """Return what all parts say together; notes: on rows that were left out.  O(groups)."""
        question, total = self._question, self.total
        measures = score_measures(
            question.measures, question.thresholds, question.conditions, probabilities=total.of_probabilities
        )
        old, *new = (model.name for model in self._models)
        positives, negatives = total.classes.cases[0].astype(np.int64).tolist()
        found = judged(
            [
                [as_reported(each, positives, negatives) for [each] in total.differences(measures, old, model).values()]
                for model in new
            ],
            question.level,
            question.margin,
        )
        of_groups = {name: groups.differences(measures, old, new) for name, groups in self._groups.items()}
        models = [
            ModelDifferences(
                model,
                differences,
                {name: groups[index] for name, groups in of_groups.items()},
                *merged_changes(self._changes[index], question.changed),
            )
            for index, (model, differences) in enumerate(zip(new, found, strict=True))
        ]
        of_groups_said = [note for groups in self._groups.values() for note in groups.notes]
        clusters = None if total.clusters is None else int(total.clusters[0])
        few = few_cases_notes(positives, negatives, clusters)
        tested = notes_of_differences(
            models, question, few, by_cluster=clusters is not None, grouped=bool(self._groups)
        )
        said = [*joined.notes, *of_groups_said, *self._bounds(measures), *tested]
        return ComparisonAnswer(old, models, joined.joins, (*notes, *said), sizes=(positives, negatives))

    def _bounds(self, measures: Sequence[ComparedMeasure]) -> list[str]:
        """Say between which bounds differences of ranks certainly lie, where they are not known exactly.  O(models)."""
        old, *new = (model.name for model in self._models)
        bounds_of = self.total.ranks.certain_bounds
        return [
            f"{measure.title} of {model} less that of {old} is certified: the exact difference is from {low!r} to "
            f"{high!r}; the confidence interval and the p-value allow for both, with the standard error of summaries"
            for model in new
            for measure in measures
            if measure.measure in RANKED
            for [low], [high] in [[bounds.tolist() for bounds in bounds_of(measure.measure, old, model)]]
            if low < high
        ]


def merged_changes(parts: Sequence[ScoreChanges], most: int) -> ScoreChanges:
    """Return the changes of all parts, of which there is one at least, with the largest changes first.  O(parts)."""
    return ScoreChanges(
        [
            Changes(
                of_threshold[0].threshold,
                {name: sum(each.counts[name] for each in of_threshold) for name in of_threshold[0].counts},
                _largest_first((each.newly_right for each in of_threshold), most),
                _largest_first((each.newly_wrong for each in of_threshold), most),
            )
            for of_threshold in zip(*(part.changes for part in parts), strict=True)
        ],
        _largest_first((part.risen for part in parts), most),
        _largest_first((part.fallen for part in parts), most),
    )


def _largest_first(parts: Iterable[Sequence[ChangedCase]], most: int) -> list[ChangedCase]:
    return sorted((case for part in parts for case in part), key=lambda case: -abs(case.new - case.old))[:most]
