"""Columns of pandas, Polars and Arrow, and what stands for tensors: read where whole, refused where not."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evalcore import EvaluationError, EvaluationTypeError, evaluate, inference, metrics
from evalcore.validation.arrays import as_labels, as_scores
from tests.differences import every
from tests.lingpipe.evaluations import ten_cases
from tests.validation.foreign import TENSOR_ADVICE, UNREADABLE, Tensor
from tests.validation.refusals import memory, refused

OBJECTS = "; drop or fill missing values and call .astype(float), for a table's column .to_numpy(dtype=float)"
FOREIGN = "must have a NumPy dtype, got |V2; convert it with .astype(numpy.float32)"
NAN = "scores[1] is NaN; a score is finite or infinite"


@every(
    ("values", "width"),
    [
        pytest.param(pd.Series([0.5, -2, 7], index=[9, 9, 3]), np.float64, id="pandas, other index"),
        pytest.param(pd.Series([0.5, -2, 7], dtype="float32"), np.float32, id="pandas float32"),
        pytest.param(pd.Series([0.5, -2, 7], dtype="Float64"), np.float64, id="pandas nullable"),
        pytest.param(pd.Series([0.5, -2, 7], dtype="Float32"), np.float32, id="pandas nullable float32"),
        pytest.param(pd.Series([0.5, -2, 7], dtype="float64[pyarrow]"), np.float64, id="pandas on Arrow"),
        pytest.param(pd.Index([0.5, -2, 7]), np.float64, id="pandas index"),
        pytest.param(pl.Series([0.5, -2, 7]), np.float64, id="Polars"),
        pytest.param(pl.Series([0.5, -2, 7], dtype=pl.Float32), np.float32, id="Polars float32"),
        pytest.param(pa.array([0.5, -2, 7]), np.float64, id="Arrow"),
        pytest.param(pa.chunked_array([[0.5], [-2.0, 7.0]]), np.float64, id="Arrow, chunked"),
        pytest.param(pa.array([0.5, -2, 7], pa.float32()), np.float32, id="Arrow float32"),
        pytest.param(Tensor([0.5, -2, 7]), np.float64, id="tensor"),
        pytest.param(Tensor(np.float32([0.5, -2, 7])), np.float32, id="tensor float32"),
    ],
)
def test_columns_of_scores(values, width):
    scores = as_scores(values, "scores")
    assert scores.tolist() == [0.5, -2.0, 7.0]
    assert scores.dtype == width


def test_columns_of_integer_scores():
    for values in pd.Series([1, 3], dtype="Int64"), pl.Series([1, 3], dtype=pl.UInt8), pa.array([1, 3], pa.int16()):
        assert as_scores(values, "scores").tolist() == [1.0, 3.0]


@every(
    "values",
    [
        pytest.param(pd.Series([True, False], index=["b", "a"]), id="pandas"),
        pytest.param(pd.Series([True, False], dtype="boolean"), id="pandas nullable"),
        pytest.param(pd.Series([1, 0], dtype="Int8"), id="pandas nullable integers"),
        pytest.param(pd.Series([True, False], dtype="bool[pyarrow]"), id="pandas on Arrow"),
        pytest.param(pl.Series([True, False]), id="Polars"),
        pytest.param(pl.Series([1, 0]), id="Polars integers"),
        pytest.param(pa.array([True, False]), id="Arrow"),
        pytest.param(pa.chunked_array([[True], [False]]), id="Arrow, chunked"),
        pytest.param(Tensor([1, 0]), id="tensor"),
    ],
)
def test_columns_of_labels(values):
    labels = as_labels(values, "correct")
    assert labels.tolist() == [True, False]
    assert labels.dtype == np.bool_


NO_SCORES = "scores must hold float64 or float32 numbers, got objects, scores[1] ="
NO_LABELS = "correct must hold Booleans, or the numbers 0 and 1, got objects, correct[1] ="
MISSING = [
    *(("scores", values, EvaluationError, NAN)
      for values in (pd.Series([0.5, None, 1]), pl.Series([0.5, None, 1]), pl.Series([1, None, 2]),
                     pa.array([0.5, None, 1]), pa.chunked_array([[0.5], [None, 1.0]]))),
    ("scores", pd.Series([0.5, None, "a"], dtype=object), EvaluationTypeError, f"{NO_SCORES} None (NoneType){OBJECTS}"),
    ("scores", pl.Series([0.5, "a", None], dtype=pl.Object, strict=False), EvaluationTypeError,
     f"{NO_SCORES} 'a' (str){OBJECTS}"),
    ("correct", pd.Series([True, pd.NA], dtype="boolean"), EvaluationTypeError, f"{NO_LABELS} <NA> (NAType){OBJECTS}"),
    *(("correct", values, EvaluationTypeError, f"{NO_LABELS} None (NoneType){OBJECTS}")
      for values in (pd.Series([True, None], dtype=object), pl.Series([True, None]), pa.array([True, None]),
                     pa.chunked_array([[True], [None]], pa.bool_()))),
    *(("correct", values, EvaluationError, "correct[1] is nan; a label is True or False, 1 or 0")
      for values in (pl.Series([1, None]), pa.array([1, None]))),
    ("scores", pd.DataFrame({"score": [0.1, 0.2]}), EvaluationError,
     "scores must be one-dimensional, got shape (2, 1)"),
]  # fmt: skip


@every(("name", "values", "error", "message"), MISSING)
def test_columns_with_missing_values_and_tables_are_refused(name, values, error, message):
    evaluation = ten_cases()
    with refused(evaluation, error, message):
        evaluation.addCases(**{"correct": [0], "scores": [0.5], name: values})


@every(
    "values",
    [
        pytest.param(pd.Series([0, 1], dtype=object), id="pandas objects"),
        pytest.param(pl.Series([0, 1], dtype=pl.Object, strict=False), id="Polars objects"),
        pytest.param(Tensor(np.array([0, 1], object)), id="tensor of objects"),
    ],
)
def test_objects_that_are_all_numbers_are_the_same_numbers(values):
    read, expected = ten_cases(), ten_cases()
    read.addCases(values, values)
    expected.addCases([0, 1], [0, 1])
    assert read == expected


@every("dtype", ["Float64", "Float32", "Int64", "float64[pyarrow]"])
def test_missing_nullable_scores_of_pandas_are_refused(dtype):
    evaluation = ten_cases()
    before = memory(evaluation)
    with pytest.raises((EvaluationError, EvaluationTypeError), match=r"scores\[1\] (is NaN|= <NA>)"):  # by its version
        evaluation.addCases([0, 0, 0], pd.Series([5, pd.NA, 1], dtype=dtype))
    assert memory(evaluation) == before


@every(("kind", "reason"), UNREADABLE)
def test_a_tensor_that_does_not_convert_is_refused_with_its_reason(kind, reason):
    evaluation = ten_cases()
    ending = f"cannot be read as an array (tests.validation.foreign.{kind.__name__}: {reason}); {TENSOR_ADVICE}"
    with refused(evaluation, EvaluationTypeError, f"scores {ending}") as caught:
        evaluation.addCases([0], kind([0.5]))
    assert str(caught.value.__cause__) == reason
    with refused(evaluation, EvaluationTypeError, f"correct {ending}"):
        evaluation.addCases(kind([0]), [0.5])


@every("kind", [np.asarray, Tensor])
def test_a_type_that_numpy_does_not_have_is_refused_with_the_conversion(kind):
    foreign = kind(np.zeros(2, "V2"))  # bfloat16 of jax has this kind, and is read back from a file as this
    evaluation = ten_cases()
    with refused(evaluation, EvaluationTypeError, f"scores {FOREIGN}"):
        evaluation.addCases([0, 1], foreign)
    for call, name in (
        (lambda: metrics.roc_auc_score([0, 1], foreign), "y_score"),
        (lambda: metrics.log_loss([0, 1], foreign), "y_proba"),
        (lambda: metrics.accuracy_score(foreign, [0, 1]), "y_true"),
        (lambda: inference.roc_auc_interval([0, 1], [0.1, 0.2], sample_weight=foreign), "sample_weight"),
        (lambda: evaluate({"late": [0, 1], "model": foreign}, label="late", score="model"), "column 'model'"),
    ):
        with pytest.raises(EvaluationTypeError) as caught:
            call()
        assert str(caught.value) == f"{name} {FOREIGN}"


def test_rows_of_unequal_length_are_refused_with_the_reason():
    ragged = [[1.0], [1.0, 2.0]]
    with pytest.raises(ValueError, match="inhomogeneous") as numpy_says:
        np.asarray(ragged)
    evaluation = ten_cases()
    for rows in ragged, tuple(ragged):
        with refused(
            evaluation, EvaluationTypeError, f"scores cannot be read as an array: {numpy_says.value}"
        ) as caught:
            evaluation.addCases([0, 0], rows)
        assert str(caught.value.__cause__) == str(numpy_says.value)
        with refused(evaluation, EvaluationTypeError, f"correct cannot be read as an array: {numpy_says.value}"):
            evaluation.addCases(rows, [0.1, 0.2])
