"""Answers about tables that exceed the memory limit, from parts of them that fit."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evalcore.batched.memory_budget import free_bytes, program_bytes
from evalcore.comparison.compared_models import ComparedModel, compared_models
from evalcore.comparison.differences.certified_differences import AddedDifferences
from evalcore.comparison.differences.changes import ScoreChanges, score_changes
from evalcore.comparison.differences.judging import judged
from evalcore.comparison.differences.score_notes import few_cases_notes, notes_of_differences
from evalcore.comparison.measure_names import RANKED, RESAMPLED, ComparedMeasure, score_measures
from evalcore.comparison.model import ChangedCase, Changes, ComparisonAnswer, ModelDifferences
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.pairing.checked_cases import agreeing_joins, labelled_tables
from evalcore.comparison.pairing.inspected_tables import InspectedTable, comparison_bytes, inspected_tables
from evalcore.comparison.pairing.join_counts import JoinCounts
from evalcore.comparison.pairing.joined_parts import table_parts
from evalcore.comparison.pairing.joining import ids_of, joined_tables
from evalcore.comparison.question import CompareQuestion
from evalcore.comparison.question_checks import check_compare_question
from evalcore.comparison.reading import notes_of_rows, whole_tables
from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.memory import default_memory, shown_size
from evalcore.report.inputs import no_positive_error, numeric_scores, positive_rows_of_part
from evalcore.report.other_labels import OtherLabels

_MOST_PARTS = 256
_OF_A_PART = 0.25
"""What part of the memory beside the program a part of the tables takes; summaries and batches need the rest."""
_CAPACITY = 1 << 16
"""Intervals of a summary of scores, whose bounds are then about 1e-5 apart."""


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
    rows = needed - program_bytes(question.rows)
    count = 1 << max(int(np.ceil(np.log2(rows / (free_bytes(memory, question.rows) * _OF_A_PART)))), 1)
    _refuse_what_needs_all_rows(question, len(found), count, needed, memory)
    tables = dict(zip(files, found, strict=True))
    return compared_parts(question, tables, count, progress)


def _refuse_what_needs_all_rows(question: CompareQuestion, tables: int, parts: int, needed: int, memory: int) -> None:
    named = [measure.title for measure in _measures(question) if measure.measure in RESAMPLED]
    asked = {
        "models in one table": tables == 1,
        "predicted classes (--predicted)": question.of_classes,
        f"--method {question.method}": question.method != "analytic",
        f"intervals by the bootstrap ({', '.join(named)})": bool(named),
        "groups (--by)": bool(question.by),
        "clusters (--cluster)": question.cluster is not None,
        "weights (--weight)": question.weighting.asked,
        f"more than {_MOST_PARTS} parts": parts > _MOST_PARTS,
    }
    for name, given in asked.items():
        if given:
            raise EvaluationError(
                f"{name} need all rows in memory, about {shown_size(needed)}, and the limit is {shown_size(memory)}; "
                "allow more (--memory SIZE)"
            )


def _measures(question: CompareQuestion) -> list[ComparedMeasure]:
    if question.of_classes:
        return []
    return score_measures(question.measures, question.thresholds, question.conditions, probabilities=True)


def compared_parts(
    question: CompareQuestion, tables: Mapping[str, InspectedTable], count: int, progress: Progress
) -> ComparisonAnswer:
    """Compare models in tables, the old one first, in so many parts, a power of two.  O(n log n)."""
    check_compare_question(question, len(tables))
    old_name, *others = tables
    models = compared_models(question, old_name, others)
    selections = {name: table.selection for name, table in tables.items()}
    state = _State(question, old_name, models, selections)
    for number, (old, new) in enumerate(table_parts(question, tables, count, progress), 1):
        try:
            state.add(old, new)
        except EvaluationError as error:
            raise type(error)(f"{error} (found in part {number} of {count}, in which the tables are read)") from None
    return state.answer()


class _State:
    """What is known of the parts so far."""

    def __init__(
        self,
        question: CompareQuestion,
        old_name: str,
        models: Sequence[ComparedModel],
        selections: Mapping[str, Selection],
    ) -> None:
        self._question, self._old_name, self._models, self._selections = question, old_name, models, selections
        self._differences = AddedDifferences(_measures(question), question.level, _CAPACITY)
        self._joins: dict[str, JoinCounts] = {}
        self._changes: list[list[ScoreChanges]] = [[] for _ in models[1:]]
        self._others = OtherLabels()

    def add(self, old: ColumnArrays, new: Mapping[str, ColumnArrays]) -> None:
        """Join the rows of a part, and add what they say.  O(n log n)."""
        question = self._question
        tables = joined_tables(
            question, old, new, self._old_name, whole_tables(question, self._selections), of_part=True
        )
        if not tables.cases:
            self._add_joins(tables.counts)
            return
        masks = {
            table: positive_rows_of_part(tables.column(table, question.label), question.label, question.positive)
            for table in labelled_tables(tables, question.label)
        }
        names: dict[str | None, str] = {None: self._old_name, **{name: name for name in new}}
        self._add_joins(agreeing_joins(question, tables, masks, names))
        home = tables.home(question.label)
        if question.positive is not None:
            self._others.add(tables.column(home, question.label), masks[home])
        scores = {}
        for model in self._models:
            numeric_scores(tables.columns(model.table)[model.column], model.column)
            scores[model.name] = tables.column(model.table, model.column)
        cases = PairedCases(masks[home], scores, ids=ids_of(question, tables))
        self._differences.add(cases)
        for known, changes in zip(self._changes, score_changes(cases, question), strict=True):
            known.append(changes)

    def _add_joins(self, counts: Mapping[str, JoinCounts]) -> None:
        for name, of_part in counts.items():
            known = self._joins.get(name, JoinCounts(*[0] * len(of_part)))
            self._joins[name] = JoinCounts(*map(sum, zip(known, of_part, strict=True)))

    def answer(self) -> ComparisonAnswer:
        """Return what all parts say together; raise EvaluationError if there is no case.  O(parts)."""
        question, added = self._question, self._differences
        if not added.positives + added.negatives:
            raise EvaluationError(f"all tables must have ids in common, got none in {', '.join(self._joins)}")
        if question.positive is not None and not added.positives:
            raise no_positive_error(question.label, question.positive, "", weighted=False)
        measures = score_measures(
            question.measures, question.thresholds, question.conditions, probabilities=added.of_probabilities
        )
        old, *new = (model.name for model in self._models)
        found = judged(
            [[added.difference(measure, old, model) for measure in measures] for model in new],
            question.level,
            question.margin,
        )
        models = [
            ModelDifferences(model, differences, {}, *merged_changes(changes, question.changed))
            for model, differences, changes in zip(new, found, self._changes, strict=True)
        ]
        bounds = [
            f"{measure.title} of {model} less that of {old} is certified: the exact difference is from {low!r} to "
            f"{high!r}; the confidence interval and the p-value allow for both, with the standard error of random parts"
            for model in new
            for measure in measures
            if measure.measure in RANKED
            for low, high in [added.certain_bounds(measure, old, model)]
        ]
        return ComparisonAnswer(
            old,
            models,
            self._joins,
            (
                *notes_of_rows(question, self._selections),
                *bounds,
                *self._others.notes(question.label, question.positive),
                *notes_of_differences(models, question, few_cases_notes(added.positives, added.negatives)),
            ),
        )


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
