"""Rows with weights in batches: invalid weights are named with their row in the file, and weight zero is absence."""

import pyarrow as pa
import pytest

from evalcore import EvaluationError
from evalcore.batched.rows import KeptRows, RowBuffer
from evalcore.io.rows import RowFilter, Rows
from evalcore.report.question import Question
from evalcore.report.weighting import Weighting
from tests.differences import every


def batch(weights, scores=None):
    count = len(weights)
    scores = [0.5] * count if scores is None else scores
    return pa.record_batch({"late": [True, False] * (count // 2), "model": scores, "w": weights})


def weighted(first, weighting=None, rows=None):
    weighting = weighting or Weighting("w")
    buffer = RowBuffer(Question("late", ("model",), weighting=weighting), first.schema)
    return KeptRows(buffer.update, weighting, rows, first.schema.names), buffer


def test_rows_of_weight_zero_are_left_out_but_not_all():
    first, second = batch([1.0, 0.0], [0.1, 0.2]), batch([0.0, 2.5], [0.3, 0.4])
    state, buffer = weighted(first)
    state.update(first, 0)
    state.update(second, 2)
    state.finish()
    assert buffer.columns()["model"].tolist() == [0.1, 0.4]
    state, _ = weighted(batch([0, 0]))
    state.update(batch([0, 0]), 0)
    with pytest.raises(EvaluationError, match=r"^column 'w' must hold a weight above 0, got only zeros$"):
        state.finish()
    state.update(batch([0, 3]), 0)
    state.finish()


@every(
    ("weights", "kind", "why"),
    [
        ([1.0, -2.0], None, "column 'w' at index 3 (from 0) is -2.0; weights must not be negative"),
        ([float("inf"), 1.0], None, "column 'w' at index 2 (from 0) is inf; weights must be finite"),
        ([1.0, 0.5], "frequency", "column 'w' at index 3 (from 0) is 0.5; frequencies must be whole numbers (for other "
         "weights: weight_type='sampling')"),
        ([1.7e308, 1.7e308], None, "column 'w' must have a finite sum, got infinity"),
        ([1.0, 1e100], None, "column 'w' at index 3 (from 0) is 1e+100; weights of rows that are read in batches must "
         "be 0, or from 2**-200 to 2**200: multiply all of them by one number"),
        ([1e-100, 0.0], None, "column 'w' at index 2 (from 0) is 1e-100; weights of rows that are read in batches must "
         "be 0, or from 2**-200 to 2**200: multiply all of them by one number"),
        ([2.0**52, 2.0**52 - 1], "frequency", "column 'w' must have a sum below 2**53, got about 9.0072e+15"),
    ],
)  # fmt: skip
def test_an_invalid_weight_is_named_with_its_row_in_the_file(weights, kind, why):
    state, _ = weighted(batch(weights), Weighting("w", kind))
    state.update(batch([1.0, 2.0]), 0)
    with pytest.raises(EvaluationError) as raised:
        state.update(batch(weights), 2)
    assert str(raised.value) == why


def test_errors_say_which_rows_they_count_anew_in_each_file():
    bad = batch([1.0, 1.0], [0.5, float("nan")])
    for before, why in (([1.0, 1.0], "at index 3 (from 0);"),
                        ([1.0, 0.0], "at index 2 (from 0, of the rows that are kept);")):  # fmt: skip
        state, _ = weighted(bad)
        state.update(batch(before), 0)
        with pytest.raises(EvaluationError) as raised:
            state.update(bad, 2)
        assert str(raised.value).startswith(f"column 'model' is NaN {why}")
    state, _ = weighted(batch([1.0, 0.0]))
    state.update(batch([1.0, 0.0]), 0)
    with pytest.raises(EvaluationError, match=r"^column 'model' is NaN at index 1 \(from 0\);"):
        state.update(batch([1.0, 1.0], [0.5, float("nan")]), 0)


def test_weights_are_those_of_the_rows_that_are_kept():
    first = batch([None, 2.0], [0.1, 0.2])
    state, buffer = weighted(first, rows=RowFilter(Rows(nulls="drop", where="model < 0.5", sample=1), str))
    state.update(first, 0)
    state.update(batch([-1.0, 1.0], [0.7, 0.9]), 2)
    state.finish()
    assert buffer.columns()["w"].tolist() == [2.0]
    state, _ = weighted(first, rows=RowFilter(Rows(nulls="drop"), str))
    state.update(first, 0)
    with pytest.raises(EvaluationError, match=r"^column 'w' at index 2 \(from 0, of the rows that are kept\) is -1.0;"):
        state.update(batch([1.0, -1.0]), 2)
