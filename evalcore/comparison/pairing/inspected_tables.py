"""The tables of a comparison before they are read: what they hold, and how much memory they take."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from evalcore.batched.memory_budget import bytes_of_type, program_bytes
from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationError
from evalcore.io.columns import Selection
from evalcore.io.datasets import TableFile, common_schema, inspect_files
from evalcore.io.formats import is_read_once
from evalcore.io.paths import expand_paths
from evalcore.optional import require

_JOIN_BYTES, _TEXT_ID_BYTES = 20, 120
"""For each row of a table, to find its match, and more where its id is text."""
_WEIGHT_BYTES, _CLUSTER_BYTES, _GROUP_BYTES = 140, 60, 40
"""For each case, while differences are computed."""


class InspectedTable(NamedTuple):
    """A table that was not read yet."""

    files: list[TableFile]
    schema: Any
    """The types of the selected columns, a pyarrow Schema."""
    selection: Selection
    path: str = ""
    """What was named: a file, a glob, a folder or a URL."""

    @property
    def evaluated(self) -> Any:
        """The schema without columns that only a condition on rows needs.  O(columns)."""
        fields = [field for field in self.schema if self.selection.evaluates(field.name)]
        return require("pyarrow", "report").schema(fields)

    @property
    def rows(self) -> int:
        """The number of rows, perhaps an estimate.  O(files)."""
        return sum(file.rows for file in self.files)


def comparison_bytes(question: CompareQuestion, tables: Sequence[tuple[Any, int]]) -> int:
    """Return about how many bytes a comparison takes; tables: pyarrow schemas, and numbers of rows.  O(columns).

    >>> import pyarrow
    >>> schema = pyarrow.schema([("id", pyarrow.int64()), ("late", pyarrow.bool_()), ("score", pyarrow.float64())])
    >>> comparison_bytes(CompareQuestion("late", ("score",), on=("id",)), [(schema, 3_000_000)] * 2) / 1e6
    509.5
    """
    types = require("pyarrow", "report").types
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
    return int(needed + cases * (weighted + clustered + _GROUP_BYTES * len(question.by)))


def inspected_tables(question: CompareQuestion, paths: Sequence[str]) -> list[InspectedTable] | None:
    """Look at the tables that a question needs, the old one first.  O(files), O(columns).

    Returns None if one can be read only once, such as a pipe, or the reader will refuse it.
    """
    old, *others = [expand_paths([path], question.reading) for path in paths]
    for file in (old[0], *(files[0] for files in others)):
        if is_read_once(file):
            return None
    try:
        if not others:
            return [_inspected(old, question.selection, paths[0])]
        new = [_inspected(files, question.new_selection, path) for files, path in zip(others, paths[1:], strict=True)]
        found = {name for table in new for name in table.evaluated.names}
        filtered = any(table.selection.is_filtered for table in new)
        return [_inspected(old, question.old_selection(found, filtered=filtered), paths[0]), *new]
    except EvaluationError:
        return None  # the reader says what is wrong


def _inspected(files: list[str], selection: Selection, path: str) -> InspectedTable:
    parts = inspect_files(files, selection)
    return InspectedTable(parts, common_schema(parts, selection=selection), selection, path)
