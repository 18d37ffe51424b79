"""What files of text hold: columns of numbers and text, and about how many rows."""

from collections.abc import Iterable

from evalcore.io.columns import Selection, TableContents
from evalcore.io.opening import Source
from evalcore.optional import require

_COMPRESSION_RATIO = 8
"""A guess of how many times larger text is when it is decompressed."""
_UNKNOWN_SIZE = 1 << 30
"""A guess of the bytes of a file whose server does not say."""


def text_contents(
    source: Source, names: Iterable[str], selection: Selection, sample: bytes, sample_bytes: int
) -> TableContents:
    """Return the types of columns, float64 for numbers, and an estimate of the rows of a file.  O(columns + sample).

    sample: the first rows, the whole file if they have fewer than `sample_bytes`.
    """
    pa = require("pyarrow", "report")
    types = [(name, pa.float64() if selection.holds_numbers(name) else pa.string()) for name in names]
    rows = sample.count(b"\n") + (not sample.endswith(b"\n")) if sample else 0
    if len(sample) >= sample_bytes:
        packed = 1 if source.compression is None else _COMPRESSION_RATIO
        rows = (source.size() or _UNKNOWN_SIZE) * packed * rows // len(sample)
    return TableContents(pa.schema(types), rows, False)
