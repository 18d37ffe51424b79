"""Rows that come in batches, of which some are kept: those that a filter keeps, and of these perhaps a sample."""

from collections.abc import Mapping
from typing import Any, Self

import numpy.typing as npt

from evalcore.batched.checkpoint import Accumulator
from evalcore.batched.row_buffer import restored_table, saved_table
from evalcore.errors import counting_kept_rows
from evalcore.io.rows import RowFilter


class KeptRows:
    """Hands the rows that are kept on to another state; a sample waits until `finish`.

    schema: the columns that are handed on.

    >>> import pyarrow
    >>> from evalcore.batched.row_buffer import RowBuffer
    >>> from evalcore.io.rows import Rows
    >>> from evalcore.report.question import Question
    >>> batch = pyarrow.record_batch({"late": [True, False, None], "model": [0.9, 0.1, 0.5]})
    >>> buffer = RowBuffer(Question("late", ("model",)), batch.schema)
    >>> state = KeptRows(buffer, RowFilter(Rows(nulls="drop"), str), batch.schema)
    >>> state.update(batch, 0)
    >>> buffer.columns()["model"]
    array([0.9, 0.1])
    """

    def __init__(self, inner: Accumulator, rows: RowFilter, schema: Any) -> None:
        self.rows = rows
        self._inner = inner
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

    def copy(self) -> Self:
        """Return a copy that shares the rows, which never change."""
        other = type(self)(self._inner.copy(), self.rows.copy(), self._schema)
        other._sample = None if self._sample is None else self._sample.copy()
        return other

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what is known as facts and columns to save.  O(n)."""
        inner, columns = self._inner.saved()
        facts: dict[str, Any] = {"inner": inner, "rows": self.rows.facts()}
        if self._sample is not None and self._sample.seen:
            rows = saved_table(self._sample.rows())
            columns = {**columns, "sample": rows, "sample keys": self._sample.keys()}
            facts["sampled of"] = self._sample.seen
        return facts, columns

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore what was saved, in the types of the present schema.  O(n)."""
        self._inner.restore(facts["inner"], columns)
        self.rows.restore(facts["rows"])
        if self._sample is not None and "sample" in columns:
            table = restored_table(columns["sample"], self._schema)
            self._sample.restore(table, columns["sample keys"], facts["sampled of"])

    def _hand_on(self, table: Any) -> None:
        with counting_kept_rows():
            for batch in table.to_batches():
                self._inner.update(batch, self._kept_of_file)
                self._kept_of_file += batch.num_rows
