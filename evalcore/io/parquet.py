"""Parquet files: their schema, their rows in batches, and some columns read whole.

Batches do not come from the scanner of pyarrow.dataset: it decodes whole row groups, several at a time.  20 million
rows in one row group took 430 MB that way, and take 20 MB if the pages are read one after another.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection, TableContents, batch_arrays, selected_names
from evalcore.io.formats import is_remote
from evalcore.io.opening import Source
from evalcore.optional import require

_PAGE_BYTES = 1 << 18
"""Bytes of each column read at once."""
_REMOTE_PAGE_BYTES = 1 << 21
"""More of a remote file, where each request costs as much time as megabytes."""
_BATCH_ROWS = 1 << 18
"""Rows between two reports of progress."""
_CHECKED = {"page_checksum_verification": True}
"""Checksums of pages cost little, and without them a damaged number is just another number."""


def parquet_contents(source: Source, _selection: Selection) -> TableContents:
    """Return what a Parquet file says of itself.  O(columns)."""
    with _open_in_pages(source) as file:
        return TableContents(file.schema_arrow, file.metadata.num_rows, True)


def parquet_batches(source: Source, names: Sequence[str], _selection: Selection, rows: int) -> Iterator[Any]:
    """Yield record batches of some columns, so many rows at most; raise EvaluationError if rows are missing.  O(n)."""
    with _open_in_pages(source) as file:
        found = 0
        # threads take a third more memory, and save a tenth of the time that summaries take
        for batch in file.iter_batches(batch_size=rows, columns=list(names), use_threads=False):
            found += batch.num_rows
            yield batch
        if found != file.metadata.num_rows:
            raise EvaluationError(f"ends after {found:,} rows, but its footer says {file.metadata.num_rows:,}")


def read_parquet(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of a Parquet file, (n,) each.  O(n)."""
    pq = require("pyarrow.parquet", "report")
    with source.seekable() as opened, pq.ParquetFile(opened, **_CHECKED) as file:
        schema = file.schema_arrow
        names = selected_names(selection, schema.names)
        batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=names)
        return batch_arrays(batches, schema, names, selection, progress=progress, rows=file.metadata.num_rows)


@contextmanager
def _open_in_pages(source: Source) -> Iterator[Any]:
    pq = require("pyarrow.parquet", "report")
    page_bytes = _REMOTE_PAGE_BYTES if is_remote(source.path) else _PAGE_BYTES
    with (
        source.seekable() as opened,
        pq.ParquetFile(opened, buffer_size=page_bytes, pre_buffer=False, **_CHECKED) as file,
    ):
        yield file
