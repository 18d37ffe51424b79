"""The functions work where scikit-learn's own are expected."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evalcore import metrics

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


def test_cross_validate_gives_the_same_scores(model, data):
    theirs = {f"their_{name}": scorer for name, scorer in scorers(sklearn.metrics).items()}
    found = cross_validate(model, *data, cv=2, scoring=scorers(metrics) | theirs)
    for name in NAMES:
        np.testing.assert_allclose(found[f"test_{name}"], found[f"test_their_{name}"], rtol=1e-12)


def test_grid_search_finds_the_same_model(model, data):
    scoring = {"ours": scorers(metrics)["roc_auc_score"], "theirs": scorers(sklearn.metrics)["roc_auc_score"]}
    found = GridSearchCV(model, {"logisticregression__C": [0.01, 1.0]}, cv=2, scoring=scoring, refit="ours").fit(*data)
    assert found.best_params_ == {"logisticregression__C": [0.01, 1.0][found.cv_results_["mean_test_theirs"].argmax()]}
    np.testing.assert_allclose(*(found.cv_results_[f"mean_test_{name}"] for name in scoring), rtol=1e-12)


def test_functions_can_be_sent_to_other_processes():
    for name in metrics.__all__:
        assert pickle.loads(pickle.dumps(getattr(metrics, name))) is getattr(metrics, name)


@pytest.mark.process
def test_importing_the_functions_imports_numpy_and_nothing_else():
    code = "import sys, evalcore.metrics; print(*{name.partition('.')[0] for name in sys.modules})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in found
    assert not {"scipy", "sklearn", "pandas", "pyarrow", "click", "rich"} & set(found)
