"""Rows that come in batches, of which some are kept: those that a filter keeps, and of these perhaps a sample."""

from collections.abc import Callable
from typing import Any

from evalcore.errors import counting_kept_rows
from evalcore.io.rows import RowFilter


class KeptRows:
    """Hands the rows that are kept on; a sample waits until `finish`.

    add: takes a record batch and the index of its first row; schema: the columns that are handed on.

    >>> import pyarrow
    >>> from evalcore.batched.row_buffer import RowBuffer
    >>> from evalcore.io.rows import Rows
    >>> from evalcore.report.question import Question
    >>> batch = pyarrow.record_batch({"late": [True, False, None], "model": [0.9, 0.1, 0.5]})
    >>> buffer = RowBuffer(Question("late", ("model",)), batch.schema)
    >>> state = KeptRows(buffer.update, RowFilter(Rows(nulls="drop"), str), batch.schema)
    >>> state.update(batch, 0)
    >>> buffer.columns()["model"]
    array([0.9, 0.1])
    """

    def __init__(self, add: Callable[[Any, int], None], rows: RowFilter, schema: Any) -> None:
        self.rows = rows
        self._add = add
        self._schema = schema
        self._sample = rows.sample()
        self._kept_of_file = 0

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        kept = self.rows.kept(batch, self._schema.names, first)
        if first == 0:
            self._kept_of_file = 0
        if self._sample is None:
            self._hand_on(kept)
        else:
            self._sample.add(kept)

    def finish(self) -> None:
        """Hand on the sample, if there is one; raise EvaluationError if no row is kept.  O(n log n)."""
        self.rows.check_rows()
        if self._sample is not None and self._sample.seen:
            self._kept_of_file = 0
            self._hand_on(self._sample.rows())

    def _hand_on(self, table: Any) -> None:
        with counting_kept_rows():
            for batch in table.to_batches():
                self._add(batch, self._kept_of_file)
                self._kept_of_file += batch.num_rows
