"""Named columns of a file of predictions, its format told by the ending of its name."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import Columns, Selection, arrays, chosen, spelled, text_arrays
from evalcore.io.delimited import text_batches
from evalcore.io.formats import ENDINGS, STANDARD_INPUT, ending_of, reading
from evalcore.optional import require

_BATCH_ROWS = 1 << 18


def read_columns(path: str, selection: Selection, progress: Progress, *, needs_rows: bool = True) -> Columns:
    """Read columns of a file: Parquet, Arrow or Feather, CSV, TSV, NPZ, or CSV on standard input for ``-``.

    CSV and TSV may be compressed (.gz, .bz2, .zst); there scores are float64 and other columns text, as it is written.
    Only the named columns are converted and kept.  O(rows).

    Parameters
    ----------
    path : str
        The file; ``-`` is CSV on standard input.
    selection : Selection
        Columns to read.
    progress : callable
        Called with the bytes or rows done and those there are.
    needs_rows : bool, default True
        Whether a file without rows is refused.

    Returns
    -------
    dict of str to numpy.ndarray
        One array of shape (n,) per name.

    Raises
    ------
    EvaluationError
        If the file or a column does not exist, cannot be read, has no rows, or holds nulls.

    Examples
    --------
    >>> read_columns("nowhere.parquet", Selection(("late",)), print)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: nowhere.parquet: no such file
    """
    read = _read_csv if path == STANDARD_INPUT else _READERS.get(ending_of(path))
    if Path(path).is_dir():
        raise EvaluationError(f"{path}: is a directory")
    if read is None:
        raise EvaluationError(f"{path}: the name must end in one of {' '.join(ENDINGS)}")
    with reading(path):
        columns = read(path, selection, progress)
    if needs_rows and next(iter(columns.values())).size == 0:
        raise EvaluationError(f"{path}: there are no rows")
    return columns


def _read_parquet(path: str, selection: Selection, progress: Progress) -> Columns:
    pq = require("pyarrow.parquet", "report")
    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        names = chosen(selection, schema.names)
        batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=names)
        table = _joined(batches, schema, names, progress, file.metadata.num_rows)
        return _arrays(table, names, selection)


def _read_arrow(path: str, selection: Selection, progress: Progress) -> Columns:
    pa = require("pyarrow", "report")
    with pa.OSFile(path) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        with pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source) as reader:
            names = chosen(selection, reader.schema.names)
            parts = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
            table = _joined((part.select(names) for part in parts), reader.schema, names, progress)
            return _arrays(table, names, selection)


def _joined(batches: Iterable[Any], schema: Any, names: list[str], progress: Progress, rows: int | None = None) -> Any:
    pa = require("pyarrow", "report")
    kept = []
    done = 0
    for batch in batches:
        kept.append(batch)
        done += batch.num_rows
        progress(done, rows)
    return pa.Table.from_batches(kept, pa.schema([schema.field(name) for name in names]))


def _arrays(table: Any, names: list[str], selection: Selection) -> Columns:
    if selection.as_text:
        return text_arrays(table, names)
    for name in set(selection.text).intersection(names):
        table = table.set_column(table.column_names.index(name), name, spelled(table.column(name)))
    return arrays(table, names)


def _read_csv(path: str, selection: Selection, progress: Progress) -> Columns:
    pa = require("pyarrow", "report")

    table = pa.Table.from_batches(text_batches(path, None, selection, progress))
    return _arrays(table, table.column_names, selection)


def _read_npz(path: str, selection: Selection, progress: Progress) -> Columns:
    with open(path, "rb") as source, np.load(source, allow_pickle=False) as file:
        names = chosen(selection, file.files)
        columns = {name: file[name] for name in names}
    shapes = {column.shape for column in columns.values()}
    if len(shapes) > 1 or any(column.ndim != 1 for column in columns.values()):
        listed = ", ".join(f"{name} {column.shape}" for name, column in columns.items())
        raise EvaluationError(f"columns must be one-dimensional and equally long, got shapes {listed}")
    progress(1, 1)
    as_text = columns if selection.as_text else selection.text
    return {name: column.astype(str).astype(object) if name in as_text else column for name, column in columns.items()}


_READERS: dict[str, Callable[[str, Selection, Progress], Columns]] = {
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".npz": _read_npz,
}
