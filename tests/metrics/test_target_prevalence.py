"""Reweighting to another prevalence gives what Bayes' formula, weights by class, and repeated rows give."""

import inspect
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.errors import EvaluationError, EvaluationTypeError
from tests.differences import every

OF_LABELS = {
    "accuracy_score": metrics.accuracy_score,
    "f1_score": metrics.f1_score,
    "fbeta_score": partial(metrics.fbeta_score, beta=2),
    "jaccard_score": metrics.jaccard_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
    "precision_recall_fscore_support": partial(metrics.precision_recall_fscore_support, average="macro"),
    "precision_score": metrics.precision_score,
}
OF_SCORES = {
    "average_precision_score": metrics.average_precision_score,
    "cumulative_gains_curve": metrics.cumulative_gains_curve,
    "expected_cost": partial(metrics.expected_cost, false_positive=1.0, false_negative=5.0),
    "lift_curve": metrics.lift_curve,
    "net_benefit": partial(metrics.net_benefit, thresholds=[0.125, 0.5, 0.75]),
    "optimal_threshold": partial(metrics.optimal_threshold, criterion="f1"),
    "precision_at_recall": partial(metrics.precision_at_recall, recall=0.5),
    "precision_recall_curve": metrics.precision_recall_curve,
    "recall_at_precision": partial(metrics.recall_at_precision, precision=0.4),
    "threshold_at": partial(metrics.threshold_at, flagged=0.3),
}
FUNCTIONS = {**OF_LABELS, **OF_SCORES}

Y_TRUE = np.array([1, 0, 1, 1, 0, 0, 1, 0])
COLUMNS = {
    **dict.fromkeys(OF_LABELS, np.array([1, 1, 0, 1, 0, 0, 1, 0])),
    **dict.fromkeys(OF_SCORES, np.array([0.9, 0.8, 0.25, 0.5, 0.5, 0.125, 0.75, 0.0])),
}


def numbers(result):
    """All numbers of a result, however they are nested."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in parts if part is not None])


def check_close(first, second):
    np.testing.assert_allclose(numbers(first), numbers(second), rtol=1e-12, atol=1e-12)


@given(st.sampled_from([*FUNCTIONS]), st.floats(0.001, 0.999), st.booleans())
def test_it_is_a_weight_for_each_class(name, prevalence, weighted):
    weights = np.array([1.0, 2.0, 0.5, 3.0, 0.0, 1.5, 2.0, 0.25]) if weighted else np.ones(8)
    sums = [weights[label == Y_TRUE].sum() for label in (0, 1)]
    by_hand = weights * np.where(Y_TRUE == 1, prevalence / sums[1], (1 - prevalence) / sums[0])
    columns = {"y_true": Y_TRUE, _second(name): COLUMNS[name]}
    found = FUNCTIONS[name](**columns, sample_weight=weights if weighted else None, target_prevalence=prevalence)
    check_close(found, FUNCTIONS[name](**columns, sample_weight=by_hand))


def _second(name):
    return "y_pred" if name in OF_LABELS else "y_prob" if name == "net_benefit" else "y_score"


@every("name", FUNCTIONS)
def test_it_undoes_subsampling(name):
    columns, times = {"y_true": Y_TRUE, _second(name): COLUMNS[name]}, np.where(Y_TRUE == 1, 1, 99)
    whole = FUNCTIONS[name](**{each: np.repeat(column, times) for each, column in columns.items()})
    check_close(FUNCTIONS[name](**columns, target_prevalence=0.01), whole)


def test_functions_that_take_it():
    taking = {
        name
        for name in metrics.__all__
        if inspect.isfunction(function := getattr(metrics, name))
        and "target_prevalence" in inspect.signature(function).parameters
    }
    assert taking == {*FUNCTIONS, "metric_curves"}
    for name in taking:
        last = [*inspect.signature(getattr(metrics, name)).parameters.values()][-1]
        assert (last.name, last.kind, last.default) == ("target_prevalence", last.KEYWORD_ONLY, None)


def test_recall_and_the_counts_of_a_class_keep_their_proportions():
    curves = metrics.metric_curves(Y_TRUE, COLUMNS["expected_cost"], target_prevalence=0.02)
    plain = metrics.metric_curves(Y_TRUE, COLUMNS["expected_cost"])
    assert (curves.tp[-1] + curves.fp[-1], curves.tp[-1]) == (pytest.approx(8), pytest.approx(0.16))
    np.testing.assert_allclose(curves.tp / curves.tp[-1], plain.tp / plain.tp[-1], rtol=1e-12)
    np.testing.assert_allclose(curves.fp / curves.fp[-1], plain.fp / plain.fp[-1], rtol=1e-12)


def test_the_positive_class_is_the_one_that_is_scored():
    y_true, y_pred = ["ham", "ham", "spam", "spam"], ["ham", "spam", "spam", "spam"]
    options = {"pos_label": "spam", "target_prevalence": 0.1}
    precisions = metrics.precision_recall_fscore_support(y_true, y_pred, **options)[0]
    assert precisions[1] == pytest.approx(metrics.precision_score(y_true, y_pred, **options), rel=1e-15)
    assert precisions[1] == pytest.approx(0.1 / (0.1 + 0.9 / 2))
    assert metrics.accuracy_score(y_true, y_pred, target_prevalence=0.1) == pytest.approx(0.1 + 0.9 / 2)


@every("name", FUNCTIONS)
@every(
    ("change", "error", "message"),
    ({"target_prevalence": 5}, EvaluationError, "prevalence must be above 0 and below 1, got 5; write 0.05 for 5%"),
    ({"target_prevalence": 0.0}, EvaluationError, "target_prevalence must be above 0 and below 1, got 0.0"),
    ({"target_prevalence": np.nan}, EvaluationError, "target_prevalence must be above 0 and below 1, got nan"),
    ({"target_prevalence": "1%"}, EvaluationTypeError, "target_prevalence must be a number, got '1%' (str)"),
    ({"sample_weight": 1 - Y_TRUE}, EvaluationError, "needs cases of both classes, got no positive"),
    ({"sample_weight": Y_TRUE}, EvaluationError, "got no negative case"),
    ({"sample_weight": [1, -1, 1, 1, 1, 1, 1, 1]}, EvaluationError, "sample_weight[1] is -1"),
)  # fmt: skip
def test_refusals(name, change, error, message):
    options = {"y_true": Y_TRUE, _second(name): COLUMNS[name], "target_prevalence": 0.1, **change}
    with pytest.raises(error) as raised:
        FUNCTIONS[name](**options)
    assert message in str(raised.value)


@every(
    ("name", "y_true", "column", "kind"),
    ("accuracy_score", [0, 1, 2], [0, 1, 1], "multiclass"),
    ("matthews_corrcoef", [0, 1, 2], [0, 1, 1], "multiclass"),
    ("precision_recall_fscore_support", [0, 1, 2], [0, 1, 1], "multiclass"),
    ("accuracy_score", [[0, 1], [1, 0]], [[0, 1], [1, 1]], "multilabel-indicator"),
    ("average_precision_score", [[0, 1], [1, 0]], [[0.1, 0.9], [0.5, 0.5]], "multilabel-indicator"),
    ("average_precision_score", [0, 1, 2], np.eye(3), "multiclass"),
)
def test_labels_of_more_than_two_classes_are_refused(name, y_true, column, kind):
    with pytest.raises(EvaluationError, match=f"labels must be binary for target_prevalence, got {kind} ones"):
        FUNCTIONS[name](y_true=y_true, **{_second(name): column}, target_prevalence=0.5)


def test_weights_of_any_size():
    for size in (2.0**-900, 2.0**900):
        weights = np.array([size, size, 2 * size, size, size, size, size, size])
        weighted = {"sample_weight": weights, "target_prevalence": 0.25}
        plain = {"sample_weight": weights / size, "target_prevalence": 0.25}
        for name in ("precision_score", "average_precision_score", "accuracy_score"):
            columns = {"y_true": Y_TRUE, _second(name): COLUMNS[name]}
            check_close(FUNCTIONS[name](**columns, **weighted), FUNCTIONS[name](**columns, **plain))


def test_net_benefit():
    y_true, y_prob = [0, 0, 1, 1], np.array([0.1, 0.4, 0.35, 0.8], np.float32)
    found = metrics.net_benefit(y_true, y_prob, [0.1, 0.2, 0.4, 0.9])  # 0.1 is read as a float32, and reached
    np.testing.assert_allclose(found, [0.5 - 0.5 / 9, 0.5 - 0.25 / 4, 0.25 - 0.25 * 2 / 3, 0], rtol=1e-12)
    everyone = metrics.net_benefit(y_true, np.ones(4), [0.2], target_prevalence=0.3)
    assert everyone == pytest.approx(0.3 - 0.7 / 4)
    assert metrics.net_benefit([0, 1, 1, 0], [0, 1, 1, 1], [0.5]).tolist() == [0.25]
