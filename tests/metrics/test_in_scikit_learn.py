"""The functions work where scikit-learn's own are expected, and keep the laws of all functions."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evalcore import metrics
from tests.differences import every
from tests.metrics.comparing import parameters

NAMES = {
    "roc_auc_score": "predict_proba",
    "average_precision_score": "decision_function",
    "f1_score": "predict",
    "matthews_corrcoef": "predict",
    "log_loss": "predict_proba",
}


def scorers(module):
    return {
        name: make_scorer(getattr(module, name), response_method=method, greater_is_better=name != "log_loss")
        for name, method in NAMES.items()
    }


@pytest.fixture(scope="module")
def data():
    rows, labels = load_breast_cancer(return_X_y=True)
    return rows[::4, :5], labels[::4]


@pytest.fixture(scope="module")
def model():
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))


def test_searches_and_cross_validation_find_the_same_and_functions_travel(model, data):
    theirs = {f"their_{name}": scorer for name, scorer in scorers(sklearn.metrics).items()}
    found = cross_validate(model, *data, cv=2, scoring=scorers(metrics) | theirs)
    for name in NAMES:
        np.testing.assert_allclose(found[f"test_{name}"], found[f"test_their_{name}"], rtol=1e-12)
    scoring = {"ours": scorers(metrics)["roc_auc_score"], "theirs": scorers(sklearn.metrics)["roc_auc_score"]}
    found = GridSearchCV(model, {"logisticregression__C": [0.01, 1.0]}, cv=2, scoring=scoring, refit="ours").fit(*data)
    assert found.best_params_ == {"logisticregression__C": [0.01, 1.0][found.cv_results_["mean_test_theirs"].argmax()]}
    np.testing.assert_allclose(*(found.cv_results_[f"mean_test_{name}"] for name in scoring), rtol=1e-12)
    for name in metrics.__all__:
        assert pickle.loads(pickle.dumps(getattr(metrics, name))) is getattr(metrics, name)


def with_options(names, options):
    return dict.fromkeys(names, options)


MACRO, QUANTILES = {"average": "macro"}, {"strategy": "quantile", "n_bins": 3}
OF_LABELS = {
    **with_options(["accuracy_score", "balanced_accuracy_score", "class_likelihood_ratios", "cohen_kappa_score"], {}),
    **with_options(["confusion_matrix", "hamming_loss", "matthews_corrcoef", "multilabel_confusion_matrix"], {}),
    **with_options(["precision_recall_fscore_support", "zero_one_loss"], {}),
    **with_options(["precision_score", "recall_score", "f1_score", "jaccard_score"], MACRO),
}
CURVES = {
    **with_options(["confusion_matrix_at_thresholds", "det_curve", "precision_recall_curve", "roc_curve"], {}),
    **with_options(["metric_curves", "cumulative_gains_curve", "lift_curve"], {}),
}
LOSSES = {
    **with_options(["log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score", "hinge_loss"], {}),
    **with_options(["brier_decomposition", "expected_calibration_error"], QUANTILES),
    **with_options(["loss_decomposition", "isotonic_calibration_curve"], {}),
}
OF_SCORES = CURVES | {
    "roc_auc_score": {}, "average_precision_score": {}, "ks_statistic": {}, "optimal_threshold": {"criterion": "f1"},
    "partial_auc": {"fpr_range": (0, 0.5)}, "threshold_at": {"recall": 0.5}, "precision_at_recall": {"recall": 0.5},
    "expected_cost": {"false_positive": 1, "false_negative": 3}, "net_benefit": {"thresholds": [0.25, 0.75]},
}  # fmt: skip
OF_RANKINGS = with_options(
    ["coverage_error", "dcg_score", "label_ranking_average_precision_score", "label_ranking_loss", "ndcg_score"], {}
)
INEXACT = {*LOSSES, *OF_RANKINGS}
"""Functions that add up numbers that are not whole."""
PEERS = [name for name in metrics.__all__ if hasattr(sklearn.metrics, name) or hasattr(sklearn.calibration, name)]
CASES = st.lists(st.tuples(*[st.integers(0, 1)] * 2, st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1]), st.integers(0, 3)))


def asked(name, *arguments, **more):
    """Return all numbers of an answer."""
    options = (OF_LABELS | LOSSES | OF_SCORES | OF_RANKINGS)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = getattr(metrics, name)(*arguments, **options, **more)
    parts = found if isinstance(found, tuple) else (found,)
    return [np.asarray(part, np.float64) for part in parts if part is not None]


def check_equal(name, one, other, exact):
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0 if exact else 1e-12, atol=0 if exact else 1e-14, err_msg=name)


@every("name", PEERS)
def test_parameters_are_those_of_scikit_learn(name):
    theirs = getattr(sklearn.metrics, name, None) or getattr(sklearn.calibration, name)
    if callable(theirs) and not isinstance(theirs, type):
        assert parameters(getattr(metrics, name), without=["target_prevalence"]) == parameters(theirs)


@given(CASES)
def test_whole_weights_repeat_cases(cases):
    cases = [(0, 1, 0.25, 1), (1, 1, 0.5, 2), (1, 0, 0.25, 1), *cases]
    y_true, y_pred, scores, weights = map(np.array, zip(*cases, strict=True))
    for names, other in ((OF_LABELS, y_pred), (OF_SCORES | LOSSES, scores)):
        for name in names:
            repeated = asked(name, y_true.repeat(weights), other.repeat(weights))
            check_equal(name, asked(name, y_true, other, sample_weight=weights), repeated, name not in INEXACT)
    relevance, rows = np.column_stack([y_true, 1 - y_true, y_pred]), np.column_stack([scores, scores[::-1], y_pred])
    for name in OF_RANKINGS:
        repeated = asked(name, relevance.repeat(weights, axis=0), rows.repeat(weights, axis=0))
        check_equal(name, asked(name, relevance, rows, sample_weight=weights), repeated, exact=False)


FRACTIONS = [name for name in [*OF_SCORES, *LOSSES] if name not in {*CURVES, "isotonic_calibration_curve"}]


@every("size", [1e308, 2.0**70, 2e-170, 5e-324 * 2**12, 2.0**1019, 2.0**-1000, 2.0**-1071])
@every("name", [*FRACTIONS, "cumulative_gains_curve", "roc_curve", "det_curve", "precision_recall_curve"])
def test_weights_of_any_size_give_what_common_ones_give(name, size):
    if size == 1e308 and name not in LOSSES:  # their sum must be finite
        return
    shares = np.array([1, 0.5, 0.25, 0.5, 0.125, 0.25])
    ask = partial(asked, name, [0, 1, 1, 0, 1, 0], [0.25, 0.5, 0.75, 0.5, 0.125, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ask(sample_weight=shares * size)
    check_equal(name, found, ask(sample_weight=shares), np.frexp(size)[0] == 0.5 and name not in LOSSES)
