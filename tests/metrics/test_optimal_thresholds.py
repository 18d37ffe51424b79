"""Optimal thresholds are the best of all, as scikit-learn and pROC measure them."""

import csv
import math
from pathlib import Path

import numpy as np
import sklearn.metrics
from hypothesis import example, given
from hypothesis import strategies as st

from evalcore import metrics
from evalcore.measures.thresholds import equal_error_rate
from evalcore.metrics import optimal_threshold, recall_at_specificity, specificity_at_recall, threshold_at
from tests.strategies import close_to, columns_of

ASAH = Path(__file__).parents[1] / "data" / "asah.csv"
# pROC 1.18: coords(roc, "best", best.method = "youden"), whose thresholds are halfway to the next lower score
OF_PROC = (
    ("s100b", 0.20500000000000002, 0.63414634146341464, 0.80555555555555558),
    ("ndka", 11.08, 0.70731707317073167, 0.51388888888888884),
)
"""Marker, best threshold, sensitivity and specificity."""
ROWS = [(y, score, weight) for y in (0, 1) for score in (0.1, 0.4, 0.5, 0.9) for weight in (1, 2)]
CASES = columns_of(ROWS, 2, 20)


def recall_of(label, y_true, y_pred, sample_weight):
    return sklearn.metrics.recall_score(y_true, y_pred, pos_label=label, sample_weight=sample_weight)


def youden(y_true, y_pred, sample_weight):
    return recall_of(1, y_true, y_pred, sample_weight) + recall_of(0, y_true, y_pred, sample_weight) - 1


MEASURES = {
    "youden": youden,
    "ks": lambda *columns: abs(youden(*columns)),
    "balanced_accuracy": lambda *columns: (youden(*columns) + 1) / 2,
    "mcc": lambda t, p, w: sklearn.metrics.matthews_corrcoef(t, p, sample_weight=w),
    "accuracy": lambda t, p, w: sklearn.metrics.accuracy_score(t, p, sample_weight=w),
    "f1": lambda t, p, w: sklearn.metrics.f1_score(t, p, sample_weight=w),
    "f0.5": lambda t, p, w: sklearn.metrics.fbeta_score(t, p, beta=0.5, sample_weight=w),
}


@given(CASES.filter(lambda rows: len({row[0] for row in rows}) == 2), st.sampled_from([*MEASURES]))
@example([ROWS[place] for place in (0, 0, 2, 2, 5, 5, 8, 10, 11)], "youden")
def test_it_is_the_highest_of_the_best_thresholds(rows, criterion):
    y_true, scores, weights = map(np.array, zip(*rows, strict=True))
    thresholds = [math.inf, *sorted(set(scores.tolist()), reverse=True)]
    values = [MEASURES[criterion](y_true, (scores >= each).astype(int), weights) for each in thresholds]
    best = next(each for each, value in zip(thresholds, values, strict=True) if value == close_to(max(values)))
    found = optimal_threshold(y_true, scores, criterion, sample_weight=weights)
    assert found == (best, close_to(max(values), abs=1e-12))
    rescaled = optimal_threshold(y_true, scores, criterion, sample_weight=weights * 0.1)
    assert rescaled.threshold == found.threshold


@given(CASES.filter(lambda rows: len({row[0] for row in rows}) == 2), st.sampled_from([(1, 5), (0.5, 0), (0, 0)]))
def test_the_least_cost_is_that_of_the_expected_cost(rows, cost):
    y_true, scores, weights = map(np.array, zip(*rows, strict=True))
    found = optimal_threshold(y_true, scores, "cost", cost=cost, sample_weight=weights)
    expected = metrics.expected_cost(
        y_true, scores, false_positive=cost[0], false_negative=cost[1], sample_weight=weights
    )
    assert (found.value, found.threshold) == expected
    assert threshold_at(y_true, scores, cost=cost, sample_weight=weights) == found.threshold
    shifted = {"sample_weight": weights, "target_prevalence": 0.2}
    assert threshold_at(y_true, scores, cost=cost, **shifted) == close_to(
        optimal_threshold(y_true, scores, "cost", cost=cost, **shifted).threshold
    )


@given(CASES.filter(lambda rows: len({row[0] for row in rows}) == 2))
def test_equal_errors(rows):
    y_true, scores, weights = map(np.array, zip(*rows, strict=True))
    found = optimal_threshold(y_true, scores, "eer", sample_weight=weights)
    fpr, tpr, thresholds = sklearn.metrics.roc_curve(y_true, scores, sample_weight=weights, drop_intermediate=False)
    assert found.value == close_to(equal_error_rate(fpr, 1 - tpr), abs=1e-12)
    assert found.threshold == thresholds[np.argmax(fpr - (1 - tpr) >= -1e-12)]


def test_the_largest_index_is_that_of_proc():
    with ASAH.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    poor = [row["outcome"] == "Poor" for row in rows]
    for marker, between, sensitivity, specificity in OF_PROC:
        scores = np.array([float(row[marker]) for row in rows])
        found = optimal_threshold(poor, scores)
        assert found.value == close_to(sensitivity + specificity - 1)
        assert (found.threshold + scores[scores < found.threshold].max()) / 2 == close_to(between)
        assert recall_at_specificity(poor, scores, specificity) == close_to(sensitivity)
        assert specificity_at_recall(poor, scores, sensitivity) == close_to(specificity)


def test_one_class_has_no_optimum():
    for criterion in ("youden", "balanced_accuracy", "ks", "mcc", "eer"):
        assert np.isnan(optimal_threshold([1, 1], [0.1, 0.2], criterion)).all()
    assert np.isnan(optimal_threshold([0, 0], [0.1, 0.2], "f1")).all()
    assert optimal_threshold([0, 1], [0.9, 0.1], "mcc") == (math.inf, 0.0)
    assert math.isnan(recall_at_specificity([1, 1], [0.1, 0.2], 0.5))
