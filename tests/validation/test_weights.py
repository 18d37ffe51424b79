"""Weights are finite and not negative, and what counts whole cases refuses them."""

import inspect

import numpy as np
import pytest

import evalcore
from evalcore import (
    ConditionalClassifierEvaluator,
    ConfusionMatrix,
    Contingency,
    EvaluationError,
    EvaluationTypeError,
    PrecisionRecallEvaluation,
    RankedClassifierEvaluator,
    ScoredClassifierEvaluator,
    ScoredPrecisionRecallEvaluation,
    metrics,
    plots,
)
from evalcore.validation.weights import as_case_weights
from tests.differences import every, refused


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
    ([1, -2.0], False, EvaluationError, "{item} is -2.0; weights must not be negative"),
    ([1, np.nan], False, EvaluationError, "{item} is NaN; weights must be finite"),
    ([1, np.inf], False, EvaluationError, "{item} is inf; weights must be finite"),
    ([1, -np.inf], False, EvaluationError, "{item} is -inf; weights must not be negative"),
    ([1, 2.5], True, EvaluationError,
     "{item} is 2.5; frequencies must be whole numbers (for other weights: weight_type='sampling')"),
    ([1, 2, 3], False, EvaluationError, "{name} must hold one weight for each of 2 cases, got 3"),
    ([[1, 2]], False, EvaluationError, "{name} must be one-dimensional, got shape (1, 2)"),
    ([0, 0.0], False, EvaluationError, "{name} must hold a weight above 0, got only zeros"),
    ([1e308, 1e308], False, EvaluationError, "{name} must have a finite sum, got weights up to 1e+308"),
    ([2**52, 2**52], True, EvaluationError, f"{{name}} must have a sum below 2**53, got weights up to {2**52}"),
    ([1.0, 2.0**53], True, EvaluationError, f"{{name}} must have a sum below 2**53, got weights up to {2.0**53}"),
    (["1", "2"], False, EvaluationTypeError, "{name} must hold numbers, got dtype <U1, first {first} = '1' (str)"),
    (None, False, EvaluationError, "{name} must be one-dimensional, got None (NoneType)"),
    (5, False, EvaluationError, "{name} must be one-dimensional, got 5 (int)"),
    ([True, False], False, EvaluationTypeError,
     "{name} must hold numbers, got Booleans; select the rows instead: y_true[keep]"),
)  # fmt: skip
def test_what_is_no_weight_is_named(values, whole, error, message):
    for name, item in (("sample_weight", "sample_weight[1]"), ("column 'w'", "column 'w' at index 1 (from 0)")):
        with refused(message.format(name=name, item=item, first=item.replace("1", "0", 1)), error):
            as_case_weights(values, 2, name, whole=whole)


NAMES = ["a", "b"]
SCORES = np.array([[0.75, 0.25]])
CALLS = [
    (ConfusionMatrix.fromLabels, (["a"], ["b"]), "confusion_matrix"),
    (PrecisionRecallEvaluation.fromCases, ([True], [False]), "confusion_matrix"),
    (PrecisionRecallEvaluation().addCases, ([True], [False]), "confusion_matrix"),
    (ScoredPrecisionRecallEvaluation().addCases, ([True], [0.5]), "roc_auc_score"),
    (RankedClassifierEvaluator(None, NAMES).addRankings, (["a"], [["a", "b"]]), "top_k_accuracy_score"),
    (ScoredClassifierEvaluator(None, NAMES).addScores, (["a"], SCORES), "roc_auc_score"),
    (ConditionalClassifierEvaluator(None, NAMES).addScores, (["a"], SCORES), "roc_auc_score"),
    (Contingency(NAMES).add_results, ([["a"]], [["b"]]), "multilabel_confusion_matrix"),
]


@every(("method", "given", "function"), CALLS)
def test_batches_of_whole_cases_name_what_takes_weights(method, given, function):
    assert "sample_weight" not in inspect.signature(method).parameters
    assert "sample_weight" in inspect.signature(getattr(evalcore.metrics, function)).parameters
    text = (
        f"{method.__name__} counts whole cases and takes no sample_weight; for weights use evalcore.metrics.{function}"
        "(..., sample_weight=...) or evalcore.evaluate(..., weight=...)"
    )
    with refused(text, EvaluationTypeError):
        method(*given, sample_weight=[2.5])
    method(*given)


@every(
    ("function", "others"),
    (metrics.roc_auc_by_column, [metrics.roc_auc_score]),
    (metrics.calibration_curve, [metrics.expected_calibration_error, plots.plot_calibration]),
)
def test_functions_without_weights_name_those_with_them(function, others):
    with pytest.raises(EvaluationTypeError, match=f"^{function.__name__} .*takes no sample_weight") as raised:
        function([0, 1], [0.1, 0.9], sample_weight=[1, 2])
    for other in others:
        assert f"{other.__module__.rsplit('.', 1)[0]}.{other.__name__} " in str(raised.value)
        assert "sample_weight" in inspect.signature(other).parameters


def test_fractions_of_cases_name_what_takes_weights():
    with pytest.raises(EvaluationTypeError, match=r"^fp must be an integer, got 0\.5 \(float\); for weights use "):
        PrecisionRecallEvaluation(1, 1, 0.5)
    evaluation = ScoredPrecisionRecallEvaluation()
    for add in (evaluation.addMisses, evaluation.addNegativeMisses):
        with pytest.raises(EvaluationTypeError, match=r"^count must be an integer, got 1\.5 \(float\); for weights"):
            add(1.5)
    assert evaluation.numPositiveRef() == 0
