"""Counts of pairs of a label and a predicted class, of rows that come in batches."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from evalcore.batched.batch_columns import batch_values
from evalcore.batched.group_codes import GroupCodes
from evalcore.errors import EvaluationError
from evalcore.io.columns import column_arrays
from evalcore.optional import require
from evalcore.report.inputs import class_columns
from evalcore.report.model import Section
from evalcore.report.question import Question
from evalcore.report.statistics.grouped_classes import PREDICTED, CellCounts, agreement_of_groups, grouped_section
from evalcore.report.statistics.groups import columns_text
from evalcore.report.statistics.multiclass import Confusion, agreement, matrix_report
from evalcore.typing import IntArray
from evalcore.validation.categories import CodedCases, as_coded_cases

_COUNT, _GROUP = "count", "group"
_MOST_PAIRS = 1 << 20
"""Enough for a full confusion matrix of a thousand classes."""
_MOST_IN_GROUPS = 1 << 22
"""They take about 100 MB."""


class ClassPairCounts:
    """How often each label was predicted as each class.

    >>> import pyarrow
    >>> pairs = ClassPairCounts(Question("tree", predicted="guess"))
    >>> pairs.update(pyarrow.record_batch({"tree": ["ash", "elm"], "guess": ["ash", "ash"]}), 0)
    >>> pairs.matrix().counts
    array([[1, 0],
           [1, 0]])
    """

    def __init__(self, question: Question) -> None:
        self._names = [question.label, str(question.predicted)]
        self._question = question
        self._groups = GroupCodes(question.by, question.most_groups) if question.by else None
        self._pairs: Any = None

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        pa = require("pyarrow", "report")
        if not batch.num_rows:
            return
        for name in self._names:
            if pa.types.is_floating(batch.schema.field(name).type):
                class_columns({name: batch_values(batch.column(name), name)}, first)
        columns = {str(index): batch.column(name) for index, name in enumerate(self._names)}
        if self._groups is not None:
            columns[_GROUP] = pa.array(self._groups.codes(list(map(batch.column, self._question.by)), first))
        ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
        self._add(pa.table({**columns, _COUNT: ones}))

    def copy(self) -> Self:
        """Return a copy that shares the counts, which are replaced, never changed.  O(groups)."""
        other = copy.copy(self)
        if self._groups is not None:
            other._groups = GroupCodes(self._question.by, self._question.most_groups)
            other._groups.restore(self._groups.saved())
        return other

    def sections(self) -> list[Section]:
        """Return the report; raise EvaluationError if labels and predictions differ in kind.  O(m log m + k²)."""
        level, score = self._question.level, str(self._question.predicted)
        if self._groups is None:
            return matrix_report(self.matrix(), level, score)
        cases, counts = self._cases()
        groups = column_arrays(self._pairs, [_GROUP])[_GROUP]
        order = np.argsort(groups, kind="stable")
        cells = CellCounts(groups[order], cases.reference[order], cases.response[order], counts[order])
        sizes = np.bincount(groups, counts, len(self._groups)).astype(np.int64)
        names = self._groups.ordered(sizes, self._question.grouping.min_cases)
        found = agreement_of_groups(cells, len(self._groups), level)
        return [grouped_section(score, PREDICTED, names, found, agreement(self.matrix().tally, level))]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know of the groups, after `sections`."""
        return () if self._groups is None else self._groups.notes

    def matrix(self) -> Confusion:
        """Return the confusion matrix; raise EvaluationError if labels and predictions differ in kind.  O(k²)."""
        cases, weights = self._cases()
        counts = np.zeros((len(cases.categories),) * 2, np.int64)
        np.add.at(counts, (cases.reference, cases.response), weights)  # pairs are in several groups
        return Confusion(cases.categories, counts)

    def _cases(self) -> tuple[CodedCases, IntArray]:
        """Return the codes of the combinations that occur, and the cases of each.  O(m log m)."""
        columns = column_arrays(self._pairs, ["0", "1", _COUNT])
        classes = class_columns({name: columns[str(index)] for index, name in enumerate(self._names)})
        return as_coded_cases(classes[0], classes[-1], None, ("label", "predicted")), columns[_COUNT]

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the counts as facts and columns to save.  O(k²)."""
        pa = require("pyarrow", "report")
        facts = {} if self._groups is None else self._groups.saved()
        if self._pairs is None:
            return facts, {}
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._pairs.schema) as writer:
            writer.write_table(self._pairs)
        return facts, {"pairs": np.frombuffer(sink.getvalue(), np.uint8)}

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what was saved.  O(k²)."""
        pa = require("pyarrow", "report")
        if "pairs" in columns:
            if self._groups is not None:
                self._groups.restore(facts)
            with pa.ipc.open_stream(pa.py_buffer(columns["pairs"])) as reader:
                self._pairs = reader.read_all()

    def _add(self, rows: Any) -> None:
        pa = require("pyarrow", "report")
        added = _summed(rows)
        if self._pairs is not None:
            # another file may have widened a type since
            added = _summed(pa.concat_tables([self._pairs, added], promote_options="permissive"))
        most, what = (_MOST_PAIRS, "pairs") if self._groups is None else (_MOST_IN_GROUPS, "groups and pairs")
        if added.num_rows > most:
            names = columns_text([*self._question.by, *self._names])
            raise EvaluationError(
                f"{names} must hold at most {most:,} {what} of classes, got at least {added.num_rows:,}; "
                "are these columns of classes?"
            )
        self._pairs = added


def _summed(rows: Any) -> Any:
    """Add up the counts of equal pairs.  O(n)."""
    keys = [name for name in rows.column_names if name != _COUNT]
    sums = rows.group_by(keys, use_threads=False).aggregate([(_COUNT, "sum")])
    return sums.select([*keys, f"{_COUNT}_sum"]).rename_columns([*keys, _COUNT])
