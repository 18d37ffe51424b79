"""Rows that come in batches, kept whole for a report that needs all of them."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from evalcore.batched.batch_columns import batch_labels, batch_scores, batch_values
from evalcore.io.columns import ColumnArrays, column_arrays
from evalcore.optional import require
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
        pa = require("pyarrow", "report")
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

    def copy(self) -> Self:
        """Return a copy that shares the batches, which never change.  O(batches)."""
        other = type(self)(self.question, self.schema)
        other.batches = list(self.batches)
        return other

    def columns(self) -> ColumnArrays:
        """Return the columns as arrays, (n,) each, and forget the batches.  O(n)."""
        pa = require("pyarrow", "report")
        table = pa.Table.from_batches(self.batches, self.schema)
        self.batches = []
        return column_arrays(table, self.schema.names)

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the rows as facts and columns to save.  O(n)."""
        pa = require("pyarrow", "report")
        return {}, {"batches": saved_table(pa.Table.from_batches(self.batches, self.schema))}

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what was saved, in the types of the present schema.  O(n)."""
        self.batches = restored_table(columns["batches"], self.schema).to_batches()


def saved_table(table: Any) -> npt.NDArray[np.uint8]:
    """Return a pyarrow Table as bytes.  O(n)."""
    pa = require("pyarrow", "report")
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return np.frombuffer(sink.getvalue(), np.uint8)


def restored_table(saved: npt.NDArray[Any], schema: Any) -> Any:
    """Return a table from its bytes, in the types of a schema, which may be wider.  O(n)."""
    pa = require("pyarrow", "report")
    with pa.ipc.open_stream(pa.py_buffer(saved)) as reader:
        table = reader.read_all()
    # files without columns may have been all so far
    return table.select(schema.names).cast(schema) if table.num_rows else schema.empty_table()
