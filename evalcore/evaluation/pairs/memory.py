"""How much memory a comparison takes, from what its files say of themselves before they are read."""

from collections.abc import Iterable, Sequence
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.evaluation.batches.files import bytes_of_type, program_bytes
from evalcore.evaluation.options import ANALYTIC
from evalcore.evaluation.pairs.measure_names import RESAMPLED, parse_compared
from evalcore.evaluation.question import Question
from evalcore.io.columns import Selection
from evalcore.io.datasets import common_schema, expand_paths, inspect_files
from evalcore.io.formats import is_read_once
from evalcore.io.libraries import pa
from evalcore.io.memory import default_memory, shown_size

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
        name for name in (*question.measures.names, *question.conditions) if parse_compared(name).measure in RESAMPLED
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
            return [_content(old, question.paired_selection)]
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
