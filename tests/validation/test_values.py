"""Single values and weights: one case, counts, numbers, curves, instances; what counts whole cases takes no weights."""

import inspect
import math

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
TRUE = [True, 1, 1.0, np.True_, np.int8(1), np.uint64(1), np.float16(1)]
FALSE = [False, 0, -0.0, np.False_, np.int8(0), np.float32(-0.0)]


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


@every("value", TRUE + FALSE)
def test_a_single_label_is_read(value):
    evaluation = scored([], [])
    evaluation.addCase(value, 0.5)
    table = evalcore.PrecisionRecallEvaluation()
    table.addCase(value, value)
    assert evaluation.numPositiveRef() == table.truePositive() == 1 - table.trueNegative() == int(value)


def test_counts_and_numbers_are_read_and_an_instance_is_handed_back():
    for value in (0, 3, np.int8(3), np.uint64(3), 2**62):
        assert check_count(value, "count") == value
        assert type(check_count(value, "count")) is int
    for value in (2, 2.0, np.float32(2), np.int64(2), np.longdouble(2)):
        assert type(check_number(value, "beta")) is float
        assert ten_cases().maximumFMeasure(value) == ten_cases().maximumFMeasure(2.0)
    value = ten_cases()
    assert check_instance(value, type(value), "other") is value


def test_a_curve_may_be_empty():
    for empty in ([], np.empty((0, 3)), [[]]):
        assert as_curve(empty, "prCurve").shape == (0, 2)


@every("rows", ["abc", [["a", "b"]], [[1, 2], [3]], [[object(), 1]], [[1j, 1]]])
def test_a_curve_that_holds_no_numbers_is_refused_with_the_reason(rows):
    with pytest.raises((TypeError, ValueError)) as numpy_says:
        np.asarray(rows, dtype=np.float64)
    text = f"prCurve must hold two numbers in each row: {numpy_says.value}"
    with refused(ten_cases(), E, text) as caught:
        as_curve(rows, "prCurve")
    assert caught.value.__cause__ is None


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
