"""Columns of labels and of scores, of libraries too: read where whole, refused where not, and coded."""

import math
from datetime import date
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from evalcore import EvaluationError, EvaluationTypeError, PrecisionRecallEvaluation, evaluate, inference, metrics
from evalcore.testing import assert_not_worse
from evalcore.validation.arrays import as_curve, as_labels, as_scores
from evalcore.validation.labels import encode_labels
from evalcore.validation.positive_class import check_targets
from evalcore.validation.values import check_instance
from evalcore.validation.weights import as_case_weights
from tests.differences import every, recorded
from tests.lingpipe.evaluations import ten_cases
from tests.validation.refusals import TENSOR_ADVICE, CupyArray, Tensor, TorchTensor, memory, refused

E, T = EvaluationError, EvaluationTypeError
NUMBERS = "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", ">i4", ">f8"


@every(
    "values",
    *(pytest.param(np.array([1, 0, 1], dtype), id=dtype) for dtype in NUMBERS),
    pytest.param([True, False, True], id="list"),
    pytest.param((1.0, -0.0, np.True_), id="tuple"),
    pytest.param(np.array([1, 5, 0, 5, 1])[::2], id="every other"),
    pytest.param(np.ma.masked_array([1, 0, 1]), id="masked array without masked values"),
)
def test_labels_become_booleans(values):
    labels = as_labels(values, "correct")
    assert labels.tolist() == [True, False, True]
    assert (labels.dtype, type(labels)) == (np.bool_, np.ndarray)


def test_columns_are_not_copied_and_may_be_read_only_or_empty_and_float16_widens_exactly():
    values = np.array([True, False])
    values.flags.writeable = False
    assert np.shares_memory(as_labels(values, "correct"), values)
    for nothing in ([], (), np.array([], np.int8), np.array([], object)):
        labels = as_labels(nothing, "correct")
        assert (labels.shape, labels.dtype) == ((0,), np.bool_)
    values = np.array([0.5, -math.inf])
    values.flags.writeable = False
    assert np.shares_memory(as_scores(values, "scores"), values)
    for nothing in ([], (), np.array([], np.int32), np.array([], object)):
        assert as_scores(nothing, "scores").shape == (0,)
    every_finite = np.arange(2**16, dtype=np.uint16).view(np.float16)
    every_finite = every_finite[~np.isnan(every_finite)]
    np.testing.assert_array_equal(as_scores(every_finite, "scores"), every_finite)


MANY = 20_000


def columns():
    rng = np.random.default_rng(0)
    for distinct in (1, 2, 300, 5000):
        codes = rng.integers(0, distinct, MANY)
        for arrangement, column in {"mixed": codes, "sorted": np.sort(codes), "falling": np.sort(codes)[::-1]}.items():
            yield f"{distinct} {arrangement}", column
    for short in ([3], [4, 0], [1, 1, 1, 2, 2], list(range(300, 0, -1))):
        yield f"short {short[:3]}", np.array(short)
    yield "mixed, then sorted", np.concatenate([rng.integers(0, 500, 2000), np.repeat(np.arange(500), 40)])
    yield "sorted, then mixed", np.concatenate([np.repeat(np.arange(50), 40), rng.integers(0, 500, MANY)])


KINDS = {
    "near": lambda codes: codes + 7,
    "far": lambda codes: codes * 10**9 - 5,
    "of all 64 bits": lambda codes: (codes * (2**64 // 5000)).astype(np.uint64),
    "of 16 bits": lambda codes: (codes * 13 - 2**15).astype(np.int16),
    "negative": lambda codes: -(codes.astype(np.int64) ** 3),
    "above int64": lambda codes: codes.astype(np.uint64) * np.uint64(100_000) + np.uint64(2**63),
    "floats": lambda codes: codes / 2,
    "dates": lambda codes: codes.astype("datetime64[D]"),
    "strings": lambda codes: np.array([f"q{code}" for code in range(5000)])[codes],
    "objects": lambda codes: np.array([f"q{code}" for code in range(5000)], object)[codes],
    "equal objects": lambda codes: np.array([f"q{code}" for code in codes.tolist()], object),
}


@every("kind", KINDS)
def test_codes_are_those_of_a_sort(kind):
    for name, column in columns():
        labels = KINDS[kind](column)
        expected, inverse = np.unique(labels, return_inverse=True)
        classes, codes = encode_labels(labels)
        assert classes.dtype == labels.dtype, name
        assert np.array_equal(classes, expected), name
        assert np.array_equal(codes, inverse), name


TOP = 2**53  # the last integer before float64 leaves some out
LARGEST = int(np.finfo(np.float64).max)
INTEGERS = "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"
LONG = np.longdouble
IS_WIDE = np.finfo(LONG).max > np.finfo(np.float64).max
WIDE = "is not a float64 number; scale or round the scores first"


@every(
    ("values", "width"),
    *(pytest.param(np.array([3, 0, 100], dtype), np.float64, id=dtype) for dtype in INTEGERS),
    *(pytest.param(np.array([3, 0, 100], f">{kind}"), np.float64, id=f">{kind}") for kind in ("i2", "u8", "f8")),
    *(pytest.param(np.array([3, 0, 100], kind), np.float32, id=kind) for kind in ("f2", "f4", ">f2", ">f4")),
    pytest.param(np.array([3.0, 0, 100]), np.float64, id="f8"),
    pytest.param(np.array([3, 0, 100], LONG), np.float64, id="longdouble"),
    pytest.param([3, 0, 100], np.float64, id="list of integers"),
    pytest.param((3.0, 0, 100), np.float64, id="tuple of floats and integers"),
    pytest.param([np.float32(3), np.float32(0), np.float32(100)], np.float32, id="list of float32"),
    pytest.param(np.array([3.0, 9, 0, 9, 100])[::2], np.float64, id="every other"),
    pytest.param(np.array([100, 0, 3], np.float32)[::-1], np.float32, id="reversed"),
    pytest.param(np.ma.masked_array([3.0, 0, 100]), np.float64, id="masked array without masked values"),
)
def test_scores_become_native_floats(values, width):
    scores = as_scores(values, "scores")
    assert scores.tolist() == [3.0, 0.0, 100.0]
    assert (scores.dtype, scores.dtype.isnative, type(scores)) == (width, True, np.ndarray)


@every(
    "values",
    np.array([TOP, -TOP, TOP + 2]),
    np.array([-(2**63), 2**62]),
    np.array([2**63, 0], np.uint64),
    [TOP, 0.5],
    [2**60, 0.5, math.inf],
    [1, 2**64],
    (2**64,),
    [10**22, 0.5, -(2**70)],
    [2**70, np.float32(0.5), np.uint8(3), math.inf, -math.inf],
    [LARGEST, -LARGEST],
    np.array([0.5, -math.inf, 5e-324, 1.7976931348623157e308], LONG),
)
def test_large_numbers_that_float64_holds_are_kept(values):
    scores = as_scores(values, "scores")
    assert scores.tolist() == list(values)
    assert scores.dtype == np.float64


FOREIGN = "must have a NumPy dtype, got |V2; convert it with .astype(numpy.float32)"


@every(
    ("values", "width"),
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
    pytest.param(pd.Series([1, 3], dtype="Int64"), np.float64, id="pandas nullable integers"),
    pytest.param(pl.Series([1, 3], dtype=pl.UInt8), np.float64, id="Polars integers"),
    pytest.param(pa.array([1, 3], pa.int16()), np.float64, id="Arrow integers"),
    pytest.param(Tensor([0.5, -2, 7]), np.float64, id="tensor"),
    pytest.param(Tensor(np.float32([0.5, -2, 7])), np.float32, id="tensor float32"),
)
def test_columns_of_scores(values, width):
    scores = as_scores(values, "scores")
    assert scores.tolist() == ([1.0, 3.0] if len(scores) == 2 else [0.5, -2.0, 7.0])
    assert scores.dtype == width


@every(
    "values",
    pytest.param(pd.Series([True, False], index=["b", "a"]), id="pandas"),
    pytest.param(pd.Series([True, False], dtype="boolean"), id="pandas nullable"),
    pytest.param(pd.Series([1, 0], dtype="Int8"), id="pandas nullable integers"),
    pytest.param(pd.Series([True, False], dtype="bool[pyarrow]"), id="pandas on Arrow"),
    pytest.param(pl.Series([True, False]), id="Polars"),
    pytest.param(pl.Series([1, 0]), id="Polars integers"),
    pytest.param(pa.array([True, False]), id="Arrow"),
    pytest.param(pa.chunked_array([[True], [False]]), id="Arrow, chunked"),
    pytest.param(Tensor([1, 0]), id="tensor"),
)
def test_columns_of_labels(values):
    labels = as_labels(values, "correct")
    assert labels.tolist() == [True, False]
    assert labels.dtype == np.bool_


WIDE_FLOATS = [LONG(text) for text in (["1.00000000000000000011", "1e4000", "1e-4000"] if IS_WIDE else [])]


def test_numbers_that_are_wider_than_float64_are_refused():
    evaluation = ten_cases()
    for wide in WIDE_FLOATS:
        for column in (np.array([0.5, wide]), [0.5, wide], [2**70, wide]):
            with refused(evaluation, E, f"scores[1] = {wide!s} {WIDE}"):  # !s: a format makes it a float64
                evaluation.addCases([0, 0], column)
        with refused(evaluation, E, f"score = {wide!s} {WIDE}"):
            evaluation.addCase(True, wide)


KNOWN = {
    each.__name__: each
    for each in (PrecisionRecallEvaluation, as_case_weights, as_curve, check_instance, check_targets, date, Fraction)
} | {"np": np, "pa": pa, "pd": pd, "pl": pl, "sparse": sparse, "nan": math.nan, "inf": math.inf, "LARGEST": LARGEST}


@every(("call", "said"), recorded("validation/outputs/refused_calls.txt"))
def test_what_is_refused_is_named_and_leaves_an_evaluation_as_it_was(call, said):
    ranking, table = ten_cases(), PrecisionRecallEvaluation(1, 2, 3, 4)
    before = memory(ranking), memory(table)
    with pytest.raises((EvaluationError, EvaluationTypeError)) as caught:
        eval(call, {"ranking": ranking, "table": table, **KNOWN})
    assert f"{type(caught.value).__name__}: {caught.value}" == said
    assert (memory(ranking), memory(table)) == before
    ranking.addCases([1], [9.0])
    assert ranking.prScoreCurve(False)[0].tolist() == [0.2, 1.0, 9.0]


@every(
    "values",
    pytest.param(pd.Series([0, 1], dtype=object), id="pandas objects"),
    pytest.param(pl.Series([0, 1], dtype=pl.Object, strict=False), id="Polars objects"),
    pytest.param(Tensor(np.array([0, 1], object)), id="tensor of objects"),
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


def test_a_tensor_that_does_not_convert_is_refused_with_its_reason():
    evaluation, kind = ten_cases(), partial(TorchTensor, device="meta")
    reason = "Cannot copy out of meta tensor; no data!"
    ending = f"cannot be read as an array (tests.validation.refusals.TorchTensor: {reason}); {TENSOR_ADVICE}"
    with refused(evaluation, T, f"scores {ending}") as caught:
        evaluation.addCases([0], kind([0.5]))
    assert str(caught.value.__cause__) == reason
    with refused(evaluation, T, f"correct {ending}"):
        evaluation.addCases(kind([0]), [0.5])


FROM_DEVICES = {
    "on a GPU": partial(TorchTensor, device="cuda:0"),
    "on a GPU, with gradients": partial(TorchTensor, device="cuda:0", gradients=True),
    "on a GPU, in bfloat16": partial(TorchTensor, device="cuda:0", dtype="BFloat16"),
    "with gradients": partial(TorchTensor, gradients=True),
    "of CuPy": CupyArray,
}
LATE, SCORES = np.float32([[1, 0, 1, 0, 1], [0.5, 0.25, 0.125, 0.75, 1]])  # which bfloat16 has too
READS = {
    "roc_auc_score": lambda of: metrics.roc_auc_score(of(LATE), of(SCORES), sample_weight=of(SCORES)),
    "roc_curve": lambda of: metrics.roc_curve(of(LATE), of(SCORES))[1].tolist(),
    "log_loss": lambda of: metrics.log_loss(of(LATE), of(SCORES), sample_weight=of(SCORES)),
    "f1_score": lambda of: metrics.f1_score(of(LATE), of(LATE)),
    "roc_auc_interval": lambda of: inference.roc_auc_interval(of(LATE), of(SCORES)),
    "evaluate": lambda of: evaluate({"late": of(LATE), "model": of(SCORES)}, label="late", score="model"),
    "assert_not_worse": lambda of: assert_not_worse(of(LATE), of(SCORES), of(SCORES)),
}


@every("read", READS.values())
@every("kind", FROM_DEVICES.values())
def test_tensors_of_a_device_are_read_and_copied_once(kind, read):
    made, before = [], TorchTensor.copies + CupyArray.copies

    def of(values):
        made.append(kind(values))
        return made[-1]

    assert read(of) == read(np.float32)
    copied = TorchTensor.copies + CupyArray.copies - before
    assert copied == (0 if made[0].device == "cpu" else len(made))


def test_bfloat16_that_numpy_knows_becomes_float32():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn):
        read = as_scores(SCORES.astype(dtype), "scores")
        assert (read.dtype, read.tolist()) == (np.float32, SCORES.tolist())


@every("kind", [np.asarray, Tensor])
def test_a_type_that_numpy_does_not_have_is_refused_with_the_conversion(kind):
    foreign = kind(np.zeros(2, "V2"))  # bfloat16 of jax has this kind, and is read back from a file as this
    evaluation = ten_cases()
    with refused(evaluation, T, f"scores {FOREIGN}"):
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
        for name, columns in (("scores", ([0, 0], rows)), ("correct", (rows, [0.1, 0.2]))):
            text = f"{name} cannot be read as an array: {numpy_says.value}"
            with refused(evaluation, T, text) as caught:
                evaluation.addCases(*columns)
            assert str(caught.value.__cause__) == str(numpy_says.value)
