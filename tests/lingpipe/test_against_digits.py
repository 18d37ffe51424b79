"""Evaluations beside scikit-learn's functions."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn import metrics
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

import evalcore
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.sorting import order
from evalcore.measures import curves
from tests.differences import every
from tests.lingpipe.evaluations import scored
from tests.strategies import close_to

HANDLED, CLASSES = 20, 5
MODELS = {
    "probabilities": (LogisticRegression(max_iter=20), evalcore.ConditionalClassifierEvaluator, False),
    "decisions": (LinearSVC(max_iter=50, random_state=0), evalcore.ScoredClassifierEvaluator, False),
    "binary decisions": (LinearSVC(max_iter=50, random_state=0), evalcore.ScoredClassifierEvaluator, True),
    "binary probabilities": (LogisticRegression(max_iter=20), evalcore.ConditionalClassifierEvaluator, True),
}


class Fitted(NamedTuple):
    model: object
    kind: type
    rows: np.ndarray
    labels: np.ndarray

    @property
    def adapter(self):
        return evalcore.ClassifierAdapter(self.model)

    @property
    def scores(self):
        return self.adapter.scores(self.rows)


@pytest.fixture(scope="module", params=MODELS.values(), ids=MODELS)
def fitted(request):
    model, kind, is_binary = request.param
    rows, labels = load_digits(n_class=CLASSES, return_X_y=True)
    if is_binary:
        labels = np.where(labels % 2, "odd", "even")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few iterations are enough here
        model.fit(rows[:400] / 16, labels[:400])
    return Fitted(model, kind, rows[400:520] / 16, labels[400:520])


@pytest.fixture(scope="module")
def batch(fitted):
    evaluator = fitted.kind(fitted.adapter, fitted.adapter.categories())
    evaluator.addScores(fitted.labels, fitted.scores)
    return evaluator


@pytest.fixture(scope="module")
def handled(fitted):
    evaluator = fitted.kind(fitted.adapter, fitted.adapter.categories(), storeInputs=True)
    for row, label in zip(fitted.rows[:HANDLED], fitted.labels[:HANDLED].tolist(), strict=True):
        evaluator.handle(evalcore.Classified(row, evalcore.Classification(label)))
    return evaluator


def test_the_confusion_matrix_is_that_of_scikit_learn(fitted, batch):
    assert batch.numCases() == len(fitted.labels)
    assert batch.categories() == tuple(fitted.model.classes_.tolist())
    expected = metrics.confusion_matrix(fitted.labels, fitted.model.predict(fitted.rows))
    assert batch.confusionMatrix().matrix().tolist() == expected.tolist()
    assert batch.confusionMatrix().totalAccuracy() == close_to(fitted.model.score(fitted.rows, fitted.labels))


def test_handling_gives_the_confusion_matrix_of_scikit_learn(fitted, handled):
    labels, predicted = fitted.labels[:HANDLED], fitted.model.predict(fitted.rows[:HANDLED])
    expected = metrics.confusion_matrix(labels, predicted, labels=fitted.model.classes_)
    assert handled.confusionMatrix().matrix().tolist() == expected.tolist()
    for category in handled.categories():
        wrong = [case.getObject().tolist() for case in handled.falsePositives(category)]
        chosen = (predicted == category) & (labels != category)
        assert wrong == fitted.rows[:HANDLED][chosen].tolist()


def test_one_versus_rest_areas_are_those_of_scikit_learn(fitted, batch):
    for category, scores in zip(batch.categories(), fitted.scores.T, strict=True):
        correct = fitted.labels == category
        area = metrics.roc_auc_score(correct, scores)
        pairs, positives = pair_counts(order(scores, correct).keys), int(correct.sum())
        negatives = correct.size - positives
        assert curves.roc_auc(pairs, positives, negatives) == close_to(area)
        evaluation = batch.scoredOneVersusAll(category)
        assert (evaluation.numPositiveRef(), evaluation.numNegativeRef()) == (positives, negatives)
        # a step counts a tied incorrect case as accepted, which takes half a pair from the usual area
        assert evaluation.areaUnderRocCurve(False) == close_to(area - pairs.tied / 2 / positives / negatives)
        assert evaluation.averagePrecision() == close_to(metrics.average_precision_score(correct, scores))


def test_codes_of_labels_serve_as_well(fitted, batch):
    if fitted.labels.dtype.kind == "U":
        evaluator = fitted.kind(None, batch.categories())
        evaluator.addScores(np.searchsorted(fitted.model.classes_, fitted.labels), fitted.scores)
        assert str(evaluator) == str(batch)
    else:
        assert batch.categories() == tuple(range(CLASSES))


def test_answers_of_the_adapter(fitted):
    answer = fitted.adapter.classify(fitted.rows[0])
    is_probability = fitted.kind is evalcore.ConditionalClassifierEvaluator
    assert type(answer) is (evalcore.ConditionalClassification if is_probability else evalcore.ScoredClassification)
    scores = dict(zip(fitted.adapter.categories(), fitted.adapter.scores(fitted.rows[:1])[0].tolist(), strict=True))
    assert {answer.category(rank): answer.score(rank) for rank in range(answer.size())} == scores
    assert answer.bestCategory() == fitted.model.predict(fitted.rows[:1]).item()
    assert answer.size() == len(fitted.model.classes_)


class Half:
    classes_ = np.array(["beer", "wine"])


class Undecided(Half):
    def decision_function(self, rows):
        return np.zeros(len(rows))


def test_equal_scores_rank_in_the_order_of_the_classes():
    adapter = evalcore.ClassifierAdapter(Undecided())
    assert adapter.classify([0]) == evalcore.ScoredClassification(["beer", "wine"], [0, 0])
    assert adapter.scores([[0], [1]]).tolist() == [[0, 0], [0, 0]]


@every(
    ("model", "text"),
    ("svm", r"classes_, got 'svm' \(str\); fit it first"),
    (LinearSVC(), r"classes_, got LinearSVC\(\) \(LinearSVC\); fit it first"),
    (Half(), r"decision_function, got <.* \(Half\)"),
)
def test_what_is_no_fitted_model_is_refused(model, text):
    with pytest.raises(evalcore.EvaluationTypeError, match=rf"\Amodel must have {text}\Z"):
        evalcore.ClassifierAdapter(model)


def test_decisions_between_pairs_of_classes_are_no_scores_of_classes():
    rows, labels = load_digits(n_class=4, return_X_y=True)
    model = SVC(decision_function_shape="ovo").fit(rows[:200], labels[:200])
    with pytest.raises(evalcore.EvaluationError, match="decides between pairs of classes"):
        evalcore.ClassifierAdapter(model)
    model.decision_function_shape = "ovr"
    adapter = evalcore.ClassifierAdapter(model)
    model.decision_function_shape = "ovo"
    with pytest.raises(evalcore.EvaluationError, match=r"must have a column for each of 4 classes, got shape \(1, 6\)"):
        adapter.classify(rows[0])


FLIGHTS = Path(__file__).parents[2] / "notebooks" / "data" / "flights.parquet"
PUBLISHED = {"boosting": (0.732088, 0.485811), "logistic": (0.713809, 0.454297)}  # ROC AUC, average precision


@pytest.fixture(scope="module")
def flights():
    return pq.read_table(FLIGHTS, columns=["late", *PUBLISHED]).to_pandas()


def roc_auc(correct, scores):
    positives = int(correct.sum())
    return curves.roc_auc(pair_counts(order(scores, correct).keys), positives, correct.size - positives)


@every("name", PUBLISHED)
def test_real_predictions(flights, name):
    late, scores = flights["late"].to_numpy(), flights[name].to_numpy()
    evaluation = scored(late, scores)
    assert (evaluation.numCases(), evaluation.numPositiveRef()) == (327_346, 77_630)
    assert scores.dtype == np.float32
    assert (roc_auc(late, scores), evaluation.averagePrecision()) == pytest.approx(PUBLISHED[name], abs=5e-7)
