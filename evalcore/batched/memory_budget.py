"""How much memory a report takes, and how much of the limit each part of a batched report may use."""

from typing import Any

from evalcore.batched.reports import SummaryLimits
from evalcore.batched.summaries import BYTES_OF_AN_INTERVAL
from evalcore.errors import EvaluationError
from evalcore.io.memory import LEAST_BYTES, PROGRAM_BYTES, shown_size
from evalcore.io.readers import BATCH_ROWS
from evalcore.io.rows import Rows
from evalcore.report.question import Question

CONDITION_BYTES = 110_000_000
"""Bytes that DuckDB takes, and pandas, which it imports where it is installed."""
_DATABASE_BYTES = 46_000_000
"""Bytes that DuckDB takes beyond the limit of a query."""
_FEWEST_OF_A_QUERY = 64_000_000
_TEXT_BYTES = 12
"""A string of eight letters in Arrow; an array has eight bytes for a reference, because distinct strings are few."""
_MOST_INTERVALS, _FEWEST_INTERVALS = 1 << 18, 1 << 10
_MOST_WAITING, _FEWEST_WAITING = 1 << 22, 1 << 14


def bytes_of_a_database(memory: int) -> tuple[int, int]:
    """Return the parts of a memory limit, in bytes, of the query of a database, and of all that it takes.  O(1).

    A query that needs more spills to disk.
    """
    query = max(_FEWEST_OF_A_QUERY, memory // 8)
    return query, _DATABASE_BYTES + query


def exact_bytes(question: Question, schema: Any, rows: int) -> int:
    """Return about how many bytes an exact report on so many rows of a pyarrow schema takes.  O(columns).

    >>> import pyarrow
    >>> schema = pyarrow.schema([("late", pyarrow.bool_()), ("model", pyarrow.float64())])
    >>> exact_bytes(Question("late", ("model",)), schema, 10**7) / 1e6
    822.75
    """
    # columns twice, as they are read and as arrays, with an eighth to spare; then what the report computes from them
    each = 2.25 * sum(map(bytes_of_type, schema.types)) + _working_bytes(question, len(schema))
    return program_bytes(question.rows) + int(1.1 * rows * each)


def budget_for(memory: int, question: Question, reserved: int = 0) -> tuple[SummaryLimits, int]:
    """Return the limits of summaries, and how many rows to read at once; raise EvaluationError for too little memory.

    reserved: bytes for reading a database.  O(1).

    >>> budget_for(300_000_000, Question("late", ("model",)))[0]
    SummaryLimits(capacity=131072, waiting=524288, groups=50400000)
    """
    program = program_bytes(question.rows) + reserved
    needed = LEAST_BYTES + program - PROGRAM_BYTES
    if program > PROGRAM_BYTES and memory < needed:
        parts = {"--where": program - PROGRAM_BYTES - reserved, "the database": reserved}
        taken = " and ".join(f"{name} takes {shown_size(size)}" for name, size in parts.items() if size)
        raise EvaluationError(
            f"{taken}, so memory must be at least {needed // 10**6}M, got {shown_size(memory)}; allow more "
            "(--memory SIZE)"
        )
    free = memory - program
    columns = len(question.scores)
    weights = 8 * (1 + columns) if question.weighting.column is not None else 0  # of rows of groups, and of each column
    capacity = _power_of_two(free * 0.2 / (columns * 3 * BYTES_OF_AN_INTERVAL), _MOST_INTERVALS)
    waiting = _power_of_two(free * 0.35 / (60 + 24 * columns + weights), _MOST_WAITING)
    if capacity < _FEWEST_INTERVALS or waiting < _FEWEST_WAITING:
        raise EvaluationError(
            f"{columns:,} score columns need more memory than {shown_size(memory)}; allow more (--memory SIZE)"
        )
    limits = SummaryLimits(capacity, waiting, int(free * 0.36))
    return limits, _power_of_two(free * 0.1 / (16 * columns), BATCH_ROWS)


def program_bytes(rows: Rows) -> int:
    """Return the bytes that are taken whatever the number of rows; rows: which are kept.  O(1)."""
    return PROGRAM_BYTES + (CONDITION_BYTES if isinstance(rows.where, str) else 0)


def _working_bytes(question: Question, columns: int) -> int:
    """Bytes for each row while a report is computed, without the columns themselves."""
    grouped = 40 + 30 * len(question.by)
    if question.classes is not None:
        return grouped + 20 * columns
    intervals = 20 + 4 * columns if question.level is not None else 0  # placements of each column
    targets = 16 if question.targets else 0  # counts at all thresholds, beyond what the ranking takes
    weighted = 50 if question.weighting.asked else 0  # an order, and scores, labels and weights in it
    compared = 90 if question.grouping.compare_groups else 0  # cases in two orders, and sums over runs
    return grouped + intervals + targets + weighted + compared


def bytes_of_type(kind: Any) -> int:
    """Return the bytes of a number of a pyarrow type, or about those of a string.  O(1)."""
    try:
        return kind.bit_width // 8 or 1
    except ValueError:
        return _TEXT_BYTES


def _power_of_two(size: float, most: int) -> int:
    return min(1 << max(int(size), 1).bit_length() - 1, most)
