"""Labels at the door, and their codes."""

import math

import numpy as np
import pytest

from evalcore import EvaluationError, EvaluationTypeError, PrecisionRecallEvaluation
from evalcore.validation.arrays import as_labels
from evalcore.validation.labels import encode_labels
from tests.differences import every
from tests.lingpipe.evaluations import ten_cases
from tests.validation.refusals import refused

NUMBERS = "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", ">i4", ">f8"
LABEL = "a label is True or False, 1 or 0"
ALLOWED = "correct must hold Booleans, or the numbers 0 and 1, got"
OBJECTS = "; drop or fill missing values and call .astype(float), for a table's column .to_numpy(dtype=float)"


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


def test_booleans_are_not_copied_and_may_be_read_only_and_none_are_labels():
    values = np.array([True, False])
    values.flags.writeable = False
    assert np.shares_memory(as_labels(values, "correct"), values)
    for nothing in ([], (), np.array([], np.int8), np.array([], object)):
        labels = as_labels(nothing, "correct")
        assert (labels.shape, labels.dtype) == ((0,), np.bool_)


OTHERS = [
    ([1, 0, 2], 2, "2"),
    ([0, -1, 2], 1, "-1"),
    (np.array([0, 255, 1], np.uint8), 1, "255"),
    ([True, 0.5], 1, "0.5"),
    ([1.0, math.nan], 1, "nan"),
    (np.array([0, 1, math.inf], np.float32), 2, "inf"),
    (np.nextafter(np.float64([0, 1]), 2), 0, "5e-324"),
    ([1, 1.0000000000000002], 1, "1.0000000000000002"),
    ([1, 2**70], 1, f"{2.0**70}"),
]
NO_LABELS = [
    (["yes", "no"], "dtype <U3, first correct[0] = 'yes' (str)"),
    ([1, True, "no", 0], f"objects, correct[2] = 'no' (str){OBJECTS}"),
    ((1.0, np.str_("0")), f"objects, correct[1] = '0' (str){OBJECTS}"),
    ([0, b"1"], "dtype |S21, first correct[0] = b'0' (bytes)"),
    ([1j], "dtype complex128, first correct[0] = np.complex128(1j) (complex128)"),
    ([1, np.complex128(1)], "dtype complex128, first correct[0] = np.complex128(1+0j) (complex128)"),
    (np.array(["yes", "no"]), "dtype <U3, first correct[0] = 'yes' (str)"),
    (np.array([b"x"]), "dtype |S1, first correct[0] = b'x' (bytes)"),
    (np.array([1j]), "dtype complex128, first correct[0] = np.complex128(1j) (complex128)"),
    (np.array([1], "m8[s]"), "dtype timedelta64[s], first correct[0] = np.timedelta64(1,'s') (timedelta64)"),
    ([True, None], f"objects, correct[1] = None (NoneType){OBJECTS}"),
    (np.array([1, 0, "a"], object), f"objects, correct[2] = 'a' (str){OBJECTS}"),
    *((np.array([], dtype), f"dtype {np.dtype(dtype)}") for dtype in ("U1", "S1", "M8[s]", "m8[D]", "c16")),
]
NO_COLUMNS = [(True, "True (bool)"), (None, "None (NoneType)"), ([[1]], "shape (1, 1)")]


@every(
    ("values", "error", "message"),
    *((values, EvaluationError, f"correct[{index}] is {shown}; {LABEL}") for values, index, shown in OTHERS),
    *((values, EvaluationTypeError, f"{ALLOWED} {got}") for values, got in NO_LABELS),
    *((values, EvaluationError, f"correct must be one-dimensional, got {got}") for values, got in NO_COLUMNS),
    (np.ma.masked_array([True, False], mask=[True, False]), EvaluationError,
     "correct[0] is masked; drop or fill masked cases first"),
)  # fmt: skip
def test_labels_that_are_refused(values, error, message):
    evaluation = ten_cases()
    with refused(evaluation, error, message):
        evaluation.addCases(values, [0.5])


@every("index", [65_535, 65_536, 199_999])
def test_a_bad_label_is_found_anywhere_in_a_long_column(index):
    values = np.ones(200_000, np.int8)
    values[index] = 7
    evaluation = ten_cases()
    with refused(evaluation, EvaluationError, f"correct[{index}] is 7; {LABEL}"):
        evaluation.addCases(values, np.zeros(values.size))


@every(
    ("reference", "response", "error", "got"),
    ([2], [1], EvaluationError, f"{{0}}[0] is 2; {LABEL}"),
    ([1], [0.5], EvaluationError, f"{{1}}[0] is 0.5; {LABEL}"),
    ([1, 0], [1], EvaluationError, "{0} and {1} must be equally long, got 2 and 1"),
    (None, [1], EvaluationError, "{0} must be one-dimensional, got None (NoneType)"),
    ([True], ["a"], EvaluationTypeError,
     "{1} must hold Booleans, or the numbers 0 and 1, got dtype <U1, first {1}[0] = 'a' (str)"),
)  # fmt: skip
def test_columns_of_both_labels_are_refused_by_their_names(reference, response, error, got):
    evaluation = PrecisionRecallEvaluation(1, 2, 3, 4)
    with refused(evaluation, error, got.format("referencePositives", "responsePositives")):
        evaluation.addCases(reference, response)
    with refused(evaluation, error, got.format("reference", "response")):
        PrecisionRecallEvaluation.fromCases(reference, response)


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
