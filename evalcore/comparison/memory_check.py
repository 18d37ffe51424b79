"""Whether the tables of a comparison fit in memory, before they are read."""

from collections.abc import Sequence
from typing import Any

from evalcore.batched.memory_budget import CONDITION_BYTES, PROGRAM_BYTES, bytes_of_type
from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationError
from evalcore.io.columns import Selection
from evalcore.io.datasets import common_schema, inspect_files
from evalcore.io.formats import is_read_once
from evalcore.io.memory import default_memory, shown_size
from evalcore.io.paths import expand_paths
from evalcore.io.readers import is_read_in_batches
from evalcore.optional import require

_JOIN_BYTES, _TEXT_ID_BYTES = 20, 120
"""For each row of a table, to find its match, and more where its id is text."""
_WEIGHT_BYTES, _CLUSTER_BYTES, _GROUP_BYTES = 140, 60, 40
"""For each case, while differences are computed."""


def check_fits_memory(question: CompareQuestion, paths: Sequence[str], memory: int | None = None) -> None:
    """Raise EvaluationError if the tables that a question needs take more memory than a limit.  O(columns), O(files).

    paths: of tables, the old one first; memory: in bytes, by default half of the machine's.  What can be read only
    once, such as a pipe, is not checked, and neither are files that the reader will refuse.
    """
    memory = default_memory() if memory is None else memory
    tables = None if memory is None else _tables(question, paths)
    if memory is None or tables is None:
        return
    needed = comparison_bytes(question, tables)
    if needed > memory:
        rows = sum(size for _, size in tables)
        raise EvaluationError(
            f"comparisons need all rows in memory: {rows:,} rows take about {shown_size(needed)}, and the limit is "
            f"{shown_size(memory)}; allow more (--memory SIZE)"
        )


def comparison_bytes(question: CompareQuestion, tables: Sequence[tuple[Any, int]]) -> int:
    """Return about how many bytes a comparison takes; tables: pyarrow schemas, and numbers of rows.  O(columns).

    >>> import pyarrow
    >>> schema = pyarrow.schema([("id", pyarrow.int64()), ("late", pyarrow.bool_()), ("score", pyarrow.float64())])
    >>> comparison_bytes(CompareQuestion("late", ("score",), on=("id",)), [(schema, 3_000_000)] * 2) / 1e6
    509.5
    """
    types = require("pyarrow", "report").types
    program = PROGRAM_BYTES + (CONDITION_BYTES if isinstance(question.rows.where, str) else 0)
    needed: float = program
    for schema, rows in tables:
        of_ids = [schema.field(name).type for name in question.on if name in schema.names]
        of_text = sum(types.is_string(kind) or types.is_large_string(kind) for kind in of_ids)
        # columns twice, as they are read and as arrays, with an eighth to spare
        each = 2.25 * sum(map(bytes_of_type, schema.types)) + _JOIN_BYTES + _TEXT_ID_BYTES * of_text
        needed += rows * each
    cases = min(rows for _, rows in tables)
    weighted = 0 if question.weighting.column is None else _WEIGHT_BYTES
    clustered = 0 if question.cluster is None else _CLUSTER_BYTES
    return int(needed + cases * (weighted + clustered + _GROUP_BYTES * len(question.by)))


def _tables(question: CompareQuestion, paths: Sequence[str]) -> list[tuple[Any, int]] | None:
    """Return the selected columns of tables, pyarrow schemas, and their numbers of rows; None if unknown.  O(files)."""
    old, *others = [expand_paths([path], question.reading) for path in paths]
    for file in (old[0], *(files[0] for files in others)):
        if is_read_once(file) or not is_read_in_batches(file, question.reading):
            return None
    try:
        if not others:
            return [_contents(old, question.selection)]
        new = [_contents(files, question.new_selection) for files in others]
        found = {name for schema, _ in new for name in schema.names}
        return [_contents(old, question.old_selection(found, filtered=True)), *new]
    except EvaluationError:
        return None  # the reader says what is wrong


def _contents(files: Sequence[str], selection: Selection) -> tuple[Any, int]:
    parts = inspect_files(files, files, selection)
    return common_schema(parts, selection=selection), sum(part.rows for part in parts)
