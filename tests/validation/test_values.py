"""Single values and weights: one case, counts, numbers, curves, instances; what counts whole cases takes no weights."""

import inspect
import math
from fractions import Fraction

import numpy as np
import pytest

import evalcore
from evalcore import metrics, plots
from evalcore.validation.arrays import as_curve
from evalcore.validation.values import check_count, check_instance, check_number
from evalcore.validation.weights import as_case_weights
from tests.differences import every
from tests.differences import refused as raises
from tests.lingpipe.evaluations import scored, ten_cases
from tests.validation.refusals import refused

E, T = evalcore.EvaluationError, evalcore.EvaluationTypeError
TOP = 2**53
LARGEST = int(np.finfo(np.float64).max)
CUT = f"1{'0' * 56}..."  # a power of ten in a message
EXACT = "is an integer that float64 cannot hold; scale or round the scores first"
WIDE = "is not a float64 number; scale or round the scores first"
IS_WIDE = np.finfo(np.longdouble).max > np.finfo(np.float64).max
TRUE = [True, 1, 1.0, np.True_, np.int8(1), np.uint64(1), np.float16(1)]
FALSE = [False, 0, -0.0, np.False_, np.int8(0), np.float32(-0.0)]
NO_LABELS = [
    ("yes", T, "'yes' (str)"),
    (None, T, "None (NoneType)"),
    ([True], T, "[True] (list)"),
    (1 + 0j, T, "(1+0j) (complex)"),
    (np.array(True), T, "array(True) (ndarray)"),
    (np.complex128(1), T, "np.complex128(1+0j) (complex128)"),
    (np.timedelta64(1, "s"), T, "np.timedelta64(1,'s') (timedelta64)"),
    (np.str_("1"), T, "'1' (str)"),
    (2, E, "2"),
    (-1, E, "-1"),
    (0.5, E, "0.5"),
    (math.nan, E, "nan"),
    (np.float64(2), E, "2.0"),
]
NO_COUNTS = [
    (0.5, T, "be an integer, got 0.5 (float)"),
    (3.0, T, "be an integer, got 3.0 (float)"),
    ("3", T, "be an integer, got '3' (str)"),
    (None, T, "be an integer, got None (NoneType)"),
    (np.float64(1), T, "be an integer, got np.float64(1.0) (float64)"),
    (-1, E, "not be negative, got -1"),
    (np.int8(-128), E, "not be negative, got -128"),
    (-(2**70), E, f"not be negative, got -{2**70}"),
]
TAKES_WEIGHTS = (
    "; for weights use evalcore.metrics.confusion_matrix(..., sample_weight=...) or evalcore.evaluate(..., weight=...)"
)
NO_NUMBERS = [
    ("1", "'1' (str)"),
    (None, "None (NoneType)"),
    (1j, "1j (complex)"),
    (np.complex128(1), "np.complex128(1+0j) (complex128)"),
    (np.timedelta64(1, "s"), "np.timedelta64(1,'s') (timedelta64)"),
    (Fraction(1, 2), "Fraction(1, 2) (Fraction)"),
    ([1], "[1] (list)"),
]


@every(
    ("score", "width"),
    (0.5, np.float64),
    (7, np.float64),
    (-math.inf, np.float64),
    (np.float64(0.5), np.float64),
    (np.int64(-3), np.float64),
    (np.longdouble(0.5), np.float64),
    (np.float32(0.1), np.float32),
    (np.float16(0.1), np.float32),
    *((score, np.float64) for score in (TOP + 2, 2**64, -(2**70), 10**22, LARGEST)),
)
def test_a_single_score_is_kept(score, width):
    evaluation = scored([], [])
    evaluation.addCase(True, score)
    assert evaluation._cases.scores.dtype == width
    assert evaluation.prScoreCurve(False).tolist() == [[1.0, 1.0, float(score)]]


@every(
    ("score", "error", "message"),
    *((score, T, f"must be a number, got {got}") for score, got in NO_NUMBERS),
    ("0.5", T, "must be a number, got '0.5' (str)"),
    (np.str_("0.5"), T, "must be a number, got '0.5' (str)"),
    *((score, T, "must be a number, got True (bool)") for score in (True, np.True_)),
    *((nan, E, "is NaN; a score is finite or infinite") for nan in (math.nan, np.float32(math.nan))),
    *((score, E, f"= {score} {EXACT}") for score in (TOP + 1, np.int64(TOP + 1), 2**64 + 1)),
    (LARGEST + 1, E, f"= {str(LARGEST)[:57]}... {EXACT}"),
    (10**400, E, f"= {CUT} {EXACT}"),
    (-(10**400), E, f"= -{CUT[:56]}... {EXACT}"),
    *((score, E, f"= {score!s} {WIDE}")  # !s: a format would make it a float64
      for score in map(np.longdouble, ["1.00000000000000000011", "1e4000", "1e-4000"] if IS_WIDE else [])),
)  # fmt: skip
def test_a_bad_single_score_is_refused(score, error, message):
    evaluation = ten_cases()
    with refused(evaluation, error, f"score {message}"):
        evaluation.addCase(True, score)


@every("value", TRUE + FALSE)
def test_a_single_label_is_read(value):
    evaluation = scored([], [])
    evaluation.addCase(value, 0.5)
    table = evalcore.PrecisionRecallEvaluation()
    table.addCase(value, value)
    assert evaluation.numPositiveRef() == table.truePositive() == 1 - table.trueNegative() == int(value)


@every(("value", "error", "got"), NO_LABELS)
def test_a_bad_single_label_is_refused(value, error, got):
    ranking, table = ten_cases(), evalcore.PrecisionRecallEvaluation(1, 2, 3, 4)
    for evaluation, name, case in (
        (ranking, "correct", (value, 0.5)),
        (table, "reference", (value, True)),
        (table, "response", (True, value)),
    ):
        with refused(evaluation, error, f"{name} must be True or False, 1 or 0, got {got}"):
            evaluation.addCase(*case)


@every(("value", "error", "must"), NO_COUNTS)
def test_a_bad_count_is_refused_by_its_name(value, error, must):
    evaluation = ten_cases()
    pointer = TAKES_WEIGHTS if value == 0.5 else ""
    for method in evaluation.addMisses, evaluation.addNegativeMisses:
        with refused(evaluation, error, f"count must {must}{pointer}"):
            method(value)
    with refused(evaluation, error, f"rank must {must}"):
        evaluation.precisionAt(value)
    for name in ("tp", "fn", "fp", "tn"):
        with refused(evalcore.PrecisionRecallEvaluation(), error, f"{name} must {must}{pointer}"):
            evalcore.PrecisionRecallEvaluation(**{name: value})


def test_counts_and_numbers_are_read_and_an_instance_is_handed_back():
    for value in (0, 3, np.int8(3), np.uint64(3), 2**62):
        assert check_count(value, "count") == value
        assert type(check_count(value, "count")) is int
    for value in (2, 2.0, np.float32(2), np.int64(2), np.longdouble(2)):
        assert type(check_number(value, "beta")) is float
        assert ten_cases().maximumFMeasure(value) == ten_cases().maximumFMeasure(2.0)
    value = ten_cases()
    assert check_instance(value, type(value), "other") is value


@every(
    ("value", "error", "must"),
    *((value, T, f"must be a number, got {got}") for value, got in NO_NUMBERS),
    (10**400, E, f"must be a float64 number, got {CUT} (int)"),
    (-(10**400), E, f"must be a float64 number, got -{CUT[:56]}... (int)"),
)
def test_a_bad_number_is_refused_by_its_name(value, error, must):
    ranking, table = ten_cases(), evalcore.PrecisionRecallEvaluation(1, 2, 3, 4)
    for evaluation, method in ((ranking, ranking.maximumFMeasure), (table, table.fMeasure)):
        with refused(evaluation, error, f"beta {must}"):
            method(value)
    for position, name in enumerate(("beta", "recall", "precision")):
        arguments = [0.5] * 3
        arguments[position] = value
        with refused(table, error, f"{name} {must}"):
            evalcore.PrecisionRecallEvaluation.fMeasure(*arguments)


@every(("rows", "shape"), [([1.0, 2.0], "(2,)"), (3.0, "()"), (None, "()"), (np.ones((2, 3)), "(2, 3)")])
def test_a_curve_may_be_empty_but_not_of_another_shape(rows, shape):
    for empty in ([], np.empty((0, 3)), [[]]):
        assert as_curve(empty, "prCurve").shape == (0, 2)
    with refused(ten_cases(), E, f"prCurve must hold two numbers in each row, got shape {shape}"):
        as_curve(rows, "prCurve")


@every("rows", ["abc", [["a", "b"]], [[1, 2], [3]], [[object(), 1]], [[1j, 1]]])
def test_a_curve_that_holds_no_numbers_is_refused_with_the_reason(rows):
    with pytest.raises((TypeError, ValueError)) as numpy_says:
        np.asarray(rows, dtype=np.float64)
    text = f"prCurve must hold two numbers in each row: {numpy_says.value}"
    with refused(ten_cases(), E, text) as caught:
        as_curve(rows, "prCurve")
    assert caught.value.__cause__ is None


def test_a_long_value_is_cut_in_a_message():
    for size, told in ((59, f"'{'a' * 56}..."), (58, f"'{'a' * 58}'")):
        with refused(ten_cases(), T, f"other must be a int, got {told} (str)"):
            check_instance("a" * size, int, "other")


@every(
    ("values", "kind"),
    [([], "f"), (np.array([1, 2], np.uint8), "i"), (np.array([2**63, 1], np.uint64), "f"),
     (np.array([0.5, 1], np.float16), "f"), ([2**52, 2**52], "f"), ([2**52, 2**51], "i")],
)  # fmt: skip
def test_weights_are_int64_while_float64_holds_their_sum(values, kind):
    weights = as_case_weights(values, len(values))
    assert weights.dtype == np.dtype(f"{kind}8")
    assert weights.tolist() == np.asarray(values).tolist()


def test_frequencies_are_int64_and_all_weights_of_one_batch_may_be_zero():
    for values in ([2, 0], [2.0, 0.0]):
        weights = as_case_weights(values, 2, whole=True)
        assert weights.dtype == np.int64
        assert weights.tolist() == values
    assert as_case_weights([0, 0], 2, zeros=True).tolist() == [0, 0]


@every(
    ("values", "whole", "error", "message"),
    ([1, -2.0], False, E, "{item} is -2.0; weights must not be negative"),
    ([1, np.nan], False, E, "{item} is NaN; weights must be finite"),
    ([1, np.inf], False, E, "{item} is inf; weights must be finite"),
    ([1, -np.inf], False, E, "{item} is -inf; weights must not be negative"),
    ([1, 2.5], True, E,
     "{item} is 2.5; frequencies must be whole numbers (for other weights: weight_type='sampling')"),
    ([1, 2, 3], False, E, "{name} must hold one weight for each of 2 cases, got 3"),
    ([[1, 2]], False, E, "{name} must be one-dimensional, got shape (1, 2)"),
    ([0, 0.0], False, E, "{name} must hold a weight above 0, got only zeros"),
    ([1e308, 1e308], False, E, "{name} must have a finite sum, got weights up to 1e+308"),
    ([2**52, 2**52], True, E, f"{{name}} must have a sum below 2**53, got weights up to {2**52}"),
    ([1.0, 2.0**53], True, E, f"{{name}} must have a sum below 2**53, got weights up to {2.0**53}"),
    (["1", "2"], False, T, "{name} must hold numbers, got dtype <U1, first {first} = '1' (str)"),
    (None, False, E, "{name} must be one-dimensional, got None (NoneType)"),
    (5, False, E, "{name} must be one-dimensional, got 5 (int)"),
    ([True, False], False, T,
     "{name} must hold numbers, got Booleans; select the rows instead: y_true[keep]"),
)  # fmt: skip
def test_what_is_no_weight_is_named(values, whole, error, message):
    for name, item in (("sample_weight", "sample_weight[1]"), ("column 'w'", "column 'w' at index 1 (from 0)")):
        with raises(message.format(name=name, item=item, first=item.replace("1", "0", 1)), error):
            as_case_weights(values, 2, name, whole=whole)


NAMES = ["a", "b"]
SCORES = np.array([[0.75, 0.25]])
CALLS = [
    (evalcore.ConfusionMatrix.fromLabels, (["a"], ["b"]), "confusion_matrix"),
    (evalcore.PrecisionRecallEvaluation.fromCases, ([True], [False]), "confusion_matrix"),
    (evalcore.PrecisionRecallEvaluation().addCases, ([True], [False]), "confusion_matrix"),
    (evalcore.ScoredPrecisionRecallEvaluation().addCases, ([True], [0.5]), "roc_auc_score"),
    (evalcore.RankedClassifierEvaluator(None, NAMES).addRankings, (["a"], [["a", "b"]]), "top_k_accuracy_score"),
    (evalcore.ScoredClassifierEvaluator(None, NAMES).addScores, (["a"], SCORES), "roc_auc_score"),
    (evalcore.ConditionalClassifierEvaluator(None, NAMES).addScores, (["a"], SCORES), "roc_auc_score"),
    (evalcore.Contingency(NAMES).add_results, ([["a"]], [["b"]]), "multilabel_confusion_matrix"),
]


@every(("method", "given", "function"), CALLS)
def test_batches_of_whole_cases_name_what_takes_weights(method, given, function):
    assert "sample_weight" not in inspect.signature(method).parameters
    assert "sample_weight" in inspect.signature(getattr(evalcore.metrics, function)).parameters
    text = (
        f"{method.__name__} counts whole cases and takes no sample_weight; for weights use evalcore.metrics.{function}"
        "(..., sample_weight=...) or evalcore.evaluate(..., weight=...)"
    )
    with raises(text, T):
        method(*given, sample_weight=[2.5])
    method(*given)


@every(
    ("function", "others"),
    (metrics.roc_auc_by_column, [metrics.roc_auc_score]),
    (metrics.calibration_curve, [metrics.expected_calibration_error, plots.plot_calibration]),
)
def test_functions_without_weights_name_those_with_them(function, others):
    with pytest.raises(T, match=f"^{function.__name__} .*takes no sample_weight") as raised:
        function([0, 1], [0.1, 0.9], sample_weight=[1, 2])
    for other in others:
        assert f"{other.__module__.rsplit('.', 1)[0]}.{other.__name__} " in str(raised.value)
        assert "sample_weight" in inspect.signature(other).parameters
