"""NPZ files of NumPy: some of their arrays as columns."""

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection, selected_arrays, selected_names
from evalcore.io.opening import Source
from evalcore.io.rows import table_of_arrays


def read_npz(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected arrays of an NPZ file, (n,) each; raise EvaluationError for other shapes.  O(n)."""
    with source.seekable() as opened, np.load(opened, allow_pickle=False) as file:
        names = selected_names(selection, file.files)
        columns = {name: file[name] for name in names}
    shapes = {column.shape for column in columns.values()}
    if len(shapes) > 1 or any(column.ndim != 1 for column in columns.values()):
        listed = ", ".join(f"{name} {column.shape}" for name, column in columns.items())
        raise EvaluationError(f"columns must be one-dimensional and equally long, got shapes {listed}")
    progress(1, 1)
    if selection.rows is not None:
        return selected_arrays(table_of_arrays(columns), names, selection)
    as_text = columns if selection.as_text else selection.text
    return {name: column.astype(str).astype(object) if name in as_text else column for name, column in columns.items()}
