"""Rows with weights that come in batches: checked, and without those of weight zero, which count as absent."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from evalcore.batched.batch_columns import batch_weights
from evalcore.errors import EvaluationError, counting_kept_rows
from evalcore.io.arrow import pa
from evalcore.report.weighting import Weighting, check_total
from evalcore.validation.values import item_name
from evalcore.validation.weights import total_weight

_LARGEST, _SMALLEST = 2.0**200, 2.0**-200
"""Products of four sums of such weights fit float64; all weights in memory are divided by the largest instead."""


class WeightedRows:
    """Hands the rows with weights above zero on; `add` takes a record batch and the index of its first row.

    >>> import pyarrow
    >>> from evalcore.batched.row_buffer import RowBuffer
    >>> from evalcore.report.question import Question
    >>> batch = pyarrow.record_batch({"late": [True, False], "model": [0.9, 0.1], "w": [2.5, 0.0]})
    >>> buffer = RowBuffer(Question("late", ("model",)), batch.schema)
    >>> WeightedRows(buffer.update, Weighting("w")).update(batch, 0)
    >>> buffer.columns()["w"]
    array([2.5])
    """

    def __init__(self, add: Callable[[Any, int], None], weighting: Weighting) -> None:
        self._add = add
        self._weighting = weighting
        self._total = 0.0
        """The weight of all rows so far."""
        self._kept_of_file = 0

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        weights = batch_weights(batch, self._weighting, first)
        assert weights is not None
        self._total += total_weight(weights)
        if self._total:
            check_total(self._total, self._weighting)
        invalid = (weights > _LARGEST) | ((weights < _SMALLEST) & (weights > 0))
        if invalid.any():
            index = int(invalid.argmax())
            raise EvaluationError(
                f"{item_name(f'column {self._weighting.column!r}', first + index)} is {weights[index]}; weights of "
                "rows that are read in batches must be 0, or from 2**-200 to 2**200: multiply all of them by one number"
            )
        if first == 0:
            self._kept_of_file = 0
        if not weights.all():
            batch = batch.filter(pa.array(weights > 0))
        with counting_kept_rows() if self._kept_of_file < first or batch.num_rows < weights.size else nullcontext():
            self._add(batch, self._kept_of_file)
        self._kept_of_file += batch.num_rows

    def finish(self) -> None:
        """Raise EvaluationError if no row has a weight above zero.  O(1)."""
        check_total(self._total, self._weighting)
