"""Both evaluations beside scikit-learn and SciPy, on random data and on real predictions."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2_contingency
from sklearn import metrics

from evalcore import PrecisionRecallEvaluation
from evalcore.kernels.pairs import pair_counts
from evalcore.kernels.sorting import order
from evalcore.measures import curves
from tests.differences import every
from tests.lingpipe.evaluations import scored
from tests.strategies import close_to

FLIGHTS = Path(__file__).parents[2] / "notebooks" / "data" / "flights.parquet"
PUBLISHED = {"boosting": (0.732088, 0.485811), "logistic": (0.713809, 0.454297)}  # ROC area, average precision
TIES = {
    "no ties": lambda noise: noise,
    "some ties": lambda noise: noise.round(1),
    "many ties": np.round,
    "float32": lambda noise: noise.astype(np.float32),
    "all tied": np.zeros_like,
}


class Ranked(NamedTuple):
    correct: np.ndarray
    scores: np.ndarray


@pytest.fixture(params=[(name, size) for name in TIES for size in (5, 40, 600)], ids=lambda param: f"{param}")
def ranked(request):
    name, size = request.param
    rng = np.random.default_rng(size)
    correct = rng.random(size) < 0.3
    correct[:2] = True, False
    return Ranked(correct, TIES[name](rng.normal(size=size) + correct))


@pytest.fixture(scope="module")
def flights():
    return pq.read_table(FLIGHTS, columns=["late", *PUBLISHED]).to_pandas()


def roc_area(correct, scores):
    positives = int(correct.sum())
    return curves.roc_area(pair_counts(order(scores, correct).keys), positives, correct.size - positives)


def test_average_precision_without_misses(ranked):
    assert scored(*ranked).averagePrecision() == close_to(metrics.average_precision_score(*ranked))


def test_operating_points_stand_on_the_precision_recall_curve(ranked):
    precisions, recalls, thresholds = metrics.precision_recall_curve(*ranked)
    peer = dict(zip(thresholds.tolist(), zip(recalls.tolist(), precisions.tolist(), strict=False), strict=False))
    points = scored(*ranked).prScoreCurve(False)
    assert points.shape[0] == np.unique(ranked.scores[ranked.correct]).size
    assert [peer[score] for score in points[:, 2].tolist()] == [(r, p) for r, p, _ in points.tolist()]


def test_operating_points_stand_on_the_roc_curve(ranked):
    false_rates, recalls, thresholds = metrics.roc_curve(*ranked, drop_intermediate=False)
    kept = np.isin(thresholds, ranked.scores[ranked.correct])
    expected = np.column_stack([recalls[kept], 1 - false_rates[kept]])
    np.testing.assert_allclose(scored(*ranked).rocCurve(False), expected, rtol=1e-12, atol=1e-15)


@every("name", PUBLISHED)
def test_real_predictions(flights, name):
    late, scores = flights["late"].to_numpy(), flights[name].to_numpy()
    evaluation = scored(late, scores)
    assert (evaluation.numCases(), evaluation.numPositiveRef()) == (327_346, 77_630)
    assert scores.dtype == np.float32
    assert (roc_area(late, scores), evaluation.averagePrecision()) == pytest.approx(PUBLISHED[name], abs=5e-7)


@pytest.fixture(params=[(seed, size) for seed in range(2) for size in (12, 300)], ids=lambda param: f"{param}")
def labelled(request):
    seed, size = request.param
    rng = np.random.default_rng([seed, size])
    reference = rng.random(size) < 0.4
    response = np.where(rng.random(size) < 0.3, ~reference, reference)
    reference[:4], response[:4] = (True, True, False, False), (True, False, True, False)
    return reference, response


ORACLES = {
    "accuracy": metrics.accuracy_score,
    "recall": metrics.recall_score,
    "precision": metrics.precision_score,
    "rejectionRecall": lambda *labels: metrics.recall_score(*labels, pos_label=False),
    "rejectionPrecision": lambda *labels: metrics.precision_score(*labels, pos_label=False),
    "fMeasure": metrics.f1_score,
    "jaccardCoefficient": metrics.jaccard_score,
    "kappa": metrics.cohen_kappa_score,
    "phiSquared": lambda *labels: metrics.matthews_corrcoef(*labels) ** 2,
    "chiSquared": lambda *labels: chi2_contingency(metrics.confusion_matrix(*labels), correction=False).statistic,
}


@every("name", ORACLES)
def test_statistic_of_counts(labelled, name):
    actual = getattr(PrecisionRecallEvaluation.fromCases(*labelled), name)()
    assert actual == close_to(ORACLES[name](*labelled), rel=1e-11, abs=1e-15)


@every("beta", [0.25, 0.5, 2, 10])
def test_f_measure_of_a_beta(labelled, beta):
    actual = PrecisionRecallEvaluation.fromCases(*labelled).fMeasure(beta)
    assert actual == close_to(metrics.fbeta_score(*labelled, beta=beta))
