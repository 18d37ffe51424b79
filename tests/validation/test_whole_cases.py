"""What counts whole cases refuses weights, and names what takes them."""

import inspect

import numpy as np
import pytest

import evalcore
from evalcore import (
    ConditionalClassifierEvaluator,
    ConfusionMatrix,
    Contingency,
    EvaluationTypeError,
    PrecisionRecallEvaluation,
    RankedClassifierEvaluator,
    ScoredClassifierEvaluator,
    ScoredPrecisionRecallEvaluation,
    metrics,
    plots,
)
from tests.differences import every

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
    with pytest.raises(EvaluationTypeError) as raised:
        method(*given, sample_weight=[2.5])
    assert str(raised.value) == (
        f"{method.__name__} counts whole cases and takes no sample_weight; for weights use evalcore.metrics.{function}"
        "(..., sample_weight=...) or evalcore.evaluate(..., weight=...)"
    )
    method(*given)


@every(
    ("function", "others"),
    [
        (metrics.roc_auc_by_column, [metrics.roc_auc_score]),
        (metrics.calibration_curve, [metrics.expected_calibration_error, plots.plot_calibration]),
    ],
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
    with pytest.raises(EvaluationTypeError, match=r"^count must be an integer, got 1\.5 \(float\); for weights use "):
        evaluation.addMisses(1.5)
    with pytest.raises(EvaluationTypeError, match=r"^count must be an integer, got 1\.5 \(float\); for weights use "):
        evaluation.addNegativeMisses(1.5)
    assert evaluation.numPositiveRef() == 0
