"""How much memory a report or a comparison takes, from what its files say of themselves before they are read."""

from collections.abc import Iterable, Sequence
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.evaluation.catalogue import measure_name
from evalcore.evaluation.measure_choice import RESAMPLED
from evalcore.evaluation.options import ANALYTIC
from evalcore.evaluation.question import Question
from evalcore.evaluation.summaries import BYTES_OF_AN_INTERVAL, SummaryLimits
from evalcore.io.columns import Selection
from evalcore.io.datasets import common_schema, expand_paths, inspect_files
from evalcore.io.formats import is_read_once
from evalcore.io.libraries import pa
from evalcore.io.memory import LEAST_BYTES, PROGRAM_BYTES, default_memory, shown_size
from evalcore.io.readers import BATCH_ROWS
from evalcore.io.rows import Rows

CONDITION_BYTES = 110_000_000
"""Bytes that DuckDB takes, and pandas, which it imports where it is installed."""
DATABASE_BYTES = 46_000_000
"""Bytes that DuckDB takes beyond the limit of a query."""
FEWEST_OF_A_QUERY = 64_000_000
_TEXT_BYTES = 12
"""A string of eight letters in Arrow; an array has eight bytes for a reference, because distinct strings are few."""
_MOST_INTERVALS, _FEWEST_INTERVALS = 1 << 18, 1 << 10
_MOST_WAITING, _FEWEST_WAITING = 1 << 22, 1 << 14


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
    free = (memory - program) // (1 + len(question.also_by))  # each grouping has summaries of its own
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
    compared = 90 if question.compare_groups else 0  # cases in two orders, and sums over runs
    return grouped + intervals + targets + weighted + compared


def bytes_of_type(kind: Any) -> int:
    """Return the bytes of a number of a pyarrow type, or about those of a string.  O(1)."""
    try:
        return kind.bit_width // 8 or 1
    except ValueError:
        return _TEXT_BYTES


def _power_of_two(size: float, most: int) -> int:
    return min(1 << max(int(size), 1).bit_length() - 1, most)


_JOIN_BYTES, _TEXT_ID_BYTES = 20, 120
"""For each row of a table, to find its match, and more where its id is text."""
_WEIGHT_BYTES, _CLUSTER_BYTES, _GROUP_BYTES, _RESAMPLE_BYTES = 140, 60, 40, 100
"""For each case, while differences are computed."""
_ROUNDED = 1.05
"""Two digits are shown, and what they are rounded by must not be missing from the limit that is allowed next."""


def check_memory(question: Question, paths: Sequence[str], memory: int | None) -> None:
    """Raise EvaluationError if a comparison of files takes more memory than a limit.  O(files), O(columns).

    paths: the old one first; memory: in bytes, by default half of the machine's.  Files that tell their rows only as
    they are read, such as pipes, and those that the reader will refuse pass.
    """
    limit = default_memory() if memory is None else memory
    tables = None if limit is None else _contents(question, paths)
    if limit is None or tables is None:
        return
    needed = comparison_bytes(question, tables)
    if needed > limit:
        raise EvaluationError(
            f"the rows of {'one table' if len(tables) == 1 else f'{len(tables)} tables'} take at least "
            f"{shown_size(needed * _ROUNDED)}, more than the memory limit of {shown_size(limit)}; allow more memory "
            "(--memory SIZE)"
        )


def comparison_bytes(question: Question, tables: Sequence[tuple[Any, int]]) -> int:
    """Return about how many bytes a comparison takes; tables: pyarrow schemas, and numbers of rows.  O(columns).

    >>> import pyarrow
    >>> schema = pyarrow.schema([("id", pyarrow.int64()), ("late", pyarrow.bool_()), ("score", pyarrow.float64())])
    >>> comparison_bytes(Question("late", ("score",), on=("id",)), [(schema, 3_000_000)] * 2) / 1e6
    509.5
    """
    types = pa.types
    needed: float = program_bytes(question.rows)
    for schema, rows in tables:
        of_ids = [schema.field(name).type for name in question.on if name in schema.names]
        of_text = sum(
            any(holds(kind) for holds in (types.is_string, types.is_large_string, types.is_fixed_size_binary))
            for kind in of_ids
        )
        # columns twice, as they are read and as arrays, with an eighth to spare
        each = 2.25 * sum(map(bytes_of_type, schema.types)) + _JOIN_BYTES + _TEXT_ID_BYTES * of_text
        needed += rows * each
    cases = min(rows for _, rows in tables)
    weighted = 0 if question.weighting.column is None else _WEIGHT_BYTES
    clustered = 0 if question.cluster is None else _CLUSTER_BYTES
    named = (
        name for name in (*question.measures.names, *question.conditions) if measure_name(name).measure in RESAMPLED
    )
    resampled = _RESAMPLE_BYTES if question.method != ANALYTIC or any(named) else 0
    return int(needed + cases * (weighted + clustered + resampled + _GROUP_BYTES * len(question.by)))


def _contents(question: Question, paths: Iterable[str]) -> list[tuple[Any, int]] | None:
    """Return the types of the columns that are read, a pyarrow Schema, and the number of rows of each table, if known.

    Rows may be an estimate.  O(files), O(columns).
    """
    old, *others = [expand_paths([path], question.reading) for path in paths]
    for file in (old[0], *(files[0] for files in others)):
        if is_read_once(file):
            return None
    try:
        if not others:
            return [_content(old, question.selection)]
        selections = [question.new_selection for _ in others]
        new = list(map(_content, others, selections))
        found = {name for schema, _ in new for name in schema.names if selections[0].evaluates(name)}
        filtered = any(selection.is_filtered for selection in selections)
        return [_content(old, question.old_selection(found, filtered=filtered)), *new]
    except EvaluationError:
        return None  # the reader says what is wrong


def _content(files: list[str], selection: Selection) -> tuple[Any, int]:
    parts = inspect_files(files, selection)
    return common_schema(parts, selection=selection), sum(part.rows for part in parts)
