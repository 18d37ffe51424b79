"""Columns of a name or a list of names in each row, without an object for each row."""

from typing import Any

from evalcore.errors import EvaluationError
from evalcore.io.columns import as_strings, numbers_of_array
from evalcore.optional import require
from evalcore.validation.label_sets import CodedNames


def coded_names(table: Any, names: list[str]) -> dict[str, CodedNames]:
    """Return columns of a pyarrow Table that hold a name or a list of names in each row, none for nulls.  O(n)."""
    pa, compute = require("pyarrow", "report"), require("pyarrow.compute", "report")
    found = {}
    for name in names:
        column = table.column(name).combine_chunks()
        kind = column.type
        if not pa.types.is_nested(kind):
            flat, lengths = as_strings(column.drop_null()), column.is_valid().cast(pa.int64())
        elif hasattr(kind, "value_type") and not pa.types.is_nested(kind.value_type):
            flat, lengths = column.flatten(), compute.list_value_length(column).fill_null(0).cast(pa.int64())
        else:
            raise EvaluationError(f"column {name!r} must hold strings or lists of strings, got {kind}")
        if not pa.types.is_dictionary(flat.type):
            flat = flat.dictionary_encode()
        distinct = [*flat.dictionary.to_pylist(), None]
        codes = numbers_of_array(flat.indices.cast(pa.int64()).fill_null(len(distinct) - 1))
        found[name] = CodedNames(distinct, codes, numbers_of_array(lengths))
    return found
