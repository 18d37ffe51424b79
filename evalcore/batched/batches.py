"""Columns of one batch of rows as labels, scores and groups, with errors that count from the first batch on."""

from typing import Any

import numpy.typing as npt

from evalcore.io.columns import arrays
from evalcore.optional import require
from evalcore.report.inputs import marked_rows, numeric_scores, positive_classes
from evalcore.typing import BoolArray, ScoreArray
from evalcore.validation.arrays import as_scores, round_to_float64
from evalcore.validation.single_values import inexact_number_error, item_name


def positive_of(column: Any, name: str, positive: str | None = None, first: int = 0) -> BoolArray:
    """Mark the rows of the positive class in a pyarrow array without nulls, (n,), as `marked_rows` does.  O(n).

    >>> import pyarrow
    >>> positive_of(pyarrow.array(["no", "yes"]), "answer", "yes")
    array([False,  True])
    """
    pa = require("pyarrow", "report")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        encoded = column.dictionary_encode()
        classes = positive_classes(encoded.dictionary.to_pylist(), name, positive)
        rows: BoolArray = classes[encoded.indices.to_numpy()]
        return rows
    return marked_rows(values_of(column, name), name, positive, first)


def scores_of(column: Any, name: str, first: int = 0) -> ScoreArray:
    """Return a pyarrow array without nulls as scores, (n,) float32 or float64.  O(n).

    Raises EvaluationError for what are no numbers, for NaN, and for integers that float64 cannot hold.

    >>> import pyarrow
    >>> scores_of(pyarrow.array([1, 2**60 + 1]), "model", 70)
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: column 'model' at index 71 (from 0) = 1152921504606846977 is an integer that \
float64 cannot hold; scale or round the scores first
    """
    values = numeric_scores(values_of(column, name), name, first)
    if values.dtype.kind == "f":
        return as_scores(values, name)
    scores, kept = round_to_float64(values)
    if not kept.all():
        index = int(kept.argmin())
        raise inexact_number_error(values[index], item_name(f"column {name!r}", first + index))
    return scores


def values_of(column: Any, name: str) -> npt.NDArray[Any]:
    """Return a pyarrow array without nulls as an array, (n,).  O(n).

    >>> import pyarrow
    >>> values_of(pyarrow.array(["a"]), "carrier")
    array(['a'], dtype=object)
    """
    pa = require("pyarrow", "report")
    return arrays(pa.table({name: column}), [name])[name]
