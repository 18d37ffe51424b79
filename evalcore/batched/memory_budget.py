"""How much memory a report takes, and how summaries share what there is."""

from typing import Any, NamedTuple

from evalcore.batched.grouped_summaries import Limits
from evalcore.batched.summaries import BYTES_OF_AN_INTERVAL
from evalcore.errors import EvaluationError
from evalcore.io.batches import BATCH_ROWS
from evalcore.io.memory import shown_size
from evalcore.report.question import Question

PROGRAM = 160_000_000
"""What Python and the libraries take, and what Arrow keeps for reading."""
_TEXT_BYTES = 12
"""Of a string of eight letters in Arrow; an array has eight for a reference, as labels and groups are few."""
_MOST_CAPACITY, _LEAST_CAPACITY = 1 << 18, 1 << 10
_MOST_WAITING, _LEAST_WAITING = 1 << 22, 1 << 14


class Room(NamedTuple):
    """How the parts of a streamed report share the memory."""

    limits: Limits
    batch_rows: int
    """Rows that are read at once."""


def exact_bytes(question: Question, schema: Any, rows: int, saved: bool = False) -> int:
    """Return about how much memory an exact report on so many rows takes, with the program itself.  O(columns).

    schema: the columns, a pyarrow Schema; saved: whether the rows are saved in checkpoints, which takes copies.

    >>> import pyarrow
    >>> schema = pyarrow.schema([("late", pyarrow.bool_()), ("model", pyarrow.float64())])
    >>> exact_bytes(Question("late", ("model",)), schema, 10**7) / 1e6
    822.75
    >>> exact_bytes(Question("late", ("model",)), schema.set(0, pyarrow.field("late", pyarrow.string())), 10**7) / 1e6
    1095.0
    """
    # columns twice, as they are read and as arrays, with an eighth to spare; then what the report computes from them
    each = (2.25 + saved) * sum(map(_bytes_of, schema.types)) + _working_bytes(question, len(schema))
    return PROGRAM + int(1.1 * rows * each)


def room_for(memory: int, question: Question, saved: bool = False) -> Room:
    """Share memory among what a streamed report needs.  O(1).

    saved: whether summaries are saved in checkpoints, which takes copies.  Depends on nothing but its arguments, so
    that a run that is continued has the same.  Raises EvaluationError for too many columns.

    >>> room_for(300_000_000, Question("late", ("model",))).limits
    Limits(capacity=131072, waiting=524288, groups=56000000, copies=1)
    """
    free = memory - PROGRAM
    columns = len(question.scores)
    capacity = _power_of_two(free * 0.2 / (columns * 3 * BYTES_OF_AN_INTERVAL), _MOST_CAPACITY)
    waiting = _power_of_two(free * 0.35 / (60 + 24 * columns), _MOST_WAITING)
    if capacity < _LEAST_CAPACITY or waiting < _LEAST_WAITING:
        raise EvaluationError(
            f"{columns:,} columns of scores need more memory than {shown_size(memory)}; allow more (--memory SIZE)"
        )
    copies = 4 if saved else 1  # to go on with, to go back to, put together and to be written
    limits = Limits(capacity, waiting, int(free * 0.4), copies)
    return Room(limits, _power_of_two(free * 0.1 / (16 * columns), BATCH_ROWS))


def _working_bytes(question: Question, columns: int) -> int:
    """Bytes for each row while a report is computed, beside the columns."""
    if question.classes is not None:
        return 40 + 20 * columns
    return 40 + (30 if question.by is not None else 0) + (20 if question.level is not None else 0)


def _bytes_of(kind: Any) -> int:
    """Return the bytes of a number, or about those of a string."""
    try:
        return kind.bit_width // 8 or 1
    except ValueError:
        return _TEXT_BYTES


def _power_of_two(size: float, most: int) -> int:
    return min(1 << max(int(size), 1).bit_length() - 1, most)
