"""Arrow and Feather files and streams: their schema, their rows in batches, and some columns read whole."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection, TableContents, joined_batches, selected_arrays, selected_names
from evalcore.io.opening import Source
from evalcore.optional import require


def arrow_contents(source: Source, _selection: Selection) -> TableContents:
    """Return what an Arrow file holds.  O(columns), O(bytes) for a stream."""
    with _reader_of(source) as (reader, is_file):
        rows = _count_rows(source) if is_file else sum(batch.num_rows for batch in reader)
        return TableContents(reader.schema, rows, True)


def arrow_batches(source: Source, names: Sequence[str], _selection: Selection, rows: int) -> Iterator[Any]:
    """Yield record batches of some columns, so many rows at most.  O(n)."""
    with _reader_of(source) as (reader, is_file):
        for part in _record_batches(reader, is_file):
            selected = part.select(list(names))
            for begin in range(0, selected.num_rows, rows):
                yield selected.slice(begin, rows)


def read_arrow(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected columns of an Arrow file or stream, (n,) each.  O(n)."""
    with _reader_of(source) as (reader, is_file):
        names = selected_names(selection, reader.schema.names)
        batches = (part.select(names) for part in _record_batches(reader, is_file))
        return selected_arrays(joined_batches(batches, reader.schema, names, progress), names, selection)


@contextmanager
def _reader_of(source: Source) -> Iterator[tuple[Any, bool]]:
    """Open a file or a stream of Arrow, and say whether it is a file."""
    pa = require("pyarrow", "report")
    with source.seekable() as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        with pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file) as reader:
            yield reader, is_file


def _record_batches(reader: Any, is_file: bool) -> Any:
    return map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader


def _count_rows(source: Source) -> int:
    dataset = require("pyarrow.dataset", "report")
    with source.seekable() as file:
        rows: int = dataset.IpcFileFormat().make_fragment(file).count_rows()  # reads no columns
    return rows
