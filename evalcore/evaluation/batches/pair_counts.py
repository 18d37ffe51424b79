"""Counts of pairs of a label and a predicted class, or sums of their weights, of rows that come in batches."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evalcore.evaluation.batches.rows import GroupCodes, batch_values, batch_weights
from evalcore.evaluation.class_answers import needs_matrix
from evalcore.evaluation.inputs import class_columns, spelling_notes
from evalcore.evaluation.model import Section
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.case_tallies import Tally, tally_of
from evalcore.evaluation.statistics.classes import (
    PREDICTED,
    CellCounts,
    agreement_columns,
    agreement_of_groups,
    counted_pairs_report,
    grouped_section,
    matrix_report,
)
from evalcore.evaluation.statistics.groups import columns_text, named_records
from evalcore.io.columns import column_arrays
from evalcore.io.libraries import pa
from evalcore.io.memory import check_room
from evalcore.kernels.weights import WeightSums
from evalcore.typing import AnyArray
from evalcore.validation.categories import CodedCases, as_coded_cases

_COUNT, _GROUP = "count", "group"
_WEIGHT, _SQUARE = "weight", "square"
_SUMMED = _COUNT, _WEIGHT, _SQUARE
_PART, _PART_ROWS = "part", 1 << 12
"""Weights are added up in parts first: Arrow adds one after another, and a long sum in turn would lose digits."""
_BYTES_OF_A_PAIR, _BYTES_OF_A_WEIGHT, _BYTES_OF_A_GROUP = 250, 110, 4_000
"""While equal pairs are added up; of a group, its statistics and the lines that show them."""


class ClassPairCounts:
    """How often each label was predicted as each class, of rows with weights above zero if they have weights.

    >>> import pyarrow
    >>> pairs = ClassPairCounts(Question("tree", predicted=("guess",)))
    >>> pairs.update(pyarrow.record_batch({"tree": ["ash", "elm"], "guess": ["ash", "ash"]}), 0)
    >>> pairs.matrix().counts
    array([[1, 0],
           [1, 0]])
    """

    def __init__(self, question: Question) -> None:
        self._names = [question.label, *question.predicted]
        self._question = question
        self._groups = GroupCodes(question.by, question.most_groups) if question.by else None
        self._pairs: Any = None
        self._spellings: tuple[str, ...] = ()

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        if not batch.num_rows:
            return
        for name in self._names:
            if pa.types.is_floating(batch.schema.field(name).type):
                class_columns({name: batch_values(batch.column(name), name)}, first)
        columns = {str(index): batch.column(name) for index, name in enumerate(self._names)}
        if self._groups is not None:
            columns[_GROUP] = pa.array(self._groups.codes(list(map(batch.column, self._question.by)), first))
        self._add(pa.table({**columns, **self._summands(batch)}))

    def sections(self) -> list[Section]:
        """Return the report; raise EvaluationError if labels and predictions differ in kind.  O(m log m + k²)."""
        level, [score] = self._question.level, self._question.predicted
        cases, tally = self._cases()
        in_matrix = needs_matrix(self._question, len(cases.categories))
        if self._groups is None:
            if in_matrix:
                return matrix_report(cases.categories, self.matrix(), level, score)
            return counted_pairs_report(cases, tally.counts, level, score)
        groups = column_arrays(self._pairs, [_GROUP])[_GROUP]
        order = np.argsort(groups, kind="stable")
        cells = CellCounts(groups[order], cases.reference[order], cases.response[order], tally.at(order))
        sizes = np.bincount(groups, tally.cases, len(self._groups)).astype(np.int64)
        names = self._groups.ordered(sizes, self._question.grouping.min_cases)
        found = agreement_of_groups(cells, len(self._groups), level).at(np.array([*names.values()], np.int64))
        total = agreement_columns(self.matrix().of_one_group, level)
        return [grouped_section(score, PREDICTED, named_records(names, found, total, level))]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know of the classes and the groups, after `sections`."""
        return (*self._spellings, *(() if self._groups is None else self._groups.notes))

    def matrix(self) -> Tally:
        """Return the confusion matrix, (k, k); raise EvaluationError for labels and predictions of other kinds."""
        cases, tally = self._cases()

        def add_up(column: AnyArray) -> AnyArray:
            table = np.zeros((len(cases.categories),) * 2, column.dtype)
            np.add.at(table, (cases.reference, cases.response), column)  # pairs are in several groups
            return table

        return tally.map(add_up)

    def _cases(self) -> tuple[CodedCases, Tally]:
        """Return the codes of the combinations that occur, and the cases of each.  O(m log m)."""
        columns = column_arrays(self._pairs, self._pairs.column_names)
        classes = class_columns({name: columns[str(index)] for index, name in enumerate(self._names)})
        cases = as_coded_cases(classes[0], classes[-1], None, ("label", "predicted"))
        label, predicted = self._names
        what = {f"column {predicted!r}": cases.response}
        self._spellings = spelling_notes(cases.categories, cases.reference, what, label)
        if _WEIGHT not in columns:
            return cases, Tally(columns[_COUNT])
        weights = WeightSums(columns[_WEIGHT], columns[_SQUARE], columns[_COUNT].astype(np.float64))
        return cases, tally_of(weights)

    def _summands(self, batch: Any) -> dict[str, Any]:
        """Return columns that are added up for each pair: ones or frequencies, or with them weights and squares."""
        weighting = self._question.weighting
        weights = batch_weights(batch, weighting)
        if weights is not None and weighting.of_frequencies:
            return {_COUNT: pa.array(weights)}
        ones = {_COUNT: pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)}
        if weights is None:
            return ones
        floats, parts = weights.astype(np.float64, copy=False), np.arange(weights.size, dtype=np.int32) // _PART_ROWS
        return {**ones, _WEIGHT: pa.array(floats), _SQUARE: pa.array(floats * floats), _PART: pa.array(parts)}

    def _add(self, rows: Any) -> None:
        added = _summed(rows)
        if self._pairs is not None:
            # another file may have widened a type since
            added = _summed(pa.concat_tables([self._pairs, added], promote_options="permissive"))
        needs_matrix(self._question, max(len(added[str(index)].unique()) for index in range(2)))
        each = _BYTES_OF_A_PAIR + (_BYTES_OF_A_WEIGHT if _WEIGHT in added.column_names else 0)
        groups = 0 if self._groups is None else len(self._groups)
        what = f"{columns_text([*self._question.by, *self._names])}: {added.num_rows:,} different rows take at least"
        check_room(added.num_rows * each + groups * _BYTES_OF_A_GROUP, self._question.memory, what)
        self._pairs = added


def _summed(rows: Any) -> Any:
    """Add up the counts of equal pairs, and their weights.  O(n)."""
    summed = [name for name in rows.column_names if name in _SUMMED]
    keys = [name for name in rows.column_names if name not in _SUMMED]
    sums = rows.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in summed])
    sums = sums.select([*keys, *(f"{name}_sum" for name in summed)]).rename_columns([*keys, *summed])
    return _summed(sums.drop_columns([_PART])) if _PART in keys else sums
