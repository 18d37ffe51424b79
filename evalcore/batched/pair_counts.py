"""Counts of labels and predicted classes of rows that come in batches: all that a report on them needs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from evalcore.batched.batches import values_of
from evalcore.errors import EvaluationError
from evalcore.io.columns import arrays
from evalcore.optional import require
from evalcore.report.inputs import class_columns
from evalcore.report.multiclass import Confusion
from evalcore.report.question import Question
from evalcore.validation.categories import as_coded_cases

_COUNT = "count"
_MOST_PAIRS = 1 << 20
"""Of a label and a predicted class: a matrix of a few thousand classes that are all mistaken for each other."""


class Counted:
    """How often each label was predicted as each class.

    Parameters
    ----------
    question : Question
        Names the columns of labels and of predicted classes.

    Examples
    --------
    >>> import pyarrow
    >>> counted = Counted(Question("tree", predicted="guess"))
    >>> counted.update(pyarrow.record_batch({"tree": ["ash", "elm"], "guess": ["ash", "ash"]}), 0)
    >>> counted.matrix().counts
    array([[1, 0],
           [1, 0]])
    """

    def __init__(self, question: Question) -> None:
        self._names = [question.label, str(question.predicted)]
        self._pairs: Any = None

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch of the columns, without nulls.  O(n).

        first: the index of its first row, for errors.  Raises EvaluationError for fractions, and for more than a
        million different pairs.

        >>> import pyarrow
        >>> batch = pyarrow.record_batch({"tree": [0.5], "guess": [1]})
        >>> Counted(Question("tree", predicted="guess")).update(batch, 70)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'tree' holds 0.5 at index 70 (from 0), where classes are names or \
whole numbers
        """
        pa = require("pyarrow", "report")
        if not batch.num_rows:
            return
        for name in self._names:
            if pa.types.is_floating(batch.schema.field(name).type):
                class_columns({name: values_of(batch.column(name), name)}, first)
        columns = {str(place): batch.column(name) for place, name in enumerate(self._names)}
        ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
        self._add(pa.table({**columns, _COUNT: ones}))

    def settle(self) -> None:
        """Do nothing, for nothing waits.

        >>> Counted(Question("tree", predicted="guess")).settle()
        """

    def mark(self) -> Any:
        """Return what is known now.  O(1).

        >>> Counted(Question("tree", predicted="guess")).mark() is None
        True
        """
        return self._pairs

    def back_to(self, mark: Any) -> None:
        """Forget what was added since.  O(1).

        >>> Counted(Question("tree", predicted="guess")).back_to(None)
        """
        self._pairs = mark

    def matrix(self) -> Confusion:
        """Return the confusion matrix.  O(k²).

        Raises EvaluationError if labels and predicted classes are of two kinds.

        >>> import pyarrow
        >>> counted = Counted(Question("tree", predicted="guess"))
        >>> counted.update(pyarrow.record_batch({"tree": ["ash"], "guess": [1]}), 0)
        >>> counted.matrix()
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'tree' holds str and column 'guess' int: labels are of one kind
        """
        columns = arrays(self._pairs, ["0", "1", _COUNT])
        classes = class_columns({name: columns[str(place)] for place, name in enumerate(self._names)})
        cases = as_coded_cases(classes[0], classes[-1], None, ("label", "predicted"))
        counts = np.zeros((len(cases.categories),) * 2, np.int64)
        counts[cases.reference, cases.response] = columns[_COUNT]
        return Confusion(cases.categories, counts)

    def saved(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return what is known as facts and columns to be saved.  O(k²).

        >>> Counted(Question("tree", predicted="guess")).saved()
        ({}, {})
        """
        pa = require("pyarrow", "report")
        if self._pairs is None:
            return {}, {}
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._pairs.schema) as writer:
            writer.write_table(self._pairs)
        return {}, {"pairs": np.frombuffer(sink.getvalue(), np.uint8)}

    def restore(self, facts: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take back what was saved.  O(k²).

        >>> counted = Counted(Question("tree", predicted="guess"))
        >>> counted.restore(*counted.saved())
        """
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
                f"columns {label!r} and {predicted!r} hold at least {added.num_rows:,} different pairs, where classes "
                f"make {_MOST_PAIRS:,} at most"
            )
        self._pairs = added


def _summed(rows: Any) -> Any:
    """Add up the counts of equal pairs."""
    sums = rows.group_by(["0", "1"], use_threads=False).aggregate([(_COUNT, "sum")])
    return sums.select(["0", "1", f"{_COUNT}_sum"]).rename_columns(["0", "1", _COUNT])
