"""Columns of rows that come in batches, kept whole for a report that needs them all."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.batched.batches import positive_of, scores_of, values_of
from evalcore.io.columns import Columns, arrays
from evalcore.optional import require
from evalcore.report.inputs import group_labels
from evalcore.report.question import Question


class Gathered:
    """The rows of some columns.

    Parameters
    ----------
    question : Question
        Columns of labels, scores and groups: they are checked as they come, so that errors tell where.
    schema : pyarrow.Schema
        All columns.

    Examples
    --------
    >>> import pyarrow
    >>> batch = pyarrow.record_batch({"late": [True, False], "model": [0.9, 0.1]})
    >>> gathered = Gathered(Question("late", ("model",)), batch.schema)
    >>> gathered.update(batch, 0)
    >>> gathered.columns()["model"]
    array([0.9, 0.1])
    """

    def __init__(self, question: Question, schema: Any) -> None:
        self.question = question
        self.schema = schema
        self.batches: list[Any] = []

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch.  O(n).

        first: the index of its first row, for errors.  Raises EvaluationError for what are no labels, scores or groups.

        >>> import pyarrow
        >>> batch = pyarrow.record_batch({"late": [7], "model": [0.9]})
        >>> Gathered(Question("late", ("model",)), batch.schema).update(batch, 0)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'late' holds 1 value (7), where labels are 0 and 1 or Booleans; name \
the positive one (positive=VALUE)
        """
        pa = require("pyarrow", "report")
        if not batch.num_rows:
            return
        label, by = self.question.label, self.question.by
        for name in self.question.scores:
            scores_of(batch.column(name), name, first)
        if self.question.scores:
            positive_of(batch.column(label), label, self.question.positive, first)
        if by is not None and pa.types.is_floating(batch.schema.field(by).type):
            group_labels(values_of(batch.column(by), by), by, first)
        self.batches.append(batch)

    def settle(self) -> None:
        """Do nothing, for rows are kept as they came.

        >>> import pyarrow
        >>> Gathered(Question("late", ()), pyarrow.schema([])).settle()
        """

    def mark(self) -> int:
        """Return what is known now.  O(1).

        >>> import pyarrow
        >>> Gathered(Question("late", ()), pyarrow.schema([])).mark()
        0
        """
        return len(self.batches)

    def back_to(self, mark: int) -> None:
        """Forget what was added since.  O(1).

        >>> import pyarrow
        >>> Gathered(Question("late", ()), pyarrow.schema([])).back_to(0)
        """
        del self.batches[mark:]

    def columns(self) -> Columns:
        """Return the columns as arrays, (n,) each, and let go of the batches.  O(n).

        >>> import pyarrow
        >>> Gathered(Question("late", ()), pyarrow.schema([("late", pyarrow.bool_())])).columns()
        {'late': array([], dtype=bool)}
        """
        pa = require("pyarrow", "report")
        table = pa.Table.from_batches(self.batches, self.schema)
        self.batches = []
        return arrays(table, self.schema.names)

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return the rows as facts and columns to be saved.  O(n).

        >>> import pyarrow
        >>> sorted(Gathered(Question("late", ()), pyarrow.schema([])).saved()[1])
        ['batches']
        """
        pa = require("pyarrow", "report")
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.schema) as writer:
            for batch in self.batches:
                writer.write_batch(batch)
        return {}, {"batches": np.frombuffer(sink.getvalue(), np.uint8)}

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take back what was saved, in the types that the columns have now.  O(n).

        >>> import pyarrow
        >>> gathered = Gathered(Question("late", ()), pyarrow.schema([]))
        >>> gathered.restore(*gathered.saved())
        """
        pa = require("pyarrow", "report")
        with pa.ipc.open_stream(pa.py_buffer(columns["batches"])) as reader:
            self.batches = [
                pa.record_batch([batch.column(field.name).cast(field.type) for field in self.schema], self.schema)
                for batch in reader
            ]
