"""Tables that exceed the memory limit, in parts: rows are split by a hash of their ids into temporary files."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from evalcore.comparison.pairing.inspected_tables import InspectedTable
from evalcore.comparison.question import CompareQuestion
from evalcore.errors import EvaluationTypeError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, as_strings, column_arrays, numbers_of_array
from evalcore.io.datasets import file_batches
from evalcore.io.formats import naming
from evalcore.optional import require
from evalcore.report.options import text_option
from evalcore.saving.files import temporary_files
from evalcore.typing import IntArray

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio."""
_BATCH_ROWS = 1 << 16


class TableParts(NamedTuple):
    """Tables whose rows were split into parts, which may be read several times."""

    tables: Mapping[str, InspectedTable]
    """By name, the old one first."""
    files: Mapping[str, Sequence[BinaryIO]]
    """By the same names, a temporary file for each part."""

    def read(self) -> Iterator[tuple[ColumnArrays, dict[str, ColumnArrays]]]:
        """Yield the columns of the old table and those of the new ones in each part, (n,) each.  O(n) in all."""
        for files in zip(*self.files.values(), strict=True):
            old, *others = (_columns(file, table) for file, table in zip(files, self.tables.values(), strict=True))
            yield old, dict(zip(list(self.tables)[1:], others, strict=True))


@contextmanager
def split_tables(
    question: CompareQuestion, tables: Mapping[str, InspectedTable], count: int, progress: Progress
) -> Iterator[TableParts]:
    """Split the rows of tables, the old one first, into so many parts, a power of two.  O(n), memory for one batch.

    Rows of one id are in the same part, in their order.
    """
    as_text = [_are_text(name, tables.values()) for name in question.on]
    with ExitStack() as opened:
        written, done, total = {}, 0, sum(table.rows for table in tables.values())
        for name, table in tables.items():
            files = opened.enter_context(temporary_files(count))
            for rows in _split(table, files, question.on, as_text):
                done += rows
                progress(done, total)
            written[name] = files
        yield TableParts(tables, written)


def _are_text(name: str, tables: Iterable[InspectedTable]) -> bool:
    """Whether ids are hashed as text, because a table holds them so; raise EvaluationTypeError for other types."""
    types = require("pyarrow", "report").types
    kinds = [table.schema.field(name).type for table in tables]
    for kind in kinds:
        if not (types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind)):
            raise EvaluationTypeError(
                f"column {name!r} must hold whole numbers or text to join tables beyond the memory limit, got {kind}; "
                f"read it as text ({text_option('text', name)})"
            )
    return not all(map(types.is_integer, kinds))


def _split(
    table: InspectedTable,
    files: Sequence[BinaryIO],
    on: Sequence[str],
    as_text: Sequence[bool],
) -> Iterator[int]:
    """Write the rows of a table to the files of their parts, yielding how many after each batch.  O(n)."""
    pa, schema = require("pyarrow", "report"), table.evaluated
    with ExitStack() as opened:
        writers = [opened.enter_context(pa.ipc.new_stream(pa.PythonFile(file, "w"), schema)) for file in files]
        for read, kept in _kept_batches(table, schema.names):
            for batch in kept:
                parts = parts_of_rows([batch.column(name) for name in on], as_text, len(files))
                order = np.argsort(parts, kind="stable")
                ends = np.searchsorted(parts[order], np.arange(len(files) + 1))
                ordered = batch.take(pa.array(order))
                for writer, start, stop in zip(writers, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
                    if stop > start:
                        writer.write_batch(ordered.slice(start, stop - start))
            yield read


def _kept_batches(table: InspectedTable, names: Sequence[str]) -> Iterator[tuple[int, list[Any]]]:
    """Yield how many rows were read, and those of them that are kept, as record batches of some columns.  O(n)."""
    rows = table.selection.rows
    for file in table.files:
        first = 0
        for batch in file_batches(file, table.schema, table.selection, _BATCH_ROWS):
            kept = [batch]
            if rows is not None:
                with naming(file.path):
                    kept = rows.kept(batch, names, first).to_batches()
            first += batch.num_rows
            yield batch.num_rows, kept
    if rows is not None:
        with naming(table.path):
            rows.check_rows()


def parts_of_rows(ids: Sequence[Any], as_text: Sequence[bool], count: int) -> IntArray:
    """Return the part of each row, (n,) in 0 .. count - 1; ids: pyarrow arrays; count: a power of two.  O(n)."""
    mixed = np.zeros(len(ids[0]), np.uint64)
    for column, text in zip(ids, as_text, strict=True):
        if text:
            words = as_strings(column).cast(require("pyarrow", "report").binary()).to_pylist()
            own = np.fromiter(map(zlib.crc32, words), np.uint64, len(words))
        else:
            own = numbers_of_array(column).astype(np.uint64)
        mixed = (mixed * _MULTIPLIER ^ own) * _MULTIPLIER
    return (mixed >> np.uint64(33)).astype(np.int64) & (count - 1)


def _columns(file: BinaryIO, table: InspectedTable) -> ColumnArrays:
    """Read a part of a table, (n,) each.  O(n)."""
    file.seek(0)
    with require("pyarrow", "report").ipc.open_stream(file) as stream:
        return column_arrays(stream.read_all(), stream.schema.names, table.selection.way_out_of_nulls)
