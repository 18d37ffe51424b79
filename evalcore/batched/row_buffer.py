"""Rows that come in batches, kept whole for a report that needs all of them."""

from typing import Any

from evalcore.batched.batch_columns import batch_labels, batch_scores, batch_values
from evalcore.io.arrow import pa
from evalcore.io.columns import ColumnArrays, column_arrays
from evalcore.report.inputs import group_labels
from evalcore.report.question import Question


class RowBuffer:
    """The rows of the columns of a schema, checked as they come, so that errors give their index in the file.

    >>> import pyarrow
    >>> batch = pyarrow.record_batch({"late": [True, False], "model": [0.9, 0.1]})
    >>> buffer = RowBuffer(Question("late", ("model",)), batch.schema)
    >>> buffer.update(batch, 0)
    >>> buffer.columns()["model"]
    array([0.9, 0.1])
    """

    def __init__(self, question: Question, schema: Any) -> None:
        self.question = question
        self.schema = schema
        self.batches: list[Any] = []

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        if not batch.num_rows:
            return
        label = self.question.label
        for name in self.question.scores:
            batch_scores(batch.column(name), name, first)
        if self.question.scores:
            batch_labels(batch.column(label), label, self.question.positive, first)
        for by in self.question.by:
            if pa.types.is_floating(batch.schema.field(by).type):
                group_labels(batch_values(batch.column(by), by), by, first)
        self.batches.append(batch)

    def columns(self) -> ColumnArrays:
        """Return the columns as arrays, (n,) each, and forget the batches.  O(n)."""
        table = pa.Table.from_batches(self.batches, self.schema)
        self.batches = []
        return column_arrays(table, self.schema.names)
