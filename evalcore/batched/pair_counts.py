"""Counts of pairs of a label and a predicted class, of rows that come in batches."""

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from evalcore.batched.batch_columns import batch_values
from evalcore.errors import EvaluationError
from evalcore.io.columns import column_arrays
from evalcore.optional import require
from evalcore.report.inputs import class_columns
from evalcore.report.multiclass import Confusion
from evalcore.report.question import Question
from evalcore.validation.categories import as_coded_cases

_COUNT = "count"
_MOST_PAIRS = 1 << 20
"""Enough for a full confusion matrix of a thousand classes."""


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
        ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
        self._add(pa.table({**columns, _COUNT: ones}))

    def copy(self) -> Self:
        """Return a copy that shares the counts, which are replaced, never changed.  O(1)."""
        return copy.copy(self)

    def matrix(self) -> Confusion:
        """Return the confusion matrix; raise EvaluationError if labels and predictions differ in kind.  O(k²)."""
        columns = column_arrays(self._pairs, ["0", "1", _COUNT])
        classes = class_columns({name: columns[str(index)] for index, name in enumerate(self._names)})
        cases = as_coded_cases(classes[0], classes[-1], None, ("label", "predicted"))
        counts = np.zeros((len(cases.categories),) * 2, np.int64)
        counts[cases.reference, cases.response] = columns[_COUNT]
        return Confusion(cases.categories, counts)

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the counts as facts and columns to save.  O(k²)."""
        pa = require("pyarrow", "report")
        if self._pairs is None:
            return {}, {}
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._pairs.schema) as writer:
            writer.write_table(self._pairs)
        return {}, {"pairs": np.frombuffer(sink.getvalue(), np.uint8)}

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what was saved.  O(k²)."""
        pa = require("pyarrow", "report")
        if "pairs" in columns:
            with pa.ipc.open_stream(pa.py_buffer(columns["pairs"])) as reader:
                self._pairs = reader.read_all()

    def _add(self, rows: Any) -> None:
        pa = require("pyarrow", "report")
        added = _summed(rows)
        if self._pairs is not None:
            # another file may have widened a type since
            added = _summed(pa.concat_tables([self._pairs, added], promote_options="permissive"))
        if added.num_rows > _MOST_PAIRS:
            label, predicted = self._names
            raise EvaluationError(
                f"columns {label!r} and {predicted!r} must hold at most {_MOST_PAIRS:,} pairs of classes, got "
                f"at least {added.num_rows:,}; are these columns of classes?"
            )
        self._pairs = added


def _summed(rows: Any) -> Any:
    """Add up the counts of equal pairs.  O(n)."""
    sums = rows.group_by(["0", "1"], use_threads=False).aggregate([(_COUNT, "sum")])
    return sums.select(["0", "1", f"{_COUNT}_sum"]).rename_columns(["0", "1", _COUNT])
