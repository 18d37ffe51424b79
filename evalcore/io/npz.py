"""NPZ files of NumPy: some of their arrays as columns."""

from typing import Any

import numpy as np

from evalcore.errors import EvaluationError
from evalcore.io.byte_progress import Progress
from evalcore.io.columns import ColumnArrays, Selection, TableContents, selected_arrays, selected_names
from evalcore.io.opening import Source
from evalcore.io.rows import table_of_arrays
from evalcore.optional import require


def npz_contents(source: Source, selection: Selection) -> TableContents:
    """Return the selected arrays of an NPZ file and their rows, from their headers.  O(columns)."""
    pa = require("pyarrow", "report")
    with source.seekable() as opened, np.load(opened, allow_pickle=False) as file:
        headers = _headers(file, selection)
    types = []
    for name, (_, written) in headers.items():
        kind = np.promote_types(written, "U" if name in selection.text else written)  # as the machine orders its bytes
        # a text of NumPy takes as much as the longest of its array, which Arrow's strings do not tell
        types.append((name, pa.binary(kind.itemsize) if kind.kind in "US" else pa.from_numpy_dtype(kind)))
    return TableContents(pa.schema(types), next(iter(headers.values()))[0][0], True)


def read_npz(source: Source, selection: Selection, progress: Progress) -> ColumnArrays:
    """Read the selected arrays of an NPZ file, (n,) each; raise EvaluationError for other shapes.  O(n)."""
    with source.seekable() as opened, np.load(opened, allow_pickle=False) as file:
        names = list(_headers(file, selection))
        columns = {name: file[name] for name in names}
    progress(1, 1)
    if selection.rows is not None:
        return selected_arrays(table_of_arrays(columns), names, selection)
    as_text = columns if selection.as_text else selection.text
    return {name: column.astype(str).astype(object) if name in as_text else column for name, column in columns.items()}


def _headers(file: Any, selection: Selection) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Return the shapes and dtypes of the selected arrays, none of which is unpacked.  O(columns)."""
    headers = {}
    for name in selected_names(selection, file.files):
        with file.zip.open(f"{name}.npy") as array:
            first = np.lib.format.read_magic(array) == (1, 0)
            read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
            shape, _, kind = read(array)
        headers[name] = shape, kind
    shapes = {shape for shape, _ in headers.values()}
    if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
        listed = ", ".join(f"{name} {shape}" for name, (shape, _) in headers.items())
        raise EvaluationError(f"columns must be one-dimensional and equally long, got shapes {listed}")
    return headers
