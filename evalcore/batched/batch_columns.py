"""Columns of one record batch as labels, scores and groups; errors give indices in the whole file."""

from typing import Any

import numpy.typing as npt

from evalcore.io.arrow import pa
from evalcore.io.columns import column_arrays, numbers_of_array
from evalcore.report.inputs import numeric_scores, numeric_weights, positive_classes, positive_rows_of_part
from evalcore.report.weighting import Weighting
from evalcore.typing import AnyArray, BoolArray, ScoreArray
from evalcore.validation.arrays import as_scores, round_to_float64
from evalcore.validation.values import inexact_number_error, item_name


def batch_labels(column: Any, name: str, positive: str | None = None, first: int = 0) -> BoolArray:
    """Return the mask, (n,), of `positive_rows_of_part` for a pyarrow array without nulls.  O(n)."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        encoded = column.dictionary_encode()
        classes = positive_classes(encoded.dictionary.to_pylist(), name, positive)
        rows: BoolArray = classes[numbers_of_array(encoded.indices)]
        return rows
    return positive_rows_of_part(batch_values(column, name), name, positive, first)


def batch_scores(column: Any, name: str, first: int = 0) -> ScoreArray:
    """Return a pyarrow array without nulls as scores, (n,) float32 or float64, each exactly.  O(n)."""
    values = numeric_scores(batch_values(column, name), name, first)
    if values.dtype.kind == "f":
        return as_scores(values, name)
    scores, kept = round_to_float64(values)
    if not kept.all():
        index = int(kept.argmin())
        raise inexact_number_error(values[index], item_name(f"column {name!r}", first + index))
    return scores


def batch_weights(batch: Any, weighting: Weighting, first: int = 0) -> AnyArray | None:
    """Return the weights of a record batch without nulls, (n,) int64 or float64, frequencies int64, if any.  O(n)."""
    name = weighting.column
    if name is None:
        return None
    return numeric_weights(batch_values(batch.column(name), name), name, first, whole=weighting.of_frequencies)


def batch_values(column: Any, name: str) -> npt.NDArray[Any]:
    """Return a pyarrow array without nulls as an array, (n,).  O(n)."""
    return column_arrays(pa.table({name: column}), [name])[name]
